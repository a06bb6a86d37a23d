"""Train the cross-encoder that the local reranker asks (rag/models/cross_encoder.onnx).

    python -m benchmarks.train_cross_encoder --folder <work> [--steps 740] [--write]
    python -m benchmarks.train_cross_encoder --folder <second> --after <work>/checkpoint.pt \
        --steps 1200 --rate 8e-5 --head-rate 5e-4 --seed 20261201 --write

The first layers of the bundled encoder read question and passage together; a linear head over
the mean and the first token gives one number. The word table is frozen and stays shared with
the embedder. Softmax cross-entropy over one right and five wrong passages of a question
(`benchmarks.cross_encoder_lessons`). A checkpoint is kept every few minutes, and a run that was
stopped goes on from it. Seeded: the same machine, threads and data give the same weights. Those
that ship come from two courses: 740 steps whose schedule was shortened twice on the way (1,500,
900, 740), then the second line above, which took nDCG@10 of unseen legal questions from .552 to
.566 and hurt nothing else. A fresh run gives slightly other weights: fit and measure with
`benchmarks.train_blend` after it.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import itertools
import pickle
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.cross_encoder_graph import build_graph
from benchmarks.cross_encoder_lessons import SHARES, Lesson, lessons
from benchmarks.embedded import bundled_embedder
from benchmarks.places import DATA, WORK, absent
from rag.models.bundled_convert import prepare
from rag.models.bundled_source import E5Weights, dequantise, find_source, read_source
from rag.models.bundled_words import bundled_words
from rag.models.cross_encoder import MOST_TOKENS, WEIGHTS, pair_ids

LAYERS, FROZEN = 6, 2
QUESTIONS, WRONG = 8, 5
"""Questions of a step, and wrong passages of a question."""
RATE, HEAD_RATE, WARM_STEPS, DECAY, SEED = 1e-4, 1e-3, 40, 0.01, 20261130
"""Chosen by us after the usual rates for small encoders."""
ALONE = 0.3
"""Weight of a pair's own loss beside the softmax over its group; chosen by us."""
SAVE_EVERY_S = 180
PART = 12
"""Pairs that run together; a step's pairs are sorted by length first: less padding."""


