"""Whose matter a passage is: a question about the 信用卡 is none about the 公交卡.

The subject often stands in a document's title alone, while the words around it (lost, fee,
apply) are the same in all documents. Shared words then outweigh the one that is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rag.text.normalise import is_han
from rag.text.tokenise import word_ends

PENALTY = 4.5
"""Taken from the ordering score of a passage about another thing of the same kind, times the
rarity (0..1) of the subject. Chosen by us: the score of the next best passages is rarely
further away, and on the benchmarks' sets nothing changes for the worse."""
LEAST_RARITY = 0.5
"""Words below this are no subjects ("工作", "学生"); chosen by us."""


def subjects(question: str, titles: Sequence[str]) -> list[str]:
    """What a normalised question and some title both name: a word of the title, or two or
    three of which the last is one letter (体检+卡), three to six letters together."""
    named = dict.fromkeys(
        compound for title in dict.fromkeys(titles) for compound in _compounds(title)
    )
    ends = set(word_ends(question))
    return [name for name in named if _stands_in(name, question, ends)]


def _stands_in(name: str, question: str, ends: set[int]) -> bool:
    """Whether a question holds a name up to the end of a word: 物业管理 is not in 物业管理者.
    Segmenters attach a last letter like 卡 to what follows it, so three letters may end
    anywhere."""
    at = question.find(name)
    return at >= 0 and (at + len(name) in ends or len(name) == 3)


def rival_penalties(
    names: Sequence[str], rarities: Sequence[float], titles: Sequence[str], texts: Sequence[str]
) -> list[float]:
    """What is taken from each passage's ordering score, 0 or more.

    A passage that does not hold a subject of the question anywhere, and whose title has
    another word that ends in the same letter (公交卡 for 信用卡, 社保局 for 公安局), is about
    that other thing.

    Args:
        names, rarities: the question's subjects and how rare each is.
        titles, texts: title path and text of each candidate, normalised.
    """
    penalties = [0.0] * len(titles)
    for name, rarity in zip(names, rarities, strict=True):
        if rarity < LEAST_RARITY or len(name) < 3 or not is_han(name[-1]):
            continue
        titled = [name in title for title in titles]
        if not any(titled):
            continue
        for place, (title, text) in enumerate(zip(titles, texts, strict=True)):
            if not titled[place] and name not in text and _names_rival(name, title):
                penalties[place] = max(penalties[place], PENALTY * rarity)
    return penalties


def _names_rival(term: str, title: str) -> bool:
    """Whether a title has the term's last letter at the end of another word or compound."""
    for end in _word_ends(title):
        before = title[max(end - 3, 0) : end - 1]
        compound = len(before) == 2 and all(map(is_han, before))
        if title[end - 1] == term[-1] and compound and before != term[-3:-1]:
            return True
    return False


@lru_cache(maxsize=4096)
def _compounds(title: str) -> tuple[str, ...]:
    borders = (0, *_word_ends(title))
    return tuple(
        title[start:end]
        for place, start in enumerate(borders)
        for end in borders[place + 1 : place + 4]
        if 3 <= end - start <= 6
        and all(map(is_han, title[start:end]))
        and (end == borders[place + 1] or end - 1 in borders)
    )


@lru_cache(maxsize=4096)
def _word_ends(title: str) -> tuple[int, ...]:
    return tuple(word_ends(title))
