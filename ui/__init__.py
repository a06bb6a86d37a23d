"""Widgets, styles and texts that the pages share."""
