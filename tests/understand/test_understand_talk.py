"""Follow-ups as people type them, in other fields than the samples: what is taken along."""

from __future__ import annotations

from datetime import date

import pytest

from rag.types import (
    Clarification,
    ClarificationOption,
    DocumentProfile,
    KnowledgeProfile,
    Turn,
)
from rag.understand.complete import complete
from rag.understand.homophones import repaired
from rag.understand.names import officers
from rag.understand.spelling import in_full
from rag.understand.understand import understand

TODAY = date(2024, 9, 20)


def after(*texts: str) -> list[Turn]:
    """Turns of user and assistant by turns, the answers being answers."""
    return [
        Turn(role="assistant", content=text, status="answered")
        if at % 2
        else Turn(role="user", content=text)
        for at, text in enumerate(texts)
    ]


def said(*texts: str, profile: KnowledgeProfile | None = None) -> str:
    """What the last text means after the others."""
    return complete(texts[-1], after(*texts[:-1]), profile).standalone


@pytest.mark.parametrize(
    ("before", "answer", "typed", "meant"),
    [
        # The subject with its way or place goes along, not only its first noun.
        ("医生去社区坐诊一天补多少", "补200元。", "迟到了咋办", "医生去社区坐诊迟到了咋办"),
        (
            "医生去社区坐诊一天补多少",
            "补200元。",
            "下雨天去的话有额外补贴吗",
            "医生去社区坐诊下雨天去的话有额外补贴吗",
        ),
        (
            "专家在外地开庭住宿费怎么报",
            "凭票报。",
            "超标了怎么办",
            "专家在外地开庭住宿费超标了怎么办",
        ),
        (
            "货车从杭州到宁波运费多少",
            "800元。",
            "过节期间会涨吗",
            "货车从杭州到宁波运费过节期间会涨吗",
        ),
        ("租房补贴硕士每月多少", "1800元。", "博士呢", "租房补贴博士每月多少"),
        # A number of the same measure takes the place of the last one.
        ("病假工龄8年能拿多少工资", "全部。", "3年呢", "病假工龄3年能拿多少工资"),
        ("血压药吃3个月能停吗", "不能。", "半年呢", "血压药吃半年能停吗"),
        ("两个人合住一个月多少钱", "1200元。", "三个人呢", "三个人合住一个月多少钱"),
        ("住两晚要押金吗", "要200元。", "三晚的呢", "住三晚要押金吗"),
        ("25岁买重疾险一年多少钱", "3000元。", "30岁呢", "30岁买重疾险一年多少钱"),
        ("满500元包邮吗", "包邮。", "300元呢", "满300元包邮吗"),
        ("2023年学费多少", "5000元。", "2024年呢", "2024年学费多少"),
        # A day without its month has that of the answer.
        ("3月5号能立案吗", "3月9日前不办，4月12日恢复。", "那12号呢", "4月12号能立案吗"),
        ("3月5号能立案吗", "能。", "那12号呢", "3月12号能立案吗"),
        # A new predicate leaves the old condition behind; a case is added.
        ("病假工龄8年能拿多少工资", "全部。", "没休满能补钱吗", "病假没休满能补钱吗"),
        ("学费没交清能考试吗", "不能。", "休学的时候呢", "休学的时候，学费没交清能考试吗"),
        ("住院的时候能报销吗", "能。", "门诊的时候呢", "门诊的时候能报销吗"),
        ("补考费多少", "50元。", "我是大四的", "我是大四的，补考费多少"),
        ("图书能借几本", "5本。", "我是研究生", "研究生图书能借几本"),
        # An attribute is of the thing under discussion.
        ("X9咖啡机怎么除垢", "按说明。", "水箱容量呢", "X9咖啡机的水箱容量是多少？"),
        ("Q3洗衣机漏水怎么办", "检查管路。", "保修期限呢", "Q3洗衣机的保修期限是什么？"),
        ("保险理赔流程是什么", "先报案。", "所需材料呢", "保险理赔的所需材料是什么？"),
        ("住宿标准是多少", "300元。", "交通标准呢", "交通标准是多少"),
        # 换 is a verb unless it says what else is meant.
        ("空调滤芯多久洗一次", "一个月。", "换完要晾干吗", "空调滤芯换完要晾干吗"),
        ("电池多少钱", "50元。", "换一次多少钱", "电池换一次多少钱"),
        ("社保卡怎么办", "去窗口。", "换成医保卡呢", "医保卡怎么办"),
        ("去北京的高铁票怎么报", "凭票。", "换上海呢", "去上海的高铁票怎么报"),
        # Politeness stays behind.
        ("麻烦问下体检几点开始", "8点。", "好的，那抽血呢", "抽血几点开始"),
        ("我想咨询一下退学费的流程", "先申请。", "那转专业呢", "转专业的流程"),
        ("挂号费多少", "10元。", "知道了，谢谢，停车场在哪", "停车场在哪"),
        ("净水器滤芯多久换", "半年。", "好吧，那漏水怎么办", "净水器滤芯漏水怎么办"),
        # What is compared with, when something is done, what that one is.
        ("XK-30噪音多大", "45分贝。", "比XK-20安静吗", "XK-30噪音比XK-20安静吗"),
        ("手术同意书谁签", "家属签。", "什么时候签", "手术同意书什么时候签"),
        ("三楼那个会议室能坐几个人", "20人。", "怎么预订", "三楼会议室怎么预订"),
        ("KT-60啥时候上市", "2025年6月。", "卖多少钱", "KT-60卖多少钱"),
        ("M5扫地机能延保吗", "能。", "多少钱一年", "M5扫地机延保多少钱一年"),
        ("请假怎么审批", "组长批。", "回来多久内销假", "请假回来多久内销假"),
        # What the answer named.
        ("门诊预约爽约几次会停", "累计3次的账号停用90天。", "停了怎么恢复", "账号停了怎么恢复"),
        (
            "检修期间退款还办理不",
            "检修期间暂停退款，6月3日恢复。",
            "何时恢复",
            "退款何时恢复",
        ),
        ("泵房多久巡检一次", "每班一次，由设备科王建负责。", "他电话多少", "王建电话多少"),
        ("打卡异常找谁", "找考勤专员罗敏。", "这个人分机多少", "罗敏分机多少"),
        ("手册里迟到扣钱吗", "扣50元。", "迟到30分钟呢", "手册里迟到30分钟扣钱吗"),
        ("净水器多久能修好", "3天。", "修不好呢", "净水器修不好怎么办"),
        ("年假能折现吗", "不能。", "辞职的话呢", "辞职的话，年假能折现吗"),
        ("论文几号截止", "9月1日。", "晚到三天行吗", "论文晚到三天行吗"),
        ("RX-1和RX-2哪个便宜", "RX-1便宜。", "那它能室外用吗", "RX-1能室外用吗"),
        ("健身房几点开", "8点。", "年卡多少钱", "健身房年卡多少钱"),
    ],
)
def test_what_is_taken_along(before: str, answer: str, typed: str, meant: str) -> None:
    assert said(before, answer, typed) == meant


