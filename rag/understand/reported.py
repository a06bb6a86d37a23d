"""Faults that a user reports: a code on a screen, a lamp that blinks, what won't be mended.

The code is what is talked about then, not the screen it stands on ("屏幕上显示E08"); another
state takes the place of the last one ("闪红灯呢" after "状态灯一直红着是啥意思").
"""

from __future__ import annotations

import re

from rag.understand.dialogue import Dialogue
from rag.understand.phrases import parse
from rag.understand.runs import LAMP, REPORTED
from rag.understand.slots import CODE, codes

_MEANING = re.compile(
    r"(?:是|代表|表示|说明|指)?的?(?:啥|什么)(?:意思|原因|情况|问题|故障|含义|毛病)|(?:是)?(?:怎么|咋)回事|为(?:什么|啥)"
    r"|(?:该|要)?(?:怎么办|咋办|怎么处理|怎么解决|怎么弄|咋整|怎么修)|正常吗|要紧吗"
)
_HOW_OFTEN = r"(?:一直|总是|老是|总|老|突然|经常|不停|持续|偶尔|常|长|慢|快|又|在|地)"
_STATE = re.compile(
    rf"{_HOW_OFTEN}*(?:闪(?![存退付送])烁?|亮|灭|响|[红黄绿蓝橙白](?!灯|色)|抖动?|发[热烫抖]|漏|[不没][\u4e00-\u9fff])"
)


def other_state(value: str, question: str) -> str | None:
    """`question` about another state of the thing: 闪红灯是啥意思; None where none was asked of."""
    meaning = _MEANING.search(question)
    state = _STATE.search(question, 0, meaning.start()) if meaning else None
    if meaning is None or state is None or not _STATE.search(value) or codes(value):
        return None
    thing = question[: state.start()]
    own = parse(value).tokens
    if "灯" in value:
        thing = LAMP.sub("", thing)
    elif own and own[0].tag[0] == "n" and len(own[0].text) > 1:
        thing = ""  # 风扇不转呢 after 屏幕不亮怎么办
    return thing + value + question[meaning.start() :]


_TOLD = re.compile(
    rf"(?:现场|还有|另外|又有?|我(?:的|们)?)?(?:这台|那台|另?一台|有一台)?(?:(?P<model>{CODE.pattern})的?)?(?:设备|机器|机子|仪器|主机)?(?:的)?"
    rf"(?:屏幕|显示屏|面板|屏|界面|上面|小程序)?(?:上|里)?(?:面)?(?:一直|突然|老是|又|总是)?(?:{REPORTED.pattern}|(?<=台)是(?P<named>[A-Za-z]{{1,2}}-?\d{{1,4}}))(?:了|的)?[。.！!，,]*"
)


def what_to_do(message: str) -> str | None:
    """The question of a statement that tells no more than a code: E08怎么办; None for others."""
    match = _TOLD.fullmatch(message)
    if match is None:
        return None
    model = f"{match['model']}的" if match["model"] else ""
    return f"{model}{match['code'] or match['named']}怎么办"


_UNMENDED = re.compile(
    r"(?:还是|仍然|依然|一直|如果|要是|实在|都)*(?P<rest>(?:修不好|弄不好|搞不定|解决不了|处理不了)(?:的话)?[，,]?"
    r"(?:要|该|应该|可以)?(?:打|找|联系|拨|送|寄).*)"
)
_MENDING_TIME = re.compile(
    r"(?:一般|大概|通常|大约)?(?:要)?(?:修|维修)(?:一次|好|完)?(?:一般|大概|通常)?(?:要|需要)?(?P<asked>多久|多长时间|几天)[？?]*"
)


def mending(question: str, dialogue: Dialogue) -> str | None:
    """What is asked of repairs whatever the reported code; None for other questions."""
    if not any(REPORTED.search(e.typed) for e in dialogue.exchanges):
        return None
    if match := _UNMENDED.fullmatch(question):
        return f"设备{match['rest']}"
    match = _MENDING_TIME.fullmatch(question)
    return f"维修一般要{match['asked']}" if match else None
