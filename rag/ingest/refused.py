"""Formats that we know and don't read, and the errors that name them: part of inspect."""

from __future__ import annotations

from rag.errors import TooLarge, UnsupportedFormat
from rag.ingest.formats import (
    ACCEPTED,
    ACCEPTED_EN,
    CODE_EXTENSIONS,
    CONVERTIBLE,
    EXTENSIONS,
    TEXT_TYPES,
)

_TAKE_OUT = ("请解压后上传其中的文档。", "Unpack it and upload the documents in it.")
OTHER = (
    f"请转换成以下格式之一后重新上传：{ACCEPTED}。",
    f"Convert it to one of these and upload that: {ACCEPTED_EN}.",
)
"""What to do with a format for which there is no better advice."""

_AS_JPEG = ("请另存为 JPEG 或 PNG 后重新上传。", "Save it as JPEG or PNG and upload that.")
AS_PDF = ("请导出为 PDF 后重新上传。", "Export it as PDF and upload that.")
"""What to do with a document of a program that we don't know."""

_SIGNATURES: tuple[tuple[int, bytes, str, str, tuple[str, str]], ...] = (
    (0, b"Rar!", "RAR 压缩包", "a RAR archive", _TAKE_OUT),
    (0, b"7z\xbc\xaf\x27\x1c", "7z 压缩包", "a 7z archive", _TAKE_OUT),
    (0, b"\x1f\x8b", "gzip 压缩文件", "a gzip file", _TAKE_OUT),
    (0, b"BZh", "bzip2 压缩文件", "a bzip2 file", _TAKE_OUT),
    (0, b"\xfd7zXZ\x00", "xz 压缩文件", "an xz file", _TAKE_OUT),
    (257, b"ustar", "tar 压缩包", "a tar archive", _TAKE_OUT),
    (0, b"MZ", "Windows 程序", "a Windows program", OTHER),
    (0, b"\x7fELF", "Linux 程序", "a Linux program", OTHER),
    (0, b"SQLite format 3\x00", "SQLite 数据库", "an SQLite database", OTHER),
    (0, b"ID3", "音频文件", "an audio file", OTHER),
    (0, b"OggS", "音频文件", "an audio file", OTHER),
    (0, b"fLaC", "音频文件", "an audio file", OTHER),
    (8, b"WAVE", "音频文件", "an audio file", OTHER),
    (8, b"AVI ", "视频文件", "a video file", OTHER),
    (0, b"\x1aE\xdf\xa3", "视频文件", "a video file", OTHER),
    (4, b"ftyphei", "HEIC 图片", "a HEIC picture", _AS_JPEG),
    (4, b"ftypmif1", "HEIC 图片", "a HEIC picture", _AS_JPEG),
    (4, b"ftypavif", "AVIF 图片", "an AVIF picture", _AS_JPEG),
    (4, b"ftyp", "音视频文件", "a video or audio file", OTHER),
    (0, b"8BPS", "Photoshop 图片", "a Photoshop picture", _AS_JPEG),
    (0, b"\x00\x00\x00\x0cjP  ", "JPEG 2000 图片", "a JPEG 2000 picture", _AS_JPEG),
    (40, b" EMF", "EMF 图片", "an EMF picture", _AS_JPEG),
    (0, b"\xd7\xcd\xc6\x9a", "WMF 图片", "a WMF picture", _AS_JPEG),
    (0, b"AC10", "CAD 图纸", "a CAD drawing", AS_PDF),
    (0, b"AT&TFORM", "DjVu 文档", "a DjVu document", AS_PDF),
    (0, b"%!PS", "PostScript 文件", "a PostScript file", AS_PDF),
    (0, b"CAJ\x00", "知网 CAJ 文档", "a CAJ document", AS_PDF),
    (0, b"HN\x00\x00", "知网 CAJ 文档", "a CAJ document", AS_PDF),
    (60, b"BOOKMOBI", "MOBI 电子书", "a MOBI book", OTHER),
)
"""Offset, signature, names, and what to do; the earlier of two that fit wins."""


def refuse_known(head: bytes, extension: str) -> None:
    """Let a file pass unless its beginning is that of a format that we know and don't read.

    Raises:
        UnsupportedFormat: with the format's name and what to do.
    """
    for offset, signature, what, what_en, remedy in _SIGNATURES:
        if not head.startswith(signature, offset):
            continue
        if len(signature) <= 4 and b"\x00" not in head[:512]:
            continue  # a text may well begin with "MZ" or "AC10"
        raise unsupported(what, what_en, *remedy, extension)


def unsupported(
    what: str, what_en: str, remedy: str, remedy_en: str, extension: str = ""
) -> UnsupportedFormat:
    """The error that names the real format, and the extension when that says otherwise."""
    blank = " " if what[:1].isascii() else ""
    claims = claims_format(extension)
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


def unconverted(old: str, extension: str = "") -> UnsupportedFormat:
    """The error for a format of `CONVERTIBLE` where nothing is installed to convert it."""
    target, what, what_en = CONVERTIBLE[old]
    new = EXTENSIONS[target]
    return unsupported(
        what,
        what_en,
        f"请用 Office 或 WPS 另存为 {new} 后重新上传；服务器上装有 LibreOffice 时可以直接读取。",
        f"Save it as {new} in Office or WPS and upload that; with LibreOffice installed on the "
        "server it can be read as it is.",
        "" if extension == old else extension,
    )


def claims_format(extension: str) -> bool:
    """Whether an extension (with its dot) says that a file has a format that we read."""
    return (
        extension in EXTENSIONS.values()
        or extension in TEXT_TYPES
        or (extension in CODE_EXTENSIONS)
    )


def too_many_pages(pages: int, limit: int) -> TooLarge:
    """The error for a document with more pages than the settings allow."""
    return TooLarge(
        f"文档有 {pages} 页，超过上限 {limit} 页。",
        "请拆分后上传，或请管理员在设置里调高上限。",
        message_en=f"The document has {pages} pages, more than the limit of {limit}.",
        remedy_en="Split it, or ask the administrator to raise the limit.",
    )
