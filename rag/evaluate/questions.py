"""Questions made from passages, to train and test on texts that nobody asked about yet.

They are no substitute for real questions: they share more words with their passage. Mixed
with real ones they keep a trained reranker from unlearning lexical evidence, and they cover
what real sets lack: regions, years, codes, clause numbers, short keyword queries.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from rag.evaluate.datasets import Question, bucket
from rag.text.normalise import normalise
from rag.text.sentences import split_sentences
from rag.text.tokenise import query_terms, rarity
from rag.types import Chunk

_KEYWORD_FORMS = (
    "{0}",
    "{0}",
    "{0}怎么办？",
    "请问{0}有什么规定？",
    "{0}是怎么回事",
    "关于{0}，具体有哪些要求？",
    "想了解一下{0}",
    "{0}怎么规定的",
    "我想问问{0}的情况",
)
_SPAN_FORMS = (
    "{0}吗？",
    "{0}，对吗？",
    "{0}，是哪里规定的？",
    "为什么{0}？",
    "{0}，请问依据是什么？",
)
_NUMBER = re.compile(
    r"[0-9一二三四五六七八九十百千万]+(?=万元|元|日|天|年|个月|倍|平方米|公里|周岁|%)"
)
_CLAUSE = re.compile(r"^(第[一二三四五六七八九十百零]+条)")
_LETTERS = re.compile(r"[^\W\d_]")


def make_questions(passages: Sequence[Chunk], count: int, seed: int = 20240601) -> list[Question]:
    """`count` questions over different passages where there are enough, always the same ones.

    Each has exactly one right passage, the one that it was made from.
    """
    ordered = sorted(passages, key=lambda chunk: bucket(f"{seed}{chunk.id}"))
    found: list[Question] = []
    for number, chunk in enumerate(ordered):
        if len(found) == count:
            break
        chance = random.Random(f"{seed}-{chunk.id}")
        make = _MAKERS[number % len(_MAKERS)]
        text = make(chunk, chance)
        if text:
            found.append(Question(f"made-{chunk.id}", text, frozenset({chunk.id})))
    return found


def _terms(chunk: Chunk, chance: random.Random, least: int, most: int) -> list[str]:
    """Telling words that stand near each other in one place of the passage, in order."""
    sentences = [span.text for span in split_sentences(chunk.text) if len(span.text) > 8]
    if not sentences:
        return []
    words = [word for word in query_terms(chance.choice(sentences)) if _LETTERS.search(word)]
    words = [word for word in words if len(word) > 1 and rarity(word) > 0.3]
    wanted = chance.randint(least, most)
    if len(words) <= wanted:
        return words
    start = chance.randrange(len(words) - wanted + 1)
    return words[start : start + wanted]


def _keywords(chunk: Chunk, chance: random.Random) -> str:
    words = _terms(chunk, chance, 2, 4)
    return chance.choice(_KEYWORD_FORMS).format("".join(words)) if len(words) > 1 else ""


def _keywords_in_title(chunk: Chunk, chance: random.Random) -> str:
    """Title words (region and year with them) and passage words together."""
    words = _terms(chunk, chance, 1, 3)
    title = chunk.metadata.title or ""
    if not words or not title:
        return ""
    short = re.sub("（.*?）|中华人民共和国", "", title)
    return chance.choice(("{0}里{1}怎么规定的？", "《{0}》{1}", "{0} {1}", "{0}{1}是什么")).format(
        short, "".join(words)
    )


def _region_and_year(chunk: Chunk, chance: random.Random) -> str:
    region, year = chunk.metadata.region, chunk.metadata.year
    words = _terms(chunk, chance, 2, 3)
    if not region or len(words) < 2:
        return _keywords(chunk, chance)
    when = f"{year}年" if year and chance.random() < 0.4 else ""
    return f"{when}{region.split('/')[-1]}{''.join(words)}有什么规定？"


def _span(chunk: Chunk, chance: random.Random) -> str:
    clauses = [c for c in re.split("[，。；：\n]", chunk.text) if 8 <= len(c) <= 24]
    if not clauses:
        return ""
    clause = _CLAUSE.sub("", chance.choice(clauses)).strip()
    return chance.choice(_SPAN_FORMS).format(clause)


def _how_much(chunk: Chunk, chance: random.Random) -> str:
    clauses = [c for c in re.split("[，。；\n]", chunk.text) if _NUMBER.search(c) and len(c) < 40]
    if not clauses:
        return _span(chunk, chance)
    return _NUMBER.sub("多少", chance.choice(clauses), count=1).strip() + "？"


def _with_a_gap(chunk: Chunk, chance: random.Random) -> str:
    """A clause with a word left out and letters dropped, as people remember it."""
    clauses = [c for c in re.split("[，。；：\n]", normalise(chunk.text)) if 12 <= len(c) <= 40]
    if not clauses:
        return ""
    words = query_terms(chance.choice(clauses))
    if len(words) < 4:
        return ""
    del words[chance.randrange(len(words))]
    return "".join(words) + chance.choice(("", "？", "怎么处理", "怎么算", "有什么后果"))


def _clause(chunk: Chunk, chance: random.Random) -> str:
    number = _CLAUSE.match(chunk.text)
    title = chunk.metadata.title
    if not number or not title:
        return _span(chunk, chance)
    return chance.choice(("{0}{1}是什么内容？", "《{0}》{1}", "{0}的{1}讲了什么")).format(
        title, number.group(1)
    )


_MAKERS: tuple[Callable[[Chunk, random.Random], str], ...] = (
    _keywords,
    _region_and_year,
    _span,
    _with_a_gap,
    _how_much,
    _keywords_in_title,
    _keywords,
    _with_a_gap,
    _clause,
)
