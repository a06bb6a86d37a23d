"""Subtitles (SRT, WebVTT) as running text with the time at the beginning of each paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.ingest.lines import join_wrapped
from rag.types import Block

_TIMES = re.compile(
    r"(?P<start>(?:\d{1,3}:)?\d{1,2}:\d{2})[.,]\d{1,3}\s*-->\s*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}.*"
)
_VOICE = re.compile(r"<v(?:\.[\w.]*)?\s+([^>]+)>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|\{\\[^{}]*\}")
_PARAGRAPH = 250
"""Characters from which a paragraph ends at the next end of a sentence. Chosen by us."""

_LONGEST = 500
"""Characters at which it ends anyway: spoken text often has no marks."""


def is_subtitles(text: str) -> bool:
    """Whether a text is a file of subtitles."""
    start = text.lstrip("\ufeff \n")[:400]
    return start.startswith("WEBVTT") or bool(
        re.match(r"\d+\s*\n\s*" + _TIMES.pattern.replace("?P<start>", ""), start)
    )


def subtitle_blocks(text: str) -> Iterator[Block]:
    """Paragraphs like "[00:01:20] …", each of the cues of about half a minute."""
    start, length = "", 0
    lines: list[str] = []
    for time, line in _cues(text):
        if lines and (
            length >= _LONGEST or (length >= _PARAGRAPH and lines[-1].endswith(tuple("。？！?!.…")))
        ):
            yield _paragraph(start, lines)
            lines, length = [], 0
        if not lines:
            start = time
        lines.append(line)
        length += len(line)
    if lines:
        yield _paragraph(start, lines)


def _paragraph(start: str, lines: list[str]) -> Block:
    return Block(kind="paragraph", text=f"[{start}] {_joined(lines)}")


def _joined(lines: list[str]) -> str:
    """Cues in one line; a blank where nothing else would part two of them."""
    text = ""
    for line in lines:
        gap = text and not text.endswith(tuple("，。？！、；：,.?!;:…")) and text[-1] > "\u2e7f"
        text = f"{text} {line}" if gap else join_wrapped((text, line))
    return text


def _cues(text: str) -> Iterator[tuple[str, str]]:
    """Time and text of each cue; a text repeated by the next cue (rolling captions) once."""
    previous = ""
    for cue in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in cue.split("\n") if line.strip()]
        at = next((n for n, line in enumerate(lines) if _TIMES.match(line)), None)
        if at is None:
            continue
        match = _TIMES.match(lines[at])
        words = [_VOICE.sub(r"\1：", line) for line in lines[at + 1 :]]
        line = join_wrapped([_TAG.sub("", word) for word in words])
        if match and line and line != previous:
            yield match["start"], line
            previous = line
