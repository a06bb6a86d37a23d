"""How sure the system is of an answer, and what it says when it is not (step "refuse")."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Literal

from pydantic import Field

from rag.answer.agreement import Fit, agreeing, quoted_titles, slot_fits
from rag.answer.asks import asked, may_hold, without_asking
from rag.answer.classes import class_cell
from rag.answer.faq import faq_question
from rag.answer.features import ELSEWHERE, FEW_KINDS, RARE_FROM, features
from rag.answer.lacking import PERHAPS, ceiling
from rag.answer.markup import escape
from rag.answer.matter import beside
from rag.answer.pieces import about
from rag.answer.rank import (
    Question,
    Ranked,
    documents,
    own_words,
    rank,
    read_question,
    with_words_of,
)
from rag.answer.rows import finds_cell, of_document
from rag.answer.same_question import same_question
from rag.answer.stated import stated
from rag.answer.terms import TELLING, content_terms, lost_words, presence
from rag.settings import AnswerSettings
from rag.text.as_asked import hits_as_asked
from rag.types import Evidence, Hit, OtherNames, Understanding, Value

Decision = Literal["answer", "hedge", "refuse"]
HEDGE_PREFIX = "不太确定，但"
REFUSAL_PREFIX = "根据现有信息无法确定"

CONFLICT_CEILING = 0.3
"""Confidence at most when all evidence is about another region, year, product or title."""
NO_VALUE_CEILING = 0.5
"""Confidence at most when an amount, a share or an address is asked for and none is there."""
EXACT_FLOORS = ((0.6, 0.82), (0.3, 0.7))
"""Confidence at least when a record, cell or line of the very code asked about holds the kind
of thing asked for, by how much of the question's other words stands there; chosen by us, so
that the answer is still hedged where little else fits."""
BESIDE_THE_POINT = 0.5
"""What the very code earns at most where its row says nothing else that is asked; ours."""
GROUNDED_FLOORS = ((0.7, 0.82), (0.5, 0.65))
"""Confidence at least when one place holds the whole subject with the kind of thing asked for
and no slot is left open: that is what an answer needs. Of questions without their source 2 to
5 % reach these; chosen by us on the training sets."""
CELL_FLOOR = 0.7
"""Confidence at least when the question names a row of a table and its column, and no word of it
is absent from the evidence: hedged where nothing else speaks for it. Chosen by us."""
SAME_FLOORS = ((1.0, 0.82), (0.5, 0.65))
"""Confidence at least when a FAQ's record asks the same, or asks another thing of the same and
holds the kind asked for: such a record was written to answer it. Chosen by us."""
LOST_FROM = 0.45
"""Weight from which an absent word takes that floor away."""
DOUBTED_FLOOR = 0.62
"""Confidence at least where one place holds the whole subject though the line reader doubts it."""
LOST_RARE = 0.9
"""Rarity of a word or name that stands nowhere, from which an answer is not plain where the line
reader takes part: it takes the weight of one fish for that of another. Chosen by us."""
LOST_NAME, HARDLY_COVERED = 0.7, 0.4
"""Rarity of a name that stands nowhere in the evidence, and coverage by the best sentence below
which the answer is then not there whatever the reranker says. Chosen by us."""
NOT_PLAIN = 0.78
"""Confidence at most where the kind of value asked for stands only far from the best piece."""
DOUBTED, PLAIN_FIT, SURE = 0.42, 0.55, 0.6
"""Fit of the best line (`rag.answer.features`): below the first, words alone raise no confidence,
and from it on missing words alone refuse nothing; below the second no answer is plain, and below
the third none without the kind of value asked for. Chosen on `benchmarks/workplace/fit`."""
FEW_PASSAGES = 3
FEW_PASSAGES_ODDS = 1.8
PARTLY_COVERED = 0.2
"""Who has just uploaded a note of a few lines asks about it: with no more passages than this in
all, odds are raised where a sentence covers part of the question. Chosen by us."""
ASKER_SHIFT = 0.3
"""Added to the odds (as a logarithm): half of the fit's questions have no answer, while people
mostly ask what their documents hold. Chosen on questions of our own about documents that the
fit has not seen; `benchmarks/bench_answers.py` prints what it costs in refusals."""
READ_SHIFT, READ_SCALE = 0.9, 0.7
"""The same where lines were read: nearer to an answer with a caution from both sides."""
WHOLE = frozenset(("procedure", "summary", "comparison", "steps", "list"))
"""Intents and wanted answers that several lines give together."""
UNREAD = {"fit": 0.0, "fit_best": 0.0}
MOST_SUGGESTIONS = 3
LOOKED_AT = 6
SUBJECT_HELD = 0.6
"""Passages that suggestions are made from, and how far a text must hold a word to share it."""
_SLOT_WORDS = {"region": "地区", "time": "时间", "product": "产品", "code": "编号", "title": "文件"}
_NUMBERING = re.compile(
    r"^第[^\s\u3000]{1,6}[条章节]\s*|^[一二三四五六七八九十]+、|^[（(][一二三四五六七八九十\d]+[)）]|^[\d.]+\s*"
)
_WEIGHTS = Path(__file__).with_name("confidence_weights.json")


class Confidence(Value):
    """A calibrated probability that the evidence answers the question, with its grounds.

    `reason` is one sentence for people; `conflicts` are slots on which all evidence disagrees.
    """

    value: float = Field(ge=0, le=1)
    features: dict[str, float] = Field(default_factory=dict)
    reason: str = ""
    conflicts: tuple[str, ...] = ()


def confidence(
    understanding: Understanding, hits: Sequence[Hit], evidence: Sequence[Evidence]
) -> Confidence:
    """Judge whether the evidence answers the question.

    Args:
        understanding: the completed question with its slots.
        hits: what the search returned, with scores by stage.
        evidence: the passages that an answer would be made from.
    """
    if not evidence:
        return Confidence(value=0.0, reason="没有找到相关内容。")
    question = read_question(understanding.standalone_question)
    question = with_words_of(question, documents(evidence))
    usable = agreeing(understanding, evidence) or tuple(evidence)
    ranked = rank(question, usable)
    found = features(understanding, hits, evidence, ranked)
    if any(term.name for term in question.terms):  # the line reader cannot read codes
        found |= UNREAD
    few = len(hits) <= FEW_PASSAGES and found["sentence"] >= PARTLY_COVERED
    odds = FEW_PASSAGES_ODDS if few else 1.0
    value = probability(found, odds)
    whole = understanding.intent in WHOLE or question.asked.wanted in WHOLE
    if whole:  # no line of a list of steps answers by itself
        value = max(value, probability(found | UNREAD, odds))
    fits = slot_fits(understanding, evidence)
    conflicts = tuple(slot for slot, fit in fits.items() if fit == "conflict")
    exact = min(found["exact"], BESIDE_THE_POINT if _beside(question, ranked) else 1.0)
    other = beside(question, evidence, documents(evidence))
    value = max(value, _floor(exact, EXACT_FLOORS))
    open_slot = bool(found["slot_silent"])
    if not open_slot and found["grounded"] >= GROUNDED_FLOORS[0][0]:
        value = max(value, DOUBTED_FLOOR)
    if not open_slot and (whole or not _doubted(found)):
        value = max(value, _floor(found["grounded"], GROUNDED_FLOORS))
        value = max(value, _floor(same_question(question, usable), SAME_FLOORS))
        value = max(value, stated(question, ranked, usable, other))
    most = 1.0
    unlikely = 0.0 < found["fit_best"] < SURE and found["kind"] < 1.0
    elsewhere = unlikely or found["kind"] == ELSEWHERE
    if elsewhere and 0 < len(question.asked.kinds) <= FEW_KINDS and not exact:
        most = NOT_PLAIN
    absent = max(found["rare_lost"], found["rare_missing"]) >= LOST_RARE
    if found["fit"] and (found["fit_best"] < PLAIN_FIT or absent) and not exact:
        most = NOT_PLAIN
    if _name_lost(found) and not exact:
        most = min(most, NO_VALUE_CEILING)
    wanted = asked(understanding.standalone_question)
    if not any(may_hold(wanted, item.chunk.text) for item in evidence if item.n not in other):
        most = min(most, NO_VALUE_CEILING)
    if conflicts:
        value = min(value, CONFLICT_CEILING)
    value = min(value, _allowed(found, most))
    if (
        not conflicts
        and not _lost(question, usable)
        and finds_cell(question, of_document(ranked, usable))
    ):
        value = max(value, CELL_FLOOR)
    meant = None if conflicts else class_cell(question, ranked, usable, evidence)
    if meant:
        value = max(value, GROUNDED_FLOORS[0][1] if meant.sure else CELL_FLOOR)
        return Confidence(value=round(value, 4), features=found, reason=_reason(found, conflicts))
    most, lacking = ceiling(question, ranked, usable)
    value = round(min(value, _allowed(found, most)), 4)
    reason = lacking or _reason(found, conflicts)
    return Confidence(value=value, features=found, reason=reason, conflicts=conflicts)


def _doubted(found: dict[str, float]) -> bool:
    """Whether the line reader has read the best line and does not think that it answers."""
    return 0.0 < found["fit_best"] < DOUBTED


def _allowed(found: dict[str, float], most: float) -> float:
    """A ceiling for what seems not to be there; only a caution where the line reader thinks that
    the best line answers, because people and documents have many words for one thing."""
    return max(most, PERHAPS) if found["fit_best"] >= DOUBTED else most


def probability(found: dict[str, float], odds: float = 1.0) -> float:
    """The logistic model's value for features, 0..1; `odds` above 1 raise it."""
    reranked, dense = bool(found.get("rerank")), bool(found.get("dense"))
    name = ("reranked" if reranked else "plain") + ("" if dense else "_lexical")
    intercept, weights = _model(f"{name}_read" if found.get("fit") else name)
    total = intercept + sum(weight * found.get(name, 0.0) for name, weight in weights.items())
    total = READ_SCALE * total + READ_SHIFT if found.get("fit") else total + ASKER_SHIFT
    total += math.log(odds)
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def decide(value: float, settings: AnswerSettings) -> Decision:
    """What a confidence means under the settings' thresholds."""
    if value < settings.refuse_below:
        return "refuse"
    return "hedge" if value < settings.hedge_below else "answer"


