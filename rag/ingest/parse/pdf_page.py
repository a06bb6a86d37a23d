"""Reads the characters of one PDF page: the part of the PDF parser that touches PyMuPDF.

Everything that is on the page but not meant to be read goes here: invisible text, glyphs
drawn several times for boldness, watermarks across the page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from rag.ingest.parse.pdf_glyphs import Glyphs
from rag.types import BBox

_FILLED, _STROKED, _CLIPPING, _IS_CID, _IS_GID = 16, 32, 64, 128, 256
"""MuPDF's flags of a character: painted inside, painted along its outline, shape of a picture
that shows through it, and "the code is a glyph's number, because the font doesn't say which
character it is"."""

_DUPLICATE_PT = 1.5
_DUPLICATE_SHARE = 0.05
_COPY_SHARE = 0.6
_NO_WIDTH = 0.03
_WATERMARK_SLANT = math.sin(math.radians(8))
_FAINT_ALPHA = 110
_FAINT_SIZE_PT = 24
_GRID = 64
"""The same glyph closer than so many points is drawn twice; a page with more than this share
of such is fake-bold; it is a copy only within this share of its own width, where its font
states one of more than so many font sizes; text that slants more than 8° or is faint (alpha
of 255) and large is a watermark; pictures are measured on a grid of 64×64. The first and
last by measurement on real documents, the others chosen by us."""

_WINDOWS_SYMBOLS = frozenset(bytes(range(0x80, 0xA0)).decode("cp1252", "ignore"))
"""What MuPDF makes of the bytes that are control characters elsewhere."""

_BLANK_GAP = 0.4
_SPLIT_GAP = 1.3
"""Gaps between two glyphs, in font sizes, from which there is a blank between them, and from
which they belong to different columns or cells. Chosen by us: justified Chinese text stays
below the first, letter-spaced headings below the second."""


@dataclass(slots=True)
class Segment:
    """A run of glyphs on one line. Coordinates in points from the page's top left corner."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool = False
    vertical: bool = False
    chars: list[tuple[str, float, float, float, float]] = field(default_factory=list)
    font: str = ""

    @property
    def middle(self) -> float:
        """The vertical centre."""
        return (self.y0 + self.y1) / 2


@dataclass(slots=True)
class PageText:
    """What was found on a page. Shares are 0..1; `rotation` is the page's own in degrees."""

    number: int
    width: float
    height: float
    rotation: int
    segments: list[Segment]
    glyphs: Glyphs
    invisible_share: float = 0.0
    fake_bold: bool = False
    watermark: bool = False
    picture_share: float = 0.0
    turned: int = 0
    """The degrees by which the page was turned because its text lies on its side. Width,
    height and boxes are those of the turned page."""
    drawings: int = 0
    header_rule: float | None = None
    """Where a rule across the page sets off a header, from the top."""
    fonts: dict[str, Glyphs] = field(default_factory=dict)
    """The characters of each font."""
    margin: list[Segment] = field(default_factory=list)
    """Short notes beside the text of a recognised page, which would cut its lines in two."""
    running: list[Segment] = field(default_factory=list)
    """What only a header or footer of the document says, on the first page that has it."""
    unembedded: frozenset[str] = frozenset()
    """Fonts that the file names but doesn't hold; filled in for abnormal pages."""
    hidden: list[Segment] = field(default_factory=list)
    """Text that is not painted: the layer of a scanner's own recognition, or hidden words."""
    confidence: float | None = None
    """Mean confidence of recognised characters, 0..1."""
    regions: tuple[Any, ...] = ()
    """What the layout model saw (`pdf_regions.Region`) where the reading order is doubtful."""


def read_page(module: Any, page: Any, *, by_font: bool = False) -> PageText:
    """Read a `pymupdf.Page`; the page object is turned upright in memory.

    Args:
        by_font: begin a new segment wherever the font changes, so that each has one.
    """
    rotation = int(page.rotation)
    if rotation:
        page.remove_rotation()
    found = _read(module, page, rotation, by_font)
    side = _side(found[1])
    if side:
        page.set_rotation(side)
        page.remove_rotation()
        found = _read(module, page, rotation, by_font)
        found[0].turned = side
    return found[0]


