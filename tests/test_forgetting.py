"""What is remembered of searches, meanings and vectors ends with each change of documents,
rights and settings, whoever makes it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date

import pytest
from ingest.ingest_world import BigramEmbedder, World, close_world, open_world

from rag.access.audit import Audit
from rag.access.rights import Rights
from rag.curation import Curation
from rag.retrieve.rerank import LocalReranker
from rag.retrieve.search import Retriever
from rag.settings import Settings
from rag.settings_layers import SettingsService
from rag.store.catalog import Catalog
from rag.types import Chunk, KnowledgeProfile, Person, QueryPlan, Retrieval, SearchFilter
from rag.understand.plan import plan
from rag.understand.understand import understand

EDITOR = Person(id="u2", name="编辑", role="editor")
GUEST = Person(id="guest-1")
TODAY = date(2026, 11, 30)
QUESTION = "年休假有几天？"
RULES = "\n\n".join(
    (
        "职工休假办法",
        "第一条　职工累计工作满一年不满十年的，年休假为五天，由各部门在年初统一安排。",
        "第二条　职工累计工作满十年不满二十年的，年休假为十天，可以分两次休完。",
        "第三条　病假需要提供二级以上医院的证明，三天以内由部门负责人批准。",
    )
)


class Desk:
    """An installation with an editor's tools and a search over it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.settings = world.settings
        audit = Audit(world.catalog)
        self.curation = Curation(
            world.catalog, world.pipeline, world.jobs, world.files, audit, lambda: self.settings
        )
        self.rights = Rights(world.catalog, audit, lambda: self.settings)
        reranker = LocalReranker()
        self.retriever = Retriever(
            world.catalog,
            world.vectors,
            world.catalog.lexical,
            lambda: world.embedder,
            lambda: reranker,
            lambda: self.settings,
        )
        self.rules = self.add("休假办法.txt", RULES)
        self.other = self.add("加班办法.txt", "加班办法\n\n第一条　休息日加班的，安排补休。")

    def add(self, name: str, text: str) -> str:
        found = self.world.pipeline.ingest(self.world.file(name, text), self.world.kb, name)
        assert found.document_id is not None, found.error
        return found.document_id

    def search(self) -> Retrieval:
        condition = SearchFilter(kb_ids=(self.world.kb,))
        return self.retriever.search(QueryPlan(queries=(QUESTION,), filter=condition))

    def chunk(self, words: str) -> Chunk:
        chunks = self.world.catalog.chunks.of_document(self.rules)
        return next(chunk for chunk in chunks if words in chunk.text)

    def profile(self) -> KnowledgeProfile:
        return self.world.catalog.documents.profile([self.world.kb])


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    world = open_world(tmp_path_factory.mktemp("forgetting") / "data", BigramEmbedder())
    ingest = world.settings.ingest.model_copy(
        update={"chunk_tokens": 50, "chunk_overlap": 0.0, "chunk_strategy": "structural"}
    )
    object.__setattr__(world.settings, "ingest", ingest)
    yield Desk(world)
    close_world(world)


def texts(found: Retrieval) -> str:
    return "\n".join(hit.chunk.text for hit in found.hits)


def titles(found: Retrieval) -> set[str | None]:
    return {hit.chunk.metadata.title for hit in found.hits}


def switch_off(desk: Desk) -> None:
    desk.curation.switch_chunk(EDITOR, desk.chunk("满二十年").id, False)


def edit(desk: Desk) -> None:
    desk.curation.edit_chunk(EDITOR, desk.chunk("年休假为五天").id, "第一条　年休假为七天。")


def describe(desk: Desk) -> None:
    desk.curation.edit_metadata(EDITOR, desk.rules, {"title": "假期规定"})


def hide(desk: Desk) -> None:
    desk.curation.hide(EDITOR, [desk.rules], True)


def show_from_another_connection(desk: Desk) -> None:
    other = Catalog(desk.world.data / "catalog.sqlite")
    other.documents.set_hidden([desk.other], True)
    other.close()


