"""Another value takes the place of its sibling; never both are left."""

from __future__ import annotations

import pytest

from rag.types import Turn
from rag.understand.complete import complete
from rag.understand.names import find_names


def last_of(*texts: str) -> str:
    """The completed form of the last message; the others alternate user and assistant."""
    *earlier, question = texts
    history = [
        Turn(role="user" if i % 2 == 0 else "assistant", content=text or "按规定执行。[1]")
        for i, text in enumerate(earlier)
    ]
    return complete(question, history).standalone


@pytest.mark.parametrize(
    ("earlier", "question", "expected"),
    [
        # The same head, with all that names the old value.
        ("2021年南湖校区住宿费多少", "北山校区呢", "2021年北山校区住宿费多少"),
        ("城东游泳馆成人季卡多少钱", "年卡呢", "城东游泳馆年卡多少钱"),
        ("科技馆特展联票多少钱", "那夜场票呢", "科技馆夜场票多少钱"),
        ("标准版年卡怎么退", "那次卡呢", "次卡怎么退"),
        ("大众点评专属套餐TC-07多少钱", "家庭欢聚套餐呢", "家庭欢聚套餐多少钱"),
        # The same class of words.
        ("营业厅工作日几点关门", "周六呢", "营业厅周六几点关门"),
        ("在职职工体检报销多少", "退休的呢", "退休体检报销多少"),
        ("二级保密室由谁管理", "那一级呢", "一级保密室由谁管理"),
        ("省内流量多少钱一个G", "省外呢", "省外流量多少钱一个G"),
        # The same shape.
        ("小型车过桥费多少", "大型呢", "大型车过桥费多少"),
        # A part of the thing stays with it.
        ("龙腾白金卡年费多少", "附属卡多少", "龙腾白金卡附属卡年费多少"),
        # The head is left out.
        ("飞驰黄金卡积分怎么兑换", "白金的呢", "飞驰白金卡积分怎么兑换"),
        # Owners and people.
        ("赵敏的报销单批了吗", "孙丽娟的报销单呢", "孙丽娟的报销单批了吗"),
        ("赵敏的报销单批了吗", "孙丽娟呢", "孙丽娟的报销单批了吗"),
        # Several kinds at once.
        ("四川2022年失业金多少", "换成2021年贵州呢", "贵州2021年失业金多少"),
        ("2022年南湖校区住宿费多少", "那2021年北山校区呢", "2021年北山校区住宿费多少"),
        # What has no sibling goes in front.
        ("门诊一年最多报多少", "我问的是退休的", "退休门诊一年最多报多少"),
    ],
)
def test_a_sibling_is_replaced(earlier: str, question: str, expected: str) -> None:
    assert last_of(earlier, "", question) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("保卫处处长是谁", "处长是高志远。[1]", "他电话多少"), "高志远电话多少"),
        (("谁负责招聘", "由林晓梅负责。[1]", "她的邮箱是什么"), "林晓梅的邮箱是什么"),
        (
            ("轻享套餐T1多少钱", "88元。[1]", "那尊享套餐呢", "188元。[1]", "这个套餐送话费吗"),
            "尊享套餐送话费吗",
        ),
        (("平台怎么停用账号", "", "过期了怎么恢复"), "平台过期了怎么恢复"),
        (
            ("烤箱E4怎么处理", "", "食堂几点开门", "", "再说回烤箱，那个E7怎么处理"),
            "烤箱E7怎么处理",
        ),
        (
            ("云帆健身退课能退多少", "", "停车怎么收费", "", "回到刚才退课的事，要多久到账"),
            "云帆健身退课要多久到账",
        ),
    ],
)
def test_references_and_returns(texts: tuple[str, ...], expected: str) -> None:
    assert last_of(*texts) == expected


@pytest.mark.parametrize(
    "question", ["公交卡押金多少", "食堂几点开门", "访客停车怎么收费", "实习证明找谁开"]
)
def test_a_new_topic_stays_itself(question: str) -> None:
    assert last_of("龙腾白金卡年费多少", "680元。[1]", question) == question


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("主任为罗建国。", ["罗建国"]),
        ("由张伟和陈建华负责", ["张伟", "陈建华"]),
        ("金卡额度多少", []),
        ("周末几点开门", []),
        ("林业局电话", []),
        ("高层住宅", []),
    ],
)
def test_personal_names(text: str, names: list[str]) -> None:
    assert [text[start:end] for start, end in find_names(text)] == names
