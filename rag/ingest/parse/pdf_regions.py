"""Looks at pages whose reading order the rules can't tell: the layout model of complex pages.

The model (PP-Layout trained on CDLA, inside the package `rapid-layout`) sees a picture of the
page and boxes its texts, titles, tables and figures. It is asked only where lines stand side
by side and are neither columns nor a table.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import sys
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from rag.ingest.parse.pdf_borderless import is_form
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_items import Column, Item, Row
from rag.ingest.parse.pdf_order import reading_order, with_tables
from rag.ingest.parse.pdf_page import PageText, Segment
from rag.types import BBox

log = logging.getLogger(__name__)

_DPI = 100
_MIN_SCORE = 0.5
"""Resolution at which the model sees the page (it scales to 800×608 pixels itself), and the
least score of a box: the package's own default."""

_MIN_LOOSE = 5
_LOOSE_SHARE = 0.25
_LOOSE_GAP = 3.0
"""A page is unsure with so many lines, and this share of them, in which pieces stand apart by
the third (in font sizes). Chosen by us: half a per cent of ordinary pages is."""

_MARGIN = 0.06
"""Share of the page's height at its edges, where headers stand, that is not looked at."""

_SAME_SHARE = 0.7
"""Two boxes that share this much of the smaller one are the same. Chosen by us."""

_lock = threading.Lock()
_engines: list[Any] = []


class Region(NamedTuple):
    """What the model saw. `kind` is text, title, figure, figure_caption, table,
    table_caption, header, footer, reference or equation; `score` is 0..1."""

    kind: str
    bbox: BBox
    score: float


def is_unsure(text: PageText, tables: Sequence[FoundTable]) -> bool:
    """Whether the order of the page's texts is doubtful."""
    if len(text.segments) < 2 * _MIN_LOOSE:
        return False
    loose = total = 0
    margin = _MARGIN * text.height
    inside = [s for s in text.segments if margin < s.middle < text.height - margin]
    for column in reading_order(inside, tables):
        for row in with_tables(column.rows):
            if row.items[0].table is None:
                total += 1
                loose += _is_loose(row)
    return loose >= _MIN_LOOSE and loose >= _LOOSE_SHARE * total


def find_regions(page: Any, text: PageText) -> tuple[Region, ...]:
    """The regions of a `pymupdf.Page`, in its own coordinates; empty when the model isn't
    there or sees nothing. Takes .2 s of CPU time."""
    if importlib.util.find_spec("rapid_layout") is None:
        return ()
    import numpy as np

    picture = page.get_pixmap(dpi=_DPI, alpha=False)
    pixels = np.frombuffer(picture.samples, dtype=np.uint8)
    pixels = pixels.reshape(picture.height, picture.width, picture.n)[:, :, :3]
    try:
        with _lock:
            seen = _engine()(np.ascontiguousarray(pixels[:, :, ::-1]))
    except Exception:  # a model that fails must not cost the page its text
        log.exception("layout model failed on page %d", text.number)
        return ()
    if seen.boxes is None or len(seen.boxes) == 0:
        return ()
    scale = 72 / _DPI
    found = [
        Region(kind, (x0 * scale, y0 * scale, x1 * scale, y1 * scale), float(score))
        for (x0, y0, x1, y1), kind, score in zip(
            np.asarray(seen.boxes).tolist(), seen.class_names, seen.scores, strict=True
        )
        if score >= _MIN_SCORE
    ]
    return tuple(_distinct(found))


def columns_of_page(text: PageText, tables: Sequence[FoundTable]) -> list[Column]:
    """The columns of a page in the order in which they are read."""
    if text.regions:
        return _by_regions(text.segments, tables, text.regions)
    return reading_order(text.segments, tables)


