"""What editors do to documents, over a real catalog, vector store, queue and parser."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path

import pytest
from ingest.ingest_world import BigramEmbedder, World, close_world, open_world

from rag.access.audit import Audit
from rag.curation import ONE_BY_ONE, Curation
from rag.errors import InvalidInput, ModelUnavailable, NotAllowed, NotFound
from rag.types import (
    DocumentInfo,
    DocumentOptions,
    JobInfo,
    PageDecision,
    Person,
    Quality,
)

GUEST = Person(id="guest-1")
MEMBER = Person(id="u1", name="成员", role="member")
EDITOR = Person(id="u2", name="编辑", role="editor")
ADMIN = Person(id="u3", name="管理", role="admin")

CLAUSES = {
    "第一条": "职工累计工作满一年不满十年的，年休假为五天，由各部门在年初统一安排。",
    "第二条": "职工累计工作满十年不满二十年的，年休假为十天，可以分两次休完。",
    "第三条": "病假需要提供二级以上医院的证明，三天以内由部门负责人批准。",
    "第四条": "婚假为三天，符合晚婚规定的另外增加，须在登记之日起一年内休完。",
}
RULES = "职工休假办法\n\n" + "\n\n".join(f"{n}　{text}" for n, text in CLAUSES.items())


class Desk:
    """A curation over one installation, and a document on it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.audit = Audit(world.catalog)
        settings = world.settings
        self.curation = Curation(
            world.catalog, world.pipeline, world.jobs, world.files, self.audit, lambda: settings
        )
        self.info = self.add("休假办法.txt", RULES)

    def add(self, name: str, text: str) -> DocumentInfo:
        result = self.world.pipeline.ingest(self.world.file(name, text), self.world.kb, name)
        assert result.document_id is not None, result.error
        return self.world.catalog.documents.get(result.document_id)

    @property
    def chunks(self):
        return self.world.catalog.chunks.of_document(self.info.id)

    def chunk(self, words: str):
        return next(chunk for chunk in self.chunks if words in chunk.text)

    def done(self, job: JobInfo) -> JobInfo:
        self.world.jobs.start()
        (over,) = self.world.jobs.wait([job.id], 60)
        assert over.status == "done", over.error
        return over

    def acts(self) -> list[str]:
        return [entry.action for entry in self.audit.entries()]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    world = open_world(tmp_path / "data", BigramEmbedder())
    ingest = world.settings.ingest.model_copy(
        update={"chunk_tokens": 50, "chunk_overlap": 0.0, "chunk_strategy": "structural"}
    )
    object.__setattr__(world.settings, "ingest", ingest)
    desk = Desk(world)
    assert len(desk.chunks) >= 4
    yield desk
    assert world.is_consistent()
    assert world.catalog.lexical.is_right()
    close_world(world)


# --- Chunks ---------------------------------------------------------------------------


def test_an_edited_chunk_is_found_by_its_new_words_and_nothing_else_is_embedded(desk: Desk):
    chunk, others = desk.chunk("病假"), {c.id for c in desk.chunks}
    before = sum(desk.world.embedder.batches)
    info = desk.curation.edit_chunk(EDITOR, chunk.id, "病假要有三甲医院的证明。")
    assert sum(desk.world.embedder.batches) == before + 1
    changed = desk.chunk("三甲医院")
    assert changed.edited
    assert "二级以上" not in "".join(c.text for c in desk.chunks)
    assert {c.id for c in desk.chunks} - {changed.id} == others - {chunk.id}
    assert info.version == desk.info.version
    (edit,) = desk.curation.options(EDITOR, info.id).edits
    assert (edit.by, edit.results[0].text) == ("编辑", "病假要有三甲医院的证明。")
    assert desk.acts()[0] == "chunk.edit"
    desk.curation.reset_chunk(EDITOR, changed.id)
    assert desk.chunk("二级以上").id == chunk.id
    assert desk.curation.options(EDITOR, info.id).edits == ()


