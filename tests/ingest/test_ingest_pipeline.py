from __future__ import annotations

import errno
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ingest_inputs import A4, docx, jsonl, numbered, numbering, pdf, write, xlsx
from ingest_world import BigramEmbedder, World

from rag.errors import ModelUnavailable, StoreError
from rag.ingest.embed import embed_chunks
from rag.text.normalise import is_han
from rag.types import Chunk, DocumentMetadata, JobStage, SearchFilter

POLICY = """# 北京市人才补贴办法（2024年）

第一条 博士每月{0}元。

第二条 硕士每月1500元。

第三条 略。
"""


def ingest(world: World, path: Path, name: str | None = None, **options: Any) -> Any:
    return world.pipeline.ingest(path, world.kb, name or path.name, **options)


def test_a_document_is_indexed_with_its_metadata(world: World) -> None:
    result = ingest(world, world.file("办法.md", POLICY.format(2000)))
    assert (result.status, result.pages, result.chunks) == ("indexed", 1, 3)
    info = world.catalog.documents.get(result.document_id)
    assert (info.status, info.version, info.chunk_count) == ("indexed", 1, 3)
    assert info.title == "北京市人才补贴办法（2024年）"
    assert (info.metadata.region, info.metadata.year) == ("北京", 2024)
    assert world.is_consistent()
    chunk = world.catalog.chunks.list(info.id)[1]
    assert re.fullmatch(rf"{info.id}-[0-9a-f]{{16}}", chunk.id)
    assert chunk.metadata.region == "北京"
    assert chunk.document_name == "办法.md"
    assert chunk.access == world.kb


def test_vectors_can_be_filtered_by_what_was_found(world: World) -> None:
    ingest(world, world.file("a.md", POLICY.format(2000)))
    ingest(world, world.file("b.md", POLICY.format(3000).replace("北京市", "上海市")))
    vector = world.embedder.embed_queries(["博士每月多少"])[0]
    wanted = SearchFilter(kb_ids=(world.kb,), regions=("上海",), years=(2024, 2024))
    found = [i for i, _ in world.vectors.search_dense(vector, wanted, 10)]
    assert found
    assert all(
        "3000" in c.text or c.metadata.region == "上海"
        for c in world.catalog.chunks.get(found).values()
    )


def test_the_same_content_again_is_a_duplicate(world: World) -> None:
    first = ingest(world, world.file("a.md", "年假为五天。"))
    again = ingest(world, world.file("另一个名字.md", "年假为五天。"))
    assert again.status == "duplicate"
    assert again.document_id == first.document_id
    assert len(world.catalog.documents.list([world.kb])) == 1


def test_the_same_content_at_the_same_time_is_one_document(world: World) -> None:
    path = world.file("a.md", "年假为五天。" * 50)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda n: ingest(world, path, f"{n}.md"), range(4)))
    assert sorted(r.status for r in results) == ["duplicate"] * 3 + ["indexed"]
    assert len(world.catalog.documents.list([world.kb])) == 1


def test_the_same_content_in_another_knowledge_base_is_another_document(world: World) -> None:
    path = world.file("a.md", "年假为五天。")
    other = world.catalog.knowledge_bases.create("另一个").id
    assert ingest(world, path).status == "indexed"
    assert world.pipeline.ingest(path, other, "a.md").status == "indexed"


def test_a_new_version_replaces_the_old_one(world: World) -> None:
    first = ingest(world, world.file("办法.md", POLICY.format(2000)))
    old_file = world.catalog.documents.get(first.document_id).sha256
    second = ingest(world, world.file("办法.md", POLICY.format(2800)))
    assert second.status == "replaced"
    assert second.document_id == first.document_id
    info = world.catalog.documents.get(first.document_id)
    assert info.version == 2
    assert any("2800" in text for text in world.chunk_texts())
    assert not any("2000" in text for text in world.chunk_texts())
    assert world.is_consistent()
    assert world.files.has(old_file)  # kept for restoring
    assert world.files.has(info.sha256)


