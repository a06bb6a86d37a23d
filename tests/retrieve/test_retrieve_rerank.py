"""The local reranker: probabilities, and what must decide between look-alikes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.retrieve.features import FEATURES, features
from rag.retrieve.rerank import WEIGHTS, LocalReranker, RerankerModel
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
    assert reranker.name == "local"


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
