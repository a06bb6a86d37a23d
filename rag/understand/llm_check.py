"""Whether a model's completion of a question keeps to what was said.

Every value that was typed must stay, none may come in that nobody named, and the question
must ask the same: the same kind of answer, with the same negations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from rag.text.normalise import normalise
from rag.types import KnowledgeProfile, Slots, Turn, Understanding
from rag.understand.gazetteer import gazetteer
from rag.understand.lexicon import ASKING, AUXILIARIES
from rag.understand.quantities import find_quantities
from rag.understand.regions import related, short_name
from rag.understand.slots import extract, quoted_titles

_KEPT_WORDS = 0.6
"""Share of the typed question's content that the completion must keep (chosen by us)."""
_KNOWN_WORDS = 0.75
"""Share of the completion's content that question and conversation must hold (chosen by us)."""
_TURNS_READ = 16


def fault(
    standalone: str,
    question: str,
    history: Sequence[Turn],
    profile: KnowledgeProfile,
    local: Understanding,
    today: date,
) -> str:
    """What is wrong with the proposed completion, in Chinese; "" when nothing is."""
    spoken = "\n".join([question, local.standalone_question, *spoken_before(history)])
    new, _ = extract(standalone, profile, today)
    typed, _ = extract(question, profile, today)
    wanted, _ = extract(local.standalone_question, profile, today)
    known, _ = extract(spoken, profile, today)
    if lost := _lost(typed, wanted, new):
        return f"丢掉了“{lost}”"
    if added := invented(new, known):
        return f"加入了没有提到的“{added}”"
    if wrong := _figures(question, standalone, local.standalone_question, spoken):
        return wrong
    for title in quoted_titles(standalone):
        if normalise(title) not in normalise(spoken) and not gazetteer(profile).titled(title):
            return f"提到了不存在的《{title}》"
    if not local.rewritten and share(content(question), standalone) < _KEPT_WORDS:
        return "改变了问题的意思"
    if _asks_otherwise(question, standalone) or _negated_otherwise(question, standalone, local):
        return "改变了问题的意思"
    if local.rewritten and share(content(standalone), spoken) < _KNOWN_WORDS:
        return "说了对话里没有的内容"
    if not local.rewritten and share(content(standalone), spoken) < _KEPT_WORDS:
        return "说了对话里没有的内容"
    return ""


def _lost(typed: Slots, wanted: Slots, new: Slots) -> str:
    """A value that was typed (and that the local completion kept) but is gone."""
    for region in typed.region:
        kept = any(related(region, other) for other in new.region)
        if region in wanted.region and not kept:
            return short_name(region)
    for time in typed.time:
        if time in wanted.time and not any(_same_time(time, t) for t in new.time):
            return time.text
    for name in ("number", "product", "organisation"):
        for value in getattr(typed, name):
            kept = any(_alike(value, other) for other in getattr(new, name))
            if value in getattr(wanted, name) and not kept:
                return str(value)
    return ""


def invented(new: Slots, known: Slots) -> str:
    """A value of `new` that `known` lacks, as people write it; "" when there is none."""
    for region in new.region:
        if not any(related(region, other) for other in known.region):
            return short_name(region)
    for time in new.time:
        if not any(_same_time(time, other) for other in known.time):
            return time.text
    for name in ("number", "product", "organisation", "person"):
        for value in getattr(new, name):
            if not any(_alike(value, other) for other in getattr(known, name)):
                return str(value)
    return ""


def _figures(question: str, standalone: str, local: str, spoken: str) -> str:
    """An amount, rating or length of time that was typed and is gone, or that nobody named."""
    said = {q.value: q.text for q in find_quantities(normalise(question))}
    kept = {q.value for q in find_quantities(normalise(local))}
    new = {q.value: q.text for q in find_quantities(normalise(standalone))}
    known = {q.value for line in spoken.split("\n") for q in find_quantities(normalise(line))}
    for value, text in said.items():
        if value in kept and value not in new:
            return f"丢掉了“{text}”"
    for value, text in new.items():
        if value not in known:
            return f"加入了没有提到的“{text}”"
    return ""


_ASKING = (
    re.compile("多少|几|多[久长高大贵]|什么价|收费|上限|标准"),
    re.compile("怎么|怎样|如何|咋|流程|步骤|手续|办法|方法"),
    re.compile("为什么|为何|为啥|凭什么|原因|怎么回事"),
    re.compile("谁|哪个部门|哪位|哪个人|什么人|何人|负责人"),
    re.compile("什么时候|啥时候|何时|哪[天年月]|多久|时间|日期|期限|截止"),
    re.compile("哪里|哪儿|在哪|什么地方|啥地方|地址|地点|何处"),
)
"""What asks for a quantity, a way, a reason, a person, a time, a place."""
_NEGATION = re.compile(
    "(?<![有是要会能行])(?:不(?![同少止过仅]|得不)|没有?|未(?!来)|无法|无需|禁止|别(?![的人处称]))"
)
_CHOICE = re.compile("(.)不\\1|有没有|没有?吗|是否|能否|可否")


def _asks_otherwise(question: str, standalone: str) -> bool:
    """Whether the typed question asks for one kind of thing and the completion for none of it."""
    asked = [pattern for pattern in _ASKING if pattern.search(question)]
    return bool(asked) and not any(pattern.search(standalone) for pattern in asked)


def _negated_otherwise(question: str, standalone: str, local: Understanding) -> bool:
    """Whether a negation came in or went; "能不能" is none."""
    typed, made = _negated(question), _negated(standalone)
    if made == typed:
        return False
    return made != _negated(local.standalone_question)


def _negated(text: str) -> bool:
    return bool(_NEGATION.search(_CHOICE.sub("，", text)))


def _same_time(a: Any, b: Any) -> bool:
    return (a.start, a.end) == (b.start, b.end)


def _alike(a: str, b: str) -> bool:
    return normalise(a) == normalise(b)


def content(text: str) -> frozenset[str]:
    """The pairs of letters of the words that carry a text's meaning."""
    from rag.text.tokenise import query_terms

    pairs: set[str] = set()
    for term in query_terms(text):
        if term in ASKING or term in AUXILIARIES:
            continue
        pairs.update(term[i : i + 2] for i in range(max(1, len(term) - 1)))
    return frozenset(pairs)


def share(pairs: frozenset[str], text: str) -> float:
    """Which share of the pairs stands in a text, 0..1; 1 for no pairs."""
    simple = normalise(text)
    return sum(pair in simple for pair in pairs) / len(pairs) if pairs else 1.0


def spoken_before(history: Sequence[Turn]) -> list[str]:
    """The texts of the last turns, completed questions among them."""
    recent = history[-_TURNS_READ:]
    return [turn.content for turn in recent] + [t.standalone for t in recent if t.standalone]
