"""Corrections: "不是，我问的是上海", "我不是问普卡，我问白金卡", "打错了 是到西宁"."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WRONG = (
    r"(?:我)?(?:刚才|刚刚)?(?:说|打|写|问|发|输|选)错(?:了|啦)?(?:字|地方)?"
    r"|(?:你|您)?(?:理解|搞|弄|答|看)错(?:了|啦)?|错了?啦?"
)
_NO = (
    rf"(?:不是(?:的|啊|呀|吧|这个|那个|这|那)*|不对(?:不对|的|啊|呀|吧)*|no|{_WRONG}"
    r"|(?:我)?(?:不是|没)(?:这个|那个|这|那|在)?(?:意思|问这个|说这个|问那个|说那个)|(?:你)?(?:没|沒)(?:懂|明白|理解)我?(?:的)?(?:意思)?"
    r"|答非所问|等等|等下)"
)
_SORRY = r"(?:抱歉|不好意思|对不起|sorry|啊|哎呀|哦|呃|额|诶|晕|汗)"
_I_MEANT = (
    r"(?:(?:我)?(?:的意思是|意思是|(?:是)?(?:想|要)?(?:问|查|了解|知道|说)的(?:其实)?是|是(?:想|要)?(?:问|说|查)的?"
    r"|(?:说|指|要)的?是|指的?是|(?:其实)?(?:想|要)(?:问|查|说)(?:的是)?)|应该是|而是|其实是|是)"
)
_GAP = r"[,，。.！!、~…\s]"
_CORRECTION = re.compile(
    rf"^(?:{_SORRY}{_GAP}*)*(?:(?:{_NO}|不){_GAP}+)+(?:{_SORRY}{_GAP}*)*{_I_MEANT}?(?:{_GAP}|[:：])*(?P<rest>.+)$"
    rf"|^(?:{_SORRY}{_GAP}*)*(?:不是|不对|{_WRONG}){_I_MEANT}(?:{_GAP}|[:：])*(?P<rest2>.+)$",
    re.I,
)
_BARE = re.compile(
    r"^(?:我(?:问|说|指|想问|要问|要|要查|查)的(?:其实)?是|我是(?:问|说|想问)(?:的是)?|应该是|改成|换成|换一?[个种款家台]|换(?![\u4e00-\u9fff]{0,2}[完好了过不没]|.*(?:吗|怎么|多少|多久|什么|几|哪|要|能|可以|会))|更正一下[,，:：]?)(?P<rest>.+)$"
)
_NOT_BUT = re.compile(
    rf"^(?:{_SORRY}{_GAP}*)*(?:我)?(?:问的|说的|要的|指的)?(?:不是|没)(?:想|要|在)?(?:问|说|指|查|要)?(?P<old>[^，,。！!？?]{{1,16}}?)"
    rf"(?:{_GAP}+(?:我)?(?:(?:想|要)?(?:问|说|指|查|要)的?是|是(?:想|要)?(?:问|说|查)?的?|而是|(?:想|要)?(?:问|说|查))|[,，]?而是)(?P<rest>.+)$"
)
_TAIL = re.compile(r"(?:吧|啊|呢|哦|呀|好吗)?[。.！!？?\s]*$")


@dataclass(frozen=True, slots=True)
class Correction:
    """What a correction says: `said` as typed, `value` bare, `old` what it takes the place of."""

    said: str
    value: str
    old: str = ""


def correction(message: str) -> Correction | None:
    """The correction that a message is; None when it is none."""
    match = _NOT_BUT.match(message)
    if match and not re.fullmatch(r"[这那]?个?(?:意思)?", match["old"]):
        return _made(match["rest"], match["old"].removesuffix("的"))
    match = _CORRECTION.match(message) or _BARE.match(message)
    if match is None:
        return None
    return _made(next(text for text in match.groupdict().values() if text))


def _made(rest: str, old: str = "") -> Correction | None:
    said = rest.strip()
    value = _TAIL.sub("", said)
    return Correction(said, value, old) if value else None
