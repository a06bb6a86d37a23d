"""Opens password-protected office files, new and old: part of the parse step.

New ones are an OLE container around an encrypted zip archive, old ones encrypt their own
streams. `msoffcrypto` decrypts both; where it isn't installed, the message says how to remove
the password instead.
"""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from typing import IO

from rag.errors import EncryptedDocument
from rag.ingest.archive import list_members
from rag.ingest.formats import DOCX, PPTX
from rag.ingest.mupdf import wrong_password
from rag.settings import IngestSettings

_PROGRAMS = {DOCX: "Word", PPTX: "PowerPoint"}


def decrypt(
    path: Path, media_type: str, password: str | None, settings: IngestSettings
) -> IO[bytes]:
    """The decrypted file, in memory: a zip archive, or an OLE container for old formats.

    Raises:
        EncryptedDocument: the password is missing or wrong, or decryption isn't installed.
        TooLarge, CorruptDocument: what was inside it cannot be read.
    """
    if not password:
        raise wrong_password(given=False)
    try:
        msoffcrypto = importlib.import_module("msoffcrypto")
    except ImportError as error:
        program = f"{_PROGRAMS.get(media_type, 'Excel')} 或 WPS"
        raise EncryptedDocument(
            "文件有密码保护，本机没有安装 Office 解密组件。",
            f"请用 {program} 打开，取消密码后另存，再重新上传。",
            message_en="The file is protected and Office decryption isn't installed here.",
            remedy_en="Open it in Office or WPS, save it without a password and upload that.",
        ) from error
    plain = io.BytesIO()
    try:
        with path.open("rb") as file:
            office = msoffcrypto.OfficeFile(file)
            office.load_key(password=password)
            office.decrypt(plain)
    except Exception as error:  # the library raises bare Exception for a wrong password
        raise wrong_password(given=True) from error
    plain.seek(0)
    if plain.read(2) == b"PK":
        plain.seek(0)
        list_members(plain, settings)
    plain.seek(0)
    return plain


def protected_open_document() -> EncryptedDocument:
    """The error for a protected OpenDocument file, which can't be opened with a password."""
    return EncryptedDocument(
        "OpenDocument 文件有密码保护，无法直接读取。",
        "请用 LibreOffice 或 WPS 打开，取消密码后另存，再重新上传。",
        message_en="The OpenDocument file is protected and can't be read as it is.",
        remedy_en="Open it in LibreOffice or WPS, save it without a password and upload that.",
    )
