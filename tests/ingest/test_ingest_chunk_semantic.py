from __future__ import annotations

import numpy as np
import pytest
from chunk_topics import ESSAY, INTERVIEW, MEETING, TEXTS
from ingest_inputs import document_of

from rag.ingest.chunk import Embed, chunk
from rag.ingest.chunk.semantic import letter_vectors, segments, topic_depths
from rag.ingest.plain import plain_text
from rag.models.bundled import BundledEmbedder
from rag.settings import IngestSettings
from rag.types import Block, ChunkStrategy, Document, DocumentOptions

Topics = list[list[str]]


@pytest.fixture(scope="module")
def embed(tmp_path_factory: pytest.TempPathFactory) -> Embed:
    return BundledEmbedder(tmp_path_factory.mktemp("models"), threads=1).embed_passages


def document(topics: Topics) -> Document:
    return document_of(*(Block(kind="paragraph", text=text) for topic in topics for text in topic))


def borders(topics: Topics, strategy: ChunkStrategy, embed: Embed | None = None) -> list[int]:
    """Where the pieces but the first begin."""
    options = DocumentOptions(strategy=strategy, chunk_tokens=300, chunk_overlap=0.0)
    chunks = chunk(document(topics), IngestSettings(), len, options=options, embed=embed)
    return [piece.char_span[0] for piece in chunks[1:]]


def wrong(topics: Topics, found: list[int]) -> float:
    """Pk (Beeferman et al. 1999): the share of places where two points half a topic apart are
    wrongly taken to be in one topic, or in two; 0 is perfect, 0.5 is chance."""
    text = plain_text(document(topics))
    right = [text.index(topic[0]) for topic in topics[1:]]
    apart = len(text) // (2 * len(topics))
    bins = [np.searchsorted(sorted(b), np.arange(len(text)), side="right") for b in (right, found)]
    same = [place[:-apart] == place[apart:] for place in bins]
    return float(np.mean(same[0] != same[1]))


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_topics_are_told_apart_far_better_than_at_a_fixed_length(name: str, embed: Embed) -> None:
    topics = TEXTS[name]
    semantic = wrong(topics, borders(topics, "semantic", embed))
    assert semantic <= 0.15
    assert semantic <= wrong(topics, borders(topics, "fixed")) / 2
    assert semantic <= wrong(topics, borders(topics, "recursive")) / 2


@pytest.mark.slow
def test_topics_that_follow_without_paragraphs_are_told_apart(embed: Embed) -> None:
    topics = ["".join(topic) for topic in ESSAY]
    found = document_of(Block(kind="paragraph", text="".join(topics)))
    options = DocumentOptions(strategy="semantic", chunk_tokens=300)
    chunks = chunk(found, IngestSettings(), len, options=options, embed=embed)
    starts = {piece.text[:10] for piece in chunks}
    assert len(starts & {topic[:10] for topic in topics}) >= 3


def test_without_an_embedder_letters_are_compared() -> None:
    texts = ["苹果树在春天开花。苹果在秋天成熟。", "卡车的刹车要定期检查。卡车的轮胎也要换。"]
    topics = [[f"{texts[0]}{n}" for n in range(6)], [f"{texts[1]}{n}" for n in range(6)]]
    first = plain_text(document(topics)).index(topics[1][0])
    assert first in borders(topics, "semantic")


def test_a_topic_longer_than_a_chunk_is_cut_on_with_overlap() -> None:
    text = "".join(f"这是关于同一件事情的第{n}句话，没有别的话题。" for n in range(60))
    options = DocumentOptions(strategy="semantic", chunk_tokens=200, chunk_overlap=0.2)
    found = document_of(Block(kind="paragraph", text=text))
    chunks = chunk(found, IngestSettings(), len, options=options)
    assert all(len(piece.text) <= 200 for piece in chunks)


def test_the_deepest_valleys_are_cut_and_no_part_is_too_short() -> None:
    depths = np.array([0.0, 3.0, 2.5, 0.0, 0.0, 2.0, 0.0])
    assert segments(depths, [10] * 8, 20, 100) == [(0, 2), (2, 6), (6, 8)]
    assert segments(depths, [10] * 8, 30, 100) == [(0, 3), (3, 8)]


def test_a_part_that_is_too_long_is_cut_at_its_deepest_place() -> None:
    depths = np.array([0.0, 0.1, 0.5, 0.2, 0.0])
    assert segments(depths, [10] * 6, 10, 30) == [(0, 3), (3, 6)]


def test_a_speaker_who_announces_a_topic_makes_a_border_likelier() -> None:
    texts = ["甲：好。", "乙：行。", "主持人：接下来看预算。", "甲：好。", "乙：行。"]
    same = np.ones((5, 2), dtype=np.float32)
    assert topic_depths(same, texts).argmax() == 1


def test_letters_of_a_text_make_a_vector_even_of_nothing() -> None:
    vectors = letter_vectors(["", "苹果", "苹果"])
    assert vectors.dtype == np.float32
    assert np.allclose(vectors[1], vectors[2])
    assert np.isfinite(vectors).all()


@pytest.mark.parametrize("topics", [MEETING, INTERVIEW])
def test_a_conversation_is_only_cut_between_turns(topics: Topics) -> None:
    text = plain_text(document(topics))
    for border in borders(topics, "semantic"):
        assert text[:border].endswith("\n\n")
