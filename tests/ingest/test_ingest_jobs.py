from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from ingest_inputs import pdf, write
from ingest_world import BigramEmbedder, World, close_world, open_world

from rag.errors import InvalidInput, ModelUnavailable, StoreError, StoreLocked
from rag.ingest import job_run
from rag.ingest import jobs as module
from rag.ingest.jobs import JobQueue


def submit(world: World, name: str, text: str) -> str:
    return world.jobs.submit(world.file(name, text), world.kb, name, "甲").id


def statuses(world: World, ids: list[str], timeout: float = 60) -> list[str]:
    return [job.status for job in world.jobs.wait(ids, timeout)]


def wait_for(world: World, job_id: str, status: str) -> None:
    deadline = time.monotonic() + 60
    while world.catalog.jobs.get(job_id).status != status:
        assert time.monotonic() < deadline, world.catalog.jobs.get(job_id)
        time.sleep(0.02)


def test_jobs_run_in_the_background(world: World) -> None:
    world.jobs.start()
    job_id = submit(world, "a.txt", "年假五天。")
    assert statuses(world, [job_id]) == ["done"]
    job = world.catalog.jobs.get(job_id)
    assert (job.stage, job.progress, job.attempts) == ("store", 1.0, 1)
    info = world.catalog.documents.get(job.document_id or "")
    assert (info.name, info.uploaded_by) == ("a.txt", "甲")


def test_twenty_files_at_once_with_bad_ones_among_them(world: World) -> None:
    world.jobs.start()
    contents = [("   " if n % 5 == 0 else f"第{n}份文件的内容。") for n in range(20)]
    ids = [submit(world, f"{n}.txt", text) for n, text in enumerate(contents)]
    expected = ["failed" if n % 5 == 0 else "done" for n in range(20)]
    assert statuses(world, ids, 40) == expected
    assert sorted(world.chunk_texts()) == sorted(t for t in contents if t.strip())
    for n, job_id in enumerate(ids):
        assert ("只有空白" in (world.catalog.jobs.get(job_id).error or "")) is (n % 5 == 0)


def test_two_identical_files_in_one_batch_are_one_document(world: World) -> None:
    world.jobs.start()
    ids = [submit(world, name, "一样的内容。") for name in ("a.txt", "b.txt")]
    assert statuses(world, ids) == ["done", "done"]
    assert len(world.catalog.documents.list([world.kb])) == 1
    assert "相同" in (world.catalog.jobs.get(ids[1]).error or "")


def test_a_waiting_job_is_cancelled_at_once(world: World) -> None:
    world.embedder.gate.clear()
    world.jobs.start()
    first, second = submit(world, "a.txt", "甲。"), submit(world, "b.txt", "乙。")
    wait_for(world, first, "running")
    world.jobs.cancel(second)
    assert world.catalog.jobs.get(second).status == "cancelled"
    world.embedder.gate.set()
    assert statuses(world, [first, second]) == ["done", "cancelled"]
    assert world.chunk_texts() == ["甲。"]


def test_a_running_job_is_cancelled_at_its_next_step(world: World) -> None:
    world.embedder.gate.clear()
    world.jobs.start()
    job_id = submit(world, "a.txt", "甲。")
    wait_for(world, job_id, "running")
    world.jobs.cancel(job_id)
    time.sleep(job_run.REPORT_EVERY_S * 1.2)
    world.embedder.gate.set()
    assert statuses(world, [job_id]) == ["cancelled"]
    assert world.chunk_texts() == []


def test_retry_with_a_password(world: World, tmp_path: Path) -> None:
    path = pdf(
        tmp_path / "密.pdf", lambda p: write(p, 72, 99, "机密规定"), encryption=4, user_pw="x"
    )
    world.jobs.start()
    job = world.jobs.submit(path, world.kb, "密.pdf")
    assert statuses(world, [job.id]) == ["failed"]
    assert "密码" in (world.catalog.jobs.get(job.id).error or "")
    world.jobs.retry(job.id, password="x")
    assert statuses(world, [job.id]) == ["done"]
    assert "x" not in world.catalog.jobs.payload(job.id).values()
    with pytest.raises(InvalidInput):
        world.jobs.retry(job.id)


