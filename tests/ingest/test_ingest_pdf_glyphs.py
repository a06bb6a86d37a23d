"""Which glyphs of a PDF page are copies of others, and which texts can't be what is seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from ingest_inputs import pdf
from ingest_pdf_inputs import SENTENCES

from rag.ingest.parse.pdf_page import PageText, read_page
from rag.ingest.parse.pdf_route import is_abnormal

THIN = "illegal full hello all 1,100.11 iii lll ((a)) ::"
GARBLED = "四规直收风对有响间天铁期习运带如速除南需管法提工高本标产级据技品市组加"


def page_of(path: Path, draw: Any) -> PageText:
    with pymupdf.open(pdf(path, draw)) as document:
        return read_page(pymupdf, document[0])


@pytest.mark.parametrize("size", [5, 6.5, 8, 10.5, 14])
@pytest.mark.parametrize("squeezed", [1.0, 0.7, 0.45])
@pytest.mark.parametrize("bold", [False, True])
def test_thin_letters_side_by_side_are_no_copies(
    tmp_path: Path, size: float, squeezed: float, bold: bool
) -> None:
    def draw(page: Any) -> None:
        for shift in (0.0, 0.03 * size) if bold else (0.0,):
            at = pymupdf.Point(60 + shift, 100)
            narrow = (at, pymupdf.Matrix(squeezed, 1))
            page.insert_text(at, THIN, fontsize=size, morph=narrow)

    page = page_of(tmp_path / "a.pdf", draw)
    assert "".join("".join(s.text for s in page.segments).split()) == "".join(THIN.split())
    assert page.fake_bold is bold


def letters(lines: Sequence[str], fonts: Sequence[str], spread: float = 1.0) -> Any:
    """Draws each letter in the next of the fonts, `spread` of its width apart."""

    def draw(page: Any) -> None:
        count = 0
        for number, line in enumerate(lines):
            x = 60.0
            for letter in line:
                font = fonts[count % len(fonts)] if ord(letter) > 255 else "helv"
                count += 1
                page.insert_text((x, 80 + 18 * number), letter, fontsize=10, fontname=font)
                x += pymupdf.get_text_length(letter, fontname=font, fontsize=10) * spread

    return draw


@pytest.mark.parametrize("fonts", [["china-s"], ["china-s", "china-t"]])
def test_wrong_characters_are_seen_whatever_fonts_they_alternate(
    tmp_path: Path, fonts: list[str]
) -> None:
    assert is_abnormal(page_of(tmp_path / "a.pdf", letters([GARBLED, GARBLED[::-1]], fonts)))


@pytest.mark.parametrize("fonts", [["china-s"], ["china-s", "china-t"]])
@pytest.mark.parametrize(
    ("lines", "spread"),
    [
        (SENTENCES, 1.0),
        (SENTENCES, 1.3),
        ([sentence[:12] for sentence in SENTENCES], 1.8),
        (["目录", "第一章总则", "附件一览表", "附则"], 2.0),
        (["无 无 无 无 是 是 否"] * 6, 1.0),
        (["5元 6元 7元 8元 9元 10元 11元"] * 3, 1.0),
        (["2024年3月1日 2024年3月2日"] * 6, 1.0),
        (["面积为3.5×10⁵m²，流量为2×10³L/s的溶液。"] * 3, 1.0),
        (["张建国 李秀英 王小明 赵志强 钱学森 孙丽华 周伟 吴磊 郑爽"] * 4, 1.0),
        (["".join(c + "ab1"[n % 3] for n, c in enumerate(SENTENCES[0]))], 1.0),
    ],
)
def test_sound_texts_are_believed_whatever_fonts_they_alternate(
    tmp_path: Path, fonts: list[str], lines: Sequence[str], spread: float
) -> None:
    assert not is_abnormal(page_of(tmp_path / "a.pdf", letters(lines, fonts, spread)))
