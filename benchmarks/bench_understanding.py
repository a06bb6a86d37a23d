"""Understanding without a model, measured on public and derived data sets.

    python -m benchmarks.bench_understanding [--rows N] [--show N]

Reads the data sets under ZHIWEN_BENCH_DATA (default ../shared/data) and skips those that
aren't there. Prints, for each: what was measured, the figure, and a floor to compare with.

- laws_zh: questions without their region must be asked back with the right options, the
  reply completed; questions that name it, or name one that no document has, must not.
- dialogues: 155 conversations of our own (see `understanding_dialogues`).
- clarq: follow-ups on tasks with odd names (see `understanding_clarq`).
- rewrite_zh, restoration200k: open-domain chat, measured only: exact match, BLEU-4 over
  characters, and the share of complete utterances that are left alone.
- crosswoz: user turns of bookings in Beijing: amounts found, regions never invented.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from datetime import date
from typing import Any

from benchmarks.embedded import bundled_completer
from benchmarks.places import DATA, WORK
from benchmarks.understanding_clarq import bench_clarq
from benchmarks.understanding_dialogues import bench_dialogues
from benchmarks.understanding_rewriting import bench_rewrite
from rag.text.normalise import normalise
from rag.types import (
    Chunk,
    DocumentMetadata,
    DocumentProfile,
    Hit,
    KnowledgeProfile,
    Slots,
    Turn,
    Understanding,
)
from rag.understand.ambiguity import judge
from rag.understand.complete import complete
from rag.understand.slots import extract
from rag.understand.understand import understand

TODAY = date(2026, 11, 30)
FILL = bundled_completer(WORK / "vectors").complete


def rows(path: str, limit: int | None = None) -> list[dict[str, Any]]:
    """The rows of a JSONL file under the data directory; empty when it isn't there."""
    file = DATA / path
    if not file.is_file():
        print(f"skip {path}: not found under {DATA}")
        return []
    with file.open(encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    return read[:limit] if limit else read


def laws_profile(meta: Sequence[dict[str, Any]]) -> KnowledgeProfile:
    """The profile of the laws as ingestion would describe them."""
    return KnowledgeProfile(
        kb_ids=("laws",),
        documents=tuple(
            DocumentProfile(
                document_id=row["id"],
                name=row["title"] + ".md",
                title=row["title"],
                metadata=DocumentMetadata(
                    title=row["title"],
                    region=None if row["region"] == "全国" else row["region"],
                    year=int(row["year"]) if row["year"] else None,
                ),
            )
            for row in meta
        ),
    )


class TitleProbe:
    """Documents by shared pairs of letters with the question: a stand-in for retrieval."""

    def __init__(self, profile: KnowledgeProfile) -> None:
        self._documents = [(d, _pairs(d.title)) for d in profile.documents]

    def __call__(self, question: str, slots: Slots) -> Sequence[Hit]:
        """The ten nearest titles as hits; the slots are left to the judge."""
        del slots
        asked = _pairs(question)
        scored = [(len(asked & pairs) / max(1, len(pairs)), d) for d, pairs in self._documents]
        best = sorted(scored, key=lambda pair: -pair[0])[:10]
        return [_hit(d, score, rank) for rank, (score, d) in enumerate(best, 1)]


def _pairs(text: str) -> set[str]:
    simple = normalise(text)
    return {simple[i : i + 2] for i in range(len(simple) - 1)}


def _hit(document: DocumentProfile, score: float, rank: int) -> Hit:
    chunk = Chunk(
        id=f"{document.document_id}-1-0",
        document_id=document.document_id,
        kb_id="laws",
        ordinal=0,
        text=document.title,
        document_name=document.name,
        metadata=document.metadata,
    )
    return Hit(chunk=chunk, scores={"fused": score}, rank=rank)


def judged(
    question: str, history: Sequence[Turn], profile: KnowledgeProfile, probe: Any
) -> Understanding:
    """Understanding with its ambiguity judged, as the chain does it."""
    meaning = understand(question, history, profile, TODAY, fill=FILL)
    return judge(meaning, history, profile, probe)


def bench_laws(show: int) -> None:
    """Clarification on the laws: asked when due, with the right options, and never else."""
    meta = rows("laws_zh/meta.jsonl")
    if not meta:
        return
    profile = laws_profile(meta)
    probe = TitleProbe(profile)
    for name, with_probe in (("titles", None), ("titles + probe", probe)):
        asked = right_slot = options = follow = 0
        unclear = rows("laws_zh/derived/dev/clarify_region.jsonl")
        for row in unclear:
            meaning = judged(row["question"], (), profile, with_probe)
            asked += meaning.needs_clarification
            right_slot += meaning.missing_slots == ("region",)
            labels = (
                [o.label for o in meaning.clarification.options] if meaning.clarification else []
            )
            wanted = {c["region"] for c in row["candidates"]}
            fits = wanted <= set(labels) if len(wanted) <= 5 else len(wanted & set(labels)) >= 5
            options += fits
            step = row["follow_up"]
            history = [
                Turn(role="user", content=step["context"][0]),
                Turn(role="assistant", content=step["context"][1]),
            ]
            second = judged(step["utterance"], history, profile, with_probe)
            good = second.standalone_question == step["rewrite"] and not second.needs_clarification
            follow += good
            if show and not (meaning.needs_clarification and fits and good):
                print(
                    "  ",
                    row["question"],
                    labels,
                    "→",
                    second.standalone_question,
                    second.needs_clarification,
                )
        n = max(1, len(unclear))
        print(
            f"laws clarify ({name}): asked {asked}/{n} slot {right_slot}/{n} "
            f"options {options}/{n} follow-up {follow}/{n}"
        )
        for file in ("effective_date", "refuse"):
            clear = rows(f"laws_zh/derived/dev/{file}.jsonl")
            wrong = [
                r
                for r in clear
                if judged(r["question"], (), profile, with_probe).needs_clarification
            ]
            changed = [r for r in clear if complete(r["question"], (), profile).changed]
            print(
                f"laws {file} ({name}): needless questions {len(wrong)}/{len(clear)}, "
                f"changed {len(changed)}/{len(clear)}"
            )
            for r in wrong[:show]:
                print("  ", r["question"])


def bench_crosswoz(limit: int | None, show: int) -> None:
    """Amounts that the annotators marked must be found; other regions never appear."""
    data = rows("crosswoz/val_user_turns.jsonl", limit)
    if not data:
        return
    amounts = found = invented = 0
    for row in data:
        slots, entities = extract(row["text"], None, TODAY)
        texts = [normalise(e.text) for e in entities if e.kind == "amount"]
        for slot in row["slots"]:
            if (
                slot["slot"] in ("人均消费", "价格", "门票")
                and slot["value"] in row["text"]
                and "元" in slot["value"]
            ):
                amounts += 1
                found += any(text in slot["value"] or slot["value"] in text for text in texts)
        strange = [region for region in slots.region if not region.startswith("北京")]
        invented += bool(strange)
        if strange and show:
            show -= 1
            print("  ", row["text"], strange)
    print(
        f"crosswoz: amounts found {found}/{amounts}, "
        f"turns with a region outside Beijing {invented}/{len(data)}"
    )


def bench_speed() -> None:
    """Milliseconds per question with ten turns of history and 731 titles."""
    meta = rows("laws_zh/meta.jsonl")
    profile = laws_profile(meta)
    history: list[Turn] = []
    for i in range(5):
        history += [
            Turn(role="user", content=f"年假第{i}档有几天？"),
            Turn(role="assistant", content="5天。"),
        ]
    samples = [
        "怎么申请？",
        "那病假呢？",
        "《中医药条例》从什么时候起施行？",
        "它和那个有什么区别？",
        "北京呢？",
    ]
    understand(samples[0], history, profile, TODAY, fill=FILL)
    wall, cpu = [], []
    for i in range(40):
        question = samples[i % 5] + "？" * (i // 5)
        start, start_cpu = time.perf_counter(), time.thread_time()
        judged(question, history, profile, None)
        wall.append((time.perf_counter() - start) * 1000)
        cpu.append((time.thread_time() - start_cpu) * 1000)
    wall.sort()
    cpu.sort()
    print(
        f"speed: p50 {wall[20]:.1f} ms, p95 {wall[38]:.1f} ms per question (limit 50); "
        f"of the processor p50 {cpu[20]:.1f} ms, p95 {cpu[38]:.1f} ms"
    )


def main() -> None:
    """Run all benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=None, help="rows of each large data set")
    parser.add_argument("--show", type=int, default=0, help="failures to print of each kind")
    options = parser.parse_args()
    bench_laws(options.show)
    bench_dialogues(options.show, FILL)
    bench_clarq(rows("clarq_llm_zh/tasks_dev.jsonl"), options.show, FILL)
    for name, file in (("rewrite_zh", "train_3000"), ("restoration200k", "valid")):
        bench_rewrite(name, rows(f"{name}/{file}.jsonl", options.rows), options.show, FILL)
    bench_crosswoz(options.rows, options.show)
    bench_speed()


if __name__ == "__main__":
    main()
