"""Walks a group's units: running text, tables with their caption, records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from rag.ingest.chunk import captions
from rag.ingest.chunk.count import CountTokens
from rag.ingest.chunk.pieces import Family, Piece, TableRows, covered
from rag.ingest.chunk.running import Recursive, Splitter
from rag.ingest.chunk.sections import Group, Unit
from rag.ingest.chunk.tables import ROWS_SHARE, row_places, table_pieces
from rag.ingest.heading_path import common_path
from rag.ingest.metadata import from_mapping
from rag.types import ChunkKind

_CAPTION_TOKENS = 80
_NOTES_SHARE = 5
"""Longest text before a table that is taken for its caption, and the part of a chunk (one of
so many) that its notes may fill; chosen by us."""
RECORD_LIMIT = 8
RECORD_TOKENS = 4000
"""A record is never cut unless it is longer than so many chunks and so many tokens: it is a
whole document then. Chosen by us."""

Running = Callable[[Group, Sequence[Unit]], Iterable[Family]]
Nest = Callable[[Piece], Family]


def alone(piece: Piece) -> Family:
    """A piece that is read as itself."""
    return Family(None, (piece,))


class Cutter:
    """Cuts the groups of one document.

    Args:
        text: the document's plain text.
        limit: most tokens of a piece.
        running: cuts a run of units that holds neither tables nor records.
        nest: makes a family of a piece of a table or of a record.
        rows_apart: each row of a table is a record of its own.
    """

    def __init__(
        self,
        text: str,
        count: CountTokens,
        limit: int,
        running: Running,
        nest: Nest = alone,
        *,
        rows_apart: bool = False,
    ) -> None:
        self._text = text
        self._count = count
        self._limit = limit
        self._running = running
        self._nest = nest
        self._rows_apart = rows_apart
        self._table_before: tuple[Unit | None, str] = (None, "")

    def families(self, group: Group) -> Iterator[Family]:
        """The families of a group, in order."""
        run: list[Unit] = []
        taken = 0
        for index, unit in enumerate(group.units):
            if index < taken:
                continue
            if unit.block.record_id is not None:
                yield from self._running_text(group, run)
                yield from map(self._nest, self._record(group, unit))
                run = []
            elif unit.block.kind == "table" and unit.block.rows:
                caption = self._caption(run, unit)
                between = run[: len(run) - len(caption)]
                yield from self._running_text(group, between)
                own = "\n".join(u.block.text for u in caption if not u.is_heading)
                before, label = self._table_before
                if between or before is None or not _goes_on(before, unit, caption):
                    label = ""
                label = own or label
                notes = self._notes(group.units[index + 1 :])
                pieces = self._table(group, unit, caption, label, notes)
                taken = index + 1 + (len(notes) if pieces and _has_notes(pieces[-1]) else 0)
                yield from map(self._nest, pieces)
                run, self._table_before = [], (unit, label)
            else:
                run.append(unit)
        if run:
            self._table_before = (None, "")
        yield from self._running_text(group, run)

    def _running_text(self, group: Group, run: Sequence[Unit]) -> Iterable[Family]:
        return self._running(group, run) if run else ()

    def _record(self, group: Group, unit: Unit) -> Iterator[Piece]:
        block = unit.block
        title = str(block.metadata.get("title") or "").strip()
        own = from_mapping(block.metadata.get("metadata") or {})
        if title:
            own = own.model_copy(update={"title": title})
        above = group.path or unit.path
        path = (*above, title) if title else above
        longest = max(RECORD_LIMIT * self._limit, RECORD_TOKENS)
        spans = [(unit.start, unit.end)]
        if len(block.text) > longest and self._count(block.text) > longest:
            parts = Recursive(self._text, self._count, self._limit)([unit])
            spans = [(part.start, part.end) for part in parts]
        for start, end in spans:
            yield Piece(
                self._text[start:end],
                (start, end),
                (start, end),
                [unit],
                path,
                "record",
                block.record_id,
                own,
            )

    def _table(
        self,
        group: Group,
        unit: Unit,
        caption: Sequence[Unit],
        label: str,
        notes: Sequence[Unit],
    ) -> list[Piece]:
        """The pieces of a table; the notes are in the last one where they fit."""
        lead = self._text[caption[0].start : caption[-1].end] if caption else ""
        if "".join(label.split()) not in "".join(lead.split()):
            lead = f"{lead}\n\n{label}" if lead else label
        after = self._text[notes[0].start : notes[-1].end] if notes else ""
        around = self._count(lead) + self._count(after)
        room = max(int(self._limit * ROWS_SHARE) - around, self._limit // 3)
        most = self._limit - around
        places = row_places(unit.block)
        pieces = table_pieces(
            unit.block,
            room,
            self._count,
            apart=self._rows_apart,
            most=max(most, room),
            places=places,
        )
        found: list[Piece] = []
        for number, piece in enumerate(pieces):
            above = lead if number == 0 else label
            text = f"{above}\n\n{piece.text}" if above else piece.text
            start = caption[0].start if caption and number == 0 else unit.start + piece.start
            span = (start, unit.start + piece.end)
            units = [*caption, unit] if number == 0 else [unit]
            kind: ChunkKind = "record" if self._rows_apart else "table"
            rows = TableRows(unit, piece.rows, places, above, label)
            path = group.path or unit.path
            found.append(Piece(text, span, span, units, path, kind, table=rows))
        if found and after and self._count(f"{found[-1].text}\n\n{after}") <= self._limit:
            found[-1] = _with_notes(found[-1], after, notes)
        return found

    def _caption(self, run: Sequence[Unit], table: Unit) -> list[Unit]:
        """The units at the end of `run` that introduce the table behind them."""
        of_sheet = table.block.metadata.get("rows") == "records"
        caption = captions.above(run, of_sheet=of_sheet)
        most = min(_CAPTION_TOKENS, self._limit // 3)
        while caption and self._count(self._text[caption[0].start : caption[-1].end]) > most:
            caption = [] if caption[0].is_heading else caption[1:]
        return caption

    def _notes(self, units: Sequence[Unit]) -> list[Unit]:
        """The first of the units that belong to the table before them."""
        notes = [] if self._rows_apart else captions.below(units)
        most = min(_CAPTION_TOKENS, self._limit // _NOTES_SHARE)
        while notes and self._count(self._text[notes[0].start : notes[-1].end]) > most:
            notes.pop()
        return notes


def _with_notes(piece: Piece, notes: str, units: Sequence[Unit]) -> Piece:
    """A table's last piece with the notes below the table."""
    span = (piece.span[0], units[-1].end)
    table = piece.table._replace(below=notes) if piece.table is not None else None
    return piece._replace(
        text=f"{piece.text}\n\n{notes}",
        span=span,
        own=span,
        units=[*piece.units, *units],
        table=table,
    )