def refusal(
    understanding: Understanding,
    hits: Sequence[Hit],
    kb_names: Sequence[str],
    synonyms: Sequence[OtherNames] = (),
) -> tuple[str, tuple[str, ...]]:
    """A refusal that helps.

    Args:
        understanding: the question that is refused.
        hits: what came nearest, best first.
        kb_names: names of the knowledge bases that were searched.
        synonyms: other names of the question's words: who says one has said the word.

    Returns:
        The text (it begins with `REFUSAL_PREFIX`; all quoted names are escaped) and up to
        three questions that the found documents can answer, to be offered as buttons.
    """
    said = hits_as_asked(hits, synonyms)
    fits = slot_fits(understanding, said)
    lines = [f"{REFUSAL_PREFIX}：{_missing(understanding, said, fits)}"]
    where = "、".join(f"“{escape(name)}”" for name in kb_names) or "所选知识库"
    titles = _titles(hits)
    near = (
        f"，最接近的是{'、'.join(f'《{escape(title)}》' for title in titles[:2])}" if titles else ""
    )
    lines.append(f"已在{where}中查找“{escape(_topic(understanding))}”{near}。")
    suggestions = _suggestions(understanding, hits, fits)
    if suggestions:
        lines.append("可以试试下面的问题，或换个说法、补充相关文档后再问。")
    else:
        lines.append("可以换个说法，选择其他知识库，或补充相关文档后再问。")
    return "\n\n".join(lines), suggestions


