"""A first look into the knowledge bases, by which ambiguity is judged and the web considered."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rag.retrieve.search import Retriever
from rag.store.catalog import Catalog
from rag.types import Hit, Slots
from rag.understand.editions import other_editions
from rag.understand.synonyms import names_in, renamed

Probe = Callable[[str, Slots], Sequence[Hit]]


def first_look(catalog: Catalog, retriever: Retriever, kb_ids: tuple[str, ...]) -> Probe:
    """What finds a few passages of these knowledge bases for a question and its slots; their
    dictionary counts."""
    profile = catalog.documents.profile(kb_ids)
    vocabulary = catalog.terms.vocabulary(kb_ids)

    def look(question: str, slots: Slots) -> Sequence[Hit]:
        names = names_in(question, vocabulary)
        return retriever.probe(
            question,
            kb_ids,
            slots,
            other_editions(profile, slots),
            wordings=renamed(question, names),
            names=names,
        )

    return look
