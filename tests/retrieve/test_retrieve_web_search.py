"""Web search through a scripted SearXNG: results, odd answers, failures, citations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from retrieve_world import World

from rag.answer.cite import cite
from rag.retrieve.search import Retriever
from rag.retrieve.web_search import WebSearch, WebSearchFailed, web_address
from rag.settings import WebSearchSettings
from rag.step_summaries import of_retrieval
from rag.types import Understanding
from tests.searx_server import SearxServer, result

LEAVE = "员工入职满一年后享有五天带薪年假，满十年为十天。"
PAGE = result("拖拉机驾驶证", "https://example.org/tractor", "拖拉机驾驶证的有效期为六年。")


@pytest.fixture
def server() -> Iterator[SearxServer]:
    with SearxServer() as running:
        yield running


def client(server: SearxServer, **values) -> WebSearch:
    settings = WebSearchSettings(enabled=True, url=server.url, **values)
    return WebSearch(lambda: settings)


def test_results_are_pages_with_plain_text(server: SearxServer) -> None:
    server.results = [
        PAGE,
        result(
            " <b>税率</b>&amp;表 ", "http://example.org/?a=1&b=2", "税率为\n<em>13%</em>。\u202e"
        ),
        result(None, "https://example.org/x", "没有标题的一页。"),
    ]
    pages = client(server).search("驾驶证有效期")
    assert [tuple(page) for page in pages] == [
        ("拖拉机驾驶证", "https://example.org/tractor", "拖拉机驾驶证的有效期为六年。"),
        ("税率&表", "http://example.org/?a=1&b=2", "税率为 13%。"),
        ("example.org", "https://example.org/x", "没有标题的一页。"),
    ]


def test_the_request_is_what_searxng_takes(server: SearxServer) -> None:
    client(server, engines=("bing", "baidu"), language="all").search("年假\x00 几天\n" + "啊" * 999)
    (asked,) = server.asked
    assert asked["path"] == ["/search"]
    assert asked["format"] == ["json"]
    assert asked["engines"] == ["bing,baidu"]
    assert asked["language"] == ["all"]
    assert asked["q"][0].startswith("年假 几天 啊") and len(asked["q"][0]) == 400
    assert client(server).search(" \x00 ") == ()
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "odd",
    [
        "文字",
        None,
        {},
        result("一", "javascript:alert(1)", "甲"),
        result("一", "file:///etc/passwd", "甲"),
        result("一", 'https://example.org/"><script>', "甲"),
        result("一", "https://example.org/a b", "甲"),
        result("一", "https://[bad", "甲"),
        result("一", ["https://example.org"], "甲"),
        result("一", "https://example.org/1", ""),
        result("一", "https://example.org/1", 7),
        result("一", "https://example.org/" + "a" * 3000, "甲"),
    ],
)
def test_odd_results_are_left_out(server: SearxServer, odd: object) -> None:
    server.results = [odd, PAGE, PAGE]
    assert [page.url for page in client(server).search("问题")] == ["https://example.org/tractor"]


def test_no_more_results_than_wanted(server: SearxServer) -> None:
    server.results = [result(str(n), f"https://example.org/{n}", "内容") for n in range(30)]
    assert len(client(server, max_results=3).search("问题")) == 3


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"results": 3}', b"{", b"\xff\xfe"])
def test_nonsense_is_an_error_that_people_understand(server: SearxServer, body: bytes) -> None:
    server.body = body
    with pytest.raises(WebSearchFailed, match="看不懂"):
        client(server).search("问题")


def test_a_refusal_names_the_setting(server: SearxServer) -> None:
    server.status = 403
    with pytest.raises(WebSearchFailed) as raised:
        client(server).search("问题")
    assert "json" in raised.value.remedy and "json" in raised.value.remedy_en


def test_other_failures(server: SearxServer) -> None:
    server.status, server.location = 302, "http://127.0.0.1:9/elsewhere"
    with pytest.raises(WebSearchFailed, match="无法使用"):
        client(server).search("问题")
    server.status, server.location = 200, ""
    server.body = b" " * (5 * 2**20)
    with pytest.raises(WebSearchFailed):
        client(server).search("问题")
    server.body, server.pause_s = None, 2.0
    with pytest.raises(WebSearchFailed, match="没有按时回答"):
        client(server, timeout_s=0.2).search("问题")
    gone = WebSearchSettings(enabled=True, url="http://127.0.0.1:9")
    with pytest.raises(WebSearchFailed):
        WebSearch(lambda: gone).search("问题")


def with_web(world: World, server: SearxServer, **values) -> Retriever:
    return Retriever(
        world.catalog,
        world.vectors,
        world.catalog.lexical,
        lambda: world.embedder,
        lambda: world.reranker,
        lambda: world.settings,
        client(server, **values),
    )


def test_web_pages_are_hits_and_citations(world: World, server: SearxServer) -> None:
    world.add("员工手册.docx", [LEAVE])
    server.results = [PAGE]
    retriever = with_web(world, server)
    plan = world.plan("拖拉机驾驶证的有效期是几年？").model_copy(update={"web": True})
    found = retriever.search(plan, stages=True)
    best = found.hits[0]
    assert best.chunk.text == "拖拉机驾驶证的有效期为六年。"
    assert web_address(best.chunk) == "https://example.org/tractor"
    assert web_address(found.hits[1].chunk) == ""
    assert "rerank" in best.scores and best.scores["dense"] > 0
    web = next(stage for stage in found.stages if stage.name == "web")
    assert [id_ for id_, _ in web.ranked] == [best.chunk.id]
    evidence = retriever.evidence(plan.queries[0], found.hits)
    text, (citation,) = cite("有效期为六年[1]。", evidence)
    assert text == "有效期为六年[1]。"
    assert citation.document == "拖拉机驾驶证"
    assert citation.url == "https://example.org/tractor"
    assert citation.quote == "有效期为六年。"


def test_the_web_is_asked_only_where_the_plan_and_the_settings_say_so(
    world: World, server: SearxServer
) -> None:
    world.add("员工手册.docx", [LEAVE])
    with_web(world, server).search(world.plan("年假几天"))
    web = world.plan("年假几天").model_copy(update={"web": True})
    world.retriever.search(web)
    off = WebSearchSettings(enabled=False, url=server.url)
    retriever = with_web(world, server)
    retriever._web = WebSearch(lambda: off)
    retriever.search(web)
    assert server.asked == []
    retriever = with_web(world, server)
    retriever.search(web)
    retriever.search(web)
    assert len(server.asked) == 2


@pytest.mark.parametrize("stages", [False, True])
def test_a_failing_web_search_is_noted_and_the_rest_stands(
    world: World, server: SearxServer, stages: bool
) -> None:
    world.add("员工手册.docx", [LEAVE])
    server.status = 500
    plan = world.plan("年假几天").model_copy(update={"web": True})
    found = with_web(world, server).search(plan, stages=stages)
    assert [hit.chunk.text for hit in found.hits] == [LEAVE]
    assert found.notes == ("网上搜索服务无法使用",)
    meaning = Understanding(question="年假几天", standalone_question="年假几天")
    assert "网上搜索服务无法使用" in of_retrieval(found, meaning)[0]


def test_an_empty_knowledge_base_leaves_the_web(world: World, server: SearxServer) -> None:
    server.results = [PAGE]
    plan = world.plan("拖拉机驾驶证", regions=("浙江",)).model_copy(update={"web": True})
    found = with_web(world, server).search(plan)
    assert [hit.chunk.document_name for hit in found.hits] == ["拖拉机驾驶证"]
