"""Joins lines that were broken only to fit a page: part of the parse step."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

_WORD = re.compile(r"[A-Za-z0-9À-ɏ\u0370-\u04ff.,;:!?)\]%&@#\"']")
_WORD_START = re.compile(r"[A-Za-z0-9À-ɏ\u0370-\u04ff(\[&@#\"'$]")

OPEN_HYPHEN = "-\u00ad"
"""A hyphen at a line's end of which only the rest of the document can tell whether it belongs
to the word (see `clean_hyphens`)."""

_HYPHENS = ("-", "\u2010")
_SMALL = re.compile(r"[a-zß-öø-ɏα-ωа-я]")
_CODE_MARKS = re.compile(r"[\d/\\:._@]")
_INNER_WORDS = frozenset(("of", "the", "to", "by", "in", "on", "up", "off", "out", "and", "for"))
"""Words inside compounds of several hyphens ("state-of-the-art"). Chosen by us."""

_HAN = "\u3400-\u9fff"
_CUT_NUMBER = re.compile(
    rf"[{_HAN}（(：:，,、。；≥≤<>＞＜~～—–约]\d{{1,3}}(?:,\d{{3}})*(?P<mark>[.,]?\d*|[.,])$"
)
_REST_OF_NUMBER = re.compile(rf"\d{{1,4}}(?:[.,]\d+)*(?=[A-Za-zμ%％‰℃°{_HAN}，。；）)、/~～—–-]|$)")
_ITEM_NUMBER = re.compile(r"\d{1,2}\s*[.、．)）]\s*[^\d\s]|(?:19|20)\d\d(?!\d)")

_WRAPPED_SHARE = 0.6
_MIN_WRAPPED_LINES = 4
_MIN_WRAPPED_COLUMNS = 30
"""A text counts as hard-wrapped when this share of at least so many lines is nearly as wide
(in columns, a Han character takes two) as the widest. Chosen by us."""

_RAGGED = 8
"""Columns by which lines of words end before the width: the next word didn't fit."""

_LABELLED = re.compile(
    rf"[-*•·]?\s*(?=[^:：]*[A-Za-z{_HAN}])[^\s:：,，。；;、!！?？()（）]{{1,10}}\s?[:：](?!//)\s*\S"
)
"""A line that begins with a label of its own ("收件人：…"), which no sentence goes on with."""

_GAPS = re.compile(
    rf"\t|(?<=[{_HAN}\d）)])[ \u3000]{{2,}}(?=\S)|(?<=\S)[ \u3000]{{2,}}(?=[{_HAN}])"
)
_WIDE_GAPS = re.compile(r"\t|(?<=\S) {3,}(?=\S)")
_FIELD_BORDER = re.compile(r"[\s,，;；、|/]+")
_OPENING_NUMBER = re.compile(r"[A-Za-z]{0,6}[-_#]?\d[\d\-/.:年月日]*")
_ENDED = ("。", "；", ";", "！", "!", "？", "?", ".")
_MIN_RECORDS, _MIN_FIELDS = 3, 3
_RECORDS_SHARE = 0.7
"""Lines from which alike lines are records, the fields that they have then, and the share of
them that must be alike. Chosen by us."""


def join_wrapped(parts: Sequence[str]) -> str:
    """One paragraph from its lines: a space between words, none between Han characters.

    A hyphen at a line's end stays in codes and compounds; between two parts that may be one
    word it is an `OPEN_HYPHEN`. A number that the line's end cut in Chinese text ("每次1",
    "0mg") is one number again.
    """
    text = ""
    for part in parts:
        part = part.strip()
        if not part:
            continue
        if not text:
            text = part
        elif len(text) > 1 and text.endswith(_HYPHENS) and text[-2].isalpha():
            text = text[:-1] + OPEN_HYPHEN + part if _is_open(text[:-1], part) else text + part
        elif text.endswith((" -", " –", " —")):
            text = f"{text} {part}"
        elif _cut_number(text, part):
            text += part
        elif _WORD.match(text[-1]) and _WORD_START.match(part[0]):
            text = f"{text} {part}"
        else:
            text += part
    return text


def _is_open(text: str, rest: str) -> bool:
    """Whether a hyphen between a line and the next may have been put in to break a word:
    small letters around it, and no code, address or compound."""
    if not (_SMALL.match(text[-1]) and _SMALL.match(rest[0])):
        return False
    token, following = text.split()[-1], rest.split()[0]
    if _CODE_MARKS.search(token) or _CODE_MARKS.search(following.rstrip(".,;:!?")):
        return False
    others, hyphen, before = token.rpartition("-")
    if hyphen and others and before.lower() in _INNER_WORDS:
        return False
    return len(before.strip("([{\"'“‘")) > 1 and "-" not in following


def _cut_number(text: str, rest: str) -> bool:
    """Whether a line's end fell into a number: digits behind a Han letter or a mark, and more
    digits with a unit or letter right behind them. Years and numbered items begin anew."""
    tail = text[-12:]
    if not (rest[0].isdigit() and _CUT_NUMBER.search(tail)) or _ITEM_NUMBER.match(rest):
        return False
    match = _REST_OF_NUMBER.match(rest)
    if match is None:
        return False
    return not tail.endswith(",") or bool(re.match(r"\d{3}(?!\d)", rest))


