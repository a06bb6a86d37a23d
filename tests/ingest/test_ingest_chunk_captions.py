"""What stands above and below a table stays with it in its chunks."""

from __future__ import annotations

import pytest
from ingest_inputs import document_of

from rag.ingest.chunk import chunk
from rag.ingest.plain import plain_text
from rag.ingest.table import to_markdown
from rag.settings import IngestSettings
from rag.types import Block, Chunk

SMALL = IngestSettings(chunk_tokens=160, chunk_overlap=0.0)


def cut(*blocks: Block) -> list[Chunk]:
    found = chunk(document_of(*blocks), SMALL, len)
    return [piece for piece in found if piece.indexed]


def text(words: str, kind: str = "paragraph") -> Block:
    return Block.model_validate({"kind": kind, "text": words})


def table(count: int, start: int = 0, page: int = 1, **metadata: str) -> Block:
    body = [(f"石家庄分公司{n}", f"{n}105.0") for n in range(start, start + count)]
    rows = (("单位", "收入"), *body)
    return Block(kind="table", text=to_markdown(rows), rows=rows, page=page, metadata=metadata)


@pytest.mark.parametrize("title", ["各分公司收支情况表", "附表一 收支", "2024年收入明细（续）"])
def test_title_and_unit_stand_above_each_piece(title: str) -> None:
    found = cut(text("本年度收入增长较快。" * 6), text(title), text("单位：万元"), table(12))
    pieces = [piece for piece in found if piece.kind == "table"]
    assert len(pieces) > 1
    assert all(title in piece.text and "单位：万元" in piece.text for piece in pieces)
    assert title not in found[0].text


def test_the_title_of_a_sheet_stands_above_its_records() -> None:
    found = cut(text("2024年度华东区域"), table(12, rows="records"))
    assert len(found) > 1
    assert all(piece.text.startswith("2024年度华东区域") for piece in found)


def test_a_sentence_above_a_table_is_no_title() -> None:
    found = cut(text("各分公司已提交收支情况表。" * 6), table(6))
    assert [piece.kind for piece in found][:2] == ["text", "table"]


def test_the_rest_of_a_table_on_the_next_page_has_its_title() -> None:
    found = cut(text("收支情况表"), text("单位：万元"), table(4), table(4, 4, page=2))
    assert len(found) > 1
    assert all("收支情况表" in piece.text and "单位：万元" in piece.text for piece in found)


def test_a_table_that_is_told_to_go_on_keeps_its_unit() -> None:
    title = Block(kind="heading", text="表3 收支情况", level=2)
    again = Block(kind="heading", text="表3 收支情况（续）", level=2, page=2)
    found = cut(title, text("单位：万元"), table(4), again, table(12, 4, page=2))
    assert all("单位：万元" in piece.text for piece in found)


def test_a_table_below_another_heading_has_not_the_unit_of_the_one_before() -> None:
    title = Block(kind="heading", text="表3 收支情况", level=2)
    other = Block(kind="heading", text="表4 人员情况", level=2, page=2)
    found = cut(title, text("单位：万元"), table(5), other, table(5, 5, page=2))
    assert len(found) > 1
    assert not any("单位：万元" in piece.text for piece in found if "表4" in piece.text)


def test_another_table_has_not_the_title_of_the_one_before() -> None:
    other = Block(kind="table", text="| 姓名 | 岗位 |\n| --- | --- |\n| 张三 | 会计 |",
                  rows=(("姓名", "岗位"), ("张三", "会计")))  # fmt: skip
    found = cut(text("收支情况表"), table(8), text("以上数据截至年底，由各分公司报送。" * 5), other)
    assert len(found) > 2
    assert "收支情况表" not in found[-1].text


@pytest.mark.parametrize("note", ["注：收入不含税。", "合计：56105.0", "数据来源：财务部"])
def test_notes_and_sums_below_a_table_stand_in_its_last_piece(note: str) -> None:
    blocks = (text("收支情况表"), table(12), text(note), text("下一节的正文从这里开始。" * 8))
    found = cut(*blocks)
    pieces = [piece for piece in found if piece.kind == "table"]
    assert pieces[-1].text.endswith(note)
    assert sum(note in piece.text for piece in found) == 1
    assert all(len(piece.text) <= 160 for piece in found)
    whole = plain_text(document_of(*blocks))
    assert whole[: pieces[-1].char_span[1]].endswith(note)


def test_text_behind_a_table_is_no_note() -> None:
    found = cut(table(5), text("会议决定继续执行上述标准。" * 6))
    assert [piece.kind for piece in found][-2:] == ["table", "text"]
    assert "会议" not in found[0].text


def grouped() -> Block:
    rows: list[tuple[str, ...]] = [("项目", "房屋", "合计")]
    for group in ("一、账面原值", "二、累计折旧", "三、减值准备"):
        rows.append((group, "", ""))
        for n, name in enumerate(("期初余额", "本期增加", "本期减少", "期末余额"), start=1):
            rows.append((f"{n}.{name}", f"{n}11.0", f"{n}33.0"))
        rows.append(("（1）处置", "5.0", "6.0"))
    return Block(kind="table", text=to_markdown(rows), rows=tuple(rows))


def test_a_piece_that_begins_in_a_group_of_rows_names_the_group() -> None:
    found = cut(text("正文。" * 50), grouped())
    pieces = [piece for piece in found if piece.kind == "table"]
    assert len(pieces) > 2
    for piece in pieces:
        first, *rest = [line for line in piece.text.split("\n") if line.startswith("| ")][2:]
        assert first[2] in "一二三"
        if "（1）处置" in rest[0]:
            raise AssertionError("its parent is missing")
        assert piece.text.count("| 项目 |") == 1
        assert len(piece.text) <= 160
    assert sum(piece.text.count("期末余额 | 411.0") for piece in pieces) == 3


def test_groups_of_records_are_named_too() -> None:
    block = grouped().model_copy(update={"metadata": {"rows": "records"}})
    pieces = [piece for piece in cut(text("正文。" * 50), block) if piece.kind == "table"]
    assert len(pieces) > 2
    assert all(piece.text.startswith("项目：") for piece in pieces)
    assert all(piece.text[3] in "一二三" for piece in pieces)
