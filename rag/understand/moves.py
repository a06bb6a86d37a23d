"""Moves in a conversation that name no topic: asking again, the year before or after."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from rag.text.numerals import parse_numeral
from rag.types import KnowledgeProfile
from rag.understand.carry import known_topic
from rag.understand.dialogue import Dialogue, listed
from rag.understand.intent import is_small_talk
from rag.understand.phrases import parse, topic, topic_phrase
from rag.understand.regions import region_paths, without_regions
from rag.understand.siblings import with_sibling_replaced
from rag.understand.slots import CODE
from rag.understand.times import find_times

_SURE = re.compile(
    r"(?:那)?(?:你|您|这|这个|这样|以上)?(?:的)?(?:回答|答案|说法|说的|数据|信息)?(?:真的)?(?:是|能|可以)?"
    r"(?:很|百分百|百分之百)?(?:确定|确认|肯定|真的|对的?|准确|正确|没错|没(?:有)?搞错|没(?:有)?弄错|没记错|可靠|靠谱)(?:吗|么|吧|不|嘛)"
    r"|(?:是)?真的假的|(?:再)?(?:帮我)?(?:再)?(?:确认|核实|核对|检查|查证)(?:一下|一遍|下)?(?:吧|好吗|这个|这一点)?"
    r"|(?:你|您)(?:不会|没|没有)(?:搞|弄|记|看)错(?:了)?(?:吧|吗)?|不会(?:搞|弄|记)?错(?:了)?吧"
)
_OTHER_YEAR = re.compile(
    r"(?P<before>(?:再)?(?:前|上)一(?:个)?年度?|上年度?|(?:前|上)一(?:版|期|个版本)|(?:去年|上年|前一年|上一年)(?:的)?那(?:一)?(?:版|份|期|个版本))"
    r"|(?P<after>(?:后|下)一(?:个)?年度?|次年度?|(?:后|下)一(?:版|期|个版本))"
)
_BARE_ASK = re.compile(
    r"(?:的)?(?:话)?(?:又)?(?:是|有|能|要|为)?(?:呢|多少(?:钱|元)?|几[个天元]?|什么|怎么样|怎样|如何|怎么规定)*(?:呢|呀|啊)?"
)

_MORE = re.compile(
    r"^(?:为什么(?:呢|啊|会这样)?|还有(?:呢|吗|别的吗|其他的?吗|哪些|什么)?|其他的?呢|别的呢|(?:除此之外"
    r"|此外)(?:还有(?:什么|哪些|吗|呢)?)?|(?:能|可以)?(?:再)?(?:说|讲|介绍)?(?:得|的)?(?:详细"
    r"|具体|清楚|仔细)(?:一?点|一?些|说说|讲讲|说明|介绍)?(?:吗|说明|介绍)?|(?:请)?(?:展开"
    r"|继续)(?:说说|讲讲|说|讲|吧|介绍)?|再详细(?:一?点|说说)|(?:请)?举(?:一?个|些)例(?:子)?(?:说明)?(?:吗)?"
    r"|然后呢|接下来呢|之后呢|下一步呢)[\s？?。！!]*$"
)
RETURN = re.compile(
    r"^(?:(?:我们?)?(?:再)?(?:回到|说回|回过头来?说|回头说|接着(?:刚才|之前|前面)?的?|继续(?:刚才"
    r"|之前|前面)?(?:说|聊|问)?的?|再(?:说|问|看|讲|聊)(?:说|问|看|一下|回)?|还是(?:说|问"
    r"|聊|看)(?:回)?)"
    r"|(?:刚才|刚刚|之前|前面|上面|最开始|一开始)(?:我|我们|你)?(?:说|问|提|聊|讲)(?:到|起|过)?(?:的)?(?:那个|这个)?|关于|至于|对于|针对)"
    r"(?:刚才|之前|前面|最开始|上面)?(?:说|问|提|聊)?(?:到)?的?(?:那个|这个)?(?P<topic>[^，,：:？?]{2,30}?)(?:的?(?:问题"
    r"|话题|事情?|那个问题|政策问题)|方面|来说|来讲|这块|的话)?[，,：:\s]+(?P<rest>.+)$"
)
IF_TOPIC = re.compile(r"^(?P<topic>[^，,？?]{2,20})的话[，,\s]*(?P<rest>[^呢？?].+)$")
_CONNECTIVE = re.compile(r"^(?:那么?|然后|还有|而|但是?|和)+[,，\s]*")
_LOOKED_BACK = 4
"""Questions in which the year under discussion is looked for (chosen by us)."""


@dataclass(frozen=True, slots=True)
class NeighbourYear:
    """The year that words like 前一年 mean.

    `bare` tells that nothing else is asked, so that `source`, the question under discussion,
    is asked for `year`; otherwise `typed` is the message with the year in place of `words`.
    """

    year: str
    words: str
    source: str
    typed: str
    bare: bool


_HOW_MUCH = re.compile(r"多少|几[\u4e00-\u9fff]")
_BARE_AMOUNT = re.compile(
    r"(?P<name>[\u4e00-\u9fffA-Za-z0-9]{2,10}?)(?:的)?(?:是|要|有)?(?:多少(?:钱|元|天)?|几[天元块次年])[\s？?]*"
)


POINTED_CODE = re.compile(rf"(?:那|这)?(?:个|款|种)?(?P<code>{CODE.pattern})")
"""A code at the beginning, with or without a pointing word."""


def named_before(words: str, dialogue: Dialogue) -> str:
    """The words with which an earlier question begins, up to and with `words`; "" for none."""
    for exchange in reversed(dialogue.exchanges):
        at = exchange.question.find(words)
        if at >= 0:
            return exchange.question[: at + len(words)]
    return ""


_POINTED_BACK = re.compile(
    r"^(?:那)?(?:刚才|刚刚|之前|前面|上面|先前|最开始|一开始)(?:我|我们|你)?(?:说|问|提|聊|讲)?(?:到|起|过)?(?:的)?(?:那个|这个|那|的)"
)


def pointed_back(question: str, dialogue: Dialogue) -> tuple[str | None, str]:
    """The question without the words that point back ("刚才那个外部联系人有上限吗"), and its topic.

    (None, "") when it doesn't begin with such words and a name said before.
    """
    match = _POINTED_BACK.match(question)
    rest = question[match.end() :] if match else ""
    named = topic(rest) if rest else ""
    if not named or not rest.startswith(named):
        return None, ""
    about = next((t for t in dialogue.topics() if is_meant(named, t)), "")
    if about:
        return about + rest[len(named) :], about
    return (rest, named) if named_before(named, dialogue) else (None, "")


def short_for_sibling(question: str, before: str, profile: KnowledgeProfile | None) -> str | None:
    """The last question asked of a sibling or a part that is named alone: "附属卡多少"."""
    match = _BARE_AMOUNT.fullmatch(question)
    if match is None or not _HOW_MUCH.search(before) or known_topic(match["name"], profile):
        return None
    return with_sibling_replaced(match["name"], before)


_FAILED = re.compile(
    r"(?:我)?(?:都|已经|刚)?(?:试|弄|做|按|查|检查|重启|重装|换|改|设置|操作|看|找)?(?:过|了|完)*[，,\s]*(?:但是?|可|可是|结果)?"
    r"(?:还是|仍然|依然|一直|总是|老是|都|也|又|现在)*(?:不行|不好使|没用|没有用|没反应|没效果|不管用|连不上|打不开|登不上|登录不了"
    r"|上不去|进不去|失败了?|报错了?|用不了|找不到|没找到|没收到|收不到|不显示|没变化|不成功|没成功|一样|老样子|弄不了|没解决|解决不了)"
    r"(?:啊|呀|了|的|诶)*[。.！!\s]*"
)


def reports_failure(message: str) -> bool:
    """Whether the message only tells that what we advised did not help ("试了还是不行")."""
    return bool(_FAILED.fullmatch(message))


def tells_of_another(message: str, dialogue: Dialogue) -> bool:
    """Whether a statement names a thing that was not talked about, so that it may be meant next."""
    named = topic_phrase(parse(message))
    if (
        named is None
        or is_small_talk(message)
        or reports_failure(message)
        or re.match(r"我(?:们)?(?:是|在|有|属于)", message)
    ):
        return False
    return not any(named.text in t or t in named.text for t in dialogue.topics())


def asks_to_verify(question: str) -> bool:
    """Whether the whole message asks if the last answer is right."""
    return bool(_SURE.fullmatch(question.strip("？?！!。.，, ")))


def neighbour_year(question: str, dialogue: Dialogue) -> NeighbourYear | None:
    """The year before or after the one that the last questions were about, if that is meant."""
    match = _OTHER_YEAR.search(question)
    if match is None or find_times(_OTHER_YEAR.sub("", question), date.today()):
        return None
    for exchange in reversed(dialogue.exchanges[-_LOOKED_BACK:]):
        years = _whole_years(exchange.question)
        if len(years) > 1:
            return None
        if years:
            break
    else:
        return None
    steps = 2 if match.group().startswith("再") else 1
    year = f"{years.pop() + (steps if match['after'] else -steps)}年"
    before = _CONNECTIVE.sub("", question[: match.start()])
    rest = question[match.end() :].strip("？?。！! ")
    link = "" if rest.startswith("的") or not rest else "的"
    bare = not before.strip("它这那个的，, ") and bool(_BARE_ASK.fullmatch(rest))
    return NeighbourYear(
        year, match.group(), exchange.question, f"{before}{year}{link}{rest}", bare
    )


def _whole_years(text: str) -> set[int]:
    """The years inside which the times of `text` lie."""
    return {
        found.range.start.year
        for found in find_times(text, date.today())
        if found.range.start and found.range.end and found.range.start.year == found.range.end.year
    }


def asking_for_more(question: str, before: str) -> str | None:
    """The question that "为什么", "详细点" or "还有呢" asks after `before`; None otherwise."""
    if not _MORE.match(question):
        return None
    asked = before.rstrip("？?。！! ")
    if question.startswith("为什么"):
        return f"{asked}，为什么？"
    if re.match(r"还有|其他|别的|除此|此外", question):
        return f"除此之外，{asked}？"
    if re.match(r"然后|接下来|之后|下一步", question):
        return f"{asked}，接下来呢？"
    return f"请举例说明：{asked}？" if "例" in question else f"请详细说明：{asked}？"


def is_meant(named: str, about: str) -> bool:
    """Whether a short name ("上海的补贴") means this topic ("上海人才租房补贴")."""
    if named in about:
        return True
    regions, others = region_paths(named), region_paths(about)
    core = without_regions(named).strip("的 ")
    return bool(core) and about.endswith(core) and (not regions or set(regions) <= set(others))


def listed_item(value: str, dialogue: Dialogue) -> str:
    """The item of our last answer's list that 第二个 means."""
    match = re.fullmatch(r"第(?P<n>[一二三四五六七八九]|\d{1,2})[个种项款点条]", value)
    items = listed(dialogue.exchanges[-1].reply)
    if match is None or not items:
        return ""
    number = parse_numeral(match["n"]) or int(match["n"])
    return items[number - 1] if number <= len(items) else ""
