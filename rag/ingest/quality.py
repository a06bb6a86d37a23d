"""The quality gate between cleaning and chunking: what is doubtful is said, what is unreadable
is kept out of search, and what editors decided is carried out.

A document that was "indexed" with nothing in it looks like success and answers nothing, so
it fails here, and the message names the reason. One of which a good part is unreadable is
quarantined: its chunks are made and shown, but not searched until somebody looked at it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rag.errors import DocumentError, EmptyDocument, UnsupportedFormat
from rag.ingest.quality_measures import (
    confidence_of,
    duplicate_share,
    garbled_share,
    is_out_of_order,
    page_text,
    repeated_pages,
    says_little,
)
from rag.types import Document, Page, PageDecision, Quality, QualityIssue, QualityStatus, Severity

QUARANTINE_SHARE = 1 / 3
"""A document with errors on more than this share of its pages is quarantined. Chosen by us:
one bad page among many should not hide the others, a half-read document misleads."""
GARBLED_ERROR, GARBLED_WARNING = 0.10, 0.02
"""Share of broken characters in a page's text. 10 % separated broken from sound pages on 28
real PDFs; the lower bound is chosen by us."""
CONFIDENCE_ERROR, CONFIDENCE_WARNING = 0.55, 0.80
"""Mean confidence of recognised characters, 0..1. Clean scans measured above .95; chosen by us."""
DUPLICATE_SHARE = 0.30
"""Share of a document's text that repeats earlier paragraphs word for word; chosen by us."""
MEASURE_DIGITS = 4

_UNREAD = {"no_text", "garbled", "failed_page", "ocr_off", "ocr_failed"}
"""Flags that say why a page has no text. With text beside them they are warnings."""
_WARNINGS = {
    "image_text", "invisible_text", "ragged_rows", "bad_lines", "duplicate_records",
    "formula_without_value", "damaged_text", "mojibake", "table_numbers", "decision_outdated",
    "low_information", "doubtful_text", "lost_text", "attachments_unread", "truncated",
    "skipped_page", "stamp_over_text", "low_resolution", "doubtful_numbers",
}  # fmt: skip
_OF_DOCUMENT = {"repaired", *_WARNINGS, *_UNREAD}
"""Flags of a whole document, without a page, that become issues."""


class _Finding(NamedTuple):
    code: str
    severity: Severity
    detail: str = ""


def assess(document: Document, decisions: Sequence[PageDecision] = ()) -> Quality:
    """The verdict on a document, cleaned and with the editors' decisions applied.

    Args:
        decisions: those that `apply_decisions` was given; an accepted page keeps its issues
            as information, an excluded one has none.

    Returns:
        `measures` holds garbled_ratio, duplicate_ratio and missing_pages (a count), and
        ocr_confidence where something was recognised.
    """
    accepted = {d.page for d in decisions if d.action == "accept"}
    repeats = repeated_pages(document.pages)
    issues: list[QualityIssue] = []
    errors: set[int] = set()
    troubled: set[int] = set()
    for page in document.pages:
        for finding in _page_findings(page, repeats):
            severity: Severity = "info" if page.number in accepted else finding.severity
            issues.append(
                QualityIssue(
                    code=finding.code, severity=severity, page=page.number, detail=finding.detail
                )
            )
            if severity != "info":
                troubled.add(page.number)
            if severity == "error":
                errors.add(page.number)
    gaps = _gaps(document.pages)
    issues.extend(QualityIssue(code="missing_page", severity="error", page=n) for n in gaps)
    errors |= gaps
    troubled |= gaps
    issues.extend(_document_issues(document, decisions, {issue.code for issue in issues}))
    pages = {p.number for p in document.pages if "excluded" not in p.flags} | gaps
    unread = {i.page for i in issues if i.code in _UNREAD and i.severity == "error"}
    share = len(errors) / max(len(pages), 1)
    return Quality(
        status=_status(share, issues),
        score=round(1 - len(troubled) / max(len(pages), 1), MEASURE_DIGITS),
        issues=tuple(issues),
        measures=_measures(document, len(unread | gaps)),
    )


