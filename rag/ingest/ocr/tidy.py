"""Small repairs of recognised lines: what the recogniser mixes up between Chinese and Latin
typography. Letters and digits stay what they are."""

from __future__ import annotations

import re

_HAN = "\u3007\u3400-\u9fff\uf900-\ufaff"
_MARKS = {",": "，", ";": "；", ":": "：", "?": "？", "!": "！"}
_BETWEEN = re.compile(rf"(?<=[{_HAN}”’）》】])[,;:?!](?=[{_HAN}“‘（《【]|$)")
_WIDE = re.compile("(?<=[0-9A-Za-z])[０-９]|[０-９](?=[0-9A-Za-z])")
_TIME = re.compile(r"(?<!\d)((?:19|20)\d\d[-./]\d\d[-./]\d\d)(\d\d:\d\d)")


def tidy(text: str) -> str:
    """A recognised line with digits of one width, brackets that match and, between Chinese
    characters, the full-width marks that are printed there; a blank between a date and a time;
    surrounding blanks gone."""
    text = _WIDE.sub(lambda match: chr(ord(match[0]) - 0xFEE0), " ".join(text.split()))
    text = _TIME.sub(r"\1 \2", text)
    text = _BETWEEN.sub(lambda match: _MARKS[match[0]], text)
    return _matched(text)


def _matched(text: str) -> str:
    """Round brackets that open wide and close narrow, or the other way, made wide."""
    characters = list(text)
    opened: list[int] = []
    for index, character in enumerate(characters):
        if character in "(（":
            opened.append(index)
        elif character in ")）" and opened:
            start = opened.pop()
            if (characters[start] == "（") != (character == "）"):
                characters[start], characters[index] = "（", "）"
    return "".join(characters)
