from __future__ import annotations

import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import document_of, read, rows, texts, xlsx

from rag.errors import CorruptDocument, EncryptedDocument
from rag.ingest.chunk import chunk
from rag.ingest.convert import find_office
from rag.ingest.flags import flag_text
from rag.ingest.parse.grid_header import grid_header
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


# --- Values as shown -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (7, "000000", "000007"),
        (1234.5, "[$￥-804]#,##0.00", "￥1,234.50"),
        (-1234.5, "#,##0.00_);(#,##0.00)", "(1,234.50)"),
        (0, '_-* #,##0.00_-;\\-* #,##0.00_-;_-* "-"??_-;_-@_-', "-"),
        (13812345678, "000-0000-0000", "138-1234-5678"),
        (1234567, '#,##0,"千元"', "1,235千元"),
        (1200000, '0!.0,"万"', "120.0万"),
        (5, 'General"元"', "5元"),
        (0.00012, "0.00E+00", "1.20E-04"),
        (12345678, "0.00E+00", "12345678"),
        (110101199003071234.0, "General", "110101199003071000"),
        (6222021234567890123, "General", "6222021234567890123"),
        (1.5, "# ?/?", "1.5"),
        (date(2024, 5, 1), 'yyyy"年"m"月"d"日"', "2024年5月1日"),
        (date(2024, 5, 1), 'yyyy"年"m"月"', "2024年5月"),
        (datetime(2024, 5, 1), "yyyy-mm", "2024-05"),
        (datetime(2024, 5, 1, 14, 30), "yyyy/m/d h:mm", "2024-05-01 14:30"),
        (date(2024, 5, 1), "m/d", "2024-05-01"),
        (time(9, 5), "h:mm", "09:05"),
        (timedelta(hours=26, minutes=30), "[h]:mm", "26:30"),
        ("甲_x000D_乙", "General", "甲乙"),
    ],
)
def test_numbers_and_dates_follow_their_formats(value: Any, number_format: str, text: str) -> None:
    assert cell_text(value, number_format) == text


