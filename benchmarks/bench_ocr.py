"""Text recognition: our time beside bare rapidocr on the same pictures of pages.

    python -m benchmarks.bench_ocr [--pages 6] [--dpi 170]

Draws pages of Chinese text, or takes those of the scans in `cases/files` beside the evaluation
data (see `benchmarks.places`), and recognises each with rapidocr alone (one thread, models of
the wheel) and by our whole way: turning upright, levelling, cutting tall pictures, ordering into
blocks. Prints seconds of CPU per page, the ratio (limit 1.2) and the share of our characters in
theirs. The first page warms both up and does not count.
"""

from __future__ import annotations

import argparse
import time
from difflib import SequenceMatcher
from typing import Any

from benchmarks.places import DATA
from rag.ingest.ocr import available, recognise, to_blocks
from rag.settings import IngestSettings

LIMIT = 1.2
SCANS = ("07_scanned_book_tiled.pdf", "21_scanned_en.pdf")
_TEXT = (
    "第一条 为了规范人才住房补贴的申请、审核和发放，结合本市实际情况，制定本办法。\n"
    "第二条 补贴标准为每月 1,250.00 元，按季度发放，最长不超过 36 个月。\n"
) * 12


def main() -> int:
    """Measure and print; the exit status is 1 when the limit is missed."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--pages", type=int, default=6)
    arguments.add_argument("--dpi", type=int, default=170)
    options = arguments.parse_args()
    reason = available()
    if reason is not None:
        print(f"skipped: {reason}")
        return 0
    pictures = draw(options.pages + 1, options.dpi)
    bare, settings = bare_engine(), IngestSettings(ocr_dpi=options.dpi)
    theirs = ours = 0.0
    print("page  rapidocr s  ours s  ratio  same characters")
    for number, picture in enumerate(pictures):
        start = time.process_time()
        raw = bare(picture)
        between = time.process_time()
        found = recognise(picture, settings)
        blocks = to_blocks(found, page=1, scale=72 / options.dpi)
        end = time.process_time()
        if number == 0:
            continue
        theirs += between - start
        ours += end - between
        ratio = (end - between) / (between - start)
        same = alike("".join(raw.txts or ()), "".join(block.text for block in blocks))
        print(
            f"{number:4}  {between - start:10.2f}  {end - between:6.2f}  {ratio:5.2f}  {same:.3f}"
        )
    ratio = ours / theirs
    verdict = "met" if ratio <= LIMIT else "MISSED"
    print(f"all   {theirs:10.2f}  {ours:6.2f}  {ratio:5.2f}  (limit {LIMIT}: {verdict})")
    return int(ratio > LIMIT)


def draw(count: int, dpi: int) -> list[Any]:
    """Pictures of pages as arrays [height, width, 3]; scans where they are there."""
    import numpy as np
    import pymupdf

    pictures: list[Any] = []
    folder = DATA.parent / "cases" / "files"
    scans = [folder / name for name in SCANS if (folder / name).is_file()]
    if not scans:
        print("no scans beside the evaluation data: pages of our own")
    documents = [pymupdf.open(path) for path in scans] or [written(count)]
    for document in documents:
        for page in document:
            drawn = page.get_pixmap(dpi=dpi, alpha=False)
            shape = (drawn.height, drawn.width, drawn.n)
            pictures.append(np.frombuffer(drawn.samples, np.uint8).reshape(shape)[:, :, :3].copy())
    return pictures[:count]


def written(count: int) -> Any:
    """A document of pages with running text."""
    import pymupdf

    document = pymupdf.open()
    for _ in range(count):
        page = document.new_page()
        page.insert_textbox((60, 60, 540, 780), _TEXT, fontname="china-s", fontsize=11)
    return document


def bare_engine() -> Any:
    """rapidocr as it comes, on one thread and without its line turner, as ours is."""
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.use_cls": False,
            "Global.log_level": "error",
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def alike(a: str, b: str) -> float:
    """Share of common characters in order, 0..1, blanks aside."""
    a, b = "".join(a.split()), "".join(b.split())
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


if __name__ == "__main__":
    raise SystemExit(main())
