"""Answers from records of `key：value` fields: the fields asked for, with the record's name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.asks import answers_kind
from rag.answer.clauses import runs
from rag.answer.fields import holds_kind, key_fit, named_columns
from rag.answer.layout import quote, sentence
from rag.answer.pieces import Piece, pieces
from rag.answer.rank import Question, Ranked
from rag.answer.terms import coverage
from rag.answer.value_first import value_of
from rag.text.normalise import normalise
from rag.types import Evidence

ASKED_FOR = 0.5
"""Fit (0..1, `key_fit`) from which a field is what was asked for; chosen by us."""
YES_NO_HELD = 0.5
"""Share of the question beside the record's name that a field's value holds to answer it."""
ALIKE = 0.06
"""Difference in fit up to which two fields are asked for alike (主卡年费, 附属卡年费)."""
_ASKS_DOCUMENT = re.compile(
    r"(?:什么|哪个|哪份|哪部|哪一[个份部])(?:文件|办法|规定|法规|通知|制度)"
)
_ASKS_WHICH = re.compile(r"哪(?:一)?[张个款种类项条家档]|什么(?:卡|型号|套餐|产品|项目)|谁")
_ASKED_NOUN = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:哪些|哪[一几]?[个张款种类项]|什么|何种)([\u4e00-\u9fff]{2})",
        r"([\u4e00-\u9fff]{2})(?:是|有|包括|分为)?(?:什么|哪些|多少|几|怎么)",
    )
)
SERIAL = re.compile("编号|编码|代码|序号|货号")
MOST_FIELDS = 12
"""Fields of a record that is shown whole."""
NAMING = 3
"""The first fields of a record, one of which names it; others are its properties."""
LONGEST_NAME = 20
"""Characters up to which a field's value can name its record."""


def from_record(question: Question, ranked: Sequence[Ranked], evidence: Sequence[Evidence]) -> str:
    """The fields of the best pair's record that answer the question."""
    best = ranked[0].piece
    if _ASKS_DOCUMENT.search(question.text) and best.title:
        return sentence(
            f"《{best.title.strip('《》')}》（{best.body.rstrip('；;，,。 ')}）", best.n
        )
    members = record_of(best, evidence)
    if len(members) == 1 or (
        not _one_line(members, evidence) and len(runs(question, best.body)) > 1
    ):
        return value_of(question, best) if question.asked.wanted == "value" else quote(best)
    fields = _fields(question, members, best)
    if fields:
        name = name_of(question, members) if _one_line(members, evidence) else None
        return "".join(named(name, piece, fields) for piece in fields[:4])
    whole = "；".join(piece.body.rstrip("；;，,。 ") for piece in members[:MOST_FIELDS])
    return sentence(whole, best.n)


def record_of(piece: Piece, evidence: Sequence[Evidence]) -> list[Piece]:
    """All fields of the record that a pair belongs to, in order."""
    for item in evidence:
        if item.n == piece.n and piece.group >= 0:
            return [other for other in pieces(item) if other.group == piece.group]
    return [piece]


def name_of(question: Question, members: Sequence[Piece]) -> Piece | None:
    """The field that names a record of one line: what the question calls it, else the first."""
    short = [m for m in members if len(value_in(m)) <= LONGEST_NAME and not _is_number(m)]
    named_by = [m for m in short if given(question, m) and m in members[:NAMING]]
    first = members[0] if members[0] in short else None
    return named_by[0] if named_by else first


def named(name: Piece | None, piece: Piece, fields: Sequence[Piece] = ()) -> str:
    """One field as a sentence after its record's name (青禾金卡，年费：200)."""
    if name is None or name.start == piece.start or (fields and fields[0] is not piece):
        return quote(piece)
    return sentence(f"{value_in(name)}，{piece.body}", piece.n)


def value_in(piece: Piece) -> str:
    """A pair's value without its key."""
    return piece.body[len(piece.key) + 1 :].strip(" ：:；;，,。") if piece.key else piece.body


def given(question: Question, piece: Piece) -> bool:
    """Whether the question itself already gives this field's value."""
    value = normalise(value_in(piece))
    return len(value) >= 2 and value in normalise(question.text)


def _fields(question: Question, members: Sequence[Piece], best: Piece) -> list[Piece]:
    """The fields to show: those named, else those that fit like the best one."""
    open_ones = [piece for piece in members if not given(question, piece)]
    fits = [(key_fit(question, piece.key), piece) for piece in open_ones]
    named_keys = named_columns(question, [piece.key for piece in open_ones])
    exact = [piece for _, piece in fits if piece.key in named_keys]
    exact = exact or [piece for fit, piece in fits if fit == 1.0] or of_noun(question, members)
    exact = [piece for piece in exact if piece in open_ones]
    if exact:
        return exact
    said = [p for p in open_ones if coverage(question.terms, value_in(p)) >= 0.3]
    if _ASKS_WHICH.search(question.focus) and said:
        first = members[0]  # the row is asked for, its value is given: 哪张卡赔600
        return [first, *(p for p in said if p is not first)][:2]
    if question.asked.wanted == "yes_no" and not named_keys:
        rest = [t for t in question.terms if not any(t.text in normalise(value_in(p)) and
                given(question, p) for p in members)]  # fmt: skip
        told = [p for p in open_ones if coverage(rest, value_in(p)) >= YES_NO_HELD]
        if told:
            return told
    kind = [
        (fit, p)
        for fit, p in fits
        if fit >= ASKED_FOR and holds_kind(question.asked, p, question.text)
    ]
    chosen = kind or [(fit, piece) for fit, piece in fits if fit >= ASKED_FOR]
    if chosen:
        top = max(fit for fit, _ in chosen)
        alike = [piece for fit, piece in chosen if fit >= top - ALIKE]
        return [best] if len(alike) > 2 and best in alike else alike
    shared = [(coverage(question.terms, piece.key), piece) for _, piece in fits]
    top = max((share for share, _ in shared), default=0.0)
    if top >= 0.15:
        return [piece for share, piece in shared if share >= top - ALIKE]
    units = [
        p for p in open_ones if question.asked.units and answers_kind(question.asked, value_in(p))
    ]
    if len(units) == 1:
        return units  # 几片: 每套2片
    specific = question.asked.wanted not in ("text", "definition", "yes_no", "steps")
    return [best] if specific and best in open_ones else []


def of_noun(question: Question, members: Sequence[Piece]) -> list[Piece]:
    """The fields named by the noun beside the asking word: 主要项目 for 包括哪些项目."""
    for pattern in _ASKED_NOUN:
        found = pattern.search(question.focus)
        if not found or any(found[1] in value_in(p) and _calls(question, p) for p in members):
            continue
        fields = [piece for piece in members if found[1] in piece.key]
        fields = [piece for piece in fields if not SERIAL.search(piece.key)] or fields
        ending = [p for p in fields if re.sub(r"[（(].*", "", p.key).endswith(found[1])]
        if fields:
            return ending or fields
    return []


def _calls(question: Question, piece: Piece) -> bool:
    """Whether the question calls the record by this value, as in 父母套餐多少钱."""
    return given(question, piece) and not _ASKS_WHICH.search(question.focus)


def _one_line(members: Sequence[Piece], evidence: Sequence[Evidence]) -> bool:
    """Whether a record stands on one line, as a row of a table does."""
    text = next((item.text for item in evidence if item.n == members[0].n), "")
    return len(members) > 1 and "\n" not in text[members[0].start : members[-1].end].strip()


def _is_number(piece: Piece) -> bool:
    return bool(re.fullmatch(r"[\d.,%元￥¥\-—:： ]+", value_in(piece)))