def test_dates_in_east_asian_formats_are_dates(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        workbook.active.append(["姓名", "生日"])
        workbook.active.append(["张三", 32874])

    plain, odd = xlsx(tmp_path / "a.xlsx", build), tmp_path / "b.xlsx"
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(odd, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "xl/styles.xml":
                # Files refer to this format by its number only.
                content = content.replace(b'numFmtId="0"', b'numFmtId="31"')
            target.writestr(name, content)
    assert rows(read(odd))[0][1] == ("张三", "1990年1月1日")


# --- Headers -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "names", "first"),
    [
        # Labels above columns, with the empty cells that files without merges have.
        (
            [["地区", "2023年", "", "2024年", ""], ["", "收入", "利润", "收入", "利润"],
             ["华东", "100", "10", "120", "12"]],
            ["地区", "2023年/收入", "2023年/利润", "2024年/收入", "2024年/利润"], 0,
        ),
        (
            [["基本信息", "", "联系方式", ""], ["姓名", "工号", "电话", "邮箱"],
             ["张三", "000123", "010-8", "z@x.cn"]],
            ["基本信息/姓名", "基本信息/工号", "联系方式/电话", "联系方式/邮箱"], 0,
        ),
        # Statements above the table are no header.
        (
            [["编制单位：某公司", "", "单位：元"], ["项目", "期末", "期初"], ["现金", "1", "2"]],
            ["项目", "期末", "期初"], 1,
        ),
        # Columns named by years and months.
        ([["指标", "2022", "2023"], ["GDP", "100", "110"]], ["指标", "2022", "2023"], 0),
        ([["科目", "2024-01", "2024-02"], ["收入", "5", "6"]], ["科目", "2024-01", "2024-02"], 0),
        # The same name twice.
        (
            [["资产", "期末", "负债", "期末"], ["现金", "1", "借款", "2"]],
            ["资产", "期末", "负债", "期末"], 0,
        ),
    ],
)  # fmt: skip
def test_headers_are_found(cells: list[list[str]], names: list[str], first: int) -> None:
    header = grid_header(cells)
    assert header is not None
    assert (header.names, header.first) == (names, first)


@pytest.mark.parametrize(
    "cells",
    [[["清华大学", "2", "985"], ["北京大学", "1", "985"]], [["1", "2"], ["3", "4"]]],
)
def test_tables_of_values_have_no_header(cells: list[list[str]]) -> None:
    assert grid_header(cells) is None


def test_a_header_of_three_rows(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        for row in (
            ["类别", "标准", None, None, "备注"], [None, "一类地区", None, "二类地区", None],
            [None, "旺季", "淡季", "全年", None], ["住宿", 500, 400, 300, "含早"],
        ):  # fmt: skip
            sheet.append(row)
        for merged in ("A1:A3", "B1:D1", "B2:C2", "E1:E3"):
            sheet.merge_cells(merged)

    (table,) = rows(read(xlsx(tmp_path / "a.xlsx", build)))
    assert table[0] == (
        "类别", "标准/一类地区/旺季", "标准/一类地区/淡季", "标准/二类地区/全年", "备注",
    )  # fmt: skip


# --- Layout --------------------------------------------------------------------------


def test_tables_beside_each_other_are_two() -> None:
    blocks = sheet_blocks(
        [["产品", "单价", "", "城市", "人口"], ["甲", "10", "", "北京", "2180"],
         ["乙", "20", "", "上海", "2480"]]
    )  # fmt: skip
    assert [block.rows[0] for block in blocks if block.rows] == [("产品", "单价"), ("城市", "人口")]


def test_rows_that_label_groups_cut_the_table() -> None:
    blocks = sheet_blocks(
        [["项目", "期末"], ["一、流动资产", ""], ["现金", "1"], ["二、固定资产", ""],
         ["房屋", "3"]]
    )  # fmt: skip
    assert [block.text for block in blocks if not block.rows] == ["一、流动资产", "二、固定资产"]
    assert [block.rows for block in blocks if block.rows] == [
        (("项目", "期末"), ("现金", "1")),
        (("项目", "期末"), ("房屋", "3")),
    ]


def test_signatures_below_a_table_are_no_rows() -> None:
    blocks = sheet_blocks([["项目", "金额"], ["现金", "1"], ["", ""], ["审核：李四", "制表：王五"]])
    assert [block.kind for block in blocks] == ["table", "paragraph"]


def test_forms_are_not_read_below_a_header(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        for row in (["姓名", "张三", "性别", "男"], ["部门", "研发部", "电话", "010-1"],
                    ["地址", "北京市海淀区", None, None]):  # fmt: skip
            sheet.append(row)
        sheet.merge_cells("B3:D3")

    (block,) = read(xlsx(tmp_path / "a.xlsx", build)).blocks
    assert block.metadata == {"form": True}
    assert block.text.splitlines() == [
        "- 姓名：张三", "- 性别：男", "- 部门：研发部", "- 电话：010-1", "- 地址：北京市海淀区",
    ]  # fmt: skip


def test_hidden_rows_and_columns_are_left_out_and_filtered_ones_kept(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        for row in (["项目", "一月", "备用"], ["收入", 1, "x"], ["秘密", 9, "y"], ["支出", 3, "z"]):
            sheet.append(row)
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["C"].hidden = True
        other = workbook.create_sheet("筛选")
        for row in (["姓名", "部门"], ["张三", "甲"], ["李四", "乙"]):
            other.append(row)
        other.auto_filter.ref = "A1:B3"
        other.row_dimensions[3].hidden = True

    document = read(xlsx(tmp_path / "a.xlsx", build))
    assert document.flags == ("hidden_cells",)
    assert rows(document) == [
        [("项目", "一月"), ("收入", "1"), ("支出", "3")],
        [("姓名", "部门"), ("张三", "甲"), ("李四", "乙")],
    ]


def test_a_lone_cell_far_below_costs_nothing(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        workbook.active.append(["项目", "金额"])
        workbook.active.append(["现金", 1])
        workbook.active["A1048576"] = "末行"

    assert "末行" in texts(read(xlsx(tmp_path / "a.xlsx", build)))[-1]


@pytest.mark.skipif(find_office() is None, reason="LibreOffice isn't installed")
def test_formulas_are_computed_where_libreoffice_is_installed(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        workbook.active.append(["单价", "数量", "合计"])
        workbook.active.append([2.5, 4, "=A2*B2"])

    document = read(xlsx(tmp_path / "a.xlsx", build))
    assert document.flags == ()
    assert rows(document)[0][1] == ("2.5", "4", "10")


# --- CSV -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "encoding", "table"),
    [
        ('姓名;金额\r\n张三;1.234,50\r\n李四;"2;5"\r\n', "utf-8",
         [("姓名", "金额"), ("张三", "1.234,50"), ("李四", "2;5")]),
        ("型号\t价格\r\n00123\t99\r\n", "gbk", [("型号", "价格"), ("00123", "99")]),
        ("姓名\t工号\n张三\t000001\n", "utf-16", [("姓名", "工号"), ("张三", "000001")]),
        ('编码,名称\n="00123",甲\n', "gb18030", [("编码", "名称"), ("00123", "甲")]),
        ("sep=;\n甲;乙\n1;2\n", "utf-8", [("甲", "乙"), ("1", "2")]),
        ("編號,名稱\n001,臺灣銀行\n002,國泰金控\n", "big5",
         [("編號", "名稱"), ("001", "臺灣銀行"), ("002", "國泰金控")]),
    ],
)  # fmt: skip
def test_csv_dialects(
    tmp_path: Path, text: str, encoding: str, table: list[tuple[str, ...]]
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    assert rows(read(path)) == [table]


def test_a_quote_that_never_closes_does_not_swallow_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    lines_ = ["编号,内容", '1,"没有关闭', *(f"{n},值{n}" for n in range(300))]
    path.write_text("\n".join(lines_), encoding="utf-8")
    (table,) = rows(read(path))
    assert table[-1] == ("299", "值299")
    assert len(table) == 302


def test_a_form_above_a_table_has_labels_with_their_values(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        for row in (
            ["采购订单", None, None, None, None],
            ["订单号", "PO-77", None, "下单日期", "2025-09-16"],
            ["供应商", "宏泰轴承厂", None, "联系人", "端木青"],
            ["付款方式", "月结60天", None, "币种", "人民币"],
            [],
            ["行号", "物料", "规格", "数量", "单价"],
            [10, "油封", "TC35", 200, 2.15],
            [20, "轴承", "6204", 35, 31.2],
        ):
            sheet.append(row)
        sheet.merge_cells("A1:E1")

    document = read(xlsx(tmp_path / "a.xlsx", build))
    assert [b.kind for b in document.blocks] == ["paragraph", "list", "table"]
    assert document.blocks[1].text.split("\n")[:3] == [
        "- 订单号：PO-77",
        "- 下单日期：2025-09-16",
        "- 供应商：宏泰轴承厂",
    ]
    assert document.blocks[2].rows[0] == ("行号", "物料", "规格", "数量", "单价")


def test_times_in_the_names_of_columns_are_no_statements(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        for row in (
            ["日期", "白班（8:30—17:30）", "夜班（17:30—次日8:30）"],
            ["10月1日", "夏侯敏", "东方朔华"],
            ["10月2日", "公孙楠", "赫连云"],
        ):
            sheet.append(row)

    assert lines(xlsx(tmp_path / "a.xlsx", build))[1] == (
        "日期：10月2日；白班（8:30—17:30）：公孙楠；夜班（17:30—次日8:30）：赫连云"
    )


def test_wide_sheets_are_read_to_their_last_column(tmp_path: Path) -> None:
    def fill(workbook: Any) -> None:
        for mark in ("列", "值"):
            workbook.active.append([f"{mark}{number}" for number in range(1500)])

    document = read(xlsx(tmp_path / "a.xlsx", fill))
    assert "值1499" in document.blocks[0].text
    assert document.flags == ()


def test_columns_too_far_right_to_be_read_are_flagged(tmp_path: Path) -> None:
    def fill(workbook: Any) -> None:
        for row in range(1, 101):
            workbook.active.cell(row, 1, f"名称{row}")
            workbook.active.cell(row, 16_384, "远")

    document = read(xlsx(tmp_path / "a.xlsx", fill))
    assert "名称99" in document.blocks[0].text
    assert document.flags == ("skipped_columns",)
    assert flag_text("skipped_columns") == "列数过多，后面的列未收录"
