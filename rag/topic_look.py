"""One more search for a doubtful follow-up, together with what the conversation is about.

可以分开休吗 after 陪产假, 钥匙弄丢了 after 储物柜: by its form such a question needs nothing, so
rules leave it alone, and as it stands hardly a line answers it. It is searched again under the
last topic; only where a line of the same document, or one that names the topic, then answers it
clearly better, that is taken to be meant, and the answer is never a plain one. A thing that the
passage does not know (食堂 after 年假) is a subject of its own: the question stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass

from rag import step_summaries
from rag.answer.pieces import about, pieces
from rag.answer.plain_words import sureness
from rag.answer.rank import documents
from rag.answer.refuse import Decision, decide
from rag.answer.subject_evidence import numbered, of_the_subject_asked
from rag.answer.terms import content_terms, coverage
from rag.behind import best_line
from rag.last_topic import Candidate, candidates, may_be_of_the_last, unknown_things
from rag.retrieve.search import Retriever
from rag.second_look import Second, Step
from rag.settings import Settings
from rag.text.normalise import normalise
from rag.text.tokenise import codes
from rag.turn import TurnInput
from rag.turn_state import TurnState
from rag.types import (
    Chunk,
    Event,
    Evidence,
    KnowledgeProfile,
    OtherNames,
    QueryPlan,
    Retrieval,
    Slots,
    Understanding,
)
from rag.understand.carried import MOST_CARRIED, Earlier, earlier

DOUBTFUL_FIT = 0.7
"""Fit of the best line (`Piece.fit`) from which a hedged answer is not doubted."""
FITS_FROM = 0.5
"""Fit that the best line must have with the topic."""
BETTER_BY = 0.2
"""How much better it must fit than the best one did without the topic, and than it does with the
topic alone. Chosen by us, as those of `rag.last_topic`."""
TOPIC_HELD = 0.5
"""Share of the topic's words that the document must hold; chosen by us."""
SHORTEST_TOLD = 2
"""Letters that a line says beside the name of the topic."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a question is read, planned, and what was cited looked up, as the chain does it."""

    retriever: Retriever
    understand: Callable[[TurnInput, KnowledgeProfile, Settings], Understanding]
    plan: Callable[[TurnInput, Understanding], QueryPlan]
    chunks: Callable[[Iterable[str]], dict[str, Chunk]]


def doubted(verdict: Decision, evidence: Sequence[Evidence]) -> bool:
    """Whether a question would be refused, or answered from a line that hardly fits."""
    line, fit = best_line(evidence)
    return line is not None and (verdict == "refuse" or (verdict == "hedge" and fit < DOUBTFUL_FIT))


def look_with_topic(
    step: Step,
    reading: Reading,
    turn: TurnState,
    profile: KnowledgeProfile,
    first: Second,
    verdict: Decision,
) -> Generator[Event, None, tuple[Second, Decision]]:
    """Search a doubted question once or twice more with its topic.

    Args:
        step: runs one named step of the turn and yields its events.
        first: what was found for the question as it was understood.
        verdict: what that is good for.

    Returns:
        What was found with the topic, to be hedged; `first` and its verdict where that is no use.
    """
    typed = turn.input.question.strip()
    before = earlier(turn.input.history)
    meaning = first.meaning
    if before is None or not doubted(verdict, first.evidence) or meaning.source != "rules":
        return first, verdict
    if not may_be_of_the_last(typed) or (meaning.rewritten and verdict != "refuse"):
        return first, verdict
    if unknown_things(typed, "\n".join(documents(first.evidence).values())):
        return first, verdict
    _, fit = best_line(first.evidence)
    cited = list(reading.chunks(before.evidence[:MOST_CARRIED]).values())
    for one in candidates(typed, before, cited[0] if cited else None):
        if normalise(one.topic) in normalise(meaning.standalone_question):
            continue
        made, names = yield from _searched(step, reading, turn, profile, one, before, meaning.held)
        _, now = best_line(made.evidence)
        if (
            now < max(FITS_FROM, fit + BETTER_BY)
            or made.sure.value <= first.sure.value
            or decide(made.sure.value, turn.settings.answer) == "refuse"
            or not belongs(typed, one, made.evidence, cited)
            or now < fit_of_topic(reading, one, made) + BETTER_BY
        ):
            continue
        value = min(made.sure.value, turn.settings.answer.hedge_below - 0.01)
        turn.names = names
        return made._replace(sure=made.sure.model_copy(update={"value": value})), "hedge"
    return first, verdict


def belongs(
    question: str, one: Candidate, evidence: Sequence[Evidence], cited: Sequence[Chunk]
) -> bool:
    """Whether the best line speaks of the topic and knows the things that the question names."""
    best, _ = best_line(evidence)
    if best is None:
        return False
    item, piece = best
    chunk = item.chunk
    named = not codes(one.topic) and normalise(one.topic) in normalise(piece.body)
    if cited and not named and chunk.document_id not in {c.document_id for c in cited}:
        return False
    if one.section and chunk.heading_path != one.section:
        return False
    told = normalise(piece.body).replace(normalise(one.topic), "").rstrip("；;|。 ")
    if len(told) < SHORTEST_TOLD or told.endswith(("：", ":")):
        return False  # a line that only names the topic
    whole = documents(evidence)[chunk.document_id]
    if not one.section and coverage(content_terms(one.topic), whole) < TOPIC_HELD:
        return False
    return not unknown_things(question, f"{about(chunk)}\n{chunk.text}")


def fit_of_topic(reading: Reading, one: Candidate, made: Second) -> float:
    """How well the topic alone fits the line: what names it all over fits whatever is asked."""
    best, _ = best_line(made.evidence)
    if best is None:
        return 1.0
    item, piece = best
    hits = [hit for hit in made.found.hits if hit.chunk.id == item.chunk.id]
    alone = [p for i in reading.retriever.evidence(one.topic, hits) for p in pieces(i)]
    return max((p.fit or 0.0 for p in alone if p.body == piece.body), default=0.0)


def _searched(
    step: Step,
    reading: Reading,
    turn: TurnState,
    profile: KnowledgeProfile,
    one: Candidate,
    before: Earlier,
    held: Slots,
) -> Generator[Event, None, tuple[Second, tuple[OtherNames, ...]]]:
    asked = turn.input.model_copy(update={"corrected": one.question})
    meaning = reading.understand(asked, profile, turn.settings).model_copy(
        update={
            "held": held,
            "question": turn.input.question,
            "standalone_question": one.question,
            "sub_questions": (),
            "source": "rules",
            "notes": (f"接着上文的“{one.topic}”理解",),
        }
    )
    plan = reading.plan(asked, meaning)
    plan = plan.model_copy(update={"carried": before.evidence[:MOST_CARRIED]})
    settings = turn.settings.retrieval

    def search(_: object) -> Retrieval:
        found = reading.retriever.search(plan, question=one.question, top_k=settings.top_k)
        note = f"连同上文的“{one.topic}”再查一次：{one.question}"
        return found.model_copy(update={"notes": (note, *found.notes)})

    found = yield from step(
        turn, "retrieve", search, lambda found: step_summaries.of_retrieval(found, meaning)
    )
    assert isinstance(found, Retrieval)
    everything = reading.retriever.evidence(one.question, found.hits, settings=settings)
    best, _ = best_line(of_the_subject_asked(meaning, everything))
    evidence = numbered(i for i in everything if best and i.chunk.id == best[0].chunk.id)
    sure = sureness(meaning, found.hits, evidence, plan.names)
    return Second(meaning, found, evidence, sure), plan.names
