"""Original files, stored by content: the first thing that happens to an upload.

A file lives at `<data>/files/ab/abcd…` (its sha256); the name that a person gave it is data
in the catalog and never becomes a path, so 85 Chinese characters or `../` do no harm.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from rag.errors import DiskFull, NotAllowed, NotFound
from rag.text.readable import readable

NAMELESS = "未命名文件"

_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks that turn the direction of writing, by which a program can look like a text
(Unicode Bidirectional Algorithm, section 2)."""
_DRIVE = re.compile(r"[A-Za-z]:[\\/]|[\\/]")

_READ_BYTES = 1 << 20
"""Bytes per read; chosen by us: bounds memory whatever the size of the upload."""


class StoredFile(NamedTuple):
    """A stored file. `size` is in bytes; `path` is read-only by convention."""

    path: Path
    sha256: str
    size: int


class FileStore:
    """Content-addressed files below the data directory. Thread-safe.

    Args:
        data: the data directory; `files/` in it is created on the first put.
    """

    def __init__(self, data: Path) -> None:
        self._root = data / "files"

    def put(self, source: BinaryIO | Path, name: str = "") -> StoredFile:
        """Copy a stream (from its current position) or a file into the store.

        The same content is stored once; `name` only appears in error messages.

        Raises:
            DiskFull: no space is left; nothing was kept.
            NotFound: `source` is a path without a file.
            NotAllowed: `source` may not be read.
        """
        if isinstance(source, Path):
            stored = self._own(source)
            if stored is not None:
                return stored
            with _opened(source, name or source.name) as stream:
                return self._copy(stream, name or source.name)
        return self._copy(source, name)

    def path(self, sha256: str) -> Path:
        """Where the content lies, whether or not it is there."""
        if len(sha256) != 64 or not all(c in "0123456789abcdef" for c in sha256):
            raise ValueError(f"not a sha256: {sha256!r}")
        return self._root / sha256[:2] / sha256

    def has(self, sha256: str) -> bool:
        """Whether the content is in the store."""
        return self.path(sha256).is_file()

    def remove(self, sha256: str) -> None:
        """Delete the content; nothing happens when it is not there.

        The caller makes sure that no document or waiting job refers to it.
        """
        self.path(sha256).unlink(missing_ok=True)

    def hashes(self) -> Iterator[str]:
        """The sha256 of every stored file, for the comparison with the catalog."""
        for path in self._root.glob("??/*"):
            if len(path.name) == 64:
                yield path.name

    def _own(self, path: Path) -> StoredFile | None:
        """`path` as a stored file when it already lies in the store."""
        resolved = path.resolve()
        if resolved.parent.parent != self._root.resolve() or not resolved.is_file():
            return None
        return StoredFile(resolved, resolved.name, resolved.stat().st_size)

    def _copy(self, stream: BinaryIO, name: str) -> StoredFile:
        with report_full_disk(name):
            self._root.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(prefix="incoming-", dir=self._root)
            try:
                digest, size = hashlib.sha256(), 0
                with os.fdopen(descriptor, "wb") as target:
                    while block := stream.read(_READ_BYTES):
                        digest.update(block)
                        target.write(block)
                        size += len(block)
                final = self.path(digest.hexdigest())
                final.parent.mkdir(exist_ok=True)
                Path(temporary).replace(final)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        return StoredFile(final, digest.hexdigest(), size)


@contextmanager
def report_full_disk(name: str = "") -> Iterator[None]:
    """Turn "no space left" and "quota exceeded" into the error that people see."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        what = f"“{name}”" if name else "数据"
        raise DiskFull(
            f"磁盘空间不足，{what}没有保存。",
            "请清理磁盘或把数据目录移到更大的磁盘，然后重试；已有的内容没有受影响。",
            message_en=f"The disk is full; {name or 'the data'} was not saved.",
            remedy_en="Free some space or move the data directory, then try again; "
            "nothing that was stored before is affected.",
        ) from error


def document_name(name: str) -> str:
    """What a document is called: the name of its file in one line, without control characters
    and marks that turn the direction of writing.

    Folders below a source stay, because they tell its documents apart; of a path from the
    root of a disk or through ".." only the last part is the name. A file without a name gets
    one, so that it can be seen and clicked in every list.
    """
    plain = " ".join(_DIRECTION.sub("", readable(name)).split())
    parts = re.split(r"[\\/]", plain)
    if _DRIVE.match(plain) or not {".", ".."}.isdisjoint(parts):
        plain = next((p for p in reversed(parts) if p.strip(" .")), "").strip()
    return plain or NAMELESS


def _opened(path: Path, name: str) -> BinaryIO:
    try:
        return path.open("rb")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise NotFound(
            f"找不到文件“{name}”。",
            "请确认路径是否正确。",
            message_en=f"There is no file “{name}”.",
            remedy_en="Check the path.",
        ) from error
    except PermissionError as error:
        raise NotAllowed(
            f"没有读取文件“{name}”的权限。",
            "请修改文件的权限，或换一个有权限的用户运行。",
            message_en=f"The file “{name}” may not be read.",
            remedy_en="Change its permissions, or run the program as another user.",
        ) from error
