"""Benchmarks: quality and speed beside a peer or a limit in the same run."""
