"""Answers without an LLM: the shortest set of original sentences that answers (step "generate").

The intent and the words of the question choose the form: a value first, steps in their order,
a definition, table rows under their header, one part for each thing compared. Every sentence
is the document's own and ends with the number of its evidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.afterwards import step_after
from rag.answer.agreement import agreeing
from rag.answer.asks import answers_kind
from rag.answer.bridge import bridged
from rag.answer.called import called
from rag.answer.classes import class_answer, class_cell
from rag.answer.clauses import part_meant
from rag.answer.columns import allowed, column, superlative
from rag.answer.compare import compare
from rag.answer.faq import faq_question
from rag.answer.fields import holds_kind
from rag.answer.holders import duties
from rag.answer.layout import bullets, numbered, paragraph, quote, sentence, shown_table
from rag.answer.limits import decider
from rag.answer.parts import parts
from rag.answer.passage import (
    goes_on,
    led_by,
    of_kind_first,
    of_the_heading,
    of_the_subject,
    with_context,
    without_repeats,
)
from rag.answer.pieces import Piece, pieces
from rag.answer.rank import Question, Ranked, presence_in, rank, read_question
from rag.answer.record import from_record, given, value_in
from rag.answer.rows import cell_asked_for, of_document
from rag.answer.statement import of_the_case
from rag.answer.steps import list_items, steps
from rag.answer.summary import summarise
from rag.answer.surest import second_line, surest_line
from rag.answer.terms import content_terms, coverage
from rag.answer.things import compares, with_all_years
from rag.answer.value_first import definition, value_first
from rag.text.normalise import normalise
from rag.types import Evidence, Understanding

MOST_SENTENCES = 3
"""Sentences of a plain answer: more is a page to read, not an answer; chosen by us."""
WORTH_ADDING = 0.18
"""Share of the question's terms that a further sentence must newly cover; chosen by us."""
NEAR_BEST = 0.55
"""A further sentence must score this share of the best one; chosen by us."""
FAQ_MATCH = 0.6
"""Share of the question's terms (and of the record's) that make a FAQ record the answer."""
LONGEST_FAQ = 600
"""Characters of a FAQ answer that is given whole."""
FEW_KINDS = 3
"""Kinds of value up to which only the sentences of a FAQ answer that hold one are given."""
RULE_MATCH = 0.85
LONGEST_RULE = 200
"""Share of a question that a FAQ record's own must hold, and characters of its answer, to give
the whole of it for a yes or no; chosen by us."""
_BLOCK = re.compile(r"\||- |\d{1,3}\. ")
_ASKS_LIST = re.compile(
    r"(?:什么|哪种|何种)(?:情况|情形|条件|材料|资料|证件|手续)|(?:带|交|准备)什么"
)
_EACH = re.compile("分别|各是|各为|各多少|都是多少|各自|每个")
_ASKS_HOW = re.compile("怎么|如何|怎样|咋")
TOLD_SHARE = 0.75
"""Share of a field's coverage from which a sentence tells how instead; chosen by us."""
_DOING = ("procedure", "troubleshooting")
_VAGUE = ("text", "yes_no")
_ONE_THING = (
    "value", "phone", "email", "url", "place", "person", "contact", "organisation", "yes_no",
)  # fmt: skip


def extract(
    understanding: Understanding, evidence: Sequence[Evidence], *, unsure: bool = False
) -> str:
    """Compose an answer of original sentences with `[n]` markers.

    Args:
        understanding: the completed question, its intent and slots.
        evidence: passages in the order of their rank.
        unsure: the answer is given with a caution: a second line that fits about as well as the
            best one is added.

    Returns:
        Markdown in which all quoted text is escaped; `[n]` are the evidence's numbers. Empty
        when there is no evidence or nothing quotable in it. It never begins with a list or a
        table, so that words may be put in front of it.
    """
    answer = _compose(understanding, evidence)
    answer = surest_line(understanding, evidence, answer) or answer
    second = second_line(understanding, evidence, answer) if unsure and answer else ""
    answer = f"{answer}\n\n{second}" if second else answer
    return f"具体如下：\n\n{answer}" if _BLOCK.match(answer) else answer


