"""What goes into a turn, and when a question is accepted.

Apart from `rag.chain`, so that conversations and commands can be loaded without LangChain.
"""

from __future__ import annotations

from datetime import date

from pydantic import field_validator

from rag.errors import InvalidInput
from rag.text.readable import readable
from rag.types import Turn, Value

MAX_QUESTION_CHARACTERS = 4000
"""Longest question, chosen by us: eight times the embedder's window leaves nothing to gain."""


class TurnInput(Value):
    """One question in its conversation.

    Attributes:
        question: as the user typed it; what cannot be read (control characters, halves of
            emoji) is taken out, from the history too.
        history: the turns before it, oldest first.
        kb_ids: the knowledge bases that may be searched; the caller has checked the rights.
        today: for relative dates; the current day when left out.
        attempt: 0 for a first answer; regenerating counts up and widens the search.
        corrected: the completed question as the user put it right; it is taken as it stands.
    """

    question: str
    history: tuple[Turn, ...] = ()
    kb_ids: tuple[str, ...] = ()
    today: date | None = None
    attempt: int = 0
    corrected: str | None = None

    @property
    def asked(self) -> str:
        """The words that are to be answered: those of a correction, else those typed."""
        return self.question if self.corrected is None else self.corrected

    @property
    def context(self) -> tuple[Turn, ...]:
        """The turns that may add to what the question means; to a corrected one nothing is
        added, it is only not asked back about what was asked back before."""
        if self.corrected is None:
            return self.history
        return tuple(turn for turn in self.history if turn.role == "assistant")

    @field_validator("question")
    @classmethod
    def _readable_question(cls, question: str) -> str:
        return readable(question)

    @field_validator("corrected")
    @classmethod
    def _readable_correction(cls, corrected: str | None) -> str | None:
        return None if corrected is None else " ".join(readable(corrected).split())

    @field_validator("history")
    @classmethod
    def _readable_history(cls, history: tuple[Turn, ...]) -> tuple[Turn, ...]:
        return tuple(
            turn.model_copy(update={"content": readable(turn.content)}) for turn in history
        )


def check_question(question: str) -> None:
    """Accept a question of 1 to `MAX_QUESTION_CHARACTERS` characters.

    Raises:
        InvalidInput: it is blank or too long; the caller keeps what was typed.
    """
    if not question.strip():
        raise InvalidInput(
            "问题是空的。",
            "请输入问题后再发送。",
            message_en="The question is empty.",
            remedy_en="Type a question and send it again.",
        )
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise InvalidInput(
            f"问题太长了：{len(question)} 个字，最多 {MAX_QUESTION_CHARACTERS} 个字。",
            "请只留下要问的内容；长文本可以作为文档上传后再问。",
            message_en=f"The question has {len(question)} characters; the limit is "
            f"{MAX_QUESTION_CHARACTERS}.",
            remedy_en="Keep only what you want to ask; upload long texts as documents.",
        )


def check_bases(input: TurnInput) -> None:
    """Refuse to search nowhere.

    Raises:
        InvalidInput: no knowledge base is selected.
    """
    if not input.kb_ids:
        raise InvalidInput(
            "还没有选择知识库。",
            "请在左侧勾选至少一个知识库后再问。",
            message_en="No knowledge base is selected.",
            remedy_en="Tick at least one knowledge base on the left and ask again.",
        )
