"""Equations of Word documents in one line of text: part of the parse step.

Fractions, powers and roots keep their structure ("(a+b)/(2c)", "x^2", "√(x)"), so that no
formula reads as another one.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
"""Namespace of equations."""

_MAX_DEPTH = 60
_STYLED = re.compile("[\U0001d400-\U0001d7ff]+")
"""Letters in the styles of mathematics, which are characters of their own."""

_PROPERTIES = "Pr"


def math_text(element: Any, depth: int = 0) -> str:
    """An equation, or a part of one, as text."""
    if depth > _MAX_DEPTH or not isinstance(element.tag, str):
        return ""
    name = element.tag.rpartition("}")[2]
    if name == "t":
        return _STYLED.sub(_plain, element.text or "")
    if name.endswith(_PROPERTIES):
        return ""
    if name == "f":
        return f"{_group(element, 'num', depth)}/{_group(element, 'den', depth)}"
    if name == "sSup":
        return f"{_part(element, 'e', depth)}^{_group(element, 'sup', depth)}"
    if name == "sSub":
        return f"{_part(element, 'e', depth)}_{_group(element, 'sub', depth)}"
    if name in ("sSubSup", "sPre"):
        low, high = _group(element, "sub", depth), _group(element, "sup", depth)
        return f"{_part(element, 'e', depth)}_{low}^{high}"
    if name == "rad":
        degree = _part(element, "deg", depth)
        return f"{degree}√({_part(element, 'e', depth)})"
    if name == "nary":
        sign = _property(element, "naryPr", "chr") or "∫"
        low, high = _part(element, "sub", depth), _part(element, "sup", depth)
        bounds = (f"_({low})" if low else "") + (f"^({high})" if high else "")
        return f"{sign}{bounds} {_part(element, 'e', depth)}"
    if name == "d":
        return _delimited(element, depth)
    if name == "m":
        rows = (
            ", ".join(math_text(cell, depth + 1) for cell in row.findall(M + "e"))
            for row in element.findall(M + "mr")
        )
        return "[" + "; ".join(rows) + "]"
    if name == "limLow":
        return f"{_part(element, 'e', depth)}_{_group(element, 'lim', depth)}"
    if name == "limUpp":
        return f"{_part(element, 'e', depth)}^{_group(element, 'lim', depth)}"
    if name == "eqArr":
        return "\n".join(math_text(line, depth + 1) for line in element.findall(M + "e"))
    return "".join(math_text(child, depth + 1) for child in element)


def _plain(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


def _delimited(element: Any, depth: int) -> str:
    opening = _property(element, "dPr", "begChr")
    closing = _property(element, "dPr", "endChr")
    inner = ", ".join(math_text(part, depth + 1) for part in element.findall(M + "e"))
    return f"{'(' if opening is None else opening}{inner}{')' if closing is None else closing}"


def _part(element: Any, name: str, depth: int) -> str:
    found = element.find(M + name)
    return "" if found is None else math_text(found, depth + 1)


def _group(element: Any, name: str, depth: int) -> str:
    """A part in brackets unless it is one letter or a number."""
    text = _part(element, name, depth).strip()
    return text if len(text) == 1 or text.isdigit() else f"({text})"


def _property(element: Any, holder: str, name: str) -> str | None:
    found = element.find(f"{M}{holder}/{M}{name}")
    return None if found is None else found.get(M + "val")
