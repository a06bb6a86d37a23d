"""Undoes wrong decodings where that is certain: part of the clean step.

Text that was decoded with the wrong table can be encoded back and decoded rightly as long as
no byte was lost. Natural text practically never survives that round trip, so success is the
proof. Where bytes were lost (锟斤拷) nothing is guessed; the page is flagged.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rag.ingest.encoding import plausibility

_CP1252_HIGH = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_SINGLE_BYTES = re.compile(f"[\u0080-\u00ff{_CP1252_HIGH}]{{3,}}")
_LATIN_AS_GBK = re.compile("[\u00a1-\u00fe]{6,}")
_HAN_RUN = re.compile("[^\x00-\x7f]{3,}")
_LOST = re.compile("锟斤拷|烫烫烫|屯屯屯|ï¿½|(?:\ufffd.{0,2}){3}")
_TELLTALE = re.compile("[锛銆鐨勬槸鍦ㄤ簡]")
"""Letters that "，", "。", "的", "是", "在" of UTF-8 become when read as GBK."""

_MIN_TELLTALE = 6
_MIN_TELLTALE_SHARE = 0.08
"""Number and share of such letters from which a text was decoded wrongly. Chosen by us: in
sound texts all of them together stay below one in a thousand."""


class Repair(NamedTuple):
    """A text after the attempt, whether something was repaired, and whether some is lost."""

    text: str
    repaired: bool = False
    lost: bool = False


def repair(text: str) -> Repair:
    """Undo wrong decodings inside a text where the right one is certain."""
    if text.isascii():
        return Repair(text)
    mended = _SINGLE_BYTES.sub(_utf8_as_western, text)
    mended = _LATIN_AS_GBK.sub(_gbk_as_western, mended)
    if _TELLTALE.search(mended) or not _mostly_common(mended):
        mended = _HAN_RUN.sub(_utf8_as_gbk, mended)
    lost = bool(_LOST.search(mended)) or _reads_wrong(mended)
    return Repair(mended, mended != text, lost)


def _utf8_as_western(match: re.Match[str]) -> str:
    """ "ä¸­æ–‡" → "中文". Whole runs only, or the longest part of one that decodes."""
    raw = b"".join(map(_western_byte, match[0]))
    try:
        found = raw.decode("utf-8")
    except UnicodeDecodeError:
        return match[0]
    # Two bytes may be an accented capital before a sign; three in a row are no language.
    return found if any(ord(c) > 0x7FF for c in found) and found.isprintable() else match[0]


def _western_byte(character: str) -> bytes:
    try:
        return character.encode("cp1252")
    except UnicodeEncodeError:
        return character.encode("latin-1")


def _gbk_as_western(match: re.Match[str]) -> str:
    """ "ÖÐ¹úÈËÃñ" → "中国人民"."""
    raw = match[0].encode("latin-1")
    if len(raw) % 2:
        return match[0]
    try:
        found = raw.decode("gbk")
    except UnicodeDecodeError:
        return match[0]
    han = sum("\u4e00" <= c <= "\u9fff" for c in found)
    return found if han >= 3 and plausibility(found) == 1.0 else match[0]


def _utf8_as_gbk(match: re.Match[str]) -> str:
    """ "鎴戜滑" → "我们"."""
    try:
        found = match[0].encode("gb18030").decode("utf-8")
    except UnicodeError:
        return match[0]
    han = sum("\u4e00" <= c <= "\u9fff" for c in found)
    return found if han >= 2 and plausibility(found) > 0.9 else match[0]


def _mostly_common(text: str) -> bool:
    return plausibility(text) > 0.8


def _reads_wrong(text: str) -> bool:
    count = len(_TELLTALE.findall(text))
    return count >= _MIN_TELLTALE and count / len(text) >= _MIN_TELLTALE_SHARE
