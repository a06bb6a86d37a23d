"""Finds out what a file really is, by content: the first step of the offline chain.

The extension only tells text formats apart; everything with a signature is believed over it.
"""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path, PurePath
from typing import NamedTuple

from rag.errors import EmptyDocument, TooLarge
from rag.ingest.containers import (
    OLE,
    Found,
    look_into_image,
    look_into_ole,
    look_into_zip,
)
from rag.ingest.convert import find_office
from rag.ingest.encoding import decode
from rag.ingest.formats import (
    ACCEPTED,
    ACCEPTED_EN,
    BMP,
    CODE,
    CODE_EXTENSIONS,
    CONVERTIBLE,
    CSV,
    DOCX,
    EML,
    EPUB,
    EXTENSIONS,
    GIF,
    HTML,
    IMAGES,
    JPEG,
    JSON_EXTENSION,
    JSONL,
    MARKDOWN,
    MSG,
    OFFICE,
    PDF,
    PNG,
    PPTX,
    TEXT,
    TEXT_TYPES,
    TIFF,
    WEBP,
    XLSX,
)
from rag.ingest.json_records import has_records
from rag.ingest.refused import (
    OTHER,
    refuse_known,
    too_many_pages,
    unconverted,
    unsupported,
)
from rag.settings import IngestSettings

__all__ = [
    "ACCEPTED", "ACCEPTED_EN", "BMP", "CODE", "CONVERTIBLE", "CSV", "DOCX", "EML", "EPUB",
    "EXTENSIONS", "GIF", "HTML", "IMAGES", "JPEG", "JSONL", "MARKDOWN", "MSG", "OFFICE", "PDF",
    "PNG", "PPTX", "TEXT", "TIFF", "WEBP", "XLSX", "Inspection", "inspect", "is_other_format",
    "require_size", "too_many_pages", "unsupported",
]  # fmt: skip

_HEAD_BYTES = 4096
"""What of a file is looked at for signatures; a PDF's may lie behind leading rubbish."""

_IMAGE_HEADS = (
    b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a",
    b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+",
)  # fmt: skip
_MAIL_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,40}):[ \t]?")
_MAIL_MARKS = {"received", "message-id", "mime-version", "return-path", "delivered-to"}
_SHEET_EXTENSIONS = (".xls", ".xlsx", ".et")
_INTERPRETERS = {"python": ".py", "bash": ".sh", "sh": ".sh", "node": ".js", "perl": ".pl"}


class Inspection(NamedTuple):
    """What a file is.

    `media_type` is the format that it is read as, `extension` that of the real format, with
    the dot (source code keeps its own). `encoding` is set for text formats, `page_count` for
    PDFs without a password, presentations and pictures. `convert_from` is the key in
    `CONVERTIBLE` of a format that becomes `media_type` by a conversion, else None.
    """

    media_type: str
    extension: str
    sha256: str
    size: int
    encrypted: bool = False
    encoding: str | None = None
    page_count: int | None = None
    convert_from: str | None = None


def inspect(path: Path, settings: IngestSettings, *, name: str | None = None) -> Inspection:
    """Determine format, hash and encoding.

    Args:
        name: the name that a person gave the file when `path` has another one; its extension
            tells text formats apart (CSV, Markdown, JSONL, source code, plain text).

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
        head = file.read(_HEAD_BYTES)
    found, encoding = _find(path, head, settings, extension)
    if found.page_count is not None and found.page_count > settings.max_pages:
        raise too_many_pages(found.page_count, settings.max_pages)
    if found.convert_from is not None and find_office() is None:
        raise unconverted(found.convert_from, extension)
    return Inspection(
        found.media_type,
        _real_extension(found, extension),
        sha256,
        size,
        found.encrypted,
        encoding,
        found.page_count,
        found.convert_from,
    )


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


def is_other_format(inspection: Inspection, name: str) -> bool:
    """Whether a file's name claims a format that we know and that its content is not."""
    extension = PurePath(name).suffix.lower()
    if extension == inspection.extension or inspection.media_type in (TEXT, CODE):
        return False
    if extension in TEXT_TYPES:
        return TEXT_TYPES[extension] != inspection.media_type
    claimed = [kind for kind, usual in EXTENSIONS.items() if usual == extension]
    if claimed:
        return inspection.convert_from is not None or inspection.media_type not in claimed
    return extension in CONVERTIBLE


