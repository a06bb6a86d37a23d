import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest
from store_parts import DIMENSION, row

from rag.errors import StoreError, StoreLocked
from rag.store import milvus
from rag.store.vectors import VectorStore
from rag.types import SearchFilter

SERVER = os.environ.get("MILVUS_URI", "")


LAYOUTS = {
    "local": {},
    "local shared": {"per_kb": False},
    "milvus": {"local": False},
    "milvus shared": {"local": False, "per_kb": False},
}


@pytest.fixture(params=[*LAYOUTS, *(["server"] if SERVER else [])])
def store(request, tmp_path):
    """A store in each layout and engine; the last one of Lite is what a Milvus server uses."""
    if request.param == "server":
        opened = VectorStore(SERVER, os.environ.get("MILVUS_TOKEN", ""))
    else:
        opened = VectorStore(str(tmp_path / "v.db"), **LAYOUTS[request.param])
    opened.open("embedder-1", DIMENSION)
    yield opened
    for kb_id in opened.kb_ids():
        opened.delete_kb(kb_id)
    opened.close()


def within(*kb_ids: str, **conditions) -> SearchFilter:
    return SearchFilter(kb_ids=kb_ids, **conditions)


def numbers(found) -> list[int]:
    return [int(chunk_id.rsplit("-", 1)[1]) for chunk_id, _ in found]


def test_the_nearest_comes_first_with_its_cosine(store):
    rows = [row("kb1", number) for number in range(40)]
    store.upsert(rows)
    found = store.search_dense(rows[7].dense * 3, within("kb1"), 5)
    assert found[0] == ("kb1-7", pytest.approx(1.0, abs=1e-5))
    assert len(found) == 5
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    a, b = rows[7].dense, next(r for r in rows if r.chunk_id == found[1][0]).dense
    assert found[1][1] == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-5)


def test_keyword_scores_are_the_products_of_the_weights(store):
    store.upsert(
        [
            row("kb1", 0, sparse={5: 2.0, 9: 1.0}),
            row("kb1", 1, sparse={5: 1.0}),
            row("kb1", 2, sparse={}),
        ]
    )
    assert store.search_sparse({5: 1.5, 9: 0.5, 77: 3.0}, within("kb1"), 10) == [
        ("kb1-0", pytest.approx(3.5)),
        ("kb1-1", pytest.approx(1.5)),
    ]
    assert store.search_sparse({}, within("kb1"), 10) == []
    assert store.search_sparse({5: 0.0}, within("kb1"), 10) == []
    assert store.search_sparse({4294967294: 1.0}, within("kb1"), 10) == []


def test_searches_stay_within_their_knowledge_bases(store):
    store.upsert([row(kb, number) for kb in ("kb1", "kb2", "kb3") for number in range(5)])
    found = store.search_dense(row("kb1", 3).dense, within("kb1", "kb3"), 50)
    assert {chunk_id.split("-")[0] for chunk_id, _ in found} == {"kb1", "kb3"}
    assert len(found) == 10
    assert store.search_dense(row("kb1", 3).dense, within("never"), 5) == []
    assert store.search_dense(row("kb1", 3).dense, within(), 5) == []


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"regions": ("浙江",)}, {0, 1, 2}),
        ({"regions": ("浙江",), "include_unspecified": False}, {1, 2}),
        ({"regions": ("浙江/杭州",), "include_unspecified": False}, {1, 2}),
        ({"regions": ("浙江/宁波",), "include_unspecified": False}, {1}),
        ({"regions": ("江苏", "浙江/杭州"), "include_unspecified": False}, {1, 2, 4}),
        ({"years": (2023, 2023)}, {0, 1}),
        ({"years": (2022, 2024), "include_unspecified": False}, {1, 2}),
        ({"regions": ("浙江",), "years": (2024, 2024)}, {0, 2}),
        ({"document_types": ("通知",)}, {3}),
        ({"document_ids": ("d-x",)}, {4}),
        ({"organisations": ("人\"社\\局`'%\n",)}, {2}),
        ({"products": ('" or kb_id != "',)}, set()),
    ],
)
def test_filters(store, conditions, expected):
    store.upsert(
        [
            row("kb1", 0),
            row("kb1", 1, region="浙江", year=2023),
            row("kb1", 2, region="浙江/杭州", year=2024, organisation="人\"社\\局`'%\n"),
            row("kb1", 3, region="浙江省外", year=2025, document_type="通知"),
            row("kb1", 4, region="江苏", year=2021, document_id="d-x"),
        ]
    )
    found = store.search_dense(row("kb1", 0).dense, within("kb1", **conditions), 50)
    assert set(numbers(found)) == expected


