"""Makes a Milvus Lite store loadable again after a kill or a power cut, before it is opened.

Lite writes index files in place and syncs none of its data files to the disk. One file that
was cut short keeps it from listing any collection at all, for ever.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path

log = logging.getLogger(__name__)

_PARQUET_MAGIC = b"PAR1"
"""First and last four bytes of every whole Parquet file."""


def recover(store: Path) -> list[str]:
    """Remove torn index files and set damaged collections aside; the names of the latter.

    Index files only repeat what the data files hold and are written again when missing. A
    collection with a damaged data file is moved to `<store>.damaged`; the catalog can rebuild
    it, and the doctor finds its vectors missing.

    Args:
        store: the directory of the store; the caller holds its lock.
    """
    for index in store.glob("collections/*/partitions/*/indexes/*.idx"):
        if not _is_whole_index(index):
            log.warning("index file %s was cut short and will be built again", index.name)
            index.unlink(missing_ok=True)
    damaged = {
        data.relative_to(store).parts[1]
        for kind in ("data", "delta")
        for data in store.glob(f"collections/*/partitions/*/{kind}/*.parquet")
        if not _is_whole_parquet(data) and _is_listed(data)
    }
    aside = store.with_name(store.name + ".damaged")
    for name in sorted(damaged):
        aside.mkdir(exist_ok=True)
        log.error("collection %s is damaged and was set aside in %s", name, aside)
        (store / "collections" / name).rename(aside / f"{name}-{time.time_ns()}")
    return sorted(damaged)


def _is_whole_index(path: Path) -> bool:
    import numpy as np

    try:
        # Mapping reads the header and compares the size; nothing is loaded.
        np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError):
        return False
    return True


def _is_listed(path: Path) -> bool:
    """Whether the collection counts on the file. A kill while it was written leaves one that
    is not listed yet; Lite removes that itself and takes the rows from its log."""
    manifest = path.parents[3] / "manifest.json"
    return not manifest.is_file() or path.name in manifest.read_text("utf-8", "replace")


def _is_whole_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        first = file.read(4)
        if path.stat().st_size < 12:
            return False
        file.seek(-4, 2)
        return first == file.read(4) == _PARQUET_MAGIC
