"""Extractive answers and refusals, end to end but for the browser: are they right?

Builds small knowledge bases from public data with the real store, embedder and retriever,
asks each question with its source present ("in") and taken out ("out"), and prints how often
questions are answered, whether the answer holds the expected words, how long it is, and the
precision and recall of refusals at the shipped thresholds.

    python -m benchmarks.bench_answers [--sets cmrc,laws] [--limit 200] [--show 10]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.places import DATA, WORK
from rag.answer.cite import cite
from rag.answer.extract import extract
from rag.answer.line_fit import LineReader
from rag.answer.refuse import confidence, decide
from rag.answer.verify import verify
from rag.secrets import Secrets
from rag.settings import Settings
from rag.text.normalise import normalise
from rag.types import (
    Block,
    Chunk,
    Document,
    DocumentMetadata,
    Evidence,
    Hit,
    Page,
    QueryPlan,
    Turn,
    Understanding,
)

CACHE = WORK / "answers"
TODAY = date(2026, 11, 30)
CANDIDATES = 30
"""Hits kept per question, so that taking a source out leaves enough behind it."""
PASSAGES = 6
CHUNK_CHARACTERS = 450


@dataclass(frozen=True)
class Source:
    """One document of a benchmark knowledge base, already cut into passages."""

    key: str
    title: str
    passages: tuple[str, ...]
    metadata: DocumentMetadata = field(default_factory=DocumentMetadata)


@dataclass(frozen=True)
class Case:
    """A question, the documents that can answer it, and what the answer must hold (any of).

    `within` restricts the search to these documents (a small knowledge base); `possible` is
    False for questions that no document answers.
    """

    kind: str
    question: str
    sources: frozenset[str]
    answers: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    possible: bool = True
    history: tuple[Turn, ...] = ()


@dataclass
class Found:
    """What the chain has when it decides: the question's meaning, hits and evidence."""

    case: Case
    removed: bool
    meaning: Understanding
    hits: tuple[Hit, ...]
    evidence: tuple[Evidence, ...]
    holds: bool


@dataclass
class Base:
    """A knowledge base that can be asked. `keys` maps document ids to the sources' keys."""

    name: str
    retriever: Any
    catalog: Any
    kb_id: str
    keys: dict[str, str] = field(default_factory=dict)

    def find(self, case: Case, *, without: frozenset[str] = frozenset()) -> Found:
        """Understand and search as a turn does; `without` names documents to leave out."""
        from rag.understand.plan import plan
        from rag.understand.understand import understand

        profile = self.catalog.documents.profile((self.kb_id,))
        meaning = understand(case.question, case.history, profile, TODAY)
        query_plan: QueryPlan = plan(meaning, (self.kb_id,), profile=profile)
        if case.within:
            ids = {key: id_ for id_, key in self.keys.items()}
            inside = tuple(ids[key] for key in case.within if key in ids)
            narrowed = query_plan.filter.model_copy(update={"document_ids": inside})
            query_plan = query_plan.model_copy(update={"filter": narrowed})
        found = self.retriever.search(
            query_plan, question=meaning.standalone_question, top_k=CANDIDATES
        )
        kept = [h for h in found.hits if self.keys[h.chunk.document_id] not in without]
        hits = tuple(kept[:PASSAGES])
        evidence = self.retriever.evidence(meaning.standalone_question, hits)
        holds = case.possible and any(
            self.keys[item.chunk.document_id] in case.sources for item in evidence
        )
        return Found(case, bool(without), meaning, hits, evidence, holds)


