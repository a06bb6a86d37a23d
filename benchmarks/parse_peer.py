"""Turns files into Markdown with another tool; run by `bench_parse` and `bench_ingest` with a
Python of its own.

    python parse_peer.py pymupdf4llm|markitdown FILE
    python parse_peer.py seconds FILE …

Writes Markdown to the standard output and the seconds that it took, imports left out, to the
standard error as the last line. With `seconds` it writes a JSON object of pymupdf4llm's seconds of
CPU per file, the better of two runs. Needs only the tool, nothing of ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Sequence


def main() -> int:
    """Convert and print."""
    tool, path = sys.argv[1:3]
    if tool == "seconds":
        print(json.dumps(seconds_of(sys.argv[2:])))
        return 0
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


def seconds_of(paths: Sequence[str]) -> dict[str, float]:
    """pymupdf4llm's seconds of CPU for each file, imports left out."""
    if hasattr(os, "sched_setaffinity"):
        # On one core, its models' threads have nobody to wait for in a loop.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found: dict[str, float] = {}
    with contextlib.redirect_stdout(sys.stderr):
        import pymupdf4llm

        for path in paths:
            times = []
            for _ in range(2):
                start = time.process_time()
                pymupdf4llm.to_markdown(path)
                times.append(time.process_time() - start)
            found[path] = min(times)
    return found


if __name__ == "__main__":
    sys.exit(main())
