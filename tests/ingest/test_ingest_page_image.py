from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import pdf, read, write

from rag.errors import EncryptedDocument, NotFound
from rag.ingest.page_image import draw_page


def yellow(png: bytes) -> tuple[int, int]:
    """The middle of the marked pixels."""
    import pymupdf

    image = pymupdf.Pixmap(png)
    found = [
        (x, y)
        for y in range(0, image.height, 3)
        for x in range(0, image.width, 3)
        if image.pixel(x, y)[2] < 210 and image.pixel(x, y)[0] > 240
    ]
    return (sum(x for x, _ in found) // len(found), sum(y for _, y in found) // len(found))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_mark_lies_on_the_text_however_the_page_is_turned(
    tmp_path: Path, rotation: int
) -> None:
    import pymupdf

    def draw(page: Any) -> None:
        write(page, 72, 100, "被引用的一句话。")
        page.set_rotation(rotation)

    path = pdf(tmp_path / "a.pdf", draw)
    (block,) = read(path).blocks
    assert block.bbox is not None
    png = draw_page(path, 1, [block.bbox], dpi=72)
    image = pymupdf.Pixmap(png)
    assert (image.width > image.height) is (rotation in (90, 270))
    x, y = yellow(png)
    assert block.bbox[0] < x < block.bbox[2]
    assert block.bbox[1] < y < block.bbox[3]


def test_pages_that_are_not_there_and_passwords(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", lambda p: None, encryption=4, user_pw="x")
    with pytest.raises(EncryptedDocument):
        draw_page(path, 1)
    assert draw_page(path, 1, password="x").startswith(b"\x89PNG")
    with pytest.raises(NotFound, match="第 2 页"):
        draw_page(path, 2, password="x")


def test_a_huge_page_is_drawn_smaller(tmp_path: Path) -> None:
    import pymupdf

    path = tmp_path / "huge.pdf"
    document = pymupdf.open()
    document.new_page(width=14_400, height=14_400)
    document.save(path)
    image = pymupdf.Pixmap(draw_page(path, 1))
    assert 10_000_000 < image.width * image.height <= 12_100_000
