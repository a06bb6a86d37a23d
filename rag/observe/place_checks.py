"""Health checks of the data directory: database, files, jobs, lock, disk, models."""

from __future__ import annotations

import os
import re
import stat
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from rag.observe.findings import Check, HealthFinding, Installation, ok, some
from rag.store import schema
from rag.store.lock import DirectoryLock
from rag.types import DocumentInfo, JobInfo

STRAY_AFTER = timedelta(hours=1)
"""Age from which a file that nothing refers to is a leftover and not an upload under way."""

STUCK_AFTER = timedelta(minutes=30)
"""Time without any sign of progress after which a job counts as stuck. Chosen by us: the
longest step between two reports is one embedding batch or one OCR page, seconds long."""

LOW_DISK_BYTES, SCARCE_DISK_BYTES = 2 << 30, 200 << 20
"""Free space below which we warn, and below which uploads are likely to fail."""


def database(installation: Installation) -> HealthFinding:
    """Whether SQLite finds its file sound; other databases look after themselves."""
    catalog = installation.catalog.database
    problems: list[str] = []
    if catalog.is_sqlite:
        with catalog.read() as connection:
            rows = connection.exec_driver_sql("PRAGMA quick_check(3)").scalars()
            problems = [str(row) for row in rows if row != "ok"]
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
            problems += [f"{row[0]}: {row[1]}" for row in broken[:3]]
    if not problems:
        return ok("database", "数据库完好。", "The database is sound.")
    return HealthFinding(
        name="database",
        severity="error",
        message=f"数据库文件有损坏：{some(problems)}",
        remedy="请停止程序，先备份整个数据目录，再从备份恢复 catalog.sqlite。",
        message_en=f"The database file is damaged: {some(problems)}",
        remedy_en="Stop the program, back up the data directory, then restore catalog.sqlite.",
    )


def _leftovers(installation: Installation) -> list[Path]:
    """Files that no document, version or job needs: originals, interrupted uploads, whatever
    else lies between them, and what was set aside as damaged; only old ones."""
    catalog = installation.catalog
    wanted = catalog.documents.hashes() | catalog.documents.version_hashes()
    # A failed job keeps its file for a retry; its payload names it by path or by hash.
    wanted.update(re.findall(r"[0-9a-f]{64}", str(catalog.jobs.unfinished_payloads())))
    needed = {installation.files.path(sha256) for sha256 in wanted if len(sha256) == 64}
    found = [*(installation.data / "files").rglob("*")]
    # Collections that the vector store set aside, see rag.store.recovery.
    found += installation.data.glob("*.damaged/**/*")
    oldest = (installation.now() - STRAY_AFTER).timestamp()
    return sorted(path for path in found if path not in needed and _is_old(path, oldest))


def _is_old(path: Path, oldest: float) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False  # It was removed while we looked.
    return not stat.S_ISDIR(found.st_mode) and found.st_mtime < oldest


def stray_files(installation: Installation) -> HealthFinding:
    """Files in the data directory that nothing refers to."""
    stray = _leftovers(installation)
    if not stray:
        return ok("stray_files", "没有多余的文件。", "No leftover files.")
    size = sum(path.lstat().st_size for path in stray)
    return HealthFinding(
        name="stray_files",
        severity="warning",
        message=f"有 {len(stray)} 个不属于任何文档的文件，共 {size / 2**20:.1f} MB。",
        remedy="点“修复”即可清除。",
        repairable=True,
        message_en=f"{len(stray)} files belong to no document ({size / 2**20:.1f} MB).",
        remedy_en="Repair removes them.",
    )


def remove_strays(installation: Installation) -> None:
    """Delete the files that nothing refers to."""
    for path in _leftovers(installation):
        path.unlink(missing_ok=True)


def missing_files(installation: Installation) -> HealthFinding:
    """Documents whose original is gone: still answered from, but not shown or rebuilt."""
    documents = _all_documents(installation)
    lost = [d.name for d in documents if d.version and not installation.files.has(d.sha256)]
    if not lost:
        return ok("missing_files", "所有原始文件都在。", "All original files are there.")
    return HealthFinding(
        name="missing_files",
        severity="warning",
        message=f"{len(lost)} 个文档的原始文件不见了：{some(lost)}。仍可检索，但不能查看原文。",
        remedy="请重新上传这些文件。",
        message_en=f"The originals of {len(lost)} documents are gone: {some(lost)}. They can "
        "be searched but not opened.",
        remedy_en="Upload them again.",
    )


def _stuck(installation: Installation) -> tuple[list[JobInfo], list[DocumentInfo]]:
    """Jobs without progress, and documents "in work" on which no job works."""
    before = installation.now() - STUCK_AFTER
    active = installation.catalog.jobs.list(active_only=True)
    jobs = [job for job in active if job.status == "running" and job.updated_at < before]
    alive = {job.kb_id for job in active if job not in jobs}
    documents = [
        document
        for document in _all_documents(installation)
        if document.status in ("queued", "processing")
        and document.updated_at < before
        and document.kb_id not in alive
    ]
    return jobs, documents


