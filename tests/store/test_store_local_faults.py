"""The local search index when its files are taken away, or the disk or a write fails."""

from __future__ import annotations

import shutil

import pytest
from store_parts import DIMENSION, row

from rag.errors import StoreError
from rag.store import local_files
from rag.store.vectors import VectorStore

ROWS = 40


@pytest.fixture
def opened(tmp_path):
    stores: list[VectorStore] = []

    def again() -> VectorStore:
        while stores:
            stores.pop().close()
        stores.append(VectorStore(str(tmp_path / "v.db")))
        stores[-1].open("embedder-1", DIMENSION)
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