class Layer(nn.Module):
    """One layer of the encoder, as `rag.models.bundled_graph` computes it."""

    def __init__(self, hidden: int, inner: int, heads: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.ao = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.fi, self.fo = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.aln, self.oln = nn.LayerNorm(hidden, epsilon), nn.LayerNorm(hidden, epsilon)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """States [n, tokens, hidden] to states; `mask` [n, 1, 1, tokens] is added."""
        count, tokens, hidden = x.shape
        parts = self.qkv(x).view(count, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query = parts[0] * (parts.shape[-1] ** -0.5)
        # Three plain steps: for short texts the fused operator's way back is slower.
        found = (query @ parts[1].transpose(2, 3) + mask).softmax(-1).to(x.dtype) @ parts[2]
        found = self.ao(found.transpose(1, 2).reshape(count, tokens, hidden))
        x = self.aln(x + found)
        result: Tensor = self.oln(x + self.fo(F.gelu(self.fi(x))))
        return result


class CrossEncoder(nn.Module):
    """The whole model; words come in as vectors."""

    def __init__(self, source: E5Weights, layers: int) -> None:
        super().__init__()
        hidden = source.hidden
        places = source.array("emb.pos").reshape(source.positions, hidden)
        kind = source.array("emb.type").reshape(source.types, hidden)[0]
        self.places = nn.Parameter(torch.from_numpy(places + kind), requires_grad=False)
        self.norm = nn.LayerNorm(hidden, source.epsilon)
        self.layers = nn.ModuleList(
            Layer(hidden, source.inner, source.heads, source.epsilon) for _ in range(layers)
        )
        self.head = nn.Linear(2 * hidden, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)
        take_weights(self, source)
        for frozen in (self.norm, *self.layers[:FROZEN]):
            frozen.requires_grad_(False)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Logits [n] of word vectors [n, tokens, hidden]; `mask` [n, tokens] is True for tokens."""
        x = self.norm(words + self.places[: words.shape[1]])
        added = torch.where(mask, 0.0, -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, added)
        share = mask[..., None].float()
        mean = (x.float() * share).sum(1) / share.sum(1)
        result: Tensor = self.head(torch.cat([mean, x[:, 0].float()], -1))[:, 0]
        return result


@torch.no_grad()
def take_weights(model: Any, source: E5Weights) -> None:
    """Begin with the encoder's own `norm` and `layers`, as many as the model has."""

    def linear(into: nn.Linear, names: Sequence[str]) -> None:
        weight = [dequantise(source.blocks(f"{n}.w", into.in_features)) for n in names]
        into.weight.copy_(torch.from_numpy(np.concatenate(weight)))
        bias = np.concatenate([source.array(f"{n}.b") for n in names])
        into.bias.copy_(torch.from_numpy(bias))

    def norm(into: nn.LayerNorm, name: str) -> None:
        into.weight.copy_(torch.from_numpy(source.array(f"{name}.w").copy()))
        into.bias.copy_(torch.from_numpy(source.array(f"{name}.b").copy()))

    norm(model.norm, "emb.ln")
    for number, layer in enumerate(model.layers):
        assert isinstance(layer, Layer)
        at = f"l{number}"
        linear(layer.qkv, [f"{at}.{part}" for part in "qkv"])
        linear(layer.ao, [f"{at}.ao"])
        linear(layer.fi, [f"{at}.fi"])
        linear(layer.fo, [f"{at}.fo"])
        norm(layer.aln, f"{at}.aln")
        norm(layer.oln, f"{at}.oln")


class Words:
    """Pairs as the model reads them."""

    def __init__(self, data: Path) -> None:
        self._words = bundled_words(prepare(data))

    def ids(self, question: str, passage: str) -> np.ndarray:
        """Ids of a pair."""
        tokenise = self._words.tokenise
        return np.array(pair_ids(tokenise(question), tokenise(passage)), np.int32)

    def batch(self, pairs: Sequence[np.ndarray]) -> tuple[Tensor, Tensor]:
        """Word vectors and mask of padded pairs."""
        longest = max(map(len, pairs))
        ids = np.ones((len(pairs), longest), np.int64)
        mask = np.zeros((len(pairs), longest), bool)
        for number, pair in enumerate(pairs):
            ids[number, : len(pair)], mask[number, : len(pair)] = pair, True
        return torch.from_numpy(self._words.vectors(ids)), torch.from_numpy(mask)


class Team:
    """Copies of a model over the same weights, each in a thread of its own.

    One thread for each copy costs a third of the processor time of two threads in each
    operator, because nobody waits for anybody within a step.
    """

    def __init__(self, model: CrossEncoder, words: Words, threads: int) -> None:
        torch.set_num_threads(1)
        self.model, self._words = model, words
        self._copies = [model, *(copy.deepcopy(model) for _ in range(threads - 1))]
        for other in self._copies[1:]:
            for mine, its in zip(model.parameters(), other.parameters(), strict=True):
                its.data = mine.data
        self._pool = ThreadPoolExecutor(threads)

    def score(self, pairs: Sequence[np.ndarray]) -> np.ndarray:
        """Logits of pairs in the order given."""
        order = np.argsort([len(pair) for pair in pairs], kind="stable")
        parts = [order[start : start + PART] for start in range(0, len(order), PART)]
        found = np.empty(len(pairs), np.float32)

        def run(mine: Sequence[np.ndarray]) -> None:
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                for part in mine:
                    batch = self._words.batch([pairs[place] for place in part])
                    found[part] = self.model(*batch).float().numpy()

        list(self._pool.map(run, [parts[n :: len(self._copies)] for n in range(len(self._copies))]))
        return found

    def learn(
        self, groups: Sequence[Sequence[np.ndarray]], judged: Sequence[bool | None] = ()
    ) -> tuple[float, float]:
        """Leave the gradients of groups of equally many pairs in the model.

        Args:
            groups: the right pair comes first.
            judged: for each group, whether its first pair is right at all; each pair of it is
                then also taken by itself, so that logits mean the same from question to
                question. None, as for all groups by default, leaves that out.

        Returns the mean loss and the share of groups with a right pair in which it scores best.
        """
        count = len(self._copies)
        told_of = list(judged) or [None] * len(groups)

        def run(number: int) -> tuple[float, float]:
            model, mine = self._copies[number], groups[number::count]
            known = told_of[number::count]
            model.zero_grad()
            pairs = [pair for group in mine for pair in group]
            order = np.argsort([len(pair) for pair in pairs], kind="stable")
            with torch.autocast("cpu", torch.bfloat16):
                found = [
                    model(
                        *self._words.batch([pairs[place] for place in order[start : start + PART]])
                    )
                    for start in range(0, len(order), PART)
                ]
            back = torch.from_numpy(np.argsort(order, kind="stable"))
            scores = torch.cat(found).float()[back].view(len(mine), -1)
            with_right = torch.tensor([one is not False for one in known])
            wanted = torch.zeros(int(with_right.sum()), dtype=torch.long)
            loss = F.cross_entropy(scores[with_right], wanted, reduction="sum") / len(groups)
            alone = torch.tensor([one is not None for one in known])
            if alone.any():
                labels = torch.zeros_like(scores)
                labels[:, 0] = with_right.float()
                each = F.binary_cross_entropy_with_logits(
                    scores[alone], labels[alone], reduction="sum"
                )
                loss = loss + ALONE * each / len(groups)
            loss.backward()
            hits = (scores[with_right].argmax(1) == 0).sum()
            share = sum(one is not False for one in told_of) or 1
            return loss.item(), float(hits) / share

        told = list(self._pool.map(run, range(count)))
        for other in self._copies[1:]:
            for mine, its in zip(self.model.parameters(), other.parameters(), strict=True):
                if mine.grad is not None and its.grad is not None:
                    mine.grad += its.grad
        return sum(loss for loss, _ in told), sum(right for _, right in told)


@dataclass(frozen=True)
class Course:
    """One run of training.

    Attributes:
        rate, head_rate: highest learning rate of the layers and of the head; both fall to
            nothing by the last step.
        seed: of the questions that are drawn.
    """

    steps: int
    rate: float = RATE
    head_rate: float = HEAD_RATE
    seed: int = SEED


Drawn = tuple[str, list[str], bool | None]
"""A question, its texts, the right one first, and whether that is right at all; see `learn`."""


def draw(given: Sequence[Lesson], step: int, seed: int = SEED) -> list[Drawn]:
    """The questions of a step with their passages, the right one first."""
    chance = random.Random(f"{seed} {step}")
    by_kind: dict[str, list[Lesson]] = {}
    for lesson in given:
        by_kind.setdefault(lesson.kind, []).append(lesson)
    kinds = list(by_kind)
    found = []
    for kind in chance.choices(kinds, [SHARES[kind] for kind in kinds], k=QUESTIONS):
        lesson = chance.choice(by_kind[kind])
        wrong = chance.sample(lesson.wrong, WRONG)
        found.append((lesson.question, [chance.choice(lesson.right), *wrong], None))
    return found


def train(model: CrossEncoder, words: Words, step_of: Callable[[int], Sequence[Drawn]],
          course: Course, folder: Path, threads: int) -> None:  # fmt: skip
    """Run the steps that are left, with a checkpoint every few minutes.

    Args:
        step_of: what a step learns from, given its number.
    """
    team = Team(model, words, threads)
    head = [p for n, p in model.named_parameters() if n.startswith("head")]
    body = [p for n, p in model.named_parameters() if not n.startswith("head") and p.requires_grad]
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": course.rate}, {"params": head, "lr": course.head_rate}],
        weight_decay=DECAY,
    )
    full = [group["lr"] for group in optimiser.param_groups]
    checkpoint, first = folder / "checkpoint.pt", 0
    if checkpoint.is_file():
        kept = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(kept["model"])
        optimiser.load_state_dict(kept["optimiser"])
        first = kept["step"]
        print(f"goes on from step {first}", flush=True)
    model.train()
    saved, losses, hits, steps = time.monotonic(), [], [], course.steps
    for step in range(first, steps):
        share = min((step + 1) / WARM_STEPS, 1.0) * max(1 - step / steps, 0.02)
        for group, rate in zip(optimiser.param_groups, full, strict=True):
            group["lr"] = rate * share
        drawn = step_of(step)
        groups = [[words.ids(question, text) for text in texts] for question, texts, _ in drawn]
        loss, right = team.learn(groups, [judged for _, _, judged in drawn])
        torch.nn.utils.clip_grad_norm_(body + head, 1.0)
        optimiser.step()
        losses.append(loss)
        hits.append(right)
        if (step + 1) % 20 == 0:
            told = f"loss {np.mean(losses[-100:]):.3f}  right {np.mean(hits[-100:]):.3f}"
            print(f"step {step + 1}  {told}  {time.process_time():.0f} CPU-s", flush=True)
        if time.monotonic() - saved > SAVE_EVERY_S or step + 1 == steps:
            _save(checkpoint, model, optimiser, step + 1)
            saved = time.monotonic()


def _save(path: Path, model: CrossEncoder, optimiser: Any, step: int) -> None:
    temporary = path.with_suffix(".tmp")
    state = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step}
    torch.save(state, temporary)
    temporary.replace(path)


