"""Data sets, metrics and runners of the benchmarks."""
