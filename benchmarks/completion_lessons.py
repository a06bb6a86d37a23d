"""What the completion model learns from: turns of our own with what they mean in full
(`benchmarks/completion`), the conversations of `benchmarks/workplace/train`, and the same once more
where nothing is to be done, or with more turns before them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks import bench_workplace
from benchmarks.bench_conversations import conversations
from benchmarks.completion_edits import Edits, edits
from benchmarks.places import ROOT
from rag.models.bundled_words import BundledWords
from rag.models.completion_input import UTTERANCE, CompletionInput, completion_input

FOLDER = ROOT / "benchmarks" / "completion"
KINDS = ("chat", "forum", "work")
TEST_SHARE = 20
"""One in so many contexts is kept for testing."""
DONE, CHANGED, LONGER = 0.08, 0.10, 0.2
"""Shares of the rows that are shown once more: as completed already, behind a conversation of
something else, and with turns of something else before their own. Chosen by us."""
MOST_LEFT_OUT = 4
"""Letters that a person's completion of a workplace question may leave out to be copied from."""
UNKNOWN = "根据现有信息无法确定。"
SEED = 20261203


class Row(NamedTuple):
    """A turn behind others, oldest first, and what it means in full."""

    context: tuple[str, ...]
    utterance: str
    completion: str


@dataclass(frozen=True)
class Lesson:
    """A row as the model reads it, with what it should do."""

    read: CompletionInput
    edits: Edits


def rows(kind: str, *, test: bool = False) -> list[Row]:
    """The rows of a kind; those of `test` are never trained on."""
    found = []
    with (FOLDER / f"{kind}.jsonl").open(encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            row = Row(tuple(line["context"]), line["utterance"], line["rewrite"])
            kept = random.Random(row.context[0]).randrange(TEST_SHARE) == 0
            if kept == test:
                found.append(row)
    return found


def workplace_rows(part: str) -> Iterator[Row]:
    """The follow-ups of our workplace conversations that can be completed by copying."""
    for document in bench_workplace.documents(part):
        for turns in conversations(document):
            said: list[str] = []
            for turn in turns:
                if said and _copied(turn.typed, turn.full, said[-4:]):
                    yield Row(tuple(said[-4:]), turn.typed, turn.full)
                known = turn.asked and turn.asked.answer and turn.asked.support
                answer = turn.asked.support[0] if turn.asked and known else UNKNOWN
                said += [turn.full, " ".join(answer.replace("|", " ").split())]


def _copied(typed: str, full: str, said: Sequence[str]) -> bool:
    found = edits(typed, full, said)
    return found is not None and sum(found.left_out) <= MOST_LEFT_OUT


def with_more(given: Sequence[Row], seed: int = SEED) -> list[Row]:
    """The rows and those that are made from them."""
    chance = random.Random(seed)
    made = list(given)
    for row in given:
        if chance.random() < DONE and row.completion != row.utterance:
            made.append(Row(row.context, row.completion, row.completion))
        other = chance.choice(given)
        if chance.random() < CHANGED:
            made.append(Row(other.context, row.context[0], row.context[0]))
        if chance.random() < LONGER and len(row.context) == 2:
            made.append(Row((*other.context[:2], *row.context), row.utterance, row.completion))
    return made


def lessons(words: BundledWords, given: Sequence[Row]) -> list[Lesson]:
    """Lessons of the rows that can be completed by copying from what is read."""
    found = []
    for row in given:
        if len(row.utterance) > UTTERANCE:
            continue
        read = completion_input(words, row.context, row.utterance)
        done = edits(row.utterance, row.completion, read.context)
        if done is not None:
            found.append(Lesson(read, done))
    return found


def read_rows(path: Path) -> list[Row]:
    """The rows of a public set of the same form."""
    with path.open(encoding="utf-8") as lines:
        return [
            Row(tuple(row["context"]), row["utterance"], row["rewrite"])
            for row in map(json.loads, lines)
        ]
