"""What the knowledge base's own titles and metadata tell understanding, indexed once.

A profile stays the same until a document changes; the index of the latest few is kept.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from rag.text.normalise import normalise
from rag.types import DocumentProfile, KnowledgeProfile
from rag.understand.regions import find_regions, region_paths, related

_KEPT = 4
NATIONAL = ("全国", "国家", "中央", "中国", "中华人民共和国")
"""Values of a region that mean no region in particular."""
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d{2})(?!\d)")
_EDITION = re.compile(
    r"[(（【\[〔]?(?<!\d)(?:19|20)\d{2}(?!\d)\s*(?:年度?|版)?(?:修订|修正|试行|版)?[)）】\]〕]?版?"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A document as understanding compares it.

    `bare` is the title without region, year and the country's name; `regions` those that it
    is for; `year` that of its content; `dated` whether its title or file name shows the year,
    so that it is one edition of several and not a version that replaces the older ones.
    """

    document: DocumentProfile
    title: str
    bare: str
    regions: tuple[str, ...]
    year: int | None
    dated: bool


class Gazetteer:
    """The documents of a profile by title, and the names that their metadata hold."""

    def __init__(self, profile: KnowledgeProfile) -> None:
        self.entries = tuple(_entry(document) for document in profile.documents)
        self.by_id = {entry.document.document_id: entry for entry in self.entries}
        self.by_bare: dict[str, list[Entry]] = {}
        for entry in self.entries:
            self.by_bare.setdefault(entry.bare, []).append(entry)
        self.products = _distinct(d.metadata.product for d in profile.documents)
        self.organisations = _distinct(d.metadata.organisation for d in profile.documents)
        names = [part for d in profile.documents for part in (d.title, d.name, *d.headings)]
        self.names = "\n".join(normalise(name) for name in names if name)

    def titled(self, title: str) -> list[Entry]:
        """The documents whose whole title this is, however it is written."""
        wanted = normalise(title)
        return [entry for entry in self.by_bare.get(bare_title(title), ()) if entry.title == wanted]

    def in_region(self, title: str, region: str) -> str | None:
        """The title of the document that is `title` for `region`, as the document writes it."""
        found = [
            entry
            for entry in self.by_bare.get(bare_title(title), ())
            if any(related(region, path) for path in entry.regions)
        ]
        exact = [entry for entry in found if region in entry.regions]
        return (exact or found)[0].document.title if found else None


_lock = threading.Lock()
_recent: list[tuple[KnowledgeProfile, Gazetteer]] = []


def gazetteer(profile: KnowledgeProfile) -> Gazetteer:
    """The index of a profile; cheap when the same profile (or an equal one) was seen lately."""
    with _lock:
        for known, index in _recent:
            if known is profile or known == profile:
                return index
    index = Gazetteer(profile)
    with _lock:
        _recent.insert(0, (profile, index))
        del _recent[_KEPT:]
    return index


@lru_cache(maxsize=16384)
def bare_title(title: str) -> str:
    """A title without region, year and the country's name, normalised, for comparison."""
    text = normalise(title).replace("中华人民共和国", "")
    text = _EDITION.sub("", text)
    leading = [mention for mention in find_regions(text) if mention.start <= 1]
    if leading:
        text = text[: leading[0].start] + text[leading[-1].end :]
    return text.strip(" 的-—_·.《》")


@lru_cache(maxsize=16384)
def title_regions(title: str) -> tuple[str, ...]:
    """The regions that begin a title."""
    return tuple(mention.path for mention in find_regions(title) if mention.start <= 1)


def _entry(document: DocumentProfile) -> Entry:
    title = document.title or document.name.rsplit(".", 1)[0]
    region = document.metadata.region
    shown = _YEAR.findall(normalise(f"{title} {document.name}"))
    year = document.metadata.year or (int(shown[0]) if shown else None)
    return Entry(
        document=document,
        title=normalise(title),
        bare=bare_title(title),
        regions=_paths(region) if region else title_regions(normalise(title)),
        year=year,
        dated=year is not None and str(year) in shown,
    )


def _paths(region: str) -> tuple[str, ...]:
    """The paths of a metadata value, which a record may spell as it likes."""
    if region in NATIONAL:
        return ()
    return (region,) if "/" in region else region_paths(region) or (region,)


def _distinct(values: Iterable[str | None]) -> tuple[str, ...]:
    found = dict.fromkeys(value.strip() for value in values if value and value.strip())
    return tuple(sorted(found, key=len, reverse=True))
