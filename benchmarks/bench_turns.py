"""Whole turns without an LLM: are they right, and how long do they take?

Two sets. The samples' own questions (samples/questions.jsonl) against the sample knowledge
base, and `laws_zh` (731 statutes): questions that name a region, the same without one
(must ask back, with the right options, and answer after the reply), and regions that are not
in the corpus (must refuse). Prints the share of right outcomes by kind, each failure with
`--show`, and a turn's p50 and p95 beside the limit of 1 s.

    python -m benchmarks.bench_turns [--set samples|laws] [--limit N] [--show]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.places import DATA, ROOT, WORK, absent
from rag.application import SAMPLE_DIRECTORY, Application, opened
from rag.text.normalise import normalise
from rag.turn import TurnInput
from rag.types import Answer, Turn

TURN_LIMIT_MS = 1000.0
STATUS = {
    "answer": {"answered", "hedged"},
    "clarify": {"clarify"},
    "refuse": {"refused"},
    "chitchat": {"chitchat"},
    "meta": {"chitchat"},
}


class Tally:
    """Counts right outcomes by kind and keeps the times."""

    def __init__(self, show: bool) -> None:
        self._show = show
        self._right: dict[str, list[bool]] = defaultdict(list)
        self._ms: list[float] = []

    def add(self, kind: str, row: dict[str, Any], answer: Answer, ms: float, why: str) -> None:
        """Record one turn; an empty `why` means that it was right."""
        self._right[kind].append(not why)
        self._ms.append(ms)
        if why and self._show:
            meaning = answer.understanding
            asked = meaning.standalone_question if meaning else ""
            print(f"  ✗ {row['id']} {kind}: {why}\n      {row['question']} → {asked}")
            print(f"      {answer.status} {answer.confidence:.2f}: {answer.text[:160]!r}")

    def report(self, name: str) -> None:
        """Print the table."""
        total = [right for results in self._right.values() for right in results]
        print(f"\n{name}: {sum(total)}/{len(total)} right ({sum(total) / len(total):.1%})")
        for kind, results in sorted(self._right.items()):
            print(
                f"  {kind:18} {sum(results):4}/{len(results):<4} {sum(results) / len(results):.1%}"
            )
        self._ms.sort()
        p95 = self._ms[int(len(self._ms) * 0.95)]
        print(
            f"  turn p50 {statistics.median(self._ms):.0f} ms, p95 {p95:.0f} ms "
            f"({p95 / TURN_LIMIT_MS:.2f} of the limit of {TURN_LIMIT_MS:.0f} ms)"
        )


def main() -> None:
    """Run the chosen sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=["samples", "laws"], action="append")
    parser.add_argument("--limit", type=int, default=0, help="rows of each kind (0: all)")
    parser.add_argument("--show", action="store_true", help="print each failure")
    args = parser.parse_args()
    for name in args.set or ["samples", "laws"]:
        {"samples": bench_samples, "laws": bench_laws}[name](args)


def bench_samples(args: argparse.Namespace) -> None:
    """The samples' own questions."""
    with opened(WORK / "samples") as application:
        kb_id = fill(application, "samples", sorted(SAMPLE_DIRECTORY.iterdir()))
        tally = Tally(args.show)
        for row in limited(read(ROOT / "samples/questions.jsonl"), args.limit, "kind"):
            answer, ms = ask(application, kb_id, row["question"], row["history"])
            tally.add(row["kind"], row, answer, ms, judge(row, answer))
        tally.report("samples")


def judge(row: dict[str, Any], answer: Answer) -> str:
    """Why an answer to a sample question is wrong; empty when it is right."""
    if answer.status not in STATUS[row["expect"]]:
        return f"{answer.status} instead of {row['expect']}"
    if row["expect"] == "clarify":
        meaning = answer.understanding
        slot = meaning.clarification.slot if meaning and meaning.clarification else None
        return "" if slot == row["slot"] else f"asks for {slot} instead of {row['slot']}"
    if row["expect"] != "answer":
        return ""
    text = squeezed(answer.text)
    missing = [
        wanted
        for wanted in row["answers"]
        if not any(squeezed(form) in text for form in wanted.split("|"))
    ]
    if missing:
        return f"lacks {missing}"
    cited = {citation.document for citation in answer.citations}
    return "" if cited & set(row["documents"]) else f"cites {sorted(cited)}"


