"""What the tests of sources share: an installation that follows them, and a small web site."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ingest_world import World

from rag.access.audit import Audit
from rag.ingest.sources import Sources
from rag.secrets import Secrets
from rag.types import DocumentInfo, Person, Source

ADMIN = Person(id="a1", name="管理员", role="admin")
EDITOR = Person(id="e1", name="编辑", role="editor")


class Followed:
    """The sources of one installation, synchronised by hand or in the background."""

    def __init__(self, world: World, **settings: Any) -> None:
        self.world = world
        world.settings = world.settings.model_copy(
            update={"sources": world.settings.sources.model_copy(update=settings)}
        )
        self.secrets = Secrets(world.data)
        self.sources = Sources(
            world.catalog,
            world.pipeline,
            world.jobs,
            self.secrets,
            Audit(world.catalog),
            lambda: world.settings,
        )

    def follow(self, kind: Any, **config: Any) -> Source:
        """A new source of an administrator."""
        name = config.pop("name", "来源")
        password = config.pop("password", "")
        return self.sources.create(ADMIN, self.world.kb, kind, name, config, password=password)

    def sync(self, source: Source) -> dict[str, int]:
        """Synchronise and wait for all jobs; the numbers that aren't 0."""
        report = self.sources.sync(source.id)
        jobs = self.world.catalog.jobs.list(active_only=True)
        self.world.jobs.wait([job.id for job in jobs], 120)
        self.sources._follower._synchroniser.settle(source.id)
        values = vars(report)
        return {name: int(value) for name, value in values.items() if value}

    def documents(self) -> dict[str, DocumentInfo]:
        """All documents by name."""
        return {info.name: info for info in self.world.catalog.documents.list([self.world.kb])}

    def texts(self, name: str) -> str:
        """A document's text."""
        pages = self.world.catalog.documents.pages(self.documents()[name].id)
        return "\n".join(block.text for page in pages for block in page.blocks)


def eventually(check: Callable[[], bool], within_s: float = 60.0) -> float:
    """Wait until something is so; the seconds that it took."""
    began = time.monotonic()
    while not check():
        assert time.monotonic() - began < within_s, "it did not happen in time"
        time.sleep(0.05)
    return time.monotonic() - began


def write(path: Path, text: str, age_s: float = 60.0) -> Path:
    """A file that was written a while ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    then = time.time() - age_s
    os.utime(path, (then, then))
    return path


@dataclass
class Answer:
    """How the site answers for a path."""

    body: bytes | str = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    etag: str = ""
    chunks: list[tuple[float, bytes]] | None = None


@dataclass
class Request:
    """A request as it came."""

    path: str
    headers: dict[str, str]


class Site:
    """A web site on 127.0.0.1. `pages` maps paths to answers; `asked` holds what was asked."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {}
        self.asked: list[Request] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                site.asked.append(Request(self.path, headers))
                answer = site.pages.get(self.path, Answer("没有这个页面", 404))
                status = answer.status
                if answer.etag and headers.get("if-none-match") == answer.etag:
                    status = 304
                body = answer.body.encode() if isinstance(answer.body, str) else answer.body
                body = b"" if status == 304 else body
                self.send_response(status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if "Content-Type" not in answer.headers:
                    self.send_header("Content-Type", "text/html; charset=utf-8")
                if answer.etag:
                    self.send_header("ETag", answer.etag)
                if "Content-Length" not in answer.headers and answer.chunks is None:
                    self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    for wait, piece in answer.chunks or [(0.0, body)]:
                        time.sleep(wait)
                        self.wfile.write(piece)
                        self.wfile.flush()
                except OSError:
                    pass
                self.close_connection = True

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def page(self, path: str, text: str, *links: str, **answer: Any) -> None:
        """A page of this text that links to others."""
        anchors = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
        title = answer.pop("title", text[:10])
        head = answer.pop("head", "")
        self.pages[path] = Answer(
            f"<html><head><meta charset=utf-8><title>{title}</title>{head}</head><body><main>"
            f"<h1>{title}</h1><p>{text}</p></main><nav><ul>{anchors}</ul></nav></body></html>",
            **answer,
        )

    def paths(self) -> list[str]:
        """The paths that were asked for, without robots.txt; forgotten then."""
        found = [request.path for request in self.asked if request.path != "/robots.txt"]
        self.asked.clear()
        return found

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def running_site() -> Iterator[Site]:
    """A site while the block runs."""
    site = Site()
    try:
        yield site
    finally:
        site.close()
