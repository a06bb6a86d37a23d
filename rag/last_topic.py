"""What a conversation was about last, and a follow-up completed by it.

For questions that by their form need nothing (钥匙弄丢了 after 储物柜); `rag.topic_look` searches
them so where they find nothing as they stand.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import NamedTuple

from rag.answer.asks import without_asking
from rag.answer.terms import content_terms, presence
from rag.text.normalise import normalise
from rag.types import Chunk
from rag.understand.carried import Earlier
from rag.understand.intent import drops_topic
from rag.understand.phrases import parse, topic

THING_FROM = 0.4
"""Weight (`rag.answer.terms`) from which a noun is a thing that the passage must know."""
KNOWN_FROM = 0.6
"""How far it must: a synonym and a short form count."""
LONGEST_QUESTION = 14
"""Letters; who writes more says what it is about."""
LONGEST_HEADING = 20
"""Letters of a heading that names a topic. All chosen by us on conversations about
a gym, a housing estate and the samples."""
_NUMBERING = re.compile(
    r"^(?:第[^\s\u3000]{1,6}[条章节]\s*|[一二三四五六七八九十]+、"
    r"|[（(][一二三四五六七八九十\d]+[)）]|[\d.]+\s*)"
)
_POINTS_BACK = re.compile("前面|刚才|刚刚|之前|先前|上面|一开始|回到")
"""To something before the last topic."""
_ASIDE = re.compile(r"[（(][^（）()]*[）)]")
_CAN = frozenset(("能", "可以", "可", "会", "能否", "能不能", "可不可以", "可否", "已经"))


class Candidate(NamedTuple):
    """A topic with the question completed by it; `section` is where its line must then stand."""

    topic: str
    question: str
    section: tuple[str, ...] = ()


def may_be_of_the_last(question: str) -> bool:
    """Whether a question, as typed, is short and points at nothing said earlier."""
    long = len(normalise(question)) > LONGEST_QUESTION
    return not (long or drops_topic(question) or _POINTS_BACK.search(question))


def candidates(question: str, before: Earlier, cited: Chunk | None) -> tuple[Candidate, ...]:
    """The question under the last topic, and under the heading that was cited for it.

    Args:
        question: as typed.
        cited: the first passage that was cited for the question before.
    """
    made: list[Candidate] = []
    if about_what := topic(before.question):
        made.append(Candidate(about_what, _joined(about_what, question)))
    if cited is not None and (heading := _heading(cited)):
        made.append(Candidate(heading, f"{heading}，{question}", cited.heading_path))
    known = normalise(question)
    return tuple(one for one in made if normalise(one.topic) not in known)


def unknown_things(question: str, passage: str) -> list[str]:
    """The nouns of a question that a passage does not say: subjects of their own."""
    tokens = parse(question).tokens
    text = normalise(passage)
    unknown = []
    for index, token in enumerate(tokens):
        thing = token.role in ("noun", "rel") and token.tag[0] in "nje" and len(token.text) > 1
        behind = all(t.role in ("aux", "ask", "mark") for t in tokens[index + 1 :])
        done = index > 0 and tokens[index - 1].text in _CAN and behind  # 能动工不
        if not thing or done or token.text.isdigit():
            continue
        word = normalise(token.text)
        weight = max((term.weight for term in content_terms(word)), default=0.0)
        stem = word[:-1] if len(word) == 2 and word[-1] in "子儿" else word  # 板子: 太阳能板
        longer = len(word) > 2 and word[:-1] in text  # 物业 is no 物业费
        named = stem in text or (presence(word, passage) >= KNOWN_FROM and not longer)
        if weight >= THING_FROM and not named:
            unknown.append(token.text)
    return unknown


def _joined(about_what: str, question: str) -> str:
    """陪产假可以分开休吗, but 储物柜，钥匙弄丢了: what has a subject of its own stands apart."""
    first = next(iter(parse(question).tokens), None)
    apart = first is not None and first.role in ("noun", "rel") and first.tag != "t"
    return f"{about_what}{'，' if apart else ''}{question}"


def _heading(cited: Chunk) -> str:
    """What the section of a passage is about, by its heading; "" for none but the title."""
    said = cited.heading_path[-1] if cited.heading_path else ""
    said = _NUMBERING.sub("", _ASIDE.sub("", said).strip())
    heading = without_asking(said).replace("，", "").strip("？?。 ")
    file_name = PurePath(cited.document_name).stem
    names_all = normalise(said) in (normalise(cited.metadata.title or ""), normalise(file_name))
    short = len(cited.heading_path) > 1 and 2 <= len(heading) <= LONGEST_HEADING
    return heading if short and not names_all else ""
