"""One contract, every embedder: rag.models.embedder."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from rag.models.embedder import Embedder, create_embedder
from rag.secrets import Secrets
from rag.settings import EmbedderSettings
from tests.llm_server import ScriptedServer

QUESTION = "杭州硕士人才住房补贴标准是多少？"
PASSAGES = [
    "硕士每月两千元。",
    "员工请假须提前三天申请。",
    "",
    "年",
    "abc 123 " * 200,
    "北京人才住房",
]
HARD = ["\ud83d半个表情", "零\x00字节", "🧧🎉", "﷽", "a" * 50_000, "\u200b\ufeff", "\n\t \r"]


@pytest.fixture(
    params=[
        "bundled",
        "openai",
        pytest.param("transformers", marks=pytest.mark.slow),
        pytest.param("flagembedding", marks=pytest.mark.slow),
    ]
)
def embedder(request: pytest.FixtureRequest, server: ScriptedServer, tmp_path: Path) -> Embedder:
    kind = request.param
    if kind == "bundled":
        data = request.getfixturevalue("bundled_data")
        return create_embedder(EmbedderSettings(), Secrets(tmp_path), data)
    if kind == "openai":
        settings = EmbedderSettings(kind=kind, base_url=server.url, model="m", batch_size=4)
    else:
        folder = request.getfixturevalue("encoder_folder")
        settings = EmbedderSettings(kind=kind, path=str(folder), batch_size=4)
    return create_embedder(settings, Secrets(tmp_path), tmp_path)


def test_vectors_have_length_one_in_the_order_asked_for(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(PASSAGES)
    assert vectors.shape == (len(PASSAGES), embedder.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    again = embedder.embed_passages(PASSAGES[::-1])[::-1]
    np.testing.assert_allclose(vectors, again, atol=1e-5)


def test_a_text_has_one_vector_whatever_its_neighbours(embedder: Embedder) -> None:
    together = embedder.embed_passages(PASSAGES)
    for text, vector in zip(PASSAGES, together, strict=True):
        np.testing.assert_allclose(embedder.embed_passages([text])[0], vector, atol=1e-5)


def test_nothing_gives_nothing(embedder: Embedder) -> None:
    assert embedder.embed_queries([]).shape == (0, embedder.dimension)
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)


def test_any_text_can_be_embedded_and_counted(embedder: Embedder) -> None:
    assert np.isfinite(embedder.embed_passages(HARD)).all()
    assert np.isfinite(embedder.embed_queries(HARD)).all()
    assert all(embedder.count_tokens(text) >= 0 for text in HARD)


def test_progress_ends_at_the_number_of_texts(embedder: Embedder) -> None:
    seen: list[int] = []
    embedder.embed_passages(PASSAGES, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == len(PASSAGES)


def test_tokens_are_counted_without_extras(embedder: Embedder) -> None:
    assert embedder.count_tokens("") == 0
    assert 0 < embedder.count_tokens("杭州") < embedder.count_tokens("杭州人才住房补贴")
    assert embedder.max_tokens >= 64


def test_threads_may_share_it(embedder: Embedder) -> None:
    expected = embedder.embed_passages(PASSAGES)
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(embedder.embed_passages, PASSAGES) for _ in range(16)]
        counts = [pool.submit(embedder.count_tokens, QUESTION) for _ in range(16)]
        for future in futures:
            np.testing.assert_allclose(future.result(), expected, atol=1e-5)
        assert len({count.result() for count in counts}) == 1


def test_fingerprint_is_an_identifier_and_stable(embedder: Embedder) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_]+", embedder.fingerprint)
    assert embedder.fingerprint == embedder.fingerprint
    assert embedder.name
