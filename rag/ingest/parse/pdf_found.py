"""A table as it was found on a PDF page, before its header and its neighbours are known."""

from __future__ import annotations

from dataclasses import dataclass, field

from rag.types import BBox


@dataclass(slots=True)
class FoundTable:
    """The cells of one page's part of a table, texts of merged cells in each place they cover.

    Attributes:
        bbox: in points from the page's top left corner.
        rows: equally long rows from top to bottom, titles and header among them.
        edges: the columns' edges from left to right in points, one more than columns.
        depth: for each row, how many rows its vertically merged cells reach down (from 1).
        across: for each row, whether it is one single cell.
        header: how many of the first rows a rule or a group title sets off as the header;
            0 when only the texts can tell.
        full: for each column, whether the last row's text ends at its cell's right edge, so
            that it may go on in the next page's first row.
        ruled: whether rules divide the columns.
    """

    bbox: BBox
    rows: list[list[str]]
    edges: tuple[float, ...]
    depth: list[int] = field(default_factory=list)
    across: list[bool] = field(default_factory=list)
    header: int = 0
    full: tuple[bool, ...] = ()
    ruled: bool = True

    def __post_init__(self) -> None:
        self.depth = self.depth or [1] * len(self.rows)
        self.across = self.across or [False] * len(self.rows)
        self.full = self.full or (False,) * (len(self.edges) - 1)
