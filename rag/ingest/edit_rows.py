"""Writes the chunks that editors' changes result in: texts, places, parents.

The second half of `rag.ingest.edits`, which finds out which chunks an edit is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rag.ingest.heading_path import common_path
from rag.types import Chunk, ChunkDraft, ChunkEdit, DocumentMetadata

_TABLE_RULE = re.compile(r"\|?[\s:|-]*---[\s:|-]*\|?")
_HEADER_LINES = 12
"""Lines from the top of a piece of a table among which its header ends; chosen by us."""


def laid_over(
    chunks: Sequence[Chunk], chosen: Mapping[int, tuple[ChunkEdit, list[int]]]
) -> list[Chunk]:
    """The chunks with edits in the place of those that they replace.

    Args:
        chunks: automatic chunks with `origin`.
        chosen: by the index of an edit's first chunk, the edit and the indexes of all of its.
    """
    replaced = {index: first for first, (_, indexes) in chosen.items() for index in indexes}
    changes = [
        (sources, edit.results)
        for edit, indexes in chosen.values()
        if _says_otherwise(sources := [chunks[index] for index in indexes], edit.results)
    ]
    parents = {chunk.id: chunk for chunk in chunks if not chunk.indexed}
    rows: list[Chunk] = []
    for index, chunk in enumerate(chunks):
        if not chunk.indexed:
            mended = _mended(chunk, changes)
            if mended is not None:
                rows.append(mended)
        elif index not in replaced:
            rows.append(chunk)
        elif index in chosen:
            edit, indexes = chosen[index]
            rows.extend(_results([chunks[i] for i in indexes], edit, parents))
    return _renumbered(rows)


def merged_text(chunks: Sequence[Chunk]) -> str:
    """The texts of neighbours as one: overlap and repeated table headers are there once. Titles
    of different records, which are no part of their texts, come before them."""
    titles = [_title_of_record(chunk) for chunk in chunks]
    if len(set(titles)) > 1:
        chunks = [
            chunk.model_copy(update={"text": f"{title}\n{chunk.text}"}) if title else chunk
            for chunk, title in zip(chunks, titles, strict=True)
        ]
    text = chunks[0].text
    last = chunks[0]
    for chunk in chunks[1:]:
        shared = last.char_span[1] - chunk.char_span[0]
        header = _shared_header(last, chunk)
        if header:
            text = f"{text}\n{chunk.text[header:].lstrip()}"
        elif 0 < shared < len(chunk.text) and text.endswith(chunk.text[:shared]):
            text += chunk.text[shared:]
        else:
            text = f"{text}\n\n{chunk.text}"
        last = chunk
    return text


def _title_of_record(chunk: Chunk) -> str:
    """What heads a record and is not in its text; "" for anything else."""
    title = chunk.metadata.title or ""
    of_record = chunk.kind == "record" and title in chunk.heading_path[-1:]
    return title if of_record and title not in chunk.text else ""


def _common_metadata(chunks: Sequence[Chunk]) -> DocumentMetadata:
    """What the chunks all say about themselves; a field that differs is unknown."""
    first = chunks[0].metadata
    same = {
        name: value
        for name in DocumentMetadata.model_fields
        if all(getattr(c.metadata, name) == (value := getattr(first, name)) for c in chunks)
    }
    return DocumentMetadata(**same)


def _shared_header(first: Chunk, second: Chunk) -> int:
    """Characters that a table's second piece repeats of its first: caption, header, rule."""
    if first.kind != "table" or second.kind != "table":
        return 0
    position = 0
    for line in second.text.split("\n")[:_HEADER_LINES]:
        position += len(line) + 1
        if _TABLE_RULE.fullmatch(line.strip()):
            end = min(position, len(second.text))
            header = second.text[:end].strip()
            return end if header in first.text else 0
    return 0


