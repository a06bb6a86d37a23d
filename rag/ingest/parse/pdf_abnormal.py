"""Mends PDF pages whose text may be another than what is seen on them.

Several extractors read the page; what was recognised in its picture is the judge, line by
line. The extraction that agrees with it is taken, for it has every character and its place;
where none agrees, what was recognised is. Text that isn't visible in the picture stays
only when it is sane by itself.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal

from rag.ingest.ocr import OcrResult
from rag.ingest.ocr.blocks import page_text
from rag.ingest.parse.pdf_glyphs import Glyphs, verdict_of
from rag.ingest.parse.pdf_page import PageText, Segment

_AGREES = 0.8
"""Similarity of an extracted line to the recognised one, 0..1, from which they are the same.
Measured: right extractions have 0.9 and more, wrong mappings 0.3 and less."""

_AGREEING_PAGE = 0.9
"""Share of a page's characters in agreeing lines from which its text was right after all."""

_HAN, _NO_HAN = re.compile("[一-鿿]+"), re.compile(r"[^一-鿿\W]+")
_MIN_PART = 3
"""Han characters, or letters and digits, from which they are compared by themselves."""

_SMALL_SHARE = 0.5
_MIN_LETTERS = 2

Outcome = Literal["right", "mended", "kept", "nothing"]
"""The page's own text was right; it was mended; what is sane of it was kept; nothing was."""


@dataclass(slots=True)
class Mended:
    """The segments of a mended page, and how they came about."""

    segments: list[Segment]
    outcome: Outcome


class Extractors:
    """Second and third opinions on the pages of one PDF; its file is opened when needed."""

    def __init__(self, path: Path, password: str | None) -> None:
        self._path = path
        self._password = password or ""
        self._plumber: Any = None
        self._pypdf: Any = None

    def segments(self, number: int) -> list[Segment]:
        """What pdfplumber reads on page `number` (from 1), a segment per line part; none when
        it fails."""
        try:
            if self._plumber is None:
                import pdfplumber

                logging.getLogger("pdfminer").setLevel(logging.CRITICAL)
                self._plumber = pdfplumber.open(self._path, password=self._password)
            page = self._plumber.pages[number - 1]
            words = page.extract_words(
                keep_blank_chars=True, use_text_flow=False, extra_attrs=["fontname"],
                return_chars=True,
            )  # fmt: skip
            found = [_from_word(word) for word in words]
            page.close()
            return found
        except Exception:  # Damaged files fail in it in any way.
            return []

    def text(self, number: int) -> str:
        """What pypdf reads on page `number` (from 1); empty when it fails."""
        try:
            if self._pypdf is None:
                import pypdf

                logging.getLogger("pypdf").setLevel(logging.CRITICAL)
                self._pypdf = pypdf.PdfReader(self._path, strict=False)
                if self._pypdf.is_encrypted:
                    self._pypdf.decrypt(self._password)
            return str(self._pypdf.pages[number - 1].extract_text() or "")
        except Exception:  # Damaged files fail in it in any way.
            return ""

    def close(self) -> None:
        """Close the file."""
        if self._plumber is not None:
            self._plumber.close()


@dataclass(slots=True)
class _Line:
    """A recognised line and the best extraction of it so far."""

    segment: Segment
    best: float = 0.0
    taken: list[Segment] = field(default_factory=list)


def mend(text: PageText, extractors: Extractors, seen: OcrResult | None, scale: float) -> Mended:
    """The segments of an abnormal page that may be believed.

    Args:
        text: the page as read with `by_font`.
        seen: what was recognised in the page's picture, None where recognition is off.
        scale: points per pixel of that picture.
    """
    plumbed = extractors.segments(text.number)
    if text.rotation or text.turned:
        plumbed = []  # Their places are those of the page before it was turned.
    if seen is None or seen.rotation:
        return _unseen(text, plumbed, seen, scale)
    lines = [_Line(s) for s in page_text(seen, text.number, scale).segments]
    own: set[int] = set()
    for source in (text.segments, plumbed):
        _compare(lines, source)
        if source is text.segments:
            own = {id(line) for line in lines if line.best >= _AGREES}
    if _share(lines, own) >= _AGREEING_PAGE or (not lines and text.glyphs.verdict() == "doubtful"):
        return Mended([*text.segments, *_beside(lines, text)], "right")
    loose = _lines_of(extractors.text(text.number))
    segments: list[Segment] = []
    for line in lines:
        if line.best >= _AGREES:
            segments.extend(line.taken)
        else:
            segments.append(_worded(line.segment, loose))
    hidden = _not_visible(text, lines)
    outcome: Outcome = "mended" if lines else "kept"
    return Mended([*segments, *hidden], outcome if segments or hidden else "nothing")


def _unseen(
    text: PageText, plumbed: Sequence[Segment], seen: OcrResult | None, scale: float
) -> Mended:
    """Without a judge (or with the page on its side): another extraction that is sane by
    itself, else what of the page's own text is."""
    if seen is not None:
        return Mended(page_text(seen, text.number, scale).segments, "mended")
    own = text.glyphs.verdict()
    other = verdict_of(" ".join(s.text for s in plumbed))
    if plumbed and other == "good" and own != "good":
        return Mended(list(plumbed), "mended")
    if own == "doubtful":
        return Mended(list(text.segments), "kept")
    kept = [s for s in text.segments if _is_sane(s, text.fonts)]
    return Mended(kept, "kept" if kept else "nothing")


