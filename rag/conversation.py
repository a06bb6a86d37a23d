"""Conversations: turns run in worker threads and are written down as they go.

The worker owns the answer. Pages only follow its event log, so a reload, a second tab or a
click elsewhere loses nothing: a running turn is followed from memory, a finished one is read
from the catalog, and a turn that a crash cut off is marked as stopped at the next start.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from rag.access.policy import can_chat, can_read
from rag.errors import InvalidInput, NotAllowed, NotFound
from rag.export import to_markdown
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.store.conversations import stored_status
from rag.text.readable import readable
from rag.turn import TurnInput, check_question
from rag.types import Answer, Conversation, EarlierAnswer, Event, Message, Person, Turn
from rag.workers import TurnWorkers

if TYPE_CHECKING:
    from rag.chain import Chain

TITLE_CHARACTERS = 24

MOST_EARLIER = 4
"""Earlier answers kept beside one: a few tens of KB each. Chosen by us."""

Readable = list[str]


class Conversations:
    """What the chat page uses. Every call checks that the person owns the conversation.

    Args:
        catalog: where conversations are kept.
        chain: returns the chain; called in the worker, after `wait_ready`.
        wait_ready: blocks until the models can be used or the given event is set; raises
            when they cannot be used.
        settings: returns the current settings, which say whether guests may chat.
    """

    def __init__(
        self,
        catalog: Catalog,
        chain: Callable[[], Chain],
        wait_ready: Callable[[threading.Event], None],
        settings: Callable[[], Settings] = Settings,
    ) -> None:
        self._catalog = catalog
        self._settings = settings
        self._workers = TurnWorkers(catalog, chain, wait_ready)
        # Two tabs must not both find a conversation idle and both start an answer.
        self._starting = threading.Lock()
        catalog.conversations.fail_running()

    # --- Conversations ----------------------------------------------------------------

    def create(self, person: Person, kb_ids: Sequence[str]) -> Conversation:
        """Start an empty conversation about the given knowledge bases.

        Raises:
            NotAllowed: guests may not chat here.
        """
        self._require_chat(person)
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

    def adopt(self, guest: Person, person: Person) -> None:
        """Carry a guest's conversations over to the account that the same browser signed in
        to; nothing happens when it was signed in before."""
        if guest.role == "guest":
            self._catalog.conversations.reassign(guest.id, person.id)

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
        for message in self._messages(conversation_id):
            self._workers.stop(message.id)
        self._catalog.conversations.delete(conversation_id)

    def set_kbs(self, conversation_id: str, person: Person, kb_ids: Sequence[str]) -> None:
        """Choose the knowledge bases that later questions are asked of."""
        self.get(conversation_id, person)
        self._catalog.conversations.set_kbs(conversation_id, self._readable(person, kb_ids))

    def messages(self, conversation_id: str, person: Person) -> Sequence[Message]:
        """All messages, oldest first."""
        self.get(conversation_id, person)
        return self._messages(conversation_id)

    def export(self, conversation_id: str, person: Person) -> str:
        """The conversation as Markdown, citations as footnotes."""
        conversation = self.get(conversation_id, person)
        return to_markdown(conversation, self._messages(conversation_id))

    # --- Turns ------------------------------------------------------------------------

    def ask(self, conversation_id: str, person: Person, question: str) -> Message:
        """Write the question down and start answering it in a worker thread.

        Returns:
            The assistant's message, status "running".

        Raises:
            InvalidInput: blank or too long, or the last answer is still being written.
            NotAllowed: guests may not chat here.
        """
        question = readable(question)
        check_question(question)
        conversation = self.get(conversation_id, person)
        return self._start(conversation, person, question)

    def regenerate(self, message_id: str, person: Person) -> Message:
        """Answer the same question anew, in place: the old answer is kept beside the new one
        (`Answer.earlier`), a correction of the question stands, later messages stay."""
        message, conversation = self._owned(message_id, person)
        answer = message.answer
        meaning = answer.understanding if answer else None
        corrected = meaning.standalone_question if meaning and meaning.source == "user" else None
        return self._again(
            conversation, person, message_id, corrected, 1 + (answer.attempt if answer else 0)
        )

    def correct(self, message_id: str, person: Person, question: str | None) -> Message:
        """Answer anew, in place, with `question` as the completed question, to the letter.

        What the user typed stays; the next questions are completed from the corrected one.

        Args:
            message_id: the assistant's message whose question was completed wrongly.
            person: its owner.
            question: what was meant; None takes a correction back.

        Raises:
            InvalidInput: blank or too long, no answer, or an answer is still being written.
        """
        if question is not None:
            question = readable(question)
            check_question(question)
        _, conversation = self._owned(message_id, person)
        return self._again(conversation, person, message_id, question, attempt=0)

    def bring_back(self, message_id: str, person: Person, n: int) -> None:
        """Make an earlier answer the current one again, and keep the one it changes places with.

        Args:
            n: its place in `Answer.earlier`, from 0.
        """
        message, conversation = self._owned(message_id, person)
        with self._starting:
            _refuse_while_running(self._messages(conversation.id))
            answer = message.answer
            if answer is None or not 0 <= n < len(answer.earlier):
                raise NotFound(
                    "这个回答已经不在了。",
                    "请刷新页面。",
                    message_en="This answer is no longer there.",
                    remedy_en="Reload the page.",
                )
            wanted = answer.earlier[n]
            others = (*answer.earlier[:n], *answer.earlier[n + 1 :], _replaced(message, answer))
            store = self._catalog.conversations
            with self._catalog.database.write():
                store.update_message(
                    message_id,
                    content=wanted.answer.text,
                    status=stored_status(wanted.answer),
                    answer=wanted.answer.model_copy(update={"earlier": others}),
                )
                store.set_feedback(message_id, wanted.feedback, wanted.feedback_reason)

    def stop(self, message_id: str, person: Person) -> None:
        """Ask a running turn to end with what it has; a finished one stays as it is."""
        self._owned(message_id, person)
        self._workers.stop(message_id)

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
        news = self._workers.follow(message_id, after, wait_s)
        return self._catalog.conversations.events(message_id, after) if news is None else news

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
        """Stop all running turns and wait a moment until they have saved what they have."""
        self._workers.close()

    # --- Below ------------------------------------------------------------------------

    def _start(
        self,
        conversation: Conversation,
        person: Person,
        question: str,
    ) -> Message:
        """Write question and running answer down in one transaction, then start the worker."""
        self._require_chat(person)
        store = self._catalog.conversations
        with self._starting, self._workers.reserved() as reserve:
            with self._catalog.database.write():
                messages = self._messages(conversation.id)
                _refuse_while_running(messages)
                store.add_message(conversation.id, "user", question, "done")
                if not conversation.title:
                    title = " ".join(question.split())[:TITLE_CHARACTERS]
                    store.rename(conversation.id, title)
                message = store.add_message(conversation.id, "assistant", "", "running")
                reserve(message.id)
            turn = TurnInput(
                question=question,
                history=tuple(turns(messages)),
                kb_ids=tuple(self._readable(person, conversation.kb_ids)),
            )
            self._workers.start(message.id, turn)
        return message

    def _again(
        self,
        conversation: Conversation,
        person: Person,
        message_id: str,
        corrected: str | None,
        attempt: int,
    ) -> Message:
        """Answer a message anew in its place."""
        self._require_chat(person)
        store = self._catalog.conversations
        with self._starting, self._workers.reserved() as reserve:
            with self._catalog.database.write():
                messages = self._messages(conversation.id)
                _refuse_while_running(messages)
                position = _position(messages, message_id)
                message = messages[position]
                if message.role != "assistant" or position == 0:
                    raise InvalidInput(
                        "只能重新生成回答。", message_en="Only answers can be regenerated."
                    )
                store.restart_message(message_id)
                reserve(message_id)
            turn = TurnInput(
                question=messages[position - 1].content,
                history=tuple(turns(messages[: position - 1])),
                kb_ids=tuple(self._readable(person, conversation.kb_ids)),
                attempt=attempt,
                corrected=corrected,
            )
            self._workers.start(message_id, turn, _with_earlier(message))
        return store.message(message_id)

    def _owned(self, message_id: str, person: Person) -> tuple[Message, Conversation]:
        message = self._catalog.conversations.message(message_id)
        return message, self.get(message.conversation_id, person)

    def _messages(self, conversation_id: str) -> Sequence[Message]:
        """All messages; those whose worker is gone without writing its end are "stopped"."""
        messages = self._catalog.conversations.messages(conversation_id)
        if not any(self._is_abandoned(message) for message in messages):
            return messages
        # Read again: the worker may have ended between the reading and the comparison.
        return [
            message.model_copy(update={"status": "stopped"})
            if self._is_abandoned(message)
            else message
            for message in self._catalog.conversations.messages(conversation_id)
        ]

    def _is_abandoned(self, message: Message) -> bool:
        return message.status == "running" and not self._workers.has(message.id)

    def _require_chat(self, person: Person) -> None:
        if not can_chat(person, self._settings()):
            raise NotAllowed(
                "这里需要登录后才能提问。",
                "请先登录。",
                message_en="Sign in to ask questions here.",
                remedy_en="Please sign in first.",
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
                evidence=_cited(answer),
            )
        )
    return history


def _with_earlier(message: Message) -> tuple[EarlierAnswer, ...]:
    """The answer of a message that is answered anew, after those that it replaced itself."""
    answer = message.answer
    if answer is None:
        return ()
    if not answer.text.strip():
        return answer.earlier
    return (*answer.earlier, _replaced(message, answer))[-MOST_EARLIER:]


def _replaced(message: Message, answer: Answer) -> EarlierAnswer:
    return EarlierAnswer(
        answer=answer.model_copy(update={"earlier": ()}),
        feedback=message.feedback,
        feedback_reason=message.feedback_reason,
    )


def _cited(answer: Answer | None) -> tuple[str, ...]:
    """Ids of the chunks that an answer cites, each once."""
    citations = answer.citations if answer else ()
    return tuple(dict.fromkeys(c.chunk_id for c in citations if c.chunk_id))


def _refuse_while_running(messages: Sequence[Message]) -> None:
    if any(message.status == "running" for message in messages):
        raise InvalidInput(
            "上一个回答还没有写完。",
            "请等它写完，或先点停止。",
            message_en="The last answer is still being written.",
            remedy_en="Wait for it or stop it first.",
        )


def _position(messages: Sequence[Message], message_id: str) -> int:
    for position, message in enumerate(messages):
        if message.id == message_id:
            return position
    raise NotFound(
        "这条消息不存在，可能已被删除。",
        "请刷新页面。",
        message_en="This message does not exist; it may have been deleted.",
        remedy_en="Reload the page.",
    )
