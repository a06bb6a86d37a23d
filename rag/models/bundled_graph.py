"""Writes the ONNX graph and the tokenizer file of the bundled embedder from its weights.

The graph takes the word vectors of one text ([batch, tokens, hidden], without padding) and
gives its unit vector ([batch, hidden]). The word table is not part of it: it stays in 4 bits
in a memory-mapped file, from which a text's rows are taken (`rag.models.bundled`).

Why it looks as it does (`python -m benchmarks.bench_embedding` measures all of it): 8-bit
weights with 8-bit activations beat 4-bit kernels and float32; plain Add + LayerNormalization
beats the fused operator on CPUs; attention without a mask takes the runtime's fast path, so
texts are never padded.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rag.models.bundled_source import E5Weights, Vocabulary, dequantise

MICROSOFT = "com.microsoft"
"""Domain of the runtime's own operators."""

WEIGHT_LIMIT = 64
"""Largest 8-bit weight. 7 bits keep sums of two products within 16 bits, so that processors
without VNNI (which saturate there) compute the same as those with it."""


class GraphWriter:
    """Collects nodes and constants of a graph; names are the caller's."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: np.ndarray) -> str:
        """Add a constant and return its name."""
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: str | Sequence[str],
        domain: str = "",
        **attributes: Any,
    ) -> str:
        """Add a node and return the name of its first output."""
        from onnx import helper

        names = [outputs] if isinstance(outputs, str) else list(outputs)
        self.nodes.append(
            helper.make_node(
                operator, list(inputs), names, name=names[0], domain=domain, **attributes
            )
        )
        return names[0]


Linear = Callable[[GraphWriter, str, np.ndarray, np.ndarray, str], str]
"""Writes `input · weightsᵀ + bias`; called with the writer, the input's name, the weights'
Q4_0 blocks [rows, columns / 32, 18], the bias [rows] and the output's name."""


def int8_linear(
    writer: GraphWriter, source: str, blocks: np.ndarray, bias: np.ndarray, name: str
) -> str:
    """8-bit weights with one scale per output, activations quantised as they come."""
    weights = dequantise(blocks)
    scales = np.abs(weights).max(axis=1) / WEIGHT_LIMIT
    scales[scales == 0] = 1.0
    quantised = np.rint(weights / scales[:, None]).astype(np.int8)
    return writer.node(
        "DynamicQuantizeMatMul",
        [
            source,
            writer.constant(f"{name}.weights", quantised.T),
            writer.constant(f"{name}.scales", scales.astype(np.float32)),
            writer.constant(f"{name}.zeros", np.zeros(len(scales), np.int8)),
            writer.constant(f"{name}.bias", bias),
        ],
        name,
        MICROSOFT,
    )


