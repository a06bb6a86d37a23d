"""Keeps workers from working on the same document, and documents from a changing index."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager


class Claims:
    """Keys that are taken while someone works on them. Thread-safe."""

    def __init__(self) -> None:
        self._taken: set[Hashable] = set()
        self._changed = threading.Condition()

    @contextmanager
    def hold(self, *keys: Hashable) -> Iterator[None]:
        """Wait until none of the keys is taken, take them all, and release them at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._taken.isdisjoint(keys))
            self._taken.update(keys)
        try:
            yield
        finally:
            with self._changed:
                self._taken.difference_update(keys)
                self._changed.notify_all()


class IndexTurns:
    """Documents go into the index side by side; a rebuild has it for itself. Thread-safe.

    A rebuild that waits goes before documents that come later.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._writing = 0
        self._rebuilding = False
        self._rebuilds_waiting = 0

    @contextmanager
    def document(self, waiting: Callable[[], None], poll_s: float = 0.5) -> Iterator[None]:
        """Around the writing of one document.

        Args:
            waiting: called every `poll_s` seconds while a rebuild runs; may raise to give up.
        """
        with self._changed:
            while self._rebuilding or self._rebuilds_waiting:
                self._changed.wait(poll_s)
                waiting()
            self._writing += 1
        try:
            yield
        finally:
            with self._changed:
                self._writing -= 1
                self._changed.notify_all()

    @contextmanager
    def rebuild(self) -> Iterator[None]:
        """Around the rebuilding of an index; waits for documents that are being written."""
        with self._changed:
            self._rebuilds_waiting += 1
            self._changed.wait_for(lambda: not self._rebuilding and not self._writing)
            self._rebuilds_waiting -= 1
            self._rebuilding = True
        try:
            yield
        finally:
            with self._changed:
                self._rebuilding = False
                self._changed.notify_all()


class Seldom:
    """Lets dear work that repeats take a bounded share of the time. Thread-safe.

    Args:
        share: most of the time that the work may take, 0..1.
        free_s: work that takes less, in seconds, is never put off.
    """

    def __init__(self, share: float = 0.05, free_s: float = 0.1) -> None:
        self._share = share
        self._free_s = free_s
        self._lock = threading.Lock()
        self._due: set[Hashable] = set()
        self._not_before: dict[Hashable, float] = {}

    def run(self, key: Hashable, work: Callable[[], None], *, now: bool = False) -> None:
        """Do the work unless it was done too recently; it is due then. `now` does it anyway."""
        with self._lock:
            early = time.monotonic() < self._not_before.get(key, 0.0)
            if early and not now:
                self._due.add(key)
                return
            self._due.discard(key)
        began = time.monotonic()
        work()
        took = time.monotonic() - began
        with self._lock:
            pause = took / self._share if took > self._free_s else 0.0
            self._not_before[key] = time.monotonic() + pause

    def due(self) -> list[Hashable]:
        """Keys whose work was put off."""
        with self._lock:
            return list(self._due)
