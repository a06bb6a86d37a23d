"""Whether what a model wrote keeps to the text that it was given: part of the offline chain."""

from __future__ import annotations

import re

from rag.text.normalise import normalise
from rag.text.tokenise import query_terms

_BODY = re.compile(
    r"[一-鿿]{2,12}?(?:公司|集团|银行|大学|学院|医院|委员会|管理局|[厅局署])(?![一-鿿]?[长面部限势])"
)
_ASKED = re.compile(r"[谁哪何]|什么|多少|怎|如何|几|该|本|上述|相关|有关")


def share_held(text: str, held: str) -> float:
    """The share (0..1) of a text's words that `held`, which is normalised, holds; 0 for none."""
    terms = query_terms(text)
    return sum(term in held for term in terms) / len(terms) if terms else 0.0


def names_strangers(text: str, held: str) -> bool:
    """Whether a text names a person or a body that `held`, which is normalised, doesn't."""
    from rag.understand.names import find_names

    plain = held.replace(" ", "")
    named = [text[start:end] for start, end in find_names(text)]
    named += [match[0] for match in _BODY.finditer(text) if not _ASKED.search(match[0])]
    return any(_is_strange(name, plain) for name in named)


def speaks_of_another(text: str, held: str) -> bool:
    """Whether a statement begins with a word that `held`, which is normalised, doesn't have: it
    is about something else then."""
    said = normalise(text)
    terms = sorted((said.find(term), -len(term), term) for term in set(query_terms(text)))
    first = next((term for at, _, term in terms if at >= 0), "")
    return bool(first) and first not in held


def _is_strange(name: str, plain: str) -> bool:
    wanted = normalise(name).replace(" ", "")
    # A body may be called by the end of its name, with a word before it that isn't its own.
    return wanted not in plain and not (len(wanted) > 4 and wanted[-4:] in plain)
