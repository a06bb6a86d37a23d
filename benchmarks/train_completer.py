"""Train the model that completes follow-ups (rag/models/completer.onnx).

    python -m benchmarks.train_completer --folder <work> [--epochs 3] [--write]

The first layers of the bundled encoder read a turn with the turns before it; heads say where a
stretch of those is put in and which, and which letters go (the idea of utterance rewriting by
copied spans: Liu et al., "Incomplete Utterance Rewriting as Semantic Segmentation", 2020; Jin et
al., "Hierarchical Context Tagging for Utterance Rewriting", 2022). Learned from text of our own
(`benchmarks.completion_lessons`). The word table is frozen and shared with the embedder, as are
the first layers, whose states are computed once. A checkpoint is kept every few minutes, and a run
that was stopped goes on from it. Seeded.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from benchmarks.completion_graph import build_graph, exported
from benchmarks.completion_lessons import KINDS, Lesson, lessons, rows, with_more, workplace_rows
from benchmarks.completion_model import Completer, batch_of, loss_of
from benchmarks.places import WORK
from rag.models.bundled_convert import prepare
from rag.models.bundled_source import E5Weights, find_source, read_source
from rag.models.bundled_words import BundledWords, bundled_words
from rag.models.completer import WEIGHTS

LAYERS, FROZEN = 6, 2
BATCH, DRAWN = 32, 8
"""Lessons of a step, and steps whose lessons are drawn together and sorted by length."""
RATE, HEAD_RATE, WARM_STEPS, DECAY, SEED = 2e-4, 1e-3, 60, 0.01, 20261203
"""Chosen by us after the usual rates for small encoders."""
SAVE_EVERY_S = 180


def fresh_model(data: Path) -> Completer:
    """The untrained model."""
    source = find_source(data)
    assert source is not None
    torch.manual_seed(SEED)
    return Completer(E5Weights(read_source(source)), LAYERS, FROZEN)


class Team:
    """Two copies of a model over the same weights, each in a thread of its own."""

    def __init__(self, model: Completer, words: BundledWords, given: Sequence[Lesson]) -> None:
        torch.set_num_threads(1)
        self.model, self._words, self._given = model, words, given
        self._other = copy.deepcopy(model)
        for mine, its in zip(model.parameters(), self._other.parameters(), strict=True):
            its.data = mine.data
        self._pool = ThreadPoolExecutor(2)
        self._lower: list[Tensor] = [torch.empty(0)] * len(given)
        order = sorted(range(len(given)), key=self.length)
        list(self._pool.map(self._prepare, [order[i : i + 32] for i in range(0, len(order), 32)]))

    def length(self, number: int) -> int:
        """Pieces of a lesson."""
        return len(self._given[number].read.pieces)

    @torch.no_grad()
    def _prepare(self, part: Sequence[int]) -> None:
        batch = batch_of(self._words, [self._given[number].read for number in part])
        states = self.model.lower(batch.words, batch.mask)
        for number, found in zip(part, states, strict=True):
            self._lower[number] = found[: self.length(number)].half()

    def learn(self, numbers: Sequence[int]) -> float:
        """Leave the gradients of lessons in the model; their mean loss."""

        def run(model: Completer, part: Sequence[int]) -> float:
            model.zero_grad()
            given = [self._given[number] for number in part]
            batch = batch_of(self._words, [lesson.read for lesson in given])
            states = torch.zeros_like(batch.words)
            for row, number in zip(states, part, strict=True):
                row[: self.length(number)] = self._lower[number].float()
            loss = loss_of(model(states, batch), batch, given) / len(numbers)
            loss.backward()
            return loss.item()

        parts = (numbers[::2], numbers[1::2])
        told = list(self._pool.map(run, (self.model, self._other), parts))
        for mine, its in zip(self.model.parameters(), self._other.parameters(), strict=True):
            if mine.grad is not None and its.grad is not None:
                mine.grad += its.grad
        return sum(told)


def steps_of(team: Team, count: int, total: int) -> Iterator[list[int]]:
    """The lessons of each step; each once before any comes again, those of a step alike long."""
    chance, queue, parts = random.Random(SEED), list[int](), list[list[int]]()
    for _ in range(total):
        if not parts:
            while len(queue) < BATCH * DRAWN:
                fresh = list(range(count))
                chance.shuffle(fresh)
                queue += fresh
            drawn = sorted(queue[: BATCH * DRAWN], key=team.length)
            del queue[: BATCH * DRAWN]
            parts = [drawn[i : i + BATCH] for i in range(0, len(drawn), BATCH)]
            chance.shuffle(parts)
        yield parts.pop()


def train(model: Completer, team: Team, count: int, epochs: float, folder: Path) -> None:
    """Run the steps that are left, with a checkpoint every few minutes."""
    total = int(epochs * count / BATCH)
    head = [model.turns, model.inside, *(p for part in model.heads() for p in part.parameters())]
    body = [p for layer in model.layers[FROZEN:] for p in layer.parameters()]
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": RATE}, {"params": head, "lr": HEAD_RATE}], weight_decay=DECAY
    )
    checkpoint, first = folder / "checkpoint.pt", 0
    if checkpoint.is_file():
        kept = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(kept["model"])
        optimiser.load_state_dict(kept["optimiser"])
        first = kept["step"]
        print(f"goes on from step {first}", flush=True)
    model.train()
    saved, losses = time.monotonic(), list[float]()
    for step, numbers in enumerate(steps_of(team, count, total)):
        if step < first:
            continue
        share = min((step + 1) / WARM_STEPS, 1.0) * max(1 - step / total, 0.02)
        for group, rate in zip(optimiser.param_groups, (RATE, HEAD_RATE), strict=True):
            group["lr"] = rate * share
        losses.append(team.learn(numbers))
        torch.nn.utils.clip_grad_norm_(body + head, 1.0)
        optimiser.step()
        if (step + 1) % 50 == 0:
            told = f"step {step + 1} of {total}  loss {np.mean(losses[-100:]):.3f}"
            print(f"{told}  {time.process_time():.0f} CPU-s", flush=True)
        if time.monotonic() - saved > SAVE_EVERY_S or step + 1 == total:
            state = {"model": model.state_dict(), "optimiser": optimiser.state_dict()}
            torch.save(state | {"step": step + 1}, checkpoint.with_suffix(".tmp"))
            checkpoint.with_suffix(".tmp").replace(checkpoint)
            saved = time.monotonic()


def main() -> None:
    """Train; write the weights when told to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps the encoder")
    parser.add_argument("--folder", type=Path, default=WORK / "completer", help="keeps work")
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    words = bundled_words(prepare(args.cache))
    own = [row for kind in KINDS for row in rows(kind)]
    given = lessons(words, with_more([*own, *workplace_rows("train")]))
    unchanged = sum(not lesson.edits.put_in for lesson in given)
    print(f"{len(own)} rows, {len(given)} lessons, {unchanged} of them unchanged", flush=True)
    model = fresh_model(args.cache)
    train(model, Team(model, words, given), len(given), args.epochs, args.folder)
    content = build_graph(exported(model), FROZEN).SerializeToString()
    (args.folder / WEIGHTS.name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    print(f"{len(content) / 1e6:.1f} MB, SHA-256 {digest}")
    if args.write:
        WEIGHTS.write_bytes(content)
        WEIGHTS.with_suffix(".sha256").write_text(f"{digest}\n", encoding="ascii")


if __name__ == "__main__":
    main()
