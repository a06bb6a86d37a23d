"""What is inside zip, OLE and picture files: part of the inspect step."""

from __future__ import annotations

import importlib
import re
import warnings
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

from rag.errors import CorruptDocument, TooLarge
from rag.ingest import formats
from rag.ingest.archive import damaged, list_members
from rag.ingest.refused import AS_PDF, unsupported
from rag.settings import IngestSettings

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How OLE containers (old and encrypted Office files, Outlook mail) begin."""

_TAKE_OUT = ("请解压后上传其中的文档。", "Unpack it and upload the documents in it.")
_OFFICE_EXTENSIONS = (".docx", ".xlsx", ".pptx", ".docm", ".xlsm", ".pptm")
_MAIN_PARTS = (
    (re.compile(r"word/document\d*\.xml"), formats.DOCX),
    (re.compile(r"xl/workbook\d*\.xml"), formats.XLSX),
    (re.compile(r"ppt/presentation\d*\.xml"), formats.PPTX),
)
_OPEN_DOCUMENT = (
    ("application/vnd.oasis.opendocument.text", ".odt"),
    ("application/vnd.oasis.opendocument.spreadsheet", ".ods"),
    ("application/vnd.oasis.opendocument.presentation", ".odp"),
)
_OLE_STREAMS = (
    ("WordDocument", ".doc"),
    ("Workbook", ".xls"),
    ("Book", ".xls"),
    ("PowerPoint Document", ".ppt"),
)
_MAX_PIXELS = 178_956_970
"""Pixels of one picture; Pillow's own limit against bombs (a scan of A0 at 300 dpi has 140
million)."""

_IMAGE_TYPES = {
    "PNG": formats.PNG,
    "JPEG": formats.JPEG,
    "MPO": formats.JPEG,
    "TIFF": formats.TIFF,
    "BMP": formats.BMP,
    "WEBP": formats.WEBP,
    "GIF": formats.GIF,
}


class Found(NamedTuple):
    """What a container holds: see `rag.ingest.inspect.Inspection`."""

    media_type: str
    encrypted: bool = False
    page_count: int | None = None
    convert_from: str | None = None


def ooxml_type(names: dict[str, int]) -> str | None:
    """DOCX, XLSX or PPTX by the members of an archive, None when it is none of them."""
    for pattern, media_type in _MAIN_PARTS:
        if any(pattern.fullmatch(name) for name in names):
            return media_type
    return None


def look_into_zip(path: Path, settings: IngestSettings, extension: str) -> Found:
    """The format of a zip archive.

    Raises:
        CorruptDocument, TooLarge, UnsupportedFormat: it is none that can be read.
    """
    names = list_members(path, settings)
    media_type = ooxml_type(names)
    if media_type == formats.PPTX:
        slides = sum(bool(re.fullmatch(r"ppt/slides/slide\d+\.xml", name)) for name in names)
        return Found(media_type, page_count=slides)
    if media_type is not None:
        return Found(media_type)
    if any(name.endswith("xl/workbook.bin") for name in names):
        return Found(formats.XLSX, convert_from=".xlsb")
    kind = _mimetype(path) if "mimetype" in names else ""
    if "META-INF/container.xml" in names or kind == formats.EPUB:
        if "META-INF/rights.xml" in names or "META-INF/license.lcpl" in names:
            raise unsupported(
                "有版权保护（DRM）的 EPUB 电子书", "an EPUB book with copy protection",
                "请使用没有版权保护的版本。", "Use a version without copy protection.", extension,
            )  # fmt: skip
        return Found(formats.EPUB)
    for prefix, old in _OPEN_DOCUMENT:
        if kind.startswith(prefix):
            encrypted = _encrypted_open_document(path)
            return Found(formats.CONVERTIBLE[old][0], encrypted, convert_from=old)
    if "OFD.xml" in names:
        raise unsupported("OFD 版式文件", "an OFD document", *AS_PDF, extension)
    if any(name.endswith(".iwa") for name in names):
        raise unsupported("苹果 iWork 文档", "an Apple iWork document", *AS_PDF, extension)
    if extension in _OFFICE_EXTENSIONS and (not names or "[Content_Types].xml" in names):
        raise damaged("the main part is missing")
    raise unsupported("ZIP 压缩包", "a ZIP archive", *_TAKE_OUT, extension)


def look_into_ole(path: Path, extension: str) -> Found:
    """The format of an OLE container: encrypted Office, old Office or Outlook mail.

    Raises:
        UnsupportedFormat: it is none that can be read.
    """
    streams = _ole_streams(path)
    if "EncryptedPackage" in streams:
        # What is inside is only known after decryption; the name is the best guess.
        kind = {".docx": formats.DOCX, ".docm": formats.DOCX, ".doc": formats.DOCX,
                ".pptx": formats.PPTX, ".pptm": formats.PPTX, ".ppt": formats.PPTX}  # fmt: skip
        return Found(kind.get(extension, formats.XLSX), encrypted=True)
    for stream, old in _OLE_STREAMS:
        if stream in streams:
            return Found(formats.CONVERTIBLE[old][0], _encrypted_ole(path), convert_from=old)
    if "__properties_version1.0" in streams:
        return Found(formats.MSG)
    raise unsupported(
        "旧版 Office 文件", "an old Office file",
        "请用 Office 或 WPS 另存为 .docx、.xlsx 或 .pptx 后重新上传。",
        "Save it as .docx, .xlsx or .pptx in Office or WPS and upload that.", extension,
    )  # fmt: skip


def look_into_image(path: Path) -> Found:
    """The format of a picture, and its pages (more than one in a TIFF only).

    Raises:
        CorruptDocument: it cannot be opened.
        TooLarge: it has too many pixels.
    """
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            # Pillow opens MPO as JPEG and knows no opener of that name.
            known = [name for name in _IMAGE_TYPES if name != "MPO"]
            with Image.open(path, formats=known) as image:
                width, height = image.size
                media_type = _IMAGE_TYPES[image.format or ""]
                pages = int(getattr(image, "n_frames", 1)) if media_type == formats.TIFF else 1
    except Image.DecompressionBombError as error:
        raise _too_many_pixels(str(error)) from error
    except Exception as error:  # damaged pictures raise whatever their decoder stumbles over
        raise damaged_picture(f"{type(error).__name__}: {error}") from error
    if width * height > _MAX_PIXELS:
        raise _too_many_pixels(f"{width}x{height}")
    return Found(media_type, page_count=pages)


def damaged_picture(detail: str) -> CorruptDocument:
    """The error for a picture that cannot be opened."""
    return CorruptDocument(
        "图片已损坏，无法打开。",
        "请用看图软件打开并另存为 PNG 或 JPEG，再重新上传；打不开时请重新获取原图。",
        message_en="The picture is damaged and cannot be opened.",
        remedy_en="Open it in an image viewer and save it as PNG or JPEG, then upload that; "
        "if it doesn't open there, get the original again.",
        detail=detail,
    )


def _too_many_pixels(detail: str) -> TooLarge:
    return TooLarge(
        f"图片超过 {_MAX_PIXELS // 1_000_000} 百万像素，没有打开。",
        "请缩小或裁成几张后重新上传。",
        message_en=f"The picture has more than {_MAX_PIXELS // 1_000_000} megapixels and was "
        "not opened.",
        remedy_en="Scale it down or cut it into several and upload those.",
        detail=detail,
    )


def _mimetype(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive, archive.open("mimetype") as member:
            return member.read(200).decode("ascii", "replace").strip()
    except Exception as error:  # zipfile lets zlib, struct and runtime errors through
        raise damaged(f"mimetype: {error}") from error


def _encrypted_open_document(path: Path) -> bool:
    try:
        with (
            zipfile.ZipFile(path) as archive,
            archive.open("META-INF/manifest.xml") as member,
        ):
            return b"encryption-data" in member.read(1 << 20)
    except Exception:
        return False


def _ole_streams(path: Path) -> set[str]:
    """Names of the streams and storages at the top of an OLE container."""
    olefile: Any = importlib.import_module("olefile")
    try:
        with olefile.OleFileIO(str(path)) as container:
            return {entry[0] for entry in container.listdir(streams=True, storages=True)}
    except Exception:  # a damaged directory; its entries may still be found by their names
        raw = path.read_bytes()
        known = ("EncryptedPackage", "__properties_version1.0", *(s for s, _ in _OLE_STREAMS))
        return {name for name in known if (name + "\0").encode("utf-16-le") in raw}


def _encrypted_ole(path: Path) -> bool:
    """Whether an old Office file needs a password."""
    try:
        msoffcrypto: Any = importlib.import_module("msoffcrypto")
        with path.open("rb") as file:
            return bool(msoffcrypto.OfficeFile(file).is_encrypted())
    except Exception:  # unknown variants; the converter will find out
        return False
