"""The command line as people and scripts run it, in processes of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rag.application import opened

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rag", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, input=typed
    )


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with one small knowledge base."""
    folder = tmp_path_factory.mktemp("commands")
    files = folder / "files"
    files.mkdir()
    (files / "年假.md").write_text(
        "# 云山公司休假办法\n\n## 年假\n\n入职满一年的员工每年有七天年假。\n\n"
        "## 病假\n\n病假需要提交医院证明，每年不超过十五天。\n",
        encoding="utf-8",
    )
    records = [
        {"id": "q-1", "title": "班车", "text": "班车早上八点从东门发车。", "metadata": {}},
        {"id": "q-2", "title": "食堂", "text": "食堂中午十一点半开餐。", "metadata": {}},
    ]
    (files / "faq.jsonl").write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in records), encoding="utf-8"
    )
    done = run("ingest", str(files), "--kb", "公司", "--data", str(folder / "data"), "--json")
    assert done.returncode == 0, done.stderr
    assert {row["status"] for row in lines(done)} == {"indexed"}
    return folder


def test_ingest_says_what_became_of_each_file(data: Path) -> None:
    (data / "空.txt").write_bytes(b"  \n")
    paths = [str(data / "files" / "年假.md"), str(data / "空.txt"), str(data / "没有.pdf")]
    done = run("ingest", *paths, "--kb", "公司", "--data", str(data / "data"), "--json")
    rows = {row["name"]: row for row in lines(done)}
    assert done.returncode == 1
    assert rows["年假.md"]["status"] == "duplicate"
    assert rows["空.txt"]["status"] == "failed" and rows["空.txt"]["error"]
    assert rows["没有.pdf"]["status"] == "failed" and "没有这个文件" in rows["没有.pdf"]["error"]


def test_search_prints_a_line_per_hit(data: Path) -> None:
    done = run(
        "search", "食堂几点开饭", "--kb", "公司", "-k", "2", "--data", str(data / "data"), "--json"
    )
    rows = lines(done)
    assert done.returncode == 0
    assert [row["rank"] for row in rows] == [1, 2]
    assert rows[0]["record_id"] == "q-2"
    assert rows[0]["document"] == "faq.jsonl"
    assert {"chunk_id", "pages", "heading_path", "text", "scores"} <= set(rows[0])


def test_batches_give_a_line_per_row(data: Path) -> None:
    batch = data / "batch.jsonl"
    before = [
        {"role": "user", "content": "年假有几天？"},
        {"role": "assistant", "content": "七天。"},
    ]
    asked = [
        {"id": "a", "question": "年假有几天？"},
        {"id": "b", "question": "病假呢？", "history": before},
    ]
    batch.write_text("\n".join(json.dumps(row) for row in asked), encoding="utf-8")
    where = ("--kb", "公司", "--data", str(data / "data"), "--json", "--batch", str(batch))
    found = lines(run("search", *where))
    assert [row["id"] for row in found] == ["a", "b"]
    understood = lines(run("understand", *where))
    assert understood[1]["standalone_question"] == understood[1]["rewrite_query"] == "病假有几天？"
    answered = lines(run("ask", *where))
    assert "七天" in answered[0]["text"]
    assert "十五天" in answered[1]["text"]
    citation = answered[0]["citations"][0]
    assert citation["document"] == "年假.md"
    assert "七天" in citation["quote"]


def test_parse_stores_nothing(data: Path, tmp_path: Path) -> None:
    target = tmp_path / "untouched"
    done = run("parse", str(data / "files" / "年假.md"), "--data", str(target), "--json")
    row = lines(done)[0]
    assert row["pages"] == [{"number": 1, "route": "native", "flags": []}]
    assert "七天年假" in row["markdown"]
    assert not target.exists()


def test_delete_and_list(data: Path) -> None:
    where = ("--data", str(data / "data"), "--json")
    source = data / "临时.txt"
    source.write_text("临时停车场在南门。", encoding="utf-8")
    made = lines(run("ingest", str(source), "--kb", "临时", *where))[0]
    assert {row["name"] for row in lines(run("kb", "list", *where))} == {"临时", "公司"}
    listed = lines(run("kb", "documents", "--kb", "临时", *where))
    assert [(row["id"], row["name"]) for row in listed] == [(made["document_id"], "临时.txt")]
    assert run("delete", "--kb", "临时", "--document", made["document_id"], *where).returncode == 0
    assert lines(run("search", "停车场", "--kb", "临时", *where)) == []
    assert run("delete", "--kb", "临时", *where).returncode == 0
    assert [row["name"] for row in lines(run("kb", "list", *where))] == ["公司"]