def test_chunks_are_split_merged_and_switched_off(desk: Desk):
    count = len(desk.chunks)
    chunk = desk.chunk("病假")
    desk.curation.split_chunk(EDITOR, chunk.id, [chunk.text.index("三天以内")])
    assert len(desk.chunks) == count + 1
    second = desk.chunk("三天以内")
    assert second.text.startswith("三天以内")
    first = desk.chunks[second.ordinal - 1]
    desk.curation.merge_chunks(EDITOR, [first.id, second.id])
    assert len(desk.chunks) == count
    off = desk.chunk("婚假")
    desk.curation.switch_chunk(EDITOR, off.id, False)
    assert desk.world.catalog.chunks.get([off.id]) == {}
    assert not desk.chunk("婚假").enabled
    desk.curation.switch_chunk(EDITOR, desk.chunk("婚假").id, True)
    assert off.id in desk.world.catalog.chunks.get([off.id])
    assert desk.acts()[:4] == ["chunk.switch_on", "chunk.switch_off", "chunk.merge", "chunk.split"]


def test_edits_survive_reading_the_file_again(desk: Desk):
    desk.curation.edit_chunk(EDITOR, desk.chunk("病假").id, "病假要有三甲医院的证明。")
    desk.done(
        desk.curation.reprocess(EDITOR, desk.info.id, desk.curation.options(EDITOR, desk.info.id))
    )
    assert desk.chunk("三甲医院").edited


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda c, d: c.edit_chunk(EDITOR, d.chunk("病假").id, "  "), InvalidInput),
        (lambda c, d: c.edit_chunk(EDITOR, "unknown", "文"), NotFound),
        (lambda c, d: c.split_chunk(EDITOR, d.chunk("病假").id, [0]), InvalidInput),
        (lambda c, d: c.merge_chunks(EDITOR, []), InvalidInput),
        (
            lambda c, d: c.merge_chunks(
                EDITOR,
                [
                    d.chunk("病假").id,
                    d.world.catalog.chunks.of_document(d.add("b.txt", "别的文档。").id)[0].id,
                ],
            ),
            InvalidInput,
        ),
    ],
)
def test_impossible_edits_change_nothing(desk: Desk, act: Callable, error: type):
    before = desk.chunks
    with pytest.raises(error):
        act(desk.curation, desk)
    assert desk.chunks == before
    assert desk.curation.options(EDITOR, desk.info.id) == DocumentOptions()


def test_an_edit_that_cannot_be_embedded_leaves_everything_as_it_was(desk: Desk):
    before = desk.chunks
    desk.world.embedder.error = ModelUnavailable("模型没有响应。")
    with pytest.raises(ModelUnavailable):
        desk.curation.edit_chunk(EDITOR, desk.chunk("病假").id, "新的文字。")
    assert desk.chunks == before
    assert desk.curation.options(EDITOR, desk.info.id) == DocumentOptions()
    assert "chunk.edit" not in desk.acts()


def test_a_document_at_work_is_not_edited(desk: Desk):
    jobs = desk.world.catalog.jobs
    job = jobs.create(desk.world.kb, desk.info.name, document_id=desk.info.id)
    jobs.update(job.id, status="running")
    with pytest.raises(InvalidInput, match="正在处理中"):
        desk.curation.edit_chunk(EDITOR, desk.chunk("病假").id, "新的文字。")


# --- Cutting, quality, metadata -------------------------------------------------------


def test_a_preview_changes_nothing_and_applying_it_cuts_alike(desk: Desk):
    before = desk.chunks
    preview = desk.curation.preview(EDITOR, desk.info.id, "fixed", 80, 0.0)
    assert preview.strategy == "fixed"
    assert preview.reason
    assert desk.chunks == before
    options = DocumentOptions(strategy="fixed", chunk_tokens=80, chunk_overlap=0.0)
    desk.done(desk.curation.reprocess(EDITOR, desk.info.id, options))
    assert [c.text for c in desk.chunks] == [c.text for c in preview.chunks]
    assert desk.world.catalog.documents.get(desk.info.id).strategy == "fixed"
    with pytest.raises(ValueError):
        desk.curation.preview(EDITOR, desk.info.id, "fixed", 5)


