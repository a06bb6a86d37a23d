"""Which passages are on another matter than the question: the fare of a taxi is not that of a bus.

Passages are found by likeness; where some hold the question's subject, the others may hold an
amount of the right kind and still answer nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rag.answer.faq import faq_question
from rag.answer.pieces import about
from rag.answer.terms import presence
from rag.types import Evidence

if TYPE_CHECKING:
    from rag.answer.rank import Question

SUBJECT_FROM = 0.45
"""Weight from which the heaviest word names the subject; chosen by us."""
HELD = 0.3
"""How far a text must hold it, 0..1."""


def beside(
    question: Question, evidence: Sequence[Evidence], whole: Mapping[str, str]
) -> frozenset[int]:
    """Numbers of the passages that are on another matter: they and their documents (a FAQ
    record for itself) lack the question's heaviest word, which others hold.

    Args:
        whole: all that is known of each document, by its id.
    """
    sure = [term for term in question.terms if not term.soft and term.weight >= SUBJECT_FROM]
    subject = max(sure, key=lambda term: term.weight, default=None)
    if subject is None:
        return frozenset()
    texts = {
        item.n: f"{about(item.chunk)}\n{item.text}"
        if faq_question(item)
        else whole[item.chunk.document_id]
        for item in evidence
    }
    lacking = frozenset(n for n, text in texts.items() if presence(subject.text, text) < HELD)
    return lacking if len(lacking) < len(texts) else frozenset()
