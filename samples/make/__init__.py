"""Builds the generated sample documents from `samples/sources`."""