def bench_laws(args: argparse.Namespace) -> None:
    """Statutes: region, clarification, refusal."""
    folder = DATA / "laws_zh"
    if absent("laws_zh"):
        return
    documents = read(folder / "meta.jsonl")
    names = {row["id"]: f"{row['id']}.md" for row in documents}
    with opened(WORK / "laws") as application:
        kb_id = fill(application, "laws", [folder / row["file"] for row in documents])
        tally = Tally(args.show)
        for kind in ("effective_date", "clarify_region", "refuse"):
            for row in limited(read(folder / "derived/dev" / f"{kind}.jsonl"), args.limit):
                answer, ms = ask(application, kb_id, row["question"], [])
                tally.add(kind, row, answer, ms, judge_law(kind, row, answer, names))
                if kind == "clarify_region" and answer.status == "clarify":
                    follow_up(application, kb_id, row, answer, tally, names)
        tally.report("laws_zh (dev)")


def judge_law(kind: str, row: dict[str, Any], answer: Answer, names: dict[str, str]) -> str:
    """Why an answer to a statute question is wrong; empty when it is right."""
    if kind == "refuse":
        return "" if answer.status == "refused" else "did not refuse"
    if kind == "clarify_region":
        meaning = answer.understanding
        if answer.status != "clarify" or not meaning or not meaning.clarification:
            return "did not ask"
        if meaning.clarification.slot != "region":
            return f"asks for {meaning.clarification.slot}"
        offered = " ".join(option.label for option in meaning.clarification.options)
        missing = [c["region"] for c in row["candidates"] if c["region"] not in offered]
        return (
            f"options lack {missing}" if len(missing) > max(0, len(row["candidates"]) - 5) else ""
        )
    if answer.status not in STATUS["answer"]:
        return answer.status
    if not any(squeezed(wanted) in squeezed(answer.text) for wanted in row["answers"]):
        return f"lacks {row['answers']}"
    first = answer.citations[0].document if answer.citations else ""
    return "" if first == names[row["doc_id"]] else f"cites {first}"


def follow_up(
    application: Application,
    kb_id: str,
    row: dict[str, Any],
    asked: Answer,
    tally: Tally,
    names: dict[str, str],
) -> None:
    """Reply to the clarification and judge the answer."""
    reply = row["follow_up"]
    history = [
        {"role": "user", "content": row["question"]},
        {"role": "assistant", "content": asked.text},
    ]
    answer, ms = ask(application, kb_id, reply["utterance"], history)
    meaning = answer.understanding
    why = judge_law("effective_date", reply, answer, names)
    if not why and meaning and squeezed(meaning.standalone_question) != squeezed(reply["rewrite"]):
        tally.add(
            "rewrite", {**row, **reply, "question": reply["utterance"]}, answer, ms, "differs"
        )
    elif not why:
        tally.add("rewrite", row, answer, ms, "")
    tally.add("after_reply", {**row, "question": reply["utterance"]}, answer, ms, why)


def fill(application: Application, name: str, paths: Iterable[Path]) -> str:
    """Ingest the files once into a knowledge base; later runs reuse it."""
    kb = application.kb_named(name, create=True)
    began, pages = time.perf_counter(), 0
    for path in paths:
        stored = application.files.put(path, path.name)
        result = application.pipeline.ingest(stored.path, kb.id, path.name)
        pages += result.pages if result.status != "duplicate" else 0
        if result.status == "failed":
            print(f"  not ingested: {path.name}: {result.error}")
    if pages:
        print(f"{name}: ingested {pages} pages in {time.perf_counter() - began:.0f} s")
    return kb.id


def ask(
    application: Application, kb_id: str, question: str, history: list[dict[str, str]]
) -> tuple[Answer, float]:
    """One turn and its time in milliseconds."""
    turns = tuple(Turn(role=t["role"], content=t["content"]) for t in history)
    began = time.perf_counter()
    answer = application.chain.invoke(TurnInput(question=question, history=turns, kb_ids=(kb_id,)))
    return answer, (time.perf_counter() - began) * 1000


def read(path: Path) -> list[dict[str, Any]]:
    """Rows of a JSON lines file."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def limited(rows: list[dict[str, Any]], limit: int, key: str = "") -> list[dict[str, Any]]:
    """The first `limit` rows (of each value of `key`), or all when `limit` is 0."""
    if not limit:
        return rows
    seen: dict[str, int] = defaultdict(int)
    kept = []
    for row in rows:
        value = row.get(key, "")
        seen[value] += 1
        if seen[value] <= limit:
            kept.append(row)
    return kept


def squeezed(text: str) -> str:
    """Normalised, without spaces and Markdown escapes, for comparing answers."""
    return "".join(normalise(text.replace("\\", "")).split())


if __name__ == "__main__":
    main()