def _read(
    module: Any, page: Any, rotation: int, by_font: bool
) -> tuple[PageText, dict[tuple[int, int], int]]:
    # Without a code for unknown glyphs: MuPDF would else invent Chinese characters for them.
    flags = (
        module.TEXTFLAGS_RAWDICT & ~module.TEXT_PRESERVE_IMAGES
    ) & ~module.TEXT_CID_FOR_UNKNOWN_UNICODE
    raw = page.get_text("rawdict", flags=flags)
    result = PageText(
        page.number + 1, float(page.rect.width), float(page.rect.height), rotation, [], Glyphs()
    )
    reader = _Reader(result, by_font)
    for block in raw["blocks"]:
        for line in block.get("lines", ()):
            reader.line(line)
    total = reader.visible + reader.invisible
    result.invisible_share = reader.invisible / total if total else 0.0
    result.fake_bold = reader.duplicates > _DUPLICATE_SHARE * max(reader.visible, 1)
    result.picture_share = _picture_share(page, result.width, result.height)
    return result, reader.directions


class _Reader:
    """Collects the segments of a page."""

    def __init__(self, page: PageText, by_font: bool) -> None:
        self._page = page
        self._by_font = by_font
        self._drawn: dict[tuple[str, int, int], list[tuple[float, float]]] = {}
        self.visible = self.invisible = self.duplicates = 0
        self.directions: dict[tuple[int, int], int] = {}

    def line(self, line: dict[str, Any]) -> None:
        dx, dy = line["dir"]
        slanted = min(abs(dx), abs(dy)) > _WATERMARK_SLANT
        vertical = bool(line.get("wmode"))
        along = (0, 0) if vertical else (round(dx), round(dy))
        segment: Segment | None = None
        hidden: Segment | None = None
        for span in line["spans"]:
            chars = span["chars"]
            if self._by_font:
                segment = None
            self.directions[along] = self.directions.get(along, 0) + len(chars)
            painted = span["char_flags"] & (_FILLED | _STROKED) and span["alpha"] > 0
            if not painted and not span["char_flags"] & _CLIPPING:
                self.invisible += sum(not c["c"].isspace() for c in chars)
                hidden = self._hide(span, hidden, vertical)
                continue
            faint = span["alpha"] < _FAINT_ALPHA and span["size"] >= _FAINT_SIZE_PT
            if slanted or faint:
                self._page.watermark = True
                continue
            unknown = bool(span["char_flags"] & (_IS_CID | _IS_GID))
            if _is_bytes("".join(char["c"] for char in chars)):
                for _ in chars:
                    self._glyphs(span["font"]).count("\ufffd")
                    self._page.glyphs.count("\ufffd")
                continue
            glyphs = self._glyphs(span["font"])
            # Browsers spread a line over many small fonts: the letters of one aren't
            # neighbours, those of the page are.
            glyphs.gap()
            for char in chars:
                segment = self._char(char, span, segment, vertical, unknown, glyphs)

    def _glyphs(self, font: str) -> Glyphs:
        """The counts of a font."""
        if font not in self._page.fonts:
            self._page.fonts[font] = Glyphs()
        return self._page.fonts[font]

    def _hide(
        self, span: dict[str, Any], segment: Segment | None, vertical: bool
    ) -> Segment | None:
        """Keep a run that is not painted apart, one segment per line."""
        for char in span["chars"]:
            text = char["c"]
            if text == "\ufffd" or (segment is None and text.isspace()):
                continue
            x0, y0, x1, y1 = char["bbox"]
            if segment is None:
                segment = Segment("", x0, y0, x1, y1, span["size"], False, vertical)
                self._page.hidden.append(segment)
            segment.text += text
            segment.chars.append((text, x0, y0, x1, y1))
            segment.x0, segment.y0 = min(segment.x0, x0), min(segment.y0, y0)
            segment.x1, segment.y1 = max(segment.x1, x1), max(segment.y1, y1)
        return segment

    def _char(
        self,
        char: dict[str, Any],
        span: dict[str, Any],
        segment: Segment | None,
        vertical: bool,
        unknown: bool,
        glyphs: Glyphs,
    ) -> Segment | None:
        text = char["c"]
        x0, y0, x1, y1 = char["bbox"]
        size = span["size"]
        apart = x0 - segment.x1 if segment is not None and not vertical else 0.0
        if not text.isspace():
            if self._is_drawn(text, (x0, y0, x1, y1), size):
                self.duplicates += 1
                return segment
            self.visible += 1
            for counted in (glyphs, self._page.glyphs):
                if segment is None or apart > _BLANK_GAP * size:
                    counted.gap()
                counted.count("\ufffd" if unknown else text)
            if text == "\ufffd":
                return segment
        else:
            glyphs.gap()
            self._page.glyphs.gap()
            if segment is None:
                return None
        if apart > _SPLIT_GAP * size:
            segment = None
        if segment is None:
            bold = bool(span["flags"] & 16) or "bold" in span["font"].lower()
            segment = Segment("", x0, y0, x1, y1, size, bold, vertical, font=span["font"])
            self._page.segments.append(segment)
        elif apart > _BLANK_GAP * size and segment.text[-1:] != " ":
            segment.text += " "
        segment.text += text
        segment.chars.append((text, x0, y0, x1, y1))
        if not text.isspace():
            segment.x0, segment.y0 = min(segment.x0, x0), min(segment.y0, y0)
            segment.x1, segment.y1 = max(segment.x1, x1), max(segment.y1, y1)
            segment.size = max(segment.size, size)
        return segment

    def _is_drawn(self, text: str, box: BBox, size: float) -> bool:
        """Whether the same glyph was drawn at this place already; remembers it if not.

        The next glyph stands a glyph's own width away: of two thin ones ("ll") none is a copy.
        """
        x, y = box[0], box[1]
        near = min(_DUPLICATE_PT, size / 4)
        wide, high = (_reach(length, near, size) for length in (box[2] - x, box[3] - y))
        column, row = int(x / _DUPLICATE_PT / 2), int(y / _DUPLICATE_PT / 2)
        for a in (column - 1, column, column + 1):
            for b in (row - 1, row, row + 1):
                for ox, oy in self._drawn.get((text, a, b), ()):
                    if abs(ox - x) <= wide and abs(oy - y) <= high:
                        return True
        self._drawn.setdefault((text, column, row), []).append((x, y))
        return False


