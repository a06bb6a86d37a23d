#!/bin/sh
# Prints the first interpreter that runs and is Python 3.11 to 3.13.
for name in python3 python3.11 python3.12 python3.13 python; do
	"$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || continue
	command -v "$name"
	exit 0
done
exit 1
