"""Finds who speaks: the turns of meetings, interviews, calls and subtitles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rag.ingest.chunk.sections import Unit

_TIME = r"[\[(（【]?\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?:[.,]\d{1,3})?[\])）】]?"
_SPEAKER = re.compile(
    rf"\s*(?:{_TIME}\s*)?(?:\*\*)?"
    r"(?P<name>[A-Za-z一-鿿][A-Za-z0-9一-鿿·. ]{0,11}?(?:[（(][^）)\n]{1,12}[）)])?)"
    rf"(?:\*\*)?\s*(?:{_TIME}\s*)?[:：](?:\*\*)?(?!//)"
)
_TIMED = re.compile(rf"\s*{_TIME}(?:\s*(?:-->|[-–—~～至到])\s*{_TIME})?(?:\s|$)")
_SPOKEN = re.compile(r"[我你您咱吗呢吧啊嗯呀哦？?！]|大家|谢谢|是的|好的|对[，。,]")

LEAST_TURNS = 6
LEAST_SHARE = 0.4
"""Turns and share of all lines from which a text counts as spoken; chosen by us."""
_MOST_NAMES_SHARE = 0.5
"""Different names per turn; more is a form ("姓名：…", "地址：…"). Chosen by us."""
_LEAST_REPEATED = 0.6
"""Share of the turns whose speaker has several; chosen by us."""
_LEAST_SPOKEN = 0.3
"""Share of the turns with a word that people say rather than write; chosen by us: a CV has
repeated labels, too ("项目描述：…")."""


def speaker(line: str) -> str | None:
    """The name that a turn begins with ("主持人：…", "[00:12] 李工：…"), else None."""
    match = _SPEAKER.match(line)
    return match["name"].strip() if match else None


def turns(units: Sequence[Unit]) -> int:
    """How many turns a document has when it is a transcript, else 0."""
    lines = [
        line
        for unit in units
        if not unit.is_heading and unit.block.kind in ("paragraph", "list")
        for line in unit.block.text.split("\n")
        if line.strip()
    ]
    spoken = [(match["name"].strip(), line) for line in lines if (match := _SPEAKER.match(line))]
    names = Counter(name for name, _ in spoken)
    timed = sum(bool(_TIMED.match(line)) for line in lines)
    # A long turn has several lines, so that they count, too, when turns are long.
    if max(len(spoken), timed) < max(LEAST_TURNS, len(lines) * LEAST_SHARE):
        return 0
    if timed >= LEAST_TURNS:
        return max(len(spoken), timed)
    said = sum(bool(_SPOKEN.search(line)) for _, line in spoken)
    repeated = sum(count for count in names.values() if count > 1)
    is_speech = (
        2 <= len(names) <= len(spoken) * _MOST_NAMES_SHARE
        and repeated >= len(spoken) * _LEAST_REPEATED
        and said >= len(spoken) * _LEAST_SPOKEN
    )
    return len(spoken) if is_speech else 0
