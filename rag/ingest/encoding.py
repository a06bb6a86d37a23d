"""Decodes text files: part of the inspect and parse steps.

The order is byte order mark, strict UTF-8, and then whichever of GB18030, Big5, Shift-JIS
and UTF-16 decodes without error *and* yields the most everyday characters. Statistics alone
take short GBK texts for Big5 or Korean, and strict decoding alone takes Big5 for GB18030.
"""

from __future__ import annotations

import codecs
import os
import unicodedata
from functools import lru_cache
from pathlib import PurePath
from typing import NamedTuple

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
_CANDIDATES = ("gb18030", "big5hkscs", "cp932", "utf-16-le", "utf-16-be")
"""Ties go to the earlier one."""

_SAMPLE_CHARACTERS = 20_000
"""How much of a candidate is judged; chosen by us, beyond it the verdict doesn't change."""

MIN_PLAUSIBLE = 0.6
"""Share of everyday characters from which a candidate is believed. Chosen by us: real texts
reach .9 and more, wrong decodings stay around .5."""

_HEAD_BYTES = 64 << 10
"""What is judged first of large files. Chosen by us: 100 MB of a program or a picture are
otherwise decoded in every way, which takes 10 s."""

_MAX_CONTROL = 0.02
_MAX_REPLACED = 0.02
_MIN_CONTROL = 5
"""Shares of control or undecodable characters from which the bytes are no text; a few control
characters are forgiven in any text. Chosen by us."""


class Decoded(NamedTuple):
    """A text, the name of its encoding, and whether some bytes had to be replaced."""

    text: str
    encoding: str
    damaged: bool = False


def file_name(path: PurePath) -> str:
    """The last part of a path as text that can be stored and shown.

    Unix keeps names as bytes. Those from systems with an older encoding (GBK on a disk or in
    an archive from Windows) reach Python as lone surrogates; they are decoded here.
    """
    raw = os.fsencode(path.name)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        found = decode(raw)
        if found is None or found.encoding.startswith("utf"):
            return raw.decode("utf-8", "replace")  # No system keeps names in UTF-16.
        return found.text


def decode(raw: bytes) -> Decoded | None:
    """The text of `raw` without its byte order mark, or None when it is no text."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            text = raw.decode(encoding, errors="replace").removeprefix("\ufeff")
            return _unless_binary(Decoded(text, encoding, "\ufffd" in text))
    if len(raw) > 4 * _HEAD_BYTES and not any(decode(raw[: _HEAD_BYTES - n]) for n in range(4)):
        return None  # The beginning is no text, wherever its last character is cut.
    if b"\x00" not in raw:
        try:
            return _unless_binary(Decoded(raw.decode("utf-8"), "utf-8"))
        except UnicodeDecodeError as error:
            if error.start > 0 and len(raw) - error.start < 4:
                # Cut in the middle of the last character: everything before it is sound.
                return _unless_binary(Decoded(raw[: error.start].decode(), "utf-8", True))
    best = _most_plausible(raw)
    if best is not None:
        return best
    return _by_statistics(raw) or _with_replacements(raw)


def plausibility(text: str) -> float:
    """Share of everyday characters (ASCII, punctuation, kana, common Han) in the text, 0..1."""
    sample = text[:_SAMPLE_CHARACTERS]
    if not sample:
        return 0.0
    # ASCII is what all candidates agree on, so that it must not drown what tells them apart.
    telling = [c for c in sample if ord(c) > 0x7F or (ord(c) < 0x20 and c not in "\t\r\n\f")]
    if not telling:
        return 1.0
    everyday = _everyday()
    return sum(c in everyday for c in telling) / len(telling)


@lru_cache(maxsize=1)
def common_han() -> frozenset[str]:
    """The frequent characters: level 1 of GB 2312 (simplified) and of Big5 (traditional)."""
    characters: set[str] = set()
    for encoding, leads in (("gb2312", range(0xB0, 0xD8)), ("big5", range(0xA4, 0xC7))):
        for lead in leads:
            for trail in (*range(0x40, 0x7F), *range(0xA1, 0xFF)):
                try:
                    characters.update(bytes((lead, trail)).decode(encoding))
                except UnicodeDecodeError:
                    continue
    return frozenset(characters)


@lru_cache(maxsize=1)
def _everyday() -> frozenset[str]:
    """Frequent Han characters, kana, punctuation and letters."""
    characters = set(common_han())
    characters.update(chr(c) for c in range(0x3041, 0x30FF))
    characters.update(
        "　、。·ˉˇ¨〃々—～‖…‘’“”〔〕〈〉《》「」『』〖〗【】±×÷°℃％￥①②③④⑤⑥⑦⑧⑨⑩■□●○★☆→←↑↓"
    )
    characters.update(chr(c) for c in range(0xFF01, 0xFF5F))
    characters.update(chr(c) for c in range(0xA0, 0x100))
    return frozenset(characters)


def _most_plausible(raw: bytes) -> Decoded | None:
    best, best_score = None, MIN_PLAUSIBLE
    for encoding in _CANDIDATES:
        if encoding.startswith("utf-16") and len(raw) % 2:
            continue
        if not encoding.startswith("utf-16") and b"\x00" in raw:
            continue
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        score = plausibility(text)
        decoded = _unless_binary(Decoded(text, encoding))
        if decoded is not None and score > best_score:
            best, best_score = decoded, score
    return best


def _by_statistics(raw: bytes) -> Decoded | None:
    if b"\x00" in raw and len(raw) % 2:
        return None
    from charset_normalizer import from_bytes

    match = from_bytes(raw[:1_000_000]).best()
    if match is None:
        return None
    try:
        return _unless_binary(Decoded(raw.decode(match.encoding), match.encoding))
    except (UnicodeDecodeError, LookupError):
        return None


def _with_replacements(raw: bytes) -> Decoded | None:
    """A text with a few damaged bytes, in the encoding that damages it least."""
    tries = [Decoded(raw.decode(e, errors="replace"), e, True) for e in ("utf-8", "gb18030")]
    best = min(tries, key=lambda t: t.text.count("\ufffd"))
    if not best.text or best.text.count("\ufffd") / len(best.text) > _MAX_REPLACED:
        return None
    return _unless_binary(best) if plausibility(best.text) >= MIN_PLAUSIBLE else None


def _unless_binary(decoded: Decoded) -> Decoded | None:
    sample = decoded.text[:_SAMPLE_CHARACTERS]
    controls = sum(unicodedata.category(c) in ("Cc", "Cn") and c not in "\t\r\n\f" for c in sample)
    binary = controls >= _MIN_CONTROL and controls / len(sample) > _MAX_CONTROL
    return None if binary else decoded
