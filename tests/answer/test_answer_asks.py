"""What a question asks for."""

from __future__ import annotations

import pytest

from rag.answer.asks import asked


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("2024年深圳租房补贴申领流程是什么？", "steps"),
        ("住房补贴的办理手续有哪些", "steps"),
        ("奖金发放流程是怎样的？", "steps"),
        ("押金退还步骤", "steps"),
        ("租房补贴是多少", "value"),
        ("办这个手续费用是多少？", "value"),
        ("补贴标准是什么", "value"),
        ("流程要多久", "value"),
    ],
)
def test_the_last_noun_decides_what_is_asked(question, wanted):
    assert asked(question).wanted == wanted
