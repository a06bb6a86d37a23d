"""Undoes single steps of editors' changes to chunks.

An edit that takes earlier ones over keeps them (`ChunkEdit.before`) and says which of its
results it made (`changed`). Undoing a chunk's last step leaves later steps on its neighbours,
which came from the same passage, as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import ChunkDraft, ChunkEdit

MOST_STEPS = 20
"""Steps that can be undone one by one; older ones go together. Chosen by us."""

Edits = tuple[ChunkEdit, ...]


def taken_over(edits: Sequence[ChunkEdit], sources: Sequence[str]) -> tuple[Edits, Edits]:
    """The edits without those whose chunks are all among the sources, and those."""
    inside = [set(edit.sources) <= set(sources) for edit in edits]
    rest = tuple(edit for edit, taken in zip(edits, inside, strict=True) if not taken)
    return rest, tuple(edit for edit, taken in zip(edits, inside, strict=True) if taken)


def remembered(before: Edits, depth: int = MOST_STEPS) -> Edits:
    """Edits as a later one keeps them: with no more than `depth` steps."""
    if depth <= 0:
        return ()
    return tuple(
        edit.model_copy(update={"before": remembered(edit.before, depth - 1)}) for edit in before
    )


def without_last_step(edits: Sequence[ChunkEdit], sources: Sequence[str], index: int) -> Edits:
    """The edits with the last step undone that made a chunk.

    Args:
        sources: the keys of the automatic chunks that it comes from.
        index: its place among the results of their edit.
    """
    rest, own = taken_over(edits, sources)
    return (*rest, *(_undone(own[-1], index) if own else ()))


def _undone(edit: ChunkEdit, index: int) -> Edits:
    """What takes the place of an edit when the last step that made one result is undone."""
    if not edit.changed or index in edit.changed:
        return edit.before
    # The last step was about a neighbour: undo an earlier one, and lay it over that again.
    groups = _groups(edit.before, edit.sources)
    first, made = edit.changed[0], len(edit.changed)
    replaced = sum(count for _, count in groups) - (len(edit.results) - made)
    place = index if index < first else index - made + replaced
    start, group, count = _group_at(groups, place)
    if group is None:
        return edit.before
    inside = place - start
    earlier = _undone(group, inside)
    before = tuple(other for other in edit.before if other is not group) + earlier
    low, high = max(first - start, 0), min(first + replaced - start, count)
    now = _groups(earlier, group.sources)
    shift = sum(each for _, each in now) - count if low > inside else 0
    if high - low == replaced:
        own, at = _group_at(now, low + shift)[1], low + shift - _group_at(now, low + shift)[0]
    else:
        own, at = (earlier[0] if len(now) == 1 and earlier else None), low + shift
    kept = () if own is None else own.results[at : at + max(high - low, 0)]
    if own is None or kept != group.results[low:high]:
        return before  # What it changed is gone with the step that was undone.
    results = edit.results[first : first + made]
    if high - low == replaced:
        laid = edit.model_copy(
            update={
                "sources": own.sources,
                "results": own.results[:at] + results + own.results[at + replaced :],
                "changed": tuple(range(at, at + made)),
                "before": (own,),
            }
        )
        return (*(other for other in before if other is not own), laid)
    drafts: list[ChunkDraft | None] = [
        *edit.results[:first],
        *[None] * replaced,
        *edit.results[first + made :],
    ]
    drafts[start : start + count] = [
        None if at <= number < at + high - low else draft
        for number, draft in enumerate(own.results)
    ]
    at = drafts.index(None)
    known = tuple(draft for draft in drafts if draft is not None)
    update = {
        "results": known[:at] + results + known[at:],
        "changed": tuple(range(at, at + made)),
        "before": before,
    }
    return (edit.model_copy(update=update),)


def _group_at(
    groups: Sequence[tuple[ChunkEdit | None, int]], place: int
) -> tuple[int, ChunkEdit | None, int]:
    """The group that a place counted over all of them lies in: its start, itself, its size."""
    start = 0
    for group, count in groups:
        if place < start + count:
            return start, group, count
        start += count
    return start, None, 0


def _groups(edits: Edits, sources: Sequence[str]) -> list[tuple[ChunkEdit | None, int]]:
    """What edits make of automatic chunks, in order: each edit with the number of its results,
    None for each chunk that none is about."""
    owners = {source: edit for edit in edits for source in edit.sources}
    groups: list[tuple[ChunkEdit | None, int]] = []
    for source in sources:
        owner = owners.get(source)
        if owner is None:
            groups.append((None, 1))
        elif not groups or groups[-1][0] is not owner:
            groups.append((owner, len(owner.results)))
    return groups
