"""Child processes that read files: started, spoken to, watched, used again and ended.

Messages go through the child's standard input and output as frames: a length in eight bytes,
then a pickled value.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

COMMAND = (sys.executable, "-m", "rag.ingest.isolate_child")
"""What a child runs."""

RECYCLE_MB = 1600
"""A child that holds more than this after its work is replaced; what is above the recognition
engine (1 GB) and its parsers is what big files left behind."""
IDLE_S = 180.0
"""How long a child without work is kept, in seconds. Chosen by us: several uploads in a row
share one, and the memory of the recognition engine is given back soon."""

_ROOT = Path(__file__).resolve().parents[2]
_HEADER_BYTES = 8


class Child:
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
        """Whether the process runs."""
        return self._process.poll() is None

    def return_code(self) -> int | None:
        """How it ended; None when it doesn't end."""
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


class Pool:
    """Children that wait for work: at most one, ended after a while."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: Child | None = None
        self._timer: threading.Timer | None = None

    def take(self) -> Child:
        """A child that waits, else a new one."""
        with self._lock:
            child, self._idle = self._idle, None
            if self._timer is not None:
                self._timer.cancel()
        if child is not None:
            if child.is_alive():
                return child
            child.kill()
        return Child()

    def give(self, child: Child) -> None:
        """Keep a child for the next file, unless one waits already or it has grown too big."""
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
        """End the child that waits."""
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
