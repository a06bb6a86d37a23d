"""Put another value of the same kind into an earlier question: "北京呢？", "那病假呢？".

A region replaces a region, a time a time, a product a product, a group of people a group of
people; any other noun phrase replaces the phrase with the same head, else the topic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from rag.types import KnowledgeProfile
from rag.understand import lexicon
from rag.understand.left_out import SERVICE
from rag.understand.phrases import Phrase, is_person, is_unknown_name, parse, topic, topic_phrase
from rag.understand.regions import (
    find_regions,
    without_regions,
)
from rag.understand.siblings import of_a_class, with_sibling_replaced
from rag.understand.slots import LETTERED_PRODUCT as LETTERED
from rag.understand.slots import QUOTED_TITLE, codes
from rag.understand.swap_places import before_narrowing, before_topic, put_region, put_time
from rag.understand.times import find_times
from rag.understand.words import tagged

_MEASURE = re.compile(
    r"(?:满|超过|不满|不足|未满|达到?|大于|小于|高于|低于|第)?[\d.一二两三四五六七八九十百千万半]+\s*"
    r"(?:年|个月|月|天|周|小时|元|块钱?|万元?|千元|平米?|平方米|公里|人|岁|级|倍|次|%|％|条|章|款|名|类|档)(?:以上|以下|以内|及以上|的)?"
)

_CLAUSE = re.compile(r"第[\d一二三四五六七八九十百零]+[条章款项节编]")

_STATE = ["国家", "全国", "中央"]

_ORGANISATION = re.compile(
    "(?:公司|部门|总部|中心|校区|分行|支行|门店|工厂|事业部|办事处|研究院|学院|车间|仓库|分店|网点)$"
)

COUNTED = re.compile(
    r"(?:期|费|费用|额|额度|金|补贴|津贴|率|价|价格|价钱|天数|比例|标准|数量|次数|时长|上限|下限|电话|号码|重量|尺寸"
    r"|年限|年龄|人数|温度|功率|容量|工资|利润|收入)$"
)


def kind_of(value: str) -> str:
    """The kind of a short noun phrase.

    One of region, time, clause, code, measure, person, condition, relation, thing.
    """
    bare = value.strip()
    regions = find_regions(bare)
    if regions and not without_regions(bare).strip("的地区市省那和与、及跟"):
        return "region"
    times = find_times(bare, date.today())
    untimed = len(bare) - sum(t.end - t.start for t in times)
    if times and untimed <= sum(bare.count(letter) for letter in "的版和与、及"):
        return "time"
    if _CLAUSE.fullmatch(bare):
        return "clause"
    letter = re.fullmatch(r"[A-Za-z]{1,2}|[甲乙丙丁]", bare)
    if letter or any(code == bare for code in codes(bare)) or LETTERED.fullmatch(bare):
        return "code"
    if re.search(rf"(?:{_MEASURE.pattern})$", bare) and not find_times(bare, date.today()):
        return "measure"
    if is_person(bare.removesuffix("的")):
        return "person"
    parsed = parse(bare)
    if re.fullmatch(r"[\u4e00-\u9fff]{2,6}(?:之|以)?(?:后|前|时|期间)的?", bare):
        return "condition"
    if parsed.tokens and all(t.tag in ("t", "f", "p", "s") for t in parsed.tokens):
        return "condition"
    if parsed.tokens and all(t.role in ("rel", "act", "of", "aux") for t in parsed.tokens):
        return "relation"
    return "organisation" if _ORGANISATION.search(bare) else "thing"


def put(value: str, question: str, profile: KnowledgeProfile | None) -> str | None:
    """`question` with `value` in place of what has its kind; None when it has no place.

    A value of a region and a year, or of a year and a thing, replaces both. 的 at its end
    tells that its head is left out ("退休的"): without a sibling it goes in front.
    """
    kind = kind_of(value)
    if value.endswith("的") and kind_of(value[:-1]) == "code":
        return _put_code(value[:-1], question, link="的")
    if kind not in ("region", "time", "clause", "code", "measure"):
        bare = value.removesuffix("的")
        if made := _put_pieces(bare, question, profile):
            return made
        if made := with_sibling_replaced(bare, question, attributive=bare != value):
            return made
        if bare != value and kind != "person" and parse(bare).tokens[-1:]:
            if made := _put_modifier(bare, question):
                return made
            if made := _put_owner(bare, question):
                return made
            if kind_of(bare) == "condition" or _describes(bare) or of_a_class(bare):
                return before_narrowing(bare if _describes(bare) else value, question)
        value = bare
    day = value.removesuffix("的")
    if of_a_class(day) and kind == "time" and (made := with_sibling_replaced(day, question)):
        return made
    if kind == "region":
        return put_region(value, question, profile)
    if kind == "time":
        return put_time(value, question, profile)
    if kind == "clause" and _CLAUSE.search(question):
        return _CLAUSE.sub(value, question, count=1)
    if kind == "code":
        return _put_code(value, question)
    if kind == "measure":
        return _put_measure(value, question)
    if kind == "person":
        return _put_person(value, question)
    if kind == "organisation":
        return _put_organisation(value, question)
    if kind == "condition":
        return before_narrowing(value, question)
    if kind in ("relation", "clause"):
        return _ask_relation(value, question)
    return _put_thing(value, question)


_CASE = re.compile(r"(?:没有|没|未|不)(?P<verb>[\u4e00-\u9fff]{1,5})(?:的|的话)?")


def in_case(value: str, question: str) -> str | None:
    """`question` in a case that a bare denial names: 没保价 → 没保价的冷链包裹…; else None."""
    match = _CASE.fullmatch(value)
    head = topic_phrase(parse(question))
    if match is None or head is None or match["verb"] in head.text:
        return None
    if match.group()[:2] in ("不是", "没有") and len(match["verb"]) < 2:
        return None
    bare = value.removesuffix("的话").removesuffix("的")
    return before_narrowing(f"{bare}的", question)


def _put_pieces(value: str, question: str, profile: KnowledgeProfile | None) -> str | None:
    """A value of several kinds, piece by piece: 2023年云南, 2023年西山校区."""
    times = find_times(value, date.today())
    if len(times) != 1:
        return None
    rest = (value[: times[0].start] + value[times[0].end :]).strip("的版 和与、在")
    if not rest or codes(times[0].text):
        return None
    made = put(rest, question, profile)
    return put_time(times[0].text, made, profile) if made else None


def _describes(value: str) -> bool:
    """Whether a value with 的 says how something is, not what (退休的, 自费的)."""
    return parse(value).tokens[-1].tag[0] in "vabdz" or bool(_QUALITY.fullmatch(value))


def _put_owner(value: str, question: str) -> str | None:
    """担保的 for 个人借款的 in 个人借款的诉讼时效: what the thing asked for is of."""
    head = topic_phrase(parse(question))
    at = head.text.find("的") if head else -1
    if head is None or at < 2 or _QUALITY.fullmatch(value) or of_a_class(value):
        return None
    if parse(value).tokens[-1].tag[0] in "abdzm" or find_regions(head.text[:at]):
        return None
    return question[: head.start] + value + question[head.start + at :]


def _put_modifier(value: str, question: str) -> str | None:
    """药师的 for the first word of 护士资格证, when the words of both are of one kind."""
    words = parse(value).tokens
    head = topic_phrase(parse(question))
    if head is None or len(words) != 1:
        return None
    inner = [t for t in parse(question).tokens if head.start <= t.start and t.end <= head.end]
    if (
        of_a_class(value)
        or len(inner) < 2
        or inner[0].tag != words[0].tag
        or inner[0].tag[0] != "n"
    ):
        return None
    return question[: inner[0].start] + value + question[inner[0].end :]


_QUALITY = re.compile(
    r"[无有非全半单双多][\u4e00-\u9fff]{1,2}|[\u4e00-\u9fff]{1,4}(?:式|型|色|版|制|性|级|装|产|款|质|线)"
)
"""Words that with 的 say how a thing is, though jieba takes them for nouns (无线的, 蓝色的)."""


def _put_code(value: str, question: str, link: str = "") -> str:
    letters = [(m.start(), m.end()) for m in LETTERED.finditer(question)]
    named = LETTERED.search(question)
    if named and re.fullmatch(r"[A-Za-z]{1,2}|[甲乙丙丁]", value):
        return question[: named.start()] + value + named.group(2) + question[named.end() :]
    others = [(question.index(c), question.index(c) + len(c)) for c in codes(question)]
    same = letters if LETTERED.fullmatch(value) else others
    spans = same or letters or others
    if spans:
        start, end = spans[0]
        return question[:start] + value + question[end:]
    tail = re.search(r"(产品|型号|款|套餐|版本|系列|方案|计划)$", value)
    if tail and (match := re.search(rf"[\u4e00-\u9fffA-Za-z0-9]{{1,6}}?{tail.group()}", question)):
        return question[: match.start()] + value + question[match.end() :]
    head = topic_phrase(parse(question))
    if head is None:
        return value + question
    if (of := head.text.find("的")) > 0 and not find_regions(head.text[:of]):
        return question[: head.start] + value + question[head.start + of :]
    return question[: head.start] + value + link + question[head.start :]


def _put_measure(value: str, question: str) -> str:
    unit = re.search(r"年|个月|月|天|小时|元|块|平|公里|人|岁|级|倍|次|%|条|章|档", value)
    for match in _MEASURE.finditer(question):
        if match.group()[0] == "一" and _EACH.search(question[: match.start()]):
            continue  # 多少钱一台
        if unit and unit.group() in match.group():
            new = (
                value
                if value.endswith("的") == match.group().endswith("的")
                else value.removesuffix("的")
            )
            if match.group().endswith("的") and not new.endswith("的"):
                new += "的"
            return question[: match.start()] + new + question[match.end() :]
    head = topic_phrase(parse(question))
    value = value if value.endswith("的") else value + "的"
    first = next((t for t in parse(question).tokens if head and t.start == head.start), None)
    if head and first and first.tag == "v" and re.search("[元块钱]", value):
        return question[: head.end] + value + question[head.end :]  # 招待客户5000块的谁来审批
    return before_narrowing(value, question)


_EACH = re.compile(r"(?:多少钱|多少|几[块元]钱?|价格|单价)$")


def _put_person(value: str, question: str) -> str:
    value = value.removesuffix("的")
    parsed = parse(question)
    people = [p for p in parsed.phrases if p.kind == "person"]
    if people:
        span = people[0]
        return question[: span.start] + value + question[span.end :]
    for token in parsed.tokens:  # 正式员工的年假: the group stands inside the topic
        if is_person(token.text) or token.text in lexicon.GENERIC_PEOPLE:
            start = token.start
            before = [t for t in parsed.tokens if t.end == start and t.role == "noun"]
            if before and token.text in lexicon.GENERIC_PEOPLE and not find_regions(before[0].text):
                start = before[0].start
            return question[:start] + value + question[token.end :]
    return before_topic(value, question)


def _ask_relation(value: str, question: str) -> str | None:
    """年假有几天？ + 申请流程 → 年假的申请流程是什么？"""
    about = topic(question)
    if not about:
        return None
    tokens = parse(value).tokens
    if whose := SERVICE.search(about):
        about = about[: whose.start()].rstrip("的")
        return f"{about}的{value}是什么？" if about else f"{value}是什么？"
    if made := _swap_relation(value, question):
        return made
    if tokens and all(t.role == "act" for t in tokens):  # 补办呢？
        asked = [t for t in parse(question).tokens if t.role == "act"]
        if asked:
            return question[: asked[-1].start] + value + question[asked[-1].end :]
        return f"{about}怎么{value}？"
    return f"{about}的{value}是{'多少' if COUNTED.search(value) else '什么'}？"


def _swap_relation(value: str, question: str) -> str | None:
    """设计温度 for 设计压力: one relational noun for another behind the same word."""
    words = parse(value).tokens
    if len(words) != 1 or words[0].role != "rel" or len(value) < 2:
        return None
    tokens = parse(question).tokens
    for index in range(1, len(tokens) - 1):
        before, token, after = tokens[index - 1 : index + 2]
        if token.role != "rel" or len(token.text) < 2 or before.tag not in ("v", "vn"):
            continue
        if before.role in ("noun", "act") and after.role in ("aux", "ask"):
            if len(value) != len(token.text):
                return None
            return question[: token.start] + value + question[token.end :]
    return None


def _put_organisation(value: str, question: str) -> str:
    """A branch in place of another, else in front: 北京分公司年假有几天？"""
    tail = _ORGANISATION.search(value)
    for token in parse(question).tokens if tail else ():
        if tail and token.text.endswith(tail.group()) and len(token.text) > len(tail.group()):
            return question[: token.start] + value + question[token.end :]
    return before_narrowing(value, question)


def _put_thing(value: str, question: str) -> str | None:
    parsed = parse(question)
    head = topic_phrase(parsed)
    if head is None:
        return None
    if find_regions(value):
        narrowing = [p for p in parsed.phrases if p.kind == "place" and p.end <= head.start]
        start = narrowing[0].start if narrowing else head.start
        inner = find_regions(head.text)
        if not narrowing and inner:
            start = head.start + inner[0].start
        return question[:start] + value + question[head.end :]
    start, end = _matching_span(value, parsed.text, parsed.phrases, head)
    return question[:start] + value + question[end:]


def _matching_span(
    value: str, text: str, phrases: Sequence[Phrase], head: Phrase
) -> tuple[int, int]:
    """The part of the question with the same head as `value`; else the topic's core."""
    if QUOTED_TITLE.fullmatch(head.text):
        return head.start, head.end
    for phrase in (head, *(p for p in phrases if p.kind == "topic" and p is not head)):
        span = _same_head(value, text, phrase)
        if span:
            return span
    if span := _around_verb(value, text, head):
        return span
    start = _behind_verb(value, text, head)
    inner = [(m.start, m.end) for m in find_regions(head.text)]
    inner += [(m.start, m.end) for m in find_times(head.text, date.today())]
    for _, inner_end in sorted(inner):  # what narrows the topic stays
        start = head.start + inner_end
        if text.startswith("的", start):
            start += 1
    if start >= head.end:
        start = head.start
    if (first := tagged(value)[0])[1][0] == "v" and len(first[0]) == 1 < len(value):
        ends = [t for t in parse(text).tokens if t.end == start and t.tag[0] == "v"]
        start = ends[0].start if ends and len(ends[0].text) == 1 else start  # 转专业 for 退学费
    last_of = text.rfind("的", start, head.end)
    if last_of >= 0 and is_person(text[start:last_of]):
        start = last_of + 1
    inside = [t for t in parse(text).tokens if start < t.start and t.end == head.end]
    happened = inside and inside[0].text in lexicon.EVENTS and text[head.end :].startswith("了")
    return start, inside[0].start if happened else head.end


