"""Fit how the cross-encoder's word counts beside the features, and measure the outcome.

    python -m benchmarks.train_blend [--cache <folder>] [--weights <npz>] [--write]

The weights (rag/retrieve/blend_weights.json) are the feature ranker's and a few more, learned
from questions that the cross-encoder never saw: a tenth of the real questions and passages that
training knows (`cross_encoder_lessons.kept_away`). Measured on the fixed fifths of LeCoQA and
CrossWOZ and on CMRC 2018, an encyclopaedia, which no training sees; each line stands beside
fusion, the feature ranker and the cross-encoder alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cross_encoder_lessons import (
    about_fields,
    gapped,
    held_out,
    kept_away,
    key_words,
)
from benchmarks.embedded import question_vectors
from benchmarks.paraphrase import paraphrase
from benchmarks.places import DATA, WORK, absent
from benchmarks.train_reranker import Workshop, trust
from rag.evaluate.datasets import Question, bucket, rows
from rag.evaluate.memory_index import MemoryIndex
from rag.evaluate.metrics import RankingScores, score_rankings
from rag.evaluate.questions import make_questions
from rag.models.cross_encoder import WEIGHTS as CROSS_WEIGHTS
from rag.models.cross_encoder import CrossEncoder
from rag.retrieve.excerpt import passage_text
from rag.retrieve.features import FEATURES, features
from rag.retrieve.rerank import (
    BLEND_WEIGHTS,
    CROSS_CANDIDATES,
    CROSS_FEATURES,
    WEIGHTS,
    RerankerModel,
    with_cross_features,
)
from rag.settings import RetrievalSettings
from rag.text.normalise import normalise

NAMES = FEATURES + CROSS_FEATURES
POOL, CMRC = 50, 300
"""Candidates of a question; questions of CMRC, sampled by hash."""
STEPS, RATE, PULL = 120, 0.03, 0.01
"""Of the fit; PULL chosen by cross validation on the lessons, the others by us."""
SHARES = {
    "learn lecoqa": 1.0,
    "learn said": 0.5,
    "learn crosswoz": 0.3,
    "learn made": 0.3,
    "learn records": 0.2,
}
"""Each set's share of the loss: real lay questions most, as in `train_reranker`."""
CAUTION = 0.6
"""Share of the fitted weights that counts, so that the order changes only where the
cross-encoder is sure. On the lessons it is worth as much as all of them (nDCG@10 of real legal
questions .611 for .610, of made ones .870 for .864)."""


@dataclass(frozen=True)
class Pairs:
    """One question with its candidates, their features and their texts for the cross-encoder."""

    set: str
    question: str
    ids: tuple[str, ...]
    rows: np.ndarray
    rows_away: np.ndarray  # of the wrong candidates, when the right ones are not there
    texts: tuple[str, ...]
    gold: frozenset[str]

    @property
    def right(self) -> np.ndarray:
        """Which candidates are right, bool [n]."""
        return np.array([id_ in self.gold for id_ in self.ids])


def gather(shop: Workshop, cache: Path) -> dict[str, list[Pairs]]:
    """Lessons ("learn …") and tests ("test …") with their candidates."""
    settings = RetrievalSettings(fusion="weighted", dense_weight=0.55)
    legal, sights = shop.index(["lecoqa", "laws"]), shop.index(["crosswoz"])
    mixed = shop.index(list(shop.sets))
    real = {name: shop.sets[name].questions for name in ("lecoqa", "crosswoz", "cmrc")}
    away = {name: [q for q in real[name] if not held_out(q) and kept_away(q.id)] for name in real}
    chance = random.Random(17)
    more = {row["id"]: row for row in rows(DATA / "lecoqa_stard" / "queries_train.jsonl")}
    said = [Question(q.id, paraphrase(q.text, chance), q.gold) for q in away["lecoqa"]]
    named = [Question(q.id, key_words(more[q.id]), q.gold) for q in away["lecoqa"]]
    spare = {
        name: sorted(
            (c for c in shop.sets[name].passages if kept_away(c.id)),
            key=lambda chunk: bucket(f"blend {chunk.id}"),
        )
        for name in ("laws", "lecoqa", "crosswoz")
    }
    made = make_questions([*spare["laws"], *spare["lecoqa"]], 120)
    made += [q for c in (spare["laws"] + spare["lecoqa"])[:80] for q in gapped(c, chance)]
    records = make_questions(spare["crosswoz"], 40)
    records += list(about_fields(DATA, spare["crosswoz"][:70], chance))
    unseen = sorted(real["cmrc"], key=lambda q: bucket(q.id))[:CMRC]
    fifth = {name: [q for q in real[name] if held_out(q)] for name in ("lecoqa", "crosswoz")}
    plan = {
        "learn lecoqa": (legal, away["lecoqa"]),
        "learn said": (legal, said + named),
        "learn crosswoz": (sights, away["crosswoz"]),
        "learn made": (legal, made),
        "learn records": (sights, records),
        "test LeCoQA, held-out fifth": (legal, fifth["lecoqa"]),
        "test LeCoQA, held-out fifth, mixed pool": (mixed, fifth["lecoqa"]),
        "test CMRC (unseen domain), mixed pool": (mixed, unseen),
        "test CrossWOZ, held-out fifth, mixed pool": (mixed, fifth["crosswoz"]),
    }
    return {
        name: _pairs(name, index, questions, shop, settings, cache)
        for name, (index, questions) in plan.items()
    }


