"""The quality gate between cleaning and chunking: no document without text goes on.

A document that was "indexed" with nothing in it looks like success and answers nothing, so
it fails here, and the message names the reason.
"""

from __future__ import annotations

from rag.errors import DocumentError, EmptyDocument, UnsupportedFormat
from rag.types import Document


def require_text(document: Document) -> None:
    """Let a document with text pass.

    Raises:
        EmptyDocument: there is no text: only white space, or only scanned pages.
        UnsupportedFormat: there is text, but all of it is garbled.
        CorruptDocument: the file is damaged, and nothing of it could be saved.
    """
    if any(block.text.strip() for block in document.blocks):
        return
    raise _reason(document)


def _reason(document: Document) -> DocumentError:
    flags = {flag for page in document.pages for flag in page.flags}
    count = len(document.pages)
    if "garbled" in flags:
        return UnsupportedFormat(
            "PDF 的文字编码异常，提取出来的是乱码，没有收录。",
            "请用原始的 Word 文件，或重新导出（嵌入字体）的 PDF。",
            message_en="The PDF's text is garbled (broken font encoding) and was not indexed.",
            remedy_en="Use the original Word file, or export the PDF again with embedded fonts.",
        )
    if flags & {"no_text", "image_text"}:
        return EmptyDocument(
            f"文档没有文字层：{count} 页都是扫描件或图片，无法提取文字。",
            "请先用 OCR 软件转换成带文字的 PDF，再重新上传。",
            message_en=f"The document has no text layer: its {count} pages are scans or pictures.",
            remedy_en="Convert it with OCR software to a PDF with text and upload that.",
        )
    if "invisible_text" in flags:
        return EmptyDocument(
            "文档里只有不可见的文字，没有收录。",
            "请打开核对内容，换用文字可见的文件。",
            message_en="The document holds only invisible text, which is not indexed.",
            remedy_en="Look at its content and use a file whose text can be seen.",
        )
    if "failed_page" in flags or "repaired" in document.flags:
        from rag.ingest.mupdf import damaged_pdf

        return damaged_pdf("no text could be read")
    return EmptyDocument(
        "文档里没有文字内容（只有空白）。",
        "请确认选对了文件；内容是图片时请换用带文字的文档。",
        message_en="There is no text in the document, only white space.",
        remedy_en="Make sure that it is the right file; pictures of text cannot be read.",
    )
