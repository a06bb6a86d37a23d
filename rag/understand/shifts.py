"""Short messages that change one thing of the last question: a measure, a day, a condition.

"12年呢" after 工作6年, "那12号呢" after an answer that lists 10月12日, "离职的时候呢",
"我还在试用期", "防水等级呢" after a product.
"""

from __future__ import annotations

import re
from datetime import date

from rag.understand import lexicon
from rag.understand.dialogue import Dialogue
from rag.understand.phrases import asks, is_name, parse, topic
from rag.understand.siblings import with_sibling_replaced
from rag.understand.slots import codes
from rag.understand.times import find_times
from rag.understand.words import frequency

_NUMBER = r"(?:\d+(?:\.\d+)?|[一二两三四五六七八九十百千半]+)"
_UNITS = (
    r"(?:个?人|个?年头?|个月|个?小时|个?工作日|个?星期|个?学期|天|晚上?|周|岁|元|块钱?|万元?|千元|平米?|平方米?"
    r"|公里|公斤|斤|级|倍|次|条|台|套|位|间|页|份|科|门|分|%|％)"
)
_COUNT = re.compile(
    rf"(?P<more>满|超过|不满|不到|第)?(?P<number>{_NUMBER})(?P<unit>{_UNITS})(?P<of>的)?"
)
_LASTING = frozenset(["年", "年头", "月", "小时", "工作日", "星期", "学期", "天", "周"])
"""Units of time that one asks with alike: 半年 for 3个月."""
_DAY = re.compile(r"(?P<day>3[01]|[12]\d|0?[1-9])[号日]")
_WHEN = re.compile(r"(?P<when>[\u4e00-\u9fffA-Za-z0-9]{1,12}(?:的时候|的那天|的当天|那天|当天))")
_MINE = re.compile(
    r"(?:但是?|可是?|不过|那|因为)?我(?:们)?(?:现在|目前|已经|今年|去年|刚刚|都|也|还|才|刚|只)*"
    r"(?:是在|是|在|属于|(?:升|晋升|晋级|评|转|调|换)(?:到|上|为|成|了)?|(?:住|买|用|租|办|签|交|选|报|开|考|读|坐|订)的(?:是)?)(?P<case>[^，,。？?！!]{2,10}?)(?:的|了|呢|啊|哦)*[。.！!\s]*"
)


_GRADE = re.compile(r"([A-Za-z]{1,4})\d{1,2}")


def other_count(value: str, question: str) -> str | None:
    """`question` with another number of the same unit: 12年 in 工作6年; None without one."""
    match = _COUNT.fullmatch(value)
    if match is None:
        return None
    unit = match["unit"].removeprefix("个")
    for old in _COUNT.finditer(question):
        same = old["unit"].removeprefix("个") == unit
        lasts = unit in _LASTING and old["unit"].removeprefix("个") in _LASTING
        if not (same or lasts) or old["number"] == "半" or _is_date(question, old):
            continue
        tail = "的" if match["of"] and old["of"] else (old["of"] or "")
        kept = (old["more"] or "") if not match["more"] else match["more"]
        new = kept + match["number"] + (old["unit"] if same else match["unit"]) + tail
        return question[: old.start()] + new + question[old.end() :]
    return None


def _is_date(question: str, match: re.Match[str]) -> bool:
    """2024年, or what is asked for each (一晚多少)."""
    if match["unit"] == "年" and re.fullmatch(r"(?:19|20)\d{2}", match["number"]):
        return True
    asked_for_each = match["number"] == "一" and bool(
        re.match(r"(?:要|是|能|给|补|收|有|报)*(?:多少|几)|[？?]?$", question[match.end() :])
    )
    return asked_for_each or question[: match.start()].endswith(("每", "第"))


def day_meant(value: str, dialogue: Dialogue) -> str:
    """10月12日 for a bare 12号: as the last answer has it; "" where it names no such day."""
    match, previous = _DAY.fullmatch(value), dialogue.previous
    if match is None or previous is None:
        return ""
    months = re.findall(rf"(1[0-2]|0?[1-9])月0?{int(match['day'])}[日号]", previous.reply)
    return f"{months[0]}月{value}" if len(set(months)) == 1 else ""


_STATE = re.compile(rf"(?P<what>[\u4e00-\u9fff]{{2,4}}?)(?:{_NUMBER})(?:分钟|{_UNITS})")
_FAILS = re.compile(r"[\u4e00-\u9fff]{1,2}不[好了上开成到动掉住完出下]")


def measured(value: str, question: str) -> str | None:
    """`question` with what it names measured: 迟到30分钟 for 迟到; None where it names no such."""
    match = _STATE.fullmatch(value)
    if match is None or match["what"] not in question or not frequency(match["what"]):
        return None
    return question.replace(match["what"], value, 1)


def failing(value: str, dialogue: Dialogue) -> str | None:
    """What to do where the thing under discussion fails ("修不好呢"); None for other words."""
    about = dialogue.previous.topic if dialogue.previous else ""
    return f"{about}{value}怎么办" if about and _FAILS.fullmatch(value) else None


