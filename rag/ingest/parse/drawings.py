"""Charts and diagrams (SmartArt) of office documents as tables and lists: part of parse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rag.ingest.parse.number_format import number_text
from rag.ingest.parse.ooxml import RELATION, A, Package
from rag.ingest.table import to_markdown
from rag.types import Block

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
"""Namespace of charts."""

_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_MAX_POINTS = 5000
_MAX_SERIES = 200
_MAX_DEPTH = 20
"""Bounds of one chart or diagram, chosen by us."""


def graphic_blocks(element: Any, package: Package, part: str, page: int = 1) -> list[Block]:
    """The charts and diagrams that an element shows.

    Args:
        element: the drawing or frame that refers to them.
        part: the name of the part that it is in.
        page: the number that the blocks get.
    """
    blocks: list[Block] = []
    for reference in element.iter(C + "chart"):
        root = package.optional(package.target(part, reference.get(RELATION + "id")))
        if root is not None:
            blocks.extend(chart_blocks(root, page))
    for reference in element.iter(_DIAGRAM + "relIds"):
        root = package.optional(package.target(part, reference.get(RELATION + "dm")))
        lines = [] if root is None else list(diagram_lines(root))
        if lines:
            blocks.append(Block(kind="list", text="\n".join(lines), page=page))
    return blocks


def chart_blocks(root: Any, page: int = 1) -> list[Block]:
    """A chart's title as a paragraph, and its values as a table with a column per series."""
    chart = root.find(C + "chart")
    if chart is None:
        return []
    blocks: list[Block] = []
    title = _rich_text(chart.find(C + "title"))
    names: list[str] = []
    columns: list[dict[int, str]] = []
    labels: dict[int, str] = {}
    for series in list(chart.iter(C + "ser"))[:_MAX_SERIES]:
        own = _points(series, "cat") or _points(series, "xVal")
        labels = {**own, **labels}
        names.append(" ".join(_points(series, "tx").values()) or f"系列{len(names) + 1}")
        columns.append(_points(series, "val") or _points(series, "yVal"))
    if not title and len(names) == 1:
        title = names[0]
    if title:
        blocks.append(Block(kind="paragraph", text=title, page=page))
    places = sorted({place for column in columns for place in column} | set(labels))
    rows = [("", *names)]
    for place in places[:_MAX_POINTS]:
        values = [column.get(place, "") for column in columns]
        rows.append((labels.get(place, str(place + 1)), *values))
    if len(rows) > 1 and names:
        blocks.append(
            Block(
                kind="table",
                text=to_markdown(rows),
                rows=tuple(rows),
                page=page,
                metadata={"chart": True},
            )
        )
    return blocks


def diagram_lines(root: Any) -> Iterator[str]:
    """The texts of a diagram as the lines of a nested list."""
    texts: dict[str, str] = {}
    roots: list[str] = []
    for point in root.iter(_DIAGRAM + "pt"):
        kind = point.get("type", "node")
        if kind in ("node", "asst"):
            texts[point.get("modelId")] = _rich_text(point)
        elif kind == "doc":
            roots.append(point.get("modelId"))
    below: dict[str, list[tuple[int, str]]] = {}
    for link in root.iter(_DIAGRAM + "cxn"):
        if link.get("type", "parOf") == "parOf" and link.get("destId") in texts:
            order = link.get("srcOrd", "0")
            place = int(order) if order.isdecimal() else 0
            below.setdefault(link.get("srcId"), []).append((place, link.get("destId")))
    shown: set[str] = set()

    def walk(key: str, depth: int) -> Iterator[str]:
        for _, child in sorted(below.get(key, ())):
            if child in shown or depth > _MAX_DEPTH:
                continue
            shown.add(child)
            text = texts[child]
            if text:
                yield "  " * depth + "- " + text
            yield from walk(child, depth + bool(text))

    for key in roots:
        yield from walk(key, 0)
    yield from (f"- {text}" for key, text in texts.items() if text and key not in shown)


def _points(series: Any, name: str) -> dict[int, str]:
    """The cached texts of one part of a series (names, labels, values) by their place."""
    holder = series.find(C + name)
    if holder is None:
        return {}
    found: dict[int, str] = {}
    single = holder.findtext(C + "v")
    if single is not None:
        return {0: single.strip()}
    for cache in holder.iter(C + "numCache", C + "strCache", C + "strLit", C + "numLit", C + "lvl"):
        code = cache.findtext(C + "formatCode") or "General"
        numeric = cache.tag in (C + "numCache", C + "numLit")
        for point in cache.findall(C + "pt"):
            place, value = point.get("idx", ""), (point.findtext(C + "v") or "").strip()
            if not place.isdecimal() or not value:
                continue
            text = _shown(value, code) if numeric else value
            # Labels of several levels come innermost first.
            before = found.get(int(place))
            found[int(place)] = f"{text}/{before}" if before and cache.tag == C + "lvl" else text
    return found


def _shown(value: str, code: str) -> str:
    try:
        number = float(value)
    except ValueError:
        return value
    from openpyxl.styles.numbers import is_date_format
    from openpyxl.utils.datetime import from_excel

    if not is_date_format(code):
        return number_text(number, code)
    try:
        return str(from_excel(number)).removesuffix(" 00:00:00")
    except (ValueError, OverflowError):
        return value


def _rich_text(element: Any | None) -> str:
    if element is None:
        return ""
    paragraphs = ("".join(t.text or "" for t in p.iter(A + "t")) for p in element.iter(A + "p"))
    cached = (v.text or "" for v in element.iter(C + "v"))
    return " ".join(text.strip() for text in (*paragraphs, *cached) if text.strip())
