from __future__ import annotations

from pathlib import Path

import pytest
from ingest_inputs import bomb, docx, ole, pdf, write, xlsx

from rag.errors import CorruptDocument, EmptyDocument, TooLarge, UnsupportedFormat
from rag.ingest.inspect import CSV, DOCX, HTML, JSONL, MARKDOWN, PDF, TEXT, XLSX, inspect
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
