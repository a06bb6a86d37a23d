"""One normaliser for index and query, never for display (DESIGN §5).

Width and compatibility forms (NFKC), radicals, traditional → simplified (OpenCC's tables, with
Taiwan's words for the mainland's), lower case, no control or zero-width characters, white
space collapsed and none between Han letters. `normalise_with_map` also tells where each
character came from, so that a match in the normalised text can be highlighted in the original.
Both functions give the same text, and normalising twice changes nothing.
"""

from __future__ import annotations

import importlib.util
import re
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rag.text.radicals import RADICALS
from rag.text.taiwan_words import mainland_words, taiwan_phrases

NORMALISER_VERSION = "2"
"""Changes whenever the same input may give another output: the index must then be rebuilt."""

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々〇"
"""Han letters, as the inside of a regular expression's character class."""

# Text of these alone (after which no rule applies) is returned as it is, but for spaces.
_COMBINING = "\u0300-\u036f\u0483-\u0489\u0591-\u07ff\u0816-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
_COMBINING += (
    "\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\uabff\ufe20-\ufe2f\U00010a00-\U0001ffff"
)
_CLUSTER = re.compile(f"[\u1100-\u11ff]+|[\uac00-\ud7a3][\u11a8-\u11c2]*|.[{_COMBINING}]*", re.S)
_HAS_COMBINING = re.compile(f"[{_COMBINING}\u1100-\u11ff]")
_SPACES = re.compile(r"[^\S\n]*\n\s*|[^\S\n]+")
_HAN_GAP = re.compile(f"(?<=[{HAN}]) +(?=[{HAN}])")


@dataclass(frozen=True, slots=True)
class Normalised:
    """A normalised text and where it came from.

    `offsets[i]` is the index in the original of the character that `text[i]` came from;
    `offsets[len(text)]` is the end of the original. Offsets never decrease.
    """

    text: str
    offsets: tuple[int, ...]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """The half-open range in the original for `text[start:end]`.

        Raises:
            ValueError: the range is outside the text.
        """
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"span {start}..{end} outside a text of {len(self.text)}")
        if start == end:
            return self.offsets[start], self.offsets[start]
        last = self.offsets[end - 1]
        # One original character may have become several: step over its other parts.
        following = bisect_left(self.offsets, last + 1, lo=end - 1)
        return self.offsets[start], min(last + 1, self.offsets[min(following, len(self.text))])


def normalise(text: str) -> str:
    """The form of `text` that is indexed and searched; "" when nothing is left."""
    folded = _fold(text)
    folded = _SPACES.sub(_one_space, folded).strip()
    return mainland_words(_HAN_GAP.sub("", folded))


def normalise_with_map(text: str) -> Normalised:
    """`normalise(text)` with the original index of each of its characters."""
    characters: list[str] = []
    offsets: list[int] = []
    clean, clean_offsets = _drop_invisible_with_map(text)
    for match in _CLUSTER.finditer(clean):
        for character in _fold_cluster(match.group()):
            characters.append(character)
            offsets.append(clean_offsets[match.start()])
    folded = _simplify("".join(characters), words=True)
    kept: list[str] = []
    kept_offsets: list[int] = []
    position = 0
    for match in _SPACES.finditer(folded):
        kept.append(folded[position : match.start()])
        kept_offsets.extend(offsets[position : match.start()])
        kept.append(_one_space(match))
        kept_offsets.append(offsets[match.start()])
        position = match.end()
    kept.append(folded[position:])
    kept_offsets.extend(offsets[position:])
    collapsed = "".join(kept)
    left = len(collapsed) - len(collapsed.lstrip())
    right = len(collapsed.rstrip())
    collapsed, kept_offsets = collapsed[left:right], kept_offsets[left:right]
    dropped = {i for gap in _HAN_GAP.finditer(collapsed) for i in range(gap.start(), gap.end())}
    if dropped:
        kept_offsets = [o for i, o in enumerate(kept_offsets) if i not in dropped]
        collapsed = _HAN_GAP.sub("", collapsed)
    return Normalised(mainland_words(collapsed), (*kept_offsets, len(text)))


def to_simplified(text: str) -> str:
    """Traditional characters become simplified ones; nothing else changes, nor the length."""
    return _simplify(text)


def is_han(character: str) -> bool:
    """Whether one character is a Han letter."""
    return bool(_ONE_HAN.match(character))


_ONE_HAN = re.compile(f"[{HAN}]")


