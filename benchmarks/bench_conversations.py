"""Conversations about workplace documents of our own: each turn answered, or refused, rightly?

`benchmarks/workplace/test` holds, beside its questions, conversations as people type them on a
phone: follow-ups of a few words, cases that are told, corrections, returns to an earlier matter,
and questions that the document does not answer. Nothing is trained on them. Each turn
goes through the whole chain with the real history of its conversation, without an LLM, in one
knowledge base of all documents. Beside it each turn is asked as it was typed without any
history (the floor), and as a person completed it (what completion could reach).

    python -m benchmarks.bench_conversations [--part test|fit|train] [--limit N] [--show]
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.bench_workplace import Asked, chosen, fill, verdict
from rag.application import Application, opened
from rag.turn import TurnInput
from rag.types import Answer, Turn

OUTCOMES = ("right", "hedged right", "hedged wrong", "wrong", "asks back", "refused", "small talk")


class Exchange(NamedTuple):
    """A turn with its place (0: the first), what it means in full, and what is right."""

    place: int
    typed: str
    full: str
    asked: Asked | None


def conversations(document: dict[str, Any]) -> list[list[Exchange]]:
    """The conversations of a document; `asked` is None where people only say thanks."""
    return [
        [
            Exchange(place, turn["u"], turn.get("full", turn["u"]), _asked(document, turn))
            for place, turn in enumerate(turns)
        ]
        for turns in document.get("conversations", ())
    ]


def _asked(document: dict[str, Any], turn: dict[str, Any]) -> Asked | None:
    if turn.get("talk"):
        return None
    support = turn["near"] if turn.get("absent") else turn["support"]
    return Asked(document["id"], turn["full"], tuple(turn.get("answer", ())), tuple(support))


def played(
    application: Application, kb_id: str, turns: Sequence[Exchange]
) -> Iterator[tuple[Exchange, Answer, float]]:
    """Each turn with the chain's answer and its milliseconds; the history is what was said."""
    history: list[Turn] = []
    for turn in turns:
        began = time.perf_counter()
        answer = application.chain.invoke(
            TurnInput(question=turn.typed, history=tuple(history), kb_ids=(kb_id,))
        )
        yield turn, answer, (time.perf_counter() - began) * 1000
        history += said(turn.typed, answer)


def said(typed: str, answer: Answer) -> list[Turn]:
    """What a conversation keeps of a turn."""
    meaning = answer.understanding
    asks_back = answer.status == "clarify" and meaning is not None
    return [
        Turn(role="user", content=typed, standalone=meaning and meaning.standalone_question),
        Turn(
            role="assistant",
            content=answer.text,
            status=answer.status,
            clarification=meaning.clarification if meaning and asks_back else None,
            evidence=tuple(citation.chunk_id for citation in answer.citations),
        ),
    ]


def outcome(turn: Exchange, answer: Answer) -> str:
    """One of `OUTCOMES`."""
    if answer.status == "chitchat":
        return "small talk"
    return verdict(turn.asked or Asked("", turn.typed, (), ()), answer)


class Tally:
    """Counts outcomes by kind of turn, as the chain took it and as its two peers did."""

    WAYS = ("in its conversation", "as typed, alone", "completed by a person")

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], Counter[str]] = {}
        self.times: list[float] = []

    def add(self, way: str, turn: Exchange, told: str) -> None:
        """Count an outcome under its kind of turn."""
        place = "first turn" if not turn.place else "follow-up"
        kind = f"{place}, {'answerable' if turn.asked and turn.asked.answer else 'not there'}"
        self.counts.setdefault((kind, way), Counter())[told] += 1

    def report(self) -> None:
        """Print the table."""
        print(f"{'':44}" + "".join(f"{told:>14}" for told in OUTCOMES))
        for (kind, way), count in sorted(self.counts.items()):
            cells = "".join(f"{count[told] / count.total():14.3f}" for told in OUTCOMES)
            print(f"{kind:24}{way:20}{count.total():4}{cells}"[:180])
        print(f"a turn p50 {statistics.median(self.times):.0f} ms")


def main() -> None:
    """Run the benchmark."""
    given, show = chosen(__doc__)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as application:
        kb_id = fill(application, given, "workplace")
        for turns in (turns for document in given for turns in conversations(document)):
            for turn, answer, ms in played(application, kb_id, turns):
                if turn.asked is None:
                    continue
                told = outcome(turn, answer)
                tally.add(Tally.WAYS[0], turn, told)
                tally.times.append(ms)
                _show(turn, answer, told, show)
                for way, question in zip(Tally.WAYS[1:], (turn.typed, turn.full), strict=True):
                    alone = application.chain.invoke(TurnInput(question=question, kb_ids=(kb_id,)))
                    tally.add(way, turn, outcome(turn, alone))
    tally.report()


def _show(turn: Exchange, answer: Answer, told: str, wanted: bool) -> None:
    asked = turn.asked
    if asked is None or not wanted:
        return
    good = told.endswith("right") if asked.answer else told == "refused"
    meaning = answer.understanding
    taken = meaning.standalone_question if meaning else ""
    print(f"{'✓' if good else '✗'} {asked.document}/{turn.place} {told} {answer.confidence:.2f}")
    print(f"    {turn.typed} → {taken}   ({turn.full})")
    if not good:
        print(f"    wanted {list(asked.answer)} | {list(asked.support)}")
        print(f"    {answer.text[:160]!r}")


if __name__ == "__main__":
    main()
