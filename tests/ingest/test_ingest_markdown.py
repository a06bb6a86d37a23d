from __future__ import annotations

from rag.ingest.markdown import block_markdown, page_markdown, to_markdown
from rag.ingest.parse.markdown import parse_markdown
from rag.types import Block, Document, Page

PAGES = (
    Page(
        number=1,
        blocks=(
            Block(kind="heading", text="第一章 总则", level=1),
            Block(kind="heading", text="一、范围", level=2),
            Block(kind="paragraph", text="适用于全体员工。"),
        ),
    ),
    Page(
        number=2,
        route="scanned",
        confidence=0.934,
        flags=("header_footer",),
        blocks=(Block(kind="paragraph", text="续上页的内容。"),),
    ),
)
DOCUMENT = Document(
    name="制度-->.pdf", media_type="application/pdf", pages=PAGES, flags=("header_footer",)
)


def test_places_tell_page_route_flags_and_the_headings_above() -> None:
    text = to_markdown(DOCUMENT, places=True)
    assert text.startswith("<!-- document: 制度- -›.pdf; flags: header_footer -->")
    assert "<!-- page: 1 -->\n\n# 第一章 总则" in text
    assert (
        "<!-- page: 2; route: scanned; confidence: 0.93; flags: header_footer; "
        "path: 第一章 总则 › 一、范围 -->\n\n续上页的内容。" in text
    )


def test_without_places_only_the_text_is_there() -> None:
    assert (
        to_markdown(DOCUMENT)
        == "# 第一章 总则\n\n## 一、范围\n\n适用于全体员工。\n\n续上页的内容。"
    )
    assert page_markdown(PAGES[1]) == "续上页的内容。"


def test_code_may_hold_fences_and_names_its_language() -> None:
    block = Block(kind="code", text="```\nx\n```", metadata={"language": "python"})
    assert block_markdown(block) == "````python\n```\nx\n```\n````"


def test_a_record_shows_its_title_once() -> None:
    answer = Block(kind="paragraph", text="五天。", record_id="1", metadata={"title": "年假几天"})
    whole = answer.model_copy(update={"text": "问：年假几天\n答：五天。"})
    assert block_markdown(answer) == "**年假几天**\n\n五天。"
    assert block_markdown(whole) == "问：年假几天\n答：五天。"


def test_what_is_written_can_be_read_again() -> None:
    pages, _ = parse_markdown(to_markdown(DOCUMENT, places=True))
    again = Document(name="a", media_type="text/markdown", pages=pages)
    assert to_markdown(again) == to_markdown(DOCUMENT)
