"""The value in an earlier question that another value takes the place of.

A sibling is of the same class of words (工作日 and 周末), a person where a person is named, a
name with the same head (东湖校区 and 西山校区), or a word of the same shape (多层 and 高层). The
old value goes with all that belongs to it, so that never both are left.
"""

from __future__ import annotations

import itertools
import re

from rag.understand import lexicon
from rag.understand.names import find_names, is_name_of_person
from rag.understand.phrases import is_person, parse
from rag.understand.regions import find_regions
from rag.understand.slots import CODE
from rag.understand.tokens import Token
from rag.understand.words import tagged

Place = tuple[int, int]
"""A half-open range of the question."""

_CLASSES = tuple(
    re.compile(words)
    for words in (
        r"(?<![\d个几多])(?:周[一二三四五六日天末]|星期[一二三四五六日天]|礼拜[一二三四五六日天]|工作日|双休日|法定节假日|节假日|平[日时]|非工作日|元旦|春节|除夕|清明节?|五一|劳动节|端午节?|中秋节?|国庆节?)(?:[至到—-](?:周|星期)?[一二三四五六日天])?",
        r"早上|上午|中午|下午|晚上|夜间|夜里|白天|日间",
        r"[春夏秋冬]季|旺季|淡季|寒假|暑假",
        r"在职(?:职工|人员)?|退休(?:职工|人员)?|离休(?:人员)?|在岗|下岗|正式|试用期|实习期",
        r"国内|国外|境内|境外|省内|省外|市内|市外|本地|外地|异地|本市|本省|外省",
        r"城镇|农村|城市(?=居民|户)",
        r"首次|再次|第[一二三四五六七八九十\d]+次",
        r"成人|儿童|老人|婴儿",
        r"男(?:性|生|士|职工|方)?(?![\u4e00-\u9fff]*女)|女(?:性|生|士|职工|方)?",
        r"线上|线下|网上|现场|窗口",
        r"门诊|住院|急诊|门特|门慢",
        r"单人间?|双人间?|三人间?",
        r"首套房?|二套房?|三套房?",
        r"[特一二三四五六七八九]级|[甲乙丙丁]级",
        r"[特一二三四五六]等(?!级)|优秀奖?",
        r"[一二三四]线",
        r"个人|单位|企业|家庭",
    )
)
_PLACES = re.compile(
    r"(?:馆|公司|大学|学院|学校|医院|局|厂|店|院|所|中心|银行|集团|房|园|社|站|部|委|处|堂|厅|室|楼|场|科技|校区|厦|城|网)$"
)
"""Endings of words for places and houses; what follows is of them, not named by them."""
_PART = re.compile(r"(?:附属|主|副|子|补|备用|配套|亲情)(?=.{1,2}$)")
"""Beginnings of names for a part of the thing with the same head (附属卡 of a card)."""


def with_sibling_replaced(value: str, question: str, *, attributive: bool = False) -> str | None:
    """`question` with `value` in place of its sibling; None when it has none.

    Args:
        value: a noun phrase without 的 at its end.
        question: the earlier question, complete.
        attributive: whether the user wrote 的 behind it ("白金的"), so that the head is left out.
    """
    if value in question:
        return None
    for find in (_of_class, _same_relation, _owned, _person, _country):
        if place := find(value, question):
            return question[: place[0]] + value + question[place[1] :]
    if _PART.match(value) and (whole := _same_head(value, question)):
        return question[: whole[1]] + value + question[whole[1] :]
    for find in (_same_head, _same_shape):
        if place := find(value, question):
            start = _with_number(value, question, place[0])
            if place[1] - start < len(value) and question[:start].endswith(value[0]):
                start -= 1  # 地 of 地宫内, which the dictionary parts from it
            return question[:start] + value + question[_behind_code(question, place[1]) :]
    if attributive and (place := _same_material(value, question)):
        start = _with_number(value, question, place[0])
        return question[:start] + value + question[place[1] :]
    return None


def of_a_class(value: str) -> bool:
    """Whether `value` is one of a closed class of conditions (外地, 周末, 晚上)."""
    return any(words.fullmatch(value) for words in _CLASSES)


def has_sibling(value: str, question: str) -> bool:
    """Whether `question` names another value of the kind of `value`."""
    return any(
        find(value, question) for find in (_of_class, _owned, _person, _same_head, _same_shape)
    )


def _country(value: str, question: str) -> Place | None:
    """A place that is no region of ours for another: 日本 for 泰国."""
    if [tag for _, tag in tagged(value)] != ["ns"] or find_regions(value):
        return None
    found = [t for t in parse(question).tokens if t.tag == "ns" and not find_regions(t.text)]
    return (found[0].start, found[0].end) if len(found) == 1 else None


