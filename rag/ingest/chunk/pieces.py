"""What the strategies produce: pieces of a document, alone or as a parent with children."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from rag.ingest.chunk.sections import Unit
from rag.types import BBox, Chunk, ChunkKind, Document, DocumentMetadata


class Cut(NamedTuple):
    """A half-open range of the plain text. `begin` lies before `start` when the piece first
    repeats the end of the one before it."""

    begin: int
    start: int
    end: int


class TableRows(NamedTuple):
    """Rows of a table block: indexes among those below the header, and the places of all of
    them (`rag.ingest.chunk.tables.row_places`). `above` is the text that
    stands above them, `label` what of it is repeated above later rows, `below` the notes that
    stand under the last of them."""

    unit: Unit
    rows: tuple[int, ...]
    places: Sequence[tuple[int, int]]
    above: str = ""
    label: str = ""
    below: str = ""


class Piece(NamedTuple):
    """A chunk to be. `own` is the part of `span` that no earlier piece holds; `metadata` is
    a record's own, None for the document's; `table` says which rows a piece of a table holds.
    """

    text: str
    span: tuple[int, int]
    own: tuple[int, int]
    units: Sequence[Unit]
    path: tuple[str, ...]
    kind: ChunkKind = "text"
    record_id: str | None = None
    metadata: DocumentMetadata | None = None
    table: TableRows | None = None


class Family(NamedTuple):
    """Pieces that are read as their `parent`, or as themselves when there is none."""

    parent: Piece | None
    children: Sequence[Piece]


def covered(units: Sequence[Unit], start: int, end: int) -> Sequence[Unit]:
    """Those of neighbouring units that lie at least partly in a range."""
    first = bisect_right(units, start, key=lambda unit: unit.end)
    last = bisect_left(units, end, key=lambda unit: unit.start)
    return units[first:last]


class Rows:
    """The chunks of one document, in order."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.chunks: list[Chunk] = []

    def add(self, family: Family) -> None:
        """Add a parent (as a row that is not indexed) and its children behind it."""
        parent_id = None
        if family.parent is not None:
            parent_id = self._add(family.parent, None, indexed=False)
        for piece in family.children:
            self._add(piece, parent_id, indexed=True)

    def _add(self, piece: Piece, parent_id: str | None, *, indexed: bool) -> str:
        document, ordinal = self._document, len(self.chunks)
        pages = sorted(
            {
                page
                for unit in piece.units
                for page in unit.block.metadata.get("pages", [unit.block.page])
            }
        )
        bboxes: list[tuple[int, BBox]] = [
            (unit.block.page, unit.block.bbox)
            for unit in piece.units
            if unit.block.bbox is not None
        ]
        made = Chunk(
            id=f"{document.id}-{document.version}-{ordinal}",
            document_id=document.id,
            kb_id=document.kb_id,
            ordinal=ordinal,
            text=piece.text,
            parent_id=parent_id,
            heading_path=piece.path,
            pages=tuple(pages) or (1,),
            bboxes=tuple(bboxes),
            char_span=piece.span,
            kind=piece.kind,
            record_id=piece.record_id,
            document_name=document.name,
            metadata=document.metadata if piece.metadata is None else piece.metadata,
            access=document.kb_id,
            indexed=indexed,
        )
        self.chunks.append(made)
        return made.id
