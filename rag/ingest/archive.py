"""Opens zip-based documents (DOCX, XLSX) within bounds: part of the inspect step."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import IO

from rag.errors import CorruptDocument, TooLarge
from rag.settings import IngestSettings

_MAX_MEMBERS = 20_000
"""Files in one archive; chosen by us, office documents have tens to thousands."""

_MAX_RATIO = 400
_RATIO_FROM_BYTES = 50 << 20
"""A member beyond this size that shrank more than this is a bomb, not a document. Chosen by
us: sheets of repeated numbers shrink 20 to 60 times."""

_MAX_XML_BYTES = 300 << 20
"""Largest XML part that is read whole; it takes several times as much memory as a tree."""


def list_members(source: Path | IO[bytes], settings: IngestSettings) -> dict[str, int]:
    """Names and unpacked sizes in bytes of the archive's files.

    Raises:
        CorruptDocument: it is no readable zip archive.
        TooLarge: it would unpack beyond the configured bounds.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise damaged(str(error)) from error
    limit = settings.max_unpacked_mb << 20
    total = sum(entry.file_size for entry in entries)
    bomb = any(
        entry.file_size > _RATIO_FROM_BYTES
        and entry.file_size > _MAX_RATIO * max(entry.compress_size, 1)
        for entry in entries
    )
    if total > limit or bomb or len(entries) > _MAX_MEMBERS:
        raise TooLarge(
            f"文件解压后约 {total >> 20} MB，超出允许的范围（{settings.max_unpacked_mb} MB）。"
            if total > limit
            else f"文件的压缩率异常（解压后约 {total >> 20} MB，{len(entries)} 个部分）。",
            "请拆分文件或去掉其中的大图后重新上传；来源不明的文件请勿使用。",
            message_en=f"The file unpacks to about {total >> 20} MB, beyond the limit of "
            f"{settings.max_unpacked_mb} MB."
            if total > limit
            else f"The file is compressed in a suspicious way (about {total >> 20} MB in "
            f"{len(entries)} parts) and was not opened.",
            remedy_en="Split it or remove large pictures, then upload it again; "
            "don't use files from unknown sources.",
        )
    return {entry.filename: entry.file_size for entry in entries}


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """One member as bytes.

    Raises:
        CorruptDocument: it is missing, damaged, or declares entities (office files never do).
        TooLarge: it is larger than what may be read whole.
    """
    try:
        if archive.getinfo(name).file_size > _MAX_XML_BYTES:
            raise TooLarge(
                "文件的正文部分过大。",
                "请拆分成几个文件后重新上传。",
                message_en="The body of the file is too large.",
                remedy_en="Split it into several files and upload them.",
            )
        content = archive.read(name)
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        raise damaged(f"{name}: {error}") from error
    if b"<!DOCTYPE" in content[:2048] or b"<!ENTITY" in content[:2048]:
        raise damaged(f"{name}: document type declaration")
    return content


def damaged(detail: str) -> CorruptDocument:
    """The error for an office file that cannot be opened."""
    return CorruptDocument(
        "文件已损坏，无法打开。",
        "请用 Office 或 WPS 打开并另存一份，再重新上传；打不开时请向提供者重新索取。",
        message_en="The file is damaged and cannot be opened.",
        remedy_en="Open it in Office or WPS and save a copy, then upload that; "
        "if it doesn't open there, ask for the file again.",
        detail=detail,
    )
