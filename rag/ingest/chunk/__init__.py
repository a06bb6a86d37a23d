"""Cuts a document into chunks: the step of the offline chain after cleaning.

Along the document's own structure first (headings, articles, records, tables with their
header), and only inside a part that is too long at sentence borders, with overlap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rag.ingest.chunk.merge import merge_tiny
from rag.ingest.chunk.sections import Group, Unit, groups
from rag.ingest.chunk.split import atoms, overlap_start, pack
from rag.ingest.chunk.tables import ROWS_SHARE, table_pieces
from rag.ingest.headings import starts_entry
from rag.ingest.metadata import from_mapping
from rag.ingest.plain import plain_text
from rag.settings import IngestSettings
from rag.types import (
    BBox,
    Chunk,
    ChunkKind,
    ChunkStrategy,
    Document,
    DocumentMetadata,
    DocumentOptions,
)

if TYPE_CHECKING:
    import numpy as np

_CAPTION = re.compile(r"(续?表|附表|单位|Table)\s*[\d一二三四五六七八九十:：]|.*[:：]$", re.DOTALL)
_ENTRY_FOLLOWERS = 4
"""Most blocks behind a code that count as its remedy; chosen by us."""
_CAPTION_TOKENS = 80
"""Longest text before a table that is taken for its caption; chosen by us."""


Embed = Callable[[Sequence[str]], "np.ndarray"]
"""Texts to unit vectors, float32 [n, dimension], in their order."""
Propositions = Callable[[str], list[str]]
"""A passage to the statements that it makes, each understandable by itself."""


def choose(
    document: Document,  # noqa: ARG001
    settings: IngestSettings,
    options: DocumentOptions | None = None,
) -> tuple[ChunkStrategy, str]:
    """The strategy for a document, never "auto", and why in Chinese.

    An editor's choice wins, then the setting; `auto` decides by the document.
    """
    if options is not None and options.strategy not in (None, "auto"):
        return options.strategy, "由编辑者指定"
    if settings.chunk_strategy != "auto":
        return settings.chunk_strategy, "按系统设置"
    return "structural", "按标题和段落的结构切分"


def chunk(
    document: Document,
    settings: IngestSettings,
    count_tokens: Callable[[str], int],
    *,
    options: DocumentOptions | None = None,
    embed: Embed | None = None,  # noqa: ARG001
    propositions: Propositions | None = None,  # noqa: ARG001
) -> list[Chunk]:
    """Cut a document; ids are "{document id}-{version}-{ordinal}".

    Except for tables, `text` is exactly `plain_text(document)[slice(*char_span)]`. Together
    the chunks hold all of the text, in order; within a section a chunk may begin with the
    last sentences of its predecessor. No chunk has more than `settings.chunk_tokens` tokens
    apart from records, which are never cut.

    Args:
        count_tokens: length of a text in the embedder's tokens.
    """
    if options is not None:
        changed = {
            name: value
            for name in ("chunk_tokens", "chunk_overlap")
            if (value := getattr(options, name)) is not None
        }
        settings = settings.model_copy(update=changed)
    cutter = _Cutter(document, settings, count_tokens)
    for group in merge_tiny(groups(document), cutter.length, settings.chunk_tokens):
        cutter.cut(group)
    return cutter.chunks


class _Cutter:
    """Collects the chunks of one document."""

    def __init__(
        self, document: Document, settings: IngestSettings, count: Callable[[str], int]
    ) -> None:
        self._document = document
        self._text = plain_text(document)
        self._count = count
        self._limit = settings.chunk_tokens
        self._overlap = int(settings.chunk_tokens * settings.chunk_overlap)
        self.chunks: list[Chunk] = []

    def length(self, group: Group) -> int:
        """Tokens of a group's text."""
        return self._count(self._text[group.units[0].start : group.units[-1].end])

    def cut(self, group: Group) -> None:
        run: list[Unit] = []
        for unit in group.units:
            if unit.block.record_id is not None:
                self._running_text(group, run)
                self._record(group, unit)
                run = []
            elif unit.block.kind == "table" and unit.block.rows:
                caption = self._caption(run)
                self._running_text(group, run[: len(run) - len(caption)])
                self._table(group, unit, caption)
                run = []
            else:
                run.append(unit)
        self._running_text(group, run)

    def _running_text(self, group: Group, units: Sequence[Unit]) -> None:
        if not units:
            return
        total = self._count(self._text[units[0].start : units[-1].end])
        # A part that must be cut leaves room for the overlap in each of its chunks.
        limit = self._limit if total <= self._limit else max(self._limit - self._overlap, 1)
        pieces = [
            atom
            for start, end in _ranges(units)
            for atom in atoms(self._text, start, end, limit, self._count)
        ]
        previous: tuple[int, int] | None = None
        for packed in pack(pieces, limit):
            start, end = packed[0].start, packed[-1].end
            begin = start
            entry = starts_entry(self._text[start:end].split("\n", 1)[0])
            if previous is not None and self._overlap and not entry:
                begin = overlap_start(self._text, *previous, self._overlap, self._count)
                begin = start if begin >= previous[1] else begin
            covered = [unit for unit in units if unit.start < end and unit.end > start]
            self._add(group, covered, self._text[begin:end], (begin, end), _kind(group, covered))
            previous = (start, end)

    def _record(self, group: Group, unit: Unit) -> None:
        block = unit.block
        title = str(block.metadata.get("title") or "").strip()
        own = from_mapping(block.metadata.get("metadata") or {})
        if title:
            own = own.model_copy(update={"title": title})
        path = (*group.path, title) if title else group.path
        span = (unit.start, unit.end)
        self._add(group, [unit], block.text, span, "record", path, own)

    def _table(self, group: Group, unit: Unit, caption: Sequence[Unit]) -> None:
        lead = self._text[caption[0].start : caption[-1].end] if caption else ""
        label = "\n".join(u.block.text for u in caption if not u.is_heading)
        room = max(int(self._limit * ROWS_SHARE) - self._count(lead), self._limit // 3)
        for number, piece in enumerate(table_pieces(unit.block, room, self._count)):
            above = lead if number == 0 else label
            text = f"{above}\n\n{piece.text}" if above else piece.text
            start = caption[0].start if caption and number == 0 else unit.start + piece.start
            span = (start, unit.start + piece.end)
            covered = [*caption, unit] if number == 0 else [unit]
            self._add(group, covered, text, span, "table")

    def _caption(self, run: Sequence[Unit]) -> list[Unit]:
        """The units at the end of `run` that introduce the table behind them."""
        caption: list[Unit] = []
        for unit in reversed(run):
            text = unit.block.text.strip()
            if unit.is_heading or (not caption and _CAPTION.match(text)):
                caption.insert(0, unit)
            else:
                break
        if caption and self._count(self._text[caption[0].start : caption[-1].end]) > min(
            _CAPTION_TOKENS, self._limit // 3
        ):
            return []
        return caption

    def _add(
        self,
        group: Group,
        units: Sequence[Unit],
        text: str,
        span: tuple[int, int],
        kind: ChunkKind,
        path: tuple[str, ...] | None = None,
        metadata: DocumentMetadata | None = None,
    ) -> None:
        document, ordinal = self._document, len(self.chunks)
        pages = sorted(
            {page for unit in units for page in unit.block.metadata.get("pages", [unit.block.page])}
        )
        bboxes: list[tuple[int, BBox]] = [
            (unit.block.page, unit.block.bbox) for unit in units if unit.block.bbox is not None
        ]
        record_id = units[0].block.record_id if kind == "record" else None
        self.chunks.append(
            Chunk(
                id=f"{document.id}-{document.version}-{ordinal}",
                document_id=document.id,
                kb_id=document.kb_id,
                ordinal=ordinal,
                text=text,
                heading_path=group.path if path is None else path,
                pages=tuple(pages) or (1,),
                bboxes=tuple(bboxes),
                char_span=span,
                kind=kind,
                record_id=record_id,
                document_name=document.name,
                metadata=document.metadata if metadata is None else metadata,
                access=document.kb_id,
            )
        )


def _ranges(units: Sequence[Unit]) -> list[tuple[int, int]]:
    """The places of the units; an entry of a list of codes together with what follows it up
    to the next entry, so that a remedy stays with its code."""
    entries = [not unit.is_heading and starts_entry(unit.block.text) for unit in units]
    if sum(entries) < 2:
        return [(unit.start, unit.end) for unit in units]
    found: list[tuple[int, int]] = []
    followers = _ENTRY_FOLLOWERS
    for unit, entry in zip(units, entries, strict=True):
        followers = 0 if entry else followers + 1
        if entry or unit.is_heading or followers > _ENTRY_FOLLOWERS:
            followers = followers if entry else _ENTRY_FOLLOWERS
            found.append((unit.start, unit.end))
        else:
            found[-1] = (found[-1][0], unit.end)
    return found


def _kind(group: Group, units: Sequence[Unit]) -> ChunkKind:
    if group.label is not None:
        return "clause"
    kinds = {unit.block.kind for unit in units if not unit.is_heading}
    if kinds == {"list"}:
        return "list"
    return "code" if kinds == {"code"} else "text"
