"""The sentences that the steps of a turn write, in the visitor's language.

Steps write Chinese, and what they wrote is kept with the conversation. The English comes from a
phrase book at the edge (as gettext does it), so that a stored answer can be read in either
language. What the book does not know stays as it is.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from ui.texts import language

_NUMBERS = ("n", "m")
_HOLE = re.compile(r"\\?\{(\w+)\\?\}")
_LIST_JOINT = re.compile(r"(?<=[”》])、(?=[“《])")
_OPENING, _CLOSING = "“《（「", "”》）」"


def phrase(text: str) -> str:
    """A text of a step in the visitor's language, line by line and clause by clause."""
    return text if language() == "zh" else english(text)


def english(text: str) -> str:
    """The English of a step's text; what is not in the book is left as it is."""
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    parts = _split(line, "；。")
    said = [_sentence(part, joint) for part, joint in parts]
    if None in said and (whole := _known(line, 0)) is not None:
        return whole
    return "".join(
        part + joint if known is None else known
        for (part, joint), known in zip(parts, said, strict=True)
    ).rstrip(" ")


def _sentence(part: str, joint: str) -> str | None:
    """A clause with what ends it; None where it is not in the book."""
    if joint == "。" and (whole := _known(f"{part}。", 0)) is not None:
        return f"{whole} "
    known = _known(part, 0)
    return None if known is None else known + {"；": "; ", "。": ". "}.get(joint, "")


def _split(text: str, joints: str) -> list[tuple[str, str]]:
    """The parts of a text between joints that stand in no quotation, each with its joint."""
    parts, start, depth = [], 0, 0
    for place, letter in enumerate(text):
        depth = max(0, depth + (letter in _OPENING) - (letter in _CLOSING))
        if letter in joints and not depth:
            parts.append((text[start:place], letter))
            start = place + 1
    if start < len(text) or not parts:
        parts.append((text[start:], ""))
    return parts


def _known(text: str, depth: int) -> str | None:
    """The English of a whole phrase; None where the book has none."""
    for pattern, translation in book():
        found = pattern.fullmatch(text)
        if found is None:
            continue
        filled = _filled(found.groupdict(), depth)
        if filled is not None:
            return translation.format(**filled)
    return None


def _filled(holes: dict[str, str], depth: int) -> dict[str, str] | None:
    """What stands in the holes; None where one that must be a phrase is none."""
    filled = {}
    for name, value in holes.items():
        if not name.endswith("_"):
            filled[name] = _LIST_JOINT.sub(", ", value)
            continue
        inner = [_known(part, depth + 1) for part, _ in _split(value, "、")] if depth < 3 else []
        known = [part for part in inner if part is not None]
        whole = ", ".join(known) if known and len(known) == len(inner) else _known(value, depth + 1)
        if whole is None:
            return None
        filled[name] = whole
    return filled


def _hole(named: re.Match[str]) -> str:
    return f"(?P<{named[1]}>{r'[0-9.]+' if named[1] in _NUMBERS else '.+?'})"


@cache
def book() -> list[tuple[re.Pattern[str], str]]:
    """Patterns with their English, those with the most letters of their own first."""
    file = Path(__file__).with_name("phrases.toml")
    pairs: dict[str, str] = tomllib.loads(file.read_text(encoding="utf-8"))
    ordered = sorted(pairs.items(), key=lambda pair: -len(_HOLE.sub("", pair[0])))
    return [
        (re.compile(_HOLE.sub(_hole, re.escape(chinese))), translation)
        for chinese, translation in ordered
    ]