def _compare(lines: Sequence[_Line], source: Sequence[Segment]) -> None:
    """Give each line the glyphs of `source` in its box, when they agree better than before."""
    for line in lines:
        parts = [part for s in source if (part := _inside(s, line.segment)) is not None]
        parts.sort(key=lambda s: (s.y0, s.x0) if line.segment.vertical else (s.x0, s.y0))
        likeness = _likeness("".join(p.text for p in parts), line.segment.text)
        if parts and likeness > line.best:
            line.best, line.taken = likeness, parts


def _inside(segment: Segment, line: Segment) -> Segment | None:
    """The part of a segment whose glyphs have their centre in the line's box."""
    if segment.x1 < line.x0 or segment.x0 > line.x1:
        return None
    if segment.y1 < line.y0 or segment.y0 > line.y1:
        return None
    reach = 0.3 * (line.x1 - line.x0 if line.vertical else line.y1 - line.y0)
    chars = [
        c
        for c in segment.chars
        if line.x0 - reach <= (c[1] + c[3]) / 2 <= line.x1 + reach
        and line.y0 <= (c[2] + c[4]) / 2 <= line.y1
    ]
    if not any(not c[0].isspace() for c in chars):
        return None
    if len(chars) == len(segment.chars):
        return segment
    return _segment_of(chars, segment)


def _segment_of(chars: Sequence[tuple[str, float, float, float, float]], like: Segment) -> Segment:
    visible = [c for c in chars if not c[0].isspace()]
    return Segment(
        "".join(c[0] for c in chars),
        min(c[1] for c in visible),
        min(c[2] for c in visible),
        max(c[3] for c in visible),
        max(c[4] for c in visible),
        like.size,
        like.bold,
        like.vertical,
        list(chars),
        like.font,
    )


def _share(lines: Sequence[_Line], agreeing: set[int]) -> float:
    """Share of the recognised characters that stand in the agreeing lines."""
    total = sum(len(line.segment.text) for line in lines)
    right = sum(len(line.segment.text) for line in lines if id(line) in agreeing)
    return right / total if total else 0.0


def _worded(line: Segment, loose: Sequence[str]) -> Segment:
    """The line with the words of the text line that agrees with it, if one does."""
    scored = [(_likeness(text, line.text), text) for text in loose]
    best = max(scored, default=(0.0, ""))
    if best[0] < _AGREES or best[0] == 1.0:
        return line
    return Segment(
        best[1], line.x0, line.y0, line.x1, line.y1, line.size, line.bold, line.vertical,
        _respread(best[1], line), line.font,
    )  # fmt: skip


def _respread(text: str, line: Segment) -> list[tuple[str, float, float, float, float]]:
    from rag.ingest.ocr.blocks import spread

    return spread(text, (line.x0, line.y0, line.x1, line.y1), line.vertical)


def _beside(lines: Sequence[_Line], text: PageText) -> list[Segment]:
    """The recognised lines where the page has no text of its own: those of its pictures."""
    return [
        line.segment
        for line in lines
        if not any(_covered(line.segment, s) > 0 for s in text.segments)
    ]


def _not_visible(text: PageText, lines: Sequence[_Line]) -> list[Segment]:
    """Sane parts of the page's own text where nothing was recognised: fonts that aren't
    embedded leave blank spots in the picture."""
    kept: list[Segment] = []
    for segment in text.segments:
        seen = any(_covered(segment, line.segment) > _SMALL_SHARE for line in lines)
        if not seen and _is_sane(segment, text.fonts):
            kept.append(segment)
    return kept


def _is_sane(segment: Segment, fonts: Mapping[str, Glyphs]) -> bool:
    """Whether a segment's text is plausible: letters and digits of ASCII whose font isn't
    shifted, or any text of a font without fault."""
    letters = sum(c.isalnum() for c in segment.text)
    if letters < _MIN_LETTERS:
        return False
    glyphs = fonts.get(segment.font)
    if glyphs is None or glyphs.verdict() == "good":
        return True
    printable = segment.text.isascii() and segment.text.isprintable()
    return printable and glyphs.ascii_verdict() == "good"


def _covered(segment: Segment, line: Segment) -> float:
    width = min(segment.x1, line.x1) - max(segment.x0, line.x0)
    height = min(segment.y1, line.y1) - max(segment.y0, line.y0)
    area = max((segment.x1 - segment.x0) * (segment.y1 - segment.y0), 1e-6)
    return max(width, 0.0) * max(height, 0.0) / area


def _likeness(a: str, b: str) -> float:
    """Similarity of two lines, 0..1, width and blanks left out: that of their Han characters
    alone or of the others alone, where it is lower, since a font may get one kind right."""
    a, b = _plain(a), _plain(b)
    if not a or not b:
        return 0.0
    whole = _ratio(a, b)
    for pattern in (_HAN, _NO_HAN):
        part_a, part_b = "".join(pattern.findall(a)), "".join(pattern.findall(b))
        if max(len(part_a), len(part_b)) >= _MIN_PART:
            whole = min(whole, _ratio(part_a, part_b))
    return whole


def _ratio(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split()).casefold()


def _lines_of(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def _from_word(word: Mapping[str, Any]) -> Segment:
    chars = [(c["text"], c["x0"], c["top"], c["x1"], c["bottom"]) for c in word["chars"]]
    font = str(word.get("fontname", ""))
    size = float(max((c["size"] for c in word["chars"]), default=10.0))
    return Segment(
        word["text"], float(word["x0"]), float(word["top"]), float(word["x1"]),
        float(word["bottom"]), size, "bold" in font.lower(), False, chars, font,
    )  # fmt: skip
