"""Colloquial questions about workplace documents of our own: answered rightly, refused rightly?

`benchmarks/workplace/test` holds documents of many kinds with questions that people type in a
chat, the lines that answer them, and questions that no document answers although one comes
near. Nothing is trained or fitted on them. Each question is asked by itself of one knowledge
base of all documents, without an LLM, once with the cross-encoder that reads lines and once
without it, as a peer.

    python -m benchmarks.bench_workplace [--part test|train] [--limit N] [--show]
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.bench_turns import squeezed
from benchmarks.places import ROOT
from rag.application import Application, opened
from rag.turn import TurnInput
from rag.types import Answer

FOLDER = ROOT / "benchmarks" / "workplace"


@dataclass(frozen=True)
class Asked:
    """A question of a document; `answer` are the words that a right answer holds, none where
    no document answers it; `support` the lines that hold them or come near."""

    document: str
    question: str
    answer: tuple[str, ...]
    support: tuple[str, ...]


def documents(part: str) -> list[dict[str, Any]]:
    """The documents of a part, "train", "fit" or "test", with their questions."""
    paths = sorted((FOLDER / part).glob("*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) | {"id": path.stem} for path in paths]


def questions(document: dict[str, Any]) -> list[Asked]:
    """All questions of a document, those that it does not answer last."""
    found = [
        Asked(document["id"], row["q"], tuple(row["answer"]), tuple(row["support"]))
        for row in document["questions"]
    ]
    return found + [
        Asked(document["id"], row["q"], (), tuple(row["near"])) for row in document["absent"]
    ]


def fill(application: Application, given: Sequence[dict[str, Any]], name: str) -> str:
    """Ingest the documents as an upload is; returns the knowledge base."""
    kb = application.kb_named(name, create=True)
    with tempfile.TemporaryDirectory() as folder:
        for document in given:
            path = Path(folder) / f"{document['id']}.md"
            path.write_text(document["text"], encoding="utf-8")
            stored = application.files.put(path, path.name)
            result = application.pipeline.ingest(stored.path, kb.id, path.name)
            if result.status == "failed":
                print(f"  not ingested: {path.name}: {result.error}")
    return kb.id


def verdict(asked: Asked, answer: Answer) -> str:
    """ "right", "hedged right", "wrong", "hedged wrong", "asks back" or "refused"."""
    if answer.status == "clarify":
        return "asks back"
    if answer.status == "refused":
        return "refused"
    text = squeezed(answer.text)
    right = bool(asked.answer) and all(squeezed(words) in text for words in asked.answer)
    hedged = "hedged " if answer.status == "hedged" else ""
    return f"{hedged}{'right' if right else 'wrong'}"


def run(application: Application, kb_id: str, given: Sequence[Asked], show: bool) -> None:
    """Ask all questions and print the table."""
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    lengths, times = [], []
    for asked in given:
        began = time.perf_counter()
        answer = application.chain.invoke(TurnInput(question=asked.question, kb_ids=(kb_id,)))
        times.append((time.perf_counter() - began) * 1000)
        told = verdict(asked, answer)
        counts[bool(asked.answer)][told] += 1
        if told.endswith("right"):
            lengths.append(len(answer.text))
        if show and not told.endswith("right") and (asked.answer or told != "refused"):
            kind = told if asked.answer else f"absent, {told}"
            print(f"✗ {asked.document} {kind} {answer.confidence:.2f}: {asked.question}")
            print(f"    wanted {list(asked.answer)} | {list(asked.support)}")
            print(f"    {answer.text[:200]!r}")
    for there, count in counts.items():
        total = max(1, count.total())
        print("answerable" if there else "not there", f"({count.total()})")
        for told in ("right", "hedged right", "hedged wrong", "wrong", "asks back", "refused"):
            if count[told]:
                print(f"  {told:13} {count[told]:4}  {count[told] / total:.3f}")
    print(f"right answers {statistics.mean(lengths or [0]):.0f} characters on average")
    print(f"a turn p50 {statistics.median(times):.0f} ms")


def chosen(doc: str) -> tuple[list[dict[str, Any]], bool]:
    """The documents that the command line asks for, and whether to print what went wrong."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--part", choices=["train", "fit", "test"], default="test")
    parser.add_argument("--limit", type=int, default=0, help="documents (0: all)")
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    args = parser.parse_args()
    return documents(args.part)[: args.limit or None], args.show


def main() -> None:
    """Run the benchmark."""
    given, show = chosen(__doc__)
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as application:
        kb_id = fill(application, given, "workplace")
        asked = [one for doc in given for one in questions(doc)]
        print("with the line reader")
        run(application, kb_id, asked, show)
        application.retriever.read_lines = None
        print("without it")
        run(application, kb_id, asked, show=False)


if __name__ == "__main__":
    main()
