"""Passages about another thing of the same kind stand back."""

from __future__ import annotations

import pytest

from rag.retrieve.rerank import LocalReranker
from rag.retrieve.subject import PENALTY, rival_penalties
from rag.types import Chunk, DocumentMetadata, Hit


@pytest.mark.parametrize(
    ("titles", "texts", "penalised"),
    [
        (("体检卡收费", "购物卡问答"), ("补办十元。", "购物卡掉了补办五元。"), [False, True]),
        (("体检卡收费", "购物卡问答"), ("补办十元。", "体检卡不适用。"), [False, False]),
        (("体检卡收费", "停车须知"), ("补办十元。", "掉了补办五元。"), [False, False]),
        (("医院收费", "购物卡问答"), ("体检卡十元。", "补办五元。"), [False, False]),
        (("体检卡收费", "卡路里手册"), ("补办十元。", "每日两千。"), [False, False]),
    ],
)
def test_another_thing_of_the_kind(
    titles: tuple[str, ...], texts: tuple[str, ...], penalised: list[bool]
) -> None:
    found = rival_penalties(["体检卡", "掉", "补办"], [1.0, 0.2, 0.8], titles, texts)
    assert [penalty > 0 for penalty in found] == penalised
    assert max(found) <= PENALTY


def test_the_title_s_subject_beats_everyday_words() -> None:
    def hit(title: str, text: str, dense: float) -> Hit:
        about = DocumentMetadata(title=title)
        chunk = Chunk(id=title, document_id=title, kb_id="k", ordinal=0, text=text, metadata=about)
        return Hit(chunk=chunk, scores={"dense": dense, "sparse": 20 * dense, "fused": dense})

    own = hit("体检卡收费标准", "项目：补办费；收费标准：每张十五元；备注：当场取卡", 0.87)
    other = hit("购物卡问答", "问：购物卡掉了怎么办？\n答：购物卡补办收五元工本费。", 0.88)
    mine, rival = LocalReranker().score("体检卡掉了补办要钱吗", [own, other])
    assert mine > rival
    assert mine > 0.05
