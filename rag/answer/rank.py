"""Scores the pieces of the evidence against a question: which sentence answers it?

Words decide, and beside them what the line reader (`rag.answer.line_fit`) says of each line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rag.answer.agreement import only_code
from rag.answer.asks import Asked, asked
from rag.answer.attribute import (
    attribute_share,
    attribute_terms,
    beside_subject,
    echoes,
    parties,
    signs,
)
from rag.answer.fields import holds_kind, key_fit
from rag.answer.fits import odds
from rag.answer.matter import SUBJECT_FROM, beside
from rag.answer.pieces import Piece, about, pieces
from rag.answer.ranges import position
from rag.answer.statement import statement
from rag.answer.terms import Term, coverage, presence
from rag.answer.values import find_values
from rag.answer.weights import weighed_terms
from rag.answer.word_borders import mended
from rag.text.normalise import normalise
from rag.text.similar import containment
from rag.text.tokenise import codes
from rag.types import Evidence

ABOUT_SHARE = 0.9
"""Credit for a term that stands only in the piece's surroundings (title, headings, lead-in)."""
BEFORE_SHARE = 0.6
"""Credit for a term that only the sentences before this one hold (违反者每次罚款500元)."""
KIND_BONUS = 0.2
KIND_MISSING = 0.25
FEW_KINDS, PARTICULAR_MISSING = 3, 0.5
KEY_BONUS = 0.5
BARE_FIELD, SHORTEST_TOLD, KEY_MEANT = 0.6, 12, 0.3
PRIOR_SHARE = 0.25
RANGE_BONUS = 0.25
ROW_NAME_BONUS = 0.35
COLUMN_BONUS = 0.2
FRONT_BONUS = 0.4
OTHER_RECORD = 0.8
UNNAMED = 0.5
OWN_CODE = 0.3
APPROVAL = 0.6
OTHER_SUBJECT = 0.5
MARK_BONUS = 0.15
DOCUMENT_SHARE = 0.8
"""Credit for a term of the subject that the rest of the document holds; the attribute asked for
gets none, so that it decides inside a document."""
ECHO = 1.2
SIGNATURE = 0.6
DAY_BONUS = 0.25
ASKED_BONUS = 0.3
LONGEST_BEFORE = 60
ATTRIBUTE_MISSING = 0.35
FIT_SHARE, CODE_FIT_SHARE = 1.2, 0.8
"""What the line reader's log odds count; less where a code is asked about, which it cannot read.
Chosen on `benchmarks/workplace/fit`, where the best line is right for .66 without, .78 with."""
"""These weigh kind of answer, `key：value` and the passage's own rank against coverage (0..1);
chosen by us on samples and checked with `benchmarks/bench_answers.py`."""


_PAYS = re.compile(
    r"(?:罚|赔|扣)(?:款|偿|钱)?(?:多少|几)|(?:金|费|款|利息)(?:是)?(?:怎么|如何)(?:算|收|计算|收取)"
)
_APPROVAL = re.compile(
    r"[\d一二三四五六七八九十]\s*(?:个?(?:工作日|月)|[天日年])(?:[以之]?[内上下])的?[^。；]{0,12}?"
    r"由[^，。；]{1,12}(?:批|审)"
)
"""3天以内的由直接上级批准: the days are a condition of who decides, no length."""
_ASKS_APPROVAL = re.compile("批|审|谁")
_MAY_LEAD = ("text", "list", "steps", "definition", "reason")
_ASKS_DAY = re.compile("什么时候|何时|哪一?[天年月]|几月|几号|日期|到期|截止|啥时候")
_ASKS_WHAT = re.compile(
    r"(?:什么|哪个|哪份|哪部|哪一[个份部])(?:文件|办法|规定|法规|通知|制度|东西|产品|型号)"
)
_ASKS_ROW = re.compile(r"哪(?:一)?[张个款种类项条档]|谁|哪位")
"""The thing itself is asked for: naming it is the answer."""
_TOLD = ("text", "steps", "reason")
_SIGNED = ("organisation", "person")
_SAYS = tuple(
    (re.compile(asks), re.compile(says))
    for asks, says in (
        (
            "能不能|可不可以|可以.*[吗么不]|能.*[吗么不][？?。 ]*$|能否|可否|行不行|允许|准不准",
            "可以|不得|禁止|严禁|不能|不可|不准|允许|不支持|不予|谢绝|应当|必须",
        ),
        ("最多|最高|上限|封顶", "限额|上限|最多|最高|不超过|不得超过|封顶|至多|以内"),
        ("最少|最低|至少|起码", "下限|最少|最低|不低于|不少于|不得低于|至少|以上"),
        ("谁|哪位", "由[\u4e00-\u9fff]{2,10}(?:主持|负责|担任|审批|批准|决定|组织|签|保管|办理)"),
        ("公斤|千克", "kg|公斤|千克"),
        ("定下来|定了[没吗]|决定了|通过了|批了", "决定|形成|一致|通过|批准|再议|未定|暂不"),
        ("几升|多少升", r"\d\s*(?:L|升)"),
        ("怎么算|如何计算|怎么收|怎么赔|怎么罚", "按|每|万分之|%|元|倍"),
    )
)
"""Questions of one kind and what a statement that answers them says."""
_IN_RANGE = {"inside": 1.0, "outside": -1.0, "unknown": 0.0}


