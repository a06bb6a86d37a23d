from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import pytest
from ingest_inputs import bomb, docx, ole, pdf, read, texts, write, xlsx
from PIL import Image

from rag.errors import CorruptDocument, EmptyDocument, TooLarge, UnsupportedFormat
from rag.ingest.inspect import (
    BMP,
    CODE,
    CSV,
    DOCX,
    EML,
    EPUB,
    GIF,
    HTML,
    JPEG,
    JSONL,
    MARKDOWN,
    MSG,
    PDF,
    PNG,
    PPTX,
    TEXT,
    TIFF,
    WEBP,
    XLSX,
    inspect,
    is_other_format,
)
from rag.ingest.mupdf import open_pdf
from rag.settings import IngestSettings

SETTINGS = IngestSettings()


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("说明.txt", "第一行", TEXT),
        ("说明.md", "# 标题", MARKDOWN),
        ("表.csv", "a,b\n1,2", CSV),
        ("记录.jsonl", '{"id":"1","text":"x"}', JSONL),
        ("网页.html", "<p>一</p>", HTML),
        ("没有扩展名", "只有文字", TEXT),
        ("报表.xls", "<html><table><tr><td>1</td></tr></table></html>", HTML),
        ("日志.log", "2024-01-01 启动", TEXT),
    ],
)
def test_text_formats_are_told_apart_by_name(
    tmp_path: Path, name: str, content: str, media_type: str
) -> None:
    path = tmp_path / "stored"
    path.write_text(content, encoding="utf-8")
    assert inspect(path, SETTINGS, name=name).media_type == media_type


def test_binary_formats_are_told_by_content_whatever_the_name(tmp_path: Path) -> None:
    cases = [
        (pdf(tmp_path / "a", lambda page: write(page, 72, 100, "甲")), PDF),
        (docx(tmp_path / "b", lambda d: d.add_paragraph("乙")), DOCX),
        (xlsx(tmp_path / "c", lambda w: w.active.append(["丙"])), XLSX),
    ]
    for path, media_type in cases:
        found = inspect(path, SETTINGS, name="资料.txt")
        assert found.media_type == media_type
        assert len(found.sha256) == 64
        assert found.size == path.stat().st_size


@pytest.mark.parametrize(
    ("stream", "names"),
    [("WordDocument", "旧版 Word"), ("Workbook", "旧版 Excel"), ("PowerPoint Document", ".ppt")],
)
def test_old_office_files_are_named_for_what_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: str, names: str
) -> None:
    monkeypatch.setattr("rag.ingest.inspect.find_office", lambda: None)
    path = ole(tmp_path / "x", stream)
    with pytest.raises(UnsupportedFormat) as caught:
        inspect(path, SETTINGS, name="合同.docx")
    assert ".docx" in caught.value.message
    assert names in caught.value.message
    assert "另存为" in caught.value.remedy


def test_encrypted_office_files_are_recognised(tmp_path: Path) -> None:
    path = ole(tmp_path / "x", "EncryptedPackage")
    found = inspect(path, SETTINGS, name="工资.xlsx")
    assert found.encrypted
    assert found.media_type == XLSX


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        (b"", EmptyDocument, "0 字节"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), CorruptDocument, "图片已损坏"),
        (b"\xff\xd8\xff\xe0" + bytes(50), CorruptDocument, "图片已损坏"),
        (b"Rar!\x1a\x07" + bytes(50), UnsupportedFormat, "RAR"),
        (b"%PDF-1.7\n%broken", CorruptDocument, "损坏"),
        (bytes(range(256)) * 40, UnsupportedFormat, "二进制"),
        (b"PK\x03\x04" + bytes(30), CorruptDocument, "损坏"),
    ],
)
def test_bad_files_are_refused_with_reason_and_remedy(
    tmp_path: Path, content: bytes, error: type[Exception], says: str
) -> None:
    path = tmp_path / "上传.docx"
    path.write_bytes(content)
    with pytest.raises(error) as caught:
        inspect(path, SETTINGS)
    assert says in caught.value.text()  # type: ignore[attr-defined]
    assert caught.value.remedy  # type: ignore[attr-defined]
    assert caught.value.text("en")  # type: ignore[attr-defined]


def test_files_beyond_the_bounds_are_refused(tmp_path: Path) -> None:
    large = tmp_path / "大.txt"
    large.write_bytes(b"a" * (2 << 20))
    with pytest.raises(TooLarge, match="2 MB"):
        inspect(large, IngestSettings(max_file_mb=1))
    pages = pdf(tmp_path / "多.pdf", *([lambda page: None] * 4))
    with pytest.raises(TooLarge, match="4 页"):
        inspect(pages, IngestSettings(max_pages=3))


def test_zip_bombs_are_refused_unopened(tmp_path: Path) -> None:
    path = bomb(tmp_path / "炸弹.docx", 80)
    with pytest.raises(TooLarge, match="解压"):
        inspect(path, SETTINGS)
    with pytest.raises(TooLarge):
        inspect(path, IngestSettings(max_unpacked_mb=10))


# --- Formats beside PDF and Office ---------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.py", "import os\n", CODE),
        ("a.sql", "select 1;\n", CODE),
        ("run", "#!/usr/bin/env python3\nprint(1)\n", CODE),
        ("信.eml", "From: a@x.cn\nSubject: 你好\n\n正文", EML),
        ("信.txt", "Received: by x\nFrom: a@x.cn\nMessage-ID: <1@x>\n\n正文", EML),
        ("页.mht", "From: <Saved>\nMIME-Version: 1.0\n\n正文", EML),
        ("对话.txt", "From: 张三\n这不是邮件。", TEXT),
        ("导出.xls", "姓名\t工号\n张三\t007\n", CSV),
        ("说明.md", "PDF 文件以 %PDF-1.7 开头。", MARKDOWN),
        ("BM说明.txt", "BM 是一种位图。", TEXT),
    ],
)
def test_more_text_formats(tmp_path: Path, name: str, content: str, media_type: str) -> None:
    path = tmp_path / "stored"
    path.write_text(content, encoding="utf-8")
    assert inspect(path, SETTINGS, name=name).media_type == media_type


