"""Another value asked about in more words than 2023年呢: 2023年的政策呢, 2023年也是这么久吗."""

from __future__ import annotations

import re

_SAME = re.compile(
    r"(?P<value>.{2,12}?)(?:的话|的)?[也还]都?(?:(?:是|按|照|算|要|得|有|给|能|可以|会)*"
    r"(?:这么|那么|一样|这样|那样|同样|如此|这个(?:数|价|标准|天数|政策|规定)|那个(?:数|价))"
    r"(?:久|多|长|高|少|贵|低|短|算|办|规定|处理|要求|执行)?(?:的|来)?|(?:适用|照此|照旧|按这个来?|照这个来?))"
    r"(?:吗|么|嘛|吧|不)[？?。 ]*"
)
_RULE = re.compile(
    r"(?P<value>.{2,12}?)的?(?:政策|规定|标准|情况|要求|办法|制度|说法|规则)"
    r"(?:呢|是什么样?|怎么样|是怎样的|是啥|如何)[？?。 ]*"
)


_SETTLED_ON = re.compile(
    r"(?:那|嗯|哦)?(?:还是|就)(?:说|看|问|按|算|讲)?(?P<value>[^，,。？?！!]{2,10}?)的?(?:吧|好了|为准)[，,。\s]+(?P<rest>.+)"
)


def settled_on(question: str) -> tuple[str, str] | None:
    """The value and the question behind it in 还是说2024年的吧，社保要交几个月; None for others."""
    found = _SETTLED_ON.fullmatch(question)
    return (found["value"], found["rest"]) if found else None


def asked_plainly_of(question: str) -> str:
    """2023年呢 for 2023年的政策呢 and 2023年也是这么久吗; any other question unchanged."""
    found = _SAME.fullmatch(question) or _RULE.fullmatch(question)
    return f"{found['value']}呢" if found else question
