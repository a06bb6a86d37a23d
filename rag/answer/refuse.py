"""How sure the system is of an answer (step "refuse"); what it says when it is not is told in
`rag.answer.refusal`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from rag.answer.agreement import agreeing, slot_fits
from rag.answer.asks import asked, may_hold
from rag.answer.classes import class_cell
from rag.answer.features import ELSEWHERE, FEW_KINDS, RARE_FROM, features
from rag.answer.lacking import PERHAPS, ceiling
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
from rag.answer.stated import CAUTIOUS, stated
from rag.answer.terms import presence
from rag.settings import AnswerSettings
from rag.types import Evidence, Hit, Understanding, Value

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
"""Confidence at least where one line says all of the question though the line reader doubts it."""
ALL_SAID, FEW_TERMS = 0.95, 0.45
"""Coverage by a line from which it says all, and the feature of a question of one word or two."""
LOST_RARE = 0.9
"""Rarity of a word or name that stands nowhere, from which an answer is not plain where the line
reader takes part: it takes the weight of one fish for that of another. Chosen by us."""
LOST_NAME, HARDLY_COVERED = 0.7, 0.4
"""Rarity of a name that stands nowhere in the evidence, and coverage by the best sentence below
which the answer is then not there whatever the reranker says. Chosen by us."""
NOT_PLAIN = 0.78
"""Confidence at most where the kind of value asked for stands only far from the best piece."""
DENIED, DOUBTED, PLAIN_FIT, SURE = 0.1, 0.42, 0.55, 0.6
"""Fit of the best line (`rag.answer.features`): below the first, words alone raise no confidence,
below the second only to a caution, and from it on missing words alone refuse nothing; below the
third no answer is plain, and below the fourth none without the kind of value asked for. Chosen on
`benchmarks/workplace/fit`."""
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
SLOT_WORDS = {"region": "地区", "time": "时间", "product": "产品", "code": "编号", "title": "文件"}
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
    if not open_slot and _all_said(found):
        value = max(value, DOUBTED_FLOOR)
    if not open_slot and (whole or not _denied(found)):
        floor = max(
            _floor(found["grounded"], GROUNDED_FLOORS),
            _floor(same_question(question, usable), SAME_FLOORS),
            stated(question, ranked, usable, other),
        )
        value = max(value, floor if whole or not _doubted(found) else min(floor, CAUTIOUS))
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


def _all_said(found: dict[str, float]) -> bool:
    """Whether one line says all of a question of several words."""
    return min(found["sentence"], found["run"]) >= ALL_SAID and found["few_terms"] < FEW_TERMS


def _denied(found: dict[str, float]) -> bool:
    """Whether the line reader has read the best line and is sure that it does not answer."""
    return 0.0 < found["fit_best"] < DENIED


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
        words = "、".join(SLOT_WORDS.get(slot, slot) for slot in conflicts)
        return f"找到的内容在{words}上与问题不符。"
    if found["name_missing"] > 0.5 or found["rare_missing"] > 0.5:
        return "问题里的关键词没有出现在找到的内容里。"
    if found["passage"] >= 0.75:
        return "找到的内容覆盖了问题的要点。"
    if found["passage"] >= 0.45:
        return "找到的内容只覆盖了问题的一部分要点。"
    return "找到的内容与问题的关联较弱。"
