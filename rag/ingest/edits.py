"""Editors' changes to chunks: kept apart from the automatic cut and laid over it each time.

An edit names the automatic chunks that it replaces by keys that a later parse of the same
text gives again, so that it survives re-parsing; where a key is not found any more the edit
is reported as lost and kept, and it applies again as soon as the text is back.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from rag.errors import InvalidInput, NotFound
from rag.ingest.edit_rows import laid_over, merged_text
from rag.ingest.edit_steps import remembered, taken_over, without_last_step
from rag.text.readable import readable
from rag.types import Chunk, ChunkDraft, ChunkEdit

_TEXT_DIGITS = 16
_PLACE_DIGITS = 8
"""Hexadecimal digits of a key's two parts; chosen by us: 64 bits never collide within one
document, and the place only has to tell equal texts apart."""

LONGEST = 20_000
"""Characters of an edited chunk; chosen by us: forty times the usual length, and more than any
embedder or chat model reads of one passage."""

Edits = Sequence[ChunkEdit]


def chunk_key(chunk: Chunk) -> str:
    """What an automatic chunk is known by over re-parsing: its text, kind and heading path.

    "<16 hex digits of the text>.<8 hex digits of kind and path>"; white space doesn't count.
    `chunk_keys` numbers those that are repeated within a document.
    """
    kind = chunk.kind if chunk.indexed else f"{chunk.kind} parent"
    place = "\n".join((kind, *chunk.heading_path))
    return f"{_digest(' '.join(chunk.text.split()), _TEXT_DIGITS)}.{_digest(place, _PLACE_DIGITS)}"


def chunk_keys(chunks: Sequence[Chunk]) -> list[str]:
    """The key of each chunk of one document; the second with the same key ends in "#2"."""
    seen: Counter[str] = Counter()
    keys: list[str] = []
    for chunk in chunks:
        key = chunk_key(chunk)
        seen[key] += 1
        keys.append(key if seen[key] == 1 else f"{key}#{seen[key]}")
    return keys


def apply_edits(chunks: Sequence[Chunk], edits: Edits) -> tuple[list[Chunk], tuple[ChunkEdit, ...]]:
    """Lay edits over the automatic chunks of one document.

    Args:
        chunks: as `rag.ingest.chunk.chunk` returns them, in order.
        edits: of two that name the same chunk the later one counts.

    Returns:
        All chunks in order with `origin` set, ordinals, ids and parent ids counted anew (ids
        keep the form of the first chunk's), and the edits that match no chunks any more. What
        was changed in a piece is changed in the parents around it, too.
    """
    keyed = [chunk.model_copy(update={"origin": (key,)}) for chunk, key in _keyed(chunks)]
    places = _Places(keyed)
    taken: set[int] = set()
    chosen: dict[int, tuple[ChunkEdit, list[int]]] = {}
    lost: list[ChunkEdit] = []
    for edit in reversed(edits):
        indexes = places.find(edit.sources)
        if indexes is None or taken.intersection(indexes):
            lost.insert(0, edit)
            continue
        taken.update(indexes)
        chosen[indexes[0]] = (edit, indexes)
    return laid_over(keyed, chosen), tuple(lost)


# --- Builders: each returns the document's edits after one more change ----------------


def with_text(
    chunks: Sequence[Chunk],
    edits: Edits,
    chunk_id: str,
    text: str,
    *,
    by: str = "",
    at: datetime | None = None,
) -> tuple[ChunkEdit, ...]:
    """Give a chunk another text.

    Args:
        chunks: the document's chunks as they are now, all and in order.
        edits: its edits so far.
        by: who changed it; `at`: when.

    Raises:
        NotFound: there is no chunk with this id.
        InvalidInput: the text is blank or too long, or the chunk is a parent.
    """
    text = readable(text).strip()
    if not text:
        raise InvalidInput(
            "片段的文字不能为空。",
            "不想让它被检索时，请停用这个片段。",
            message_en="The text of a chunk cannot be empty.",
            remedy_en="Switch the chunk off if it should not be found.",
        )
    _require_length(text)
    target = _target(chunks, chunk_id)
    siblings = _siblings(chunks, target)
    place = _place(siblings, target)
    drafts = [_draft(chunk) for chunk in siblings]
    drafts[place] = _draft(target, text=text)
    return _replaced(edits, target.origin, drafts, (place,), by, at)


def with_switch(
    chunks: Sequence[Chunk],
    edits: Edits,
    chunk_id: str,
    enabled: bool,
    *,
    by: str = "",
    at: datetime | None = None,
) -> tuple[ChunkEdit, ...]:
    """Switch a chunk off or on again. Arguments and errors as for `with_text`."""
    target = _target(chunks, chunk_id)
    siblings = _siblings(chunks, target)
    place = _place(siblings, target)
    drafts = [_draft(chunk) for chunk in siblings]
    drafts[place] = _draft(target, enabled=enabled)
    return _replaced(edits, target.origin, drafts, (place,), by, at)


def with_split(
    chunks: Sequence[Chunk],
    edits: Edits,
    chunk_id: str,
    positions: Sequence[int],
    *,
    by: str = "",
    at: datetime | None = None,
) -> tuple[ChunkEdit, ...]:
    """Split a chunk at character positions of its text. Other arguments as for `with_text`.

    Raises:
        NotFound: there is no chunk with this id.
        InvalidInput: a position is outside, or a part would be blank.
    """
    target = _target(chunks, chunk_id)
    borders = [0, *sorted(set(positions)), len(target.text)]
    parts = [target.text[a:b].strip() for a, b in pairwise(borders)]
    inside = all(0 < position < len(target.text) for position in positions)
    if len(parts) < 2 or not inside or not all(parts):
        raise InvalidInput(
            "拆分的位置不正确：每一段都要有文字。",
            "请在片段的文字中间选择拆分位置。",
            message_en="The positions are wrong: each part needs some text.",
            remedy_en="Choose positions inside the text of the chunk.",
        )
    siblings = _siblings(chunks, target)
    place = _place(siblings, target)
    drafts = [_draft(chunk) for chunk in siblings]
    drafts[place : place + 1] = [_draft(target, text=part) for part in parts]
    made = tuple(range(place, place + len(parts)))
    return _replaced(edits, target.origin, drafts, made, by, at)


def with_merge(
    chunks: Sequence[Chunk],
    edits: Edits,
    chunk_ids: Sequence[str],
    *,
    by: str = "",
    at: datetime | None = None,
) -> tuple[ChunkEdit, ...]:
    """Make one chunk of neighbours; what the second repeats of the first (the overlap, a
    table's header) is there once. Other arguments as for `with_text`.

    Raises:
        NotFound: there is no chunk with one of these ids.
        InvalidInput: fewer than two chunks, they are not neighbours, or together too long.
    """
    wanted = {_target(chunks, chunk_id).id for chunk_id in chunk_ids}
    rows = [chunk for chunk in _with_origin(chunks) if chunk.indexed]
    places = [index for index, chunk in enumerate(rows) if chunk.id in wanted]
    if len(places) < 2 or places[-1] - places[0] + 1 != len(places):
        raise InvalidInput(
            "只能合并相邻的片段，至少两个。",
            "请选择前后相连的片段再合并。",
            message_en="Only neighbouring chunks can be merged, two at least.",
            remedy_en="Choose chunks that follow each other.",
        )
    chosen = [rows[index] for index in places]
    text = merged_text(chosen)
    _require_length(text)
    origins = dict.fromkeys(chunk.origin for chunk in chosen)
    drafts: list[ChunkDraft] = []
    place = 0
    for chunk in (row for row in rows if row.origin in origins):
        if chunk.id == chosen[0].id:
            enabled = any(each.enabled for each in chosen)
            place = len(drafts)
            drafts.append(ChunkDraft(text=text, enabled=enabled))
        elif chunk.id not in wanted:
            drafts.append(_draft(chunk))
    sources = tuple(key for origin in origins for key in origin)
    return _replaced(edits, sources, drafts, (place,), by, at)


def without_edit(chunks: Sequence[Chunk], edits: Edits, chunk_id: str) -> tuple[ChunkEdit, ...]:
    """Undo the last step that made a chunk what it is; steps before it stay, and so do those
    on its neighbours, unless it is they that the step made (the parts of a split).

    Raises:
        NotFound: there is no chunk with this id.
    """
    target = _target(chunks, chunk_id)
    place = _place(_siblings(chunks, target), target)
    return without_last_step(edits, target.origin, place)


def _require_length(text: str) -> None:
    if len(text) > LONGEST:
        raise InvalidInput(
            f"片段最多 {LONGEST} 字，现在有 {len(text)} 字。",
            "太长的片段检索不准，请分成几段。",
            message_en=f"A chunk has at most {LONGEST} characters; this one has {len(text)}.",
            remedy_en="Long chunks are hard to find; split it into several.",
        )


def _keyed(chunks: Sequence[Chunk]) -> list[tuple[Chunk, str]]:
    return list(zip(chunks, chunk_keys(chunks), strict=True))


def _digest(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


class _Places:
    """Finds the chunks that an edit names."""

    def __init__(self, keyed: Sequence[Chunk]) -> None:
        rows = [index for index, chunk in enumerate(keyed) if chunk.indexed]
        self._order = {index: place for place, index in enumerate(rows)}
        self._by_key = {keyed[index].origin[0]: index for index in rows}
        self._by_text: dict[str, list[int]] = {}
        for index in rows:
            self._by_text.setdefault(_text_part(keyed[index].origin[0]), []).append(index)

    def find(self, sources: Sequence[str]) -> list[int] | None:
        """Indexes of the chunks with these keys when they are neighbours in this order, else
        None. A text that stands elsewhere now (another heading above it) is found if there is
        only one such."""
        indexes: list[int] = []
        for key in sources:
            index = self._by_key.get(key)
            if index is None:
                same = self._by_text.get(_text_part(key), [])
                index = same[0] if len(same) == 1 else None
            if index is None or (indexes and self._order[index] != self._order[indexes[-1]] + 1):
                return None
            indexes.append(index)
        return indexes or None


def _text_part(key: str) -> str:
    return key.partition(".")[0]


def _with_origin(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks, each with an origin: its own key where none is recorded."""
    if all(chunk.origin for chunk in chunks):
        return list(chunks)
    return [
        chunk if chunk.origin else chunk.model_copy(update={"origin": (key,)})
        for chunk, key in _keyed(chunks)
    ]


def _target(chunks: Sequence[Chunk], chunk_id: str) -> Chunk:
    found = next((chunk for chunk in _with_origin(chunks) if chunk.id == chunk_id), None)
    if found is None:
        raise NotFound(
            "这个片段不存在，可能已被重新切分。",
            "请刷新页面后再试。",
            message_en="This chunk does not exist; the document may have been cut again.",
            remedy_en="Reload the page and try again.",
        )
    if not found.indexed:
        raise InvalidInput(
            "这是供回答阅读的上级段落，不能直接修改。",
            "请修改它下面的片段，上级段落会随之更新。",
            message_en="This is a parent passage and cannot be changed itself.",
            remedy_en="Change the chunks below it; the passage follows.",
        )
    return found


def _siblings(chunks: Sequence[Chunk], target: Chunk) -> list[Chunk]:
    """All results of the edit that a chunk comes from; only itself when there is none."""
    return [chunk for chunk in _with_origin(chunks) if chunk.origin == target.origin]


def _place(siblings: Sequence[Chunk], target: Chunk) -> int:
    return next(place for place, chunk in enumerate(siblings) if chunk.id == target.id)


def _draft(chunk: Chunk, *, text: str | None = None, enabled: bool | None = None) -> ChunkDraft:
    return ChunkDraft(
        text=chunk.text if text is None else text,
        enabled=chunk.enabled if enabled is None else enabled,
    )


def _replaced(
    edits: Edits,
    sources: tuple[str, ...],
    drafts: Sequence[ChunkDraft],
    made: tuple[int, ...],
    by: str,
    at: datetime | None,
) -> tuple[ChunkEdit, ...]:
    """The edits with one for these sources in place of those that it takes over; `made` are
    the places of the drafts that are new."""
    rest, before = taken_over(edits, sources)
    if len(sources) == len(drafts) == 1 and drafts[0].enabled:
        # Back to what the automatic chunk says: nothing is left to do.
        text = _digest(" ".join(drafts[0].text.split()), _TEXT_DIGITS)
        if text == _text_part(sources[0]):
            return rest
    edit = ChunkEdit(
        sources=sources,
        results=tuple(drafts),
        by=by,
        at=at,
        changed=made,
        before=remembered(before),
    )
    return (*rest, edit)
