"""Checks each statement of an answer against its evidence (step "verify").

Numbers with units, dates, names, codes and negation must agree exactly after normalisation;
the rest of the meaning is judged by likeness. Local and deterministic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache

from rag.answer.compare import NOTHING_FOUND
from rag.answer.locate import Place, locate, plain
from rag.answer.marks import find_marks, statements, without_marks
from rag.answer.ranges import position
from rag.answer.refuse import HEDGE_PREFIX, REFUSAL_PREFIX
from rag.answer.terms import content_terms, coverage, quoted
from rag.answer.values import Found, find_values
from rag.text.normalise import normalise
from rag.text.tokenise import codes
from rag.types import Citation, Claim, Evidence
from rag.understand.regions import find_regions

SUPPORTED_FROM = 0.5
"""Likeness (0..1, `locate`) from which the meaning counts as the evidence's; chosen on made-up
paraphrases (rewordings 0.6 to 0.9, new statements on the topic 0.2 to 0.45)."""
SAME_STATEMENT = 0.6
"""Likeness from which a differing value contradicts instead of merely lacking support."""

_NEGATION = re.compile(
    r"不得|不能|不可以?|不需要?|无需|无须|不必|不予|不应|不是|不会|不再|不包括|不适用|不属于|不享受|不计入|不允许|"
    r"没有|未(?!来|必|免)|禁止|严禁|除外|并非|非(?=[\u4e00-\u9fff])(?!常|洲|法)|不(?=[\u4e00-\u9fff])|无(?=[\u4e00-\u9fff])(?!论|锡|人机|线)"
)
_NO_NEGATION = re.compile(
    r"不超过|不少于|不低于|不高于|不满|不足|不同|不仅|不但|不论|不管|不断|不久|不良|不动产|不锈钢|不可抗力|不低|不大于|不小于|"
    r"不得(?:超过|少于|低于|高于|多于|晚于|早于)|不予以?外|对不起|不好意思|差不多|是不是|能不能|要不要|会不会|可不可以|有没有|"
    r"非常|除非|无论|未来|未必|不确定"
)
_LIMITS = (
    (
        re.compile(
            r"不超过|不得超过|不高于|不得高于|不大于|至多|最多|最高|上限|以下|以内|≤|不得多于"
        ),
        "at most",
    ),
    (re.compile(r"不少于|不得少于|不低于|不得低于|不小于|至少|最少|最低|下限|以上|≥"), "at least"),
)
_DIFFERENCE = re.compile(
    r"相差(?P<gap>[^：]{1,16})：[^（]{1,40}（(?P<more>[^）]{1,16})）(?:高于|多于|长于)"
    r"[^（]{1,40}（(?P<less>[^）]{1,16})）。?"
)
CONTRADICTED_FROM = 0.35
"""Likeness from which a passage speaks of the statement's matter, so that another number of the
same unit there contradicts it; below it the number only has no evidence. Chosen by us."""
SAME_MATTER = 0.6
ALL_WORDS = 0.8
"""Shares of a statement's words in its source from which the source speaks of the same matter,
and from which it says the same when all values agree; chosen by us."""
LONGEST_LABEL = 20
"""Letters of a name that an answer puts before a quoted sentence."""
_LATIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9&.+-]{1,}")


def verify(
    text: str,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence] = (),
    question: str = "",
) -> tuple[Claim, ...]:
    """Judge each statement of `text`.

    Args:
        text: the answer after `cite`; its `[n]` are numbers of `citations`.
        citations: what the answer cites; each holds its passage's whole text.
        evidence: all passages that were given; names found only there still count as known.
        question: what was asked; a value that it states (工作满6年) needs no evidence.

    Returns:
        One claim per statement in order; `span` is its place in `text` (marks included).
        Lead-ins, headings and refusals are no claims.
    """
    by_number = {citation.n: citation for citation in citations}
    known = "\n".join(_source(citation) for citation in citations)
    known += "\n".join(_surroundings(item) for item in evidence)
    claims: list[Claim] = []
    marks = find_marks(text)
    for statement in statements(text):
        if statement.kind in ("heading", "lead"):
            continue
        words = without_marks(text[statement.start : statement.end]).strip()
        said = plain(words).removeprefix(HEDGE_PREFIX)
        none_said = said.startswith(REFUSAL_PREFIX) or said.endswith(NOTHING_FOUND)
        if len(re.sub(r"[\W_]+", "", said)) < 2 or none_said:
            continue
        numbers = {
            n for m in marks if statement.start <= m.start < statement.end for n in m.numbers
        }
        cited = [by_number[n] for n in sorted(numbers) if n in by_number]
        span = (statement.start, statement.end)
        claims.append(_judge(said, cited, known, span, _value_keys(question)))
    return tuple(claims)


def _judge(
    said: str,
    cited: Sequence[Citation],
    known: str,
    span: tuple[int, int],
    given: frozenset[tuple[str, str, str]],
) -> Claim:
    if not cited:
        return Claim(text=said, verdict="unsupported", span=span, reason="这句话没有标出依据。")
    places = [(place, citation) for citation in cited if (place := locate(said, citation.text))]
    numbers = tuple(citation.n for citation in cited)
    score = max((place.score for place, _ in places), default=0.0)
    if score >= 1.0 or _labelled(said, cited, known) or _computed(said, cited):
        score = 1.0
        return Claim(text=said, verdict="supported", evidence=numbers, score=1.0, span=span)
    source = "\n".join(_source(citation) for citation in cited)
    near = "\n".join(citation.text[place.start : place.end] for place, citation in places)
    same = score >= SAME_STATEMENT
    problem, against = _differences(said, source, near, known, given)
    if not problem and same and _negated(said) != _negated(_nearest(places)):
        problem, against = "肯定与否定和原文相反。", True
    if problem:
        score = max(score, CONTRADICTED_FROM) if _DIFFERENCE.fullmatch(said.strip()) else score
        on_the_matter = score >= CONTRADICTED_FROM or _matter(said, source) >= SAME_MATTER
        verdict = "contradicted" if against and on_the_matter else "unsupported"
        return Claim(
            text=said, verdict=verdict, evidence=numbers, score=score, span=span, reason=problem
        )
    worded = bool(find_values(said)) and _matter(said, source) >= ALL_WORDS
    if score < SUPPORTED_FROM and not worded and not _held(said, source):
        return Claim(
            text=said,
            verdict="unsupported",
            evidence=numbers,
            score=score,
            span=span,
            reason="所引的原文没有这样说。",
        )
    return Claim(text=said, verdict="supported", evidence=numbers, score=score, span=span)


def _labelled(said: str, cited: Sequence[Citation], known: str) -> bool:
    """Whether a known name and a colon stand before words of the source (江西：每月152元)."""
    label, colon, rest = said.partition("：")
    if not colon or not 1 < len(label) <= LONGEST_LABEL:
        return False
    name = normalise(label).removesuffix("年")
    whole = normalise(known + "\n" + "\n".join(_source(citation) for citation in cited))
    found = (locate(rest, citation.text) for citation in cited)
    return name in whole and any(place and place.score >= 1.0 for place in found)


def _computed(said: str, cited: Sequence[Citation]) -> bool:
    """Whether a statement sets two numbers of its sources side by side, and rightly so."""
    found = _DIFFERENCE.fullmatch(said.strip())
    if found is None:
        return False
    gap, more, less = (
        [v for v in find_values(found[name]) if v.kind != "ordinal"]
        for name in ("gap", "more", "less")
    )
    if not (len(gap) == len(more) == len(less) == 1) or more[0].unit != less[0].unit:
        return False
    held = _value_keys("\n".join(_source(citation) for citation in cited))
    if not all(_key(v) in held or _contained(v, held) for v in (more[0], less[0])):
        return False
    return Decimal(more[0].value) - Decimal(less[0].value) == Decimal(gap[0].value) > 0


def _differences(
    said: str,
    source: str,
    near: str,
    known: str,
    given: frozenset[tuple[str, str, str]] = frozenset(),
) -> tuple[str, bool]:
    """What the statement has that its source has not, and whether the source says otherwise."""
    if _DIFFERENCE.fullmatch(said.strip()):
        return "这个差值与所引的数字不符。", True
    held = _value_keys(source)
    near_values = [value for value in find_values(near) if value.kind != "ordinal"]
    for value in find_values(said):
        if value.bare_one or _key(value) in held or _contained(value, held):
            continue
        if _key(value) in given or _year_of(value, source + known):
            continue
        other = [v for v in near_values if v.kind == value.kind and v.unit == value.unit]
        if other:
            return f"“{value.text}”与原文的“{other[0].text}”不一致。", True
        return f"原文没有“{value.text}”。", False
    if _of_another_range(said, source):
        return "这个数在原文里属于另一种情形。", True
    limit, theirs = _limits(said), _limits(near)
    if limit and theirs and not (limit & theirs):
        return "上限与下限和原文相反。", True
    in_source = _names(source + "\n" + known)
    for name in sorted(_names(said)):
        if name in in_source or name in normalise(source):
            continue
        rivals = sorted(_names(near)) + sorted(in_source)
        rival = next((other for other in rivals if _alike(other, name)), "")
        if rival:
            return f"“{name}”与原文的“{rival}”不一致。", True
        return f"原文没有“{name}”。", False
    return "", False


def _year_of(value: Found, text: str) -> bool:
    """Whether a bare year stands in a name or title (办法2024.docx)."""
    return value.kind == "date" and len(value.value) == 4 and value.value in text


def _matter(said: str, source: str) -> float:
    """Share of the statement's words, numbers apart, that the source holds, 0..1."""
    terms = [term for term in content_terms(said) if not re.search(r"\d", term.text)]
    return coverage(terms, source)


