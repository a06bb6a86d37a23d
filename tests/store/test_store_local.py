"""The local search index: the same answers as Milvus, kept through kills and torn files."""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from store_parts import DIMENSION, row

from rag.errors import StoreError
from rag.store import local_files, local_store
from rag.store.local_index import LocalIndex
from rag.store.local_store import LocalStore
from rag.store.rows import entity
from rag.store.vectors import VectorStore
from rag.types import SearchFilter

PLACES = ("", "浙江", "浙江/杭州", "浙江/杭州/西湖区", "江苏", "100%", "浙_江")
KINDS = ("", "通知", "办法", '引"号')


@pytest.fixture
def opened(tmp_path):
    """Opens stores at the test's path, one after the other."""
    stores: list[VectorStore] = []

    def again(**options) -> VectorStore:
        while stores:
            stores.pop().close()
        stores.append(VectorStore(str(tmp_path / "v.db"), **options))
        stores[-1].open("embedder-1", DIMENSION)
        return stores[-1]

    yield again
    for store in stores:
        store.close()


@pytest.fixture
def builds(monkeypatch):
    """Names of collections whose index was made from Milvus anew."""
    made: list[str] = []
    built = LocalStore._built

    def noted(self, name, dimension):
        made.append(name)
        return built(self, name, dimension)

    monkeypatch.setattr(LocalStore, "_built", noted)
    return made


def within(*kb_ids: str, **conditions) -> SearchFilter:
    return SearchFilter(kb_ids=kb_ids, **conditions)


def varied(kb_id: str, number: int, salt: int = 0):
    chance = np.random.default_rng([int(kb_id[-1]), number, salt])
    terms = chance.choice(60, size=int(chance.integers(0, 12)), replace=False)
    return row(
        kb_id,
        number,
        region=PLACES[int(chance.integers(len(PLACES)))],
        year=int(chance.choice([0, 2021, 2022, 2023, 2024])),
        document_type=KINDS[int(chance.integers(len(KINDS)))],
        organisation=str(chance.choice(["", "人社局", "税务局"])),
        product=str(chance.choice(["", "A-1", "A-2"])),
        dense=chance.standard_normal(DIMENSION).astype(np.float32),
        sparse={int(t): float(w) for t, w in zip(terms, chance.random(len(terms)), strict=True)},
    )


CONDITIONS = (
    {},
    {"regions": ("浙江/杭州",)},
    {"regions": ("浙江",), "include_unspecified": False},
    {"regions": ("100%", "浙_江"), "include_unspecified": False},
    {"years": (2022, 2023)},
    {"years": (2022, 2023), "include_unspecified": False},
    {"document_types": ("通知", '引"号')},
    {"organisations": ("税务局",), "products": ("A-1", "A-2")},
    {"document_ids": ("kb1-d3", "kb1-d4", "unknown")},
    {"regions": ("江苏",), "years": (2021, 2024), "document_types": ("办法",)},
)


def both_equal(store: VectorStore, bases: tuple[str, ...], k: int) -> None:
    """Compare all answers with those of Milvus from the same collections."""
    names = store._names(bases)
    for name in names:
        store._connected().load_collection(name)
    chance = np.random.default_rng(k)
    for conditions in CONDITIONS:
        vector = chance.standard_normal(DIMENSION).astype(np.float32)
        words = {int(t): float(w) for t, w in zip(range(0, 60, 7), chance.random(9), strict=True)}
        condition = within(*bases, **conditions)
        ours = [store.search_dense(vector, condition, k), store.search_sparse(words, condition, k)]
        local, store._local = store._local, None
        try:
            theirs = [
                store.search_dense(vector, condition, k),
                store.search_sparse(words, condition, k),
            ]
        finally:
            store._local = local
        for mine, his in zip(ours, theirs, strict=True):
            his = [found for found in his if found[1] > 1e-5 or his is theirs[0]]
            assert [i for i, _ in mine] == [i for i, _ in his]
            assert [s for _, s in mine] == pytest.approx([s for _, s in his], abs=1e-5)
    for name in names:
        store._connected().release_collection(name)