@pytest.mark.parametrize(
    "typed",
    [
        *("五一放几天", "国庆上班吗", "停车要钱不", "宿舍怎么申请", "工资什么时候发"),
        *("客服电话是多少", "什么时候体检", "屏幕那个问题谁跟进", "我不想休了", "我明白了"),
        *("换证要体检吗", "咨询电话是多少", "查询密码忘了怎么办"),
        *("哦哦好的", "图书馆几点关门", "行李怎么寄存"),
    ],
)
def test_what_stands_alone_is_left_alone(typed: str) -> None:
    assert said("报销要几天", "5天。", typed) == typed


def test_the_question_before_a_refusal_is_the_one_that_is_asked_again() -> None:
    texts = ("夜班津贴M3级一晚多少", "60元。", "食堂M3能坐包间吗", "没有找到。", "M4呢")
    assert said(*texts) == "食堂M4能坐包间吗"


def test_two_of_a_kind_are_the_last_two_named() -> None:
    models = ("M5扫地机多少钱", "1999元。", "M7呢", "2999元。")
    assert said(*models, "这两个型号哪个吸力大") == "M5和M7扫地机哪个吸力大"
    assert said(*models, "前者送滤网吗").startswith("M5")
    assert said(*models, "都送滤网吗") == "M5和M7扫地机都送滤网吗"
    places = ("杭州生育津贴发多久", "98天。", "成都呢", "128天。")
    assert said(*places, "这两个城市哪个发得多") == "杭州和成都生育津贴哪个发得多"