def apply_decisions(
    document: Document, decisions: Sequence[PageDecision], *, same_file: bool = True
) -> Document:
    """The document as editors decided: excluded pages without text, corrected ones with the
    text that was given. Pages that changed since the decision are flagged.

    Args:
        document: parsed and cleaned; "reparse" was heeded by the parser already.
        same_file: whether the decisions were made about this very file. In another one they
            only hold for pages that read the same as before.
    """
    by_page = {decision.page: decision for decision in decisions}
    before = {flag for page in document.pages for flag in page.flags}
    pages = tuple(
        _decided(page, by_page[page.number], same_file) if page.number in by_page else page
        for page in document.pages
    )
    own = tuple(flag for flag in document.flags if flag not in before)
    now = tuple(flag for page in pages for flag in page.flags)
    return document.model_copy(update={"pages": pages, "flags": tuple(dict.fromkeys((*own, *now)))})


def page_key(page: Page) -> str:
    """A hash of a page's text, blanks aside: 16 hexadecimal digits."""
    text = "".join(page_text(page).split())
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def with_page_keys(
    document: Document, decisions: Sequence[PageDecision]
) -> tuple[PageDecision, ...]:
    """The decisions, those without a page key given that of the page as it was parsed."""
    pages = {page.number: page for page in document.pages}
    return tuple(
        decision.model_copy(update={"page_key": page_key(pages[decision.page])})
        if not decision.page_key and decision.page in pages
        else decision
        for decision in decisions
    )


def _decided(page: Page, decision: PageDecision, same_file: bool) -> Page:
    outdated = decision.page_key != page_key(page) if decision.page_key else not same_file
    if outdated:
        page = page.model_copy(update={"flags": (*page.flags, "decision_outdated")})
        if not same_file:
            return page
    if decision.action == "exclude":
        return page.model_copy(update={"blocks": (), "flags": ("excluded",)})
    if decision.action == "correct":
        from rag.ingest.parse.markdown import parse_markdown

        read, _ = parse_markdown(decision.text)
        blocks = tuple(
            block.model_copy(update={"page": page.number}) for p in read for block in p.blocks
        )
        flags = ("corrected", "decision_outdated") if outdated else ("corrected",)
        return page.model_copy(update={"blocks": blocks, "flags": flags, "confidence": None})
    return page


def _page_findings(page: Page, repeats: dict[int, int]) -> Iterable[_Finding]:
    if "excluded" in page.flags:
        return
    text = page_text(page)
    for flag in page.flags:
        code, _, value = flag.partition(":")
        if code in _UNREAD:
            yield _Finding(code, "warning" if text else "error", value)
        elif code in _WARNINGS:
            yield _Finding(code, "warning", value)
    garbled = garbled_share(text)
    if garbled > GARBLED_WARNING:
        severity: Severity = "error" if garbled > GARBLED_ERROR else "warning"
        yield _Finding("garbled_text", severity, f"{garbled:.0%}")
    if page.confidence is not None and text and page.confidence < CONFIDENCE_WARNING:
        severity = "error" if page.confidence < CONFIDENCE_ERROR else "warning"
        yield _Finding("low_confidence", severity, f"{page.confidence:.0%}")
    if says_little(page, text) and "low_information" not in page.flags:
        yield _Finding("low_information", "warning")
    if page.number in repeats:
        yield _Finding("duplicate_page", "warning", str(repeats[page.number]))
    if is_out_of_order(page):
        yield _Finding("reading_order", "warning")


