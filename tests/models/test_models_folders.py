"""Models from folders: what is said when one is not there or not whole; FlagEmbedding parts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from rag.errors import ModelRejected, ModelUnavailable, SettingsError
from rag.models.embedder import create_embedder
from rag.models.local_model import locate, most_tokens, weights_digest
from rag.models.reranker import create_reranker
from rag.secrets import Secrets
from rag.settings import EmbedderSettings, RerankerSettings

KINDS = ["flagembedding", "transformers"]


def embedder(path: Path | str, tmp_path: Path, **fields: object):
    settings = EmbedderSettings(**({"kind": "transformers", "path": str(path)} | fields))
    return create_embedder(settings, Secrets(tmp_path), tmp_path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("path", "error", "said"),
    [
        ("", SettingsError, "没有填写模型的文件夹"),
        ("/no/such/folder", ModelRejected, "找不到模型文件夹：/no/such/folder"),
        ("./models", ModelRejected, "找不到模型文件夹"),
        ("模型/目录", ModelRejected, "找不到模型文件夹"),
        ("..", ModelRejected, "config.json"),
    ],
)
def test_a_wrong_path_is_said_at_once(
    kind: str, path: str, error: type, said: str, tmp_path: Path
) -> None:
    with pytest.raises(error) as failure:
        embedder(path, tmp_path, kind=kind)
    assert said in failure.value.message
    with pytest.raises(error):
        create_reranker(
            RerankerSettings(kind="flagembedding", path=path), Secrets(tmp_path), tmp_path
        )


def test_a_folder_without_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelRejected, match="没有权重文件"):
        embedder(tmp_path, tmp_path)


@pytest.mark.slow
def test_a_hub_that_cannot_be_reached_is_given_up_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants as constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises((ModelUnavailable, ModelRejected), match=r"连不上模型站点|没有这个模型"):
        locate("zhiwen-tests/no-such-model")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_broken_weights_are_said_plainly(kind: str, encoder_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(encoder_folder, folder)
    (folder / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ModelRejected, match="无法加载模型文件夹"):
        embedder(folder, tmp_path, kind=kind).embed_queries(["你好"])


@pytest.mark.slow
def test_pooling_is_what_the_settings_say(encoder_folder: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(encoder_folder)
    with torch.inference_mode():
        inputs = tokenizer("杭州人才", return_tensors="pt")
        states = AutoModel.from_pretrained(encoder_folder)(**inputs).last_hidden_state[0]
    for pooling, expected in (("mean", states.mean(0)), ("cls", states[0])):
        vector = embedder(encoder_folder, tmp_path, pooling=pooling).embed_passages(["杭州人才"])
        unit = (expected / expected.norm()).numpy()
        np.testing.assert_allclose(vector[0], unit, atol=1e-5)
    flag = embedder(encoder_folder, tmp_path, kind="flagembedding").embed_passages(["杭州人才"])
    np.testing.assert_allclose(flag[0], (states[0] / states[0].norm()).numpy(), atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_instructions_go_before_the_text(kind: str, encoder_folder: Path, tmp_path: Path) -> None:
    plain = embedder(encoder_folder, tmp_path, kind=kind)
    told = embedder(
        encoder_folder, tmp_path, kind=kind, query_instruction="怎么", passage_instruction="标准"
    )
    np.testing.assert_allclose(
        told.embed_queries(["申请"]), plain.embed_queries(["怎么申请"]), atol=1e-5
    )
    np.testing.assert_allclose(
        told.embed_passages(["申请"]), plain.embed_passages(["标准申请"]), atol=1e-5
    )


def test_fingerprint_follows_what_shapes_passages(encoder_folder: Path, tmp_path: Path) -> None:
    base = embedder(encoder_folder, tmp_path).fingerprint
    assert embedder(encoder_folder, tmp_path, query_instruction="问：").fingerprint == base
    assert embedder(encoder_folder, tmp_path, passage_instruction="文：").fingerprint != base
    assert embedder(encoder_folder, tmp_path, pooling="cls").fingerprint != base
    moved = tmp_path / encoder_folder.name
    shutil.copytree(encoder_folder, moved)
    assert embedder(moved, tmp_path).fingerprint == base
    with (moved / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x55")
    assert embedder(moved, tmp_path).fingerprint != base


def test_length_limit_comes_from_the_model(tmp_path: Path) -> None:
    def limit(config: dict, tokenizer: dict | None = None) -> int:
        (tmp_path / "config.json").write_text(json.dumps(config))
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(tokenizer or {}))
        return most_tokens(tmp_path, 2048)

    assert limit({"max_position_embeddings": 512}) == 512
    assert (
        limit({"model_type": "xlm-roberta", "max_position_embeddings": 514, "pad_token_id": 1})
        == 512
    )
    assert limit({"max_position_embeddings": 8194}) == 2048
    assert limit({"max_position_embeddings": 512}, {"model_max_length": 256}) == 256
    assert limit({}, {"model_max_length": 1e30}) == 2048


def test_digest_needs_no_model_library(encoder_folder: Path) -> None:
    assert len(weights_digest(encoder_folder)) == 8
