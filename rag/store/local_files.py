"""Files of a local search index: segments that are mapped into memory, and a small state.

A segment's file is written once and never changed. The state names the segments that count,
the rows of them that are gone, and the mark of the Milvus collection that all of this equals.
It is replaced in one step after the segments are safely on the disk, so that a kill or a power
cut leaves the old state or the new one. The announcement says which rows are about to change.
"""

from __future__ import annotations

import base64
import contextlib
import json
import mmap
import os
import shutil
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rag.store.local_mark import Mark
from rag.store.local_segment import TEXT_COLUMNS, Segment

FORMAT = 1
"""Version of these files; an index of another version is built anew."""

_MAGIC = b"ZWSEGM01"
_ALIGN = 64
_MAPPED = 4 << 20
"""Bytes from which a segment is mapped, which keeps a descriptor open; smaller ones are read.
Chosen by us: hundreds of small knowledge bases stay below the usual limit of 1,024 files."""
_STATE = "state.json"
_ANNOUNCED = "changing.json"
_SUFFIX = ".segment"
_ARRAYS = ("dense", "id_bytes", "id_ends", "year", "terms", "starts", "rows", "weights")


class Torn(Exception):
    """A file is cut short or damaged; the index must be built anew."""


@dataclass(frozen=True)
class SavedPart:
    """A segment of the state: its file's name and bool [n] of its rows that are gone."""

    file: str
    dead: np.ndarray | None


@dataclass(frozen=True)
class Announcement:
    """Rows that are about to change, from the state with this mark on, and the most by which
    the collection's sequence grows by that."""

    mark: Mark | None
    ids: tuple[str, ...]
    steps: int


def write_segment(path: Path, segment: Segment) -> None:
    """Write a segment and wait until the disk has it.

    Raises:
        OSError: no space, no permission.
    """
    arrays = {name: getattr(segment, name) for name in _ARRAYS}
    arrays |= {f"codes.{name}": segment.codes[name] for name in TEXT_COLUMNS}
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    values = json.dumps(segment.values, ensure_ascii=False).encode("utf-8", "surrogatepass")
    arrays["values"] = np.frombuffer(values, np.uint8)
    sections, at, checksum = [], 0, 0
    for name, array in arrays.items():
        sections.append([name, array.dtype.str, list(array.shape), at])
        checksum = zlib.crc32(_bytes(array), checksum)
        at = _aligned(at + array.nbytes)
    head = json.dumps({"sections": sections, "size": at, "crc": checksum}).encode()
    with path.open("wb") as file:
        file.write(_MAGIC + len(head).to_bytes(4, "little"))
        file.write(zlib.crc32(head).to_bytes(4, "little") + head)
        file.write(b"\0" * (_aligned(file.tell()) - file.tell()))
        for array in arrays.values():
            file.write(_bytes(array))
            file.write(b"\0" * (_aligned(array.nbytes) - array.nbytes))
        file.flush()
        os.fsync(file.fileno())


def read_segment(path: Path) -> Segment:
    """Map a segment's file into memory; its pages are read when they are first used.

    Raises:
        Torn: it is not whole.
    """
    head, body = _opened(path)
    arrays = {
        name: np.frombuffer(body[at : at + _size(dtype, shape)], dtype).reshape(shape)
        for name, dtype, shape, at in head["sections"]
    }
    values = json.loads(arrays["values"].tobytes().decode("utf-8", "surrogatepass"))
    return Segment(
        **{name: arrays[name] for name in _ARRAYS},
        codes={name: arrays[f"codes.{name}"] for name in TEXT_COLUMNS},
        values={name: tuple(values[name]) for name in TEXT_COLUMNS},
    )


def is_intact(path: Path) -> bool:
    """Whether a segment's file holds what was written; reads all of it."""
    try:
        head, body = _opened(path)
    except Torn:
        return False
    checksum = 0
    for _, dtype, shape, at in head["sections"]:
        checksum = zlib.crc32(body[at : at + _size(dtype, shape)], checksum)
    return checksum == head["crc"]


def write_state(folder: Path, mark: Mark, parts: Iterable[SavedPart]) -> None:
    """Replace the state in one step.

    Raises:
        OSError: as for `write_segment`.
    """
    state = {
        "format": FORMAT,
        "mark": asdict(mark),
        "parts": [{"file": part.file, "dead": _packed(part.dead)} for part in parts],
    }
    _replace(folder / _STATE, state, wait=True)
    with contextlib.suppress(OSError):  # Not every system can do that with a folder.
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_state(folder: Path) -> tuple[Mark, list[tuple[SavedPart, Segment]]]:
    """The mark and the segments of the state.

    Raises:
        Torn: there is no whole state of this version.
    """
    try:
        state = json.loads((folder / _STATE).read_text("utf-8"))
        if state["format"] != FORMAT:
            raise Torn("another format")
        parts = []
        for saved in state["parts"]:
            segment = read_segment(folder / saved["file"])
            parts.append((SavedPart(saved["file"], _unpacked(saved["dead"], segment)), segment))
        return Mark(**state["mark"]), parts
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Torn(str(error)) from error


