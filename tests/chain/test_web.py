"""A turn that looks on the web: from the plan to a cited web page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import rag.chain
from rag.application import Application
from rag.turn import TurnInput
from tests.searx_server import SearxServer, result


@pytest.fixture
def server(
    sample_application: Application, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SearxServer]:
    make_plan = rag.chain.make_plan

    def with_web(*args, **named):
        return make_plan(*args, **named).model_copy(update={"web": True})

    monkeypatch.setattr(rag.chain, "make_plan", with_web)
    with SearxServer() as running:
        values = {"enabled": True, "url": running.url, "timeout_s": 2.0}
        sample_application.settings.update("web_search", values)
        yield running
        for field in values:
            sample_application.settings.reset("web_search", field)


def test_a_web_page_is_cited_with_its_address(
    sample_application: Application, sample_kb: str, server: SearxServer
) -> None:
    server.results = [
        result("拖拉机驾驶证", "https://example.org/tractor", "拖拉机驾驶证的有效期为6年。")
    ]
    turn = TurnInput(question="拖拉机驾驶证的有效期是几年？", kb_ids=(sample_kb,))
    answer = sample_application.chain.invoke(turn)
    assert answer.status in ("answered", "hedged")
    assert "6年" in answer.text
    (citation,) = answer.citations
    assert (citation.document, citation.url) == ("拖拉机驾驶证", "https://example.org/tractor")
    assert server.asked[0]["q"] == ["拖拉机驾驶证的有效期是几年？"]


def test_a_turn_goes_on_without_the_web(
    sample_application: Application, sample_kb: str, server: SearxServer
) -> None:
    server.status = 503
    turn = TurnInput(question="年假有几天？", kb_ids=(sample_kb,))
    answer = sample_application.chain.invoke(turn)
    assert answer.status in ("answered", "hedged", "clarify")
    retrieve = next(step for step in answer.steps if step.step == "retrieve")
    assert retrieve.details["notes"] == ["网上搜索服务无法使用"]