def _find(
    path: Path, head: bytes, settings: IngestSettings, extension: str
) -> tuple[Found, str | None]:
    """The format, and the encoding of texts."""
    if _is_pdf(head):
        return _look_into_pdf(path), None
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return look_into_zip(path, settings, extension), None
    if head.startswith(OLE):
        return look_into_ole(path, extension), None
    if _is_image(head):
        return look_into_image(path), None
    if head.startswith(b"{\\rtf"):
        return Found(DOCX, convert_from=".rtf"), None
    refuse_known(head, extension)
    decoded = decode(path.read_bytes())
    if decoded is None:
        raise unsupported("二进制文件", "a binary file", *OTHER, extension)
    return _text_type(decoded.text, extension), decoded.encoding


def _is_pdf(head: bytes) -> bool:
    """A signature at the start, or behind rubbish; a text that mentions it is none."""
    place = head.find(b"%PDF-")
    if place < 0:
        return False
    return not head[:place].strip(b"\xef\xbb\xbf\x00 \t\r\n") or (
        re.search(rb"%PDF-\d\.\d\s", head) is not None
        and re.search(rb"\d+\s+\d+\s+obj\b", head) is not None
    )


def _is_image(head: bytes) -> bool:
    if head[:2] == b"BM":
        # The header's length follows; a text may well begin with "BM".
        return head[14:18] in (b"\x0c\0\0\0", b"\x28\0\0\0", b"\x6c\0\0\0", b"\x7c\0\0\0")
    return head.startswith(_IMAGE_HEADS) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")


def _look_into_pdf(path: Path) -> Found:
    """Whether it needs a password, and its pages when it doesn't."""
    from rag.ingest.mupdf import LOCK, damaged_pdf, open_maybe_encrypted

    with LOCK:
        document = open_maybe_encrypted(path)
        try:
            encrypted = bool(document.needs_pass)
            pages = None if encrypted else int(document.page_count)
        except (RuntimeError, ValueError) as error:  # a page tree that MuPDF cannot count
            raise damaged_pdf(str(error)) from error
        finally:
            document.close()
    if pages == 0:
        raise damaged_pdf("no pages")
    return Found(PDF, encrypted, pages)


def _text_type(text: str, extension: str) -> Found:
    start = text[:4000].lstrip("\ufeff \t\r\n")
    if start.startswith("<?xml"):
        # Exports of reporting tools: a whole Word or Excel file as one XML.
        if "urn:schemas-microsoft-com:office:spreadsheet" in start:
            return Found(XLSX, convert_from=".xls.xml")
        if "schemas.microsoft.com/office/word/2003/wordml" in start or (
            "schemas.microsoft.com/office/2006/xmlPackage" in start and "Word.Document" in start
        ):
            return Found(DOCX, convert_from=".doc.xml")
    known = TEXT_TYPES.get(extension)
    if known is not None and known != HTML:
        return Found(known)
    if extension in CODE_EXTENSIONS:
        return Found(CODE)
    if extension == JSON_EXTENSION and has_records(text):
        return Found(JSONL)
    # Web pages saved under other names (".doc", ".xls" of many reporting tools) are pages.
    if known == HTML or start[:2000].lower().startswith(("<!doctype html", "<html")):
        return Found(HTML)
    if _is_mail(start):
        return Found(EML)
    if extension in _SHEET_EXTENSIONS and "\t" in start.partition("\n")[0]:
        return Found(CSV)
    return Found(CODE if not extension and _interpreter(start) else TEXT)


def _is_mail(start: str) -> bool:
    """Whether a text begins with a block of mail headers."""
    block = start.replace("\r\n", "\n").partition("\n\n")[0]
    names = set()
    for line in block.split("\n"):
        match = _MAIL_HEADER.match(line)
        if match:
            names.add(match[1].lower())
        elif not line.startswith((" ", "\t")):
            return False
    return "from" in names and bool(names & _MAIL_MARKS)


def _interpreter(start: str) -> str | None:
    """The extension of the language that a script's first line names."""
    match = re.match(r"#!\s*\S*?/(?:env\s+)?([a-z]+)[\d.]*\s", start)
    return _INTERPRETERS.get(match[1]) if match else None


def _real_extension(found: Found, extension: str) -> str:
    if found.convert_from is not None:
        return "." + found.convert_from.rpartition(".")[2]
    if found.media_type == CODE:
        return extension or ".sh"
    return EXTENSIONS[found.media_type]
