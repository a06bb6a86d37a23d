"""Recent results in memory. What they depend on is part of the key, so nothing goes stale:
a changed document, setting or model makes another key."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Stored = TypeVar("Stored")


class RecentResults(Generic[Stored]):
    """The last `size` results by key; the least recently used leaves first. Thread-safe.

    Raises:
        ValueError: `size` is below 1.
    """

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError("size must be at least 1")
        self._size = size
        self._lock = threading.Lock()
        self._results: OrderedDict[Hashable, Stored] = OrderedDict()

    def get(
        self,
        key: Hashable,
        make: Callable[[], Stored],
        keep: Callable[[Stored], bool] = lambda _: True,
    ) -> Stored:
        """The stored result of `key`, else what `make` returns, which is then stored if `keep`
        says so.

        `make` runs outside the lock: two threads may make the same result at once. When it
        raises, nothing is stored.
        """
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        made = make()
        if not keep(made):
            return made
        with self._lock:
            self._results[key] = made
            self._results.move_to_end(key)
            while len(self._results) > self._size:
                self._results.popitem(last=False)
        return made

    def __len__(self) -> int:
        with self._lock:
            return len(self._results)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._results.clear()
