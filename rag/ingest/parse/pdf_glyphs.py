"""Judges whether the characters of a PDF page are what is seen on it.

A PDF may map its glyphs to wrong characters (or to none). The text then looks like text, but
finds nothing and answers nonsense, so such pages must not be indexed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from rag.ingest.encoding import common_han
from rag.text.normalise import to_simplified
from rag.text.tokenise import rarity

GARBLED_SHARE = 0.10
REPEATED_SHARE = 0.12
"""Shares of garbled characters, and of Han characters that follow themselves, from which a
page is abnormal: measured on 28 real documents, none of the good ones came near."""

_MIN_HAN = 10
_MIN_JUDGED_HAN = 30
_MIN_COMMON = 0.6
"""Real Chinese is nine tenths common characters; a wrong mapping leaves a third to a half.
Names alone are too few to judge. Chosen by us."""

_MIN_LATIN = 40
_MIN_VOWELS = 0.2
"""Latin text without vowels is text in another code ("7KHGDQFHUV"). English has 38 % vowels,
pinyin 45 %, English shifted by 29 codes 14 %. Chosen by us."""

_MIN_HAN_PAIRS, _WORD_PAIRS, _SOME_PAIRS, _MIN_SURE_PAIRS = 10, 0.14, 20, 40
"""Of two neighbouring Han characters, a word of the dictionary is made up by 0.31 and more on
real pages (titles and names at the low end), by 0.02 to 0.07 where a font's characters are
mixed up. With fewer pairs than the first nothing is said; for sure only from the last on, or
from the third on with one word at most. Measured on 28 real documents."""

_MIN_LATIN_PAIRS, _LETTER_PAIRS = 15, 0.15
"""Of two neighbouring letters, one of the frequent pairs is made up by 0.5 and more in English
and German, 0.36 in pinyin, 0.21 in a laboratory's abbreviations, 0 to 0.08 in shifted text.
Measured on texts of each kind."""

_PAIRS = """
th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co
me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ta la ho no el us di un il na lo tr
"""
_FREQUENT_PAIRS = frozenset(_PAIRS.split())
_HAN_RUN = re.compile("[一-鿿]{2,}")
_NAME = re.compile(
    "(?:[王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏"
    "魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万"
    "钱严覃武戴莫孔向汤陳張劉楊黃趙吳孫馬鄭謝許韓馮鄧蕭蔣葉蘇魏呂盧鐘譚陸賈鄒龍賀顧龔邵萬錢嚴]"
    "|欧阳|上官|诸葛|司马)[一-鿿]{1,2}"
)
"""A run of Han characters, and one that begins with one of the commonest surnames and is as
short as a name. Chosen by us."""

_ADDRESS = re.compile(r"(?i)\S*(?:www\.|://|@|\.com|\.cn|\.org|\.net)\S*")
"""Web and mail addresses, which aren't words."""
_LETTERS = re.compile(r"[A-Za-z]{4,}")
_GLYPH_SHIFT = 29
"""What codes of TrueType fonts, taken for characters, are off by: their first glyphs are three
special ones and then ASCII from the blank on."""

_WORDS = """
the and for with from this that are not you all page date total number name answer
"""
_EVERYDAY = frozenset(_WORDS.split())
_MOST_KEPT = 4000

Verdict = Literal["good", "doubtful", "broken"]