def _by_regions(
    segments: Sequence[Segment], tables: Sequence[FoundTable], regions: Sequence[Region]
) -> list[Column]:
    """The columns of a page whose texts are gathered by the regions they stand in."""
    groups: dict[int, list[Segment]] = {}
    loose: list[Segment] = []
    for segment in segments:
        index = _around((segment.x0, segment.y0, segment.x1, segment.y1), regions)
        if index is None:
            loose.append(segment)
        else:
            groups.setdefault(index, []).append(segment)
    parts: list[tuple[BBox, list[Column]]] = []
    for inside in groups.values():
        parts.append((_box(inside), reading_order(inside, ())))
    for table in tables:
        item = Item(*table.bbox, table=table)
        row = Row([item], x0=item.x0, y0=item.y0, x1=item.x1, y1=item.y1)
        parts.append((table.bbox, [Column([row], item.x0, item.x1)]))
    for segment in loose:
        parts.append((_box([segment]), reading_order([segment], ())))
    return [column for _, columns in _sorted(parts) for column in columns]


def _engine() -> Any:
    """The model, loaded once a process."""
    if not _engines:
        package = importlib.import_module("rapid_layout")
        for name in [*sys.modules]:
            # Its loggers reset their levels whenever a part is built; filters stay.
            if name.startswith("rapid_layout"):
                logging.getLogger(name).addFilter(_is_warning)
        threads = {"intra_op_num_threads": 1, "inter_op_num_threads": 1}
        chosen = package.RapidLayoutInput(
            model_type=package.ModelType.PP_LAYOUT_CDLA, engine_cfg=threads
        )
        _engines.append(package.RapidLayout(chosen))
    return _engines[0]


def _is_warning(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING


def _is_loose(row: Row) -> bool:
    segments = [item.segment for item in row.items if item.segment is not None]
    texts = [segment.text.strip() for segment in segments]
    if len(segments) < 2 or is_form(FoundTable((0, 0, 0, 0), [texts], (0.0, 1.0))):
        return False
    return any(b.x0 - a.x1 > _LOOSE_GAP * a.size for a, b in pairwise(segments))


def _distinct(regions: Sequence[Region]) -> list[Region]:
    """The best of those that are the same."""
    kept: list[Region] = []
    for region in sorted(regions, key=lambda r: -r.score):
        if all(_shared(region.bbox, other.bbox) < _SAME_SHARE for other in kept):
            kept.append(region)
    return kept


def _shared(a: BBox, b: BBox) -> float:
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if wide <= 0 or high <= 0:
        return 0.0
    return wide * high / max(min(_area(a), _area(b)), 1e-6)


def _area(box: BBox) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _around(box: BBox, regions: Sequence[Region]) -> int | None:
    """The smallest region that the middle of the box lies in."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    inside = [
        index
        for index, region in enumerate(regions)
        if region.bbox[0] <= x <= region.bbox[2] and region.bbox[1] <= y <= region.bbox[3]
    ]
    return min(inside, key=lambda index: _area(regions[index].bbox), default=None)


def _box(segments: Sequence[Segment]) -> BBox:
    return (
        min(s.x0 for s in segments),
        min(s.y0 for s in segments),
        max(s.x1 for s in segments),
        max(s.y1 for s in segments),
    )


_Part = tuple[BBox, list[Column]]


def _sorted(parts: list[_Part]) -> Iterator[_Part]:
    """The parts in reading order: cut where a straight gutter runs through, down before
    across."""
    if len(parts) < 2:
        yield from parts
        return
    for low, high in ((0, 2), (1, 3)):
        groups = _cut(parts, low, high)
        if len(groups) > 1:
            for group in groups:
                yield from _sorted(group)
            return
    yield from sorted(parts, key=lambda part: (part[0][1], part[0][0]))


def _cut(parts: Sequence[_Part], low: int, high: int) -> list[list[_Part]]:
    """The parts in groups between which nothing stands, along one axis of their boxes."""
    groups: list[list[_Part]] = []
    reach = float("-inf")
    for part in sorted(parts, key=lambda part: part[0][low]):
        if part[0][low] >= reach - 1.0:
            groups.append([])
        groups[-1].append(part)
        reach = max(reach, part[0][high])
    return groups
