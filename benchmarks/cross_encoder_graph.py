"""Writes the cross-encoder's ONNX file from its trained weights, in 8 bits as the embedder's
(`rag.models.bundled_graph`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rag.models.bundled_graph import MICROSOFT, WEIGHT_LIMIT, GraphWriter

HEADS = 12
EPSILON = 1e-12
"""Of multilingual-e5-small."""

Parts = Mapping[str, np.ndarray]
"""Per layer the matrices `qkv`, `ao`, `fi`, `fo` (`.weights` [outputs, inputs], `.bias`) and the
norms `aln`, `oln` (`.gain`, `.shift`), as in "l0.qkv.weights"; beside them `norm`, `places`
[tokens, hidden] (positions and the first type), `head.weights` [2 · hidden], `head.bias` [1]."""


def build_graph(parts: Parts) -> Any:
    """An ONNX model from word vectors [batch, tokens, hidden] without padding to logits [batch].

    Raises:
        KeyError: a part is missing.
    """
    from onnx import TensorProto, helper

    writer = GraphWriter()
    hidden = parts["places"].shape[1]
    layers = sum(name.endswith(".qkv.weights") for name in parts)
    state = embed(writer, parts)
    for number in range(layers):
        state = add_layer(writer, parts, f"l{number}", state)
    axis = writer.constant("token_axis", np.array([1], np.int64))
    mean = writer.node("ReduceMean", [state, axis], "mean", keepdims=0)
    first = writer.constant("first", np.array([0], np.int64))
    writer.node("Gather", [state, first], "begins", axis=1)
    begin = writer.node("Flatten", ["begins"], "begin", axis=1)
    joined = writer.node("Concat", [mean, begin], "joined", axis=-1)
    weights = writer.constant("head.weights", parts["head.weights"].reshape(-1, 1))
    product = writer.node("MatMul", [joined, weights], "product")
    bias = writer.constant("head.bias", parts["head.bias"].reshape(1))
    added = writer.node("Add", [product, bias], "added")
    last = writer.constant("last_axis", np.array([-1], np.int64))
    writer.node("Squeeze", [added, last], "logit")
    graph = helper.make_graph(
        writer.nodes,
        "cross_encoder",
        [helper.make_tensor_value_info("words", TensorProto.FLOAT, ["batch", "tokens", hidden])],
        [helper.make_tensor_value_info("logit", TensorProto.FLOAT, ["batch"])],
        writer.constants,
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def embed(writer: GraphWriter, parts: Parts) -> str:
    """Word vectors plus positions, normalised."""
    writer.node("Shape", ["words"], "count", start=1, end=2)
    zero = writer.constant("zero", np.array([0], np.int64))
    places = writer.constant("positions", parts["places"])
    writer.node("Slice", [places, zero, "count", zero], "places")
    writer.node("Add", ["words", "places"], "embedded")
    return _norm(writer, parts, "embedded", "norm", "x")


def add_layer(writer: GraphWriter, parts: Parts, at: str, state: str) -> str:
    """One layer of the encoder over `state`; `at` is its name in the parts."""
    joined = linear(writer, parts, state, f"{at}.qkv")
    three = [f"{at}.query", f"{at}.key", f"{at}.value"]
    writer.node("Split", [joined], three, axis=-1, num_outputs=3)
    found = writer.node("MultiHeadAttention", three, f"{at}.found", MICROSOFT, num_heads=HEADS)
    added = writer.node("Add", [state, linear(writer, parts, found, f"{at}.ao")], f"{at}.added")
    middle = _norm(writer, parts, added, f"{at}.aln", f"{at}.middle")
    active = writer.node(
        "Gelu", [linear(writer, parts, middle, f"{at}.fi")], f"{at}.active", MICROSOFT
    )
    summed = writer.node("Add", [middle, linear(writer, parts, active, f"{at}.fo")], f"{at}.sum")
    return _norm(writer, parts, summed, f"{at}.oln", f"{at}.out")


def linear(writer: GraphWriter, parts: Parts, source: str, name: str) -> str:
    """One scale per output; activations are quantised as they come."""
    weights = parts[f"{name}.weights"]
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
            writer.constant(f"{name}.bias", parts[f"{name}.bias"]),
        ],
        name,
        MICROSOFT,
    )


def _norm(writer: GraphWriter, parts: Parts, source: str, name: str, output: str) -> str:
    gain = writer.constant(f"{name}.gain", parts[f"{name}.gain"])
    shift = writer.constant(f"{name}.shift", parts[f"{name}.shift"])
    return writer.node(
        "LayerNormalization", [source, gain, shift], output, axis=-1, epsilon=EPSILON
    )
