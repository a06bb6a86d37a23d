"""Paths of headings, outermost first."""

from __future__ import annotations

from collections.abc import Iterable


def common_path(paths: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all of some paths begin with; () for none."""
    common: list[str] = []
    for names in zip(*paths, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    return tuple(common)
