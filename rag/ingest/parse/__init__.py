"""One parser per format; all return the same Document. The second step of the chain."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from rag.errors import CorruptDocument
from rag.ingest import inspect as formats
from rag.ingest.encoding import Decoded, decode
from rag.ingest.inspect import Inspection
from rag.settings import IngestSettings
from rag.types import Document, DocumentMetadata, Page, PageRoute

Progress = Callable[[float], None]
"""Called with 0..1 now and then; may raise to stop the parsing."""

Source = Path | IO[bytes]


class Parsed(NamedTuple):
    """What a parser found: pages, the stated title and metadata, flags of the document."""

    pages: tuple[Page, ...]
    title: str | None = None
    flags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}


def parse(
    path: Path,
    inspection: Inspection,
    *,
    name: str,
    settings: IngestSettings,
    password: str | None = None,
    progress: Progress | None = None,
    routes: Mapping[int, PageRoute] | None = None,
) -> Document:
    """Read a file that `inspect` has looked at.

    A document without text (a scan, a garbled PDF) is returned as such, its pages flagged;
    `rag.ingest.quality.require_text` refuses it.

    Args:
        name: the document's name as people see it; not used as a path.
        password: opens an encrypted PDF or Office file.
        routes: the route to take for some pages of a PDF, by page number.

    Raises:
        EncryptedDocument: a password is needed, or the given one is wrong.
        CorruptDocument, TooLarge, UnsupportedFormat: it cannot be read.
    """
    media_type = inspection.media_type
    flags: list[str] = []
    if formats.is_other_format(inspection, name):
        flags.append("other_format")
    if media_type == formats.PDF:
        from rag.ingest.parse.pdf import parse_pdf

        parsed = Parsed(*parse_pdf(path, settings, password, progress, routes=routes))
    elif media_type in formats.OFFICE:
        if inspection.convert_from is not None:
            flags.append("converted")
        with _office(path, inspection, settings, password, progress) as source:
            media_type = _real_type(source, media_type, settings)
            parsed = _parse_office(source, media_type, settings, progress)
    elif media_type in formats.IMAGES:
        parsed = _parse_image(path, settings, progress)
    elif media_type in (formats.EPUB, formats.EML, formats.MSG):
        parsed = _parse_package(path, media_type, settings, progress)
    else:
        parsed = _parse_text(path, media_type, inspection.extension)
    flags.extend(parsed.flags)
    return Document(
        name=name,
        media_type=media_type,
        sha256=inspection.sha256,
        pages=parsed.pages,
        title=parsed.title,
        metadata=_stated(parsed.metadata),
        flags=tuple(dict.fromkeys((*flags, *(f for page in parsed.pages for f in page.flags)))),
    )


def _parse_office(
    source: Source, media_type: str, settings: IngestSettings, progress: Progress | None
) -> Parsed:
    if media_type == formats.DOCX:
        from rag.ingest.parse.docx import parse_docx

        return Parsed(*parse_docx(source, settings, progress))
    if media_type == formats.PPTX:
        from rag.ingest.parse.pptx import parse_pptx

        return Parsed(*parse_pptx(source, settings, progress))
    return _parse_workbook(source, settings, progress)


def _parse_workbook(source: Source, settings: IngestSettings, progress: Progress | None) -> Parsed:
    """A workbook; LibreOffice, where installed, computes formulas without a result and opens
    what our library cannot."""
    from rag.ingest.convert import converted, find_office
    from rag.ingest.parse.xlsx import parse_xlsx

    found: Parsed | None = None
    try:
        pages, flags = parse_xlsx(source, settings, progress)
        found = Parsed(pages, None, flags)
        if "formula_without_value" not in flags or find_office() is None:
            return found
    except CorruptDocument:
        if find_office() is None:
            raise
    try:
        with _on_disk(source) as path, converted(path, ".xlsx", settings, progress) as better:
            pages, flags = parse_xlsx(better, settings, progress)
            return Parsed(pages, None, flags)
    except CorruptDocument:
        if found is None:
            raise
        return found


def _parse_image(path: Path, settings: IngestSettings, progress: Progress | None) -> Parsed:
    from rag.ingest.parse.image import parse_image

    return Parsed(parse_image(path, settings, progress))


def _parse_package(
    path: Path, media_type: str, settings: IngestSettings, progress: Progress | None
) -> Parsed:
    if media_type == formats.EPUB:
        from rag.ingest.parse.epub import parse_epub

        pages, title, metadata = parse_epub(path, settings, progress)
        return Parsed(pages, title, metadata=metadata)
    from rag.ingest.parse.mail import parse_eml, parse_msg

    parse_mail = parse_eml if media_type == formats.EML else parse_msg
    pages, title, metadata, flags = parse_mail(path, settings)
    return Parsed(pages, title, flags, metadata)


def _parse_text(path: Path, media_type: str, extension: str) -> Parsed:
    decoded = _decoded(path)
    flags = ("damaged_text",) if decoded.damaged else ()
    if media_type == formats.HTML:
        from rag.ingest.parse.html import html_metadata, parse_html

        pages, title = parse_html(decoded.text)
        return Parsed(pages, title, flags, html_metadata(decoded.text))
    if media_type == formats.MARKDOWN:
        from rag.ingest.parse.markdown import parse_markdown

        pages, front = parse_markdown(decoded.text)
        return Parsed(pages, None, flags, front)
    if media_type == formats.CSV:
        from rag.ingest.parse.csv import parse_csv

        pages, more = parse_csv(decoded.text)
        return Parsed(pages, None, flags + more)
    if media_type == formats.JSONL:
        from rag.ingest.parse.jsonl import parse_jsonl

        pages, more = parse_jsonl(decoded.text)
        return Parsed(pages, None, flags + more)
    if media_type == formats.CODE:
        from rag.ingest.parse.code import parse_code

        return Parsed(parse_code(decoded.text, extension), None, flags)
    from rag.ingest.parse.text import parse_text

    return Parsed(parse_text(decoded.text), None, flags)


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


@contextmanager
def _office(
    path: Path,
    inspection: Inspection,
    settings: IngestSettings,
    password: str | None,
    progress: Progress | None,
) -> Iterator[Source]:
    """The file itself, or what decryption and conversion made of it."""
    old = inspection.convert_from
    source: Source = path
    with ExitStack() as stack:
        if inspection.encrypted:
            from rag.ingest.office_encryption import decrypt, protected_open_document

            if old in (".odt", ".ods", ".odp"):
                raise protected_open_document()
            source = decrypt(path, inspection.media_type, password, settings)
            if old is not None:
                source = stack.enter_context(_on_disk(source))
        if old is not None and isinstance(source, Path):
            from rag.ingest.convert import converted

            source = stack.enter_context(converted(source, old, settings, progress))
        yield source


@contextmanager
def _on_disk(source: Source) -> Iterator[Path]:
    """The file as a path."""
    if isinstance(source, Path):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="zhiwen-") as folder:
        path = Path(folder) / "decrypted"
        source.seek(0)
        path.write_bytes(source.read())
        yield path


def _real_type(source: Source, media_type: str, settings: IngestSettings) -> str:
    """Of what was encrypted, the format is only known now; of the rest already."""
    if isinstance(source, Path):
        return media_type
    from rag.ingest.archive import list_members
    from rag.ingest.containers import ooxml_type

    found = ooxml_type(list_members(source, settings))
    source.seek(0)
    return found or media_type


def _stated(values: Mapping[str, Any]) -> DocumentMetadata:
    from rag.ingest.metadata import from_mapping

    return from_mapping(dict(values)) if values else DocumentMetadata()