class Ranked(NamedTuple):
    """A piece with its score (about 0..2) and the share of the question's terms it covers;
    `within` is that share where its document holds the subject for it."""

    piece: Piece
    score: float
    covered: float
    within: float = 0.0


class Question(NamedTuple):
    """A completed question with what ranking needs of it.

    `focus` is the part that is being answered: the whole text, or one of several parts.
    `attribute` names what is asked of the subject; `surely` are those of its terms for which
    the rest of a document does not stand in.
    """

    text: str
    terms: tuple[Term, ...]
    asked: Asked
    focus: str
    attribute: tuple[Term, ...] = ()
    surely: frozenset[str] = frozenset()


def read_question(text: str, part: str = "") -> Question:
    """Take the question apart once; `part` is the one of its parts to answer now."""
    weighed = weighed_terms(text, part or text)
    focus = part or text
    return Question(text, weighed, _asked(focus), focus, *attribute_terms(focus))


def _asked(text: str) -> Asked:
    """What is asked; 罚多少 wants money or a share whatever nouns stand near it."""
    if _PAYS.search(text):
        return Asked(wanted="value", kinds=frozenset({"money", "percent"}))
    return asked(text)


def rank(question: Question, evidence: Sequence[Evidence]) -> list[Ranked]:
    """All quotable pieces, best first; ties keep the order of the documents."""
    whole = documents(evidence)
    question = with_words_of(question, whole)
    found = [(item, pieces(item)) for item in evidence]
    other = beside(question, evidence, whole)
    asked_of = {id_: _of_document(question, id_, found) for id_ in whole}
    ranked = [
        score(asked_of[item.chunk.document_id], piece, whole[item.chunk.document_id])
        for item, own in found
        for piece in own
    ]
    ranked = [
        one._replace(score=one.score - OTHER_SUBJECT) if one.piece.n in other else one
        for one in ranked
    ]
    hidden = {"heading"} if question.asked.wanted in _MAY_LEAD else {"heading", "lead"}
    ranked = [one for one in ranked if one.piece.kind not in hidden] or ranked
    ranked = _naming(question, ranked, whole)
    ranked.sort(key=lambda one: (-one.score, one.piece.order))
    return ranked


def _of_document(
    question: Question, document: str, found: Sequence[tuple[Evidence, Sequence[Piece]]]
) -> Question:
    """The question whose attribute leaves out what the document's facts and parties say."""
    mine = [(item, own) for item, own in found if item.chunk.document_id == document]
    facts = mine[0][0].chunk.metadata
    fields = [(piece.key, piece.body) for _, own in mine for piece in own if piece.key]
    subject = " ".join(filter(None, (facts.title, facts.organisation, parties(fields))))
    left = beside_subject(question.attribute, subject)
    return question._replace(attribute=left, surely=question.surely & {term.text for term in left})


def with_words_of(question: Question, whole: Mapping[str, str]) -> Question:
    """The question with words that the segmenter cut wrongly mended by the documents' own."""
    text = "\n".join(whole.values())
    return question._replace(
        terms=mended(question.terms, question.text, text),
        attribute=mended(question.attribute, question.text, text),
    )