def test_doctor_finds_a_healthy_installation(data: Path) -> None:
    done = run("doctor", "--data", str(data / "data"), "--json")
    assert done.returncode == 0, done.stdout
    assert {row["severity"] for row in lines(done)} <= {"ok", "info"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "年假", "--kb", "没有这个库"),
        ("ask", "--kb", "公司"),
        ("ask", " ", "--kb", "公司"),
        ("delete", "--kb", "没有这个库"),
        ("parse", "/没有/这个文件.pdf"),
    ],
)
def test_faults_are_plain_and_leave_stdout_empty(data: Path, arguments: tuple[str, ...]) -> None:
    done = run(*arguments, "--data", str(data / "data"), "--json")
    assert done.returncode == 1
    assert done.stdout == ""
    assert json.loads(done.stderr.splitlines()[-1])["error"]["message"]
    assert "Traceback" not in done.stderr


def test_a_lost_password_is_replaced_from_the_console(tmp_path: Path) -> None:
    with opened(tmp_path, models=False) as application:
        code = application.accounts.setup_code()
        application.accounts.create_admin(code, "管理员", "first-password-1")
    done = run(
        "account", "password", "管理员", "--data", str(tmp_path), typed="second-password-2\n"
    )
    assert done.returncode == 0, done.stderr
    assert "second" not in done.stdout + done.stderr
    with opened(tmp_path, models=False) as application:
        assert application.accounts.login("s" * 43, "管理员", "second-password-2").role == "admin"
    assert run("account", "password", "无名", "--data", str(tmp_path), typed="x\n").returncode == 1


def test_names_and_questions_in_other_encodings_do_no_harm(data: Path) -> None:
    folder = data / "旧系统"
    folder.mkdir()
    name = "门禁.txt"
    (folder / os.fsdecode(name.encode("gbk"))).write_text("门禁卡丢失后应到前台补办。")
    shared = ("--kb", "旧系统", "--data", str(data / "data"), "--json")
    [row] = lines(run("ingest", str(folder), *shared))
    assert (row["name"], row["status"]) == (name, "indexed")
    done = run("ask", os.fsdecode("门禁卡丢了".encode("gbk")), *shared)
    assert done.returncode == 0, done.stderr
    [answer] = lines(done)
    assert answer["status"] == "refused"


def test_one_bad_row_costs_no_other(data: Path) -> None:
    batch = data / "rows.jsonl"
    rows = [{"id": "a", "question": " "}, {"id": None, "question": "年假有几天？"}]
    batch.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    shared = ("--batch", str(batch), "--kb", "公司", "--data", str(data / "data"), "--json")
    for command, key in (("understand", "intent"), ("search", "hits"), ("ask", "text")):
        done = run(command, *shared)
        bad, good = lines(done)
        assert done.returncode == 1
        assert (bad["id"], good["id"]) == ("a", 2)
        assert "空" in json.dumps(bad, ensure_ascii=False)
        assert good[key]


def test_counts_and_empty_folders_are_checked(data: Path) -> None:
    shared = ("--kb", "公司", "--data", str(data / "data"))
    assert run("search", "年假", "-k", "0", *shared).returncode == 2
    (data / "空文件夹" / ".git").mkdir(parents=True)
    (data / "空文件夹" / ".git" / "config.txt").write_text("x")
    done = run("ingest", str(data / "空文件夹"), *shared, "--json")
    assert (done.returncode, done.stdout) == (1, "")


def test_the_doctor_reports_even_when_a_model_cannot_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZHIWEN_EMBEDDER__KIND", "transformers")
    monkeypatch.setenv("ZHIWEN_EMBEDDER__PATH", str(tmp_path / "gone"))
    done = run("doctor", "--data", str(tmp_path / "data"), "--json")
    found = {row["name"]: row["severity"] for row in lines(done)}
    assert done.returncode == 1
    assert (found["models"], found["database"]) == ("error", "ok")
