"""One more search where a word was not found because of what the conversation added.

A model or a topic that is carried along pulls the search to its own passages; the rule that
holds for all of them falls out. Before a question is refused for a missing word it is searched
once more without what was carried, and the answer is then never a plain one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from rag import step_summaries
from rag.answer.agreement import agreement
from rag.answer.asks import asking_spans
from rag.answer.pieces import about
from rag.answer.refuse import Confidence, confidence, decide
from rag.answer.subject_evidence import numbered
from rag.answer.terms import TELLING, content_terms, lost_words, presence
from rag.retrieve.search import Retriever
from rag.text.normalise import normalise
from rag.text.tokenise import codes
from rag.turn_state import TurnState
from rag.types import Event, Evidence, QueryPlan, Retrieval, Understanding
from rag.understand.regions import find_regions

_WHETHER = re.compile("[吗么不没][？?。 ]*$|怎|咋|啥|能否|是否|能不能|可不可以")
SHORTEST = 2
"""Letters of what was carried; fewer are grammar. Chosen by us."""
_LEFT_OVER = re.compile(r"^[的，,、：:；; 吧呢啊那]+|(?<=[，,])[的，,、 ]+")

Step = Callable[..., Generator[Event, None, object]]


class Second(NamedTuple):
    """What a second search found for the shorter question."""

    meaning: Understanding
    found: Retrieval
    evidence: tuple[Evidence, ...]
    sure: Confidence


def shorter(meaning: Understanding, evidence: Sequence[Evidence]) -> tuple[str, str]:
    """The question without what was carried into it or the model it names, and what that was.

    ("", "") unless a word of the question is missing in the evidence, or a model was carried
    into it, and the rest still names something. Regions are never dropped, nor a model that is
    itself what is missing.
    """
    question = meaning.standalone_question
    carried = _carried(meaning)
    models = [code for code in codes(question) if not code.startswith("第")]
    lost = lost_words(question, _all_of(evidence))
    typed = normalise(meaning.question)
    added = [code for code in models if code not in typed]
    if not (lost or added) or any(
        normalise(word) in models and normalise(word) in typed for word in lost
    ):
        return "", ""
    dropped = [part for part in (*carried, *models) if not find_regions(part)]
    left = question
    for part in dropped:
        left = re.sub(re.escape(part), "", left, flags=re.I)
    left = _LEFT_OVER.sub("", left.strip())
    names = any(t.weight >= TELLING and not t.soft for t in content_terms(left))
    if not dropped or left == question or not names or not _asks(left):
        return "", ""
    return left, "、".join(dict.fromkeys(part.upper() for part in dropped))


def look_again(
    step: Step,
    retriever: Retriever,
    turn: TurnState,
    meaning: Understanding,
    plan: QueryPlan,
    evidence: Sequence[Evidence],
) -> Generator[Event, None, Second | None]:
    """Search once more without what was carried; None where that is no use.

    Its passages must hold each word that was missing, and may not be about another model.

    Args:
        step: runs one named step of the turn and yields its events.
        plan: of the first search; its filter stays.
        evidence: of the first search.
    """
    question, without = shorter(meaning, evidence)
    if not question:
        return None
    alone = meaning.model_copy(update={"standalone_question": question, "sub_questions": ()})
    again = plan.model_copy(
        update={
            "queries": (question,),
            "strategy": "rewrite",
            "passage": "",
            "carried": (),
            "behind": "",
        }
    )

    def search(_: object) -> Retrieval:
        found = retriever.search(again, question=question, top_k=turn.settings.retrieval.top_k)
        return found.model_copy(update={"widened": (*found.widened, without)})

    found = yield from step(
        turn, "retrieve", search, lambda found: step_summaries.of_retrieval(found, alone)
    )
    assert isinstance(found, Retrieval)
    everything = retriever.evidence(question, found.hits)
    kept = numbered(i for i in everything if not agreement(meaning, i.chunk).conflict)
    if any(
        not presence(word.lower(), _all_of(kept))
        for word in lost_words(question, _all_of(evidence))
    ):
        return None
    slots = meaning.slots.model_copy(update={"product": ()})
    alone = alone.model_copy(update={"slots": slots})
    sure = confidence(alone, found.hits, kept)
    if decide(sure.value, turn.settings.answer) == "refuse":
        return None
    value = min(sure.value, turn.settings.answer.hedge_below - 0.01)
    return Second(alone, found, kept, sure.model_copy(update={"value": value}))


def _carried(meaning: Understanding) -> list[str]:
    """The parts of the completed question that the user did not type this time."""
    typed, whole = meaning.question, meaning.standalone_question
    if not meaning.rewritten:
        return []
    parts = SequenceMatcher(None, typed, whole, autojunk=False).get_opcodes()
    added = [whole[j1:j2] for tag, _, _, j1, j2 in parts if tag in ("insert", "replace")]
    return [part.strip("的，, ") for part in added if len(part.strip("的，, ")) >= SHORTEST]


def _asks(question: str) -> bool:
    """Whether what is left is a question by itself; 杭州呢 is none."""
    return bool(asking_spans(question) or _WHETHER.search(question))


def _all_of(evidence: Sequence[Evidence]) -> str:
    return "\n".join(f"{about(item.chunk)}\n{item.chunk.text}" for item in evidence)
