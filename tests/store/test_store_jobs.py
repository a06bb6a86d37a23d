import pickle

import pytest

from rag.errors import NotFound
from rag.types import JobInfo, Told


def test_a_job_is_followed_from_queue_to_end(catalog, clock):
    job = catalog.jobs.create("kb1", "手册.docx", payload={"sha256": "a" * 64})
    assert (job.status, job.stage, job.progress) == ("queued", None, 0.0)
    clock.forward(seconds=5)
    catalog.jobs.update(job.id, status="running", stage="embed", progress=0.4, attempts=1)
    shown = catalog.jobs.get(job.id)
    assert (shown.status, shown.stage, shown.progress, shown.attempts) == (
        "running",
        "embed",
        0.4,
        1,
    )
    assert shown.updated_at > shown.created_at
    catalog.jobs.update(job.id, status="done", progress=1.5, document_id="d1")
    shown = catalog.jobs.get(job.id)
    assert (shown.status, shown.progress, shown.document_id) == ("done", 1.0, "d1")
    assert catalog.jobs.payload(job.id) == {"sha256": "a" * 64}


def test_an_error_stays_until_it_is_cleared(catalog):
    job = catalog.jobs.create("kb1", "a")
    catalog.jobs.update(job.id, status="failed", error="文件是空的。")
    catalog.jobs.update(job.id, attempts=2)
    assert catalog.jobs.get(job.id).error == "文件是空的。"
    catalog.jobs.update(job.id, status="queued", error=None)
    assert catalog.jobs.get(job.id).error is None


@pytest.mark.parametrize("english", ["The file is empty.", ""])
def test_what_people_are_told_is_kept_in_both_languages(catalog, english):
    job = catalog.jobs.create("kb1", "a")
    error = Told("文件是\x00空的。", english)
    catalog.jobs.update(job.id, error=error, detail=Told("第 1/2 页", "Page 1 of 2"))
    shown = catalog.jobs.get(job.id)
    assert shown.error == "文件是\ufffd空的。"
    assert shown.error.said("zh") == "文件是\ufffd空的。"
    assert shown.error.said("en") == (english or "文件是\ufffd空的。")
    assert shown.detail.said("en") == "Page 1 of 2"
    copied = JobInfo.model_validate(shown.model_copy(update={"attempts": 1}).model_dump())
    assert copied.error == shown.error
    assert pickle.loads(pickle.dumps(shown)).error.en == english


def test_cancelling_reaches_unfinished_jobs_only(catalog):
    job, done = catalog.jobs.create("kb1", "a"), catalog.jobs.create("kb1", "b")
    catalog.jobs.update(done.id, status="done")
    for each in (job, done):
        catalog.jobs.request_cancel(each.id)
    assert catalog.jobs.cancel_requested(job.id)
    assert not catalog.jobs.cancel_requested(done.id)
    catalog.jobs.update(job.id, status="cancelled")
    catalog.jobs.update(job.id, status="queued")  # tried again
    assert not catalog.jobs.cancel_requested(job.id)


def test_a_vanished_job_should_stop(catalog):
    job = catalog.jobs.create("kb1", "a")
    catalog.jobs.delete(job.id)
    assert catalog.jobs.cancel_requested(job.id)
    assert not catalog.jobs.update(job.id, progress=0.5)
    for lookup in (catalog.jobs.get, catalog.jobs.payload, catalog.jobs.request_cancel):
        with pytest.raises(NotFound):
            lookup(job.id)


def test_lists_by_state_and_base(catalog, clock):
    jobs = []
    for name, kb_id in (("a", "kb1"), ("b", "kb2"), ("c", "kb1")):
        jobs.append(catalog.jobs.create(kb_id, name, payload={"name": name}))
        clock.forward(seconds=1)
    catalog.jobs.update(jobs[0].id, status="done")
    assert [job.name for job in catalog.jobs.list()] == ["c", "b", "a"]
    assert [job.name for job in catalog.jobs.list(active_only=True)] == ["c", "b"]
    assert [job.name for job in catalog.jobs.list(kb_id="kb1")] == ["c", "a"]
    assert sorted(p["name"] for p in catalog.jobs.unfinished_payloads()) == ["b", "c"]


def test_a_waiting_job_is_claimed_once(catalog):
    job = catalog.jobs.create("kb1", "a")
    catalog.jobs.update(job.id, error="将在 5 秒后自动重试。")
    assert catalog.jobs.claim(job.id)
    shown = catalog.jobs.get(job.id)
    assert (shown.status, shown.attempts, shown.error) == ("running", 1, None)
    assert not catalog.jobs.claim(job.id)


def test_a_cancelled_job_is_not_claimed(catalog):
    job = catalog.jobs.create("kb1", "a")
    assert catalog.jobs.request_cancel(job.id).status == "cancelled"
    assert not catalog.jobs.claim(job.id)
    running = catalog.jobs.create("kb1", "b")
    catalog.jobs.claim(running.id)
    assert catalog.jobs.request_cancel(running.id).status == "running"


def test_no_waiting_job_is_left_out_of_a_long_queue(catalog, monkeypatch):
    monkeypatch.setattr("rag.store.jobs.LISTED", 3)
    for number in range(5):
        catalog.jobs.create("kb1", str(number), payload={"sha256": str(number)})
    assert len(catalog.jobs.list()) == 3
    assert len(catalog.jobs.list(active_only=True)) == 5
    assert len(catalog.jobs.active_payloads()) == 5


def test_details_and_the_wait_for_a_retry(catalog, clock):
    job = catalog.jobs.create("kb1", "慢.pdf")
    assert (job.detail, job.next_attempt_at) == ("", None)
    catalog.jobs.update(job.id, status="running", detail="第 3/12 页")
    assert catalog.jobs.get(job.id).detail == "第 3/12 页"
    later = clock()
    catalog.jobs.update(job.id, status="queued", next_attempt_at=later)
    assert catalog.jobs.get(job.id).next_attempt_at == later
    catalog.jobs.update(job.id, progress=0.5)
    assert catalog.jobs.get(job.id).next_attempt_at == later
    assert catalog.jobs.claim(job.id)
    assert (catalog.jobs.get(job.id).detail, catalog.jobs.get(job.id).next_attempt_at) == ("", None)
    catalog.jobs.update(job.id, status="queued", next_attempt_at=later)
    assert catalog.jobs.request_cancel(job.id).next_attempt_at is None


def test_jobs_that_were_given_up_are_listed(catalog):
    jobs = [catalog.jobs.create(kb, "a.pdf") for kb in ("kb1", "kb2", "kb1")]
    for job in jobs[:2]:
        catalog.jobs.update(job.id, status="failed", error="坏了。")
    assert {job.id for job in catalog.jobs.failed()} == {job.id for job in jobs[:2]}
    assert [job.id for job in catalog.jobs.failed(["kb1"])] == [jobs[0].id]
