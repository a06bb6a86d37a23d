"""Rows of one table that answer a question with different values, when it names none of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.text.normalise import normalise
from rag.text.similar import char_ngrams
from rag.types import Hit
from rag.understand.candidates import passage_coverage
from rag.understand.slots import CODE
from rag.understand.words import boundaries

MOST_ROWS = 5
"""More rows than this are shown in the answer instead of being asked about (chosen by us)."""
_LOOKED_AT = 3
"""Passages among which the table must be (chosen by us)."""

_WANTS_VALUE = re.compile(
    r"多少|几[天元块个年月次折号]|多[久长高大]|什么时候|怎么收(?:费|取)?|何时|几点"
)
_WANTS_ROWS = re.compile(
    r"哪|最[高低大小多少长短便贵早晚快慢]|都|各|每(?:种|个|款|类|张)|分别|所有|全部|几[种类款项张]|区别|不同|比|差|和|与|一览|列|清单|标准有"
)
_FIELD = re.compile(r"^(?P<name>[^：:；;]{1,20})[：:](?P<value>[^；;]*)$")
_YEAR = re.compile(r"(?:19|20)\d{2}年?")
_UNIT = re.compile(r"[（(][^（）()]*[)）]")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows between which the question leaves the choice.

    `label` is the head of their first column ("卡种"), `names` its cells, `column` what the
    question names of the head of the column that it asks for.
    """

    label: str
    names: tuple[str, ...]
    column: str


def open_rows(question: str, hits: Sequence[Hit]) -> Rows | None:
    """The rows of the best table that the question asks one value of, if it leaves open which.

    None when the question names a row or anything that only some rows hold, when it wants
    several rows, when the rows say the same, or when there are more than `MOST_ROWS`.
    """
    if not _WANTS_VALUE.search(question) or _WANTS_ROWS.search(question):
        return None
    best = max((passage_coverage(question, hit) for hit in hits), default=0.0)
    for hit in hits[:_LOOKED_AT]:
        if passage_coverage(question, hit) < best:
            continue
        head = _head(hit.chunk.text)
        if head is None:
            continue
        rows = [
            row
            for other in hits
            if other.chunk.document_id == hit.chunk.document_id and _head(other.chunk.text) == head
            for row in _rows(other.chunk.text)
        ]
        return _open(question, head, list(dict.fromkeys(rows)))
    return None


def table_of(text: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]] | None:
    """Head and rows of the table in a passage; None where it holds none."""
    head = _head(text)
    return None if head is None else (head, _rows(text))


def asked_column(question: str, head: tuple[str, ...]) -> int | None:
    """The column whose head the question names; None for none."""
    return _column(question, head)


def _open(question: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Rows | None:
    at = _naming(head, rows)
    names = [row[at] for row in rows]
    column = _column(question, head)
    if column is None or not 2 <= len(set(names)) == len(rows) <= MOST_ROWS:
        return None
    values = {normalise(row[column]) for row in rows}
    if len(values) < 2 or any(not name or len(name) > 20 or name.isdigit() for name in names):
        return None
    asked = _letters(_YEAR.sub(" ", question)) - _letters(" ".join(head))
    holding = [_letters(" ".join(row)) for row in rows]
    if any(0 < sum(pair in held for held in holding) < len(rows) for pair in asked):
        return None
    label = re.sub(r"(?:名称|编号|名)$", "", _UNIT.sub("", head[at]).strip())
    return Rows(label, tuple(names), _named_part(question, head[column]))


def _naming(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> int:
    """The column that names the rows: the first, or the next where the first holds codes."""
    coded = all(CODE.fullmatch(row[0]) for row in rows)
    return 1 if coded and len(head) > 2 and len({row[1] for row in rows}) == len(rows) else 0


def _named_part(question: str, cell: str) -> str:
    """The end of a column's head that the question names: 年费 of 主卡年费（元）."""
    bare, simple = normalise(_UNIT.sub("", cell)).strip(), normalise(question)
    edges = boundaries(simple)
    for start in range(len(bare) - 1):
        at = simple.find(bare[start:])
        if at >= 0 and at in edges:
            return bare[start:]
    return ""


def _column(question: str, head: tuple[str, ...]) -> int | None:
    """The column whose head the question names, wholly or by its last word."""
    best: tuple[int, int] | None = None
    for index, cell in enumerate(head[1:], start=1):
        length = len(_named_part(question, cell))
        if length > 1 and (best is None or length > best[0]):
            best = (length, index)
    return best[1] if best else None


def _letters(text: str) -> set[str]:
    """Pairs of letters of a text without its marks."""
    return {
        pair for piece in re.split(r"[\W_]+", normalise(text)) for pair in char_ngrams(piece, 2)
    }


def _head(text: str) -> tuple[str, ...] | None:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for at, line in enumerate(lines[:-1]):
        if line.startswith("|") and re.fullmatch(r"[|\s:-]+", lines[at + 1]):
            return _cells(line)
    fields = [_fields(line) for line in lines]
    first = next((f for f in fields if f), None)
    return tuple(name for name, _ in first) if first else None


def _rows(text: str) -> list[tuple[str, ...]]:
    """The rows under a table's head; those of "名称：值；名称：值" lines too."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    head = _head(text) or ()
    ruled = next((i for i, line in enumerate(lines) if re.fullmatch(r"\|[|\s:-]+", line)), None)
    if ruled is not None:
        cells = [_cells(line) for line in lines[ruled + 1 :] if line.startswith("|")]
        return [row for row in cells if len(row) == len(head)]
    found = [_fields(line) for line in lines]
    return [tuple(value for _, value in f) for f in found if tuple(n for n, _ in f) == head]


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def _fields(line: str) -> list[tuple[str, str]]:
    parts = [_FIELD.match(part.strip()) for part in re.split("[；;]", line.rstrip("；;"))]
    if len(parts) < 2 or not all(parts):
        return []
    return [(m["name"].strip(), m["value"].strip()) for m in parts if m]
