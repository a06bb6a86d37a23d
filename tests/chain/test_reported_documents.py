"""Faults that users of such systems report of their files; each must not happen here.

Every file goes the whole way: read, cut, embedded, stored, asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from ingest.ingest_inputs import docx, numbered, numbering, xlsx
from ingest.ocr_inputs import mapped, picture, scan, write

from rag.application import Application
from rag.ingest.ocr import available
from rag.turn import TurnInput
from rag.types import Answer, DocumentInfo

needs_ocr = pytest.mark.skipif(available() is not None, reason="text recognition not installed")

ARTICLES = [
    "本规定适用于全体在编人员。",
    "办公用品由行政科统一采购。",
    "借用公章须经分管主任签字。",
    "会议室每次使用不超过三小时。",
    "门禁卡遗失应当日报告保卫科。",
    "外来车辆停放在北院。",
    "节能灯具由后勤组更换。",
    "档案柜钥匙由两人分管。",
    "本规定自印发之日起施行。",
]
LONG_NAME = "关于" + "印发办公用房管理规定的通知" * 6 + "（试行稿）.docx"


def articles(document: Any) -> None:
    made = numbering(document, [("chineseCounting", "第%1条")])
    for text in ARTICLES:
        numbered(document, text, made)


def boxed(document: Any) -> None:
    """A file without a single plain paragraph."""
    box = (
        f"<w:r {nsdecls('w')}><w:pict><w:txbxContent><w:p><w:r>"
        "<w:t>机房值班电话：6688-1024，夜间转保卫科。</w:t>"
        "</w:r></w:p></w:txbxContent></w:pict></w:r>"
    )
    document.add_paragraph()._p.append(parse_xml(box))
    table = document.add_table(rows=3, cols=2)
    for row, cells in zip(
        table.rows,
        [("设备", "巡检周期"), ("空调", "每月一次"), ("电梯", "每半月一次")],
        strict=True,
    ):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text


def staff(workbook: Any) -> None:
    sheet = workbook.active
    for row in (
        ["科室", "姓名", "分机"],
        ["放射科", "陈立夏", 8101],
        [None, "孙小满", 8102],
        [None, "何谷雨", 8103],
        ["检验科", "马白露", 8201],
    ):
        sheet.append(row)
    sheet.merge_cells("A2:A4")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reported")


@pytest.fixture(scope="module")
def kb(sample_application: Application, folder: Path) -> Iterator[str]:
    """A knowledge base of such files; gone again at the end."""
    made = sample_application.kb_named("读者报告的文件", create=True)
    docx(folder / "a.docx", articles)
    docx(folder / "设施.docx", boxed)
    xlsx(folder / "通讯录.xlsx", staff)
    (folder / "健身房.txt").write_bytes("职工健身房每周二闭馆，其余日子开放到晚九点".encode("gbk"))
    (folder / "归档.md").write_text(
        "# 归档说明\n\n⽂件⻓度不得超过⼆百个字符，⻔类代码写在最前⾯，⻅附表。\n", encoding="utf-8"
    )
    for name in ("a.docx", "设施.docx", "通讯录.xlsx", "健身房.txt", "归档.md"):
        shown = LONG_NAME if name == "a.docx" else name
        result = sample_application.pipeline.ingest(folder / name, made.id, shown)
        assert result.status == "indexed", f"{name}: {result.error}"
    yield made.id
    sample_application.pipeline.delete_kb(made.id)


def ask(app: Application, kb: str, question: str) -> Answer:
    return app.chain.invoke(TurnInput(question=question, kb_ids=(kb,)))


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("第三条说什么", "借用公章须经分管主任签字"),
        ("第九条是什么内容？", "自印发之日起施行"),
        ("机房值班电话是多少", "6688-1024"),
        ("电梯多久巡检一次", "每半月一次"),
        ("孙小满是哪个科室的", "放射科"),
        ("健身房哪天闭馆", "每周二闭馆"),
        ("文件长度不得超过多少", "百个字符"),
    ],
)
def test_what_is_in_such_a_file_is_found(
    sample_application: Application, kb: str, question: str, part: str
) -> None:
    answer = ask(sample_application, kb, question)
    assert answer.status in ("answered", "hedged"), answer.text
    assert part in answer.text
    assert part in answer.citations[0].text


def kept(app: Application, kb: str, name: str) -> DocumentInfo:
    return next(d for d in app.catalog.documents.list([kb]) if d.name == name)


def test_a_name_longer_than_a_file_system_takes_is_stored_whole(
    sample_application: Application, kb: str
) -> None:
    assert len(LONG_NAME.encode()) > 255
    document = kept(sample_application, kb, LONG_NAME)
    assert sample_application.files.has(document.sha256)


@pytest.fixture
def bad(sample_application: Application) -> Iterator[str]:
    made = sample_application.kb_named("读不了的文件", create=True)
    yield made.id
    sample_application.pipeline.delete_kb(made.id)


def test_a_locked_workbook_asks_for_its_password_and_is_found_with_it(
    sample_application: Application, bad: str, tmp_path: Path
) -> None:
    msoffcrypto = pytest.importorskip("msoffcrypto.format.ooxml")
    path = tmp_path / "分机表.xlsx"
    with xlsx(tmp_path / "a.xlsx", staff).open("rb") as source, path.open("wb") as target:
        msoffcrypto.OOXMLFile(source).encrypt("谷雨8103", target)
    ingest = sample_application.pipeline.ingest
    refused = ingest(path, bad, path.name)
    assert refused.status == "failed" and "需要密码" in refused.error
    assert kept(sample_application, bad, path.name).status == "needs_password"
    assert ingest(path, bad, path.name, password="谷雨8103").status == "indexed"
    assert "放射科" in ask(sample_application, bad, "孙小满是哪个科室的").text


RULES = [
    "第一条 会计凭证的保管期限为三十年，月度报表为十年。",
    "第二条 借阅档案须经部门负责人同意并登记。",
]


@pytest.fixture
def unread(sample_application: Application) -> Iterator[None]:
    sample_application.settings.update("ingest", {"ocr": "off"})
    yield
    sample_application.settings.reset("ingest", "ocr")


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize("kind", ["shifted", "scan"])
def test_without_recognition_nothing_unreadable_passes_for_text(
    sample_application: Application, bad: str, tmp_path: Path, kind: str
) -> None:
    path = garbled(tmp_path) if kind == "shifted" else scanned(tmp_path)
    result = sample_application.pipeline.ingest(path, bad, path.name)
    assert result.status in ("failed", "quarantined"), result.error
    assert kept(sample_application, bad, path.name).error
    answer = ask(sample_application, bad, "THE ANSWER 会计凭证的保管期限是多久")
    assert answer.status == "refused" and answer.citations == ()


@needs_ocr
def test_with_recognition_what_is_seen_is_found(
    sample_application: Application, bad: str, tmp_path: Path
) -> None:
    path = scanned(tmp_path)
    assert sample_application.pipeline.ingest(path, bad, path.name).status == "indexed"
    answer = ask(sample_application, bad, "会计凭证的保管期限是多久")
    assert "三十年" in answer.text
    assert answer.citations[0].page == 1


def garbled(folder: Path) -> Path:
    """A PDF that shows words and says, in its map of characters, other letters."""
    lines = ["THE ANSWER", "Invoices are paid within 30 days of receipt."]
    return mapped(
        folder / "a.pdf", lines, lambda codes: {g: max(c - 29, 3) for g, c in codes.items()}
    )


def scanned(folder: Path) -> Path:
    def draw(page: Any) -> None:
        for number, line in enumerate(RULES):
            write(page, 20, 40 + 28 * number, line, 13)

    return scan(folder / "b.pdf", picture(draw))
