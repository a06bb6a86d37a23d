from __future__ import annotations

import pytest
from answer_cases import hits, meaning, passage

from rag.answer.refusal import refusal
from rag.answer.refuse import HEDGE_PREFIX, REFUSAL_PREFIX, confidence, decide
from rag.settings import AnswerSettings

SHANDONG = passage(
    1, "第六十条 本条例自2021年1月1日起施行。", title="山东省中医药条例", region="山东",
    headings=("附则",),
)  # fmt: skip
LEAVE = passage(
    1, "员工工作满一年后，每年享有五天带薪年假。年假须提前三个工作日申请。", title="员工手册"
)
PLUMBING = passage(1, "热水器出厂前经过24小时老化测试，整机保修三年。", title="热水器说明书")


@pytest.mark.parametrize(
    ("value", "decision"),
    [(0.0, "refuse"), (0.59, "refuse"), (0.6, "hedge"), (0.79, "hedge"), (0.8, "answer")],
)
def test_thresholds(value: float, decision: str) -> None:
    assert decide(value, AnswerSettings()) == decision


def test_thresholds_are_settings() -> None:
    assert decide(0.5, AnswerSettings(refuse_below=0.2, hedge_below=0.4)) == "answer"


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("年假有几天？", [LEAVE]),
        ("工作满一年的员工有几天年假？", [LEAVE]),
        ("年假要提前多久申请？", [LEAVE]),
        ("热水器保修几年？", [PLUMBING]),
        ("整机保修期多长？", [PLUMBING, LEAVE]),
    ],
)
def test_a_small_document_answers_plain_questions(question: str, evidence: list) -> None:
    sure = confidence(meaning(question), hits(evidence), evidence)
    assert decide(sure.value, AnswerSettings()) != "refuse", sure


@pytest.mark.parametrize(
    "question",
    ["食堂几点开门？", "世界杯冠军是谁？", "如何申请发明专利？", "公司股票代码是多少？"],
)
def test_what_no_document_says_is_refused(question: str) -> None:
    evidence = [LEAVE, PLUMBING.model_copy(update={"n": 2})]
    sure = confidence(meaning(question), hits(evidence, rerank=0.3), evidence)
    assert decide(sure.value, AnswerSettings()) == "refuse", sure


@pytest.mark.parametrize(
    "question",
    [
        meaning("《湖北省中医药条例》从什么时候起施行？", region=("湖北",)),
        meaning("湖北的中医药条例从什么时候起施行？", region=("湖北",)),
    ],
)
def test_another_region_is_refused_however_alike(question) -> None:
    sure = confidence(question, hits([SHANDONG], rerank=0.99), [SHANDONG])
    assert decide(sure.value, AnswerSettings()) == "refuse"
    assert "region" in sure.conflicts


def test_another_year_or_product_is_refused() -> None:
    fee = passage(1, "硕士每月补贴1500元。", title="租房补贴办法（2023年）", year=2023)
    sure = confidence(meaning("2022年硕士每月补贴多少？", years=(2022,)), hits([fee]), [fee])
    assert sure.conflicts == ("time",)
    monitor = passage(1, "ABC-124型号的额定功率为600W。", product="ABC-124")
    sure = confidence(meaning("ABC-123型号的额定功率是多少？"), hits([monitor]), [monitor])
    assert sure.conflicts == ("code",)
    assert decide(sure.value, AnswerSettings()) == "refuse"


def test_a_provinces_rule_and_a_national_rule_serve_a_city() -> None:
    national = passage(1, "职工年休假为五天。", title="职工带薪年休假条例")
    question = meaning("杭州的职工年休假几天？", region=("浙江/杭州",))
    assert confidence(question, hits([national]), [national]).conflicts == ()


def test_no_evidence_is_no_confidence() -> None:
    sure = confidence(meaning("年假几天？"), [], [])
    assert (sure.value, sure.reason) == (0.0, "没有找到相关内容。")


def test_a_refusal_says_what_is_missing_and_what_is_there() -> None:
    question = meaning("《湖北省中医药条例》从什么时候起施行？", region=("湖北",))
    text, suggestions = refusal(question, hits([SHANDONG]), ["法规库"])
    assert text.startswith(REFUSAL_PREFIX)
    assert "湖北" in text and "山东" in text and "法规库" in text
    assert suggestions[0] == "《山东省中医药条例》从什么时候起施行？"