def _lost(question: Question, evidence: Sequence[Evidence]) -> bool:
    """Whether a telling word of the question stands nowhere in the evidence."""
    everything = "\n".join(f"{about(item.chunk)}\n{item.chunk.text}" for item in evidence)
    words = [t for t in question.terms if not t.soft and t.weight >= LOST_FROM]
    return any(not presence(term.text, everything) for term in words)


def _name_lost(found: dict[str, float]) -> bool:
    """Whether the name asked about stands nowhere and hardly anything else is covered."""
    lost = found["rare_lost"] == 1.0 and found["rare_missing"] >= LOST_NAME
    return lost and found["sentence"] < HARDLY_COVERED


def _beside(question: Question, ranked: Sequence[Ranked]) -> bool:
    """Whether the best piece holds no word of the question but its codes (P5 of 住超了)."""
    others = [term for term in question.terms if not term.name and term.weight >= RARE_FROM]
    return bool(others and ranked) and not any(
        presence(term.text, own_words(ranked[0].piece)) for term in others
    )


def _floor(reached: float, floors: Sequence[tuple[float, float]]) -> float:
    return next((floor for least, floor in floors if reached >= least), 0.0)


@lru_cache(maxsize=8)
def _model(name: str) -> tuple[float, dict[str, float]]:
    """Intercept and weights: "plain" where no reranker has run, "…_lexical" without cosines,
    "…_read" where a model has read the lines."""
    raw = json.loads(_WEIGHTS.read_text(encoding="utf-8"))[name]
    return float(raw["intercept"]), {k: float(v) for k, v in raw["weights"].items()}


def _reason(found: dict[str, float], conflicts: Sequence[str]) -> str:
    if conflicts:
        words = "、".join(_SLOT_WORDS.get(slot, slot) for slot in conflicts)
        return f"找到的内容在{words}上与问题不符。"
    if found["name_missing"] > 0.5 or found["rare_missing"] > 0.5:
        return "问题里的关键词没有出现在找到的内容里。"
    if found["passage"] >= 0.75:
        return "找到的内容覆盖了问题的要点。"
    if found["passage"] >= 0.45:
        return "找到的内容只覆盖了问题的一部分要点。"
    return "找到的内容与问题的关联较弱。"


