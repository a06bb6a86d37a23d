"""Conversations: turns run in worker threads and are written down as they go.

The worker owns the answer. Pages only follow its event log, so a reload, a second tab or a
click elsewhere loses nothing: a running turn is followed from memory, a finished one is read
from the catalog, and a turn that a crash cut off is marked as stopped at the next start.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rag.access.policy import can_read
from rag.chain import Chain, TurnInput, check_question, failed
from rag.errors import InvalidInput, NotFound, ZhiwenError
from rag.export import to_markdown
from rag.store.catalog import Catalog
from rag.types import (
    Answer,
    Conversation,
    Event,
    Failed,
    Final,
    Message,
    MessageStatus,
    Person,
    Token,
    Turn,
)

log = logging.getLogger(__name__)

CONCURRENT_TURNS = 16
"""Turns that run at once; further ones wait. Chosen by us for a few cores."""

SAVE_EVERY_CHARACTERS = 80
"""How much text may be lost by a crash: the partial answer is saved this often."""

TITLE_CHARACTERS = 24


@dataclass
class _Running:
    """A turn in memory: its events so far, and the switch that stops it."""

    stop: threading.Event = field(default_factory=threading.Event)
    news: threading.Condition = field(default_factory=threading.Condition)
    events: list[Event] = field(default_factory=list)
    finished: bool = False

    def add(self, event: Event) -> int:
        with self.news:
            self.events.append(event)
            self.finished = isinstance(event, Final | Failed)
            self.news.notify_all()
            return len(self.events)


Readable = list[str]


class Conversations:
    """What the chat page uses. Every call checks that the person owns the conversation.

    Args:
        catalog: where conversations are kept.
        chain: returns the chain; called in the worker, after `wait_ready`.
        wait_ready: blocks until the models can be used; raises when they cannot.
    """

    def __init__(
        self, catalog: Catalog, chain: Callable[[], Chain], wait_ready: Callable[[], None]
    ) -> None:
        self._catalog = catalog
        self._chain = chain
        self._wait_ready = wait_ready
        self._running: dict[str, _Running] = {}
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(CONCURRENT_TURNS)
        catalog.conversations.fail_running()

    # --- Conversations ----------------------------------------------------------------

    def create(self, person: Person, kb_ids: Sequence[str]) -> Conversation:
        """Start an empty conversation about the given knowledge bases."""
        return self._catalog.conversations.create(person.id, self._readable(person, kb_ids))

    def list(self, person: Person, query: str = "") -> Sequence[Conversation]:
        """The person's conversations, newest first; `query` filters by title and text."""
        return self._catalog.conversations.list(person.id, query)

    def get(self, conversation_id: str, person: Person) -> Conversation:
        """One conversation.

        Raises:
            NotFound: it does not exist or belongs to somebody else.
        """
        return self._catalog.conversations.get(conversation_id, person.id)

    def rename(self, conversation_id: str, person: Person, title: str) -> None:
        """Give the conversation a title of 1 to 80 characters."""
        cleaned = " ".join(title.split())[:80]
        if not cleaned:
            raise InvalidInput("标题是空的。", "请输入标题。", message_en="The title is empty.")
        self.get(conversation_id, person)
        self._catalog.conversations.rename(conversation_id, cleaned)

    def delete(self, conversation_id: str, person: Person) -> None:
        """Delete the conversation with all its messages; a running turn is stopped."""
        self.get(conversation_id, person)
        for message in self._catalog.conversations.messages(conversation_id):
            self._stop(message.id)
        self._catalog.conversations.delete(conversation_id)

    def set_kbs(self, conversation_id: str, person: Person, kb_ids: Sequence[str]) -> None:
        """Choose the knowledge bases that later questions are asked of."""
        self.get(conversation_id, person)
        self._catalog.conversations.set_kbs(conversation_id, self._readable(person, kb_ids))

    def messages(self, conversation_id: str, person: Person) -> Sequence[Message]:
        """All messages, oldest first."""
        self.get(conversation_id, person)
        return self._catalog.conversations.messages(conversation_id)

    def export(self, conversation_id: str, person: Person) -> str:
        """The conversation as Markdown, citations as footnotes."""
        conversation = self.get(conversation_id, person)
        return to_markdown(conversation, self._catalog.conversations.messages(conversation_id))

    # --- Turns ------------------------------------------------------------------------

    def ask(self, conversation_id: str, person: Person, question: str) -> Message:
        """Write the question down and start answering it in a worker thread.

        Returns:
            The assistant's message, status "running".

        Raises:
            InvalidInput: blank or too long, or the last answer is still being written.
        """
        check_question(question)
        conversation = self.get(conversation_id, person)
        before = self._catalog.conversations.messages(conversation_id)
        self._refuse_while_running(before)
        self._catalog.conversations.add_message(conversation_id, "user", question, "done")
        if not conversation.title:
            title = " ".join(question.split())[:TITLE_CHARACTERS]
            self._catalog.conversations.rename(conversation_id, title)
        return self._start(conversation, person, question, before, attempt=0)

    def regenerate(self, message_id: str, person: Person) -> Message:
        """Answer the same question anew; the old answer is replaced by the new message."""
        message, conversation, messages = self._owned(message_id, person)
        position = _position(messages, message)
        if message.role != "assistant" or position == 0:
            raise InvalidInput("只能重新生成回答。", message_en="Only answers can be regenerated.")
        self._refuse_while_running(messages)
        question = messages[position - 1]
        for later in messages[position:]:
            self._catalog.conversations.remove_message(later.id)
        attempt = 1 + (message.answer.timings_ms.get("attempt", 0) if message.answer else 0)
        return self._start(
            conversation, person, question.content, messages[: position - 1], attempt=int(attempt)
        )

    def edit(self, message_id: str, person: Person, question: str) -> Message:
        """Replace a user message and ask again; the messages after it are dropped."""
        check_question(question)
        message, conversation, messages = self._owned(message_id, person)
        if message.role != "user":
            raise InvalidInput("只能修改自己的问题。", message_en="Only questions can be edited.")
        self._refuse_while_running(messages)
        position = _position(messages, message)
        for later in messages[position:]:
            self._catalog.conversations.remove_message(later.id)
        self._catalog.conversations.add_message(conversation.id, "user", question, "done")
        return self._start(conversation, person, question, messages[:position], attempt=0)

    def stop(self, message_id: str, person: Person) -> None:
        """Ask a running turn to end with what it has; a finished one stays as it is."""
        self._owned(message_id, person)
        self._stop(message_id)

    def follow(
        self, message_id: str, person: Person, after: int = 0, wait_s: float = 0.2
    ) -> Sequence[tuple[int, Event]]:
        """Events of a turn with a number above `after`.

        Args:
            message_id: the assistant's message.
            person: its owner.
            after: number of the last event already seen; events count from 1.
            wait_s: how long to wait for news of a running turn, in seconds.
        """
        self._owned(message_id, person)
        running = self._running.get(message_id)
        if running is None:
            return self._catalog.conversations.events(message_id, after)
        with running.news:
            running.news.wait_for(lambda: len(running.events) > after, timeout=wait_s)
            return list(enumerate(running.events[after:], start=after + 1))

    def feedback(
        self,
        message_id: str,
        person: Person,
        value: Literal["up", "down"] | None,
        reason: str = "",
    ) -> None:
        """Store a thumb ("up", "down" or None) with an optional reason."""
        self._owned(message_id, person)
        self._catalog.conversations.set_feedback(message_id, value, reason[:500])

    def close(self) -> None:
        """Stop all running turns; their partial text is already saved."""
        for message_id in list(self._running):
            self._stop(message_id)

    # --- The worker -------------------------------------------------------------------

    def _start(
        self,
        conversation: Conversation,
        person: Person,
        question: str,
        before: Sequence[Message],
        attempt: int,
    ) -> Message:
        message = self._catalog.conversations.add_message(
            conversation.id, "assistant", "", "running"
        )
        running = _Running()
        with self._lock:
            self._running[message.id] = running
        turn = TurnInput(
            question=question,
            history=tuple(turns(before)),
            kb_ids=tuple(self._readable(person, conversation.kb_ids)),
            attempt=attempt,
        )
        threading.Thread(
            target=self._work, args=(message.id, turn, running), daemon=True, name="turn"
        ).start()
        return message

    def _work(self, message_id: str, turn: TurnInput, running: _Running) -> None:
        store = self._catalog.conversations
        text, saved = "", 0
        try:
            with self._places:
                self._wait_ready()
                for event in self._chain().stream(turn, stop=running.stop):
                    if isinstance(event, Token):
                        text += event.text
                        if len(text) - saved >= SAVE_EVERY_CHARACTERS:
                            store.update_message(message_id, content=text)
                            saved = len(text)
                    if isinstance(event, Final):
                        self._finish(message_id, event.answer, turn.attempt)
                    number = running.add(event)
                    if not isinstance(event, Token):
                        store.append_event(message_id, number, event)
        except NotFound:
            running.add(Failed(message="这段对话已被删除。"))
        except Exception as error:
            trace_id = secrets.token_hex(4)
            known = isinstance(error, ZhiwenError)
            log.log(
                logging.INFO if known else logging.ERROR,
                "turn %s failed",
                trace_id,
                exc_info=not known,
            )
            event = failed(error, trace_id)
            answer = Answer(status="error", text=text, reason=f"{event.message}{event.remedy}")
            try:
                store.update_message(message_id, content=text, status="error", answer=answer)
                store.append_event(message_id, len(running.events) + 1, event)
            except Exception:
                log.exception("turn %s: the failure could not be written down", trace_id)
            running.add(event)
        finally:
            with self._lock:
                self._running.pop(message_id, None)

    def _finish(self, message_id: str, answer: Answer, attempt: int) -> None:
        answer = answer.model_copy(
            update={"timings_ms": {**answer.timings_ms, "attempt": float(attempt)}}
        )
        status: MessageStatus = "done"
        if answer.status == "stopped" or answer.status == "error":
            status = answer.status
        self._catalog.conversations.update_message(
            message_id, content=answer.text, status=status, answer=answer
        )

    # --- Checks -----------------------------------------------------------------------

    def _owned(
        self, message_id: str, person: Person
    ) -> tuple[Message, Conversation, Sequence[Message]]:
        message = self._catalog.conversations.message(message_id)
        conversation = self.get(message.conversation_id, person)
        return message, conversation, self._catalog.conversations.messages(conversation.id)

    def _stop(self, message_id: str) -> None:
        running = self._running.get(message_id)
        if running is not None:
            running.stop.set()

    def _refuse_while_running(self, messages: Sequence[Message]) -> None:
        if any(message.status == "running" for message in messages):
            raise InvalidInput(
                "上一个回答还没有写完。",
                "请等它写完，或先点停止。",
                message_en="The last answer is still being written.",
                remedy_en="Wait for it or stop it first.",
            )

    def _readable(self, person: Person, kb_ids: Sequence[str]) -> Readable:
        bases = {kb.id: kb for kb in self._catalog.knowledge_bases.list()}
        return [i for i in kb_ids if i in bases and can_read(person, bases[i])]


def turns(messages: Sequence[Message]) -> list[Turn]:
    """The history as understanding and generation see it.

    Empty assistant messages (stopped before the first word) are left out, since providers
    reject them.
    """
    history: list[Turn] = []
    for message in messages:
        answer = message.answer
        if not message.content.strip():
            continue
        meaning = answer.understanding if answer else None
        if message.role == "assistant" and meaning is not None and history:
            asked = history[-1]
            if asked.role == "user":
                history[-1] = asked.model_copy(update={"standalone": meaning.standalone_question})
        history.append(
            Turn(
                role=message.role,
                content=message.content,
                clarification=meaning.clarification
                if meaning and answer and answer.status == "clarify"
                else None,
                status=answer.status if answer else None,
            )
        )
    return history


def _position(messages: Sequence[Message], message: Message) -> int:
    return next(i for i, other in enumerate(messages) if other.id == message.id)