def collected(folder: Path, cache: Path) -> list[Lesson]:
    """The lessons, made once and kept in the work folder."""
    kept = folder / "lessons.pickle"
    if not kept.is_file():
        found = list(lessons(DATA, cache, bundled_embedder(cache)))
        kept.write_bytes(pickle.dumps(found))  # our own file
        return found
    result: list[Lesson] = pickle.loads(kept.read_bytes())
    return result


def fresh_model(data: Path) -> CrossEncoder:
    """The untrained model: the first layers of the bundled encoder and a random head."""
    source = find_source(data)
    assert source is not None
    torch.manual_seed(SEED)
    return CrossEncoder(E5Weights(read_source(source)), LAYERS)


def exported(model: CrossEncoder) -> dict[str, np.ndarray]:
    """The model's parts as `benchmarks.cross_encoder_graph` takes them."""
    found = {
        "places": model.places[:MOST_TOKENS],
        "norm.gain": model.norm.weight,
        "norm.shift": model.norm.bias,
        "head.weights": model.head.weight.reshape(-1),
        "head.bias": model.head.bias,
    }
    for number, layer in enumerate(model.layers):
        for name, part in layer.named_children():
            kinds = ("gain", "shift") if name in ("aln", "oln") else ("weights", "bias")
            found |= {
                f"l{number}.{name}.{k}": p for k, p in zip(kinds, part.parameters(), strict=True)
            }
    return {name: value.detach().float().numpy() for name, value in found.items()}


