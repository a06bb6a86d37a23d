import pytest
from store_parts import new_document, publish

from rag.errors import InvalidInput, NameTaken, NotFound


def test_created_knowledge_base_is_found_by_id_and_name(catalog):
    kb = catalog.knowledge_bases.create("  人事手册 ", "公司制度")
    assert kb.name == "人事手册"
    assert catalog.knowledge_bases.get(kb.id) == kb
    assert catalog.knowledge_bases.by_name("人事手册") == kb
    assert catalog.knowledge_bases.list() == [kb]


@pytest.mark.parametrize("name", ["", "   ", "长" * 81, "两\n行", "\ud800"])
def test_unusable_names_are_refused_with_a_remedy(catalog, name):
    with pytest.raises(InvalidInput) as refused:
        catalog.knowledge_bases.create(name)
    assert refused.value.remedy
    assert catalog.knowledge_bases.list() == []


@pytest.mark.parametrize("name", ["HR 手册", "hr 手册", "ＨＲ 手册", " HR 手册 "])
def test_a_taken_name_is_refused_whatever_its_case_and_width(catalog, name):
    catalog.knowledge_bases.create("HR 手册")
    with pytest.raises(NameTaken, match="知识库"):
        catalog.knowledge_bases.create(name)


@pytest.mark.parametrize("name", ["a'b\"c`", "100%_", "😀", "'; DROP TABLE documents; --"])
def test_names_are_data(catalog, name):
    kb = catalog.knowledge_bases.create(name)
    assert catalog.knowledge_bases.by_name(name).id == kb.id


def test_rename_keeps_the_rules_of_names(catalog):
    first = catalog.knowledge_bases.create("甲")
    catalog.knowledge_bases.create("乙")
    assert catalog.knowledge_bases.rename(first.id, "甲").name == "甲"
    assert catalog.knowledge_bases.rename(first.id, "丙").name == "丙"
    with pytest.raises(NameTaken):
        catalog.knowledge_bases.rename(first.id, "乙")
    with pytest.raises(NotFound):
        catalog.knowledge_bases.rename("nothing", "丁")


def test_deletion_takes_everything_of_it_and_nothing_else(catalog):
    kb, other = catalog.knowledge_bases.create("甲"), catalog.knowledge_bases.create("乙")
    gone, kept = new_document(catalog, kb.id), new_document(catalog, other.id)
    publish(catalog, gone, ["年假 五天", "病假 十天"])
    publish(catalog, kept, ["年假 十五天"])
    job = catalog.jobs.create(kb.id, "办法.txt")
    assert catalog.knowledge_bases.delete(kb.id) == [gone.id]
    assert [base.name for base in catalog.knowledge_bases.list()] == ["乙"]
    assert catalog.chunks.ids(kb.id) == set()
    assert catalog.chunks.count() == 1
    assert catalog.lexical.document_frequencies(["年假", "病假"]) == {"年假": 1, "病假": 0}
    assert catalog.jobs.cancel_requested(job.id)
    for lookup in (catalog.knowledge_bases.get, catalog.knowledge_bases.delete):
        with pytest.raises(NotFound):
            lookup(kb.id)


def test_counts_are_shown(catalog):
    kb = catalog.knowledge_bases.create("甲")
    publish(catalog, new_document(catalog, kb.id), ["一", "二", "三"])
    new_document(catalog, kb.id, "空.txt", "b" * 64)
    shown = catalog.knowledge_bases.get(kb.id)
    assert (shown.document_count, shown.chunk_count) == (2, 3)
