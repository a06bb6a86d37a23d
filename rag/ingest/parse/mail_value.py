"""A mail as both formats give it, before it becomes blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class Attachment:
    """A file, or (`mail`) a whole mail, that came with a mail."""

    name: str
    data: bytes = b""
    mail: Mail | None = None


@dataclass(frozen=True)
class Mail:
    """What a mail holds.

    `text` and `html` are two forms of the same body, either may be empty. `pictures` are
    those shown within the text. `web_page` is the page of an MHTML file, which is no mail,
    `address` where it was saved from. `cut` says that parts nested too deep were left out.
    """

    subject: str = ""
    sender: str = ""
    to: str = ""
    cc: str = ""
    date: datetime | None = None
    text: str = ""
    html: str = ""
    pictures: tuple[bytes, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    web_page: str | None = None
    address: str = ""
    cut: bool = False


def one_line(text: str) -> str:
    """A header's value on one line, without control characters."""
    return _SPACES.sub(" ", "".join(c for c in text if c.isprintable() or c.isspace())).strip()
