"""What searches see of documents that are hidden, quarantined or partly switched off."""

from __future__ import annotations

import pytest
from store_parts import chunks_of, new_document, publish

from rag.store import schema
from rag.types import Document, Page


@pytest.fixture
def kb(catalog):
    return catalog.knowledge_bases.create("库")


def seen(catalog, kb, info):
    """Whether its chunks are resolved, must have vectors, are counted, and are profiled."""
    ids = [chunk.id for chunk in catalog.chunks.of_document(info.id)]
    assert ids
    assert catalog.lexical.is_right()
    return (
        set(catalog.chunks.get(ids)) == set(ids),
        catalog.chunks.searchable_ids(kb.id) == set(ids),
        catalog.lexical.chunks == len(ids),
        bool(catalog.documents.profile([kb.id]).documents),
    )


ALL, NOTHING = (True,) * 4, (False,) * 4


def test_hiding_takes_a_document_from_searches_until_it_is_shown_again(catalog, kb):
    info = publish(catalog, new_document(catalog, kb.id), ["年假 五天", "病假 十天"])
    assert seen(catalog, kb, info) == ALL
    before = catalog.documents.generation([kb.id])
    assert catalog.documents.set_hidden([info.id, "gone"], True) == [info.id]
    assert catalog.documents.get(info.id).hidden
    assert seen(catalog, kb, info) == NOTHING
    assert catalog.lexical.document_frequencies(["年假"]) == {"年假": 0}
    assert catalog.documents.set_hidden([info.id], True) == []
    assert catalog.documents.set_hidden([info.id], False) == [info.id]
    assert seen(catalog, kb, info) == ALL
    assert catalog.lexical.document_frequencies(["年假"]) == {"年假": 1}
    assert catalog.documents.generation([kb.id]) != before


def test_a_hidden_document_stays_hidden_when_it_is_published_again(catalog, kb):
    info = publish(catalog, new_document(catalog, kb.id), ["年假 五天"])
    catalog.documents.set_hidden([info.id], True)
    publish(catalog, info, ["年假 六天"], version=2)
    assert seen(catalog, kb, info) == NOTHING
    catalog.documents.set_hidden([info.id], False)
    assert seen(catalog, kb, info) == ALL


def test_a_quarantined_document_is_shown_to_people_alone(catalog, kb):
    info = publish(catalog, new_document(catalog, kb.id), ["乱 码"], status="quarantined")
    assert info.status == "quarantined"
    assert seen(catalog, kb, info) == NOTHING
    assert len(catalog.chunks.list(info.id)) == 1
    publish(catalog, info, ["正 文"], version=1)
    assert seen(catalog, kb, info) == ALL


@pytest.mark.parametrize("order", [("quarantined", "indexed"), ("indexed", "quarantined")])
def test_a_change_of_status_carries_the_chunks_along(catalog, kb, order):
    info = publish(catalog, new_document(catalog, kb.id), ["正 文"], status=order[0])
    catalog.documents.set_status(info.id, order[1])
    assert seen(catalog, kb, info) == (ALL if order[1] == "indexed" else NOTHING)
    catalog.documents.set_status(info.id, order[1], "说明")
    assert seen(catalog, kb, info) == (ALL if order[1] == "indexed" else NOTHING)


def test_switched_off_chunks_are_not_found_and_parents_are_read_but_not_searched(catalog, kb):
    info = new_document(catalog, kb.id)
    child, parent, off = chunks_of(info, 1, ["子 段", "父 段", "停 用"])
    child = child.model_copy(update={"parent_id": parent.id})
    parent = parent.model_copy(update={"indexed": False})
    off = off.model_copy(update={"enabled": False})
    catalog.documents.publish(
        info.id,
        1,
        Document(name="a.txt", media_type="text/plain", pages=(Page(number=1),)),
        [child, parent, off],
        token_lists=[["子"], ["父"], ["停"]],
    )
    assert catalog.chunks.get([child.id, parent.id, off.id]) == {child.id: child, parent.id: parent}
    assert catalog.chunks.searchable_ids(kb.id) == {child.id}
    assert catalog.chunks.ids(kb.id) == {child.id, parent.id, off.id}
    assert catalog.chunks.of_document(info.id) == [child, parent, off]
    assert catalog.chunks.count(kb.id, searchable=True) == 1
    assert [c for batch in catalog.chunks.walk(kb.id, searchable=True) for c in batch] == [child]
    assert catalog.chunks.neighbours(child.id, 5, 5) == [child]
    assert catalog.chunks.neighbours(off.id) == []
    assert catalog.lexical.document_frequencies(["子", "父", "停"]) == {"子": 1, "父": 0, "停": 0}
    assert not catalog.lexical.recount()
    catalog.documents.set_hidden([info.id], True)
    catalog.documents.set_hidden([info.id], False)
    assert catalog.lexical.document_frequencies(["子", "父", "停"]) == {"子": 1, "父": 0, "停": 0}


def test_deleting_hidden_documents_takes_nothing_from_the_counts(catalog, kb):
    hidden = publish(catalog, new_document(catalog, kb.id, "a.txt"), ["年假 五天"])
    publish(catalog, new_document(catalog, kb.id, "b.txt"), ["年假 六天"])
    catalog.documents.set_hidden([hidden.id], True)
    catalog.documents.delete(hidden.id)
    assert catalog.lexical.document_frequencies(["年假"]) == {"年假": 1}
    assert catalog.lexical.is_right()
    catalog.knowledge_bases.delete(kb.id)
    assert catalog.lexical.chunks == 0


def test_chunks_that_disagree_with_their_document_are_put_right(catalog, kb):
    info = publish(catalog, new_document(catalog, kb.id), ["年假 五天"])
    with catalog.database.write() as connection:
        connection.execute(schema.documents.update().values(hidden=True))
    assert catalog.chunks.searchable_ids(kb.id)
    catalog.documents.refresh_visibility([info.id])
    assert catalog.chunks.searchable_ids(kb.id) == set()
    assert catalog.lexical.chunks == 0


def test_unchanged_chunks_keep_their_terms_without_tokens(catalog, kb):
    info = publish(catalog, new_document(catalog, kb.id), ["年假 五天", "病假 十天"])
    same, other = catalog.chunks.of_document(info.id)
    assert catalog.chunks.tokenised_ids(info.id, "blanks-1") == {same.id, other.id}
    assert catalog.chunks.tokenised_ids(info.id, "blanks-2") == set()
    new = other.model_copy(update={"id": f"{info.id}-new", "text": "婚假 三天"})
    document = Document(name="a.txt", media_type="text/plain", pages=(Page(number=1),))
    catalog.documents.publish(
        info.id, 1, document, [same, new], token_lists=[None, ["婚假", "三天"]]
    )
    assert catalog.lexical.document_frequencies(["年假", "病假", "婚假"]) == {
        "年假": 1,
        "病假": 0,
        "婚假": 1,
    }
    assert catalog.lexical.is_right()
    assert catalog.lexical.average_length == 2
    with pytest.raises(ValueError, match="no terms"):
        catalog.documents.publish(info.id, 1, document, [other], token_lists=[None])
    assert catalog.chunks.of_document(info.id) == [same, new]
