from __future__ import annotations

import pytest

from rag.ingest.places import chinese_place, shown_name


@pytest.mark.parametrize(
    ("name", "pages", "place"),
    [
        ("制度.pdf", (3,), "第3页"),
        ("制度.pdf", (3, 4), "第3–4页"),
        ("启动会.PPTX", (2,), "第2张幻灯片"),
        ("茶经.epub", (1,), "第1部分"),
        ("合同.docx", (1,), ""),
        ("台账.xlsx", (1,), ""),
        ("公告.html", (1,), ""),
        ("没有后缀", (), "第1页"),
    ],
)
def test_places_are_told_in_the_unit_of_the_kind(
    name: str, pages: tuple[int, ...], place: str
) -> None:
    assert chinese_place(name, pages) == place


@pytest.mark.parametrize(
    ("name", "title", "source", "shown"),
    [
        ("gov.example/zc/1.html", "水价公告", "https://gov.example/zc/1.html", "水价公告.html"),
        ("gov.example/a b.html", "水价公告", "https://gov.example/a%20b", "水价公告.html"),
        ("gov.example/zc/1.html", None, "https://gov.example/zc/1.html", "gov.example/zc/1.html"),
        ("gov.example/f.pdf", "水价公告", "https://gov.example/f.pdf", "gov.example/f.pdf"),
        ("下载的网页.html", "水价公告", "https://gov.example/zc/1.html", "下载的网页.html"),
        ("公告.html", "水价公告", "海州日报", "公告.html"),
    ],
)
def test_a_followed_page_is_known_by_its_title(
    name: str, title: str | None, source: str, shown: str
) -> None:
    assert shown_name(name, title, source) == shown
