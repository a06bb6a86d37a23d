"""Which of the documents that could answer speak of what a question is about.

A question about 婚假 shares 需要, 交 and 材料 with every rule there is: a document that has those
alone is no reason to ask which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.text.formal_words import formal_words
from rag.text.normalise import normalise
from rag.text.tokenise import query_terms, rarity
from rag.types import Hit
from rag.understand.asking import GENERAL_NOUNS
from rag.understand.candidates import Candidate, siblings
from rag.understand.regions import without_regions
from rag.understand.words import JUST, tagged

_TELLING = 0.55
"""Rarity (`rag.text.tokenise`) from which a word names a subject; chosen by us."""
_GRAMMAR = frozenset("要交能会不没给办做的了过和与是有在还就都吗呢去来到")
_YEAR = re.compile(r"(?:19|20)\d{2}年?(?:度|版)?")


def speaking_of(
    question: str, found: Sequence[Candidate], hits: Sequence[Hit]
) -> tuple[Candidate, ...]:
    """The candidates that name each subject of the question that any of them names.

    Editions of one matter stand and fall together: what one of them says, the next one may say
    in a passage that was not retrieved.
    """
    texts = {id(c): _text(c, hits) for c in found}
    kept = list(found)
    for word in _subjects(question):
        holders = [c for c in kept if _holds(word, texts[id(c)])]
        if holders:
            kept = [c for c in kept if any(c is h or siblings(c.entry, h.entry) for h in holders)]
    return tuple(kept)


def _subjects(question: str) -> list[str]:
    """The words of a question that name what it is about, the rarest first."""
    text = _YEAR.sub(" ", JUST.sub(" ", without_regions(normalise(question))))
    words = [
        word
        for word in query_terms(text)
        if len(word) > 1
        and not word.isascii()
        and word not in GENERAL_NOUNS
        and rarity(word) >= _TELLING
        and _is_noun(word)
    ]
    return sorted(words, key=rarity, reverse=True)


def _is_noun(word: str) -> bool:
    """Whether a word is a noun, or one that the dictionary lacks and no grammar sticks to."""
    if rarity(word) >= 1.0:
        return _GRAMMAR.isdisjoint(word)
    return all(tag[0] in "njl" or tag == "vn" for _, tag in tagged(word))


def _holds(word: str, text: str) -> bool:
    others = formal_words(word, [word]).get(word, ())
    return any(other in text for other in (word, *others))


def _text(candidate: Candidate, hits: Sequence[Hit]) -> str:
    """All that is known of a candidate: its title and each passage found of it."""
    entry = candidate.entry
    own = [
        " ".join((*hit.chunk.heading_path, hit.chunk.text))
        for hit in hits
        if hit.chunk.document_id == entry.document_id
        and (not hit.chunk.metadata.title or normalise(hit.chunk.metadata.title) == entry.title)
    ]
    return normalise(" ".join((entry.title, candidate.text, *own)))
