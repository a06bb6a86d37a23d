"""The writer's fallbacks that need no endpoint."""

from __future__ import annotations

import threading

from rag.answer.write import EXTRACTIVE, Writer, Written
from rag.settings import Settings
from rag.types import Chunk, Evidence, Token, Understanding

TEXT = "入职满一年的员工每年有七天年假。"
EVIDENCE = (
    Evidence(
        n=1,
        chunk=Chunk(id="c1", document_id="d1", kb_id="k1", ordinal=0, text=TEXT),
        text=TEXT,
        span=(0, len(TEXT)),
    ),
)


class _Chat:
    """Must not be asked."""

    name = "测试模型"
    last_usage: dict[str, int] = {}

    def stream(self, *_: object, **__: object) -> object:
        raise AssertionError("called")


def test_a_prompt_that_no_longer_fits_falls_back_to_extraction() -> None:
    writer = Writer(lambda: _Chat(), lambda: {"generate": "坏了的提示词"})  # type: ignore[arg-type,return-value]
    question = "年假有几天？"
    steps = writer.write(
        Understanding(question=question, standalone_question=question),
        (),
        EVIDENCE,
        Settings(),
        config={},
        stop=threading.Event(),
    )
    shown = ""
    while True:
        try:
            token = next(steps)
        except StopIteration as end:
            draft = end.value
            break
        assert isinstance(token, Token)
        shown += token.text
    assert isinstance(draft, Written)
    assert draft.model == EXTRACTIVE
    assert "七天" in shown
    assert "提示词" in draft.notes[0]
