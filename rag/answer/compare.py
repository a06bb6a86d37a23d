"""Comparisons without an LLM: one line for each thing compared, then the difference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from rag.answer.asks import Asked, answers_kind
from rag.answer.called import called
from rag.answer.clauses import meant, standing_alone
from rag.answer.differences import differences
from rag.answer.layout import asked_cells, mark, quote, row_words, sentence, shown_table
from rag.answer.markup import escape
from rag.answer.pieces import Piece
from rag.answer.rank import Question, Ranked, rank
from rag.answer.terms import Term, content_terms, presence
from rag.answer.things import Thing, things
from rag.answer.values import Found, find_values
from rag.text.normalise import normalise
from rag.types import Evidence, Understanding

MOST_ROWS = 6
"""Rows of one table that answer a comparison; twice as many where all of them do."""
MOST_ALIKE = 3
"""Columns that are asked for alike and are shown of each thing."""
NOTHING_FOUND = "没有找到这方面的内容。"
_MEASURED = ("money", "percent", "count", "duration", "number")
_ASKS_MONEY = re.compile(r"贵|便宜|划算|省钱")
_ASKS_SIZE = re.compile(r"多少|几|高|低|多|少|大|小|长|短|贵|便宜|涨|降|差")
_ASKS_MORE = re.compile(r"哪[个种家边地项款一]|谁|[贵多高长大]吗|比")
_CLAUSE = re.compile(r"(?:[^，,；;。！？!?]|(?<=\d),(?=\d))+")
_UNIT = re.compile(r"[（(]([^）)]{1,8})[）)]")


STATED_HELD = 0.6
"""Share of the question that a sentence with its own comparison holds; chosen by us."""
_ASKS_DIFFERENCES = re.compile("区别|不同|差别|差异|不一样|对比|比较|异同|哪里不")
_ASKS_CHANGE = re.compile(
    r"(?:比|较|跟|和|与|同|相比).{1,16}?(?:[高低多少大小长短贵涨降升]|上升|下降|增|减)"
    r".{0,8}?(?:还是|吗|没有?|多少|几|[？?]?$)|同比|环比"
)
STATES_CHANGE = re.compile(
    r"(?:比|较|同比|环比|相比)[^，,。；;]{0,14}?(?:上升|下降|增长|增加|减少|提高|降低|上涨|下跌|延长|缩短|持平|"
    r"[高低多少大小长短贵涨降升]了?(?=[\d一二三四五六七八九十]|约|近|出|，|。|；|$))|百分点"
)
"""Words with which a sentence compares by itself; a number there is a difference."""
_MEASURE = re.compile(r".*(?<!最)([率价费额期假薪金分重宽高长贴助票罚押龄])[^，,。；;]{0,4}?\d")


class _Line(NamedTuple):
    """What is said of one thing; `text` without its label, cited to evidence `n`."""

    label: str
    text: str
    n: int
    unit: str = ""


def compare(understanding: Understanding, question: Question, evidence: Sequence[Evidence]) -> str:
    """A list with one entry per thing and, for two numbers, their difference; or ""."""
    said = stated(question, evidence)
    if said:
        return said
    found = things(understanding, evidence)
    if len(found) < 2:
        return ""
    shared = _one_row(question, evidence, found)
    if shared:
        return shared
    if _ASKS_DIFFERENCES.search(question.focus) and not _aspects(question, found):
        apart = differences(rank(question, evidence), evidence, found)
        if apart:
            return apart
    lines = _of_one_measure([_line(question, thing, found) for thing in found])
    if not any(line.n for line in lines):
        return ""
    entries = [f"- {_entry(line)}" for line in lines]
    difference = _difference(question, lines)
    return "\n".join(["对比如下：", "", *entries, *(["", difference] if difference else [])])


def stated(question: Question, evidence: Sequence[Evidence]) -> str:
    """The sentence that itself says how the two things differ (退货率…比第二季度下降…), or ""."""
    if not _ASKS_CHANGE.search(question.focus):
        return ""
    ranked = [one for one in rank(question, evidence) if not one.piece.cells]
    best = max((one.covered for one in ranked), default=0.0)
    for one in ranked:
        if one.covered < max(STATED_HELD, 0.9 * best):
            continue
        if STATES_CHANGE.search(one.piece.body):
            return quote(one.piece)
    return ""


def _line(question: Question, thing: Thing, everything: Sequence[Thing]) -> _Line:
    others = [word for other in everything if other is not thing for word in other.words]
    question = _narrowed(question, thing, others)
    best = _best_of(question, thing)
    if best is None:
        return _Line(thing.label, "", 0)
    if best.cells:
        cells = asked_cells(question, best)
        few = 0 < len(cells) <= MOST_ALIKE
        text = "；".join(f"{c}：{v}" for c, v in cells) if few else row_words(best)
        return _Line(thing.label, text, best.n, _unit(cells[0][0]) if len(cells) == 1 else "")
    if best.kind == "pair":
        return _Line(thing.label, best.body, best.n, _unit(best.key))
    return _Line(thing.label, _about(question, best.body, thing, others), best.n)


def _of_one_measure(lines: Sequence[_Line]) -> list[_Line]:
    """The lines with nothing for a thing of which no amount is said while a column of amounts
    answers for another: an age limit is not compared with a subsidy."""
    if not any("元" in line.unit for line in lines):
        return list(lines)
    money = Asked(wanted="value", kinds=frozenset({"money"}))
    return [
        line if "元" in line.unit or answers_kind(money, line.text) else _Line(line.label, "", 0)
        for line in lines
    ]


def _entry(line: _Line) -> str:
    if not line.n:
        return f"{escape(line.label)}：{NOTHING_FOUND}"
    said = sentence(line.text, line.n)
    return said if line.text.startswith(line.label) else f"{escape(line.label)}：{said}"


def _narrowed(question: Question, thing: Thing, others: Sequence[str]) -> Question:
    """The question about one thing: the names of the others do not count."""
    own = {term.text for word in thing.words for term in content_terms(word)}
    foreign = {term.text for word in others for term in content_terms(word)} - own
    kept = tuple(term for term in question.terms if term.text not in foreign)
    asked = question.asked
    if _ASKS_MONEY.search(question.text):
        asked = Asked(wanted="value", kinds=frozenset({"money"}))
    return question._replace(terms=kept or question.terms, asked=asked)


def _best_of(question: Question, thing: Thing) -> Piece | None:
    """The best piece on the thing: one whose own line, row or record names it, if any does."""
    if not thing.evidence:
        return None
    ranked = [one for one in rank(question, thing.evidence) if one.piece.kind != "lead"]
    if thing.by_slot or not ranked:
        return ranked[0].piece if ranked else None
    named = [one for one in ranked if _names(thing, one)]
    heads = [one for one in named if _heads(thing, one.piece)]
    if heads and heads[0].covered >= 0.6 * named[0].covered:
        return heads[0].piece
    return (named or ranked)[0].piece


def _names(thing: Thing, one: Ranked) -> bool:
    piece = one.piece
    said = normalise(" ".join((piece.body, piece.head, piece.label, piece.about)))
    return any(normalise(word) in said for word in thing.words)


def _heads(thing: Thing, piece: Piece) -> bool:
    """Whether the piece is of the thing's own row or record, exactly."""
    fields = re.split(r"[：:；;，,\s]+", f"{piece.head}；{piece.about if piece.group >= 0 else ''}")
    own = {normalise(field) for field in fields}
    return any(normalise(word) in own for word in thing.words)


