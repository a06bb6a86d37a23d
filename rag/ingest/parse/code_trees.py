"""Functions and classes of other languages, by tree-sitter with the grammars of its wheels."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from rag.ingest.parse.code_part import Part

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_GRAMMARS = {
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "ruby": ("tree_sitter_ruby", "language"),
    "bash": ("tree_sitter_bash", "language"),
}
"""Module and function of each language's grammar."""

_CONTAINERS = {
    "class_declaration": "class", "abstract_class_declaration": "class", "class_specifier": "class",
    "class": "class", "interface_declaration": "interface", "enum_declaration": "enum",
    "record_declaration": "record", "struct_declaration": "struct", "struct_specifier": "struct",
    "enum_specifier": "enum", "union_specifier": "union", "namespace_definition": "namespace",
    "namespace_declaration": "namespace", "internal_module": "namespace", "module": "module",
    "impl_item": "impl", "trait_item": "trait", "struct_item": "struct", "enum_item": "enum",
    "mod_item": "mod", "trait_declaration": "trait", "annotation_type_declaration": "@interface",
    "type_spec": "type", "type_alias_declaration": "type", "object_declaration": "object",
}  # fmt: skip
"""Nodes that hold other definitions, and the word that people know them by."""

_FUNCTIONS = frozenset(
    {
        "function_declaration", "generator_function_declaration", "method_definition",
        "method_declaration", "constructor_declaration", "function_definition", "function_item",
        "method", "singleton_method", "macro_definition", "destructor_declaration",
        "function_signature", "operator_declaration", "compact_constructor_declaration",
    }
)  # fmt: skip

_WRAPPERS = frozenset(
    {
        "export_statement", "template_declaration", "declaration", "type_definition",
        "lexical_declaration", "variable_declaration", "type_declaration", "linkage_specification",
        "preproc_ifdef", "preproc_if", "declaration_list", "expression_statement",
    }
)  # fmt: skip
"""Nodes around definitions; those of a file's own level only."""

_FUNCTION_VALUES = ("arrow_function", "function_expression", "function", "class")
_MAX_DEPTH = 40
_MAX_BYTES = 4 << 20
"""Longer files are generated ones and cut by lines; chosen by us."""


def tree_parts(text: str, language: str) -> list[Part] | None:
    """The definitions of a file, or None when there is no grammar or it can't be parsed.

    Raises:
        ImportError: the grammar isn't installed.
    """
    if language not in _GRAMMARS:
        return None
    source = text.encode("utf-8", "replace")
    if len(source) > _MAX_BYTES:
        return None
    root = _parser(language).parse(source).root_node
    found = list(_parts(root, 0))
    return found or (None if root.has_error else [])


@lru_cache(maxsize=16)
def _parser(language: str) -> Parser:
    import tree_sitter

    module, function = _GRAMMARS[language]
    grammar = getattr(importlib.import_module(module), function)()
    return tree_sitter.Parser(tree_sitter.Language(grammar))


def _parts(node: Node, depth: int) -> Iterator[Part]:
    if depth > _MAX_DEPTH:
        return
    for child in node.named_children:
        yield from _part(child, depth)


def _part(node: Node, depth: int) -> Iterator[Part]:
    start, end = node.start_point[0], node.end_point[0] + (1 if node.end_point[1] else 0)
    body = node.child_by_field_name("body")
    if node.type in _FUNCTIONS:
        yield Part(f"{_name(node)}()", start, end)
    elif node.type in _CONTAINERS and (body is not None or node.type in ("type_spec", "module")):
        inside = tuple(_parts(body, depth + 1)) if body is not None else ()
        yield Part(_name(node), start, end, _CONTAINERS[node.type], inside)
    elif node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is not None and value.type in _FUNCTION_VALUES:
            yield Part(f"{_name(node)}()", start, end)
    elif node.type in _WRAPPERS:
        for part in _parts(node, depth + 1):
            # The words before a definition (export, template, typedef) belong to it.
            whole = len(node.named_children) <= 3 and node.type != "declaration_list"
            yield Part(
                part.name or _name(node),
                start if whole and not node.type.startswith(("preproc", "linkage")) else part.start,
                end if whole and not node.type.startswith(("preproc", "linkage")) else part.end,
                part.kind,
                part.children,
            )


def _name(node: Node) -> str:
    for field in ("name", "type", "declarator"):
        found = node.child_by_field_name(field)
        if found is None or (field == "type" and node.type != "impl_item"):
            continue
        while (inner := found.child_by_field_name("declarator")) is not None:
            found = inner
        name = " ".join(found.text.decode("utf-8", "replace").split()) if found.text else ""
        receiver = node.child_by_field_name("receiver")
        if receiver is not None and receiver.text and node.type == "method_declaration":
            kind = receiver.text.decode("utf-8", "replace").strip("()").split()
            return f"{kind[-1].lstrip('*')}.{name}" if kind else name
        return name.partition("(")[0].strip()[:80]
    return ""
