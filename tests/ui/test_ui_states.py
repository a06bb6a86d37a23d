"""States of documents and jobs: the same word for the same thing, and no two that disagree."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from page_reading import buttons, press, text_of

from rag.types import DocumentInfo, JobInfo, Quality
from ui.documents import states
from ui.texts import text_in

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def document(**values) -> DocumentInfo:
    base = {"id": "d", "kb_id": "k", "name": "甲.pdf", "status": "indexed"}
    return DocumentInfo.model_validate(base | {"created_at": NOW, "updated_at": NOW} | values)


def job(**values) -> JobInfo:
    base = {"id": "j", "kb_id": "k", "document_id": "d", "name": "甲.pdf", "status": "done"}
    return JobInfo.model_validate(base | {"created_at": NOW, "updated_at": NOW} | values)


@pytest.mark.parametrize(
    ("of_job", "of_document", "shown"),
    [
        ("failed", "needs_password", "needs_password"),
        ("failed", "failed", "failed"),
        ("done", "quarantined", "quarantined"),
        ("done", "indexed", "done"),
        ("cancelled", "quarantined", "cancelled"),
        ("running", "needs_password", "running"),
    ],
)
def test_a_job_is_called_what_its_document_is(of_job, of_document, shown):
    assert states.job_state(job(status=of_job), document(status=of_document)) == shown


def test_a_job_without_a_document_has_its_own_word():
    assert states.job_state(job(status="failed"), None) == "failed"


@pytest.mark.parametrize(
    ("values", "new_version", "words"),
    [
        ({}, False, ["可提问"]),
        ({"hidden": True}, False, ["已隐藏"]),
        ({"hidden": True, "status": "failed"}, False, ["未成功", "已隐藏"]),
        ({"quality": Quality(status="warnings")}, False, ["可提问", "有提示"]),
        ({"status": "quarantined", "new_version_of": "e"}, False, ["待处理", "新版本待确认"]),
        ({}, True, ["可提问", "新版本待确认"]),
    ],
)
def test_tags_never_disagree(monkeypatch, values, new_version, words):
    monkeypatch.setattr(states, "t", lambda key: text_in("zh", key))
    shown = states.document_tags(document(**values), new_version)
    assert re.findall(r">([^<]+)</span>", shown) == words


def test_an_accepted_document_is_not_called_unused(monkeypatch):
    monkeypatch.setattr(states, "t", lambda key: text_in("zh", key))
    accepted = document(quality=Quality(status="quarantined"))
    assert "已由编辑收录" in states.verdict_on(accepted)
    waiting = document(status="quarantined", quality=Quality(status="quarantined"))
    assert "暂不用于回答" in states.verdict_on(waiting)


@pytest.fixture
def base(application):
    return application.add("制度", {"甲.txt": "甲的一段。", "乙.txt": "乙的一段。"})


def test_a_locked_file_needs_its_password_everywhere(visit, application, base):
    found = application.catalog.documents.list([base])[0]
    application.catalog.documents.set_status(found.id, "needs_password")
    locked = application.catalog.jobs.create(kb_id=base, name=found.name, document_id=found.id)
    application.catalog.jobs.update(locked.id, status="failed", error="文件有密码保护。")
    at = visit("documents")
    assert text_of(at).count("需要密码") == 2
    assert "未成功" not in text_of(at).replace("未成功任务", "")
    at.button_group(key="documents-view").set_value("failed").run()
    assert text_of(at).count("需要密码") == 2
    assert not any(label.startswith("全部重试") for label in buttons(at))


def test_a_note_goes_once_its_document_was_dealt_with(visit, application, base):
    found = application.catalog.documents.list([base])[0]
    noted = application.catalog.jobs.create(kb_id=base, name=found.name, document_id=found.id)
    application.catalog.jobs.update(noted.id, status="done", error="已隔离。")
    assert "已隔离" in text_of(visit("documents"))
    again = application.catalog.jobs.create(kb_id=base, name=found.name, document_id=found.id)
    application.catalog.jobs.update(again.id, status="done")
    assert "已隔离" not in text_of(visit("documents"))


def test_many_cancelled_jobs_are_shown_on_demand_and_cleared_at_once(visit, application, base):
    for number in range(6):
        made = application.catalog.jobs.create(kb_id=base, name=f"丙{number}.txt")
        application.catalog.jobs.update(made.id, status="cancelled")
    at = visit("documents")
    assert text_of(at).count("已取消") == 3
    press(at, "显示其余 3 个").run()
    assert text_of(at).count("已取消") == 6
    press(at, "全部知道了（6）").run()
    assert application.catalog.jobs.list() == []


def test_urgent_ends_come_before_cancelled_ones(visit, application, base):
    for name, status in (("坏掉.txt", "failed"), ("作罢.txt", "cancelled")):
        made = application.catalog.jobs.create(kb_id=base, name=name)
        application.catalog.jobs.update(made.id, status=status)
    text = text_of(visit("documents"))
    assert text.index("坏掉.txt") < text.index("作罢.txt")
