"""Tables of documents and slides from their grids: titles above, headers joined. Part of parse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.ingest.parse.form import form_blocks
from rag.ingest.parse.grid_header import grid_header
from rag.ingest.table import is_banner, merge_header, to_markdown, trim
from rag.types import Block


def grid_blocks(
    texts: Sequence[Sequence[str]], depth: Sequence[int] = (), stated: int = 0, page: int = 1
) -> Iterator[Block]:
    """A table block whose first row is the header, behind a paragraph for each title row.

    Args:
        texts: the cells with merged ones filled; all rows equally long.
        depth: for each row how many rows its vertically merged cells reach down (from 1).
        stated: how many rows the document itself marks as header, 0 when it doesn't say.
        page: the number that the blocks get.
    """
    cells = trim(texts)
    form = form_blocks(cells, page=page) if cells and not stated else []
    if form:
        yield from form
        return
    first = 0
    while first < len(cells) - 2 and (is_banner(cells[first]) or not any(cells[first])):
        title = next((cell for cell in cells[first] if cell), "")
        if title:
            yield Block(kind="paragraph", text=title, page=page)
        first += 1
    found = grid_header(cells[first:], depth[first:])
    if stated - first > 1:
        cells[first:stated] = [merge_header(cells[first:stated])]
    elif found is not None and found.first == 0:
        cells[first : first + found.height] = [found.names]
    rows = cells[first:]
    if rows:
        table = tuple(map(tuple, rows))
        yield Block(kind="table", text=to_markdown(rows), rows=table, page=page)
