"""Finds out what a file really is, by content: the first step of the offline chain.

The extension only tells text formats apart; everything with a signature is believed over it.
"""

from __future__ import annotations

import hashlib
import math
from pathlib import Path, PurePath
from typing import NamedTuple

from rag.errors import EmptyDocument, TooLarge, UnsupportedFormat
from rag.ingest.archive import damaged, list_members
from rag.ingest.encoding import decode
from rag.settings import IngestSettings

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
HTML = "text/html"
MARKDOWN = "text/markdown"
TEXT = "text/plain"
CSV = "text/csv"
JSONL = "application/jsonl"

EXTENSIONS: dict[str, str] = {
    PDF: ".pdf",
    DOCX: ".docx",
    XLSX: ".xlsx",
    HTML: ".html",
    MARKDOWN: ".md",
    TEXT: ".txt",
    CSV: ".csv",
    JSONL: ".jsonl",
}
"""The formats that we read, with the usual extension of each."""

ACCEPTED = "PDF、DOCX、XLSX、CSV、HTML、Markdown、TXT、JSONL"
"""The formats that we read, as people are told."""

_TEXT_TYPES = {
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".csv": CSV,
    ".tsv": CSV,
    ".jsonl": JSONL,
    ".ndjson": JSONL,
}

_SAVE_AS = "请用 Office 或 WPS 另存为 {0} 后重新上传。"
_SAVE_AS_EN = "Save it as {0} in Office or WPS and upload that."
_TAKE_OUT = "请解压后上传其中的文档。"
_TAKE_OUT_EN = "Unpack it and upload the documents in it."
_OTHER = f"请转换成 {ACCEPTED} 之一后重新上传。"
_OTHER_EN = "Convert it to PDF, DOCX, XLSX, CSV, HTML, Markdown, TXT or JSONL and upload that."
_PICTURE = "目前不识别图片里的文字，请上传带文字的文档。"
_PICTURE_EN = "Text in pictures isn't read yet; upload a document with text."

