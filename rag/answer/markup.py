"""Keeps text from documents and models text: it never becomes markup in the interface.

The interface renders Markdown with HTML off. `escape` makes a quoted sentence show exactly
its own characters; `defuse` takes links and images out of what a model wrote, because a
document could have told the model to send data to an address that way.
"""

from __future__ import annotations

import re

_ANYWHERE = re.compile(r"[\\`*\[\]<>$|]|~(?=.*~)|~(?<=~.)|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_ENTITY = re.compile(r"&(?=#?\w{1,31};)", re.ASCII)
_DIRECTIVE = re.compile(r":(?=[A-Za-z])")
_LINE_START = re.compile(r"^([#+=-])(?!\d)|^(\d{1,9})([.)])(?=\s|$)|^-(?=\d+[.)]?\s)")
_FULL_WIDTH_MARK = re.compile(r"【(?=\s*\d{1,3}(?:\s*[,，、\-–~]\s*\d{1,3})*\s*】)")
_NO_MARK = "【\u200b"
"""An invisible space keeps 【1】 in a quotation from being read as a citation."""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_IMAGE_OR_LINK = re.compile(
    r"!?\[([^\[\]\n]*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\))?[^()\s<>]*)>?[^()\n]*\)"
)
_REFERENCE = re.compile(r"^[ \t]*\[[^\]\n]+\]:[ \t]*\S+.*$", re.M)
_AUTOLINK = re.compile(r"<((?:https?|ftp|mailto|data|javascript):[^>\s]*)>", re.I)


def escape(text: str) -> str:
    """One line of Markdown that shows exactly `text`; line breaks become spaces.

    Brackets are escaped too, so that a number in brackets inside a quotation is never taken
    for a citation.
    """
    line = " ".join(text.split())
    line = _ENTITY.sub(r"\\&", _escape_marks(line))
    line = _DIRECTIVE.sub(r"\\:", line)
    line = _FULL_WIDTH_MARK.sub(_NO_MARK, line)
    return _LINE_START.sub(_escape_line_start, line)


def unescape(text: str) -> str:
    """The plain text that `escape` was given (but for line breaks)."""
    return _ESCAPED.sub(r"\1", text).replace(_NO_MARK, "【")


def defuse(text: str) -> str:
    """A model's Markdown without images and links: their words stay, their targets go."""
    text = _IMAGE_OR_LINK.sub(_words_only, text)
    text = _REFERENCE.sub("", text)
    return _AUTOLINK.sub(r"\1", text)


def _escape_marks(line: str) -> str:
    return _ANYWHERE.sub(lambda match: "\\" + match.group(), line)


def _escape_line_start(match: re.Match[str]) -> str:
    if match.group(2):
        return f"{match.group(2)}\\{match.group(3)}"
    return "\\" + match.group()


def _words_only(match: re.Match[str]) -> str:
    words = match.group(1)
    # [1](http…) is a citation that the model made a link of.
    return f"[{words}]" if re.fullmatch(r"\^?\d{1,3}", words.strip()) else words
