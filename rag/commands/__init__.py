"""The command line: `python -m rag …`, the same services without a browser."""
