from __future__ import annotations

import zipfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from ingest_inputs import read, rows

from rag.errors import CorruptDocument, EncryptedDocument, TooLarge
from rag.ingest.markdown import to_markdown
from rag.ingest.parse.epub import parse_epub
from rag.settings import IngestSettings

SETTINGS = IngestSettings(ocr="off")
CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:'
    'container"><rootfiles><rootfile full-path="OEBPS/content.opf" '
    'media-type="application/oebps-package+xml"/></rootfiles></container>'
)
META = (
    '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>茶经新解</dc:title>'
    "<dc:creator>陆小羽</dc:creator><dc:creator>王二</dc:creator><dc:language>zh-CN</dc:language>"
    "<dc:date>2021-05-01</dc:date><dc:publisher>山水出版社</dc:publisher><dc:subject>茶</dc:subject>"
    "</metadata>"
)
CHAPTER = (
    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>'
    "</head><body><h1>{0}</h1><p>{1}</p></body></html>"
)


def opf(items: str, spine: str, version: str = "3.0") -> str:
    return (
        f'<package xmlns="http://www.idpf.org/2007/opf" version="{version}">{META}'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )


def item(name: str, href: str, **more: str) -> str:
    extra = "".join(f' {key}="{value}"' for key, value in more.items())
    return f'<item id="{name}" href="{href}" media-type="application/xhtml+xml"{extra}/>'


