"""Embedders, rerankers and chat models by name, imported lazily."""
