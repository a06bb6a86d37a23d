import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rag.errors import StoreError, StoreLocked
from rag.store.lock import DirectoryLock, ProcessLock

HOLDER = """
import sys, time
from pathlib import Path
from rag.store.lock import DirectoryLock
lock = DirectoryLock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline().strip() == "held"
    yield process
    process.kill()
    process.wait()


def test_a_second_process_is_told_who_has_it(tmp_path, holder):
    with pytest.raises(StoreLocked) as refused:
        DirectoryLock(tmp_path).acquire()
    for text in (refused.value.text(), refused.value.text("en")):
        assert str(holder.pid) in text
        assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", text)
        assert "删除" not in text
        assert "delete" not in text.lower()


def test_the_lock_of_a_dead_process_is_taken_over_silently(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    lock = DirectoryLock(tmp_path)
    assert lock.holder()["pid"] == str(holder.pid)
    lock.acquire()
    assert lock.holder()["pid"] == str(os.getpid())
    lock.release()


def test_it_is_free_again_after_release(tmp_path):
    first, second = DirectoryLock(tmp_path), DirectoryLock(tmp_path)
    first.acquire()
    first.acquire()
    with pytest.raises(StoreLocked):
        second.acquire()
    first.release()
    first.release()
    assert not first.held
    assert first.holder() == {}
    second.acquire()
    assert second.held
    second.release()


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "\x00\xff"])
def test_odd_content_of_the_file_does_no_harm(tmp_path, content):
    (tmp_path / "zhiwen.lock").write_text(content, "latin-1")
    lock = DirectoryLock(tmp_path)
    assert lock.holder() == {}
    lock.acquire()
    lock.release()


def test_another_host_is_named(tmp_path):
    import json

    holder = DirectoryLock(tmp_path)
    holder.acquire()
    (tmp_path / "zhiwen.lock").write_text(
        json.dumps({"pid": 7, "host": "box-2", "started": "2026-03-01T08:00:00+08:00"})
    )
    with pytest.raises(StoreLocked, match="主机 box-2 上的进程 7（启动于 2026-03-01 08:00:00）"):
        DirectoryLock(tmp_path).acquire()
    holder.release()


def test_a_place_that_cannot_be_written_is_said_plainly(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="无法写入"):
        DirectoryLock(tmp_path / "file").acquire()


def test_a_full_disk_does_not_keep_it_from_being_taken(tmp_path, monkeypatch):
    def full(descriptor, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    lock = ProcessLock(tmp_path / "lock")
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        lock.acquire()
    assert lock.held
    with pytest.raises(StoreLocked, match="另一个程序"):
        ProcessLock(tmp_path / "lock").acquire()
    lock.release()
    lock.acquire()
    assert lock.holder()["pid"] == str(os.getpid())
    lock.release()
