"""Parts and relations of OOXML packages (DOCX, PPTX, XLSX): part of the parse step.

Read from the zip archive itself: one broken relationship, a renamed main part or the strict
variant of the format is no reason to lose a document.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import unquote

from rag.errors import CorruptDocument
from rag.ingest.archive import damaged, read_member

RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
"""Namespace of the attributes that refer to relations."""

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
"""Namespace of drawings."""

MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
"""Namespace of alternatives for older programs."""

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/\2"
_CHOICES = (MC + "Choice", MC + "Fallback")


class Relation(NamedTuple):
    """`kind` is the last word of the relation's type ("image", "chart", "notesSlide"),
    `target` a part's name, or an address when it is `external`."""

    kind: str
    target: str
    external: bool


class Package:
    """An open package. Use it as a context manager.

    `repaired` says whether the XML of some part was broken, so that something may be lost.

    Raises:
        CorruptDocument: it is no zip archive.
    """

    def __init__(self, source: Path | IO[bytes]) -> None:
        try:
            self._archive = zipfile.ZipFile(source)
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise damaged(str(error)) from error
        # Part names don't mind case; some writers use backslashes.
        self._names = {_key(name): name for name in self._archive.namelist()}
        self._relations: dict[str, dict[str, Relation]] = {}
        self.repaired = False

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return _key(name) in self._names

    def read(self, name: str) -> bytes:
        """The bytes of a part.

        Raises:
            CorruptDocument: it is missing or damaged.
            TooLarge: it is larger than what may be read whole.
        """
        actual = self._names.get(_key(name))
        if actual is None:
            raise damaged(f"{name} is missing")
        return read_member(self._archive, actual)

    def part(self, name: str) -> Any:
        """The root element of a part.

        Raises:
            CorruptDocument: it is missing, damaged or no XML.
            TooLarge: it is larger than what may be read whole.
        """
        from lxml import etree

        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, huge_tree=True, recover=True
        )
        root = etree.fromstring(_STRICT.sub(_TRANSITIONAL, self.read(name)), parser)
        if root is None:
            raise damaged(f"{name} is no XML")
        if len(parser.error_log.filter_from_fatals()):
            self.repaired = True
        return root

    def optional(self, name: str | None) -> Any | None:
        """The root element of a part, None when it is missing or cannot be read."""
        if name is None or not self.has(name):
            return None
        try:
            return self.part(name)
        except CorruptDocument:
            return None

    def main(self, usual: str) -> str:
        """The name of the main part; `usual` where the package doesn't say."""
        for relation in self.relations("").values():
            if relation.kind == "officeDocument" and self.has(relation.target):
                return relation.target
        return usual

    def relations(self, name: str) -> dict[str, Relation]:
        """The relations of a part ("" for those of the package) by their ids."""
        if name not in self._relations:
            folder, file = posixpath.split(name)
            root = self.optional(posixpath.join(folder, "_rels", f"{file}.rels"))
            self._relations[name] = {} if root is None else _read_relations(root, folder)
        return self._relations[name]

    def related(self, name: str, kind: str) -> list[str]:
        """The existing parts to which a part has relations of a kind."""
        return [
            relation.target
            for relation in self.relations(name).values()
            if relation.kind == kind and not relation.external and self.has(relation.target)
        ]

    def target(self, name: str, relation_id: str | None) -> str | None:
        """The part that an id in a part refers to, None when there is none."""
        relation = self.relations(name).get(relation_id or "")
        if relation is None or relation.external or not self.has(relation.target):
            return None
        return relation.target


def alternatives(element: Any) -> list[Any]:
    """The children of the first alternative with any; the others repeat it."""
    for name in _CHOICES:
        chosen = element.find(name)
        if chosen is not None and len(chosen):
            return list(chosen)
    return []


def core_title(package: Package) -> str | None:
    """The title among the package's properties, None when it has none."""
    found = package.related("", "core-properties") or ["docProps/core.xml"]
    core = package.optional(found[0])
    title = None if core is None else core.findtext("{http://purl.org/dc/elements/1.1/}title")
    return title.strip() or None if title else None


def _read_relations(root: Any, folder: str) -> dict[str, Relation]:
    found: dict[str, Relation] = {}
    for element in root:
        key, target = element.get("Id"), element.get("Target")
        if not key or not target:
            continue
        external = element.get("TargetMode") == "External"
        if not external:
            path = unquote(target).replace("\\", "/")
            path = path[1:] if path.startswith("/") else posixpath.join(folder, path)
            target = posixpath.normpath(path)
        kind = (element.get("Type") or "").rpartition("/")[2]
        found[key] = Relation(kind, target, external)
    return found


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