def test_a_refusal_names_the_words_that_were_not_found() -> None:
    text, suggestions = refusal(meaning("食堂几点开门？"), hits([LEAVE]), ["手册"])
    assert "“食堂”" in text
    assert suggestions == ()


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("我爸68了坐轮渡要买票吗", "轮渡"),
        ("ZX88报错咋整", "ZX88"),
        ("榴莲让带几公斤", "榴莲"),
        ("几月份发", None),
        ("我妈72了怎么办", None),
        ("他办年卡便宜多少", None),
    ],
)
def test_a_refusal_names_real_words_only(question: str, named: str | None) -> None:
    text, _ = refusal(meaning(question), hits([PLUMBING]), ["手册"])
    clause = text.split("\n")[0]
    assert (f"{named}”" in clause) if named else ("没有提到" not in clause)


MINUTES = passage(1, "一、上周进展\n\n验收已完成。", title="项目例会纪要", headings=("上周进展",))


@pytest.mark.parametrize(
    ("question", "evidence", "suggestions"),
    [
        ("年假能折成钱吗？", "record", ("年假几天？",)),
        ("食堂几点开门？", "record", ()),
        ("打印机在几楼？", "minutes", ()),
        ("项目例会谁参加？", "minutes", ("《项目例会纪要》的主要内容是什么？",)),
        ("验收花了几个人？", "minutes", ("《项目例会纪要》里“上周进展”的内容是什么？",)),
    ],
)
def test_suggestions_share_the_subject(
    question: str, evidence: str, suggestions: tuple[str, ...]
) -> None:
    record = passage(1, "问：年假几天？\n答：五天。", kind="record")
    found = {"record": record, "minutes": MINUTES}[evidence]
    assert refusal(meaning(question), hits([found]), [])[1] == suggestions


def test_a_refusal_without_hits_and_with_markup_in_names() -> None:
    text, suggestions = refusal(meaning("# 标题 [a](http://x)"), [], ["<b>库</b>"])
    assert text.startswith(REFUSAL_PREFIX)
    assert "[a](" not in text.replace("\\[a\\](", "") and "<b>" not in text.replace("\\<b\\>", "")
    assert suggestions == ()


def test_prefixes() -> None:
    assert (HEDGE_PREFIX, REFUSAL_PREFIX) == ("不太确定，但", "根据现有信息无法确定")


RECORDS = passage(
    1,
    "商品编码：QX-100；名称：监测仪；含税单价（元）：3980；备注：台式\n"
    "商品编码：QX-B18；名称：电池；含税单价（元）：390；备注：QX-100S用",
    title="价格表",
)


def test_the_record_of_the_very_code_is_trusted() -> None:
    sure = confidence(meaning("QX-B18多少钱？"), hits([RECORDS], rerank=0.2), [RECORDS])
    assert decide(sure.value, AnswerSettings()) != "refuse"


def test_an_amount_that_no_passage_holds_is_refused() -> None:
    manual = passage(1, "QX-100S的防护等级为IP66，可以在室外使用。", title="产品手册")
    sure = confidence(meaning("QX-100S多少钱？"), hits([manual], rerank=0.99), [manual])
    assert decide(sure.value, AnswerSettings()) == "refuse"


POOL = passage(
    1, "开放时间为9:00—21:00，周三闭馆。65周岁以上老人免费入场。办理退卡须提前5日。",
    title="游泳馆须知", document="pool",
)  # fmt: skip
PARKING = passage(2, "地面车位每月收费200元，地下车位每月350元。", title="停车办法", document="car")


@pytest.mark.parametrize(
    "question",
    [
        "游泳馆几点开门",
        "我奶奶70了，去游泳馆还要交钱吗",
        "游泳馆退卡得提前几天弄呀",
        "游泳馆礼拜三开不开门",
        "麻烦问下，地下车位一个月多少钱",
    ],
)
def test_everyday_words_are_not_missing_subjects(question: str) -> None:
    evidence = [POOL, PARKING] if "车位" not in question else [PARKING, POOL]
    best, other = hits(evidence)
    other = other.model_copy(update={"scores": {"dense": 0.8, "sparse": 1.0, "rerank": 0.05}})
    sure = confidence(meaning(question), [best, other], evidence)
    assert decide(sure.value, AnswerSettings()) != "refuse", sure