def test_a_decision_about_a_page_is_signed_and_carried_out(desk: Desk):
    decisions = [
        PageDecision(page=1, action="exclude"),
        PageDecision(page=1, action="correct", text="# 新办法\n\n年假一律七天，没有例外。"),
    ]
    desk.done(desk.curation.decide(EDITOR, desk.info.id, decisions))
    assert "年假一律七天" in "".join(c.text for c in desk.chunks)
    assert "婚假" not in desk.curation.text(MEMBER, desk.info.id)
    (kept,) = desk.curation.options(EDITOR, desk.info.id).decisions
    assert (kept.action, kept.by) == ("correct", "编辑")
    assert kept.at is not None
    desk.done(desk.curation.decide(EDITOR, desk.info.id, []))
    assert "婚假" in desk.curation.text(MEMBER, desk.info.id)


def test_a_decision_about_no_page_is_refused_and_an_old_one_kept(desk: Desk):
    missing = PageDecision(page=desk.info.page_count + 1, action="exclude")
    with pytest.raises(InvalidInput):
        desk.curation.decide(EDITOR, desk.info.id, [missing])
    assert desk.curation.options(EDITOR, desk.info.id) == DocumentOptions()
    # Of a longer version of the document, which may come back.
    old = missing.model_copy(update={"at": datetime(2024, 5, 1), "by": "编辑"})
    desk.done(desk.curation.decide(EDITOR, desk.info.id, [old]))
    assert len(desk.curation.options(EDITOR, desk.info.id).decisions) == 1


@pytest.mark.parametrize("field", ["title", "author", "summary", "document_type", "keywords"])
def test_what_no_store_can_hold_is_left_out_of_what_was_typed(desk: Desk, field: str):
    info = desk.curation.edit_metadata(EDITOR, desk.info.id, {field: "甲\x00乙\ud800丙"})
    found = getattr(info.metadata, field)
    assert found in ("甲乙�丙", ("甲乙�丙",))
    chunk = desk.chunk("病假")
    desk.curation.edit_chunk(EDITOR, chunk.id, "病假\x00另行\ud800规定。")
    assert desk.chunk("病假").text == "病假另行�规定。"
    with pytest.raises(InvalidInput):
        desk.curation.edit_chunk(EDITOR, desk.chunk("病假").id, "\x00")
    wrong = PageDecision.model_construct(page=1, action="correct", text="改\ud800过的年假规定。")
    desk.done(desk.curation.decide(EDITOR, desk.info.id, [wrong]))


@pytest.mark.parametrize("blank", [{"action": "exclude"}, {"action": "correct", "text": " \n"}])
def test_decisions_that_leave_no_text_are_refused_before_they_are_kept(desk: Desk, blank: dict):
    jobs = len(desk.world.catalog.jobs.list())
    nothing = [PageDecision(page=1, **blank)]
    with pytest.raises(InvalidInput, match="没有任何内容"):
        desk.curation.decide(EDITOR, desk.info.id, nothing)
    with pytest.raises(InvalidInput, match="没有任何内容"):
        options = DocumentOptions(decisions=tuple(nothing))
        desk.curation.reprocess(EDITOR, desk.info.id, options)
    assert desk.curation.options(EDITOR, desk.info.id).decisions == ()
    assert len(desk.world.catalog.jobs.list()) == jobs


def test_one_page_with_text_is_enough(desk: Desk):
    from rag.page_decisions import require_text_left
    from rag.types import Block, Page

    text = (Block(kind="paragraph", text="内容。"),)
    pages = [Page(number=1, blocks=text), Page(number=2), Page(number=3, flags=("excluded",))]
    out = [PageDecision(page=n, action="exclude") for n in (1, 2, 3)]
    require_text_left(desk.info, pages, out[1:])
    require_text_left(desk.info, pages, out[:2])
    again = PageDecision(page=2, action="reparse", route="scanned")
    require_text_left(desk.info, pages, [out[0], again, out[2]])
    for refused in (out, [out[0], out[2]]):
        with pytest.raises(InvalidInput):
            require_text_left(desk.info, pages, refused)


