"""Open-domain chat: utterances rewritten to stand alone, against their annotators.

For measuring only: nothing of these sets may shape what ships.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rag.types import Turn
from rag.understand.complete import complete
from rag.understand.learned import Fill


def turns(context: Iterable[str]) -> list[Turn]:
    """The turns before a user's message: alternating, the last one the assistant's."""
    texts = list(context)
    roles = ["assistant" if (len(texts) - i) % 2 else "user" for i in range(len(texts))]
    return [Turn(role=r, content=t) for r, t in zip(roles, texts, strict=True)]


def bench_rewrite(name: str, data: list[dict[str, Any]], show: int, fill: Fill) -> None:
    """Exact match and BLEU-4 on utterance rewriting, and how often complete ones are kept."""
    if not data:
        return
    outputs = [complete(r["utterance"], turns(r["context"]), fill=fill).standalone for r in data]
    needed = [i for i, r in enumerate(data) if r["rewrite"] != r["utterance"]]
    kept = [i for i, r in enumerate(data) if r["rewrite"] == r["utterance"]]
    exact = sum(outputs[i] == data[i]["rewrite"] for i in range(len(data)))
    exact_needed = sum(outputs[i] == data[i]["rewrite"] for i in needed)
    touched = sum(outputs[i] != data[i]["utterance"] for i in needed)
    left = sum(outputs[i] == data[i]["utterance"] for i in kept)
    references = [r["rewrite"] for r in data]
    copied = bleu([r["utterance"] for r in data], references)
    print(
        f"{name}: EM {exact / len(data):.3f} "
        f"(needing it {exact_needed / max(1, len(needed)):.3f}, "
        f"touched {touched / max(1, len(needed)):.3f}) "
        f"BLEU-4 {bleu(outputs, references):.3f} (copying {copied:.3f})"
        + (f" complete ones left alone {left / len(kept):.4f} of {len(kept)}" if kept else "")
    )
    spoiled = [i for i in kept if outputs[i] != data[i]["utterance"]]
    for i in spoiled[:show]:
        print("   spoiled:", data[i]["context"], data[i]["utterance"], "→", outputs[i])
    wrong = [i for i in needed if outputs[i] not in (data[i]["rewrite"], data[i]["utterance"])]
    for i in wrong[:show]:
        print(
            "   wrong:",
            data[i]["context"],
            data[i]["utterance"],
            "→",
            outputs[i],
            "| want",
            data[i]["rewrite"],
        )


def bleu(outputs: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU-4 over characters, 0..1."""
    matches, totals = [0] * 4, [0] * 4
    for output, reference in zip(outputs, references, strict=True):
        for n in range(1, 5):
            made = Counter(output[i : i + n] for i in range(len(output) - n + 1))
            wanted = Counter(reference[i : i + n] for i in range(len(reference) - n + 1))
            matches[n - 1] += sum((made & wanted).values())
            totals[n - 1] += max(0, len(output) - n + 1)
    if not all(matches):
        return 0.0
    length, wanted_length = sum(map(len, outputs)), sum(map(len, references))
    brevity = min(1.0, math.exp(1 - wanted_length / max(1, length)))
    return brevity * math.exp(
        sum(math.log(m / t) for m, t in zip(matches, totals, strict=True)) / 4
    )
