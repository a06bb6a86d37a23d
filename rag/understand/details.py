"""Short questions for a detail of the topic: its phone, how it goes while it is dealt with."""

from __future__ import annotations

import re

from rag.understand import lexicon
from rag.understand.dialogue import Dialogue
from rag.understand.left_out import SERVICE
from rag.understand.phrases import Parsed, is_person, parse
from rag.understand.regions import find_regions
from rag.understand.runs import GRANTED, LAMP, REPORTED
from rag.understand.slots import CODE, codes

_CONTACT = re.compile(
    rf"{SERVICE.pattern}|(?:联系)?(?:电话|热线|邮箱|网址|官网|联系方式|联系人)|(?:打|拨)(?:什么|哪个|哪)"
)
_DURING = re.compile(
    r"(?P<deed>[\u4e00-\u9fff]{1,2})(?:的时候|时(?!间|长|候|段|限)|(?:之|以)[前后]|的过程中)(?=[，,要能可会还需得用有应怎什几多也])"
)
_DEALT_WITH = frozenset("换装拆洗修用办交填开关买租领寄退签借考查接擦充做")
"""Verbs of one letter that take what was talked about as their object."""
_DONE = re.compile(r"[\u4e00-\u9fff]{1,2}(?:完了?|好了?|[了过](?:之后|以后|后))")
_OF_MODEL = re.compile(rf"(?P<code>{CODE.pattern})的?(?P<noun>[\u4e00-\u9fff]{{2,10}})$")
_EACH = re.compile(
    r"(?:最少|最多|至少|一次|要|得|能)*(?:买|要|换|订|用|装)?(?:一|几|多少)(?:套|个|只|片|块|盒|箱|包|支|根|件|副|瓶|卷)"
)
_OF_DEVICE = re.compile(
    r"新的|过保|出保|修(?:一次|好)?(?:要|得)?(?:多少|几)|(?:保修|质保|重启|升级|断电|购买|价格|多少钱|延保)"
)
_CAME_BACK = re.compile(r"(?:回来|回国|返回|返岗)(?:之后|以后|后|了)?$")
_SPENT = re.compile(r"出差|差旅|出国|发票|打车|垫付|报销|招待|[路车餐房]费")


def asks_detail(parsed: Parsed, dialogue: Dialogue) -> bool:
    """Whether the question asks only for a detail that the last topic has, or how it is done."""
    previous = dialogue.previous
    if previous is None or not previous.topic:
        return False
    if SERVICE.match(parsed.body):
        about = previous.topic
        return bool(GRANTED.search(about) or find_regions(about) or codes(about))
    if _during(parsed) or _DECIDED.match(parsed.body):
        return True
    first, others = parsed.tokens[:1], [p for p in parsed.phrases if p.kind != "relation"]
    if not first or first[0].role != "rel" or len(first[0].text) < 2:
        return False
    return all(re.match("[几哪何]", p.text) for p in others)  # 地点在几楼


_DECIDED = re.compile(
    r"(?:价格|定价|单价|费用|标准|日期|时间|名单|结果|方案|政策|地点|名额)(?:都|已经|现在|还)?(?:有?没)?(?:定|出|公布|确定|批|下|调|改|涨|降)(?:来|下来)?了?(?:没有?|吗|么|不)[？?\s]*$"
)
"""价格定了没: whether a detail of the topic is settled."""


def _during(parsed: Parsed) -> re.Match[str] | None:
    match, first = _DURING.match(parsed.body), parsed.tokens[:1]
    if match is None or not first or first[0].text != match["deed"]:
        return None
    if first[0].text in lexicon.EVENTS or first[0].text in (
        "来",
        "去",
        "走",
        "到",
        "有",
        "是",
        "平",
    ):
        return None
    return match if first[0].role == "act" or first[0].tag[0] == "v" else None


def with_topic(body: str, about: str, dialogue: Dialogue) -> tuple[str, str]:
    """The topic and the rest of the question as they are put together.

    Args:
        body: the question that left its topic out.
        about: the topic.
        dialogue: the questions before.
    """
    source = dialogue.exchanges[-1].question
    if _CONTACT.match(body):
        return without_people(about), body
    if _DONE.match(body):
        about = about[1:] if len(about) > 2 and about[0] == body[0] else about  # 换墨盒, 换完
        about = _CAME_BACK.sub("", about) or about
        if re.match("报[完好了过]", body) and _SPENT.search(source):
            body = f"报销{body[1:]}"
    match = _during(parse(body))
    if not re.search("[灯亮闪灭]", body) and len(device := LAMP.sub("", about)) > 1:
        about = device  # 路由器 of 路由器蓝灯
    if (match or _DONE.match(body) or _OF_DEVICE.match(body)) and _is_fault(about, dialogue):
        others = [t for t in dialogue.topics() if not _is_fault(t, dialogue)]
        about = LAMP.sub("", others[0]) if others else ""  # a code is neither mended nor sold
    model = _OF_MODEL.match(about)
    if model and (match or _DONE.match(body) or _EACH.match(body)):
        typed = any(
            model["code"] in e.typed and model["noun"] in e.typed for e in dialogue.exchanges
        )
        about = about if typed else model["noun"]  # ZW-100S的呢 asked one question of it
    verbal = parse(about).tokens[:1]
    if match and match["deed"] in _DEALT_WITH and not (verbal and verbal[0].tag == "v"):
        return match["deed"] + about, body[match.end("deed") :]
    return about, body


def _is_fault(about: str, dialogue: Dialogue) -> bool:
    """Whether a topic is a code that a device reports, not a model (ZW-300)."""
    if not REPORTED.fullmatch(f"显示{about}"):
        return False
    told = (match for e in dialogue.exchanges for match in REPORTED.finditer(e.typed))
    return "-" not in about or any(match["code"] == about for match in told)


def without_people(about: str) -> str:
    """A topic without the group it is for: one phone serves all (本科生租房补贴)."""
    for token in reversed(parse(about).tokens):
        if is_person(token.text) and token.end < len(about):
            about = about[: token.start] + about[token.end :].removeprefix("的")
    return about


_CONDITION = re.compile(
    r"^(?:满|超过|不满|不足|未满|达到?|大于|小于|高于|低于)[\d一二两三四五六七八九十百千万半]+[\u4e00-\u9fff]{1,2}的"
)


def whole_kind(about: str) -> str:
    """The kind of thing without the measure that was only asked of it: 病假 of 超过三天的病假."""
    return _CONDITION.sub("", about)


_PAYDAY = re.compile(r"什么时候|啥时候|几号|哪天|何时|几月")


def is_payday(noun: str, body: str) -> bool:
    """Whether a question is for the day when everyone is paid (工资什么时候发)."""
    return noun in ("工资", "薪水", "薪资", "奖金", "绩效") and bool(_PAYDAY.search(body))
