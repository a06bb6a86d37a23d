"""Train the model that reads single lines with a question (rag/models/line_reader.onnx).

    python -m benchmarks.train_line_reader --after <cross-encoder work>/checkpoint.pt \
        --folder <work> [--steps 1800] [--write]
    python -m benchmarks.train_line_reader --after <work>/checkpoint.pt --folder <second> \
        --steps 3000 --write

It begins as the finished cross-encoder (`benchmarks.train_cross_encoder`) and learns from lines
(`benchmarks.line_lessons`), with a share of the cross-encoder's own lessons so that it forgets
nothing of the language. Now and then a question that stands by itself is read behind another
one, as where people change the subject. Beside the softmax over the lines of a question each line
is judged by itself, and questions that nothing answers are shown: the logit then also tells
whether any line answers. Seeded as the cross-encoder's training is. The weights that ship come
from two courses: the first on the questions of 127 documents, the second as above on all.
"""

from __future__ import annotations

import argparse
import hashlib
import pickle
import random
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks.cross_encoder_graph import build_graph
from benchmarks.cross_encoder_lessons import Lesson
from benchmarks.line_lessons import LineLesson, line_lessons
from benchmarks.places import WORK, absent
from benchmarks.train_cross_encoder import (
    QUESTIONS,
    WRONG,
    Course,
    Drawn,
    Words,
    collected,
    draw,
    exported,
    fresh_model,
    train,
)
from rag.models.cross_encoder import LINE_WEIGHTS
from rag.understand.carried import in_context

OLD = 2
"""Questions of a step that are the cross-encoder's own."""
NEAREST = 8
"""Wrong lines of which most of a draw are taken."""
CHANGES, WHOLE_FROM = 0.15, 8
"""Share of questions that are read behind another one although they need none, and the letters
from which one says itself what it is about."""
SEED = 20261202


def draw_lines(
    lines: Sequence[LineLesson], old: Sequence[Lesson], step: int, seed: int = SEED
) -> list[Drawn]:
    """The questions of a step with their lines, the right one first; each lesson once before
    any comes again."""
    count = QUESTIONS - OLD
    visit, place = divmod(step * count, len(lines))
    order = list(range(len(lines)))
    random.Random(f"{seed} visit {visit}").shuffle(order)
    chance = random.Random(f"{seed} {step}")
    found: list[Drawn] = draw(old, step, seed)[:OLD]
    for number in [*order, *order[:count]][place : place + count]:
        lesson = lines[number]
        wanted = WRONG + (not lesson.right)
        near = list(lesson.wrong[:NEAREST])
        chosen = chance.sample(near, min(len(near), wanted - 1))
        rest = [text for text in lesson.wrong if text not in chosen]
        chosen += chance.sample(rest, min(len(rest), wanted - len(chosen)))
        if len(chosen) < wanted:
            continue
        right = [chance.choice(lesson.right)] if lesson.right else []
        question = lesson.question
        if lesson.alone and len(question) >= WHOLE_FROM and chance.random() < CHANGES:
            question = in_context(question, chance.choice(lines).question.split("|")[0])
        found.append((question, [*right, *chosen], bool(right)))
    return found


def main() -> None:
    """Train; write the weights when told to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--after", type=Path, required=True, help="the cross-encoder's checkpoint")
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps vectors")
    parser.add_argument("--folder", type=Path, default=WORK / "line_reader", help="keeps work")
    parser.add_argument("--steps", type=int, default=1800)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--head-rate", type=float, default=5e-4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    args = parser.parse_args()
    if absent("lecoqa_stard", "crosswoz", "laws_zh"):
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    old = collected(args.after.parent, args.cache)
    kept = args.folder / "lines.pickle"
    if not kept.is_file():
        kept.write_bytes(pickle.dumps(line_lessons()))
    lines: list[LineLesson] = pickle.loads(kept.read_bytes())  # our own file
    nothing = sum(not lesson.right for lesson in lines)
    print(f"{len(lines)} questions about lines, {nothing} of them without an answer", flush=True)
    model = fresh_model(args.cache)
    model.load_state_dict(torch.load(args.after, weights_only=True)["model"])
    course = Course(args.steps, args.rate, args.head_rate, SEED)

    def step_of(step: int) -> list[Drawn]:
        return draw_lines(lines, old, step)

    train(model, Words(args.cache), step_of, course, args.folder, args.threads)
    content = build_graph(exported(model)).SerializeToString()
    (args.folder / LINE_WEIGHTS.name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    (args.folder / LINE_WEIGHTS.with_suffix(".sha256").name).write_text(f"{digest}\n", "ascii")
    print(f"{len(content) / 1e6:.1f} MB, SHA-256 {digest}")
    if args.write:
        LINE_WEIGHTS.write_bytes(content)
        LINE_WEIGHTS.with_suffix(".sha256").write_text(f"{digest}\n", encoding="ascii")


if __name__ == "__main__":
    main()
