"""One small file of each format that we read, and the ways in which files get damaged."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

from ingest_inputs import grid, pdf, write

LINES = [f"第{n}条 员工入职满{n}年的，年休假为{n + 4}天，逾期作废。" for n in range(1, 13)]
TEXT = "\n\n".join(LINES)
ROWS = [["城市", "标准", "说明"], *([f"城市{n}", str(n * 450), LINES[n]] for n in range(8))]


def originals(folder: Path) -> dict[str, bytes]:
    """Extension → content of a sound file."""
    made: dict[str, Callable[[], bytes]] = {
        ".pdf": lambda: _pdf(folder),
        ".docx": _docx,
        ".pptx": _pptx,
        ".xlsx": _xlsx,
        ".csv": lambda: "\n".join(",".join(row) for row in ROWS).encode("utf-8-sig"),
        ".html": lambda: _html().encode(),
        ".md": lambda: f"---\ntitle: 手册\n---\n# 一\n\n{TEXT}\n\n```py\nx = 1\n```\n".encode(),
        ".txt": lambda: TEXT.encode("gb18030"),
        ".text": lambda: TEXT.encode("utf-16"),
        ".jsonl": lambda: "\n".join(
            json.dumps({"id": n, "text": t}) for n, t in enumerate(LINES)
        ).encode(),
        ".epub": _epub,
        ".eml": _eml,
        ".png": lambda: _picture("PNG"),
        ".jpg": lambda: _picture("JPEG"),
        ".tiff": lambda: _picture("TIFF"),
        ".gif": lambda: _picture("GIF"),
        ".bmp": lambda: _picture("BMP"),
        ".webp": lambda: _picture("WEBP"),
        ".py": lambda: "\n\n".join(
            f"def f{n}():\n    '''{t}'''" for n, t in enumerate(LINES)
        ).encode(),
    }
    return {extension: make() for extension, make in made.items()}


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The content with damage of one kind."""
    size = len(data)
    at, length = chance.randrange(size), chance.randrange(1, max(2, size // 8))
    kind = chance.randrange(6)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[at:]
    if kind == 2:
        return data[:at] + bytes(length) + data[at + length :]
    if kind == 3:
        return data[:at] + data[at + length :]
    if kind == 4:
        return data[:at] + data[at : at + length] * 3 + data[at + length :]
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 24)):
        changed[chance.randrange(size)] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _jsonl() -> bytes:
    return "\n".join(json.dumps({"id": n, "text": t}) for n, t in enumerate(LINES)).encode()


def _pdf(folder: Path) -> bytes:
    def table(page: object) -> None:
        grid(page, 72, 100, ROWS, width=140)

    def text(page: object) -> None:
        for number, line in enumerate(LINES):
            write(page, 72, 90 + 24 * number, line)

    return pdf(folder / "made.pdf", text, table, text).read_bytes()


def _docx() -> bytes:
    import docx

    document = docx.Document()
    document.add_heading("员工手册", 1)
    for line in LINES:
        document.add_paragraph(line)
    table = document.add_table(len(ROWS), 3)
    for r, row in enumerate(ROWS):
        for c, cell in enumerate(row):
            table.cell(r, c).text = cell
    return _saved(document.save)


def _pptx() -> bytes:
    import pptx

    deck = pptx.Presentation()
    for line in LINES[:4]:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = line[:6]
        slide.placeholders[1].text = line
    return _saved(deck.save)


def _xlsx() -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    return _saved(book.save)


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    stream = io.BytesIO()
    save(stream)
    return stream.getvalue()


def _html() -> str:
    rows = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in ROWS)
    paragraphs = "".join(f"<p>{line}</p>" for line in LINES)
    return f"<!doctype html><html><body><h1>一</h1>{paragraphs}<table>{rows}</table></body></html>"


def _epub() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="b.opf"/></rootfiles></container>',
        )
        book.writestr(
            "b.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>'
            '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
        )
        book.writestr("a.xhtml", _html())
    return stream.getvalue()


def _eml() -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "关于年假", "a@example.org", "b@example.org"
    mail.set_content(TEXT)
    mail.add_alternative(_html(), subtype="html")
    mail.add_attachment(TEXT.encode(), maintype="text", subtype="plain", filename="附件.txt")
    return bytes(mail)


def _picture(kind: str) -> bytes:
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (240, 80), "white")
    ImageDraw.Draw(picture).text((10, 20), "ABC-123 450.00", fill="black")
    return _saved(lambda stream: picture.save(stream, kind))
