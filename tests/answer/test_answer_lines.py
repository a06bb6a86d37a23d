"""Pairs on one line, forms, and the turns of conversations."""

from __future__ import annotations

import pytest

from rag.answer.extract import extract
from rag.answer.lines import alternating, is_form, pairs, speakers
from rag.answer.pieces import pieces
from tests.answer.answer_cases import meaning, passage

TALK = """面谈对象：岳灵珊

林平之：这个季度为什么请假多？

岳灵珊：主要是孩子住院。我爱人又在外地。

林平之：工作交接好了吗？

岳灵珊：交给劳德诺了，合同台账周五前给他。"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "收入：1,203,415.60　　支出：98,000.25　　结余：7.5",
            ["收入：1,203,415.60", "支出：98,000.25", "结余：7.5"],
        ),
        ("收入：1,203,415.60，支出：98,000.25", ["收入：1,203,415.60，", "支出：98,000.25"]),
        ("采购员：定逸 批准人：定闲", ["采购员：定逸", "批准人：定闲"]),
        ("说明：请先登录，再提交。", ["说明：请先登录，再提交。"]),
    ],
)
def test_pairs_of_a_line(line: str, expected: list[str]) -> None:
    assert [line[low:high].strip() for low, high in pairs(line)] == expected


def test_forms_are_pairs_and_tables_are_not() -> None:
    form = [("甲方", "宁远纸业"), ("姓名", "任盈盈", "性别", "女"), ("学历", "硕士", "工号", "K1")]
    assert is_form(form[1:])
    assert not is_form([("姓名", "性别", "学历", "工号"), ("任盈盈", "女", "硕士", "K1")])
    assert not is_form([("项目", "参数"), ("功率", "62 W")])


@pytest.mark.parametrize("head", ["| | | | |", "| 姓名 | 任盈盈 | 性别 | 女 |"])
def test_a_field_of_a_form(head: str) -> None:
    rows = "| 毕业院校 | 岭南大学 | 工号 | K2077 |\n| 姓 名 | 任盈盈 | 民族 | 苗族 |"
    text = f"{head}\n|---|---|---|---|\n{rows}"
    evidence = [passage(1, text, title="登记表", kind="table")]
    assert "K2077" in extract(meaning("任盈盈的工号是多少？"), evidence)
    assert "岭南大学" in extract(meaning("任盈盈毕业于哪个学校？"), evidence)
    assert "苗族" in extract(meaning("任盈盈是什么民族？"), evidence)


def test_labels_and_values_joined_alike() -> None:
    found = alternating("订单号；P-31；下单日期；2031-05-02")
    assert [(one.key, one.value) for one in found] == [
        ("订单号", "P-31"),
        ("下单日期", "2031-05-02"),
    ]
    assert alternating("先断电；再拆盖板；换滤芯；装回") == []


def test_the_asker_s_turn_is_no_answer() -> None:
    assert speakers(TALK) == {"林平之", "岳灵珊"}
    evidence = [passage(1, TALK, title="面谈记录")]
    assert "孩子住院" in extract(meaning("岳灵珊为什么请假多？"), evidence)
    answer = extract(meaning("岳灵珊把工作交接给谁了？"), evidence)
    assert "劳德诺" in answer and "吗？" not in answer


def test_the_question_of_a_faq_record_inside_a_passage_is_context() -> None:
    refund = "一、年卡怎么退？\n答：开卡7天内可以全额退还。"
    text = f"问答\n\n{refund}\n\n二、储物柜多少钱？\n答：每月30元。"
    evidence = [passage(1, text, title="游泳馆")]
    assert "每月30元" in extract(meaning("储物柜多少钱？"), evidence)
    assert all(p.kind == "heading" for p in pieces(evidence[0]) if p.body.endswith("？"))


def test_a_short_numbered_line_above_a_paragraph_is_its_heading() -> None:
    notice = "四、放假安排\n\n员工可以在节日前后申请年假，须提前提交。\n\n五、身份证\n\n六、户口本"
    found = [(piece.kind, piece.body) for piece in pieces(passage(1, notice))]
    assert found[0][0] == "heading"
    assert [kind for kind, _ in found[2:]] == ["item", "item"]
    sentence = pieces(passage(1, notice))[1]
    assert "放假安排" in sentence.about


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("现将国庆节放假有关事项通知如下。", "lead"),
        ("材料包括：", "lead"),
        ("安排如下，请各部门照办。", "sentence"),
    ],
)
def test_what_says_only_that_something_follows_leads(line: str, kind: str) -> None:
    text = f"各部门注意。\n\n{line}\n\n国庆节放假七天。"
    (found,) = [piece for piece in pieces(passage(1, text)) if piece.body == line]
    assert found.kind == kind