def columns(text: str) -> int:
    """Width of a line in columns: two for wide characters."""
    return sum(2 if ord(c) > 0x2E7F else 1 for c in text)


def are_records(lines: Sequence[str]) -> bool:
    """Whether neighbouring lines each tell something of their own, as those of lists of duties
    or of columns kept by blanks do: a line's end is no break of a sentence then.

    Told by gaps, by labels, by numbers that open each line, by fields that are the same in
    each line, and by sentences that end with each line.
    """
    if len(lines) < 2:
        return False
    enough = _RECORDS_SHARE * len(lines)
    if (
        any("\t" in line for line in lines)
        and sum("\t" in line.strip() for line in lines) >= enough
    ):
        return True
    if len(lines) < _MIN_RECORDS:
        return False
    stripped = [line.strip() for line in lines]
    if sum(_has_gaps(line) for line in stripped) >= enough:
        return True
    if sum(bool(_LABELLED.match(line)) for line in stripped) >= enough:
        return True
    if all(line.endswith(_ENDED) for line in stripped):
        return True
    openings = Counter(shape for line in stripped if (shape := _opening(line)))
    if openings and max(openings.values()) >= enough:
        return True
    return _same_fields(stripped, enough)


def _has_gaps(line: str) -> bool:
    return len(_GAPS.findall(line)) > 1 or len(_WIDE_GAPS.findall(line)) > 1


def _opening(line: str) -> str:
    """The form of the number that a line begins with ("2025-10-01" is "0-0-0"), else ""."""
    match = _OPENING_NUMBER.match(line)
    return re.sub(r"\d+", "0", match[0]) if match and len(match[0]) < len(line) else ""


def _same_fields(lines: Sequence[str], enough: float) -> bool:
    """Whether lines have equally many fields, one of which begins or ends alike in most."""
    if len(set(lines)) < len(lines):
        return False
    fields = [_FIELD_BORDER.split(line) for line in lines]
    size, alike = Counter(map(len, fields)).most_common(1)[0]
    if size < _MIN_FIELDS or alike < enough:
        return False
    rows = [row for row in fields if len(row) == size]
    for column in zip(*rows, strict=True):
        cells = [cell for cell in column if len(cell) > 1]
        for ends in ([cell[:2] for cell in cells], [cell[-2:] for cell in cells]):
            if ends and Counter(ends).most_common(1)[0][1] >= max(enough, _MIN_RECORDS):
                return True
    return False


def wrap_width(paragraphs: Sequence[str]) -> int | None:
    """The width in columns at which the lines of these paragraphs were broken, or None.

    Only lines that aren't a paragraph's last tell, and none of records; most of them must be
    nearly equally wide.
    """
    inner = [
        columns(line.strip())
        for text in paragraphs
        if not are_records(lines := text.split("\n"))
        for line in lines[:-1]
        if line.strip()
    ]
    if len(inner) < _MIN_WRAPPED_LINES:
        return None
    width = sorted(inner)[int(len(inner) * 0.9)]
    full = [w for w in inner if width - _RAGGED <= w <= width + 2]
    if width < _MIN_WRAPPED_COLUMNS or len(full) / len(inner) < _WRAPPED_SHARE:
        return None
    return width


def join_lines(text: str, width: int) -> str:
    """A paragraph with its lines of about `width` columns joined to what follows them, unless
    its lines are records."""
    lines = text.split("\n")
    return text if are_records(lines) else "\n".join(_joined(lines, width - _RAGGED))


def unwrap(lines: Sequence[str]) -> list[str]:
    """Paragraphs of a hard-wrapped text; the lines themselves when it isn't wrapped.

    Blank lines stay as separators, records as they are. A wrapped line is followed by its
    paragraph's rest unless that is indented or has a label of its own.
    """
    runs = [(filled, list(run)) for filled, run in groupby(lines, lambda line: bool(line.strip()))]
    prose = [run for filled, run in runs if filled and not are_records(run)]
    filled = sorted(columns(line.rstrip()) for run in prose for line in run)
    if len(filled) < _MIN_WRAPPED_LINES:
        return list(lines)
    # The widest line may be an exception (a long address), so look at the upper decile.
    width = filled[int(len(filled) * 0.9)]
    full = [w for w in filled if width - 4 <= w <= width + 2]
    if width < _MIN_WRAPPED_COLUMNS or len(full) / len(filled) < _WRAPPED_SHARE:
        return list(lines)
    found: list[str] = []
    for has_text, run in runs:
        if not has_text or are_records(run):
            found.extend(run)
        else:
            found.extend(line.strip() for line in _joined(run, width - 4))
    return found


def _joined(lines: Sequence[str], full: int) -> Iterator[str]:
    """Lines of at least `full` columns together with what goes on behind them."""
    held: str | None = None
    last = ""
    for line in lines:
        goes_on = held is not None and last.strip() and columns(last.strip()) >= full
        if held is None:
            held = line
        elif goes_on and line.strip() and not _begins(line):
            held = join_wrapped((held, line))
        else:
            yield held
            held = line
        last = line
    if held is not None:
        yield held


def _begins(line: str) -> bool:
    """Whether a line begins something of its own: indented, labelled, or in columns."""
    return line.startswith((" ", "\t", "　")) or "\t" in line or bool(_LABELLED.match(line))
