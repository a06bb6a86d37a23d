"""Messages typed in haste: amounts, bare numbers, cases, several values, lead-ins."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pytest

from rag.types import (
    Clarification,
    ClarificationOption,
    DocumentMetadata,
    DocumentProfile,
    KnowledgeProfile,
    Turn,
)
from rag.understand.intent import is_small_talk
from rag.understand.understand import understand

TODAY = date(2024, 9, 20)
TOLD = "根据规定，具体见相关文件。[1]"
PUMPS = KnowledgeProfile(
    kb_ids=("kb",),
    documents=tuple(
        DocumentProfile(
            document_id=f"d{number}",
            name=f"QP-{number}水泵.pdf",
            title=f"QP-{number}水泵说明书",
            metadata=DocumentMetadata(product=f"QP-{number}"),
        )
        for number in ("150", "150S", "260")
    ),
)
HELD = {"qp-400": 2, "e07": 3}


def counts(terms: Iterable[str]) -> dict[str, int]:
    """Passages that hold a term."""
    return {term: HELD.get(term, 0) for term in terms}


def said(*texts: str, answer: str = TOLD) -> str:
    """The last of the user's messages, completed after the others were answered."""
    history: list[Turn] = []
    standalone = ""
    for text in texts:
        meaning = understand(text, history, PUMPS, TODAY, counts)
        standalone = meaning.standalone_question
        history += [
            Turn(role="user", content=text, standalone=standalone),
            Turn(role="assistant", content=answer, status="answered"),
        ]
    return standalone


COMPLETED = {
    "another amount takes the place of the whole of the last": [
        (["礼品费3800谁批", "那1万5的呢"], "礼品费1万5谁批"),
        (["礼品费1万2谁批", "3千呢"], "礼品费3千谁批"),
        (["打车800块能报吗", "2千5呢"], "打车2千5能报吗"),
        (["罚款200块怎么交", "300的呢"], "罚款300块怎么交"),
        (["付款超过3000元谁审批", "超过1万元的呢"], "付款超过1万元谁审批"),
        (["存款五万利率多少", "二十万的呢"], "存款二十万利率多少"),
        (["礼品费3800谁批", "5000"], "礼品费5000谁批"),
        (["旷工10分钟扣钱吗", "20呢"], "旷工20分钟扣钱吗"),
    ],
    "words that only lead in are no part of the question": [
        (["顺便，报价单能微信发吗"], "报价单能微信发吗"),
        (["丧假几天", "对了，那婚假呢"], "婚假几天"),
        (["丧假几天", "行吧 婚假呢"], "婚假几天"),
        (["丧假几天", "诶 怎么申请"], "丧假怎么申请"),
        (["丧假几天", "话说班车几点"], "班车几点"),
    ],
    "an attribute is asked of the thing, not put in its place": [
        (["试用期几个月啊 工资打折吗", "那病假呢"], "试用期的病假怎么规定？"),
        (["QP-150多少钱", "滤芯呢"], "滤芯多少钱"),
        (["QP-150几天能发货", "质保呢 能不能延"], "QP-150的质保怎么规定，质保能不能延"),
        (["实习期多久 有补贴吗", "那社保呢"], "实习期多久 有社保吗"),
    ],
    "which of several things": [
        (["室外那款几天能发货", "质保呢"], "室外那款的质保怎么规定？"),
        (["QP-150多少钱一台", "这政策发了没"], "QP-150的政策发了没"),
    ],
    "the person of the last answer": [
        (["滤芯谁负责", "他分机"], "陆一帆的分机"),
        (["滤芯谁负责", "那她邮箱呢"], "陆一帆的邮箱"),
    ],
    "a case is told": [
        (["双胞胎产假几天", "要是还难产"], "要是还难产，双胞胎产假几天"),
        (["押金多久退", "如果提前退租呢"], "如果提前退租，押金多久退"),
        (["健身房怎么预约", "要是我们晚到20分钟呢"], "健身房要是我们晚到20分钟怎么办"),
        (["年假几天", "我刚转正 能休吗"], "我刚转正，年假能休吗"),
        (
            ["上海租房补贴多少", "社保要交几个月", "我36了 有影响吗"],
            "我36了，上海租房补贴有影响吗",
        ),
        (["QP-150多少钱一台", "客户要20台"], "买20台，QP-150多少钱一台"),
        (["QP-150保修多久", "去年8月买的"], "去年8月买的，QP-150保修多久"),
    ],
    "words that only point": [
        (["样机谁盯的", "滤芯那个呢"], "滤芯谁盯的"),
        (["病假几天", "刚才那个婚假呢"], "婚假几天"),
        (["QP-150多少钱", "260那款呢"], "QP-260多少钱"),
    ],
    "clauses parted by a blank": [
        (["我住大学城那边 班车几点", "晚上几点回"], "班车晚上几点回"),
        (["下周二15个人开视频会 订哪间好", "怎么订啊"], "视频会怎么订啊"),
    ],
    "what is asked of the last thing": [
        (["年假几天", "能分开休不"], "年假能分开休不"),
        (["QP-150多少钱", "现在还有货没"], "QP-150现在还有货没"),
        (["QP-150啥时候发布", "价格定了没"], "QP-150价格定了没"),
        (["健身房怎么订", "能订一整天吗"], "健身房能订一整天吗"),
    ],
    "several values at once": [
        (["租房补贴能领多少", "上海 硕士"], "上海硕士租房补贴能领多少"),
        (["租房补贴能领多少", "北京 2023年"], "2023年北京租房补贴能领多少"),
    ],
    "models by their number": [
        (["150多少钱一台"], "QP-150多少钱一台"),
        (["400啥时候发布"], "QP-400啥时候发布"),
        (["150s防水吗"], "QP-150S防水吗"),
        (["150和260有啥区别"], "QP-150和QP-260有啥区别"),
        (["我买的是260，怎么校准"], "我买的是QP-260，怎么校准"),
    ],
    "codes that a device reports": [
        (["还有一台是E7"], "E07怎么办"),
        (["屏幕写着E07"], "E07怎么办"),
    ],
}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [case for cases in COMPLETED.values() for case in cases],
    ids=[f"{kind}-{i}" for kind, cases in COMPLETED.items() for i in range(len(cases))],
)
def test_what_is_typed_in_haste(texts: list[str], expected: str) -> None:
    assert said(*texts, answer="由研发部陆一帆负责，分机8301。[1]") == expected


