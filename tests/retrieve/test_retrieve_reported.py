"""Faults that users of such systems report of their search; each must not happen here."""

from __future__ import annotations

import pytest
from retrieve_world import World

FILLER = [
    "食堂午餐时间为十一点半到十二点半。",
    "班车早上七点二十分从地铁口发车。",
    "打印机缺纸时亮红灯，加纸后按确认键。",
    "图书借阅期限为三十日，可以续借一次。",
    "会议室须提前一天在系统里预约。",
]


def alone(world: World, dense_weight: float):
    return world.settings.retrieval.model_copy(
        update={"dense_weight": dense_weight, "dense_candidates": 1}
    )


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("健康", "员工每年可以做一次健康检查。"),
        ("安全", "进入车间须佩戴安全帽。"),
        ("年假", "满一年的员工享有五天带薪年假。"),
    ],
)
def test_a_question_of_two_characters_is_found(world: World, question: str, passage: str) -> None:
    world.add("手册.txt", [*FILLER, passage])
    assert world.texts(question)[0] == passage


@pytest.mark.parametrize("question", ["打印机缺纸怎么办", "图书能借多久", "班车几点发车"])
def test_keyword_search_alone_finds_chinese(world: World, question: str) -> None:
    world.add("手册.txt", FILLER)
    found = world.retriever.search(
        world.plan(question), settings=alone(world, 0.0), rerank=False, stages=True
    )
    sparse = next(stage for stage in found.stages if stage.name == "sparse")
    assert sparse.ranked
    assert found.hits[0].chunk.id == sparse.ranked[0][0]
    assert found.hits[0].chunk.text[:2] == question[:2]


def test_the_named_model_comes_first(world: World) -> None:
    world.add(
        "价目.txt", ["ABC-124型号售价五百元。", "ABC-123型号售价三百元。", "ABC-12型号停产。"]
    )
    assert world.texts("ABC-123型号多少钱")[0] == "ABC-123型号售价三百元。"
    assert world.texts("ABC-124型号多少钱")[0] == "ABC-124型号售价五百元。"
    assert world.texts("ABC-12型号多少钱")[0] == "ABC-12型号停产。"


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("三码是什么", "三码指身份证号码、手机号码和银行卡号码。"),
        ("三码", "三码指身份证号码、手机号码和银行卡号码。"),
        ("翀鹄晟科技的电话", "供应商：翀鹄晟科技有限公司，电话见合同附件。"),
    ],
)
def test_a_rare_word_or_name_comes_first(world: World, question: str, passage: str) -> None:
    others = [
        "两码事不可混为一谈。",
        "三轮车和号码牌由门卫保管。",
        "供应商：鹏晟科技有限公司，电话见附件。",
    ]
    world.add("手册.txt", [*FILLER, *others, passage])
    assert world.texts(question)[0] == passage


def test_unrelated_questions_find_different_passages(world: World) -> None:
    world.add("手册.txt", FILLER)
    assert world.texts("打印机亮红灯")[0] != world.texts("班车从哪里发车")[0]
    lists = [world.texts(question) for question in ("打印机亮红灯", "班车从哪里发车")]
    assert lists[0] != lists[1]


@pytest.mark.parametrize(
    "question",
    [
        "`",
        "```",
        '"',
        "''",
        "%",
        "%%_",
        "\\",
        "😀",
        "👨‍👩‍👧",
        "“”",
        "「」",
        "《》",
        "()",
        "{{}}",
        "null",
    ],
)
def test_questions_of_signs_alone_end_without_an_error(world: World, question: str) -> None:
    world.add("手册.txt", FILLER)
    found = world.retriever.search(world.plan(question), stages=True)
    assert len(found.hits) <= len(FILLER)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("ＡＢＣ－１２３", "ABC-123 的保修期为两年。"),
        ("軟體怎麼安裝", "软件安装前请先联网。"),
        ("abc-123", "ABC-123 的保修期为两年。"),
    ],
)
def test_width_script_and_case_do_not_matter(world: World, question: str, passage: str) -> None:
    world.add("手册.txt", [*FILLER, "ABC-123 的保修期为两年。", "软件安装前请先联网。"])
    assert world.texts(question)[0] == passage


def test_rerank_scores_are_probabilities(world: World) -> None:
    world.add("手册.txt", FILLER)
    for question in ("打印机缺纸怎么办", "完全无关的宇宙飞船", "的"):
        hits = world.retriever.search(world.plan(question)).hits
        assert all(0 <= hit.scores["rerank"] <= 1 for hit in hits)