def _missing(understanding: Understanding, hits: Sequence[Hit], fits: dict[str, Fit]) -> str:
    """What is not there, in one clause."""
    slots = understanding.slots
    if not hits:
        return "知识库里没有找到相关的内容。"
    if fits.get("region") == "conflict":
        named = "、".join(path.rsplit("/", 1)[-1] for path in slots.region)
        have = _values([h.chunk.metadata.region for h in hits])
        return f"没有找到{named}的相关内容{_have(have)}。"
    if fits.get("time") == "conflict":
        named = "、".join(period.text for period in slots.time)
        years = [hit.chunk.metadata.year for hit in hits]
        have = _values([f"{year}年" if year else None for year in years])
        return f"没有找到{escape(named)}的相关内容{_have(have)}。"
    if fits.get("product") == "conflict" or fits.get("code") == "conflict":
        names = [
            term.text.upper()
            for term in content_terms(understanding.standalone_question)
            if term.name
        ]
        named = "、".join(slots.product or names) or "所问的产品"
        return f"没有找到{escape(named)}的相关内容。"
    if fits.get("title") == "conflict":
        named = "、".join(
            f"《{escape(t)}》" for t in quoted_titles(understanding.standalone_question)
        )
        return f"知识库里没有{named}。"
    everything = "\n".join(f"{about(hit.chunk)}\n{hit.chunk.text}" for hit in hits)
    lost = lost_words(understanding.standalone_question, everything)
    if lost:
        words = "、".join(f"“{escape(text)}”" for text in lost[:3])
        return f"找到的内容没有提到{words}。"
    return "知识库里没有找到能回答这个问题的内容。"


def _have(values: Sequence[str]) -> str:
    return f"（现有：{'、'.join(escape(v) for v in values[:5])}）" if values else ""


def _values(values: Sequence[str | None]) -> list[str]:
    return list(dict.fromkeys(value.replace("/", "") for value in values if value))


def _topic(understanding: Understanding) -> str:
    text = " ".join(understanding.standalone_question.split()).rstrip("？?。！!")
    return text if len(text) <= 60 else text[:60] + "……"


def _titles(hits: Sequence[Hit]) -> list[str]:
    return list(dict.fromkeys(title for hit in hits if (title := _title(hit))))


def _title(hit: Hit) -> str:
    """A document's title; its file's name where the title is a FAQ record's question."""
    title = hit.chunk.metadata.title or ""
    if not title or title.rstrip().endswith(("？", "?")):
        title = PurePath(hit.chunk.document_name).stem
    return title.strip("《》")


def _suggestions(
    understanding: Understanding, hits: Sequence[Hit], fits: dict[str, Fit]
) -> tuple[str, ...]:
    """Questions that the found documents can answer."""
    question = understanding.standalone_question
    made: list[str] = []
    if fits.get("region") == "conflict":
        made += _other_regions(question, hits)
    if fits.get("time") == "conflict":
        made += _other_years(question, hits)
    for hit in hits[:LOOKED_AT]:
        made += _about(question, hit)
    unique = [text for text in dict.fromkeys(made) if text != question]
    return tuple(unique[:MOST_SUGGESTIONS])


def _other_regions(question: str, hits: Sequence[Hit]) -> list[str]:
    from rag.understand.regions import find_regions, official_name

    mentions = find_regions(question)
    if len(mentions) != 1:
        return []
    mention = mentions[0]
    made = []
    for path in dict.fromkeys(h.chunk.metadata.region for h in hits if h.chunk.metadata.region):
        name = official_name(path) if mention.formal else path.rsplit("/", 1)[-1]
        made.append(question[: mention.start] + name + question[mention.end :])
    return made


def _other_years(question: str, hits: Sequence[Hit]) -> list[str]:
    years = re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", question)
    if len(years) != 1:
        return []
    known = dict.fromkeys(h.chunk.metadata.year for h in hits if h.chunk.metadata.year)
    return [question.replace(years[0], str(year)) for year in known]


def _about(question: str, hit: Hit) -> list[str]:
    """A question that the passage answers and that shares the subject of the one refused: its
    own where it is a FAQ record, else one about its section or document."""
    chunk = hit.chunk
    faq = faq_question(Evidence(n=1, chunk=chunk, text=chunk.text, span=(0, len(chunk.text))))
    if faq:
        return [faq] if _shares(question, f"{faq}\n{_title(hit)}") else []
    title = _title(hit)
    if not title:
        return []
    heading = _NUMBERING.sub("", chunk.heading_path[-1]).strip() if chunk.heading_path else ""
    usable = heading != title and without_asking(heading).strip("，") and len(heading) <= 20
    if heading and usable and _shares(question, f"{heading}\n{chunk.text}"):
        return [f"《{title}》里“{heading}”的内容是什么？"]
    return [f"《{title}》的主要内容是什么？"] if _shares(question, title) else []


def _shares(question: str, text: str) -> bool:
    """Whether a text holds a word of the question that tells something of its subject."""
    telling = [t for t in content_terms(question) if t.weight >= TELLING and not t.soft]
    return any(presence(term.text, text) >= SUBJECT_HELD for term in telling)