def _results(
    sources: Sequence[Chunk], edit: ChunkEdit, parents: Mapping[str, Chunk]
) -> Iterable[Chunk]:
    """The rows that an edit's chunks become."""
    first = sources[0]
    if len(sources) == len(edit.results) == 1 and edit.results[0].text == first.text:
        yield first.model_copy(update={"enabled": edit.results[0].enabled, "origin": edit.sources})
        return
    whole = (
        min(source.char_span[0] for source in sources),
        max(source.char_span[1] for source in sources),
    )
    kinds = {source.kind for source in sources}
    records = {source.record_id for source in sources}
    common = {
        "origin": edit.sources,
        "edited": True,
        "questions": (),
        "heading_path": common_path(source.heading_path for source in sources),
        "pages": tuple(sorted({page for source in sources for page in source.pages})) or (1,),
        "bboxes": tuple(dict.fromkeys(box for source in sources for box in source.bboxes)),
        "kind": first.kind if len(kinds) == 1 else "text",
        "record_id": first.record_id if len(records) == 1 else None,
        "metadata": _common_metadata(sources),
        "parent_id": _parent_of(sources, whole, parents, edit.results),
    }
    position = 0
    for draft in edit.results:
        span, position = _span(first, draft, position) if len(sources) == 1 else (whole, 0)
        yield first.model_copy(
            update={**common, "text": draft.text, "enabled": draft.enabled, "char_span": span}
        )


def _span(source: Chunk, draft: ChunkDraft, position: int) -> tuple[tuple[int, int], int]:
    """Where a part of one chunk stands in the document's plain text, the chunk's own place
    when the part was reworded; and where the search for the next part begins."""
    start, end = source.char_span
    at = source.text.find(draft.text, position)
    if at < 0 or len(source.text) != end - start:
        return source.char_span, position
    return (start + at, start + at + len(draft.text)), at + len(draft.text)


def _parent_of(
    sources: Sequence[Chunk],
    whole: tuple[int, int],
    parents: Mapping[str, Chunk],
    results: Sequence[ChunkDraft],
) -> str | None:
    """The parent that the results are read as: the first that holds all of their text, None
    when it would not say what the editor wrote."""
    for source in sources:
        parent = parents.get(source.parent_id or "")
        if parent is None or not (
            parent.char_span[0] <= whole[0] and whole[1] <= parent.char_span[1]
        ):
            continue
        if _place_in(parent, source) is not None or not _says_otherwise(sources, results):
            return parent.id
    return None


# --- Parents --------------------------------------------------------------------------


def _says_otherwise(sources: Sequence[Chunk], results: Sequence[ChunkDraft]) -> bool:
    """Whether the results hold other words than the chunks did, rather than other borders."""
    before = merged_text(sources)
    after = "".join(draft.text for draft in results if draft.enabled)
    return "".join(before.split()) != "".join(after.split())


def _place_in(parent: Chunk, source: Chunk) -> tuple[int, int] | None:
    """Where a chunk's text stands in its parent's, None when it doesn't."""
    offset = source.char_span[0] - parent.char_span[0]
    if offset < 0:
        return None
    end = offset + len(source.text)
    return (offset, end) if parent.text[offset:end] == source.text else None


def _mended(
    parent: Chunk, changes: Iterable[tuple[Sequence[Chunk], Sequence[ChunkDraft]]]
) -> Chunk | None:
    """A parent with the changes of the pieces in it; None when nothing is left of it."""
    places: list[tuple[int, int, str]] = []
    for sources, results in changes:
        found = [place for source in sources if (place := _place_in(parent, source)) is not None]
        text = "\n\n".join(draft.text for draft in results if draft.enabled)
        for number, (start, end) in enumerate(found):
            places.append((start, end, text if number == 0 else ""))
    if not places:
        return parent
    text = parent.text
    for start, end, new in sorted(places, reverse=True):
        text = text[:start] + new + text[end:]
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return parent.model_copy(update={"text": text, "edited": True}) if text else None


def _renumbered(rows: Sequence[Chunk]) -> list[Chunk]:
    """Ordinals, ids and parent ids counted anew."""
    ids: dict[str, str] = {}
    for ordinal, row in enumerate(rows):
        if not row.indexed:
            ids[row.id] = f"{row.id.rpartition('-')[0]}-{ordinal}"
    return [
        row.model_copy(
            update={
                "id": f"{row.id.rpartition('-')[0]}-{ordinal}",
                "ordinal": ordinal,
                "parent_id": ids.get(row.parent_id) if row.parent_id else None,
            }
        )
        for ordinal, row in enumerate(rows)
    ]
