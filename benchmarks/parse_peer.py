"""Turns one file into Markdown with another tool; run by `bench_parse` with its own Python.

    python parse_peer.py pymupdf4llm|markitdown FILE

Writes Markdown to the standard output and the seconds that it took, imports left out, to the
standard error as the last line. Needs only the tool, nothing of ours.
"""

from __future__ import annotations

import contextlib
import sys
import time


def main() -> int:
    """Convert and print."""
    tool, path = sys.argv[1:3]
    # Tools print notices of their own; only the result goes to the standard output.
    with contextlib.redirect_stdout(sys.stderr):
        if tool == "pymupdf4llm":
            import pymupdf4llm

            start = time.perf_counter()
            text = pymupdf4llm.to_markdown(path)
        else:
            from markitdown import MarkItDown

            converter = MarkItDown()
            start = time.perf_counter()
            text = converter.convert(path).text_content
        seconds = time.perf_counter() - start
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.flush()
    print(f"\n{seconds:.3f}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
