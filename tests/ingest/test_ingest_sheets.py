from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import document_of, read, rows, texts, xlsx

from rag.errors import CorruptDocument, EncryptedDocument
from rag.ingest.chunk import chunk
from rag.ingest.parse.sheet import sheet_blocks
from rag.ingest.parse.xlsx_cells import cell_text
from rag.settings import IngestSettings


def lines(path: Path) -> list[str]:
    """The lines of all chunks of a file."""
    document = read(path).model_copy(update={"id": "d", "kb_id": "k"})
    return [line for c in chunk(document, IngestSettings(), len) for line in c.text.split("\n")]


def test_a_department_merged_over_rows_is_on_every_row(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        for row in (
            ["部门", "姓名", "年假"],
            ["研发部", "张三", 5],
            [None, "李四", 7],
            [None, "王五", 9],
        ):
            sheet.append(row)
        sheet.merge_cells("A2:A4")

    assert lines(xlsx(tmp_path / "a.xlsx", build)) == [
        "部门：研发部；姓名：张三；年假：5",
        "部门：研发部；姓名：李四；年假：7",
        "部门：研发部；姓名：王五；年假：9",
    ]


def test_titles_above_and_notes_below_are_no_rows(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        sheet.append(["2024年差旅标准"])
        sheet.merge_cells("A1:C1")
        sheet.append(["城市", "住宿", "餐补"])
        sheet.append(["北京", 500, 100])
        sheet.append(["注：以上单位均为元"])

    document = read(xlsx(tmp_path / "a.xlsx", build))
    assert [b.kind for b in document.blocks] == ["paragraph", "table", "paragraph"]
    assert document.blocks[1].rows == (("城市", "住宿", "餐补"), ("北京", "500", "100"))


def test_a_header_of_two_rows_is_joined(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        sheet.append(["姓名", "工资", None])
        sheet.append([None, "基本", "绩效"])
        sheet.append(["张三", 8000, 2000])
        sheet.merge_cells("A1:A2")
        sheet.merge_cells("B1:C1")

    assert lines(xlsx(tmp_path / "a.xlsx", build)) == [
        "姓名：张三；工资/基本：8000；工资/绩效：2000"
    ]


def test_several_sheets_and_hidden_ones(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        workbook.active.title = "北京"
        workbook.active.append(["项目", "金额"])
        workbook.active.append(["房补", 1500])
        other = workbook.create_sheet("上海")
        other.append(["项目", "金额"])
        other.append(["房补", 1200])
        hidden = workbook.create_sheet("草稿")
        hidden.append(["不要", "这页"])
        hidden.sheet_state = "hidden"

    document = read(xlsx(tmp_path / "a.xlsx", build))
    assert [b.text for b in document.blocks if b.kind == "heading"] == ["北京", "上海"]
    assert len(rows(document)) == 2
    assert document.flags == ("hidden_sheet",)


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.16, "0%", "16%"),
        (0.165, "0.0%", "16.5%"),
        (1234567.5, "#,##0.00", "1,234,567.50"),
        (0.1 + 0.2, "General", "0.3"),
        (3.0, "General", "3"),
        (date(2024, 5, 1), "yyyy-mm-dd", "2024-05-01"),
        (True, "General", "是"),
        ("=DISPIMG(1)", "General", ""),
        (None, "General", ""),
    ],
)
def test_values_look_as_people_see_them(value: Any, number_format: str, text: str) -> None:
    assert cell_text(value, number_format) == text


def test_formulas_without_a_stored_result_are_flagged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.ingest.convert.find_office", lambda: None)

    def build(workbook: Any) -> None:
        workbook.active.append(["单价", "合计"])
        workbook.active.append([5, "=A2*2"])

    assert read(xlsx(tmp_path / "a.xlsx", build)).flags == ("formula_without_value",)


def test_a_table_without_a_header_keeps_all_rows() -> None:
    (block,) = sheet_blocks([["清华大学", "2", "985"], ["北京大学", "1", "985"]])
    assert block.rows == (("", "", ""), ("清华大学", "2", "985"), ("北京大学", "1", "985"))


def test_two_tables_on_one_sheet_keep_their_own_headers() -> None:
    blocks = sheet_blocks(
        [
            ["姓名", "年龄"],
            ["张三", "30"],
            ["", ""],
            ["城市", "人口"],
            ["北京", "2180"],
            ["上海", "2480"],
        ]
    )
    assert [b.rows[0] for b in blocks if b.rows] == [("姓名", "年龄"), ("城市", "人口")]


def test_a_blank_row_inside_a_table_does_not_end_it() -> None:
    blocks = sheet_blocks([["姓名", "职务"], ["张三", "经理"], ["", ""], ["李四", "会计"]])
    assert all(b.rows is not None and b.rows[0] == ("姓名", "职务") for b in blocks)
    assert [row[0] for b in blocks for row in (b.rows or ())[1:]] == ["张三", "李四"]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_csv_delimiters_are_found(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(delimiter.join(r) for r in (["型号", "价格"], ["ABC-123", "99"])))
    assert rows(read(path)) == [[("型号", "价格"), ("ABC-123", "99")]]


def test_csv_cells_may_hold_lines_and_quotes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('问题,答案\n怎么请假,"第一步，申请。\n第二步，""审批""。"\n', encoding="gbk")
    assert lines(path) == ["问题：怎么请假", "答案：第一步，申请。", '第二步，"审批"。']


def test_ragged_csv_rows_are_kept_and_flagged(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n1,2,3\n4,5,6,7\n8,9\n")
    document = read(path)
    assert document.flags == ("ragged_rows",)
    assert "7" in texts(document)[0]


def test_a_damaged_workbook_is_corrupt(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "a.xlsx", lambda w: w.active.append(["甲"]))
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])
    with pytest.raises(CorruptDocument):
        read(path)


def test_an_encrypted_workbook_asks_for_its_password(tmp_path: Path) -> None:
    msoffcrypto = pytest.importorskip("msoffcrypto.format.ooxml")
    plain = xlsx(tmp_path / "plain.xlsx", lambda w: w.active.append(["姓名", "工资"]))
    path = tmp_path / "工资.xlsx"
    with plain.open("rb") as source, path.open("wb") as target:
        msoffcrypto.OOXMLFile(source).encrypt("口令123", target)
    with pytest.raises(EncryptedDocument, match="需要密码"):
        read(path)
    with pytest.raises(EncryptedDocument, match="不正确"):
        read(path, password="错")
    assert texts(read(path, password="口令123")) == ["姓名 工资"]


def test_long_rows_are_cut_but_keep_their_key() -> None:
    block = sheet_blocks([["问题", "回答"], ["怎么报销", "先填单。" * 200]])[0]
    pieces = chunk(document_of(block), IngestSettings(chunk_tokens=200), len)
    assert len(pieces) > 3
    assert all(piece.text.startswith("问题：怎么报销") for piece in pieces)
    assert sum(piece.text.count("先填单。") for piece in pieces) == 200
