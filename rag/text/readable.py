"""Text as people typed or pasted it, without what nobody sees and no part can use."""

from __future__ import annotations

import re
import unicodedata

_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])")
"""Colours and cursor moves that come along with text copied from a terminal (ECMA-48)."""


def readable(text: str) -> str:
    """`text` without terminal sequences and control characters; half an emoji (a lone
    surrogate, which cannot be written as UTF-8) becomes U+FFFD. Tabs and line breaks stay."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if text.isprintable():
        return text
    text = _TERMINAL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")