def build(name: str, sources: Sequence[Source]) -> Base:
    """Build the knowledge base, or open the one that an earlier run has built."""
    from rag.models.registry import Models
    from rag.retrieve.query import embedding_text, lexical_text
    from rag.retrieve.search import Retriever
    from rag.store.catalog import Catalog
    from rag.store.vectors import VectorRow, VectorStore
    from rag.text.tokenise import TOKENISER_VERSION, tokenise

    work = CACHE / f"{name}-{len(sources)}"
    work.mkdir(parents=True, exist_ok=True)
    settings = Settings(data=work)
    models_data = Path(os.environ.get("ZHIWEN_DATA", CACHE))
    models = Models(models_data, Secrets(work), lambda: settings)
    embedder = models.embedder()
    catalog = Catalog(work / "catalog.sqlite")
    vectors = VectorStore(str(work / "vectors.db"))
    vectors.open(embedder.fingerprint, embedder.dimension)
    known = {kb.name: kb for kb in catalog.knowledge_bases.list()}
    kb = known.get(name) or catalog.knowledge_bases.create(name)
    done = {info.name: info.id for info in catalog.documents.list((kb.id,), "indexed")}
    for group in _batches([s for s in sources if s.key not in done], 40):
        rows: list[tuple[Source, str, list[Chunk]]] = []
        for source in group:
            info = catalog.documents.create(kb.id, source.key, source.key, 1, "text/plain")
            done[source.key] = info.id
            chunks = [
                Chunk(
                    id=f"{info.id}-1-{i}", document_id=info.id, kb_id=kb.id, ordinal=i, text=text,
                    document_name=source.title, metadata=source.metadata, access=kb.id,
                )
                for i, text in enumerate(source.passages)
            ]  # fmt: skip
            rows.append((source, info.id, chunks))
        every = [chunk for _, _, chunks in rows for chunk in chunks]
        dense = embedder.embed_passages([embedding_text(chunk) for chunk in every])
        tokens = {chunk.id: tokenise(lexical_text(chunk)) for chunk in every}
        for source, id_, chunks in rows:
            blocks = tuple(Block(kind="paragraph", text=text) for text in source.passages)
            document = Document(
                id=id_, kb_id=kb.id, name=source.key, media_type="text/plain", sha256=source.key,
                pages=(Page(number=1, blocks=blocks),), title=source.title,
                metadata=source.metadata,
            )  # fmt: skip
            catalog.documents.publish(
                id_, 1, document, chunks,
                token_lists=[tokens[chunk.id] for chunk in chunks], tokeniser=TOKENISER_VERSION,
            )  # fmt: skip
        vectors.upsert(
            [
                VectorRow(
                    chunk_id=chunk.id, kb_id=kb.id, document_id=chunk.document_id, access=kb.id,
                    region=chunk.metadata.region or "", year=chunk.metadata.year or 0,
                    document_type="", organisation="", product="", dense=vector,
                    sparse=catalog.lexical.document_weights(tokens[chunk.id]),
                )
                for chunk, vector in zip(every, dense, strict=True)
            ]
        )  # fmt: skip
    vectors.warm_up()
    retriever = Retriever(
        catalog,
        vectors,
        catalog.lexical,
        models.embedder,
        models.reranker,
        lambda: settings,
        read_lines=LineReader(models.line_reader).read,
    )
    keys = {id_: key for key, id_ in done.items()}
    return Base(name, retriever, catalog, kb.id, keys)


# --- The sets --------------------------------------------------------------------------


def cmrc(limit: int) -> tuple[list[Source], list[Case]]:
    """Encyclopaedia passages (CMRC 2018 dev); never used for fitting."""
    sources = [
        Source(
            row["id"],
            row["title"],
            tuple(cut(row["text"])),
            DocumentMetadata(title=row["title"]),
        )
        for row in rows("cmrc2018/dev/corpus.jsonl")
    ]
    questions = list(rows("cmrc2018/dev/queries.jsonl"))
    random.Random(5).shuffle(questions)
    cases = [
        Case("cmrc", row["question"], frozenset({row["doc_id"]}), tuple(row["answers"]))
        for row in questions[:limit]
    ]
    return sources, cases


def laws(limit: int) -> tuple[list[Source], list[Case]]:
    """Statutes: dates of entry into force, and the same of regions that are not there."""
    answerable = list(rows("laws_zh/derived/dev/effective_date.jsonl"))
    random.Random(5).shuffle(answerable)
    answerable = answerable[: min(limit, 60)]
    refused = list(rows("laws_zh/derived/dev/refuse.jsonl"))[:limit]
    topics = {row["topic"] for row in refused} | {row["topic"] for row in answerable}
    wanted = {row["doc_id"] for row in answerable}
    metas = list(rows("laws_zh/meta.jsonl"))
    others = [m for m in metas if m["topic"] in topics and m["id"] not in wanted]
    metas = [m for m in metas if m["id"] in wanted] + others[:60]
    cases = [
        Case("laws", row["question"], frozenset({row["doc_id"]}), tuple(row["answers"]))
        for row in answerable
    ]
    cases += [Case("laws", row["question"], frozenset(), possible=False) for row in refused]
    return [law(meta) for meta in metas], cases


