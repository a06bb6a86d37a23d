"""The local search index when its files are taken away, or the disk or a write fails."""

from __future__ import annotations

import shutil
import tracemalloc

import numpy as np
import pytest
from store_parts import DIMENSION, row

from rag.errors import StoreError
from rag.store import local_files
from rag.store.local_segment import from_rows, merged
from rag.store.rows import entity
from rag.store.vectors import VectorStore
from rag.types import SearchFilter

ROWS = 40


@pytest.fixture
def opened(tmp_path):
    stores: list[VectorStore] = []

    def again(embedder: str = "embedder-1") -> VectorStore:
        while stores:
            stores.pop().close()
        stores.append(VectorStore(str(tmp_path / "v.db")))
        stores[-1].open(embedder, DIMENSION)
        return stores[-1]

    yield again
    for store in stores:
        store.close()


def filled(store: VectorStore) -> VectorStore:
    for start in range(0, ROWS, 10):
        store.upsert([row("kb1", number) for number in range(start, start + 10)])
    return store


def test_no_row_is_lost_when_the_index_folder_is_emptied_while_it_runs(opened, tmp_path):
    store = filled(opened())
    shutil.rmtree(tmp_path / "v.db.search")
    store.upsert([row("kb1", ROWS)])
    assert store.count("kb1") == ROWS + 1
    again = opened()
    again.warm_up()
    assert again.count("kb1") == ROWS + 1


def test_a_file_that_does_not_fit_is_taken_away_again(opened, tmp_path, monkeypatch):
    store = filled(opened())
    before = sorted(path.name for path in (tmp_path / "v.db.search").rglob("*.segment"))

    def full(path, segment):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(local_files, "write_segment", full)
        store.upsert([row("kb1", ROWS)])
    assert sorted(p.name for p in (tmp_path / "v.db.search").rglob("*.segment")) == before
    assert store.count("kb1") == ROWS + 1
    assert opened().count("kb1") == ROWS + 1


def test_a_delete_after_a_failed_write_is_not_forgotten(opened, monkeypatch):
    store = filled(opened())
    local, client = store._local, store._connected()

    def failing(*_, **__):
        raise StoreError("写不进去。", "请稍后再试。")

    with monkeypatch.context() as patched:
        upsert = client.upsert

        def written_and_failed(name, rows):
            upsert(name, rows)
            failing()

        patched.setattr(client, "upsert", written_and_failed)
        patched.setattr(local, "_read_again", failing)
        with pytest.raises(StoreError):
            store.upsert([row("kb1", ROWS + number) for number in range(5)])
    new = [row("kb1", ROWS + number).chunk_id for number in range(5)]
    store.delete_chunks(new, "kb1")
    assert store.count("kb1") == ROWS
    assert opened().count("kb1") == ROWS


def test_a_knowledge_base_that_could_not_be_dropped_is_still_there(opened, monkeypatch):
    store = filled(opened())
    client = store._connected()

    def failing(*_, **__):
        raise StoreError("删不掉。", "请稍后再试。")

    with monkeypatch.context() as patched:
        patched.setattr(client, "drop_collection", failing)
        with pytest.raises(StoreError):
            store.delete_kb("kb1")
    assert store.count("kb1") == ROWS
    store.upsert([row("kb1", ROWS)])
    store.delete_kb("kb1")
    assert store.count("kb1") == 0
    assert opened().count("kb1") == 0


def test_an_index_that_cannot_be_removed_ends_nothing(opened, monkeypatch):
    store = filled(opened())

    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr("pathlib.Path.unlink", refused)
        store.delete_kb("kb1")
    assert store.count("kb1") == 0
    assert opened().count("kb1") == 0


@pytest.mark.parametrize("year", [2**31, 10**30, -5, 10000])
def test_what_is_no_year_counts_as_none(opened, year):
    store = filled(opened())
    store.upsert([row("kb1", ROWS, year=year), row("kb1", ROWS + 1, year=2024)])
    found = SearchFilter(kb_ids=("kb1",), years=(2024, 2024), include_unspecified=False)
    assert [i for i, _ in store.search_dense(np.ones(DIMENSION), found, 99)] == [
        row("kb1", ROWS + 1).chunk_id
    ]
    assert opened().count("kb1") == ROWS + 2


def test_a_year_that_an_earlier_version_stored_does_not_block_the_base(opened, tmp_path):
    store = filled(opened())
    client, odd = store._connected(), row("kb1", ROWS)
    client.upsert(store._names(["kb1"])[0], [entity(odd, DIMENSION) | {"year": 2**31}])
    shutil.rmtree(tmp_path / "v.db.search")
    again = opened()
    assert again.count("kb1") == ROWS + 1
    anything = SearchFilter(kb_ids=("kb1",))
    assert len(again.search_dense(np.ones(DIMENSION), anything, 99)) == ROWS + 1


def test_what_is_left_of_an_index_is_swept(opened, tmp_path):
    filled(opened()).upsert([row("kb2", 1)])
    folder = tmp_path / "v.db.search"
    gone = folder / "a collection that is gone"
    (gone / "within").mkdir(parents=True)
    (gone / "within" / "file").write_bytes(b"x")
    halves = [path for path in folder.iterdir() if path != gone]
    (halves[0] / "state.json").unlink()
    opened("another embedder")
    assert sorted(folder.iterdir()) == sorted(halves[1:])
    assert opened().count() == ROWS + 1


def test_two_copies_that_went_on_by_themselves_are_told_apart(opened, tmp_path):
    filled(opened()).close()
    copied = tmp_path / "copied"
    shutil.copytree(tmp_path / "v.db", copied / "v.db")
    shutil.copytree(tmp_path / "v.db.search", copied / "v.db.search")
    opened().upsert([row("kb1", ROWS)])
    opened().close()
    other = VectorStore(str(copied / "v.db"))
    other.open("embedder-1", DIMENSION)
    other.upsert([row("kb1", ROWS + 1)])
    other.close()
    # A restore that takes one of the two folders alone.
    shutil.rmtree(tmp_path / "v.db")
    shutil.copytree(copied / "v.db", tmp_path / "v.db")
    found = opened().chunk_ids("kb1")
    assert row("kb1", ROWS + 1).chunk_id in found
    assert row("kb1", ROWS).chunk_id not in found


def test_a_merge_holds_the_vectors_once():
    rows, wide = 2000, 256
    made = [
        from_rows(
            [
                entity(row("kb1", number, dense=np.ones(wide, np.float32)), wide)
                for number in range(start, start + rows)
            ],
            wide,
        )
        for start in (0, rows)
    ]
    dead = np.zeros(rows, bool)
    dead[::2] = True
    tracemalloc.start()
    try:
        joined = merged([(made[0], dead), (made[1], None)])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(joined) == rows * 3 // 2
    assert (joined.dense == made[1].dense[0]).all()
    assert peak < 1.5 * joined.dense.nbytes
