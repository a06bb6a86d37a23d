"""The composition root: starting, models that fail, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag import application as module
from rag.application import EMBEDDER_FACT, Application
from rag.errors import ModelUnavailable, StoreError
from rag.settings import EmbedderSettings

HEAVY = [
    "torch",
    "transformers",
    "onnxruntime",
    "FlagEmbedding",
    "langchain_core",
    "langchain_openai",
    "openai",
    "pymilvus",
    "milvus_lite",
    "pymupdf",
    "jieba",
    "docx",
    "openpyxl",
    "huey",
    "alembic",
]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Application]:
    made = Application(tmp_path / "data")
    yield made
    made.close()


def start(app: Application) -> None:
    app.warm_up(samples=False).join(30)


@pytest.mark.parametrize("name", ["app", "rag.application", "rag.commands.main"])
def test_importing_loads_no_heavy_library(name: str) -> None:
    code = f"import sys, {name}; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_models_that_failed_are_tried_again_with_the_next_question(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[int] = []

    def prepare(report: Callable[[str], None]) -> None:
        attempts.append(1)
        if len(attempts) == 1:
            raise ModelUnavailable("向量服务没有响应。")
        app.catalog.facts.set(EMBEDDER_FACT, app._embedder_settings())

    monkeypatch.setattr(app, "prepare", prepare)
    monkeypatch.setattr(app.vectors, "warm_up", lambda: None)
    start(app)
    with pytest.raises(ModelUnavailable):  # it has only just failed
        app.wait_ready()
    monkeypatch.setattr(module, "WARM_UP_AGAIN_S", 0.0)
    app.wait_ready()
    assert app.warm_error is None
    assert len(attempts) == 2


def test_a_failing_first_search_does_not_keep_questions_away(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise StoreError("向量库出错了。")

    monkeypatch.setattr(app, "prepare", lambda report: None)
    monkeypatch.setattr(app.vectors, "warm_up", fail)
    app.catalog.facts.set(EMBEDDER_FACT, app._embedder_settings())
    start(app)
    app.wait_ready()


def test_waiting_for_the_models_ends_with_a_stop(app: Application) -> None:
    stop = threading.Event()
    stop.set()
    app.wait_ready(stop)


def test_an_earlier_embedder_that_is_gone_does_not_keep_the_program_down(
    app: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = EmbedderSettings(kind="transformers", path=str(tmp_path / "gone"))
    app.catalog.facts.set(EMBEDDER_FACT, gone.model_dump_json())
    monkeypatch.setattr(app.catalog.chunks, "count", lambda: 1)
    new = object()
    monkeypatch.setattr(app.models, "new_embedder", lambda: new)
    assert app._embedder_in_use() is new
    # What the vectors are of is noted only once they have been computed again.
    assert app.catalog.facts.get(EMBEDDER_FACT) == gone.model_dump_json()