def _compose(understanding: Understanding, evidence: Sequence[Evidence]) -> str:
    understanding = with_all_years(understanding)
    usable = agreeing(understanding, evidence) or tuple(evidence)
    if not usable:
        return ""
    text = understanding.standalone_question
    question = read_question(text)
    usable = of_the_subject(understanding, question, usable)
    if compares(understanding):
        answer = compare(understanding, question, usable)
        if answer:
            return answer
    following = step_after(question, usable)
    if following:
        return paragraph(following) if len(following) == 1 else bullets("", following)
    answer = _from_faq(question, usable)
    if answer:
        return answer
    if understanding.intent == "summary":
        return summarise(question, usable)
    answer = superlative(question, usable)
    if answer:
        return answer
    answer = duties(question, usable) or allowed(question, usable)
    if answer:
        return answer
    ranked = rank(question, usable)
    meant = class_cell(question, ranked, usable, evidence)
    if meant:
        return class_answer(meant)
    answer = bridged(question, ranked[0].piece, evidence) if ranked else ""
    if answer:
        return answer
    asked_parts = parts(text)
    if len(understanding.sub_questions) == len(asked_parts) > 1:
        questions = [read_question(part) for part in understanding.sub_questions]
    else:
        questions = [read_question(text, part) for part in asked_parts]
    answers = [_from_passages(understanding, one, usable) for one in questions]
    return without_repeats(answers)


def _from_passages(
    understanding: Understanding, question: Question, evidence: Sequence[Evidence]
) -> str:
    wanted = question.asked.wanted
    ranked = of_kind_first(question, rank(question, evidence))
    if not ranked:
        return ""
    if _ASKS_HOW.search(question.focus) and wanted in ("text", "steps"):
        ranked = _told_first(ranked)
    best = ranked[0].piece
    if best.kind in ("row", "pair"):
        cell = cell_asked_for(question, of_document(ranked, evidence))
        if cell:
            return cell
    if wanted == "yes_no":
        rule = _whole_rule(question, best, evidence)
        if rule:
            return paragraph(rule)
    if understanding.intent == "procedure" or wanted == "steps":
        found = steps(question, evidence, ranked)
        if found:
            return numbered(found.lead, found.items)
    if understanding.intent == "definition" or wanted == "definition":
        defining = definition(question, ranked)
        if defining:
            return paragraph([defining])
    if best.kind == "row":
        return _rows(question, ranked)
    if best.kind == "pair":
        whole_column = column(question, best, evidence)
        if whole_column:
            return whole_column
        return from_record(question, ranked, evidence)
    if wanted == "list" or best.kind == "lead" or _ASKS_LIST.search(question.focus):
        found = list_items(question, evidence, ranked)
        if found:
            return bullets(found.lead, found.items)
    if wanted == "value":
        return with_context(question, ranked) or value_first(question, ranked)
    if understanding.intent in _DOING or wanted == "steps":
        going_on = of_the_heading(question, best, evidence) or goes_on(best, evidence)
        if going_on:
            return paragraph(going_on)
    chosen = _fewest(question, ranked)
    if wanted in _ONE_THING:
        chosen = [
            one
            if of_the_case(question.terms, one.body, one.about)
            else one._replace(body=part_meant(question, one.body))
            for one in chosen
        ]
    if best.kind == "lead":  # a lead-in alone says nothing
        return _under_lead(best, ranked, evidence)
    return with_context(question, ranked) or paragraph(chosen)


def _whole_rule(question: Question, best: Piece, evidence: Sequence[Evidence]) -> list[Piece]:
    """The sentences of a short FAQ record that asks no more and no less: whether something may
    be is told by its rule with its exceptions, not by one of them (打车能报吗)."""
    item = next((item for item in evidence if item.n == best.n), None)
    asked_there = faq_question(item) if item else ""
    if item is None or not asked_there or best.kind != "sentence":
        return []
    if coverage(question.terms, asked_there) < RULE_MATCH:
        return []
    own = [piece for piece in pieces(item) if piece.kind == "sentence"]
    short = sum(len(piece.body) for piece in own) <= LONGEST_RULE
    return own if short and 1 < len(own) <= MOST_SENTENCES else []


def _told_first(ranked: list[Ranked]) -> list[Ranked]:
    """The pieces with sentences in front where one covers about as much as the best row or
    field: how to book a room is not answered by the name of one."""
    best = ranked[0]
    told = [
        one
        for one in ranked
        if one.piece.kind in ("sentence", "item") and one.covered >= TOLD_SHARE * best.covered
    ]
    if best.piece.kind not in ("row", "pair") or len(best.piece.cells) > 2 or not told:
        return ranked
    return [*told, *(one for one in ranked if one not in told)]


def _under_lead(lead: Piece, ranked: Sequence[Ranked], evidence: Sequence[Evidence]) -> str:
    """What a lead-in leads to, under it; where that was not found, the next best piece."""
    under = led_by(lead, evidence)
    if under and under[0].kind == "row":
        return f"{sentence(lead.body, lead.n)}\n\n{shown_table(under)}"
    if under:
        return bullets(sentence(lead.body, lead.n), under)
    return paragraph([one.piece for one in ranked if one.piece.kind not in ("lead", "row")][:1])