def stuck_jobs(installation: Installation) -> HealthFinding:
    """Jobs and documents that wait for something that will not come."""
    jobs, documents = _stuck(installation)
    if not jobs and not documents:
        return ok("stuck_jobs", "没有卡住的任务。", "No stuck jobs.")
    names = [job.name for job in jobs] + [document.name for document in documents]
    return HealthFinding(
        name="stuck_jobs",
        severity="warning",
        message=f"{len(names)} 个任务或文档长时间没有进展：{some(names)}。",
        remedy="点“修复”会把它们标为失败，之后可以重试。",
        repairable=True,
        message_en=f"{len(names)} jobs or documents made no progress: {some(names)}.",
        remedy_en="Repair marks them as failed, so that they can be tried again.",
    )


def release_stuck(installation: Installation) -> None:
    """Mark stuck jobs as failed; documents go back to their published version or fail."""
    jobs, documents = _stuck(installation)
    catalog = installation.catalog
    for job in jobs:
        # A worker that is alive after all sees the wish to cancel at its next step.
        catalog.jobs.request_cancel(job.id)
        catalog.jobs.update(job.id, status="failed", error="任务长时间没有进展，已停止。请重试。")
    for document in documents:
        if document.version:
            accepted = catalog.options.get(document.id).accepted
            doubtful = document.quality.status == "quarantined" and not accepted
            catalog.documents.set_status(document.id, "quarantined" if doubtful else "indexed")
        else:
            catalog.documents.set_status(document.id, "failed", "处理没有完成。请重新上传或重试。")


def lock_file(installation: Installation) -> HealthFinding:
    """Whether this process is the one that holds the data directory."""
    holder = DirectoryLock(installation.data).holder()
    if not holder or holder.get("pid") == str(os.getpid()):
        return ok("lock_file", "数据目录由本程序独占。", "This process holds the data directory.")
    return HealthFinding(
        name="lock_file",
        severity="error",
        message=f"数据目录登记为进程 {holder.get('pid')} 在使用。",
        remedy="请确认没有第二个程序在使用同一个数据目录。",
        message_en=f"The data directory is marked as used by process {holder.get('pid')}.",
        remedy_en="Make sure that no second program uses the same data directory.",
    )


def disk_space(installation: Installation) -> HealthFinding:
    """Whether uploads still fit."""
    free = installation.free_bytes(installation.data)
    text = f"{free / 2**30:.1f} GB"
    if free >= LOW_DISK_BYTES:
        return ok("disk_space", f"磁盘剩余 {text}。", f"{text} of disk space are free.")
    return HealthFinding(
        name="disk_space",
        severity="error" if free < SCARCE_DISK_BYTES else "warning",
        message=f"磁盘只剩 {text}。",
        remedy="请腾出空间，否则上传可能失败。",
        message_en=f"Only {text} of disk space are free.",
        remedy_en="Free some space, or uploads may fail.",
    )


def model_files(installation: Installation) -> HealthFinding:
    """Whether the bundled embedder's files are as they were built."""
    from rag.models.bundled_convert import bundled_folder, damage

    folder = bundled_folder(installation.data)
    if not folder.exists():
        return HealthFinding(
            name="model_files",
            severity="info",
            message="内置向量模型还没有生成。",
            remedy="第一次使用时会自动生成。",
            message_en="The bundled embedder has not been built yet.",
            remedy_en="It is built when it is first used.",
        )
    damaged = damage(installation.data)
    if not damaged:
        return ok("model_files", "内置向量模型完好。", "The bundled embedder is sound.")
    return HealthFinding(
        name="model_files",
        severity="error",
        message=f"内置向量模型的文件有损坏：{some(damaged)}。",
        remedy="请重新启动程序，模型会自动重新生成。",
        message_en=f"Files of the bundled embedder are damaged: {some(damaged)}.",
        remedy_en="Restart the program; the model is built again.",
    )


def secrets_file(installation: Installation) -> HealthFinding:
    """Whether others on this computer can read the keys."""
    path = installation.data / "secrets.toml"
    if os.name == "nt" or not path.exists() or not path.stat().st_mode & 0o077:
        return ok("secrets_file", "密钥文件只有本人可读。", "Only you can read the keys.")
    return HealthFinding(
        name="secrets_file",
        severity="warning",
        message="密钥文件 secrets.toml 可以被本机的其他用户读取。",
        remedy="点“修复”会收紧它的权限。",
        repairable=True,
        message_en="Other users of this computer can read secrets.toml.",
        remedy_en="Repair tightens its permissions.",
    )


def tighten_secrets(installation: Installation) -> None:
    """Let the owner alone read the keys."""
    (installation.data / "secrets.toml").chmod(stat.S_IRUSR | stat.S_IWUSR)


def _all_documents(installation: Installation) -> list[DocumentInfo]:
    table = schema.knowledge_bases
    with installation.catalog.database.read() as connection:
        kb_ids = list(connection.execute(sa.select(table.c.id)).scalars())
    return installation.catalog.documents.list(kb_ids)


PLACE_CHECKS = (
    Check(database),
    Check(stray_files, remove_strays),
    Check(missing_files),
    Check(stuck_jobs, release_stuck),
    Check(lock_file),
    Check(disk_space),
    Check(model_files),
    Check(secrets_file, tighten_secrets),
)
