"""Builds mails: MIME from parts, and Outlook's containers stream by stream."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_SECTOR = 512
_SMALL = 4096
_SMALL_SECTOR = 64
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
Tree = Mapping[str, Any]
"""Name → bytes of a stream, or a tree for a storage."""


def compound_file(path: Path, tree: Tree) -> Path:
    """An OLE container with one table for large streams and one for those below 4,096 bytes."""
    entries: list[dict[str, Any]] = [{"name": "Root Entry", "type": 5, "children": []}]
    _add(entries, 0, tree)
    sectors: list[bytes] = []
    table: list[int] = []
    small, small_table = b"", list[int]()
    for entry in entries:
        data = entry.get("data") or b""
        entry["size"] = len(data)
        if 0 < len(data) < _SMALL:
            entry["start"] = len(small_table)
            small += data.ljust(-(-len(data) // _SMALL_SECTOR) * _SMALL_SECTOR, b"\0")
            _chain(small_table, len(small) // _SMALL_SECTOR)
        elif data:
            entry["start"] = _store(sectors, table, data)
    entries[0]["size"] = len(small)
    if small:
        entries[0]["start"] = _store(sectors, table, small)
    first_small, count_small = _END, 0
    if small_table:
        before = len(sectors)
        first_small = _store(sectors, table, _words(small_table))
        count_small = len(sectors) - before
    first = _store(sectors, table, b"".join(map(_entry, entries)))
    fats = 1
    while fats * 128 < len(sectors) + fats:
        fats += 1
    places = range(len(sectors), len(sectors) + fats)
    table += [_FAT] * fats + [_FREE] * (fats * 128 - len(table) - fats)
    header = struct.pack(
        "<8s16sHHHHH6sIIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, b"", 0, fats, first, 0,
        _SMALL, first_small, count_small, _END, 0, places[0],
    )  # fmt: skip
    header += b"".join(struct.pack("<I", place) for place in places[1:])
    path.write_bytes(header.ljust(_SECTOR, b"\xff") + b"".join(sectors) + _words(table))
    return path


def _store(sectors: list[bytes], table: list[int], data: bytes) -> int:
    """Append data in whole sectors; returns the number of the first."""
    first = len(sectors)
    count = -(-len(data) // _SECTOR)
    padded = data.ljust(count * _SECTOR, b"\xff" if data[:4] == b"\xff" * 4 else b"\0")
    sectors += [padded[i * _SECTOR : (i + 1) * _SECTOR] for i in range(count)]
    _chain(table, len(sectors))
    return first


def _chain(table: list[int], end: int) -> None:
    """Link the sectors that are new up to `end`."""
    table += [*range(len(table) + 1, end), _END]


def _words(numbers: list[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def message(
    *, subject: str = "", codepage: int | None = None, attachments: tuple[Tree, ...] = (),
    date: datetime | None = None, top: bool = True, html: bytes | None = None, **texts: str,
) -> dict[str, Any]:  # fmt: skip
    """The tree of an Outlook mail; `texts` are body, sender, address, to, cc."""
    pids = {"body": 0x1000, "sender": 0x0C1A, "address": 0x5D01, "to": 0x0E04, "cc": 0x0E03}
    tree: dict[str, Any] = {}
    for name, text in {"subject": subject, **texts}.items():
        pid = 0x0037 if name == "subject" else pids[name]
        if codepage is None:
            tree[f"__substg1.0_{pid:04X}001F"] = text.encode("utf-16-le")
        else:
            tree[f"__substg1.0_{pid:04X}001E"] = text.encode("gbk")
    if html is not None:
        tree["__substg1.0_10130102"] = html
    properties = bytes(32 if top else 24)
    if codepage:
        properties += struct.pack("<HHIII", 3, 0x3FFD, 6, codepage, 0)
    if date is not None:
        ticks = int((date - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds() * 10_000_000)
        properties += struct.pack("<HHIQ", 0x40, 0x0039, 6, ticks)
    tree["__properties_version1.0"] = properties
    for number, attachment in enumerate(attachments):
        tree[f"__attach_version1.0_#{number:08X}"] = attachment
    return tree


def attachment(name: str, data: bytes) -> dict[str, Any]:
    """A file attached to an Outlook mail."""
    return {
        "__properties_version1.0": bytes(8),
        "__substg1.0_3707001F": name.encode("utf-16-le"),
        "__substg1.0_37010102": data,
    }


def inner_mail(tree: Tree) -> dict[str, Any]:
    """A mail attached to an Outlook mail."""
    return {"__properties_version1.0": bytes(8), "__substg1.0_3701000D": tree}


def _add(entries: list[dict[str, Any]], parent: int, tree: Tree) -> None:
    for name, value in tree.items():
        number = len(entries)
        entries[parent]["children"].append(number)
        if isinstance(value, bytes):
            entries.append({"name": name, "type": 2, "data": value, "children": []})
        else:
            entries.append({"name": name, "type": 1, "children": []})
            _add(entries, number, value)
    # The children are a chain to the right, in the order that the format asks for.
    ordered = sorted(
        entries[parent]["children"],
        key=lambda n: (len(entries[n]["name"]), entries[n]["name"].upper()),
    )
    entries[parent]["child"] = ordered[0] if ordered else _FREE
    for here, right in zip(ordered, [*ordered[1:], _FREE], strict=True):
        entries[here]["right"] = right


def _entry(entry: Mapping[str, Any]) -> bytes:
    root = entry["type"] == 5
    name = (entry["name"] + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16sIQQIQ", name, len(name), entry["type"], 1, _FREE, entry.get("right", _FREE),
        entry.get("child", _FREE), b"", 0, 0, 0, entry.get("start", _END if root else 0),
        entry.get("size", 0),
    )  # fmt: skip
