import os
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from rag.errors import StoreError
from rag.ingest.files import FileStore
from rag.observe.findings import Check
from rag.observe.health import CHECKS, Doctor
from rag.store.catalog import Catalog
from rag.store.lock import DirectoryLock
from rag.store.vectors import VectorRow, VectorStore
from rag.text.tokenise import TOKENISER_VERSION
from rag.types import Chunk, Document, Page

DIMENSION = 4


class Clock:
    def __init__(self):
        self.time = datetime.now(UTC)

    def __call__(self):
        return self.time

    def forward(self, **amount):
        self.time += timedelta(**amount)


class Place:
    """A small real installation with one document of three chunks."""

    def __init__(self, data: Path) -> None:
        self.data, self.clock, self.free = data, Clock(), 100 << 30
        self.catalog = Catalog(data / "catalog.sqlite", self.clock)
        self.vectors = VectorStore(str(data / "vectors.db"))
        self.vectors.open("embedder", DIMENSION)
        self.files = FileStore(data)
        source = data / "upload.txt"
        source.write_text("年假五天")
        self.file = self.files.put(source)
        self.kb = self.catalog.knowledge_bases.create("人事手册")
        self.document = self.catalog.documents.create(
            self.kb.id, "手册.txt", self.file.sha256, self.file.size, "text/plain", None
        )
        chunks = [
            Chunk(
                id=f"{self.document.id}-1-{number}",
                document_id=self.document.id,
                kb_id=self.kb.id,
                ordinal=number,
                text=f"片段{number}",
            )
            for number in range(3)
        ]
        self.catalog.documents.publish(
            self.document.id,
            1,
            Document(
                name="手册.txt",
                media_type="text/plain",
                sha256=self.file.sha256,
                pages=(Page(number=1),),
            ),
            chunks,
            token_lists=[["片段", str(number)] for number in range(3)],
            tokeniser=TOKENISER_VERSION,
        )
        self.rebuild(self.kb.id)
        self.doctor = Doctor(
            self.catalog,
            self.vectors,
            self.files,
            self,
            data,
            now=self.clock,
            free_bytes=lambda path: self.free,
        )

    def rebuild(self, kb_id: str | None = None) -> int:
        batches = list(self.catalog.chunks.walk(kb_id, searchable=True))
        rows = [self.row(chunk.id, chunk.kb_id) for batch in batches for chunk in batch]
        self.vectors.upsert(rows)
        return len(rows)

    def row(self, chunk_id: str, kb_id: str) -> VectorRow:
        return VectorRow(
            chunk_id=chunk_id,
            kb_id=kb_id,
            document_id=chunk_id.split("-")[0],
            access=kb_id,
            region="",
            year=0,
            document_type="",
            organisation="",
            product="",
            dense=np.ones(DIMENSION),
            sparse={1: 1.0},
        )

    def finding(self, name: str):
        return next(f for f in self.doctor.check() if f.name == name)

    def close(self) -> None:
        self.vectors.close()
        self.catalog.close()


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.close()


def test_a_sound_installation_has_nothing_to_complain_of(place):
    findings = place.doctor.check()
    assert {f.name for f in findings} == {check.look.__name__ for check in CHECKS}
    assert [f for f in findings if f.severity not in ("ok", "info")] == []
    assert all(f.message and f.message_en for f in findings)


def add_orphan(place):
    place.vectors.upsert([place.row("gone-1-0", place.kb.id)])


def add_orphan_base(place):
    place.vectors.upsert([place.row("gone-1-0", "kb_deleted")])


def lose_vectors(place):
    place.vectors.delete_chunks([f"{place.document.id}-1-1"], place.kb.id)


def spoil_counts(place):
    with place.catalog.database.write() as connection:
        connection.exec_driver_sql("UPDATE documents SET chunk_count = 99")


def spoil_keywords(place):
    place.catalog.lexical.add([["多余"]])


