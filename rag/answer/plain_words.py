"""An everyday question judged and read in the words of what was found: 网断了 as 网络故障.

Its own words stay where any passage says them; administrators' dictionaries go before.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.answer.asks import asking_spans
from rag.answer.pieces import about
from rag.answer.refuse import Confidence, confidence
from rag.text.as_asked import as_documents_say, judged_as_asked
from rag.text.formal_words import Expression, expressions, inner, is_kept
from rag.text.normalise import normalise
from rag.text.vocabulary import normalised_passage
from rag.types import Evidence, Hit, OtherNames, Understanding


def everyday_names(
    question: str, evidence: Sequence[Evidence], names: Sequence[OtherNames] = ()
) -> tuple[OtherNames, ...]:
    """The everyday words of a question that no passage says, each with the formal word that the
    passages have: the closest one of them.

    Args:
        question: completed.
        names: the question's words of a dictionary; everyday words within them are left alone.
    """
    text = normalise(question)
    asking = asking_spans(text)
    own = [normalise(one.word) for one in names]
    passages = "\n".join(normalised_passage(f"{about(i.chunk)}\n{i.text}") for i in evidence)
    found: list[OtherNames] = []
    for one in _closest(text, passages):
        if (
            is_kept(one.word)
            or one.word in passages
            or any(one.word in word or word in one.word for word in own)
        ):
            continue
        if any(start < one.end and one.start < end for start, end in asking):
            continue
        others = [other for other in one.formal if other in passages]
        found += [OtherNames(word=one.word, others=(other,)) for other in others[:1]]
    return tuple(found)


def _closest(text: str, passages: str) -> list[Expression]:
    """The everyday words of a text; those within one for which the passages have no other."""
    found: list[Expression] = []
    for one in expressions(text):
        inside = inner(one) if not any(other in passages for other in one.formal) else ()
        found += inside or (one,)
    return found


def in_their_words(
    meaning: Understanding, names: Sequence[OtherNames], evidence: Sequence[Evidence]
) -> Understanding:
    """The question in the words of the evidence, for reading it.

    Args:
        names: the question's words of a dictionary with their other names.
    """
    everyday = everyday_names(meaning.standalone_question, evidence, names)
    return as_documents_say(meaning, (*names, *everyday), evidence)


def sureness(
    meaning: Understanding,
    hits: Sequence[Hit],
    evidence: Sequence[Evidence],
    names: Sequence[OtherNames],
) -> Confidence:
    """How sure it is that the evidence answers the question, whatever words either uses."""
    everyday = everyday_names(meaning.standalone_question, evidence, names)
    said = as_documents_say(meaning, everyday, evidence)
    return confidence(said, *judged_as_asked(hits, evidence, names))
