"""Slots of user turns, measured on the annotation of CrossWOZ (val).

    python -m benchmarks.bench_slots [--rows N] [--show N] [--half 0|1]

Data: ZHIWEN_BENCH_DATA/crosswoz. The three databases (465 attractions, 951 restaurants, 1,133
hotels) are the knowledge base: each record is a document whose title is its name, as
ingestion would describe it; that is all that the gazetteer knows.

Counted, over all user turns, are the values that the annotators marked as told by the user
(act Inform), each once a turn and kind:
- name: 名称 of all domains, and 出发地 and 目的地 of taxi and metro, compared as full names.
- price: 人均消费, 价格, 门票; score: 评分; time: 游玩时间 (lengths of a visit). Compared as
  figures with their bounds, so "50 - 100元" is 50-100元 and "4.5以上" is 4.5分以上.
- region: CrossWOZ marks none. The reference is made from the databases: Beijing and the
  districts of the addresses, wherever they stand in a turn outside a marked value.
About 9 % of the marked values are not typed in the turn that they are marked in (answers
that the annotator's goal holds, "4.5分" for 4.5分以上); they count as missed. `typed` is the
recall of those that are.

The floor beside it: the longest match of the databases' names, and a plain pattern of number
and unit. Turns of even dialogue numbers were looked at while the rules were written, those
of odd ones were not: `--half 1` is unseen.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

from benchmarks.places import DATA
from rag.text.normalise import normalise
from rag.types import DocumentMetadata, DocumentProfile, KnowledgeProfile
from rag.understand.slots import extract

TODAY = date(2026, 11, 30)
GOAL = 0.90
KINDS = ("region", "name", "price", "time", "score")
_SLOTS = {
    **{"名称": "name", "出发地": "name", "目的地": "name"},
    **{"人均消费": "price", "价格": "price", "门票": "price"},
    **{"评分": "score", "游玩时间": "time"},
}
_ENTITIES = {"name": "name", "amount": "price", "rating": "score", "duration": "time"}
_DISTRICTS = re.compile("北京市?([\u4e00-\u9fff]{2,3}?区)")

Value = tuple[str, str]
Found = Callable[[str], set[Value]]


def records() -> list[tuple[str, str]]:
    """Name and address of each record of the three databases."""
    rows = []
    for name in ("attraction", "restaurant", "hotel"):
        file = DATA / "crosswoz" / "database" / f"{name}_db.json"
        for title, record in json.loads(file.read_text(encoding="utf-8")):
            rows.append((title, record.get("地址") or ""))
    return rows


def knowledge(names: Iterable[str]) -> KnowledgeProfile:
    """The records as documents of a knowledge base."""
    return KnowledgeProfile(
        kb_ids=("beijing",),
        documents=tuple(
            DocumentProfile(
                document_id=str(number),
                name=f"{name}.json",
                title=name,
                metadata=DocumentMetadata(title=name),
            )
            for number, name in enumerate(dict.fromkeys(names))
        ),
    )


def figure(value: str) -> str:
    """A marked figure in one form: "1小时 - 2小时" → "1-2小时"."""
    text = normalise(value).replace(" ", "")
    both = re.fullmatch(r"([\d.]+)(\D+)-([\d.]+)(\D+)", text)
    if not both:
        return text
    low, high = float(both[1]), float(both[3]) * (24 if (both[2], both[4]) == ("小时", "天") else 1)
    return f"{low:g}{both[2]}" if low == high else f"{low:g}-{high:g}{both[2]}"


def plain_name(name: str) -> str:
    """A name without differences of width and spaces."""
    return re.sub(r"\s", "", normalise(name))


def marked(row: dict[str, Any], districts: frozenset[str]) -> tuple[set[Value], set[Value]]:
    """What the annotation holds of a turn, and which of it stands in the turn's text."""
    gold: set[Value] = set()
    typed: set[Value] = set()
    text = re.sub(r"\s", "", normalise(row["text"]))
    rest = text
    for slot in row["slots"]:
        value = slot["value"]
        if slot["intent"] not in ("Inform", "Select") or not value:
            continue
        rest = rest.replace(re.sub(r"\s", "", normalise(value)), "，")
        kind = _SLOTS.get(slot["slot"])
        if slot["intent"] != "Inform" or kind is None:
            continue
        item = (kind, plain_name(value) if kind == "name" else figure(value))
        gold.add(item)
        if re.sub(r"\s", "", normalise(value)) in text:
            typed.add(item)
    for district in districts:
        if district in rest:
            gold.add(("region", district))
            typed.add(("region", district))
    return gold, typed


