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
from rag.types import DocumentMetadata, KnowledgeProfile
from rag.understand.lexicon import CLASSES
from rag.understand.named import Names
from rag.understand.regions import find_regions, official_name, region_paths, related

_KEPT = 4
_MANY_HEADINGS = 100
"""Headings from which a profile may have left some of a document's out (see rag.store)."""
NATIONAL = ("全国", "国家", "中央", "中国", "中华人民共和国")
"""Values of a region that mean no region in particular."""
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d{2})(?!\d)")
_EDITION = re.compile(
    r"[(（【\[〔]?(?<!\d)(?:19|20)\d{2}(?!\d)\s*(?:年度?|版)?(?:修订|修正|试行|版)?[)）】\]〕]?版?"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A document, or a record inside one, as understanding compares it.

    `shown` is the title as written, `title` its normalised form, `bare` that without region,
    year and the country's name. `regions` are those that it is for; `year` is that of its
    content; `dated` tells whether title or file name show the year, so that it is one edition
    of several and not a version that replaces the older ones.
    """

    document_id: str
    shown: str
    title: str
    bare: str
    regions: tuple[str, ...]
    year: int | None
    dated: bool
    product: str | None = None
    organisation: str = ""


class Gazetteer:
    """The documents of a profile by title, and the names that their metadata hold.

    Documents that hold records under titles of their own (JSONL) have an entry for each
    title that the profile keeps.
    """

    def __init__(self, profile: KnowledgeProfile) -> None:
        self.entries: list[Entry] = []
        self.by_id: dict[str, Entry] = {}
        self.by_bare: dict[str, list[Entry]] = {}
        self.regions: set[str] = set()
        self.cut_off = False
        for document in profile.documents:
            own = entry(
                document.document_id,
                document.title or document.name.rsplit(".", 1)[0],
                document.metadata,
                name=document.name,
            )
            self.regions.update(own.regions)
            if document.document_id not in self.by_id:
                self.by_id[document.document_id] = own
                self.entries.append(own)
            self._add(own)
            self.cut_off = self.cut_off or len(document.headings) >= _MANY_HEADINGS
            for heading in document.headings:
                if title_regions(normalise(heading)) and heading != document.title:
                    self._add(entry(document.document_id, heading, DocumentMetadata()))
        self.products = _distinct(d.metadata.product for d in profile.documents)
        self.organisations = _distinct(d.metadata.organisation for d in profile.documents)
        placed = {d.document_id for d in profile.documents if d.metadata.region}
        self.named = Names((e.shown, e.bare, e.document_id in placed) for e in self.by_id.values())
        titles = [part for d in profile.documents for part in (d.title, d.name)]
        headings = [heading for d in profile.documents for heading in d.headings]
        self.titles = "\n".join(normalise(title) for title in titles if title)
        self.names = "\n".join([self.titles, *(normalise(h) for h in headings if h)])

    def titled(self, title: str) -> list[Entry]:
        """The documents whose whole title this is, however it is written."""
        wanted = normalise(title)
        return [known for known in self.by_bare.get(bare_title(title), ()) if known.title == wanted]

    def in_region(self, title: str, region: str) -> str | None:
        """The title of the document that is `title` for `region`, as the document writes it.

        Where the profile could not keep all titles of a document's records, an unknown title
        gets the official name of a region that the records have in front.
        """
        known = self.by_bare.get(bare_title(title), ())
        found = [e for e in known if any(related(region, path) for path in e.regions)]
        exact = [e for e in found if region in e.regions]
        if found:
            return (exact or found)[0].shown
        if self.cut_off and not known and region in self.regions:
            return official_name(region) + title
        return None

    def _add(self, new: Entry) -> None:
        self.by_bare.setdefault(new.bare, []).append(new)


def entry(document_id: str, title: str, metadata: DocumentMetadata, *, name: str = "") -> Entry:
    """What understanding compares of a document, a record or a retrieved passage."""
    region = metadata.region
    simple = normalise(title)
    years = _YEAR.findall(normalise(f"{title} {name}"))
    year = metadata.year or (int(years[0]) if years else None)
    return Entry(
        document_id=document_id,
        shown=title,
        title=simple,
        bare=bare_title(title),
        regions=_paths(region) if region else title_regions(simple),
        year=year,
        dated=year is not None and str(year) in years,
        product=metadata.product if metadata.product not in CLASSES else None,
        organisation=normalise(metadata.organisation or ""),
    )


_lock = threading.Lock()
_recent: list[tuple[KnowledgeProfile, Gazetteer]] = []


def gazetteer(profile: KnowledgeProfile) -> Gazetteer:
    """The index of a profile; cheap when the same profile (or an equal one) was seen lately."""
    with _lock:
        recent = list(_recent)
    for known, index in recent:
        if known is profile:
            return index
    # Tuples compare the same documents by identity: a fresh profile of old ones is no work.
    same = (i for k, i in recent if k.kb_ids == profile.kb_ids and k.documents == profile.documents)
    index = next(same, None) or Gazetteer(profile)
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


def _paths(region: str) -> tuple[str, ...]:
    """The paths of a metadata value, which a record may spell as it likes."""
    if region in NATIONAL:
        return ()
    return (region,) if "/" in region else region_paths(region) or (region,)


def _distinct(values: Iterable[str | None]) -> tuple[str, ...]:
    found = dict.fromkeys(
        value.strip() for value in values if value and value.strip() and value not in CLASSES
    )
    return tuple(sorted(found, key=len, reverse=True))
