"""The formats that we read: media types, extensions and what people are told about them.

Part of the inspect step; `rag.ingest.inspect` finds out which of them a file is.
"""

from __future__ import annotations

_OOXML = "application/vnd.openxmlformats-officedocument."

PDF = "application/pdf"
DOCX = _OOXML + "wordprocessingml.document"
XLSX = _OOXML + "spreadsheetml.sheet"
PPTX = _OOXML + "presentationml.presentation"
HTML = "text/html"
MARKDOWN = "text/markdown"
TEXT = "text/plain"
CSV = "text/csv"
JSONL = "application/jsonl"
EPUB = "application/epub+zip"
EML = "message/rfc822"
MSG = "application/vnd.ms-outlook"
CODE = "text/x-source-code"
PNG = "image/png"
JPEG = "image/jpeg"
TIFF = "image/tiff"
BMP = "image/bmp"
WEBP = "image/webp"
GIF = "image/gif"

IMAGES = frozenset((PNG, JPEG, TIFF, BMP, WEBP, GIF))
"""Pictures, read by text recognition."""

OFFICE = frozenset((DOCX, XLSX, PPTX))
"""Formats that may be encrypted as a whole."""

EXTENSIONS: dict[str, str] = {
    PDF: ".pdf",
    DOCX: ".docx",
    XLSX: ".xlsx",
    PPTX: ".pptx",
    HTML: ".html",
    MARKDOWN: ".md",
    TEXT: ".txt",
    CSV: ".csv",
    JSONL: ".jsonl",
    EPUB: ".epub",
    EML: ".eml",
    MSG: ".msg",
    CODE: ".txt",
    PNG: ".png",
    JPEG: ".jpg",
    TIFF: ".tif",
    BMP: ".bmp",
    WEBP: ".webp",
    GIF: ".gif",
}
"""The formats that we read, with the usual extension of each; source code keeps its own."""

ACCEPTED = (
    "PDF、DOCX、PPTX、XLSX、CSV、HTML、Markdown、TXT、JSONL、EPUB、邮件（EML、MSG）、"
    "图片（PNG、JPEG、TIFF、BMP、WebP、GIF）、源代码"
)
"""The formats that we read, as people are told."""

ACCEPTED_EN = (
    "PDF, DOCX, PPTX, XLSX, CSV, HTML, Markdown, TXT, JSONL, EPUB, mail (EML, MSG), "
    "pictures (PNG, JPEG, TIFF, BMP, WebP, GIF), source code"
)
"""The same for the English interface."""

TEXT_TYPES: dict[str, str] = {
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".shtml": HTML,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdown": MARKDOWN,
    ".csv": CSV,
    ".tsv": CSV,
    ".tab": CSV,
    ".jsonl": JSONL,
    ".ndjson": JSONL,
    ".eml": EML,
    ".mht": EML,
    ".mhtml": EML,
}
"""What the extension of a text file says; nothing else tells these formats apart."""

_CODE = """
py pyi js mjs cjs jsx ts tsx vue java kt kts scala groovy c h cc cpp cxx hh hpp hxx cs go rs swift
m mm rb php pl pm lua r jl dart sh bash zsh ps1 bat cmd sql vb vbs bas pas f90 f asm s ex exs erl
hs clj ml fs sol proto thrift css scss less
"""
CODE_EXTENSIONS = frozenset(f".{name}" for name in _CODE.split())
"""Extensions of source code."""

JSON_EXTENSION = ".json"
"""May hold records, which are read like `JSONL`, or anything else, which is read as text."""

CONVERTIBLE: dict[str, tuple[str, str, str]] = {
    ".doc": (DOCX, "旧版 Word 文档（.doc）", "an old Word document (.doc)"),
    ".xls": (XLSX, "旧版 Excel 表格（.xls）", "an old Excel sheet (.xls)"),
    ".ppt": (PPTX, "旧版演示文稿（.ppt）", "an old presentation (.ppt)"),
    ".rtf": (DOCX, "RTF 文档", "an RTF document"),
    ".odt": (DOCX, "OpenDocument 文本（.odt）", "an OpenDocument text (.odt)"),
    ".ods": (XLSX, "OpenDocument 表格（.ods）", "an OpenDocument sheet (.ods)"),
    ".odp": (PPTX, "OpenDocument 演示文稿（.odp）", "an OpenDocument presentation (.odp)"),
    ".xlsb": (XLSX, "二进制 Excel 表格（.xlsb）", "a binary Excel sheet (.xlsb)"),
    ".doc.xml": (DOCX, "Word XML 文档", "a Word XML document"),
    ".xls.xml": (XLSX, "Excel XML 表格", "an Excel XML sheet"),
}
"""Formats that are read after a conversion: what they become, and their names for people.
The keys are what `Inspection.convert_from` holds; the last two are XML in one file."""
