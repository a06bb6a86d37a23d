"""Mends PDF pages whose text may be another than what is seen on them.

Several extractors read the page; what was recognised in its picture is the judge, line by
line. The extraction that agrees with it is taken, for it has every character and its place;
where none agrees, what was recognised is. Text that isn't visible in the picture stays
only when it is sane by itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from rag.ingest.ocr import OcrResult
from rag.ingest.ocr.blocks import page_text, spread
from rag.ingest.parse.pdf_extractors import Extractors
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

_HAN_RUN = re.compile(r"([一-鿿])\1+")
_LONE_DIGITS = re.compile(r"(?<!\S)\d(?: \d){3,}(?!\S)")

_SMALL_SHARE = 0.5
_MIN_LETTERS = 2

Outcome = Literal["right", "mended", "kept", "nothing"]
"""The page's own text was right; it was mended; what is sane of it was kept; nothing was."""


@dataclass(slots=True)
class Mended:
    """The segments of a mended page, and how they came about."""

    segments: list[Segment]
    outcome: Outcome


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
    blind = _blind_fonts(text)
    drawn_blindly = [s for s in text.segments if s.font in blind]
    own = [s for s in text.segments if s.font not in blind]
    salvaged = _salvaged(drawn_blindly)
    if seen is not None and seen.rotation:
        return Mended(_all(seen, text, scale), "mended")
    plumbed = [] if blind or text.rotation or text.turned else extractors.segments(text.number)
    if seen is None:
        found = _unseen(text, own, plumbed)
    else:
        lines = [_Line(s) for s in _all(seen, text, scale)]
        lines = [line for line in lines if not _is_among(line.segment, drawn_blindly)]
        loose = [] if blind else _lines_of(extractors.text(text.number))
        found = _seen(text, own, plumbed, loose, lines)
    if not blind:
        return found
    kept = [*found.segments, *salvaged]
    return Mended(kept, "kept" if kept else "nothing")


def _all(seen: OcrResult, text: PageText, scale: float) -> list[Segment]:
    page = page_text(seen, text.number, scale)
    return [*page.segments, *page.margin]


def _seen(
    text: PageText,
    own: Sequence[Segment],
    plumbed: Sequence[Segment],
    loose: Sequence[str],
    lines: Sequence[_Line],
) -> Mended:
    """Line by line, the extraction that agrees with what is seen, else what is seen."""
    _compare(lines, own)
    right = sum(len(line.segment.text) for line in lines if line.best >= _AGREES)
    total = sum(len(line.segment.text) for line in lines)
    if right >= _AGREEING_PAGE * total and (total or text.glyphs.verdict() == "doubtful"):
        return Mended([*own, *_beside(lines, own)], "right")
    _compare(lines, plumbed)
    segments: list[Segment] = []
    for line in lines:
        if line.best >= _AGREES:
            segments.extend(line.taken)
        else:
            segments.append(_worded(line.segment, loose))
    segments.extend(_not_visible(own, text.fonts, lines))
    if not segments:
        return Mended([], "nothing")
    return Mended(segments, "mended" if lines else "kept")


def _unseen(text: PageText, own: Sequence[Segment], plumbed: Sequence[Segment]) -> Mended:
    """Without a judge: another extraction that is sane by itself, else what of the page's own
    text is."""
    verdict = text.glyphs.verdict()
    if plumbed and verdict != "good" and verdict_of(" ".join(s.text for s in plumbed)) == "good":
        return Mended(list(plumbed), "mended")
    if verdict == "doubtful":
        return Mended(list(own), "kept")
    kept = [s for s in own if _is_sane(s, text.fonts)]
    return Mended(kept, "kept" if kept else "nothing")


# --- Fonts that are drawn by their map ------------------------------------------------


def _blind_fonts(text: PageText) -> set[str]:
    """Abnormal fonts that aren't embedded: what is drawn for them goes by the same map as the
    text, so that the picture proves nothing."""
    return {
        font
        for font, glyphs in text.fonts.items()
        if font in text.unembedded and glyphs.verdict() == "broken"
    }


def _salvaged(segments: Sequence[Segment]) -> list[Segment]:
    """What may be right of segments in a broken font: all but runs of one Han character, if
    such runs are what is wrong with it; else the ASCII parts."""
    han = "".join(c for s in segments for c in s.text if "一" <= c <= "鿿" or c == " ")
    by_runs = verdict_of(_HAN_RUN.sub("", han)) == "good"
    found: list[Segment] = []
    for segment in segments:
        keep = _kept_places(segment, by_runs)
        for start, end in _stretches(keep):
            chars = segment.chars[start:end]
            if sum(c[0].isalnum() for c in chars) >= _MIN_LETTERS:
                part = _segment_of(chars, segment)
                part.text = _spaced_digits(part.text, segment.text)
                found.append(part)
    return found


def _kept_places(segment: Segment, by_runs: bool) -> list[bool]:
    text = "".join(c[0] for c in segment.chars)
    if not by_runs:
        return [c[0].isascii() and c[0].isprintable() for c in segment.chars]
    keep = [True] * len(text)
    for match in _HAN_RUN.finditer(text):
        keep[match.start() : match.end()] = [False] * (match.end() - match.start())
    return keep


def _stretches(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    start: int | None = None
    for index, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            yield start, index
            start = None


def _spaced_digits(text: str, whole: str) -> str:
    """Digits that stand apart from each other are one number, as in the boxes of a form."""
    return _LONE_DIGITS.sub(lambda m: m[0].replace(" ", ""), text) if " " in whole else text


def _is_among(line: Segment, segments: Sequence[Segment]) -> bool:
    """Whether a recognised line shows these segments."""
    return sum(_covered(line, s) for s in segments) > _SMALL_SHARE


# --- Comparing extractions with what is seen ------------------------------------------


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


def _worded(line: Segment, loose: Sequence[str]) -> Segment:
    """The line with the words of the text line that agrees with it, if one does."""
    scored = [(_likeness(text, line.text), text) for text in loose]
    best = max(scored, default=(0.0, ""))
    if best[0] < _AGREES or best[0] == 1.0:
        return line
    return Segment(
        best[1], line.x0, line.y0, line.x1, line.y1, line.size, line.bold, line.vertical,
        spread(best[1], (line.x0, line.y0, line.x1, line.y1), line.vertical), line.font,
    )  # fmt: skip


def _beside(lines: Sequence[_Line], own: Sequence[Segment]) -> list[Segment]:
    """The recognised lines where the page has no text of its own: those of its pictures."""
    return [line.segment for line in lines if not any(_covered(line.segment, s) > 0 for s in own)]


def _not_visible(
    own: Sequence[Segment], fonts: Mapping[str, Glyphs], lines: Sequence[_Line]
) -> list[Segment]:
    """Sane parts of the page's own text where nothing was recognised: fonts that aren't
    embedded leave blank spots in some pictures, and tiny print is overlooked."""
    return [
        segment
        for segment in own
        if not any(_covered(segment, line.segment) > _SMALL_SHARE for line in lines)
        and _is_sane(segment, fonts)
    ]


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
