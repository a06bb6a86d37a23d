"""Does the chat stay quick while documents are processed?

Asks the sample knowledge base's own questions without a language model: on an idle
installation, then while long documents are read, cut, embedded and stored through the queue,
then idle again, which shows how far the machine itself drifts. The same questions are asked
each time, so what the search remembers of them is cleared before every turn; the caches of
words are filled before the first pass. Prints p50 and p95 of a turn (from asking to the last
event), the ratio of the p95 to that of both idle passes together beside the limit of 1.5, and
how far the documents got.

    python -m benchmarks.bench_responsive [--turns 60] [--pages 150] [--think 0.3] [--pdf]
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.bench_ingest import write_document
from benchmarks.bench_turns import fill, read
from benchmarks.places import ROOT, WORK
from rag.application import SAMPLE_DIRECTORY, Application, opened
from rag.ingest.jobs import JobQueue
from rag.types import Failed, Final, Person

LIMIT = 1.5
_FILES = 12
_WORDS = ("申请", "审核", "发放", "标准", "补贴", "住房", "员工", "考核", "合同", "期限", "部门")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--turns", type=int, default=60, help="turns of each kind")
    parser.add_argument("--pages", type=int, default=150, help="of each document")
    parser.add_argument("--think", type=float, default=0.3, help="seconds between two turns")
    parser.add_argument("--pdf", action="store_true", help="also PDFs with drawn tables")
    options = parser.parse_args()
    with opened(WORK / "responsive") as application, tempfile.TemporaryDirectory() as folder:
        application.ready.set()
        kb_id = fill(application, "responsive samples", sorted(SAMPLE_DIRECTORY.iterdir()))
        application.vectors.warm_up()
        questions = [
            r["question"] for r in read(ROOT / "samples/questions.jsonl") if not r["history"]
        ]
        turns(application, kb_id, questions, 0.0)
        chosen = random.Random(1).choices(questions, k=options.turns)
        before = turns(application, kb_id, chosen, options.think)
        with busy(application, Path(folder), options.pages, options.pdf) as stages:
            loaded = turns(application, kb_id, chosen, options.think)
        after = turns(application, kb_id, chosen, options.think)
    show("idle, before", before)
    show("while documents are processed", loaded)
    show("idle, after", after)
    ratio = percentile(loaded, 0.95) / percentile([*before, *after], 0.95)
    print(f"p95 ratio {ratio:.2f} ({'met' if ratio <= LIMIT else 'MISSED'}: limit {LIMIT})")
    print("stages seen: " + ", ".join(f"{name} {count}" for name, count in stages.items()))


def turns(
    application: Application, kb_id: str, questions: list[str], think_s: float
) -> list[float]:
    """Ask each question in a conversation of its own; milliseconds until the last event."""
    person = Person(id="bench", name="bench", role="admin")
    found = []
    for question in questions:
        conversation = application.conversations.create(person, [kb_id])
        forget(application)
        began = time.perf_counter()
        message = application.conversations.ask(conversation.id, person, question)
        seen, over = 0, False
        while not over:
            for number, event in application.conversations.follow(message.id, person, seen, 5.0):
                seen, over = number, over or isinstance(event, Final | Failed)
        found.append((time.perf_counter() - began) * 1000)
        application.conversations.delete(conversation.id, person)
        time.sleep(think_s)
    return found


def forget(application: Application) -> None:
    """Clear what the search remembers, so that a question asked before costs as much again."""
    application.retriever.forget()


@contextmanager
def busy(application: Application, folder: Path, pages: int, pdf: bool) -> Iterator[dict[str, int]]:
    """Keep the queue at work; yields how often each stage was seen."""
    kb = application.catalog.knowledge_bases.create(f"busy {time.time_ns()}")
    done = threading.Event()
    stages: dict[str, int] = {}

    # Written before: drawing a PDF would keep this process's interpreter busy itself.
    files = [write(folder, number, pages, pdf and number % 2 == 1) for number in range(_FILES)]

    def feed() -> None:
        for path in files:
            if done.is_set():
                return
            job = application.jobs.submit(path, kb.id, path.name)
            while not done.is_set() and not over(application.jobs, job.id):
                stage = application.catalog.jobs.get(job.id).stage
                if stage:
                    stages[stage] = stages.get(stage, 0) + 1
                time.sleep(0.1)
        print("the documents did not last as long as the turns", flush=True)

    application.jobs.start()
    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    time.sleep(1.0)
    try:
        yield stages
    finally:
        done.set()
        feeder.join()
        documents = application.catalog.documents.list([kb.id], "indexed")
        print(f"meanwhile {sum(d.chunk_count for d in documents)} chunks were published")
        for job in application.catalog.jobs.list(active_only=True, kb_id=kb.id):
            application.jobs.cancel(job.id)
        application.jobs.stop()
        application.pipeline.delete_kb(kb.id)


def write(folder: Path, number: int, pages: int, pdf: bool) -> Path:
    """A long document that is like no other."""
    if pdf:
        return write_document(folder / f"{number}.pdf", pages + number)
    path = folder / f"{number}.md"
    path.write_text(long_text(number, pages), encoding="utf-8")
    return path


def over(jobs: JobQueue, job_id: str) -> bool:
    """Whether a job has ended."""
    return jobs.wait([job_id], 0.0)[0].status not in ("queued", "running")


def long_text(seed: int, pages: int) -> str:
    """Some 600 characters of differing articles for each page."""
    chance = random.Random(seed)
    lines = [
        f"第{number}条 {''.join(chance.choices(_WORDS, k=24))}，共{chance.randrange(10**6)}元。"
        for number in range(pages * 10)
    ]
    return "\n\n".join(lines)


def percentile(times: list[float], share: float) -> float:
    """The value that `share` of the times are at most."""
    return sorted(times)[min(int(len(times) * share), len(times) - 1)]


def show(name: str, times: list[float]) -> None:
    """Print one line."""
    print(
        f"{name:32} p50 {statistics.median(times):6.0f} ms, p95 {percentile(times, 0.95):6.0f} ms, "
        f"max {max(times):6.0f} ms"
    )


if __name__ == "__main__":
    main()
