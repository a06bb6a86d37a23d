"""Fetches web pages for knowledge bases, and nothing that a server should not be made to fetch.

The host is resolved here and the connection goes to the very address that was checked, on
every hop, so that neither a redirect nor a name that changes its address (DNS rebinding)
reaches machines of the private network. Time and size of an answer are bounded, unpacked
size included.
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from rag.errors import InvalidInput, NotAllowed, TooLarge, ZhiwenError
from rag.text.readable import readable

REDIRECTS = 5
"""Most redirects that are followed; chosen by us, browsers follow 20."""
CONNECT_TIMEOUT_S, READ_TIMEOUT_S, TOTAL_TIMEOUT_S = 10.0, 20.0, 60.0
"""Seconds for a connection, without a new byte, and for a whole page; chosen by us."""
MAX_BYTES = 50 << 20
"""Most bytes of one answer, unpacked; chosen by us: long reports in PDF have 10–40 MB."""
_READ_BYTES = 1 << 16
_PACKINGS = frozenset({"gzip", "x-gzip", "deflate"})
_ANY_HEADER = 47
"""zlib's window bits for data in the form of either gzip or zlib."""
_LONGEST_ADDRESS = 2000
_REDIRECT_CODES = frozenset({301, 302, 303, 307, 308})
_KEPT_HEADERS = ("content-type", "etag", "last-modified", "retry-after")
_OTHER_SERVICES = range(1, 1024)
"""Ports of other services than the web (mail, databases, shells), but for 80 and 443."""
_NO_PLACES = tuple(
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",
        "192.88.99.0/24",
        "64:ff9b:1::/48",
        "fec0::/10",
        "5f00::/16",
        "3fff::/20",
    )
)
"""Special networks that Python (3.11) takes for public ones; IANA's registries of special
addresses and RFC 3879."""
_HOST = re.compile(r"[a-z0-9._:-]+")
_NAT64, _6TO4 = ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("2002::/16")


class FetchFailed(ZhiwenError):
    """A page cannot be had at the moment: no connection, a time-out, an error of the server."""

    code = "fetch_failed"


@dataclass(frozen=True)
class Page:
    """An answer. `address` is where it came from after redirects; `body` is empty unless the
    status is 200; `headers` holds those of `content-type`, `etag`, `last-modified` and
    `retry-after` that were sent."""

    address: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """The stated media type in lower case, without parameters; "" when none was."""
        return self.headers.get("content-type", "").split(";")[0].strip().lower()


class Fetcher:
    """Fetches pages. Thread-safe.

    Args:
        user_agent: how we introduce ourselves.
        allow_private: whether private and local addresses may be reached.
        stop: ends waiting and reading early.
    """

    def __init__(
        self, user_agent: str, allow_private: bool = False, stop: threading.Event | None = None
    ) -> None:
        one_line = " ".join(readable(user_agent).split())
        self._user_agent = one_line.encode("ascii", "replace").decode()
        self._allow_private = allow_private
        self._stop = stop or threading.Event()

    def get(
        self,
        address: str,
        known: Mapping[str, str] | None = None,
        *,
        max_bytes: int = MAX_BYTES,
        total_s: float = TOTAL_TIMEOUT_S,
    ) -> Page:
        """Fetch a page, following redirects.

        Args:
            known: `etag` and `last-modified` of what we have; a page that is the same is
                answered with status 304.

        Raises:
            InvalidInput: the address is none of the web.
            NotAllowed: it, or one that it redirects to, is private or local.
            TooLarge: the answer is longer than `max_bytes`.
            FetchFailed: no answer, or one that breaks off.
        """
        deadline = time.monotonic() + total_s
        current = checked_address(address)
        for _ in range(REDIRECTS + 1):
            status, headers, body = self._ask(current, known or {}, max_bytes, deadline)
            target = headers.pop("location", "")
            if status not in _REDIRECT_CODES or not target:
                kept = {name: headers[name] for name in _KEPT_HEADERS if name in headers}
                return Page(current, status, kept, body)
            current = checked_address(urljoin(current, _as_sent(target)))
        raise _failed(address, "重定向次数过多", "too many redirects")

    def _ask(
        self, address: str, known: Mapping[str, str], max_bytes: int, deadline: float
    ) -> tuple[int, dict[str, str], bytes]:
        """One request without redirects: status, headers, body."""
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        if not self._allow_private and port in _OTHER_SERVICES and port not in (80, 443):
            raise _refused(address)
        connection = http.client.HTTPConnection(host, port, timeout=READ_TIMEOUT_S)
        connection.default_port = port if port in (80, 443) else 80
        # A server that sends a byte now and then is ended by this, not by the time-outs.
        clock = threading.Timer(max(0.1, deadline - time.monotonic()), _break_off, [connection])
        clock.daemon = True
        clock.start()
        try:
            connection.sock = self._connect(host, port, parts.scheme, address, deadline)
            target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
            connection.request("GET", target, headers=self._headers(known))
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            body = b""
            if response.status == 200:
                body = self._read(response, headers, max_bytes, deadline, address)
            if time.monotonic() >= deadline:
                raise TimeoutError("broken off among the headers")
            return response.status, headers, body
        except (OSError, http.client.HTTPException, zlib.error) as error:
            late = isinstance(error, TimeoutError) or time.monotonic() >= deadline
            words = ("超时", "timed out") if late else ("连接失败", "connection failed")
            raise _failed(address, *words, f"{type(error).__name__}: {error}") from error
        finally:
            clock.cancel()
            connection.close()

    def _headers(self, known: Mapping[str, str]) -> dict[str, str]:
        headers = {
            "User-Agent": self._user_agent,
            "Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5",
            "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5",
            "Accept-Encoding": "gzip",
            "Connection": "close",
        }
        if known.get("etag"):
            headers["If-None-Match"] = known["etag"]
        if known.get("last-modified"):
            headers["If-Modified-Since"] = known["last-modified"]
        return headers

    def _connect(
        self, host: str, port: int, scheme: str, address: str, deadline: float
    ) -> socket.socket:
        """A connection to an address of the host that was checked."""
        resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # One private address among several is enough to refuse: the next answer may be it.
        if not self._allow_private and not all(is_public(str(each[4][0])) for each in resolved):
            raise _refused(address)
        failure: OSError | None = None
        for family, kind, protocol, _, place in resolved:
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(min(CONNECT_TIMEOUT_S, max(0.1, deadline - time.monotonic())))
                sock.connect(place)
                if scheme == "https":
                    context = ssl.create_default_context()
                    sock = context.wrap_socket(sock, server_hostname=host)
                sock.settimeout(READ_TIMEOUT_S)
                return sock
            except OSError as error:
                sock.close()
                failure = error
        raise failure or OSError("no address")

    def _read(
        self,
        response: http.client.HTTPResponse,
        headers: Mapping[str, str],
        max_bytes: int,
        deadline: float,
        address: str,
    ) -> bytes:
        stated = headers.get("content-length", "")
        if stated.isdecimal() and int(stated) > max_bytes:
            raise _too_large(address, max_bytes)
        packed = headers.get("content-encoding", "identity").lower().strip()
        if packed not in _PACKINGS and packed not in ("identity", ""):
            raise _failed(
                address, "网页的压缩方式无法识别", "it is packed in an unknown way", packed
            )
        unpack = zlib.decompressobj(_ANY_HEADER) if packed in _PACKINGS else None
        pieces: list[bytes] = []
        size = received = 0
        while data := response.read1(_READ_BYTES):
            if self._stop.is_set() or time.monotonic() > deadline:
                raise TimeoutError("the whole answer took too long")
            received += len(data)
            while data:
                if unpack and unpack.eof:
                    unpack = zlib.decompressobj(_ANY_HEADER)  # a further member of the file
                piece = unpack.decompress(data, _READ_BYTES) if unpack else data
                data = (unpack.unused_data or unpack.unconsumed_tail) if unpack else b""
                size += len(piece)
                if size > max_bytes:
                    raise _too_large(address, max_bytes)
                pieces.append(piece)
        if (stated.isdecimal() and received < int(stated)) or (unpack and not unpack.eof):
            raise http.client.IncompleteRead(b"")
        return b"".join(pieces)


