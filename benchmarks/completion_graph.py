"""Writes the completion model's ONNX file from its trained weights, in 8 bits as the embedder's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from benchmarks.completion_model import POINT, Completer
from benchmarks.cross_encoder_graph import Parts, add_layer, embed
from rag.models.bundled_graph import MICROSOFT, GraphWriter
from rag.models.completion_spans import LINKS

MOST_PIECES = 320
"""Positions that are kept: more than the letters that are read."""


def exported(model: Completer) -> dict[str, np.ndarray]:
    """The model's parts by name; linear ones as `.weights` and `.bias`, norms as `.gain` and
    `.shift`."""
    found: dict[str, Any] = {
        "places": model.places[:MOST_PIECES],
        "turns": model.turns,
        "inside": model.inside,
        "norm.gain": model.norm.weight,
        "norm.shift": model.norm.bias,
    }
    for number, layer in enumerate(model.layers):
        for name, part in layer.named_children():
            kinds = ("gain", "shift") if name in ("aln", "oln") else ("weights", "bias")
            found |= {
                f"l{number}.{name}.{k}": p for k, p in zip(kinds, part.parameters(), strict=True)
            }
    for name in ("letter", "gap", "tags", "left_out", "place", "points"):
        head = getattr(model, name)
        found |= {f"{name}.weights": head.weight, f"{name}.bias": head.bias}
    return {name: value.detach().float().numpy() for name, value in found.items()}


def build_graph(parts: Parts, frozen: int) -> Any:
    """An ONNX model of one turn: from vectors and numbers as `rag.models.completer` gives them to
    `tags` [n, 1 + links], `left_out` [n] and `points` [2, n, m].

    Args:
        frozen: layers before which the turns' numbers are not yet added.
    """
    from onnx import TensorProto, helper

    writer = GraphWriter()
    hidden = parts["places"].shape[1]
    layers = sum(name.endswith(".qkv.weights") for name in parts)
    state = embed(writer, parts)
    for number in range(layers):
        if number == frozen:
            told = writer.node(
                "Gather", [writer.constant("turn_rows", parts["turns"]), "turns"], "told"
            )
            state = writer.node("Add", [state, told], "turned")
        state = add_layer(writer, parts, f"l{number}", state)
    zero = writer.constant("first_axis", np.array([0], np.int64))
    state = writer.node("Squeeze", [state, zero], "states")
    inside = writer.constant("inside_rows", parts["inside"])
    utterance = _letters(writer, parts, state, inside, "")
    context = _letters(writer, parts, state, inside, "context_")
    gaps = _gaps(writer, parts, state, utterance)
    _dense(writer, parts, gaps, "tags", "tags")
    gone = _dense(writer, parts, utterance, "left_out", "gone")
    last = writer.constant("last_axis", np.array([-1], np.int64))
    writer.node("Squeeze", [gone, last], "left_out")
    places = _split(writer, _dense(writer, parts, gaps, "place", "place"), "place", (1, 0, 2))
    points = _split(writer, _dense(writer, parts, context, "points", "point"), "point", (1, 2, 0))
    product = writer.node("MatMul", [places, points], "product")
    scale = writer.constant("scale", np.array(1 / math.sqrt(POINT), np.float32))
    writer.node("Mul", [product, scale], "points")
    return _model(writer, hidden, helper, TensorProto)


def _letters(writer: GraphWriter, parts: Parts, state: str, inside: str, kind: str) -> str:
    taken = writer.node("Gather", [state, f"{kind}pieces"], f"{kind}taken")
    placed = writer.node("Gather", [inside, f"{kind}inside"], f"{kind}placed")
    summed = writer.node("Add", [taken, placed], f"{kind}summed")
    joined = writer.node("Concat", [summed, f"{kind}letters"], f"{kind}joined", axis=-1)
    found = _dense(writer, parts, joined, "letter", f"{kind}letter")
    return writer.node("Gelu", [found], f"{kind}letter_state", MICROSOFT)


def _gaps(writer: GraphWriter, parts: Parts, state: str, utterance: str) -> str:
    """Of each letter with the one before it; the first stands behind the beginning."""
    zero = writer.constant("from_first", np.array([0], np.int64))
    one = writer.constant("to_one", np.array([1], np.int64))
    end = writer.constant("to_last", np.array([-1], np.int64))
    begin = writer.node("Slice", [state, zero, one, zero], "beginning")
    rest = writer.node("Slice", [utterance, zero, end, zero], "but_last")
    before = writer.node("Concat", [begin, rest], "before", axis=0)
    both = writer.node("Concat", [before, utterance], "both", axis=-1)
    found = _dense(writer, parts, both, "gap", "gap")
    return writer.node("Gelu", [found], "gap_state", MICROSOFT)


def _dense(writer: GraphWriter, parts: Parts, source: str, name: str, output: str) -> str:
    """A head in 32 bits: they are small. Its weights are written once."""
    weights = f"{name}.weights"
    known = any(constant.name == weights for constant in writer.constants)
    if not known:
        writer.constant(weights, parts[weights].T)
        writer.constant(f"{name}.bias", parts[f"{name}.bias"])
    product = writer.node("MatMul", [source, weights], f"{output}.product")
    return writer.node("Add", [product, f"{name}.bias"], output)


def _split(writer: GraphWriter, source: str, name: str, order: tuple[int, int, int]) -> str:
    shape = writer.constant(f"{name}.shape", np.array([-1, 2, POINT], np.int64))
    cut = writer.node("Reshape", [source, shape], f"{name}.cut")
    return writer.node("Transpose", [cut], f"{name}.turned", perm=order)


def _model(writer: GraphWriter, hidden: int, helper: Any, types: Any) -> Any:
    def numbers(name: str, *shape: str | int) -> Any:
        return helper.make_tensor_value_info(name, types.FLOAT, shape)

    def whole(name: str, length: str) -> Any:
        return helper.make_tensor_value_info(name, types.INT64, [length])

    inputs = [
        numbers("words", 1, "p", hidden), whole("turns", "p"),
        whole("pieces", "n"), whole("inside", "n"), numbers("letters", "n", hidden),
        whole("context_pieces", "m"), whole("context_inside", "m"),
        numbers("context_letters", "m", hidden),
    ]  # fmt: skip
    outputs = [
        numbers("tags", "n", 1 + len(LINKS)), numbers("left_out", "n"),
        numbers("points", 2, "n", "m"),
    ]  # fmt: skip
    graph = helper.make_graph(writer.nodes, "completer", inputs, outputs, writer.constants)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)
