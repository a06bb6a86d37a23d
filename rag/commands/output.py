"""Printing of results, and reading of batch and history files."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rag.errors import InvalidInput, ZhiwenError
from rag.ingest.places import chinese_place
from rag.types import Citation, Hit, Slots, Turn, Understanding

log = logging.getLogger(__name__)


class Output:
    """Prints results as JSON lines or as plain text."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json
        if isinstance(sys.stdout, io.TextIOWrapper):
            # Programs that read JSON expect UTF-8 on every system. What still cannot be
            # written (half an emoji) becomes an escape, which JSON understands too.
            encoding = "utf-8" if as_json else sys.stdout.encoding
            sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")

    def line(self, value: Mapping[str, Any], text: str) -> None:
        """Print one result: `value` with `--json`, else `text`."""
        print(json.dumps(value, ensure_ascii=False) if self._json else text, flush=True)

    def note(self, text: str) -> None:
        """Tell the person something that is not a result."""
        print(text, file=sys.stderr, flush=True)


def read_batch(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a JSON lines file; each needs `question` (text) and may have `id`, `history`.

    Raises:
        InvalidInput: the file or a line cannot be used; the message names the line.
    """
    for number, line in enumerate(_read(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row["question"], str):
                raise TypeError("question is not a text")
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{path} 第 {number} 行不能用：{error}。",
                '每行应是 {"id": …, "question": "…"}。',
                message_en=f"{path} line {number} cannot be used: {error}.",
            ) from error
        yield {**row, "id": number if row.get("id") is None else row["id"]}


def read_history(path: Path | None) -> tuple[Turn, ...]:
    """Turns from a JSON file with a list of `{role, content}`.

    Raises:
        InvalidInput: the file cannot be used.
    """
    if path is None:
        return ()
    try:
        rows = json.loads(_read(path))
    except ValueError as error:
        raise InvalidInput(
            f"{path} 不是 JSON。", message_en=f"{path} is not JSON.", detail=str(error)
        ) from error
    return to_turns(rows, str(path))


def to_turns(rows: object, source: str) -> tuple[Turn, ...]:
    """Turns from a list of `{role, content}`; other keys are ignored.

    Raises:
        InvalidInput: it is not such a list.
    """
    try:
        if not isinstance(rows, list):
            raise TypeError("not a list")
        return tuple(Turn(role=row["role"], content=str(row["content"])) for row in rows)
    except (TypeError, KeyError, ValueError) as error:
        raise InvalidInput(
            f"{source} 里的 history 不能用。",
            '它应是 [{"role": "user"|"assistant", "content": "…"}, …]。',
            message_en=f"The history in {source} cannot be used.",
            detail=str(error),
        ) from error


def failure(error: Exception) -> dict[str, str]:
    """An error as the command line prints it; what is a bug goes to the log as well."""
    if isinstance(error, ZhiwenError):
        return {"code": error.code, "message": error.message, "remedy": error.remedy}
    log.error("unexpected", exc_info=error)
    message = f"出了意外：{type(error).__name__}。"
    return {"code": "unexpected", "message": message, "remedy": "详情见标准错误输出。"}


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit as the command line prints it."""
    chunk = hit.chunk
    return {
        "rank": hit.rank,
        "chunk_id": chunk.id,
        "record_id": chunk.record_id,
        "document_id": chunk.document_id,
        "document": chunk.document_name,
        "pages": list(chunk.pages),
        "heading_path": list(chunk.heading_path),
        "text": chunk.text,
        "scores": {name: round(float(score), 6) for name, score in hit.scores.items()},
        "why": hit.why,
    }


def understanding_json(meaning: Understanding) -> dict[str, Any]:
    """An Understanding with the names that the product's specification uses beside its own."""
    return {
        **meaning.model_dump(mode="json"),
        "rewrite_query": meaning.standalone_question,
        "retrieval_strategy": meaning.strategy,
        "filters": filters(meaning.slots),
    }


def filters(slots: Slots) -> dict[str, Any]:
    """The slots that are set, as plain values."""
    dumped = slots.model_dump(mode="json")
    return {name: value for name, value in dumped.items() if value}


def place(citation: Citation) -> str:
    """Where a citation is from, for people."""
    where = citation.url or chinese_place(citation.document, (citation.page,))
    path = " › ".join(citation.heading_path)
    return " ".join(part for part in (citation.document, where, path) if part)


def preview(text: str, length: int = 100) -> str:
    """The beginning of a text in one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"


def joined(values: Sequence[object]) -> str:
    """Values in a row."""
    return "、".join(str(value) for value in values)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"无法读取 {path}：{error}。",
            "请检查路径；文件应是 UTF-8 文本。",
            message_en=f"{path} cannot be read: {error}.",
        ) from error