@pytest.mark.parametrize("per_kb", [True, False])
def test_answers_equal_those_of_milvus_after_many_changes(opened, per_kb):
    store = opened(per_kb=per_kb)
    for start in range(0, 300, 60):
        for kb in ("kb1", "kb2"):
            store.upsert([varied(kb, number) for number in range(start, start + 60)])
    store.upsert([varied("kb1", number, salt=1) for number in range(20, 50)])
    store.delete_chunks([f"kb1-{n}" for n in range(100, 130)], "kb1")
    store.delete_documents(["kb1-d4", "kb1-d20"], "kb1")
    store.upsert([varied("kb1", 45, salt=2)])
    both_equal(store, ("kb1",), 7)
    both_equal(store, ("kb1", "kb2"), 1000)
    store = opened(per_kb=per_kb)
    both_equal(store, ("kb1", "kb2"), 20)


def test_of_rows_with_one_id_in_a_batch_the_last_counts(opened):
    store = opened()
    store.upsert([row("kb1", 1, sparse={1: 1.0}), row("kb1", 1, sparse={2: 1.0})])
    assert store.count() == 1
    assert store.search_sparse({1: 1.0}, within("kb1"), 5) == []
    assert opened().search_sparse({2: 1.0}, within("kb1"), 5) == [("kb1-1", pytest.approx(1.0))]


def test_opening_again_reads_nothing_from_milvus(opened, builds):
    store = opened()
    store.upsert([varied("kb1", n) for n in range(50)])
    store.delete_chunks(["kb1-3"], "kb1")
    store.delete_document("kb1-d2", "kb1")
    store = opened()
    assert builds == []
    assert store.count("kb1") == 39
    assert store._connection._client is None
    store.warm_up()
    server = sys.modules["milvus_lite.server_manager"].server_manager_instance
    assert server._servers[store._uri][1]._collections == {}


def test_a_store_without_an_index_gets_one(opened, builds):
    store = opened(local=False)
    store.upsert([varied("kb1", n) for n in range(2500)])
    store = opened()
    assert len(builds) == 1
    assert store.count("kb1") == 2500
    both_equal(store, ("kb1",), 50)
    opened()
    assert len(builds) == 1


def test_writes_that_went_past_the_index_are_noticed(opened, builds):
    opened().upsert([row("kb1", n) for n in range(5)])
    opened(local=False).delete_chunks(["kb1-1"], "kb1")
    assert opened().chunk_ids("kb1") == {f"kb1-{n}" for n in (0, 2, 3, 4)}
    assert len(builds) == 1


def test_an_exchanged_store_is_noticed(opened, builds, tmp_path):
    opened().upsert([row("kb1", n) for n in range(5)])
    opened().close()
    shutil.move(tmp_path / "v.db", tmp_path / "old.db")
    shutil.move(tmp_path / "v.db.search", tmp_path / "old.search")
    opened().upsert([row("kb1", n) for n in range(10, 15)])
    opened().close()
    shutil.rmtree(tmp_path / "v.db.search")
    shutil.move(tmp_path / "old.search", tmp_path / "v.db.search")
    assert opened().chunk_ids("kb1") == {f"kb1-{n}" for n in range(10, 15)}
    assert len(builds) == 1


def test_an_index_of_a_collection_that_is_gone_is_removed(opened, tmp_path):
    opened().upsert([row("kb1", 1)])
    opened().close()
    shutil.rmtree(tmp_path / "v.db" / "collections")
    assert opened().kb_ids() == set()
    assert list((tmp_path / "v.db.search").iterdir()) == []


def the_folder(tmp_path: Path) -> Path:
    (folder,) = (tmp_path / "v.db.search").iterdir()
    return folder


