"""A follow-up that needs nothing by its form is searched with what was talked about."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag.application import Application
from rag.last_topic import candidates, may_be_of_the_last, unknown_things
from rag.turn import TurnInput
from rag.types import Answer, Chunk, DocumentMetadata, Turn
from rag.understand.carried import earlier

ESTATE = """# 滨江花园物业服务手册

## 1 装修管理

业主装修须提前5个工作日到物业服务中心登记，交装修押金3000元，垃圾清运费600元。

装修施工时间为工作日8:30至12:00、14:00至18:00，周末和法定节假日不得进行产生噪声的施工。

装修完工后由工程部验收，验收合格满30天的，押金在10个工作日内退还。

拆改承重墙的，物业服务中心要求恢复原状，并报城管部门处理。

## 2 停车

月租车位：地下350元/月，地面220元/月。每户限租2个。

临时停车首小时5元，以后每小时3元，24小时最高30元；访客停车前30分钟免费。

充电桩车位按电价加服务费0.6元/度收取，充满后超过1小时不挪车的，每小时收占位费10元。

## 3 报修

公共区域报修拨打物业24小时热线6688-1200，急修30分钟内到场，一般维修24小时内到场。

户内维修收取上门费30元，材料费另计；维修后同一部位质保90天。

## 4 门禁与快递

每户发放门禁卡4张，补办每张30元。人脸识别须业主本人到物业服务中心录入，租户凭租赁合同录入，到期自动失效。

快递柜免费保管24小时，超时每天1元。大件快递放在1号楼物业值班室，保管3天。

## 5 宠物