def age_the_tokeniser(place):
    with place.catalog.database.write() as connection:
        connection.exec_driver_sql("UPDATE lexical_totals SET tokeniser = 'old'")


def leave_a_file(place):
    source = place.data / "stray.txt"
    source.write_text("没有文档的文件")
    stored = place.files.put(source)
    old = (place.clock() - timedelta(hours=2)).timestamp()
    os.utime(stored.path, (old, old))


def leave_a_job(place):
    job = place.catalog.jobs.create(place.kb.id, "慢.pdf")
    place.catalog.jobs.update(job.id, status="running", stage="embed")
    place.clock.forward(hours=1)


def leave_a_document(place):
    place.catalog.documents.create(place.kb.id, "半.pdf", "b" * 64, 1, "application/pdf", None)
    place.clock.forward(hours=1)


def hide_behind_our_back(place):
    with place.catalog.database.write() as connection:
        connection.exec_driver_sql("UPDATE documents SET hidden = 1")


def keep_vectors_of_a_hidden_document(place):
    place.catalog.documents.set_hidden([place.document.id], True)


def leave_an_odd_file(place):
    path = place.data / "files" / "ab" / "页面.part"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    path.with_name("坏链接").symlink_to(place.data / "nowhere")
    old = (place.clock() - timedelta(hours=2)).timestamp()
    os.utime(path, (old, old))


def leave_a_published_document_at_work(place):
    place.catalog.documents.set_status(place.document.id, "processing")
    place.clock.forward(hours=1)


def open_secrets(place):
    path = place.data / "secrets.toml"
    path.write_text("")
    path.chmod(0o644)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("orphan_vectors", add_orphan),
        ("orphan_vectors", add_orphan_base),
        ("missing_vectors", lose_vectors),
        ("chunk_counts", spoil_counts),
        ("keyword_statistics", spoil_keywords),
        ("tokeniser", age_the_tokeniser),
        ("stray_files", leave_a_file),
        ("stray_files", leave_an_odd_file),
        ("visibility", hide_behind_our_back),
        ("orphan_vectors", keep_vectors_of_a_hidden_document),
        ("stuck_jobs", leave_a_published_document_at_work),
        ("stuck_jobs", leave_a_job),
        ("stuck_jobs", leave_a_document),
        ("secrets_file", open_secrets),
    ],
)
def test_faults_are_found_and_mended(place, name, spoil):
    spoil(place)
    found = place.finding(name)
    assert found.severity in ("warning", "error")
    assert found.repairable
    assert found.remedy
    repaired = next(f for f in place.doctor.repair() if f.name == name)
    assert repaired.severity == "ok"
    assert place.finding(name).severity == "ok"
    assert place.vectors.chunk_ids(place.kb.id) == place.catalog.chunks.searchable_ids(place.kb.id)
    assert place.files.has(place.file.sha256)


def test_vectors_that_nobody_uses_are_cleared(place):
    place.catalog.embeddings.put("e", {"a": np.ones(DIMENSION)})
    place.clock.forward(days=91)
    assert place.finding("vector_cache").severity == "info"
    place.doctor.repair()
    assert place.catalog.embeddings.count() == 0


def test_work_under_way_is_not_a_fault(place):
    job = place.catalog.jobs.create(place.kb.id, "新.pdf")
    place.catalog.jobs.update(job.id, status="running")
    add_orphan(place)
    assert place.finding("orphan_vectors").severity == "ok"
    assert place.finding("stuck_jobs").severity == "ok"
    place.doctor.repair()
    assert "gone-1-0" in place.vectors.chunk_ids(place.kb.id)


def test_a_file_that_a_failed_job_needs_for_a_retry_is_kept(place):
    leave_a_file(place)
    stray = next(h for h in place.files.hashes() if h != place.file.sha256)
    job = place.catalog.jobs.create(
        place.kb.id, "锁.pdf", payload={"path": str(place.files.path(stray))}
    )
    place.catalog.jobs.update(job.id, status="failed")
    place.doctor.repair()
    assert place.files.has(stray)


