"""JSONL records {id, title, text, metadata}: one record is one block and one chunk."""

from __future__ import annotations

from typing import Any

from rag.errors import CorruptDocument
from rag.ingest.json_records import fact_lines, is_spoken_id, json_records
from rag.types import Block, Page

_TEXT_KEYS = (
    "text", "content", "body", "answer", "output", "response", "正文", "内容", "答案", "回答",
    "解答",
)  # fmt: skip
_TITLE_KEYS = (
    "title", "question", "query", "name", "heading", "instruction", "标题", "问题", "提问",
    "题目", "名称",
)  # fmt: skip
_ID_KEYS = ("id", "_id", "record_id", "doc_id", "key", "编号", "序号")
_MIN_FIELDS = 2
"""Fields from which a record without a text of its own is read as its names and values."""


def parse_jsonl(text: str) -> tuple[tuple[Page, ...], tuple[str, ...]]:
    """One page with a block for each record, and the flags.

    A block's text ends with its id and title ("GD-1：标题") and what the record says beside
    it, as "name：value" lines (see `rag.ingest.json_records.fact_lines`). Its metadata holds
    `title` and the record's own `metadata`. Lines that are no record
    are left out and flagged as `bad_lines:<numbers>` (the first ten). Records that share an
    id are all kept, flagged as `duplicate_records`.

    Raises:
        CorruptDocument: no line holds a record with text.
    """
    blocks: list[Block] = []
    bad: list[int] = []
    for number, record in json_records(text):
        block = _record(record, number)
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


def _record(record: Any, number: int) -> Block | None:
    if not isinstance(record, dict):
        return None
    title = _first_text(record, _TITLE_KEYS)
    text = _first_text(record, _TEXT_KEYS) or _named_values(record) or title
    if not text.strip():
        return None
    key = next((key for key in _ID_KEYS if record.get(key) is not None), None)
    found = number if key is None else record[key]
    metadata: dict[str, Any] = {"title": title}
    facts = _other_facts(record, title, text)
    if facts:
        metadata["metadata"] = facts
    if key is not None and is_spoken_id(str(found)):
        # An id is asked for what it names: "GD-24001：门禁刷卡无响应".
        facts = {str(found): title, **facts} if title else {key: found, **facts}
    written = set(text.split("\n"))
    lines = [
        line
        for line in fact_lines(facts)
        if not written & {line, line.partition("：")[2]}
        and (line.partition("：")[2] != title or line.startswith(f"{found}："))
    ]
    text = "\n".join([text.rstrip(), *lines]) if lines else text
    return Block(kind="paragraph", text=text, record_id=str(found), metadata=metadata)


def _other_facts(record: dict[str, Any], title: str, text: str) -> dict[str, Any]:
    """What a record says beside its title and text: its fields, and its own `metadata`."""
    stated = record.get("metadata")
    others = {
        name: value
        for name, value in record.items()
        if name not in ("metadata", *_ID_KEYS)
        and (isinstance(value, dict | list) or _adds(value, title, text))
    }
    return {**others, **(stated if isinstance(stated, dict) else {})}


def _adds(value: Any, title: str, text: str) -> bool:
    """Whether a plain value says what title and text don't."""
    written = str(value) if isinstance(value, str | int | float) else ""
    return bool(written.strip()) and written not in text and written != title


def _named_values(record: dict[str, Any]) -> str:
    """All plain fields as "name：value" lines: records of a table have no text of their own."""
    lines = [
        f"{name}：{value}"
        for name, value in record.items()
        if name != "metadata" and isinstance(value, str | int | float) and str(value).strip()
    ]
    return "\n".join(lines) if len(lines) >= _MIN_FIELDS else ""


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
