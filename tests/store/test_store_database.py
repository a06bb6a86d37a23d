import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from store_parts import new_document, publish

from rag.errors import DiskFull, NotFound, StoreError, StoreLocked
from rag.store import database
from rag.store.catalog import Catalog
from rag.store.database import Database
from rag.types import Token

WRITER = """
    import sys
    from rag.store.catalog import Catalog
    catalog = Catalog(sys.argv[1])
    conversation = catalog.conversations.create(sys.argv[2], [])
    for number in range(40):
        catalog.conversations.add_message(conversation.id, "user", f"问题 {number}")
    catalog.close()
"""

KILLED = """
    import sys
    from store_parts import publish
    from rag.store.catalog import Catalog
    catalog = Catalog(sys.argv[1])
    info = catalog.documents.get(sys.argv[2])
    print("ready", flush=True)
    version = info.version
    while True:
        version += 1
        publish(catalog, info, [f"版本{version} 片段{n} 年假 五天" for n in range(400)], version)
        print(version, flush=True)
"""


def python(code: str, *arguments: str) -> subprocess.Popen:
    paths = os.pathsep.join([str(Path.cwd()), str(Path(__file__).parent)])
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_ten_chats_and_an_upload_at_once_all_succeed(tmp_path):
    catalog = Catalog(tmp_path / "catalog.sqlite")
    kb = catalog.knowledge_bases.create("甲")
    info = new_document(catalog, kb.id)
    errors: list[BaseException] = []

    def chat(owner: str) -> None:
        try:
            conversation = catalog.conversations.create(owner, [kb.id])
            message = catalog.conversations.add_message(conversation.id, "assistant", "", "running")
            for seq in range(1, 31):
                catalog.conversations.append_event(message.id, seq, Token(text="字"))
                catalog.conversations.list(owner)
            catalog.conversations.update_message(message.id, content="字" * 30, status="done")
        except BaseException as error:
            errors.append(error)

    def upload() -> None:
        try:
            for version in range(1, 6):
                publish(catalog, info, [f"词{n} 词{n + 1}" for n in range(500)], version)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=chat, args=(f"u{n}",)) for n in range(10)]
    threads.append(threading.Thread(target=upload))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for number in range(10):
        (conversation,) = catalog.conversations.list(f"u{number}")
        (message,) = catalog.conversations.messages(conversation.id)
        assert len(catalog.conversations.events(message.id)) == 30
    assert catalog.documents.get(info.id).version == 5
    assert catalog.lexical.is_right()
    catalog.close()


@pytest.mark.slow
def test_several_processes_write_without_a_locked_database(tmp_path):
    path = str(tmp_path / "catalog.sqlite")
    Catalog(path).close()
    writers = [python(WRITER, path, f"u{number}") for number in range(4)]
    for writer in writers:
        _, error = writer.communicate(timeout=120)
        assert writer.returncode == 0, error
    catalog = Catalog(path)
    for number in range(4):
        (conversation,) = catalog.conversations.list(f"u{number}")
        assert len(catalog.conversations.messages(conversation.id)) == 40
    catalog.close()


@pytest.mark.slow
@pytest.mark.parametrize("delay_s", [0.02, 0.11, 0.23])
def test_a_kill_while_publishing_leaves_one_whole_version(tmp_path, delay_s):
    path = tmp_path / "catalog.sqlite"
    catalog = Catalog(path)
    kb = catalog.knowledge_bases.create("甲")
    info = publish(catalog, new_document(catalog, kb.id), ["版本1 片段 年假"] * 1, 1)
    catalog.close()
    child = python(KILLED, str(path), info.id)
    assert child.stdout.readline().strip() == "ready"
    child.stdout.readline()
    time.sleep(delay_s)
    child.send_signal(signal.SIGKILL)
    child.wait()
    printed = [int(line) for line in child.stdout.read().split()]

    catalog = Catalog(path)
    after = catalog.documents.get(info.id)
    chunks = catalog.chunks.list(info.id, 0, 1000)
    assert after.status == "indexed"
    assert after.version >= max(printed, default=2)
    assert len(chunks) == after.chunk_count == 400
    assert {chunk.text.split()[0] for chunk in chunks} == {f"版本{after.version}"}
    assert len(catalog.documents.pages(info.id)) == 1
    assert catalog.lexical.is_right()
    assert catalog.lexical.document_frequencies(["年假"]) == {"年假": 400}
    catalog.close()