def book(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", CONTAINER)
        for name, content in files.items():
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return path


def chapters(path: Path, version: str = "3.0") -> Path:
    return book(
        path,
        {
            "OEBPS/content.opf": opf(
                item("nav", "nav.xhtml", properties="nav")
                + item("b", "text/%E7%AC%AC2%E7%AB%A0.xhtml")
                + item("a", "text/c1.xhtml"),
                '<itemref idref="nav"/><itemref idref="a"/><itemref idref="b"/>',
                version,
            ),
            "OEBPS/nav.xhtml": CHAPTER.format("目录", "第一章 第二章"),
            "OEBPS/text/c1.xhtml": CHAPTER.format("第一章 源", "茶者，南方之嘉木也。"),
            "OEBPS/text/第2章.xhtml": CHAPTER.format(
                "第二章 具",
                "<table><tr><th>器</th><th>用</th></tr><tr><td>碾</td><td>研末</td></tr></table>",
            ),
        },
    )  # fmt: skip


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_documents_come_in_the_order_of_the_spine(tmp_path: Path, version: str) -> None:
    document = read(chapters(tmp_path / "a.epub", version), settings=SETTINGS)
    assert document.title == "茶经新解"
    assert [(p.number, p.blocks[0].text) for p in document.pages] == [
        (1, "茶经新解"),
        (2, "第二章 具"),
    ]
    assert {b.page for b in document.pages[1].blocks} == {2}
    assert rows(document) == [[("器", "用"), ("碾", "研末")]]
    assert document.metadata.publish_date == date(2021, 5, 1)
    assert "目录" not in to_markdown(document)


def test_what_the_package_says(tmp_path: Path) -> None:
    _, _, metadata = parse_epub(chapters(tmp_path / "a.epub"), SETTINGS)
    assert metadata == {
        "title": "茶经新解", "author": "陆小羽、王二", "language": "zh-CN",
        "publisher": "山水出版社",
        "publish_date": "2021-05-01", "keywords": ["茶"],
    }  # fmt: skip


def test_title_and_author_stand_above_the_text_once(tmp_path: Path) -> None:
    def first(*cover: str) -> str:
        files = {
            "OEBPS/content.opf": opf(item("a", "a.xhtml"), '<itemref idref="a"/>'),
            "OEBPS/a.xhtml": f"<html><body>{''.join(cover)}<h1>第一章 源</h1></body></html>",
        }
        return to_markdown(read(book(tmp_path / "a.epub", files), settings=SETTINGS))

    assert first() == "# 茶经新解\n\n作者：陆小羽、王二\n出版社：山水出版社\n\n# 第一章 源"
    shown = first("<h1>茶经新解</h1>", "<p>陆小羽 王二 著</p>", "<p>山水出版社</p>")
    assert shown == "# 茶经新解\n\n陆小羽 王二 著\n\n山水出版社\n\n# 第一章 源"
    titled = first("<h1>茶经新解</h1>")
    assert titled.startswith("# 茶经新解\n\n作者：陆小羽、王二\n出版社")


def test_a_program_that_knows_no_author_names_none(tmp_path: Path) -> None:
    package = opf(item("a", "a.xhtml"), '<itemref idref="a"/>')
    package = package.replace("陆小羽", "Unknown").replace("王二", "未知")
    files = {"OEBPS/content.opf": package, "OEBPS/a.xhtml": CHAPTER.format("甲", "内容。")}
    assert "author" not in parse_epub(book(tmp_path / "a.epub", files), SETTINGS)[2]


def test_a_printed_list_of_contents_is_left_out(tmp_path: Path) -> None:
    links = "".join(f'<p><a href="c{n}.xhtml">第{n}章 标题</a></p>' for n in range(1, 6))
    path = book(
        tmp_path / "a.epub",
        {
            "OEBPS/content.opf": opf(
                item("t", "toc.html") + item("a", "c1.xhtml"),
                '<itemref idref="t"/><itemref idref="a"/>',
            ),
            "OEBPS/toc.html": f"<html><body><h1>目录</h1>{links}</body></html>",
            "OEBPS/c1.xhtml": CHAPTER.format("第1章 标题", "内容。"),
        },
    )
    pages, _, _ = parse_epub(path, SETTINGS)
    assert [block.text for page in pages for block in page.blocks][2:] == ["第1章 标题", "内容。"]


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[float] = []
    parse_epub(chapters(tmp_path / "a.epub"), SETTINGS, seen.append)
    assert seen == [0.5, 1.0]


def test_a_book_without_a_spine_is_read_by_its_files(tmp_path: Path) -> None:
    path = book(
        tmp_path / "a.epub",
        {
            "OEBPS/content.opf": opf("", ""),
            "OEBPS/c1.html": CHAPTER.format("甲", "内容。").encode("utf-8"),
        },
    )
    assert parse_epub(path, SETTINGS)[0][0].blocks[-1].text == "内容。"


def test_a_missing_document_is_a_blank_page(tmp_path: Path) -> None:
    path = book(
        tmp_path / "a.epub",
        {
            "OEBPS/content.opf": opf(item("a", "x.xhtml") + item("b", "y.xhtml"),
                                     '<itemref idref="a"/><itemref idref="b"/>'),
            "OEBPS/y.xhtml": CHAPTER.format("乙", "还在。"),
        },
    )  # fmt: skip
    pages, _, _ = parse_epub(path, SETTINGS)
    assert pages[0].flags == ("blank",)
    assert pages[1].blocks[-1].text == "还在。"


def test_protected_damaged_and_too_large_books_are_refused(tmp_path: Path) -> None:
    encryption = '<encryption><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></encryption>'
    path = book(tmp_path / "a.epub", {"META-INF/encryption.xml": encryption})
    with pytest.raises(EncryptedDocument, match="DRM"):
        parse_epub(path, SETTINGS)
    with pytest.raises(CorruptDocument):
        parse_epub(book(tmp_path / "b.epub", {"x.txt": "x"}), SETTINGS)
    large = book(
        tmp_path / "c.epub",
        {
            "OEBPS/content.opf": opf(item("a", "a.xhtml"), '<itemref idref="a"/>'),
            "OEBPS/a.xhtml": "<p>" + "a" * (2 << 20) + "</p>",
        },
    )
    with pytest.raises(TooLarge):
        parse_epub(large, IngestSettings(ocr="off", max_unpacked_mb=1))