def remove(desk: Desk) -> None:
    desk.curation.remove(EDITOR, [desk.other])


@pytest.mark.parametrize(
    ("change", "right"),
    [
        (switch_off, lambda found: "满二十年" not in texts(found)),
        (edit, lambda found: "七天" in texts(found) and "五天" not in texts(found)),
        (describe, lambda found: "假期规定" in titles(found)),
        (hide, lambda found: "年休假" not in texts(found)),
        (show_from_another_connection, lambda found: "补休" not in texts(found)),
        (remove, lambda found: "补休" not in texts(found)),
    ],
)  # fmt: skip
def test_a_change_of_documents_ends_what_is_remembered_of_a_search(
    desk: Desk, change: Callable[[Desk], None], right: Callable[[Retrieval], bool]
) -> None:
    before = desk.search()
    assert desk.search() is before
    change(desk)
    after = desk.search()
    assert after is not before and right(after)
    assert desk.search() is after


def test_a_question_is_read_with_what_the_documents_say_now(desk: Desk) -> None:
    desk.curation.hide(EDITOR, [desk.rules], False)

    def named() -> tuple[str, ...]:
        profile = desk.profile()
        meaning = understand("《休息规则》里年休假有几天？", (), profile, TODAY)
        return plan(meaning, [desk.world.kb], profile=profile).filter.document_ids

    assert named() == ()
    desk.curation.edit_metadata(EDITOR, desk.rules, {"title": "休息规则"})
    assert named() == (desk.rules,)


def test_a_right_that_was_taken_away_takes_what_is_remembered_along(desk: Desk) -> None:
    def asked() -> Retrieval:
        kb_ids = tuple(kb.id for kb in desk.rights.readable_bases(GUEST))
        condition = SearchFilter(kb_ids=kb_ids)
        return desk.retriever.search(QueryPlan(queries=(QUESTION,), filter=condition))

    assert "年休假" in texts(asked())
    desk.world.catalog.knowledge_bases.describe(desk.world.kb, public=False)
    assert asked().hits == ()
    desk.world.catalog.knowledge_bases.describe(desk.world.kb, public=True)
    assert "年休假" in texts(asked())


def test_settings_that_another_process_changed_hold_from_the_next_start(desk: Desk) -> None:
    data = desk.world.data
    script = (
        "import sys; from pathlib import Path; from rag.settings_layers import SettingsService; "
        "from rag.store.catalog import Catalog; data = Path(sys.argv[1]); "
        "catalog = Catalog(data / 'catalog.sqlite'); "
        "SettingsService(data, catalog.settings).update('retrieval', {'top_k': 1})"
    )
    before = desk.search()
    assert len(before.hits) > 1
    subprocess.run([sys.executable, "-c", script, str(data)], check=True, timeout=60)
    kept: Settings = desk.settings
    desk.settings = SettingsService(data, desk.world.catalog.settings).current
    try:
        assert len(desk.search().hits) == 1
    finally:
        desk.settings = kept
    assert desk.search().hits == before.hits


def test_only_changed_texts_are_embedded_and_never_with_the_vectors_of_another(desk: Desk) -> None:
    world = desk.world
    chunks = world.catalog.chunks.of_document(desk.rules)
    before = sum(world.embedder.batches)
    desk.curation.edit_chunk(EDITOR, desk.chunk("病假").id, "第三条　病假须有三甲医院证明。")
    assert sum(world.embedder.batches) == before + 1
    held = world.vectors.chunk_ids(world.kb)
    assert desk.chunk("三甲医院").id in held
    assert not {c.id for c in chunks if "二级以上" in c.text} & held
    other = BigramEmbedder(32)
    assert other.fingerprint != world.embedder.fingerprint
    world.pipeline.change_embedder(other, lambda share: None, lambda: None)
    assert sum(other.batches) >= len(world.catalog.chunks.searchable_ids(world.kb))
    assert world.vectors.fingerprint == other.fingerprint
