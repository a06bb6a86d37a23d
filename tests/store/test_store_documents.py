import pytest
from store_parts import chunks_of, new_document, publish

from rag.errors import NotFound, StoreError
from rag.types import Chunk, Document, DocumentMetadata, Page


@pytest.fixture
def kb(catalog):
    return catalog.knowledge_bases.create("人事手册")


def test_a_new_document_has_nothing_published(catalog, kb):
    info = new_document(catalog, kb.id)
    assert (info.status, info.version, info.chunk_count) == ("queued", 0, 0)
    assert catalog.documents.pages(info.id) == ()
    assert catalog.documents.profile([kb.id]).documents == ()


def test_names_of_any_length_are_kept_whole(catalog, kb):
    name = "关于" * 42 + "办法.pdf"
    info = new_document(catalog, kb.id, name)
    assert catalog.documents.get(info.id).name == name
    assert catalog.documents.find_by_name(kb.id, name) == info


def test_documents_are_found_by_hash_and_name_within_their_base_only(catalog, kb):
    other = catalog.knowledge_bases.create("别的")
    info = new_document(catalog, kb.id, "a.txt", "c" * 64)
    assert catalog.documents.find_by_hash(kb.id, "c" * 64) == info
    assert catalog.documents.find_by_hash(other.id, "c" * 64) is None
    assert catalog.documents.find_by_name(other.id, "a.txt") is None


def test_a_document_of_a_deleted_base_cannot_be_created(catalog, kb):
    catalog.knowledge_bases.delete(kb.id)
    with pytest.raises(NotFound):
        new_document(catalog, kb.id)


def test_publishing_shows_chunks_pages_and_metadata(catalog, kb):
    info = new_document(catalog, kb.id)
    metadata = DocumentMetadata(title="休假办法", region="浙江/杭州", year=2024)
    shown = publish(catalog, info, ["年假 五天", "病假 十天"], metadata=metadata)
    assert (shown.status, shown.version, shown.chunk_count, shown.page_count) == (
        "indexed",
        1,
        2,
        1,
    )
    assert (shown.title, shown.metadata) == ("休假办法", metadata)
    assert [chunk.text for chunk in catalog.chunks.list(info.id)] == ["年假 五天", "病假 十天"]
    assert catalog.documents.pages(info.id)[0].blocks[1].text == "病假 十天"


def test_a_new_version_replaces_the_old_one_and_its_counts(catalog, kb):
    info = new_document(catalog, kb.id)
    publish(catalog, info, ["年假 五天", "病假 十天"])
    publish(catalog, info, ["年假 六天"], version=2)
    assert catalog.chunks.get([f"{info.id}-1-0", f"{info.id}-2-0"]).keys() == {f"{info.id}-2-0"}
    assert catalog.lexical.document_frequencies(["年假", "病假", "六天"]) == {
        "年假": 1,
        "病假": 0,
        "六天": 1,
    }
    assert catalog.lexical.chunks == 1
    assert catalog.lexical.is_right()


def test_an_older_version_never_overwrites_a_newer_one(catalog, kb):
    info = new_document(catalog, kb.id)
    publish(catalog, info, ["新"], version=3)
    with pytest.raises(StoreError, match="更新的版本"):
        publish(catalog, info, ["旧"], version=2)
    assert [chunk.text for chunk in catalog.chunks.list(info.id)] == ["新"]


def test_publishing_is_all_or_nothing(catalog, kb):
    info = new_document(catalog, kb.id)
    publish(catalog, info, ["旧一", "旧二"])
    twice = chunks_of(info, 2, ["新一"]) * 2
    with pytest.raises(Exception, match=r"(?i)unique"):
        catalog.documents.publish(
            info.id,
            2,
            Document(name="新名.txt", media_type="text/plain", pages=(Page(number=1),) * 1),
            twice,
            token_lists=[["新一"]] * 2,
        )
    assert [chunk.text for chunk in catalog.chunks.list(info.id)] == ["旧一", "旧二"]
    assert catalog.documents.get(info.id).name == info.name
    assert catalog.lexical.document_frequencies(["旧一", "新一"]) == {"旧一": 1, "新一": 0}


def test_publishing_a_document_that_was_deleted_meanwhile_fails(catalog, kb):
    info = new_document(catalog, kb.id)
    catalog.documents.delete(info.id)
    with pytest.raises(NotFound):
        publish(catalog, info, ["一"])
    assert catalog.chunks.count() == 0