@pytest.mark.parametrize(
    "question",
    ["篮球馆几点开门", "游泳教练一节课多少钱", "图书馆退卡得提前几天", "共享单车怎么收费"],
)
def test_another_subject_in_everyday_words_stays_refused(question: str) -> None:
    sure = confidence(meaning(question), hits([POOL, PARKING], rerank=0.3), [POOL, PARKING])
    assert decide(sure.value, AnswerSettings()) == "refuse", sure


FAULTS = passage(
    1, "E4 排水不畅：清洗过滤网后重新启动。\nE5 门未关好：重新关门。\nTB 过载：减少衣物。",
    title="洗碗机说明书", document="manual",
)  # fmt: skip
SETUP = passage(2, "安装时底脚须调平。", title="洗碗机说明书", document="manual", ordinal=1)


@pytest.mark.parametrize("question", ["E4是什么故障", "洗碗机报E5怎么处理", "TB怎么办"])
def test_a_line_that_starts_with_the_code_is_trusted(question: str) -> None:
    found = [*hits([FAULTS, SETUP], rerank=0.9)]
    level = [hit.model_copy(update={"scores": hit.scores | {"rerank": 0.9}}) for hit in found]
    sure = confidence(meaning(question), level, [FAULTS, SETUP])
    assert decide(sure.value, AnswerSettings()) == "answer", sure


def test_a_code_that_is_not_there_or_of_another_thing_is_not_trusted() -> None:
    for question in ("E9是什么故障", "冰箱报E4怎么处理"):
        sure = confidence(meaning(question), hits([FAULTS], rerank=0.2), [FAULTS])
        assert decide(sure.value, AnswerSettings()) != "answer", sure


def test_passages_of_one_document_confirm_each_other() -> None:
    sibling = SETUP.model_copy(update={"n": 2})
    stranger = passage(2, "安装时底脚须调平。", title="烤箱说明书", document="other")
    question = meaning("洗碗机底脚怎么调")

    def gap(other) -> float:
        level = [h.model_copy(update={"scores": {"rerank": 0.9}}) for h in hits([FAULTS, other])]
        return confidence(question, level, [FAULTS, other]).features["rerank_gap"]

    assert gap(sibling) == pytest.approx(0.9)
    assert gap(stranger) == pytest.approx(0.0)


def test_a_plain_answer_where_subject_and_value_agree() -> None:
    rule = passage(1, "会议室预订须提前2个工作日提交申请表。", title="行政制度")
    sure = confidence(meaning("预订会议室要提前几天？"), hits([rule], rerank=0.5), [rule])
    assert decide(sure.value, AnswerSettings()) == "answer", sure


def test_a_name_that_differs_in_one_part_does_not_ground_an_answer() -> None:
    other = passage(1, "新丰东站有3条到发线，2010年启用。", title="新丰东站")
    sure = confidence(meaning("新泰东站有几条到发线？"), hits([other], rerank=0.5), [other])
    assert sure.features["grounded"] == 0.0


def test_documents_of_several_things_asked_about_do_not_compete() -> None:
    found = [
        passage(n, f"{year}年硕士每月补贴{1000 + n}元。", title=f"补贴办法{year}", year=year)
        for n, year in enumerate((2031, 2032), 1)
    ]
    level = [hit.model_copy(update={"scores": {"rerank": 0.9}}) for hit in hits(found)]
    question = meaning("2031年和2032年的硕士补贴差多少？", years=(2031, 2032))
    assert confidence(question, level, found).features["rerank_gap"] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("fits", "quoted"), [((0.2, 0.0), True), ((0.01, 0.0), False), ((), False)]
)
def test_a_refusal_quotes_the_line_that_came_nearest(fits: tuple[float, ...], quoted: bool) -> None:
    read = [LEAVE.model_copy(update={"fits": fits})]
    text, _ = refusal(meaning("年假能拆开吗"), hits(read), ["手册"], (), read)
    line = "最接近的一处（《员工手册》）：“员工工作满一年后，每年享有五天带薪年假。”"
    assert (line in text) == quoted


def test_a_refusal_quotes_nothing_of_another_region() -> None:
    question = meaning("《湖北省中医药条例》从什么时候起施行？", region=("湖北",))
    read = [SHANDONG.model_copy(update={"fits": (0.9,)})]
    assert "最接近的一处" not in refusal(question, hits(read), ["法规库"], (), read)[0]
