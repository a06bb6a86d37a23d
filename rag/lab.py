"""The retrieval lab: one question, what every stage of a search made of it, and saved tests.

A search of the lab takes the same way as one of the chat; with the current settings and no
strategy chosen it finds the same passages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.access.audit import Audit
from rag.access.policy import require_admin
from rag.access.rights import Rights
from rag.errors import InvalidInput
from rag.settings import RetrievalSettings, Settings
from rag.store.catalog import Catalog
from rag.text.as_asked import with_other_names
from rag.text.normalise import normalise
from rag.turn import TurnInput, check_question
from rag.types import (
    Chunk,
    Evidence,
    ExpectedPassage,
    Hit,
    Person,
    QueryPlan,
    Retrieval,
    RetrievalCase,
    StageName,
    Strategy,
    Turn,
    Understanding,
)
from rag.understand.carried import in_context, question_before

if TYPE_CHECKING:
    from rag.chain import Chain
    from rag.retrieve.search import Retriever

QUOTE_LENGTH = 120
"""Characters of a passage that a saved question remembers it by; chosen by us."""
MOST_CASES = 500
"""Saved questions of an installation: a run of them takes minutes. Chosen by us."""


@dataclass(frozen=True)
class Setup:
    """What a search of the lab differs in from one of the chat.

    Attributes:
        retrieval: the settings to search under; None for the current ones.
        rerank: False keeps the order of the fusion.
        strategy: the strategy to use whatever the question suggests; None lets it decide.
    """

    retrieval: RetrievalSettings | None = None
    rerank: bool = True
    strategy: Strategy | None = None


@dataclass(frozen=True)
class Row:
    """A passage with its place (from 1) and score in each stage that lists it."""

    chunk: Chunk
    places: dict[StageName, int]
    scores: dict[StageName, float]
    why: str
    used: bool


@dataclass(frozen=True)
class Experiment:
    """What became of one question under one setup.

    `rows` are the found passages in their final order, then those that stages saw and dropped.
    """

    understanding: Understanding
    plan: QueryPlan
    retrieval: Retrieval
    evidence: tuple[Evidence, ...]
    rows: tuple[Row, ...]
    ms: float


@dataclass(frozen=True)
class CaseResult:
    """A saved question run again: the place (from 1) of each expected passage, None if absent."""

    case: RetrievalCase
    places: tuple[int | None, ...]

    @property
    def first(self) -> int | None:
        """The best place of an expected passage."""
        return min((place for place in self.places if place is not None), default=None)


@dataclass(frozen=True)
class Figures:
    """How well saved questions are found: counts of questions and of expected passages.

    Attributes:
        cases: the questions.
        first: those with a right passage in the first place.
        expected: the passages that should be found, of all questions.
        found: those of them that were.
        mrr: mean reciprocal place of each question's best right passage, 0..1.
    """

    cases: int
    first: int
    expected: int
    found: int
    mrr: float

    @property
    def hit_at_1(self) -> float:
        """Share of questions with a right passage first, 0..1."""
        return self.first / self.cases if self.cases else 0.0

    @property
    def recall(self) -> float:
        """Share of the expected passages that were found, 0..1."""
        return self.found / self.expected if self.expected else 0.0


def figures(results: Sequence[CaseResult]) -> Figures:
    """The figures of saved questions that were run."""
    best = [result.first for result in results]
    places = [place for result in results for place in result.places]
    return Figures(
        cases=len(results),
        first=sum(place == 1 for place in best),
        expected=len(places),
        found=sum(place is not None for place in places),
        mrr=sum(1 / place for place in best if place) / len(results) if results else 0.0,
    )


class Lab:
    """Searches under a glass, for administrators. Thread-safe.

    All methods raise `NotAllowed` for people who are no administrators.

    Args:
        retriever, chain: called when they are needed; they exist once the models are loaded.
    """

    def __init__(
        self,
        catalog: Catalog,
        retriever: Callable[[], Retriever],
        chain: Callable[[], Chain],
        audit: Audit,
        settings: Callable[[], Settings],
    ) -> None:
        self._catalog = catalog
        self._retriever = retriever
        self._chain = chain
        self._rights = Rights(catalog, audit, settings)
        self._audit = audit
        self._settings = settings

    def run(
        self,
        person: Person,
        question: str,
        kb_ids: Sequence[str],
        setup: Setup | None = None,
        history: Sequence[Turn] = (),
    ) -> Experiment:
        """Search for a question and keep what each stage did.

        Raises:
            InvalidInput: the question is blank or too long, or no knowledge base is chosen.
            ModelError, StoreError: the search failed.
        """
        self._allow(person, kb_ids)
        check_question(question)
        if not kb_ids:
            raise InvalidInput(
                "还没有选择知识库。",
                "请至少选择一个知识库。",
                message_en="No knowledge base is chosen.",
                remedy_en="Choose at least one.",
            )
        setup, began = setup or Setup(), time.perf_counter()
        turn = TurnInput(question=question, kb_ids=tuple(kb_ids), history=tuple(history))
        meaning = self._chain().interpret(turn)
        plan = self._chain().plan(turn, meaning, override=setup.strategy)
        retriever = self._retriever()
        found = retriever.search(
            plan,
            question=meaning.standalone_question,
            rerank=setup.rerank,
            stages=True,
            settings=setup.retrieval,
        )
        asked = with_other_names(meaning.standalone_question, plan.names)
        said = in_context(question, question_before(meaning, turn.context))
        evidence = retriever.evidence(asked, found.hits, settings=setup.retrieval, said=said)
        rows = self._rows(found, {item.chunk.id for item in evidence})
        ms = (time.perf_counter() - began) * 1000
        return Experiment(meaning, plan, found, evidence, rows, ms)

    def _rows(self, found: Retrieval, used: set[str]) -> tuple[Row, ...]:
        places: dict[str, dict[StageName, int]] = {}
        scores: dict[str, dict[StageName, float]] = {}
        for stage in found.stages:
            for place, (id_, score) in enumerate(stage.ranked, start=1):
                own = places.setdefault(id_, {})
                if place < own.get(stage.name, place + 1):
                    own[stage.name] = place
                    scores.setdefault(id_, {})[stage.name] = score
        hits = {hit.chunk.id: hit for hit in found.hits}
        others = [id_ for id_ in places if id_ not in hits]
        chunks = self._catalog.chunks.get(others)
        order = [*hits, *sorted((id_ for id_ in others if id_ in chunks), key=_last_place(places))]
        return tuple(
            Row(
                chunk=hits[id_].chunk if id_ in hits else chunks[id_],
                places=places.get(id_, {}),
                scores=scores.get(id_, {}),
                why=hits[id_].why if id_ in hits else "",
                used=id_ in used,
            )
            for id_ in order
        )

    # --- Saved questions --------------------------------------------------------------

    def cases(self, person: Person) -> list[RetrievalCase]:
        """All saved questions, the newest first."""
        require_admin(person)
        return self._catalog.retrieval_cases.list()

    def save_case(
        self,
        person: Person,
        question: str,
        kb_ids: Sequence[str],
        right: Iterable[Chunk],
        note: str = "",
    ) -> RetrievalCase:
        """Keep a question with the passages that it should find; one that is there already
        is not kept twice, so that the figures count it once.

        Raises:
            InvalidInput: no passage is given, or there are too many saved questions.
        """
        self._allow(person, kb_ids)
        check_question(question)
        expected = tuple(
            ExpectedPassage(
                document_id=chunk.document_id,
                document=chunk.document_name,
                quote=chunk.text[:QUOTE_LENGTH],
            )
            for chunk in right
        )
        if not expected:
            raise InvalidInput(
                "还没有标出正确的片段。",
                "请在结果里勾选应当找到的片段，再保存。",
                message_en="No passage is marked as right.",
                remedy_en="Tick the passages that should be found, then save.",
            )
        saved = self._catalog.retrieval_cases.list()
        for case in saved:
            same = (case.question, set(case.kb_ids)) == (question, set(kb_ids))
            if same and set(case.expected) == set(expected):
                return case
        if len(saved) >= MOST_CASES:
            raise InvalidInput(
                f"测试问题已有 {MOST_CASES} 个。",
                "请先删除不再需要的。",
                message_en=f"There are {MOST_CASES} saved questions already.",
                remedy_en="Delete some that are no longer needed.",
            )
        made = self._catalog.retrieval_cases.create(kb_ids, question, expected, note, person.name)
        self._audit.record(person, "lab.save_case", made.id, question[:80])
        return made

    def delete_case(self, person: Person, case_id: str) -> None:
        """Forget a saved question; an unknown one is ignored."""
        require_admin(person)
        self._catalog.retrieval_cases.delete(case_id)
        self._audit.record(person, "lab.delete_case", case_id, "")

    def check(
        self,
        person: Person,
        case: RetrievalCase,
        setup: Setup | None = None,
    ) -> CaseResult:
        """Run a saved question again. Knowledge bases that are gone are left out.

        Raises:
            ModelError, StoreError: the search failed.
        """
        there = {kb.id for kb in self._rights.readable_bases(person)}
        kb_ids = [kb_id for kb_id in case.kb_ids if kb_id in there]
        if not kb_ids:
            require_admin(person)
            return CaseResult(case, tuple(None for _ in case.expected))
        hits = self.run(person, case.question, kb_ids, setup).retrieval.hits
        return CaseResult(case, tuple(_place(passage, hits) for passage in case.expected))

    def _allow(self, person: Person, kb_ids: Sequence[str]) -> None:
        require_admin(person)
        for kb_id in kb_ids:
            self._rights.readable(person, kb_id)


def _place(passage: ExpectedPassage, hits: Sequence[Hit]) -> int | None:
    """Where the passage stands among the hits: by its words, which outlive its chunk's id."""
    quote = normalise(passage.quote)
    for place, hit in enumerate(hits, start=1):
        same = hit.chunk.document_id == passage.document_id
        named = hit.chunk.document_name == passage.document
        if (same or named) and quote in normalise(hit.chunk.text):
            return place
    return None


def _last_place(
    places: dict[str, dict[StageName, int]],
) -> Callable[[str], tuple[int, int]]:
    """Sorts dropped passages: those that came furthest first, then by their place there."""
    stages: tuple[StageName, ...] = ("final", "ordered", "reranked", "fused")

    def key(id_: str) -> tuple[int, int]:
        own = places[id_]
        for number, stage in enumerate(stages):
            if stage in own:
                return number, own[stage]
        return len(stages), min(own.values())

    return key