def _pairs(name: str, index: MemoryIndex, questions: Sequence[Question], shop: Workshop,
           settings: RetrievalSettings, cache: Path) -> list[Pairs]:  # fmt: skip
    vectors = question_vectors(shop.embedder, [q.text for q in questions], cache)
    found = []
    for question, vector in zip(questions, vectors, strict=True):
        hits = index.candidates(question.text, vector, settings, POOL)
        texts = tuple(passage_text(question.text, hit.chunk) for hit in hits)
        row = features(question.text, hits)
        away = features(question.text, [hit for hit in hits if hit.chunk.id not in question.gold])
        ids = tuple(hit.chunk.id for hit in hits)
        found.append(Pairs(name, normalise(question.text), ids, row, away, texts, question.gold))
    return found


class Scores:
    """Logits of pairs, each computed once and kept in a file."""

    def __init__(self, cross: CrossEncoder, path: Path) -> None:
        self._cross, self._path = cross, path
        self._known: dict[str, float] = {}
        if path.is_file():
            self._known = json.loads(path.read_text("utf-8"))

    def __call__(self, question: str, texts: Sequence[str]) -> np.ndarray:
        """Logits float32 [n]."""
        keys = [hashlib.sha256(f"{question}\0{text}".encode()).hexdigest()[:20] for text in texts]
        new = {k: text for k, text in zip(keys, texts, strict=True) if k not in self._known}
        if new:
            scores = self._cross.score(question, list(new.values()))
            self._known |= dict(zip(new, map(float, scores), strict=True))
        return np.array([self._known[key] for key in keys], np.float32)

    def keep(self) -> None:
        """Write what is known."""
        self._path.write_text(json.dumps(self._known), "utf-8")


@dataclass(frozen=True)
class Scored:
    """One question with all features; `ids` are the candidates in the rows' order."""

    set: str
    ids: tuple[str, ...]
    rows: np.ndarray  # [n, len(NAMES)]
    right: np.ndarray
    gold: frozenset[str]


def scored(pairs: Sequence[Pairs], scores: Scores, *, away: bool = False) -> list[Scored]:
    """Feature rows with the cross-encoder's; `away` leaves the right candidates out."""
    base = RerankerModel(json.loads(WEIGHTS.read_text("utf-8")))
    found: list[Scored] = []
    for pair in pairs:
        keep = ~pair.right if away else np.ones(len(pair.ids), bool)
        rows_ = pair.rows_away if away else pair.rows
        if not len(rows_):
            continue
        ids = tuple(np.array(pair.ids)[keep])
        texts = np.array(pair.texts)[keep]
        best = base.order(rows_).argsort(kind="stable")[::-1][:CROSS_CANDIDATES]
        logits = scores(pair.question, list(texts[best]))
        whole = with_cross_features(rows_, best, logits)
        found.append(Scored(pair.set, ids, whole, pair.right[keep], pair.gold))
    scores.keep()
    return found


def fit(found: Sequence[Scored]) -> dict[str, Any]:
    """The feature ranker's ordering score times a trust, plus weights of the three numbers that
    the cross-encoder gives. The probability of the best one stays what its features say, because
    the confidence of answers is fitted on that scale (`fit_confidence`). Fitted anew with the
    cross-encoder's numbers it told answered from unanswered no better on unseen questions.

    Softmax cross-entropy over each question's candidates by Adam. Four numbers are all that is
    learned: with weights for the other features or hidden units as well, five-fold cross
    validation on the lessons was worse by .003 to .03 of nDCG@10 on legal questions.
    """
    base = json.loads(WEIGHTS.read_text("utf-8"))
    usable = [one for one in found if one.right.any()]
    read = np.concatenate([one.rows[:, len(FEATURES) :] for one in usable])
    mean, scale = read.mean(axis=0), read.std(axis=0)
    old = RerankerModel(base)
    sizes = Counter(one.set for one in usable)
    shares = np.array([SHARES[one.set] / sizes[one.set] for one in usable])
    shares /= shares.sum()
    given = [
        np.column_stack(
            [
                old.order(one.rows[:, : len(FEATURES)]),
                np.clip((one.rows[:, len(FEATURES) :] - mean) / scale, -4, 4),
            ]
        )
        for one in usable
    ]
    wanted = [one.right / one.right.sum() for one in usable]
    weights = np.array([1.0, 0.0, 0.0, 0.0])
    pull = np.array([0.0, PULL, PULL, PULL])
    first, second = np.zeros(4), np.zeros(4)
    for step in range(1, STEPS + 1):
        slope = pull * weights
        for rows_, right, share in zip(given, wanted, shares, strict=True):
            score = rows_ @ weights
            chances = np.exp(score - score.max())
            slope += share * ((chances / chances.sum() - right) @ rows_)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        move = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        weights -= RATE * (1 - (step - 1) / STEPS) * move
    weights[1:] *= CAUTION
    trusted, hidden = weights[0], np.array(base["hidden"])
    return {
        "features": list(NAMES),
        "mean": np.append(base["mean"], mean),
        "scale": np.append(base["scale"], scale),
        "linear": np.append(trusted * np.array(base["linear"]), weights[1:]),
        "hidden": np.column_stack([hidden, np.zeros((len(hidden), len(CROSS_FEATURES)))]),
        "hidden_bias": np.array(base["hidden_bias"]),
        "out": trusted * np.array(base["out"]),
        "calibration": np.append(base["calibration"], np.zeros(len(CROSS_FEATURES))),
        "calibration_bias": base["calibration_bias"],
    }


def ranked(found: Sequence[Scored], order: Callable[[np.ndarray], np.ndarray]) -> RankingScores:
    """Scores of the candidates sorted by `order`."""
    return score_rankings(
        ([one.ids[at] for at in np.argsort(-order(one.rows), kind="stable")], one.gold)
        for one in found
    )


def report(
    name: str, found: Sequence[Scored], away: Sequence[Scored], weights: dict[str, Any]
) -> None:
    """One line for each way of ordering, and how far the probabilities can be believed."""
    base = RerankerModel(json.loads(WEIGHTS.read_text("utf-8")))
    blend = RerankerModel(weights, NAMES)
    print(name)
    ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "fused   ": lambda rows_: rows_[:, NAMES.index("fused_rank")],
        "features": lambda rows_: base.order(rows_[:, : len(FEATURES)]),
        "cross   ": lambda rows_: rows_[:, NAMES.index("cross")],
        "blend   ": blend.order,
    }
    for label, order in ways.items():
        print(f"  {label}  {ranked(found, order).line()}")
    everything = [*found, *away]
    for label, chances in (
        ("features", lambda one: base.probabilities(one.rows[:, : len(FEATURES)])),
        ("blend   ", lambda one: blend.probabilities(one.rows)),
    ):
        told = trust([chances(one) for one in everything], everything)
        print(f"  {label}  probability, half without an answer: {told}")


def main() -> None:
    """Score, fit, measure, and write the weights when told to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps vectors")
    parser.add_argument("--weights", type=Path, default=CROSS_WEIGHTS, help="the cross-encoder")
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    args = parser.parse_args()
    if absent("lecoqa_stard", "cmrc2018", "crosswoz", "laws_zh"):
        return
    sets = gather(Workshop(DATA, args.cache), args.cache)
    cross = CrossEncoder(args.cache, args.weights)
    scores = Scores(cross, args.cache / f"cross_{args.weights.stem}.json")
    found = {name: scored(pairs, scores) for name, pairs in sets.items()}
    away = {name: scored(pairs, scores, away=True) for name, pairs in sets.items()}
    lessons = [one for name, part in found.items() if name.startswith("learn") for one in part]
    weights = fit(lessons)
    for name in found:
        report(name, found[name], away[name], weights)
    if args.write:
        plain = {
            name: np.round(value, 5).tolist() if isinstance(value, np.ndarray) else value
            for name, value in weights.items()
        }
        BLEND_WEIGHTS.write_text(json.dumps(plain, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"wrote {BLEND_WEIGHTS.name}")


if __name__ == "__main__":
    main()