def _reach(length: float, near: float, size: float) -> float:
    """How far a copy of a glyph may be off in the direction in which it is so long."""
    return min(near, _COPY_SHARE * length) if length > _NO_WIDTH * size else near


def _is_bytes(text: str) -> bool:
    """Whether a run shows the bytes of glyph codes that have no character (emoji have two:
    one is unknown, the other may fall on a symbol such as ‡)."""
    return "\ufffd" in text and all(c in _WINDOWS_SYMBOLS or c in "\ufffd " for c in text)


def box_as_shown(box: BBox, text: PageText) -> BBox:
    """A box of a turned page on the page as it is shown."""
    x0, y0, x1, y1 = box
    if text.turned == 90:
        return (y0, round(text.width - x1, 1), y1, round(text.width - x0, 1))
    if text.turned == 180:
        left, right = round(text.width - x1, 1), round(text.width - x0, 1)
        return (left, round(text.height - y1, 1), right, round(text.height - y0, 1))
    if text.turned == 270:
        return (round(text.height - y1, 1), x0, round(text.height - y0, 1), x1)
    return box


def _side(directions: dict[tuple[int, int], int]) -> int:
    """The rotation in degrees that brings a page of sideways text upright; 0 for none."""
    total = sum(directions.values())
    for direction, degrees in (((0, -1), 90), ((0, 1), 270), ((-1, 0), 180)):
        if directions.get(direction, 0) > total / 2:
            return degrees
    return 0


def _picture_share(page: Any, width: float, height: float) -> float:
    """Share of the page that pictures cover."""
    rows = [0] * _GRID
    for image in page.get_image_info():
        x0, y0, x1, y1 = image["bbox"]
        left, right = _cells(x0, x1, width)
        top, bottom = _cells(y0, y1, height)
        if right > left:
            mask = ((1 << (right - left)) - 1) << left
            for row in range(top, bottom):
                rows[row] |= mask
    return sum(row.bit_count() for row in rows) / (_GRID * _GRID)


def _cells(low: float, high: float, length: float) -> tuple[int, int]:
    start = max(int(low / length * _GRID), 0)
    stop = min(math.ceil(high / length * _GRID), _GRID)
    return start, max(stop, start)
