"""Reads mail in the form of RFC 5322 and MIME, as tolerant as mail programs are."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime

from rag.ingest.encoding import decode
from rag.ingest.parse.mail_value import Attachment, Mail, one_line

_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932"}
"""Charsets that mails name, and what their senders mean."""

_MAX_DEPTH = 30
"""Parts nested deeper are left out; chosen by us."""

_SPLIT_WORDS = re.compile(r"(\?=)\s*(=\?)")
_FLOWED = re.compile(r" \r?\n(?=[^>\s])")


@dataclass
class _Parts:
    """What a walk through the parts has found."""

    texts: list[str] = field(default_factory=list)
    htmls: list[str] = field(default_factory=list)
    pictures: list[bytes] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    cut: bool = False


def read_eml(raw: bytes) -> Mail:
    """The mail in these bytes; fields that are missing or damaged stay empty."""
    # Byte order marks and the line "From " of mailboxes are no headers.
    raw = raw.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    if raw[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raw = raw.decode("utf-16", "replace").encode()
    return _read(message_from_bytes(raw), 0)


def _read(message: Message, depth: int) -> Mail:
    parts = _Parts()
    _collect(message, parts, depth)
    html = "\n".join(parts.htmls)
    address = one_line(str(message.get("Snapshot-Content-Location") or ""))
    if (
        html
        and message.get("From") in (None, "<Saved by Blink>")
        and (address or message.get_content_type() == "multipart/related")
    ):
        return Mail(web_page=html, address=address, subject=_header(message, "Subject"))
    return Mail(
        subject=_header(message, "Subject"),
        sender=_header(message, "From"),
        to=_header(message, "To"),
        cc=_header(message, "Cc"),
        date=_date(message),
        text="\n\n".join(parts.texts),
        html=html,
        pictures=tuple(parts.pictures),
        attachments=tuple(parts.attachments),
        cut=parts.cut,
    )


def _collect(part: Message, found: _Parts, depth: int) -> None:
    if depth > _MAX_DEPTH:
        found.cut = True
        return
    kind = part.get_content_type()
    payload = part.get_payload()
    name = _file_name(part)
    if kind == "message/rfc822" and isinstance(payload, list) and payload:
        inner = payload[0]
        if isinstance(inner, Message):
            mail = _read(inner, depth + 1)
            found.attachments.append(Attachment(name or f"{mail.subject or '邮件'}.eml", mail=mail))
        return
    if part.is_multipart() and isinstance(payload, list):
        for child in payload:
            if isinstance(child, Message):
                _collect(child, found, depth + 1)
        return
    data = part.get_payload(decode=True)
    data = data if isinstance(data, bytes) else b""
    attached = part.get_content_disposition() == "attachment"
    if kind in ("text/plain", "text/html") and not attached and not name:
        text = _text(data, part.get_content_charset())
        if kind == "text/html":
            found.htmls.append(text)
        else:
            found.texts.append(_FLOWED.sub(" ", text) if _is_flowed(part) else text)
    elif kind.startswith("image/") and not attached and (part.get("Content-ID") or not name):
        found.pictures.append(data)
    elif data and kind != "application/pgp-signature":
        found.attachments.append(Attachment(name or f"附件{_extension(kind)}", data))


def _text(raw: bytes, charset: str | None) -> str:
    if charset is not None:
        try:
            name = codecs.lookup(charset.strip("\"' ")).name
            return raw.decode(_SUPERSETS.get(name, name))
        except (LookupError, UnicodeDecodeError):
            pass  # wrong or unknown: the bytes themselves tell better
    decoded = decode(raw)
    return decoded.text if decoded is not None else raw.decode("utf-8", "replace")


def _header(message: Message, name: str) -> str:
    # get() would already have replaced the bytes of headers that aren't ASCII.
    raw = (value for key, value in message.raw_items() if key.lower() == name.lower())
    return _decoded(next(raw, None))


def _decoded(value: object) -> str:
    """A header's text: encoded words decoded, raw bytes by their likeliest encoding."""
    if value is None:
        return ""
    text = str(value) if not isinstance(value, str) else value
    try:
        raw = text.encode("ascii", "surrogateescape")
    except UnicodeEncodeError:
        raw = text.encode("utf-8", "surrogateescape")
    if b"=?" not in raw:
        decoded = decode(raw) if not raw.isascii() else None
        return one_line(decoded.text if decoded is not None else raw.decode("utf-8", "replace"))
    try:
        chunks = decode_header(_SPLIT_WORDS.sub(r"\1 \2", raw.decode("ascii", "replace")))
    except (HeaderParseError, ValueError):
        return one_line(text)
    words = [
        chunk if isinstance(chunk, str) else _text(chunk, charset) for chunk, charset in chunks
    ]
    return one_line("".join(words))


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename()
    except (LookupError, ValueError):
        name = None
    return _decoded(name)


def _date(message: Message) -> datetime | None:
    try:
        return parsedate_to_datetime(str(message.get("Date") or ""))
    except (ValueError, TypeError, IndexError):
        return None


def _is_flowed(part: Message) -> bool:
    return str(part.get_param("format") or "").lower() == "flowed"


def _extension(kind: str) -> str:
    import mimetypes

    return mimetypes.guess_extension(kind) or ""
