"""A followed page and a followed site, on a server of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ingest_inputs import pdf
from ingest_inputs import write as draw
from ingest_world import World
from source_world import ADMIN, EDITOR, Answer, Followed, Site, running_site

from rag.errors import InvalidInput, NotAllowed, ZhiwenError
from rag.ingest.sources import web as module
from rag.types import Source

RULE = "住宿费标准为每人每天四百元，凭票据据实报销，超过部分由个人承担。"
OTHER = "年休假应当在当年安排，确有需要的可以跨一个年度安排休假。"
THIRD = "办公用品由行政部统一采购，各部门在每月二十五日以前提出申请。"


@pytest.fixture
def site() -> Iterator[Site]:
    with running_site() as running:
        yield running


@pytest.fixture
def followed(world: World) -> Iterator[Followed]:
    world.jobs.start()
    made = Followed(world, allow_private=True)
    yield made
    made.sources.stop()


def source_of(followed: Followed, site: Site, path: str = "/", **config: object) -> Source:
    settings = {"delay_s": 0, **config}
    return followed.follow("web", name="网站", address=site.url + path, **settings)


def place(site: Site, path: str) -> str:
    """What the document of a page is called."""
    return site.url.removeprefix("http://") + path


# --- One page --------------------------------------------------------------------------


def test_a_page_becomes_a_document(followed: Followed, site: Site) -> None:
    site.page("/zc/1.html", RULE, "/zc/2.html", title="差旅标准")
    source = source_of(followed, site, "/zc/1.html")
    assert followed.sync(source) == {"added": 1}
    (info,) = followed.documents().values()
    assert info.name == place(site, "/zc/1.html")
    assert (info.metadata.source, info.title) == (f"{site.url}/zc/1.html", "差旅标准")
    assert (info.media_type, info.source_id) == ("text/html", source.id)
    assert RULE in followed.texts(info.name)
    assert site.paths() == ["/zc/1.html"]


def test_an_unchanged_page_is_not_sent_again(followed: Followed, site: Site) -> None:
    site.page("/", RULE, etag='"1"')
    source = source_of(followed, site)
    followed.sync(source)
    site.asked.clear()
    assert followed.sync(source) == {"unchanged": 1}
    assert site.asked[-1].headers["if-none-match"] == '"1"'
    site.page("/", OTHER, etag='"2"')
    assert followed.sync(source) == {"changed": 1}
    (info,) = followed.documents().values()
    assert (info.version, OTHER in followed.texts(info.name)) == (2, True)


def test_other_markup_is_no_other_page(followed: Followed, site: Site) -> None:
    site.page("/", RULE, head="<script>token='a1'</script>")
    source = source_of(followed, site)
    followed.sync(source)
    site.page("/", RULE, head="<script>token='b2'</script>")
    assert followed.sync(source) == {"unchanged": 1}
    assert len(list(followed.world.files.hashes())) == 1


def test_the_encoding_that_only_the_header_tells(followed: Followed, site: Site) -> None:
    rule = "住宿費標準為每人每天四百元，憑票據核實報銷，超過部分由個人承擔。"
    encoded = f"<html><title>差旅</title><body><h1>差旅</h1><p>{rule}</p></html>".encode("big5")
    site.pages["/"] = Answer(encoded, headers={"Content-Type": "text/html; charset=Big5"})
    followed.sync(source_of(followed, site))
    (name,) = followed.documents()
    assert rule in followed.texts(name)


@pytest.mark.parametrize("removal", ["hide", "remove", "keep"])
def test_a_page_that_is_gone(followed: Followed, site: Site, removal: str) -> None:
    site.page("/a", RULE)
    source = source_of(followed, site, "/a", removal=removal)
    followed.sync(source)
    site.pages["/a"] = Answer("没有了", 410)
    assert followed.sync(source) == {"removed": 1}
    states = [info.hidden for info in followed.documents().values()]
    assert states == {"hide": [True], "remove": [], "keep": [False]}[removal]


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_a_page_that_cannot_be_had(followed: Followed, site: Site, status: int) -> None:
    site.pages["/"] = Answer("错误", status)
    source = source_of(followed, site)
    with pytest.raises(ZhiwenError):
        followed.sync(source)
    failed = followed.sources.list(ADMIN)[0]
    assert failed.status == "failed" and str(status) in (failed.error or "")


def test_a_failing_server_loses_nothing(followed: Followed, site: Site) -> None:
    site.page("/", RULE)
    source = source_of(followed, site, removal="remove")
    followed.sync(source)
    site.pages["/"] = Answer("错误", 500)
    with pytest.raises(ZhiwenError):
        followed.sync(source)
    site.close()
    with pytest.raises(ZhiwenError):
        followed.sync(source)
    (info,) = followed.documents().values()
    assert (info.status, info.hidden) == ("indexed", False)


# --- A site ----------------------------------------------------------------------------


def build(site: Site) -> None:
    """/ → a, b; a → deep; b → elsewhere."""
    site.page("/", "首页" + RULE, "/a", "/b#top", "/b", "https://other.example/x", title="首页")
    site.page("/a", RULE, "/a/deep", "/", title="第一页", etag='"a1"')
    site.page("/b", OTHER, "/files/c.pdf", "/pic.png", title="第二页")
    site.page("/a/deep", THIRD, title="第三页")


def test_a_site_is_walked_to_its_depth(followed: Followed, site: Site) -> None:
    build(site)
    source = source_of(followed, site, depth=1)
    assert followed.sync(source) == {"added": 3}
    assert site.paths() == ["/", "/a", "/b"]
    followed.sources.update(ADMIN, source.id, config={**source.config, "depth": 2})
    report = followed.sync(followed.world.catalog.sources.get(source.id))
    assert (report["added"], report["unchanged"]) == (1, 3)
    # The links of the page that was not sent again are known from the kept one.
    assert len(followed.documents()) == 4


def test_files_that_a_site_links_to(followed: Followed, site: Site, tmp_path: Path) -> None:
    build(site)
    body = pdf(tmp_path / "c.pdf", lambda page: draw(page, 72, 72, THIRD)).read_bytes()
    site.pages["/files/c.pdf"] = Answer(body, headers={"Content-Type": "application/pdf"})
    followed.sync(source_of(followed, site, depth=2))
    info = followed.documents()[place(site, "/files/c.pdf")]
    assert (info.media_type, info.status) == ("application/pdf", "indexed")
    other = followed.follow(
        "web", name="只要网页", address=site.url + "/b", depth=1, files=False, delay_s=0
    )
    assert followed.sync(other)["passed_over"] == 1


def test_only_below_the_directory_when_told_so(followed: Followed, site: Site) -> None:
    site.page("/zc/index.html", RULE, "/zc/1.html", "/news/2.html", "../zc/3.html")
    site.page("/zc/1.html", OTHER)
    site.page("/zc/3.html", THIRD)
    site.page("/news/2.html", "新闻。")
    source = source_of(followed, site, "/zc/index.html", depth=1, below=True)
    followed.sync(source)
    assert site.paths() == ["/zc/index.html", "/zc/1.html", "/zc/3.html"]


def test_pages_that_went_away_are_told_by_the_site_itself(followed: Followed, site: Site) -> None:
    build(site)
    source = source_of(followed, site, depth=2)
    followed.sync(source)
    # b is no longer linked but still there; deep is gone.
    site.page("/", "首页" + RULE, "/a", title="首页")
    site.page("/a", RULE, title="第一页", etag='"a2"')
    del site.pages["/a/deep"]
    assert followed.sync(source)["removed"] == 1
    hidden = {info.title: info.hidden for info in followed.documents().values()}
    assert hidden == {"首页": False, "第一页": False, "第二页": False, "第三页": True}
    build(site)
    followed.sync(source)
    assert not any(info.hidden for info in followed.documents().values())


def test_robots_txt_is_obeyed(followed: Followed, site: Site) -> None:
    build(site)
    rules = "User-agent: *\nDisallow: /b\n\nUser-agent: Other\nDisallow: /"
    site.pages["/robots.txt"] = Answer(rules, headers={"Content-Type": "text/plain"})
    source = source_of(followed, site, depth=3)
    followed.sync(source)
    assert site.paths() == ["/", "/a", "/a/deep"]
    with pytest.raises(NotAllowed, match=r"robots\.txt"):
        followed.sync(source_of(followed, site, "/b"))
    site.pages["/robots.txt"] = Answer("", 503)
    with pytest.raises(ZhiwenError):
        followed.sync(source)
    assert not any(info.hidden for info in followed.documents().values())


def test_what_pages_say_about_robots(followed: Followed, site: Site) -> None:
    head = '<meta name="robots" content="{}">'
    site.page("/", RULE, "/noindex", "/nofollow")
    site.page("/noindex", "不收录。", "/via", head=head.format("noindex"))
    site.page("/nofollow", OTHER, "/hidden", head=head.format("nofollow"))
    site.page("/via", THIRD)
    site.page("/hidden", "不跟踪。")
    followed.sync(source_of(followed, site, depth=3))
    names = (".html", "/nofollow.html", "/via.html")
    assert set(followed.documents()) == {place(site, name) for name in names}


def test_redirects_and_canonical_addresses_are_one_page(followed: Followed, site: Site) -> None:
    site.page("/", RULE, "/old", "/new", "https://other.example/")
    site.pages["/old"] = Answer(status=301, headers={"Location": "/new"})
    site.page("/new", OTHER)
    site.page("/away", "别处。")
    followed.sync(source_of(followed, site, depth=1))
    assert set(followed.documents()) == {place(site, p) for p in (".html", "/new.html")}


def test_private_addresses_need_permission(world: World, site: Site) -> None:
    site.page("/", RULE)
    world.jobs.start()
    followed = Followed(world)
    with pytest.raises(NotAllowed, match="内部网络"):
        followed.sync(source_of(followed, site))
    assert not site.asked and not followed.documents()


def test_a_site_has_bounds(followed: Followed, site: Site) -> None:
    for number in range(12):
        site.page(f"/{number}", f"第{number}页：{RULE}", *(f"/{n}" for n in range(12)))
    source = source_of(followed, site, "/0", depth=5, max_pages=4)
    assert followed.sync(source) == {"added": 4}
    # What lies beyond is no sign that anything went away.
    assert followed.sync(source) == {"unchanged": 4}


def test_a_site_that_fails_again_and_again_is_left(
    followed: Followed, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FAILURES_IN_A_ROW", 2)
    site.page("/", RULE, *(f"/{n}" for n in range(6)))
    for number in range(6):
        site.pages[f"/{number}"] = Answer(b"half", headers={"Content-Length": "100"})
    assert followed.sync(source_of(followed, site, depth=1)) == {"added": 1, "failed": 1}
    assert len(site.paths()) == 3


def test_a_busy_site_is_left_alone_until_the_next_time(followed: Followed, site: Site) -> None:
    build(site)
    source = source_of(followed, site, depth=1)
    followed.sync(source)
    site.pages["/a"] = Answer("太快了", 429)
    site.paths()
    assert followed.sync(source) == {"unchanged": 1}
    assert site.paths() == ["/", "/a"]
    assert not any(info.hidden for info in followed.documents().values())


def test_a_smaller_source_gives_up_what_is_beyond_it(followed: Followed, site: Site) -> None:
    build(site)
    source = source_of(followed, site, depth=1)
    followed.sync(source)
    followed.sources.update(EDITOR, source.id, config={**source.config, "depth": 0})
    followed.sync(followed.world.catalog.sources.get(source.id))
    hidden = {info.title: info.hidden for info in followed.documents().values()}
    assert hidden == {"首页": False, "第一页": True, "第二页": True}


@pytest.mark.parametrize(
    "config",
    [
        {"address": "ftp://example.com/"},
        {"address": "http://user:secret@example.com/"},
        {"address": "http://example.com/", "depth": 99},
        {"address": "http://example.com/", "unknown": 1},
        {},
    ],
)
def test_wrong_settings_are_told(followed: Followed, config: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        followed.follow("web", **config)