def _around_verb(value: str, text: str, head: Phrase) -> tuple[int, int] | None:
    """What is on the side of a verb of one letter that `value` is more like: 德邦寄电视机.

    Words that the dictionary doesn't know are like each other; the others are what is dealt with.
    """
    tokens = [t for t in parse(text).tokens if head.start <= t.start and t.end <= head.end]
    for index in range(1, len(tokens) - 1):
        if tokens[index].tag == "v" and len(tokens[index].text) == 1:
            before, behind = tokens[:index], tokens[index + 1 :]
            unknown = all(len(t.text) == 1 for t in before)
            side = before if unknown and is_unknown_name(value) else behind
            return side[0].start, side[-1].end
    return None


def _behind_verb(value: str, text: str, head: Phrase) -> int:
    """Where the topic begins behind a verb of one letter that stays (吃西瓜: 葡萄)."""
    first, second = ([t for t in parse(text).tokens if t.start >= head.start] + [None, None])[:2]
    if first is None or second is None or second.end > head.end:
        return head.start
    if first.tag != "v" or len(first.text) > 1 or tagged(value)[0][1][0] == "v":
        return head.start
    return first.end


def _same_head(value: str, text: str, phrase: Phrase) -> tuple[int, int] | None:
    tokens = [t for t in parse(text).tokens if phrase.start <= t.start and t.end <= phrase.end]
    for index in range(len(tokens) - 1, -1, -1):
        word = tokens[index].text
        if tokens[index].role != "noun" or word[-1] != value[-1] or word in lexicon.RELATIONS:
            continue
        start = tokens[index].start
        while (
            index > 0
            and tokens[index - 1].role == "noun"
            and len(word) < len(value)
            and not find_regions(tokens[index - 1].text)
            and not is_person(tokens[index - 1].text)
            and tokens[index - 1].text not in lexicon.GENERIC_PEOPLE
        ):
            index -= 1
            start = tokens[index].start
            word = text[start : tokens[index].end] + word
        end = start + len(word)
        return start, end
    return None
