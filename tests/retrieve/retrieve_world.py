"""A small real world for retrieval tests: SQL catalog, Milvus Lite, and a tiny embedder."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rag.retrieve.query import embedding_text, lexical_text
from rag.retrieve.rerank import LocalReranker
from rag.retrieve.search import Retriever
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.store.vectors import VectorRow, VectorStore
from rag.text.normalise import normalise
from rag.text.similar import char_ngrams
from rag.text.tokenise import TOKENISER_VERSION, tokenise
from rag.types import Chunk, Document, DocumentMetadata, QueryPlan, SearchFilter


class PairEmbedder:
    """Hashes letter pairs into a vector: no model, but alike texts are near each other."""

    name = "pairs"
    fingerprint = "pairs_1"
    dimension = 256
    max_tokens = 512

    def __init__(self) -> None:
        self.calls = 0

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        self.calls += 1
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str], progress=None) -> np.ndarray:
        rows = np.full((len(texts), self.dimension), 1e-3, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for pair in char_ngrams(normalise(text), 2):
                row[zlib.crc32(pair.encode()) % self.dimension] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def count_tokens(self, text: str) -> int:
        return len(text)


class World:
    """One knowledge base that passages can be put into and searched."""

    def __init__(self, folder: Path) -> None:
        self.catalog = Catalog(folder / "catalog.sqlite")
        self.vectors = VectorStore(str(folder / "vectors.db"))
        self.embedder = PairEmbedder()
        self.vectors.open(self.embedder.fingerprint, self.embedder.dimension)
        self.settings = Settings()
        self.reranker = LocalReranker()
        self.kb_id = self.catalog.knowledge_bases.create("测试").id
        self.retriever = Retriever(
            self.catalog,
            self.vectors,
            self.catalog.lexical,
            lambda: self.embedder,
            lambda: self.reranker,
            lambda: self.settings,
        )

    def add(self, name: str, texts: Sequence[str], kb_id: str = "", **metadata) -> list[Chunk]:
        """Publish a document of these passages; its chunks."""
        kb_id = kb_id or self.kb_id
        about = DocumentMetadata(**{"title": name.rsplit(".", 1)[0], **metadata})
        row = self.catalog.documents.create(kb_id, name, f"hash of {name}", 1, "text/plain")
        chunks = [
            Chunk(
                id=f"{row.id}-1-{number}",
                document_id=row.id,
                kb_id=kb_id,
                ordinal=number,
                text=text,
                document_name=name,
                metadata=about,
                access=kb_id,
            )
            for number, text in enumerate(texts)
        ]
        tokens = [tokenise(lexical_text(chunk)) for chunk in chunks]
        vectors = self.embedder.embed_passages([embedding_text(chunk) for chunk in chunks])
        self.vectors.upsert(
            [
                VectorRow(
                    chunk_id=chunk.id,
                    kb_id=kb_id,
                    document_id=row.id,
                    access=kb_id,
                    region=about.region or "",
                    year=about.year or 0,
                    document_type=about.document_type or "",
                    organisation=about.organisation or "",
                    product=about.product or "",
                    dense=vector,
                    sparse=self.catalog.lexical.document_weights(terms),
                )
                for chunk, vector, terms in zip(chunks, vectors, tokens, strict=True)
            ]
        )
        document = Document(
            id=row.id, kb_id=kb_id, name=name, media_type="text/plain", metadata=about
        )
        self.catalog.documents.publish(
            row.id, 1, document, chunks, token_lists=tokens, tokeniser=TOKENISER_VERSION
        )
        return chunks

    def plan(self, question: str, *more: str, **conditions) -> QueryPlan:
        """A plan over the knowledge base."""
        kb_ids = conditions.pop("kb_ids", (self.kb_id,))
        return QueryPlan(
            queries=(question, *more), filter=SearchFilter(kb_ids=kb_ids, **conditions)
        )

    def texts(self, question: str, **conditions) -> list[str]:
        """The texts found, best first."""
        return [h.chunk.text for h in self.retriever.search(self.plan(question, **conditions)).hits]

    def close(self) -> None:
        """Release both stores."""
        self.vectors.close()
        self.catalog.close()
