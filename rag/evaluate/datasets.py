"""Public data sets as passages and questions, read from a folder outside the project.

Nothing is downloaded and nothing of them lies in the repository; the folder's layout is that
of the data sets' own files. Passages are Chunks, so that benchmarks
run the very functions that the product runs.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.types import Chunk, DocumentMetadata


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the ids of the passages that answer it."""

    id: str
    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Passages and questions of one kind."""

    name: str
    passages: tuple[Chunk, ...]
    questions: tuple[Question, ...]


def bucket(text: str, buckets: int = 1_000_000) -> int:
    """A stable number 0..buckets−1 for a text: samples and splits depend on ids alone."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16) % buckets


def load_lecoqa(root: Path, distractors: int | None = None) -> Dataset:
    """LeCoQA/STARD: lay legal questions (the authors' training part) over statute articles.

    Args:
        root: folder that holds `lecoqa_stard`.
        distractors: that many articles beside the right ones, sampled by hash; None for all.
    """
    folder = root / "lecoqa_stard"
    others = sorted(rows(folder / "corpus_distractors.jsonl"), key=lambda row: bucket(row["id"]))
    articles = [*rows(folder / "corpus_gold.jsonl"), *others[:distractors]]
    questions = _questions(rows(folder / "queries_train.jsonl"), lambda row: row["doc_ids"])
    return Dataset("lecoqa", tuple(_record(row, "lecoqa") for row in articles), questions)


def load_cmrc(root: Path) -> Dataset:
    """CMRC 2018 (development part): encyclopaedia questions over whole articles."""
    folder = root / "cmrc2018" / "dev"
    passages = tuple(_record(row, "cmrc") for row in rows(folder / "corpus.jsonl"))
    questions = _questions(rows(folder / "queries.jsonl"), lambda row: [row["doc_id"]])
    return Dataset("cmrc", passages, questions)


def load_crosswoz(root: Path) -> Dataset:
    """CrossWOZ: records of hotels, restaurants and sights; users' turns that ask about one.

    A turn counts when it requests something and names exactly one record.
    """
    folder = root / "crosswoz"
    passages: list[Chunk] = []
    by_name: dict[str, str] = {}
    for kind in ("attraction", "hotel", "restaurant"):
        for name, record in json.loads(
            (folder / "database" / f"{kind}_db.json").read_text("utf-8")
        ):
            text = "\n".join(
                f"{field}：{'、'.join(map(str, value)) if isinstance(value, list) else value}"
                for field, value in record.items()
                if value not in (None, [], "")
            )
            id_ = f"{kind}-{len(passages)}"
            by_name.setdefault(name, id_)
            passages.append(_record({"id": id_, "title": name, "text": text}, "crosswoz"))
    questions: list[Question] = []
    for turn in rows(folder / "val_user_turns.jsonl"):
        named = [name for name in by_name if len(name) > 2 and name in turn["text"]]
        named = [n for n in named if not any(n != other and n in other for other in named)]
        asks = any(intent.startswith("Request") for intent in turn["intent"])
        if len(named) == 1 and asks and len(turn["text"]) < 60:
            questions.append(Question(turn["id"], turn["text"], frozenset({by_name[named[0]]})))
    return Dataset("crosswoz", tuple(passages), tuple(questions))


_ARTICLE = re.compile(
    r"^(第[一二三四五六七八九十百零]+条)[ \u3000]+(.+?)(?=^第[一二三四五六七八九十百零]+条|^#|\Z)",
    re.M | re.S,
)


def load_laws(root: Path, articles: int = 2000, documents: int = 150) -> Dataset:
    """Laws and local regulations with region and year, cut into articles; no questions.

    Args:
        articles, documents: sizes of the samples by hash.
    """
    folder = root / "laws_zh"
    meta = sorted(rows(folder / "meta.jsonl"), key=lambda row: bucket(row["id"]))
    passages: list[Chunk] = []
    for document in meta[:documents]:
        text = (folder / document["file"]).read_text(encoding="utf-8")
        year = document.get("year")
        metadata = DocumentMetadata(
            title=document["title"],
            region=document["region"] if document["level"] == "地方性法规" else None,
            year=int(year) if year else None,
        )
        for number, body in _ARTICLE.findall(text):
            if len(body.strip()) >= 30:
                passages.append(
                    Chunk(
                        id=document["id"] + number,
                        document_id=document["id"],
                        kb_id="laws",
                        ordinal=len(passages),
                        text=f"{number} {body.strip()}",
                        metadata=metadata,
                        document_name=f"{document['title']}.md",
                        kind="clause",
                    )
                )
    passages.sort(key=lambda chunk: bucket(chunk.id))
    return Dataset("laws", tuple(passages[:articles]), ())


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file.

    Raises:
        FileNotFoundError: the data set is not there.
    """
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def _record(row: dict[str, Any], kb_id: str) -> Chunk:
    return Chunk(
        id=row["id"],
        document_id=kb_id,
        kb_id=kb_id,
        ordinal=0,
        text=row["text"],
        kind="record",
        record_id=row["id"],
        document_name=f"{kb_id}.jsonl",
        metadata=DocumentMetadata(title=row["title"]),
    )


def _questions(
    found: Iterator[dict[str, Any]], gold: Callable[[dict[str, Any]], list[str]]
) -> tuple[Question, ...]:
    return tuple(Question(row["id"], row["question"], frozenset(gold(row))) for row in found)
