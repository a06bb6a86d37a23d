"""Dictionaries as files: what is read, what is refused with its line, and the way back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rag.errors import InvalidInput, TooLarge
from rag.term_files import LARGEST_BYTES, entry, read_file, write_file
from rag.types import Term

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def read(text: str, encoding: str = "utf-8") -> dict[str, tuple[str, ...]]:
    found, bad = read_file(text.encode(encoding))
    assert not bad
    return {one.text: one.synonyms for one in found}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize(
    "text",
    [
        "调休,倒休,换休\n年假,年休假\n",
        "词,同义词1,同义词2\r\n调休,倒休,换休\r\n年假,年休假,\r\n",
        "术语\t别名\n调休\t倒休、换休\n年假\t年休假\n",
        "调休；倒休；换休\n年假|年休假\n",
        "词,同义词\n调休,倒休；换休\n\n年假,年休假\n调休,换休\n",
        "sep=;\n词;同义词1;同义词2\n调休;倒休;换休\n年假;年休假;\n",
        "调\u200b休,倒休,\u202e换休\n年假,年休假\n",
    ],
)
def test_files_of_every_make_are_read(text: str, encoding: str) -> None:
    assert read(text, encoding) == {"调休": ("倒休", "换休"), "年假": ("年休假",)}


def test_rows_that_cannot_be_used_are_told_with_their_line() -> None:
    text = (
        "调休,倒休\n假,休\n,,\n"
        + "很" * 41
        + "\n怎么,如何\n工\x07资,薪资\n年、假,休假\n年假,年休假\n"
    )
    found, bad = read_file(text.encode())
    assert [one.text for one in found] == ["调休", "年假"]
    assert [row.line for row in bad] == [2, 4, 5, 6, 7]
    assert all(row.error.message and row.error.message_en for row in bad)


def test_a_quotation_mark_without_its_other_joins_no_lines() -> None:
    found, bad = read_file('加班,加点\n"调休,倒休\n年假,年休假\n'.encode())
    assert [one.text for one in found] == ["加班"]
    assert [row.line for row in bad] == [2]
    assert "引号" in bad[0].error.message


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\x89PNG\r\n\x1a\n\x00\x00", b"\xff" * 9])
def test_what_is_no_dictionary_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        read_file(data)


def test_too_large_a_file_is_refused() -> None:
    with pytest.raises(TooLarge):
        read_file(b"a" * (LARGEST_BYTES + 1))


def test_synonyms_that_repeat_are_left_out() -> None:
    assert entry(" 调  休 ", ["倒休", "调休", "倒 休", "", "ＯＡ", "oa"]).synonyms == (
        "倒休",
        "ＯＡ",
    )


@pytest.mark.parametrize(
    "words",
    [
        ("调休", "倒休", "换休"),
        ("=1+1", "+86号段", "-5度", "@全体", "＝求和"),
        ("'引号开头", "'=公式"),
        ('带"双引号"', "C++", "TCP/IP"),
        ("单独一个",),
    ],
)
def test_an_export_comes_back_the_same_and_holds_no_formula(words: tuple[str, ...]) -> None:
    term = Term(id="w1", text=words[0], synonyms=words[1:], created_at=NOW)
    data = write_file([term])
    cells = data.decode("utf-8-sig").splitlines()[1].split(",")
    assert not any(cell.strip('"')[:1] in tuple("=+-@＝") for cell in cells)
    found, bad = read_file(data)
    assert not bad
    assert [(one.text, one.synonyms) for one in found] == [(words[0], words[1:])]