def _from_faq(question: Question, evidence: Sequence[Evidence]) -> str:
    """The answer part of the FAQ record that asks the same."""
    best: tuple[float, Evidence] | None = None
    for item in evidence[:3]:
        asked = faq_question(item)
        if not asked:
            continue
        theirs = content_terms(asked)
        if not _same_kind(question, asked):
            continue
        both = min(coverage(question.terms, asked), coverage(theirs, question.text))
        if both >= FAQ_MATCH and (best is None or both > best[0]):
            best = (both, item)
    if best is None:
        return ""
    parts = [
        piece
        for piece in pieces(best[1])
        if piece.kind != "heading" and not _only_names(piece, best[1], question)
    ]
    specific = question.asked.wanted not in _VAGUE
    if specific and not any(holds_kind(question.asked, piece, question.text) for piece in parts):
        return ""
    if specific and 0 < len(question.asked.kinds) <= FEW_KINDS:
        parts = [part for part in parts if holds_kind(question.asked, part, question.text)]
    if not parts or sum(len(piece.body) for piece in parts) > LONGEST_FAQ:
        return ""
    return _as_written(parts)


def _only_names(piece: Piece, item: Evidence, question: Question) -> bool:
    """Whether a field says only what the question or the record's title names already."""
    value = normalise(value_in(piece)) if piece.key else ""
    return bool(value) and value in normalise(f"{question.text} {faq_question(item)}")


def _same_kind(question: Question, other: str) -> bool:
    """Whether two questions about the same words can want the same answer (多久换, 怎么换)."""
    mine, theirs = question.asked, read_question(other).asked
    if mine.wanted in _VAGUE or theirs.wanted in _VAGUE:
        return True
    return mine.wanted == theirs.wanted and (
        mine.kinds & theirs.kinds == mine.kinds or not mine.kinds
    )


def _as_written(parts: Sequence[Piece]) -> str:
    """Pieces in their own order: prose as paragraphs, items as lists, rows as a table."""
    blocks: list[str] = []
    index = 0
    while index < len(parts):
        kind = parts[index].kind
        stop = index
        while stop < len(parts) and (parts[stop].kind == kind):
            stop += 1
        run = list(parts[index:stop])
        if kind == "item":
            blocks.append(numbered("", run))
        elif kind == "row":
            blocks.append(shown_table(run))
        elif kind == "lead":
            blocks.append("\n\n".join(quote(piece, cited=False) for piece in run))
        else:
            blocks.append(paragraph(run))
        index = stop
    return "\n\n".join(block for block in blocks if block)


def _rows(question: Question, ranked: Sequence[Ranked]) -> str:
    """The rows that fit as well as the best one, under their header."""
    best = ranked[0]
    rows = [one for one in ranked if one.piece.kind == "row" and one.piece.n == best.piece.n]
    named = called(question, [one.piece for one in rows])
    if len(named) == 1 and (who := decider(question, named[0])):
        return who
    several = question.asked.wanted == "list" or bool(_EACH.search(question.focus))
    lowest = best.score - (0.4 if several else 0.07) * abs(best.score)
    chosen = [one.piece for one in rows if one.score >= lowest][: 12 if several else 4]
    chosen = called(question, chosen) or chosen
    chosen.sort(key=lambda piece: piece.order)
    return shown_table(chosen, question)


def _fewest(question: Question, ranked: Sequence[Ranked]) -> list[Piece]:
    """The best sentence, and others only where they cover something new."""
    best = ranked[0].piece
    chosen = [best]
    covered = {term.text: presence_in(term, best) for term in question.terms}
    total = sum(term.weight for term in question.terms) or 1.0
    satisfied = question.asked.wanted in _ONE_THING and answers_kind(question.asked, best.body)
    for one in () if satisfied else ranked[1:24]:
        if len(chosen) >= MOST_SENTENCES or one.score < NEAR_BEST * ranked[0].score:
            break
        if one.piece.kind in ("lead", "row") or one.piece.body in (p.body for p in chosen):
            continue
        if one.piece.key and given(question, one.piece):
            continue
        gain = sum(
            term.weight * max(0.0, presence_in(term, one.piece) - covered[term.text])
            for term in question.terms
        )
        if gain / total >= WORTH_ADDING:
            chosen.append(one.piece)
            for term in question.terms:
                covered[term.text] = max(covered[term.text], presence_in(term, one.piece))
    first, *others = chosen
    return [first, *sorted(others, key=lambda piece: piece.order)]
