"""Alembic scripts of the catalog, run by rag.store.migrate."""
