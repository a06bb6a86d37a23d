"""One parser per format; all return the same Document. The second step of the chain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from rag.errors import CorruptDocument
from rag.ingest import inspect as formats
from rag.ingest.encoding import Decoded, decode
from rag.ingest.inspect import Inspection
from rag.settings import IngestSettings
from rag.types import Document, DocumentMetadata, Page

Progress = Callable[[float], None]
"""Called with 0..1 now and then; may raise to stop the parsing."""


def parse(
    path: Path,
    inspection: Inspection,
    *,
    name: str,
    settings: IngestSettings,
    password: str | None = None,
    progress: Progress | None = None,
) -> Document:
    """Read a file that `inspect` has looked at.

    A document without text (a scan, a garbled PDF) is returned as such, its pages flagged;
    `rag.ingest.quality.require_text` refuses it.

    Args:
        name: the document's name as people see it; not used as a path.
        password: opens an encrypted PDF or Office file.

    Raises:
        EncryptedDocument: a password is needed, or the given one is wrong.
        CorruptDocument, TooLarge, UnsupportedFormat: it cannot be read.
    """
    flags: tuple[str, ...] = ()
    title: str | None = None
    metadata: dict[str, Any] = {}
    pages: tuple[Page, ...]
    media_type = inspection.media_type
    if media_type == formats.PDF:
        from rag.ingest.parse.pdf import parse_pdf

        pages, title, flags = parse_pdf(path, settings, password, progress)
    elif media_type == formats.DOCX:
        from rag.ingest.parse.docx import parse_docx

        pages, title = parse_docx(_office(path, inspection, settings, password), progress)
    elif media_type == formats.XLSX:
        from rag.ingest.parse.xlsx import parse_xlsx

        pages, flags = parse_xlsx(_office(path, inspection, settings, password), progress)
    else:
        pages, title, flags, metadata = _parse_text(path, media_type)
    return Document(
        name=name,
        media_type=media_type,
        sha256=inspection.sha256,
        pages=pages,
        title=title,
        metadata=_stated(metadata),
        flags=tuple(dict.fromkeys((*flags, *(f for page in pages for f in page.flags)))),
    )


def _parse_text(
    path: Path, media_type: str
) -> tuple[tuple[Page, ...], str | None, tuple[str, ...], dict[str, Any]]:
    decoded = _decoded(path)
    flags = ("damaged_text",) if decoded.damaged else ()
    if media_type == formats.HTML:
        from rag.ingest.parse.html import parse_html

        pages, title = parse_html(decoded.text)
        return pages, title, flags, {}
    if media_type == formats.MARKDOWN:
        from rag.ingest.parse.markdown import parse_markdown

        pages, front = parse_markdown(decoded.text)
        return pages, None, flags, front
    if media_type == formats.CSV:
        from rag.ingest.parse.csv import parse_csv

        pages, more = parse_csv(decoded.text)
        return pages, None, flags + more, {}
    if media_type == formats.JSONL:
        from rag.ingest.parse.jsonl import parse_jsonl

        pages, more = parse_jsonl(decoded.text)
        return pages, None, flags + more, {}
    from rag.ingest.parse.text import parse_text

    return parse_text(decoded.text), None, flags, {}


def _decoded(path: Path) -> Decoded:
    decoded = decode(path.read_bytes())
    if decoded is None:
        raise CorruptDocument(
            "文件不是可读的文本。",
            "请确认文件没有损坏，另存为 UTF-8 编码后重新上传。",
            message_en="The file is no readable text.",
            remedy_en="Make sure that it isn't damaged, save it as UTF-8 and upload that.",
        )
    return decoded


def _office(
    path: Path, inspection: Inspection, settings: IngestSettings, password: str | None
) -> Path | IO[bytes]:
    """The file itself, or its decrypted content in memory."""
    if not inspection.encrypted:
        return path
    from rag.ingest.office_encryption import decrypt

    return decrypt(path, inspection.media_type, password, settings)


def _stated(values: dict[str, Any]) -> DocumentMetadata:
    from rag.ingest.metadata import from_mapping

    return from_mapping(values) if values else DocumentMetadata()
