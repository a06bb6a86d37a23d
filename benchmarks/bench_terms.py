"""The dictionary: does a word that no document has find what the document's own word finds?

In each of the samples' questions one word that its answer's passage holds is replaced by a made-up
name. It is asked before the name is a synonym of the word in the dictionary (the floor) and
after; the peer is the question as it was. Printed: how often the first citation and the status
are those of the original question, and the time. Then what many terms cost: to build, and for
each question.

    python -m benchmarks.bench_terms [--show 5]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from rag.application import SAMPLE_DIRECTORY, SAMPLE_KNOWLEDGE_BASE, Application, opened
from rag.text.normalise import normalise
from rag.text.tokenise import query_terms, rarity
from rag.text.vocabulary import Vocabulary
from rag.turn import TurnInput
from rag.types import Answer

QUESTIONS = SAMPLE_DIRECTORY.parent / "questions.jsonl"
MADE_UP = ("斯帕塔", "小绿本", "大圆", "摩卡登", "阿布", "通达宝", "青石", "六合通")
TELLING = 0.45
"""Rarity (`rag.text.tokenise`) from which a word is worth a name of its own."""
MANY = 10_000


def main() -> None:
    """Print the comparison and the costs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--show", type=int, default=0, help="differing answers to print")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        opened(Path(folder) / "data") as application,
    ):
        kb = application.kb_named(SAMPLE_KNOWLEDGE_BASE, create=True)
        for path in sorted(SAMPLE_DIRECTORY.iterdir()):
            stored = application.files.put(path, path.name)
            application.pipeline.ingest(stored.path, kb.id, path.name)
        application.ready.set()
        compare(application, kb.id, arguments.show)
    costs()


def compare(application: Application, kb_id: str, show: int) -> None:
    """Ask each question as it is, with a made-up name, and with that name in the dictionary."""
    chosen = random.Random(7)
    kinds = ("made-up name", "in the dictionary")
    same = dict.fromkeys(kinds, 0)
    status = dict.fromkeys(kinds, 0)
    times: dict[str, list[float]] = {kind: [] for kind in ("original question", *kinds)}
    asked, differing = 0, []
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("history"):
            continue
        question = row["question"]
        peer = ask(application, kb_id, question, times["original question"])
        word = _word(question, peer, chosen)
        if not word:
            continue
        name = chosen.choice(MADE_UP)
        other = question.replace(word, name)
        answers = [ask(application, kb_id, other, times[kinds[0]])]
        term = application.catalog.terms.save(kb_id, word, normalise(word), [name])
        answers.append(ask(application, kb_id, other, times[kinds[1]]))
        application.catalog.terms.remove([term.id])
        asked += 1
        for kind, answer in zip(kinds, answers, strict=True):
            same[kind] += _first(answer) == _first(peer)
            status[kind] += answer.status == peer.status
        if _first(answers[1]) != _first(peer):
            differing.append(f"  {other}（{word}）: {peer.status} → {answers[1].status}")
    print(f"{asked} questions of the samples, one word of each replaced by a made-up name")
    print(f"{'':20} same first citation   same status   median ms")
    print(f"{'original question':20} {asked:>19} {asked:>13} {_median(times, 'original question')}")
    for kind in kinds:
        print(f"{kind:20} {same[kind]:>19} {status[kind]:>13} {_median(times, kind)}")
    print("\n".join(differing[:show]))


def costs() -> None:
    """What a dictionary of `MANY` terms costs beside one of ten."""
    question = f"词语77甲和别名{MANY - 1}乙怎么申请，需要哪些材料，多久能办好？"
    print(f"\n{'terms':>8} {'build ms':>10} {'per question µs':>16}")
    for count in (10, MANY):
        groups = [(f"词语{n}甲", f"别名{n}乙", f"俗名{n}丙") for n in range(MANY - count, MANY)]
        began = time.perf_counter()
        vocabulary = Vocabulary(groups)
        built = time.perf_counter() - began
        began = time.perf_counter()
        for _ in range(200):
            vocabulary.find(question)
        each = (time.perf_counter() - began) / 200
        print(f"{count:>8} {built * 1e3:>10.1f} {each * 1e6:>16.0f}")


def ask(application: Application, kb_id: str, question: str, times: list[float]) -> Answer:
    """The answer to a question, searched anew; its time in milliseconds goes to `times`."""
    application.retriever.forget()
    began = time.perf_counter()
    answer: Answer = application.chain.invoke(TurnInput(question=question, kb_ids=(kb_id,)))
    times.append((time.perf_counter() - began) * 1e3)
    return answer


def _word(question: str, answer: Answer, chosen: random.Random) -> str:
    """A word of the question that the cited passages hold, or "" for none. Regions stay: the
    answer is chosen by them."""
    from rag.understand.regions import find_regions

    words = [
        word
        for word in query_terms(question)
        if word in question
        and len(word) > 1
        and not word.isascii()
        and not any(letter.isdigit() for letter in word)
        and rarity(word) > TELLING
        and not find_regions(word)
        and any(word in citation.text for citation in answer.citations)
    ]
    return chosen.choice(words) if words and answer.status in ("answered", "hedged") else ""


def _first(answer: Answer) -> str:
    return answer.citations[0].chunk_id if answer.citations else ""


def _median(times: dict[str, list[float]], kind: str) -> str:
    return f"{statistics.median(times[kind]):>11.0f}"


if __name__ == "__main__":
    main()
