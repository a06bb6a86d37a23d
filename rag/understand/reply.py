"""Short replies to what we said: an answer to our question back, or "好的" to an offer."""

from __future__ import annotations

import re
from datetime import date

from rag.types import Clarification, KnowledgeProfile
from rag.understand.phrases import asks, parse, topic_phrase
from rag.understand.regions import find_regions
from rag.understand.several_values import with_values
from rag.understand.siblings import with_sibling_replaced
from rag.understand.substitute import kind_of, put
from rag.understand.swap_places import put_region, put_time
from rag.understand.times import find_times

_AFFIRM = re.compile(
    r"(?:好的?|好嘞|行|可以|嗯+|要的?|需要的?|是的?|对的?|没错|当然|麻烦(?:你|您)?了?|请(?:继续|说"
    r"|讲)?|继续|说吧|讲吧|来吧|ok|okay|yes|好啊|好呀|可以的|那就麻烦你|想|愿意|没问题|请便|嗯嗯)+"
    r"(?:啊|呀|的|吧|了|哦|谢谢)?(?:请|你|您|就)?(?:继续|介绍|说|讲|展开|详细说|详细讲|帮我)?(?:一下|吧|看看)?(?:谢谢(?:你|您)?)?"
    # "讲讲吧", "好的，那就给我详细说说": told to go on, with nothing named to go on about.
    r"|(?:好的?|好嘞|行|可以|嗯+|要|需要|是的?|对|当然|必须的?|ok|来)*(?:吧|啊|呀|的|了)?"
    r"(?:那|就|都|麻烦|请|你|您|给我|帮我|跟我|再|详细|具体|展开|快)*"
    r"(?:(?P<verb>说|讲|聊|介绍|列|看)(?:一)?(?P=verb)|(?:说|讲|聊|介绍|展开|列|给|发|整理|算|对比|写)(?:一?下|出来))(?:看|吧|呗|啊)*(?:谢谢(?:你|您)?)?"
)
_DECLINE = re.compile(
    r"(?:不用|不需要|不要|不必|算了|没有|不|不了|暂时不|先不)(?:了|用|谢谢|麻烦)*(?:谢谢(?:你|您)?)?"
)
_ALL = re.compile(
    r"(?:我)?(?:想|要|就)?(?:都|全部|全|所有|各|每)(?:个|地|种|年|款|部)?(?:都)?(?:想"
    r"|要)?(?:看看|看一下|看|要|行|可以|了解|说说|列出来|介绍|地区?|的|告诉我|给我|查)*(?:一下|吧"
    r"|都)?|随便|不限|任意|无所谓|所有的?|全部的?|各地的?|全都要?|都看看"
)
_UNSURE = re.compile(
    r"(?:我)?(?:不知道|不清楚|不确定|没想好|不晓得|不好说|说不好|都不是)(?:啊|呢|诶|哎)?"
)
_FRAME = re.compile(
    r"^(?:(?:好的?|嗯+|哦|对|是的?|那)[,，\s]+)?(?:(?:我|就)?(?:想要?|要|是)?(?:问"
    r"|查|了解|看|知道|选择?|指|说)(?:一下|的)?(?:是)?|就是?|是|应该是|选择?|当然是|麻烦查)?(?:一下)?"
)
_SAID = re.compile(
    r"(?:的|吧|那个|这个|呢|啊|好了|就行|即可|就好|那边|这边|地区|的规定|的政策|那款|这款|的那个|的?那[种类一个项份家位]+)*[。.！!？?\s]*$"
)
_ORDINAL = re.compile(
    r"(?:选|第)?\s*(?P<n>[一二三四五六七八1-8])\s*(?:个|项|种|款|条|号)?(?:吧|的)?"
)
_ALL_WORDS = {
    "region": "各地",
    "time": "各年度",
    "product": "各产品",
    "document_type": "各类文件",
    "organisation": "各单位",
}


def is_affirmation(text: str) -> bool:
    """Whether the whole message only agrees."""
    return bool(_AFFIRM.fullmatch(_bare(text).lower()))


_ECHO_FRAME = re.compile(
    r"那就?|就|请|帮我|给我|麻烦|你|您|一下|下|吧|呗|啊|好的?|行|可以|了|都|再|嗯+"
)


def echoes(text: str, action: str) -> bool:
    """Whether the message only repeats words of an offered action: "那对比一下吧"."""
    core = _ECHO_FRAME.sub("", _bare(text))
    if not 2 <= len(core) <= 10 or asks(re.sub("列出|介绍|说明|解释|总结|讲讲|说说", "", core)):
        return False
    return core in _ECHO_FRAME.sub("", _bare(action))


def is_refusal(text: str) -> bool:
    """Whether the whole message only declines."""
    return bool(_DECLINE.fullmatch(_bare(text)))


def is_unsure(text: str) -> bool:
    """Whether the whole message says that the user doesn't know."""
    return bool(_UNSURE.fullmatch(_bare(text)))


def wants_all(text: str) -> bool:
    """Whether the whole message asks for all of them ("都看看")."""
    return bool(_ALL.fullmatch(_bare(text)))


