"""Mail (EML, MSG): subject, sender and date, the text with its quoted history once, and the
attachments that we can read."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from rag.errors import CorruptDocument, DocumentError
from rag.ingest.parse.mail_eml import read_eml
from rag.ingest.parse.mail_history import with_history
from rag.ingest.parse.mail_value import Attachment, Mail
from rag.settings import IngestSettings
from rag.types import Block, Page

_log = logging.getLogger(__name__)

_MAX_DEPTH = 2
"""How deep attachments are opened: a mail in a mail, and what is attached to that."""

_MAX_ATTACHMENTS = 100
"""Attachments of one mail that are opened. Both chosen by us."""

_LONGER = 1.5
"""A plain text so much longer than the HTML beside it says more, and is taken."""

_UNREAD, _NESTED, _BETWEEN = "attachments_unread", "nested_unread", "、"
"""Flags of what was left out, and the mark between the names behind them."""

_depth: ContextVar[int] = ContextVar("mail_depth", default=0)

ParsedMail = tuple[tuple[Page, ...], str | None, dict[str, Any], tuple[str, ...]]
"""Pages, subject, metadata by the names of `rag.ingest.metadata`, flags."""


@dataclass
class _Left:
    """Names of what a mail and those in it hold and nobody reads, in order of their finding."""

    unread: dict[str, None] = field(default_factory=dict)
    nested: dict[str, None] = field(default_factory=dict)

    def add(self, flags: Sequence[str]) -> None:
        """Take over what the flags of an attachment name."""
        for flag in flags:
            code, _, value = flag.partition(":")
            kind = {_UNREAD: self.unread, _NESTED: self.nested}.get(code)
            if kind is not None:
                kind.update(dict.fromkeys(value.split(_BETWEEN)))

    @property
    def flags(self) -> list[str]:
        kinds = ((_UNREAD, self.unread), (_NESTED, self.nested))
        return [f"{code}:{_BETWEEN.join(names)}" for code, names in kinds if names]


def parse_eml(path: Path, settings: IngestSettings) -> ParsedMail:
    """A mail in the form of RFC 5322, or a web page saved as MHTML.

    The first page is the mail itself; the pages of each attachment follow. Flags:
    `attachments_unread:<names>`, `nested_unread:<names>` for what lies deeper than attachments
    are opened, and `quotes_merged`; what attached mails lack is named too.

    Raises:
        CorruptDocument: there is neither a header nor a text.
    """
    mail = read_eml(path.read_bytes())
    if mail.web_page is not None:
        from rag.ingest.parse.html import parse_html

        pages, title = parse_html(mail.web_page)
        source = {"source": mail.address} if mail.address else {}
        return pages, title or mail.subject or None, source, ()
    return _parse(mail, settings)


def parse_msg(path: Path, settings: IngestSettings) -> ParsedMail:
    """A mail as Outlook saves it; the rest as for `parse_eml`.

    Raises:
        CorruptDocument: the container is damaged.
    """
    from rag.ingest.parse.mail_msg import read_msg

    return _parse(read_msg(path), settings)


def _parse(mail: Mail, settings: IngestSettings) -> ParsedMail:
    blocks, merged = _own_blocks(mail, settings)
    pages: list[Page] = []
    left = _Left()
    later: list[Page] = []
    for number, attachment in enumerate(mail.attachments):
        if _depth.get() >= _MAX_DEPTH:
            left.nested[attachment.name] = None
            continue
        found = _attached(attachment, settings, left) if number < _MAX_ATTACHMENTS else None
        if found is None:
            left.unread[attachment.name] = None
        else:
            later.extend(found)
    if mail.cut:
        left.nested[mail.subject or "邮件"] = None
    if not blocks and not later:
        raise CorruptDocument(
            "邮件里没有可读的内容。",
            "请在邮件程序里打开核对，再另存为 EML 或 MSG 后重新上传。",
            message_en="There is nothing to read in the mail.",
            remedy_en="Open it in a mail program, save it as EML or MSG again and upload that.",
        )
    pages.append(Page(number=1, blocks=tuple(blocks)))
    for number, page in enumerate(later, start=2):
        moved = tuple(block.model_copy(update={"page": number}) for block in page.blocks)
        pages.append(page.model_copy(update={"number": number, "blocks": moved}))
    flags = left.flags
    if merged:
        flags.append("quotes_merged")
    return tuple(pages), mail.subject or None, _metadata(mail), tuple(flags)


def _own_blocks(mail: Mail, settings: IngestSettings) -> tuple[list[Block], bool]:
    """The mail without its attachments, and whether repeated quotes were left out."""
    blocks: list[Block] = []
    if mail.subject:
        blocks.append(Block(kind="heading", text=mail.subject, level=1))
    facts = [
        f"{name}：{value}"
        for name, value in (
            ("发件人", mail.sender),
            ("收件人", mail.to),
            ("抄送", mail.cc),
            ("日期", f"{mail.date:%Y-%m-%d %H:%M}" if mail.date else ""),
        )
        if value
    ]
    if facts:
        blocks.append(Block(kind="paragraph", text="\n".join(facts)))
    body, merged = with_history(_body(mail))
    blocks.extend(body)
    for picture in mail.pictures:
        from rag.ingest.ocr import read_picture

        blocks.extend(read_picture(picture, settings))
    names = [attachment.name for attachment in mail.attachments]
    if names:
        blocks.append(Block(kind="paragraph", text=f"附件：{'、'.join(names)}"))
    return blocks, merged


def _body(mail: Mail) -> list[Block]:
    from rag.ingest.parse.html import html_fragment_blocks
    from rag.ingest.parse.text import parse_text

    html = html_fragment_blocks(mail.html) if mail.html.strip() else []
    length = sum(len("".join(block.text.split())) for block in html)
    if html and len("".join(mail.text.split())) <= length * _LONGER + 40:
        return html
    return list(parse_text(mail.text, titled=False)[0].blocks)


def _attached(attachment: Attachment, settings: IngestSettings, left: _Left) -> list[Page] | None:
    """The pages of an attachment under a heading with its name, or None if it can't be read.
    What it leaves unread itself is added to `left`."""
    token = _depth.set(_depth.get() + 1)
    try:
        if attachment.mail is not None:
            pages: Sequence[Page]
            pages, _, _, flags = _parse(attachment.mail, settings)
        else:
            pages, flags = _parse_file(attachment, settings)
    except (DocumentError, OSError, ImportError) as error:
        _log.info("attachment left out: %s", type(error).__name__)
        return None
    finally:
        _depth.reset(token)
    left.add(flags)
    if not any(page.blocks for page in pages):
        return None
    return list(_headed(attachment.name, pages))


def _parse_file(
    attachment: Attachment, settings: IngestSettings
) -> tuple[Sequence[Page], tuple[str, ...]]:
    from rag.ingest.inspect import inspect
    from rag.ingest.parse import parse

    name = PurePosixPath(attachment.name.replace("\\", "/")).name or "attachment"
    with tempfile.TemporaryDirectory(prefix="zhiwen-") as folder:
        path = Path(folder) / "attachment"
        path.write_bytes(attachment.data)
        inspection = inspect(path, settings, name=name)
        document = parse(path, inspection, name=name, settings=settings)
        return document.pages, document.flags


def _headed(name: str, pages: Sequence[Page]) -> Iterator[Page]:
    """The pages with a heading before them and their own headings one level lower. Boxes are
    dropped: the page that they are on can't be shown from within a mail."""
    head = Block(kind="heading", text=f"附件：{name}", level=1)
    for position, page in enumerate(pages):
        blocks = tuple(
            block.model_copy(
                update={"bbox": None, "level": None if block.level is None else block.level + 1}
            )
            for block in page.blocks
        )
        yield page.model_copy(update={"blocks": (head, *blocks) if position == 0 else blocks})


def _metadata(mail: Mail) -> dict[str, Any]:
    values: dict[str, Any] = {
        "title": mail.subject,
        "author": mail.sender,
        "publish_date": mail.date.date() if mail.date else None,
        "收件人": mail.to,
        "抄送": mail.cc,
    }
    return {name: value for name, value in values.items() if value}
