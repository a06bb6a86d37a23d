from __future__ import annotations

import pytest
from answer_cases import hits, meaning, passage

from rag.answer.refuse import confidence, decide
from rag.answer.spoken import is_empty, plainly, yields
from rag.answer.subject_evidence import of_the_subject_asked
from rag.answer.terms import content_terms, lost_words, presence
from rag.settings import AnswerSettings

FAQ = passage(
    1, "在登录页点击“找回账号”，用短信重设。", title="忘记密码怎么办？",
    headings=("忘记密码怎么办？",), record_id="f1",
)  # fmt: skip
CANTEEN = passage(
    2, "午餐11:30至13:00，晚餐17:30至19:00。晚餐15元。", title="食堂的开放时间和价格是多少？",
    headings=("食堂的开放时间和价格是多少？",), record_id="f2",
)  # fmt: skip
PRICES = passage(
    3, "型号：MQ-300；单价（元）：1980；保修期：12个月"
    "\n型号：MQ-500；单价（元）：2680；保修期：24个月\n型号：MQ-700；单价（元）：3680；保修期：24个月",
    title="净水器价格表", kind="record",
)  # fmt: skip


@pytest.mark.parametrize(
    ("spoken", "plain"),
    [
        ("密码忘了咋整", "密码，忘了怎么办"),
        ("设备咋用", "设备怎么用"),
        ("停车要钱不", "停车要钱吗"),
        ("是不是", "是不是"),
        ("账户里的钱能取吗", "账户的钱能取吗"),
        ("离公司三公里的班车站", "离公司三公里的班车站"),
        ("手机卡了怎么办", "手机，卡了怎么办"),
        ("员工有几天年假", "员工有几天年假"),
        ("没穿过能退吗", "，穿过能退吗"),
    ],
)
def test_the_grammar_of_speech_goes(spoken: str, plain: str) -> None:
    assert plainly(spoken) == plain


def test_a_verb_that_was_parted_is_joined() -> None:
    assert "请假" in {term.text for term in content_terms("请5天假找谁批")}
    assert "加班" in {term.text for term in content_terms("一年能加几次班")}


@pytest.mark.parametrize("word", ["之内", "期间", "周岁"])
def test_words_that_name_nothing(word: str) -> None:
    assert is_empty(word)


@pytest.mark.parametrize(
    ("word", "does"), [("还给", True), ("消掉", True), ("报到", False), ("延保", False)]
)
def test_verbs_with_a_complement_yield(word: str, does: bool) -> None:
    assert yields(word) is does


@pytest.mark.parametrize(
    "question", ["回来多久之内要交报销", "电脑要还给谁", "满30周岁能报销吗", "报销要交什么材料"]
)
def test_no_grammar_is_told_as_missing(question: str) -> None:
    assert not lost_words(question, "电脑和报销单一并交还财务部。")


@pytest.mark.parametrize("word", ["健身房", "延保", "中秋", "竣工"])
def test_things_are_told_as_missing(word: str) -> None:
    assert lost_words(f"有{word}吗", "食堂每天开放，保修期一年。") == [word]


@pytest.mark.parametrize(
    ("everyday", "formal"), [("晚饭", "晚餐15元"), ("寝室", "宿舍熄灯"), ("病人", "患者探视")]
)
def test_formal_words_are_held(everyday: str, formal: str) -> None:
    assert presence(everyday, formal) > 0.8


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("密码忘了咋整", "answer"),
        ("食堂几点开门", "answer"),
        ("MQ-500能延保吗", "refuse"),
        ("食堂在哪个部门", "refuse"),
        ("忘记工号怎么办", "refuse"),
    ],
)
def test_a_record_that_asks_the_same_is_trusted(question: str, wanted: str) -> None:
    evidence = [FAQ, CANTEEN, PRICES]
    sure = confidence(meaning(question), hits(evidence, rerank=0.3), evidence)
    assert decide(sure.value, AnswerSettings()) == wanted, sure


def test_count_of_a_container_must_be_there() -> None:
    filter_ = passage(1, "滤芯每6个月更换一次，每次换2支。", title="滤芯更换")
    sure = confidence(meaning("滤芯每盒几支"), hits([filter_], rerank=0.9), [filter_])
    assert decide(sure.value, AnswerSettings()) == "refuse", sure


def test_only_documents_that_know_the_subject_may_answer() -> None:
    wedding = passage(1, "婚假10天，申请时提交结婚证复印件。", title="员工手册")
    rent = passage(2, "申领时需要交以下材料：身份证、合同。", title="租房补贴办法")
    kept = of_the_subject_asked(meaning("婚假需要交什么材料"), [rent, wedding])
    assert [(item.n, item.chunk.document_id) for item in kept] == [(1, "doc1")]
    both = of_the_subject_asked(meaning("产检假需要交什么材料"), [rent, wedding])
    assert len(both) == 2


@pytest.mark.parametrize(
    ("spoken", "plain"),
    [
        ("换好之后还要干什么", "换好之后还要，"),
        ("要带什么", "要带什么"),
        ("坏了保不保", "坏了保"),
        ("能不能退", "能不能退"),
        ("陪护床一晚上多少钱", "陪护床一晚多少钱"),
        ("婚假能多休几天", "婚假能休几天"),
        ("能带朋友来吗", "带朋友来吗"),
        ("能耗等级是多少", "能耗等级是多少"),
        ("屏幕上显示F2", "，F2"),
        ("屏幕不显示", "屏幕不显示"),
        ("我刚入职要带什么", "，入职要带什么"),
        ("指示灯红着是啥意思", "指示灯红是什么意思"),
    ],
)
def test_more_grammar_of_speech_is_taken_out(spoken: str, plain: str) -> None:
    assert plainly(spoken) == plain


def test_a_question_of_little_words_keeps_its_own_letters() -> None:
    assert [term.text for term in content_terms("过号了怎么办")] == ["过号"]
    assert content_terms("怎么办") == ()