def in_that_case(value: str, question: str) -> str | None:
    """`question` when something else is the case: 离职的时候，年假没休完能换钱吗."""
    match = _WHEN.fullmatch(value)
    if match is None:
        return None
    ending = next(e for e in ("的时候", "的那天", "的当天", "那天", "当天") if value.endswith(e))
    if old := re.match(rf"[\u4e00-\u9fffA-Za-z0-9]{{1,12}}{ending}[，,]?", question):
        return value + ("，" if old.group()[-1] in "，," else "") + question[old.end() :]
    return f"{value}，{question}"


def own_case(message: str, dialogue: Dialogue) -> str | None:
    """The last question for someone of whom `message` tells ("我还在试用期"); else None.

    Only behind an answer: what someone tells first is no case of a question.
    """
    previous = dialogue.previous
    match = _MINE.fullmatch(message)
    if previous is None or match is None or not previous.reply or asks(message):
        return None
    told = match["case"] in previous.reply
    if dialogue.last is None or not (told or dialogue.last.status in ("answered", "hedged")):
        return None
    case = match["case"]
    if case in previous.question or not is_name(case):
        return None
    said = message.strip("。.！! ")
    if (grade := _GRADE.fullmatch(case)) and (
        old := re.search(rf"(?<![A-Za-z0-9]){grade[1]}\d+(?![A-Za-z0-9-])", previous.question)
    ):
        return previous.question[: old.start()] + case + previous.question[old.end() :]
    return with_sibling_replaced(case, previous.question) or f"{said}，{previous.question}"


_SHARE = re.compile(
    r"(?P<value>[\u4e00-\u9fffA-Za-z0-9-]{2,12}?)(?:呢)?[，,]?占(?:了|的)?(?:比)?(?:多少|几成|百分之几|多大比例|是?多少)[？?]*"
)
_HOW_MANY = re.compile(r"多少|几(?=[个台套件份单人次本])")


def share_of(question: str, before: str) -> str | None:
    """The amount that the last question asked for, of one part: 今年ZW-100S卖了多少台."""
    match = _SHARE.fullmatch(question)
    if match is None or not _HOW_MANY.search(before) or match["value"] in before:
        return None
    value = match["value"]
    if made := with_sibling_replaced(value, before):
        return made
    if topic(before):
        return None
    times = [p for p in parse(before).phrases if p.kind == "time"]
    ends = [t.end for t in find_times(before, date.today())] + [p.end for p in times]
    at = max(ends, default=parse(before).lead)
    return before[:at] + value + before[at:]


_RATE = re.compile(r"[\u4e00-\u9fff]{1,4}(?:率|额|量|价)")
_DEEDS = re.compile(r"(?:[\u4e00-\u9fff]了|出[货售口]|销售|签约?)(?:多少|几)[台单件份套人次个]")


def rate_of_last(value: str, dialogue: Dialogue) -> str | None:
    """Another figure of the time of which deeds were counted: 今年三季度退货率是多少."""
    previous = dialogue.previous
    if previous is None or not _RATE.fullmatch(value) or not _DEEDS.search(previous.question):
        return None
    times = [p.text for p in parse(previous.question).phrases if p.kind == "time"]
    when = next((t.text for t in find_times(previous.question, date.today())), "".join(times))
    named = "" if _SHARE.fullmatch(previous.typed) else next(iter(codes(previous.question)), "")
    return f"{when}{named}{'的' if named else ''}{value}是多少"


_ATTRIBUTE = re.compile(r"[\u4e00-\u9fffA-Za-z]{3,8}")
_TROUBLE = re.compile(
    r"(?<=[\u4e00-\u9fffA-Za-z0-9])(?:漏水|漏电|异响|冒烟|发热|发烫|卡顿|卡纸|死机|黑屏|闪退|掉线|报警|报错|故障)$"
)
"""What went wrong with a thing is no part of its name."""
_RELATED = tuple(sorted((w for w in lexicon.RELATIONS - lexicon.CLASSES if len(w) > 1), key=len))


def attribute_of_last(value: str, dialogue: Dialogue) -> str | None:
    """What is asked of the thing under discussion (ZW-100S的防水等级是什么); else None."""
    previous = dialogue.previous
    tokens = parse(value).tokens
    if previous is None or not _ATTRIBUTE.fullmatch(value) or not 1 <= len(tokens) <= 2:
        return None
    last = next((w for w in reversed(_RELATED) if value.endswith(w)), "")
    first = value[: -len(last)] if last else ""
    if not last or not (tokens[-1].text in (last, value) or (first[1:] and frequency(first))):
        return None
    about = _TROUBLE.sub("", previous.topic or topic(previous.question))
    if (named := codes(previous.question)) and not codes(about):
        about = named[-1]
    if not about or last in previous.question or value in about or first in about:
        return None
    return f"{about}的{value}是{'多少' if last in _COUNTED else '什么'}？"


_COUNTED = lexicon.words_of(
    "重量 价格 单价 费用 金额 功率 电压 容量 转速 电流 尺寸 压力 温度 速度 频率 时长 数量 次数 人数"
)
