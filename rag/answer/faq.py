"""The question of a FAQ record, and where its answer begins."""

from __future__ import annotations

from rag.answer.line_marks import ANSWER, QUESTION
from rag.types import Evidence


def faq_question(evidence: Evidence) -> str:
    """The question that a FAQ record answers, or an empty string."""
    question, _ = faq_parts(evidence)
    return question


def faq_parts(evidence: Evidence) -> tuple[str, int]:
    """The record's question and where its answer begins in the evidence's text."""
    text = evidence.text
    lines = lines_of(text)
    if not lines:
        return "", 0
    start, end = lines[0]
    first = text[start:end]
    marked = QUESTION.match(first)
    for answer_start, answer_end in lines[1:4]:
        answer = ANSWER.match(text[answer_start:answer_end])
        if answer and marked:
            question = text[start + marked.end() : answer_start].strip().strip("*")
            return question, answer_start + answer.end()
    plain = first.strip().strip("*#").strip()
    if len(lines) > 1 and plain.endswith(("？", "?")) and len(plain) <= 80:
        begin = lines[1][0]
        answer = ANSWER.match(text[begin : lines[1][1]])
        return plain[marked.end() :] if marked else plain, begin + (answer.end() if answer else 0)
    title = evidence.chunk.metadata.title or ""
    if evidence.chunk.kind == "record" and title.rstrip().endswith(("？", "?")):
        return title, 0
    headings = evidence.chunk.heading_path
    if headings and headings[-1].rstrip().endswith(("？", "?")):
        return headings[-1], 0
    return "", 0


def lines_of(text: str) -> list[tuple[int, int]]:
    """Start and end of each line that is not blank."""
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        if line.strip():
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans
