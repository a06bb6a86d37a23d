"""Conversations of our own: is each question completed as a helpful colleague would read it?

`benchmarks/dialogues/` holds files of some ten kinds, written by us as people type:

- dev (80): 60 written before the rules were looked at (right at first: .576 of the questions
  that need completing) and 20 more written in between (.379 at first); both were tuned on.
- test (40): written after the first tuning, right at first in .689. Its faults were then
  read by kind and the rules mended, so that today's figure is no longer one for unseen text.
- unseen (20): written last and only counted; no rule was changed after it was read. The
  figure to expect of other conversations.
- later (10) and later_unseen (5): written against faults seen in use, before the rules were
  mended; the rules were tuned on the ten, the five were only counted.

One conversation a line: {id, split, kind, field, turns}. A user's turn has either
`unchanged: true` or `accepted` (wordings that are right), `required` (content words, "a|b"
for either), `forbidden` (words that show a wrong reading) and maybe `time` (the first and
last day that its time means on `TODAY`). An assistant's turn may have a `clarification`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from typing import Any

from benchmarks.places import ROOT
from rag.types import Clarification, ClarificationOption, Turn
from rag.understand.learned import Fill
from rag.understand.understand import understand
from rag.understand.words import tagged

TODAY = date(2026, 11, 30)
FOLDER = ROOT / "benchmarks" / "dialogues"

_FRAME = re.compile(r"请|介绍|详细|说明|举例|列出|说说|除此之外|接下来|一下|分别|的")
_MARKS = re.compile(r"[\s，,。.？?！!、；;：:]+")


def conversations(split: str) -> list[dict[str, Any]]:
    """The conversations of one file, "dev", "test" or "unseen"."""
    file = FOLDER / f"{split}.jsonl"
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def fault(completed: str, turn: dict[str, Any], said: str) -> str:
    """Why `completed` isn't what `turn` means, in English; "" when it is right.

    Right is: to the letter what was typed where nothing is missing; else one of the accepted
    wordings (marks aside), or every required word once, no forbidden one, and no content word
    that `said`, all that was said so far, doesn't hold.
    """
    if turn.get("unchanged"):
        return "" if completed == turn["content"].strip() else "changed"
    bare = _MARKS.sub("", completed)
    if any(bare == _MARKS.sub("", wording) for wording in turn["accepted"]):
        return ""
    for words in turn["required"]:
        found = [word for word in words.split("|") if word.lower() in completed.lower()]
        if not found:
            return f"lacks {words}"
        if len(found[0]) > 1 and all(completed.count(word) > 1 for word in found):
            return f"repeats {found[0]}"
    for word in turn["forbidden"]:
        if re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", completed):
            return f"has {word}"
    if strange := foreign_words(completed, said):
        return f"invents {strange[0]}"
    return ""


def foreign_words(completed: str, said: str) -> list[str]:
    """Content words of `completed` that no one said, but for words that only ask or present.

    A word that lies on the seam of two things said counts as said.
    """
    copied = [False] * len(completed)
    for at in range(len(completed) - 1):
        if completed[at : at + 2] in said:
            copied[at] = copied[at + 1] = True
    strange, at = [], 0
    for word, tag in tagged(completed):
        whole = all(copied[at : at + len(word)])
        at += len(word)
        if tag[0] in "nvatme" and len(word) > 1 and word not in said and not whole:
            if not _FRAME.sub("", word):
                continue
            strange.append(word)
    return strange


def history_turn(turn: dict[str, Any]) -> Turn:
    """An assistant's turn of a conversation as the product keeps it."""
    asked = turn.get("clarification")
    clarification = asked and Clarification(
        slot=asked["slot"],
        question=turn["content"],
        options=tuple(ClarificationOption(label=o, reply=o) for o in asked["options"]),
    )
    return Turn(
        role="assistant",
        content=turn["content"],
        clarification=clarification,
        status="clarify" if clarification else turn.get("status"),
    )


def bench_dialogues(show: int, fill: Fill) -> None:
    """All files: completed questions, unchanged ones and whole conversations that are right.

    The floor is the message as typed.
    """
    for split in ("dev", "test", "unseen", "later", "later_unseen"):
        if (FOLDER / f"{split}.jsonl").is_file():
            _bench(split, show, fill)


def _bench(split: str, show: int, fill: Fill) -> None:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    typed_right = kept = keepable = clean = 0
    rows = conversations(split)
    for row in rows:
        history: list[Turn] = []
        said, faults = "", 0
        for turn in row["turns"]:
            if turn["role"] == "assistant":
                options = turn.get("clarification", {}).get("options", [])
                said += "\n" + turn["content"] + "\n".join(["", *options])
                history.append(history_turn(turn))
                continue
            said += "\n" + turn["content"]
            meaning = understand(turn["content"], history, None, TODAY, fill=fill)
            completed = meaning.standalone_question
            wrong = fault(completed, turn, said)
            if not wrong and (days := turn.get("time")):
                spans = [[str(t.start), str(t.end)] for t in meaning.slots.time]
                wrong = "" if days in spans else f"time {spans}"
            faults += bool(wrong)
            if turn.get("unchanged"):
                keepable += 1
                kept += not wrong
            else:
                total[row["kind"]] += 1
                right[row["kind"]] += not wrong
                typed_right += not fault(turn["content"], turn, said)
            if wrong and show > 0:
                show -= 1
                print(f"   {row['id']}: {turn['content']} → {completed} ({wrong})")
            history.append(Turn(role="user", content=turn["content"], standalone=completed))
        clean += not faults
    n = sum(total.values())
    print(
        f"dialogues {split}: completed right {sum(right.values())}/{n} = "
        f"{sum(right.values()) / n:.3f} (as typed {typed_right / n:.3f}; reach .90), "
        f"needing nothing left unchanged {kept}/{keepable}, "
        f"whole conversations right {clean}/{len(rows)}"
    )
    print("   by kind: " + ", ".join(f"{kind} {right[kind]}/{total[kind]}" for kind in total))
