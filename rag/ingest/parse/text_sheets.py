"""Takes headers, footers and page numbers out of a text whose pages form feeds divide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.ingest.clean_running import (
    Peers,
    Said,
    is_caption,
    is_page_number,
    line_key,
    near_peers,
    stays,
)

_MIN_PAGES = 3
_EDGE_LINES = 2
"""Pages on which a line must stand, and lines from the edge that are looked at, to be taken
for a header or footer."""

_MIN_SHARE, _JUDGED_PAGES = 0.3, 12
_MAX_EDGE = 60
"""Share of the pages, of so many at most, with a header, and characters of the longest. Chosen
by us, like the above."""


def without_running(sheets: Sequence[Sequence[str]]) -> list[list[str]]:
    """The lines of each page without what repeats at the edges; what the rest of the text
    doesn't say stays on the first page that has it, without its page number."""
    repeated: dict[str, list[tuple[int, int]]] = {}
    doomed: set[tuple[int, int]] = set()
    for number, sheet in enumerate(sheets):
        for place in _edges(sheet):
            if is_page_number(sheet[place].strip()):
                doomed.add((number, place))
            elif not is_caption(sheet[place]):
                repeated.setdefault(line_key(sheet[place]), []).append((number, place))
    needed = max(_MIN_PAGES, _MIN_SHARE * min(len(sheets), _JUDGED_PAGES))
    groups = [kept for same in repeated.values() if (kept := _running(sheets, same, needed))]
    doomed |= {at for group in groups for at in group}
    # A page is never emptied: what fills it alone is its content.
    for number, sheet in enumerate(sheets):
        filled = {(number, n) for n, line in enumerate(sheet) if line.strip()}
        doomed -= filled if filled <= doomed else set()
    once = _said_once(sheets, groups, doomed)
    return [
        [
            once.get((number, n), line)
            for n, line in enumerate(sheet)
            if (number, n) not in doomed or (number, n) in once
        ]
        for number, sheet in enumerate(sheets)
    ]


def _running(
    sheets: Sequence[Sequence[str]], same: Sequence[tuple[int, int]], needed: float
) -> list[tuple[int, int]]:
    """The places of the lines that are one but for their page numbers on enough pages."""

    def times(index: int) -> int:
        number, place = same[index]
        line = sheets[number][place]
        near = near_peers(same, index)
        return len({n for n, m in near if stays(line, sheets[n][m], n - number)})

    return [at for index, at in enumerate(same) if times(index) >= needed]


def _said_once(
    sheets: Sequence[Sequence[str]],
    groups: Sequence[Sequence[tuple[int, int]]],
    doomed: set[tuple[int, int]],
) -> dict[tuple[int, int], str]:
    if not groups:
        return {}
    said = Said(
        line
        for number, sheet in enumerate(sheets)
        for n, line in enumerate(sheet)
        if (number, n) not in doomed
    )
    once: dict[tuple[int, int], str] = {}
    for group in groups:
        texts = [sheets[n][m] for n, m in group]
        peers = Peers(texts)
        seen: set[tuple[int, ...]] = set()
        for at, text in zip(group, texts, strict=True):
            mark = peers.lasting(text)
            told = peers.told(text)
            if mark not in seen and at in doomed and not said.says(told):
                once[at] = told
                said.add(told)
            seen.add(mark)
    return once


def _edges(sheet: Sequence[str]) -> Iterator[int]:
    filled = [n for n, line in enumerate(sheet) if line.strip()]
    for n in dict.fromkeys((*filled[:_EDGE_LINES], *filled[-_EDGE_LINES:])):
        if len(sheet[n].strip()) <= _MAX_EDGE and not sheet[n].rstrip().endswith(
            tuple("。；;，：:")
        ):
            yield n
