"""Cuts running text into ranges: recursively at the gentlest borders, or at a fixed length."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rag.ingest.chunk.borders import border_before
from rag.ingest.chunk.count import CountTokens
from rag.ingest.chunk.pieces import Cut
from rag.ingest.chunk.sections import Unit
from rag.ingest.chunk.split import Atom, atoms, overlap_start, pack
from rag.ingest.headings import starts_entry
from rag.text.sentences import split_sentences

Splitter = Callable[[Sequence[Unit]], list[Cut]]
"""Neighbouring units to ranges of the plain text that cover them, in order."""

_ENTRY_FOLLOWERS = 4
"""Most blocks behind a code that count as its remedy; chosen by us."""
_LEADS = ("：", ":")
_LEAD_CHARACTERS = 120
"""Characters of the longest text that may only introduce what follows; chosen by us."""
_FIXED_SLACK = 0.1
"""Share of a fixed length that is given up to end at a sentence; chosen by us."""


class Recursive:
    """Ranges of at most `limit` tokens along paragraphs, lines, sentences, commas.

    Args:
        text: the document's plain text.
        overlap: most tokens repeated from the range before; 0 for none.
    """

    def __init__(self, text: str, count: CountTokens, limit: int, overlap: int = 0) -> None:
        self._text = text
        self._count = count
        self._limit = limit
        self._overlap = overlap
        self.room = max(limit - overlap, 1)
        """Tokens of a range beside those that it repeats."""

    def __call__(self, units: Sequence[Unit]) -> list[Cut]:
        """The ranges of neighbouring units."""
        if not units:
            return []
        total = self._count(self._text[units[0].start : units[-1].end])
        # A part that must be cut leaves room for the overlap in each of its chunks.
        limit = self._limit if total <= self._limit else self.room
        pieces = [
            atom
            for start, end, code in entry_ranges(units)
            for atom in atoms(self._text, start, end, limit, self._count, code=code)
        ]
        headings = {unit.end for unit in units if unit.is_heading}
        return self.packed(pieces, limit, headings)

    def packed(
        self, pieces: Sequence[Atom], limit: int, headings: set[int] | frozenset[int] = frozenset()
    ) -> list[Cut]:
        """Atoms packed into ranges, with overlap. `headings` are the ends of headings."""

        def leads(atom: Atom) -> bool:
            return atom.end in headings or (
                atom.end - atom.start <= _LEAD_CHARACTERS
                and self._text[atom.start : atom.end].endswith(_LEADS)
            )

        cuts: list[Cut] = []
        for packed in pack(pieces, limit, leads):
            start, end = packed[0].start, packed[-1].end
            begin = start
            entry = starts_entry(self._text[start:end].split("\n", 1)[0])
            if cuts and self._overlap and not entry:
                last = cuts[-1]
                begin = overlap_start(self._text, last.start, last.end, self._overlap, self._count)
                begin = start if begin >= last.end else begin
            cuts.append(Cut(begin, start, end))
        return cuts


class Fixed:
    """Ranges of as nearly `limit` tokens as numbers and words allow, whatever the text says.

    A range ends at a sentence when one ends within its last tenth. Arguments as for
    `Recursive`; the overlap need not begin with a sentence.
    """

    def __init__(self, text: str, count: CountTokens, limit: int, overlap: int = 0) -> None:
        self._text = text
        self._count = count
        self._limit = limit
        self._overlap = min(overlap, limit // 2)

    def __call__(self, units: Sequence[Unit]) -> list[Cut]:
        """The ranges of neighbouring units."""
        cuts: list[Cut] = []
        if not units:
            return cuts
        at, last = units[0].start, units[-1].end
        begin = at
        while at < last:
            stop = self._stop(begin, at, last)
            end = stop - (len(self._text[at:stop]) - len(self._text[at:stop].rstrip()))
            if end > at:
                cuts.append(Cut(begin, at, end))
                begin = self._overlap_begin(at, end)
            at = self._skip_blank(stop, last)
            begin = at if not self._overlap else min(begin, at)
        return cuts

    def _stop(self, begin: int, at: int, last: int) -> int:
        """Where a range that begins at `begin`, and whose own part at `at`, ends."""
        text, count = self._text, self._count
        low, high = at + 1, last
        guess = min(at + 2 * self._limit, last)
        while guess < last and count(text[begin:guess]) <= self._limit:
            low, guess = guess, min(guess + self._limit, last)
        high = guess
        if count(text[begin:high]) <= self._limit:
            return high
        while low < high - 1:
            middle = (low + high) // 2
            if count(text[begin:middle]) <= self._limit:
                low = middle
            else:
                high = middle
        slack = max(int((low - at) * _FIXED_SLACK), 1)
        tail_start = low - slack
        ends = [tail_start + span.end for span in split_sentences(text[tail_start:low])[:-1]]
        return ends[-1] if ends and ends[-1] > at else border_before(text, low, at)

    def _overlap_begin(self, start: int, end: int) -> int:
        """Where the repeated part begins: with a whole sentence if one fits."""
        if not self._overlap:
            return end
        begin = overlap_start(self._text, start, end, self._overlap, self._count)
        if begin < end:
            return begin
        low, high = start, end
        while low < high - 1:
            middle = (low + high) // 2
            if self._count(self._text[middle:end]) > self._overlap:
                low = middle
            else:
                high = middle
        place = border_before(self._text, high, start)
        fits = self._count(self._text[place:end]) <= self._overlap
        return place if fits and place > start else end

    def _skip_blank(self, at: int, last: int) -> int:
        while at < last and self._text[at].isspace():
            at += 1
        return at


def entry_ranges(units: Sequence[Unit]) -> list[tuple[int, int, bool]]:
    """The places of the units and whether they are code; an entry of a list of codes together
    with what follows it up to the next entry, so that a remedy stays with its code."""
    entries = [
        not unit.is_heading and unit.block.kind != "code" and starts_entry(unit.block.text)
        for unit in units
    ]
    if sum(entries) < 2:
        return [(unit.start, unit.end, unit.block.kind == "code") for unit in units]
    found: list[tuple[int, int, bool]] = []
    followers = _ENTRY_FOLLOWERS
    for unit, entry in zip(units, entries, strict=True):
        code = unit.block.kind == "code"
        followers = 0 if entry else followers + 1
        if entry or unit.is_heading or code or followers > _ENTRY_FOLLOWERS:
            followers = followers if entry else _ENTRY_FOLLOWERS
            found.append((unit.start, unit.end, code))
        else:
            found[-1] = (found[-1][0], unit.end, False)
    return found
