"""Twenty questions that must be asked back about, forty that must not, over one library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from rag.types import (
    Chunk,
    DocumentMetadata,
    DocumentProfile,
    Hit,
    KnowledgeProfile,
    Slots,
    Turn,
    Understanding,
)
from rag.understand.ambiguity import ALL_OF_THEM, judge
from rag.understand.regions import related
from rag.understand.understand import understand

TODAY = date(2026, 11, 30)
PHONES = """| 姓名 | 部门 | 电话 | 工位 |
| --- | --- | --- | --- |
| 陈晓 | 财务部 | 6101 | A101 |
| 陈晓 | 市场部 | 6202 | B202 |
| 李婷 | 法务部 | 6303 | C303 |
| 周远 | 技术部 | 6404 | D404 |
| 吴凡 | 采购部 | 6505 | D404 |
| 吴凡 | 行政部 | 6505 | E505 |"""
PRICES = """| 产品线 | 版本 | 月费（元） | 存储 |
| --- | --- | --- | --- |
| 云盘 | 标准版 | 30 | 1TB |
| 云盘 | 旗舰版 | 90 | 5TB |
| 会议 | 标准版 | 50 | 无 |
| 会议 | 旗舰版 | 150 | 无 |
| 邮箱 | 企业版 | 20 | 50GB |"""
ROOMS = """| 会议室 | 容纳人数 | 开放时间 |
| --- | --- | --- |
| 云栖厅 | 20人 | 8点 |
| 望江厅 | 12人 | 9点 |
| 听雨轩 | 6人 | 8点 |"""
Row = tuple[str, str | None, int | None, str | None, str]
LIBRARY: list[Row] = [
    # title, region, year, product, text
    (
        "南京市高龄津贴发放办法",
        "江苏/南京",
        None,
        None,
        "高龄津贴每人每月100元，满80周岁老人可申领。",
    ),
    (
        "苏州市高龄津贴发放办法",
        "江苏/苏州",
        None,
        None,
        "高龄津贴每人每月50元，满80周岁老人可申领。",
    ),
    (
        "武汉市高龄津贴实施细则",
        "湖北/武汉",
        None,
        None,
        "高龄津贴每人每月200元，满80周岁老人可申领。",
    ),
    ("星海集团差旅费标准（2023年）", None, 2023, None, "出差住宿费上限为每晚350元，高铁限二等座。"),
    ("星海集团差旅费标准（2024年）", None, 2024, None, "出差住宿费上限为每晚400元，高铁限二等座。"),
    ("星海集团差旅费标准（2025年）", None, 2025, None, "出差住宿费上限为每晚450元，高铁限二等座。"),
    (
        "HX-300打印机手册",
        None,
        None,
        "HX-300",
        "打印机硒鼓可打印3000页，开机预热30秒，电源220V。",
    ),
    (
        "HX-500打印机手册",
        None,
        None,
        "HX-500",
        "打印机硒鼓可打印8000页，开机预热15秒，电源220V。",
    ),
    (
        "员工考勤制度",
        None,
        None,
        None,
        "迟到一次扣20元，旷工一天扣三天工资。加班由经理审批。",
    ),
    ("图书借阅规定", None, None, None, "每人可借图书5本，借期30天，逾期每天罚款1元。"),
    ("通讯录", None, None, None, PHONES),
    ("套餐价目", None, None, None, PRICES),
    ("会议室一览", None, None, None, ROOMS),
    ("浙江省献血条例", "浙江", None, None, "本条例自2020年3月1日起施行。献血者每次献血200毫升。"),
    ("福建省献血条例", "福建", None, None, "本条例自2018年7月1日起施行。献血者每次献血200毫升。"),
]
PROFILE = KnowledgeProfile(
    kb_ids=("kb",),
    documents=tuple(
        DocumentProfile(
            document_id=title,
            name=f"{title}.md",
            title=title,
            metadata=DocumentMetadata(title=title, region=region, year=year, product=product),
        )
        for title, region, year, product, _ in LIBRARY
    ),
)


def probe(question: str, slots: Slots) -> Sequence[Hit]:
    """Passages of the asked regions and years that share pairs of letters, best first."""
    pairs = {question[i : i + 2] for i in range(len(question) - 1)}
    years = {t.start.year for t in slots.time if t.start}
    hits = []
    for title, region, year, product, text in LIBRARY:
        if slots.region and region and not any(related(region, r) for r in slots.region):
            continue
        if years and year and year not in years:
            continue
        shared = sum(pair in f"{title} {text}" for pair in pairs)
        chunk = Chunk(
            id=f"{title}-0",
            document_id=title,
            kb_id="kb",
            ordinal=0,
            text=text,
            document_name=f"{title}.md",
            metadata=DocumentMetadata(title=title, region=region, year=year, product=product),
        )
        if shared:
            hits.append(Hit(chunk=chunk, scores={"fused": float(shared)}))
    return sorted(hits, key=lambda hit: -hit.scores["fused"])[:8]


def ask(question: str, *earlier: str) -> Understanding:
    history = [
        Turn(role="user" if i % 2 == 0 else "assistant", content=text)
        for i, text in enumerate(earlier)
    ]
    return judge(understand(question, history, PROFILE, TODAY), history, PROFILE, probe)


@pytest.mark.parametrize(
    ("question", "slot", "options"),
    [
        ("高龄津贴每月多少钱？", "region", {"南京", "苏州", "武汉"}),
        ("高龄津贴有多少", "region", {"南京", "苏州", "武汉"}),
        ("江苏的高龄津贴每月多少钱？", "region", {"南京", "苏州"}),
        ("老人的高龄津贴是多少？", "region", {"南京", "苏州", "武汉"}),
        ("《献血条例》什么时候施行？", "region", {"浙江", "福建"}),
        ("献血条例从什么时候开始施行？", "region", {"浙江", "福建"}),
        ("出差住宿费上限是多少？", "time", {"2025年", "2024年", "2023年"}),
        ("出差住宿费每晚多少钱？", "time", {"2025年", "2024年", "2023年"}),
        ("星海集团出差的住宿费上限", "time", {"2025年", "2024年", "2023年"}),
        ("打印机硒鼓能打印多少页？", "product", {"HX-300", "HX-500"}),
        ("打印机开机预热多久？", "product", {"HX-300", "HX-500"}),
        ("陈晓的电话是多少？", "person", {"财务部", "市场部"}),
        ("陈晓的工位在哪？", "person", {"财务部", "市场部"}),
        ("吴凡的工位是哪个", "person", {"采购部", "行政部"}),
        ("旗舰版的月费是多少？", "product", {"云盘", "会议"}),
        ("标准版月费多少元", "product", {"云盘", "会议"}),
        ("会议室能容纳人数是多少", "product", {"云栖厅", "望江厅", "听雨轩"}),
        ("怎么申请？", "reference", set()),
        ("标准是多少？", "reference", set()),
        ("它什么时候生效？", "reference", set()),
    ],
)
def test_ambiguous(question: str, slot: str, options: set[str]) -> None:
    meaning = ask(question)
    assert meaning.clarification is not None, meaning
    assert meaning.missing_slots == (slot,)
    labels = [option.label for option in meaning.clarification.options]
    assert labels[-1] == ALL_OF_THEM
    assert 3 <= len(labels) <= 6
    if options:
        assert set(labels[:-1]) == options


@pytest.mark.parametrize(
    "question",
    [
        "南京的高龄津贴每月多少钱？",
        "武汉市高龄津贴每月多少钱？",
        "各地的高龄津贴是多少？",
        "哪个城市的高龄津贴最高？",
        "高龄津贴多少周岁可以申领？",
        "长沙的高龄津贴每月多少钱？",
        "南京和武汉的高龄津贴差多少？",
        "《浙江省献血条例》什么时候施行？",
        "《江西省献血条例》什么时候施行？",
        "浙江献血条例什么时候施行？",
        "每次献血多少毫升？",
        "2024年出差住宿费上限是多少？",
        "去年出差住宿费上限是多少？",
        "历年出差住宿费上限是多少？",
        "最新的出差住宿费上限是多少？",
        "出差能坐高铁一等座吗？",
        "出差高铁坐几等座？",
        "HX-300的硒鼓能打印多少页？",
        "HX-500开机预热多久？",
        "各型号打印机硒鼓能打印多少页？",
        "打印机的电源是多少伏？",
        "李婷的电话是多少？",
        "财务部陈晓的电话是多少？",
        "市场部的陈晓工位在哪？",
        "吴凡的电话是多少？",
        "所有陈晓的电话是多少？",
        "周远在哪个部门？",
        "云盘旗舰版的月费是多少？",
        "会议标准版月费多少？",
        "企业版月费是多少？",
        "旗舰版的月费分别是多少？",
        "云栖厅的容纳人数是多少？",
        "哪个会议室容纳人数最多？",
        "迟到一次扣多少钱？",
        "员工考勤制度里旷工怎么处理？",
        "图书可以借几本？",
        "图书借阅规定的借期是多久？",
        "公司有哪些制度？",
        "珠峰有多高？",
        "谢谢",
    ],
)
def test_clear(question: str) -> None:
    meaning = ask(question)
    assert meaning.clarification is None, meaning.clarification


def test_the_reply_about_a_person_is_answered_without_asking_again() -> None:
    first = ask("陈晓的电话是多少？")
    assert first.clarification is not None
    back, option = first.clarification.question, first.clarification.options[0]
    assert back == "有 2 个“陈晓”，请问您指的是哪个部门的？"
    second = ask(option.reply, "陈晓的电话是多少？", back)
    assert second.standalone_question == "财务部的陈晓的电话是多少？"
    assert not second.needs_clarification


def test_a_question_of_no_subject_is_asked_about_once() -> None:
    first = ask("标准是多少？")
    assert first.clarification is not None
    history = [
        Turn(role="user", content="标准是多少？"),
        Turn(
            role="assistant",
            content=first.clarification.question,
            clarification=first.clarification,
        ),
    ]
    reply = first.clarification.options[0].reply
    second = judge(understand(reply, history, PROFILE, TODAY), history, PROFILE, probe)
    assert second.missing_slots != ("reference",)
    again = judge(understand("标准是多少？", history, PROFILE, TODAY), history, PROFILE, probe)
    assert again.missing_slots != ("reference",)
