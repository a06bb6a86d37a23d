"""Passages and questions put into each other's words, where a dictionary calls one thing by
several names. For judging alone: what is shown and cited is always the document's own text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.text.normalise import normalise
from rag.text.vocabulary import Vocabulary, normalised_passage, replaced
from rag.types import Chunk, Evidence, Hit, OtherNames, Understanding

_TITLE = re.compile("《[^《》]*》")


def hits_as_asked(
    hits: Sequence[Hit], names: Sequence[OtherNames], *, titles: bool = True
) -> list[Hit]:
    """The hits with the question's words for the other names in their passages.

    Args:
        names: the question's words and their other names.
        titles: also in titles and headings.
    """
    words = _Words(names)
    if not words:
        return list(hits)
    return [
        hit.model_copy(update={"chunk": _chunk(hit.chunk, words, titles=titles)}) for hit in hits
    ]


def judged_as_asked(
    hits: Sequence[Hit], evidence: Sequence[Evidence], names: Sequence[OtherNames]
) -> tuple[list[Hit], tuple[Evidence, ...]]:
    """The hits and the evidence likewise; the spans are those of the original texts."""
    words = _Words(names)
    if not words:
        return list(hits), tuple(evidence)
    read = [
        item.model_copy(update={"chunk": _chunk(item.chunk, words), "text": words.asked(item.text)})
        for item in evidence
    ]
    return hits_as_asked(hits, names), tuple(read)


def as_documents_say(
    meaning: Understanding, names: Sequence[OtherNames], evidence: Sequence[Evidence]
) -> Understanding:
    """The question in the words of the evidence, for reading it: each word of the dictionary as
    the first passage calls it that names the thing at all."""
    others = {normalise(one.word): one for one in names if one.others}
    said: dict[str, str] = {}
    for word, one in others.items():
        own = Vocabulary([(word, *one.others)])
        found = next((hit for item in evidence if (hit := own.find(_whole(item)))), ())
        called = [mention.word for mention in found]
        if called and word not in called:
            said[word] = next(o for o in one.others if normalise(o) == called[0])
    if not said:
        return meaning
    words = Vocabulary([(word,) for word in others])

    def put(text: str) -> str:
        found = words.find(text, [title.span() for title in _TITLE.finditer(text)])
        return replaced(text, [(m, said[m.word]) for m in found if m.word in said])

    def put_all(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(put, texts))

    slots = meaning.slots
    return meaning.model_copy(
        update={
            "standalone_question": put(meaning.standalone_question),
            "sub_questions": put_all(meaning.sub_questions),
            "slots": slots.model_copy(
                update={
                    "organisation": put_all(slots.organisation),
                    "product": put_all(slots.product),
                    "document_type": put_all(slots.document_type),
                }
            ),
            "entities": tuple(
                one.model_copy(update={"text": put(one.text), "value": put(one.value)})
                for one in meaning.entities
            ),
        }
    )


def with_other_names(question: str, names: Sequence[OtherNames]) -> str:
    """The question with the other names behind it, for what only looks at its words."""
    return " ".join((question, *(other for one in names for other in one.others)))


class _Words:
    """Puts the question's words in the place of their other names."""

    def __init__(self, names: Sequence[OtherNames]) -> None:
        self._asked = {normalise(other): one.word for one in names for other in one.others}
        for one in names:
            self._asked.pop(normalise(one.word), None)
        self._vocabulary = Vocabulary((one.word, *one.others) for one in names if one.others)

    def __bool__(self) -> bool:
        return bool(self._asked)

    def asked(self, text: str) -> str:
        normal = normalised_passage(text)
        if not any(other in normal for other in self._asked):
            return text
        found = self._vocabulary.find(text)
        return replaced(text, [(m, self._asked[m.word]) for m in found if m.word in self._asked])


def _chunk(chunk: Chunk, words: _Words, *, titles: bool = True) -> Chunk:
    update: dict[str, object] = {"text": words.asked(chunk.text)}
    if titles:
        facts = chunk.metadata
        update["heading_path"] = tuple(map(words.asked, chunk.heading_path))
        update["document_name"] = words.asked(chunk.document_name)
        named = {
            name: words.asked(value)
            for name in ("title", "organisation", "product")
            if (value := getattr(facts, name))
        }
        update["metadata"] = facts.model_copy(update=named)
    return chunk.model_copy(update=update)


def _whole(item: Evidence) -> str:
    chunk = item.chunk
    titles = (chunk.metadata.title or chunk.document_name, *chunk.heading_path)
    return "\n".join((*titles, item.text))
