"""Lines as the line reader sees them, and what its word changes."""

from __future__ import annotations

import numpy as np
import pytest
from answer_cases import hits, meaning, passage

from rag.answer.extract import extract
from rag.answer.fits import odds
from rag.answer.line_fit import BEHIND_SHARE, LineReader, line_text
from rag.answer.pieces import pieces
from rag.answer.rank import rank, read_question
from rag.answer.refuse import confidence
from rag.errors import ModelUnavailable
from rag.understand.carried import in_context

RULES = passage(
    1,
    "报销单须在出差结束后15日内提交。\n\n审核通过后，款项在5个工作日内到账。",
    title="差旅办法",
    headings=("第三章 报销",),
)
TABLE = passage(
    2,
    "| 假别 | 天数 | 审批人 |\n| --- | --- | --- |\n"
    "| 婚假 | 13天 | 部门总监 |\n| 丧假 | 3天 | 主管 |",
    title="员工手册",
)
LIST = passage(3, "办理入住须带：\n\n- 身份证\n- 押金500元", title="入住须知")


class Scripted:
    """A model that is sure of the texts that hold a word, and remembers what it was shown."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.shown: list[str] = []

    def score(self, question: str, passages: object) -> np.ndarray:
        texts = list(passages)  # type: ignore[call-overload]
        self.shown += texts
        return np.array([5.0 if self.word in text else -5.0 for text in texts], np.float32)


def test_a_line_is_read_with_its_title_and_what_leads_to_it() -> None:
    sentence = pieces(RULES)[0]
    assert line_text("几天内交", sentence, RULES) == (
        "差旅办法第三章报销\n报销单须在出差结束后15日内提交。"
    )
    row = next(piece for piece in pieces(TABLE) if piece.cells[:1] == ("丧假",))
    assert line_text("丧假几天", row, TABLE) == "员工手册\n假别:丧假;天数:3天;审批人:主管"
    item = next(piece for piece in pieces(LIST) if "押金" in piece.body)
    assert line_text("押金多少", item, LIST) == "入住须知\n办理入住须带: 押金500元"


def test_each_line_gets_its_fit_and_pieces_carry_it() -> None:
    model = Scripted("到账")
    (read,) = LineReader(lambda: model).read("钱多久到", [RULES])
    assert [round(fit, 2) for fit in read.fits] == [0.01, 0.99]
    assert [round(piece.fit or 0, 2) for piece in pieces(read)] == [0.01, 0.99]
    assert all(piece.fit is None for piece in pieces(RULES))
    cut = read.model_copy(update={"text": "审核通过后，款项在5个工作日内到账。"})
    assert pieces(cut)[0].fit is None  # of another text


def test_the_line_that_the_reader_is_sure_of_answers() -> None:
    question = meaning("钱多久能收到")
    (read,) = LineReader(lambda: Scripted("到账")).read(question.standalone_question, [RULES])
    assert "5个工作日" in extract(question, [read])
    assert "15日" not in extract(question, [read])
    (read,) = LineReader(lambda: Scripted("提交")).read(question.standalone_question, [RULES])
    assert rank(read_question("钱多久能收到"), [read])[0].piece.body.startswith("报销单")


def test_a_row_that_the_reader_is_sure_of_is_shown_whole() -> None:
    question = meaning("老人走了能歇多久")
    (read,) = LineReader(lambda: Scripted("丧假")).read(question.standalone_question, [TABLE])
    answer = extract(question, [read])
    assert "3天" in answer
    assert "13天" not in answer


def test_the_readers_doubt_takes_what_words_alone_would_give() -> None:
    question = meaning("婚假几天")
    sure = LineReader(lambda: Scripted("婚假")).read(question.standalone_question, [TABLE])
    doubted = LineReader(lambda: Scripted("没有")).read(question.standalone_question, [TABLE])
    high = confidence(question, hits(sure), sure)
    low = confidence(question, hits(doubted), doubted)
    assert high.features["fit_best"] > 0.9 > 0.1 > low.features["fit_best"] > 0
    assert high.value > low.value


class Behind(Scripted):
    """Sure only where a question is read behind another one."""

    def score(self, question: str, passages: object) -> np.ndarray:
        found = super().score(question, passages)
        return np.where(found > 0, 3.0 if "|" in question else -1.0, found)


def test_a_follow_up_is_read_behind_the_question_before_it_as_well() -> None:
    assert in_context("多久到", "报销的钱怎么领") == "多久到|报销的钱怎么领"
    assert in_context("多久到", "") == ""
    reader = LineReader(lambda: Behind("到账"))
    (alone,) = reader.read("多久到", [RULES])
    (behind,) = reader.read("多久到", [RULES], in_context("多久到", "报销的钱怎么领"))
    mixed = 1 / (1 + np.exp(-(BEHIND_SHARE * 3.0 - (1 - BEHIND_SHARE) * 1.0)))
    assert alone.fits[1] < 0.5 < behind.fits[1] == pytest.approx(mixed, abs=1e-3)
    assert behind.fits[0] < 0.1
    assert behind.fits_alone == alone.fits


def test_without_the_model_everything_goes_on_as_before(caplog: pytest.LogCaptureFixture) -> None:
    calls = []

    def missing() -> Scripted:
        calls.append(1)
        raise ModelUnavailable("内置模型缺失。", message_en="Missing.")

    reader = LineReader(missing)
    assert reader.read("几天", [RULES]) == (RULES,)
    assert reader.read("几天", [RULES]) == (RULES,)
    assert len(calls) == 1
    assert "no longer read" in caplog.text
    assert reader.read("几天", []) == ()


@pytest.mark.parametrize(("fit", "value"), [(None, 0.0), (0.5, 0.0), (1.0, 1.0), (0.0, -1.0)])
def test_odds(fit: float | None, value: float) -> None:
    assert odds(fit) == pytest.approx(value)
