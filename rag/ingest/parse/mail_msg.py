"""Reads mail as Outlook saves it: an OLE container with one stream for each property."""

from __future__ import annotations

import importlib
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rag.errors import CorruptDocument
from rag.ingest.encoding import decode
from rag.ingest.parse.mail_value import Attachment, Mail, one_line

Place = tuple[str, ...]
"""Names of the storages that lead to a mail or an attachment."""

_SUBJECT, _BODY, _HTML = 0x0037, 0x1000, 0x1013
_SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP = 0x0C1A, 0x0C1F, 0x5D01
_TO, _CC = 0x0E04, 0x0E03
_SENT, _DELIVERED = 0x0039, 0x0E06
_MESSAGE_CODEPAGE, _INTERNET_CODEPAGE = 0x3FFD, 0x3FDE
_DATA, _LONG_NAME, _SHORT_NAME, _DISPLAY_NAME, _CONTENT_ID = 0x3701, 0x3707, 0x3704, 0x3001, 0x3712
"""Property numbers of [MS-OXPROPS]."""

_CODEPAGES = {
    936: "gb18030", 54936: "gb18030", 950: "big5hkscs", 932: "cp932", 949: "cp949",
    65001: "utf-8", 20127: "ascii", 51932: "euc-jp", 50220: "iso2022_jp", 52936: "hz",
}  # fmt: skip

_BROKEN = (
    OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, MemoryError,
    RecursionError, struct.error,
)  # fmt: skip
"""What damaged containers make the library raise (a wild sector size asks for gigabytes)."""

_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_MAX_DEPTH = 5
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM")


def read_msg(path: Path) -> Mail:
    """The mail in this file; properties that are missing or damaged stay empty.

    Raises:
        CorruptDocument: the container is damaged.
    """
    olefile: Any = importlib.import_module("olefile")
    try:
        with olefile.OleFileIO(str(path)) as ole:
            return _read(ole, (), 0)
    except _BROKEN as error:
        raise CorruptDocument(
            "Outlook 邮件（.msg）已损坏，无法读取。",
            "请在 Outlook 里打开核对，再另存为 MSG 后重新上传。",
            message_en="The Outlook mail (.msg) is damaged and cannot be read.",
            remedy_en="Open it in Outlook, save it as MSG again and upload that.",
            detail=f"{type(error).__name__}: {error}",
        ) from error


def _read(ole: Any, place: Place, depth: int) -> Mail:
    fixed = _fixed(ole, place, 32 if depth == 0 else 24)
    name = one_line(_text(ole, place, _SENDER_NAME, fixed))
    address = _text(ole, place, _SENDER_SMTP, fixed) or _text(ole, place, _SENDER_ADDRESS, fixed)
    address = one_line(address) if "@" in address and address.strip() != name else ""
    pictures: list[bytes] = []
    attachments: list[Attachment] = []
    for storage in _storages(ole, place, "__attach_version1.0_"):
        found = _attachment(ole, storage, depth)
        if isinstance(found, Attachment):
            attachments.append(found)
        elif found:
            pictures.append(found)
    return Mail(
        subject=one_line(_text(ole, place, _SUBJECT, fixed)),
        sender=f"{name} <{address}>" if name and address else name or address,
        to=one_line(_text(ole, place, _TO, fixed)),
        cc=one_line(_text(ole, place, _CC, fixed)),
        date=_time(fixed.get(_SENT) or fixed.get(_DELIVERED)),
        text=_text(ole, place, _BODY, fixed),
        html=_html(ole, place, fixed),
        pictures=tuple(pictures),
        attachments=tuple(attachments),
    )


def _attachment(ole: Any, place: Place, depth: int) -> Attachment | bytes | None:
    """A file or mail, or the bytes of a picture within the text."""
    fixed = _fixed(ole, place, 8)
    names = (_text(ole, place, pid, fixed) for pid in (_LONG_NAME, _SHORT_NAME, _DISPLAY_NAME))
    name = one_line(next((name for name in names if name.strip()), ""))
    inner = (*place, f"__substg1.0_{_DATA:04X}000D")
    if ole.exists([*inner, "__properties_version1.0"]):
        if depth >= _MAX_DEPTH:
            return None
        mail = _read(ole, inner, depth + 1)
        return Attachment(name or f"{mail.subject or '邮件'}.msg", mail=mail)
    data = _stream(ole, place, _DATA, 0x0102)
    if data is None:
        return Attachment(name) if name else None
    if _text(ole, place, _CONTENT_ID, fixed) and data.startswith(_PICTURES):
        return data
    return Attachment(name or "附件", data)


def _html(ole: Any, place: Place, fixed: dict[int, bytes]) -> str:
    raw = _stream(ole, place, _HTML, 0x0102)
    if raw is None:
        return _text(ole, place, _HTML, fixed)
    return _decoded(raw, _codepage(fixed, _INTERNET_CODEPAGE))


def _text(ole: Any, place: Place, pid: int, fixed: dict[int, bytes]) -> str:
    """A text property, Unicode or in the message's code page; empty without any."""
    raw = _stream(ole, place, pid, 0x001F)
    if raw is not None:
        return raw[: len(raw) // 2 * 2].decode("utf-16-le", "replace").rstrip("\0")
    raw = _stream(ole, place, pid, 0x001E)
    if raw is None:
        return ""
    pages = [_MESSAGE_CODEPAGE, _INTERNET_CODEPAGE]
    encoding = next((e for p in pages if (e := _codepage(fixed, p))), None)
    return _decoded(raw.rstrip(b"\0"), encoding)


def _decoded(raw: bytes, encoding: str | None) -> str:
    if encoding is not None:
        try:
            return raw.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            pass  # a wrong code page: the bytes themselves tell better
    found = decode(raw)
    return found.text if found is not None else raw.decode("utf-8", "replace")


def _codepage(fixed: dict[int, bytes], pid: int) -> str | None:
    value = fixed.get(pid)
    if value is None:
        return None
    number = struct.unpack("<I", value[:4])[0]
    return _CODEPAGES.get(number) or (f"cp{number}" if 1250 <= number <= 1258 else None)


def _time(value: bytes | None) -> datetime | None:
    """A moment, given in steps of 100 ns since 1601."""
    if value is None:
        return None
    try:
        return _EPOCH + timedelta(microseconds=struct.unpack("<Q", value)[0] // 10)
    except OverflowError:
        return None


def _fixed(ole: Any, place: Place, header: int) -> dict[int, bytes]:
    """The 8 bytes of each property, by number."""
    name = [*place, "__properties_version1.0"]
    if not ole.exists(name):
        return {}
    raw = ole.openstream(name).read()[header:]
    return {
        struct.unpack("<H", raw[at + 2 : at + 4])[0]: raw[at + 8 : at + 16]
        for at in range(0, len(raw) - 15, 16)
    }


def _stream(ole: Any, place: Place, pid: int, kind: int) -> bytes | None:
    name = [*place, f"__substg1.0_{pid:04X}{kind:04X}"]
    if not ole.exists(name) or ole.get_type(name) != 2:
        return None
    data: bytes = ole.openstream(name).read()
    return data


def _storages(ole: Any, place: Place, prefix: str) -> list[Place]:
    depth = len(place)
    found = {
        tuple(entry[: depth + 1])
        for entry in ole.listdir(streams=True, storages=True)
        if tuple(entry[:depth]) == place
        and len(entry) > depth + 1
        and entry[depth].startswith(prefix)
    }
    return sorted(found)
