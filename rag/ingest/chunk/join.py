"""Puts pieces together that say too little apart: a small document is one chunk, and a lone
line belongs to what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence

from rag.ingest.chunk.count import CountTokens
from rag.ingest.chunk.merge import TINY_TOKENS
from rag.ingest.chunk.pieces import Family, Piece, TableRows
from rag.ingest.chunk.tables import written
from rag.ingest.heading_path import common_path
from rag.ingest.table import to_markdown

ORPHAN_TOKENS = 40
SMALL_SHARE = 0.25
SECTIONED_SHARE = 0.6
"""A piece below so many tokens goes with the section below it; one below this share of a chunk
with its neighbour of the same section; a document with several sections that are longer than
tiny ones is whole only below the last share. Chosen by us: a number above the title or a
signature says nothing alone, while sections are found better by passages of their own."""

COVER_CHARACTERS = 30
"""Longest line above the first article that goes with it; chosen by us."""


def joined(
    families: Sequence[Family],
    text: str,
    count: CountTokens,
    limit: int,
    *,
    by_page: bool = False,
) -> list[Family]:
    """The families with neighbours together that fit into `limit` tokens: all of a document
    that fits, unless it is written in articles, records or code; else lone lines with what
    they stand above or below, and small parts of one section.

    Args:
        text: the document's plain text.
        by_page: each page is a slide, which keeps what is on it.
    """
    pieces = [family.children[0] for family in families]
    if any(family.parent is not None for family in families) or len(pieces) < 2:
        return list(families)
    joiner = _Joiner(text, count, limit, by_page)
    total = count(text[pieces[0].span[0] : pieces[-1].span[1]])
    sections = {piece.path for piece in pieces if count(piece.text) >= TINY_TOKENS}
    most = limit if len(sections) < 2 else int(limit * SECTIONED_SHARE)
    if total <= most and _is_whole(pieces):
        made = joiner.all_of(pieces)
        if made is not None:
            return [Family(None, (made,))]
    return [Family(None, (piece,)) for piece in joiner.neighbours(pieces)]


def _is_whole(pieces: Sequence[Piece]) -> bool:
    kinds = [piece.kind for piece in pieces]
    apart = any(kind in ("record", "clause") for kind in kinds)
    return not apart and kinds.count("code") * 2 < len(kinds)


class _Joiner:
    def __init__(self, text: str, count: CountTokens, limit: int, by_page: bool) -> None:
        self._text = text
        self._count = count
        self._limit = limit
        self._by_page = by_page

    def all_of(self, pieces: Sequence[Piece]) -> Piece | None:
        """One piece of all; None when they don't fit or are several slides."""
        made = pieces[0]
        for piece in pieces[1:]:
            both = self._both(made, piece)
            if both is None or (self._by_page and not _one_page(made, piece)):
                return None
            made = both
        path = common_path(piece.path for piece in pieces if piece.path)
        return made._replace(path=path) if self._fits(made) else None

    def neighbours(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces, small ones with a neighbour."""
        found: list[Piece] = []
        for piece in pieces:
            while found:
                both = self._beside(found[-1], piece)
                if both is None:
                    break
                found.pop()
                piece = both
            found.append(piece)
        return found

    def _beside(self, first: Piece, second: Piece) -> Piece | None:
        if {first.kind, second.kind} & {"record", "code"}:
            return None
        if self._by_page and not _one_page(first, second):
            return None
        sizes = self._count(first.text), self._count(second.text)
        same = first.path == second.path
        below = first.path == second.path[: len(first.path)]
        # An article stays as the law has it, also when a line comes before it.
        apart = second.kind == "clause" and not _is_cover(first)
        lone = sizes[0] < min(ORPHAN_TOKENS, self._limit * SMALL_SHARE) and not apart
        if not (same and min(sizes) <= self._limit * SMALL_SHARE) and not (below and lone):
            return None
        both = self._both(first, second)
        return both if both is not None and self._fits(both) else None

    def _fits(self, piece: Piece) -> bool:
        return self._count(piece.text) <= self._limit

    def _both(self, first: Piece, second: Piece) -> Piece | None:
        """Two neighbours as one, under the headings of the second; None for parts of one row."""
        span = (first.span[0], second.span[1])
        own = (first.own[0], second.own[1])
        shared = bool(first.units) and bool(second.units) and first.units[-1] is second.units[0]
        units = [*first.units, *second.units[1 if shared else 0 :]]
        made = second._replace(span=span, own=own, units=units, table=None)
        if first.kind != "table" and second.kind != "table":
            kind = first.kind if first.kind == second.kind else "text"
            kind = "clause" if "clause" in (first.kind, second.kind) else kind
            return made._replace(text=self._text[slice(*span)], kind=kind)
        upper, lower = first.table, second.table
        if upper and lower and upper.unit is lower.unit:
            return _of_one_table(upper, lower, second.text, made)
        rest = second.text if second.kind == "table" else self._text[slice(*second.own)]
        if lower is not None:
            lower = lower._replace(above=f"{first.text}\n\n{lower.above}".rstrip())
        return made._replace(text=f"{first.text}\n\n{rest}", kind="table", table=lower)


def _is_cover(piece: Piece) -> bool:
    """Whether a piece is a line above all headings that says nothing: a title, "内部资料"."""
    text = piece.text.strip()
    return not piece.path and len(text) <= COVER_CHARACTERS and not set(text) & set("。；：！？\n")


def _of_one_table(upper: TableRows, lower: TableRows, text: str, made: Piece) -> Piece | None:
    """Rows of one table under one header; `text` is the lower ones'."""
    if upper.rows[-1:] == lower.rows[:1] or not upper.rows or not lower.rows:
        return None
    block = upper.unit.block
    table = upper._replace(rows=(*upper.rows, *lower.rows), below=lower.below)
    as_records = to_markdown((block.rows or ())[:1]) not in text
    rows = written(block, table.rows, as_records=as_records)
    parts = (table.above, rows, table.below)
    return made._replace(
        text="\n\n".join(part for part in parts if part), kind="table", table=table
    )


def _one_page(first: Piece, second: Piece) -> bool:
    pages = {unit.block.page for piece in (first, second) for unit in piece.units}
    return len(pages) == 1