def documents(evidence: Sequence[Evidence]) -> dict[str, str]:
    """All that is known of each document: its facts and the passages that were found of it."""
    whole: dict[str, list[str]] = {}
    for item in evidence:
        facts = item.chunk.metadata
        known = (about(item.chunk), facts.document_number, facts.organisation, facts.product)
        whole.setdefault(item.chunk.document_id, []).extend(
            [*(fact for fact in known if fact), item.text]
        )
    return {id_: "\n".join(dict.fromkeys(texts)) for id_, texts in whole.items()}


def _naming(question: Question, ranked: Sequence[Ranked], whole: dict[str, str]) -> list[Ranked]:
    """Where some pieces name a code of the question themselves, those of other things step
    back; a document or heading that names it keeps its pieces where they are, and so does a
    document in which it is the only one of its kind: its own number."""
    result = list(ranked)
    for code in codes(question.text):
        if code.startswith("第") or not any(_is_named(code, one.piece) for one in result):
            continue
        own = {id_ for id_, text in whole.items() if only_code(code, text)}
        for index, one in enumerate(result):
            if one.piece.order[0] in own:
                continue
            if _is_named(code, one.piece):
                result[index] = one._replace(score=one.score + OWN_CODE * one.covered)
            elif code not in codes(one.piece.about):
                result[index] = one._replace(score=one.score - UNNAMED)
    return result


def _is_named(code: str, piece: Piece) -> bool:
    """Whether the line, row or record itself is about the code, not only its document."""
    return code in codes(" ".join((piece.body, piece.head, piece.key, *piece.header)))


def score(question: Question, piece: Piece, document: str = "") -> Ranked:
    """Score one piece; `document` is all that is known of its document."""
    covered = covered_by(question.terms, piece)
    said = attribute_share(question.attribute, own_words(piece))
    # Only what holds the attribute may borrow the subject from its document.
    within = covered + said * max(0.0, _within(question, piece, document) - covered)
    total = within + PRIOR_SHARE * piece.prior
    total += 0.15 * containment(normalise(question.text), normalise(piece.body))
    if question.asked.wanted != "text" and piece.kind != "lead":
        particular = piece.fit is not None and 0 < len(question.asked.kinds) <= FEW_KINDS
        missing = PARTICULAR_MISSING if particular else KIND_MISSING
        total += KIND_BONUS if holds_kind(question.asked, piece, question.text) else -missing
    if piece.cells and any(key_fit(question, head) == 1.0 for head in piece.header[1:]):
        total += COLUMN_BONUS
    if piece.cells and _names_row(question, piece.cells[0]):
        total += ROW_NAME_BONUS
    if not piece.cells and _fronted(question, piece):
        total += FRONT_BONUS
    if _of_another(question, piece):
        total -= OTHER_RECORD
    if "date" in question.asked.kinds and _ASKS_DAY.search(question.focus):
        dated = any(value.kind == "date" for value in find_values(piece.body))
        total += DAY_BONUS * dated * max(said, 0.5)
    total += MARK_BONUS * _marks(question, piece)
    total += statement(question.asked, question.focus, question.terms, question.attribute, piece)
    total += RANGE_BONUS * _IN_RANGE[position(question.text, piece.body)]
    if piece.label.endswith(("？", "?")):
        total += ASKED_BONUS * coverage(question.terms, piece.label)
    if piece.key:
        asked_for = key_fit(question, piece.key)
        total += KEY_BONUS * asked_for * covered
        bare = len(piece.body) - len(piece.key) <= SHORTEST_TOLD
        total -= BARE_FIELD * (bare and question.asked.wanted in _TOLD and asked_for < KEY_MEANT)
    total -= ECHO * _only_echoes(question, piece)
    if question.asked.wanted not in _SIGNED and signs(piece.body):
        total -= SIGNATURE
    if "duration" in question.asked.kinds and not _ASKS_APPROVAL.search(question.text):
        total -= APPROVAL * bool(_APPROVAL.search(piece.body))
    total -= ATTRIBUTE_MISSING * (1.0 - said)
    named = any(term.name for term in question.terms)
    total += (CODE_FIT_SHARE if named else FIT_SHARE) * odds(piece.fit)
    if len(piece.body) < 6 and not piece.key and piece.kind == "sentence":
        total -= 0.2
    return Ranked(piece, total, covered, within)