def has_state(folder: Path) -> bool:
    """Whether a folder has a state; without one its segments serve nothing any more."""
    return (folder / _STATE).is_file()


def announce(folder: Path, announcement: Announcement) -> None:
    """Write down which rows are about to change. A power cut may lose that, which costs a new
    build; waiting for the disk at each write would cost more.

    Raises:
        OSError: as for `write_segment`.
    """
    _replace(folder / _ANNOUNCED, asdict(announcement), wait=False)


def announced(folder: Path) -> Announcement | None:
    """What was announced and not withdrawn, as far as it can be read; one that cannot is an
    announcement without a mark."""
    path = folder / _ANNOUNCED
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text("utf-8"))
        mark = None if found["mark"] is None else Mark(**found["mark"])
        return Announcement(mark, tuple(found["ids"]), int(found["steps"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Announcement(None, (), 0)


def withdraw(folder: Path) -> None:
    """Forget the announcement: the state says everything again.

    Raises:
        OSError: it cannot be removed.
    """
    (folder / _ANNOUNCED).unlink(missing_ok=True)


def disown(folder: Path) -> None:
    """Let the index be made anew at the next start, by removing its state."""
    with contextlib.suppress(OSError):
        (folder / _STATE).unlink(missing_ok=True)


def next_name(folder: Path, held: Iterable[str] = ()) -> str:
    """A file name for the next segment, one that was never used in this folder's state.

    Args:
        held: names of segments in use, whose files may have been taken away.
    """
    known = (*folder.glob(f"*{_SUFFIX}"), *map(Path, held))
    numbers = [int(path.stem) for path in known if path.stem.isdigit()]
    return f"{max(numbers, default=0) + 1:08d}{_SUFFIX}"


def sweep(folder: Path, files: Iterable[str]) -> None:
    """Remove segments that are not among these; what cannot be removed stays until later."""
    wanted = set(files)
    for path in folder.glob(f"*{_SUFFIX}"):
        if path.name not in wanted:
            with contextlib.suppress(OSError):
                path.unlink()


def erase(folder: Path) -> None:
    """Remove an index, its state first, so that no half of it is ever taken for whole; nothing
    where the disk refuses: what stays no longer has the collection's mark."""
    if not folder.is_dir():
        return
    try:
        (folder / _STATE).unlink(missing_ok=True)
    except OSError:
        return
    shutil.rmtree(folder, ignore_errors=True)


def _replace(path: Path, content: dict[str, Any], *, wait: bool) -> None:
    temporary = path.with_suffix(".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(json.dumps(content, ensure_ascii=False))
        if wait:
            file.flush()
            os.fsync(file.fileno())
    temporary.replace(path)


def _opened(path: Path) -> tuple[dict[str, Any], memoryview]:
    try:
        with path.open("rb") as file:
            small = os.fstat(file.fileno()).st_size < _MAPPED
            mapped = memoryview(
                file.read() if small else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            )
    except (OSError, ValueError) as error:
        raise Torn(str(error)) from error
    length = int.from_bytes(mapped[8:12], "little")
    start = _aligned(16 + length)
    text = bytes(mapped[16 : 16 + length])
    if bytes(mapped[:8]) != _MAGIC or zlib.crc32(text) != int.from_bytes(mapped[12:16], "little"):
        raise Torn(f"{path.name} has no head")
    head = json.loads(text)
    if len(mapped) != start + head["size"]:
        raise Torn(f"{path.name} is cut short")
    return head, mapped[start:]


def _bytes(array: np.ndarray) -> Any:
    return array.reshape(-1).view(np.uint8).data if array.size else b""


def _size(dtype: str, shape: Sequence[int]) -> int:
    return int(np.prod(shape)) * np.dtype(dtype).itemsize


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def _packed(dead: np.ndarray | None) -> str:
    return "" if dead is None else base64.b64encode(np.packbits(dead).tobytes()).decode()


def _unpacked(text: str, segment: Segment) -> np.ndarray | None:
    if not text:
        return None
    bits = np.frombuffer(base64.b64decode(text, validate=True), np.uint8)
    dead = np.unpackbits(bits).astype(bool)
    if not len(segment) <= len(dead) < len(segment) + 8:
        raise Torn("the list of gone rows has another length")
    return dead[: len(segment)]
