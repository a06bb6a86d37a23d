"""What an answer must look like: a question for a time is answered by a text with a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_FORMS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile("什么时候|何时|哪一?年|哪一?天|几月|几号|日期|时间|多久|期限|多长"),
        re.compile(
            r"\d\s?[年月日天周]|\d\s?(?:小时|分钟|秒|个月)|[年月日]内|以前|之前|届满|\d{1,2}:\d\d"
        ),
    ),
    (
        re.compile(
            "多少|几[个种次人名岁级项条天年月]|多大|多高|金额|标准|比例|价格|费用|数量|电话|评分"
        ),
        re.compile(r"\d"),
    ),
    (
        re.compile("哪里|哪儿|在哪|何处|地址|地点|什么地方"),
        re.compile("[省市区县路街号楼镇乡村室]|位于"),
    ),
    (
        re.compile("怎么办|怎么|如何|流程|步骤|手续|办法"),
        re.compile("应当|可以|首先|然后|申请|提交|按照|步骤|依法"),
    ),
    (
        re.compile("为什么|为何|原因|缘由"),
        re.compile("因为|由于|原因|因此|所以|导致|为了"),
    ),
    (
        re.compile("能不能|能否|可不可以|是否|可以.*吗|能.*吗|要不要|需要.*吗|算不算|合法吗"),
        re.compile("可以|不得|应当|有权|禁止|不予|不能|属于|无需|必须|允许"),
    ),
)
_ASKS_DEFINITION = re.compile("什么是|是什么|什么叫|指什么|含义|定义|是指|什么意思")
_NEAR = 12
"""Characters after a term within which its definition begins."""
_DEFINES = re.compile("是指|指的是|所称|即|是|称为|定义为")


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The forms that a question asks for, and whether it asks for a definition."""

    forms: tuple[re.Pattern[str], ...]
    definition: bool

    def holds(self, text: str) -> float:
        """+1 when the normalised text holds all that is asked for, −1 none, 0 nothing asked."""
        if not self.forms:
            return 0.0
        return sum(1.0 if form.search(text) else -1.0 for form in self.forms) / len(self.forms)

    def defines(self, terms: Sequence[str], text: str) -> float:
        """+1 when the text defines one of the terms, −1 not, 0 when no definition is asked."""
        if not self.definition:
            return 0.0
        for term in terms:
            at = text.find(term)
            if at >= 0 and _DEFINES.search(text, at + len(term), at + len(term) + _NEAR):
                return 1.0
        return -1.0


def answer_form(question: str) -> AnswerForm:
    """The form that a normalised question asks for."""
    return AnswerForm(
        forms=tuple(form for asks, form in _FORMS if asks.search(question)),
        definition=bool(_ASKS_DEFINITION.search(question)),
    )