def _only_echoes(question: Question, piece: Piece) -> bool:
    """Whether the piece only repeats the question; a field of a record may (哪张卡赔600元)."""
    if _ASKS_WHAT.search(question.text) or (piece.group >= 0 and _ASKS_ROW.search(question.text)):
        return False
    return echoes(question.text, piece.body)


def own_words(piece: Piece) -> str:
    """What the piece itself, its field, columns, lead-in, headings and title say."""
    near = (
        piece.body,
        piece.before[-LONGEST_BEFORE:],
        piece.key,
        piece.label,
        *piece.header,
        piece.about,
    )
    return " ".join(near)


def _within(question: Question, piece: Piece, document: str) -> float:
    """Share of the terms covered where the document may hold the subject for the piece."""
    total = sum(term.weight for term in question.terms)
    if not total or not document:
        return 0.0
    held = 0.0
    for term in question.terms:
        share = presence_in(term, piece)
        if share < DOCUMENT_SHARE and term.text not in question.surely:
            share = max(share, DOCUMENT_SHARE * presence(term.text, document))
        held += term.weight * share
    return held / total


def _marks(question: Question, piece: Piece) -> int:
    """How many marks of the asked kind of statement the piece has: 能…吗 wants 可以 or 不得."""
    return sum(
        bool(asks.search(question.focus)) and bool(says.search(f"{piece.label} {piece.body}"))
        for asks, says in _SAYS
    )


def covered_by(terms: Sequence[Term], piece: Piece) -> float:
    """Share of the terms in the piece, those in its surroundings counting less, 0..1."""
    total = sum(term.weight for term in terms)
    if not total:
        return 0.0
    own = sum(term.weight * presence_in(term, piece) for term in terms)
    return own / total


def presence_in(term: Term, piece: Piece) -> float:
    """How far the piece holds a term, 0..1."""
    inside = presence(term.text, piece.body)
    if inside == 1.0 or not (piece.about or piece.before):
        return inside
    around = ABOUT_SHARE * presence(term.text, piece.about)
    earlier = BEFORE_SHARE * presence(term.text, piece.before) if piece.before else 0.0
    return max(inside, around, earlier)


def speaks_of_code(question: Question, piece: Piece) -> bool:
    """Whether a record, row or column is exactly the one whose code the question names, and
    holds what is asked for: the safest evidence there is."""
    wanted = {term.text for term in question.terms if term.name}
    if not wanted or _of_other_matter(question, piece):
        return False
    if piece.group >= 0 and piece.head:
        return normalise(piece.head) in wanted and key_fit(question, piece.key) >= 0.5
    if not piece.cells:
        return False
    if not holds_kind(question.asked, piece, question.text):
        return False
    if normalise(piece.head) in wanted:
        return True
    others = [term for term in question.terms if not term.name and term.weight >= 0.3]
    named = any(normalise(column) in wanted for column in piece.header)
    return named and coverage(others, piece.head) >= 0.5


def _of_other_matter(question: Question, piece: Piece) -> bool:
    """Whether a row or record says nothing of what is asked beside the code: the row of P5 on
    medical checks tells nothing of 住宿超标."""
    telling = [t for t in question.terms if not t.name and t.weight >= SUBJECT_FROM]
    return bool(telling) and not any(presence(t.text, own_words(piece)) for t in telling)


def _of_another(question: Question, piece: Piece) -> bool:
    """Whether the piece belongs to a record of another code, where the asked one is only
    mentioned (an accessory that fits it)."""
    wanted = {term.text for term in question.terms if term.name}
    own = codes(piece.head) if piece.head and wanted else []
    return bool(own) and not any(code.startswith(name) for code in own for name in wanted)


def _fronted(question: Question, piece: Piece) -> bool:
    """Whether the piece opens with a name of the question and a colon: 产假：…, not 陪产假：…."""
    front, colon, _ = piece.body.partition("：")
    return bool(colon) and len(front) <= 12 and _names_row(question, front)


def _names_row(question: Question, cell: str) -> bool:
    """Whether a row's first cell is a code or name that the question gives in full."""
    name = normalise(cell)
    return len(name) >= 2 and any(term.text == name for term in question.terms)
