"""What editors and sources leave in the catalog: options, versions, selections, vectors."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from store_parts import new_document, publish

from rag.errors import NotFound
from rag.types import (
    ChunkDraft,
    ChunkEdit,
    DocumentMetadata,
    DocumentOptions,
    PageDecision,
    Quality,
    QualityIssue,
    SourceItem,
)
from rag.types import Document as ParsedDocument


@pytest.fixture
def kb(catalog):
    return catalog.knowledge_bases.create("库")


# --- Documents ------------------------------------------------------------------------


def test_publishing_records_quality_strategy_and_lost_edits(catalog, kb):
    info = new_document(catalog, kb.id)
    quality = Quality(
        status="warnings",
        score=0.5,
        issues=(QualityIssue(code="no_text", page=2, detail="1"),),
        measures={"garbled_ratio": 0.25},
    )
    document = ParsedDocument(name="a.txt", media_type="text/plain", quality=quality)
    shown = catalog.documents.publish(
        info.id,
        1,
        document,
        [],
        strategy="record",
        strategy_reason="一问一答",
        orphan_edits=2,
    )
    assert (shown.quality, shown.strategy) == (quality, "record")
    assert (shown.strategy_reason, shown.orphan_edits) == ("一问一答", 2)


def test_options_are_kept_whole_and_go_with_their_document(catalog, kb):
    info = new_document(catalog, kb.id)
    assert catalog.options.get(info.id) == DocumentOptions()
    options = DocumentOptions(
        strategy="parent_child",
        chunk_tokens=300,
        metadata={"title": "新题", "publish_date": "2024-01-02", "keywords": ["甲", "乙"]},
        decisions=(
            PageDecision(page=2, action="reparse", route="scanned", at=datetime.now(UTC)),
            PageDecision(page=3, action="correct", text="# 改过的\0页"),
        ),
        edits=(ChunkEdit(sources=("k1",), results=(ChunkDraft(text="一"),), by="u1"),),
        accepted=True,
    )
    catalog.options.save(info.id, options)
    kept = catalog.options.get(info.id)
    assert kept.model_copy(update={"decisions": ()}) == options.model_copy(update={"decisions": ()})
    assert kept.decisions[0] == options.decisions[0]
    catalog.options.save(info.id, DocumentOptions())
    assert catalog.options.get(info.id) == DocumentOptions()
    catalog.options.save(info.id, options)
    catalog.documents.delete(info.id)
    assert catalog.options.get(info.id) == DocumentOptions()
    with pytest.raises(NotFound):
        catalog.options.save(info.id, options)


def test_versions_keep_as_many_different_originals_as_wanted(catalog, kb, clock):
    info = new_document(catalog, kb.id, "手册.txt", "1" * 64)
    for version, letter in enumerate("11234", start=1):
        clock.forward(days=1)
        publish(catalog, info, [f"第 {version}"], version, sha256=letter * 64, size=version * 10)
    versions = catalog.documents.versions(info.id)
    assert [(v.version, v.sha256[0], v.kept) for v in versions] == [
        (5, "4", True),
        (4, "3", True),
        (3, "2", True),
        (2, "1", True),
        (1, "1", True),
    ]
    assert versions[0].published_at == clock()
    assert catalog.documents.version_file(info.id, 3) == ("手册.txt", "2" * 64, 30)
    assert catalog.documents.trim_versions(info.id, 2) == {"1" * 64}
    assert catalog.documents.version_hashes() == {letter * 64 for letter in "234"}
    assert catalog.documents.trim_versions(info.id, 2) == set()
    assert catalog.documents.trim_versions(info.id, 0) == {"2" * 64, "3" * 64}
    with pytest.raises(NotFound, match="第 3 版"):
        catalog.documents.version_file(info.id, 3)
    assert [v.kept for v in catalog.documents.versions(info.id)] == [True] + [False] * 4


def test_succession_is_replaced_as_a_whole_and_cleared_on_deletion(catalog, kb):
    old, middle, new = (new_document(catalog, kb.id, f"{n}.txt", str(n) * 64) for n in range(3))
    before = catalog.documents.generation([kb.id])
    assert catalog.documents.set_superseded(kb.id, {old.id: middle.id})
    assert catalog.documents.generation([kb.id]) != before
    assert not catalog.documents.set_superseded(kb.id, {old.id: middle.id, new.id: new.id})
    assert catalog.documents.set_superseded(kb.id, {middle.id: new.id, old.id: new.id})
    assert catalog.documents.superseded([kb.id]) == {old.id: new.id, middle.id: new.id}
    assert catalog.documents.get(old.id).superseded_by == new.id
    catalog.documents.delete(new.id)
    assert catalog.documents.superseded([kb.id]) == {}


def test_metadata_can_be_replaced(catalog, kb):
    info = publish(catalog, new_document(catalog, kb.id), ["一"])
    metadata = DocumentMetadata(title="新题", region="江苏", document_type="通知")
    shown = catalog.documents.set_metadata(info.id, metadata)
    assert (shown.title, shown.metadata) == ("新题", metadata)
    assert catalog.documents.profile([kb.id]).documents[0].title == "新题"
    assert [i.id for i in catalog.documents.select(kb.id, region="江苏")] == [info.id]
    with pytest.raises(NotFound):
        catalog.documents.set_metadata("gone", metadata)


def test_documents_are_selected_by_what_they_are(catalog, kb, clock):
    source = catalog.sources.create(kb.id, "folder", "目录", {"path": "/x"})
    wanted = {
        "杭州.pdf": DocumentMetadata(
            title="Leave Rules", region="浙江/杭州", publish_date=date(2020, 5, 1)
        ),
        "浙江.pdf": DocumentMetadata(region="浙江", expiry_date=date(2025, 12, 31)),
        "浙江_%.pdf": DocumentMetadata(region="浙江_/甲", document_type="通知"),
        "无.txt": DocumentMetadata(),
    }
    ids = {}
    for name, metadata in wanted.items():
        clock.forward(days=1)
        info = new_document(catalog, kb.id, name, name * 8)
        publish(catalog, info, ["一"], metadata=metadata)
        ids[info.id] = name
    catalog.documents.set_source(next(iter(ids)), source.id)
    day = clock().date()

    def found(**conditions):
        return [ids[info.id] for info in catalog.documents.select(kb.id, **conditions)]

    assert found() == ["无.txt", "浙江_%.pdf", "浙江.pdf", "杭州.pdf"]
    assert found(region="浙江") == ["浙江.pdf", "杭州.pdf"]
    assert found(region="浙江/杭州") == ["杭州.pdf"]
    assert found(region="浙江_") == ["浙江_%.pdf"]
    assert found(document_type="通知") == ["浙江_%.pdf"]
    assert found(expired_before=date(2026, 1, 1)) == ["浙江.pdf"]
    assert found(expired_before=date(2025, 12, 31)) == []
    assert found(older_than=date(2021, 1, 1)) == ["杭州.pdf"]
    assert found(older_than=day) == ["浙江_%.pdf", "浙江.pdf", "杭州.pdf"]
    assert found(name_contains="leave r") == ["杭州.pdf"]
    assert found(name_contains="_%") == ["浙江_%.pdf"]
    assert found(source_id=source.id) == ["杭州.pdf"]
    assert found(source_id=source.id, region="江苏") == []
    assert found(status="failed") == []


def test_many_documents_are_deleted_at_once(catalog, kb):
    infos = [new_document(catalog, kb.id, f"{n}.txt", f"{n:064}") for n in range(4)]
    for info in infos:
        publish(catalog, info, ["年假 五天"])
    gone = catalog.documents.delete_many([infos[0].id, "unknown", infos[2].id])
    assert {info.id for info in gone} == {infos[0].id, infos[2].id}
    assert {info.id for info in catalog.documents.list(kb.id)} == {infos[1].id, infos[3].id}
    assert catalog.lexical.document_frequencies(["年假"]) == {"年假": 2}


# --- Vectors --------------------------------------------------------------------------


def test_vectors_are_kept_per_embedder_and_text(catalog):
    rng = np.random.default_rng(1)
    vectors = {f"{n:064}": rng.standard_normal(16).astype(np.float32) for n in range(1200)}
    vectors = {key: vector / np.linalg.norm(vector) for key, vector in vectors.items()}
    catalog.embeddings.put("e1", vectors)
    catalog.embeddings.put("e2", {f"{0:064}": -vectors[f"{0:064}"]})
    catalog.embeddings.put("e1", {})
    found = catalog.embeddings.get("e1", [*vectors, "missing", f"{0:064}"])
    assert found.keys() == vectors.keys()
    assert found[f"{7:064}"].dtype == np.float32
    assert max(np.abs(found[key] - vectors[key]).max() for key in vectors) < 1e-3
    assert catalog.embeddings.get("e3", list(vectors)) == {}
    assert catalog.embeddings.count() == 1201


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e6])
def test_vectors_that_cannot_be_kept_are_refused(catalog, value):
    with pytest.raises(ValueError):
        catalog.embeddings.put("e", {"a": np.array([1.0, value])})
    assert catalog.embeddings.count() == 0


def test_vectors_that_nobody_asks_for_are_pruned(catalog, clock):
    catalog.embeddings.put("e", {"old": np.ones(4), "used": np.ones(4)})
    clock.forward(days=20)
    catalog.embeddings.get("e", ["used"])
    clock.forward(days=20)
    assert catalog.embeddings.prune(30) == 1
    assert catalog.embeddings.get("e", ["old", "used"]).keys() == {"used"}


# --- Sources --------------------------------------------------------------------------


def test_a_source_is_followed_from_first_run_to_deletion(catalog, kb, clock):
    source = catalog.sources.create(kb.id, "web", "官网", {"url": "https://例.cn", "depth": 2}, 60)
    assert (source.status, source.item_count, source.enabled) == ("new", 0, True)
    assert catalog.sources.due(clock()) == [source]
    assert catalog.sources.claim(source.id)
    assert not catalog.sources.claim(source.id)
    assert catalog.sources.due(clock()) == []
    later = clock() + timedelta(seconds=60)
    done = catalog.sources.update(source.id, status="ok", error=None, next_run_at=later)
    assert (done.status, done.next_run_at, done.last_run_at) == ("ok", later, clock())
    clock.forward(seconds=59)
    assert catalog.sources.due(clock()) == []
    clock.forward(seconds=1)
    assert [s.id for s in catalog.sources.due(clock())] == [source.id]
    catalog.sources.update(source.id, enabled=False, config={"url": "x"}, error="连不上。")
    assert catalog.sources.due(clock()) == []
    assert catalog.sources.get(source.id).config == {"url": "x"}
    assert catalog.sources.update(source.id).error == "连不上。"
    info = new_document(catalog, kb.id)
    catalog.documents.set_source(info.id, source.id)
    assert catalog.sources.delete(source.id).name == "官网"
    assert catalog.documents.get(info.id).source_id is None
    assert catalog.sources.list(kb.id) == []
    with pytest.raises(NotFound):
        catalog.sources.get(source.id)


def test_items_are_kept_by_their_key_whatever_its_length(catalog, kb, clock):
    source = catalog.sources.create(kb.id, "folder", "目录", {})
    keys = ["b/文件.txt", "a" * 5000, "a" * 5000 + "b", "坏\udcff名"]
    for key in keys:
        catalog.sources.save_item(SourceItem(source_id=source.id, key=key, seen_at=clock()))
    catalog.sources.save_item(
        SourceItem(source_id=source.id, key=keys[0], stamp="2", document_id="d", seen_at=clock())
    )
    items = catalog.sources.items(source.id)
    assert len(items) == 4
    assert next(item for item in items if item.key == keys[0]).stamp == "2"
    assert catalog.sources.get(source.id).item_count == 4
    catalog.sources.remove_item(source.id, keys[1])
    catalog.sources.remove_item(source.id, "unknown")
    assert len(catalog.sources.items(source.id)) == 3
    catalog.sources.delete(source.id)
    assert catalog.sources.items(source.id) == []
    with pytest.raises(NotFound):
        catalog.sources.save_item(SourceItem(source_id=source.id, key="x", seen_at=clock()))


def test_sources_go_with_their_knowledge_base_and_need_one(catalog, kb):
    catalog.sources.create(kb.id, "sql", "库表", {})
    catalog.knowledge_bases.delete(kb.id)
    assert catalog.sources.list() == []
    with pytest.raises(NotFound):
        catalog.sources.create(kb.id, "sql", "库表", {})


def test_sources_left_running_by_a_crash_are_due_again(catalog, kb, clock):
    source = catalog.sources.create(kb.id, "web", "官网", {})
    catalog.sources.claim(source.id)
    assert catalog.sources.release() == 1
    assert [s.id for s in catalog.sources.due(clock())] == [source.id]
