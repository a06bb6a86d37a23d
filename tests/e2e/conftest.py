"""A real server on an empty data directory, and Debian's Chromium to look at it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from real_server import Server

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
expect.set_options(timeout=60_000)  # the machine may be busy


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