def _of_another_range(said: str, source: str) -> bool:
    """Whether the value stands in the clauses of other conditions only: 满6年 is said, and
    the value is that of 不满5年."""
    clauses = [part for part in re.split("[；;。\n]", source) if part.strip()]
    inside = [part for part in clauses if position(said, part) == "inside"]
    outside = [part for part in clauses if position(said, part) == "outside"]
    if not inside or not outside:
        return False
    mine = {_key(v) for v in find_values(said)}
    own = {_key(v) for part in inside for v in find_values(part)}
    other = {_key(v) for part in outside for v in find_values(part)}
    return bool(mine & other - own) and not mine & own


def _nearest(places: Iterable[tuple[Place, Citation]]) -> str:
    best = max(places, key=lambda pair: pair[0].score)
    return best[1].text[best[0].start : best[0].end]


def _negated(text: str) -> int:
    """Whether the number of negations is odd."""
    return negations(text) % 2


def negations(text: str) -> int:
    """How often a text negates something; 不超过, 是不是 and the like don't."""
    return len(_NEGATION.findall(_NO_NEGATION.sub("", text)))


def _limits(text: str) -> set[str]:
    return {name for pattern, name in _LIMITS if pattern.search(text)}


def _key(value: Found) -> tuple[str, str, str]:
    return value.kind, value.value, value.unit


