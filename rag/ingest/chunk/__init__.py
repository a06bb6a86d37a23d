"""Cuts a document into chunks: the step of the offline chain after the quality gate.

`choose` decides how, `chunk` does it: along the document's own structure, by meaning, by
records or at a fixed length; as pieces that are read as themselves, or as small ones that are
found and wider ones that are read for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rag.ingest.chunk.choice import STRATEGY_NAMES, choose
from rag.ingest.chunk.count import CountTokens, bounded
from rag.ingest.chunk.cutter import Cutter, alone, text_pieces
from rag.ingest.chunk.join import joined
from rag.ingest.chunk.merge import merge_tiny
from rag.ingest.chunk.nested import (
    CHILD_SHARE,
    PARENT_SHARE,
    Propositions,
    nested,
    parent_child,
    sentence_children,
    statement_children,
    windows,
)
from rag.ingest.chunk.pieces import Family, Rows
from rag.ingest.chunk.questions import question_pieces
from rag.ingest.chunk.running import Fixed, Recursive, Splitter
from rag.ingest.chunk.sections import Group, groups, is_slides
from rag.ingest.chunk.semantic import Embed, Semantic
from rag.ingest.edits import chunk_keys
from rag.ingest.plain import plain_text
from rag.settings import IngestSettings
from rag.types import Chunk, ChunkStrategy, Document, DocumentOptions

__all__ = ["STRATEGY_NAMES", "CountTokens", "Embed", "Propositions", "choose", "chunk"]


def chunk(
    document: Document,
    settings: IngestSettings,
    count_tokens: CountTokens,
    *,
    options: DocumentOptions | None = None,
    embed: Embed | None = None,
    propositions: Propositions | None = None,
) -> list[Chunk]:
    """Cut a document by the strategy that `choose` names.

    Ids are "{document id}-{version}-{ordinal}", `origin` is the chunk's own key. Except for
    tables and a model's statements, `text` is exactly
    `plain_text(document)[slice(*char_span)]`. Together the chunks that are `indexed` hold all
    of the text, in order; within a section a chunk may begin with the end of its predecessor.
    No chunk has more than `chunk_tokens` tokens (a parent: twice as many) apart from records,
    which are only cut when they are whole documents.

    Args:
        count_tokens: length of a text in the embedder's tokens.
        options: what editors decided; strategy and lengths win over the settings.
        embed: for "semantic"; without it letters are compared instead of meanings.
        propositions: for "proposition"; without it sentences are the statements.

    Raises:
        ZhiwenError: `embed` failed. What `propositions` raises is not passed on.
    """
    strategy, _ = choose(document, settings, options)
    limit, share = settings.chunk_tokens, settings.chunk_overlap
    if options is not None:
        limit = options.chunk_tokens or limit
        share = share if options.chunk_overlap is None else options.chunk_overlap
    rows = Rows(document)
    maker = _Maker(plain_text(document), bounded(count_tokens), limit, int(limit * share))
    cutter = maker.cutter(strategy, embed, propositions)
    families = [
        family for group in maker.groups(document, strategy) for family in cutter.families(group)
    ]
    if strategy in ("recursive", "structural"):
        families = maker.joined(families, document)
    for family in families:
        rows.add(family)
    keys = chunk_keys(rows.chunks)
    return [
        made.model_copy(update={"origin": (key,)})
        for made, key in zip(rows.chunks, keys, strict=True)
    ]


class _Maker:
    """Puts the parts of each strategy together for one document."""

    def __init__(self, text: str, count: CountTokens, limit: int, overlap: int) -> None:
        self._text = text
        self._count = count
        self._limit = limit
        self._overlap = overlap

    def groups(self, document: Document, strategy: ChunkStrategy) -> Sequence[Group]:
        """What is cut each for itself."""
        if strategy == "fixed":
            return groups(document, articles=False, questions=False, headings=False)
        articles = strategy not in ("recursive", "semantic")
        found = groups(document, articles=articles, questions=strategy != "semantic")
        if strategy == "record" or is_slides(document):
            return found
        return merge_tiny(found, self._length, self._limit)

    def joined(self, families: Sequence[Family], document: Document) -> list[Family]:
        """What says too little apart together."""
        by_page = is_slides(document)
        return joined(families, self._text, self._count, self._limit, by_page=by_page)

    def _length(self, group: Group) -> int:
        """Tokens of a group's text."""
        return self._count(self._text[group.units[0].start : group.units[-1].end])

    def cutter(
        self, strategy: ChunkStrategy, embed: Embed | None, propositions: Propositions | None
    ) -> Cutter:
        """The cutter of a strategy."""
        text, count, limit = self._text, self._count, self._limit
        if strategy == "sentence_window":
            nest = sentence_children(text, count, limit)
            return Cutter(text, count, limit, windows(text, count, limit), nest)
        if strategy == "parent_child":
            nest = parent_child(text, count, max(int(limit * CHILD_SHARE), 10))
            parent = int(limit * PARENT_SHARE)
            pieces = partial(text_pieces, text, Recursive(text, count, parent))
            return Cutter(text, count, parent, nested(pieces, nest), nest)
        if strategy == "proposition":
            nest = statement_children(text, count, limit, propositions)
            pieces = partial(text_pieces, text, Recursive(text, count, limit))
            return Cutter(text, count, limit, nested(pieces, nest), nest)
        splitter = self._splitter(strategy, embed)
        pieces = partial(text_pieces, text, splitter)
        if strategy == "record":
            pieces = partial(question_pieces, text, splitter)
        running = nested(pieces, alone)
        return Cutter(text, count, limit, running, rows_apart=strategy == "record")

    def _splitter(self, strategy: ChunkStrategy, embed: Embed | None) -> Splitter:
        arguments = (self._text, self._count, self._limit, self._overlap)
        if strategy == "fixed":
            return Fixed(*arguments)
        if strategy == "semantic":
            return Semantic(*arguments, embed)
        return Recursive(*arguments)
