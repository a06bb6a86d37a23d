"""The completion model in torch: layers of the bundled encoder over the pieces of a turn and of
those before it, and heads over letters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.completion_lessons import Lesson
from benchmarks.train_cross_encoder import Layer, take_weights
from rag.models.bundled_source import E5Weights
from rag.models.bundled_words import BundledWords
from rag.models.completion_input import INSIDE, TURNS, CompletionInput, Letters
from rag.models.completion_spans import LINKS

POINT = 128
"""Numbers by which a place and a letter of the context find each other; chosen by us."""
DROPOUT = 0.1


class Batch(NamedTuple):
    """Padded inputs: piece vectors [b, p, h], turns [b, p], masks, and letters as
    (pieces, places inside, own vectors), of the utterances [b, n] and the contexts [b, m]."""

    words: Tensor
    turns: Tensor
    mask: Tensor
    utterance: tuple[Tensor, Tensor, Tensor]
    context: tuple[Tensor, Tensor, Tensor]
    in_utterance: Tensor
    in_context: Tensor


class Completer(nn.Module):
    """`lower` is frozen and can be computed once; `forward` gives the numbers."""

    def __init__(self, source: E5Weights, layers: int, frozen: int) -> None:
        super().__init__()
        hidden = source.hidden
        places = source.array("emb.pos").reshape(source.positions, hidden)
        kind = source.array("emb.type").reshape(source.types, hidden)[0]
        self.places = nn.Parameter(torch.from_numpy(places + kind), requires_grad=False)
        self.norm = nn.LayerNorm(hidden, source.epsilon)
        self.layers = nn.ModuleList(
            Layer(hidden, source.inner, source.heads, source.epsilon) for _ in range(layers)
        )
        self.frozen = frozen
        self.turns = nn.Parameter(torch.zeros(TURNS + 1, hidden))
        self.inside = nn.Parameter(torch.zeros(INSIDE, hidden))
        self.letter, self.gap = nn.Linear(2 * hidden, hidden), nn.Linear(2 * hidden, hidden)
        self.tags, self.left_out = nn.Linear(hidden, 1 + len(LINKS)), nn.Linear(hidden, 1)
        self.place, self.points = nn.Linear(hidden, 2 * POINT), nn.Linear(hidden, 2 * POINT)
        for head in self.heads():
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)
        with torch.no_grad():
            self.letter.weight[:, :hidden] += torch.eye(hidden)
            self.gap.weight += torch.cat([torch.eye(hidden)] * 2, 1) / 2
        take_weights(self, source)
        for part in (self.norm, *self.layers[:frozen]):
            part.requires_grad_(False)

    def heads(self) -> tuple[nn.Linear, ...]:
        """What is learned from nothing, but for `turns` and `inside`."""
        return (self.letter, self.gap, self.tags, self.left_out, self.place, self.points)

    def lower(self, words: Tensor, mask: Tensor) -> Tensor:
        """States of the frozen layers [b, p, h]."""
        x: Tensor = self.norm(words + self.places[: words.shape[1]])
        added = _added(mask)
        for layer in self.layers[: self.frozen]:
            x = layer(x, added)
        return x

    def forward(self, states: Tensor, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Tags [b, n, 1 + links], left out [b, n], points [b, 2, n, m] of `lower`'s states."""
        x, added = states + self.turns[batch.turns], _added(batch.mask)
        for layer in self.layers[self.frozen :]:
            x = F.dropout(layer(x, added), DROPOUT, self.training)
        utterance, context = self._letters(x, batch.utterance), self._letters(x, batch.context)
        before = torch.cat([x[:, :1], utterance[:, :-1]], 1)
        gaps = F.gelu(self.gap(torch.cat([before, utterance], -1)))
        places = self.place(gaps).view(*gaps.shape[:2], 2, POINT)
        points = self.points(context).view(*context.shape[:2], 2, POINT)
        found = torch.einsum("bgcd,btcd->bcgt", places, points) / math.sqrt(POINT)
        return self.tags(gaps), self.left_out(utterance)[..., 0], found

    def _letters(self, x: Tensor, letters: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        pieces, inside, own = letters
        states = x.gather(1, pieces[..., None].expand(-1, -1, x.shape[-1])) + self.inside[inside]
        return F.gelu(self.letter(torch.cat([states, own], -1)))


def _added(mask: Tensor) -> Tensor:
    return torch.where(mask, 0.0, -1e4)[:, None, None, :]


def batch_of(words: BundledWords, given: Sequence[CompletionInput]) -> Batch:
    """Inputs side by side."""

    def padded(columns: Sequence[Sequence[int]], fill: int = 0) -> np.ndarray:
        found = np.full((len(columns), max(map(len, columns))), fill, np.int64)
        for row, column in zip(found, columns, strict=True):
            row[: len(column)] = column
        return found

    def letters(columns: Sequence[Letters]) -> tuple[Tensor, Tensor, Tensor]:
        own = words.vectors(padded([one.own for one in columns], 1))
        return (
            torch.from_numpy(padded([one.pieces for one in columns])),
            torch.from_numpy(padded([one.inside for one in columns])),
            torch.from_numpy(own),
        )

    def inside(columns: Sequence[Sequence[int]]) -> Tensor:
        return torch.from_numpy(padded([[1] * len(column) for column in columns]).astype(bool))

    pieces = [one.pieces for one in given]
    utterances, contexts = [x.letters for x in given], [x.context_letters for x in given]
    return Batch(
        torch.from_numpy(words.vectors(padded(pieces, 1))),
        torch.from_numpy(padded([one.turns for one in given])),
        inside(pieces),
        letters(utterances),
        letters(contexts),
        inside([one.own for one in utterances]),
        inside([one.own for one in contexts]),
    )


def loss_of(found: tuple[Tensor, Tensor, Tensor], batch: Batch, given: Sequence[Lesson]) -> Tensor:
    """The sum over lessons of minus the log likelihood of their edits; a stretch that stands in
    several places of the context may be copied from any of them."""
    tags, gone, points = found
    points = points.masked_fill(~batch.in_context[:, None, None, :], -1e4).log_softmax(-1)
    puts, leaves = torch.zeros_like(gone), torch.zeros_like(gone)
    letters = batch.in_utterance.clone()
    total = torch.zeros(())
    for number, lesson in enumerate(given):
        count = len(lesson.read.utterance)
        letters[number, count] = False
        leaves[number, :count] = torch.tensor(lesson.edits.left_out, dtype=torch.float)
        for place, put in lesson.edits.put_in.items():
            puts[number, place] = 1.0
            first, last = _where(put.text, lesson.read.context)
            both = points[number, 0, place, first] + points[number, 1, place, last]
            link = torch.tensor(LINKS.index(put.link))
            total = total - torch.logsumexp(both, 0)
            total = total + F.cross_entropy(tags[number, place, 1:], link)
    put_loss = F.binary_cross_entropy_with_logits(
        tags[..., 0][batch.in_utterance], puts[batch.in_utterance], reduction="sum"
    )
    left_loss = F.binary_cross_entropy_with_logits(gone[letters], leaves[letters], reduction="sum")
    return total + put_loss + left_loss


def _where(text: str, context: Sequence[str]) -> tuple[Tensor, Tensor]:
    """First and last letters of each place of a text in the context."""
    first, start = [], 0
    for turn in context:
        at = turn.find(text)
        while at >= 0:
            first.append(start + at)
            at = turn.find(text, at + 1)
        start += len(turn)
    begin = torch.tensor(first)
    return begin, begin + len(text) - 1
