from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.encoding import decode, file_name

SIMPLIFIED = "本公司员工年假为十天，病假按国家规定执行。"
TRADITIONAL = "本公司員工年假為十天，病假按國家規定執行。"
JAPANESE = "職務権限規程について、ここに定める。"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "gb18030", "gbk", "utf-16", "utf-16-le"]
)
def test_simplified_text_is_decoded(encoding: str) -> None:
    decoded = decode(SIMPLIFIED.encode(encoding))
    assert decoded is not None
    assert decoded.text == SIMPLIFIED


@pytest.mark.parametrize("encoding", ["utf-8", "big5", "utf-16", "utf-16-be"])
def test_traditional_text_is_decoded(encoding: str) -> None:
    decoded = decode(TRADITIONAL.encode(encoding))
    assert decoded is not None
    assert decoded.text == TRADITIONAL


@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "utf-16"])
def test_japanese_text_is_decoded(encoding: str) -> None:
    decoded = decode(JAPANESE.encode(encoding))
    assert decoded is not None
    assert decoded.text == JAPANESE


@pytest.mark.parametrize("text", ["年假十天", "健康安全", "北京市海淀区", "请假流程：先申请"])
def test_a_few_gbk_characters_are_not_taken_for_something_else(text: str) -> None:
    decoded = decode(text.encode("gbk"))
    assert decoded is not None
    assert decoded.text == text


def test_a_cut_last_character_costs_only_itself() -> None:
    decoded = decode(SIMPLIFIED.encode("utf-8")[:-1])
    assert decoded is not None
    assert decoded.text == SIMPLIFIED[:-1]
    assert decoded.damaged


def test_a_damaged_byte_costs_only_its_character() -> None:
    raw = (SIMPLIFIED * 20).encode("utf-8")
    decoded = decode(raw[:300] + b"\xff" + raw[300:])
    assert decoded is not None
    assert SIMPLIFIED * 3 in decoded.text
    assert decoded.damaged


def test_bytes_that_are_no_text_are_refused() -> None:
    assert decode(bytes(range(256)) * 10) is None


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co"))))
def test_utf8_always_comes_back(text: str) -> None:
    # A few letters of two bytes each may as well be GBK ("通知" is); a Han letter settles it.
    text += "。"
    decoded = decode(text.encode("utf-8"))
    assert decoded is not None
    assert decoded.text == text.removeprefix("\ufeff")


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "big5"])
def test_file_names_of_other_systems_are_decoded(encoding: str) -> None:
    name = "員工手冊.txt" if encoding == "big5" else "员工手册（2024）.txt"
    path = Path("资料") / os.fsdecode(name.encode(encoding))
    assert file_name(path) == name


def test_a_file_name_in_no_known_encoding_can_still_be_stored() -> None:
    name = file_name(Path(os.fsdecode(b"\xff\xfe\xfd\x81.txt")))
    assert name.endswith(".txt")
    name.encode()


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5", "utf-16-le"])
@pytest.mark.parametrize("shift", range(3))
def test_large_texts_are_decoded_wherever_their_beginning_ends(encoding: str, shift: int) -> None:
    sentence = TRADITIONAL if encoding == "big5" else SIMPLIFIED
    text = "a" * shift + sentence * 8000
    found = decode(text.encode(encoding))
    assert found is not None and found.text == text


def test_large_files_that_are_no_text_are_refused_at_once() -> None:
    noise = random.Random(7).randbytes(300_000)
    began = time.process_time()
    assert decode(noise * 100) is None
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("職務権限規程について、ここに定める。", "euc-jp"),
        ("職務権限規程について、ここに定める。", "iso2022_jp"),
        ("대한민국의 주권은 국민에게 있고 모든 권력은", "euc-kr"),
        (SIMPLIFIED, "hz"),
        ("café déjà vu naïve résumé", "cp1252"),
        ("Grüße aus München, schöne Straße", "cp1252"),
        ("Hello world, plain English text.", "utf-16-be"),
        ("姓名,年龄\n张三,20\n", "utf-16-le"),
        ("镕基", "gbk"),
        ("申請人", "big5"),
    ],
)
def test_rarer_encodings_are_told_apart(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded is not None
    assert decoded.text == text


@pytest.mark.parametrize("text", ["通知", "联通"])
def test_gbk_that_is_utf8_by_chance_is_chinese(text: str) -> None:
    decoded = decode(text.encode("gbk"))
    assert decoded is not None
    assert decoded.text == text


@pytest.mark.parametrize("text", ["Привет", "שלום", "Γειά σου"])
def test_other_scripts_in_utf8_stay_themselves(text: str) -> None:
    decoded = decode(text.encode("utf-8"))
    assert decoded is not None
    assert decoded.text == text


@pytest.mark.parametrize(
    ("declared", "used", "text"),
    [
        ("gbk", "gbk", "犇犇公司"),
        ("big5", "big5", "鑫鑫"),
        ("shift_jis", "cp932", "取説"),
        ("euc-kr", "euc-kr", "한국"),
        ("iso-8859-1", "gbk", "声明是西文，其实是国标码"),
        ("utf-8", "gbk", "声明是万国码，其实是国标码"),
    ],
)
def test_what_a_page_declares_is_believed_if_it_can_be_true(
    declared: str, used: str, text: str
) -> None:
    page = f'<html><head><meta charset="{declared}"></head><body>{text}</body></html>'
    decoded = decode(page.encode(used))
    assert decoded is not None
    assert text in decoded.text