养犬须在入住15天内登记，每户限养一只，肩高不超过45厘米。遛狗须拴绳，犬绳不超过1.5米。
"""
CHARGING = "充电桩车位怎么收费"
RENOVATION = "装修要提前几天登记"


@pytest.fixture(scope="module")
def estate(
    sample_application: Application, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    made = sample_application.kb_named("物业", create=True)
    path = tmp_path_factory.mktemp("estate") / "物业服务手册.md"
    path.write_text(ESTATE, encoding="utf-8")
    assert sample_application.pipeline.ingest(path, made.id, path.name).status == "indexed"
    yield made.id
    sample_application.pipeline.delete_kb(made.id)


def chunk(text: str, *, title: str = "", heading: tuple[str, ...] = ()) -> Chunk:
    return Chunk(
        id="d-1-0", document_id="d", kb_id="kb", ordinal=0, text=text, document_name="d.md",
        access="kb", heading_path=heading, metadata=DocumentMetadata(title=title or None),
    )  # fmt: skip


def talked(*turns: tuple[str, str]) -> list[Turn]:
    """Turns from pairs of a question and what became of it."""
    history = []
    for question, status in turns:
        history.append(Turn(role="user", content=question))
        history.append(Turn(role="assistant", content="。", status=status, evidence=("d-1-0",)))
    return history


def follow(app: Application, kb: str, first: str, second: str) -> Answer:
    before = app.chain.invoke(TurnInput(question=first, kb_ids=(kb,)))
    hits = next(record for record in before.steps if record.step == "retrieve").details["hits"]
    cited = (hits[0]["chunk_id"],)
    history = (
        Turn(role="user", content=first),
        Turn(role="assistant", content=before.text, status="answered", evidence=cited),
    )
    return app.chain.invoke(TurnInput(question=second, history=history, kb_ids=(kb,)))


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        ([("年假几天", "answered")], "年假几天"),
        ([("租房补贴多少", "clarify")], "租房补贴多少"),
        ([("年假几天", "answered"), ("谢谢", "chitchat")], "年假几天"),
        ([("年假几天", "answered"), ("能分开休吗", "refused")], "年假几天"),
        ([("年假几天", "answered"), ("股票", "refused"), ("期权", "refused")], None),
        ([("年假几天", "error")], None),
        ([], None),
    ],
)
def test_the_topic_is_of_the_last_question_that_was_dealt_with(
    turns: list[tuple[str, str]], found: str | None
) -> None:
    before = earlier(talked(*turns))
    assert (before.question if before else None) == found


@pytest.mark.parametrize(
    ("question", "may"),
    [
        ("充完没挪走", True),
        ("前面换下来那块旧的扔哪", False),
        ("算了，不问这个了，工资几号发", False),
        ("她老公也是咱公司的，他能休多少天的假", False),
    ],
)
def test_only_a_short_question_is_put_under_the_last_topic(question: str, may: bool) -> None:
    assert may_be_of_the_last(question) is may


@pytest.mark.parametrize(
    ("question", "passage", "unknown"),
    [
        ("食堂几点开门", "年假：满1年不满5年的，每年5天。", True),
        ("打印机怎么连", "年假：满1年不满5年的，每年5天。", True),
        ("物业费怎么交", "装修须到物业服务中心登记，交押金。", True),
        ("钥匙弄丢了", "遗失柜钥匙的赔偿30元。", False),
        ("板子擦了还报", "清洁太阳能板，移除遮挡物。", False),
        ("社保要交几个月", "正常缴纳社会保险满1个月。", False),
        ("周六能动工不", "法定节假日不得施工。", False),
        ("可以分开休吗", "须在3个月内休完。", False),
    ],
)
def test_a_thing_that_the_passage_does_not_know_is_a_subject_of_its_own(
    question: str, passage: str, unknown: bool
) -> None:
    assert bool(unknown_things(question, passage)) is unknown


@pytest.mark.parametrize(
    ("question", "cited", "made"),
    [
        (
            "可以分开休吗",
            chunk("陪产假15天。", title="手册", heading=("手册", "第十六条")),
            ["陪产假可以分开休吗"],
        ),
        (
            "钥匙弄丢了",
            chunk("赔偿30元。", title="须知", heading=("须知", "四、储物柜")),
            ["陪产假，钥匙弄丢了", "储物柜，钥匙弄丢了"],
        ),
        ("陪产假能分开休吗", chunk("", title="手册", heading=("手册",)), []),
    ],
)
def test_a_follow_up_is_put_under_topic_and_heading(
    question: str, cited: Chunk, made: list[str]
) -> None:
    before = earlier(talked(("陪产假几天", "answered")))
    assert before is not None
    assert [one.question for one in candidates(question, before, cited)] == made


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [(CHARGING, "充完没挪走", "占位费10元"), (RENOVATION, "我想把墙敲了", "承重墙")],
)
def test_a_follow_up_is_answered_behind_the_question_before_it(
    sample_application: Application, estate: str, first: str, second: str, said: str
) -> None:
    answer = follow(sample_application, estate, first, second)
    assert answer.status in ("hedged", "answered") and said in answer.text
    assert answer.understanding is not None and answer.understanding.question == second
    (searched,) = [record for record in answer.steps if record.step == "plan"]
    assert f"连同上一问再查：{first}，{second}" in searched.summary


@pytest.mark.parametrize(
    "second", ["食堂几点开门", "打印机怎么连", "幼儿园怎么报名", "股票期权怎么行权"]
)
def test_another_subject_is_neither_glued_nor_searched_again(
    sample_application: Application, estate: str, second: str
) -> None:
    answer = follow(sample_application, estate, CHARGING, second)
    assert answer.status == "refused"
    assert answer.understanding is not None
    assert answer.understanding.standalone_question == second
    assert [record.step for record in answer.steps].count("retrieve") == 1


def test_what_the_user_put_right_stays(sample_application: Application, estate: str) -> None:
    history = tuple(talked((CHARGING, "answered")))
    question = TurnInput(
        question="充完没挪走", corrected="充完没挪走", history=history, kb_ids=(estate,)
    )
    answer = sample_application.chain.invoke(question)
    assert answer.understanding is not None
    assert answer.understanding.standalone_question == "充完没挪走"