def test_source_code_keeps_its_extension(tmp_path: Path) -> None:
    path = tmp_path / "stored"
    path.write_text("fn main() {}\n")
    assert inspect(path, SETTINGS, name="main.RS").extension == ".rs"


@pytest.mark.parametrize(
    ("kind", "media_type", "pages"),
    [("PNG", PNG, 1), ("JPEG", JPEG, 1), ("BMP", BMP, 1), ("WEBP", WEBP, 1), ("GIF", GIF, 1),
     ("TIFF", TIFF, 3)],
)  # fmt: skip
def test_pictures_are_told_by_content(
    tmp_path: Path, kind: str, media_type: str, pages: int
) -> None:
    path = tmp_path / "照片.txt"
    frames = [Image.new("RGB", (60, 40), (shade, 0, 0)) for shade in (0, 90, 180)]
    more = {"save_all": True, "append_images": frames[1:]} if kind in ("TIFF", "GIF") else {}
    frames[0].save(path, kind, **more)
    found = inspect(path, SETTINGS)
    assert (found.media_type, found.page_count) == (media_type, pages)
    assert is_other_format(found, path.name)


def test_pictures_with_too_many_pixels_are_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "大.png"
    header = b"IHDR" + (60_000).to_bytes(4, "big") * 2 + b"\x08\x00\x00\x00\x00"
    chunk = (13).to_bytes(4, "big") + header + zlib.crc32(header).to_bytes(4, "big")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk + b"\x00\x00\x00\x00IDAT" + bytes(8))
    with pytest.raises(TooLarge, match="百万像素"):
        inspect(path, SETTINGS)


@pytest.mark.parametrize(
    ("members", "media_type"),
    [
        ({"word/document.xml": ""}, DOCX),
        ({"word/document2.xml": "", "[Content_Types].xml": ""}, DOCX),
        ({"ppt/presentation.xml": ""}, PPTX),
        ({"mimetype": "application/epub+zip", "META-INF/container.xml": ""}, EPUB),
    ],
)
def test_packages_are_told_by_their_members(
    tmp_path: Path, members: dict[str, str], media_type: str
) -> None:
    path = package(tmp_path / "x", members)
    assert inspect(path, SETTINGS, name="x.zip").media_type == media_type


@pytest.mark.parametrize(
    ("members", "old"),
    [
        ({"mimetype": "application/vnd.oasis.opendocument.text"}, ".odt"),
        ({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}, ".ods"),
        ({"mimetype": "application/vnd.oasis.opendocument.presentation"}, ".odp"),
        ({"xl/workbook.bin": "", "[Content_Types].xml": ""}, ".xlsb"),
    ],
)
def test_packages_that_need_a_conversion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: dict[str, str], old: str
) -> None:
    monkeypatch.setattr("rag.ingest.inspect.find_office", lambda: "/usr/bin/soffice")
    assert inspect(package(tmp_path / "x", members), SETTINGS).convert_from == old


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"OFD.xml": ""}, "OFD"),
        ({"Index/Document.iwa": ""}, "iWork"),
        ({"a.pdf": ""}, "ZIP"),
        ({"META-INF/container.xml": "", "META-INF/rights.xml": ""}, "DRM"),
    ],
)
def test_packages_that_are_refused(tmp_path: Path, members: dict[str, str], says: str) -> None:
    with pytest.raises(UnsupportedFormat, match=says) as caught:
        inspect(package(tmp_path / "x", members), SETTINGS)
    assert caught.value.remedy


def test_outlook_mail_and_embedded_files_in_old_ones(tmp_path: Path) -> None:
    assert inspect(ole(tmp_path / "x", "__properties_version1.0"), SETTINGS).media_type == MSG


def test_what_an_encrypted_file_is_shows_after_decryption(tmp_path: Path) -> None:
    msoffcrypto = pytest.importorskip("msoffcrypto.format.ooxml")
    plain = docx(tmp_path / "plain.docx", lambda d: d.add_paragraph("保密"))
    path = tmp_path / "改了名.xlsx"
    with plain.open("rb") as source, path.open("wb") as target:
        msoffcrypto.OOXMLFile(source).encrypt("口令", target)
    assert inspect(path, SETTINGS).encrypted
    document = read(path, password="口令")
    assert document.media_type == DOCX
    assert texts(document) == ["保密"]


def test_presentations_and_pictures_have_a_limit_of_pages(tmp_path: Path) -> None:
    slides = {f"ppt/slides/slide{n}.xml": "" for n in range(1, 5)}
    path = package(tmp_path / "x", {"ppt/presentation.xml": "", **slides})
    with pytest.raises(TooLarge, match="4 页"):
        inspect(path, IngestSettings(max_pages=3))


def package(path: Path, members: dict[str, str]) -> Path:
    """A zip archive of these texts."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def test_a_pdf_whose_page_tree_is_a_ring_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages"
        b"/Kids[2 0 R]/Count 99999999>>endobj trailer<</Root 1 0 R>>"
    )
    with pytest.raises(CorruptDocument, match="已损坏"):
        inspect(path, SETTINGS)
    with pytest.raises(CorruptDocument, match="已损坏"):
        open_pdf(path)
