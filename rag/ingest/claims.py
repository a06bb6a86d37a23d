"""Keeps two workers from ingesting the same document at the same time."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
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
