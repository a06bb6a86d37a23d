"""What models write, made usable: thinking removed, JSON found and checked against a schema."""

from __future__ import annotations

import json
from typing import Any

from rag.errors import ModelNonsense

_OPEN, _CLOSE = "<think>", "</think>"
_MOST_ATTEMPTS = 20
"""Opening braces tried before a reply counts as having no JSON."""


class ThinkStripper:
    """Removes `<think>…</think>` from text that arrives in pieces, tags cut in two included.

    White space before the first visible character is dropped too.
    """

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._begun = False

    def feed(self, piece: str) -> str:
        """The text that may be shown after this piece; often empty."""
        self._held += piece
        shown: list[str] = []
        while True:
            tag = _CLOSE if self._thinking else _OPEN
            before, found, after = self._held.partition(tag)
            if found:
                if not self._thinking:
                    shown.append(before)
                self._thinking = not self._thinking
                self._held = after
                continue
            kept = _tail_that_may_begin(self._held, tag)
            if not self._thinking:
                shown.append(self._held[: len(self._held) - kept])
            self._held = self._held[len(self._held) - kept :]
            return self._visible("".join(shown))

    def finish(self) -> str:
        """What was held back at the end; an unfinished thought stays hidden."""
        rest, self._held = self._held, ""
        return "" if self._thinking else self._visible(rest)

    def _visible(self, text: str) -> str:
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        return text


def _tail_that_may_begin(text: str, tag: str) -> int:
    """Length of the longest end of `text` that is a beginning of `tag`."""
    for length in range(min(len(tag) - 1, len(text)), 0, -1):
        if tag.startswith(text[-length:]):
            return length
    return 0


def parse_object(text: str) -> dict[str, Any]:
    """The first JSON object in a reply, past thoughts, code fences and chatter.

    Raises:
        ModelNonsense: there is none.
    """
    answer = text.rpartition(_CLOSE)[2]
    decoder = json.JSONDecoder()
    position = answer.find("{")
    for _ in range(_MOST_ATTEMPTS):
        if position < 0:
            break
        try:
            value, _end = decoder.raw_decode(answer, position)
        except (ValueError, RecursionError):
            position = answer.find("{", position + 1)
            continue
        if isinstance(value, dict):
            return value
        break
    raise ModelNonsense(
        "模型没有按要求返回 JSON。",
        "可以换一个更强的模型，或在管理页面关闭“用模型理解问题”。",
        message_en="The model did not return JSON as asked.",
        remedy_en="Use a stronger model, or switch off understanding by the model.",
        detail=answer[:200],
    )


_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def problems(value: Any, schema: dict[str, Any], path: str = "") -> list[str]:
    """Where `value` breaks a JSON schema; empty when it fits.

    Knows the keywords that our prompts use: type (also a list of types), enum, required,
    properties, additionalProperties (false), items. Others are ignored.
    """
    place = path or "(root)"
    types = schema.get("type")
    if types is not None and not _is_one_of(value, [types] if isinstance(types, str) else types):
        return [f"{place}: expected {types}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place}: {value!r} is not allowed"]
    found: list[str] = []
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        found += [
            f"{place}: {name} is missing"
            for name in schema.get("required", ())
            if name not in value
        ]
        for name, item in value.items():
            if name in properties:
                found += problems(item, properties[name], f"{path}.{name}".lstrip("."))
            elif schema.get("additionalProperties") is False:
                found.append(f"{place}: {name} is unknown")
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for number, item in enumerate(value):
            found += problems(item, schema["items"], f"{path}[{number}]")
    return found


def _is_one_of(value: Any, names: list[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in names
    return any(isinstance(value, _TYPES.get(name, (object,))) for name in names)
