"""Health checks that compare the vector store and the statistics with the catalog."""

from __future__ import annotations

import sqlalchemy as sa

from rag.observe.findings import Check, HealthFinding, Installation, ok
from rag.store import schema


def _busy(installation: Installation) -> set[str]:
    """Knowledge bases that are being written to; their differences are not faults."""
    return {job.kb_id for job in installation.catalog.jobs.list(active_only=True)}


def _known(installation: Installation) -> dict[str, str]:
    return {kb.id: kb.name for kb in installation.catalog.knowledge_bases.list()}


def orphans(installation: Installation) -> dict[str, set[str]]:
    """Knowledge base → ids of vectors that belong to no searchable chunk: those of hidden and
    quarantined documents, and of chunks that are switched off, are among them."""
    found: dict[str, set[str]] = {}
    chunks, vectors = installation.catalog.chunks, installation.vectors
    known, busy = _known(installation), _busy(installation)
    for kb_id in vectors.kb_ids() - busy:
        # In this order, a document that is published or deleted meanwhile is no orphan.
        before = chunks.searchable_ids(kb_id)
        extra = vectors.chunk_ids(kb_id) - before - chunks.searchable_ids(kb_id)
        if extra or kb_id not in known:
            found[kb_id] = extra
    return {kb_id: extra for kb_id, extra in found.items() if kb_id not in _busy(installation)}


def missing(installation: Installation) -> dict[str, set[str]]:
    """Knowledge base → ids of searchable chunks that have no vectors."""
    found: dict[str, set[str]] = {}
    chunks, vectors = installation.catalog.chunks, installation.vectors
    busy = _busy(installation)
    for kb_id in _known(installation).keys() - busy:
        before = chunks.searchable_ids(kb_id)
        lacking = (before - vectors.chunk_ids(kb_id)) & chunks.searchable_ids(kb_id)
        if lacking:
            found[kb_id] = lacking
    return found


def orphan_vectors(installation: Installation) -> HealthFinding:
    """Vectors without a chunk: they cost time and space but are never shown."""
    found = orphans(installation)
    count = sum(len(ids) for ids in found.values())
    if not found:
        return ok("orphan_vectors", "没有多余的向量。", "No vectors without a passage.")
    return HealthFinding(
        name="orphan_vectors",
        severity="warning",
        message=f"向量库里有 {count} 条多余的向量（{len(found)} 个知识库），回答不会用到。",
        remedy="点“修复”即可清除。",
        repairable=True,
        message_en=f"{count} vectors in {len(found)} knowledge bases belong to no passage; "
        "answers never use them.",
        remedy_en="Repair removes them.",
    )


def remove_orphans(installation: Installation) -> None:
    """Delete vectors without a chunk, and all of deleted knowledge bases."""
    known = _known(installation)
    for kb_id, ids in orphans(installation).items():
        if kb_id in known:
            installation.vectors.delete_chunks(sorted(ids), kb_id)
        else:
            installation.vectors.delete_kb(kb_id)


def missing_vectors(installation: Installation) -> HealthFinding:
    """Chunks without vectors: they cannot be found."""
    found = missing(installation)
    if not found:
        return ok("missing_vectors", "所有片段都有向量。", "All passages have vectors.")
    names = _known(installation)
    where = "、".join(f"“{names.get(kb_id, kb_id)}”" for kb_id in sorted(found)[:3])
    count = sum(len(ids) for ids in found.values())
    return HealthFinding(
        name="missing_vectors",
        severity="error",
        message=f"{where}里有 {count} 个片段缺少向量，检索不到。",
        remedy="点“修复”会重新计算，数量多时需要一些时间。",
        repairable=True,
        message_en=f"{count} passages in {where} have no vectors and cannot be found.",
        remedy_en="Repair computes them again, which may take a while.",
    )


def embed_missing(installation: Installation) -> None:
    """Embed the knowledge bases with missing vectors again."""
    for kb_id in sorted(missing(installation)):
        installation.rebuilder.rebuild(kb_id)