def _about(question: Question, body: str, thing: Thing, others: Sequence[str]) -> str:
    """The clauses on one thing out of a sentence that speaks of several."""
    if not any(presence(normalise(word), body) == 1.0 for word in others):
        run = meant(_of_one_kind(question, body), body)
        return standing_alone(run, body) if run is not None else body
    chosen: list[str] = []
    kind = _kind_of(body, thing)
    for match in _CLAUSE.finditer(body):
        clause = match.group().strip()
        mine = any(word in clause for word in thing.words)
        theirs = any(word in clause for word in others) or _another_kind(clause, thing, kind)
        if mine and not chosen:
            chosen.append(_cut(clause, thing, others))
        elif chosen and (theirs or body[: match.start()].rstrip().endswith(("；", ";", "。"))):
            break
        elif chosen:
            chosen.append(clause)
    return "，".join(chosen) or body


def _of_one_kind(question: Question, body: str) -> Question:
    """多少 may mean any kind of value: the first kind, in our order, that the sentence holds."""
    asked = question.asked
    if asked.wanted == "value" and len(asked.kinds) > 2:
        held = {value.kind for value in find_values(body)}
        kinds = [kind for kind in _MEASURED if kind in held]
        asked = asked.model_copy(update={"kinds": frozenset(kinds[:1])})
    return question._replace(asked=asked)


def _cut(clause: str, thing: Thing, others: Sequence[str]) -> str:
    """One clause from the thing's name on, where another's name stands before it."""
    start = min((clause.find(w) for w in thing.words if w in clause), default=0)
    before = any(word in clause[:start] for word in others)
    return clause[start:] if before else clause


