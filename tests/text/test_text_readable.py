from __future__ import annotations

import pytest

from rag.text.readable import readable


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("年假几天？", "年假几天？"),
        ("年假\x00几\x07天？\x7f", "年假几天？"),
        ("\x1b[1;31m年假\x1b[0m几天？", "年假几天？"),
        ("第一行\r\n第二行\r第三行\t完", "第一行\n第二行\n第三行\t完"),
        ("\ud83d年假\udc80", "\ufffd年假\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
        ("\x00\x1b", ""),
    ],
)
def test_what_cannot_be_seen_goes(typed: str, kept: str) -> None:
    assert readable(typed) == kept
    kept.encode()
