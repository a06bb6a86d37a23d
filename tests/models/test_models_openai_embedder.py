"""Embeddings over HTTP: what is sent, and how limits and failures of endpoints are met."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag.errors import ModelError, ModelNonsense, ModelRejected, ModelUnavailable, SettingsError
from rag.models.openai_embedder import OpenAIEmbedder
from rag.secrets import Secrets
from rag.settings import EmbedderSettings
from tests.llm_server import Reply, Request, ScriptedServer, html, raw, require_key, status


def embedder(server: ScriptedServer | str, secrets: Secrets, **fields: object) -> OpenAIEmbedder:
    address = server if isinstance(server, str) else server.url
    values = {"kind": "openai", "base_url": address, "model": "bge-m3"} | fields
    return OpenAIEmbedder(EmbedderSettings(**values), secrets)


def sent(server: ScriptedServer) -> list[list[str]]:
    return [request.body["input"] for request in server.requests]


def test_dimension_is_asked_once(server: ScriptedServer, secrets: Secrets) -> None:
    model = embedder(server, secrets)
    assert (model.dimension, model.dimension) == (8, 8)
    assert len(server.requests) == 1


def test_batches_and_instructions(server: ScriptedServer, secrets: Secrets) -> None:
    model = embedder(server, secrets, batch_size=2, query_instruction="问：")
    assert model.dimension == 8
    model.embed_passages(["一", "二二", "三三三"])
    model.embed_queries(["补贴？"])
    assert sent(server)[1:] == [["一", "二二"], ["三三三"], ["问：补贴？"]]
    assert server.requests[0].body["model"] == "bge-m3"


def test_empty_and_odd_texts_are_made_acceptable(server: ScriptedServer, secrets: Secrets) -> None:
    embedder(server, secrets).embed_passages(["", " \n", "坏\ud83d"])
    assert sorted(sent(server)[1]) == ["。", "。", "坏?"]


def test_fewer_texts_per_request_when_the_endpoint_wants_that(
    server: ScriptedServer, secrets: Secrets
) -> None:
    def at_most_three(request: Request) -> Reply:
        if len(request.body["input"]) > 3:
            return status(400, "batch size is invalid, it should not be larger than 3")
        return Reply()

    server.script(at_most_three, path="embeddings")
    model = embedder(server, secrets, batch_size=16)
    texts = [f"第{n}条" for n in range(10)]
    vectors = model.embed_passages(texts)
    np.testing.assert_allclose(
        vectors, embedder(server, secrets, batch_size=1).embed_passages(texts)
    )
    server.reset()
    model.embed_passages(texts)
    assert max(map(len, sent(server))) <= 3


def test_shorter_texts_when_the_endpoint_wants_that(
    server: ScriptedServer, secrets: Secrets
) -> None:
    def at_most_500(request: Request) -> Reply:
        if max(map(len, request.body["input"])) > 500:
            return status(413, "input must have less than 512 tokens")
        return Reply()

    server.script(at_most_500, path="embeddings")
    model = embedder(server, secrets)
    assert model.embed_passages(["人才" * 2000, "短"]).shape == (2, 8)
    assert model.max_tokens <= 500


def test_a_busy_endpoint_is_asked_again(server: ScriptedServer, secrets: Secrets) -> None:
    model = embedder(server, secrets)
    assert model.dimension == 8
    server.script(status(429, headers=(("retry-after-ms", "10"),)), path="embeddings")
    assert model.embed_passages(["甲"]).shape == (1, 8)


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (status(401), ModelRejected, "向量模型需要密钥"),
        (status(404, "model bge-m3 not found"), ModelRejected, "没有名为 bge-m3 的模型"),
        (status(404), ModelRejected, "地址可能不对"),
        (html(), ModelRejected, "返回的是网页"),
        (raw("garbage"), ModelNonsense, "无法识别"),
        (raw('{"data": []}'), ModelNonsense, "无法识别"),
        (raw('{"data": [{"index": 0, "embedding": [NaN]}]}'), ModelNonsense, "无法识别"),
        (raw('{"object": "list"}'), ModelNonsense, "无法识别"),
        (status(400, "something else"), ModelRejected, "拒绝了请求（HTTP 400）"),
    ],
)
def test_failures_in_plain_words(
    reply: Reply, kind: type[ModelError], said: str, server: ScriptedServer, secrets: Secrets
) -> None:
    server.script(reply, path="embeddings", always=True)
    with pytest.raises(kind) as failure:
        embedder(server, secrets).embed_queries(["你好"])
    assert said in failure.value.message


def test_a_refused_connection(secrets: Secrets) -> None:
    with ScriptedServer() as closed:
        address = closed.url
    with pytest.raises(ModelUnavailable, match="连不上向量模型"):
        embedder(address, secrets).embed_queries(["你好"])


def test_the_key_is_sent_and_never_shown(server: ScriptedServer, secrets: Secrets) -> None:
    secrets.set("embedder", "sk-embedder-secret")
    server.script(require_key("another"), path="embeddings", always=True)
    with pytest.raises(ModelRejected, match="密钥不正确") as failure:
        embedder(server, secrets).embed_queries(["你好"])
    assert server.requests[0].headers["authorization"] == "Bearer sk-embedder-secret"
    assert "sk-embedder-secret" not in failure.value.text() + failure.value.detail


@pytest.mark.parametrize("missing", ["base_url", "model"])
def test_what_must_be_filled_in(missing: str, secrets: Secrets, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="没有填写"):
        embedder("http://localhost/v1", secrets, **{missing: " "})


def test_fingerprint_needs_no_request(server: ScriptedServer, secrets: Secrets) -> None:
    model = embedder(server, secrets)
    assert model.fingerprint != embedder(server, secrets, model="other").fingerprint
    assert model.fingerprint != embedder(server, secrets, passage_instruction="文").fingerprint
    assert server.requests == []
