"""One parser per format; all return the same Document."""
