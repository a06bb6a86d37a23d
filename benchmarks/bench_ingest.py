"""Speed of reading documents: pages a second on one core, beside other tools on the same pages.

    python -m benchmarks.bench_ingest [FILE.pdf …] [--pages 100] [--repeat 3] [--peers PYTHON]

Without files it takes the PDF files with a text layer in `cases/files` beside the evaluation
data (see `benchmarks.places`), and a document that it writes: running text, headings, headers
and tables. Prints for each file pages/s of the whole way to chunks (inspect, parse, clean,
quality gate, chunk, describe), of the parser alone, of PyMuPDF's plain text and of its own table
finder, in seconds of CPU. The aim is 20 pages/s before embedding.

At the end the parser is compared with pymupdf4llm, run by the interpreter `--peers` (`.venv-peers`
of `make bench-parse` where it is) in a process that reads each file once before: 5 times
faster is the aim.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.bench_parse import NATIVE
from benchmarks.places import DATA, ROOT
from rag.ingest.chunk import chunk
from rag.ingest.clean import clean
from rag.ingest.describe import describe
from rag.ingest.inspect import inspect
from rag.ingest.parse import parse
from rag.ingest.quality import assess
from rag.settings import IngestSettings
from rag.types import Document

AIM_PAGES_PER_S, AIM_RATIO = 20.0, 5.0
PEER_LIMIT_S = 900.0
"""Seconds that the peer may take for all files together."""
SETTINGS = IngestSettings()
_SENTENCE = (
    "为了规范人才住房补贴的申请、审核和发放，结合本市实际情况，制定本办法，请各单位遵照执行。"
)


def main() -> int:
    """Measure and print; the exit status is 1 when an aim is missed."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("files", nargs="*", type=Path)
    arguments.add_argument("--pages", type=int, default=100, help="of the written document")
    arguments.add_argument("--repeat", type=int, default=3, help="the best of so many runs")
    arguments.add_argument("--peers", type=Path, default=ROOT / ".venv-peers/bin/python")
    options = arguments.parse_args()
    os.environ["PYMUPDF_SUGGEST_LAYOUT_ANALYZER"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        written = write_document(Path(folder) / "written.pdf", options.pages)
        files = options.files or [*native_files(), written]
        to_chunks(written)  # loads the parts, which would otherwise count as the first file's time
        print("file                      pages  whole/s  parse/s  get_text/s  find_tables/s  aim")
        figures = [measure(path, options.repeat) for path in files]
        pages = sum(figure[0] for figure in figures)
        whole, alone = (sum(figure[i] for figure in figures) for i in (1, 2))
        met = pages / whole >= AIM_PAGES_PER_S
        print(
            f"all: {pages} pages, {pages / whole:.1f} pages/s to chunks, {pages / alone:.1f} by "
            f"the parser alone (aim {AIM_PAGES_PER_S:g}: {'met' if met else 'MISSED'})"
        )
        return int(not met) | beside_peer(options.peers, files, alone)


def native_files() -> list[Path]:
    """The test files with a text layer, none where they are absent."""
    folder = DATA.parent / "cases" / "files"
    if not folder.is_dir():
        print(f"cases/files not beside {DATA}: only the written document (set ZHIWEN_BENCH_DATA)")
        return []
    return [p for p in sorted(folder.glob("*.pdf")) if p.name[:2] in NATIVE]


def measure(path: Path, repeat: int) -> tuple[int, float, float]:
    """Print one file's figures, each the best of `repeat` runs; its pages, the seconds to chunks
    and those of the parser."""
    pages = len(read(path).pages)
    whole = best(lambda: to_chunks(path), repeat)
    alone = best(lambda: read(path), repeat)
    plain = best(lambda: plain_text(path), repeat)
    tables = best(lambda: find_tables(path), 1)
    speed = pages / whole
    verdict = "met" if speed >= AIM_PAGES_PER_S else f"below {AIM_PAGES_PER_S:g}"
    print(
        f"{path.name[:24]:24} {pages:6d} {speed:8.1f} {pages / alone:8.1f} {pages / plain:11.1f} "
        f"{pages / tables:14.1f}  {verdict}",
        flush=True,
    )
    return pages, whole, alone


def beside_peer(python: Path, files: Sequence[Path], ours_s: float) -> int:
    """Print pymupdf4llm's time for the same files; 1 when the aim is missed."""
    if not python.is_file():
        print(f"pymupdf4llm: no interpreter at {python}, skipped (make bench-parse builds it)")
        return 0
    command = [str(python), str(Path(__file__).with_name("parse_peer.py")), "seconds"]
    command += [str(path.resolve()) for path in files]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PEER_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        print(f"pymupdf4llm: not done within {PEER_LIMIT_S:g} s")
        return 0
    if done.returncode:
        print(f"pymupdf4llm: failed, skipped\n{done.stderr.decode(errors='replace')[-500:]}")
        return 0
    theirs_s = sum(json.loads(done.stdout).values())
    ratio = theirs_s / ours_s
    met = ratio >= AIM_RATIO
    print(
        f"pymupdf4llm: {theirs_s:.1f} s of CPU for them, our parser {ours_s:.1f} s: {ratio:.1f}× "
        f"(aim {AIM_RATIO:g}×: {'met' if met else 'MISSED'})"
    )
    return int(not met)


def read(path: Path) -> Document:
    """The parsed document."""
    return parse(path, inspect(path, SETTINGS), name=path.name, settings=SETTINGS)


def to_chunks(path: Path) -> int:
    """Everything before embedding; a character counts as .6 tokens."""
    document = clean(read(path)).model_copy(update={"id": "d", "kb_id": "k"})
    assess(document)
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
    """Seconds of CPU of the fastest of `repeat` runs: what others run at the same time on this
    machine doesn't count."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return max(min(times), 1e-4)


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
    sys.exit(main())
