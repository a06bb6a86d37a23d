"""What the completion model learns from, and that its graph computes what training computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.completion_edits import Edits, Insertion, edits
from benchmarks.completion_lessons import KINDS, Row, lessons, rows, with_more
from rag.models.bundled_convert import prepare
from rag.models.bundled_words import bundled_words
from rag.models.completer import _numbers
from rag.models.completion_input import completion_input


@pytest.mark.parametrize(
    ("typed", "whole", "put_in", "kept"),
    [
        ("要什么证明", "婚假要什么证明", {0: ("婚假", "")}, "要什么证明"),
        ("它要证明吗", "婚假要证明吗", {0: ("婚假", "")}, "要证明吗"),
        ("陪产假呢", "陪产假可以请几天", {3: ("可以请几天", "")}, "陪产假"),
        ("证明要吗", "婚假的证明要吗", {0: ("婚假", "的")}, "证明要吗"),
        ("食堂几点开门", "食堂几点开门", {}, "食堂几点开门"),
    ],
)
def test_edits_copy_from_the_context(
    typed: str, whole: str, put_in: dict[int, tuple[str, str]], kept: str
) -> None:
    found = edits(typed, whole, ["婚假可以请几天"])
    assert found is not None
    assert dict(found.put_in) == {place: Insertion(*put) for place, put in put_in.items()}
    stays = zip(typed, found.left_out, strict=True)
    assert "".join(letter for letter, gone in stays if not gone) == kept


def test_what_cannot_be_copied_is_no_lesson() -> None:
    assert edits("要什么证明", "结婚假要什么证明", ["婚假可以请几天"]) is None


def _applied(typed: str, made: Edits) -> str:
    text = ""
    for place in range(len(typed) + 1):
        text += "".join(made.put_in.get(place, ()))
        if place < len(typed) and not made.left_out[place]:
            text += typed[place]
    return text


@pytest.mark.parametrize("kind", KINDS)
def test_the_rows_are_whole(kind: str) -> None:
    learned, kept = rows(kind), rows(kind, test=True)
    assert len(learned) > 10 * len(kept) > 500
    assert not {row.context[0] for row in learned} & {row.context[0] for row in kept}
    made = [(row, edits(row.utterance, row.completion, row.context)) for row in kept]
    assert sum(found is None for _, found in made) < len(made) / 5
    for row, found in made:
        assert found is None or _applied(row.utterance, found) == row.completion


def test_some_rows_are_shown_once_more() -> None:
    given = rows("work")[:300]
    made = with_more(given)
    assert made[:300] == given and made == with_more(given)
    more = made[300:]
    assert any(row.utterance == row.completion for row in more)
    assert any(len(row.context) > 2 for row in more)


def test_the_graph_computes_what_training_computes(bundled_data: Path, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from benchmarks.completion_graph import build_graph, exported
    from benchmarks.completion_model import Completer, batch_of, loss_of
    from benchmarks.train_completer import FROZEN
    from rag.models.bundled import single_thread_session
    from rag.models.bundled_source import E5Weights, find_source, read_source

    source = find_source(bundled_data)
    assert source is not None
    torch.manual_seed(3)
    model = Completer(E5Weights(read_source(source)), FROZEN + 1, FROZEN).eval()
    with torch.no_grad():
        for part in (model.turns, model.inside):
            part.normal_(std=0.1)
    words = bundled_words(prepare(bundled_data))
    read = completion_input(words, ["婚假可以请几天", "婚假10天。"], "它要证明吗")
    content = build_graph(exported(model), FROZEN).SerializeToString()
    found = _numbers(single_thread_session(content), words, read)
    batch = batch_of(words, [read])
    with torch.no_grad():
        expected = model(model.lower(batch.words, batch.mask), batch)
    for mine, its in zip(found, expected, strict=True):
        assert np.abs(mine - its[0].numpy()).max() < 0.1

    row = Row(("婚假可以请几天", "婚假10天。"), "它要证明吗", "婚假要证明吗")
    (lesson,) = lessons(words, [row])
    loss = loss_of(model(model.lower(batch.words, batch.mask), batch), batch, [lesson])
    loss.backward()
    assert loss.item() > 0 and model.points.weight.grad.abs().sum() > 0
    assert all(p.grad is None for layer in model.layers[:FROZEN] for p in layer.parameters())
