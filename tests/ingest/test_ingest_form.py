from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import docx, pdf, read, rows, texts, write, xlsx
from ingest_pdf_inputs import boxes

from rag.ingest.parse.form import form_blocks

ENTRY = [
    ["姓名", "覃思远", "性别", "男"],
    ["入职日期", "2025年2月17日", "工号", "S20931"],
    ["岗位", "嵌入式工程师", "试用期", "三个月"],
    ["家庭住址", "柳州市龙城路56号", "柳州市龙城路56号", "柳州市龙城路56号"],
]
ENTRY_LINES = [
    "- 姓名：覃思远", "- 性别：男", "- 入职日期：2025年2月17日", "- 工号：S20931",
    "- 岗位：嵌入式工程师", "- 试用期：三个月", "- 家庭住址：柳州市龙城路56号",
]  # fmt: skip


def lines_of(grid: Sequence[Sequence[str]]) -> list[str]:
    return [line for block in form_blocks(grid) for line in block.text.splitlines()]


def test_each_label_of_a_form_stands_with_its_value() -> None:
    assert lines_of(ENTRY) == ENTRY_LINES


def test_labels_without_values_are_kept() -> None:
    grid = [["姓名", "", "部门", ""], ["职务", "", "电话", ""], ["请假事由", "", "", ""]]
    assert lines_of(grid) == ["- 姓名：", "- 部门：", "- 职务：", "- 电话：", "- 请假事由："]


def test_labels_that_are_spread_over_their_cells_are_words() -> None:
    grid = [["姓  名", "张三", "专 业", "环境工程"], ["部 门", "研发部", "电话", "138"]]
    assert lines_of(grid) == [
        "- 姓名：张三", "- 专业：环境工程", "- 部门：研发部", "- 电话：138",
    ]  # fmt: skip


def test_labels_that_are_no_usual_names_are_known_by_their_mixed_values() -> None:
    assert lines_of([["重量", "2kg", "尺寸", "30cm"], ["颜色", "白", "功率", "50W"]]) == [
        "- 重量：2kg", "- 尺寸：30cm", "- 颜色：白", "- 功率：50W",
    ]  # fmt: skip


def test_a_table_inside_a_form_keeps_its_header() -> None:
    found = form_blocks(
        [
            ["检验报告", "检验报告", "检验报告", "检验报告"],
            ["样品名称", "硅微粉", "样品编号", "S-1"],
            ["规格型号", "A", "生产日期", "2024-01-02"],
            ["序号", "检验项目", "标准要求", "检验结果"],
            ["1", "水分", "≤0.1%", "0.08%"],
            ["2", "细度", "5", "5"],
            ["检验结论", "合格", "合格", "合格"],
        ]
    )
    assert [block.kind for block in found] == ["paragraph", "list", "table", "list"]
    assert found[2].rows == (
        ("序号", "检验项目", "标准要求", "检验结果"),
        ("1", "水分", "≤0.1%", "0.08%"),
        ("2", "细度", "5", "5"),
    )
    assert found[3].text == "- 检验结论：合格"


def test_a_table_of_a_form_is_known_by_its_numbered_rows() -> None:
    found = form_blocks(
        [
            ["样品名称", "样品名称", "密封圈", "报告编号", "JC-31"],
            ["委托单位", "委托单位", "某厂", "收样日期", "2026年3月2日"],
            ["序号", "检验项目", "标准值", "实测", "单项判定"],
            ["1", "硬度", "60±5", "62", "合格"],
            ["2", "拉伸强度", "≥8.0MPa", "9.6MPa", "合格"],
        ]
    )
    assert found[-1].rows is not None
    assert found[-1].rows[0] == ("序号", "检验项目", "标准值", "实测", "单项判定")


def test_a_group_of_a_form_with_columns_is_a_table() -> None:
    found = form_blocks(
        [
            ["姓名", "张三", "性别", "男", "照片"],
            ["出生年月", "1990-01", "民族", "汉", "照片"],
            ["家庭成员", "称谓", "姓名", "年龄", "工作单位"],
            ["家庭成员", "父亲", "张大", "60", "某厂"],
            ["家庭成员", "母亲", "李四", "58", "某校"],
        ]
    )
    assert [block.text for block in found[:2]] == [
        "- 姓名：张三\n- 性别：男\n- 照片\n- 出生年月：1990-01\n- 民族：汉",
        "家庭成员：",
    ]
    assert found[2].rows == (
        ("称谓", "姓名", "年龄", "工作单位"),
        ("父亲", "张大", "60", "某厂"),
        ("母亲", "李四", "58", "某校"),
    )


@pytest.mark.parametrize(
    "grid",
    [
        [["部门", "负责人", "电话", "地址"], ["研发部", "张三", "138", "北京"],
         ["销售部", "李四", "139", "上海"]],
        [["角色", "名称", "负责人", "电话"], ["建设单位", "甲公司", "张三", "1"],
         ["施工单位", "乙公司", "李四", "2"]],
        [["项目", "内容"], ["项目名称", "甲"], ["建设单位", "乙"], ["工期", "30天"]],
        [["姓名", "电话"], ["张三", "1380000"], ["李四", "1390000"]],
        [["姓名", "工资", "工资"], ["姓名", "基本", "绩效"], ["张三", "8000", "2000"]],
        [["北京", "2180", "华北", "16410"], ["上海", "2480", "华东", "6340"]],
    ],
)  # fmt: skip
def test_tables_below_a_header_are_no_forms(grid: list[list[str]]) -> None:
    assert form_blocks(grid) == []


# --- In each format ------------------------------------------------------------------


def test_forms_of_word_documents(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        document.add_heading("员工入职登记表", 1)
        table = document.add_table(rows=4, cols=4)
        for cells, row in zip(table.rows, ENTRY, strict=True):
            for cell, text in zip(cells.cells, row, strict=True):
                cell.text = text
        for cell in table.rows[3].cells[2:]:
            cell.text = ""
        table.cell(3, 1).merge(table.cell(3, 3))

    document = read(docx(tmp_path / "a.docx", build))
    assert texts(document)[1].splitlines() == ENTRY_LINES


def test_forms_of_workbooks(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        sheet.append(["员工入职登记表"])
        for row in ENTRY[:3]:
            sheet.append(row)
        sheet.append(["家庭住址", ENTRY[3][1]])
        sheet.merge_cells("A1:D1")
        sheet.merge_cells("B5:D5")

    document = read(xlsx(tmp_path / "a.xlsx", build))
    assert "员工入职登记表" in texts(document)[0]
    assert texts(document)[-1].splitlines() == ENTRY_LINES


def test_forms_of_web_pages(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    cells = ["".join(f"<td>{text}</td>" for text in row) for row in ENTRY[:3]]
    cells.append(f"<td>家庭住址</td><td colspan='3'>{ENTRY[3][1]}</td>")
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    path.write_text(f"<html><body><h1>登记表</h1><table>{body}</table></body></html>", "utf-8")
    assert texts(read(path))[-1].splitlines() == ENTRY_LINES


def test_forms_of_ruled_pages(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        write(page, 200, 60, "员工入职登记表", 18)
        cells = [(r, r + 1, c, c + 1, text) for r in range(3) for c, text in enumerate(ENTRY[r])]
        cells += [(3, 4, 0, 1, ENTRY[3][0]), (3, 4, 1, 4, ENTRY[3][1])]
        boxes(page, [60, 160, 300, 400, 540], [90, 120, 150, 180, 210], cells)

    document = read(pdf(tmp_path / "a.pdf", draw))
    assert texts(document)[-1].splitlines() == ENTRY_LINES
    assert not rows(document)
