"""Questions with their answers as records: the running text of the strategy "record"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.ingest.chunk.cutter import text_pieces
from rag.ingest.chunk.pieces import Piece
from rag.ingest.chunk.running import Splitter
from rag.ingest.chunk.sections import Group, Unit


def question_pieces(
    text: str, split: Splitter, group: Group, units: Sequence[Unit]
) -> Iterator[Piece]:
    """The pieces of a run of units; those of a question and its answer are records, and where
    an answer takes several, each has the question above it."""
    pieces = text_pieces(text, split, group, units)
    if group.question is None and not _asks_in_heading(group):
        yield from pieces
        return
    path = (*group.path, group.question) if group.question else group.path
    for piece in pieces:
        yield piece._replace(kind="record", path=path)


def _asks_in_heading(group: Group) -> bool:
    return bool(group.heading_path) and group.heading_path[-1].endswith(("？", "?"))