def _has_notes(piece: Piece) -> bool:
    return piece.table is not None and bool(piece.table.below)


def _goes_on(before: Unit, table: Unit, caption: Sequence[Unit]) -> bool:
    """Whether a table is the rest of the one before it, on the next page."""
    if any(unit.is_heading and "续" not in unit.block.text for unit in caption):
        return False
    above, rows = before.block.rows or ((),), table.block.rows or ((),)
    return above[0] == rows[0] and 0 <= table.block.page - before.block.page <= 1


def text_pieces(text: str, split: Splitter, group: Group, units: Sequence[Unit]) -> Iterator[Piece]:
    """The pieces of a run of units."""
    for cut in split(units):
        # What is repeated belongs to the pages and boxes too: an answer may quote it.
        inside = covered(units, cut.begin, cut.end)
        yield Piece(
            text[cut.begin : cut.end],
            (cut.begin, cut.end),
            (cut.start, cut.end),
            inside,
            group.path or common_path(unit.path for unit in inside),
            kind_of(group, covered(units, cut.start, cut.end)),
        )


def kind_of(group: Group, units: Sequence[Unit]) -> ChunkKind:
    """The kind of a piece of running text."""
    if group.label is not None:
        return "clause"
    kinds = {unit.block.kind for unit in units if not unit.is_heading}
    if kinds == {"list"}:
        return "list"
    return "code" if kinds == {"code"} else "text"
