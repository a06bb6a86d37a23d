"""The documents page: bases, upload, jobs, filter, chunks, deletion, rights."""

from __future__ import annotations

import re

import pytest
from page_reading import buttons, field, press, text_of

from rag.types import Told

HOSTILE_NAMES = ["`x` \"y\" 'z' ; --", "<b>粗</b>", "😀 :red[x] $a$", "a/../../b", "名" * 80]


@pytest.fixture
def base(application):
    return application.add(
        "人才政策", {"上海.txt": "第一段。\n第二段。", "北京.txt": "北京的一段。"}
    )


def upload(at, *files):
    at.file_uploader[0].set_value([(name, data, "text/plain") for name, data in files])
    return press(at, "上传").run()


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_base_can_be_created_under_any_name(visit, application, name):
    at = visit("documents")
    press(at, "新建").run()
    field(at.text_input, "名称").set_value(name)
    press(at, "新建知识库").run()
    assert not at.exception
    assert [kb.name for kb in application.catalog.knowledge_bases.list()] == [name]
    assert "这个知识库里还没有文档" in text_of(at.run())


def test_a_taken_name_is_refused_in_words(visit, base):
    at = visit("documents")
    press(at, "新建").run()
    field(at.text_input, "名称").set_value("人才政策")
    press(at, "新建知识库").run()
    assert "人才政策" in text_of(at)
    assert not at.exception


def test_a_base_can_be_renamed_and_deleted(visit, application, base):
    at = visit("documents")
    press(at, "改名").run()
    field(at.text_input, "名称").set_value("补贴政策")
    [b for b in at.button if b.label == "改名"][-1].click().run()
    assert application.catalog.knowledge_bases.get(base).name == "补贴政策"
    press(at.run(), "删除").run()
    assert "2 份文档" in text_of(at)
    press(at, "删除知识库“补贴政策”").run()
    assert application.catalog.knowledge_bases.list() == []


def test_uploaded_files_are_listed(visit, application, base):
    at = upload(visit("documents"), ("深圳.txt", "深圳的一段。".encode()))
    assert "深圳.txt" in [b.replace("\\", "") for b in buttons(at)]
    assert "文档 3 份" in text_of(at)


def test_uploading_nothing_says_so(visit, base):
    at = press(visit("documents"), "上传").run()
    assert "还没有选择文件" in text_of(at)


def test_a_failed_job_says_why_and_can_be_retried(visit, application, base):
    at = upload(visit("documents"), ("坏.txt", b"x"))
    assert "文件已损坏" in text_of(at)
    press(at, "重试").run()
    assert "文件已损坏" not in text_of(at)


def test_a_file_that_is_there_already_is_told(visit, application, base):
    at = upload(visit("documents"), ("同.txt", b"x"))
    assert "内容与已有文档相同" in text_of(at)
    assert "重试" not in buttons(at)
    press(at, "知道了").run()
    assert "内容与已有文档相同" not in text_of(at)


@pytest.mark.parametrize("name", ["`x` $a$ :smile: **粗**", "[a](b)"])
def test_the_upload_names_the_base_as_typed(visit, application, name):
    application.add(name, {})
    shown = visit("documents").file_uploader[0].label.replace("\u2060", "")
    assert re.sub(r"\\(.)", r"\1", shown) == f"上传到“{name}”"


def test_the_job_at_work_comes_first(visit, application, base):
    jobs = application.catalog.jobs
    first = jobs.create(kb_id=base, name="先.txt")
    jobs.create(kb_id=base, name="后.txt")
    jobs.update(first.id, status="running")
    text = text_of(visit("documents"))
    assert text.index("先.txt") < text.index("后.txt")


def test_the_address_names_the_chosen_base(visit, application, base):
    other = application.add("产品", {})
    at = visit("documents", b=other)
    assert at.selectbox[0].value == other


def test_flags_of_a_document_are_shown_in_words(visit, application, base):
    document = application.catalog.documents.list([base])[0]
    application.catalog.documents.set_status(document.id, "indexed", flags=["bad_lines:3"])
    at = visit("documents", d=document.id)
    at.segmented_control[0].set_value("metadata").run()
    assert "部分行不是有效记录，已跳过（3）" in text_of(at)


def test_documents_can_be_filtered(visit, base):
    at = visit("documents")
    field(at.text_input, "筛选").set_value("北京").run()
    assert "文档 1 份" in text_of(at)
    field(at.text_input, "筛选").set_value("没有的").run()
    assert "没有符合条件" in text_of(at)


def test_a_document_shows_its_chunks_and_text(visit, application, base):
    document = application.catalog.documents.find_by_name(base, "上海.txt")
    at = visit("documents")
    at.query_params["d"] = document.id
    at.run()
    assert "第一段。" in text_of(at)
    assert "第 2 块" in text_of(at)
    at.button_group(key="document-part").set_value("metadata").run()
    assert document.sha256 in text_of(at)
    assert not at.exception


def test_ticked_documents_are_deleted_after_confirmation(visit, application, base):
    at = visit("documents")
    for box in at.checkbox:
        box.check()
    at.run()
    press(at, "删除 2 份文档").run()
    assert "原文件" in text_of(at)
    [b for b in at.button if b.label == "删除 2 份文档"][-1].click().run()
    assert application.catalog.documents.list([base]) == []


def test_guests_without_the_right_only_read(visit, application, base):
    application.settings.update("interface", {"guest_uploads": False})
    at = visit("documents")
    assert "可以查看" in text_of(at)
    assert not at.file_uploader
    assert not {"新建", "改名", "删除"} & set(buttons(at))


def test_an_administrator_may_do_it_all(visit, application, base):
    application.settings.update("interface", {"guest_uploads": False})
    at = visit("documents", admin=True)
    assert {"新建", "改名", "删除", "上传"} <= set(buttons(at))


@pytest.mark.parametrize(("language", "says"), [("zh", "文件已损坏。"), ("en", "It is damaged.")])
def test_why_a_file_failed_is_told_in_the_language_of_the_page(
    visit, application, base, language, says
):
    error = Told("文件已损坏。", "It is damaged.")
    job = application.catalog.jobs.create(base, "a.pdf")
    application.catalog.jobs.update(job.id, status="failed", error=error)
    document = application.catalog.documents.create(base, "b.pdf", "c" * 64, 1, "application/pdf")
    application.catalog.documents.set_status(document.id, "failed", error)
    at = visit("documents")
    at.session_state["language"] = language
    assert text_of(at.run()).count(says) == 2
