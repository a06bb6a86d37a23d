"""Traces, metrics and health."""