def law(meta: dict[str, Any]) -> Source:
    """A statute cut into groups of articles."""
    text = (DATA / "laws_zh" / meta["file"]).read_text(encoding="utf-8")
    body = text.split("<!-- INFO END -->")[-1]
    articles = [part.strip() for part in re.split(r"\n(?=第[一二三四五六七八九十百零]+条)", body)]
    passages: list[str] = []
    for article in articles:
        if passages and len(passages[-1]) + len(article) < CHUNK_CHARACTERS:
            passages[-1] += "\n\n" + article
        elif article:
            passages.append(article[: 2 * CHUNK_CHARACTERS])
    facts = DocumentMetadata(
        title=meta["title"],
        region=meta["region"] if meta["region"] != "全国" else None,
        year=int(meta["year"]) if meta["year"] else None,
    )
    return Source(meta["id"], meta["title"], tuple(passages), facts)


def cut(text: str) -> list[str]:
    """Cut a long text at sentence ends."""
    from rag.text.sentences import split_sentences

    parts: list[str] = []
    start = 0
    for span in split_sentences(text):
        if span.end - start > CHUNK_CHARACTERS and span.start > start:
            parts.append(text[start : span.start])
            start = span.start
    parts.append(text[start:])
    return [part for part in parts if part.strip()]


def rows(path: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file in the data directory."""
    with (DATA / path).open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _batches(items: Sequence[Source], size: int) -> Iterator[Sequence[Source]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


# --- Measuring -------------------------------------------------------------------------


class Report:
    """Counts outcomes by set and prints them."""

    def __init__(self, settings: Settings, show: int) -> None:
        self.settings = settings
        self.show = show
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.lengths: dict[str, list[int]] = defaultdict(list)

    def add(self, found: Found) -> None:
        """Decide, answer and count one question."""
        sure = confidence(found.meaning, found.hits, found.evidence)
        decision = decide(sure.value, self.settings.answer)
        count = self.counts[found.case.kind]
        side = (
            "in" if found.holds else ("out" if found.removed or not found.case.possible else "lost")
        )
        count[f"{side}:{decision}"] += 1
        wrong = (side == "in") == (decision == "refuse") and side != "lost"
        if decision != "refuse":
            text, citations = cite(extract(found.meaning, found.evidence), found.evidence)
            claims = verify(text, citations, found.evidence)
            count["claims"] += len(claims)
            count["unsupported"] += sum(claim.verdict != "supported" for claim in claims)
            if side == "in" and found.case.answers:
                right = any(normalise(a) in normalise(text) for a in found.case.answers)
                count["checked"] += 1
                count["right"] += right
                self.lengths[found.case.kind].append(len(text))
        if wrong and self.show > 0:
            self.show -= 1
            rounded = {k: round(v, 2) for k, v in sure.features.items()}
            top = found.evidence[0].text[:80] if found.evidence else ""
            print(f"{side} {decision} {sure.value:.2f} {found.case.question} | {top} | {rounded}")

    def print(self) -> None:
        """One line per set."""
        for kind, c in self.counts.items():
            answered = c["in:answer"] + c["in:hedge"]
            total_in = answered + c["in:refuse"]
            refused_out = c["out:refuse"]
            total_out = refused_out + c["out:answer"] + c["out:hedge"]
            refused = refused_out + c["in:refuse"]
            precision = refused_out / max(1, refused)
            recall = refused_out / max(1, total_out)
            print(
                f"{kind}: in {answered}/{total_in} answered ({c['in:answer']} plainly), "
                f"out {refused_out}/{total_out} refused; "
                f"refusal precision {precision:.3f} recall {recall:.3f}; "
                f"right words {c['right']}/{c['checked']}, "
                f"{sum(self.lengths[kind]) / max(1, len(self.lengths[kind])):.0f} characters; "
                f"unsupported claims {c['unsupported']}/{c['claims']}; "
                f"source not found {c['lost:answer'] + c['lost:hedge'] + c['lost:refuse']}"
            )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="cmrc,laws")
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--show", type=int, default=0)
    arguments = parser.parse_args()
    report = Report(Settings(), arguments.show)
    for name in arguments.sets.split(","):
        sources, cases = {"cmrc": cmrc, "laws": laws}[name](arguments.limit)
        base = build(name, sources)
        for case in cases:
            report.add(base.find(case))
            if case.possible:
                report.add(base.find(case, without=case.sources))
    report.print()


if __name__ == "__main__":
    main()
