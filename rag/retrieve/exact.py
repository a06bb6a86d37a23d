"""Exact matches: codes, document numbers, quoted titles and quoted words of the question.

ABC-123 and ABC-124 look alike to vectors and nearly alike to keyword scores. Whoever names
one means it: passages that hold it as a whole come before all others. Short ones (E2, UB)
count where the knowledge base knows them as something rare, and 第三条 is the article that
begins with this number, not a passage that mentions it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rag.retrieve.features import has_code
from rag.retrieve.query import quoted_titles, title_path
from rag.text.normalise import HAN, normalise
from rag.text.numerals import NUMERAL_LETTERS, arabic
from rag.text.tokenise import codes
from rag.types import Chunk

# A code that names one thing: joined parts, or letters with two digits or more. "5g", "3d" and
# "mp3" are words.
_NAMES_ONE_THING = re.compile(r".*[-/_.:].*|[a-z]{1,8}\d{2,}[a-z]?|.*\d[a-z]+\d.*")
_DOCUMENT_NUMBER = re.compile(r"〔\d{4}〕\d+号")
_SHORT = re.compile(r"[a-z]{1,4}\d{1,3}[a-z]?|\d{1,3}[a-z]{1,2}")
_MEASURE = re.compile(r"\d+(?:[vwgltkmhab]|k[gmwv]|m[lgmbw]|cm|gb|tb|hz|px|id)")
# Not the letters within ABC-123.
_CAPITALS = re.compile(
    r"(?<![A-Za-z0-9])(?<![A-Za-z0-9][-_.])[A-Z]{2,5}(?![A-Za-z0-9]|[-_.][A-Za-z0-9])"
)
_HAN_OR_SMALL = re.compile(f"[a-z{HAN}]")
_PLAIN = """
vip app ok pc ai it id pdf qq atm usb wifi gps ceo hr ppt cpu sim pos etc sms faq word excel
email tv ip mp3 mp4 h5
"""
_PLAIN_WORDS = frozenset(_PLAIN.split())
"""Abbreviations that are everyday words: they name no single thing."""

SHORT_CODE_SHARE = 0.02
SHORT_CODE_PASSAGES = 4
"""A short code names one thing when at most this share of all passages hold it, or at most so
many of a small collection. Chosen by us: its entry, and a few passages that refer to it."""

_QUOTED = re.compile(
    r"「([^「」\n]{2,60})」|『([^『』\n]{2,60})』|“([^“”\n]{2,60})”|\"([^\"\n]{2,60})\""
)
_LETTERS = re.compile(r"\w")

_ARTICLE = re.compile(r"第\d+(?:条(?:之\d+)?|[章节编])")
_BEGINS = re.compile(
    rf"\s*(第\s*[0-9{NUMERAL_LETTERS}]+\s*(?:条(?:之[0-9{NUMERAL_LETTERS}]+)?|[章节编]))"
)
_ARTICLE_ENDS = re.compile(r"[\s:、,.(\[【《]|$")


@dataclass(frozen=True, slots=True)
class ExactTerms:
    """What a question names exactly; all normalised."""

    codes: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    """Numbers of articles and chapters in digits: "第3条"."""

    phrases: tuple[str, ...] = ()
    """Words in quotation marks: they are to stand in a passage just so."""

    question: str = ""
    """Tells whose article is meant where several documents have one of this number."""

    def __bool__(self) -> bool:
        return bool(self.codes or self.titles or self.articles or self.phrases)


def exact_terms(
    question: str, shares: Callable[[Iterable[str]], Mapping[str, tuple[int, float]]] | None = None
) -> ExactTerms:
    """The codes, articles and titles in 《》 of a question that name one thing each, and its
    words in quotation marks.

    Args:
        shares: for index terms, how many passages hold each and which share of all; without
            it short codes (E2, UB) are left out.
    """
    found = codes(question)
    short = _short_codes(question, found)
    held = shares(short) if shares is not None and short else {}
    named = [
        code
        for code in found
        if _DOCUMENT_NUMBER.fullmatch(code)
        or (_NAMES_ONE_THING.fullmatch(code) and sum(c.isdigit() for c in code) >= _digits(code))
    ]
    for code in short:
        count, share = held.get(code, (0, 0.0))
        rare = share <= SHORT_CODE_SHARE or count <= SHORT_CODE_PASSAGES
        if count and rare and code not in named:
            named.append(code)
    articles = tuple(code for code in found if _ARTICLE.fullmatch(code))
    text = normalise(question) if articles else ""
    return ExactTerms(
        tuple(named), quoted_titles(question), articles, quoted_phrases(question), text
    )


def quoted_phrases(question: str) -> tuple[str, ...]:
    """What a question puts in quotation marks (「」『』“” and straight ones), normalised, each
    once, in order; two letters at least, and not the whole question."""
    found = [normalise(next(filter(None, groups))) for groups in _QUOTED.findall(question)]
    whole = normalise(question)
    return tuple(
        dict.fromkeys(
            text for text in found if len(_LETTERS.findall(text)) > 1 and len(text) + 2 < len(whole)
        )
    )


def _short_codes(question: str, found: Iterable[str]) -> list[str]:
    """Words of the question that may be short codes: letters with a digit, or capitals."""
    wide = unicodedata.normalize("NFKC", question)
    short = [code for code in found if _SHORT.fullmatch(code)]
    if _HAN_OR_SMALL.search(wide):  # all in capitals, a question has no codes in capitals
        short += [word.lower() for word in _CAPITALS.findall(wide)]
    return [
        code
        for code in dict.fromkeys(short)
        if code not in _PLAIN_WORDS and not _MEASURE.fullmatch(code)
    ]


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
    found.extend(article for article in terms.articles if _is_article(article, chunk))
    if found and terms.articles:
        # 劳动合同法第三条 names the law without 《》.
        title = normalise(chunk.metadata.title or "").removeprefix("中华人民共和国")
        found.extend([f"《{title}》"] if len(title) > 2 and title in terms.question else [])
    if terms.titles:
        title = normalise(titles)
        found.extend(f"《{named}》" for named in terms.titles if named in title)
    if terms.phrases:
        whole = normalise(f"{titles}\n{chunk.text}")
        found.extend(f"“{phrase}”" for phrase in terms.phrases if phrase in whole)
    return tuple(dict.fromkeys(found))


def _is_article(article: str, chunk: Chunk) -> bool:
    """Whether the passage is this article, or stands in the chapter of this number.

    A record or sentence that only begins with such words (第三条记录) is none.
    """
    for text in (*chunk.heading_path, chunk.text):
        match = _BEGINS.match(text)
        if match is None or _compact(match[1]) != article:
            continue
        own_text = text is chunk.text
        if not own_text or chunk.kind == "clause" or _ARTICLE_ENDS.match(text, match.end()):
            return True
    return False


def _compact(number: str) -> str:
    return arabic(re.sub(r"\s", "", normalise(number)))


def has_entry(terms: ExactTerms, chunk: Chunk) -> bool:
    """Whether a line of the passage is the record or the table row of a code that is asked for:
    it begins with the code or with a field whose whole value is the code."""
    text = normalise(chunk.text) if terms.codes else ""
    return any(
        re.search(rf"(?m)^[|\s]*(?:[^:;|,\n]{{1,10}}:)?\s*{re.escape(code)}\s*[;|,:]", text)
        for code in terms.codes
    )
