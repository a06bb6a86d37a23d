"""Politeness and words that only take the floor: taken out where a real question follows."""

from __future__ import annotations

import re

from rag.understand.phrases import asks, parse
from rag.understand.slots import CODE

_TAKEN = (
    r"(?:好的?|好吧|好嘞|行吧?|嗯+|哦+|噢|喔|ok|明白|知道|了解|收到|懂|清楚|谢谢(?:你|您)?|谢[啦了]|多谢"
    r"|感谢|辛苦|麻烦(?:你|您)?|原来如此|这样啊|是这样|没事)(?:啊|呀|吧|哈|啦|了|的)*"
)
_TAKEN_UP = re.compile(
    rf"(?:{_TAKEN}[,，。.!！~～、\s]*)+(?<=[,，。.!！~～、\s])(?:那么?[,，\s]*)?", re.I
)
_ASKING = re.compile(
    r"^(?:(?:我|再|还)*(?:想|要)要?(?:请?问|请教|咨询|了解|知道)(?:一?下)?|请问(?:一?下)?"
    r"|(?:请教|咨询|了解|打听|问|查)一?下|(?:麻烦|帮)(?:你|您|我)(?:再)?(?:请?问|查|看)(?:一?下)?"
    r"|麻烦(?:再)?(?:请?问|查|看)(?:一?下)?)"
    r"[,，:：\s]*(?=[^吗?？，,]{3})(?!哪|什么|啥|几|多少|谁|的|题)"
)


_FLOOR = (
    r"唉+|哎(?:呀|哟)*|诶+|欸+|呃+|额+|嗯+|哦+|噢|喔|哈+|em+|好吧|行吧?|好的?|ok|对对|对了|话说|顺便(?:再)?(?:问|说|请教|咨询|查)?(?:一?下|一句|问)?"
    r"|再(?:顺便)?问(?:一?下|一句|个)?|(?:我)?突然想起来?"
)
_TAKES_FLOOR = re.compile(
    rf"(?:(?:{_FLOOR})[,，。.!！~～、：:…\s]+"
    r"|唉+|诶|欸|呃|[哦噢啊诶唉]对了|对了(?!解|[的吗么呢没不])|顺便(?:再)?(?:问|请教|咨询)?(?:一?下|一句)?"
    r"|话说(?!回来|明|的))+",
    re.I,
)
"""What a message begins with before it says anything: 顺便，, 对了, 唉."""


def without_lead_in(message: str) -> str:
    """`message` without the words that only take the floor ("顺便，", "对了 ", "唉").

    Unchanged where nothing that asks or names a code follows them.
    """
    match = _TAKES_FLOOR.match(message)
    rest = message[match.end() :] if match else ""
    asking = len(rest.strip("，,。.？?！!~…")) > 1 and bool(asks(rest) or CODE.search(rest))
    return rest if asking else message


def without_thanks(message: str) -> str:
    """`message` without the thanks or the "好吧，" before its question.

    Unchanged where nothing that asks follows them: then they are the message.
    """
    match = _TAKEN_UP.match(message)
    if match is None:
        return message
    rest = message[match.end() :]
    asking = any(t.role == "ask" for t in parse(rest).tokens)
    return rest if asking and len(rest) >= _SHORTEST else message


_SHORTEST = 3
"""Characters of a question that can stand behind thanks (chosen by us)."""


def asked_plainly(question: str) -> str:
    """A question without "我想问下", so that a follow-up doesn't repeat it."""
    return _ASKING.sub("", question, count=1)
