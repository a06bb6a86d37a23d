"""A real server on an empty data directory, and Debian's Chromium to look at it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
expect.set_options(timeout=20_000)  # the machine may be busy

START_LIMIT_S = 180.0
"""A cold start converts the bundled model once and reads the samples."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    missing = not Path(CHROMIUM).exists()
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            if missing:
                reason = f"no Chromium at {CHROMIUM}: apt-get install chromium fonts-noto-cjk"
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {"executable_path": CHROMIUM, "args": FLAGS.split()}


@pytest.fixture(scope="session")
def browser_context_args() -> dict[str, Any]:
    return {
        "viewport": {"width": 1280, "height": 900},
        "locale": "zh-CN",
        "timezone_id": "Asia/Shanghai",
    }


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


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("e2e") / "data")
    running.start()
    yield running
    running.stop()


@pytest.fixture
def visitor(browser: Browser, browser_context_args: dict) -> Iterator[Callable[[], Page]]:
    """Opens pages, each in a browser of its own."""
    contexts: list[BrowserContext] = []

    def new() -> Page:
        context = browser.new_context(**browser_context_args)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        return page

    yield new
    for context in contexts:
        context.close()
