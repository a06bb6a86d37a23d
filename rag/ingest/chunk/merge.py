"""Puts tiny headed sections of one parent together: a document of scraps makes poor chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rag.ingest.chunk.sections import Group

TINY_TOKENS = 60
"""Sections below this length are tiny. Chosen by us: two sentences find little alone."""


def merge_tiny(found: Sequence[Group], length: Callable[[Group], int], limit: int) -> list[Group]:
    """The groups, with neighbouring tiny sections of one parent as one group of at most
    `limit` tokens, whose path is the parent's; their headings are part of its text.

    Articles, questions, records and tables stay apart.

    Args:
        length: of a group's text in tokens.
    """
    lengths = [length(group) if _may_merge(group) else TINY_TOKENS for group in found]
    merged: list[Group] = []
    open_ = False
    for group, tokens in zip(found, lengths, strict=True):
        if tokens < TINY_TOKENS and open_ and _same_parent(merged[-1], group):
            units = [*merged[-1].units, *group.units]
            both = Group(group.heading_path[:-1], None, units, merged=True)
            if length(both) <= limit:
                merged[-1] = both
                continue
        merged.append(group)
        open_ = tokens < TINY_TOKENS
    return merged


def _may_merge(group: Group) -> bool:
    units = group.units
    return (
        group.label is None
        and bool(group.heading_path)
        and bool(units)
        and units[0].is_heading
        and all(u.block.kind != "table" and u.block.record_id is None for u in units)
    )


def _same_parent(last: Group, group: Group) -> bool:
    parent = last.heading_path if last.merged else last.heading_path[:-1]
    return parent == group.heading_path[:-1]
