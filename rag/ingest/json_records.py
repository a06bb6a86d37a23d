"""Finds the records in JSON: one a line (JSONL), or in the arrays and objects of one value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from rag.text.readable import readable

_TECHNICAL_NAME = re.compile(
    r"(?:.*[_-])?(?:hash|md5|sha\d*|checksum|etag|uuid|guid|embeddings?|vectors?|tokens?|"
    r"token_count|offset|byte_offset|bbox|path|filepath|filename|file_name|source_path|"
    r"source_file|source_url|url|uri|href|link|chunk_(?:id|index|no)|doc_id|document_id|"
    r"parent_id|scores?|mime_?type|created_at|updated_at|_id)",
    re.IGNORECASE,
)
"""Names of fields that programs write for themselves."""

_OWN_NAMES = frozenset(
    [
        "category",
        "categories",
        "class",
        "document_type",
        "doc_type",
        "type",
        "kind",
        "lang",
        "language",
        "locale",
        "region",
        "organisation",
        "organization",
        "year",
        "date",
        "publish_date",
        "effective_date",
        "expiry_date",
        "source",
        "author",
        "tag",
        "tags",
        "label",
        "labels",
        "keyword",
        "keywords",
        "status",
        "version",
    ]
)
"""English names that describe the document rather than what the record tells: they are its
metadata, and in Chinese text they answer nothing. Fields of the trade have names of the trade."""

_TECHNICAL_VALUE = re.compile(
    r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|(?=[^\W_]*\d)[0-9a-f]{24,}|"
    r"[0-9A-Za-z+/=_-]{60,}|\w+://\S+|(?:[A-Za-z]:[\\/]|\.{0,2}/)\S+|"
    r"(?:[^\s/\\]+[/\\])+[^\s/\\]+\.[A-Za-z0-9]{1,5}",
    re.IGNORECASE,
)
"""Values that nobody asks for: UUIDs, hashes, encoded data, addresses and paths of files."""

_SPOKEN_ID = re.compile(r"(?=.*\d)(?![a-z]+[_-]?\d+$)[\w.#/()（）-]{5,40}")
"""Identifiers that people write down: long enough to be no position in the file ("7",
"faq-006")."""

DEEPEST = 3
"""Objects inside each other that a record's lines tell of; deeper ones are trees of programs.
Chosen by us."""
MOST_LINES = 40
"""Lines that a record gets beside its text, at most. Chosen by us."""

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


def fact_lines(facts: Mapping[str, Any]) -> list[str]:
    """What a record says beside its text, a "name：value" line for each plain value and each
    list of texts; what is nested is named by its path ("联系人/电话：…"), and each record of a
    list has one line. Values of programs (hashes, paths, vectors) and what lies deeper than
    `DEEPEST` are left out, and no more than `MOST_LINES` lines are made."""
    kept = {name: v for name, v in facts.items() if name.strip().lower() not in _OWN_NAMES}
    return list(islice(_lines(kept, "", 1), MOST_LINES))


def _lines(facts: Mapping[str, Any], path: str, depth: int) -> Iterator[str]:
    for name, value in facts.items():
        if _TECHNICAL_NAME.fullmatch(name.strip()):
            continue
        here = f"{path}{name.strip()}"
        if isinstance(value, dict):
            if depth < DEEPEST:
                yield from _lines(value, f"{here}/", depth + 1)
        elif _is_rows(value):
            if depth < DEEPEST:
                # One statement, so that no value is cut from the name of its row.
                rows = (
                    [line.replace("：", " ", 1) for line in _lines(r, "", DEEPEST)] for r in value
                )
                yield from (f"{here}：{'，'.join(row)}" for row in rows if row)
        elif (told := _told(value)) and not _TECHNICAL_VALUE.fullmatch(told):
            yield f"{here}：{told}"


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def is_spoken_id(identity: str) -> bool:
    """Whether a record's id is one that people ask by ("GD-24001") rather than a number in
    the file or the id of a program."""
    return bool(_SPOKEN_ID.fullmatch(identity)) and not _TECHNICAL_VALUE.fullmatch(identity)


def _told(value: Any) -> str:
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, str | int | float):
        return " ".join(str(value).split())
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "、".join(" ".join(item.split()) for item in value if item.strip())
    return ""


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
