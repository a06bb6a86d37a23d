"""Runs turns in worker threads and writes them down as they go.

A worker owns its answer: nobody who follows it can break it off by going away. What it
writes reaches the catalog before those who follow hear of the end.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag.errors import StoreError, ZhiwenError
from rag.foreground import FOREGROUND
from rag.store.catalog import Catalog
from rag.store.conversations import stored_status
from rag.turn import TurnInput
from rag.types import Answer, EarlierAnswer, Event, Failed, Final, Token, Understanding

if TYPE_CHECKING:
    from rag.chain import Chain

log = logging.getLogger(__name__)

CONCURRENT_TURNS = 16
"""Turns that run at once; further ones wait. Chosen by us for a few cores."""

SAVE_EVERY_CHARACTERS = 80
"""How much text may be lost by a crash: the partial answer is saved this often."""

CLOSE_WITHIN_S = 5.0
"""How long `close` waits for stopped turns to write down what they have, in seconds."""

_POLL_S = 0.1
"""How often a turn that waits for its place looks at its stop switch, in seconds."""


@dataclass
class _Running:
    """A turn in memory: its events and text so far, and the switch that stops it."""

    stop: threading.Event = field(default_factory=threading.Event)
    news: threading.Condition = field(default_factory=threading.Condition)
    events: list[Event] = field(default_factory=list)
    text: str = ""
    earlier: tuple[EarlierAnswer, ...] = ()
    thread: threading.Thread | None = None

    def add(self, event: Event) -> int:
        with self.news:
            self.events.append(event)
            self.news.notify_all()
            return len(self.events)


class TurnWorkers:
    """The turns that are being answered, by the id of the assistant's message. Thread-safe.

    Args:
        catalog: where messages and events are kept.
        chain: returns the chain; called in the worker, after `wait_ready`.
        wait_ready: blocks until the models can be used or the given event is set; raises
            when they cannot be used.
    """

    def __init__(
        self,
        catalog: Catalog,
        chain: Callable[[], Chain],
        wait_ready: Callable[[threading.Event], None],
    ) -> None:
        self._store = catalog.conversations
        self._chain = chain
        self._wait_ready = wait_ready
        self._running: dict[str, _Running] = {}
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(CONCURRENT_TURNS)

    @contextmanager
    def reserved(self) -> Iterator[Callable[[str], None]]:
        """Announces messages before others can read them; forgotten when the block fails."""
        announced: list[str] = []

        def reserve(message_id: str) -> None:
            with self._lock:
                self._running[message_id] = _Running()
            announced.append(message_id)

        try:
            yield reserve
        except BaseException:
            for message_id in announced:
                self._forget(message_id)
            raise

    def start(
        self, message_id: str, turn: TurnInput, earlier: tuple[EarlierAnswer, ...] = ()
    ) -> None:
        """Begin answering a reserved message; the answer keeps those `earlier` ones."""
        running = self._running[message_id]
        running.earlier = earlier
        running.thread = threading.Thread(
            target=self._work, args=(message_id, turn, running), daemon=True, name="turn"
        )
        running.thread.start()

    def has(self, message_id: str) -> bool:
        """Whether the message is being answered."""
        with self._lock:
            return message_id in self._running

    def stop(self, message_id: str) -> None:
        """Ask a turn to end with what it has; nothing happens when it has ended."""
        running = self._running.get(message_id)
        if running is not None:
            running.stop.set()

    def follow(self, message_id: str, after: int, wait_s: float) -> list[tuple[int, Event]] | None:
        """Events of a running turn above number `after`, waiting up to `wait_s` seconds for
        one; None when it does not run (any more)."""
        running = self._running.get(message_id)
        if running is None:
            return None
        with running.news:
            running.news.wait_for(lambda: len(running.events) > after, timeout=wait_s)
            return list(enumerate(running.events[after:], start=after + 1))

    def close(self) -> None:
        """Stop all turns and wait a moment until they have saved what they have."""
        with self._lock:
            running = list(self._running.values())
        for turn in running:
            turn.stop.set()
        deadline = time.monotonic() + CLOSE_WITHIN_S
        for turn in running:
            if turn.thread is not None:
                turn.thread.join(max(0.0, deadline - time.monotonic()))

    # --- The worker -------------------------------------------------------------------

    def _work(self, message_id: str, turn: TurnInput, running: _Running) -> None:
        try:
            with self._place(running.stop):
                self._wait_ready(running.stop)
                with FOREGROUND.turn():
                    for event in self._events(turn, running.stop):
                        self._record(message_id, running, event)
        except Exception as error:
            self._fail(message_id, turn, running, error)
        finally:
            self._forget(message_id)

    def _forget(self, message_id: str) -> None:
        with self._lock:
            self._running.pop(message_id, None)

    @contextmanager
    def _place(self, stop: threading.Event) -> Iterator[None]:
        """One of the places for turns that run at once; given up when stopped."""
        taken = False
        while not taken and not stop.is_set():
            taken = self._places.acquire(timeout=_POLL_S)
        try:
            yield
        finally:
            if taken:
                self._places.release()

    def _events(self, turn: TurnInput, stop: threading.Event) -> Iterable[Event]:
        if stop.is_set():
            answer = Answer(
                status="stopped",
                text="",
                reason="已停止。",
                attempt=turn.attempt,
                understanding=_put_right(turn),
            )
            return (Final(answer=answer),)
        return self._chain().stream(turn, stop=stop)

    def _record(self, message_id: str, running: _Running, event: Event) -> None:
        """Write an event down, an answer first, then tell those who follow."""
        if isinstance(event, Token):
            saved = len(running.text) // SAVE_EVERY_CHARACTERS
            running.text += event.text
            if len(running.text) // SAVE_EVERY_CHARACTERS > saved:
                with _unless_full():
                    self._store.update_message(message_id, content=running.text)
            running.add(event)
            return
        if isinstance(event, Final):
            answer = event.answer.model_copy(update={"earlier": running.earlier})
            self._store.update_message(
                message_id,
                content=answer.text,
                status=stored_status(answer),
                answer=answer,
            )
        number = running.add(event)
        with _unless_full():
            self._store.append_event(message_id, number, event)

    def _fail(self, message_id: str, turn: TurnInput, running: _Running, error: Exception) -> None:
        trace_id = secrets.token_hex(4)
        known = isinstance(error, ZhiwenError)
        level = logging.INFO if known else logging.ERROR
        log.log(level, "turn %s failed: %s", trace_id, error, exc_info=not known)
        event = _failed(error, trace_id)
        answer = Answer(
            status="error",
            text=running.text,
            reason=f"{event.message}{event.remedy}",
            reason_en=f"{event.message_en} {event.remedy_en}".strip(),
            attempt=turn.attempt,
            understanding=_put_right(turn),
            earlier=running.earlier,
        )
        try:
            self._store.update_message(
                message_id, content=running.text, status="error", answer=answer
            )
            self._store.append_event(message_id, len(running.events) + 1, event)
        except Exception:
            log.exception("turn %s: the failure could not be written down", trace_id)
        running.add(event)


def _put_right(turn: TurnInput) -> Understanding | None:
    """The question as the user put it right, so that an answer that fails does not lose it."""
    if turn.corrected is None:
        return None
    return Understanding(question=turn.question, standalone_question=turn.corrected, source="user")


@contextmanager
def _unless_full() -> Iterator[None]:
    """For what only repeats memory or an answer that is written later: a full or busy disk is
    no reason to lose the answer."""
    try:
        yield
    except StoreError as error:
        log.warning("a running turn was not kept up to date: %s", error)


def _failed(error: Exception, trace_id: str) -> Failed:
    """The last event of a turn that raised; technical detail stays in the log."""
    if isinstance(error, ZhiwenError):
        return Failed(
            message=error.message,
            remedy=error.remedy,
            message_en=error.message_en,
            remedy_en=error.remedy_en,
            trace_id=trace_id,
        )
    return Failed(
        message="回答时出了意外，问题已保留。",
        remedy=f"请再试一次；若仍不行，请把编号 {trace_id} 告诉管理员。",
        message_en="Something went wrong while answering; your question is kept.",
        remedy_en=f"Try again; should it fail again, give the number {trace_id} to an "
        "administrator.",
        trace_id=trace_id,
    )
