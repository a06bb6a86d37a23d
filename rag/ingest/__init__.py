"""The offline chain: inspect, parse, clean, chunk, describe, embed, store."""
