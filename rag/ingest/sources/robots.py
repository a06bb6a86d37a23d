"""robots.txt (RFC 9309): which pages of a site we may fetch, and how slowly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

MAX_BYTES = 500 << 10
"""Bytes that are read; RFC 9309 asks for at least 500 KiB."""
_LONGEST_DELAY_S = 30.0
"""Longest wait between two pages that we let a site ask for; chosen by us."""


@dataclass(frozen=True)
class Robots:
    """The rules for us: (path pattern, allowed) in order, and the seconds between two pages."""

    rules: tuple[tuple[str, bool], ...] = ()
    delay_s: float = 0.0

    def allows(self, address: str) -> bool:
        """Whether a page may be fetched: the longest matching rule decides, then "allow"."""
        parts = urlsplit(address)
        query = f"?{parts.query}" if parts.query else ""
        path = _canonical((parts.path or "/") + query, _ADDRESS_SPECIAL)
        best, allowed = -1, True
        for pattern, permits in self.rules:
            longer = len(pattern) > best or (len(pattern) == best and permits)
            if longer and _matches(pattern, path):
                best, allowed = len(pattern), permits
        return allowed


NOTHING = Robots(rules=(("/", False),))
"""The rules of a site whose robots.txt cannot be had because of an error of the server."""


def parse_robots(text: str, user_agent: str) -> Robots:
    """The rules for the product that `user_agent` names ("ZhiWen/0.1"), else those for all."""
    product = re.split(r"[/\s]", user_agent.strip(), maxsplit=1)[0].lower()
    groups: dict[str, list[tuple[str, bool]]] = {}
    delays: dict[str, float] = {}
    agents: list[str] = []
    naming = False
    for line in text.lstrip("\ufeff").splitlines():
        name, _, value = line.split("#", 1)[0].partition(":")
        name, value = name.strip().lower(), value.strip()
        if name == "user-agent":
            if not naming:
                agents = []
            naming = True
            agents.append(re.split(r"[/\s]", value.lower(), maxsplit=1)[0] or "*")
            for agent in agents:
                groups.setdefault(agent, [])
            continue
        if name in ("allow", "disallow", "crawl-delay"):
            naming = False
        for agent in agents:
            if name in ("allow", "disallow") and value:
                end = "$" if value.endswith("$") else ""
                rule = _canonical(value.removesuffix("$"), _PATTERN_SPECIAL) + end
                groups[agent].append((rule, name == "allow"))
            elif name == "crawl-delay" and re.fullmatch(r"\d+(?:\.\d+)?", value):
                delays[agent] = min(float(value), _LONGEST_DELAY_S)
    chosen = product if product in groups else "*"
    return Robots(tuple(groups.get(chosen, ())), delays.get(chosen, 0.0))


_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
"""RFC 3986, section 2.3: the same octet with and without an escape."""
_ADDRESS_SPECIAL = frozenset("*$")
_PATTERN_SPECIAL = frozenset("$")
"""What patterns may give a meaning to: escaped where it only means itself."""
_QUERY_SPECIAL = frozenset("/:?@[]")
"""Told apart from their escapes within paths alone; RFC 9309 has them escaped in queries."""
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})|(.)", re.DOTALL)


def _canonical(text: str, special: frozenset[str]) -> str:
    """A path with its query in the one form in which RFC 9309, section 2.2.2, compares them:
    escapes of unreserved octets undone, the others kept in capitals ("%2F" is no "/"), what is
    not ASCII escaped as UTF-8."""
    path, mark, query = text.partition("?")
    return _escaped(path, special) + mark + _escaped(query, special | _QUERY_SPECIAL)


def _escaped(text: str, special: frozenset[str]) -> str:
    def octet(match: re.Match[str]) -> str:
        if match[1] is not None:
            letter = chr(int(match[1], 16))
            return letter if letter in _UNRESERVED else f"%{match[1].upper()}"
        plain = (
            match[2].isascii() and match[2].isprintable() and match[2] not in special | {" ", "%"}
        )
        raw = match[2].encode("utf-8", "replace")
        return match[2] if plain else "".join(f"%{byte:02X}" for byte in raw)

    return _ESCAPED.sub(octet, text)


def _matches(pattern: str, path: str) -> bool:
    """Whether a pattern with * (anything) and a final $ (the end) fits from the beginning.

    Walked by hand: as a regular expression, a hostile pattern of many * would take for ever.
    """
    anchored = pattern.endswith("$")
    pieces = (pattern[:-1] if anchored else pattern).split("*")
    if not path.startswith(pieces[0]):
        return False
    position = len(pieces[0])
    for piece in pieces[1:-1]:
        found = path.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    if len(pieces) == 1:
        return not anchored or position == len(path)
    last = pieces[-1]
    if anchored:
        return path.endswith(last) and len(path) - len(last) >= position
    return path.find(last, position) >= 0
