"""Decodes text files: part of the inspect and parse steps.

The order is byte order mark, strict UTF-8, the encoding that the text itself declares (HTML,
XML, source code), and then whichever of GB18030, Big5, Shift-JIS, EUC-JP, EUC-KR and UTF-16
decodes without error *and* yields the most everyday characters. Statistics alone take short
GBK texts for Big5 or Korean, and strict decoding alone takes Big5 for GB18030.
"""

from __future__ import annotations

import codecs
import os
import re
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

_KANA_SHARE = 0.15
_MIN_HANGUL = 10
_WESTERN_SHARE = 0.3
"""Share of kana from which what decodes as GBK is EUC-JP, fewest Hangul that make a text
Korean, and largest share of accented letters in Western texts. Chosen by us."""

_WESTERN = frozenset(
    "àáâäæçèéêëìíîïñòóôöùúûüÿßœøåãõÀÁÂÄÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÙÚÛÜŒØÅ€£§°²³µ·©®™«»¿¡‘’“”–—…•\xa0"
)
_MIN_CREDIBLE = 8
"""Characters beyond ASCII up to which a declared encoding is believed without a look."""

_SHORT = 40
"""Characters up to which bytes that are valid UTF-8 by chance are looked at twice."""

_DECLARATION = re.compile(
    rb"""charset\s*=\s*["']?\s*([\w.:-]{3,24})|encoding\s*=\s*["']([\w.:-]{3,24})["']|"""
    rb"coding[:=]\s*([\w.-]{3,24})",
    re.IGNORECASE,
)
_DECLARATION_BYTES = 4096
"""How far from the start a declaration is believed; browsers look at 1,024 bytes, but real
pages have scripts before it. Chosen by us."""

_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932",
              "iso8859-1": "cp1252", "ascii": "cp1252", "euc_kr": "cp949"}  # fmt: skip
"""What a declared encoding is in practice: the larger one that its users mean."""

_SEVEN_BIT = {"iso2022_jp": b"\x1b$", "iso2022_kr": b"\x1b$)C", "hz": b"~{"}
"""Encodings whose texts look like ASCII, with the mark by which they switch."""

_SAMPLE_CHARACTERS = 20_000
"""How much of a candidate is judged; chosen by us, beyond it the verdict doesn't change."""

MIN_PLAUSIBLE = 0.6
"""Share of everyday characters from which a candidate is believed. Chosen by us: real texts
reach .9 and more, wrong decodings stay around .5."""

_HEAD_BYTES = 64 << 10
"""What is judged first of large files. Chosen by us: 100 MB of a program or a picture are
otherwise decoded in every way, which takes 10 s."""

_HIGH_CONTROLS = re.compile("[\x80-\x9f]")
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
    if (seven_bit := _seven_bit(raw)) is not None:
        return seven_bit
    if b"\x00" not in raw:
        try:
            text = raw.decode("utf-8")
            return _two_byte_chinese(raw, text) or _unless_binary(Decoded(text, "utf-8"))
        except UnicodeDecodeError as error:
            if error.start > 0 and len(raw) - error.start < 4:
                # Cut in the middle of the last character: everything before it is sound.
                return _unless_binary(Decoded(raw[: error.start].decode(), "utf-8", True))
    best = _as_declared(raw) or _neighbour_of_gbk(raw) or _most_plausible(raw)
    best = best or _western(raw) or _rare_chinese(raw)
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


def _seven_bit(raw: bytes) -> Decoded | None:
    """The text in one of the encodings of old mail, when it decodes to Chinese or Japanese."""
    for encoding, mark in _SEVEN_BIT.items():
        if mark in raw[:_HEAD_BYTES] and raw.isascii():
            try:
                text = raw.decode(encoding)
            except UnicodeDecodeError:
                continue
            if not text.isascii() and plausibility(text) >= MIN_PLAUSIBLE:
                return Decoded(text, encoding)
    return None