def test_a_question_of_its_own_is_no_reply_to_what_we_asked() -> None:
    asked = Clarification(
        slot="region",
        question="请问您想了解哪个地区的规定？",
        options=tuple(ClarificationOption(label=o, reply=o) for o in ("北京", "杭州")),
    )
    history = [
        Turn(role="user", content="生育津贴发多久"),
        Turn(role="assistant", content=asked.question, clarification=asked, status="clarify"),
    ]
    meant = {
        "杭州要准备哪些材料": "杭州生育津贴要准备哪些材料",
        "杭州是多少": "杭州生育津贴发多久",
        "那请假流程是啥样的": "那请假流程是啥样的",
    }
    for typed, standalone in meant.items():
        assert complete(typed, history).standalone == standalone


@pytest.mark.parametrize("typed", ["好 谢啦", "谢谢", "ok 拜拜"])
def test_thanks_are_no_reply_to_what_we_asked(typed: str) -> None:
    options = (ClarificationOption(label="年假", reply="年假"),)
    asked = Clarification(slot="reference", question="请问您指的是哪一项？", options=options)
    history = [
        Turn(role="user", content="广州那边有这种补贴没"),
        Turn(
            role="assistant", content="请问您指的是哪一项？", status="clarify", clarification=asked
        ),
    ]
    assert complete(typed, history).standalone == typed


def test_a_person_whom_nobody_named_is_asked_about() -> None:
    made = complete("这个人电话多少", after("密码输错几次会锁", "5次。"))
    assert made.standalone == "这个人电话多少" and made.unresolved


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("那100s需要吗", "那ZW-100S需要吗"),
        ("200能用吗", "ZW-200能用吗"),
        ("200元能报吗", "200元能报吗"),
        ("超过200的怎么办", "超过200的怎么办"),
        ("300s多少钱", "300s多少钱"),
    ],
)
def test_a_short_code_is_the_model_that_was_named(typed: str, meant: str) -> None:
    profile = KnowledgeProfile(
        kb_ids=("kb",),
        documents=(DocumentProfile(document_id="a", name="a.md", title="ZW-100S安装指南"),),
    )
    assert in_full(typed, ["ZW-200用4G要另外买东西不"], profile) == meant


def test_a_bare_modal_asks_the_last_question_of_another_model() -> None:
    assert said("BT-5接外放要转接头吗", "要。", "那BT-7需要吗") == "BT-7接外放要转接头吗"


def test_parts_ask_for_the_price_and_keep_their_subject() -> None:
    def parts(question: str) -> tuple[str, ...]:
        return understand(question, (), None, TODAY).sub_questions

    assert parts("KT-60比KT-50贵吗") == ("KT-60多少钱？", "KT-50多少钱？")
    assert parts("E07最近是不是挺多的？报了多少件") == ("E07最近是不是挺多的？", "E07报了多少件？")


_DOCUMENTS = (
    "婚假为十天，病假须有证明。报销凭发票。社保由公司缴纳。更换滤网。密码每季更换。公示七天。"
    "出差补贴按月申请。丢了的可以补办。"
)


def _counts(pairs: object) -> dict[str, int]:
    return {pair: _DOCUMENTS.count(pair) for pair in pairs}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("婚嫁有几天", "婚假有几天"),
        ("报消多久到账", "报销多久到账"),
        ("社包怎么交", "社保怎么交"),
        ("滤往多久换", "滤网多久换"),
        ("密马忘了怎么办", "密码忘了怎么办"),
        ("出差补帖多少", "出差补贴多少"),
        ("社宝断了怎么办", "社保断了怎么办"),
        ("补贴怎么申清", "补贴怎么申请"),
        ("用完餐去哪", "用完餐去哪"),
        ("公式怎么算", "公式怎么算"),
        ("大巴几点开", "大巴几点开"),
        ("哪几天要补班", "哪几天要补班"),
        ("段明远负责什么", "段明远负责什么"),
        ("病假要交什么", "病假要交什么"),
        ("E04怎么处理", "E04怎么处理"),
    ],
)
def test_words_of_the_same_sound_are_those_of_the_documents(typed: str, meant: str) -> None:
    assert repaired(typed, _counts) == meant
    assert understand(typed, (), None, TODAY, _counts).standalone_question == meant


def test_people_are_named_behind_their_office() -> None:
    assert officers("由设备科王建负责，联系考勤专员罗敏。") == ["王建", "罗敏"]
    assert officers("财务部付款办理，技术部高效处理") == []
