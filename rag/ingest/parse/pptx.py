"""PPTX: a page per slide, shapes in reading order, with tables, charts, pictures and notes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from rag.errors import CorruptDocument, DocumentError
from rag.ingest.archive import damaged
from rag.ingest.parse.drawings import graphic_blocks
from rag.ingest.parse.ooxml import RELATION, A, Package, core_title
from rag.ingest.parse.pictures import Pictures
from rag.ingest.parse.pptx_shapes import (
    EMU_PER_POINT,
    P,
    Shape,
    placeholder_key,
    reading_order,
    shapes_of,
)
from rag.ingest.parse.pptx_text import body_block, body_text, letter_size, table_blocks
from rag.settings import IngestSettings
from rag.types import Block, Page

_USUAL_MAIN = "ppt/presentation.xml"
_USUAL_SLIDE = "ppt/slides/slide1.xml"
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("sldNum", "dt", "ftr", "hdr", "sldImg")
_BULLETED = ("body", "obj")
_TITLE_HEIGHT = 0.28
_TITLE_SIZE = 20.0
_TITLE_LENGTH = 40
"""Where a title without a placeholder stands (share of the slide's height from the top), how
large (points) and how long (characters) it is; chosen by us."""

_SIZE = (720.0, 540.0)
"""Width and height of a slide in points where the presentation states none."""


def parse_pptx(
    source: Path | IO[bytes],
    settings: IngestSettings,
    progress: Callable[[float], None] | None = None,
) -> tuple[tuple[Page, ...], str | None, tuple[str, ...]]:
    """A page per slide, those of hidden ones empty and flagged so, the title among the file's
    properties when it has one, and flags.

    Titles are headings: the presentation's own of level 1, those of slides below it.

    Raises:
        CorruptDocument: the presentation cannot be read.
    """
    with Package(source) as package:
        main = package.main(_USUAL_MAIN)
        root = package.part(main)
        slides = _slides(package, main, root)
        reader = _Reader(package, settings, _size(root), progress)
        pages: list[Page] = []
        for position, name in enumerate(slides):
            reader.report(position / len(slides))
            if name is None:
                pages.append(Page(number=position + 1, flags=("failed_page",)))
                continue
            pages.append(reader.page(name, position + 1))
        title = core_title(package)
        flags = ("repaired",) if package.repaired else ()
    return tuple(pages), title, flags


def _slides(package: Package, main: str, root: Any) -> list[str | None]:
    """The slides' parts in order; None for those that are missing. Empty without slides."""
    found = [
        package.target(main, reference.get(RELATION + "id")) for reference in root.iter(P + "sldId")
    ]
    if not found:
        found = list(package.related(main, "slide"))
    if not found and package.has(_USUAL_SLIDE):
        raise damaged(f"{main} names none of its slides")
    return found


def _size(root: Any) -> tuple[float, float]:
    size = root.find(P + "sldSz")
    try:
        return float(size.get("cx")) / EMU_PER_POINT, float(size.get("cy")) / EMU_PER_POINT
    except (AttributeError, TypeError, ValueError):
        return _SIZE


class _Reader:
    """Turns slides into pages; keeps where in the presentation it is."""

    def __init__(
        self,
        package: Package,
        settings: IngestSettings,
        size: tuple[float, float],
        progress: Callable[[float], None] | None,
    ) -> None:
        self._package = package
        self._progress = progress
        self._share = 0.0
        self._pictures = Pictures(settings, lambda: self.report(self._share))
        self._width, self._height = size
        self._titled = False
        self._in_section = False

    def report(self, share: float) -> None:
        """Say how far the work is; may raise to stop it."""
        self._share = share
        if self._progress is not None:
            self._progress(share)

    def page(self, name: str, number: int) -> Page:
        """The page of a slide, flagged where something of it could not be read."""
        empty = Page(number=number, width=self._width, height=self._height)
        try:
            slide = self._package.part(name)
        except CorruptDocument:
            return empty.model_copy(update={"flags": ("failed_page",)})
        if slide.get("show") in ("0", "false"):
            return empty.model_copy(update={"flags": ("hidden_slide",)})
        tree = slide.find(f"{P}cSld/{P}spTree")
        layout = next(iter(self._package.related(name, "slideLayout")), None)
        self._pictures.flags.clear()
        shapes = [] if tree is None else shapes_of(tree, self._inherited(layout))
        title = _title_of(shapes, self._height)
        blocks = list(self._title_blocks(title, number, self._layout_kind(layout)))
        for background in slide.iterfind(f"{P}cSld/{P}bg"):
            blocks.extend(self._picture_blocks(background, name, number))
        rest = [shape for shape in shapes if shape is not title]
        blocks.extend(self._shape_blocks(rest, name, number, title))
        blocks.extend(self._notes(name, number))
        flags = list(self._pictures.flags)
        if not blocks and not flags:
            flags.append("blank")
        return empty.model_copy(update={"blocks": tuple(blocks), "flags": tuple(flags)})

    def _inherited(self, layout: str | None) -> list[Any]:
        """The shape trees of a slide's layout and master."""
        if layout is None:
            return []
        masters = self._package.related(layout, "slideMaster")
        parts = [self._package.optional(name) for name in (layout, *masters[:1])]
        trees = [part.find(f"{P}cSld/{P}spTree") for part in parts if part is not None]
        return [tree for tree in trees if tree is not None]

    def _layout_kind(self, layout: str | None) -> str:
        part = self._package.optional(layout)
        return "" if part is None else part.get("type") or ""

    def _title_blocks(self, title: Shape | None, number: int, layout: str) -> Iterator[Block]:
        body = None if title is None else title.element.find(P + "txBody")
        text = "" if body is None else " ".join(body_text(body).split("\n"))
        if title is None or not text:
            return
        opens = number == 1 and (title.role == "ctrTitle" or layout == "title")
        if opens:
            self._titled = True
            level = 1
        elif layout == "secHead":
            self._in_section = True
            level = 1 + self._titled
        else:
            level = 1 + self._titled + self._in_section
        about = {"title": True} if opens else {}
        yield Block(
            kind="heading", text=text, level=level, page=number, bbox=title.box, metadata=about
        )

    def _shape_blocks(
        self, shapes: Sequence[Shape], name: str, number: int, title: Shape | None
    ) -> Iterator[Block]:
        for shape in reading_order(shapes):
            if shape is title or shape.role in _FURNITURE:
                continue
            if shape.kind == "grpSp":
                yield from self._shape_blocks(shape.members, name, number, title)
                continue
            for block in self._blocks(shape, name, number):
                yield block if shape.box is None else block.model_copy(update={"bbox": shape.box})

    def _blocks(self, shape: Shape, name: str, number: int) -> Iterator[Block]:
        element = shape.element
        if shape.kind == "graphicFrame":
            yield from self._frame_blocks(element, name, number)
            return
        yield from self._picture_blocks(element, name, number)
        body = element.find(P + "txBody")
        if body is not None:
            block = body_block(body, number, bulleted=shape.role in _BULLETED)
            if block is not None:
                yield block

    def _frame_blocks(self, element: Any, name: str, number: int) -> Iterator[Block]:
        """A table, chart, diagram or embedded file."""
        for table in element.iter(A + "tbl"):
            yield from table_blocks(table, number)
        yield from graphic_blocks(element, self._package, name, number)
        for embedded in element.iter(P + "oleObj"):
            blocks = self._embedded(name, embedded.get(RELATION + "id"), number)
            # Where the file itself cannot be read, its picture may be.
            yield from blocks or self._picture_blocks(embedded, name, number)
            return

    def _embedded(self, name: str, relation: str | None, number: int) -> list[Block]:
        target = self._package.target(name, relation)
        if target is None or not target.lower().endswith((".xlsx", ".xlsm")):
            return []
        from rag.ingest.parse.xlsx import parse_xlsx

        try:
            data = io.BytesIO(self._package.read(target))
            pages, _ = parse_xlsx(data, self._pictures.settings, active_only=True)
        except DocumentError:
            return []
        return [
            block.model_copy(update={"page": number})
            for page in pages
            for block in page.blocks
            if block.kind != "heading"
        ]

    def _picture_blocks(self, element: Any, name: str, number: int) -> list[Block]:
        blocks: list[Block] = []
        for picture in element.iter(A + "blip"):
            target = self._package.target(name, picture.get(RELATION + "embed"))
            if target is None:
                continue
            try:
                blocks.extend(self._pictures.read(self._package.read(target), number))
            except DocumentError:
                continue
        return blocks

    def _notes(self, name: str, number: int) -> Iterator[Block]:
        for notes in self._package.related(name, "notesSlide"):
            root = self._package.optional(notes)
            for shape in root.iter(P + "sp") if root is not None else ():
                body = shape.find(P + "txBody")
                key = placeholder_key(shape)
                if body is None or key is None or key[0] != "body":
                    continue
                text = body_text(body)
                if text:
                    yield Block(
                        kind="paragraph",
                        text=f"备注：{text}",
                        page=number,
                        metadata={"notes": True},
                    )


def _title_of(shapes: Sequence[Shape], height: float) -> Shape | None:
    """The title placeholder with text, else the largest short text near the top."""
    flat = list(_flat(shapes))
    texts = [
        (shape, body_text(shape.element.find(P + "txBody")))
        for shape in flat
        if shape.kind == "sp" and shape.element.find(P + "txBody") is not None
    ]
    for shape, text in texts:
        if shape.role in _TITLES and text:
            return shape
    sized = [
        (letter_size(shape.element.find(P + "txBody")), shape, text)
        for shape, text in texts
        if text and shape.role not in _FURNITURE
    ]
    largest = max((size for size, _, _ in sized), default=0.0)
    found = [
        shape
        for size, shape, text in sized
        if size >= max(_TITLE_SIZE, largest)
        and len(text) <= _TITLE_LENGTH
        and shape.box is not None
        and shape.box[1] < height * _TITLE_HEIGHT
        and not text.isdecimal()
    ]
    smaller = any(size < largest for size, _, _ in sized)
    return min(found, key=_top) if found and smaller else None


def _top(shape: Shape) -> float:
    return shape.box[1] if shape.box is not None else 0.0


def _flat(shapes: Sequence[Shape]) -> Iterator[Shape]:
    for shape in shapes:
        yield from _flat(shape.members) if shape.members else (shape,)
