from __future__ import annotations

import errno
import hashlib
from io import BytesIO
from pathlib import Path

import pytest

from rag.errors import DiskFull, NotFound
from rag.ingest.files import NAMELESS, FileStore, document_name

LONG_NAME = "关于印发人才住房补贴实施办法的通知" * 5 + ".pdf"


@pytest.mark.parametrize(
    "name", [LONG_NAME, "../../etc/passwd", "a/b\\c.txt", "", "名字`$(rm)\"'.txt", "\x00"]
)
def test_a_name_never_becomes_a_path(tmp_path: Path, name: str) -> None:
    store = FileStore(tmp_path)
    stored = store.put(BytesIO("内容".encode()), name)
    assert stored.path.read_text(encoding="utf-8") == "内容"
    assert stored.path.is_relative_to(tmp_path / "files")
    assert stored.path.name == stored.sha256 == hashlib.sha256("内容".encode()).hexdigest()


def test_the_same_content_is_stored_once(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    first, second = store.put(BytesIO(b"x"), "a"), store.put(BytesIO(b"x"), "b")
    assert first == second
    assert list(store.hashes()) == [first.sha256]


def test_a_stored_file_is_not_copied_again(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    stored = store.put(BytesIO(b"x"))
    before = stored.path.stat().st_mtime_ns
    assert store.put(stored.path, "another") == stored
    assert stored.path.stat().st_mtime_ns == before


def test_removing(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    stored = store.put(BytesIO(b"x"))
    store.remove(stored.sha256)
    store.remove(stored.sha256)
    assert not store.has(stored.sha256)


def test_a_path_without_a_file(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="找不到"):
        FileStore(tmp_path).put(tmp_path / "没有.pdf")


def test_only_hashes_are_looked_up(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sha256"):
        FileStore(tmp_path).path("../../etc/passwd")


def test_a_full_disk_is_said_plainly_and_leaves_nothing(tmp_path: Path) -> None:
    class Full(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DiskFull, match="磁盘空间不足") as caught:
        FileStore(tmp_path).put(Full(), "大文件.pdf")
    assert "大文件.pdf" in caught.value.message
    assert [p for p in (tmp_path / "files").rglob("*") if p.is_file()] == []


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("手册.pdf", "手册.pdf"),
        ("很长的文件名" * 14 + ".pdf", "很长的文件名" * 14 + ".pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\系统\\表.xlsx", "表.xlsx"),
        ("C:\\文档\\手册.docx", "手册.docx"),
        ("/home/张/手册.docx", "手册.docx"),
        ("./手册.docx", "手册.docx"),
        ("../..", NAMELESS),
        ("制度/2024/手册.docx", "制度/2024/手册.docx"),
        ("127.0.0.1:8080/a/b.html", "127.0.0.1:8080/a/b.html"),
        ("手册...终稿.md", "手册...终稿.md"),
        ("发票\u202etxt.exe", "发票txt.exe"),
        ("\u2066a\u2069\u202ab\u202c\u200e.md", "ab.md"),
        ("\u202e", NAMELESS),
        ("\u202e../\u2066./表.md", "表.md"),
        ("`'\"<b>%.md", "`'\"<b>%.md"),
        ("第一\n行\x00.md", "第一 行.md"),
        ("\ud83d.md", "\ufffd.md"),
        ("", NAMELESS),
        (" \t\x07", NAMELESS),
    ],
)
def test_a_document_has_a_name_in_one_line(given: str, name: str) -> None:
    assert document_name(given) == name