def test_readers_see_one_state_while_a_writer_works(tmp_path):
    catalog = Catalog(tmp_path / "catalog.sqlite")
    with catalog.database.write():
        catalog.knowledge_bases.create("未完成")
        seen: list[int] = []
        reader = threading.Thread(target=lambda: seen.append(len(catalog.knowledge_bases.list())))
        reader.start()
        reader.join()
        assert len(catalog.knowledge_bases.list()) == 1  # the writer sees its own work
    assert seen == [0]
    assert len(catalog.knowledge_bases.list()) == 1
    catalog.close()


def test_an_exception_undoes_nested_work(tmp_path):
    catalog = Catalog(tmp_path / "catalog.sqlite")
    with pytest.raises(RuntimeError), catalog.database.write():
        catalog.knowledge_bases.create("甲")
        raise RuntimeError
    assert catalog.knowledge_bases.list() == []
    catalog.close()


@pytest.mark.parametrize("odd", ["a\0b", "坏\udcff名", "\ud800", "😀", "\x07\x1b[0m"])
def test_odd_characters_never_break_the_store(catalog, odd):
    kb = catalog.knowledge_bases.create("甲")
    info = new_document(catalog, kb.id, odd)
    assert catalog.documents.find_by_name(kb.id, odd).id == info.id
    conversation = catalog.conversations.create("u1", [odd], odd)
    message = catalog.conversations.add_message(conversation.id, "user", odd)
    shown = catalog.conversations.message(message.id).content
    assert shown == odd or "\ufffd" in shown
    assert len(catalog.conversations.list("u1", odd)) == 1
    job = catalog.jobs.create(kb.id, odd, payload={"name": odd})
    assert catalog.jobs.payload(job.id) == {"name": odd}
    assert catalog.accounts.find(odd) is None
    assert catalog.login_failures.get(odd) is None
    catalog.prompts.save(odd[:80], odd)
    catalog.audit.append(person_id="u1", person_name=odd, role="guest", action="x", detail=odd)
    with pytest.raises(NotFound):
        catalog.knowledge_bases.by_name(odd)


def test_a_full_disk_is_said_plainly_and_nothing_is_lost(tmp_path):
    catalog = Catalog(tmp_path / "catalog.sqlite")
    kb = catalog.knowledge_bases.create("甲")
    info = publish(catalog, new_document(catalog, kb.id), ["旧"])
    with catalog.database.write() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        # SQLite then answers exactly as on a full disk.
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 5}")
    with pytest.raises(DiskFull, match="磁盘空间不足"):
        publish(catalog, info, ["新" * 5000 for _ in range(300)], 2)
    assert [chunk.text for chunk in catalog.chunks.list(info.id)] == ["旧"]
    catalog.close()


def test_a_database_kept_busy_is_said_plainly(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.store.database.BUSY_TIMEOUT_MS", 50)
    holder, waiter = Database(tmp_path / "a.sqlite"), Database(tmp_path / "a.sqlite")
    with holder.write(), pytest.raises(StoreLocked, match="另一个程序"), waiter.write():
        pass
    holder.close()
    waiter.close()


@pytest.mark.parametrize(("free", "error"), [(0, DiskFull), (1 << 30, StoreError)])
def test_an_io_error_is_a_full_disk_only_where_it_is_full(tmp_path, monkeypatch, free, error):
    monkeypatch.setattr(database.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    with pytest.raises(StoreError) as caught, database.plain_errors(tmp_path):
        raise sqlite3.OperationalError("disk I/O error")
    assert type(caught.value) is error