@pytest.mark.parametrize(
    "texts",
    [
        ["电话是多少", "110呢"],
        ["3000元的礼品和200元的餐费谁批", "500呢"],
        ["25号以后才交上来的咋办", "有人传的电子票是截图 能过吗"],
        ["下周二开视频会 订哪间好", "有俩外面客人来 咋登记"],
        ["上季度报修多少", "下次例会几号来着"],
        ["门禁卡丢了怎么办", "我今天忘带工牌了 怎么进"],
        ["收入证明怎么开", "我刚入职，要带什么材料来报到"],
        ["现场一台报E07", "新的多少钱啊 几天到"],
        ["双胞胎产假几天", "她老公也是咱公司的，他能休多少", "可以分开休吗"],
        ["京东下单要多久", "要是能自取就好了"],
        ["150块能报销吗"],
        ["260能报吗"],
        ["150以内谁批"],
        ["999多少钱一台"],
        ["重启等150s"],
        ["2024什么时候发布"],
        ["对了解公司文化有帮助的资料在哪"],
        ["话费能报销吗"],
        ["行李丢了怎么办"],
        ["A4纸在哪领"],
        ["话说的太早"],
    ],
)
def test_what_says_itself_stays(texts: list[str]) -> None:
    assert said(*texts) == texts[-1]


def test_nobody_is_named_where_the_last_question_for_a_person_failed() -> None:
    history = [
        Turn(role="user", content="样机谁负责"),
        Turn(role="assistant", content="由研发部段明远负责。[1]", status="answered"),
        Turn(role="user", content="滤芯谁负责"),
        Turn(role="assistant", content="根据现有信息无法确定。", status="refused"),
    ]
    assert understand("他分机", history, PUMPS, TODAY).standalone_question == "他分机"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("上海，硕士", "上海硕士租房补贴能领多少"),
        ("硕士 上海", "上海硕士租房补贴能领多少"),
        ("上海吧，我研究生毕业", "上海研究生租房补贴能领多少"),
        ("现在还能申请不", "租房补贴现在还能申请不"),
    ],
)
def test_reply_with_several_values(reply: str, expected: str) -> None:
    options = tuple(ClarificationOption(label=r, reply=r) for r in ("上海", "北京", "深圳"))
    asked = Clarification(slot="region", question="请问是哪个城市？", options=options)
    history = [
        Turn(role="user", content="租房补贴能领多少"),
        Turn(role="assistant", content=asked.question, clarification=asked, status="clarify"),
    ]
    assert understand(reply, history, None, TODAY).standalone_question == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        *((m, True) for m in ("唉 好吧", "唉", "那好吧", "哎，行吧行吧", "好吧，我再看看")),
        *((m, True) for m in ("搞定了", "好的呢", "好滴", "怪不得", "天哪", "好的我去问问人事")),
        *((m, False) for m in ("没了吗", "解决了吗", "好麻烦啊怎么办", "可惜了 还能补吗")),
        *((m, False) for m in ("收到通知了", "试用期", "额度多少", "先看看年假")),
    ],
)
def test_sighs_and_content_are_small_talk(message: str, expected: bool) -> None:
    assert is_small_talk(message) is expected