def test_transient_failures_are_retried_by_themselves(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRY_DELAYS_S", (0.2, 0.2, 0.2))
    world.embedder.error = ModelUnavailable("模型没有响应。", "请稍后重试。")
    world.jobs.start()
    job_id = submit(world, "a.txt", "甲。")
    deadline = time.monotonic() + 60
    while "自动重试" not in (world.catalog.jobs.get(job_id).error or ""):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    world.embedder.error = None
    assert statuses(world, [job_id]) == ["done"]
    assert world.catalog.jobs.get(job_id).attempts == 2


def test_lasting_failures_are_not_retried(world: World) -> None:
    world.jobs.start()
    job_id = submit(world, "a.pdf", "%PDF-1.4 坏的")
    assert statuses(world, [job_id]) == ["failed"]
    assert world.catalog.jobs.get(job_id).attempts == 1


def test_stopping_puts_the_running_job_back_and_a_start_resumes_it(world: World) -> None:
    world.embedder.gate.clear()
    world.jobs.start()
    running, waiting = submit(world, "a.txt", "甲。"), submit(world, "b.txt", "乙。")
    wait_for(world, running, "running")
    world.jobs._stopping.set()
    world.embedder.gate.set()
    world.jobs.stop()
    assert [world.catalog.jobs.get(j).status for j in (running, waiting)] == ["queued"] * 2
    again = JobQueue(world.data, world.pipeline, world.catalog, lambda: world.settings)
    again.start()
    try:
        assert [j.status for j in again.wait([running, waiting], 120)] == ["done", "done"]
    finally:
        again.stop()
    assert sorted(world.chunk_texts()) == ["乙。", "甲。"]


def test_a_job_that_was_running_when_the_process_died_is_run_again(world: World) -> None:
    job_id = submit(world, "a.txt", "甲。")
    world.catalog.jobs.update(job_id, status="running", attempts=1)
    world.jobs.start()
    assert statuses(world, [job_id]) == ["done"]


def test_a_file_that_keeps_killing_the_process_is_given_up(world: World) -> None:
    job_id = submit(world, "a.txt", "甲。")
    world.catalog.jobs.update(job_id, status="running", attempts=module.MAX_ATTEMPTS)
    world.jobs.start()
    assert statuses(world, [job_id]) == ["failed"]
    assert "中断" in (world.catalog.jobs.get(job_id).error or "")


def test_a_document_deleted_meanwhile_ends_its_job(world: World) -> None:
    world.embedder.gate.clear()
    world.jobs.start()
    job_id = submit(world, "a.txt", "甲。")
    wait_for(world, job_id, "running")
    while (document_id := world.catalog.jobs.get(job_id).document_id) is None:
        time.sleep(0.02)
    world.pipeline.delete_document(document_id)
    world.embedder.gate.set()
    assert statuses(world, [job_id]) == ["failed"]
    assert world.vectors.chunk_ids(world.kb) == set()


def test_a_knowledge_base_deleted_meanwhile_leaves_nothing(world: World) -> None:
    world.embedder.gate.clear()
    world.jobs.start()
    running, waiting = submit(world, "a.txt", "甲。"), submit(world, "b.txt", "乙。")
    wait_for(world, running, "running")
    while world.catalog.jobs.get(running).document_id is None:
        time.sleep(0.02)
    world.pipeline.delete_kb(world.kb)
    world.embedder.gate.set()
    deadline = time.monotonic() + 60
    while world.catalog.jobs.list() or set(world.files.hashes()):
        assert time.monotonic() < deadline, (world.catalog.jobs.list(), [*world.files.hashes()])
        time.sleep(0.02)
    assert world.kb not in world.vectors.kb_ids()
    assert waiting not in world.jobs._passwords


def test_a_dismissed_job_takes_its_file_along(world: World) -> None:
    world.embedder.gate.clear()
    world.jobs.start()
    first, second = submit(world, "a.txt", "甲。"), submit(world, "b.txt", "乙。")
    wait_for(world, first, "running")
    world.jobs.cancel(second)
    world.embedder.gate.set()
    assert statuses(world, [first, second]) == ["done", "cancelled"]
    for job_id in (first, second):
        world.jobs.dismiss(job_id)
    [document] = world.catalog.documents.list([world.kb])
    assert set(world.files.hashes()) == {document.sha256}


def test_two_threads_may_submit_first(world: World) -> None:
    failures: list[BaseException] = []

    def upload(number: int) -> None:
        try:
            submit(world, f"{number}.txt", f"第{number}份。")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=upload, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    world.jobs.start()
    assert set(statuses(world, [job.id for job in world.catalog.jobs.list()])) == {"done"}


def test_a_busy_database_is_waited_for() -> None:
    assert module._is_transient(StoreLocked("数据库正被另一个程序占用。"))
    assert not module._is_transient(StoreError("数据库无法使用。"))


def test_other_long_work_runs_in_the_same_queue(world: World) -> None:
    done: list[float] = []

    def work(step: object) -> None:
        assert callable(step)
        step(0.5)
        done.append(0.5)

    world.jobs.start()
    job = world.jobs.submit_rebuild(work)
    assert statuses(world, [job.id]) == ["done"]
    assert done == [0.5]


def test_the_process_s_signal_handlers_are_left_alone(world: World) -> None:
    before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    starter = threading.Thread(target=world.jobs.start)
    starter.start()
    starter.join()
    assert statuses(world, [submit(world, "a.txt", "甲。")]) == ["done"]
    after = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    assert after == before


@pytest.mark.slow
def test_killing_the_process_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    world = open_world(data, BigramEmbedder())
    kb = world.kb
    contents = {f"{n}.txt": f"第{n}份文件的内容。" for n in range(5)}
    paths = [str(world.file(name, text)) for name, text in contents.items()]
    close_world(world)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path])}
    child = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("ingest_child.py")), str(data), kb, *paths],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert child.stdout is not None
    seen = 0
    while seen < 3:
        seen += child.stdout.readline() == "embedding\n"
    child.kill()
    child.wait()
    world = open_world(data, BigramEmbedder(), kb)
    try:
        unfinished = world.catalog.jobs.list(active_only=True)
        assert unfinished
        world.jobs.start()
        assert {j.status for j in world.jobs.wait([j.id for j in unfinished], 120)} == {"done"}
        assert sorted(world.chunk_texts()) == sorted(contents.values())
        assert world.is_consistent()
    finally:
        close_world(world)


