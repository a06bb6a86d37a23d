"""A new version that is quarantined waits beside the good one, which searches go on using."""

from __future__ import annotations

from typing import Any

import pytest
from ingest_world import World

from rag.errors import ModelUnavailable
from rag.ingest.edits import with_text
from rag.types import DocumentInfo, DocumentOptions, IngestResult, PageDecision

GOOD = (
    "# 休假办法\n\n第一条 年假为五天，由各部门在年初统一安排。\n\n第二条 病假需要提供医院的证明。"
)
BAD = "# 休假办法\n\n" + "第一条 年假为\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd天。" * 8
BETTER = GOOD.replace("五天", "十天")


def put(world: World, text: str, name: str = "办法.md", **options: Any) -> IngestResult:
    return world.pipeline.ingest(world.file("a.md", text), world.kb, name, **options)


def searched(world: World) -> str:
    """What searches can find."""
    assert world.is_consistent() and world.catalog.lexical.is_right()
    found = world.catalog.chunks.get(world.vectors.chunk_ids(world.kb))
    return "".join(chunk.text for chunk in found.values())


@pytest.fixture
def pair(world: World) -> tuple[DocumentInfo, DocumentInfo]:
    """A good document, and its quarantined new version."""
    document_id = put(world, GOOD).document_id
    result = put(world, BAD)
    assert (result.status, result.waits_behind) == ("quarantined", 1)
    assert document_id and result.document_id
    get = world.catalog.documents.get
    return get(document_id), get(result.document_id)


def test_the_old_version_stays_searchable_and_the_new_one_says_so(world: World, pair) -> None:
    old, new = pair
    assert "五天" in searched(world)
    assert (old.status, old.version, old.name) == ("indexed", 1, "办法.md")
    assert (new.status, new.version, new.new_version_of) == ("quarantined", 2, old.id)
    assert "新版本待确认" in (new.error or "") and "第 1 版" in (new.error or "")
    assert world.catalog.chunks.of_document(new.id), "an editor can look at it"
    assert world.catalog.documents.find_by_name(world.kb, "办法.md") == old
    assert world.catalog.knowledge_bases.get(world.kb).document_count == 1
    assert world.catalog.documents.superseded([world.kb]) == {}


def test_accepting_swaps_and_keeps_the_identity(world: World, pair) -> None:
    old, new = pair
    chunks = world.catalog.chunks.of_document(old.id)
    text = chunks[-1].text + "（已核对）"
    edits = with_text(chunks, (), chunks[-1].id, text, at=new.updated_at)
    world.catalog.options.save(old.id, DocumentOptions(edits=edits))
    world.catalog.options.change(new.id, lambda o: o.model_copy(update={"accepted": True}))
    result = world.pipeline.recut(new.id)
    assert (result.status, result.document_id) == ("replaced", old.id)
    (info,) = world.catalog.documents.list([world.kb])
    assert (info.id, info.version, info.status, info.error) == (old.id, 2, "indexed", None)
    assert info.sha256 == new.sha256 and world.files.has(old.sha256)
    assert "\ufffd" in searched(world) and "五天" not in searched(world)
    options = world.catalog.options.get(old.id)
    assert options.accepted and options.edits == edits, "an edit made meanwhile is not lost"
    assert [v.version for v in world.catalog.documents.versions(old.id)] == [2, 1]
    assert world.pipeline.restore(old.id, 1).status == "replaced"
    assert "五天" in searched(world)


def test_a_mended_new_version_takes_the_place_too(world: World, pair) -> None:
    old, new = pair
    right = PageDecision(page=1, action="correct", text="第一条 年假为七天，全年有效。")
    world.catalog.options.save(new.id, DocumentOptions(decisions=(right,)))
    assert world.pipeline.reprocess(new.id).document_id == old.id
    assert "七天" in searched(world) and len(world.catalog.documents.list([world.kb])) == 1


def test_deleting_the_new_version_leaves_the_old_one(world: World, pair) -> None:
    old, new = pair
    world.pipeline.delete_document(new.id)
    assert "五天" in searched(world) and world.catalog.documents.get(old.id) == old
    assert not world.files.has(new.sha256) and world.files.has(old.sha256)


def test_deleting_the_old_version_lets_the_new_one_stand_alone(world: World, pair) -> None:
    old, new = pair
    world.pipeline.delete_document(old.id)
    alone = world.catalog.documents.get(new.id)
    assert (alone.new_version_of, alone.error, searched(world)) == (None, None, "")
    world.catalog.options.change(new.id, lambda o: o.model_copy(update={"accepted": True}))
    assert world.pipeline.recut(new.id).document_id == new.id
    assert "年假" in searched(world)


def test_another_upload_replaces_what_waits(world: World, pair) -> None:
    old, new = pair
    again = put(world, BAD)
    assert (again.status, again.document_id) == ("quarantined", new.id)
    worse = put(world, BAD + "另外\ufffd\ufffd\ufffd。")
    assert (worse.status, worse.document_id, worse.waits_behind) == ("quarantined", new.id, 1)
    assert not world.files.has(new.sha256)
    assert put(world, BETTER).status == "replaced"
    assert "十天" in searched(world)
    assert [i.id for i in world.catalog.documents.list([world.kb])] == [old.id]


def test_a_followed_file_that_is_as_before_drops_what_waits(world: World, pair) -> None:
    old, new = pair
    assert put(world, BAD, document_id=old.id).document_id == new.id
    assert put(world, GOOD, document_id=old.id).status == "duplicate"
    assert [i.id for i in world.catalog.documents.list([world.kb])] == [old.id]


def test_a_first_version_has_nothing_to_stand_beside(world: World) -> None:
    first = put(world, BAD)
    second = put(world, BAD + "再\ufffd\ufffd。")
    assert first.document_id == second.document_id and second.waits_behind is None
    assert searched(world) == ""


def test_a_failure_leaves_both_as_they_were(world: World, pair) -> None:
    new = pair[1]
    world.catalog.options.change(new.id, lambda o: o.model_copy(update={"accepted": True}))
    world.embedder.error = ModelUnavailable("没有模型。")
    with pytest.raises(ModelUnavailable):
        world.pipeline.recut(new.id)
    world.embedder.error = None
    assert world.catalog.documents.get(new.id).status == "quarantined"
    assert "五天" in searched(world) and "\ufffd" not in searched(world)
