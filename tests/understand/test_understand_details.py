"""Follow-ups that ask for a detail of the topic, or tell of a fault, as people type them."""

from __future__ import annotations

import pytest

from rag.types import Turn
from rag.understand.complete import complete
from rag.understand.intent import classify
from rag.understand.phrases import topic


def said(*texts: str) -> str:
    """The last of `texts` in full, after the others, which were answered."""
    history: list[Turn] = []
    for text in texts[:-1]:
        meant = complete(text, history, None).standalone
        history.append(Turn(role="user", content=text, standalone=meant))
        history.append(Turn(role="assistant", content="见有关规定。[1]", status="answered"))
    return complete(texts[-1], history, None).standalone


@pytest.mark.parametrize(
    ("texts", "meant"),
    [
        (("病假找谁批", "超过三天呢", "工资怎么算的"), "病假工资怎么算的"),
        (("婚假有几天", "工资照发吗"), "婚假工资照发吗"),
        (("事假扣钱吗", "一年最多能请几天"), "事假一年最多能请几天"),
        (("病假扣学分吗", "一学期最多请几次", "材料要哪些"), "病假材料要哪些"),
        (("上海本科生租房补贴怎么申请", "咨询电话给我一个"), "上海租房补贴咨询电话给我一个"),
        (("胃镜检查要预约吗", "地点在几楼"), "胃镜检查地点在几楼"),
        (("那退宿要赔钱吗", "押金什么时候退"), "退宿押金什么时候退"),
        (("滤芯多久换一次", "换的时候要断电吗"), "换滤芯的时候要断电吗"),
        (("换墨盒要关机吗", "换完要校准吗"), "墨盒换完要校准吗"),
        (("换墨盒要关机吗", "墨盒多少钱一个"), "墨盒多少钱一个"),
        (("出差回来最晚什么时候报", "报完多久到账"), "出差报销完多久到账"),
        (("幼儿园伙食费一学期多少", "什么时候交"), "幼儿园伙食费什么时候交"),
    ],
)
def test_a_detail_is_of_the_topic(texts: tuple[str, ...], meant: str) -> None:
    assert said(*texts) == meant


@pytest.mark.parametrize(
    ("texts", "meant"),
    [
        (("滤网多长时间换一次", "ZW-100S的呢"), "ZW-100S的滤网多长时间换一次"),
        (("滤网多长时间换一次", "ZW-100S的呢", "一套多少钱"), "滤网一套多少钱"),
        (("滤网多长时间换一次", "ZW-100S的呢", "什么颜色"), "ZW-100S的滤网什么颜色"),
        (("状态灯一直红着是啥意思", "闪红灯呢"), "闪红灯是啥意思"),
        (("路由器红灯常亮怎么回事", "蓝灯闪呢"), "路由器蓝灯闪怎么回事"),
        (("今年三季度卖了多少台", "ZW-100S占多少"), "今年三季度ZW-100S卖了多少台"),
        (
            ("今年三季度卖了多少台", "ZW-100S占多少", "退货率呢"),
            "今年三季度退货率是多少",
        ),
        (("招待客户谁来审批", "5000块的呢"), "招待客户5000块的谁来审批"),
        (("住院医保报多少", "门诊呢"), "门诊医保报多少"),
        (("产假多少天", "难产的话呢"), "难产的话，产假多少天"),
        (("门诊医保报销多少", "异地的话呢"), "异地门诊医保报销多少"),
        (("周末加班工资怎么算", "国庆的呢"), "国庆加班工资怎么算"),
        (("珠穆朗玛峰有多高？", "石家庄的租房补贴呢？"), "石家庄的租房补贴呢？"),
        (("食堂二楼几点开饭", "生育津贴呢"), "生育津贴呢"),
        (
            ("今年上海租房补贴发的时间多长", "北京呢", "这两个地方哪个发的时间长"),
            "今年上海和北京租房补贴哪个发的时间长",
        ),
        (("今年苏州和南京最低工资多少", "这两个地方哪个高"), "今年苏州和南京最低工资哪个高"),
    ],
)
def test_another_value_takes_only_what_it_replaces(texts: tuple[str, ...], meant: str) -> None:
    assert said(*texts) == meant


@pytest.mark.parametrize(
    ("texts", "meant"),
    [
        (("屏幕上显示E08",), "E08怎么办"),
        (("显示错误代码691",), "错误代码691怎么办"),
        (("屏幕上显示E08", "哪些型号会有这个问题"), "E08哪些型号会有这个问题"),
        (("屏幕上显示E08", "还是修不好打什么电话"), "设备修不好打什么电话"),
        (("屏幕上显示E08", "一般修多久"), "维修一般要多久"),
        (("路由器红灯常亮怎么回事", "显示错误代码691", "保修期多长"), "路由器保修期多长"),
    ],
)
def test_a_reported_code_is_what_is_talked_about(texts: tuple[str, ...], meant: str) -> None:
    assert said(*texts) == meant


@pytest.mark.parametrize(
    "texts",
    [
        ("报销要几天", "咨询电话是多少"),
        ("年假怎么请", "工资什么时候发"),
        ("今年三季度退货率是多少", "退货率比二季度高了还是低了"),
        ("收入证明怎么开", "我刚入职，要带什么材料来报到"),
    ],
)
def test_what_needs_nothing_stays(texts: tuple[str, ...]) -> None:
    assert said(*texts) == texts[-1]


def test_a_screen_is_no_part_of_what_is_asked() -> None:
    assert topic("设备屏幕上显示E08怎么办") == "E08"
    assert topic("事假扣钱吗") == "事假"
    assert classify("屏幕上显示E08")[0] == "troubleshooting"
    assert classify("屏幕上显示3000元")[0] != "troubleshooting"