class _FoldTable(dict[int, str | None]):
    """`str.translate` table that folds each code point once and remembers it."""

    def __missing__(self, codepoint: int) -> str | None:
        folded = _fold_character(chr(codepoint))
        self[codepoint] = folded or None
        return self[codepoint]


class _DropTable(dict[int, int | None]):
    """`str.translate` table that drops what cannot be seen and keeps the rest."""

    def __missing__(self, codepoint: int) -> int | None:
        self[codepoint] = None if _invisible(chr(codepoint)) else codepoint
        return self[codepoint]


_fold_table = _FoldTable()
_drop_table = _DropTable()


def _invisible(character: str) -> bool:
    if character in "\n\t\r\x0b\x0c\x85":
        return False
    if unicodedata.category(character) in ("Cc", "Cf", "Cs"):
        return True
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0000" <= character <= "\U000e0fff"


def _fold(text: str) -> str:
    if _HAS_COMBINING.search(text):
        clean = text.translate(_drop_table)
        folded = "".join(_fold_cluster(match.group()) for match in _CLUSTER.finditer(clean))
    else:
        folded = text.translate(_fold_table)
    return _simplify(folded, words=True)


def _drop_invisible_with_map(text: str) -> tuple[str, list[int]]:
    clean = text.translate(_drop_table)
    if len(clean) == len(text):
        return clean, list(range(len(text)))
    offsets = [i for i, character in enumerate(text) if _drop_table[ord(character)] is not None]
    return clean, offsets


@lru_cache(maxsize=65_536)
def _fold_cluster(cluster: str) -> str:
    if len(cluster) == 1:
        return _fold_table[ord(cluster)] or ""
    return _stable(cluster)


def _fold_character(character: str) -> str:
    return "" if _invisible(character) else _stable(character)


def _stable(text: str) -> str:
    """Compatibility form, radicals and lower case until nothing changes any more."""
    for _ in range(8):
        folded = unicodedata.normalize("NFKC", text)
        folded = "".join(RADICALS.get(character, character) for character in folded).lower()
        folded = unicodedata.normalize("NFKC", folded).translate(_drop_table)
        if folded == text:
            break
        text = folded
    return text


def _one_space(match: re.Match[str]) -> str:
    return "\n" if "\n" in match.group() else " "


@dataclass(frozen=True, slots=True)
class _Simplifier:
    characters: dict[int, str]
    phrases: dict[str, str]
    pattern: re.Pattern[str]


@lru_cache(maxsize=2)
def _simplifier(words: bool) -> _Simplifier:
    """OpenCC's traditional → simplified tables, of which only same-length phrases are used.

    With `words`, Taiwan's words become the mainland's.

    The package's own converter takes 100 times as long as these two lookups.
    """
    found = importlib.util.find_spec("opencc")
    if found is None or found.origin is None:  # pinned in requirements.txt
        raise ModuleNotFoundError("opencc-python-reimplemented")
    folder = Path(found.origin).parent / "dictionary"
    characters = {ord(k): v for k, v in _rows(folder / "TSCharacters.txt") if len(k) == len(v) == 1}
    # The table would undo itself in a second pass for a few characters: keep fixed points.
    characters = {k: v for k, v in characters.items() if chr(k) != v and ord(v) not in characters}
    phrases = {k: v for k, v in _rows(folder / "TSPhrases.txt") if len(k) == len(v)}
    pattern = _alternatives(phrases)

    def convert(text: str) -> str:
        return _convert(text, characters, phrases, pattern)

    phrases = {k: v for k, v in phrases.items() if convert(v) == v}
    if words:
        phrases |= taiwan_phrases(_rows(folder / "TWPhrasesRev.txt"), _simplify)
    return _Simplifier(characters, phrases, _alternatives(phrases))


def _rows(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t", 1) for line in lines if "\t" in line)
    return [(key, value.split(" ")[0]) for key, value in pairs]


def _alternatives(phrases: dict[str, str]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=len, reverse=True)
    return re.compile("|".join(re.escape(phrase) for phrase in longest_first))


def _convert(
    text: str, characters: dict[int, str], phrases: dict[str, str], pattern: re.Pattern[str]
) -> str:
    pieces: list[str] = []
    position = 0
    for match in pattern.finditer(text):
        pieces.append(text[position : match.start()].translate(characters))
        pieces.append(phrases[match.group()])
        position = match.end()
    pieces.append(text[position:].translate(characters))
    return "".join(pieces)


def _simplify(text: str, words: bool = False) -> str:
    if text.isascii():
        return text
    table = _simplifier(words)
    return _convert(text, table.characters, table.phrases, table.pattern)
