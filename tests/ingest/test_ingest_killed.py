"""A kill of the process at any point of the chain: the next start resumes or rolls back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ingest_world import BigramEmbedder, World, close_world, open_world

from rag.ingest.edits import with_text

OLD = "# 办法\n\n第一条 博士每月2000元。\n\n第二条 硕士每月1500元。\n\n第三条 本科每月1000元。\n"
NEW = OLD.replace("1500", "1800")


def killed_at(data: Path, kb: str, point: str, action: str, subject: str) -> None:
    """Run a process until the point, and kill it there."""
    script = str(Path(__file__).with_name("ingest_killed.py"))
    child = subprocess.Popen(
        [sys.executable, script, str(data), kb, point, action, subject],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "here\n", point
    child.kill()
    child.wait()


def resumed(data: Path, kb: str) -> World:
    """The installation after a start that finished what was left."""
    world = open_world(data, BigramEmbedder(), kb)
    waiting = [job.id for job in world.catalog.jobs.list(active_only=True)]
    world.jobs.start()
    assert {job.status for job in world.jobs.wait(waiting, 120)} <= {"done"}
    return world


def prepared(tmp_path: Path) -> tuple[Path, str, str, Path]:
    """An installation with one document and an edit of it that is not applied yet."""
    data = tmp_path / "data"
    world = open_world(data, BigramEmbedder())
    path = world.file("办法.md", OLD)
    document_id = world.pipeline.ingest(path, world.kb, path.name).document_id or ""
    chunks = world.catalog.chunks.of_document(document_id)
    edits = with_text(chunks, (), chunks[-1].id, "第三条 改写过的规定。")
    options = world.catalog.options.get(document_id).model_copy(update={"edits": edits})
    world.catalog.options.save(document_id, options)
    close_world(world)
    path.write_text(NEW, encoding="utf-8")
    return data, world.kb, document_id, path


@pytest.mark.slow
@pytest.mark.parametrize("point", ["before read", "after upsert", "after publish"])
def test_a_replacement_is_finished_after_a_kill(tmp_path: Path, point: str) -> None:
    data, kb, document_id, path = prepared(tmp_path)
    killed_at(data, kb, point, "upload", str(path))
    world = open_world(data, BigramEmbedder(), kb)
    seen = "".join(world.chunk_texts())
    assert ("1500" in seen) != ("1800" in seen), "all of the old or all of the new"
    assert ("1800" in seen) == (point == "after publish")
    close_world(world)
    world = resumed(data, kb)
    try:
        seen = "".join(world.chunk_texts())
        assert "1800" in seen and "1500" not in seen and "改写过" in seen
        assert world.is_consistent()
        assert [d.id for d in world.catalog.documents.list([kb])] == [document_id]
        assert len(set(world.files.hashes())) == 2, "the new original and the one before it"
    finally:
        close_world(world)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "point"), [("recut", "after publish"), ("reprocess", "after upsert")]
)
def test_changes_are_finished_after_a_kill(tmp_path: Path, action: str, point: str) -> None:
    data, kb, document_id, _ = prepared(tmp_path)
    killed_at(data, kb, point, action, document_id)
    world = resumed(data, kb)
    try:
        assert "改写过" in "".join(world.chunk_texts())
        assert world.is_consistent()
    finally:
        close_world(world)


@pytest.mark.slow
def test_the_first_version_of_a_document_is_finished_after_a_kill(tmp_path: Path) -> None:
    data = tmp_path / "data"
    world = open_world(data, BigramEmbedder())
    path = world.file("办法.md", OLD)
    close_world(world)
    killed_at(data, world.kb, "after upsert", "upload", str(path))
    world = open_world(data, BigramEmbedder(), world.kb)
    assert world.chunk_texts() == []
    close_world(world)
    world = resumed(data, world.kb)
    try:
        assert len(world.chunk_texts()) == 3
        assert world.is_consistent()
    finally:
        close_world(world)
