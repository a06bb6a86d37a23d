"""The dictionary's words in a question, and the question in their other names.

Codes and quoted titles name one exact thing: no word within one is touched.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.text.vocabulary import Mention, Span, Vocabulary, replaced
from rag.types import OtherNames
from rag.understand.slots import CODE, QUOTED_TITLE

MOST_RENAMED = 3
"""Questions in other names that are searched by meaning as well; by its words each name is
searched. Chosen by us: each costs an embedding and two searches."""
MOST_NAMES = 8
"""Words of one question that are looked at, the first ones: each is a search by its names. Chosen
by us; questions of usual length hold one or two."""
LONGEST_SHOWN = 4
"""Other names of one word that a reason lists."""


def names_in(question: str, vocabulary: Vocabulary | None) -> tuple[OtherNames, ...]:
    """The words of the dictionary in a question, each once, in order, at most `MOST_NAMES`."""
    if vocabulary is None:
        return ()
    found: dict[str, OtherNames] = {}
    for mention in _find(question, vocabulary):
        written = " ".join(question[mention.start : mention.end].split())
        found.setdefault(mention.word, OtherNames(word=written, others=mention.others))
    return tuple(found.values())[:MOST_NAMES]


def renamed(question: str, names: Sequence[OtherNames]) -> tuple[str, ...]:
    """The question in other names, at most `MOST_RENAMED`: the first has the first other name of
    each word, the second the second ones, and so on."""
    known = Vocabulary((one.word, *one.others) for one in names)
    mentions = _find(question, known)
    most = max((len(mention.others) for mention in mentions), default=0)
    return tuple(
        replaced(question, [(m, m.others[n % len(m.others)]) for m in mentions if m.others])
        for n in range(min(most, MOST_RENAMED))
    )


def told(names: Sequence[OtherNames]) -> str:
    """Which synonyms are searched, for the trace: "同义词：小程序→云岭协同"; "" without any."""
    pairs = [f"{one.word}→{_listed(one.others)}" for one in names if one.others]
    return f"同义词：{'；'.join(pairs)}" if pairs else ""


def _listed(others: Sequence[str]) -> str:
    shown = "、".join(others[:LONGEST_SHOWN])
    return f"{shown} 等 {len(others)} 个" if len(others) > LONGEST_SHOWN else shown


def _find(question: str, vocabulary: Vocabulary) -> tuple[Mention, ...]:
    return vocabulary.find(question, _exact(question))


def _exact(question: str) -> list[Span]:
    return [match.span() for form in (CODE, QUOTED_TITLE) for match in form.finditer(question)]
