"""Chinese text as both chains see it: normalise, tokenise, split into sentences, compare."""