def checked_address(address: str) -> str:
    """A web address in the one form that we compare: host in lower case and ASCII, without
    default port and fragment, everything else percent-encoded.

    Raises:
        InvalidInput: it is none of http or https, or holds a name and password.
    """
    text = "".join(c for c in address.strip() if c.isprintable())
    try:
        parts = urlsplit(text)
        port, host = parts.port, (parts.hostname or "").encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        parts, port, host = None, None, ""
    fits = parts is not None and parts.scheme in ("http", "https") and _HOST.fullmatch(host)
    if not fits or parts is None or "@" in parts.netloc or len(text) > _LONGEST_ADDRESS:
        raise InvalidInput(
            f"“{text[:80]}”不是可以访问的网址。",
            "请填写以 http:// 或 https:// 开头的网址，不要带用户名和密码。",
            message_en=f"“{text[:80]}” is no web address that can be fetched.",
            remedy_en="Give one that begins with http:// or https://, without a password.",
        )
    host = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}[parts.scheme]
    place = host if port in (None, default) else f"{host}:{port}"
    path = quote(_without_dots(parts.path or "/"), safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~-._")
    return urlunsplit((parts.scheme, place, path, query, ""))


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, also when it wraps another one."""
    try:
        parsed = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped
        if inner is None and parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner is None and parsed in _6TO4:
            inner = ipaddress.IPv4Address((int(parsed) >> 80) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    if any(parsed in network for network in _NO_PLACES):
        return False
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved


def _as_sent(target: str) -> str:
    """A redirection's target, which some servers send in plain UTF-8 and http.client reads as
    Latin-1; bytes of another encoding are percent-encoded."""
    raw = target.encode("latin-1", "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in raw)


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept) or "/"


def _break_off(connection: http.client.HTTPConnection) -> None:
    sock = connection.sock
    if sock is not None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def _refused(address: str) -> NotAllowed:
    host = urlsplit(address).hostname or address
    return NotAllowed(
        f"“{host}”是内部网络的地址，不能访问。",
        "如果确实要收录内网网站，请管理员打开“允许访问内网地址”。",
        message_en=f"{host} is an address of the private network and was not fetched.",
        remedy_en="An administrator can allow private addresses for web sources.",
    )


def _failed(address: str, reason: str, reason_en: str, detail: str = "") -> FetchFailed:
    host = urlsplit(address).hostname or address
    return FetchFailed(
        f"无法从“{host}”取得网页：{reason}。",
        "请确认网址能在浏览器里打开；稍后会自动重试。",
        message_en=f"The page could not be fetched from {host}: {reason_en}.",
        remedy_en="Check that it opens in a browser; it will be tried again later.",
        detail=detail,
    )


def _too_large(address: str, max_bytes: int) -> TooLarge:
    return TooLarge(
        f"“{address[:100]}”超过了 {max_bytes >> 20} MB，没有收录。",
        "请下载后拆分，再作为文件上传。",
        message_en=f"{address[:100]} is larger than {max_bytes >> 20} MB and was left out.",
        remedy_en="Download and split it, then upload the parts.",
    )
