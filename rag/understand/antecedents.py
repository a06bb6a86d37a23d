"""What in the conversation a pointing word or pronoun can stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rag.understand import lexicon
from rag.understand.dialogue import Dialogue
from rag.understand.names import find_names, officers
from rag.understand.phrases import is_person, parse
from rag.understand.regions import find_regions
from rag.understand.slots import QUOTED_TITLE, codes
from rag.understand.words import boundaries

_HOUSES = lexicon.words_of("部门 机构 单位 公司 人 平台 系统 网站 软件 应用 窗口 中心")


@dataclass(slots=True)
class Referred:
    """A question with its references replaced; `unresolved` are those that weren't."""

    text: str
    changed: bool = False
    unresolved: list[str] = field(default_factory=list)
    about: str = ""


def antecedent(
    result: Referred, match: re.Match[str], noun: str, topics: list[str], dialogue: Dialogue
) -> tuple[str | None, int]:
    """What the pointing words at `match` stand for, and where they end in the text."""
    end = match.end() + len(noun)
    before = result.text[: match.start()]
    if noun and _ends_with(before, noun):
        return None, end  # "公司出了新政策，这个政策…" explains itself
    if named := _of_sort(noun, dialogue):
        return named, end
    if noun == "人":
        if person := _person_meant(dialogue):
            return person, end
        result.unresolved.append(result.text[match.start() : end])
        return None, end
    if noun and noun not in lexicon.RELATIONS - lexicon.CLASSES:
        for topic in topics:
            if _is_a(topic, noun):
                return topic, end
            if owner := re.match(rf".+?{re.escape(noun)}(?=的)", topic):
                return owner.group(), end
        for exchange in reversed(dialogue.exchanges):
            if noun in lexicon.CLASSES and (found := _named_in(exchange.question, noun)):
                return found, end
        if named := _named_in_replies(dialogue, noun):
            return named, end
    if not topics:
        if (not noun or noun in lexicon.CLASSES) and not own_noun(before):
            result.unresolved.append(result.text[match.start() : end])
        return None, end
    if not noun or (noun in lexicon.CLASSES and not _other_class(noun, topics[0])):
        result.about = topics[0]
        said = dialogue.previous.question if dialogue.previous else ""
        return topics[0] + (noun if noun and topics[0] + noun in said else ""), end
    if noun in lexicon.RELATIONS:
        return topics[0] + "的", match.end()
    reply = dialogue.previous.reply if dialogue.previous else ""
    if len(noun) > 1 and (longer := _longer_word(noun, dialogue)):
        return longer, end
    if len(noun) > 1 and noun in reply and noun not in topics[0]:
        return topics[0] + noun, end  # 这个客户端, which our answer brought in
    if len(noun) == 2 and topics[0].endswith(noun[-1]) and not find_regions(noun):
        return topics[0], end  # 该机床 for a 车床
    return None, end


def _person_meant(dialogue: Dialogue) -> str:
    """Whom 这个人 means: the person of the last answer or question, else its department."""
    for exchange in reversed(dialogue.exchanges[-2:]):
        for text in (exchange.reply, exchange.question):
            if person := last_person(text):
                return person
        if house := _named_in_replies(dialogue, "部门"):
            return house
        if exchange.topic.endswith(TRADES):
            return exchange.topic
    return ""


def _longer_word(noun: str, dialogue: Dialogue) -> str:
    """A word asked about before that ends with `noun`: 请假条 for 这种假条."""
    for exchange in reversed(dialogue.exchanges):
        at = exchange.question.find(noun)
        edges = boundaries(exchange.question)
        if at > 0 and at not in edges:
            start = max(edge for edge in edges if edge < at)
            return exchange.question[start : at + len(noun)]
    return ""


def _of_sort(noun: str, dialogue: Dialogue) -> str:
    """The latest thing said of a sort that its name shows: 那个钱 for 押金."""
    endings = _SORTS.get(noun)
    if endings is None:
        return ""
    for exchange in reversed(dialogue.exchanges):
        for text in (exchange.question, exchange.reply[:200]):
            words = [t.text for t in parse(text).tokens if t.role in ("noun", "rel")]
            named = [w for w in words if len(w) > 1 and w != noun and w.endswith(endings)]
            if named:
                return _up_to(exchange.topic, named[0]) or named[0]
    return ""


def _up_to(topic: str, word: str) -> str:
    """The topic up to `word`: XJ-200数控车床 of XJ-200数控车床主轴; "" where it isn't in it."""
    at = topic.find(word)
    return topic[: at + len(word)] if at >= 0 else ""


_MONEY = ("金", "费", "款", "补贴", "津贴", "工资", "税", "薪", "利息", "钱")

_SORTS = {
    **dict.fromkeys(("钱", "费用", "款项", "款"), _MONEY),
    **dict.fromkeys(("证", "证件", "证书"), ("证", "照", "证书", "证明")),
    **dict.fromkeys(
        ("机器", "设备", "机床", "仪器", "装置"),
        ("机", "床", "器", "泵", "炉", "仪", "设备", "装置", "生产线", "电梯", "锅炉"),
    ),
}
"""Endings of the names of things that a noun behind 这 or 那 can stand for."""