def _wrong_counts(installation: Installation) -> list[tuple[str, int]]:
    documents, chunks = schema.documents, schema.chunks
    real = sa.func.count(chunks.c.id)
    query = (
        sa.select(documents.c.id, real)
        .outerjoin(chunks, chunks.c.document_id == documents.c.id)
        .group_by(documents.c.id, documents.c.chunk_count)
        .having(real != documents.c.chunk_count)
    )
    with installation.catalog.database.read() as connection:
        return [(row[0], int(row[1])) for row in connection.execute(query)]


def chunk_counts(installation: Installation) -> HealthFinding:
    """Whether the counts on the documents page are the real ones."""
    wrong = _wrong_counts(installation)
    if not wrong:
        return ok("chunk_counts", "片段数量正确。", "Passage counts are right.")
    return HealthFinding(
        name="chunk_counts",
        severity="warning",
        message=f"{len(wrong)} 个文档登记的片段数量不对。",
        remedy="点“修复”会重新统计。",
        repairable=True,
        message_en=f"{len(wrong)} documents show a wrong number of passages.",
        remedy_en="Repair counts them again.",
    )


def fix_chunk_counts(installation: Installation) -> None:
    """Write the real counts."""
    with installation.catalog.database.write() as connection:
        for document_id, count in _wrong_counts(installation):
            connection.execute(
                schema.documents.update()
                .where(schema.documents.c.id == document_id)
                .values(chunk_count=count)
            )


def keyword_statistics(installation: Installation) -> HealthFinding:
    """Whether the document frequencies of the keyword search agree with the chunks."""
    lexical = installation.catalog.lexical
    if not lexical.is_right():
        return HealthFinding(
            name="keyword_statistics",
            severity="warning",
            message="关键词统计与片段不一致，关键词检索的排序可能不准。",
            remedy="点“修复”会重新统计。",
            repairable=True,
            message_en="Keyword statistics disagree with the passages; rankings may suffer.",
            remedy_en="Repair counts them again.",
        )
    return ok("keyword_statistics", "关键词统计正确。", "Keyword statistics are right.")


def recount_keywords(installation: Installation) -> None:
    """Count the document frequencies again from the chunks' terms."""
    installation.catalog.lexical.recount()


def tokeniser(installation: Installation) -> HealthFinding:
    """Whether the index was cut into words by this version's rules."""
    from rag.text.tokenise import TOKENISER_VERSION

    used = installation.catalog.lexical.tokeniser
    if used in ("", TOKENISER_VERSION):
        return ok("tokeniser", "分词规则与索引一致。", "The index follows this version's words.")
    return HealthFinding(
        name="tokeniser",
        severity="warning",
        message="程序的分词规则更新了，索引还是旧的，关键词检索可能不准。",
        remedy="点“修复”会重新计算全部片段，数量多时需要一些时间；期间可以照常提问。",
        repairable=True,
        message_en="This version cuts text into words differently from the index.",
        remedy_en="Repair computes all passages again, which may take a while.",
    )


def retokenise(installation: Installation) -> None:
    """Count and embed everything again with this version's words."""
    from rag.ingest.embed import token_lists
    from rag.text.tokenise import TOKENISER_VERSION

    catalog = installation.catalog
    lists = (
        (chunk.id, tokens)
        for batch in catalog.chunks.walk()
        for chunk, tokens in zip(batch, token_lists(batch), strict=True)
    )
    catalog.lexical.retokenise(lists, TOKENISER_VERSION)
    for kb_id in _known(installation):
        installation.rebuilder.rebuild(kb_id)


def other_embedders(installation: Installation) -> HealthFinding:
    """Vectors of embedders that are not in use."""
    stale = installation.vectors.stale()
    if not stale:
        return ok("other_embedders", "没有旧模型的向量。", "No vectors of other embedders.")
    return HealthFinding(
        name="other_embedders",
        severity="info",
        message=f"还保留着其他向量模型的 {len(stale)} 组向量，只占磁盘空间。",
        remedy="换回原来的模型时可以直接使用。",
        message_en=f"{len(stale)} collections of other embedders are kept; they only take space.",
        remedy_en="They are used again when you switch back.",
    )


INDEX_CHECKS = (
    Check(orphan_vectors, remove_orphans),
    Check(missing_vectors, embed_missing),
    Check(chunk_counts, fix_chunk_counts),
    Check(keyword_statistics, recount_keywords),
    Check(tokeniser, retokenise),
    Check(other_embedders),
)
