"""How much a sentence tells about its document: part of the summary of `describe`.

What is regulated, for whom, and the figures of the main provisions count; the customary
clauses of rules, notices and contracts (purpose, interpretation, courtesies) say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.text.normalise import normalise

_LEANING = re.compile(r"但|而且|因此|所以|此外|同时|其中|上述|前款|这|该|It|This")
_FILLER = re.compile(
    r"^为(?:了|进一步|切实|深入|全面|更好|规范|加强|保障|促进|贯彻)?.{2,}(?:制定|编制|修订|出台)(?:了)?(?:本|此|以下|如下)"
    r"|^根据.{2,}(?:制定|编制|修订|通知|公告|签订|订立|达成)|(?:如下|以下|下列)(?:事项|通知|协议|条款|公告|报告)?[：:。]?$"
    r"|现(?:将|就|予|印发|转发).{0,60}(?:如下|你们|公布|印发|通知|遵照|执行)|请(?:认真|遵照|结合实际)?.{0,8}(?:贯彻|遵照)"
    r"|^特此|本着.{2,}原则|(?:由|归).{2,30}负责解释|解释权归|未尽事宜|一式.{1,3}[份联]|(?:盖章|签字).{0,8}生效"
    r"|同时废止|具有同等(?:法律)?效力|感谢您(?:选|购|使)|请仔细阅读|热烈|圆满|高度重视|提高认识|依法给予处分"
    r"|未经.{0,12}(?:许可|授权).{0,12}转载|如有(?:雷同|错误|疑问)|提请.{0,8}注意|^(?:以上|特此)(?:报告|通知|公告)"
)
_FIELD = re.compile(
    r"^(?:[一-鿿]{0,6}(?:电话|热线|地址|邮编|邮箱|联系人|网址|编号|索引号|文号|时间|地点|人员|主持人?|记录人?|签收)"
    r"(?:[（(][^）)]{1,10}[）)])?|甲方|乙方|丙方|出租方|承租方)(?:[（(][^）)]{1,10}[）)])?\s*[:：]"
)
"""A line that is one field of a form or a contact rather than a statement."""

_SCOPE = re.compile(r"适用(?:于)?(?:本|范围|对象)?|用于|介绍|旨在|包括以下|面向")
_PROVISION = re.compile(
    r"应当|必须|不得|可以|禁止|须|处.{1,20}罚款|标准|期限|决定|同意|要求|负责|完成|上限|不超过|不低于|调整|补贴|费用?|价|租金"
    r"|总投资|全长|共计|同比|增长|下降|预计"
)
_FIGURE = re.compile(
    r"\d[\d,.]*\s*(?:[%％‰]|[万亿]?元|[万亿]|[个]?工作日|日|天|[个]?月|年|小时|分钟|人|名|台|份|公里|米|吨|平方米|[℃VWA]|k[Wm]|升)"
)
_PENALTY = re.compile(r"^违反|罚款|处分|追究|没收|责令")
_EFFECT = re.compile(r"(?:施行|实施|生效|执行)(?:[，。]|$)")
_WEIGHTS = {
    "filler": -4.0, "field": -1.5, "effect": -1.0, "leaning": -1.0, "penalty": -1.0, "scope": 1.8,
    "provision": 0.6, "figure": 0.7,
}  # fmt: skip
"""What each sign adds to a sentence's worth, beside 1 for its first keyword; chosen by us on
rules, notices, contracts, manuals, minutes and news."""
_SIGNS = {"scope": _SCOPE, "provision": _PROVISION, "effect": _EFFECT, "penalty": _PENALTY}
_MOST_FIGURES = 2


def worth(sentence: str, number: int, total: int, words: Sequence[str]) -> float:
    """How much a sentence tells; above 0 for one that says something.

    Args:
        number: its place among `total` sentences, from 0.
        words: the document's keywords, the weightiest first.
    """
    text = normalise(sentence)
    value = sum(1.0 / (1 + rank / 4) for rank, word in enumerate(words) if word in text)
    value += 1.0 if number == 0 else 0.6 if number < 5 else 0.3 if number < total / 4 else 0.0
    value += _WEIGHTS["figure"] * min(len(_FIGURE.findall(sentence)), _MOST_FIGURES)
    for name, pattern in (
        ("scope", _SCOPE),
        ("provision", _PROVISION),
        ("effect", _EFFECT),
        ("penalty", _PENALTY),
    ):
        value += _WEIGHTS[name] if pattern.search(sentence) else 0.0
    # A sentence that leans on the one before it says little alone.
    value += _WEIGHTS["leaning"] if _LEANING.match(sentence) else 0.0
    value += _WEIGHTS["field"] if _FIELD.match(sentence) else 0.0
    return value + (_WEIGHTS["filler"] if is_filler(sentence) else 0.0)


def is_filler(sentence: str) -> bool:
    """Whether a sentence is a customary clause that tells nothing about the content."""
    return _FILLER.search(sentence) is not None
