"""Files that crash, hang or swell their parser fail alone, and fast."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ingest_inputs import pdf, write

from rag.errors import CorruptDocument, DocumentError, EncryptedDocument, TooLarge
from rag.ingest import isolate, isolate_process
from rag.ingest.failures import Cancelled
from rag.ingest.inspect import Inspection
from rag.ingest.isolate import close_children, inspect_isolated, parse_isolated
from rag.settings import IngestSettings
from rag.types import Document

SETTINGS = IngestSettings(page_timeout_s=120.0)
IMPATIENT = IngestSettings(page_timeout_s=8.0)


@pytest.fixture
def unruly(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    close_children()
    script = str(Path(__file__).with_name("isolate_unruly.py"))
    monkeypatch.setattr(isolate_process, "COMMAND", (sys.executable, script))
    yield
    close_children()


def read(
    tmp_path: Path,
    deed: str,
    media_type: str = "text/plain",
    settings: IngestSettings = SETTINGS,
    **options: object,
) -> Document:
    path = tmp_path / "a.txt"
    path.write_text(deed + "\n", encoding="utf-8")
    looked_at = Inspection(media_type, ".txt", "0" * 64, 9, False, "utf-8", 4)
    return parse_isolated(path, looked_at, name="a.txt", settings=settings, **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_a_parser_does_stays_in_the_child(
    tmp_path: Path, unruly: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolate, "MEMORY_MB", 400)
    good = read(tmp_path, "nothing")
    assert [p.blocks[0].text for p in good.pages] == [f"第{n}页" for n in range(1, 5)]
    assert read(tmp_path, "print").flags == good.flags, "a warm child is used again"
    for deed, error, says in [
        ("crash", CorruptDocument, "第 3 页.*崩溃"),
        ("exit", CorruptDocument, "第 3 页.*崩溃"),
        ("hang", DocumentError, "第 3 页.*没有进展"),
        ("memory", TooLarge, "第 3 页.*内存"),
    ]:
        with pytest.raises(error, match=says):
            read(tmp_path, deed, settings=IMPATIENT if deed == "hang" else SETTINGS)
        assert len(read(tmp_path, "nothing").pages) == 4
    with pytest.raises(RuntimeError, match="unpicklable"):
        read(tmp_path, "bug")


@pytest.mark.slow
@pytest.mark.parametrize("deed", ["crash", "hang"])
def test_a_bad_page_of_a_pdf_is_given_up_and_the_others_are_read(
    tmp_path: Path, unruly: None, deed: str
) -> None:
    settings = IMPATIENT if deed == "hang" else SETTINGS
    document = read(tmp_path, deed, media_type="application/pdf", settings=settings)
    assert [page.number for page in document.pages] == [1, 2, 3, 4]
    assert [page.flags for page in document.pages] == [(), (), ("skipped_page",), ()]
    assert "skipped_page" in document.flags


@pytest.mark.slow
def test_a_child_is_killed_when_its_job_is_cancelled(tmp_path: Path, unruly: None) -> None:
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        read(tmp_path, "hang", cancelled=cancel.is_set)
    assert time.monotonic() - began < SETTINGS.page_timeout_s

    def stop(share: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        read(tmp_path, "nothing", progress=stop)


@pytest.mark.slow
def test_real_files_are_read_as_in_this_process(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", lambda p: write(p, 72, 99, "年假为五天。"))
    shares: list[float] = []
    looked_at = inspect_isolated(path, SETTINGS, name="a.pdf")
    document = parse_isolated(
        path, looked_at, name="a.pdf", settings=SETTINGS, progress=shares.append
    )
    assert looked_at.page_count == len(document.pages) == 1
    assert "年假为五天" in document.blocks[0].text
    assert shares[-1] == 1.0


@pytest.mark.slow
def test_errors_for_people_come_through_whole(tmp_path: Path) -> None:
    path = pdf(tmp_path / "b.pdf", lambda p: write(p, 72, 99, "密"), encryption=4, user_pw="x")
    looked_at = inspect_isolated(path, SETTINGS, name="b.pdf")
    with pytest.raises(EncryptedDocument, match="密码") as caught:
        parse_isolated(path, looked_at, name="b.pdf", settings=SETTINGS)
    assert "password" in caught.value.text("en")
    opened = parse_isolated(path, looked_at, name="b.pdf", settings=SETTINGS, password="x")
    assert opened.blocks


@pytest.mark.slow
def test_pages_that_the_parser_lost_are_there_and_flagged() -> None:
    from rag.ingest.isolate_child import with_all_pages
    from rag.types import Page

    lost = Document(name="a", media_type="application/pdf", pages=(Page(number=2),))
    found = with_all_pages(lost, 3)
    assert [(p.number, p.flags) for p in found.pages] == [
        (1, ("failed_page",)), (2, ()), (3, ("failed_page",)),
    ]  # fmt: skip
    assert with_all_pages(lost, None) == lost


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
@pytest.mark.slow
def test_a_child_ends_with_its_parent(tmp_path: Path, unruly: None) -> None:
    code = (
        "import sys, time; from pathlib import Path; sys.path.insert(0, sys.argv[1]);"
        "import test_ingest_isolate as t;"
        "t.isolate_process.COMMAND = (sys.executable, sys.argv[2]);"
        "t.SETTINGS = t.IngestSettings();"
        "t.read(Path(sys.argv[3]), 'hang', progress=lambda share: print(share, flush=True))"
    )
    here = Path(__file__)
    script = str(here.with_name("isolate_unruly.py"))
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(here.parent), script, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == "0.25\n"
    (child,) = children_of(parent.pid)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 5
    while Path(f"/proc/{child}/stat").exists() and stat(child)[0] != "Z":
        assert time.monotonic() < deadline
        time.sleep(0.05)


def stat(pid: int) -> list[str]:
    """State, parent and so on of a process; a zombie when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["Z", "0"]


def children_of(pid: int) -> list[int]:
    pids = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()]
    return [child for child in pids if stat(child)[1] == str(pid)]
