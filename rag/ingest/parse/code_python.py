"""Functions and classes of Python, by its own parser."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable

from rag.ingest.parse.code_part import Part

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def python_parts(text: str) -> list[Part] | None:
    """The definitions at the top of a module with those inside classes, or None when it
    isn't valid Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes in other people's strings
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return list(_parts(tree.body))


def _parts(body: Iterable[ast.stmt]) -> Iterable[Part]:
    for node in body:
        if not isinstance(node, _Definition):
            continue
        first = min((d.lineno for d in node.decorator_list), default=node.lineno)
        is_class = isinstance(node, ast.ClassDef)
        yield Part(
            name=node.name if is_class else f"{node.name}()",
            start=first - 1,
            end=node.end_lineno or node.lineno,
            kind="class" if is_class else "",
            children=tuple(_parts(node.body)) if is_class else (),
        )