def test_a_selective_filter_finds_all_that_pass(store):
    store.upsert([row("kb1", number, year=2020 + (number % 300 == 0)) for number in range(3000)])
    found = store.search_dense(row("kb1", 5).dense, within("kb1", years=(2021, 2021)), 50)
    assert set(numbers(found)) == set(range(0, 3000, 300))


def test_writing_again_replaces(store):
    store.upsert([row("kb1", 0, sparse={1: 1.0})])
    store.upsert([row("kb1", 0, sparse={2: 1.0})])
    assert store.count("kb1") == 1
    assert store.search_sparse({1: 1.0}, within("kb1"), 5) == []
    assert store.search_sparse({2: 1.0}, within("kb1"), 5) == [("kb1-0", pytest.approx(1.0))]


def test_deleting_chunks_documents_and_bases(store):
    store.upsert([row(kb, number) for kb in ("kb1", "kb2") for number in range(30)])
    store.delete_chunks(["kb1-0", "kb1-1", "unknown"], "kb1")
    store.delete_chunks(["kb2-0", "unknown"])
    store.delete_document("kb1-d1", "kb1")
    assert (store.count("kb1"), store.count("kb2"), store.count()) == (18, 29, 47)
    assert store.chunk_ids("kb1") == {f"kb1-{n}" for n in (*range(2, 10), *range(20, 30))}
    assert 1 not in numbers(store.search_dense(row("kb1", 1).dense, within("kb1"), 30))
    store.delete_kb("kb1")
    store.delete_kb("kb1")
    assert (store.count("kb1"), store.chunk_ids("kb1")) == (0, set())
    assert store.kb_ids() == {"kb2"}
    store.upsert([row("kb1", 5)])
    assert store.chunk_ids("kb1") == {"kb1-5"}


def test_stored_vectors_are_given_back(store):
    rows = [row("kb1", 0), row("kb2", 1)]
    store.upsert(rows)
    found = store.vectors(["kb2-1", "kb1-0", "unknown"], ["kb1", "kb2"])
    assert found.keys() == {"kb1-0", "kb2-1"}
    unit = rows[0].dense / np.linalg.norm(rows[0].dense)
    np.testing.assert_allclose(found["kb1-0"], unit, atol=1e-6)
    assert store.vectors([], ["kb1"]) == {}


@pytest.mark.parametrize(
    "values",
    [
        {"dense": np.zeros(DIMENSION)},
        {"dense": np.full(DIMENSION, np.nan)},
        {"dense": np.ones(DIMENSION + 1)},
        {"sparse": {1: float("inf")}},
    ],
)
def test_unusable_vectors_are_refused_before_anything_is_written(store, values):
    with pytest.raises(ValueError):
        store.upsert([row("kb1", 0), row("kb1", 1, **values)])
    assert store.count() == 0


@pytest.mark.parametrize("kb_id", ["kb-1", "知识库", "k" * 65, "x6b", 'a"b'])
def test_any_id_of_a_knowledge_base_works(store, kb_id):
    store.upsert([row(kb_id, 1)])
    assert store.kb_ids() == {kb_id}
    assert store.search_dense(row(kb_id, 1).dense, within(kb_id), 1)[0][0] == f"{kb_id}-1"


def test_many_threads_write_and_search_without_losing_rows(store):
    errors: list[BaseException] = []

    def write(kb_id: str) -> None:
        try:
            for start in range(0, 60, 20):
                store.upsert([row(kb_id, number) for number in range(start, start + 20)])
        except BaseException as error:
            errors.append(error)

    def search() -> None:
        try:
            for _ in range(30):
                store.search_dense(row("kb0", 1).dense, within("kb0", "kb1", "kb2"), 10)
                store.search_sparse({3: 1.0}, within("kb0", "kb1", "kb2"), 10)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(f"kb{n % 3}",)) for n in range(6)]
    threads += [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert {kb: store.count(kb) for kb in ("kb0", "kb1", "kb2")} == {
        "kb0": 60,
        "kb1": 60,
        "kb2": 60,
    }


def test_another_embedder_is_built_beside_and_then_switched_to(store):
    store.upsert([row("kb1", 0)])
    new = store.beside("embedder-2", 4)
    new.upsert([row("kb1", 9, dense=np.ones(4))])
    assert store.chunk_ids("kb1") == {"kb1-0"}
    assert store.search_dense(row("kb1", 0).dense, within("kb1"), 5)[0][0] == "kb1-0"
    store.open("embedder-2", 4)
    assert store.chunk_ids("kb1") == {"kb1-9"}
    assert len(store.stale()) == 1
    store.drop_stale()
    assert store.stale() == []
    store.open("embedder-1", DIMENSION)
    assert store.count() == 0


def test_warm_up_touches_every_collection(store):
    store.warm_up()
    store.upsert([row("kb1", 0)])
    store.warm_up()


def test_everything_is_there_after_reopening(tmp_path):
    store = VectorStore(str(tmp_path / "v.db"))
    store.open("embedder-1", DIMENSION)
    store.upsert([row("kb1", number) for number in range(10)])
    store.delete_chunks(["kb1-3"], "kb1")
    store.close()
    with pytest.raises(StoreError, match="还没有打开"):
        store.count()
    store.open("embedder-1", DIMENSION)
    assert store.chunk_ids("kb1") == {f"kb1-{n}" for n in range(10) if n != 3}
    store.close()


def run(code: str, *arguments: str) -> subprocess.Popen:
    paths = os.pathsep.join([str(Path.cwd()), str(Path(__file__).parent)])
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
    )


