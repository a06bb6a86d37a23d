"""Answers as safe HTML: Markdown without raw HTML, citation chips, marked statements.

Nothing from a model, a document or a person reaches the page as markup: raw HTML is escaped,
images are dropped, and a link keeps only its text unless it is a plain web address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.answer.markup import defuse
from rag.types import Citation, Claim
from ui.places import place
from ui.texts import t
from ui.texts.phrases import phrase
from ui.words import escape

_CITATION = re.compile(r"\[(\d{1,3})\]")
_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile("\ue000(\\d+)\ue002|\ue001")
_LINE_START = re.compile(r"\s*(?:[-*+]\s+|\d+[.)、]\s*|#{1,6}\s+|>\s*)?")
_PRIVATE = re.compile("[\ue000-\ue00f]")


def answer_html(
    text: str,
    citations: Sequence[Citation] = (),
    claims: Sequence[Claim] = (),
    *,
    anchor: str = "",
) -> str:
    """The answer's HTML.

    Args:
        text: the answer as written, Markdown with `[n]`.
        citations: those that `[n]` may name; others stay plain text.
        claims: checked statements; unsupported and contradicted ones get a side line.
        anchor: prefix of the evidence cards' element ids; empty leaves chips without a link.
    """
    marked, kept = _insert_marks(_PRIVATE.sub("", text), claims if not _has_private(text) else ())
    body = _markdown().render(marked)
    body = _MARK.sub(lambda m: _mark_tag(m, kept), body)
    by_number = {citation.n: citation for citation in citations}
    body = _CITATION.sub(lambda m: _chip(m, by_number, anchor), body)
    return f'<div class="zw-answer">{body}</div>'


def draft_html(text: str) -> str:
    """The HTML of text that a model is still writing or did not finish.

    Nothing has checked it yet, so its links and images go here; a finished answer has none.
    """
    return answer_html(defuse(text))


@cache
def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    parser.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])
    parser.validateLink = lambda url: bool(re.match(r"https?://", url.strip(), re.I))  # type: ignore[method-assign]
    parser.core.ruler.push("external_links", _guard_links)
    return parser


def _guard_links(state: object) -> None:
    for token in getattr(state, "tokens", []):
        for child in token.children or []:
            if isinstance(child, Token) and child.type == "link_open":
                child.attrSet("rel", "noopener noreferrer nofollow")
                child.attrSet("target", "_blank")


def _has_private(text: str) -> bool:
    return bool(_PRIVATE.search(text))  # removing them would shift the spans


def _insert_marks(text: str, claims: Sequence[Claim]) -> tuple[str, list[Claim]]:
    """Put sentinels around each marked statement, line by line, outside of table rows."""
    kept = [c for c in claims if c.verdict != "supported" and 0 <= c.span[0] < c.span[1]]
    pieces: list[tuple[int, str]] = []
    for index, claim in enumerate(kept):
        start, end = claim.span[0], min(claim.span[1], len(text))
        position = start
        for line in text[start:end].splitlines(keepends=True):
            begin, stop = position, position + len(line.rstrip())
            position += len(line)
            if begin == 0 or text[begin - 1] == "\n":
                begin += len(_LINE_START.match(line).group(0))  # type: ignore[union-attr]
            if begin >= stop or text[begin:stop].lstrip().startswith("|"):
                continue
            pieces += [(begin, f"{_OPEN}{index}\ue002"), (stop, _CLOSE)]
    result, last = [], 0
    for at, sentinel in sorted(pieces, key=lambda p: (p[0], p[1][0] == _OPEN)):
        result += [text[last:at], sentinel]
        last = at
    return "".join([*result, text[last:]]), kept


def _mark_tag(match: re.Match[str], kept: list[Claim]) -> str:
    if match.group(0) == _CLOSE:
        return "</span>"
    claim = kept[int(match.group(1))]
    word = t(f"claim.{claim.verdict}")
    reason = f"{word}{t('list.colon')}{phrase(claim.reason)}" if claim.reason else word
    return f'<span class="zw-claim zw-{claim.verdict}" title="{escape(reason)}">'


def _chip(match: re.Match[str], citations: dict[int, Citation], anchor: str) -> str:
    citation = citations.get(int(match.group(1)))
    if citation is None:
        return match.group(0) if citations else f'<span class="zw-chip">{match.group(1)}</span>'
    at = place(citation.document, (citation.page,))
    where = f"{citation.document} · {at}" if at else citation.document
    title = escape(where)
    name = escape(t("evidence.chip", n=citation.n, place=where))
    if not anchor:
        return f'<span class="zw-chip" title="{title}">{citation.n}</span>'
    return (
        f'<a class="zw-chip" href="#{anchor}-{citation.n}" target="_self" title="{title}" '
        f'aria-label="{name}">{citation.n}</a>'
    )
