"""One process per data directory: a lock that names its holder.

The operating system releases the lock with the process that holds it, however that ends, so
a file left by a crash is taken over silently. What stands in the file only serves the
message that a second process shows.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from datetime import datetime
from pathlib import Path
from typing import IO

from rag.errors import StoreError, StoreLocked

LOCK_NAME = "zhiwen.lock"

_GUARD_OFFSET = 1 << 20
"""Windows locks bytes, and locked bytes cannot be read: this one lies behind the text."""


class ProcessLock:
    """An exclusive lock on a file between processes (and between two holders in one); it is
    held as long as the object lives.

    Args:
        path: the lock's file; its folder is created. It stays after release, because
            deleting it would let two processes lock two different files of the same name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[str] | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._file is not None

    def acquire(self) -> None:
        """Take the lock; nothing happens when this object holds it already.

        Raises:
            StoreLocked: another holder has it; the message names process and start time.
            StoreError: the file cannot be written.
        """
        if self._file is not None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600), "r+")
        except OSError as error:
            raise StoreError(
                f"无法写入数据目录：{error.strerror}。",
                "请检查数据目录的权限和磁盘空间。",
                message_en=f"The data directory cannot be written: {error.strerror}.",
                remedy_en="Check its permissions and the disk space.",
                detail=str(error),
            ) from error
        if not _try_lock(file):
            holder = _holder(file)
            file.close()
            raise _locked(holder)
        self._file = file
        note: dict[str, str | int] = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "started": datetime.now().astimezone().isoformat(timespec="seconds"),
        }
        # On a full disk the lock still holds; others are only not told who has it.
        with contextlib.suppress(OSError):
            os.ftruncate(file.fileno(), 0)
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            os.write(file.fileno(), json.dumps(note).encode())

    def release(self) -> None:
        """Give the lock back; nothing happens when it is not held."""
        file, self._file = self._file, None
        if file is None:
            return
        with contextlib.suppress(OSError):
            file.seek(0)
            file.truncate()
        file.close()

    def holder(self) -> dict[str, str]:
        """Who holds or last held it ("pid", "host", "started"); empty when nobody is named."""
        try:
            with self.path.open() as file:
                return _holder(file)
        except OSError:
            return {}


class DirectoryLock(ProcessLock):
    """The lock of a whole data directory."""

    def __init__(self, data: Path) -> None:
        super().__init__(data / LOCK_NAME)


def _holder(file: IO[str]) -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError):
        file.seek(0)
        found = json.load(file)
        if isinstance(found, dict):
            return {str(name): str(value) for name, value in found.items()}
    return {}


def _locked(holder: dict[str, str]) -> StoreLocked:
    pid, host, started = (holder.get(name, "") for name in ("pid", "host", "started"))
    with contextlib.suppress(ValueError):
        started = datetime.fromisoformat(started).strftime("%Y-%m-%d %H:%M:%S")
    elsewhere = bool(host) and host != socket.gethostname()
    who = f"进程 {pid}" if pid else "另一个程序"
    who_en = f"process {pid}" if pid else "another program"
    if elsewhere:
        who, who_en = f"主机 {host} 上的{who}", f"{who_en} on host {host}"
    if started:
        who, who_en = f"{who}（启动于 {started}）", f"{who_en} (started {started})"
    return StoreLocked(
        f"数据目录正被{who}使用。",
        "请使用已经打开的那个窗口，或先退出它再启动；数据没有损坏，不需要改动任何文件。",
        message_en=f"The data directory is in use by {who_en}.",
        remedy_en="Use the one that is open, or quit it first; the data is fine as it is.",
    )


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _try_lock(file: IO[str]) -> bool:
        try:
            os.lseek(file.fileno(), _GUARD_OFFSET, os.SEEK_SET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(file.fileno(), 0, os.SEEK_SET)
        return True
else:
    import fcntl

    def _try_lock(file: IO[str]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
