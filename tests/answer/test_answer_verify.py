from __future__ import annotations

import pytest
from answer_cases import passage

from rag.answer.cite import cite
from rag.answer.verify import verify

SUBSIDY = passage(
    1,
    "第六条 符合条件的硕士研究生，每月可以领取租房补贴1500元，自2024年5月1日起执行，"
    "最长不超过36个月。已享受其他住房优惠的人员不得申请。",
    title="上海市人才租房补贴办法",
    region="上海",
)
MONITOR = passage(2, "ABC-123型号的额定功率为500W，保修期两年。员工入职当年年假按月折算。")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("硕士研究生每月可以领取租房补贴1500元[1]。", "supported"),
        ("硕士研究生每月可领租房补贴一千五百元，2024年5月起执行[1]。", "supported"),
        ("上海的硕士研究生每月可以领取租房补贴0.15万元[1]。", "supported"),
        ("已享受其他住房优惠的人员不能申请[1]。", "supported"),
        ("ABC-123的额定功率是500W，保修2年[2]。", "supported"),
        ("硕士研究生每月可以领取租房补贴1800元[1]。", "contradicted"),
        ("租房补贴自2024年6月1日起执行，最长不超过36个月[1]。", "contradicted"),
        ("已享受其他住房优惠的人员可以申请[1]。", "contradicted"),
        ("补贴最长不少于36个月[1]。", "contradicted"),
        ("ABC-124型号的额定功率为500W[2]。", "contradicted"),
        ("北京的硕士研究生每月可以领取租房补贴1500元[1]。", "contradicted"),
        ("租房补贴由财政局审核发放[1]。", "unsupported"),
        ("公司食堂早上七点开门[1]。", "unsupported"),
        ("公司食堂早上开门很早。", "unsupported"),
    ],
)
def test_verdicts(text: str, verdict: str) -> None:
    cited, citations = cite(text, [SUBSIDY, MONITOR])
    claims = verify(cited, citations, [SUBSIDY, MONITOR])
    assert [claim.verdict for claim in claims] == [verdict], claims[0].reason
    assert claims[0].reason or verdict == "supported"


def test_each_claim_has_its_place_in_the_answer() -> None:
    answer = "办法如下：\n\n1. 硕士研究生每月可以领取租房补贴1500元。[1]\n2. 保修期两年。[2]"
    cited, citations = cite(answer, [SUBSIDY, MONITOR])
    claims = verify(cited, citations)
    assert [cited[slice(*claim.span)] for claim in claims] == [
        "硕士研究生每月可以领取租房补贴1500元。[1]",
        "保修期两年。[2]",
    ]
    assert [claim.evidence for claim in claims] == [(1,), (2,)]


@pytest.mark.parametrize("text", ["", "根据现有信息无法确定。", "# 标题", "步骤如下："])
def test_what_states_nothing_is_no_claim(text: str) -> None:
    assert verify(text, ()) == ()
