"""Index terms: what must meet, and what must never miss."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.text.numerals import arabic, parse_numeral
from rag.text.tokenise import STOP_WORDS, codes, query_terms, tokenise


@pytest.mark.parametrize(
    ("one", "other", "term"),
    [
        ("二〇二四年", "2024年", "2024年"),
        ("二○二四年度", "2024 年", "2024年"),
        ("第十二条", "第12条", "第12条"),
        ("二〇二四年三月一日", "2024-03-01", "2024-03-01"),
        ("2024/3/1", "2024年3月1日", "2024-03-01"),
        ("三千元", "3000元", "3000元"),
        ("三十日内", "30日内", "30日"),
        ("GB/T 19001-2016", "gb/t19001-2016", "gb/t19001-2016"),
        ("GB/T 19001-2016", "19001-2016", "19001-2016"),
        ("浙政发〔2016〕306号", "浙政发[2016]306号", "〔2016〕306号"),
        ("浙政发（2016）306 号", "〔2016〕306号", "〔2016〕306号"),
        ("ＡＢＣ－１２３", "abc-123型", "abc-123"),
        ("勞動合同", "劳动合同法", "劳动"),
    ],
)
def test_two_ways_of_writing_share_a_term(one: str, other: str, term: str) -> None:
    assert term in tokenise(one)
    assert term in tokenise(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("产品ABC-123的保修", ["abc-123"]),
        ("〔2016〕306号文第十二条", ["〔2016〕306号", "第12条"]),
        ("E104 报错", ["e104"]),
        ("2024-03-01 的通知", []),
        ("人才补贴 3000 元", []),
    ],
)
def test_codes_name_one_thing(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_neighbouring_codes_stay_apart() -> None:
    assert "abc-123" not in tokenise("型号 ABC-124")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("请问杭州人才购房补贴怎么申请？", ["杭州", "人才", "购房", "补贴", "申请"]),
        ("GB/T 19001-2016 是什么", ["gb/t19001-2016"]),
        ("这个呢？", []),
        ("😀😀", []),
        ("", []),
    ],
)
def test_questions_keep_what_they_name(question: str, expected: list[str]) -> None:
    assert query_terms(question) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("十二", 12),
        ("三千二", 3200),
        ("一百零五", 105),
        ("一万五", 15_000),
        ("二〇二四", 2024),
        ("三亿五千万", 350_000_000),
        ("两千", 2000),
        ("十万", 100_000),
        ("万", None),
        ("人", None),
    ],
)
def test_numerals(text: str, value: int | None) -> None:
    assert parse_numeral(text) == value


@pytest.mark.parametrize("text", ["一般情况", "万一", "千方百计", "一五年", "第几条"])
def test_words_with_numeral_letters_stay(text: str) -> None:
    assert arabic(text) == text


@settings(max_examples=200, deadline=None)
@given(
    st.text(alphabet="杭州人才补贴办法欧阳龘劳动合同第条，。 a1", min_size=2, max_size=40),
    st.data(),
)
def test_a_two_letter_query_meets_every_text_it_stands_in(text: str, data) -> None:
    start = data.draw(st.integers(0, len(text) - 2))
    query = text[start : start + 2]
    if not all("\u4e00" <= c <= "\u9fff" for c in query):
        return
    assert set(tokenise(query)) & set(tokenise(text))
    assert query in tokenise(text)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80))
def test_any_text_gives_clean_terms(text: str) -> None:
    for term in tokenise(text):
        assert term and term == term.strip().lower()
    assert not set(query_terms(text)) & STOP_WORDS


def test_a_numeral_behind_a_code_stays_apart_from_it() -> None:
    assert codes("vm.c4.small一小时几元") == ["vm.c4.small"]