def test_accepting_lets_a_document_out_of_quarantine(desk: Desk):
    catalog, info = desk.world.catalog, desk.info
    document = catalog.documents.get(info.id)
    with catalog.database.write() as connection:
        connection.exec_driver_sql(
            "UPDATE documents SET quality = ?",
            (Quality(status="quarantined").model_dump_json(),),
        )
    catalog.documents.set_status(info.id, "quarantined")
    desk.world.vectors.delete_document(info.id, info.kb_id)
    assert catalog.chunks.searchable_ids(document.kb_id) == set()
    desk.done(desk.curation.accept(EDITOR, info.id))
    assert catalog.documents.get(info.id).status == "indexed"
    assert catalog.chunks.searchable_ids(document.kb_id)
    assert desk.curation.options(EDITOR, info.id).accepted


def test_corrected_metadata_reaches_chunks_and_can_be_taken_back(desk: Desk):
    found = desk.info.metadata
    info = desk.curation.edit_metadata(
        EDITOR,
        desk.info.id,
        {"region": "浙江杭州", "publish_date": "2024年5月1日", "title": "新题"},
    )
    assert (info.metadata.region, info.metadata.publish_date) == ("浙江/杭州", date(2024, 5, 1))
    assert (info.title, desk.chunks[0].metadata.region) == ("新题", "浙江/杭州")
    info = desk.curation.edit_metadata(EDITOR, desk.info.id, {"region": "", "title": None})
    assert info.metadata.region is None
    assert info.metadata.title == found.title
    assert info.metadata.publish_date == date(2024, 5, 1)
    with pytest.raises(InvalidInput):
        desk.curation.edit_metadata(EDITOR, desk.info.id, {"year": "去年"})
    with pytest.raises(InvalidInput):
        desk.curation.edit_metadata(EDITOR, desk.info.id, {"quality": "1"})
    assert desk.world.catalog.documents.get(desk.info.id).metadata == info.metadata


# --- Versions, hiding, removing -------------------------------------------------------


def test_an_earlier_version_is_restored(desk: Desk):
    desk.add("休假办法.txt", RULES.replace("五天", "六天"))
    versions = desk.curation.versions(MEMBER, desk.info.id)
    assert [(v.version, v.kept) for v in versions] == [(2, True), (1, True)]
    assert desk.chunk("六天")
    desk.done(desk.curation.restore(EDITOR, desk.info.id, 1))
    assert desk.chunk("五天")
    with pytest.raises(NotFound):
        desk.curation.restore(EDITOR, desk.info.id, 9)
    desk.world.files.remove(versions[0].sha256)
    kept = {v.sha256: v.kept for v in desk.curation.versions(MEMBER, desk.info.id)}
    assert kept[versions[0].sha256] is False


def test_documents_are_selected_hidden_shown_and_removed(desk: Desk):
    old = desk.add("旧通知.txt", "关于放假的通知\n\n本通知有效期至2020年12月31日。元旦放假一天。")
    desk.curation.edit_metadata(EDITOR, old.id, {"expiry_date": "2020-12-31"})
    found = desk.curation.select(MEMBER, desk.world.kb, expired_before=date(2021, 1, 1))
    assert [info.id for info in found] == [old.id]
    batches = len(desk.world.embedder.batches)
    assert desk.curation.hide(EDITOR, [old.id, old.id, "gone"], True) == 1
    assert desk.world.catalog.documents.get(old.id).hidden
    assert desk.world.is_consistent()
    assert desk.curation.hide(EDITOR, [old.id], True) == 0
    assert desk.curation.hide(EDITOR, [old.id], False) == 1
    assert len(desk.world.embedder.batches) == batches
    assert desk.curation.remove(EDITOR, [old.id, desk.info.id, "gone"]) == 2
    assert desk.world.catalog.documents.list(desk.world.kb) == []
    assert list(desk.world.files.hashes()) == []
    assert desk.acts()[:4] == [
        "document.delete",
        "document.delete",
        "document.show",
        "document.hide",
    ]


