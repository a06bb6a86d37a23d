"""Follows a directory on the server: files that were added, changed, moved and deleted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from rag.errors import InvalidInput, NotAllowed, NotFound
from rag.ingest.formats import CODE_EXTENSIONS, CONVERTIBLE, EXTENSIONS, JSON_EXTENSION, TEXT_TYPES
from rag.ingest.sources.found import Found, Look
from rag.types import SourceItem, Told

SETTLE_S = 1.0
"""A file that was written to within this time may not be complete yet; chosen by us: copying
tools write more often."""
MOST_FILES = 100_000
"""Files of one folder, so that a wrong path (/) doesn't fill the disk; chosen by us."""
_TAKEN = (
    frozenset(EXTENSIONS.values())
    | frozenset(TEXT_TYPES)
    | CODE_EXTENSIONS
    | frozenset(extension for extension in CONVERTIBLE if extension.count(".") == 1)
    | frozenset({".jpeg", ".tiff", ".docm", ".xlsm", ".pptm", ".log", ".text", JSON_EXTENSION})
)
_TEMPORARY = (".tmp", ".part", ".crdownload", ".download", ".swp", ".bak", ".lnk", "~")


class FolderConfig(BaseModel):
    """What is followed: `path` absolute on the server; with its subfolders unless `recursive`
    is off; what becomes of documents whose file is gone in `removal`."""

    model_config = ConfigDict(extra="forbid")

    path: str = Field(min_length=1, max_length=4000)
    recursive: bool = True
    removal: str = Field(default="hide", pattern="^(keep|hide|remove)$")


def followed_folder(config: FolderConfig, roots: tuple[str, ...]) -> Path:
    """The directory itself, links resolved.

    Raises:
        NotAllowed: it is not below one of the directories that may be followed.
        NotFound: there is no such directory at the moment.
        InvalidInput: the path isn't absolute.
    """
    path = Path(config.path)
    if not path.is_absolute() or "\0" in config.path:
        raise InvalidInput(
            "请填写服务器上的绝对路径。", message_en="Give an absolute path on the server."
        )
    resolved = path.resolve()
    allowed = [Path(root).expanduser().resolve() for root in roots]
    if not any(resolved == root or root in resolved.parents for root in allowed):
        raise NotAllowed(
            f"“{config.path}”不在允许跟踪的目录之内。",
            "请管理员在设置“可跟踪的目录”里加上它的上级目录。",
            message_en=f"{config.path} is not below a directory that may be followed.",
            remedy_en="Add a directory above it to the folders that may be followed.",
        )
    if not resolved.is_dir():
        raise NotFound(
            f"找不到目录“{config.path}”。",
            "请确认路径正确、磁盘已挂载；已收录的文档没有改动。",
            message_en=f"There is no directory {config.path}.",
            remedy_en="Check the path and that its disk is mounted; no document was changed.",
        )
    return resolved


def look_into(
    root: Path,
    config: FolderConfig,
    known: Mapping[str, SourceItem],
    *,
    name: str,
    max_bytes: int,
    now: Callable[[], float] = time.time,
) -> Look:
    """All files that we can read, with a stamp of modification time and size.

    Links to directories are not followed, links to files only inside the folder. Hidden and
    temporary files are left out.

    Args:
        root: as `followed_folder` returns it.
        known: items by key; files that are still being written are reported as they were.
        name: the source's name, the beginning of what documents state as their source.
        max_bytes: larger files are told as errors.
        now: seconds since 1970.

    Raises:
        InvalidInput: there are too many files.
    """
    closed: list[str] = []
    files: dict[str, _File] = {}
    for file in _walk(root, root, "", config.recursive, closed):
        files[file.key] = file
        if len(files) > MOST_FILES:
            raise InvalidInput(
                f"目录里的文件超过 {MOST_FILES} 个。",
                "请选择范围更小的目录。",
                message_en=f"There are more than {MOST_FILES} files in the folder.",
                remedy_en="Choose a smaller one.",
            )

    def found() -> Iterator[Found]:
        for key, file in files.items():
            yield _found(root, file, known.get(key), name, max_bytes, now())

    return Look(
        found(),
        listing=frozenset(files),
        unseen=lambda key: any(key.startswith(prefix) for prefix in closed),
    )


class _File(NamedTuple):
    key: str
    path: Path
    status: os.stat_result


def _walk(
    root: Path, directory: Path, inside: str, deeper: bool, closed: list[str]
) -> Iterator[_File]:
    """The regular files that we take, in order, keyed by their path below the root; `closed`
    gets the keys of directories that cannot be read."""
    try:
        with os.scandir(directory) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        if not inside:
            raise
        closed.append(inside)
        return
    for entry in listed:
        key, path = inside + _shown(entry.name), Path(entry.path)
        try:
            status = entry.stat(follow_symlinks=False)
            if S_ISLNK(status.st_mode):
                path = _inside(root, path)
                status = path.stat()
                if not S_ISREG(status.st_mode):
                    continue
        except OSError:
            continue  # deleted meanwhile, or a link to the outside
        if S_ISDIR(status.st_mode):
            if deeper and not entry.name.startswith("."):
                yield from _walk(root, path, key + "/", deeper, closed)
        elif S_ISREG(status.st_mode) and _is_taken(path if path.suffix else Path(key)):
            yield _File(key, path, status)


def _inside(root: Path, path: Path) -> Path:
    """The real file, which lies below the root.

    Raises:
        FileNotFoundError: it doesn't, or there is none.
    """
    resolved = path.resolve(strict=True)
    if root not in resolved.parents:
        raise FileNotFoundError(path)
    return resolved


def _shown(name: str) -> str:
    """A file's name as text; old Chinese systems wrote names in GB18030."""
    raw = os.fsencode(name)
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", "backslashreplace")


def _is_taken(path: Path) -> bool:
    lower = path.name.lower()
    if lower.startswith((".", "~$")) or lower.endswith(_TEMPORARY):
        return False
    return Path(lower).suffix in _TAKEN


def _found(
    root: Path, file: _File, known: SourceItem | None, name: str, max_bytes: int, now: float
) -> Found:
    key, status = file.key, file.status
    stamp = f"{status.st_mtime_ns}-{status.st_size}"
    if 0 <= now - status.st_mtime < SETTLE_S and (known is None or known.stamp != stamp):
        # Still being written, perhaps: as it was until the next look.
        return Found(key, stamp=known.stamp if known else "", passed_over=known is None)
    if status.st_size > max_bytes:
        return Found(
            key,
            stamp=stamp,
            error=Told(
                f"文件超过 {max_bytes >> 20} MB，没有收录。",
                f"The file is larger than {max_bytes >> 20} MB and was not added.",
            ),
        )
    return Found(
        key,
        stamp=stamp,
        name=key,
        stated={"source": str(PurePosixPath(name, key))},
        # Looked at once more right before it is read: it may have become a link.
        content=lambda: _inside(root, file.path),
    )
