"""Follow-ups as people type them: each kind of completion, and what must stay as it is."""

from __future__ import annotations

import pytest

from rag.types import Clarification, ClarificationOption, Turn
from rag.understand.complete import complete


def after(*texts: str) -> list[Turn]:
    """Turns that alternate user and assistant."""
    return [
        Turn(role="user" if i % 2 == 0 else "assistant", content=text)
        for i, text in enumerate(texts)
    ]


CASES: dict[str, list[tuple[list[str], str, str]]] = {
    "verb is part of the topic": [
        (["转专业有什么要求", "绩点3.0以上。"], "要面试吗", "转专业要面试吗"),
        (["市一院做核磁共振要空腹吗", "不用。"], "多久出结果", "市一院做核磁共振多久出结果"),
        (["怎么帮孩子办理入学？", "先登记。"], "要先准备什么？", "帮孩子办理入学要先准备什么？"),
    ],
    "odd names stay whole": [
        (["刻着龙纹的钥匙有什么用？", "开门。"], "它在哪里用？", "刻着龙纹的钥匙在哪里用？"),
        (["地宫内东侧墓室怎么走？", "直走。"], "地宫内西侧墓室呢？", "地宫内西侧墓室怎么走？"),
    ],
    "attribute of the thing talked about": [
        (["故宫周一开门么", "周一闭馆。"], "门票多少钱", "故宫门票多少钱"),
        (["大额存单能提前支取不", "可以。"], "利息怎么算", "大额存单利息怎么算"),
        (["孩子三岁能上幼儿园吗", "可以。"], "学费多少", "幼儿园学费多少"),
    ],
    "another value": [
        (["3号线包装机的额定功率是多少", "5千瓦。"], "5号线的呢", "5号线包装机的额定功率是多少"),
        (["泰国签证多少钱", "免签。"], "日本的呢", "日本签证多少钱"),
        (["高压釜的设计压力是多少", "10MPa。"], "温度呢", "高压釜的设计温度是多少"),
        (["糖尿病人能吃西瓜吗", "少量。"], "葡萄呢", "糖尿病人能吃葡萄吗"),
        (["出差住宿标准是多少", "400元。"], "餐补标准呢", "出差餐补标准是多少"),
    ],
    "another end of a way": [
        (["从上海到杭州高铁多少钱", "73元。"], "那到南京呢", "从上海到南京高铁多少钱"),
        (["寄一箱苹果到哈尔滨多少钱", "12元。"], "寄到长春呢", "寄一箱苹果到长春多少钱"),
    ],
    "case": [
        (["大件快递上楼要加钱吗", "要。"], "没电梯呢", "没电梯的大件快递上楼要加钱吗"),
        (
            ["离职证明丢了能补吗", "联系原公司。"],
            "原公司倒闭了呢",
            "原公司倒闭了，离职证明丢了能补吗",
        ),
    ],
    "reference": [
        (
            ["布洛芬缓释胶囊饭前吃还是饭后吃", "饭后。"],
            "小孩能吃这个药吗",
            "小孩能吃布洛芬缓释胶囊吗",
        ),
        (["公司vpn老是掉线咋整", "升级客户端。"], "这个客户端在哪下", "公司vpn客户端在哪下"),
        (["房东不退押金怎么办", "可以起诉。"], "起诉他要哪些材料", "起诉房东要哪些材料"),
        (
            ["会议室投影仪怎么借", "找前台。"],
            "我们组的人都能用它吗",
            "我们组的人都能用会议室投影仪吗",
        ),
        (
            ["病假和事假工资怎么扣", "按比例。", "前者要证明吗", "要。"],
            "后者最多几天",
            "事假最多几天",
        ),
    ],
    "correction": [
        (["信用卡年费多少", "100元。"], "我不是问普卡，我问白金卡", "白金卡年费多少"),
        (["流感疫苗多少钱一针", "68元。"], "不好意思说错了，我想问HPV疫苗", "HPV疫苗多少钱一针"),
        (["打印机怎么连", "用USB线。"], "我说的是无线的", "无线打印机怎么连"),
    ],
    "return": [
        (
            ["婚假几天", "15天。", "丧假呢", "3天。"],
            "刚才那个婚假可以分开休吗",
            "婚假可以分开休吗",
        ),
        (
            ["社保卡怎么激活", "去银行。", "食堂几点开门", "7点。"],
            "回到社保卡，密码是多少",
            "社保卡密码是多少",
        ),
    ],
    "offer": [
        (
            ["99元套餐多少流量", "30G。我可以给您对比一下两种套餐。"],
            "那对比一下吧",
            "请对比一下两种套餐",
        ),
    ],
    "report of failure": [
        (["打印机连不上怎么办", "检查网线。"], "试了还是不行", "打印机试了还是不行"),
    ],
}


@pytest.mark.parametrize(
    ("earlier", "question", "expected"),
    [case for cases in CASES.values() for case in cases],
    ids=[f"{kind}-{i}" for kind, cases in CASES.items() for i in range(len(cases))],
)
def test_follow_ups(earlier: list[str], question: str, expected: str) -> None:
    made = complete(question, after(*earlier))
    assert made.standalone == expected
    assert made.changed and made.reason


@pytest.mark.parametrize(
    ("earlier", "question"),
    [
        (["年假怎么请", "在OA里提交。"], "食堂几点开门"),
        (["年假怎么请", "在OA里提交。"], "工资什么时候发"),
        (["年假怎么请", "在OA里提交。"], "门票多少钱"),
        (["报销单填错了怎么改", "退回重填。"], "食堂周末开门吗"),
        (["活期和定期哪个利息高", "定期高。"], "定期可以提前取吗"),
        (["公司年会几点开始？", "两点。"], "有哪些假期？"),
        (["羽毛球馆怎么预约", "小程序。"], "游泳馆要办卡吗"),
    ],
)
def test_questions_that_need_nothing_stay(earlier: list[str], question: str) -> None:
    assert complete(question, after(*earlier)).standalone == question


def test_topic_is_not_carried_past_something_else_that_was_told() -> None:
    history = after("年假怎么请", "在OA里提交。", "昨天客户送了一箱水果", "好的。")
    assert complete("怎么办理", history).standalone == "怎么办理"


def test_part_of_one_option_chooses_it() -> None:
    options = tuple(
        ClarificationOption(label=label, reply=label) for label in ("同行转账", "跨行转账")
    )
    asked = Clarification(slot="product", question="请问是哪种转账？", options=options)
    history = [
        Turn(role="user", content="转账手续费怎么收"),
        Turn(role="assistant", content=asked.question, clarification=asked, status="clarify"),
    ]
    assert complete("跨行的那种", history).standalone == "跨行转账手续费怎么收"


@pytest.mark.parametrize(
    "question", ["他们几点上班？", "她呢？", "它俩呢", "里面呢", "的呢", "那呢"]
)
@pytest.mark.parametrize(
    "earlier", [["年假", ""], ["？", "好的。"], ["他什么时候来？", "明天。"], []]
)
def test_messages_without_anything_to_refer_to_are_read(earlier: list[str], question: str) -> None:
    assert complete(question, after(*earlier)).standalone