def test_many_documents_are_removed_at_once_with_their_vectors_and_files(desk: Desk):
    world = desk.world
    infos = [desk.add(f"{n}.txt", f"第{n}号通知，今年放假{n}天。") for n in range(ONE_BY_ONE + 2)]
    desk.add("0.txt", "第0号通知，今年放假三十天。")
    world.catalog.documents.set_superseded(world.kb, {desk.info.id: infos[0].id})
    assert desk.curation.remove(EDITOR, [*(info.id for info in infos), "gone"]) == len(infos)
    assert [info.id for info in world.catalog.documents.list(world.kb)] == [desk.info.id]
    assert world.catalog.documents.superseded([world.kb]) == {}
    assert list(world.files.hashes()) == [desk.info.sha256]
    assert desk.acts() == ["document.delete"] * len(infos)


def test_what_waits_for_a_document_goes_with_it(desk: Desk):
    other = desk.add("其他办法.txt", "其他事项由各部门自行规定，报人事部备案。")
    mine = desk.curation.reprocess(EDITOR, desk.info.id, DocumentOptions(strategy="fixed"))
    theirs = desk.curation.reprocess(EDITOR, other.id, DocumentOptions(strategy="fixed"))
    assert desk.curation.remove(EDITOR, [desk.info.id]) == 1
    jobs = desk.world.catalog.jobs
    assert (jobs.get(mine.id).status, jobs.get(theirs.id).status) == ("cancelled", "queued")
    desk.done(theirs)
    assert desk.curation.failed_jobs(EDITOR) == []


# --- Looking at documents -------------------------------------------------------------


def test_the_text_is_markdown(desk: Desk):
    assert "年休假为五天" in desk.curation.text(MEMBER, desk.info.id)


def picture(**options) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (400, 200), "white")
    ImageDraw.Draw(image).rectangle((100, 100, 140, 120), fill="black")
    stream = io.BytesIO()
    image.save(stream, "PNG", **options)
    return stream.getvalue()


def test_pages_of_pictures_and_pdfs_are_drawn_with_their_boxes(desk: Desk, tmp_path: Path):
    import pymupdf
    from PIL import Image

    from rag.types import Document, Page

    catalog = desk.world.catalog
    pdf = pymupdf.open()
    pdf.new_page(width=300, height=200)
    for name, data, media_type in (
        ("a.png", picture(dpi=(144, 144)), "image/png"),
        ("a.pdf", pdf.tobytes(), "application/pdf"),
    ):
        stored = desk.world.files.put(io.BytesIO(data), name)
        info = catalog.documents.create(desk.world.kb, name, stored.sha256, 1, media_type)
        page = Page(number=1, width=200.0, height=100.0)
        parsed = Document(name=name, media_type=media_type, sha256=stored.sha256, pages=(page,))
        catalog.documents.publish(info.id, 1, parsed, [])
        drawn = Image.open(
            io.BytesIO(desk.curation.page_image(MEMBER, info.id, 1, [(50, 50, 70, 60)]))
        ).convert("RGB")
        at = drawn.width / (200 if media_type == "image/png" else 300)
        red, _, blue = drawn.getpixel((int(50 * at), int(59.5 * at) + 2))
        assert red > blue or media_type == "image/png"
        red, green, blue = drawn.getpixel((int(49 * at), int(49 * at)))
        assert red > 240 and green > 220 and blue < 220
        with pytest.raises(NotFound):
            desk.curation.page_image(MEMBER, info.id, 2)
    with pytest.raises(InvalidInput, match="没有页面图像"):
        desk.curation.page_image(MEMBER, desk.info.id, 1)


def test_a_turned_photo_is_shown_upright(tmp_path: Path):
    from PIL import Image

    from rag.ingest.page_image import draw_picture
    from rag.types import Page

    path = tmp_path / "a.png"
    path.write_bytes(picture())
    page = Page(number=1, width=400.0, height=200.0, rotation=90)
    drawn = Image.open(io.BytesIO(draw_picture(path, 1, [(0, 0, 100, 50)], page)))
    assert drawn.size == (200, 400)
    red, _, blue = drawn.convert("RGB").getpixel((10, 390))
    assert red > blue + 30


# --- Jobs -----------------------------------------------------------------------------