@pytest.mark.parametrize("damage", ["cut", "empty", "no state", "half a state", "no segment"])
def test_damaged_files_are_made_anew(opened, builds, tmp_path, damage):
    opened().upsert([varied("kb1", n) for n in range(40)])
    opened().close()
    folder = the_folder(tmp_path)
    (segment,) = folder.glob("*.segment")
    state = folder / "state.json"
    if damage == "cut":
        segment.write_bytes(segment.read_bytes()[:-64])
    elif damage == "empty":
        segment.write_bytes(b"")
    elif damage == "no segment":
        segment.unlink()
    elif damage == "no state":
        state.unlink()
    else:
        state.write_bytes(state.read_bytes()[:40])
    store = opened()
    assert len(builds) == 1
    both_equal(store, ("kb1",), 50)


def test_a_flipped_bit_is_found_by_the_warm_up(opened, builds, tmp_path):
    opened().upsert([varied("kb1", n) for n in range(40)])
    opened().close()
    (segment,) = the_folder(tmp_path).glob("*.segment")
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 4
    segment.write_bytes(content)
    store = opened()
    assert builds == []
    store.warm_up()
    assert len(builds) == 1
    both_equal(store, ("kb1",), 50)


def test_a_full_disk_costs_no_row_and_no_answer(opened, builds, monkeypatch):
    store = opened()
    store.upsert([varied("kb1", n) for n in range(20)])

    def full(*_, **__):
        raise OSError(28, "no space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(local_files, "write_segment", full)
        store.upsert([varied("kb1", n) for n in range(20, 30)])
    assert store.count("kb1") == 30
    both_equal(store, ("kb1",), 50)
    assert opened().count("kb1") == 30
    assert builds == []  # What was announced told which rows the files lack.


def test_a_disk_that_takes_no_announcement_costs_no_row(opened, builds, monkeypatch):
    store = opened()
    store.upsert([varied("kb1", n) for n in range(20)])

    def full(*_, **__):
        raise OSError(28, "no space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(local_files, "_replace", full)
        store.delete_chunks([f"kb1-{n}" for n in range(9)], "kb1")
        store.upsert([varied("kb1", n) for n in range(20, 22)])
    both_equal(store, ("kb1",), 50)
    assert opened().count("kb1") == 13
    assert len(builds) == 1


def test_after_a_failed_write_index_and_collection_agree(opened, monkeypatch):
    store = opened()
    store.upsert([row("kb1", n, sparse={1: 1.0}) for n in range(5)])
    flush = VectorStore._flush

    def failing(self, client, name):
        flush(self, client, name)
        raise StoreError("坏了", "重试", message_en="broken", remedy_en="try again")

    with monkeypatch.context() as broken:
        broken.setattr(VectorStore, "_flush", failing)
        with pytest.raises(StoreError):
            store.upsert([row("kb1", n, sparse={2: 1.0}) for n in range(4, 8)])
        with pytest.raises(StoreError):
            store.delete_chunks(["kb1-0"], "kb1")
    assert store.chunk_ids("kb1") == {f"kb1-{n}" for n in range(1, 8)}
    both_equal(store, ("kb1",), 50)


def test_segments_stay_few_and_gone_rows_leave_the_files(opened, tmp_path):
    store = opened()
    for number in range(70):
        store.upsert([varied("kb1", number)])
    assert len(list(the_folder(tmp_path).glob("*.segment"))) <= 7
    store.delete_chunks([f"kb1-{n}" for n in range(60)], "kb1")
    (name,) = store._names(["kb1"])
    assert sum(len(part.segment) for part in store._local._indexes[name]._parts) < 20
    both_equal(store, ("kb1",), 50)


def test_readers_see_whole_batches_while_one_writes(tmp_path):
    index = LocalIndex(tmp_path / "i", DIMENSION)
    index.put([entity(row("kb1", n, sparse={1: 1.0}), DIMENSION) for n in range(50)])
    done = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not done.is_set():
            found = index.search_sparse({1: 1.0}, within("kb1"), (), 10_000)
            seen.append(len({i for i, _ in found}))
            assert len(found) == len({i for i, _ in found})

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for start in range(50, 1050, 50):
        index.put(
            [entity(row("kb1", n, sparse={1: 1.0}), DIMENSION) for n in range(start, start + 50)]
        )
    done.set()
    for reader in readers:
        reader.join()
    assert all(count % 50 == 0 for count in seen)
    assert index.count() == 1050


def start(code: str, *arguments: str) -> subprocess.Popen:
    paths = os.pathsep.join([str(Path.cwd()), str(Path(__file__).parent)])
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
    )


CHANGES = """
    import os, sys
    from store_parts import DIMENSION, row
    from rag.store import local_files
    from rag.store.vectors import VectorStore
    store = VectorStore(sys.argv[1])
    store.open("embedder-1", DIMENSION)
    store.upsert([row("kb1", n, sparse={1: 1.0}) for n in range(40)])
    step, place = sys.argv[2].split("@")
    def die(*_, **__):
        os.kill(os.getpid(), 9)
    if place == "announced":
        store._connected().upsert = store._connected().delete = die
    elif place == "logged":
        VectorStore._flush = die
    elif place == "flushed":
        flush = VectorStore._flush
        VectorStore._flush = lambda *a: (flush(*a), die())
    elif place == "segment":
        write = local_files.write_segment
        local_files.write_segment = lambda *a: (write(*a), die())
    elif place == "state":
        local_files.withdraw = die
    if step == "upsert":
        store.upsert([row("kb1", n, sparse={2: 1.0}) for n in range(35, 60)])
    elif step == "delete":
        store.delete_chunks([f"kb1-{n}" for n in range(5, 30)], "kb1")
"""


@pytest.mark.slow
@pytest.mark.parametrize("place", ["announced", "logged", "flushed", "segment", "state"])
@pytest.mark.parametrize("step", ["upsert", "delete"])
def test_a_kill_at_any_step_is_made_good_at_the_next_start(opened, builds, tmp_path, step, place):
    child = start(CHANGES, str(tmp_path / "v.db"), f"{step}@{place}")
    assert child.wait() == -signal.SIGKILL
    store = opened()
    before, after = (
        set(range(40)),
        {"upsert": set(range(60)), "delete": {*range(5), *range(30, 40)}},
    )
    numbers = {int(i.rsplit("-", 1)[1]) for i in store.chunk_ids("kb1")}
    assert numbers == (before if place == "announced" else after[step])
    assert builds == []  # Reading the announced rows again was enough.
    both_equal(store, ("kb1",), 50)
    store.upsert([row("kb1", 99)])
    store = opened()
    assert "kb1-99" in store.chunk_ids("kb1")
    assert builds == []


RANDOM_WRITES = """
    import sys
    import numpy as np
    from store_parts import DIMENSION, row
    from rag.store.vectors import VectorStore
    store = VectorStore(sys.argv[1])
    store.open("embedder-1", DIMENSION)
    chance = np.random.default_rng(int(sys.argv[2]))
    print("open", flush=True)
    while True:
        first = int(chance.integers(0, 300))
        term = int(chance.integers(0, 60))
        if chance.random() < 0.7:
            store.upsert([row("kb1", n, sparse={term: 1.0}) for n in range(first, first + 20)])
        else:
            store.delete_chunks([f"kb1-{n}" for n in range(first, first + 30)], "kb1")
        print("done", flush=True)
"""


@pytest.mark.slow
def test_kills_at_any_moment_leave_index_and_collection_equal(opened, tmp_path):
    for attempt in range(3):
        child = start(RANDOM_WRITES, str(tmp_path / "v.db"), str(attempt))
        assert child.stdout.readline().strip() == "open"
        for _ in range(attempt + 1):
            child.stdout.readline()
        time.sleep(0.021 * attempt)
        child.send_signal(signal.SIGKILL)
        child.wait()
        store = opened()
        both_equal(store, ("kb1",), 400)
        store.close()


def test_the_state_names_the_collection_that_it_equals(opened, tmp_path):
    opened().upsert([row("kb1", n) for n in range(5)])
    state = json.loads((the_folder(tmp_path) / "state.json").read_text())
    assert state["format"] == local_files.FORMAT
    assert state["mark"]["sequence"] == 5
    assert local_store.SUFFIX == ".search"