def test_a_document_can_be_reprocessed_and_cut_again_in_the_background(world: World) -> None:
    world.jobs.start()
    first = submit(world, "a.txt", "年假五天。")
    assert statuses(world, [first]) == ["done"]
    document_id = world.catalog.jobs.get(first).document_id or ""
    options = world.catalog.options.get(document_id)
    changed = options.model_copy(update={"metadata": {"title": "新标题"}})
    world.catalog.options.save(document_id, changed)
    again = world.jobs.submit_reprocess(document_id)
    assert statuses(world, [again.id]) == ["done"]
    assert (again.name, again.document_id) == ("a.txt", document_id)
    assert world.catalog.documents.get(document_id).title == "新标题"
    world.catalog.options.save(document_id, options)
    only_cut = world.jobs.submit_reprocess(document_id, parse=False)
    assert statuses(world, [only_cut.id]) == ["done"]
    assert world.catalog.documents.get(document_id).title != "新标题"
    second = submit(world, "a.txt", "年假十天。")
    assert statuses(world, [second]) == ["done"]
    back = world.jobs.submit_reprocess(document_id, version=1)
    assert statuses(world, [back.id]) == ["done"]
    assert world.chunk_texts() == ["年假五天。"]


def test_what_waits_already_is_not_queued_twice(world: World) -> None:
    document_id = world.pipeline.ingest(world.file("a.txt", "甲。"), world.kb, "a.txt").document_id
    assert document_id
    first = world.jobs.submit_reprocess(document_id)
    assert world.jobs.submit_reprocess(document_id).id == first.id
    assert world.jobs.submit_reprocess(document_id, parse=False).id != first.id


def test_failed_jobs_stay_listed_with_their_reason_until_they_are_dealt_with(world: World) -> None:
    world.jobs.start()
    bad, good = submit(world, "a.pdf", "%PDF-1.4 坏的"), submit(world, "b.txt", "好的。")
    assert statuses(world, [bad, good]) == ["failed", "done"]
    (dead,) = world.catalog.jobs.failed([world.kb])
    assert dead.id == bad
    assert "损坏" in (dead.error or "")
    world.jobs.retry(bad)
    assert statuses(world, [bad]) == ["failed"]
    world.jobs.dismiss(bad)
    assert world.catalog.jobs.failed() == []


def test_a_wait_for_a_retry_outlasts_a_restart(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRY_DELAYS_S", (1.5, 0.2, 0.2))
    world.embedder.error = ModelUnavailable("模型没有响应。", "请稍后重试。")
    world.jobs.start()
    job_id = submit(world, "a.txt", "甲。")
    deadline = time.monotonic() + 60
    while world.catalog.jobs.get(job_id).next_attempt_at is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    due = world.catalog.jobs.get(job_id).next_attempt_at
    world.jobs.stop()
    world.embedder.error = None
    world.jobs.start()
    assert due is not None
    assert statuses(world, [job_id]) == ["done"]
    assert world.catalog.jobs.get(job_id).updated_at >= due


def test_progress_says_which_page_is_read(world: World, tmp_path: Path) -> None:
    said: list[str] = []
    path = pdf(tmp_path / "a.pdf", *[lambda p: write(p, 72, 99, "年假规定")] * 3)
    world.pipeline.ingest(path, world.kb, "a.pdf", detail=said.append)
    assert list(dict.fromkeys(said)) == ["第 1/3 页", "第 2/3 页", "第 3/3 页"]


def test_a_quarantined_document_is_told_with_the_job(world: World, tmp_path: Path) -> None:
    world.jobs.start()
    garbled = "公司规定\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd年假五天。"
    job_id = submit(world, "a.txt", garbled)
    assert statuses(world, [job_id]) == ["done"]
    job = world.catalog.jobs.get(job_id)
    assert "隔离" in (job.error or "")
    assert world.catalog.documents.get(job.document_id or "").status == "quarantined"
