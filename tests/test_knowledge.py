"""Who sees and changes knowledge bases."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.application import Application
from rag.errors import NotAllowed, TooLarge
from rag.types import Person

GUEST = Person(id="guest-1")
MEMBER = Person(id="u1", name="成员", role="member")
EDITOR = Person(id="u2", name="编辑", role="editor")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Application]:
    made = Application(tmp_path / "data")
    yield made
    made.close()


def test_guests_see_public_bases_only(app: Application) -> None:
    public = app.knowledge.create_base(EDITOR, "公开")
    private = app.knowledge.create_base(EDITOR, "内部")
    app.catalog.knowledge_bases.describe(private.id, public=False)
    assert [kb.id for kb in app.knowledge.bases(GUEST)] == [public.id]
    assert len(app.knowledge.bases(MEMBER)) == 2
    for act in (
        lambda: app.knowledge.documents(GUEST, private.id),
        lambda: app.knowledge.upload(GUEST, private.id, "a.txt", io.BytesIO(b"x")),
        lambda: app.knowledge.delete_base(GUEST, private.id),
    ):
        with pytest.raises(NotAllowed):
            act()
    refused = [entry.action for entry in app.audit.entries()]
    assert refused.count("refused.read") == 3


def test_a_conversation_loses_what_its_owner_may_no_longer_read(app: Application) -> None:
    kb = app.knowledge.create_base(EDITOR, "先公开后内部")
    made = app.conversations.create(GUEST, [kb.id])
    app.catalog.knowledge_bases.describe(kb.id, public=False)
    assert app.conversations._readable(GUEST, made.kb_ids) == []
    assert app.conversations._readable(MEMBER, made.kb_ids) == [kb.id]


def test_guests_see_nothing_where_they_have_to_sign_in(app: Application) -> None:
    kb = app.knowledge.create_base(EDITOR, "公开")
    app.settings.update("interface", {"guests": False})
    assert app.knowledge.bases(GUEST) == []
    with pytest.raises(NotAllowed):
        app.knowledge.documents(GUEST, kb.id)
    assert app.knowledge.documents(MEMBER, kb.id) == []


def test_a_file_beyond_the_limit_is_refused_before_it_is_stored(app: Application) -> None:
    kb = app.knowledge.create_base(EDITOR, "库")
    app.settings.update("ingest", {"max_file_mb": 1})
    with pytest.raises(TooLarge, match=r"1\.1 MB，超过上限 1 MB"):
        app.knowledge.upload(EDITOR, kb.id, "大.txt", io.BytesIO(b"a" * ((1 << 20) + 1)))
    assert app.knowledge.jobs(EDITOR) == []
    assert list(app.files.hashes()) == []
    job = app.knowledge.upload(EDITOR, kb.id, "小.txt", io.BytesIO(b"a" * (1 << 20)))
    assert job.name == "小.txt"


def test_jobs_are_cancelled_and_dismissed_by_those_who_may(app: Application) -> None:
    app.settings.update("interface", {"guest_uploads": False})
    kb = app.knowledge.create_base(EDITOR, "库")
    job = app.knowledge.upload(EDITOR, kb.id, "小.txt", io.BytesIO("年假五天".encode()))
    with pytest.raises(NotAllowed):
        app.knowledge.cancel(MEMBER, job.id)
    app.knowledge.cancel(EDITOR, job.id)
    assert app.catalog.jobs.get(job.id).status == "cancelled"
    whole = app.catalog.jobs.create("", "重建索引")
    with pytest.raises(NotAllowed):
        app.knowledge.dismiss(EDITOR, whole.id)
    app.knowledge.dismiss(EDITOR, job.id)
    assert app.knowledge.jobs(EDITOR) == []
    assert [entry.action for entry in app.audit.entries()][:3] == [
        "job.dismiss",
        "job.cancel",
        "refused.edit",
    ]
