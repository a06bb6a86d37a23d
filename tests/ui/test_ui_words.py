"""Labels, sizes, days and durations; both text files say the same things."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from ui import words
from ui.texts import table, text_in

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def chinese(monkeypatch):
    monkeypatch.setattr(words, "t", lambda key, **values: text_in("zh", key, **values))
    monkeypatch.setattr(words, "language", lambda: "zh")
    monkeypatch.setattr(words, "zone", lambda: UTC)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("普通名称", "普通名称"),
        ("a_b*c`d", "a\\_b\\*c\\`d"),
        ("多行\n名称\t", "多行 名称"),
        ("反\u202e转\x00", "反转"),
        ("", "\u00a0"),
    ],
)
def test_labels_show_user_text_as_typed(text, shown):
    assert words.label(text).replace("\u2060", "") == shown


@pytest.mark.parametrize(
    "text", [":red[x]", ":material/home:", ":smile:", "a -> b", "a -- b", "$x$"]
)
def test_labels_start_no_markup(text):
    shown = words.label(text)
    assert not re.search(r"(?<!\\)[:$\[]", shown)
    assert "->" not in shown and "--" not in shown


def test_long_names_are_cut():
    assert words.label("名" * 200, 10) == "名" * 9 + "…"


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0 字节"), (2048, "2 KB"), (5 * 1024 * 1024, "5.0 MB")]
)
def test_sizes(count, shown):
    assert words.size(count) == shown


@pytest.mark.parametrize(
    ("ms", "shown"), [(12, "12 毫秒"), (812, "0.8 秒"), (125_000, "2 分 5 秒")]
)
def test_durations(ms, shown):
    assert words.duration(ms) == shown


@pytest.mark.parametrize(
    ("days", "shown"), [(0, "今天"), (1, "昨天"), (3, "最近 7 天"), (30, "更早")]
)
def test_days_are_grouped(days, shown):
    assert words.day_group(NOW - timedelta(days=days), now=NOW) == shown


def test_dates_are_written_out():
    assert words.day(NOW) == "2026年11月29日"


def test_both_languages_have_the_same_texts_and_places():
    zh, en = table("zh"), table("en")
    assert set(zh) == set(en)
    for key in zh:
        assert sorted(re.findall(r"\{(\w+)", zh[key])) == sorted(re.findall(r"\{(\w+)", en[key]))


@pytest.mark.parametrize(
    ("n", "shown"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (1204, "1,204 pages")]
)
def test_english_counts_in_singular_and_plural(n, shown):
    assert text_in("en", "count.page", n=n) == shown
    assert text_in("zh", "count.page", n=n) == f"{n} 页"


def test_no_english_text_leaves_the_plural_open():
    assert [key for key, text in table("en").items() if re.search(r"\w\(s\)", text)] == []
