"""Nicknames of places in completed questions."""

from __future__ import annotations

from datetime import date

import pytest

from rag.understand.understand import understand

TODAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("帝都的租房补贴怎么申请？", "北京的租房补贴怎么申请？"),
        ("我同学在魔都，博士能拿多少", "我同学在上海，博士能拿多少"),
        ("鹏城的落户条件是什么？", "深圳的落户条件是什么？"),
        ("上海市的租房补贴怎么申请？", "上海市的租房补贴怎么申请？"),
        ("冰城堡咖啡几点开门？", "冰城堡咖啡几点开门？"),
    ],
)
def test_a_nickname_becomes_the_name(typed: str, meant: str) -> None:
    assert understand(typed, (), None, TODAY).standalone_question == meant