def build_graph(weights: E5Weights, linear: Linear = int8_linear) -> Any:
    """The encoder as an ONNX model; `linear` decides how matrices are stored and multiplied."""
    from onnx import TensorProto, helper

    hidden = weights.hidden
    writer = GraphWriter()
    state = _embed(writer, weights)
    for number in range(weights.layers):
        state = _layer(writer, weights, f"l{number}", state, linear)
    axis = writer.constant("token_axis", np.array([1], np.int64))
    mean = writer.node("ReduceMean", [state, axis], "mean", keepdims=0)
    writer.node("LpNormalization", [mean], "vector", axis=-1, p=2)
    shape = ["batch", "tokens", hidden]
    graph = helper.make_graph(
        writer.nodes,
        "encoder",
        [helper.make_tensor_value_info("words", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["batch", hidden])],
        writer.constants,
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def _embed(writer: GraphWriter, weights: E5Weights) -> str:
    """Word vectors plus positions and the (only used) first type, normalised."""
    rows = weights.array("emb.pos").reshape(weights.positions, weights.hidden)
    rows = rows + weights.array("emb.type").reshape(weights.types, weights.hidden)[0]
    writer.node("Shape", ["words"], "count", start=1, end=2)
    zero = writer.constant("zero", np.array([0], np.int64))
    writer.node("Slice", [writer.constant("positions", rows), zero, "count", zero], "places")
    writer.node("Add", ["words", "places"], "embedded")
    return _normalise(writer, weights, "embedded", "emb.ln", "x")


def _layer(writer: GraphWriter, weights: E5Weights, prefix: str, state: str, linear: Linear) -> str:
    def dense(source: str, parts: Sequence[str], columns: int, name: str) -> str:
        names = [f"{prefix}.{part}" for part in parts]
        blocks = np.concatenate([weights.blocks(f"{n}.w", columns) for n in names])
        bias = np.concatenate([weights.array(f"{n}.b") for n in names])
        return linear(writer, source, blocks, bias, f"{prefix}.{name}")

    hidden = weights.hidden
    joined = dense(state, ["q", "k", "v"], hidden, "qkv")
    parts = [f"{prefix}.query", f"{prefix}.key", f"{prefix}.value"]
    writer.node("Split", [joined], parts, axis=-1, num_outputs=3)
    attended = writer.node(
        "MultiHeadAttention", parts, f"{prefix}.attended", MICROSOFT, num_heads=weights.heads
    )
    projected = dense(attended, ["ao"], hidden, "projected")
    added = writer.node("Add", [state, projected], f"{prefix}.added")
    middle = _normalise(writer, weights, added, f"{prefix}.aln", f"{prefix}.middle")
    widened = dense(middle, ["fi"], hidden, "widened")
    active = writer.node("Gelu", [widened], f"{prefix}.active", MICROSOFT)
    narrowed = dense(active, ["fo"], weights.inner, "narrowed")
    summed = writer.node("Add", [middle, narrowed], f"{prefix}.summed")
    return _normalise(writer, weights, summed, f"{prefix}.oln", f"{prefix}.out")


def _normalise(writer: GraphWriter, weights: E5Weights, source: str, name: str, output: str) -> str:
    gain = writer.constant(f"{name}.gain", weights.array(f"{name}.w"))
    shift = writer.constant(f"{name}.shift", weights.array(f"{name}.b"))
    return writer.node(
        "LayerNormalization", [source, gain, shift], output, axis=-1, epsilon=weights.epsilon
    )


# --- Tokenizer ------------------------------------------------------------------------

# Field numbers and enum values of sentencepiece's public ModelProto.
_PIECE, _TRAINER, _NORMALISER = 1, 2, 3
_UNIGRAM = 1
_UNKNOWN, _CONTROL = 2, 3


def tokeniser_model(vocabulary: Vocabulary) -> bytes:
    """The vocabulary as a sentencepiece model whose ids are the word table's rows.

    Special pieces are control pieces, so that "</s>" typed by a person stays plain text.
    Characters are normalised before (`E5Weights.normaliser`); the model only joins spaces.
    """
    control = {vocabulary.begin, vocabulary.end, vocabulary.padding}
    parts: list[bytes] = []
    for number, (piece, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True)):
        entry = _bytes(1, piece) + _tag(2, 5) + struct.pack("<f", score)
        if number == vocabulary.unknown:
            entry += _number(3, _UNKNOWN)
        elif number in control or piece == b"<mask>":
            entry += _number(3, _CONTROL)
        parts.append(_bytes(_PIECE, entry))
    trainer = (
        _number(3, _UNIGRAM)
        + _number(4, len(vocabulary.pieces))
        + _number(40, vocabulary.unknown)
        + _number(41, vocabulary.begin)
        + _number(42, vocabulary.end)
        + _number(43, vocabulary.padding)
    )
    # Name, then: a space before the text, extra spaces removed, spaces shown as U+2581.
    normaliser = _bytes(1, b"identity") + _number(3, 1) + _number(4, 1) + _number(5, 1)
    return b"".join(parts) + _bytes(_TRAINER, trainer) + _bytes(_NORMALISER, normaliser)


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _tag(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _number(field: int, value: int) -> bytes:
    return _tag(field, 0) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _tag(field, 2) + _varint(len(value)) + value