@pytest.mark.parametrize("when", ["embed", "store", "publish"])
def test_a_failing_new_version_leaves_the_old_one_whole(
    world: World, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    ingest(world, world.file("办法.md", POLICY.format(2000)))
    before = world.chunk_texts()

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if when == "embed":
        world.embedder.error = ModelUnavailable("模型没有响应。", "请稍后重试。")
    elif when == "store":
        monkeypatch.setattr(world.vectors, "upsert", fail)
    else:
        monkeypatch.setattr(world.catalog.documents, "publish", fail)
    result = ingest(world, world.file("办法.md", POLICY.format(2800)))
    assert result.status == "failed"
    assert ("模型没有响应" if when == "embed" else "磁盘空间不足") in result.error
    assert world.chunk_texts() == before
    assert world.is_consistent()
    (info,) = world.catalog.documents.list([world.kb])
    assert (info.status, info.version) == ("indexed", 1)


@pytest.mark.parametrize(
    "stage", ["parse", "clean", "quality", "chunk", "describe", "embed", "store"]
)
def test_cancelling_leaves_nothing_behind(world: World, stage: JobStage) -> None:
    seen: list[JobStage] = []
    result = ingest(
        world,
        world.file("办法.md", POLICY.format(2000)),
        progress=lambda now, _: seen.append(now),
        cancelled=lambda: seen[-1:] == [stage],
    )
    assert result.status == "cancelled"
    assert world.chunk_texts() == []
    assert world.vectors.chunk_ids(world.kb) == set()
    assert [d.status for d in world.catalog.documents.list([world.kb])] == ["cancelled"]


def test_cancelling_between_embedding_batches(world: World) -> None:
    text = "\n\n".join(f"第{n}条 内容{n}。" for n in range(1, 101))
    result = ingest(
        world,
        world.file("长.md", text),
        cancelled=lambda: len(world.embedder.batches) == 2,
    )
    assert result.status == "cancelled"
    assert len(world.embedder.batches) == 2


def test_stages_are_reported_in_order(world: World) -> None:
    seen: list[tuple[JobStage, float]] = []
    ingest(
        world,
        world.file("办法.md", POLICY.format(2000)),
        progress=lambda stage, share: seen.append((stage, share)),
    )
    stages = list(dict.fromkeys(stage for stage, _ in seen))
    assert stages == [
        "inspect", "parse", "clean", "quality", "chunk", "describe", "embed", "store",
    ]  # fmt: skip
    assert all(0 <= share <= 1 for _, share in seen)


def scan(folder: Path) -> Path:
    import pymupdf

    picture = pymupdf.Pixmap(pymupdf.csGRAY, (0, 0, 100, 140))
    picture.clear_with(180)
    return pdf(folder / "扫描件.pdf", lambda page: page.insert_image((0, 0, *A4), pixmap=picture))


@pytest.mark.parametrize(
    ("make", "status", "says"),
    [
        (scan, "failed", "没有文字层"),
        (lambda f: (f / "空白.txt").write_text(" \n ") and f / "空白.txt", "failed", "只有空白"),
        (lambda f: (f / "a.pdf").write_bytes(b"%PDF-1.4 x") and f / "a.pdf", "failed", "已损坏"),
        (
            lambda f: pdf(
                f / "密.pdf", lambda p: write(p, 72, 99, "密"), encryption=4, user_pw="x"
            ),
            "needs_password",
            "需要密码",
        ),
    ],
)
def test_bad_files_fail_with_a_reason(
    world: World, tmp_path: Path, make: Callable[[Path], Path], status: str, says: str
) -> None:
    result = ingest(world, make(tmp_path))
    assert result.status == "failed"
    assert says in result.error
    assert result.chunks == 0
    (info,) = world.catalog.documents.list([world.kb])
    assert (info.status, info.id) == (status, result.document_id)
    assert says in (info.error or "")
    assert info.error is not None and info.error.en == result.error.en
    assert info.error.en and not any(map(is_han, info.error.en.replace(info.name, "")))


def test_a_password_can_be_given_afterwards(world: World, tmp_path: Path) -> None:
    path = pdf(
        tmp_path / "密.pdf", lambda p: write(p, 72, 99, "机密年假规定"), encryption=4, user_pw="x"
    )
    assert ingest(world, path).status == "failed"
    assert ingest(world, path, password="y").status == "failed"
    assert ingest(world, path, password="x").status == "indexed"
    assert [d.status for d in world.catalog.documents.list([world.kb])] == ["indexed"]


def test_a_corrected_file_takes_the_place_of_the_failed_one(world: World) -> None:
    assert ingest(world, world.file("a.txt", "  ")).status == "failed"
    assert ingest(world, world.file("a.txt", "现在有内容了。")).status == "indexed"
    assert [d.name for d in world.catalog.documents.list([world.kb])] == ["a.txt"]


def test_a_name_of_85_chinese_characters(world: World) -> None:
    name = "长" * 85 + ".txt"
    result = world.pipeline.ingest(world.file("a.txt", "内容。"), world.kb, name)
    assert world.catalog.documents.get(result.document_id).name == name


def test_all_formats_end_as_chunks(world: World, tmp_path: Path) -> None:
    def articles(document: Any) -> None:
        made = numbering(document, [("chineseCounting", "第%1条")])
        for n in range(1, 10):
            numbered(document, f"规定{n}。", made)

    paths = [
        pdf(tmp_path / "a.pdf", lambda p: write(p, 72, 100, "PDF里的年假规定。")),
        docx(tmp_path / "b.docx", articles),
        xlsx(
            tmp_path / "c.xlsx",
            lambda w: [w.active.append(r) for r in (["城市", "元"], ["北京", 450])],
        ),
        world.file("d.html", "<html><body><p>网页里的规定。</p></body></html>"),
        world.file("e.csv", "型号,价格\nABC-123,99\n"),
        jsonl(tmp_path / "f.jsonl", {"id": "r1", "text": "记录一。", "metadata": {"year": 2023}}),
    ]
    assert [ingest(world, path).status for path in paths] == ["indexed"] * 6
    found = "\n".join(world.chunk_texts())
    for text in (
        "PDF里的年假规定",
        "第三条 规定3",
        "城市：北京；元：450",
        "网页里的规定",
        "ABC-123",
    ):
        assert text in found
    chunks = [c for batch in world.catalog.chunks.walk(world.kb) for c in batch]
    record = next(c for c in chunks if c.record_id == "r1")
    assert record.metadata.year == 2023
    assert world.is_consistent()


def test_deleting_a_document_removes_everything(world: World) -> None:
    keep = ingest(world, world.file("a.md", "甲文档。"))
    gone = ingest(world, world.file("b.md", "乙文档。"))
    sha256 = world.catalog.documents.get(gone.document_id).sha256
    world.pipeline.delete_document(gone.document_id)
    assert world.chunk_texts() == ["甲文档。"]
    assert world.is_consistent()
    assert not world.files.has(sha256)
    assert world.files.has(world.catalog.documents.get(keep.document_id).sha256)


def test_a_file_that_two_knowledge_bases_share_outlives_one_of_them(world: World) -> None:
    path = world.file("a.md", "共同的文档。")
    other = world.catalog.knowledge_bases.create("另一个").id
    first = ingest(world, path)
    world.pipeline.ingest(path, other, "a.md")
    sha256 = world.catalog.documents.get(first.document_id).sha256
    world.pipeline.delete_kb(other)
    assert world.files.has(sha256)
    world.pipeline.delete_kb(world.kb)
    assert not world.files.has(sha256)
    assert world.vectors.count() == 0


def test_rebuilding_restores_lost_vectors(world: World) -> None:
    ingest(world, world.file("办法.md", POLICY.format(2000)))
    world.vectors.delete_kb(world.kb)
    assert not world.is_consistent()
    shares: list[float] = []
    assert world.pipeline.rebuild(world.kb, shares.append) == 3
    assert world.is_consistent()
    assert shares[-1] == 1.0


def test_changing_the_embedder_switches_at_the_end(world: World) -> None:
    ingest(world, world.file("办法.md", POLICY.format(2000)))
    other = BigramEmbedder(dimension=32)
    used: list[str] = []
    assert world.pipeline.change_embedder(other, activate=lambda: used.append("other")) == 3
    assert used == ["other"]
    assert world.is_consistent()
    found = world.vectors.search_dense(
        other.embed_queries(["博士"])[0], SearchFilter(kb_ids=(world.kb,)), 3
    )
    assert len(found) == 3
    assert world.vectors.stale() == []


def test_long_records_are_embedded_to_their_end() -> None:
    embedder = BigramEmbedder()
    text = "甲乙丙丁。" * 60 + "独角兽在最后。"
    chunk = Chunk(
        id="c",
        document_id="d",
        kb_id="k",
        ordinal=0,
        text=text,
        metadata=DocumentMetadata(title="题"),
    )
    vector = embed_chunks([chunk], embedder, lambda _: None)[0]
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
    start = embedder.embed_queries([text[:200]])[0]
    target = embedder.embed_queries(["独角兽在最后。"])[0]
    assert vector @ target > start @ target


def test_a_nameless_file_gets_a_name(world: World) -> None:
    result = ingest(world, world.file("a.md", "门禁密码每季度更换。"), name=" \x00")
    assert (result.status, result.name) == ("indexed", "未命名文件")
    assert world.catalog.documents.get(result.document_id).name == "未命名文件"


def test_a_name_that_is_no_valid_text_can_be_stored(world: World) -> None:
    result = ingest(world, world.file("a.md", "门禁密码每季度更换。"), name="\udcce\udcc4.md")
    assert (result.status, result.name) == ("indexed", "\ufffd\ufffd.md")


def test_a_new_version_counts_even_when_the_old_one_cannot_be_cleared_away(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("向量库出错了。")

    world.pipeline.ingest(world.file("a.txt", "年假五天。"), world.kb, "a.txt")
    monkeypatch.setattr(world.vectors, "delete_chunks", fail)
    result = world.pipeline.ingest(world.file("a.txt", "年假十天。"), world.kb, "a.txt")
    assert result.status == "replaced"
    assert world.chunk_texts() == ["年假十天。"]


def test_what_is_deleted_during_a_rebuild_leaves_no_vectors(world: World) -> None:
    texts = {f"{n}.txt": f"第{n}份文件。" for n in range(3)}
    ids = [
        world.pipeline.ingest(world.file(name, text), world.kb, name).document_id
        for name, text in texts.items()
    ]

    class Deleting(BigramEmbedder):
        def embed_passages(self, texts: Sequence[str], progress: object = None) -> np.ndarray:
            if ids:
                world.pipeline.delete_document(ids.pop())
            return super().embed_passages(texts, progress)

    world.pipeline.change_embedder(Deleting(dimension=32))
    assert len(world.catalog.documents.list([world.kb])) == 2
    assert world.is_consistent()