def _kind_of(body: str, thing: Thing) -> str:
    """The noun that things of this kind share: 卡 of 季卡, 员工 behind 夜班."""
    for word in thing.words:
        after = re.search(re.escape(word) + r"([\u4e00-\u9fff]{2})", body)
        if after and body.count(after[1]) > 2:
            return after[1]
    return thing.label[-1]


def _another_kind(clause: str, thing: Thing, kind: str) -> bool:
    """Whether a clause begins with a further thing of the kind: 月卡… after 季卡…."""
    return clause[:8].find(kind) > 0 and not any(word in clause for word in thing.words)


def _difference(question: Question, lines: Sequence[_Line]) -> str:
    """Which of two numbers of one unit is more, and by how much; cited to both."""
    if len(lines) != 2 or not _ASKS_SIZE.search(question.text) or not all(x.n for x in lines):
        return ""
    if any(STATES_CHANGE.search(line.text) for line in lines) or _other_measures(lines):
        return ""
    first, second = (_number(line) for line in lines)
    if first is None or second is None or (first.kind, first.unit) != (second.kind, second.unit):
        return ""
    left, right = Decimal(first.value), Decimal(second.value)
    marks = mark(lines[0].n) + (mark(lines[1].n) if lines[1].n != lines[0].n else "")
    unit = _written_unit(first) or lines[0].unit
    if left == right:
        return (
            escape(f"两者相同，都是{first.text}。") + marks
            if _ASKS_MORE.search(question.text)
            else ""
        )
    more, less = (0, 1) if left > right else (1, 0)
    values = (first, second)
    word = {"duration": "长于", "count": "多于"}.get(first.kind, "高于")
    gap = format(abs(left - right).normalize(), "f")
    said = (
        f"相差{gap}{unit}：{lines[more].label}（{values[more].text}）{word}"
        f"{lines[less].label}（{values[less].text}）。"
    )
    return escape(said) + marks


def _other_measures(lines: Sequence[_Line]) -> bool:
    """Whether two sentences name different measures before their values (率, 费): no difference
    may be drawn from those."""
    ends = [found[1] for line in lines if (found := _MEASURE.search(line.text))]
    return len(ends) == 2 and ends[0] != ends[1]


def _number(line: _Line) -> Found | None:
    """The one measured value of a line; None when it holds several."""
    if "；" in line.text and not line.unit and line.text.count("：") > 1:
        return None  # several columns that fit alike
    text = line.text.rsplit("：", 1)[-1]
    values = [v for v in find_values(text) if v.kind in _MEASURED and not v.bare_one]
    values = [v for v in values if v.value not in line.label] or values
    for kind in _MEASURED:
        of_kind = [value for value in values if value.kind == kind]
        if of_kind:
            return of_kind[0] if len(of_kind) == 1 else None
    return None


def _written_unit(value: Found) -> str:
    return value.text.lstrip("0123456789.,，零〇一二两三四五六七八九十百千 ") if value.unit else ""


def _unit(column: str) -> str:
    unit = _UNIT.search(column)
    return unit[1] if unit else ""


def _aspects(question: Question, found: Sequence[Thing]) -> list[Term]:
    """The terms of the question beside the things: in what they are compared."""
    names = [normalise(thing.label) for thing in found]
    return [
        term
        for term in question.terms
        if term.weight > 0.3 and not any(term.text in name for name in names)
    ]


def _one_row(question: Question, evidence: Sequence[Evidence], found: Sequence[Thing]) -> str:
    """The rows of one table whose columns are the things compared, under their header."""
    names = {normalise(thing.label) for thing in found}
    ranked = rank(question, evidence)
    aspects = _aspects(question, found)
    if not aspects:  # 两者有什么区别: all that is set side by side
        ranked = [one for one in ranked if names <= {normalise(h) for h in one.piece.header}]
    best = ranked[0] if ranked else None
    if best is None or not names <= {normalise(head) for head in best.piece.header}:
        return ""
    rows = [
        one.piece
        for one in ranked
        if one.piece.header == best.piece.header and one.piece.n == best.piece.n
    ]
    lowest = best.score - 0.1 * abs(best.score)
    fitting = [one.piece for one in ranked if one.piece in rows and one.score >= lowest]
    whole = not aspects or len(fitting) > MOST_ROWS
    chosen = rows if whole else fitting
    chosen = (called(question, rows) if aspects else []) or chosen
    return shown_table(sorted(chosen, key=lambda piece: piece.order)[: 2 * MOST_ROWS])
