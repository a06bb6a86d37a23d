"""A knowledge base of any size for measuring searches: real texts, random vectors.

Texts are articles of LeCoQA/STARD and pieces of laws. Where more are wanted than there are,
they come again, each time joined to half of another one, so that no two are equal and the
words keep their natural frequencies. Vectors are random unit vectors: an exact search takes
as long on them as on any. A base is built once by the product's own stores and kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rag.evaluate import datasets
from rag.retrieve.query import lexical_text
from rag.store.catalog import Catalog
from rag.store.lexical import term_id
from rag.store.vectors import VectorRow, VectorStore
from rag.text.tokenise import TOKENISER_VERSION, tokenise
from rag.types import Chunk, Document

DIMENSION = 384
FINGERPRINT = "random vectors"
PASSAGES_OF_DOCUMENT = 200
SEED = 7


@dataclass(frozen=True)
class Base:
    """Where a base lies. `tokens.npz` holds every passage's term ids for the peers: `terms`
    one passage after the other and the `ends` of each."""

    folder: Path
    size: int

    @property
    def catalog(self) -> Path:
        """The catalog's file."""
        return self.folder / "catalog.sqlite"

    @property
    def vectors(self) -> Path:
        """The vector store's folder."""
        return self.folder / "vectors.db"

    @property
    def kb_id(self) -> str:
        """The only knowledge base's id."""
        return (self.folder / "done").read_text()

    def dense(self) -> np.ndarray:
        """The passages' vectors, float32 [size, DIMENSION], in the order of their writing."""
        return random_units(self.size)

    def tokens(self) -> list[np.ndarray]:
        """Each passage's term ids, as often as they occur."""
        with np.load(self.folder / "tokens.npz") as stored:
            return np.split(stored["terms"], stored["ends"][:-1])


def random_units(count: int) -> np.ndarray:
    """float32 [count, DIMENSION] of length one, the same ones each time."""
    chance = np.random.default_rng(SEED)
    found = chance.standard_normal((count, DIMENSION), dtype=np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def base(root: Path, work: Path, size: int) -> Base:
    """The base of this size; built when it is not there.

    Args:
        root: the folder of data sets.
        work: where bases are kept.
    """
    made = Base(work / f"search-{size}", size)
    if not (made.folder / "done").is_file():
        began = time.perf_counter()
        written = _build(made, root)
        print(
            f"built {size} passages in {time.perf_counter() - began:.0f} s, of which the vector "
            f"store {written:.0f} s ({size / max(written, 1e-9):.0f} rows/s)",
            flush=True,
        )
    return made


def _build(made: Base, root: Path) -> float:
    made.folder.mkdir(parents=True, exist_ok=True)
    for left in made.folder.glob("catalog.sqlite*"):
        left.unlink()
    catalog = Catalog(made.catalog)
    store = VectorStore(str(made.vectors))
    store.open(FINGERPRINT, DIMENSION)
    for kb_id in store.kb_ids():
        store.delete_kb(kb_id)
    kb_id = catalog.knowledge_bases.create("bench").id
    vectors = made.dense()
    counted: list[np.ndarray] = []
    written = 0.0
    for start, part in _parts(root, made.size):
        tokens = [tokenise(lexical_text(chunk)) for chunk in part]
        counted += [np.fromiter(map(term_id, t), np.uint32, len(t)) for t in tokens]
        written += _publish(catalog, store, kb_id, start, part, tokens, vectors)
    np.savez(
        made.folder / "tokens.npz",
        terms=np.concatenate(counted),
        ends=np.cumsum([len(each) for each in counted]),
    )
    store.close()
    catalog.close()
    (made.folder / "done").write_text(kb_id)
    return written


def _publish(
    catalog: Catalog,
    store: VectorStore,
    kb_id: str,
    start: int,
    part: Sequence[Chunk],
    tokens: Sequence[Sequence[str]],
    vectors: np.ndarray,
) -> float:
    """Publish one document; the seconds that the vector store took."""
    name = f"part {start}.jsonl"
    row = catalog.documents.create(kb_id, name, name, 1, "application/jsonl")
    chunks = [
        chunk.model_copy(
            update={
                "id": f"{row.id}-1-{number}",
                "document_id": row.id,
                "kb_id": kb_id,
                "ordinal": number,
                "access": kb_id,
            }
        )
        for number, chunk in enumerate(part)
    ]
    rows = [
        VectorRow(
            chunk_id=chunk.id,
            kb_id=kb_id,
            document_id=row.id,
            access=kb_id,
            region=chunk.metadata.region or "",
            year=chunk.metadata.year or 0,
            document_type="",
            organisation="",
            product="",
            dense=vectors[start + number],
            sparse=catalog.lexical.document_weights(tokens[number]),
        )
        for number, chunk in enumerate(chunks)
    ]
    began = time.perf_counter()
    store.upsert(rows)
    took = time.perf_counter() - began
    document = Document(id=row.id, kb_id=kb_id, name=name, media_type="application/jsonl")
    catalog.documents.publish(
        row.id, 1, document, chunks, token_lists=tokens, tokeniser=TOKENISER_VERSION
    )
    return took


def _parts(root: Path, size: int) -> Iterator[tuple[int, list[Chunk]]]:
    source = [*datasets.load_lecoqa(root).passages, *datasets.load_laws(root).passages]
    part: list[Chunk] = []
    for number in range(size):
        again, place = divmod(number, len(source))
        chunk = source[place]
        if again:
            other = source[(place * 31 + again * 1009) % len(source)].text
            chunk = chunk.model_copy(update={"text": chunk.text + other[: len(other) // 2]})
        part.append(chunk)
        if len(part) == PASSAGES_OF_DOCUMENT or number == size - 1:
            yield number + 1 - len(part), part
            part = []


def sample_row(kb_id: str) -> VectorRow:
    """A row to write and to delete again."""
    return VectorRow(
        chunk_id="sample",
        kb_id=kb_id,
        document_id="sample",
        access=kb_id,
        region="",
        year=0,
        document_type="",
        organisation="",
        product="",
        dense=random_units(1)[0],
        sparse={1: 1.0},
    )