def _with_number(value: str, question: str, start: int) -> int:
    """Where the number before a name begins, when `value` has one too (3号线, 5号线)."""
    while value[0].isdigit() and start and question[start - 1].isdigit():
        start -= 1
    return start


def _same_relation(value: str, question: str) -> Place | None:
    """餐补标准 for 住宿标准: what the same relational noun is of, one word of it."""
    words = tagged(value)
    head = words[-1][0]
    if len(words) < 2 or head not in lexicon.RELATIONS or len(head) < 2 or find_regions(value):
        return None
    tokens = parse(question).tokens
    for before, token in itertools.pairwise(tokens):
        if token.text == head and before.role == "noun" and len(before.text) > 1:
            return before.start, token.end
    return None


def _behind_code(question: str, end: int) -> int:
    """The end of the code that stands behind a name and goes with it."""
    code = CODE.match(question, end)
    return code.end() if code else end


def _of_class(value: str, question: str) -> Place | None:
    for words in _CLASSES:
        if words.fullmatch(value):
            match = next((m for m in words.finditer(question) if m.group() != value), None)
            if match is not None:
                return match.span()
    return None


def _owned(value: str, question: str) -> Place | None:
    """林晓的申请 for 杜明的申请: what owns the same thing."""
    owner, _, thing = value.rpartition("的")
    at = question.find(f"的{thing}") if owner and thing else -1
    if at < 0:
        return None
    end = at + 1 + len(thing)
    run = _run_before(question, at, keep=not find_regions(value))
    return (run, end) if run < at else None


def _person(value: str, question: str) -> Place | None:
    names = find_names(question) if is_name_of_person(value) else []
    return names[0] if names else None


def _same_head(value: str, question: str) -> Place | None:
    """The name in the question with the head of `value`, from its first word on."""
    if is_person(value) or (find_regions(value) == [] and len(value) < 2):
        return None
    last = tagged(value)[-1][0]
    if last in lexicon.RELATIONS:
        return None
    heads = [last] if len(last) > 1 and last != value else []
    heads.append(value[-1])
    tokens = parse(question).tokens
    for head in heads:
        for token in reversed(tokens):
            if (
                token.role != "noun"
                or not token.text.endswith(head)
                or token.text in lexicon.RELATIONS
            ):
                continue
            if token.tag in ("v", "a") or (
                len(token.text) == 1 and not _joined_left(tokens, token)
            ):
                continue
            start = _run_before(question, token.start, keep=True)
            return start, token.end
    return None


def _same_shape(value: str, question: str) -> Place | None:
    """A word as long as `value` with the same last letter: 多层 for 高层."""
    if len(value) < 2:
        return None
    for token in parse(question).tokens:
        if (
            len(token.text) == len(value)
            and token.text[-1] == value[-1]
            and token.text not in lexicon.RELATIONS
            and token.role == "noun"
        ):
            return token.start, token.end
        if len(token.text) == len(value) + 1 and token.text[: len(value)][-1] == value[-1]:
            return token.start, token.end - 1
    return None


def _same_material(value: str, question: str) -> Place | None:
    """白金 for 商旅钛金 in 商旅钛金卡: the name up to the letter that both share."""
    tokens = parse(question).tokens
    for token in tokens:
        at = token.text.rfind(value[-1])
        if token.role != "noun" or at < 0:
            continue
        start, end = _run_before(question, token.start, keep=True), token.start + at + 1
        if end - start >= 2:
            return start, end
    return None


def _joined_left(tokens: tuple[Token, ...], token: Token) -> bool:
    return any(t.end == token.start and t.role in ("noun", "rel") for t in tokens)


def _run_before(question: str, end: int, *, keep: bool) -> int:
    """Where the words begin that name what stands before `end`.

    With `keep` regions, times, people and places stay outside, but for a word that makes one
    with a single letter behind it (读者证, 年卡).
    """
    tokens = parse(question).tokens
    head = next((t for t in tokens if t.start == end), None)
    short = head is not None and len(head.text) == 1
    start = end
    for token in reversed([t for t in tokens if t.end <= end]):
        compound = short and start == end
        if token.end != start or not (token.role == "noun" or (compound and token.role == "rel")):
            break
        if keep and not compound and _stays(token):
            break
        if token.role == "rel" and token.text.isdigit():
            break
        start = token.start
    return start


def _stays(token: Token) -> bool:
    return (
        token.tag == "t"
        or is_person(token.text)
        or token.text in lexicon.GENERIC_PEOPLE
        or bool(_PLACES.search(token.text))
        or bool(len(token.text) > 1 and find_regions(token.text))
    )