def _document_issues(
    document: Document, decisions: Sequence[PageDecision], told: set[str]
) -> Iterable[QualityIssue]:
    for flag in document.flags:
        code, _, value = flag.partition(":")
        if code in _OF_DOCUMENT and code not in told:
            yield QualityIssue(code=code, severity="warning", detail=value)
    share = duplicate_share(document.pages)
    if share > DUPLICATE_SHARE:
        yield QualityIssue(code="duplicate_text", severity="warning", detail=f"{share:.0%}")
    numbers = {page.number for page in document.pages}
    for decision in decisions:
        if decision.page not in numbers:
            yield QualityIssue(
                code="decision_without_page", severity="warning", detail=str(decision.page)
            )


def _gaps(pages: Sequence[Page]) -> set[int]:
    """Numbers that the pages skip."""
    numbers = {page.number for page in pages}
    return set(range(1, max(numbers, default=0) + 1)) - numbers


def _status(error_share: float, issues: Sequence[QualityIssue]) -> QualityStatus:
    if error_share > QUARANTINE_SHARE:
        return "quarantined"
    return "warnings" if any(issue.severity != "info" for issue in issues) else "passed"


def _measures(document: Document, missing: int) -> dict[str, float]:
    text = "\n".join(page_text(page) for page in document.pages)
    measures = {
        "garbled_ratio": garbled_share(text),
        "duplicate_ratio": duplicate_share(document.pages),
        "missing_pages": float(missing),
    }
    confidence = confidence_of(document.pages)
    if confidence is not None:
        measures["ocr_confidence"] = confidence
    routes = Counter(page.route for page in document.pages)
    measures |= {f"{route}_pages": float(count) for route, count in routes.items()}
    return {name: round(value, MEASURE_DIGITS) for name, value in measures.items()}


def require_text(document: Document) -> None:
    """Let a document with text pass.

    Raises:
        EmptyDocument: there is no text: only white space, or only scanned pages.
        UnsupportedFormat: there is text, but all of it is garbled.
        CorruptDocument: the file is damaged, and nothing of it could be saved.
    """
    if any(block.text.strip() for block in document.blocks):
        return
    raise _reason(document)


def _reason(document: Document) -> DocumentError:
    flags = {flag for page in document.pages for flag in page.flags}
    count = len(document.pages)
    if "garbled" in flags:
        return UnsupportedFormat(
            "PDF 的文字编码异常，提取出来的是乱码，没有收录。",
            "请用原始的 Word 文件，或重新导出（嵌入字体）的 PDF。",
            message_en="The PDF's text is garbled (broken font encoding) and was not indexed.",
            remedy_en="Use the original Word file, or export the PDF again with embedded fonts.",
        )
    if flags & {"no_text", "image_text", "ocr_off", "ocr_failed"}:
        return EmptyDocument(
            f"文档没有文字层：{count} 页都是扫描件或图片，没有识别出文字。",
            "请确认“文字识别”已开启且图像清晰，或换用带文字的文件重新上传。",
            message_en=f"The document has no text layer: its {count} pages are scans or pictures "
            "in which no text was recognised.",
            remedy_en="Make sure that text recognition is on and the pictures are clear, or "
            "upload a file with text.",
        )
    if "invisible_text" in flags:
        return EmptyDocument(
            "文档里只有不可见的文字，没有收录。",
            "请打开核对内容，换用文字可见的文件。",
            message_en="The document holds only invisible text, which is not indexed.",
            remedy_en="Look at its content and use a file whose text can be seen.",
        )
    if "failed_page" in flags or "repaired" in document.flags:
        from rag.ingest.mupdf import damaged_pdf

        return damaged_pdf("no text could be read")
    if "excluded" in flags:
        return EmptyDocument(
            "所有页面都被排除了，没有可收录的内容。",
            "请至少保留一页，或删除这个文档。",
            message_en="All pages are excluded; nothing is left to index.",
            remedy_en="Keep at least one page, or delete the document.",
        )
    return EmptyDocument(
        "文档里没有文字内容（只有空白）。",
        "请确认选对了文件；内容是图片时请换用带文字的文档。",
        message_en="There is no text in the document, only white space.",
        remedy_en="Make sure that it is the right file; pictures of text cannot be read.",
    )
