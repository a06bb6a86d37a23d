"""The visible content of a Word paragraph: text, and what hangs on it. Part of parse."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from rag.ingest.parse.docx_math import M, math_text
from rag.ingest.parse.docx_numbering import W
from rag.ingest.parse.ooxml import MC, RELATION, A, alternatives

_C_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_IMAGE_DATA = "{urn:schemas-microsoft-com:vml}imagedata"
_OLE = "{urn:schemas-microsoft-com:office:office}OLEObject"
_MAX_DEPTH = 60
_SKIPPED = {
    W + name
    for name in (
        "pPr", "rPr", "del", "moveFrom", "delText", "sectPr", "tblPr", "rt", "sdtPr",
        "footnotePr", "endnotePr",
    )
}  # fmt: skip
_CHARACTERS = {W + "tab": "\t", W + "br": "\n", W + "cr": "\n", W + "noBreakHyphen": "-"}
_SUPERSCRIPT = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_SUBSCRIPT = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_SCRIPT_TEXT = re.compile(r"[0-9+\-−=()n]{1,4}")
_SYMBOLS = {
    # Wingdings and Wingdings 2: the marks of forms and lists.
    "6F": "□", "A8": "□", "71": "□", "72": "□", "FE": "☑", "FD": "☒", "FC": "✓", "FB": "✗",
    "52": "☑", "54": "☒", "50": "✓", "51": "☒", "A3": "□", "2A": "□", "E0": "→", "E8": "→",
    "6C": "●", "9F": "•", "A7": "▪", "6E": "■", "75": "◆", "D8": "➢", "76": "❖", "77": "◆",
}  # fmt: skip
_CONTENTS_FIELD = re.compile(r"\s*TOC\b", re.IGNORECASE)
_LEADER = re.compile(r"(?:\t|[.．·•…‥]{3,}|\s{4,})\s*[\divxlcIVXLC]{1,4}\s*$")
_ENDS_WITH_NUMBER = re.compile(r"[\divxlc]{1,4}\s*$", re.IGNORECASE)


@dataclass
class Content:
    """What a paragraph shows.

    `boxes` are its text boxes, `pictures` and `objects` the relation ids of pictures and
    embedded files, `graphics` its references to charts and diagrams, `notes` its references
    to notes as (kind, id). `contents` says that it is an entry of the table of contents,
    `leader` that it looks like one.
    """

    text: str = ""
    boxes: list[Any] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    graphics: list[Any] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    contents: bool = False
    leader: bool = False


class Collector:
    """Reads paragraph by paragraph in document order; fields and note numbers span them."""

    def __init__(self) -> None:
        self._fields: list[str] = []
        self._found = Content()
        self._parts: list[str] = []
        self._linked = False
        self._noted: dict[tuple[str, str], int] = {}

    def read(self, element: Any) -> Content:
        """The content of a paragraph element."""
        self._found, self._parts, self._linked = Content(), [], False
        within = self._in_contents()
        self._collect(element, 0)
        raw = "".join(self._parts)
        found = self._found
        found.text = tidy(raw)
        found.leader = bool(_LEADER.search(raw.rstrip("\n")))
        within = within or self._in_contents()
        numbered = bool(_ENDS_WITH_NUMBER.search(raw))
        found.contents = (within and (numbered or self._linked)) or (self._linked and numbered)
        return found

    def note_number(self, kind: str, note_id: str) -> int:
        """The number, from 1, of a note of a kind ("footnote" or "endnote")."""
        key = (kind, note_id)
        if key not in self._noted:
            self._noted[key] = sum(1 for other, _ in self._noted if other == kind) + 1
        return self._noted[key]

    def _in_contents(self) -> bool:
        return any(_CONTENTS_FIELD.match(code) for code in self._fields)

    def _collect(self, element: Any, depth: int) -> None:
        if depth > _MAX_DEPTH:
            return
        for child in element:
            tag = child.tag
            if not isinstance(tag, str) or tag in _SKIPPED:
                continue
            if tag == W + "t":
                self._parts.append(child.text or "")
            elif tag == W + "r":
                self._run(child, depth)
            elif tag in _CHARACTERS:
                page = child.get(W + "type") in ("page", "column")
                self._parts.append("\n" if page else _CHARACTERS[tag])
            elif tag == MC + "AlternateContent":
                self._collect(alternatives(child), depth + 1)
            elif tag in (M + "oMath", M + "oMathPara"):
                self._parts.append(_equation(child))
            elif not self._reference(child, tag) and not _is_placeholder(child):
                self._collect(child, depth + 1)

    def _run(self, run: Any, depth: int) -> None:
        properties = run.find(W + "rPr")
        if properties is not None and _is_on(properties.find(W + "vanish")):
            return
        before = len(self._parts)
        self._collect(run, depth + 1)
        align = None if properties is None else properties.find(W + "vertAlign")
        position = None if align is None else align.get(W + "val")
        text = "".join(self._parts[before:])
        if position in ("superscript", "subscript") and _SCRIPT_TEXT.fullmatch(text):
            # 10⁵ is not 105, and m² is not m2.
            table = _SUPERSCRIPT if position == "superscript" else _SUBSCRIPT
            self._parts[before:] = [text.translate(table)]

    def _reference(self, element: Any, tag: str) -> bool:
        """Note what an element refers to; whether that is all there is to it."""
        found = self._found
        if tag == W + "instrText":
            if self._fields:
                self._fields[-1] += element.text or ""
            if "_Toc" in (element.text or ""):
                self._linked = True
        elif tag == W + "fldChar":
            self._field(element)
        elif tag == W + "txbxContent":
            found.boxes.append(element)
        elif tag == W + "sym":
            self._parts.append(_symbol(element))
        elif tag in (W + "footnoteReference", W + "endnoteReference"):
            kind = "footnote" if tag == W + "footnoteReference" else "endnote"
            note_id = element.get(W + "id") or ""
            found.notes.append((kind, note_id))
            if not _is_on_value(element.get(W + "customMarkFollows")):
                self._parts.append(note_mark(kind, self.note_number(kind, note_id)))
        elif tag in (_C_CHART, _DIAGRAM):
            found.graphics.append(element)
        elif tag == _OLE:
            found.objects.append(element.get(RELATION + "id") or "")
        elif tag == A + "blip":
            found.pictures.append(element.get(RELATION + "embed") or "")
        elif tag == _IMAGE_DATA:
            found.pictures.append(element.get(RELATION + "id") or "")
        else:
            if tag == W + "hyperlink" and (element.get(W + "anchor") or "").startswith("_Toc"):
                self._linked = True
            if tag == W + "fldSimple" and _CONTENTS_FIELD.match(element.get(W + "instr") or ""):
                self._linked = True
            return False
        return True

    def _field(self, element: Any) -> None:
        kind = element.get(W + "fldCharType")
        if kind == "begin":
            self._fields.append("")
            box = element.find(f"{W}ffData/{W}checkBox")
            if box is not None:
                state = box.find(W + "checked")
                if state is None:
                    state = box.find(W + "default")
                self._parts.append("☑" if _is_on(state) else "□")
        elif kind == "end" and self._fields:
            self._fields.pop()


def tidy(text: str) -> str:
    """Lines without outer blanks; tabs become one blank."""
    lines = (re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def note_mark(kind: str, number: int) -> str:
    """How a note is referred to: "[注1]"."""
    return f"[{'注' if kind == 'footnote' else '尾注'}{number}]"


def _equation(element: Any) -> str:
    text = math_text(element).strip()
    return f" {text} " if len(text) > 1 else text


def _symbol(element: Any) -> str:
    code = (element.get(W + "char") or "").upper()
    font = (element.get(W + "font") or "").lower()
    if "wingdings" in font or "webdings" in font:
        return _SYMBOLS.get(code[-2:], "•")
    if code.startswith("F0"):
        return chr(int(code[-2:], 16)) if _is_ascii(code[-2:]) and "symbol" not in font else "•"
    return chr(int(code, 16)) if re.fullmatch(r"[0-9A-F]{4,5}", code) else ""


def _is_ascii(code: str) -> bool:
    return re.fullmatch(r"[2-7][0-9A-F]", code) is not None and code != "7F"


def _is_placeholder(element: Any) -> bool:
    """Whether a content control still shows its invitation to type."""
    return element.tag == W + "sdt" and element.find(f"{W}sdtPr/{W}showingPlcHdr") is not None


def _is_on(element: Any | None) -> bool:
    return element is not None and element.get(W + "val") not in ("0", "false", "off")


def _is_on_value(value: str | None) -> bool:
    return value is not None and value not in ("0", "false", "off")
