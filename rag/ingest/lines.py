"""Joins lines that were broken only to fit a page: part of the parse step."""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def wrap_width(paragraphs: Sequence[str]) -> int | None:
    """The width in columns at which the lines of these paragraphs were broken, or None.

    Only lines that aren't a paragraph's last tell; most of them must be nearly equally wide.
    """
    inner = [
        columns(line.strip())
        for text in paragraphs
        for line in text.split("\n")[:-1]
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
    """A paragraph with its lines of about `width` columns joined to what follows them."""
    joined: list[str] = []
    open_line = False
    for line in text.split("\n"):
        if open_line and line.strip() and not line.startswith((" ", "\t", "　")):
            joined[-1] = join_wrapped((joined[-1], line))
        else:
            joined.append(line)
        open_line = bool(line.strip()) and columns(line.strip()) >= width - _RAGGED
    return "\n".join(joined)


def unwrap(lines: Sequence[str]) -> list[str]:
    """Paragraphs of a hard-wrapped text; the lines themselves when it isn't wrapped.

    Blank lines stay as separators. A wrapped line is followed by its paragraph's rest unless
    that is indented.
    """
    filled = [columns(line.rstrip()) for line in lines if line.strip()]
    if len(filled) < _MIN_WRAPPED_LINES:
        return list(lines)
    # The widest line may be an exception (a long address), so look at the upper decile.
    width = sorted(filled)[int(len(filled) * 0.9)]
    full = [w for w in filled if width - 4 <= w <= width + 2]
    if width < _MIN_WRAPPED_COLUMNS or len(full) / len(filled) < _WRAPPED_SHARE:
        return list(lines)
    joined: list[str] = []
    open_paragraph = False
    for line in lines:
        if not line.strip():
            joined.append("")
            open_paragraph = False
            continue
        if open_paragraph and not line.startswith((" ", "\t", "　")):
            joined[-1] = join_wrapped((joined[-1], line))
        else:
            joined.append(line.strip())
        open_paragraph = columns(line.rstrip()) >= width - 4
    return joined