def test_jobs_that_failed_are_listed_retried_and_dismissed(desk: Desk):
    jobs, catalog = desk.world.jobs, desk.world.catalog
    empty = desk.world.file("空.txt", " ")
    job = jobs.submit(empty, desk.world.kb, "空.txt")
    jobs.start()
    assert jobs.wait([job.id], 60)[0].status == "failed"
    work = catalog.jobs.create("", "重建索引", payload={"work": True})
    catalog.jobs.update(work.id, status="failed", error="停了。")
    assert [j.id for j in desk.curation.failed_jobs(MEMBER)] == [job.id]
    assert desk.curation.failed_jobs(ADMIN)[0].id == work.id
    assert desk.curation.failed_jobs(MEMBER)[0].error
    assert [j.id for j in desk.curation.retry_all(ADMIN)] == [job.id]
    assert jobs.wait([job.id], 60)[0].status == "failed"
    assert desk.curation.dismiss_all(EDITOR) == 1
    assert desk.curation.dismiss_all(ADMIN) == 1
    assert desk.curation.failed_jobs(ADMIN) == []
    assert desk.acts()[:3] == ["job.dismiss", "job.dismiss", "job.retry"]


# --- Rights ---------------------------------------------------------------------------

CHANGES: list[Callable[[Curation, Desk, Person], object]] = [
    lambda c, d, p: c.reprocess(p, d.info.id, DocumentOptions()),
    lambda c, d, p: c.preview(p, d.info.id, "fixed"),
    lambda c, d, p: c.decide(p, d.info.id, []),
    lambda c, d, p: c.accept(p, d.info.id),
    lambda c, d, p: c.edit_chunk(p, d.chunks[0].id, "文"),
    lambda c, d, p: c.split_chunk(p, d.chunks[0].id, [2]),
    lambda c, d, p: c.merge_chunks(p, [chunk.id for chunk in d.chunks[:2]]),
    lambda c, d, p: c.switch_chunk(p, d.chunks[0].id, False),
    lambda c, d, p: c.reset_chunk(p, d.chunks[0].id),
    lambda c, d, p: c.edit_metadata(p, d.info.id, {"title": "题"}),
    lambda c, d, p: c.restore(p, d.info.id, 1),
    lambda c, d, p: c.hide(p, [d.info.id], True),
    lambda c, d, p: c.remove(p, [d.info.id]),
]
LOOKS: list[Callable[[Curation, Desk, Person], object]] = [
    lambda c, d, p: c.options(p, d.info.id),
    lambda c, d, p: c.versions(p, d.info.id),
    lambda c, d, p: c.select(p, d.world.kb),
    lambda c, d, p: c.text(p, d.info.id),
]


def test_only_those_who_may_change_and_see(desk: Desk):
    before = desk.chunks
    desk.world.catalog.knowledge_bases.describe(desk.world.kb, public=False)
    for act in CHANGES:
        with pytest.raises(NotAllowed):
            act(desk.curation, desk, MEMBER)
    assert desk.acts() == ["refused.edit"] * len(CHANGES)
    for act in LOOKS:
        act(desk.curation, desk, MEMBER)
        with pytest.raises(NotAllowed):
            act(desk.curation, desk, GUEST)
    with pytest.raises(NotAllowed):
        desk.curation.page_image(GUEST, desk.info.id, 1)
    assert desk.acts()[0] == "refused.read"
    assert desk.curation.failed_jobs(GUEST) == []
    assert desk.curation.retry_all(MEMBER) == []
    assert desk.curation.dismiss_all(MEMBER) == 0
    assert desk.chunks == before
    assert desk.world.catalog.jobs.list() == []


def test_one_document_that_may_not_be_changed_stops_the_whole_removal(desk: Desk):
    other = desk.world.catalog.knowledge_bases.create("内部", public=False)
    hidden = desk.world.catalog.documents.create(other.id, "b.txt", "b" * 64, 1, "text/plain")
    with pytest.raises(NotAllowed):
        desk.curation.remove(GUEST, [desk.info.id, hidden.id])
    assert desk.world.catalog.documents.get(desk.info.id)
