"""What is embedded and tokenised for passages and questions."""

from __future__ import annotations

import pytest

from rag.retrieve.cache import RecentResults
from rag.retrieve.query import embedding_text, identity, lexical_text, quoted_titles, title_path
from rag.types import Chunk, DocumentMetadata


def chunk(text: str, headings: tuple[str, ...] = (), title: str | None = None) -> Chunk:
    return Chunk(
        id="c",
        document_id="d",
        kb_id="k",
        ordinal=0,
        text=text,
        heading_path=headings,
        document_name="员工手册.docx",
        metadata=DocumentMetadata(title=title),
    )


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (chunk("年假五天。"), ("员工手册",)),
        (chunk("可休五天。", ("休假", "年假")), ("员工手册", "休假", "年假")),
        (chunk("年假 五天。", ("休假", "年假")), ("员工手册", "休假")),
        (chunk("五天。", ("云岭员工手册", "年假"), "员工手册"), ("云岭员工手册", "年假")),
        (chunk("五天。", ("员工手册",), "云岭员工手册"), ("云岭员工手册",)),
    ],
)
def test_titles_are_said_once(made: Chunk, expected: tuple[str, ...]) -> None:
    assert title_path(made) == expected


def test_both_forms_hold_titles_and_text() -> None:
    made = chunk("年 假５天。", ("休假",))
    assert embedding_text(made) == "员工手册\n休假\n年假5天。"
    assert lexical_text(made) == "员工手册\n休假\n年 假５天。"


def test_a_heading_that_the_first_line_holds_behind_its_number_is_said_once() -> None:
    made = chunk("一、怎么请假？\n答：先申请。", ("请假问答", "怎么请假？"), "怎么请假？")
    assert title_path(made) == ("请假问答",)


def test_number_and_issuer_are_found_by_words_and_not_embedded() -> None:
    made = chunk("投标保证金为80万元。", title="某大道招标文件")
    about = made.metadata.model_copy(
        update={"document_number": "NP-041", "organisation": "某市建设局"}
    )
    made = made.model_copy(update={"metadata": about})
    assert lexical_text(made) == "某大道招标文件\nNP-041\n某市建设局\n投标保证金为80万元。"
    assert embedding_text(made) == "某大道招标文件\n投标保证金为80万元。"
    said = made.model_copy(update={"text": "编号：NP-041，由某市建设局发布。"})
    assert identity(said) == ()


def test_quoted_titles() -> None:
    assert quoted_titles("《劳动 合同法》和《勞動合同法》、《公司法》") == ("劳动合同法", "公司法")
    assert quoted_titles("劳动合同法") == ()


def test_recent_results_forget_the_least_used() -> None:
    made: list[int] = []
    recent: RecentResults[int] = RecentResults(2)

    def make(number: int) -> int:
        return recent.get(number, lambda: made.append(number) or number)

    for number in (1, 2, 1, 3, 1, 2):
        assert make(number) == number
    assert made == [1, 2, 3, 2]
    assert len(recent) == 2
    recent.clear()
    assert len(recent) == 0
    with pytest.raises(ValueError):
        RecentResults(0)