def _other_class(noun: str, topic: str) -> bool:
    """这家公司 cannot stand for a holiday: people, places and firms need one of their own.

    Nor can a rule stand for a model (这政策 after ZW-100).
    """
    if noun in ("政策", "规定", "制度", "办法", "条例", "通知", "文件", "活动", "合同"):
        return any(code == topic for code in codes(topic))
    return noun in (
        "公司",
        "企业",
        "单位",
        "机构",
        "部门",
        "人",
        "学校",
        "城市",
        "地区",
    ) and not is_person(topic)


_ROLES = (
    *(
        "负责人",
        "主管",
        "经理",
        "专员",
        "房东",
        "租客",
        "房客",
        "业主",
        "老板",
        "同事",
        "老师",
        "医生",
    ),
    *(
        "律师",
        "法官",
        "原告",
        "被告",
        "债务人",
        "债权人",
        "担保人",
        "继承人",
        "监护人",
        "卖家",
        "买家",
        "商家",
    ),
    *(
        "中介",
        "司机",
        "快递员",
        "客服",
        "校长",
        "院长",
        "辅导员",
        "班主任",
        "导师",
        "作者",
        "导演",
        "演员",
    ),
    *(
        "丈夫",
        "妻子",
        "老公",
        "老婆",
        "父亲",
        "母亲",
        "爸爸",
        "妈妈",
        "儿子",
        "女儿",
        "孩子",
        "邻居",
        "对方",
    ),
)
"""Endings of words for people whom 他 or 她 can stand for."""

TRADES = ("员", "师", "生", "手", "工人", "专家")
"""Endings of words for people by what they do."""


def last_house(text: str) -> str:
    """The firm or office that a short text names last (物业, 开户行), for 他们."""
    names = [p.text for p in parse(text[:60]).phrases if p.text.endswith(_HOUSE_ENDS)]
    return names[-1] if names else ""


_HOUSE_ENDS = (
    *("物业", "公司", "部", "局", "中心", "所", "行", "医院", "学校"),
    *("厂家", "厂商", "客服", "法院", "银行", "平台", "机构"),
)


def last_person(text: str) -> str:
    """The person or kind of people that the beginning of `text` names last; "" for none."""
    phrases = [
        p.text for p in parse(text[:300]).phrases if p.kind == "person" or p.text.endswith(_ROLES)
    ]
    names = [text[start:end] for start, end in find_names(text[:300])]
    names += officers(text[:300])
    return (names or phrases or [""])[-1]


def _is_a(topic: str, noun: str) -> bool:
    bare = topic.strip("《》")
    return bare.endswith(noun) and len(bare) > len(noun)


def _ends_with(before: str, noun: str) -> bool:
    return bool(re.search(rf"[\u4e00-\u9fff》]{{2,}}{re.escape(noun)}》?[，,。；;、\s]", before))


def is_object(pronoun: str, before: str) -> bool:
    """Whether 它 is what someone named in its clause deals with: 我们组的人都能用它吗."""
    clause = re.split(r"[，,。；;]", before)[-1]
    tokens = parse(clause).tokens
    if not pronoun.startswith("它") or clause != before or not tokens:
        return False
    last = tokens[-1]
    return last.role == "act" or (last.tag == "v" and last.role != "aux")


_PLACED = re.compile(r"(?:上|里|中|内|时|后|前|期间|的时候)")


def own_noun(before: str) -> bool:
    """Whether the question names a thing before the pronoun, not a place (手机上) or a deed."""
    parsed = parse(before) if before.strip() else None
    if parsed is None:
        return False
    deeds = {t.start for t in parsed.tokens if t.tag in ("v", "vi")}
    ends = {t.start: t.end for t in parsed.tokens}
    return any(
        p.kind == "topic"
        and not _PLACED.match(before, p.end)
        and not (p.start in deeds and ends.get(p.start) == p.end)
        for p in parsed.phrases
    )


def _named_in(question: str, noun: str) -> str:
    for match in reversed(list(QUOTED_TITLE.finditer(question))):
        if match.group()[1:-1].endswith(noun) or noun in (
            "文件",
            "制度",
            "法规",
            "法律",
            "政策",
            "规定",
        ):
            return match.group()
    for phrase in parse(question).phrases:
        if phrase.kind == "topic" and _is_a(phrase.text, noun):
            return phrase.text
    return ""


def _named_in_replies(dialogue: Dialogue, noun: str) -> str:
    """A thing of this class that our last answer named last ("由行政服务部负责" for 部门)."""
    reply = dialogue.previous.reply if dialogue.previous else ""
    if noun not in _HOUSES:
        return ""
    endings = {
        "部门": "部|处|局|科|中心|办|(?<!平)台",
        "机构": "局|院|所|中心|委",
        "单位": "局|公司|院|所|中心",
        "人": "人|员|经理|主管",
    }
    found = re.findall(
        rf"[\u4e00-\u9fffA-Za-z]{{1,10}}(?:{endings.get(noun, noun)})(?![\u4e00-\u9fff]*[法规])",
        reply[:300],
    )
    names = [
        re.split(r"由|向|到|找|在|联系|拨打|致电|咨询|询问|是|和|与|，|给|把|请", name)[-1]
        for name in found
    ]
    names = [name for name in names if len(name) >= 3]
    return names[-1] if names else ""
