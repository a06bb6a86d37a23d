"""Exact matches: codes, document numbers and quoted titles that the question names.

ABC-123 and ABC-124 look alike to vectors and nearly alike to keyword scores. Whoever names
one means it: passages that hold it as a whole come before all others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.retrieve.features import has_code
from rag.retrieve.query import quoted_titles, title_path
from rag.text.normalise import normalise
from rag.text.numerals import arabic
from rag.text.tokenise import codes
from rag.types import Chunk

# A code that names one thing: joined parts, or letters with two digits or more. "5g", "3d" and
# "mp3" are words.
_NAMES_ONE_THING = re.compile(r".*[-/_.:].*|[a-z]{1,8}\d{2,}[a-z]?|.*\d[a-z]+\d.*")
_DOCUMENT_NUMBER = re.compile(r"〔\d{4}〕\d+号")


@dataclass(frozen=True, slots=True)
class ExactTerms:
    """What a question names exactly; all normalised."""

    codes: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.codes or self.titles)


def exact_terms(question: str) -> ExactTerms:
    """The codes and the titles in 《》 of a question that name one thing each."""
    named = tuple(
        code
        for code in codes(question)
        if _DOCUMENT_NUMBER.fullmatch(code)
        or (_NAMES_ONE_THING.fullmatch(code) and sum(c.isdigit() for c in code) >= _digits(code))
    )
    return ExactTerms(named, quoted_titles(question))


def _digits(code: str) -> int:
    """Least digits of a code: ranges of years and prices are no codes, telephone numbers are."""
    return 1 if any(c.isalpha() for c in code) else 9


def exact_matches(terms: ExactTerms, chunk: Chunk) -> tuple[str, ...]:
    """Those of the terms that this passage, its headings or its title hold as a whole."""
    if not terms:
        return ()
    titles = "\n".join((*title_path(chunk), chunk.document_name))
    found: list[str] = []
    if terms.codes:
        number = chunk.metadata.document_number or ""
        digits = arabic(normalise(f"{titles}\n{number}\n{chunk.text}"))
        digits = re.sub(r"[\[(【](\d{4})[\])】]\s?(\d+)\s?号", r"〔\1〕\2号", digits)
        found.extend(code for code in terms.codes if has_code(digits, code))
    if terms.titles:
        title = normalise(titles)
        found.extend(f"《{named}》" for named in terms.titles if named in title)
    return tuple(found)