def ours(profile: KnowledgeProfile) -> Found:
    """What understanding finds in a turn."""

    def found(text: str) -> set[Value]:
        slots, entities = extract(text, profile, TODAY)
        values: set[Value] = set()
        for entity in entities:
            kind = _ENTITIES.get(entity.kind)
            if kind:
                value = entity.value or entity.text
                values.add((kind, plain_name(value) if kind == "name" else value))
        for path in slots.region:
            *above, last = path.split("/")
            values.add(("region", last + "区" if above else last))
        return values

    return found


def floor(names: Iterable[str], districts: Iterable[str]) -> Found:
    """The longest dictionary match, and numbers with a unit."""
    known = sorted({plain_name(name) for name in names}, key=len, reverse=True)
    places = sorted(districts, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, known)))
    units = {"元": "price", "分": "score", "小时": "time", "天": "time"}
    number = re.compile(r"(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))?(元|分|小时|天)(以上|以下)?")

    def found(text: str) -> set[Value]:
        simple = re.sub(r"\s", "", normalise(text))
        values = {("name", match.group()) for match in pattern.finditer(simple)}
        rest = pattern.sub("，", simple)
        values |= {("region", place) for place in places if place in rest}
        values |= {(units[m[3]], m.group()) for m in number.finditer(rest)}
        return values

    return found


def measured(
    rows: list[dict[str, Any]], found: Found, districts: frozenset[str], show: int
) -> None:
    """Precision, recall and F1 of each kind and of all."""
    right, said, gold_n, typed_n, typed_right = (Counter[str]() for _ in range(5))
    shown: Counter[tuple[str, str]] = Counter()
    for row in rows:
        gold, typed = marked(row, districts)
        values = found(row["text"])
        for kind, _ in values & gold:
            right[kind] += 1
        for kind, _ in values:
            said[kind] += 1
        for kind, _ in gold:
            gold_n[kind] += 1
        for kind, _ in typed:
            typed_n[kind] += 1
        for kind, _ in typed & values:
            typed_right[kind] += 1
        for label, wrong in (("missed", gold - values), ("extra", values - gold)):
            for kind, value in sorted(wrong):
                shown[label, kind] += 1
                if shown[label, kind] <= show:
                    print(f"     {label} {kind} {value} | {row['text']}")
    for kind in (*KINDS, "all"):
        keys = KINDS if kind == "all" else (kind,)
        hits, out = sum(right[k] for k in keys), sum(said[k] for k in keys)
        due = sum(gold_n[k] for k in keys)
        exact = sum(typed_right[k] for k in keys) / max(1, sum(typed_n[k] for k in keys))
        precision, recall = hits / max(1, out), hits / max(1, due)
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        print(
            f"   {kind:7} P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  "
            f"({due} marked; typed ones found {exact:.3f})"
        )


def main() -> None:
    """Measure the floor and ours on the same turns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=None, help="turns to read")
    parser.add_argument("--show", type=int, default=0, help="errors to print of each kind")
    parser.add_argument("--half", type=int, choices=(0, 1), default=None, help="dialogues")
    options = parser.parse_args()
    file = DATA / "crosswoz" / "val_user_turns.jsonl"
    if not file.is_file():
        print(f"skip crosswoz: not found under {DATA}")
        return
    with file.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][: options.rows]
    if options.half is not None:
        rows = [row for row in rows if int(row["dialog_id"]) % 2 == options.half]
    known = records()
    names = [name for name, _ in known]
    districts = frozenset({"北京", *(d for _, a in known for d in _DISTRICTS.findall(a))})
    profile = knowledge(names)
    print(f"crosswoz val: {len(rows)} user turns, {len(profile.documents)} names (goal {GOAL:.2f})")
    print("  floor: longest dictionary match, plain number pattern")
    measured(rows, floor(names, districts), districts, 0)
    print("  ours")
    found = ours(profile)
    found(rows[0]["text"])
    began = time.perf_counter()
    measured(rows, found, districts, options.show)
    print(f"  {(time.perf_counter() - began) / len(rows) * 1000:.2f} ms per turn")


if __name__ == "__main__":
    main()