def main() -> None:
    """Train; write the weights when told to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps vectors")
    parser.add_argument("--folder", type=Path, default=WORK / "cross_encoder", help="keeps work")
    parser.add_argument("--steps", type=int, default=740)
    parser.add_argument("--after", type=Path, help="begin with the weights of this checkpoint")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--head-rate", type=float, default=HEAD_RATE)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    args = parser.parse_args()
    if absent("lecoqa_stard", "crosswoz", "laws_zh"):
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    given = collected(args.folder, args.cache)
    for kind, group in itertools.groupby(given, lambda lesson: lesson.kind):
        print(f"{kind}: {len(list(group))} questions")
    model = fresh_model(args.cache)
    if args.after:
        model.load_state_dict(torch.load(args.after, weights_only=True)["model"])
    course = Course(args.steps, args.rate, args.head_rate, args.seed)

    def step_of(step: int) -> list[Drawn]:
        return draw(given, step, course.seed)

    train(model, Words(args.cache), step_of, course, args.folder, args.threads)
    content = build_graph(exported(model)).SerializeToString()
    (args.folder / WEIGHTS.name).write_bytes(content)
    print(f"{len(content) / 1e6:.1f} MB, SHA-256 {hashlib.sha256(content).hexdigest()}")
    if args.write:
        WEIGHTS.write_bytes(content)
        digest = WEIGHTS.with_suffix(".sha256")
        digest.write_text(hashlib.sha256(content).hexdigest() + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
