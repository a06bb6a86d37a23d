"""One contract, every reranker: rag.models.reranker."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag.errors import ModelError, ModelNonsense, ModelRejected, ModelUnavailable, SettingsError
from rag.models.rerank_endpoint import EndpointReranker
from rag.models.reranker import Reranker, create_reranker
from rag.secrets import Secrets
from rag.settings import RerankerSettings
from rag.types import Chunk, Hit
from tests.llm_server import Reply, Request, ScriptedServer, html, raw, require_key, status

QUESTION = "杭州硕士住房补贴标准是多少？"


def hit(number: int, text: str, headings: tuple[str, ...] = ()) -> Hit:
    chunk = Chunk(
        id=f"c{number}", document_id="d", kb_id="k", ordinal=number, text=text,
        heading_path=headings,
    )  # fmt: skip
    return Hit(chunk=chunk, scores={"fused": 1 / number}, rank=number)


HITS = [
    hit(1, "杭州硕士住房补贴标准是每月两千元"),
    hit(2, "员工请假须提前三天申请", ("手册", "请假")),
    hit(3, ""),
    hit(4, "住房" * 2000),
    hit(5, "坏\ud83d字"),
]


@pytest.fixture(
    params=[
        "none",
        "local",
        "features",
        "openai",
        pytest.param("flagembedding", marks=pytest.mark.slow),
    ]
)
def reranker(
    request: pytest.FixtureRequest, server: ScriptedServer, tmp_path: Path, bundled_data: Path
) -> Reranker:
    fields: dict = {"kind": request.param}
    if request.param == "flagembedding":
        fields["path"] = str(request.getfixturevalue("reranker_folder"))
    if request.param == "openai":
        fields["base_url"] = server.url
    return create_reranker(RerankerSettings(**fields), Secrets(tmp_path), bundled_data)


def test_one_probability_per_hit_in_order(reranker: Reranker) -> None:
    scores = reranker.score(QUESTION, HITS)
    assert len(scores) == len(HITS)
    assert all(isinstance(score, float) and 0 <= score <= 1 for score in scores)
    assert reranker.score(QUESTION, HITS) == pytest.approx(scores, abs=1e-5)
    assert reranker.name


def test_no_hits_no_scores(reranker: Reranker) -> None:
    assert reranker.score(QUESTION, []) == []
    assert len(reranker.score(QUESTION, HITS[:1])) == 1


def test_threads_may_share_it(reranker: Reranker) -> None:
    expected = pytest.approx(reranker.score(QUESTION, HITS), abs=1e-5)
    with ThreadPoolExecutor(4) as pool:
        assert all(
            scores == expected
            for scores in pool.map(lambda _: reranker.score(QUESTION, HITS), range(8))
        )


# --- The endpoint ---------------------------------------------------------------------


def endpoint(server: ScriptedServer | str, secrets: Secrets, path: str = "") -> EndpointReranker:
    address = server if isinstance(server, str) else server.url
    settings = RerankerSettings(kind="openai", base_url=address + path, model="bge-reranker")
    return EndpointReranker(settings, secrets)


@pytest.mark.parametrize("path", ["", "/", "/rerank"])
def test_what_is_sent(path: str, server: ScriptedServer, secrets: Secrets) -> None:
    endpoint(server, secrets, path).score(QUESTION, HITS[:2])
    request = server.requests[0]
    assert request.path == "/v1/rerank"
    assert request.body["query"] == QUESTION
    assert request.body["documents"] == [HITS[0].chunk.text, "手册 > 请假\n员工请假须提前三天申请"]
    assert request.body["model"] == "bge-reranker"


def test_logits_become_probabilities_and_stay_so(server: ScriptedServer, secrets: Secrets) -> None:
    rows = '{"results": [{"index": 0, "relevance_score": %s}, {"index": 1, "relevance_score": 0}]}'
    server.script(raw(rows % "4.5"), raw(rows % "0.9"), path="rerank")
    model = endpoint(server, secrets)
    first, second = model.score(QUESTION, HITS[:2])
    assert first > 0.98
    assert second == 0.5
    assert model.score(QUESTION, HITS[:2])[1] == 0.5


def test_the_other_dialect_is_tried(server: ScriptedServer, secrets: Secrets) -> None:
    def wants_texts(request: Request) -> Reply:
        if "texts" not in request.body:
            return status(422, "missing field `texts`")
        return raw('[{"index": 1, "score": 0.9}, {"index": 0, "score": 0.2}]')

    server.script(wants_texts, path="rerank")
    model = endpoint(server, secrets)
    assert model.score(QUESTION, HITS[:2]) == [0.2, 0.9]
    assert model.score(QUESTION, HITS[:2]) == [0.2, 0.9]
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (status(401), ModelRejected, "重排模型需要密钥"),
        (status(404), ModelRejected, "地址可能不对"),
        (status(429), ModelUnavailable, "限流"),
        (status(500), ModelUnavailable, "服务出错了"),
        (html(), ModelRejected, "返回的是网页"),
        (raw("garbage"), ModelNonsense, "无法识别"),
        (raw('{"results": []}'), ModelNonsense, "无法识别"),
        (raw('{"results": [{"index": 9, "relevance_score": 1}]}'), ModelNonsense, "无法识别"),
        (raw('{"message": "hello"}'), ModelNonsense, "无法识别"),
    ],
)
def test_failures_in_plain_words(
    reply: Reply, kind: type[ModelError], said: str, server: ScriptedServer, secrets: Secrets
) -> None:
    server.script(reply, path="rerank", always=True)
    with pytest.raises(kind) as failure:
        endpoint(server, secrets).score(QUESTION, HITS[:2])
    assert said in failure.value.message


def test_a_refused_connection_and_no_address(secrets: Secrets) -> None:
    with ScriptedServer() as closed:
        address = closed.url
    with pytest.raises(ModelUnavailable, match="连不上重排模型"):
        endpoint(address, secrets).score(QUESTION, HITS)
    with pytest.raises(SettingsError, match="没有填写重排接口的地址"):
        EndpointReranker(RerankerSettings(kind="openai"), secrets)


def test_the_key_is_never_shown(server: ScriptedServer, secrets: Secrets) -> None:
    secrets.set("reranker", "sk-rerank-secret")
    server.script(require_key("another"), path="rerank", always=True)
    with pytest.raises(ModelRejected, match="密钥不正确") as failure:
        endpoint(server, secrets).score(QUESTION, HITS)
    assert server.requests[0].headers["authorization"] == "Bearer sk-rerank-secret"
    assert "sk-rerank-secret" not in failure.value.text() + failure.value.detail
