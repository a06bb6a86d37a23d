"""Whose date it is: the document's own, or that of a rule that it repeals or cites."""

from __future__ import annotations

import re

_RULE = (
    r"(?:办法|规定|条例|细则|通知|公告|通告|意见|方案|规范|标准|规程|制度|规则|指南|政策|文件|手册|章程"
    r"|计划|须知|协议|合同|价格表|目录|清单|决定|法|规章|预案|措施|守则|准则)"
)
_OWN_SUBJECT = re.compile(
    rf"本[^\s，。；：《》、（）()]{{0,6}}?{_RULE}(?:[(（][^()（）]{{0,12}}[)）])?\s*(?:将|应当|拟)?\s*(?:自|从|于|由)?\s*$"
)
"""What stands right before a date of the document itself: "本办法（试行）自"."""
_OLD_SUBJECT = re.compile(r"^(?:原(?![则料因])|旧|此前|以前|上述|前述)[^，。；]{0,40}$")
_ENDED = r"(?:废止|失效|作废|停止(?:执行|施行|实施|使用)|不再(?:执行|施行|适用|有效))"
_DESCRIBES = re.compile(r"\s*(?:起|后)?的\s*(?![本此该]|[\s，,。;；:：)）]|$)")
"""Behind "2022年7月1日起施行": "的《…》", "的原办法", so that the date is a mark of that rule."""
_ENDED_AFTER = re.compile(
    rf"\s*[，,]?\s*(?:[现已]|自[^，。；]{{0,12}}起|同时|一并|相应)*\s*(?:予以|被)?\s*{_ENDED}"
)
_BRACKET_OPEN = re.compile(r"[(（][^()（）]*$")
_BRACKET_REST = re.compile(
    rf"[^()（）。\n]{{0,40}}[)）][^。；;\n]{{0,80}}?(?:同时|一并|相应|予以|即行|自行|随之|[，,、]?均)?{_ENDED}"
)
_PASSED_THEN = re.compile(
    r"\s*(?:[^，。；《》\n]{0,30}?)(?:发布|公布|印发|颁布|下发|制定|出台|通过|修订|修正)(?:并?\s*(?:施行|实施|执行))?的\s*"
    r"(?=[《原旧「〈]|[^，。；\n]{0,40}" + _ENDED + ")"
)
_CHANGES_THIS = re.compile(r"《.{1,80}》\s*(?:第.{1,3}次)?修[正订]")
"""Behind "2018年5月1日通过的": the decision by which this document was changed."""


def of_another(text: str, start: int, end: int) -> bool:
    """Whether the words `text[start:end]` ("自2022年7月1日起施行") speak of another rule: one
    named before them in the sentence, or after them ("…起施行的《旧办法》同时废止")."""
    before = _sentence_before(text, start)
    after = text[end : end + 160]
    if _DESCRIBES.match(after) or _in_repealed_bracket(before, after):
        return True
    if _OWN_SUBJECT.search(before):
        return False
    clause = re.split(r"[，,、]", before)[-1]
    return (
        "《" in before
        or "废止" in before
        or _ENDED_AFTER.match(after) is not None
        or _OLD_SUBJECT.match(clause.strip()) is not None
    )


def dates_another(text: str, start: int, end: int) -> bool:
    """Whether the date `text[start:end]` tells when another rule was published: "2018年5月1日
    公布的《旧办法》", "《旧办法》（2018年5月1日公布）同时废止"."""
    after = text[end : end + 160]
    passed = _PASSED_THEN.match(after)
    if passed and not _CHANGES_THIS.match(after, passed.end()):
        return True
    return _in_repealed_bracket(_sentence_before(text, start), after)


def _sentence_before(text: str, position: int) -> str:
    return re.split(r"[。；;\n]", text[max(0, position - 120) : position])[-1]


def _in_repealed_bracket(before: str, after: str) -> bool:
    """Whether a place lies in brackets behind a rule that the sentence then repeals."""
    return _BRACKET_OPEN.search(before) is not None and _BRACKET_REST.match(after) is not None
