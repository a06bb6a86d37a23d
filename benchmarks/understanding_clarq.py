"""clarq dev: is a follow-up of the seeker completed with the item that it is about?

The set has no questions of the seeker, only its goal, items, places and the provider's first
answer. So the follow-ups are ours and the same for all tasks; goals, items, places and the
answer are the data's. Names such as 印着月亮的钥匙 or 蓝色密室 are odd on purpose: no list of
words knows them. What is measured is completion after a real answer, not whether the seeker
notices what is missing (that takes a simulated provider).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Any

from rag.types import Turn
from rag.understand.learned import Fill
from rag.understand.understand import understand

TODAY = date(2026, 11, 30)
_ASIDE = re.compile(r"[（(].*?[)）]")


def bench_clarq(tasks: list[dict[str, Any]], show: int, fill: Fill) -> None:
    """Follow-ups completed with their item, by kind; the floor is the message as typed."""
    if not tasks:
        return
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for task in tasks:
        for kind, history, typed, wanted, unwanted in follow_ups(task):
            meaning = understand(typed, history, None, TODAY, fill=fill)
            completed = meaning.standalone_question
            good = all(word in completed for word in wanted)
            good &= not any(word in completed for word in unwanted)
            good &= all(completed.count(word) == 1 for word in wanted)
            total[kind] += 1
            right[kind] += good
            if not good and show > 0:
                show -= 1
                print(f"   {kind}: {history[-2].content} | {typed} → {completed}")
    n = sum(total.values())
    print(
        f"clarq dev: follow-ups completed with the item, place or goal they are about "
        f"{sum(right.values())}/{n} = {sum(right.values()) / n:.3f} (as typed 0; reach .90): "
        + ", ".join(f"{kind} {right[kind]}/{total[kind]}" for kind in total)
    )


def follow_ups(
    task: dict[str, Any],
) -> Iterator[tuple[str, list[Turn], str, list[str], list[str]]]:
    """(kind, history, message, words it must hold, words it must not) of a task."""
    goal, first = task["goal"], task["provider_responses"][0]
    items = list(dict.fromkeys(_ASIDE.sub("", name) for name in task["items"]))
    places = list(dict.fromkeys(_ASIDE.sub("", name) for name in task["scenes"]))
    opening = _asked(f"怎么{goal}？", first)
    yield "goal left out", opening, "要先准备什么？", [goal], []
    if items:
        about = [*opening, *_asked(f"{items[0]}有什么用？", "拿着它过去就行。")]
        yield "pronoun", about, "它要在哪里用？", [items[0]], ["它"]
        yield "item left out", about, "可以用几次？", [items[0]], []
    if len(items) > 1 and not (items[0] in items[1] or items[1] in items[0]):
        yield "another item", about, f"那{items[1]}呢？", [items[1], "有什么用"], [items[0]]
    if len(places) > 1 and not (places[0] in places[1] or places[1] in places[0]):
        about = [*opening, *_asked(f"{places[0]}怎么走？", "一直往前走。")]
        yield "another place", about, f"{places[1]}呢？", [places[1], "怎么走"], [places[0]]


def _asked(question: str, answer: str) -> list[Turn]:
    return [
        Turn(role="user", content=question, standalone=question),
        Turn(role="assistant", content=answer, status="answered"),
    ]
