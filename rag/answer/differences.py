"""What sets two named things apart, where no single aspect is asked about (有什么区别)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.layout import bullets, shown_table
from rag.answer.pieces import Piece
from rag.answer.rank import Ranked
from rag.answer.rows import Row, tables
from rag.answer.things import Thing
from rag.text.normalise import normalise
from rag.types import Evidence

MOST_FACTS = 5
MOST_OF_ONE = 2
"""Sentences that tell two things apart, and how many of them may speak of one alone; ours."""
LEAST_COLUMNS = 2
_LEAD = "对比如下："


def differences(
    ranked: Sequence[Ranked],
    evidence: Sequence[Evidence],
    found: Sequence[Thing],
) -> str:
    """The table's rows of the two things with the columns in which they differ, else several
    sentences that speak of them; "" where there is neither."""
    names = [thing.label for thing in found]
    for rows in tables(evidence):
        table = _two_rows(rows, names)
        if table:
            return f"{_LEAD}\n\n{table}"
    facts = _facts(ranked, names)
    return bullets(_LEAD, facts) if len(facts) > 1 else ""


def _two_rows(rows: Sequence[Row], names: Sequence[str]) -> str:
    """The rows named after the things, without the columns that say the same of all."""
    pieces = {normalise(row.cells[0].value): row.cells[0].piece for row in rows}
    chosen = [pieces.get(normalise(name)) for name in names]
    own = [piece for piece in chosen if piece is not None and piece.cells]
    if len(own) != len(names) or len(own) < 2:
        return ""
    width = min(len(piece.cells) for piece in own)
    kept = [0] + [i for i in range(1, width) if len({piece.cells[i] for piece in own}) > 1]
    if len(kept) <= LEAST_COLUMNS - 1:
        return ""
    narrow = [
        piece._replace(
            header=tuple(piece.header[i] for i in kept), cells=tuple(piece.cells[i] for i in kept)
        )
        for piece in own
    ]
    return shown_table(narrow)


def _facts(ranked: Sequence[Ranked], names: Sequence[str]) -> list[Piece]:
    """Sentences on all of the things first, then as many on each alone; in document order."""
    told = [one.piece for one in ranked if one.piece.kind in ("sentence", "item")]
    of = {piece: {name for name in names if _named(name, piece.body)} for piece in told}
    both = [piece for piece in told if len(of[piece]) == len(names)][:MOST_FACTS]
    alone = [[piece for piece in told if of[piece] == {name}][:MOST_OF_ONE] for name in names]
    fewest = min(map(len, alone))
    singles = [piece for own in alone for piece in own[:fewest]]
    chosen = [*both, *singles[: max(0, MOST_FACTS + 1 - len(both))]]
    return sorted(dict.fromkeys(chosen), key=lambda piece: (piece.n, piece.order))


def _named(name: str, body: str) -> bool:
    """Whether a sentence names a thing, not a longer code that begins like it."""
    wanted = re.escape(normalise(name))
    return re.search(rf"(?<![a-z0-9]){wanted}(?![a-z0-9])", normalise(body)) is not None
