"""The last question in a case that is told: "要是还难产", "我刚转正 能休吗", "客户要20台"."""

from __future__ import annotations

import re
from datetime import date

from rag.types import KnowledgeProfile
from rag.understand.carry import carry, leaves_topic_out
from rag.understand.dialogue import Dialogue, Exchange
from rag.understand.frames import is_attribute
from rag.understand.phrases import asks, parse
from rag.understand.regions import find_regions
from rag.understand.runs import GRANTED
from rag.understand.shifts import other_count
from rag.understand.siblings import has_sibling
from rag.understand.substitute import kind_of
from rag.understand.swap_places import put_region
from rag.understand.times import find_times

_IF = re.compile(
    r"(?:那|那么|还有)?(?P<if>要是|如果|万一|假如|假设|若是)(?P<case>[^，,。？?！!]{2,20}?)(?:的话)?(?:呢|呐)?[\s？?。！!]*"
)
_OTHER_KIND = ("region", "time", "code", "clause", "measure", "person")
"""Kinds of which another value is asked, rather than a case told."""


def supposed_case(message: str, dialogue: Dialogue) -> str | None:
    """要是还难产，双胞胎产假几天 for a bare condition; None for other values and questions."""
    match, previous = _IF.fullmatch(message), dialogue.previous
    if match is None or previous is None or dialogue.moved or not asks(previous.question):
        return None
    if "就" in match["case"]:
        return None  # 要是能自取就好了: a whole sentence
    case = re.sub("^(?:是|换成|换|在|改[去到成为在]|改|去|到)(?=.{2})", "", match["case"])
    if (
        asks(case)
        or not case
        or kind_of(case) in _OTHER_KIND
        or has_sibling(case, previous.question)
    ):
        return None
    said = f"{match['if']}{match['case']}"
    if _HOW_TO.search(previous.question) and previous.topic:
        return f"{previous.topic}{said}怎么办"  # what is asked is no longer how it is done
    return f"{said}，{previous.question}"


_HOW_TO = re.compile(r"怎么|如何|咋|怎样|哪(?!天|年)|什么流程")
_TOLD_FIRST = re.compile(
    r"(?P<said>(?:我|本人|我们|咱们?|孩子|家里|老公|老婆|对象|朋友|同事)[^，,。？?！!\s]{1,14})[，,\s]+(?P<rest>[^，,\s].+)"
)
_CONDITION = re.compile(
    r"(?:那|还|也)*(?:有(?:没有)?影响|能(?!源)|可以|符合|够|行|算不?算?|受影响|有资格|来得及)"
)
_LOOKED_BACK = 6
"""Questions in which what is granted is looked for (chosen by us)."""


def told_first(question: str, dialogue: Dialogue, profile: KnowledgeProfile | None) -> str | None:
    """我刚转正，年假能休吗: the topic stands in the clause that asks, behind the user's case."""
    match = _TOLD_FIRST.fullmatch(question)
    if match is None or dialogue.moved or asks(match["said"]) or not dialogue.exchanges:
        return None
    if _names_another(match["said"]):
        return None
    rest = match["rest"]
    if not _CONDITION.match(rest):
        return None
    inner = _of_what_is_granted(dialogue, profile)
    if not leaves_topic_out(rest, inner, profile):
        return None
    made = carry(rest, inner, profile)
    return f"{match['said']}，{made}" if made else None


def _names_another(said: str) -> bool:
    """Whether what is told first brings a thing or a wish of its own (忘带工牌了, 想请半天)."""
    parsed = parse(said)
    if re.search("想|要|打算|准备", said):
        return True
    for phrase in parsed.phrases:
        inside = [t for t in parsed.tokens if phrase.start <= t.start and t.end <= phrase.end]
        nouns = [t.text for t in inside if t.tag[0] == "n" and len(t.text) > 1]
        if phrase.kind == "topic" and any(not is_attribute(noun) for noun in nouns):
            return True
    return False


def _of_what_is_granted(dialogue: Dialogue, profile: KnowledgeProfile | None) -> Dialogue:
    """The dialogue with the benefit whose conditions the last questions were about: 租房补贴.

    Age and the like decide whether one gets it, not what was asked of its conditions (社保).
    """
    previous = dialogue.exchanges[-1]
    if GRANTED.search(previous.topic):
        return dialogue
    for exchange in reversed(dialogue.exchanges[-_LOOKED_BACK:-1]):
        if not GRANTED.search(exchange.topic):
            continue
        about = exchange.topic
        if regions := find_regions(previous.question):
            about = put_region(regions[-1].text, about, profile)
        return Dialogue([Exchange(f"{about}有什么条件", about, about, subject=about)])
    return dialogue


_WANTED = re.compile(
    r"(?:那|客户|对方|他们?|我们?|公司|学校|这边)?(?:说|后来|又|现在)*(?:想|打算|准备|可能)?(?:要|买|订|定|采购)*"
    r"(?P<count>\d+|[一二两三四五六七八九十百]+)(?P<unit>台|套|个|件|块|箱|瓶|盒|本|份|张|把|辆|只)(?:呢|的呢|的话)?[。.！!？?\s]*"
)
_PRICE = re.compile(r"多少钱|价格?|报价|折扣|优惠|打折|费用")
_WHEN_DONE = re.compile(
    r"(?:我|我们|是|在)*(?P<when>[\u4e00-\u9fff\d]{2,9}?)(?P<deed>买|入职|转正|签|生|毕业|参保|激活|交|提交|申请|办|领|租|装|到货|出厂|离职|结婚)的[。.！!\s]*"
)


def case_told(message: str, dialogue: Dialogue) -> str | None:
    """The last question for the number or the day that a statement tells; None for others."""
    previous = dialogue.previous
    if previous is None or dialogue.moved:
        return None
    match = _WANTED.fullmatch(message)
    if match and _PRICE.search(previous.question):
        wanted = match["count"] + match["unit"]
        return (
            None if other_count(wanted, previous.question) else f"买{wanted}，{previous.question}"
        )
    match = None if asks(message) else _WHEN_DONE.fullmatch(message)
    if match is None or not find_times(match["when"], date.today()):
        return None
    if not parse(previous.question).phrases or find_times(previous.question, date.today()):
        return None
    return f"{match['when']}{match['deed']}的，{previous.question}"
