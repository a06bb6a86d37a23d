"""The local reranker: probabilities, and what must decide between look-alikes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import ModelUnavailable
from rag.retrieve.features import FEATURES, features
from rag.retrieve.rerank import (
    CROSS_CANDIDATES,
    WEIGHTS,
    LocalReranker,
    RerankerModel,
    with_cross_features,
)
from rag.types import Chunk, DocumentMetadata, Hit


def hit(text: str, dense: float = 0.85, sparse: float = 5.0, **metadata) -> Hit:
    chunk = Chunk(
        id=text[:20],
        document_id="d",
        kb_id="k",
        ordinal=0,
        text=text,
        metadata=DocumentMetadata(**metadata),
    )
    return Hit(chunk=chunk, scores={"dense": dense, "sparse": sparse, "fused": 0.5})


def column(name: str, question: str, *hits: Hit) -> list[float]:
    return features(question, hits)[:, FEATURES.index(name)].round(3).tolist()


@pytest.mark.parametrize(
    ("name", "question", "texts", "better"),
    [
        ("coverage", "年假有几天", ("年假为五天。", "病假三天。"), 0),
        ("sentence", "病假工资", ("病假工资按八成发。", "病假见第二章。工资见第三章。"), 0),
        ("window", "加班 调休", ("加班可以调休。", "加班。" + "字" * 90 + "调休。"), 0),
        ("common_run", "带薪年休假天数", ("带薪年休假天数见附件。", "天数，年假，带薪。"), 0),
        ("answer_form", "年假有多少天", ("年假为5天。", "年假由人事部管理。"), 0),
        ("definition", "什么是年休假", ("年休假是指带薪休假。", "年休假须申请。"), 0),
        ("code_match", "E01怎么处理", ("E02：检查电源。", "E01：更换保险丝。"), 1),
        ("number_match", "满10年", ("满十年的加五天。", "满二十年的加三天。"), 0),
    ],
)
def test_a_feature_tells_right_from_wrong(name, question, texts, better) -> None:
    values = column(name, question, *(hit(text) for text in texts))
    assert values[better] > values[1 - better]


def test_year_and_region_agree_or_differ() -> None:
    given_hits = (
        hit("补贴标准甲", region="浙江/杭州", year=2024),
        hit("补贴标准乙", region="北京", year=2023),
        hit("补贴标准丙"),
    )
    assert column("year_agrees", "2024年杭州补贴", *given_hits) == [1.0, -1.0, 0.0]
    assert column("region_agrees", "2024年杭州补贴", *given_hits) == [1.0, -1.0, 0.0]
    assert column("region_agrees", "补贴", *given_hits) == [0.0, 0.0, 0.0]


def test_the_local_reranker_orders_and_stays_in_range() -> None:
    reranker = LocalReranker()
    right = hit("员工入职满一年后享有五天带薪年假。", 0.9, 12.0)
    wrong = hit("公司食堂每天中午十一点半开放。", 0.8, 0.5)
    first, second = reranker.score("年假有几天", [right, wrong])
    assert 0 <= second < first <= 1
    assert reranker.score("年假有几天", []) == []
    assert reranker.name == "features"


def test_without_any_stage_score_it_still_works() -> None:
    bare = [Hit(chunk=hit(text).chunk) for text in ("年假五天。", "食堂开放。")]
    first, second = LocalReranker().score("年假", bare)
    assert first > second


def test_weights_of_other_features_are_refused() -> None:
    weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    with pytest.raises(ValueError):
        RerankerModel({**weights, "features": ["other"]})


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.text(max_size=80), st.floats(-1, 1), st.floats(0, 80)), max_size=5),
)
def test_any_question_and_passage_give_finite_features(question, rows) -> None:
    given_hits = [hit(text, dense, sparse) for text, dense, sparse in rows]
    found = features(question, given_hits)
    assert found.shape == (len(rows), len(FEATURES))
    assert np.isfinite(found).all()
    assert all(0 <= score <= 1 for score in LocalReranker().score(question, given_hits))


class Reader:
    """Stands for the cross-encoder: likes passages that hold a letter."""

    def __init__(self, letter: str, broken: bool = False) -> None:
        self.letter, self.broken = letter, broken
        self.read: list[str] = []

    def score(self, question: str, passages) -> np.ndarray:
        if self.broken:
            raise ModelUnavailable("缺失", "重装", message_en="missing", remedy_en="reinstall")
        self.read += passages
        return np.array([8.0 if self.letter in text else -2.0 for text in passages], np.float32)


ALIKE = [hit("上班满一年有五天假。", 0.86, 6.0), hit("上班满一年有两套衣。", 0.86, 6.0)]


def test_the_cross_encoder_decides_between_equals() -> None:
    for letter, best in (("假", 0), ("衣", 1)):
        scores = LocalReranker(Reader(letter)).score("上班满一年", ALIKE)
        assert scores.index(max(scores)) == best
        assert all(0 <= score <= 1 for score in scores)


def test_a_broken_cross_encoder_is_left_out() -> None:
    reranker = LocalReranker(Reader("衣", broken=True))
    assert reranker.score("上班满一年", ALIKE) == LocalReranker().score("上班满一年", ALIKE)


def test_only_the_best_candidates_are_read() -> None:
    many = [hit(f"第{number}条 假期规定。", 0.8 + number / 1000) for number in range(50)]
    reader = Reader("假")
    scores = LocalReranker(reader).score("假期规定", many)
    assert len(scores) == 50
    assert len(reader.read) == CROSS_CANDIDATES


def test_unread_candidates_count_as_the_last() -> None:
    rows = with_cross_features(
        np.zeros((3, 2), np.float32), np.array([2, 0]), np.array([1.0, 5.0], np.float32)
    )
    assert rows[:, 2].tolist() == [5.0, 1.0, 1.0]
    assert rows[:, 3].tolist() == [0.0, -4.0, -4.0]
    assert rows[:, 4].tolist() == pytest.approx([1.0, 1 / 3, 0.5])
