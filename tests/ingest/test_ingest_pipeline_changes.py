"""What editors change about documents that are there, and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import pdf, write
from ingest_world import World

from rag.errors import InvalidInput, ModelUnavailable, NotFound
from rag.ingest.chunk_ids import with_content_ids
from rag.ingest.edits import with_switch, with_text
from rag.types import Chunk, DocumentInfo, DocumentOptions, PageDecision

RULES = "# 员工手册\n\n" + "\n\n".join(
    f"第{n}条 关于事项{n}的规定：员工应当按照公司第{n}号制度办理，逾期不予受理。"
    for n in "一二三四五六七八九"
)


def ingest(world: World, text: str, name: str = "手册.md", **options: Any) -> DocumentInfo:
    result = world.pipeline.ingest(world.file(name, text), world.kb, name, **options)
    assert result.document_id, result.error
    return world.catalog.documents.get(result.document_id)


def chunks_of(world: World, info: DocumentInfo) -> list[Chunk]:
    return world.catalog.chunks.of_document(info.id)


def embedded(world: World) -> int:
    return sum(world.embedder.batches)


def set_options(world: World, info: DocumentInfo, **values: Any) -> None:
    options = world.catalog.options.get(info.id).model_copy(update=values)
    world.catalog.options.save(info.id, options)


def test_ids_come_from_the_content_and_repeats_are_numbered() -> None:
    def chunk(n: int, text: str, **more: Any) -> Chunk:
        return Chunk(
            id=f"d-1-{n}", document_id="d", kb_id="k", ordinal=n, text=text, access="k", **more
        )

    first = with_content_ids([chunk(0, "甲"), chunk(1, "乙"), chunk(2, "甲")], "d")
    assert first[2].id == f"{first[0].id}-2"
    again = with_content_ids([chunk(5, "乙"), chunk(9, "甲", parent_id="d-1-5")], "d")
    assert [c.id for c in again] == [first[1].id, first[0].id]
    assert [c.ordinal for c in again] == [0, 1]
    assert again[1].parent_id == again[0].id
    asked = with_content_ids([chunk(0, "甲", questions=("什么是甲？",))], "d")
    assert asked[0].id != first[0].id


def test_a_new_version_embeds_only_what_changed(world: World) -> None:
    before = {c.text: c.id for c in chunks_of(world, ingest(world, RULES))}
    count = embedded(world)
    info = ingest(world, RULES.replace("第5号", "第五号").replace("事项五", "事项5"))
    after = {c.text: c.id for c in chunks_of(world, info)}
    same = before.keys() & after.keys()
    assert len(same) >= len(before) - 1 > 3
    assert {before[text] for text in same} == {after[text] for text in same}
    assert embedded(world) - count == len(after.keys() - same)
    assert info.version == 2
    assert world.is_consistent()


def test_an_edit_embeds_one_chunk_and_survives_reprocessing(world: World) -> None:
    info = ingest(world, RULES)
    chunks = chunks_of(world, info)
    edits = with_text(chunks, (), chunks[2].id, "第三条 改写后的规定。")
    edits = with_switch(chunks, edits, chunks[4].id, False)
    set_options(world, info, edits=edits)
    count = embedded(world)
    assert world.pipeline.recut(info.id).status == "replaced"
    assert embedded(world) - count == 1
    changed = chunks_of(world, info)
    assert changed[2].edited and "改写后" in changed[2].text
    assert [c.id for c in changed if c.enabled is False] == [chunks[4].id]
    assert chunks[4].id not in world.vectors.chunk_ids(world.kb)
    assert world.is_consistent()
    world.pipeline.reprocess(info.id)
    assert [c.id for c in chunks_of(world, info)] == [c.id for c in changed]
    assert embedded(world) - count == 1
    set_options(world, info, edits=())
    world.pipeline.recut(info.id)
    assert [c.id for c in chunks_of(world, info)] == [c.id for c in chunks]
    assert embedded(world) - count == 1, "what was embedded once is in the cache"
    assert world.catalog.documents.get(info.id).version == 1


def test_edits_that_fit_no_chunk_any_more_are_counted_and_kept(world: World) -> None:
    info = ingest(world, RULES)
    chunks = chunks_of(world, info)
    set_options(world, info, edits=with_text(chunks, (), chunks[2].id, "第三条 改写。"))
    world.pipeline.recut(info.id)
    info = ingest(world, RULES.replace("第三条 关于事项三", "第三条 关于别的"))
    assert info.orphan_edits == 1
    assert len(world.catalog.options.get(info.id).edits) == 1
    info = ingest(world, RULES + "\n")
    assert info.orphan_edits == 0
    assert any("改写" in c.text for c in chunks_of(world, info))


def test_metadata_can_be_set_and_taken_back(world: World) -> None:
    info = ingest(world, RULES)
    assert (info.title, info.metadata.region) == ("员工手册", None)
    set_options(world, info, metadata={"title": "新员工手册", "region": "浙江/杭州"})
    world.pipeline.recut(info.id)
    changed = world.catalog.documents.get(info.id)
    assert (changed.title, changed.metadata.region) == ("新员工手册", "浙江/杭州")
    assert {c.metadata.region for c in chunks_of(world, info)} == {"浙江/杭州"}
    world.pipeline.reprocess(info.id)
    assert world.catalog.documents.get(info.id).title == "新员工手册"
    set_options(world, info, metadata={})
    world.pipeline.recut(info.id)
    back = world.catalog.documents.get(info.id)
    assert (back.title, back.metadata) == ("员工手册", info.metadata)
    assert world.is_consistent()


def test_a_preview_changes_nothing(world: World) -> None:
    info = ingest(world, RULES)
    before = chunks_of(world, info)
    preview = world.pipeline.preview(info.id, DocumentOptions(chunk_tokens=60))
    assert preview.chunks and preview.reason
    assert preview.strategy != "auto"
    assert chunks_of(world, info) == before


def two_pages(folder: Path, second: str) -> Path:
    def fill(page: Any) -> None:
        for line in range(4):
            write(page, 72, 100 + 30 * line, f"第{line + 1}条 正常的年假规定内容。")

    return pdf(folder / "a.pdf", fill, lambda page: write(page, 72, 100, second))


GARBAGE = PageDecision(page=2, action="correct", text="第五条 \ufffd\ufffd\ufffd\ufffd\ufffd")


def quarantined(world: World, folder: Path) -> DocumentInfo:
    """A document whose second page was "corrected" to garbage."""
    world.pipeline.ingest(two_pages(folder, "第五条 内容。"), world.kb, "a.pdf")
    (info,) = world.catalog.documents.list([world.kb])
    set_options(world, info, decisions=(GARBAGE,))
    assert world.pipeline.reprocess(info.id).status == "quarantined"
    return world.catalog.documents.get(info.id)


def test_what_is_quarantined_is_shown_but_not_searched_until_accepted(
    world: World, tmp_path: Path
) -> None:
    info = quarantined(world, tmp_path)
    assert (info.status, info.quality.status) == ("quarantined", "quarantined")
    chunks = chunks_of(world, info)
    assert chunks
    assert world.vectors.chunk_ids(world.kb) == set()
    assert world.catalog.chunks.get([c.id for c in chunks]) == {}
    set_options(world, info, accepted=True)
    assert world.pipeline.recut(info.id).status == "replaced"
    assert world.catalog.documents.get(info.id).status == "indexed"
    assert world.vectors.chunk_ids(world.kb) == {c.id for c in chunks}


def test_a_page_can_be_corrected_excluded_and_taken_back(world: World, tmp_path: Path) -> None:
    info = quarantined(world, tmp_path)
    (kept,) = world.catalog.options.get(info.id).decisions
    assert kept.page_key, "what the page said is remembered"
    right = kept.model_copy(update={"text": "第五条 改正后的内容。"})
    set_options(world, info, decisions=(right,))
    world.pipeline.reprocess(info.id)
    assert "改正后的内容" in "".join(world.chunk_texts())
    set_options(world, info, decisions=(kept.model_copy(update={"action": "exclude"}),))
    world.pipeline.reprocess(info.id)
    assert "第五条" not in "".join(world.chunk_texts())
    set_options(world, info, decisions=())
    world.pipeline.reprocess(info.id)
    assert "第五条 内容" in "".join(world.chunk_texts())
    assert world.is_consistent()
    both = tuple(PageDecision(page=n, action="exclude") for n in (1, 2))
    set_options(world, info, decisions=both)
    with pytest.raises(Exception, match="所有页面都被排除"):
        world.pipeline.reprocess(info.id)
    assert "第五条 内容" in "".join(world.chunk_texts()), "the old content is still there"


def test_decisions_hold_in_a_new_file_only_for_pages_that_read_the_same(
    world: World, tmp_path: Path
) -> None:
    info = quarantined(world, tmp_path)
    set_options(world, info, accepted=True)
    result = world.pipeline.ingest(two_pages(tmp_path, "第五条 新的内容。"), world.kb, "a.pdf")
    assert result.status == "replaced"
    info = world.catalog.documents.get(info.id)
    assert "新的内容" in "".join(world.chunk_texts())
    assert [i.code for i in info.quality.issues] == ["decision_outdated"]
    assert not world.catalog.options.get(info.id).accepted


def test_hidden_documents_come_back_without_embedding(world: World) -> None:
    info = ingest(world, RULES)
    keep = ingest(world, "别的文件。", "别.md")
    count = embedded(world)
    world.pipeline.set_hidden([info.id], True)
    assert world.vectors.chunk_ids(world.kb) == {c.id for c in chunks_of(world, keep)}
    assert world.is_consistent()
    world.pipeline.set_hidden([info.id], True)
    world.pipeline.recut(info.id)
    assert world.is_consistent()
    world.pipeline.set_hidden([info.id], False)
    assert world.is_consistent()
    assert len(world.vectors.chunk_ids(world.kb)) > 3
    assert embedded(world) == count


def test_earlier_versions_can_be_restored_while_they_are_kept(world: World) -> None:
    info = ingest(world, "第一版的内容。")
    count = embedded(world)
    for text in ("第二版的内容。", "第三版的内容。"):
        ingest(world, text)
    assert world.pipeline.restore(info.id, 1).status == "replaced"
    assert world.chunk_texts() == ["第一版的内容。"]
    assert embedded(world) == count + 2, "the first version's vectors were kept"
    assert world.catalog.documents.get(info.id).version == 4
    assert world.pipeline.restore(info.id, 4).status == "duplicate"
    for n in range(5, 10):
        ingest(world, f"第{n}版的内容。")
    kept = {v.version for v in world.catalog.documents.versions(info.id) if v.kept}
    assert len(kept) == world.settings.ingest.keep_versions + 1
    assert len(set(world.files.hashes())) == len(kept)
    with pytest.raises(NotFound, match="第 2 版"):
        world.pipeline.restore(info.id, 2)
    world.pipeline.delete_document(info.id)
    assert set(world.files.hashes()) == set()


def test_older_versions_of_a_rule_are_recognised_and_forgotten(world: World) -> None:
    def rule(year: int) -> DocumentInfo:
        title = f"人才住房补贴办法（{year}年修订）"
        text = f"# {title}\n\n第一条 每月{year}元。\n\n发布日期：{year}年3月1日"
        return ingest(world, text, f"{title}.md")

    old, new = rule(2019), rule(2023)
    assert world.catalog.documents.superseded([world.kb]) == {old.id: new.id}
    world.pipeline.set_hidden([new.id], True)
    assert world.catalog.documents.superseded([world.kb]) == {}
    world.pipeline.set_hidden([new.id], False)
    assert world.catalog.documents.superseded([world.kb]) == {old.id: new.id}
    world.pipeline.delete_document(new.id)
    assert world.catalog.documents.superseded([world.kb]) == {}


def test_what_a_source_knows_is_kept(world: World) -> None:
    stated = {"source": "https://example.org/a", "title": "来源的标题"}
    source = world.catalog.sources.create(world.kb, "web", "网站", {}).id
    info = ingest(world, "没有标题的内容。", "a.txt", source_id=source, stated=stated)
    assert (info.source_id, info.metadata.source) == (source, "https://example.org/a")
    moved = world.pipeline.ingest(
        world.file("a.txt", "没有标题的内容。"), world.kb, "改了名.txt", document_id=info.id
    )
    assert moved.document_id == info.id
    info = world.catalog.documents.get(info.id)
    assert (info.name, info.metadata.source) == ("改了名.txt", "https://example.org/a")
    again = ingest(world, "后来的内容。", "又改名.txt", document_id=info.id)
    assert (again.id, again.version, again.metadata.source) == (
        info.id, 2, "https://example.org/a",
    )  # fmt: skip
    assert [c.document_name for c in chunks_of(world, info)] == ["又改名.txt"]


def test_failures_of_changes_leave_the_content_as_it_was(world: World) -> None:
    info = ingest(world, RULES)
    before = chunks_of(world, info)
    set_options(world, info, edits=with_text(before, (), before[1].id, "第二条 改写。"))
    world.embedder.error = ModelUnavailable("模型没有响应。", "请稍后重试。")
    for change in (world.pipeline.recut, world.pipeline.reprocess):
        with pytest.raises(ModelUnavailable):
            change(info.id)
    assert chunks_of(world, info) == before
    assert world.is_consistent()
    assert world.catalog.documents.get(info.id).status == "indexed"


def test_there_must_be_something_to_change(world: World) -> None:
    result = world.pipeline.ingest(world.file("空.txt", "  "), world.kb, "空.txt")
    assert result.document_id
    with pytest.raises(InvalidInput, match="还没有收录"):
        world.pipeline.recut(result.document_id)
    info = ingest(world, RULES)
    world.files.remove(info.sha256)
    with pytest.raises(NotFound, match="原文件"):
        world.pipeline.reprocess(info.id)
    with pytest.raises(NotFound):
        world.pipeline.reprocess("没有")


def test_many_documents_are_hidden_and_shown_in_batches(world: World, monkeypatch: Any) -> None:
    monkeypatch.setattr("rag.ingest.revise.AT_ONCE", 2)
    infos = [ingest(world, f"第{n}号文件的内容。", f"{n}.md") for n in range(5)]
    other = ingest(world, "别的文件。", "别.md")
    ids = [info.id for info in infos]
    count, shares = embedded(world), []
    world.pipeline.set_hidden([*ids, "unknown"], True, shares.append)
    assert shares == [2 / 5, 4 / 5, 1.0]
    assert world.vectors.chunk_ids(world.kb) == {c.id for c in chunks_of(world, other)}
    assert world.is_consistent() and world.catalog.lexical.is_right()

    def stop(share: float) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        world.pipeline.set_hidden(ids, False, stop)
    hidden = [i for i in world.catalog.documents.get_many(ids) if i.hidden]
    assert len(hidden) == 3, "the first batch is done, the others are not"
    assert world.is_consistent()
    world.pipeline.set_hidden(ids, False)
    assert not any(i.hidden for i in world.catalog.documents.get_many(ids))
    assert world.is_consistent() and world.catalog.lexical.is_right()
    assert embedded(world) == count


def test_a_cut_that_changes_little_cuts_few_texts_into_words(
    world: World, monkeypatch: Any
) -> None:
    from rag.ingest import index
    from rag.ingest.embed import token_lists

    info = ingest(world, RULES)
    cut: list[int] = []

    def counted(chunks: Any) -> Any:
        cut.append(len(chunks))
        return token_lists(chunks)

    monkeypatch.setattr(index, "token_lists", counted)
    chunks = chunks_of(world, info)
    set_options(world, info, edits=with_text(chunks, (), chunks[-1].id, "第九条 改过了。"))
    world.pipeline.recut(info.id)
    assert cut == [1]
    assert world.is_consistent() and world.catalog.lexical.is_right()


def test_a_moved_file_gets_its_new_source_without_embedding(world: World) -> None:
    info = ingest(world, RULES, "甲.md", stated={"source": "制度/甲.md"})
    count, ids = embedded(world), {c.id for c in chunks_of(world, info)}
    moved = {"stated": {"source": "制度/旧/甲.md"}, "document_id": info.id}
    assert ingest(world, RULES, "旧甲.md", **moved).id == info.id
    now = world.catalog.documents.get(info.id)
    assert (now.name, now.metadata.source) == ("旧甲.md", "制度/旧/甲.md")
    assert {c.metadata.source for c in chunks_of(world, now)} == {"制度/旧/甲.md"}
    assert (embedded(world), {c.id for c in chunks_of(world, now)}) == (count, ids)
    set_options(world, info, metadata={"source": "档案室"})
    assert ingest(world, RULES, "丙.md", **{**moved, "stated": {"source": "制度/丙.md"}})
    assert world.catalog.documents.get(info.id).metadata.source == "档案室"
