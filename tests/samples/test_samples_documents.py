"""The sample files: their set, encodings, structure and origin in the sources."""

import json
import re
import subprocess
import sys
from pathlib import Path

import docx
import openpyxl
import pymupdf
import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ROOT / "samples" / "documents"
POLICIES = ("北京市人才租房补贴", "上海市人才租房补贴", "深圳市人才租房补贴")


def names() -> list[str]:
    return sorted(path.name for path in DOCUMENTS.iterdir())


def test_every_format_of_the_first_release_is_there() -> None:
    suffixes = {Path(name).suffix for name in names()}
    assert suffixes == {".pdf", ".docx", ".md", ".html", ".txt", ".csv", ".xlsx", ".jsonl"}
    assert len(names()) >= 14


def test_six_policies_of_three_cities_and_two_years() -> None:
    found = [name for name in names() if name.startswith(POLICIES)]
    years = sorted(re.findall(r"（(\d{4})年）", " ".join(found)))
    assert years == ["2023"] * 3 + ["2024"] * 3


def test_samples_stay_small() -> None:
    size = sum(path.stat().st_size for path in (ROOT / "samples").rglob("*") if path.is_file())
    assert size < 1.5 * 2**20


def test_one_text_is_gb18030_and_one_utf8() -> None:
    texts = [path.read_bytes() for path in DOCUMENTS.glob("*.txt")]
    decoded = []
    for data in texts:
        try:
            data.decode("utf-8")
            decoded.append("utf-8")
        except UnicodeDecodeError:
            assert "人才租房补贴" in data.decode("gb18030")
            decoded.append("gb18030")
    assert sorted(decoded) == ["gb18030", "utf-8"]


@pytest.mark.parametrize("name", [n for n in names() if n.endswith(".pdf")])
def test_pdf_has_text_outline_and_embedded_fonts(name: str) -> None:
    with pymupdf.open(DOCUMENTS / name) as document:
        text = "".join(page.get_text() for page in document)
        assert "示例文本" in text
        assert "\ufffd" not in text
        assert len(document.get_toc()) >= 6
        assert all(font[1] != "n/a" for page in document for font in page.get_fonts())


def test_the_manual_has_tables_on_several_pages() -> None:
    with pymupdf.open(DOCUMENTS / "ZW系列环境监测仪产品手册.pdf") as document:
        pages = {page.number for page in document if page.find_tables().tables}
    assert len(pages) >= 3


def test_docx_numbers_are_automatic() -> None:
    document = docx.Document(str(DOCUMENTS / "云岭科技员工手册（2024版）.docx"))
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert not any(re.match(r"第.{1,3}条", text) for text in texts)
    numbered = document.element.body.xpath(".//w:numPr")
    assert len(numbered) >= 20
    assert document.tables


def test_xlsx_has_merged_cells_on_each_sheet() -> None:
    workbook = openpyxl.load_workbook(DOCUMENTS / "云岭科技部门职责与联系方式.xlsx")
    assert [len(sheet.merged_cells.ranges) > 1 for sheet in workbook] == [True, True]


def test_faq_records_are_complete_and_unique() -> None:
    lines = (DOCUMENTS / "常见问题.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert len(records) >= 25
    assert len({record["id"] for record in records}) == len(records)
    assert all(set(record) == {"id", "title", "text", "metadata"} for record in records)


def test_generated_files_are_those_of_the_sources() -> None:
    command = [sys.executable, "-m", "samples.make", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
