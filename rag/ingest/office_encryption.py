"""Opens password-protected DOCX and XLSX files: part of the parse step.

Such a file is an OLE container around an encrypted zip archive. `msoffcrypto` decrypts it;
where that isn't installed, the message says how to remove the password instead.
"""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from typing import IO

from rag.errors import EncryptedDocument
from rag.ingest.archive import list_members
from rag.ingest.inspect import DOCX
from rag.ingest.mupdf import wrong_password
from rag.settings import IngestSettings


def decrypt(
    path: Path, media_type: str, password: str | None, settings: IngestSettings
) -> IO[bytes]:
    """The decrypted file, in memory.

    Raises:
        EncryptedDocument: the password is missing or wrong, or decryption isn't installed.
        TooLarge, CorruptDocument: what was inside it cannot be read.
    """
    if not password:
        raise wrong_password(given=False)
    try:
        msoffcrypto = importlib.import_module("msoffcrypto")
    except ImportError as error:
        program = "Word 或 WPS" if media_type == DOCX else "Excel 或 WPS"
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
    list_members(plain, settings)
    plain.seek(0)
    return plain
