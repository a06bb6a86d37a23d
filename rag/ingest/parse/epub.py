"""EPUB: one page for each document of the spine, in reading order, pictures recognised."""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from rag.errors import CorruptDocument, EncryptedDocument, TooLarge
from rag.ingest.describe import is_useful_title
from rag.ingest.encoding import decode
from rag.ingest.parse.html import html_fragment_blocks
from rag.settings import IngestSettings
from rag.types import Block, Page

if TYPE_CHECKING:
    from lxml.etree import _Element

_HTML_TYPES = (
    "application/xhtml+xml",
    "text/html",
    "application/x-dtbook+xml",
    "text/x-oeb1-document",
)
_MAX_PICTURES = 200
"""Pictures of one book that are recognised; beyond it books of pictures would take hours."""

_MIN_PICTURE_BYTES = 4096
"""Smaller pictures are ornaments. Both chosen by us."""

_BROKEN = (
    zipfile.BadZipFile, zlib.error, KeyError, OSError, EOFError, ValueError, NotImplementedError,
    RuntimeError,
)  # fmt: skip
"""What a damaged archive makes the library raise."""

_MIN_CONTENTS = 3
_CONTENTS_SHARE = 0.8
_MAX_CONTENTS_BYTES = 1 << 20
"""Links, and share of the text that is linked, from which a document is the list of contents.
Chosen by us."""

_META = {
    "title": "title",
    "creator": "author",
    "publisher": "publisher",
    "language": "language",
    "date": "publish_date",
    "description": "summary",
    "identifier": "identifier",
    "rights": "rights",
}
"""Elements of the Dublin Core in the package, and our names for them."""

_IMPRINT = {"author": "作者", "publisher": "出版社"}
"""What of the metadata stands below the title, by our names, with its label."""

_TITLE_BLOCKS = 12
"""Blocks of the first page that may show title and author; chosen by us."""

_UNKNOWN = re.compile(r"unknown(?: author)?|calibre.*|anonymous|未知|佚名|作者|n/?a|none|-+", re.I)
"""What programs write where they know no name."""

_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Obfuscated fonts are no protection of the text."""


def parse_epub(
    path: Path, settings: IngestSettings, progress: Callable[[float], None] | None = None
) -> tuple[tuple[Page, ...], str | None, dict[str, Any]]:
    """The pages of a book (EPUB 2 or 3), its title, and its metadata by the names of
    `rag.ingest.metadata`.

    Args:
        progress: called with 0..1 after each document; may raise to stop.

    Raises:
        CorruptDocument: the package can't be read.
        EncryptedDocument: the book is protected (DRM).
        TooLarge: it unpacks to more than the settings allow, or has too many documents.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _Book(archive, settings).read(progress)
    except _BROKEN as error:
        raise _damaged(f"{type(error).__name__}: {error}") from error


