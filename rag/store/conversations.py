"""Conversations, messages and the event log of running answers (DESIGN §4)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import sqlalchemy as sa
from pydantic import TypeAdapter
from sqlalchemy.engine import Connection

from rag.errors import NotFound
from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.types import Answer, Conversation, Event, Message, MessageStatus, Role, Token

ID_BYTES = 24
"""Randomness of conversation and message ids: an address in a browser must not be guessable
(192 bits; OWASP asks for 64 and more)."""

_KEEP: Any = object()
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
ConversationList = list[Conversation]
EventList = list[tuple[int, Event]]


class Conversations:
    """Repository of conversations. Thread-safe. Ownership is checked where `owner` is asked
    for; all other methods trust their caller to have called `get` first."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    def create(self, owner: str, kb_ids: Iterable[str], title: str = "") -> Conversation:
        """A new, empty conversation of this person."""
        conversation_id, now = secrets.token_urlsafe(ID_BYTES), self._now()
        with self._database.write() as connection:
            connection.execute(
                schema.conversations.insert().values(
                    id=conversation_id,
                    owner=owner,
                    title=title,
                    kb_ids=list(kb_ids),
                    created_at=now,
                    updated_at=now,
                )
            )
        return self.get(conversation_id, owner)

    def get(self, conversation_id: str, owner: str) -> Conversation:
        """One conversation of this person.

        Raises:
            NotFound: it does not exist or belongs to someone else (no difference shown).
        """
        table = schema.conversations
        with self._database.read() as connection:
            found = connection.execute(
                sa.select(table).where(table.c.id == conversation_id, table.c.owner == owner)
            )
            row = found.mappings().first()
        if row is None:
            raise _missing()
        return _conversation(row)

    def list(self, owner: str, query: str = "") -> ConversationList:
        """The person's conversations, last used first; with `query`, those whose title or
        messages contain it (its characters have no special meaning)."""
        table = schema.conversations
        wanted = sa.select(table).where(table.c.owner == owner)
        if words := query.strip():
            said = (
                sa.select(sa.literal(1))
                .select_from(schema.messages)
                .where(
                    schema.messages.c.conversation_id == table.c.id,
                    schema.messages.c.content.icontains(words, autoescape=True),
                )
            )
            wanted = wanted.where(table.c.title.icontains(words, autoescape=True) | sa.exists(said))
        wanted = wanted.order_by(table.c.updated_at.desc(), table.c.id.desc())
        with self._database.read() as connection:
            return [_conversation(row) for row in connection.execute(wanted).mappings()]

    def rename(self, conversation_id: str, title: str) -> None:
        """Give it another title.

        Raises:
            NotFound: it does not exist (any more).
        """
        self._change(conversation_id, {"title": title.strip()})

    def reassign(self, owner: str, new_owner: str) -> None:
        """Give all conversations of one owner to another."""
        table = schema.conversations
        with self._database.write() as connection:
            connection.execute(
                sa.update(table).where(table.c.owner == owner).values(owner=new_owner)
            )

    def set_kbs(self, conversation_id: str, kb_ids: Iterable[str]) -> None:
        """Ask other knowledge bases from the next question on.

        Raises:
            NotFound: it does not exist (any more).
        """
        self._change(conversation_id, {"kb_ids": list(kb_ids)})

    def delete(self, conversation_id: str) -> None:
        """Delete it with its messages and events.

        Raises:
            NotFound: it does not exist (any more).
        """
        table = schema.conversations
        with self._database.write() as connection:
            gone = connection.execute(table.delete().where(table.c.id == conversation_id))
            if not gone.rowcount:
                raise _missing()

    def add_message(
        self,
        conversation_id: str,
        role: Role,
        content: str,
        status: MessageStatus = "done",
    ) -> Message:
        """Append a message.

        Raises:
            NotFound: the conversation was deleted meanwhile.
        """
        message_id, now = secrets.token_urlsafe(ID_BYTES), self._now()
        table = schema.messages
        with self._database.write() as connection:
            self._used(connection, conversation_id)
            last = connection.execute(
                sa.select(sa.func.max(table.c.position)).where(
                    table.c.conversation_id == conversation_id
                )
            ).scalar()
            connection.execute(
                table.insert().values(
                    id=message_id,
                    conversation_id=conversation_id,
                    position=(last or 0) + 1,
                    role=role,
                    content=content,
                    status=status,
                    feedback_reason="",
                    created_at=now,
                )
            )
        return self.message(message_id)

    def update_message(
        self,
        message_id: str,
        *,
        content: str | None = None,
        status: MessageStatus | None = None,
        answer: Answer | None = _KEEP,
    ) -> bool:
        """Change the given fields (`answer=None` removes it). False when the message is gone,
        which a worker whose conversation was deleted may ignore."""
        values: dict[str, Any] = {}
        if content is not None:
            values["content"] = content
        if status is not None:
            values["status"] = status
        if answer is not _KEEP:
            values["answer"] = None if answer is None else answer.model_dump_json()
        if not values:
            return True
        table = schema.messages
        with self._database.write() as connection:
            changed = connection.execute(
                table.update().where(table.c.id == message_id).values(**values)
            )
            return bool(changed.rowcount)

    def restart_message(self, message_id: str) -> None:
        """Make ready to answer a message anew: it runs, without text, events and thumb. Its
        answer stays until there is another; a crash before that brings it back.

        Raises:
            NotFound: the message is gone.
        """
        table = schema.messages
        with self._database.write() as connection:
            changed = connection.execute(
                table.update()
                .where(table.c.id == message_id)
                .values(content="", status="running", feedback=None, feedback_reason="")
            )
            if not changed.rowcount:
                raise _missing_message()
            connection.execute(
                schema.events.delete().where(schema.events.c.message_id == message_id)
            )

    def message(self, message_id: str) -> Message:
        """One message.

        Raises:
            NotFound: there is none with this id (any more).
        """
        table = schema.messages
        with self._database.read() as connection:
            found = connection.execute(sa.select(table).where(table.c.id == message_id))
            row = found.mappings().first()
        if row is None:
            raise _missing_message()
        return _message(row)

    def messages(self, conversation_id: str) -> tuple[Message, ...]:
        """All messages, oldest first."""
        table = schema.messages
        query = (
            sa.select(table)
            .where(table.c.conversation_id == conversation_id)
            .order_by(table.c.position)
        )
        with self._database.read() as connection:
            return tuple(_message(row) for row in connection.execute(query).mappings())

    def remove_message(self, message_id: str) -> None:
        """Delete a message with its events; nothing happens when it is gone already."""
        with self._database.write() as connection:
            connection.execute(schema.messages.delete().where(schema.messages.c.id == message_id))

    def set_feedback(
        self, message_id: str, value: Literal["up", "down"] | None, reason: str = ""
    ) -> None:
        """Store a thumb with its reason; None takes it back.

        Raises:
            NotFound: the message is gone.
        """
        table = schema.messages
        with self._database.write() as connection:
            changed = connection.execute(
                table.update()
                .where(table.c.id == message_id)
                .values(feedback=value, feedback_reason=reason if value else "")
            )
            if not changed.rowcount:
                raise _missing_message()

    def append_event(self, message_id: str, seq: int, event: Event) -> None:
        """Write one event of a running answer; `seq` counts from 1. See `append_events`."""
        self.append_events(message_id, [(seq, event)])

    def append_events(self, message_id: str, events: Sequence[tuple[int, Event]]) -> None:
        """Write several events in one transaction. Events of a message that was deleted
        meanwhile are dropped silently; an event that is there already is kept."""
        rows = [
            {"message_id": message_id, "seq": seq, "event": event.model_dump_json()}
            for seq, event in events
        ]
        if not rows:
            return
        with self._database.write() as connection:
            connection.execute(
                sa.text(
                    "INSERT INTO events (message_id, seq, event) "
                    "SELECT id, :seq, :event FROM messages WHERE id = :message_id "
                    "ON CONFLICT (message_id, seq) DO NOTHING"
                ),
                rows,
            )

    def events(self, message_id: str, after: int = 0) -> EventList:
        """Events with `seq` above `after`, in order."""
        return self._events(message_id, after)

    def fail_running(self) -> int:
        """Close what a crash left behind: messages still "running" become "stopped" with the
        text that had been written; one that was being answered anew gets its answer back. Call
        once at start. Returns how many there were."""
        table = schema.messages
        with self._database.write() as connection:
            rows = connection.execute(
                sa.select(table.c.id, table.c.content, table.c.answer).where(
                    table.c.status == "running"
                )
            ).all()
            for row in rows:
                if row.answer is not None:
                    kept = Answer.model_validate_json(row.answer)
                    connection.execute(
                        table.update()
                        .where(table.c.id == row.id)
                        .values(status=stored_status(kept), content=kept.text)
                    )
                    continue
                text = "".join(
                    event.text for _, event in self._events(row.id, 0) if isinstance(event, Token)
                )
                content = max(row.content, text, key=len)
                connection.execute(
                    table.update()
                    .where(table.c.id == row.id)
                    .values(status="stopped", content=content)
                )
        return len(rows)

    def _events(self, message_id: str, after: int) -> EventList:
        table = schema.events
        query = (
            sa.select(table.c.seq, table.c.event)
            .where(table.c.message_id == message_id, table.c.seq > after)
            .order_by(table.c.seq)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return [(row.seq, _EVENT.validate_json(row.event)) for row in rows]

    def _change(self, conversation_id: str, values: dict[str, Any]) -> None:
        table = schema.conversations
        with self._database.write() as connection:
            changed = connection.execute(
                table.update().where(table.c.id == conversation_id).values(**values)
            )
            if not changed.rowcount:
                raise _missing()

    def _used(self, connection: Connection, conversation_id: str) -> None:
        table = schema.conversations
        # Taken first, this row's lock makes writers of one conversation wait for each other.
        changed = connection.execute(
            table.update().where(table.c.id == conversation_id).values(updated_at=self._now())
        )
        if not changed.rowcount:
            raise _missing()


def stored_status(answer: Answer) -> MessageStatus:
    """The status of a message with this answer."""
    return answer.status if answer.status in ("stopped", "error") else "done"


def _conversation(row: sa.RowMapping) -> Conversation:
    values = {name: row[name] for name in Conversation.model_fields}
    return Conversation(**{**values, "kb_ids": tuple(row["kb_ids"])})


def _message(row: sa.RowMapping) -> Message:
    values = {name: row[name] for name in Message.model_fields}
    stored = row["answer"]
    values["answer"] = None if stored is None else Answer.model_validate_json(stored)
    return Message(**values)


def _missing() -> NotFound:
    return NotFound(
        "这个对话不存在，可能已被删除。",
        "请从左侧选择别的对话，或新建一个。",
        message_en="This conversation does not exist; it may have been deleted.",
        remedy_en="Choose another one on the left, or start a new one.",
    )


def _missing_message() -> NotFound:
    return NotFound(
        "这条消息不存在，可能已被删除。",
        "请刷新页面。",
        message_en="This message does not exist; it may have been deleted.",
        remedy_en="Reload the page.",
    )
