"""DOCX: paragraphs with their computed numbers, tables, text boxes, pictures and notes.

Read from the XML parts themselves: python-docx refuses files with a single broken
relationship, and knows neither automatic numbers nor text boxes.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from rag.errors import DocumentError
from rag.ingest.archive import damaged
from rag.ingest.headings import heading_level
from rag.ingest.parse.docx_numbering import Numbering, W
from rag.ingest.parse.docx_outline import Shape, outline, parts_of_lines
from rag.ingest.parse.docx_running import with_running
from rag.ingest.parse.docx_styles import Look, Styles
from rag.ingest.parse.docx_table import table_blocks
from rag.ingest.parse.docx_text import Collector, Content, note_mark, tidy
from rag.ingest.parse.drawings import graphic_blocks
from rag.ingest.parse.ooxml import MC, RELATION, Package, alternatives, core_title
from rag.ingest.parse.pictures import Pictures
from rag.settings import IngestSettings
from rag.types import Block, Page

_USUAL_MAIN = "word/document.xml"
_REPORT_EVERY = 200
"""Body elements between two calls of the progress function."""

_MAX_DEPTH = 40
_MAX_INNER = 3
"""Levels of nesting, and of documents inside documents, that are believed."""

_NOTE_KINDS = ("footnote", "endnote")
_WRAPPERS = {
    W + name for name in ("ins", "moveTo", "customXml", "smartTag", "sdtContent", "subDoc")
}
_CONTENTS_GALLERY = "table of contents"


def parse_docx(
    source: Path | IO[bytes],
    settings: IngestSettings,
    progress: Callable[[float], None] | None = None,
) -> tuple[tuple[Page, ...], str | None, tuple[str, ...]]:
    """One page of blocks, the title among the file's properties when it has one, and flags.

    Comments, deletions, the table of contents and headers and footers are left out, but for
    what only the latter say. Notes stand behind the paragraph or table that refers to them,
    pictures' text at their place.

    Raises:
        CorruptDocument: the main part cannot be read.
    """
    share = [0.0]

    def alive() -> None:
        if progress is not None:
            progress(share[0])

    pictures = Pictures(settings, alive)

    def report(done: float) -> None:
        share[0] = done
        alive()

    with Package(source) as package:
        blocks = list(_read_package(package, pictures, report, 0))
        blocks = list(with_running(package, package.main(_USUAL_MAIN), blocks))
        title = core_title(package)
        flags = [*pictures.flags, *(["repaired"] if package.repaired else [])]
    return (Page(number=1, blocks=tuple(blocks)),), title, tuple(flags)


def _read_package(
    package: Package, pictures: Pictures, report: Callable[[float], None], inner: int
) -> Iterator[Block]:
    main = package.main(_USUAL_MAIN)
    body = package.part(main).find(W + "body")
    if body is None:
        raise damaged(f"{main} has no body")
    reader = _Reader(package, main, pictures, inner)
    blocks: list[Block] = []
    children = list(body)
    for position, child in enumerate(children):
        if position % _REPORT_EVERY == 0:
            report(position / len(children))
        blocks.extend(reader.read(child))
        blocks.extend(reader.pending_notes())
    blocks.extend(reader.other_notes())
    yield from outline(blocks, core_title(package), reader.styled)


class _Reader:
    """Turns body elements into blocks; keeps the state of numbering, fields and notes.

    `styled` says whether a heading was found by its style.
    """

    def __init__(self, package: Package, main: str, pictures: Pictures, inner: int) -> None:
        self._package = package
        self._part = main
        self._pictures = pictures
        self._inner = inner
        self._styles = Styles(self._related("styles", "word/styles.xml"))
        self._numbering = Numbering(self._related("numbering", "word/numbering.xml"))
        self._collector = Collector()
        self._before = ""
        self._waiting: list[tuple[str, str]] = []
        self._notes = {kind: self._read_notes(kind) for kind in _NOTE_KINDS}
        self.styled = False

    def read(self, element: Any, depth: int = 0) -> Iterator[Block]:
        """The blocks of a body element."""
        if depth > _MAX_DEPTH:
            return
        tag = element.tag
        if tag == W + "p":
            yield from self._paragraph(element, depth)
        elif tag == W + "tbl":
            yield from table_blocks(element, lambda cell: self._children(cell, depth + 1))
        elif tag == W + "sdt":
            yield from self._control(element, depth)
        elif tag in _WRAPPERS:
            yield from self._children(element, depth + 1)
        elif tag == MC + "AlternateContent":
            for child in alternatives(element):
                yield from self.read(child, depth + 1)
        elif tag == W + "altChunk":
            yield from self._foreign(element.get(RELATION + "id"))

    def pending_notes(self) -> Iterator[Block]:
        """The notes that were referred to since the last call."""
        waiting, self._waiting = self._waiting, []
        for kind, note_id in waiting:
            note = self._notes[kind].pop(note_id, None)
            if note is not None:
                yield from self._note(kind, note_id, note)

    def other_notes(self) -> Iterator[Block]:
        """The notes that nothing refers to."""
        for kind in _NOTE_KINDS:
            for note_id in list(self._notes[kind]):
                yield from self._note(kind, note_id, self._notes[kind].pop(note_id))

    def _children(self, element: Any, depth: int) -> list[Block]:
        return [block for child in element for block in self.read(child, depth)]

    def _control(self, element: Any, depth: int) -> Iterator[Block]:
        """A content control, unless it is the contents or still invites to type."""
        properties = element.find(W + "sdtPr")
        content = element.find(W + "sdtContent")
        if content is None:
            return
        if properties is not None:
            gallery = properties.find(f"{W}docPartObj/{W}docPartGallery")
            name = "" if gallery is None else gallery.get(W + "val") or ""
            if name.lower() == _CONTENTS_GALLERY:
                # Its fields still count, so that what follows is not taken for contents.
                self._children(content, depth + 1)
                return
            if properties.find(W + "showingPlcHdr") is not None:
                return
        yield from self._children(content, depth + 1)

    def _paragraph(self, element: Any, depth: int) -> Iterator[Block]:
        content = self._collector.read(element)
        look = self._styles.paragraph(element)
        if _is_mark_deleted(element):
            # The paragraph runs on into the next one.
            self._before += content.text
            content.text = ""
        else:
            text, self._before = self._before + content.text, ""
            number, bullet = self._number(look)
            if text and not (look.contents or content.contents):
                plain = look.heading is None and not number and not bullet
                for part in parts_of_lines(text) if plain else (text,):
                    yield self._text_block(part, number, bullet, look, content)
        self._waiting.extend(content.notes)
        yield from self._attached(content, depth)

    def _attached(self, content: Content, depth: int) -> Iterator[Block]:
        """Text boxes, pictures, charts, diagrams and embedded files of a paragraph."""
        for box in content.boxes:
            yield from self._children(box, depth + 1)
        for relation in content.pictures:
            target = self._package.target(self._part, relation)
            if target is not None:
                yield from self._picture(target)
        for graphic in content.graphics:
            yield from graphic_blocks(graphic, self._package, self._part)
        for relation in content.objects:
            yield from self._foreign(relation)

    def _picture(self, target: str) -> list[Block]:
        try:
            return self._pictures.read(self._package.read(target))
        except DocumentError:
            return []

    def _number(self, look: Look) -> tuple[str, bool]:
        """The next number of the paragraph's list, and whether it has a bullet instead."""
        if look.list_id is None:
            return "", False
        level = look.list_level
        if level is None:
            level = self._numbering.level_of_style(look.list_id, look.style) or 0
        number = self._numbering.number(look.list_id, level)
        return number, self._numbering.is_bullet(look.list_id, level)

    def _text_block(
        self, text: str, number: str, bullet: bool, look: Look, content: Content
    ) -> Block:
        shown = Shape(look.size, look.bold, look.centred, content.leader)
        about: dict[str, Any] = {"look": shown}
        if number.strip() and not text.startswith(number.strip()):
            # A clause or chapter number is set off by a blank, unless the list says "nothing".
            text = f"{number.strip()}{'' if look_suffix(self._numbering, look) else ' '}{text}"
        number = number.strip()
        one_line = text.replace("\n", " ")
        if look.heading is not None:
            self.styled = True
            if look.title:
                about["title"] = True
            return Block(kind="heading", text=one_line, level=look.heading, metadata=about)
        by_number = heading_level(text, decimals=False)
        if by_number is not None and (number or by_number <= 4 or look.bold or len(text) <= 20):
            return Block(kind="heading", text=one_line, level=by_number, metadata=about)
        indent = "  " * (look.list_level or 0)
        if bullet:
            return Block(kind="list", text=f"{indent}- {text}", metadata=about)
        if number and not number.startswith("第"):
            return Block(kind="list", text=indent + text, metadata=about)
        return Block(kind="paragraph", text=text, metadata=about)

    # --- Other parts ------------------------------------------------------------------

    def _related(self, kind: str, usual: str) -> Any | None:
        found = self._package.related(self._part, kind) or [usual]
        return self._package.optional(found[0])

    def _read_notes(self, kind: str) -> dict[str, Any]:
        root = self._related(f"{kind}s", f"word/{kind}s.xml")
        separators = ("separator", "continuationSeparator", "continuationNotice")
        return {
            note.get(W + "id") or "": note
            for note in (root if root is not None else ())
            if note.tag == W + kind and note.get(W + "type") not in separators
        }

    def _note(self, kind: str, note_id: str, note: Any) -> Iterator[Block]:
        mark = note_mark(kind, self._collector.note_number(kind, note_id))
        blocks = [_as_text(block) for block in self._children(note, 1)]
        if blocks and blocks[0].kind == "paragraph":
            blocks[0] = blocks[0].model_copy(update={"text": f"{mark} {blocks[0].text}"})
        yield from blocks

    def _foreign(self, relation: str | None) -> list[Block]:
        """An embedded document or workbook, or a part in another format."""
        target = self._package.target(self._part, relation)
        if target is None or self._inner >= _MAX_INNER:
            return []
        try:
            return self._read_foreign(target, self._package.read(target))
        except DocumentError:
            return []

    def _read_foreign(self, target: str, data: bytes) -> list[Block]:
        name = target.lower()
        if name.endswith((".docx", ".docm")):
            with Package(io.BytesIO(data)) as package:
                return list(_read_package(package, self._pictures, _silent, self._inner + 1))
        if name.endswith((".xlsx", ".xlsm")):
            from rag.ingest.parse.xlsx import parse_xlsx

            pages, _ = parse_xlsx(io.BytesIO(data), self._pictures.settings, active_only=True)
            return [_as_text(block) for page in pages for block in page.blocks]
        if name.endswith((".htm", ".html", ".xhtml", ".txt")):
            return _read_text(data, html=not name.endswith(".txt"))
        return []


def look_suffix(numbering: Numbering, look: Look) -> bool:
    """Whether a list's numbers stand directly before the text."""
    if look.list_id is None:
        return False
    level = look.list_level
    if level is None:
        level = numbering.level_of_style(look.list_id, look.style) or 0
    definition = numbering.level(look.list_id, level)
    return definition is not None and definition.suffix == "nothing"


def _read_text(data: bytes, *, html: bool) -> list[Block]:
    from rag.ingest.encoding import decode

    decoded = decode(data)
    if decoded is None:
        return []
    if html:
        from rag.ingest.parse.html import parse_html

        pages, _ = parse_html(decoded.text)
        return [block for page in pages for block in page.blocks]
    lines = (tidy(part) for part in decoded.text.split("\n\n"))
    return [Block(kind="paragraph", text=line) for line in lines if line]


def _as_text(block: Block) -> Block:
    """A block of a note or an embedded file: it heads nothing in the text around it."""
    if block.kind != "heading":
        return block
    return block.model_copy(update={"kind": "paragraph", "level": None})


def _is_mark_deleted(element: Any) -> bool:
    return element.find(f"{W}pPr/{W}rPr/{W}del") is not None


def _silent(_share: float) -> None:
    return None