class _Book:
    """An opened book."""

    def __init__(self, archive: zipfile.ZipFile, settings: IngestSettings) -> None:
        self._archive = archive
        self._settings = settings
        # Names in the wild differ in case and escaping from what the package says.
        self._names = {info.filename.lower(): info for info in archive.infolist()}
        self._left = settings.max_unpacked_mb << 20
        self._pictures = 0

    def read(
        self, progress: Callable[[float], None] | None
    ) -> tuple[tuple[Page, ...], str | None, dict[str, Any]]:
        self._refuse_protected()
        package_name = self._package_name()
        package = self._xml(package_name)
        metadata = _metadata(package)
        spine = self._spine(package, posixpath.dirname(package_name))
        if len(spine) > self._settings.max_pages:
            from rag.ingest.inspect import too_many_pages

            raise too_many_pages(len(spine), self._settings.max_pages)
        pages: list[Page] = []
        for number, name in enumerate(spine, start=1):
            try:
                blocks = tuple(self._document(name, number))
                flags = () if blocks else ("blank",)
            except _BROKEN:
                blocks, flags = (), ("failed_page",)
            pages.append(Page(number=number, blocks=blocks, flags=flags))
            if progress is not None:
                progress(number / len(spine))
        first = next((i for i, page in enumerate(pages) if page.blocks), 0)
        pages[first] = _with_imprint(pages[first], metadata)
        return tuple(pages), metadata.get("title"), metadata

    def _refuse_protected(self) -> None:
        if "meta-inf/encryption.xml" not in self._names:
            return
        algorithms = re.findall(rb'Algorithm="([^"]+)"', self._bytes("META-INF/encryption.xml"))
        names = {name.decode("ascii", "replace") for name in algorithms}
        if names - set(_FONT_ALGORITHMS) - {""}:
            raise EncryptedDocument(
                "电子书有版权保护（DRM），无法读取。",
                "请使用没有保护的版本。",
                message_en="The book is protected (DRM) and cannot be read.",
                remedy_en="Use a version without protection.",
            )

    def _package_name(self) -> str:
        if "meta-inf/container.xml" in self._names:
            for found in self._xml("META-INF/container.xml").iter("{*}rootfile"):
                name = unquote(str(found.get("full-path") or ""))
                if name.lower() in self._names:
                    return name
        for name, info in self._names.items():
            if name.endswith(".opf"):
                return info.filename
        raise _damaged("no package document")

    def _spine(self, package: _Element, folder: str) -> list[str]:
        """Names of the documents in reading order; all of them when there is no order."""
        items: dict[str, tuple[str, str]] = {}
        navigation: set[str] = set()
        for item in package.iter("{*}item"):
            name = posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "")))
            items[item.get("id") or ""] = (name, (item.get("media-type") or "").lower())
            if "nav" in (item.get("properties") or "").split():
                navigation.add(name)
        ordered = [
            items[r] for ref in package.iter("{*}itemref") if (r := ref.get("idref") or "") in items
        ]
        found = [
            name
            for name, kind in ordered or items.values()
            if kind in _HTML_TYPES or _is_page(name)
        ]
        # The list of contents would repeat every heading.
        kept = [
            name
            for name in dict.fromkeys(found)
            if name not in navigation and not self._lists_contents(name)
        ]
        if not kept and not found:
            kept = sorted(info.filename for n, info in self._names.items() if _is_page(n))
        if not (kept or found):
            raise _damaged("no documents")
        return kept or found

    def _lists_contents(self, name: str) -> bool:
        """Whether a document is a list of links to the others."""
        info = self._names.get(name.lower())
        if info is None or info.file_size > _MAX_CONTENTS_BYTES:
            return False
        try:
            html = self._bytes(name).decode("utf-8", "replace")
        except _BROKEN:
            return False
        body = re.sub(r"(?is)<head.*?</head>|<(script|style).*?</\1>", "", html)
        links = re.findall(r"(?is)<a\b[^>]*\bhref\s*=.*?</a>", body)
        linked = sum(len(_plain(link)) for link in links)
        return len(links) >= _MIN_CONTENTS and linked >= len(_plain(body)) * _CONTENTS_SHARE

    def _document(self, name: str, number: int) -> Iterator[Block]:
        if name.lower() not in self._names:
            return
        decoded = decode(self._bytes(name))
        if decoded is None:
            return
        # XHTML says <title/> and <script/>, which the HTML parser would never close.
        html = re.sub(
            r"<(title|script|style|a|p|div|span)(\s[^<>]*)?/>", r"<\1\2></\1>", decoded.text
        )
        blocks = html_fragment_blocks(html)
        for block in blocks:
            yield block.model_copy(update={"page": number})
        yield from self._picture_blocks(html, posixpath.dirname(name), number)

    def _picture_blocks(self, html: str, folder: str, number: int) -> Iterator[Block]:
        from rag.ingest.ocr import read_picture

        sources = re.findall(
            r"""<(?:img|image)\b[^>]*?(?:src|xlink:href|href)\s*=\s*["']([^"']+)["']""",
            html,
            re.IGNORECASE,
        )
        for source in dict.fromkeys(sources):
            name = posixpath.normpath(posixpath.join(folder, unquote(source.partition("#")[0])))
            info = self._names.get(name.lower())
            if info is None or info.file_size < _MIN_PICTURE_BYTES:
                continue
            self._pictures += 1
            if self._pictures > _MAX_PICTURES:
                return
            yield from read_picture(self._bytes(name), self._settings, page=number)

    def _bytes(self, name: str) -> bytes:
        info = self._names[name.lower()]
        self._left -= info.file_size
        if self._left < 0:
            raise TooLarge(
                f"电子书解压后超过 {self._settings.max_unpacked_mb} MB。",
                "请拆分后上传，或请管理员在设置里调高上限。",
                message_en=f"The book unpacks to more than {self._settings.max_unpacked_mb} MB.",
                remedy_en="Split it, or ask the administrator to raise the limit.",
            )
        with self._archive.open(info) as member:
            return member.read(info.file_size + 1)

    def _xml(self, name: str) -> _Element:
        from lxml import etree

        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, recover=True, huge_tree=False
        )
        try:
            root = etree.fromstring(self._bytes(name), parser)
        except etree.XMLSyntaxError as error:
            raise _damaged(str(error)) from error
        if root is None:
            raise _damaged(f"{posixpath.basename(name)} is empty")
        return root