WRITES = """
    import sys
    from store_parts import DIMENSION, row
    from rag.store.vectors import VectorStore
    store = VectorStore(sys.argv[1])
    store.open("embedder-1", DIMENSION)
    print("open", flush=True)
    number = 0
    while True:
        store.upsert([row("kb1", n) for n in range(number, number + 20)])
        number += 20
        print(number, flush=True)
"""


def index_files(tmp_path):
    return sorted((tmp_path / "v.db").glob("collections/*/partitions/*/indexes/*.idx"))


@pytest.mark.parametrize("kept_bytes", [0, 60, 200])
def test_index_files_cut_short_by_a_kill_are_built_again(tmp_path, kept_bytes):
    store = VectorStore(str(tmp_path / "v.db"), local=False)
    store.open("embedder-1", DIMENSION)
    store.upsert([row("kb1", number) for number in range(10)])
    store.close()
    (index,) = index_files(tmp_path)
    index.write_bytes(index.read_bytes()[:kept_bytes])
    store.open("embedder-1", DIMENSION)
    assert store.search_dense(row("kb1", 4).dense, within("kb1"), 1)[0][0] == "kb1-4"
    store.close()


@pytest.mark.parametrize("content", [b"", b"PAR1", b"\0" * 900])
def test_one_damaged_collection_does_not_stop_the_others(tmp_path, content):
    store = VectorStore(str(tmp_path / "v.db"))
    store.open("embedder-1", DIMENSION)
    store.upsert([row(kb, number) for kb in ("kb1", "kb2") for number in range(10)])
    store.close()
    (data,) = (tmp_path / "v.db").glob("collections/*kkb1/partitions/*/data/*.parquet")
    data.write_bytes(content)
    store.open("embedder-1", DIMENSION)
    assert (store.count("kb1"), store.count("kb2")) == (0, 10)
    assert len(list((tmp_path / "v.db.damaged").iterdir())) == 1
    store.upsert([row("kb1", 1)])
    assert store.chunk_ids("kb1") == {"kb1-1"}
    store.close()


def test_a_file_that_a_kill_left_half_written_costs_nothing(tmp_path):
    store = VectorStore(str(tmp_path / "v.db"))
    store.open("embedder-1", DIMENSION)
    store.upsert([row("kb1", number) for number in range(10)])
    store.close()
    (data,) = (tmp_path / "v.db").glob("collections/*/partitions/*/data/*.parquet")
    data.with_name("data_000011_000020.parquet").write_bytes(b"PAR1 half")
    store.open("embedder-1", DIMENSION)
    assert store.count("kb1") == 10
    store.close()


@pytest.mark.slow
def test_a_second_process_is_named_and_a_killed_one_loses_nothing(tmp_path):
    path = str(tmp_path / "v.db")
    child = run(WRITES, path)
    assert child.stdout.readline().strip() == "open"
    store = VectorStore(path)
    with pytest.raises(StoreLocked, match=rf"进程 {child.pid}（启动于 "):
        store.open("embedder-1", DIMENSION)
    for _ in range(3):
        written = int(child.stdout.readline())
    child.send_signal(signal.SIGKILL)
    child.wait()
    for line in child.stdout.read().split():
        written = int(line)
    store.open("embedder-1", DIMENSION)
    assert {f"kb1-{n}" for n in range(written)} <= store.chunk_ids("kb1")
    found = store.search_dense(row("kb1", 1).dense, within("kb1"), 1000)
    assert len(found) == len(set(found)) == store.count("kb1")
    store.close()


def test_an_unreachable_server_is_said_plainly():
    store = VectorStore("http://127.0.0.1:9", "secret-token")
    with pytest.raises(StoreError, match="连不上") as refused:
        store.open("embedder-1", DIMENSION)
    assert "secret-token" not in refused.value.text() + refused.value.detail


def test_an_unreachable_server_is_named_without_its_password():
    uri = "http://root:secret@127.0.0.1:9"
    error = milvus._cannot_open(uri, RuntimeError(f"cannot connect to {uri}"))
    told = error.text() + error.text("en") + error.detail
    assert "127.0.0.1:9" in told
    assert "secret" not in told
