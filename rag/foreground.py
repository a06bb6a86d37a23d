"""Keeps chats quick while documents are processed: background work gives way to them.

Turns of a chat enter `FOREGROUND.turn()`. Background work calls `FOREGROUND.give_way()`
between its small steps, and its threads and processes run at a lower priority.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

GIVE_WAY_S = 2.0
"""Longest wait of one step for turns that run, in seconds. Chosen by us: longer than a turn
without a language model, short enough that documents get on under a steady load."""

NICENESS = 10
"""Priority of background threads and processes (Unix "nice", 0 normal, 19 least). Chosen by
us: a thread of a turn then gets nine tenths of a core that it shares with one."""


class Foreground:
    """Counts the turns that run. Thread-safe."""

    def __init__(self) -> None:
        self._idle = threading.Condition()
        self._turns = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Around work that somebody waits for."""
        with self._idle:
            self._turns += 1
        try:
            yield
        finally:
            with self._idle:
                self._turns -= 1
                if not self._turns:
                    self._idle.notify_all()

    @property
    def busy(self) -> bool:
        """Whether any turn runs."""
        return self._turns > 0

    def give_way(self, limit_s: float = GIVE_WAY_S) -> None:
        """Wait until no turn runs, at most `limit_s` seconds; free when none does."""
        if not self._turns:
            return
        with self._idle:
            self._idle.wait_for(lambda: not self._turns, timeout=limit_s)


def lower_priority() -> None:
    """Let everything else go before the calling thread, and before threads and processes that
    it starts. Only Linux knows priorities of threads; elsewhere nothing happens."""
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


FOREGROUND = Foreground()
"""The process's own: what is shared is its interpreter and the machine."""
