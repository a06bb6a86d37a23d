"""What registries write above a title is not the title, in any format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import docx, pdf, read, write

from rag.ingest.describe import describe
from rag.ingest.headings import is_register_line, without_register

LISTED = "证券代码：688917　证券简称：华晟新材　公告编号：2024-015"
REPORT = "华晟新材股份有限公司2023年年度报告摘要"
PLAIN = "员工差旅报销流程"

ABOVE = [
    LISTED,
    "证券代码:600000 证券简称:某某银行 编号:临2024-012",
    "编号：HR-2024-003",
    "合同编号：HT-2024-001",
    "密级：内部",
    "文号：海政发〔2024〕3号",
    "海政发〔2024〕3号",
    "保密等级：内部公开  版本：V2.0",
    "文件编号：QM-01 | 版本：A/0 | 编制部门：质量部",
    "版本号：V1.2  生效日期：2024-03-01",
    "机密★三年",
    "【内部】",
    "内部资料 注意保密",
    "Document No.: QP-01",
]


@pytest.mark.parametrize("title", [REPORT, PLAIN])
@pytest.mark.parametrize("above", [*ABOVE, "编号：A-1\n密级：内部"])
@pytest.mark.parametrize(
    ("ending", "form"),
    [
        (".md", "{above}\n\n# {title}\n\n营业收入183万元。"),
        (".md", "{above}\n# {title}\n\n营业收入183万元。"),
        (".txt", "{above}\n\n{title}\n\n营业收入183万元。\n\n每股收益1元。"),
        (".txt", "{above}\n{title}\n\n营业收入183万元。\n\n每股收益1元。"),
    ],
)
def test_texts(tmp_path: Path, title: str, above: str, ending: str, form: str) -> None:
    path = tmp_path / f"文件{ending}"
    path.write_text(form.format(above=above, title=title), encoding="utf-8")
    document = read(path)
    assert describe(document).title == title
    assert above.split("\n")[0].split()[0] in document.blocks[0].text  # it is still there


@pytest.mark.parametrize("title", [REPORT, PLAIN])
@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("styled", [True, False])
def test_word(tmp_path: Path, title: str, above: str, styled: bool) -> None:
    def build(document: Any) -> None:
        # Some offices give the number the style of a heading too.
        document.add_heading(above, 1) if styled else document.add_paragraph(above)
        document.add_heading(title, 1)
        document.add_paragraph("营业收入183万元。")

    assert describe(read(docx(tmp_path / "文件.docx", build))).title == title


@pytest.mark.parametrize("title", [REPORT, PLAIN])
@pytest.mark.parametrize("above", [LISTED, "编号：HR-2024-003", "密级：内部"])
def test_pdf(tmp_path: Path, title: str, above: str) -> None:
    def draw(page: Any) -> None:
        write(page, 72, 90, above, 10.5)
        write(page, 120, 130, title, 18)
        for row in range(12):
            write(page, 72, 180 + 20 * row, f"第{row}项营业收入为一百八十三万元，比上年多。", 10.5)

    assert describe(read(pdf(tmp_path / "文件.pdf", draw))).title == title


def test_the_year_is_that_of_the_title(tmp_path: Path) -> None:
    path = tmp_path / "公告.md"
    path.write_text(
        f"{LISTED}\n\n# {REPORT}\n\n营业收入183万元。\n\n董事会\n2024年4月19日", encoding="utf-8"
    )
    assert describe(read(path)).year == 2023


@pytest.mark.parametrize(
    "line",
    [
        "实验一：牛顿环测定",
        "员工手册：差旅篇",
        "关于变更证券简称：甲的公告",
        "第一号：消防预案",
        "机密文件管理办法",
        "版本说明",
        "海政发〔2024〕3号文件解读",
        "公开招标公告",
        "姓名：张三  性别：男",
        "",
    ],
)
def test_titles_and_forms_are_none(line: str) -> None:
    assert not is_register_line(line)
    assert without_register(line) == line