def _as_declared(raw: bytes) -> Decoded | None:
    """The text in the encoding that it names itself, if that can be true."""
    match = _DECLARATION.search(raw[:_DECLARATION_BYTES])
    if match is None:
        return None
    try:
        name = codecs.lookup((match[1] or match[2] or match[3]).decode("ascii")).name
    except LookupError:
        return None
    encoding = _SUPERSETS.get(name, name)
    if name.startswith(("utf", "cp125")) or encoding == "cp1252":
        return None  # UTF-8 was tried, and everything decodes in these.
    try:
        text = raw.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None
    wide = [c for c in text[:_SAMPLE_CHARACTERS] if ord(c) > 0x7F]
    hangul = sum("\uac00" <= c <= "\ud7a3" for c in wide)
    credible = len(wide) < _MIN_CREDIBLE or hangul > len(wide) / 2 or plausibility(text) > 0.5
    return _unless_binary(Decoded(text, encoding)) if credible else None


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


def _two_byte_chinese(raw: bytes, text: str) -> Decoded | None:
    """Short GBK texts such as "通知" are valid UTF-8 by chance, of letters that nobody mixes."""
    if len(text) > _SHORT or text.isascii() or plausibility(text) > 0.3:
        return None
    if any(ord(c) > 0x7FF for c in text):
        return None
    try:
        other = raw.decode("gbk")
    except UnicodeDecodeError:
        return None
    return Decoded(other, "gb18030") if plausibility(other) == 1.0 else None


def _neighbour_of_gbk(raw: bytes) -> Decoded | None:
    """EUC-JP and EUC-KR, which share their code space with GBK: told by kana and Hangul."""
    if b"\x00" in raw:
        return None
    try:
        chinese = [c for c in raw.decode("gb18030")[:_SAMPLE_CHARACTERS] if ord(c) > 0x7F]
    except UnicodeDecodeError:
        chinese = []
    kana = sum("\u3041" <= c <= "\u30ff" for c in chinese)
    for encoding, first, last in (("euc-jp", "\u3041", "\u30ff"), ("cp949", "\uac00", "\ud7a3")):
        if encoding == "euc-jp" and (not chinese or kana < _KANA_SHARE * len(chinese)):
            continue
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        wide = [c for c in text[:_SAMPLE_CHARACTERS] if ord(c) > 0x7F]
        own = sum(first <= c <= last for c in wide)
        if encoding == "euc-jp" and own and plausibility(text) >= MIN_PLAUSIBLE:
            return _unless_binary(Decoded(text, encoding))
        if encoding == "cp949" and own >= max(_MIN_HANGUL, 0.95 * len(wide)) and " " in text:
            return _unless_binary(Decoded(text, encoding))
    return None


def _western(raw: bytes) -> Decoded | None:
    """A text of one of the languages of Western Europe: few letters with accents."""
    high = sum(byte > 0x7F for byte in raw[:_SAMPLE_CHARACTERS])
    if b"\x00" in raw or high > _WESTERN_SHARE * len(raw[:_SAMPLE_CHARACTERS]):
        return None
    try:
        text = raw.decode("cp1252")
    except UnicodeDecodeError:
        return None
    if any(ord(c) > 0x7F and c not in _WESTERN for c in text):
        return None
    return _unless_binary(Decoded(text, "cp1252"))


def _rare_chinese(raw: bytes) -> Decoded | None:
    """A few rare characters (names of people): GBK is the likeliest for us."""
    try:
        text = raw.decode("gbk")
    except UnicodeDecodeError:
        return None
    return Decoded(text, "gb18030") if plausibility(text) >= 0.5 else None


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
    if decoded.encoding == "utf-8":
        # Valid UTF-8 is no chance; the higher control characters are text decoded wrongly before.
        sample = _HIGH_CONTROLS.sub("", sample)
    controls = sum(unicodedata.category(c) in ("Cc", "Cn") and c not in "\t\r\n\f" for c in sample)
    binary = controls >= _MIN_CONTROL and controls / len(sample) > _MAX_CONTROL
    return None if binary else decoded