@pytest.mark.parametrize("wrong", ["document", "length"])
def test_chunks_must_fit_their_document(catalog, kb, wrong):
    info = new_document(catalog, kb.id)
    chunk = Chunk(id="x", document_id="other", kb_id=kb.id, ordinal=0, text="一")
    chunks = [chunk] if wrong == "document" else chunks_of(info, 1, ["一"])
    with pytest.raises(ValueError):
        catalog.documents.publish(
            info.id,
            1,
            Document(name="a", media_type="text/plain"),
            chunks,
            token_lists=[] if wrong == "length" else [["一"]],
        )


def test_deleting_a_document_removes_all_of_it(catalog, kb):
    info = new_document(catalog, kb.id)
    publish(catalog, info, ["年假 五天"])
    assert catalog.documents.delete(info.id).id == info.id
    assert catalog.chunks.count() == 0
    assert catalog.documents.pages(info.id) == ()
    assert catalog.lexical.chunks == 0
    with pytest.raises(NotFound):
        catalog.documents.get(info.id)


def test_the_generation_changes_with_every_change_of_a_document(catalog, kb):
    seen = [catalog.documents.generation([kb.id])]
    info = new_document(catalog, kb.id)
    seen.append(catalog.documents.generation([kb.id]))
    publish(catalog, info, ["一"])
    seen.append(catalog.documents.generation([kb.id]))
    catalog.documents.delete(info.id)
    seen.append(catalog.documents.generation([kb.id]))
    catalog.knowledge_bases.delete(kb.id)
    seen.append(catalog.documents.generation([kb.id]))
    assert len(set(seen)) == len(seen)


def test_the_profile_lists_documents_and_differing_records(catalog, kb):
    info = new_document(catalog, kb.id, "问答.jsonl")
    chunks = [
        chunk.model_copy(
            update={
                "kind": "record",
                "metadata": DocumentMetadata(title=f"{city}补贴", region=city, year=2024),
            }
        )
        for chunk, city in zip(
            chunks_of(info, 1, ["一", "二", "三"]),
            ["浙江/杭州", "江苏/南京", "浙江/杭州"],
            strict=True,
        )
    ]
    document = Document(name=info.name, media_type="application/jsonl", pages=(Page(number=1),))
    catalog.documents.publish(info.id, 1, document, chunks)
    entries = catalog.documents.profile([kb.id]).documents
    assert {entry.metadata.region for entry in entries} == {None, "浙江/杭州", "江苏/南京"}
    assert {entry.title for entry in entries} == {"问答"}
    assert entries[0].headings == ("浙江/杭州补贴", "江苏/南京补贴")


def test_the_profile_follows_changes(catalog, kb):
    info = new_document(catalog, kb.id)
    publish(catalog, info, ["一"], metadata=DocumentMetadata(title="旧"))
    assert catalog.documents.profile([kb.id]).documents[0].title == "旧"
    publish(catalog, info, ["一"], version=2, metadata=DocumentMetadata(title="新"))
    assert catalog.documents.profile([kb.id]).documents[0].title == "新"


def test_status_errors_and_flags(catalog, kb):
    info = new_document(catalog, kb.id)
    catalog.documents.set_status(info.id, "failed", "文件是空的。", ["no_text"])
    shown = catalog.documents.get(info.id)
    assert (shown.status, shown.error, shown.flags) == ("failed", "文件是空的。", ("no_text",))
    catalog.documents.set_status(info.id, "queued")
    shown = catalog.documents.get(info.id)
    assert (shown.status, shown.error, shown.flags) == ("queued", None, ("no_text",))
    assert catalog.documents.list([kb.id], "failed") == []


def test_neighbours_and_pages_of_chunks(catalog, kb):
    info = new_document(catalog, kb.id)
    publish(catalog, info, list("甲乙丙丁戊"))
    around = catalog.chunks.neighbours(f"{info.id}-1-1", before=2, after=1)
    assert [chunk.text for chunk in around] == list("甲乙丙")
    assert [chunk.text for chunk in catalog.chunks.list(info.id, 3, 10)] == list("丁戊")
    assert catalog.chunks.neighbours("gone") == []
    walked = [chunk.text for batch in catalog.chunks.walk(batch=2) for chunk in batch]
    assert sorted(walked) == sorted("甲乙丙丁戊")


def test_chunks_come_in_the_order_asked_for(catalog, kb):
    info = new_document(catalog, kb.id)
    publish(catalog, info, [str(number) for number in range(1200)])
    wanted = [f"{info.id}-1-{number}" for number in (1100, 3, 700)]
    assert list(catalog.chunks.get(["missing", *wanted])) == wanted