@lru_cache(maxsize=512)
def _value_keys(text: str) -> frozenset[tuple[str, str, str]]:
    return frozenset(_key(value) for value in find_values(text))


def _contained(value: Found, held: frozenset[tuple[str, str, str]]) -> bool:
    """Whether a less exact form stands in the source: 2021年 of 2021年5月1日, 5 of 5天."""
    if value.kind == "date":
        return any(kind == "date" and _date_part(value.value, other) for kind, other, _ in held)
    if value.kind in ("number", "count", "ordinal", "duration", "money"):
        if value.kind == "number":
            return any(other == value.value for _, other, _ in held)
        return any(kind == "number" and other == value.value for kind, other, _ in held)
    return False


def _date_part(part: str, whole: str) -> bool:
    return whole.startswith(part) or (part.startswith("--") and whole.endswith(part[1:]))


@lru_cache(maxsize=512)
def _names(text: str) -> frozenset[str]:
    """Codes, Latin names, quoted titles and regions of a text, normalised."""
    found = {code for code in codes(text) if not code.startswith("第")}
    found |= {normalise(name) for name in _LATIN_NAME.findall(text)}
    found |= {normalise(title) for title in quoted(text)}
    found |= {mention.path.rsplit("/", 1)[-1] for mention in find_regions(text)}
    return frozenset(found)


def _alike(a: str, b: str) -> bool:
    """Whether two names are of one kind: codes of one shape, or two regions."""
    shape = re.compile(r"\d")
    if re.search(r"\d", a) and re.search(r"\d", b):
        return shape.sub("9", a) == shape.sub("9", b)
    return bool(find_regions(a)) and bool(find_regions(b))


def _held(said: str, source: str) -> bool:
    """A short `key：value` or value alone whose words all stand in the source."""
    wanted = normalise(source)
    parts = [normalise(part) for part in re.split(r"[：:，,、；;。|（）()]", said) if part.strip()]
    return len(said) <= 200 and bool(parts) and all(part in wanted for part in parts)


def _source(citation: Citation) -> str:
    return "\n".join((citation.document, *citation.heading_path, citation.text))


def _surroundings(item: Evidence) -> str:
    title = item.chunk.metadata.title or ""
    region = item.chunk.metadata.region or ""
    return "\n".join((title, region, item.chunk.document_name, *item.chunk.heading_path))