def merge(
    reply: str, asked: Clarification, question: str, profile: KnowledgeProfile | None
) -> str | None:
    """The asked question with the reply to our clarification worked in.

    Args:
        reply: what the user wrote.
        asked: our clarification.
        question: the question that we asked back about, complete but for the missing value.

    Returns:
        The question to answer; None when `reply` is no reply but a question of its own.
    """
    text = reply.strip()
    if wants_all(text):
        return for_all(question, asked)
    chosen = _chosen(text, asked)
    if chosen is None and (several := with_values(text, question, profile)):
        return several
    if chosen is None and _own_question(text, question):
        return None
    value = chosen or _value(text)
    if not value:
        return None
    if asks(value) and topic_phrase(parse(value)) and len(value) > 6:
        return value  # an option whose reply is a whole question
    regions, times = find_regions(value), find_times(value, date.today())
    if (regions and asked.slot in ("region", "time")) or (times and asked.slot == "time"):
        made = put_region(value, question, profile) if regions else question
        return put_time(value, made, profile) if times else made
    if asked.slot == "reference":
        return _refer_to(value, question) or put_or_lead(value, question, profile)
    return put_or_lead(value, question, profile)


def for_all(question: str, asked: Clarification) -> str:
    """The question for all values of the slot: "各地租房补贴有多少？"."""
    word = _ALL_WORDS.get(asked.slot, "")
    if not word or word in question:
        return question
    head = topic_phrase(parse(question))
    at = head.start if head else parse(question).lead
    return question[:at] + word + question[at:]


def offer_question(action: str) -> str:
    """What the user asks for by accepting an offer: "请" and the offered action."""
    text = action.strip(" ，,。")
    text = re.sub(r"(?:吗|么|呢)$", "", text)
    text = re.sub(r"^(?:了解|知道|查看|看看|看)(?:一下|更多)?(?:关于)?", "介绍", text)
    verb = re.match(
        r"(?:详细|具体|进一步|再)?(?:地)?(?:介绍|说明|解释|列出|列举|查询|查|总结|整理|提供|告诉|讲|对比|比较|展开|计算|补充|推荐|说)",
        text,
    )
    return f"请{text}" if verb else f"请介绍{text}"


def put_or_lead(value: str, question: str, profile: KnowledgeProfile | None = None) -> str:
    """The question with the chosen value: in its sibling's place, else in front."""
    bare = value.removesuffix("的")
    if kind_of(bare) in ("thing", "organisation", "person", "condition"):
        head = topic_phrase(parse(question))
        at = head.start if head else parse(question).lead
        if made := with_sibling_replaced(bare, question):
            return made
        if bare in question:
            return question
        shared = next((n for n in range(len(bare), 1, -1) if question.startswith(bare[-n:], at)), 0)
        return question[:at] + bare + question[at + shared :]
    return put(value, question, profile) or value + question


def _bare(text: str) -> str:
    return re.sub(r"[\s，,。.！!？?~～…、]+", "", text)


def _chosen(text: str, asked: Clarification) -> str | None:
    """The option that the reply names by its words, its number or its letter."""
    bare = _bare(text)
    for option in asked.options:
        if bare in (_bare(option.label), _bare(option.reply)):
            if _ALL.fullmatch(_bare(option.reply)):
                return None
            return option.reply
    part = _SAID.sub("", bare).removesuffix("的")
    named = [o for o in asked.options if len(part) > 1 and part in _bare(o.label)]
    if len(named) == 1:
        return named[0].reply
    if asked.options and (match := _ORDINAL.fullmatch(bare)):
        number = match["n"]
        index = int(number) - 1 if number.isdigit() else "一二三四五六七八".index(number)
        if index < len(asked.options):
            return asked.options[index].reply
    return None


def _value(text: str) -> str:
    value = _SAID.sub("", text.strip())
    stripped = _FRAME.sub("", value, count=1)
    return (stripped or value).strip(" ，,。") if len(stripped) >= 1 else ""


def _own_question(text: str, asked: str) -> bool:
    """Whether the message asks something of its own instead of replying to what we asked."""
    if not re.search(
        r"怎么|如何|什么|啥|咋|多少|几[\u4e00-\u9fff]|多久|多长|吗[？?]?$|为什么|哪|谁|是否|能不能|有没有"
        r"|(?:能|会|可以|有|要|用|还|算)[^，,。！!]{0,10}[不没][\s?？]*$",
        text,
    ):
        return False
    regions = find_regions(text)
    if not regions or topic_phrase(parse(text)) is not None:
        return True
    for mention in reversed(regions):
        text = text[: mention.start] + text[mention.end :]
    words = [t.text for t in parse(text).tokens if t.role in ("noun", "rel", "act")]
    return any(len(w) > 1 and w not in asked and w not in _OF_ANY for w in words)


_OF_ANY = frozenset(["规定", "标准", "政策", "情况", "怎么样", "时候"])
"""Words that say of any question that it is asked of a value (北京怎么规定的)."""


def _refer_to(value: str, question: str) -> str | None:
    """The chosen thing in place of the pronoun that we could not resolve."""
    from rag.understand.dialogue import Dialogue, Exchange
    from rag.understand.refer import resolve

    result = resolve(question, Dialogue([Exchange(value, value, value)]))
    return result.text if result.changed else None
