"""JSONL records {id, title, text, metadata}: one record is one block and one chunk."""

from __future__ import annotations

import json
from typing import Any

from rag.errors import CorruptDocument
from rag.types import Block, Page

_TEXT_KEYS = ("text", "content", "body", "answer", "output")
_TITLE_KEYS = ("title", "question", "name", "heading", "instruction")
_ID_KEYS = ("id", "_id", "record_id", "doc_id", "key")


def parse_jsonl(text: str) -> tuple[tuple[Page, ...], tuple[str, ...]]:
    """One page with a block for each record, and the flags.

    A block's metadata holds `title` and the record's own `metadata`. Lines that are no record
    are left out and flagged as `bad_lines:<numbers>` (the first ten). Records that share an
    id are all kept, flagged as `duplicate_records`.

    Raises:
        CorruptDocument: no line holds a record with text.
    """
    blocks: list[Block] = []
    bad: list[int] = []
    # splitlines() would also cut at U+2028 and U+0085, which are ordinary JSON characters.
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if not line.strip():
            continue
        block = _record(line, number)
        if block is None:
            bad.append(number)
        else:
            blocks.append(block)
    if bad and not blocks:
        raise CorruptDocument(
            "JSONL 里没有一条可用的记录。",
            '请确认每行是一个 JSON 对象，例如 {"id": "1", "title": "标题", "text": "正文"}。',
            message_en="There is no usable record in the JSONL file.",
            remedy_en='Each line must be an object like {"id": "1", "title": "…", "text": "…"}.',
        )
    flags: list[str] = []
    if bad:
        flags.append(f"bad_lines:{','.join(map(str, bad[:10]))}")
    if len({block.record_id for block in blocks}) < len(blocks):
        flags.append("duplicate_records")
    return (Page(number=1, blocks=tuple(blocks)),), tuple(flags)


def _record(line: str, number: int) -> Block | None:
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    title = _first_text(record, _TITLE_KEYS)
    text = _first_text(record, _TEXT_KEYS) or title
    if not text.strip():
        return None
    found = next((record[key] for key in _ID_KEYS if record.get(key) is not None), number)
    metadata: dict[str, Any] = {"title": title}
    if isinstance(record.get("metadata"), dict):
        metadata["metadata"] = record["metadata"]
    return Block(kind="paragraph", text=text, record_id=str(found), metadata=metadata)


def _first_text(record: dict[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return "\n".join(value)
    return ""
