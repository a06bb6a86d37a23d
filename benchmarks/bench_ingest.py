"""Speed of reading documents: pages a second, beside bare PyMuPDF on the same pages.

    python -m benchmarks.bench_ingest [FILE.pdf …] [--pages 200] [--repeat 3]

Without files it writes a document of running text, headings, headers and tables. Prints for
each file one line with pages/s of the whole way to chunks (inspect, parse, clean, chunk,
describe), of the parser alone, of PyMuPDF's plain text, and of PyMuPDF's own table finder,
and the ratio to plain text. The aim is 20 pages/s before embedding.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rag.ingest.chunk import chunk
from rag.ingest.clean import clean
from rag.ingest.describe import describe
from rag.ingest.inspect import inspect
from rag.ingest.parse import parse
from rag.settings import IngestSettings
from rag.types import Document

AIM_PAGES_PER_S = 20.0
SETTINGS = IngestSettings()
_SENTENCE = (
    "为了规范人才住房补贴的申请、审核和发放，结合本市实际情况，制定本办法，请各单位遵照执行。"
)


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("files", nargs="*", type=Path)
    arguments.add_argument("--pages", type=int, default=100, help="of the written document")
    arguments.add_argument("--repeat", type=int, default=3, help="the best of so many runs")
    options = arguments.parse_args()
    os.environ["PYMUPDF_SUGGEST_LAYOUT_ANALYZER"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        files = options.files or [write_document(Path(folder) / "written.pdf", options.pages)]
        print("file                      pages  whole/s  parse/s  get_text/s  find_tables/s  aim")
        for path in files:
            measure(path, options.repeat)


def measure(path: Path, repeat: int) -> None:
    """Print one file's figures, each the best of `repeat` runs."""
    document = read(path)
    pages = len(document.pages)
    whole = pages / best(lambda: to_chunks(path), repeat)
    alone = pages / best(lambda: read(path), repeat)
    plain = pages / best(lambda: plain_text(path), repeat)
    tables = pages / best(lambda: find_tables(path), 1)
    verdict = "met" if whole >= AIM_PAGES_PER_S else f"MISSED ({AIM_PAGES_PER_S:.0f})"
    print(
        f"{path.name[:24]:24} {pages:6d} {whole:8.1f} {alone:8.1f} {plain:11.1f} {tables:14.1f}  "
        f"{verdict}; parse at {alone / plain:.2f} of get_text"
    )


def read(path: Path) -> Document:
    """The parsed document."""
    return parse(path, inspect(path, SETTINGS), name=path.name, settings=SETTINGS)


def to_chunks(path: Path) -> int:
    """Everything before embedding; a character counts as .6 tokens."""
    document = clean(read(path)).model_copy(update={"id": "d", "kb_id": "k"})
    describe(document)
    return len(chunk(document, SETTINGS, lambda text: int(len(text) * 0.6) + 1))


def plain_text(path: Path) -> None:
    """The peer: PyMuPDF's text of each page, in drawing order."""
    import pymupdf

    with pymupdf.open(path) as document:
        for page in document:
            page.get_text()


def find_tables(path: Path) -> None:
    """The other peer: PyMuPDF's own table finder, with its texts."""
    import pymupdf

    with pymupdf.open(path) as document:
        for page in document:
            for table in page.find_tables().tables:
                table.extract()


def best(run: Callable[[], Any], repeat: int) -> float:
    """Seconds of the fastest of `repeat` runs."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def write_document(path: Path, pages: int) -> Path:
    """A document of A4 pages with a header, a heading, text, and a table on every third."""
    import pymupdf

    with pymupdf.open() as document:
        for number in range(pages):
            page = document.new_page(width=595, height=842)

            def put(x: float, y: float, text: str, size: float = 11, on: Any = page) -> None:
                on.insert_text((x, y), text, fontsize=size, fontname="china-s")

            put(200, 40, "某市人才住房补贴实施办法汇编", 9)
            put(72, 90, f"第{number + 1}章 申请与审核", 16)
            for line in range(22):
                put(72, 120 + line * 18, _SENTENCE[:38])
            if number % 3 == 0:
                for row in range(8):
                    for column in range(4):
                        x, y = 72 + column * 110, 540 + row * 24
                        page.draw_rect((x, y, x + 110, y + 24))
                        put(x + 5, y + 16, f"第{row}行{column}列 {row * 1234.5:,.2f}", 9)
            put(290, 815, str(number + 1), 9)
        document.save(path)
    return path


if __name__ == "__main__":
    main()
