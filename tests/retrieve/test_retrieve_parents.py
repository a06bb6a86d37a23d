from __future__ import annotations

from retrieve_world import World

from rag.retrieve.parents import with_parents
from rag.retrieve.query import embedding_text, lexical_text
from rag.store.vectors import VectorRow
from rag.text.tokenise import TOKENISER_VERSION, tokenise
from rag.types import Chunk, Document, Hit

WINDOW = "园区班车早上七点发车。班车座位需要前一天预约。迟到的员工可以打卡补签。"


def row(number: int, text: str, parent: int | None = None, **values: object) -> Chunk:
    fields = {
        "id": f"d-1-{number}",
        "document_id": "d",
        "kb_id": "kb",
        "ordinal": number,
        "text": text,
        "parent_id": None if parent is None else f"d-1-{parent}",
        **values,
    }
    return Chunk(**fields)


def hits(*chunks: Chunk) -> list[Hit]:
    return [
        Hit(chunk=chunk, rank=rank, scores={"rerank": 1 - rank / 10})
        for rank, chunk in enumerate(chunks, start=1)
    ]


PARENT = row(0, WINDOW, indexed=False, char_span=(0, 34))
OTHER = row(4, "别的一段。", indexed=False, char_span=(40, 60))
FIRST = row(1, "园区班车早上七点发车。", 0, char_span=(0, 11))
SECOND = row(2, "班车座位需要前一天预约。", 0, char_span=(11, 23))
PLAIN = row(9, "没有上级的一段。", char_span=(90, 98))
KNOWN = {chunk.id: chunk for chunk in (PARENT, OTHER)}


def get(ids):
    return {id_: KNOWN[id_] for id_ in ids if id_ in KNOWN}


def test_children_give_way_to_their_parent_once_with_the_best_score() -> None:
    found = with_parents(hits(SECOND, PLAIN, FIRST), get)
    assert [hit.chunk.text for hit in found] == [WINDOW, PLAIN.text]
    assert [hit.rank for hit in found] == [1, 2]
    assert found[0].scores == {"rerank": 0.9}


def test_hits_without_parents_come_back_as_they_are() -> None:
    plain = hits(PLAIN)
    assert with_parents(plain, get) == plain


def test_a_child_whose_parent_is_not_there_stays_itself() -> None:
    orphan = row(7, "上级不见了。", 6)
    assert [hit.chunk.text for hit in with_parents(hits(orphan), get)] == ["上级不见了。"]


def test_a_sentence_that_an_earlier_window_shows_is_not_repeated() -> None:
    again = row(5, "班车座位需要前一天预约。", 4, char_span=(11, 23))
    assert [hit.chunk.id for hit in with_parents(hits(FIRST, again), get)] == ["d-1-0"]


def test_a_parent_of_another_document_is_not_read() -> None:
    stranger = row(3, "另一份文档的句子。", 0, document_id="other")
    assert with_parents(hits(stranger), get)[0].chunk.text == "另一份文档的句子。"


def test_a_search_finds_the_sentence_and_returns_its_window(world: World) -> None:
    world.add("别的.txt", ["食堂中午十一点半开放。", "会议室请在系统里预约。"])
    info = world.catalog.documents.create(world.kb_id, "班车.txt", "h", 1, "text/plain")
    about = {"document_id": info.id, "kb_id": world.kb_id, "access": world.kb_id}
    texts = [
        WINDOW,
        "园区班车早上七点发车。",
        "班车座位需要前一天预约。",
        "迟到的员工可以打卡补签。",
    ]
    chunks = [
        Chunk(
            id=f"{info.id}-1-{number}",
            ordinal=number,
            text=text,
            parent_id=f"{info.id}-1-0" if number else None,
            indexed=number > 0,
            document_name="班车.txt",
            **about,
        )
        for number, text in enumerate(texts)
    ]
    children = chunks[1:]
    tokens = [tokenise(lexical_text(chunk)) for chunk in children]
    vectors = world.embedder.embed_passages([embedding_text(chunk) for chunk in children])
    world.vectors.upsert(
        [
            VectorRow(
                chunk_id=chunk.id,
                kb_id=world.kb_id,
                document_id=info.id,
                access=world.kb_id,
                region="",
                year=0,
                document_type="",
                organisation="",
                product="",
                dense=vector,
                sparse=world.catalog.lexical.document_weights(terms),
            )
            for chunk, vector, terms in zip(children, vectors, tokens, strict=True)
        ]
    )
    world.catalog.documents.publish(
        info.id,
        1,
        Document(id=info.id, kb_id=world.kb_id, name="班车.txt", media_type="text/plain"),
        chunks,
        token_lists=[[], *tokens],
        tokeniser=TOKENISER_VERSION,
    )
    found = world.texts("班车座位要提前预约吗")
    assert found[0] == WINDOW
    assert found.count(WINDOW) == 1
    assert not set(texts[1:]) & set(found)
