"""Shapes of a slide with their places, in reading order: part of the parse step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rag.ingest.parse.ooxml import MC, A, alternatives

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
"""Namespace of presentations."""

EMU_PER_POINT = 12700
_MAX_DEPTH = 20
_SHRINK = 0.06
"""Share of its size that a shape loses at each side before gaps are looked for: boxes are
drawn larger than their text and overlap a little. Chosen by us."""

Box = tuple[float, float, float, float]


class Place(NamedTuple):
    """How the coordinates of a group map to those of the slide."""

    scale_x: float = 1.0
    scale_y: float = 1.0
    shift_x: float = 0.0
    shift_y: float = 0.0

    def box(self, transform: Any | None) -> Box | None:
        """The box of a shape on the slide, in points."""
        numbers = _numbers(transform)
        if numbers is None:
            return None
        x, y, width, height = numbers
        left, top = x * self.scale_x + self.shift_x, y * self.scale_y + self.shift_y
        right, bottom = left + width * self.scale_x, top + height * self.scale_y
        return (
            left / EMU_PER_POINT,
            top / EMU_PER_POINT,
            right / EMU_PER_POINT,
            bottom / EMU_PER_POINT,
        )

    def inside(self, transform: Any | None) -> Place:
        """The place of what is inside a group with this transform."""
        outer = _numbers(transform)
        inner = _numbers(transform, "chOff", "chExt")
        if outer is None or inner is None or not inner[2] or not inner[3]:
            return self
        x, y, width, height = outer
        child_x, child_y, child_width, child_height = inner
        across, down = width / child_width, height / child_height
        return Place(
            self.scale_x * across,
            self.scale_y * down,
            self.shift_x + self.scale_x * (x - child_x * across),
            self.shift_y + self.scale_y * (y - child_y * down),
        )


@dataclass(frozen=True)
class Shape:
    """A shape that may show something, or a group of them.

    `kind` is the element's name (sp, pic, graphicFrame, grpSp), `role` its placeholder type
    ("" for none; "obj" for one of the body without a type), `box` its place in points.
    """

    element: Any
    kind: str
    role: str = ""
    box: Box | None = None
    members: tuple[Shape, ...] = ()


def shapes_of(tree: Any, inherited: Sequence[Any]) -> list[Shape]:
    """The shapes below a shape tree, in the order in which they are drawn.

    Args:
        inherited: the shape trees of the layout and the master, from which placeholders take
            the place that they don't state.
    """
    places = [_placeholders(other) for other in inherited]
    return list(_walk(tree, Place(), places, 0))


def reading_order(shapes: Sequence[Shape]) -> list[Shape]:
    """Shapes as they are read: cut at the widest gap into columns or rows, again and again;
    what cannot be cut goes from the top left by rows. Shapes without a place come last."""
    placed = [shape for shape in shapes if shape.box is not None]
    return [*_cut(placed, 0), *(shape for shape in shapes if shape.box is None)]


def placeholder_key(element: Any) -> tuple[str, str] | None:
    """Type and index of a placeholder, None for other shapes."""
    found = next(element.iter(P + "ph"), None)
    if found is None:
        return None
    return found.get("type") or "obj", found.get("idx") or "0"


def _walk(
    tree: Any, place: Place, inherited: Sequence[dict[tuple[str, str], Any]], depth: int
) -> Iterator[Shape]:
    if depth > _MAX_DEPTH:
        return
    for child in tree:
        if child.tag == MC + "AlternateContent":
            yield from _walk(alternatives(child), place, inherited, depth + 1)
            continue
        kind = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        if kind not in ("sp", "pic", "graphicFrame", "grpSp") or _is_hidden(child):
            continue
        if kind == "grpSp":
            transform = child.find(f"{P}grpSpPr/{A}xfrm")
            inner = place.inside(transform)
            members = tuple(_walk(child, inner, inherited, depth + 1))
            if members:
                yield Shape(child, kind, box=_around(members), members=members)
            continue
        key = placeholder_key(child)
        box = place.box(_transform(child, kind))
        if box is None and key is not None:
            box = _inherited_box(key, inherited)
        yield Shape(child, kind, "" if key is None else key[0], box)


def _transform(element: Any, kind: str) -> Any | None:
    if kind == "graphicFrame":
        return element.find(P + "xfrm")
    return element.find(f"{P}spPr/{A}xfrm")


def _is_hidden(element: Any) -> bool:
    for about in element.iter(P + "cNvPr"):
        return about.get("hidden") in ("1", "true")
    return False


def _placeholders(tree: Any) -> dict[tuple[str, str], Any]:
    found: dict[tuple[str, str], Any] = {}
    for element in tree.iter(P + "sp", P + "pic"):
        key = placeholder_key(element)
        if key is not None:
            found[key] = element
    return found


def _inherited_box(
    key: tuple[str, str], inherited: Sequence[dict[tuple[str, str], Any]]
) -> Box | None:
    kind, index = key
    for placeholders in inherited:
        # The index ties a placeholder to its layout, the type to the master.
        by_index = [e for (_, i), e in placeholders.items() if i == index and index != "0"]
        by_kind = [e for (k, _), e in placeholders.items() if _is_same_kind(k, kind)]
        for element in (placeholders.get(key), *by_index, *by_kind):
            box = None if element is None else Place().box(element.find(f"{P}spPr/{A}xfrm"))
            if box is not None:
                return box
    return None


def _is_same_kind(one: str, other: str) -> bool:
    alike = {"ctrTitle": "title", "subTitle": "body", "obj": "body"}
    return alike.get(one, one) == alike.get(other, other)


def _numbers(
    transform: Any | None, offset: str = "off", extent: str = "ext"
) -> tuple[float, float, float, float] | None:
    if transform is None:
        return None
    off, ext = transform.find(A + offset), transform.find(A + extent)
    if off is None or ext is None:
        return None
    try:
        return (
            float(off.get("x")),
            float(off.get("y")),
            float(ext.get("cx")),
            float(ext.get("cy")),
        )
    except (TypeError, ValueError):
        return None


def _around(members: Sequence[Shape]) -> Box | None:
    boxes = [member.box for member in members if member.box is not None]
    if not boxes:
        return None
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _cut(shapes: list[Shape], depth: int) -> list[Shape]:
    if len(shapes) < 2 or depth > _MAX_DEPTH:
        return shapes
    across, column = _widest_gap(shapes, 0)
    down, row = _widest_gap(shapes, 1)
    if across <= 0 and down <= 0:
        return _by_rows(shapes)
    axis, border = (0, column) if across > down else (1, row)
    first = [shape for shape in shapes if _middle(shape, axis) < border]
    rest = [shape for shape in shapes if _middle(shape, axis) >= border]
    return [*_cut(first, depth + 1), *_cut(rest, depth + 1)]


def _widest_gap(shapes: Sequence[Shape], axis: int) -> tuple[float, float]:
    """Width and middle of the widest gap between shapes along an axis; 0 without one."""
    spans = []
    for shape in shapes:
        assert shape.box is not None
        low, high = shape.box[axis], shape.box[axis + 2]
        inset = (high - low) * _SHRINK
        spans.append((low + inset, high - inset))
    spans.sort()
    widest, middle, reach = 0.0, 0.0, spans[0][1]
    for low, high in spans[1:]:
        if low - reach > widest:
            widest, middle = low - reach, (low + reach) / 2
        reach = max(reach, high)
    return widest, middle


def _middle(shape: Shape, axis: int) -> float:
    assert shape.box is not None
    return (shape.box[axis] + shape.box[axis + 2]) / 2


def _by_rows(shapes: Sequence[Shape]) -> list[Shape]:
    """From the top, shapes whose middles are level from the left."""
    rows: list[list[Shape]] = []
    for shape in sorted(shapes, key=lambda shape: _middle(shape, 1)):
        last = rows[-1][0].box if rows else None
        if last is not None and last[1] <= _middle(shape, 1) <= last[3]:
            rows[-1].append(shape)
        else:
            rows.append([shape])
    return [s for row in rows for s in sorted(row, key=lambda shape: _middle(shape, 0))]
