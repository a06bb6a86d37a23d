"""Small pieces that are found, and the wider passages that are read for them: parent–child,
sentence windows and propositions."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence

from rag.errors import ZhiwenError
from rag.ingest.chunk.count import CountTokens
from rag.ingest.chunk.cutter import Nest, Running, alone, kind_of
from rag.ingest.chunk.pieces import Family, Piece, TableRows, covered
from rag.ingest.chunk.running import Recursive
from rag.ingest.chunk.sections import Group, Unit
from rag.ingest.chunk.split import Atom, atoms, pack
from rag.ingest.chunk.tables import table_pieces
from rag.text.normalise import normalise
from rag.text.sentences import split_sentences
from rag.text.similar import char_ngrams

log = logging.getLogger(__name__)

Propositions = Callable[[str], list[str]]
"""A passage to the statements that it makes, each understandable by itself."""

CHILD_SHARE = 1 / 3
PARENT_SHARE = 2.0
"""Length of a child and of a parent as a share of a chunk's; chosen by us: 150 and 900 tokens
by default, of which two fit into the answer's context beside others."""
WINDOW = 7
STRIDE = 3
"""Sentences of a window, and those in its middle that are found by it; chosen by us: two
before and two behind, and a text is kept twice rather than seven times."""
LEAST_TOKENS = 12
"""A sentence below this length is put to its neighbour; chosen by us: "好的。" finds nothing."""
FAILURES_IN_A_ROW = 3
"""Failed calls after which a model isn't asked any more for this document; chosen by us."""
_COVERED = 0.6
"""Share of a sentence's letter pairs that a statement must hold to say the same; chosen by us."""
_LONGEST_STATEMENT = 400
"""Characters of a statement; a model that returns more has not taken the passage apart."""
_NUMBER = re.compile(r"\d[\d,.]*")


def parent_child(text: str, count: CountTokens, limit: int) -> Nest:
    """Makes a family of a piece: itself as the parent, and its parts of `limit` tokens."""

    def nest(piece: Piece) -> Family:
        children = _parts(text, piece, limit, count)
        return Family(piece, children) if len(children) > 1 else alone(piece)

    return nest


def sentence_children(text: str, count: CountTokens, limit: int) -> Nest:
    """Makes a family of a piece: itself as the parent, and its sentences (a table's rows)."""

    def nest(piece: Piece) -> Family:
        children: Sequence[Piece]
        if piece.table is not None:
            children = _row_pieces(piece.table, piece, limit, count, apart=True)
        else:
            cuts = sentences(text, piece.units, piece.own, limit, count)
            children = [_slice(text, piece, cut.start, cut.end) for cut in cuts]
        return Family(piece, children) if len(children) > 1 else alone(piece)

    return nest


def statement_children(
    text: str, count: CountTokens, limit: int, propositions: Propositions | None
) -> Nest:
    """Makes a family of a piece: itself as the parent, and the statements that a model finds
    in it. Sentences that no statement covers are children too, so that nothing is lost; so
    are all sentences where there is no model or it fails."""
    by_sentence = sentence_children(text, count, limit)
    failures = 0

    def nest(piece: Piece) -> Family:
        nonlocal failures
        if propositions is None or piece.table is not None or failures >= FAILURES_IN_A_ROW:
            return by_sentence(piece)
        try:
            found = [" ".join(each.split()) for each in propositions(piece.text)]
            failures = 0
        except ZhiwenError as error:
            failures += 1
            log.info("a passage is taken apart by sentence: %s", error.message)
            return by_sentence(piece)
        statements = [each for each in dict.fromkeys(found) if 0 < len(each) <= _LONGEST_STATEMENT]
        if not statements:
            return by_sentence(piece)
        children = [piece._replace(text=each) for each in statements]
        said, figures = _signs("\n".join(statements))
        for cut in sentences(text, piece.units, piece.own, limit, count):
            sentence = _slice(text, piece, cut.start, cut.end)
            pairs, numbers = _signs(sentence.text)
            if numbers - figures or len(pairs & said) < _COVERED * len(pairs):
                children.append(sentence)
        return Family(piece, children)

    return nest


def nested(pieces: Callable[[Group, Sequence[Unit]], Iterator[Piece]], nest: Nest) -> Running:
    """Running text cut by `pieces`, each of which becomes a family."""

    def running(group: Group, units: Sequence[Unit]) -> Iterator[Family]:
        return map(nest, pieces(group, units))

    return running


def windows(text: str, count: CountTokens, limit: int) -> Running:
    """Running text by sentences, each read in a window of at most `limit` tokens."""

    def piece(group: Group, units: Sequence[Unit], start: int, end: int) -> Piece:
        inside = covered(units, start, end)
        span = (start, end)
        return Piece(text[start:end], span, span, inside, group.path, kind_of(group, inside))

    def running(group: Group, units: Sequence[Unit]) -> Iterator[Family]:
        own = (units[0].start, units[-1].end)
        found = sentences(text, units, own, limit, count)
        for first, last in _middles(found, limit):
            low, high = _window(found, first, last, limit)
            children = [piece(group, units, each.start, each.end) for each in found[first:last]]
            if high - low == 1:
                yield alone(children[0])
            else:
                window = piece(group, units, found[low].start, found[high - 1].end)
                yield Family(window, children)

    return running


