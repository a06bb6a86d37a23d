"""Forms of questions whose subject is left out, and of those that need none."""

from __future__ import annotations

import re

from rag.understand.dialogue import Dialogue
from rag.understand.lexicon import words_of
from rag.understand.phrases import Parsed, Phrase

BACK = re.compile(r"(?:回来|回国|返回|返岗|结束)(?:后|以后|之后|了)?(?!的)")
"""回来多久内报销: after what was left for."""


def journey(dialogue: Dialogue) -> str:
    """What someone comes back from: the last journey or leave that was asked about."""
    for exchange in reversed(dialogue.exchanges):
        if match := re.search("出差|出国|外派|休假|请假|培训|实习|交流|住院", exchange.question):
            return match.group()
    return ""


OF_THE_WAY = re.compile(r"^[\u4e00-\u9fff]{2,8}的话|[不没]去|(?<![\u4e00-\u9fff])去[了的]")
"""下雨天去的话, 不去了: of the way that the last question told."""
THAN = re.compile(
    r"(?:那|也|还)*比[^，,比]{2,14}(?:吗|么|不|嘛)[？?\s]*$|(?:那|也|还)*(?:比|跟|和|与)[^，,比跟和]{2,12}?(?:还|更|要)?"
    r"(?:[贵便轻重高低大小长短好差快慢多少早晚强弱][\u4e00-\u9fff]?|划算|合适|一样)(?:很多|多少|一点|一些|些|多)?(?:吗|么|不|嘛|没)?[？?\s]*$"
)
"""比ZW-200贵吗: compared with what was talked about."""
WHEN_DONE = re.compile(
    r"(?:那|具体|大概)*(?:什么时候|啥时候|何时|几号|哪天|几月)(?:能|会|要|可以|才能?|开始)?(?P<deed>[\u4e00-\u9fff]{2})[呢啊？?\s]*"
)
"""什么时候评审: when something is done that is no event of its own."""
DAYS_OFF = re.compile(
    r"(?:那|今年|明年)*(?:元旦|春节|除夕|元宵|清明|五一|劳动节|端午|中秋|国庆|十一|圣诞|妇女节|儿童节)节?[^，,]{0,4}(?:放|休|假|上班|调休|值班)"
)
"""Holidays by name: they need nothing before them."""
MORE_OF_TIME = re.compile(r"(?:之|以)?[前后](?!勤|台|者|续)|[\u4e00-\u9fff]{0,4}的话|[去来到]")
"""Behind a time: it is part of a clause of its own (年底前去的话)."""
IDIOMS = words_of(
    "真的吗 是吗 对吗 行吗 真的假的 这是真的吗 确定吗 你确定吗 什么意思 怎么回事 好吗"
    " 为什么这么说 你怎么知道"
)
"""Questions that have no topic at all."""
DETAIL_VERBS = words_of("带 抵扣 扣 延长 延 提前 折算 折现 转 退 补 改 累积 结转 享受 用 减 加")
"""Verbs that behind a modal deal with what was talked about."""
SERVICE = re.compile(
    r"(?:咨询|客服|服务|投诉|报修|售后|联系|办公|办理|受理|报名|领取|缴费)"
    r"(?:电话|热线|地址|地点|时间|窗口|邮箱|网址|号码|网站)"
)
"""Where and when the thing talked about is dealt with."""
THERE_IS = re.compile(
    r"(?:那|还|也|都)*有(?:人|[俩仨]|[一两二三四五六七八九十\d]*[位名](?!额)|[一两二三四五六七八九十\d]*个?"
    r"(?:外面的?|其他|新来的?|别的)?(?:同事|同学|客户|客人|访客|员工|领导|朋友|老师|家长|学生|实习生|供应商))"
)
"""有人…, 有俩客人来: someone is brought in, of whom the question is."""
NEXT_MEETING = re.compile(
    r"(?:那)?(?:下|上|这|本)(?:一)?(?:次|周|个月)?的?(?:例会|会议|会)(?=(?:是|在|要|定在)?(?:几号|几点|哪天|什么时候|啥时候|何时|哪))"
)
"""下次会几号: a meeting, not what was talked about."""


def same_deed(parsed: Parsed, own: Phrase, said: str) -> bool:
    """Whether the last question's verb is asked of again with a measure (能订一整天吗)."""
    inside = [t for t in parsed.tokens if own.start <= t.start and t.end <= own.end]
    deed = inside[0].tag == "v" and inside[0].text in said
    return deed and len(inside) > 1 and all(t.tag[0] in "mq" for t in inside[1:])


def before_verb(parsed: Parsed, own: Phrase) -> bool:
    """Whether the phrase is a verb before another one (可以分开休吗, 能攒到明年吗)."""
    at = next((i for i, t in enumerate(parsed.tokens) if t.start == own.start), 0)
    verb, after = parsed.tokens[at], parsed.tokens[at + 1 : at + 2]
    if verb.end != own.end or verb.tag not in ("v", "vd", "vi", "zg", "d") or not after:
        return False
    return after[0].role == "act" or after[0].text in ("到", "成", "给", "在")
