"""What a question asks of its subject: 转速 in "XR-500离心泵的转速是多少", and what only echoes.

The subject of a question mostly stands in a document's title, number or parties, once; the
sentence that answers holds the attribute and leaves the subject out. A sentence that repeats
the subject alone tells the asker what he has said himself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rag.answer.asks import asked, asking_spans
from rag.answer.terms import TELLING, Term, content_terms, presence
from rag.text.normalise import normalise
from rag.text.similar import longest_common_substring

REACH = 8
"""Letters before the asking word within which the attribute's name is looked for, where no 的
tells where it begins."""
NEAR_SHARE = 0.5
"""Weight of words before the asking word where others stand behind it; chosen by us."""
LEAST_NEW = 1
"""Letters and digits that a piece must add to the question's own words to tell anything."""

_ADDRESSES = re.compile(
    r"^(?:.{0,20}(?:各位|全体|尊敬的|敬爱的|亲爱的).{0,16}|.{1,16}(?:女士|先生|同志|同学|业主|住户|家长)(?:们)?|"
    r"(?:大家|你们?|您)好)[:：，,！!。]?$"
)
"""Salutations: 翠湖花园全体业主：, 各位住户："""
_CARRIERS = re.compile(
    r"(?:发票|订单|合同|文件|通知|报告|样品|案|项目|产品|设备)?(?:文号|编号|号码|字号|名称|姓名|标题|主题|主旨|客户|"
    r"甲方|乙方|丙方|收件人|发件人|日期|时间|班次|批次)|[（(][^（）()]{0,6}[)）]|关于|公告|通知|特此|联合|公司|有限|股份|的|是|为|与|和|及|于|在"
)
"""Words around an echo that add nothing to it."""
_SIGNATURE = re.compile(
    r"[^\s，,。：:；;、]{2,26}(?:公司|中心|委员会|政府|[局处部院校厅会办室店队科所社厂组])[。.]?"
    r"(?:\s*\d{4}\s*年\s*\d{1,2}\s*月\s*\d{1,2}\s*日[。.]?)?"
)
_PARTY = re.compile(
    r"^(?:[甲乙丙]方|.{0,4}(?:姓名|名称|编号|单位|公司|项目|产品|设备|型号|客户|对象|患者|申请人|当事人))(?:[（(].*)?$"
)
_KEEPS = re.compile(r"[^\w]+|_")
_OF = re.compile(r"[的里中]")


@lru_cache(maxsize=1024)
def attribute_words(question: str) -> tuple[str, str]:
    """The stretches of the question that name what is asked of the subject, normalised.

    From the last 的 (or `REACH` letters) before the first asking word up to it, and what is
    behind that word (什么职务, 几号发工资). Both empty when there is none.
    """
    normal = normalise(question)
    spans = asking_spans(normal)
    if not spans:
        return "", ""
    start, end = spans[0]
    if len(spans) > 1 and start == 0:
        start, end = spans[1]
    before = re.split(r"[，,。；;？?：:]", normal[:start])[-1]
    links = [m.end() for m in _OF.finditer(before)]
    after = re.split(r"[，,。；;？?！!]", normal[end:])[0].strip()
    near = before[links[-1] :] if links and len(before) - links[-1] >= 2 else before[-REACH:]
    return near, after


@lru_cache(maxsize=1024)
def attribute_terms(question: str) -> tuple[tuple[Term, ...], frozenset[str]]:
    """The content terms of `attribute_words`, without codes and names, and which of them are
    surely of the attribute: those behind the asking word where there are any (肇事客机上有多少人
    受伤), before which mostly the subject stands, with half their weight; else all."""
    near, after = attribute_words(question)
    terms = [
        term
        for term in content_terms(question)
        if not term.name and len(term.text) > 1 and term.weight > 0.15
    ]
    behind = [term for term in terms if term.text in after]
    before = [term for term in terms if term.text in near and term not in behind]
    telling = any(term.weight >= TELLING for term in behind)
    of_date = "date" in asked(question).kinds and len(after) > 1
    if (telling or of_date) and not _OF.search(near + after):
        halves = [term._replace(weight=term.weight * NEAR_SHARE) for term in before]
        return (*behind, *halves), frozenset(term.text for term in behind)
    both = (*behind, *before)
    return both, frozenset(term.text for term in both)


def beside_subject(terms: Sequence[Term], subject: str) -> tuple[Term, ...]:
    """The terms that a document's subject (its facts and parties) does not hold: these are
    asked of it."""
    return tuple(term for term in terms if presence(term.text, subject) < 1.0)


def parties(pieces: Sequence[tuple[str, str]]) -> str:
    """The values of the fields, as (key, body), that say what or whom a document is about."""
    return " ".join(body for key, body in pieces if _PARTY.search(key))


def attribute_share(terms: Sequence[Term], said: str) -> float:
    """How far a text holds the attribute, 0..1 by weight; 1 when there is none to hold."""
    total = sum(term.weight for term in terms)
    if not total:
        return 1.0
    return sum(term.weight * presence(term.text, said) for term in terms) / total


@lru_cache(maxsize=8192)
def echoes(question: str, body: str) -> bool:
    """Whether a piece says nothing but what the question said: a number, a name, a salutation."""
    if _ADDRESSES.match(body.strip()):
        return True
    asked = normalise(question)
    rest = normalise(body)
    while len(run := longest_common_substring(rest, asked)) > 1:
        rest = rest.replace(run, " ")
    left = _KEEPS.sub("", _CARRIERS.sub("", rest))
    return len(left) < LEAST_NEW and not any(c.isdigit() for c in left)


def signs(body: str) -> bool:
    """Whether a line is but the name of a body, with a date at most: a signature."""
    return bool(_SIGNATURE.fullmatch(body.strip()))
