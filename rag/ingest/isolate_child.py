"""The child of `rag.ingest.isolate`: inspects, parses and cleans files until its input ends.

Run as `python -m rag.ingest.isolate_child`; requests come on standard input, answers go to
standard output, both in frames. Whatever libraries print is dropped.
"""

from __future__ import annotations

import faulthandler
import lzma
import os
import pickle
import queue
import struct
import sys
import threading
import traceback
import zipfile
import zlib
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from rag.errors import ZhiwenError
from rag.foreground import NICENESS
from rag.ingest.isolate import MEMORY_MB, Reading
from rag.ingest.isolate_process import read_frame, write_frame
from rag.types import Document, Page

PAGES_PER_MESSAGE = 32
"""Pages handed over at once: small enough that taking them in never holds up a chat."""
_ADDRESS_SPACE = 2
"""The hard limit of private memory, as a multiple of what the parent lets pass; a single
request beyond it fails at once instead of exhausting the machine."""
_GRACE = 3.0
"""An orphan that hangs in C code ends by itself after so many times the parent's patience."""

_DAMAGE = (zlib.error, lzma.LZMAError, zipfile.BadZipFile, struct.error, EOFError)
"""What Python's readers raise in the middle of damaged data, whatever the format."""

Send = Callable[[str, Any], None]


def main() -> None:
    """Serve requests until standard input ends."""
    requests, answers = _streams()
    _be_modest()
    waiting: queue.Queue[Any] = queue.Queue()
    threading.Thread(target=_receive, args=(requests, waiting), daemon=True).start()
    while True:
        work, request, patience_s = waiting.get()

        def send(kind: str, value: Any, limit_s: float = patience_s * _GRACE) -> None:
            faulthandler.dump_traceback_later(limit_s, exit=True)
            write_frame(answers, (kind, value))

        try:
            send(*_answer(work, request, send))
        except BrokenPipeError:
            os._exit(0)
        finally:
            faulthandler.cancel_dump_traceback_later()


def _answer(work: str, request: dict[str, Any], send: Send) -> tuple[str, Any]:
    """The last message about a request."""
    try:
        return "done", {"inspect": _inspect, "parse": _parse}[work](request, send)
    except BrokenPipeError:
        raise
    except MemoryError:
        return "memory", None
    except _DAMAGE as error:
        from rag.ingest.archive import damaged

        return "error", damaged(f"{type(error).__name__}: {error}")
    except ZhiwenError as error:
        return "error", error
    except Exception as error:
        return "error", _portable(error)


def _inspect(request: dict[str, Any], send: Send) -> Any:
    from rag.ingest.inspect import inspect

    send("progress", 0.0)
    return inspect(request["path"], request["settings"], name=request["name"])


def _parse(request: dict[str, Any], send: Send) -> Reading:
    """The reading, its document without its pages, which were sent before."""
    from rag.ingest.clean import clean
    from rag.ingest.parse import parse
    from rag.ingest.table_check import check_tables

    routes = {"routes": request["routes"]} if request["routes"] else {}
    document = parse(
        request["path"],
        request["inspection"],
        name=request["name"],
        settings=request["settings"],
        password=request["password"],
        progress=lambda share: send("progress", share),
        **routes,
    )
    send("progress", 1.0)
    document = check_tables(
        document, request["path"], request["password"], lambda: send("progress", 1.0)
    )
    document = clean(with_all_pages(document, request["inspection"].page_count))
    document = with_given_up(document, request["given_up"])
    send("progress", 1.0)
    reading = _judged(document, request)
    pages = reading.document.pages
    for start in range(0, len(pages), PAGES_PER_MESSAGE):
        send("pages", pages[start : start + PAGES_PER_MESSAGE])
    return replace(reading, document=reading.document.model_copy(update={"pages": ()}))


def _judged(document: Document, request: dict[str, Any]) -> Reading:
    from rag.ingest.describe import describe
    from rag.ingest.metadata import merge
    from rag.ingest.quality import apply_decisions, assess, with_page_keys

    decisions, same_file = request["decisions"], request["same_file"]
    if same_file:
        decisions = with_page_keys(document, decisions)
    document = apply_decisions(document, decisions, same_file=same_file)
    if request["facts"] is not None:
        metadata = merge(document.metadata, request["facts"])
        document = document.model_copy(update={"metadata": metadata})
    document = document.model_copy(update={"quality": assess(document, decisions)})
    return Reading(document, tuple(decisions), describe(document))


def with_given_up(document: Document, numbers: Collection[int]) -> Document:
    """The document, those of its pages that crashed or hung the parser flagged as such."""
    if not numbers:
        return document
    pages = tuple(
        page.model_copy(update={"flags": (*page.flags, "skipped_page")})
        if page.number in numbers
        else page
        for page in document.pages
    )
    flags = (*document.flags, "skipped_page")
    return document.model_copy(update={"pages": pages, "flags": flags})


def with_all_pages(document: Document, count: int | None) -> Document:
    """The document with those of its `count` pages that the parser lost, empty and flagged."""
    numbers = {page.number for page in document.pages}
    lost = [number for number in range(1, (count or 0) + 1) if number not in numbers]
    if not lost:
        return document
    found = (*document.pages, *(Page(number=n, flags=("failed_page",)) for n in lost))
    pages = tuple(sorted(found, key=lambda page: page.number))
    flags = tuple(dict.fromkeys((*document.flags, "failed_page")))
    return document.model_copy(update={"pages": pages, "flags": flags})


def _portable(error: Exception) -> Exception:
    """An exception that the parent can be sent: itself, or its traceback as text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("".join(traceback.format_exception(error)))
    error.add_note("".join(traceback.format_tb(error.__traceback__)))
    return error


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent, out of the reach of libraries that read or print."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    return requests, answers


def _receive(requests: BinaryIO, waiting: queue.Queue[Any]) -> None:
    """Pass requests on; the parent's end is ours, whatever is being done."""
    with suppress(Exception):
        while (message := read_frame(requests)) is not None:
            waiting.put(message)
    os._exit(0)


def _be_modest() -> None:
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
    with suppress(ImportError, OSError, ValueError):
        import resource

        limit = MEMORY_MB * _ADDRESS_SPACE << 20
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
