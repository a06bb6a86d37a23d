"""The real program on a data directory and port of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT_S = 180.0
"""A cold start converts the bundled model once and reads the samples."""


class Server:
    """`streamlit run app.py` on its own data directory and a free port."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.log = data.parent / f"{data.name}.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        environment = {**os.environ, "ZHIWEN_DATA": str(self.data)}
        command = [sys.executable, "-m", "streamlit", "run", "app.py"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--server.port", str(self.port)],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_until(lambda: self.health() in ("ready", "failed"), START_LIMIT_S)
        assert self.health() == "ready", self.log.read_text(encoding="utf-8")[-3000:]
        wait_until(lambda: not self.open_jobs(), START_LIMIT_S)

    def open_jobs(self) -> int:
        """How many files are still being read (the samples after a first start)."""
        with closing(sqlite3.connect(f"file:{self.data}/catalog.sqlite?mode=ro", uri=True)) as rows:
            query = "select count(*) from jobs where status in ('queued', 'running')"
            return int(rows.execute(query).fetchone()[0])

    def base_id(self, name: str) -> str:
        """The id of a knowledge base."""
        with closing(sqlite3.connect(f"file:{self.data}/catalog.sqlite?mode=ro", uri=True)) as rows:
            found = rows.execute("select id from knowledge_bases where name = ?", (name,))
            return str(found.fetchone()[0])

    def health(self) -> str:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as answer:
                return re.search(r'"status":\s*"(\w+)"', answer.read().decode())[1]  # type: ignore[index]
        except OSError:
            return "failed" if self.process and self.process.poll() is not None else "down"

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def setup_code(self) -> str:
        """The code that the console shows; the last one counts."""
        return re.findall(r"setup code: (\S+)", self.log.read_text(encoding="utf-8"))[-1]


def wait_until(condition: Any, limit_s: float = 30.0) -> None:
    """Poll a condition of the server's side until it holds."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {limit_s} s"
        time.sleep(0.1)
