"""Health checks of what comes in: quarantine, given-up jobs, sources, text recognition."""

from __future__ import annotations

import sqlalchemy as sa

from rag.observe.findings import Check, HealthFinding, Installation, ok, some
from rag.store import schema
from rag.store.visibility import LIVE

KEEP_VECTORS_DAYS = 90
"""Days for which vectors of texts that are no longer there are kept, for those that come back.
Chosen by us: a document of 5,000 chunks takes 4 MB."""


def _disagreeing(installation: Installation) -> list[str]:
    """Documents whose chunks are found although they are hidden, or the other way round."""
    documents, chunks = schema.documents, schema.chunks
    query = (
        sa.select(documents.c.id)
        .join(chunks, chunks.c.document_id == documents.c.id)
        .where(chunks.c.live != LIVE)
        .distinct()
        .order_by(documents.c.id)
    )
    with installation.catalog.database.read() as connection:
        return list(connection.execute(query).scalars())


def visibility(installation: Installation) -> HealthFinding:
    """Whether just what is neither hidden nor quarantined can be found."""
    wrong = _disagreeing(installation)
    if not wrong:
        return ok("visibility", "隐藏和隔离的文档都不会被检索。", "Hidden documents stay hidden.")
    return HealthFinding(
        name="visibility",
        severity="error",
        message=f"{len(wrong)} 个文档的片段与文档的隐藏或隔离状态不一致。",
        remedy="点“修复”会重新登记。",
        repairable=True,
        message_en=f"The passages of {len(wrong)} documents disagree with whether these are "
        "hidden or quarantined.",
        remedy_en="Repair records it again.",
    )


def fix_visibility(installation: Installation) -> None:
    """Record for each passage again whether it may be found."""
    installation.catalog.documents.refresh_visibility(_disagreeing(installation))


def quarantine(installation: Installation) -> HealthFinding:
    """Documents that wait for an editor's judgement."""
    table = schema.documents
    query = sa.select(table.c.name).where(table.c.status == "quarantined").order_by(table.c.name)
    with installation.catalog.database.read() as connection:
        names = list(connection.execute(query).scalars())
    if not names:
        return ok("quarantine", "没有等待处理的隔离文档。", "No documents are in quarantine.")
    return HealthFinding(
        name="quarantine",
        severity="info",
        message=f"{len(names)} 个文档因质量问题被隔离，暂时不会被检索：{some(names)}。",
        remedy="请在文档页面查看问题页面，选择接受、重新识别、排除或修改。",
        message_en=f"{len(names)} documents are in quarantine and not searched: {some(names)}.",
        remedy_en="See their pages on the documents page and accept, re-read, exclude or "
        "correct them.",
    )


def failed_jobs(installation: Installation) -> HealthFinding:
    """Jobs that were given up after all attempts."""
    jobs = installation.catalog.jobs.failed()
    if not jobs:
        return ok("failed_jobs", "没有失败的任务。", "No jobs failed.")
    names = some([job.name for job in jobs])
    return HealthFinding(
        name="failed_jobs",
        severity="info",
        message=f"{len(jobs)} 个任务失败：{names}。",
        remedy="请在文档页面查看原因，然后重试或移除。",
        message_en=f"{len(jobs)} jobs failed: {names}.",
        remedy_en="See why on the documents page, then try again or dismiss them.",
    )


def sources(installation: Installation) -> HealthFinding:
    """Folders, web pages and databases that cannot be followed."""
    failing = [s for s in installation.catalog.sources.list() if s.enabled and s.status == "failed"]
    if not failing:
        return ok("sources", "所有来源都能同步。", "All sources can be followed.")
    reasons = some([f"{source.name}（{source.error or '原因不明'}）" for source in failing])
    return HealthFinding(
        name="sources",
        severity="warning",
        message=f"{len(failing)} 个来源同步失败：{reasons}。",
        remedy="请在文档页面检查它们的地址、路径和权限。",
        message_en=f"{len(failing)} sources cannot be followed: {some([s.name for s in failing])}.",
        remedy_en="Check their addresses, paths and rights on the documents page.",
    )


def text_recognition(installation: Installation) -> HealthFinding:
    """Whether scans and pictures can be read."""
    from rag.ingest.ocr import available

    reason = available(installation.settings().ingest)
    if reason is None:
        return ok("text_recognition", "可以识别扫描件和图片。", "Scans and pictures can be read.")
    return HealthFinding(
        name="text_recognition",
        severity="info",
        message=f"扫描件和图片里的文字不会被识别：{reason}",
        remedy="需要时请在设置中打开文字识别，或安装缺少的组件。",
        message_en="The text of scans and pictures is not recognised.",
        remedy_en="Switch text recognition on in the settings, or install what is missing.",
    )


def vector_cache(installation: Installation) -> HealthFinding:
    """Kept vectors of texts that are in no use any more."""
    unused = installation.catalog.embeddings.unused(KEEP_VECTORS_DAYS)
    if not unused:
        return ok("vector_cache", "向量缓存里没有过期的内容。", "No kept vectors are out of use.")
    return HealthFinding(
        name="vector_cache",
        severity="info",
        message=f"向量缓存里有 {unused} 条超过 {KEEP_VECTORS_DAYS} 天没有用到，只占磁盘空间。",
        remedy="点“修复”即可清除，需要时会重新计算。",
        repairable=True,
        message_en=f"{unused} kept vectors were not used for {KEEP_VECTORS_DAYS} days and only "
        "take space.",
        remedy_en="Repair removes them; they are computed again when needed.",
    )


def prune_vectors(installation: Installation) -> None:
    """Forget kept vectors that are out of use."""
    installation.catalog.embeddings.prune(KEEP_VECTORS_DAYS)


CONTENT_CHECKS = (
    Check(visibility, fix_visibility),
    Check(quarantine),
    Check(failed_jobs),
    Check(sources),
    Check(text_recognition),
    Check(vector_cache, prune_vectors),
)
