"""The normaliser: forms that must meet, and offsets that must stay exact."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.text.normalise import is_han, normalise, normalise_with_map, to_simplified
from rag.text.radicals import RADICALS

TRICKY = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from(
            "杭州 人才　补贴\n\t軟體網路資訊滑鼠列印ＡＢ１２①㎡ﬁ½⻓⼀證計畫瞭解乾隆幺麼麽藉口"
            "\u200b\ufeff\u0301\u3099カ각가각İß\x00"
        ),
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ＡＢＣ－１２３", "abc-123"),
        ("人 才　补 贴", "人才补贴"),
        ("GB/T 19001", "gb/t 19001"),
        ("⻅⻓⻔⻛⼀⽉", "见长门风一月"),
        ("計畫與證據", "计划与证据"),
        ("乾隆皇帝的乾淨", "乾隆皇帝的干净"),
        ("零\u200b宽\ufeff字", "零宽字"),
        ("更新軟體與網路資訊", "更新软件与网络信息"),
        ("視訊會議用的滑鼠", "视频会议用的鼠标"),
        ("列 印 資料", "打印资料"),
        ("軟體動物和柔軟體操", "软体动物和柔软体操"),
        ("投資訊息與電視訊號", "投资讯息与电视信号"),
        ("系列印章", "系列印章"),
        ("软体机器人", "软体机器人"),
        ("软\x00件\x07", "软件"),
        ("一行\r\n\r\n二行", "一行\n二行"),
        ("e\u0301cole", "école"),
        ("  \u3000\n ", ""),
        ("", ""),
    ],
)
def test_forms_that_mean_the_same_meet(text: str, expected: str) -> None:
    assert normalise(text) == expected


def test_to_simplified_changes_nothing_else() -> None:
    assert to_simplified("臺灣 ＡＢ") == "台湾 ＡＢ"
    assert to_simplified("臺灣軟體") == "台湾软体"


def test_every_radical_becomes_a_letter() -> None:
    assert all(is_han(normalise(radical)) for radical in RADICALS)


def test_a_highlight_covers_the_original_letters() -> None:
    original = "申请　人 才\u200b补 贴，每月１０００元"
    normal = normalise_with_map(original)
    start = normal.text.index("人才补贴")
    assert original[slice(*normal.original_span(start, start + 4))] == "人 才\u200b补 贴"
    start = normal.text.index("1000元")
    assert original[slice(*normal.original_span(start, start + 5))] == "１０００元"


def test_a_highlight_of_another_region_s_word_covers_the_word() -> None:
    original = "下載　軟體 安 裝"
    normal = normalise_with_map(original)
    start = normal.text.index("软件")
    assert original[slice(*normal.original_span(start, start + 2))] == "軟體"


def test_a_span_outside_is_refused() -> None:
    with pytest.raises(ValueError):
        normalise_with_map("短").original_span(0, 2)


@settings(max_examples=300, deadline=None)
@given(TRICKY)
def test_both_functions_agree_and_offsets_are_in_order(text: str) -> None:
    normal = normalise_with_map(text)
    assert normal.text == normalise(text)
    assert len(normal.offsets) == len(normal.text) + 1
    assert normal.offsets[-1] == len(text)
    assert list(normal.offsets) == sorted(normal.offsets)
    assert all(0 <= offset <= len(text) for offset in normal.offsets)
    assert all(offset < len(text) for offset in normal.offsets[:-1])


@settings(max_examples=300, deadline=None)
@given(TRICKY)
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="杭州人才补贴的办法 \n，。ＡＢ１２", max_size=40), st.data())
def test_each_kept_character_maps_back_to_one_that_normalises_to_it(text: str, data) -> None:
    normal = normalise_with_map(text)
    if not normal.text:
        return
    start = data.draw(st.integers(0, len(normal.text) - 1))
    end = data.draw(st.integers(start + 1, len(normal.text)))
    original = text[slice(*normal.original_span(start, end))]
    assert normalise(original) == normalise(normal.text[start:end])
