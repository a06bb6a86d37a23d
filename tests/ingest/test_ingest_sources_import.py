"""A large folder comes in bit by bit, changes in it are noticed meanwhile, and people see both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ingest_world import World
from source_world import Followed, eventually, write

from rag.ingest.sources import sync_run
from rag.text.tokenise import tokenise
from rag.types import SearchFilter, Source

LIMIT_S = 60.0
"""Patience of the tests on a busy machine; on an idle one each step takes under ten seconds."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "shared" / "制度"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def followed(world: World, tmp_path: Path) -> Iterator[Followed]:
    made = Followed(world, folder_roots=(str(tmp_path / "shared"),))
    yield made
    made.sources.stop()


def source_of(followed: Followed, folder: Path, **config: object) -> Source:
    return followed.follow("folder", name="制度库", path=str(folder), **config)


def now(followed: Followed, source: Source) -> Source:
    return followed.world.catalog.sources.get(source.id)


def rules(folder: Path, count: int) -> None:
    for n in range(count):
        write(folder / f"{n}.txt", f"第{n}条规定。")


def test_no_more_is_queued_than_is_read(
    followed: Followed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_run, "MOST_WAITING", 3)
    rules(folder, 7)
    source = source_of(followed, folder)
    assert followed.sources.sync(source.id).added == 3
    assert followed.sources.sync(source.id).added == 0, "nothing of it is read yet"
    waiting = now(followed, source)
    assert (waiting.found_count, waiting.item_count, waiting.waiting_count) == (7, 3, 3)
    assert waiting.unfinished
    followed.world.jobs.start()
    reports = [followed.sync(source) for _ in range(4)]
    assert [report.get("added", 0) for report in reports] == [0, 3, 1, 0]
    done = now(followed, source)
    assert (done.found_count, done.item_count, done.waiting_count) == (7, 7, 0)
    assert not done.unfinished
    assert done.last_changes is not None and done.last_changes.added == 7
    assert set(followed.documents()) == {f"{n}.txt" for n in range(7)}


def test_changes_are_noticed_during_the_first_import(
    followed: Followed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_run, "MOST_WAITING", 3)
    followed.world.jobs.start()
    rules(folder, 9)
    source = source_of(followed, folder)
    followed.sync(source)
    before = followed.documents()
    assert set(before) == {"0.txt", "1.txt", "2.txt"}
    write(folder / "0.txt", "第零条改过了。", age_s=30)
    (folder / "1.txt").rename(folder / "移走.txt")
    (folder / "2.txt").unlink()
    assert followed.sync(source) == {
        "added": 2, "changed": 1, "moved": 1, "removed": 1, "unfinished": 1,
    }  # fmt: skip
    after = followed.documents()
    assert followed.texts("0.txt") == "第零条改过了。"
    assert after["移走.txt"].id == before["1.txt"].id
    assert after["2.txt"].hidden and "1.txt" not in after
    while now(followed, source).unfinished:
        followed.sync(source)
    rest = {f"{n}.txt" for n in range(3, 9)}
    assert set(followed.documents()) == {"0.txt", "移走.txt", "2.txt"} | rest
    assert followed.world.is_consistent()


def test_a_change_goes_before_the_rest_of_an_import(followed: Followed, folder: Path) -> None:
    write(folder / "旧.txt", "旧的规定。")
    source = source_of(followed, folder)
    followed.world.jobs.start()
    followed.sync(source)
    followed.world.jobs.stop()
    followed.world.jobs._stopping.clear()
    rules(folder, 3)
    followed.sources.sync(source.id)
    write(folder / "旧.txt", "改过的规定。", age_s=30)
    followed.sources.sync(source.id)
    order: list[str] = []
    perform = followed.world.jobs._perform
    followed.world.jobs._perform = lambda job: (order.append(job.name), perform(job))[1]
    followed.world.jobs.start()
    followed.sync(source)
    assert order[0] == "旧.txt" and len(order) == 4


def test_the_last_changes_stay_until_there_are_others(followed: Followed, folder: Path) -> None:
    followed.world.jobs.start()
    rules(folder, 2)
    source = source_of(followed, folder)
    assert now(followed, source).last_changes is None
    followed.sync(source)
    first = now(followed, source).last_changes
    assert first is not None and (first.added, first.changed, first.removed) == (2, 0, 0)
    assert followed.sync(source) == {"unchanged": 2}
    assert now(followed, source).last_changes == first
    (folder / "0.txt").unlink()
    followed.sync(source)
    second = now(followed, source).last_changes
    assert second is not None and (second.added, second.removed) == (0, 1)
    assert second.at > first.at


def test_a_file_that_stays_unreadable_is_told_as_a_change_once(
    followed: Followed, folder: Path
) -> None:
    followed.world.jobs.start()
    ingest = followed.world.settings.ingest.model_copy(update={"max_file_mb": 1})
    followed.world.settings = followed.world.settings.model_copy(update={"ingest": ingest})
    write(folder / "大.txt", "长" * 400_000)
    source = source_of(followed, folder)
    assert followed.sync(source) == {"failed": 1}
    first = now(followed, source).last_changes
    assert first is not None and first.failed == 1
    assert followed.sync(source) == {"failed": 1}
    assert now(followed, source).last_changes == first


def test_a_file_that_goes_takes_its_waiting_new_version_along(
    followed: Followed, folder: Path
) -> None:
    followed.world.jobs.start()
    write(folder / "年假.txt", "年假五天。")
    source = source_of(followed, folder)
    followed.sync(source)
    write(folder / "年假.txt", "年假\ufffd\ufffd\ufffd\ufffd天。" * 9, age_s=30)
    followed.sync(source)
    infos = followed.world.catalog.documents.list([followed.world.kb])
    assert sorted(info.status for info in infos) == ["indexed", "quarantined"]
    assert followed.sync(source) == {"unchanged": 1}
    (item,) = followed.world.catalog.sources.items(source.id)
    assert item.document_id == next(i.id for i in infos if i.status == "indexed")
    (folder / "年假.txt").unlink()
    assert followed.sync(source) == {"removed": 1}
    (left,) = followed.world.catalog.documents.list([followed.world.kb])
    assert left.hidden and left.new_version_of is None


def test_everything_is_followed_at_the_default_interval(followed: Followed, folder: Path) -> None:
    """Add, change, move and delete, as they are found by searches."""
    catalog, vectors = followed.world.catalog, followed.world.vectors

    def found(words: str) -> list[str]:
        weights = catalog.lexical.query_weights(tokenise(words))
        here = SearchFilter(kb_ids=(followed.world.kb,))
        ids = [chunk_id for chunk_id, _ in vectors.search_sparse(weights, here, 5)]
        chunks = catalog.chunks.get(ids).values()
        return [chunk.document_name for chunk in chunks if words in chunk.text]

    source_of(followed, folder)
    followed.world.jobs.start()
    followed.sources.start()
    (folder / "年假.txt").write_text("职工年假五天。", encoding="utf-8")
    eventually(lambda: found("年假五天") == ["年假.txt"], LIMIT_S)
    (folder / "年假.txt").write_text("职工年假十天。", encoding="utf-8")
    eventually(lambda: found("年假十天") == ["年假.txt"] and not found("年假五天"), LIMIT_S)
    (folder / "年假.txt").rename(folder / "休假.txt")
    eventually(lambda: found("年假十天") == ["休假.txt"], LIMIT_S)
    (folder / "休假.txt").unlink()
    eventually(lambda: not found("年假十天"), LIMIT_S)
    eventually(followed.world.is_consistent, LIMIT_S)
