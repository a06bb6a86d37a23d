"""Questions that a passage answers, written by the chat model: an optional step of the
offline chain between describing and embedding.

They are indexed with the passage and never shown as its text. A question that names
anything which the passage and its place don't is dropped, and so is one that several passages
of a document have: it tells none of them from the others.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rag.errors import ModelRejected, ZhiwenError
from rag.ingest.held import names_strangers, share_held
from rag.models.chat import ChatModel
from rag.prompts import Prompt, load_prompt, render, render_system
from rag.retrieve.query import title_path
from rag.text.normalise import normalise
from rag.text.readable import readable
from rag.text.tokenise import codes
from rag.types import Chunk

log = logging.getLogger(__name__)

TIMEOUT_S = 30.0
"""Seconds for one passage; chosen by us."""
FAILURES_IN_A_ROW = 3
"""Failed calls after which the rest of the document goes without; chosen by us."""
_LEAST_CHARACTERS = 30
_SHORTEST, _LONGEST = 4, 80
_KNOWN_WORDS = 0.6
"""Share of a question's words that the passage must hold; chosen by us. People's own words for
a thing are the point of asking, so not all need to."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def with_questions(
    chunks: Sequence[Chunk],
    chat: ChatModel,
    count: int,
    *,
    prompts: Mapping[str, str] | None = None,
    progress: Callable[[float], None] | None = None,
    timeout_s: float = TIMEOUT_S,
    failed: Callable[[ZhiwenError], None] | None = None,
) -> list[Chunk]:
    """The chunks, with up to `count` questions on each that is searched.

    Passages that have questions keep them. A model that fails leaves passages without; it
    never fails the document.

    Args:
        progress: called with 0..1 before each passage; may raise to end the work.
        failed: told of each failure of the model.
    """
    if count <= 0:
        return list(chunks)
    prompt = load_prompt("questions", prompts)
    made: list[Chunk] = []
    failures = 0
    for number, chunk in enumerate(chunks):
        if progress is not None:
            progress(number / len(chunks))
        if failures < FAILURES_IN_A_ROW and _is_worth_asking(chunk):
            try:
                asked = _ask(chunk, chat, count, prompt, timeout_s)
                chunk = chunk.model_copy(update={"questions": asked})
                failures = 0
            except ZhiwenError as error:
                # What was refused once will be refused each time.
                failures += FAILURES_IN_A_ROW if isinstance(error, ModelRejected) else 1
                log.info("a passage stays without questions: %s", error.message)
                if failed is not None:
                    failed(error)
        made.append(chunk)
    return _each_once(chunks, made)


def _each_once(before: Sequence[Chunk], made: Sequence[Chunk]) -> list[Chunk]:
    """The chunks without new questions that several of them have."""
    counted = Counter(key for chunk in made for key in {_key(q) for q in chunk.questions})

    def own(old: Chunk, new: Chunk) -> Chunk:
        kept = tuple(q for q in new.questions if q in old.questions or counted[_key(q)] == 1)
        return new if kept == new.questions else new.model_copy(update={"questions": kept})

    return [own(old, new) for old, new in zip(before, made, strict=True)]


def _key(question: str) -> str:
    return normalise(question).rstrip("?？。 ")


def _is_worth_asking(chunk: Chunk) -> bool:
    return (
        chunk.indexed
        and chunk.enabled
        and not chunk.questions
        and len(chunk.text.strip()) >= _LEAST_CHARACTERS
    )


def _ask(
    chunk: Chunk, chat: ChatModel, count: int, prompt: Prompt, timeout_s: float
) -> tuple[str, ...]:
    place = " > ".join(title_path(chunk)) or chunk.document_name
    text = readable(chunk.text).replace("<<<", "《").replace(">>>", "》")
    said = chat.complete_json(
        render_system(prompt, count=str(count)),
        render(prompt, place=place, text=text),
        prompt.schema,
        timeout_s=timeout_s,
    )
    held = normalise(f"{place}\n{chunk.text}\n{_about(chunk)}")
    kept: dict[str, str] = {}
    for question in said.get("questions", ()):
        written = " ".join(readable(question).split()) if isinstance(question, str) else ""
        if _SHORTEST <= len(written) <= _LONGEST and _is_about(written, held):
            kept.setdefault(_key(written), written)
    return tuple(kept.values())[:count]


def _about(chunk: Chunk) -> str:
    about = chunk.metadata
    return " ".join(
        str(value)
        for value in (about.region, about.year, about.organisation, about.product)
        if value is not None
    )


def _is_about(question: str, held: str) -> bool:
    """Whether the passage holds all numbers and codes of a question and most of its words."""
    asked = normalise(question)
    if any(number not in held for number in _NUMBER.findall(asked)):
        return False
    if any(code not in held.replace(" ", "") for code in codes(question) if code.isascii()):
        return False
    if names_strangers(question, held):
        return False
    return share_held(question, held) >= _KNOWN_WORDS
