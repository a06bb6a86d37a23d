"""What somebody is responsible for: every row, field and sentence that names the person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.layout import sentence
from rag.answer.pieces import Piece, pieces
from rag.answer.rank import Question
from rag.answer.rows import tables
from rag.text.normalise import normalise
from rag.types import Evidence

MOST_STATEMENTS = 8
"""Statements on one person; more is a page to read. Chosen by us."""
LONGEST_NAME = 6
_DUTY = re.compile(
    r"^(?:请问)?(?P<name>[\u4e00-\u9fff·A-Za-z]{2,6}?)(?:主要|具体|都|还|在公司|目前|现在|到底)*"
    r"(?:负责|分管|主管|管|承担|牵头)(?:的?是?|着)?(?:什么|啥|哪些|哪[块方项几])\w{0,6}[？?。！\s]*$"
)
_TASKS = "负责|任|主持|牵头|分管|主管|组织|审批|完成|记录"
_ROLE = re.compile(
    r"经理|主任|总监|主管|部长|处长|科长|校长|院长|主席|组长|专员|负责人|队长|班长|主持"
)


def duties(question: Question, evidence: Sequence[Evidence]) -> str:
    """A list of all that the evidence says the person does, roles first; "" where the question
    asks for no person's duties or nothing names the person.

    Args:
        evidence: passages; all of them are read, not only the best.
    """
    asks = _DUTY.match(question.text.strip())
    if not asks:
        return ""
    name = normalise(asks["name"])
    rows = list(_rows(name, evidence))
    said = _sentences(name, evidence, {start for _, start, _ in rows})
    statements = [*((text, n) for text, _, n in rows), *said]
    roles = [one for one in statements if _ROLE.search(one[0])]
    ordered = [*roles, *(one for one in statements if one not in roles)]
    unique = list(dict.fromkeys(ordered))[:MOST_STATEMENTS]
    if len(unique) < 2:
        return ""
    return "\n".join([sentence(f"{asks['name']}：", 0), "", *(f"- {sentence(*o)}" for o in unique)])


def _rows(name: str, evidence: Sequence[Evidence]) -> list[tuple[str, tuple[int, int], int]]:
    """Rows and records of which a cell is the name: their other cells."""
    found = []
    for rows in tables(evidence):
        for row in rows:
            if not any(normalise(cell.value) == name for cell in row.cells):
                continue
            others = [
                f"{cell.column}：{cell.value}"
                for cell in row.cells
                if normalise(cell.value) != name and not cell.value.strip().isdigit()
            ]
            found.append(("；".join(others), (row.n, row.cells[0].piece.start), row.n))
    return found


def _sentences(
    name: str, evidence: Sequence[Evidence], known: set[tuple[int, int]]
) -> list[tuple[str, int]]:
    """Sentences, items and fields outside those rows that name the person with a role, or say
    负责, 任, 主持 of them."""
    found: list[tuple[str, int]] = []
    for item in evidence:
        for piece in pieces(item):
            if piece.cells or piece.kind in ("heading", "lead") or (piece.n, piece.start) in known:
                continue
            if piece.group >= 0 and _in_record(piece, item):
                continue
            if name in normalise(piece.body) and _says(piece, name):
                found.append((piece.body, piece.n))
    return found


def _in_record(piece: Piece, item: Evidence) -> bool:
    """Whether a field stands in a record of one line, which counts as a row."""
    line_start = item.text.rfind("\n", 0, piece.start) + 1
    line_end = item.text.find("\n", piece.end)
    line = item.text[line_start : line_end if line_end >= 0 else len(item.text)]
    return len(line.strip()) > len(piece.text) + 2


def _says(piece: Piece, name: str) -> bool:
    body, who = normalise(piece.body), re.escape(name)
    near = rf"(?:{_TASKS}).{{0,4}}{who}|{who}.{{0,6}}(?:{_TASKS})"
    return bool(re.search(near, body) or _ROLE.search(f"{piece.key}{body}"))
