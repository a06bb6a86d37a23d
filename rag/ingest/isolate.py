"""Reads files in a process of its own, so that none of them can take the program along.

A damaged or hostile file may crash a parser's C code, hang it, or ask for all memory. Here
that ends one child process, and the document fails with the number of the page. It also keeps
the interpreter of the chat free of the parsers' work. The child is a plain subprocess
(`python -m rag.ingest.isolate_child`) rather than multiprocessing's, which would run the main
script again. It protects from faults; it is no sandbox against code.
"""

from __future__ import annotations

import atexit
import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from rag.errors import CorruptDocument, DocumentError, TooLarge
from rag.ingest.failures import Cancelled
from rag.ingest.inspect import Inspection
from rag.settings import IngestSettings
from rag.types import Document, Page, PageRoute

log = logging.getLogger(__name__)

Progress = Callable[[float], None]

MEMORY_MB = 3072
"""Most resident memory of a child in MiB: three times what text recognition needs. Chosen by
us."""
RECYCLE_MB = 1600
"""A child that holds more than this after its work is replaced; what is above the recognition
engine (1 GB) and its parsers is what big files left behind."""
IDLE_S = 180.0
"""How long a child without work is kept, in seconds. Chosen by us: several uploads in a row
share one, and the memory of the recognition engine is given back soon."""
SECONDS_PER_MB = 2.0
"""Added to the patience for each MiB of a file without pages, whose parsers report rarely."""
CONVERSION_S = 260.0
"""Patience while another program converts the file; it has a limit of its own below this."""

COMMAND = (sys.executable, "-m", "rag.ingest.isolate_child")
"""What a child runs."""

_POLL_S = 0.1
_ROOT = Path(__file__).resolve().parents[2]
_HEADER_BYTES = 8


def inspect_isolated(
    path: Path,
    settings: IngestSettings,
    *,
    name: str,
    cancelled: Callable[[], bool] | None = None,
) -> Inspection:
    """`rag.ingest.inspect.inspect` in a child process.

    Raises:
        Cancelled: `cancelled` said so.
        DocumentError: it cannot be read, crashed or hung the child.
    """
    request = {"path": path, "settings": settings, "name": name}
    call = _Call(_patience(path, settings, None), None, cancelled)
    return call.run("inspect", request)


