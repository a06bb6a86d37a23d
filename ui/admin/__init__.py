"""Sections of the admin page, one module each."""
