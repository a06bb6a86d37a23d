"""What the line reader learns from: questions about workplace documents of our own, each with
the lines that answer it and lines that were found beside them, and questions that nothing
answers (`benchmarks/workplace/train`). A turn of a conversation is read twice: as a person
completed it, and as it was typed, behind the question before."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench_conversations import Exchange, conversations
from benchmarks.bench_workplace import Asked, documents, fill, questions
from rag.answer.line_fit import line_text
from rag.answer.pieces import Piece, pieces
from rag.answer.rank import rank, read_question
from rag.application import Application, opened
from rag.text.normalise import normalise
from rag.types import Evidence, Hit, QueryPlan, SearchFilter
from rag.understand.carried import in_context

HITS = 8
"""Passages that a question's lines are taken from."""
WRONG = 20
"""Wrong lines kept for a question, those with most of its words first."""
HALF = 0.5
SHORTEST = 6
"""Share of a supporting line, or letters, that a piece of it must have to be right itself."""


@dataclass(frozen=True)
class LineLesson:
    """A question with texts as the model reads them; `right` is empty where nothing answers,
    `alone` tells that it is not read behind the question before it."""

    question: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    alone: bool = True


def line_lessons() -> list[LineLesson]:
    """All lessons, the same ones in the same order each time."""
    given = documents("train")
    with (
        tempfile.TemporaryDirectory(prefix="zhiwen-lines-") as folder,
        opened(Path(folder)) as application,
    ):
        kb_id = fill(application, given, "workplace")
        alone = [
            lesson
            for document in given
            for asked in questions(document)
            if (lesson := _lesson(application, kb_id, asked)) is not None
        ]
        return alone + [
            lesson
            for document in given
            for turns in conversations(document)
            for lesson in _of_conversation(application, kb_id, turns)
        ]


def _of_conversation(
    application: Application, kb_id: str, turns: Sequence[Exchange]
) -> list[LineLesson]:
    """Two lessons of each turn behind another; what answered that one is the first wrong line."""
    made, before, earlier = [], "", LineLesson("", (), ())
    for turn in turns:
        if turn.asked is None:
            continue
        lesson = _lesson(application, kb_id, turn.asked)
        if lesson is None:
            continue
        made.append(lesson)
        if before:
            tempting = [text for text in earlier.right if text not in lesson.right]
            wrong = tuple(dict.fromkeys([*tempting, *lesson.wrong]))[:WRONG]
            behind = in_context(turn.typed, before)
            made.append(LineLesson(behind, lesson.right, wrong, alone=False))
        before, earlier = turn.full, lesson
    return made


def _lesson(application: Application, kb_id: str, asked: Asked) -> LineLesson | None:
    plan = QueryPlan(queries=(asked.question,), filter=SearchFilter(kb_ids=(kb_id,)))
    found = application.retriever.search(plan, top_k=HITS, rerank=False)
    evidence = _evidence(found.hits)
    own = _evidence(
        [
            Hit(chunk=chunk)
            for info in application.catalog.documents.list((kb_id,))
            if info.name == f"{asked.document}.md"
            for chunk in application.catalog.chunks.of_document(info.id)
        ]
    )
    right = tuple(
        line_text(asked.question, piece, item)
        for item in own
        for piece in pieces(item)
        if asked.answer and piece.kind != "heading" and answers(piece, asked)
    )
    if asked.answer and not right:
        print(f"  no line for {asked.document}: {asked.question}")
        return None
    by_n = {item.n: item for item in evidence}
    ranked = rank(read_question(asked.question), evidence) if evidence else []
    wrong = [
        line_text(asked.question, one.piece, by_n[one.piece.n])
        for one in ranked
        if not (asked.answer and answers(one.piece, asked))
    ]
    kept = [text for text in dict.fromkeys(wrong) if text not in right]
    return LineLesson(normalise(asked.question), right, tuple(kept[:WRONG]))


def _evidence(hits: Sequence[Hit]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(n=n, chunk=hit.chunk, text=hit.chunk.text, span=(0, len(hit.chunk.text)))
        for n, hit in enumerate(hits, start=1)
    )


def answers(piece: Piece, asked: Asked) -> bool:
    """Whether a piece is, holds, or is most of one of the lines that answer; a field of a line
    must hold the answer itself."""
    text, body = _bare(piece.text), _bare(piece.body)
    if piece.key and not any(_bare(words) in body for words in asked.answer):
        return False
    for row in asked.support:
        if "|" in row and _of_row(piece, row, asked):
            return True
        line = _bare(row)
        if line in text or (body in line and len(body) >= min(SHORTEST, HALF * len(line))):
            return True
    return False


def _of_row(piece: Piece, row: str, asked: Asked) -> bool:
    """Whether a piece is the field of a table's row that answers; rows may come as records."""
    whole = _bare(f"{piece.about} {piece.text}")
    cells = [_bare(cell) for cell in row.strip("| ").split("|")]
    held = any(_bare(words) in _bare(piece.body) for words in asked.answer)
    return held and all(cell in whole for cell in cells)


def _bare(text: str) -> str:
    """Normalised, without what Markdown adds."""
    return re.sub(r"[\s|*#>\\-]+", "", normalise(text))
