"""What may be fetched, and that the bounds hold against servers that mean harm."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from source_world import Answer, Site, running_site

from rag.errors import InvalidInput, NotAllowed, TooLarge
from rag.ingest.sources.fetch import Fetcher, FetchFailed, checked_address, is_public
from rag.ingest.sources.links import page_address, read_links, text_digest
from rag.ingest.sources.robots import parse_robots


@pytest.fixture
def site() -> Iterator[Site]:
    with running_site() as running:
        yield running


@pytest.fixture
def fetcher() -> Fetcher:
    return Fetcher("ZhiWen/0.1", allow_private=True)


# --- Addresses -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("https://example.com:443/a#b", "https://example.com/a"),
        ("http://example.com:8080/a/../b/./c", "http://example.com:8080/b/c"),
        ("http://example.com/政策?词=一 二", "http://example.com/%E6%94%BF%E7%AD%96?%E8%AF%8D=%E4%B8%80%20%E4%BA%8C"),
        ("http://例子.中国/", "http://xn--fsqu00a.xn--fiqs8s/"),
        ("http://example.com/%E6%94%BF", "http://example.com/%E6%94%BF"),
        (" http://example.com/a\n", "http://example.com/a"),
        ("http://example.com/../../etc", "http://example.com/etc"),
    ],
)  # fmt: skip
def test_addresses_have_one_form(given: str, address: str) -> None:
    assert checked_address(given) == address


@pytest.mark.parametrize(
    "address",
    [
        "", "example.com", "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)",
        "http://", "http://user:secret@example.com/", "http://example.com:99999/",
        "http://" + "a" * 64 + ".com/", "http://example.com/" + "a" * 3000, "gopher://x/",
        "http://exa mple.com/", "http://example.com\\@127.0.0.1/", "http://a%0d%0ab/",
    ],
)  # fmt: skip
def test_what_is_no_web_address(address: str) -> None:
    with pytest.raises(InvalidInput):
        checked_address(address)


@pytest.mark.parametrize(
    ("ip", "public"),
    [
        ("8.8.8.8", True), ("2606:4700::1", True), ("127.0.0.1", False), ("10.1.2.3", False),
        ("192.168.0.1", False), ("172.16.0.1", False), ("169.254.169.254", False),
        ("0.0.0.0", False),
        ("100.64.0.1", False), ("224.0.0.1", False), ("::1", False), ("fe80::1", False),
        ("fd00::1", False), ("::ffff:127.0.0.1", False), ("::ffff:8.8.8.8", True),
        ("64:ff9b::7f00:1", False), ("2002:7f00:1::", False), ("nonsense", False),
        ("192.0.0.8", False), ("192.88.99.1", False), ("fec0::1", False), ("5f00::1", False),
        ("64:ff9b:1::7f00:1", False), ("3fff::1", False), ("::7f00:1", False),
    ],
)  # fmt: skip
def test_private_addresses(ip: str, public: bool) -> None:
    assert is_public(ip) is public


# --- Private hosts ---------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433"])
def test_local_hosts_are_refused(site: Site, host: str) -> None:
    site.page("/", "内部页面")
    port = site.url.rpartition(":")[2]
    with pytest.raises((NotAllowed, FetchFailed)):
        Fetcher("ZhiWen/0.1").get(f"http://{host}:{port}/")
    assert not site.asked


def resolve_to(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """Make every name resolve to these addresses, one list after the other."""
    left = list(answers)

    def lookup(host: str, port: int, **_: object) -> list[tuple]:
        found = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in found]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)


def test_a_name_that_resolves_to_a_private_address_is_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve_to(monkeypatch, ["8.8.8.8", "127.0.0.1"])
    with pytest.raises(NotAllowed):
        Fetcher("ZhiWen/0.1").get("http://inside.example:8080/")


def test_the_address_that_was_checked_is_the_one_that_is_used(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The second answer would lead inside: it must never be asked for.
    resolve_to(monkeypatch, ["203.0.113.7"], ["127.0.0.1"])
    monkeypatch.setattr("rag.ingest.sources.fetch.is_public", lambda ip: ip == "203.0.113.7")
    places: list[tuple[str, int]] = []

    def connect(self: socket.socket, place: tuple[str, int]) -> None:
        places.append(place)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(FetchFailed):
        Fetcher("ZhiWen/0.1").get("http://rebinding.example:8080/")
    assert places == [("203.0.113.7", 8080)]


def test_redirects_to_private_addresses_are_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.page("/secret", "内部页面")
    site.pages["/"] = Answer(status=302, headers={"Location": f"{site.url}/secret"})
    port = int(site.url.rpartition(":")[2])
    # The first host counts as public though it is the test's own server.
    monkeypatch.setattr("rag.ingest.sources.fetch.is_public", lambda ip: ip == "127.0.0.2")
    real = socket.getaddrinfo

    def lookup(host: str, port: int, **options: object) -> list[tuple]:
        place = "127.0.0.2" if host == "public.example" else host
        return real(place, port, **options)

    connect = socket.socket.connect
    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    monkeypatch.setattr(
        socket.socket, "connect", lambda self, place: connect(self, ("127.0.0.1", place[1]))
    )
    with pytest.raises(NotAllowed):
        Fetcher("ZhiWen/0.1").get(f"http://public.example:{port}/")
    assert [request.path for request in site.asked] == ["/"]


def test_ports_of_other_services_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.ingest.sources.fetch.is_public", lambda ip: True)
    for port in (22, 25, 445, 1023):
        with pytest.raises(NotAllowed):
            Fetcher("ZhiWen/0.1").get(f"http://127.0.0.1:{port}/")


# --- Answers ---------------------------------------------------------------------------


def test_a_page_with_its_headers(site: Site, fetcher: Fetcher) -> None:
    site.page("/a", "正文", etag='"v1"')
    page = fetcher.get(f"{site.url}/a")
    assert (page.status, page.media_type, page.headers["etag"]) == (200, "text/html", '"v1"')
    assert "正文" in page.body.decode()
    assert site.asked[0].headers["user-agent"] == "ZhiWen/0.1"
    again = fetcher.get(f"{site.url}/a", {"etag": '"v1"'})
    assert (again.status, again.body) == (304, b"")


def test_redirects_are_followed_a_few_times(site: Site, fetcher: Fetcher) -> None:
    site.page("/new", "新地址")
    site.pages["/old"] = Answer(status=301, headers={"Location": "/new"})
    site.pages["/loop"] = Answer(status=302, headers={"Location": "/loop"})
    site.pages["/file"] = Answer(status=302, headers={"Location": "file:///etc/passwd"})
    assert fetcher.get(f"{site.url}/old").address == f"{site.url}/new"
    with pytest.raises(FetchFailed):
        fetcher.get(f"{site.url}/loop")
    with pytest.raises(InvalidInput):
        fetcher.get(f"{site.url}/file")


@pytest.mark.parametrize(("encoding", "path"), [("utf-8", "政策"), ("gb18030", "%D5%FE%B2%DF")])
def test_targets_of_redirects_that_are_sent_unquoted(
    site: Site, fetcher: Fetcher, encoding: str, path: str
) -> None:
    sent = "/政策".encode(encoding).decode("latin-1")
    site.pages["/old"] = Answer(status=302, headers={"Location": sent})
    assert fetcher.get(f"{site.url}/old").address == checked_address(f"{site.url}/{path}")


def test_a_name_of_ours_that_is_no_header(site: Site) -> None:
    site.page("/", "正文")
    Fetcher("ZhiWen/0.1\r\nX-Evil: 1\n\x00", True).get(f"{site.url}/")
    assert site.asked[0].headers["user-agent"] == "ZhiWen/0.1 X-Evil: 1"
    assert "x-evil" not in site.asked[0].headers


def test_packed_answers_are_unpacked(site: Site, fetcher: Fetcher) -> None:
    packed = gzip.compress("压缩的正文".encode())
    site.pages["/"] = Answer(packed, headers={"Content-Encoding": "gzip"})
    assert fetcher.get(f"{site.url}/").body.decode() == "压缩的正文"
    site.pages["/twice"] = Answer(packed + packed, headers={"Content-Encoding": "gzip"})
    assert fetcher.get(f"{site.url}/twice").body.decode() == "压缩的正文压缩的正文"
    for other in ("br", "gzip, gzip"):
        site.pages["/other"] = Answer(packed, headers={"Content-Encoding": other})
        with pytest.raises(FetchFailed, match="压缩"):
            fetcher.get(f"{site.url}/other")
    site.pages["/cut"] = Answer(packed[:-8], headers={"Content-Encoding": "gzip"})
    with pytest.raises(FetchFailed):
        fetcher.get(f"{site.url}/cut")


def test_sizes_are_bounded_packed_or_not(site: Site, fetcher: Fetcher) -> None:
    site.pages["/long"] = Answer(b"x" * 3000)
    site.pages["/bomb"] = Answer(
        gzip.compress(bytes(5 << 20)), headers={"Content-Encoding": "gzip"}
    )
    site.pages["/lie"] = Answer(b"x", headers={"Content-Length": "9999999"})
    for path in ("/long", "/bomb", "/lie"):
        with pytest.raises(TooLarge):
            fetcher.get(site.url + path, max_bytes=2000)


def test_an_answer_that_breaks_off_is_no_answer(site: Site, fetcher: Fetcher) -> None:
    site.pages["/"] = Answer(b"half", headers={"Content-Length": "100"})
    with pytest.raises(FetchFailed):
        fetcher.get(f"{site.url}/")


def test_a_dripping_server_is_left_in_time(site: Site, fetcher: Fetcher) -> None:
    drips = [(0.1, b"x")] * 600
    site.pages["/"] = Answer(headers={"Content-Length": "600"}, chunks=drips)
    began = time.monotonic()
    with pytest.raises(FetchFailed, match="超时"):
        fetcher.get(f"{site.url}/", total_s=0.5)
    assert time.monotonic() - began < 30


def test_headers_that_never_end_are_no_answer(fetcher: Fetcher) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                for _ in range(100):
                    connection.sendall(b"X-More: 1\r\n")
                    time.sleep(0.05)

        threading.Thread(target=drip, daemon=True).start()
        with pytest.raises(FetchFailed, match="超时"):
            fetcher.get(f"http://127.0.0.1:{server.getsockname()[1]}/", total_s=0.5)


def test_no_server_no_page(fetcher: Fetcher) -> None:
    with pytest.raises(FetchFailed):
        fetcher.get("http://127.0.0.1:9/")


# --- robots.txt ------------------------------------------------------------------------

ROBOTS = """
# for everybody
User-agent: *
Disallow: /private/
Allow: /private/open
Disallow: /*.php$
Disallow: /search?*q=
Crawl-delay: 2

User-agent: OtherBot
User-agent: zhiwen
Disallow: /only-us/
Crawl-delay: 900
"""


@pytest.mark.parametrize(
    ("agent", "path", "allowed"),
    [
        ("Somebody/1.0", "/", True),
        ("Somebody/1.0", "/private/a", False),
        ("Somebody/1.0", "/private/open/a", True),
        ("Somebody/1.0", "/a/b.php", False),
        ("Somebody/1.0", "/a/b.php?x=1", True),
        ("Somebody/1.0", "/search?page=1&q=a", False),
        ("Somebody/1.0", "/only-us/", True),
        ("ZhiWen/0.1", "/only-us/a", False),
        ("ZhiWen/0.1", "/private/a", True),
    ],
)
def test_rules_for_robots(agent: str, path: str, allowed: bool) -> None:
    assert parse_robots(ROBOTS, agent).allows(f"https://example.com{path}") is allowed


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [
        ("/a%2Fb", "/a%2fb", True),
        ("/a%2Fb", "/a/b", False),
        ("/a/b", "/a%2Fb", False),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
        ("/foo/bar/baz", "/foo/bar/%62%61%7a", True),
        ("/政策/", "/%e6%94%bf%E7%AD%96/1.html", True),
        ("/%E6%94%BF%E7%AD%96/", "/政策/1.html", True),
        ("/find?to=https://foo.bar", "/find?to=https%3A%2F%2Ffoo.bar", True),
        ("/find?to=https%3A%2F%2Ffoo.bar", "/find?to=https://foo.bar", True),
        ("/price%24", "/price$", True),
        ("/a$b", "/a$b", True),
        ("/a%2Ab", "/a*b", True),
        ("/a%2Ab", "/axb", False),
        ("/a*b", "/axb", True),
        ("/*.pdf$", "/a%2Fb.pdf", True),
        ("/*?", "/a?b=1", True),
        ("/100%", "/100%25", True),
        ("/private%20files", "/private files", True),
        ("/~bob", "/%7Ebob/x", True),
    ],
)
def test_escapes_in_rules_and_addresses(rule: str, path: str, matches: bool) -> None:
    """RFC 9309, section 2.2.2."""
    robots = parse_robots(f"User-agent: *\nDisallow: {rule}", "ZhiWen")
    assert robots.allows(f"https://example.com{path}") is not matches


def test_the_longest_rule_is_the_one_with_the_most_octets() -> None:
    robots = parse_robots("User-agent: *\nDisallow: /%61%62%63/\nAllow: /abc/d", "ZhiWen")
    assert robots.allows("https://example.com/abc/d") and not robots.allows(
        "https://example.com/abc/e"
    )


def test_a_mark_of_the_encoding_hides_no_rule() -> None:
    assert not parse_robots("\ufeffUser-agent: *\nDisallow: /", "ZhiWen").allows("https://a.cn/b")


def test_delays_and_odd_files() -> None:
    assert parse_robots(ROBOTS, "Somebody").delay_s == 2
    assert parse_robots(ROBOTS, "ZhiWen/0.1").delay_s == 30
    assert parse_robots("<html>no rules", "ZhiWen").allows("https://example.com/a")
    assert parse_robots("User-agent: *\nDisallow:", "ZhiWen").allows("https://example.com/a")
    assert not parse_robots("User-agent: *\nDisallow: /", "ZhiWen").allows("https://example.com/")


def test_a_hostile_pattern_takes_no_time() -> None:
    rules = parse_robots("User-agent: *\nDisallow: /" + "*a" * 2000 + "$", "ZhiWen")
    began = time.monotonic()
    assert rules.allows("https://example.com/" + "a" * 1900)
    assert time.monotonic() - began < 30


# --- Links -----------------------------------------------------------------------------


def test_links_of_a_page() -> None:
    body = """<html><head><base href="/zc/"><link rel=canonical href="/zc/index.html"></head><body>
    <a href="a.html?utm_source=x&id=3">一</a><a href='a.html?id=3#top'>一</a>
    <a href="/b;jsessionid=0A1B?from=home">二</a><a href="mailto:a@b.c">信</a>
    <a href="javascript:void(0)">无</a><a href="photo.JPG">图</a><a rel=nofollow href="/c">三</a>
    <a href="https://other.example/d">四</a><a>空</a></body></html>""".encode()
    found = read_links(body, "https://example.com/index.html")
    assert found.links == (
        "https://example.com/zc/a.html?id=3",
        "https://example.com/b",
        "https://other.example/d",
    )
    assert found.canonical == "https://example.com/zc/index.html"
    assert (found.follow, found.index) == (True, True)


def test_robots_in_a_page() -> None:
    body = b'<meta name="ROBOTS" content="NoIndex, nofollow"><a href="/a">a</a>'
    found = read_links(body, "https://example.com/")
    assert (found.follow, found.index) == (False, False)


@pytest.mark.parametrize("body", [b"", b"\x00\xff", b"%PDF-1.7", b"<a" * 1000])
def test_what_is_no_page_has_no_links(body: bytes) -> None:
    assert read_links(body, "https://example.com/").links == ()


def test_only_what_people_see_makes_a_page_another() -> None:
    one = b"<html><script>t=1</script><!-- 1 --><p data-t=1>Text  here</p></html>"
    two = b"<html><script>t=2</script><!-- 2 --><p data-t=2>Text\nhere</p></html>"
    assert text_digest(one) == text_digest(two) != ""
    assert text_digest(one) != text_digest(one.replace(b"here", b"there"))
    assert page_address("tel:123", "https://example.com/") == ""
