"""Paragraph styles of Word documents: heading levels and numbering by inheritance."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from rag.ingest.parse.docx_numbering import W

_HEADING = re.compile(r"(?:heading|标题|見出し|überschrift)\s*([1-9])", re.IGNORECASE)
_TITLE = re.compile(r"title|标题|表題", re.IGNORECASE)
_CONTENTS = re.compile(r"toc\s*\d|toc heading|目录\s*\d?|目次\s*\d", re.IGNORECASE)
_MAX_CHAIN = 20
_WORD_SIZE = 20
"""Half points of letters where a document states none."""


@dataclass(frozen=True)
class Look:
    """What a paragraph's style and own properties say.

    `heading` is its level from 1, `contents` marks entries of the table of contents, `title`
    the document's own title. `size` is that of its letters in half points, 0 when unknown.
    """

    style: str
    heading: int | None = None
    list_id: str | None = None
    list_level: int | None = None
    contents: bool = False
    bold: bool = False
    title: bool = False
    size: int = 0
    centred: bool = False


class Styles:
    """The styles of one document.

    Args:
        root: the root element of styles.xml, or None when there is none.
    """

    def __init__(self, root: Any | None) -> None:
        self._styles: dict[str, Any] = {}
        self._default = ""
        for style in root.iter(W + "style") if root is not None else ():
            if style.get(W + "type") != "paragraph":
                continue
            key = style.get(W + "styleId") or ""
            self._styles[key] = style
            if style.get(W + "default") in ("1", "true"):
                self._default = key
        self._known: dict[str, Look] = {}
        default = root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr") if root is not None else None
        self._size = _size(default) or _WORD_SIZE

    def paragraph(self, element: Any) -> Look:
        """The look of a paragraph element."""
        properties = element.find(W + "pPr")
        style = self._default
        if properties is not None:
            style = _value(properties, "pStyle") or style
        inherited = self._look(style)
        own = _own(properties)
        list_id = inherited.list_id if own["list_id"] is None else own["list_id"]
        level = inherited.list_level
        if own["list_id"] is not None or own["list_level"] is not None:
            level = own["list_level"]
        heading = inherited.heading if own["heading"] is None else own["heading"]
        return Look(
            style=style,
            heading=heading if heading is None or 1 <= heading <= 9 else None,
            list_id=None if list_id in (None, "0") else list_id,
            list_level=level,
            contents=inherited.contents,
            bold=_all_bold(element, inherited.bold),
            title=inherited.title,
            size=_run_size(element) or inherited.size or self._size,
            centred=_centred(properties, inherited.centred),
        )

    def _look(self, key: str) -> Look:
        if key not in self._known:
            self._known[key] = self._resolve(key)
        return self._known[key]

    def _resolve(self, key: str) -> Look:
        """Follow the chain of styles; the nearest that says something wins."""
        heading: int | None = None
        list_id: str | None = None
        list_level: int | None = None
        contents = False
        bold: bool | None = None
        centred: bool | None = None
        size = 0
        current, steps = key, 0
        while current in self._styles and steps < _MAX_CHAIN:
            style = self._styles[current]
            name = _value(style, "name") or ""
            own = _own(style.find(W + "pPr"))
            if heading is None:
                heading = own["heading"] if own["heading"] is not None else _by_name(name)
            if list_id is None and own["list_id"] is not None:
                list_id, list_level = own["list_id"], own["list_level"]
            contents = contents or bool(_CONTENTS.match(name))
            mark = style.find(f"{W}rPr/{W}b")
            if bold is None and mark is not None:
                bold = _is_on(mark)
            size = size or _size(style.find(W + "rPr"))
            if centred is None and style.find(f"{W}pPr/{W}jc") is not None:
                centred = _centred(style.find(W + "pPr"), False)
            current, steps = _value(style, "basedOn") or "", steps + 1
        name = _value(self._styles[key], "name") or "" if key in self._styles else ""
        title = bool(_TITLE.fullmatch(name.strip()))
        return Look(
            key, heading, list_id, list_level, contents, bool(bold), title, size, bool(centred)
        )


def _by_name(name: str) -> int | None:
    match = _HEADING.fullmatch(name.strip())
    if match:
        return int(match[1])
    return 1 if _TITLE.fullmatch(name.strip()) else None


def _own(properties: Any | None) -> dict[str, Any]:
    """Outline level and list of one set of paragraph properties; None where it is silent."""
    found: dict[str, Any] = {"heading": None, "list_id": None, "list_level": None}
    if properties is None:
        return found
    outline = _value(properties, "outlineLvl")
    if outline is not None and outline.isdecimal():
        # Level 9 means body text and overrides an inherited heading level.
        found["heading"] = int(outline) + 1
    numbering = properties.find(W + "numPr")
    if numbering is not None:
        found["list_id"] = _value(numbering, "numId")
        level = _value(numbering, "ilvl")
        found["list_level"] = int(level) if level and level.isdecimal() and int(level) < 9 else None
        if found["list_id"] is not None and found["list_level"] is None:
            found["list_level"] = None if properties.getparent().tag == W + "style" else 0
    return found


def _all_bold(element: Any, inherited: bool) -> bool:
    """Whether all that is written is bold, by the runs themselves or by the style."""
    marks = [run.find(f"{W}rPr/{W}b") for run in _written(element)]
    return bool(marks) and all(inherited if mark is None else _is_on(mark) for mark in marks)


def _run_size(element: Any) -> int:
    """The size of most letters as the runs state it, 0 where they don't."""
    sizes: Counter[int] = Counter()
    for run in _written(element):
        sizes[_size(run.find(W + "rPr"))] += sum(len(t.text or "") for t in run.iter(W + "t"))
    return sizes.most_common(1)[0][0] if sizes else 0


def _written(element: Any) -> list[Any]:
    """The runs of a paragraph that hold text."""
    return [run for run in element.iter(W + "r") if any(t.text for t in run.iter(W + "t"))]


def _size(properties: Any | None) -> int:
    value = None if properties is None else _value(properties, "sz")
    return int(value) if value and value.isdecimal() else 0


def _centred(properties: Any | None, inherited: bool) -> bool:
    value = None if properties is None else _value(properties, "jc")
    return inherited if value is None else value == "center"


def _is_on(element: Any | None) -> bool:
    return element is not None and element.get(W + "val") not in ("0", "false")


def _value(element: Any, name: str) -> str | None:
    child = element.find(W + name)
    if child is None:
        return None
    value = child.get(W + "val")
    return None if value is None else str(value)
