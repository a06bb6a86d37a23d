"""Finds the records in JSON: one a line (JSONL), or in the arrays and objects of one value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rag.text.readable import readable

_PLAIN = (str, int, float, bool, type(None))


def json_records(text: str) -> Iterator[tuple[int, Any]]:
    """The values with the numbers of their lines (of a single value, of the records in it);
    None for a line that is no JSON."""
    whole = _loaded(text.lstrip("\ufeff")) if _is_nested(text) else None
    if whole is not None and (nested := _nested(whole)):
        yield from enumerate(nested, start=1)
        return
    if isinstance(whole, dict):
        yield 1, whole
        return
    # splitlines() would also cut at U+2028 and U+0085, which are ordinary JSON characters.
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.strip():
            yield number, _loaded(line.strip("\ufeff"))


def has_records(text: str) -> bool:
    """Whether a JSON text is records that are read without losing any of their values, rather
    than settings or some other tree."""
    if not _is_nested(text):
        return False
    whole = _loaded(text.lstrip("\ufeff"))
    if whole is None:
        found = [value for _, value in json_records(text)]
    else:
        found = list(_nested(whole))
    return bool(found) and all(isinstance(each, dict) and _is_flat(each) for each in found)


def _is_nested(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith(("[", "{"))


def _nested(whole: Any) -> list[Any]:
    """The records in a list, or in the only list of objects of an object ({"data": [...]})."""
    if isinstance(whole, dict):
        lists = [value for value in whole.values() if isinstance(value, list)]
        plain = all(isinstance(v, _PLAIN) for v in whole.values() if v not in lists)
        if len(lists) != 1 or not plain or not all(isinstance(item, dict) for item in lists[0]):
            return []
        return lists[0]
    is_list = isinstance(whole, list) and any(isinstance(item, dict) for item in whole)
    return list(whole) if is_list else []


def _is_flat(record: dict[str, Any]) -> bool:
    values = [value for name, value in record.items() if name != "metadata"]
    return bool(values) and all(
        isinstance(value, _PLAIN)
        or (isinstance(value, list) and all(isinstance(item, str) for item in value))
        for value in values
    )


def _loaded(text: str) -> Any:
    try:
        value = json.loads(text)
        return _written(value) if "\\u" in text else value
    except (ValueError, RecursionError):
        return None


def _written(value: Any) -> Any:
    """A value whose escapes stand for nothing that no file could hold: half an emoji, NUL."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, dict):
        return {readable(name): _written(item) for name, item in value.items()}
    return value
