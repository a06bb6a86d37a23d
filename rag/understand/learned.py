"""A follow-up completed by the bundled completion model, where the rules say nothing certain."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag.models.completion_spans import Completed
from rag.types import Turn
from rag.understand.another import Completion
from rag.understand.intent import is_meta, is_small_talk
from rag.understand.phrases import topic

Fill = Callable[[Sequence[str], str], Completed]
"""Completes a turn behind others, oldest first; see `rag.models.completer.Completer.complete`."""

REASON = "按上文补全"
SURE_FROM = 0.5
"""Sureness from which the model's completion is taken; chosen by us on dialogues of our own. Taking
it in the place of what the rules complete, too, loses more than it gains even from .8 on."""
TURNS_READ = 4
_UNANSWERED = "根据现有信息无法确定。"
_MARKS = re.compile(r"\[\d+\]|[*#>`|]+|不太确定，但")


def turns_read(history: Sequence[Turn]) -> list[str]:
    """The turns before a question as the model reads them: a user's in full, what we said without
    its marks."""
    found = []
    for turn in history[-TURNS_READ:]:
        if turn.role == "user":
            text = turn.standalone or turn.content
        elif turn.status == "refused":
            text = _UNANSWERED
        else:
            text = _MARKS.sub("", turn.content)
        found.append(" ".join(text.split()))
    return [text for text in found if text]


def with_model(made: Completion, typed: str, history: Sequence[Turn], fill: Fill) -> Completion:
    """The rules' completion, or the model's where they leave a question as it is."""
    if not history or made.changed or made.reason or is_small_talk(typed) or is_meta(typed):
        return made
    found = fill(turns_read(history), typed)
    if found.text == typed or found.sureness < SURE_FROM:
        return made
    return Completion(found.text, True, REASON, made.topic or topic(found.text))