def parse_isolated(
    path: Path,
    inspection: Inspection,
    *,
    name: str,
    settings: IngestSettings,
    password: str | None = None,
    routes: Mapping[int, PageRoute] | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Document:
    """Parse and clean a file in a child process.

    Args:
        progress: called with 0..1 as pages are done; may raise to stop.
        cancelled: asked ten times a second; the child is killed at once.

    Returns:
        The cleaned document; pages that a PDF should have and the parser lost are there, empty
        and flagged `failed_page`.

    Raises:
        Cancelled: `cancelled` said so.
        DocumentError: it cannot be read; or the child crashed, needed too much memory, or made
            no progress for `page_timeout_s`, and the message names the page.
    """
    request = {
        "path": path, "inspection": inspection, "name": name, "settings": settings,
        "password": password, "routes": dict(routes or {}),
    }  # fmt: skip
    call = _Call(_patience(path, settings, inspection), progress, cancelled, inspection.page_count)
    document: Document = call.run("parse", request)
    return document.model_copy(update={"pages": tuple(call.pages)})


def close_children() -> None:
    """End the children that wait for work; those at work end with their work."""
    _POOL.close()


def _patience(path: Path, settings: IngestSettings, inspection: Inspection | None) -> float:
    """Seconds without progress after which the child is given up."""
    if inspection is not None and getattr(inspection, "convert_from", None) is not None:
        return max(settings.page_timeout_s, CONVERSION_S)
    if inspection is not None and inspection.page_count:
        return settings.page_timeout_s
    return settings.page_timeout_s + SECONDS_PER_MB * path.stat().st_size / (1 << 20)


class _Call:
    """One request to a child, from sending it to its last message."""

    def __init__(
        self,
        patience_s: float,
        progress: Progress | None,
        cancelled: Callable[[], bool] | None,
        page_count: int | None = None,
    ) -> None:
        self._patience_s = patience_s
        self._progress = progress
        self._cancelled = cancelled
        self._page_count = page_count
        self._share = 0.0
        self.pages: list[Page] = []

    def run(self, work: str, request: dict[str, Any]) -> Any:
        child = _POOL.take()
        try:
            child.send((work, request, self._patience_s))
            kind, value = self._follow(child)
        except BaseException:
            child.kill()
            raise
        _POOL.give(child)
        if kind == "error":
            raise value
        return value

    def _follow(self, child: _Child) -> tuple[str, Any]:
        """The last message; pages and progress before it are taken in on the way."""
        heard = time.monotonic()
        while True:
            if self._cancelled is not None and self._cancelled():
                raise Cancelled
            try:
                kind, value = child.messages.get(timeout=_POLL_S)
            except queue.Empty:
                if time.monotonic() - heard > self._patience_s:
                    raise self._hung() from None
                if child.memory_mb() > MEMORY_MB:
                    raise self._too_big() from None
                continue
            if kind == "progress":
                # The same share again is a sign of life, not of progress; the parsers that
                # wait for something else (a conversion) send it on purpose.
                heard, self._share = time.monotonic(), value
                if self._progress is not None:
                    self._progress(value)
            elif kind == "pages":
                heard = time.monotonic()
                self.pages.extend(value)
            elif kind == "memory":
                raise self._too_big()
            elif kind == "gone":
                raise self._crashed(child.return_code())
            else:
                return kind, value

    def _where(self) -> tuple[str, str]:
        """The page that was being read, in Chinese and English; empty when unknown."""
        if not self._page_count:
            return "", ""
        page = min(round(self._share * self._page_count) + 1, self._page_count)
        return f"第 {page} 页", f" page {page}"

    def _hung(self) -> DocumentError:
        zh, en = self._where()
        return DocumentError(
            f"读取{zh or '文件'}时超过 {self._patience_s:.0f} 秒没有进展，已停止处理。",
            f"请打开核对{zh or '文件'}的内容，删去该页或另存为新的文件后重新上传。",
            message_en=f"Reading{en or ' the file'} made no progress for "
            f"{self._patience_s:.0f} seconds and was stopped.",
            remedy_en=f"Look at{en or ' the file'}, remove it or save the file anew, "
            "and upload that.",
            detail=f"no progress at {self._share:.3f}",
        )

    def _crashed(self, code: int | None) -> CorruptDocument:
        zh, en = self._where()
        log.warning("the child that read a file ended with %s", code)
        return CorruptDocument(
            f"读取{zh or '文件'}时解析程序崩溃，文件可能已损坏。",
            "请用相应的软件打开并另存一份，再重新上传。",
            message_en=f"Reading{en or ' the file'} crashed the parser; "
            "the file is probably damaged.",
            remedy_en="Open it in its program, save a copy and upload that.",
            detail=f"exit status {code} at {self._share:.3f}",
        )

    def _too_big(self) -> TooLarge:
        zh, en = self._where()
        return TooLarge(
            f"读取{zh or '文件'}需要的内存超过 {MEMORY_MB} MB，已停止处理。",
            "请拆分文件，或降低其中图片的分辨率后重新上传。",
            message_en=f"Reading{en or ' the file'} needs more than {MEMORY_MB} MB of memory.",
            remedy_en="Split the file or reduce its pictures, and upload that.",
        )


class _Child:
    """A running child process and the messages that it sent."""

    def __init__(self) -> None:
        # One thread each: several children and the chat share the processor.
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        paths = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **threads, "PYTHONPATH": paths},
            start_new_session=True,
        )
        self.messages: queue.Queue[tuple[str, Any]] = queue.Queue(maxsize=64)
        threading.Thread(target=self._listen, daemon=True, name="isolated").start()

    def send(self, message: Any) -> None:
        """Give the child work; a child that is gone says so in its messages."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            write_frame(self._process.stdin, message)

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def return_code(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        return self._process.returncode

    def memory_mb(self) -> float:
        """Resident memory in MiB; 0 where the system doesn't tell."""
        try:
            fields = Path(f"/proc/{self._process.pid}/statm").read_text().split()
            return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
        except (OSError, ValueError, IndexError, AttributeError):
            return 0.0

    def kill(self) -> None:
        """End the child and whatever it started."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(OSError):
            self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        try:
            while (message := read_frame(stream)) is not None:
                self._tell(message)
        except (OSError, ValueError, EOFError, pickle.UnpicklingError):
            pass
        self._tell(("gone", None))

    def _tell(self, message: tuple[str, Any]) -> None:
        while True:
            try:
                return self.messages.put(message, timeout=1.0)
            except queue.Full:
                if not self.is_alive():
                    return None


class _Pool:
    """Children that wait for work: at most one, ended after a while."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: _Child | None = None
        self._timer: threading.Timer | None = None

    def take(self) -> _Child:
        with self._lock:
            child, self._idle = self._idle, None
            if self._timer is not None:
                self._timer.cancel()
        if child is not None:
            if child.is_alive():
                return child
            child.kill()
        return _Child()

    def give(self, child: _Child) -> None:
        fit = child.is_alive() and child.memory_mb() < RECYCLE_MB
        with self._lock:
            kept = fit and self._idle is None
            if kept:
                self._idle = child
                self._timer = threading.Timer(IDLE_S, self.close)
                self._timer.daemon = True
                self._timer.start()
        if not kept:
            child.kill()

    def close(self) -> None:
        with self._lock:
            child, self._idle = self._idle, None
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        if child is not None:
            child.kill()


def write_frame(stream: IO[bytes], message: Any) -> None:
    """Send one message: its length in eight bytes, then the pickled value."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(_HEADER_BYTES, "little"))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """The next message; None at the end of the stream.

    Raises:
        EOFError: it ended within a message.
    """
    header = stream.read(_HEADER_BYTES)
    if not header:
        return None
    data = stream.read(int.from_bytes(header, "little"))
    if len(header) < _HEADER_BYTES or len(data) < int.from_bytes(header, "little"):
        raise EOFError
    return pickle.loads(data)


_POOL = _Pool()
atexit.register(close_children)
