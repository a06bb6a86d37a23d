"""A child of `rag.ingest.isolate` whose parser does what the file's first line says."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from pathlib import Path
from typing import Any

import rag.ingest.parse as parsing
from rag.ingest import isolate_child
from rag.types import Block, Document, Page

PAGES = 4


def parse(path: Path, inspection: Any, *, progress: Any, routes: Any = None, **_: Any) -> Document:
    deed = path.read_text("utf-8").split("\n")[0]
    pages = []
    for number in range(1, PAGES + 1):
        if number == 3 and (routes or {}).get(3) != "scanned":
            misbehave(deed)
        pages.append(Page(number=number, blocks=(Block(kind="paragraph", text=f"第{number}页"),)))
        progress(number / PAGES)
    return Document(
        name="a", media_type="text/plain", pages=tuple(pages), flags=(str(os.getpid()),)
    )


def misbehave(deed: str) -> None:
    if deed == "crash":
        ctypes.string_at(0)
    elif deed == "exit":
        os._exit(3)
    elif deed == "hang":
        time.sleep(600)
    elif deed == "memory":
        kept = []
        while True:
            kept.append(bytearray(os.urandom(1 << 20) * 16))
    elif deed == "print":
        print("x" * 100_000, flush=True)
        os.write(1, b"y" * 100_000)
        sys.stdin.read()
    elif deed == "bug":
        raise _Local("unpicklable")


class _Local(Exception):
    def __init__(self, message: str) -> None:
        super().__init__(message, lambda: None)


parsing.parse = parse
isolate_child.main()
