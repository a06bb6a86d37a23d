"""Which line answers: the one that names the code, the person's task, the kind of statement."""

from __future__ import annotations

import pytest
from answer_cases import meaning, passage

from rag.answer.extract import extract
from rag.answer.pieces import pieces

CODES = (
    "A11 进风口堵塞：打开侧盖，检查滤棉。清洁滤棉后按复位键。\n"
    "A12 水箱缺水：加水到上限线。\n"
    "C07 风机故障：断电五分钟后重试；仍出现请报修。\n"
    "加湿器的水每天更换一次。"
)
MEETING = (
    "主持人：沈岚\n下周的评审会在三楼举行。因出差，6月3日评审会由魏成主持。\n\n"
    "| 事项 | 负责人 | 截止日期 |\n|---|---|---|\n"
    "| 准备评审会材料 | 孔宁 | 6月3日 |\n| 预订会议室 | 沈岚 | 6月1日 |"
)
RULES = (
    "第八条 严禁在仓库内吸烟、使用明火。违反者每次罚款200元，并通报批评。\n"
    "第九条 露天装卸由库管员指挥。遇大雪、雷电天气，禁止露天装卸。"
)
SIZES = "额定电压：220V\n容量：5L\n外形尺寸（宽×深×高）：30cm×20cm×45cm\n净重：6kg"


@pytest.mark.parametrize(
    ("question", "text", "expected", "unwanted"),
    [
        ("加湿器显示A12怎么办？", CODES, "加水到上限线", ("滤棉", "每天更换")),
        ("加湿器C07故障怎么处理？", CODES, "断电五分钟", ("加水", "滤棉")),
        ("6月3日的评审会谁主持？", MEETING, "由魏成主持", ("孔宁", "沈岚")),
        ("在仓库里吸烟罚多少？", RULES, "罚款200元", ("第八条",)),
        ("下雪天能露天装卸吗？", RULES, "禁止露天装卸", ("第九条",)),
        ("加湿器多高？", SIZES, "30cm×20cm×45cm", ("220V", "5L")),
    ],
)
def test_the_line_that_is_about_it(
    question: str, text: str, expected: str, unwanted: tuple[str, ...]
) -> None:
    answer = extract(meaning(question), [passage(1, text, title="加湿器与仓库手册")])
    assert expected in answer
    assert not [word for word in unwanted if word in answer]


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        (
            "一、押金。租户入住前交押金800元。退租后7日内退还。",
            ["租户入住前交押金800元。", "退租后7日内退还。"],
        ),
        ("**（二）改期。** 原定3月1日，推迟到3月5日。", ["原定3月1日，推迟到3月5日。"]),
        ("第十条 库房每周盘点一次。", ["库房每周盘点一次。"]),
        ("1. 断电。取下外壳。", ["断电。取下外壳。"]),
    ],
)
def test_numbers_and_small_titles_of_clauses_are_no_sentences(text: str, bodies: list[str]) -> None:
    assert [piece.body for piece in pieces(passage(1, text))] == bodies


def test_steps_that_are_counted_in_a_sentence_become_a_list() -> None:
    text = "停水处置步骤：一是关闭总阀门；二是通知各楼层；三是联系水务公司抢修。"
    answer = extract(meaning("停水了怎么处置？", "procedure"), [passage(1, text)])
    assert [line for line in answer.splitlines() if line[:2] in ("1.", "2.", "3.")] == [
        "1. 关闭总阀门。[1]",
        "2. 通知各楼层。[1]",
        "3. 联系水务公司抢修。[1]",
    ]
