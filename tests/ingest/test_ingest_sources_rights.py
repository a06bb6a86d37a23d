"""Who may follow what, and what is written down about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from ingest_world import World
from source_world import ADMIN, EDITOR, Followed, write

from rag.errors import InvalidInput, NotAllowed, NotFound
from rag.types import Person

GUEST = Person(id="g1")
MEMBER = Person(id="m1", name="成员", role="member")
PAGE = {"address": "https://example.com/"}
QUERY = {"url": "mysql+pymysql://u@db/x", "query": "select 1"}


@pytest.fixture
def followed(world: World, tmp_path: Path) -> Followed:
    world.jobs.start()
    return Followed(world, folder_roots=(str(tmp_path),))


@pytest.mark.parametrize(
    ("person", "kinds"),
    [(ADMIN, {"folder", "web", "sql"}), (EDITOR, {"web"}), (MEMBER, set()), (GUEST, set())],
)
def test_kinds_by_role(followed: Followed, tmp_path: Path, person: Person, kinds: set) -> None:
    configs = {"folder": {"path": str(tmp_path)}, "web": PAGE, "sql": QUERY}
    made = set()
    for kind, config in configs.items():
        try:
            followed.sources.create(person, followed.world.kb, kind, "来源", config)  # type: ignore[arg-type]
            made.add(kind)
        except NotAllowed:
            continue
    assert made == kinds
    assert {source.kind for source in followed.sources.list(person)} == kinds
    refused = [e for e in followed.world.catalog.audit.list() if e.action == "refused.source"]
    assert len(refused) == 3 - len(kinds)


def test_every_call_asks(followed: Followed) -> None:
    source = followed.follow("sql", **QUERY)
    calls = [
        lambda who: followed.sources.items(who, source.id),
        lambda who: followed.sources.last_report(who, source.id),
        lambda who: followed.sources.update(who, source.id, name="别的"),
        lambda who: followed.sources.run_now(who, source.id),
        lambda who: followed.sources.delete(who, source.id),
    ]
    for call in calls:
        for person in (EDITOR, MEMBER, GUEST):
            with pytest.raises(NotAllowed):
                call(person)
    assert followed.sources.list(EDITOR) == []
    assert followed.sources.list(ADMIN)[0].name == "来源"


def test_what_is_done_is_written_down(followed: Followed) -> None:
    source = followed.follow("web", name="  某\n网站 ", **PAGE)
    assert source.name == "某 网站"
    changed = followed.sources.update(EDITOR, source.id, name="新名", every_s=1, enabled=False)
    assert (changed.name, changed.every_s, changed.enabled) == ("新名", 60.0, False)
    followed.sources.run_now(EDITOR, source.id)
    followed.sources.delete(EDITOR, source.id)
    acts = [(entry.person_id, entry.action) for entry in followed.world.catalog.audit.list()]
    assert acts[::-1] == [
        (ADMIN.id, "source.create"),
        (EDITOR.id, "source.update"),
        (EDITOR.id, "source.run"),
        (EDITOR.id, "source.delete"),
    ]


@pytest.mark.parametrize(("fate", "states"), [("keep", [False]), ("hide", [True]), ("remove", [])])
def test_deleting_a_source(
    followed: Followed, tmp_path: Path, fate: str, states: list[bool]
) -> None:
    write(tmp_path / "folder" / "a.txt", "年假五天。")
    source = followed.follow("folder", path=str(tmp_path / "folder"))
    followed.sync(source)
    count = followed.sources.delete(ADMIN, source.id, documents=fate)  # type: ignore[arg-type]
    assert count == (0 if fate == "keep" else 1)
    infos = list(followed.documents().values())
    assert [info.hidden for info in infos] == states
    assert all(info.source_id is None for info in infos)
    assert followed.world.is_consistent()
    with pytest.raises(NotFound):
        followed.sources.sync(source.id)


@pytest.mark.parametrize(
    ("fate", "names"), [("keep", {"a.txt"}), ("hide", set()), ("remove", set())]
)
def test_what_still_waits_comes_in_only_where_documents_are_kept(
    followed: Followed, tmp_path: Path, fate: str, names: set[str]
) -> None:
    jobs = followed.world.jobs
    jobs.stop()
    write(tmp_path / "folder" / "a.txt", "年假五天。")
    source = followed.follow("folder", path=str(tmp_path / "folder"))
    assert followed.sources.sync(source.id).added == 1
    followed.sources.delete(ADMIN, source.id, documents=fate)  # type: ignore[arg-type]
    jobs.start()
    jobs.wait([job.id for job in followed.world.catalog.jobs.list()], 120)
    assert set(followed.documents()) == names
    assert followed.world.catalog.jobs.failed({followed.world.kb}) == []


def test_what_cannot_be_made(followed: Followed) -> None:
    with pytest.raises(NotFound):
        followed.sources.create(ADMIN, "没有", "web", "来源", PAGE)
    with pytest.raises(InvalidInput):
        followed.sources.create(ADMIN, followed.world.kb, "web", " \n", PAGE)
    with pytest.raises(InvalidInput):
        followed.sources.create(ADMIN, followed.world.kb, "ftp", "来源", PAGE)  # type: ignore[arg-type]
    assert followed.sources.list(ADMIN) == []


def test_a_disabled_source_is_left_alone(followed: Followed, tmp_path: Path) -> None:
    source = followed.follow("folder", path=str(tmp_path))
    followed.sources.update(ADMIN, source.id, enabled=False)
    due = followed.world.catalog.sources.due
    from datetime import UTC, datetime

    assert due(datetime(2100, 1, 1, tzinfo=UTC)) == []
