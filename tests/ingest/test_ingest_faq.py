from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ingest_inputs import read, texts

from rag.ingest.parse.faq import with_records
from rag.ingest.parse.subtitles import is_subtitles
from rag.ingest.parse.text import parse_text
from rag.types import Block

FAQ = """常见问题

问：年假几天？
答：工作满一年五天。

问：病假工资怎么算？
答：按80%发放。
需医院证明。

问：如何报销？
答：在系统里提交。
"""


def write(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_questions_with_answers_are_records(tmp_path: Path) -> None:
    blocks = read(write(tmp_path, "a.txt", FAQ)).blocks
    assert [b.record_id for b in blocks] == [None, "1", "2", "3"]
    assert blocks[2].metadata["title"] == "病假工资怎么算？"
    assert blocks[2].text == "问：病假工资怎么算？\n答：按80%发放。\n需医院证明。"


def test_questions_in_markdown_end_at_the_next_heading(tmp_path: Path) -> None:
    text = (
        "# 帮助\n\n**Q1：如何登录？**\n\nA：点右上角。\n\n- 支持短信\n\n**Q2：忘记密码？**\n\n"
        "A：点忘记密码。\n\n## 其他\n\n说明。\n"
    )
    blocks = read(write(tmp_path, "a.md", text)).blocks
    assert [b.record_id for b in blocks] == [None, "1", "2", None, None]
    assert blocks[1].text == "Q1：如何登录？\nA：点右上角。\n- 支持短信"


def test_a_single_question_and_questions_without_answers_stay_text(tmp_path: Path) -> None:
    one = "问：年假几天？\n答：五天。\n\n正文。"
    assert {b.record_id for b in read(write(tmp_path, "a.txt", one)).blocks} == {None}
    bare = "思考题\n\n问题1：什么是价值？\n\n问题2：什么是价格？\n\n问题3：什么是货币？\n"
    assert {b.record_id for b in read(write(tmp_path, "b.txt", bare)).blocks} == {None}


NUMBERED = [
    (
        "一、养老保险怎么缴？\n答：缴费比例为20%。",
        "二、医疗保险缴多少钱？\n答：每月428.60元。",
        True,
    ),
    ("1、养老保险怎么缴？\n缴费比例为20%。", "2、医疗保险缴多少钱？\n每月428.60元。", True),
    ("Q1. 养老保险怎么缴？\n\n缴费比例为20%。", "Q2. 医疗保险缴多少钱？\n\n每月428.60元。", True),
    ("（一）养老保险怎么缴？\n缴费比例为20%。", "（二）医疗保险缴多少钱？\n每月428.60元。", True),
]


@pytest.mark.parametrize(("first", "second", "apart"), NUMBERED)
def test_numbered_questions_are_records(
    tmp_path: Path, first: str, second: str, apart: bool
) -> None:
    third = first.replace("养老保险怎么缴", "断缴了可以补吗").translate(
        str.maketrans({"一": "三", "1": "3"})
    )
    text = f"灵活就业政策问答\n市社保中心　2025年8月1日\n\n{first}\n\n{second}\n\n{third}\n"
    blocks = read(write(tmp_path, "a.txt", text)).blocks
    records = [b for b in blocks if b.record_id is not None]
    assert [b.metadata["title"] for b in records] == [
        "养老保险怎么缴？",
        "医疗保险缴多少钱？",
        "断缴了可以补吗？",
    ]
    assert "428.60" in records[1].text and "20%" not in records[1].text


def test_bold_questions_are_records(tmp_path: Path) -> None:
    text = (
        "# 一卡通\n\n**卡丢了怎么办？**\n\n立即挂失。\n\n**每天能用多少？**\n\n60元。\n\n"
        "**怎么充值？**\n\n在APP。\n"
    )
    blocks = read(write(tmp_path, "a.md", text)).blocks
    assert [b.metadata.get("title") for b in blocks[1:]] == [
        "卡丢了怎么办？",
        "每天能用多少？",
        "怎么充值？",
    ]


def test_numbered_headings_that_end_in_no_question_stay(tmp_path: Path) -> None:
    text = "规划\n\n一、现状如何？\n人口五万。\n\n二、目标\n增长两成。\n\n三、措施\n修路。\n"
    assert {b.record_id for b in read(write(tmp_path, "a.txt", text)).blocks} == {None}


@given(
    st.lists(
        st.sampled_from(
            [
                "1、甲？",
                "2、乙？\n丙",
                "问：甲？",
                "答：乙。",
                "丙",
                "Q1: a",
                "A: b",
                "问：丁？\n答：戊。",
            ]
        )
    )
)
def test_records_lose_nothing_and_keep_the_order(lines: list[str]) -> None:
    blocks = [Block(kind="paragraph", text=line) for line in lines]
    found = with_records(blocks)
    assert "\n".join(b.text for b in found) == "\n".join(lines)


TALK = (
    "主持人：大家好。\n张三：进度正常。\n李四：接口有延迟，预计周五完成。\n主持人：好的。\n"
    "张三：我来跟进。\n李四：谢谢。\n"
)


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        (TALK, 6),
        ("张三 00:00:05\n大家好。\n李四 00:00:12\n好的。\n" * 3, 6),
        ("地址：北京\n电话：010\n邮编：100000\n联系人：张三\n备注：无\n网址：无\n传真：无\n", 1),
    ],
)
def test_each_turn_of_a_talk_is_a_paragraph(text: str, turns: int) -> None:
    blocks = parse_text(text)[0].blocks
    assert [b.kind for b in blocks] == ["paragraph"] * turns


def test_subtitles_are_running_text_with_times(tmp_path: Path) -> None:
    srt = (
        "1\n00:00:01,000 --> 00:00:03,000\n大家好\n\n2\n00:00:03,500 --> 00:00:06,000\n"
        "<i>今天我们讲</i>\n公积金提取\n\n3\n00:00:06,500 --> 00:00:08,000\n需要带身份证。\n"
    )
    assert texts(read(write(tmp_path, "a.srt", srt))) == [
        "[00:00:01] 大家好 今天我们讲公积金提取 需要带身份证。"
    ]
    vtt = "WEBVTT\n\n00:01.000 --> 00:04.000\n<v 老师>同学们好\n\n00:05.000 --> 00:09.000\n上课。\n"
    assert texts(read(write(tmp_path, "a.vtt", vtt))) == ["[00:01] 老师：同学们好 上课。"]
    assert not is_subtitles("1\n2024年\n")


def test_form_feeds_part_pages_and_their_edges_go(tmp_path: Path) -> None:
    text = "\f".join(f"某公司制度汇编\n\n第{n}项规定的具体内容。\n\n- {n} -" for n in range(1, 6))
    document = read(write(tmp_path, "a.txt", text))
    assert {p.number for p in document.pages} == {1, 2, 3, 4, 5}
    held = [f"第{n}项规定的具体内容。" for n in range(1, 6)]
    assert texts(document) == ["某公司制度汇编", *held]
    assert [b.page for b in document.blocks] == [1, 1, 2, 3, 4, 5]
    assert document.flags == ("header_footer",)
