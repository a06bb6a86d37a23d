"""The one door to PyMuPDF: its lock and the opening of PDFs.

MuPDF's Python binding must not be used from two threads at once, and both ingestion workers
and the pages (which render cited pages) use it.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

from rag.errors import CorruptDocument, EncryptedDocument

LOCK = threading.RLock()
"""Held around every call into PyMuPDF; release it between pages."""


def pymupdf() -> ModuleType:
    """The module, imported on first use and told not to print its complaints."""
    with LOCK:
        # Its table finder prints an advertisement to standard output unless told not to.
        os.environ["PYMUPDF_SUGGEST_LAYOUT_ANALYZER"] = "0"
        import pymupdf as module

        module.TOOLS.mupdf_display_errors(False)
        module.TOOLS.mupdf_display_warnings(False)
        return module


def open_pdf(path: Path, password: str | None = None) -> Any:
    """A `pymupdf.Document` that is open and decrypted. Use it, and close it, under `LOCK`.

    Raises:
        CorruptDocument: it cannot be opened or has no pages.
        EncryptedDocument: the password is missing or wrong.
    """
    document = open_maybe_encrypted(path)
    if document.needs_pass and not document.authenticate(password or ""):
        document.close()
        raise wrong_password(given=bool(password))
    try:
        pages = int(document.page_count)
    except (RuntimeError, ValueError) as error:  # a page tree that MuPDF cannot count
        document.close()
        raise damaged_pdf(str(error)) from error
    if pages == 0:
        document.close()
        raise damaged_pdf("no pages")
    return document


def open_maybe_encrypted(path: Path) -> Any:
    """A `pymupdf.Document` that may still need its password."""
    module = pymupdf()
    try:
        return module.open(path, filetype="pdf")
    except (RuntimeError, ValueError) as error:
        raise damaged_pdf(str(error)) from error


def damaged_pdf(detail: str) -> CorruptDocument:
    """The error for a PDF that cannot be opened."""
    return CorruptDocument(
        "PDF 文件已损坏，无法打开。",
        "请用 PDF 阅读器打开并另存一份，再重新上传；打不开时请向提供者重新索取。",
        message_en="The PDF is damaged and cannot be opened.",
        remedy_en="Open it in a PDF reader and save a copy, then upload that; "
        "if it doesn't open there, ask for the file again.",
        detail=detail,
    )


def wrong_password(*, given: bool) -> EncryptedDocument:
    """The error for a file whose password is missing (or wrong, when one was given)."""
    if given:
        return EncryptedDocument(
            "密码不正确，文件没有打开。",
            "请核对密码后重试。",
            message_en="The password is wrong; the file was not opened.",
            remedy_en="Check the password and try again.",
        )
    return EncryptedDocument(
        "文件有密码保护，需要密码才能读取。",
        "请在文档页面输入密码后重试，或上传取消密码后的文件。",
        message_en="The file is protected; a password is needed to read it.",
        remedy_en="Enter the password on the documents page, or upload it without a password.",
    )