_SIGNATURES: tuple[tuple[bytes, str, str, str, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG 图片", "a PNG picture", _PICTURE, _PICTURE_EN),
    (b"\xff\xd8\xff", "JPEG 图片", "a JPEG picture", _PICTURE, _PICTURE_EN),
    (b"GIF8", "GIF 图片", "a GIF picture", _PICTURE, _PICTURE_EN),
    (b"II*\x00", "TIFF 图片", "a TIFF picture", _PICTURE, _PICTURE_EN),
    (b"MM\x00*", "TIFF 图片", "a TIFF picture", _PICTURE, _PICTURE_EN),
    (b"BM", "BMP 图片", "a BMP picture", _PICTURE, _PICTURE_EN),
    (
        b"{\\rtf",
        "RTF 文档",
        "an RTF document",
        _SAVE_AS.format(".docx"),
        _SAVE_AS_EN.format(".docx"),
    ),
    (b"Rar!", "RAR 压缩包", "a RAR archive", _TAKE_OUT, _TAKE_OUT_EN),
    (b"7z\xbc\xaf\x27\x1c", "7z 压缩包", "a 7z archive", _TAKE_OUT, _TAKE_OUT_EN),
    (b"\x1f\x8b", "gzip 压缩文件", "a gzip file", _TAKE_OUT, _TAKE_OUT_EN),
    (b"MZ", "Windows 程序", "a Windows program", _OTHER, _OTHER_EN),
    (b"\x7fELF", "Linux 程序", "a Linux program", _OTHER, _OTHER_EN),
    (b"SQLite format 3\x00", "SQLite 数据库", "an SQLite database", _OTHER, _OTHER_EN),
    (b"ID3", "音频文件", "an audio file", _OTHER, _OTHER_EN),
    (b"OggS", "音频文件", "an audio file", _OTHER, _OTHER_EN),
    (b"%!PS", "PostScript 文件", "a PostScript file", _OTHER, _OTHER_EN),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS: tuple[tuple[str, str, str, str], ...] = (
    ("WordDocument", "旧版 Word 文档（.doc）", "an old Word document (.doc)", ".docx"),
    ("Workbook", "旧版 Excel 表格（.xls）", "an old Excel sheet (.xls)", ".xlsx"),
    ("Book", "旧版 Excel 表格（.xls）", "an old Excel sheet (.xls)", ".xlsx"),
    ("PowerPoint Document", "旧版演示文稿（.ppt）", "an old presentation (.ppt)", ".pdf"),
)

_MIN_SCAN_BYTES = 4096
"""How far from the start a PDF's signature may lie (readers accept leading rubbish)."""


class Inspection(NamedTuple):
    """What a file is.

    `extension` is that of the real format, with the dot. `encoding` is set for text formats,
    `page_count` for PDFs that can be opened without a password.
    """

    media_type: str
    extension: str
    sha256: str
    size: int
    encrypted: bool = False
    encoding: str | None = None
    page_count: int | None = None


def inspect(path: Path, settings: IngestSettings, *, name: str | None = None) -> Inspection:
    """Determine format, hash and encoding.

    Args:
        name: the name that a person gave the file when `path` has another one; its extension
            tells text formats apart (CSV, Markdown, JSONL, plain text).

    Raises:
        EmptyDocument, CorruptDocument, UnsupportedFormat, TooLarge: it cannot be read; the
            message names the real format and says what to do.
    """
    size = path.stat().st_size
    if size == 0:
        raise EmptyDocument(
            "文件是空的（0 字节）。",
            "请确认文件已保存完整后重新上传。",
            message_en="The file is empty (0 bytes).",
            remedy_en="Make sure that it was saved completely and upload it again.",
        )
    require_size(size, settings)
    extension = PurePath(name or path.name).suffix.lower()
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        head = file.read(_MIN_SCAN_BYTES)

    def found(
        media_type: str,
        encrypted: bool = False,
        encoding: str | None = None,
        page_count: int | None = None,
    ) -> Inspection:
        extension = EXTENSIONS[media_type]
        return Inspection(media_type, extension, sha256, size, encrypted, encoding, page_count)

    if b"%PDF-" in head:
        encrypted, pages = _look_into_pdf(path, settings)
        return found(PDF, encrypted=encrypted, page_count=pages)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return found(_look_into_zip(path, settings, extension))
    if head.startswith(_OLE):
        return found(_look_into_ole(path, extension), encrypted=True)
    _refuse_known(head, extension)
    decoded = decode(path.read_bytes())
    if decoded is None:
        raise unsupported("二进制文件", "a binary file", _OTHER, _OTHER_EN, extension)
    media_type = _text_type(decoded.text, extension)
    return found(media_type, encoding=decoded.encoding)


def require_size(size: int, settings: IngestSettings) -> None:
    """Let a file of so many bytes pass.

    Raises:
        TooLarge: beyond `max_file_mb`.
    """
    if size > settings.max_file_mb << 20:
        # Rounded up: "200 MB, more than 200 MB" would puzzle people.
        megabytes = math.ceil(10 * size / (1 << 20)) / 10
        raise TooLarge(
            f"文件有 {megabytes:g} MB，超过上限 {settings.max_file_mb} MB。",
            "请拆分后上传，或请管理员在设置里调高上限。",
            message_en=f"The file has {megabytes:g} MB, more than the limit of "
            f"{settings.max_file_mb} MB.",
            remedy_en="Split it, or ask the administrator to raise the limit.",
        )


def unsupported(
    what: str, what_en: str, remedy: str, remedy_en: str, extension: str = ""
) -> UnsupportedFormat:
    """The error that names the real format, and the extension when that says otherwise."""
    claims = extension in EXTENSIONS.values() or extension in _TEXT_TYPES
    blank = " " if what[:1].isascii() else ""
    return UnsupportedFormat(
        f"文件名以 {extension} 结尾，但实际内容是{blank}{what}。"
        if claims
        else f"暂不支持{blank}{what}。",
        remedy,
        message_en=f"The name ends in {extension}, but the content is {what_en}."
        if claims
        else f"The file is {what_en}, which isn't supported.",
        remedy_en=remedy_en,
    )


def _look_into_pdf(path: Path, settings: IngestSettings) -> tuple[bool, int | None]:
    """Whether it needs a password, and its pages when it doesn't."""
    from rag.ingest.mupdf import LOCK, damaged_pdf, open_maybe_encrypted

    with LOCK:
        document = open_maybe_encrypted(path)
        encrypted = bool(document.needs_pass)
        pages = None if encrypted else int(document.page_count)
        document.close()
    if pages == 0:
        raise damaged_pdf("no pages")
    if pages is not None and pages > settings.max_pages:
        raise too_many_pages(pages, settings.max_pages)
    return encrypted, pages


def too_many_pages(pages: int, limit: int) -> TooLarge:
    """The error for a document with more pages than the settings allow."""
    return TooLarge(
        f"文档有 {pages} 页，超过上限 {limit} 页。",
        "请拆分后上传，或请管理员在设置里调高上限。",
        message_en=f"The document has {pages} pages, more than the limit of {limit}.",
        remedy_en="Split it, or ask the administrator to raise the limit.",
    )


def _look_into_zip(path: Path, settings: IngestSettings, extension: str) -> str:
    names = list_members(path, settings)
    if "[Content_Types].xml" in names or "word/document.xml" in names:
        if "word/document.xml" in names:
            return DOCX
        if "xl/workbook.xml" in names:
            return XLSX
        if any(name.startswith("ppt/") for name in names):
            raise unsupported(
                "演示文稿（.pptx）", "a presentation (.pptx)",
                "请导出为 PDF 后重新上传。", "Export it as PDF and upload that.", extension,
            )  # fmt: skip
        if any(name.endswith("workbook.bin") for name in names):
            raise unsupported(
                "二进制 Excel 表格（.xlsb）", "a binary Excel sheet (.xlsb)",
                _SAVE_AS.format(".xlsx"), _SAVE_AS_EN.format(".xlsx"), extension,
            )  # fmt: skip
        if extension in (".docx", ".xlsx"):
            raise damaged("the main part is missing")
    if "META-INF/container.xml" in names:
        raise unsupported("EPUB 电子书", "an EPUB book", _OTHER, _OTHER_EN, extension)
    if "content.xml" in names and "mimetype" in names:
        raise unsupported(
            "OpenDocument 文档", "an OpenDocument file",
            _SAVE_AS.format(".docx 或 .xlsx"), _SAVE_AS_EN.format(".docx or .xlsx"), extension,
        )  # fmt: skip
    if not names and extension in (".docx", ".xlsx"):
        raise damaged("empty archive")
    raise unsupported("ZIP 压缩包", "a ZIP archive", _TAKE_OUT, _TAKE_OUT_EN, extension)


def _look_into_ole(path: Path, extension: str) -> str:
    """The format inside an encrypted Office container; old Office formats are refused."""
    raw = path.read_bytes()

    def has(stream: str) -> bool:
        # Directory entries hold their names in UTF-16 with a terminating zero.
        return (stream + "\0").encode("utf-16-le") in raw

    if has("EncryptedPackage"):
        return DOCX if extension == ".docx" else XLSX
    for stream, what, what_en, target in _OLE_STREAMS:
        if has(stream):
            raise unsupported(
                what, what_en, _SAVE_AS.format(target), _SAVE_AS_EN.format(target), extension
            )
    if has("__properties_version1.0"):
        raise unsupported("Outlook 邮件（.msg）", "an Outlook mail", _OTHER, _OTHER_EN, extension)
    raise unsupported(
        "旧版 Office 文件", "an old Office file",
        _SAVE_AS.format(".docx 或 .xlsx"), _SAVE_AS_EN.format(".docx or .xlsx"), extension,
    )  # fmt: skip


def _refuse_known(head: bytes, extension: str) -> None:
    for signature, what, what_en, remedy, remedy_en in _SIGNATURES:
        if not head.startswith(signature):
            continue
        if len(signature) <= 3 and b"\x00" not in head[:512]:
            continue  # a text may well begin with "BM" or "MZ"
        raise unsupported(what, what_en, remedy, remedy_en, extension)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        raise unsupported("WebP 图片", "a WebP picture", _PICTURE, _PICTURE_EN, extension)
    if head[4:8] == b"ftyp":
        raise unsupported("音视频文件", "a video or audio file", _OTHER, _OTHER_EN, extension)


def _text_type(text: str, extension: str) -> str:
    if extension in _TEXT_TYPES and _TEXT_TYPES[extension] != HTML:
        return _TEXT_TYPES[extension]
    start = text[:2000].lstrip().lower()
    # Web pages saved under other names (".doc", ".xls" of many reporting tools) are pages.
    if _TEXT_TYPES.get(extension) == HTML or start.startswith(("<!doctype html", "<html")):
        return HTML
    return TEXT
