"""Keeps chats quick while documents are processed: background work gives way to them.

Turns of a chat enter `FOREGROUND.turn()`. Background work calls `FOREGROUND.give_way()`
between its small steps, and its threads and processes run at a lower priority.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

GIVE_WAY_S = 2.0
"""Longest wait of one step for turns that run, in seconds. Chosen by us: longer than a turn
without a language model, short enough that documents get on under a steady load."""

LONG_TURN_S = 15.0
"""Age from which a turn is left to itself, in seconds: then it waits for a language model's
words and leaves the machine idle. Chosen by us."""

NICENESS = 10
"""Priority of background threads and processes (Unix "nice", 0 normal, 19 least). Chosen by
us: a thread of a turn then gets nine tenths of a core that it shares with one."""


class Foreground:
    """The turns that run. Thread-safe.

    Args:
        now: the clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._ended = threading.Condition()
        self._began: dict[int, float] = {}
        self._count = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Around work that somebody waits for."""
        with self._ended:
            self._count += 1
            key = self._count
            self._began[key] = self._now()
        try:
            yield
        finally:
            with self._ended:
                del self._began[key]
                self._ended.notify_all()

    @property
    def busy(self) -> bool:
        """Whether any turn runs that still needs the machine."""
        since = self._now() - LONG_TURN_S
        return any(began > since for began in list(self._began.values()))

    def give_way(self, limit_s: float = GIVE_WAY_S) -> None:
        """Wait until no turn needs the machine, at most `limit_s` seconds; free when none
        does."""
        if not self._began:
            return
        with self._ended:
            self._ended.wait_for(lambda: not self.busy, timeout=limit_s)


def lower_priority() -> None:
    """Let everything else go before the calling thread, and before threads and processes that
    it starts. Only Linux knows priorities of threads; elsewhere nothing happens."""
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


FOREGROUND = Foreground()
"""The process's own: what is shared is its interpreter and the machine."""
