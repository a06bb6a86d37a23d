"""Where things are kept: the catalog (SQL) and the vectors (Milvus)."""
