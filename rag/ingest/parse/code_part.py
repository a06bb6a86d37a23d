"""A named piece of source code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A definition: half-open range of lines from 0, what it is ("class", "def", "" for a
    plain function) and the definitions inside it."""

    name: str
    start: int
    end: int
    kind: str = ""
    children: tuple[Part, ...] = ()