@dataclass(slots=True)
class Glyphs:
    """Counts over the visible, once-drawn characters of a page or of one of its fonts, white
    space left out."""

    total: int = 0
    garbled: int = 0
    han: int = 0
    repeated: int = 0
    kana: int = 0
    _text: list[str] = field(default_factory=list)
    _previous: str = ""

    def count(self, character: str) -> None:
        """Take one character into account, in the order of drawing."""
        self.total += 1
        if character.isascii():
            self.garbled += ord(character) < 32
        elif "一" <= character <= "鿿":
            self.han += 1
            self.repeated += character == self._previous
        elif "ぁ" <= character <= "ヿ":
            self.kana += 1
        elif _is_garbled(character):
            self.garbled += 1
        self._previous = character
        if len(self._text) < _MOST_KEPT:
            self._text.append(character)

    def gap(self) -> None:
        """Note that the next character begins a new word."""
        self._previous = ""
        if self._text and self._text[-1] != " ":
            self._text.append(" ")

    def is_abnormal(self) -> bool:
        """Whether the page's text must not be believed as it is."""
        return self.verdict() != "good"

    def verdict(self) -> Verdict:
        """What to make of the text: `broken` says certainly something else than is seen;
        `doubtful` probably does, and only a look at the page can tell."""
        if not self.total:
            return "good"
        if self.garbled / self.total > GARBLED_SHARE:
            return "broken"
        if self.han >= _MIN_HAN and self.repeated / self.han > REPEATED_SHARE:
            return "broken"
        if self.han >= _MIN_JUDGED_HAN:
            common = common_han()
            han = [c for c in self._text if "一" <= c <= "鿿"]
            if sum(c in common for c in han) < _MIN_COMMON * len(han):
                return "broken"
        if self.kana <= 0.05 * self.total:
            pairs, words = _word_pairs(self._text)
            if pairs >= _MIN_HAN_PAIRS and words < _WORD_PAIRS * pairs:
                sure = pairs >= _MIN_SURE_PAIRS or (pairs >= _SOME_PAIRS and words <= 1)
                return "broken" if sure else "doubtful"
        return self._latin_verdict()

    def _latin_verdict(self) -> Verdict:
        text = _ADDRESS.sub(" ", "".join(self._text))
        letters = [c for c in text if c.isascii() and c.isalpha()]
        mostly = len(letters) > sum(not c.isspace() for c in text) / 2
        vowels = sum(c in "aeiouAEIOU" for c in letters)
        if len(letters) >= _MIN_LATIN and mostly and vowels < _MIN_VOWELS * len(letters):
            return "broken"
        pairs, frequent = _letter_pairs(text)
        if pairs >= _MIN_LATIN_PAIRS and mostly and frequent < _LETTER_PAIRS * pairs:
            return "doubtful"
        return "broken" if is_shifted(text) else "good"

    def ascii_verdict(self) -> Verdict:
        """What to make of its ASCII characters alone: a font whose Chinese is mapped wrongly
        may have the others right."""
        return verdict_of("".join(c if c.isascii() else " " for c in self._text))


def verdict_of(text: str) -> Verdict:
    """The verdict over a text that was extracted elsewhere."""
    glyphs = Glyphs()
    for character in text:
        if character.isspace() and character not in "\x1c\x1d\x1e\x1f":
            glyphs.gap()
        else:
            glyphs.count(character)
    return glyphs.verdict()


def is_shifted(text: str) -> bool:
    """Whether a text reads as English once each code is raised by 29, and not before."""
    if not _EVERYDAY.isdisjoint(text.lower().split()):
        return False
    raised = "".join(
        chr(ord(c) + _GLYPH_SHIFT) if 3 <= ord(c) < 98 and c != " " else " " for c in text
    )
    words = re.findall(r"[A-Za-z]+", raised)
    letters = sum(map(len, words))
    found = any(word.lower() in _EVERYDAY for word in words)
    return found and letters >= 0.6 * len(text)


def _word_pairs(characters: Sequence[str]) -> tuple[int, int]:
    """Neighbouring Han characters: how many pairs, and how many of them are words. Names of
    people, which are none, are left out."""
    runs = [run for run in _HAN_RUN.findall("".join(characters)) if not _NAME.fullmatch(run)]
    pairs = [a + b for run in runs for a, b in pairwise(run) if a != b]
    if len(pairs) < _MIN_HAN_PAIRS:
        return len(pairs), 0
    words = sum(rarity(pair) < 1 for pair in pairs)
    if words < _WORD_PAIRS * len(pairs):
        # The dictionary is one of simplified characters.
        simple = to_simplified(" ".join(runs))
        words = max(words, sum(rarity(a + b) < 1 for a, b in pairwise(simple)))
    return len(pairs), words


def _letter_pairs(text: str) -> tuple[int, int]:
    """Neighbouring letters in words: how many pairs, and how many of them are frequent."""
    pairs = [a + b for run in _LETTERS.findall(text) for a, b in pairwise(run.lower())]
    return len(pairs), sum(pair in _FREQUENT_PAIRS for pair in pairs)


def _is_garbled(character: str) -> bool:
    code = ord(character)
    if code == 0xFFFD:
        return True
    category = unicodedata.category(character)
    if category == "Co":
        return not 0xF020 <= code <= 0xF0FF  # symbol fonts; `clean` maps or drops these
    return category in ("Cc", "Cn", "Cs") or _is_unexpected(code)


def _is_unexpected(code: int) -> bool:
    """Scripts that don't occur in our documents but often in broken mappings."""
    return 0x0500 <= code < 0x1100 or 0x1200 <= code < 0x1E00 or 0xA000 <= code < 0xAC00
