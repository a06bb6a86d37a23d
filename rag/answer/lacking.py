"""What a question asks for and the evidence does not say: grounds to refuse however near it is.

The passages of the right document cover a question's subject whatever is asked of it. An
answer needs more: the attribute itself (发票号码), the thing itself and not its opposite (晚餐,
not 午餐), and the row that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.asks import asking_spans, may_hold
from rag.answer.contrast import opposed
from rag.answer.pieces import Piece, about, pieces
from rag.answer.rank import Question, Ranked, documents, own_words
from rag.answer.rows import lacks_row, names_row
from rag.answer.terms import Term, content_terms, presence
from rag.text.normalise import normalise
from rag.types import Evidence
from rag.understand.words import tagged

NOT_THERE = 0.4
"""Confidence at most where the row, the thing or a measured attribute asked for is not there:
always a refusal."""
PERHAPS = 0.7
"""Confidence at most where prose names the attribute not: it may say it in other words (作者
as 由…所著), so that the answer is hedged."""
FROM = 0.45
"""Weight from which a word names an attribute or a thing (`rag.answer.terms`, unfocused)."""
NOUN_FROM = 0.4
"""The same for whom a telephone number belongs to; chosen by us."""
LOST_SHARE = 0.5
"""Share of the attribute's weight that must be absent; all three chosen by us on questions of
our own and checked with `benchmarks/bench_answers.py`."""
NEAREST = 3
"""Pieces one of which must hold the address or number that is asked for; chosen by us."""
RECORD_LIKE = 3
"""Fields or rows from which a document tells by fields: what has no field is not there."""

_FIELD = re.compile(
    r"的([\u4e00-\u9fffA-Za-z]{2,9}?)(?:号码)?(?:是|为|有|叫)?(?:多少|多久|多长|什么|谁|哪|几|怎样|如何)"
)
_BARE = re.compile(r"([\u4e00-\u9fff]{2,5})(?:是|为)(?:多少|多久|几)")
_BEHIND = re.compile(r"多少([\u4e00-\u9fff]{2,4})[？?。 ]*$")
_ROLE = re.compile(
    r"(施工|承建|建设|设计|监理|中标|勘察|检测|审计|承保|运营|供货|主办|承办|协办|生产|代理|托管|评估|承运)"
    r"(?:单位|方|公司|机构|企业|商|人)"
)
_CONTAINER = re.compile("(?:每|一|1)个?([盒箱包袋瓶桶卷板罐筒捆盘筐套])")
_COUNT = re.compile(r"[多几]少?[个片只支块张颗粒根条枚枝件本袋包瓶]")
_WHO = re.compile(
    "[由向找]|[部处室台组科局办院委员长师](?=[，。、；：）)办受审批负报登领申签打联的])"
    "|中心|经理|主任|老师|负责|联系|主管|姓名|热线|电话|分机"
    "|[人者](?=[，。、；：）)]|$)|^\\w{2,4}$|[：|]"
)
"""What names or points at somebody."""
_TO_WHOM = re.compile(
    "[找问给向跟和](?:谁|哪位|哪个(?:部门|人|单位))|谁[来能]?(?:管|批|解|修|签|处理|负责)"
)
_ADDRESSES = frozenset(("phone", "email", "url"))
_MEASURED = frozenset(("value", "phone", "email", "url"))


def ceiling(
    question: Question, ranked: Sequence[Ranked], evidence: Sequence[Evidence]
) -> tuple[float, str]:
    """The highest confidence that what is missing allows, 0..1, and why ("" where nothing is).

    Args:
        ranked: the pieces of the evidence, best first.
        evidence: the passages that may answer.
    """
    if not ranked or not evidence:
        return 1.0, ""
    best = ranked[0].piece
    whole = documents(evidence).get(best.order[0], "")
    word = _opposite(question, best, whole)
    if word:
        return NOT_THERE, f"找到的内容里没有“{word}”，只有相近的另一项。"
    if best.kind in ("row", "pair") and lacks_row(question, evidence, best):
        return NOT_THERE, "表格里没有所问的那一行。"
    everything = "\n".join(f"{about(item.chunk)}\n{item.chunk.text}" for item in evidence)
    lost = _row_lost(question, best, evidence, everything)
    if lost:
        return NOT_THERE, f"表格里没有“{lost}”。"
    holder = _CONTAINER.search(question.text)
    if holder and _COUNT.search(question.text) and holder[1] not in everything:
        return NOT_THERE, f"找到的内容没有写明每{holder[1]}的数量。"
    aside = _whether_unsaid(question, best)
    if aside:
        return PERHAPS, f"找到的那一行没有提到“{aside}”。"
    role = _ROLE.search(question.text)
    if role and not _has_role(role, everything):
        return NOT_THERE, f"找到的内容没有写明{role.group()}。"
    if question.asked.wanted in _ADDRESSES and not may_hold(question.asked, whole):
        return NOT_THERE, "找到的文档里没有写明联系方式。"
    whose = _of_whom_unsaid(question, everything)
    if whose:
        return NOT_THERE, f"找到的内容没有写明“{whose}”的联系方式。"
    nearest = " ".join(_itself(one.piece) for one in ranked[:NEAREST])
    if question.asked.wanted in _ADDRESSES and not may_hold(question.asked, nearest):
        return NOT_THERE, "找到的内容里没有写明联系方式。"
    lost = _attribute_lost(question, everything)
    if not lost and _TO_WHOM.search(question.focus) and not _WHO.search(_itself(best)):
        return PERHAPS, "找到的内容没有写明该找谁。"
    if not lost:
        return 1.0, ""
    measured = question.asked.wanted in _MEASURED or _tells_by_fields(evidence, best)
    return NOT_THERE if measured else PERHAPS, f"找到的内容没有写明“{lost}”。"


def _opposite(question: Question, best: Piece, whole: str) -> str:
    """The word of the question that the best piece excludes and its document never says."""
    word = opposed(own_words(best), question.text)
    return "" if not word or word in normalise(whole) else word


def _row_lost(
    question: Question, best: Piece, evidence: Sequence[Evidence], everything: str
) -> str:
    """A word of the question that names no row, no column and nothing else that was found.

    A row that is named does not tell whether something holds of which nothing is said (延保 of a
    model with its price).
    """
    terms = _plain_terms(question)
    lost = [term.text for term in terms if _absent(term, everything)]
    whether = best.kind in ("row", "pair") and question.asked.wanted == "yes_no"
    if names_row(question, evidence, best) and not (whether and len(lost) == len(terms)):
        return ""
    return next(iter(lost), "")


def _of_whom_unsaid(question: Question, everything: str) -> str:
    """The noun whose telephone number or address is asked for, where nothing speaks of it."""
    if question.asked.wanted not in _ADDRESSES:
        return ""
    return next(
        (
            term.text
            for term in _plain_terms(question, NOUN_FROM)
            if all(tag[:1] == "n" for _, tag in tagged(term.text)) and _absent(term, everything)
        ),
        "",
    )


def _whether_unsaid(question: Question, best: Piece) -> str:
    """A word of a yes-no question that the row of a table which was found does not say."""
    if best.kind not in ("row", "pair") or question.asked.wanted != "yes_no":
        return ""
    said = own_words(best)
    return next((t.text for t in _plain_terms(question) if _absent(t, said)), "")


def _attribute_lost(question: Question, everything: str) -> str:
    """The attribute asked for, when the evidence says nothing of it."""
    focus = normalise(question.focus)
    field = _FIELD.search(focus) or _BEHIND.search(focus)
    if field is None and question.asked.wanted == "value":
        field = _BARE.search(focus)
    if field is None or not asking_spans(focus):
        return ""
    words = field[1]
    terms = [t for t in _plain_terms(question, 0.0) if t.text in words]
    total = sum(term.weight for term in terms)
    lost = [term for term in terms if _absent(term, everything)]
    if not total or normalise(words) in normalise(everything):
        return ""
    heavy = any(term.weight >= FROM for term in lost)
    return words if heavy and sum(t.weight for t in lost) / total >= LOST_SHARE else ""


def _plain_terms(question: Question, least: float = FROM) -> list[Term]:
    """The question's words as they weigh by themselves, without codes and numbers."""
    return [
        term
        for term in content_terms(question.text)
        if not term.soft and not term.name and term.weight >= least and len(term.text) > 1
    ]


def _itself(piece: Piece) -> str:
    """What the piece says without its surroundings."""
    return " ".join((piece.body, piece.key, *piece.header))


def _absent(term: Term, text: str) -> bool:
    return presence(term.text, text) == 0.0


def _has_role(role: re.Match[str], text: str) -> bool:
    """Whether a text says who does it: 施工单位, 施工方：…, 由…公司施工."""
    if role.group() in text:
        return True
    verb = role[1]
    return bool(
        re.search(rf"{verb}(?:单位|方|公司|机构|企业|商|人)|由[^，。；\n]{{2,30}}{verb}", text)
    )


def _tells_by_fields(evidence: Sequence[Evidence], best: Piece) -> bool:
    """Whether the best piece is a field or row, or its document has several of them."""
    if best.kind in ("row", "pair"):
        return True
    own = [item for item in evidence if item.chunk.document_id == best.order[0]]
    fields = [p for item in own for p in pieces(item) if p.kind in ("pair", "row")]
    return len(fields) >= RECORD_LIKE
