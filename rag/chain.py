"""The LangChain chain of one turn: from a question in its conversation to a checked answer.

`Chain` is a Runnable: `invoke` returns the Answer, `stream` yields typed Events while the
turn runs. A plain generator calls the steps in order because only that shows steps and
tokens in one ordered stream; each step is a small named Runnable, so LangChain callbacks see
every one of them and every model call.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.config import (
    ensure_config,
    get_callback_manager_for_config,
    patch_config,
)

from rag import step_summaries
from rag.answer.condense import Condenser
from rag.answer.plain_words import in_their_words, sureness
from rag.answer.refusal import refusal
from rag.answer.refuse import Confidence, decide
from rag.answer.small_talk import reply
from rag.answer.subject_evidence import of_the_subject_asked
from rag.answer.write import Writer, Written
from rag.behind import taken
from rag.first_look import Probe, first_look
from rag.interpreter import Interpreter
from rag.models.chat import ChatModel
from rag.retrieve.search import Retriever
from rag.second_look import Second, look_again
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.text.as_asked import with_other_names
from rag.topic_look import Reading, look_with_topic
from rag.turn import TurnInput, check_bases, check_question
from rag.turn_state import Stopped, TurnState
from rag.types import (
    Answer,
    AnswerStatus,
    Event,
    Evidence,
    Final,
    Hit,
    KnowledgeProfile,
    QueryPlan,
    Retrieval,
    Step,
    StepFinished,
    StepRecord,
    StepStarted,
    Strategy,
    Understanding,
)
from rag.understand.ambiguity import judge
from rag.understand.learned import Fill
from rag.understand.plan import plan as make_plan
from rag.understand.plan import web_enabled

T = TypeVar("T")


class Chain(Runnable[TurnInput, Any]):
    """The online chain. Thread-safe: a running turn keeps its state to itself.

    Args:
        catalog: names of knowledge bases and their profiles.
        retriever: searches.
        chat: returns the current chat model, or None for extractive answers.
        settings: returns the current settings; read once per turn.
        prompts: returns the prompt overrides by name.
        fill: the completion model; None leaves completion to the rules.
    """

    def __init__(
        self,
        catalog: Catalog,
        retriever: Retriever,
        chat: Callable[[], ChatModel | None],
        settings: Callable[[], Settings],
        prompts: Callable[[], dict[str, str]],
        fill: Fill | None = None,
    ) -> None:
        self._catalog = catalog
        self._retriever = retriever
        self._chat = chat
        self._settings = settings
        self._writer = Writer(chat, prompts)
        self._condenser = Condenser(chat, prompts)
        self._meaning = Interpreter(catalog, chat, prompts, fill)
        self._reading = Reading(retriever, self._meaning, self.plan, catalog.chunks.get)

    def invoke(
        self, input: TurnInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Answer:
        """Run a turn to its end and return the Answer.

        Raises:
            ZhiwenError: the turn failed for a reason that people can mend.
        """
        for event in self.stream(input, config, **kwargs):
            if isinstance(event, Final):
                return event.answer
        raise AssertionError("a turn ends with Final or raises")

    def stream(
        self,
        input: TurnInput,
        config: RunnableConfig | None = None,
        *,
        stop: threading.Event | None = None,
        **_: Any,
    ) -> Iterator[Event]:
        """Yield the turn's Events; the last is Final.

        Args:
            input: the question in its conversation.
            config: LangChain's, for callbacks and tags.
            stop: when set, the turn ends soon with what has been written so far.

        Raises:
            ZhiwenError: the turn failed for a reason that people can mend.
        """
        config = ensure_config(config)
        manager = get_callback_manager_for_config(config)
        run = manager.on_chain_start(None, input.model_dump(mode="json"), name="turn")
        turn = TurnState(input, self._settings(), run, config, stop or threading.Event())
        answer: Answer | None = None
        try:
            for event in self._until_stopped(turn):
                if isinstance(event, Final):
                    answer = event.answer
                yield event
        except BaseException as error:
            run.on_chain_error(error)
            raise
        run.on_chain_end({"answer": answer.model_dump(mode="json") if answer else None})

    def interpret(self, input: TurnInput) -> Understanding:
        """What a question is taken to mean, ambiguity included; nothing is answered.

        Raises:
            InvalidInput: the question is blank or too long.
        """
        check_question(input.asked)
        profile = self._catalog.documents.profile(input.kb_ids)
        settings = self._settings()
        meaning = self._meaning(input, profile, settings)
        if meaning.route != "knowledge" or not input.kb_ids:
            return meaning
        return judge(meaning, input.context, profile, self._probe(input))

    def plan(
        self, input: TurnInput, meaning: Understanding, *, override: Strategy | None = None
    ) -> QueryPlan:
        """What is searched for and how, for a question that was taken to mean this.

        Args:
            override: use this strategy whatever the question suggests.
        """
        made = make_plan(
            meaning,
            input.kb_ids,
            profile=self._catalog.documents.profile(input.kb_ids),
            history=input.context,
            override=override,
            web_enabled=web_enabled(self._settings()),
            probe=self._probe(input),
            kb_names=self._names(input.kb_ids) if len(input.kb_ids) > 1 else {},
            vocabulary=self._catalog.terms.vocabulary(input.kb_ids),
        )
        return made if made.queries else made.model_copy(update={"queries": (input.question,)})

    def evidence(
        self, question: str, hits: Sequence[Hit], settings: Settings, said: str = ""
    ) -> tuple[Evidence, ...]:
        """What of these hits the answer is made from; `said` as `Retriever.evidence` takes it."""
        short = self._condenser.ready(question, settings)
        kept = settings.retrieval
        return self._retriever.evidence(question, hits, settings=kept, summarise=short, said=said)

    def _until_stopped(self, turn: TurnState) -> Iterator[Event]:
        try:
            yield from self._turn(turn)
        except Stopped:
            yield turn.ended(None, Written(text="", reason="已停止。"), "stopped", 0.0)

    # --- The steps in their order -----------------------------------------------------

    def _turn(self, turn: TurnState) -> Iterator[Event]:
        check_question(turn.input.asked)
        profile = self._catalog.documents.profile(turn.input.kb_ids)
        meaning = yield from self._understand(turn, profile)
        if meaning.route in ("chitchat", "conversation"):
            text = reply(meaning, turn.input.history, profile)
            yield turn.ended(meaning, Written(text=text), "chitchat", 1.0)
            return
        check_bases(turn.input)
        meaning = yield from self._clarify(turn, meaning, profile)
        if meaning.needs_clarification and meaning.clarification:
            written = Written(text=meaning.clarification.question)
            yield turn.ended(meaning, written, "clarify", meaning.confidence)
            return
        query_plan = yield from self._plan(turn, meaning)
        found = yield from self._retrieve(turn, meaning, query_plan)
        turn.names = query_plan.names
        evidence = yield from self._compress(turn, meaning, found.hits)
        meaning, turn.meant = taken(turn, meaning, evidence)
        sure = sureness(meaning, found.hits, evidence, turn.names)
        verdict = decide(sure.value, turn.settings.answer)
        first = Second(meaning, found, evidence, sure)
        (meaning, found, evidence, sure), verdict = yield from look_with_topic(
            self._step, self._reading, turn, profile, first, verdict
        )
        if meaning is not first.meaning:
            turn.meant = None
        if verdict == "refuse" or not evidence:
            second = yield from look_again(
                self._step, self._retriever, turn, meaning, query_plan, evidence
            )
            if second is None:
                yield from self._refuse(turn, meaning, found, evidence, sure)
                return
            turn.meant = meaning
            (meaning, found, evidence, sure), verdict = second, "hedge"
        yield from self._answer(turn, meaning, found, evidence, sure, verdict)

    def _understand(
        self, turn: TurnState, profile: KnowledgeProfile
    ) -> Generator[Event, None, Understanding]:
        meaning = yield from self._step(
            turn,
            "understand",
            lambda _: self._meaning(turn.input, profile, turn.settings),
            step_summaries.of_understanding,
        )
        return meaning

    def _probe(self, input: TurnInput) -> Probe:
        return first_look(self._catalog, self._retriever, input.kb_ids)

    def _clarify(
        self, turn: TurnState, meaning: Understanding, profile: KnowledgeProfile
    ) -> Generator[Event, None, Understanding]:
        judged = yield from self._step(
            turn,
            "clarify",
            lambda _: judge(meaning, turn.input.context, profile, self._probe(turn.input)),
            lambda judged: step_summaries.of_clarification(judged, meaning.notes),
        )
        return judged

    def _plan(self, turn: TurnState, meaning: Understanding) -> Generator[Event, None, QueryPlan]:
        made = yield from self._step(
            turn, "plan", lambda _: self.plan(turn.input, meaning), step_summaries.of_plan
        )
        return made

    def _retrieve(
        self, turn: TurnState, meaning: Understanding, query_plan: QueryPlan
    ) -> Generator[Event, None, Retrieval]:
        top_k = turn.settings.retrieval.top_k * (1 + min(turn.input.attempt, 3))
        asked = meaning.standalone_question
        found = yield from self._step(
            turn,
            "retrieve",
            lambda _: self._retriever.search(query_plan, question=asked, top_k=top_k),
            lambda found: step_summaries.of_retrieval(found, meaning),
        )
        return found

    def _compress(
        self, turn: TurnState, meaning: Understanding, hits: Sequence[Hit]
    ) -> Generator[Event, None, tuple[Evidence, ...]]:
        asked = with_other_names(meaning.standalone_question, turn.names)
        said = turn.said(meaning)
        evidence = yield from self._step(
            turn,
            "compress",
            lambda _: of_the_subject_asked(
                meaning, self.evidence(asked, hits, turn.settings, said)
            ),
            step_summaries.of_evidence,
        )
        return evidence

    def _refuse(
        self,
        turn: TurnState,
        meaning: Understanding,
        found: Retrieval,
        evidence: Sequence[Evidence],
        sure: Confidence,
    ) -> Iterator[Event]:
        names = list(self._names(turn.input.kb_ids).values())
        text, suggestions = yield from self._step(
            turn,
            "refuse",
            lambda _: refusal(meaning, found.hits, names, turn.names, evidence),
            lambda _: step_summaries.of_refusal(sure.value, sure.reason),
        )
        written = Written(text=text, reason=sure.reason, suggestions=tuple(suggestions))
        yield turn.ended(meaning, written, "refused", sure.value)

    def _answer(
        self,
        turn: TurnState,
        meaning: Understanding,
        found: Retrieval,
        evidence: Sequence[Evidence],
        sure: Confidence,
        verdict: str,
    ) -> Iterator[Event]:
        yield StepStarted(step="generate")
        read = in_their_words(meaning, turn.names, evidence)
        began = time.perf_counter()
        draft = yield from self._writer.write(
            read,
            turn.input.history,
            evidence,
            turn.settings,
            config=self._child(turn, "generate"),
            stop=turn.stop,
            hedge=verdict == "hedge",
        )
        yield self._finished(
            turn, "generate", began, draft.summary, {"model": draft.model, "notes": draft.notes}
        )
        checked = yield from self._step(
            turn,
            "verify",
            lambda _: self._writer.check(draft, read, evidence, turn.settings),
            step_summaries.of_claims,
        )
        if draft.cut:
            status: AnswerStatus = "error" if draft.failed else "stopped"
            yield turn.ended(meaning, checked, status, sure.value)
            return
        if checked.refused:
            value = min(sure.value, turn.settings.answer.refuse_below - 0.01)
            yield turn.ended(meaning, checked, "refused", value)
            return
        value = sure.value * checked.trust
        hedge = decide(value, turn.settings.answer) != "answer"
        final = checked.noting(step_summaries.widening(meaning, found.widened)).hedged(hedge)
        yield turn.ended(meaning, final, "hedged" if hedge else "answered", value)

    # --- What all steps share ---------------------------------------------------------

    def _step(
        self,
        turn: TurnState,
        name: Step,
        function: Callable[[Any], T],
        describe: Callable[[T], tuple[str, dict[str, Any]]],
    ) -> Generator[Event, None, T]:
        if turn.stop.is_set() and name != "verify":
            raise Stopped
        yield StepStarted(step=name)
        began = time.perf_counter()
        result: T = RunnableLambda(function, name=name).invoke(None, self._child(turn, name))
        summary, details = describe(result)
        yield self._finished(turn, name, began, summary, details)
        return result

    def _child(self, turn: TurnState, name: str) -> RunnableConfig:
        return patch_config(turn.config, callbacks=turn.run.get_child(f"step:{name}"))

    def _finished(
        self, turn: TurnState, name: Step, began: float, summary: str, details: dict[str, Any]
    ) -> StepFinished:
        ms = round((time.perf_counter() - began) * 1000, 1)
        turn.steps.append(StepRecord(step=name, ms=ms, summary=summary, details=details))
        return StepFinished(step=name, ms=ms, summary=summary, details=details)

    def _names(self, kb_ids: Sequence[str]) -> dict[str, str]:
        """Names by id of those that have not been deleted since the turn began."""
        names = {kb.id: kb.name for kb in self._catalog.knowledge_bases.list()}
        return {kb_id: names[kb_id] for kb_id in kb_ids if kb_id in names}