def sentences(
    text: str,
    units: Sequence[Unit],
    own: tuple[int, int],
    limit: int,
    count: CountTokens,
    *,
    longest: int | None = None,
) -> list[Atom]:
    """The sentences of neighbouring units within a range, in order. A heading is together
    with what follows it; a very short sentence with a neighbour, of its own unit if it can be.

    Args:
        limit: most tokens of sentences that are put together.
        longest: tokens of a single sentence that is not cut at its commas; a child's length
            when left out.
    """
    longest = longest or max(int(limit * CHILD_SHARE), LEAST_TOKENS)
    found: list[Atom] = []
    waiting = False

    def join() -> bool:
        """Make one of the last two if they fit."""
        if len(found) < 2 or found[-2].tokens + found[-1].tokens > limit:
            return False
        last = found.pop()
        found[-1] = Atom(found[-1].start, last.end, found[-1].tokens + last.tokens)
        return True

    for unit in units:
        first = len(found)
        start, end = max(unit.start, own[0]), min(unit.end, own[1])
        for begin, stop in _sentence_ranges(text, unit, start, end):
            parts = atoms(text, begin, stop, longest, count, code=unit.block.kind == "code")
            for part in pack(parts, longest):
                tokens = sum(atom.tokens for atom in part)
                found.append(Atom(part[0].start, part[-1].end, tokens))
                if waiting:
                    join()
                waiting = found[-1].tokens < LEAST_TOKENS
        if unit.is_heading:
            waiting = True
        elif waiting and len(found) > first + 1 and join():
            waiting = False
    if waiting:
        join()
    return found


def _sentence_ranges(text: str, unit: Unit, start: int, end: int) -> list[tuple[int, int]]:
    if unit.block.kind == "code" or unit.is_heading:
        return [(start, end)] if end > start else []
    spans = split_sentences(text[start:end])
    return [(start + span.start, start + span.end) for span in spans]


def _middles(found: Sequence[Atom], limit: int) -> Iterator[tuple[int, int]]:
    """Runs of sentences that share a window: at most `STRIDE`, together within the limit."""
    first = 0
    while first < len(found):
        last, size = first + 1, found[first].tokens
        while last < min(first + STRIDE, len(found)) and size + found[last].tokens <= limit:
            size += found[last].tokens
            last += 1
        yield first, last
        first = last


def _window(found: Sequence[Atom], first: int, last: int, limit: int) -> tuple[int, int]:
    """The half-open range of sentences around a run, grown to both sides in turn."""
    low, high = first, last
    size = sum(atom.tokens for atom in found[first:last])
    grown = True
    while grown and high - low < WINDOW:
        grown = False
        if low > 0 and size + found[low - 1].tokens <= limit:
            low, size, grown = low - 1, size + found[low - 1].tokens, True
        full = high - low >= WINDOW
        if not full and high < len(found) and size + found[high].tokens <= limit:
            high, size, grown = high + 1, size + found[high].tokens, True
    return low, high


def _parts(text: str, piece: Piece, limit: int, count: CountTokens) -> Sequence[Piece]:
    """The smaller pieces of a piece, without overlap."""
    if piece.table is not None:
        return _row_pieces(piece.table, piece, limit, count)
    ranges = [
        unit
        if piece.own[0] <= unit.start and unit.end <= piece.own[1]
        else _trimmed(text, unit, piece.own)
        for unit in covered(piece.units, *piece.own)
    ]
    return [
        _slice(text, piece, cut.start, cut.end) for cut in Recursive(text, count, limit)(ranges)
    ]


def _row_pieces(
    table: TableRows, piece: Piece, limit: int, count: CountTokens, *, apart: bool = False
) -> list[Piece]:
    """The smaller pieces of some rows of a table, all with its caption."""
    if not table.rows:
        return []
    room = max(limit - count(table.above) - count(table.below), limit // 3)
    found = table_pieces(
        table.unit.block, room, count, rows=table.rows, apart=apart, places=table.places
    )
    pieces: list[Piece] = []
    for number, each in enumerate(found):
        above = table.above if number == 0 else table.label
        start, end = table.unit.start + each.start, table.unit.start + each.end
        last = number + 1 == len(found)
        below = table.below if last else ""
        span = (piece.span[0] if number == 0 else start, piece.span[1] if last else end)
        pieces.append(
            piece._replace(
                text="\n\n".join(part for part in (above, each.text, below) if part),
                span=span,
                own=span,
                table=table._replace(rows=each.rows, below=below),
            )
        )
    return pieces


def _trimmed(text: str, unit: Unit, own: tuple[int, int]) -> Unit:
    """The part of a unit in a range, without blanks at its borders."""
    start, end = max(unit.start, own[0]), min(unit.end, own[1])
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip("\r\n"))
    return Unit(unit.block, start, end - (len(inside) - len(inside.rstrip())))


def _slice(text: str, piece: Piece, start: int, end: int) -> Piece:
    return piece._replace(
        text=text[start:end],
        span=(start, end),
        own=(start, end),
        units=covered(piece.units, start, end),
    )


def _signs(text: str) -> tuple[set[str], set[str]]:
    """The letter pairs and the numbers of a text."""
    plain = normalise(text)
    return set(char_ngrams(plain, 2)), set(_NUMBER.findall(plain))