def _metadata(package: _Element) -> dict[str, Any]:
    found: dict[str, Any] = {}
    subjects: list[str] = []
    for element in package.iter("{http://purl.org/dc/elements/1.1/}*"):
        name = str(element.tag).rpartition("}")[2]
        text = " ".join("".join(str(t) for t in element.itertext()).split())
        if not text or (name in ("creator", "publisher") and _UNKNOWN.fullmatch(text)):
            continue
        if name == "subject":
            subjects.append(text)
        elif name == "creator" and "author" in found:
            found["author"] = f"{found['author']}、{text}"
        elif name in _META and not (
            name == "date" and "modification" in str(element.attrib.values())
        ):
            found.setdefault(_META[name], re.sub("<[^>]+>", "", text))
    if subjects:
        found["keywords"] = subjects
    return found


def _with_imprint(page: Page, metadata: dict[str, Any]) -> Page:
    """The first page with text below the book's title, author and publisher, as far as the
    package tells what the page doesn't show."""
    shown = "".join("".join(block.text.split()) for block in page.blocks[:_TITLE_BLOCKS])
    facts = [
        f"{label}：{value}"
        for name, label in _IMPRINT.items()
        if (value := metadata.get(name)) and not _is_shown(value, shown)
    ]
    title = metadata.get("title")
    named = title if title and is_useful_title(title) and not _is_shown(title, shown) else None
    imprint = [Block(kind="paragraph", text="\n".join(facts), page=page.number)] if facts else []
    if named:
        imprint.insert(0, Block(kind="heading", text=named, level=1, page=page.number))
        blocks = (*imprint, *page.blocks)
    else:
        after = 1 if page.blocks and page.blocks[0].kind == "heading" else 0
        blocks = (*page.blocks[:after], *imprint, *page.blocks[after:])
    return page.model_copy(update={"blocks": blocks})


def _is_shown(value: str, shown: str) -> bool:
    """Whether each name in a value stands in a text without blanks."""
    return all("".join(part.split()) in shown for part in value.split("、"))


def _plain(html: str) -> str:
    return "".join(re.sub("<[^>]*>", "", html).split())


def _is_page(name: str) -> bool:
    return name.lower().endswith((".xhtml", ".html", ".htm"))


def _damaged(detail: str) -> CorruptDocument:
    return CorruptDocument(
        "电子书文件已损坏，无法读取。",
        "请重新下载或导出后再上传。",
        message_en="The book is damaged and cannot be read.",
        remedy_en="Download or export it again and upload that.",
        detail=detail,
    )
