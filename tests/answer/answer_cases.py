"""Small evidence and questions for the tests of the answer step."""

from __future__ import annotations

from datetime import date

from rag.types import (
    Chunk,
    DocumentMetadata,
    Evidence,
    Hit,
    Intent,
    Slots,
    TimeRange,
    Understanding,
)


def passage(
    n: int,
    text: str,
    *,
    title: str = "",
    document: str = "",
    headings: tuple[str, ...] = (),
    region: str | None = None,
    year: int | None = None,
    product: str | None = None,
    kind: str = "text",
    pages: tuple[int, ...] = (1,),
    ordinal: int = 0,
    score: float = 0.8,
    record_id: str | None = None,
) -> Evidence:
    chunk = Chunk(
        id=f"{document or n}-1-{ordinal}",
        document_id=document or f"doc{n}",
        kb_id="kb",
        ordinal=ordinal,
        text=text,
        heading_path=headings,
        pages=pages,
        kind=kind,
        record_id=record_id,
        document_name=f"{title or document or n}.md",
        metadata=DocumentMetadata(title=title or None, region=region, year=year, product=product),
    )
    return Evidence(n=n, chunk=chunk, text=text, span=(0, len(text)), score=score)


def meaning(
    question: str,
    intent: Intent = "fact",
    *,
    region: tuple[str, ...] = (),
    years: tuple[int, ...] = (),
    product: tuple[str, ...] = (),
) -> Understanding:
    times = tuple(
        TimeRange(text=f"{year}年", start=date(year, 1, 1), end=date(year, 12, 31))
        for year in years
    )
    return Understanding(
        question=question,
        standalone_question=question,
        intent=intent,
        slots=Slots(region=region, time=times, product=product),
    )


def hits(evidence: list[Evidence], rerank: float = 0.9) -> list[Hit]:
    return [
        Hit(
            chunk=item.chunk,
            scores={"dense": 0.9 - 0.01 * i, "sparse": 9.0 - i, "rerank": rerank * 0.9**i},
            rank=i + 1,
        )
        for i, item in enumerate(evidence)
    ]