def test_originals_of_earlier_versions_are_kept(place):
    leave_a_file(place)
    earlier = next(h for h in place.files.hashes() if h != place.file.sha256)
    with place.catalog.database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO versions SELECT document_id, 0, ?, 1, 1, published_at, name, size, 1 "
            "FROM versions",
            (earlier,),
        )
    assert place.finding("stray_files").severity == "ok"
    place.doctor.repair()
    assert place.files.has(earlier)


def test_hidden_and_quarantined_documents_lack_nothing(place):
    place.catalog.documents.set_status(place.document.id, "quarantined")
    place.vectors.delete_document(place.document.id, place.kb.id)
    found = {finding.name: finding for finding in place.doctor.check()}
    assert found["missing_vectors"].severity == "ok"
    assert found["orphan_vectors"].severity == "ok"
    assert (found["quarantine"].severity, "手册.txt" in found["quarantine"].message) == (
        "info",
        True,
    )


def test_a_stuck_document_in_quarantine_stays_there(place):
    with place.catalog.database.write() as connection:
        connection.exec_driver_sql("""UPDATE documents SET quality = '{"status":"quarantined"}'""")
    place.catalog.documents.set_status(place.document.id, "processing")
    place.clock.forward(hours=1)
    place.doctor.repair()
    assert place.catalog.documents.get(place.document.id).status == "quarantined"


def test_failing_sources_and_given_up_jobs_are_named_with_their_reason(place):
    catalog = place.catalog
    source = catalog.sources.create(place.kb.id, "web", "官网", {})
    catalog.sources.update(source.id, status="failed", error="网址连不上。")
    assert "官网（网址连不上。）" in place.finding("sources").message
    assert place.finding("sources").severity == "warning"
    catalog.sources.update(source.id, enabled=False)
    assert place.finding("sources").severity == "ok"
    job = catalog.jobs.create(place.kb.id, "坏.pdf")
    catalog.jobs.update(job.id, status="failed", error="文件坏了。")
    assert "坏.pdf" in place.finding("failed_jobs").message


def test_switched_off_text_recognition_is_told(place):
    place.catalog.settings.save("ingest", {"ocr": "off"})
    finding = place.finding("text_recognition")
    assert finding.severity == "info"
    assert "关闭" in finding.message


def test_a_lost_original_is_named(place):
    place.files.remove(place.file.sha256)
    found = place.finding("missing_files")
    assert found.severity == "warning"
    assert "手册.txt" in found.message


@pytest.mark.parametrize(
    ("free", "severity"), [(50 << 30, "ok"), (1 << 30, "warning"), (100 << 20, "error")]
)
def test_disk_space(place, free, severity):
    place.free = free
    assert place.finding("disk_space").severity == severity


def test_a_damaged_database_is_an_error(place):
    with sqlite3.connect(place.data / "catalog.sqlite") as raw:
        raw.execute("INSERT INTO pages (document_id, number, page) VALUES ('no one', 1, '{}')")
    assert place.finding("database").severity == "error"


def test_the_lock_of_another_process_is_an_error(place):
    lock = DirectoryLock(place.data)
    lock.acquire()
    assert place.finding("lock_file").severity == "ok"
    lock.path.write_text('{"pid": 1, "host": "x", "started": ""}')
    assert "进程 1" in place.finding("lock_file").message
    lock.release()


def test_a_failing_check_is_a_finding_and_does_not_stop_the_others(place):
    def people_error(installation):
        raise StoreError("打不开。", "请重试。")

    def bug(installation):
        raise KeyError("x")

    checks = (Check(people_error), Check(bug), CHECKS[0])
    doctor = Doctor(place.catalog, place.vectors, place.files, place, place.data, checks=checks)
    found = doctor.repair()
    assert [(f.name, f.severity) for f in found] == [
        ("people_error", "error"),
        ("bug", "error"),
        ("database", "ok"),
    ]
    assert found[0].message == "打不开。"
