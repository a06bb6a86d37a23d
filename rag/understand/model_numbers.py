"""Models that are called by their number alone: "100多少钱一台" of the knowledge base's ZW-100."""

from __future__ import annotations

import re

from rag.types import KnowledgeProfile
from rag.understand.gazetteer import gazetteer
from rag.understand.homophones import Counts
from rag.understand.slots import codes

_LEAST_MODELS = 2
"""Models with the same letters that make a series people call by number (chosen by us)."""
_SERIES = re.compile(r"(?P<letters>[A-Z]{1,8}[-_ ]?)(?P<number>\d{2,4}[A-Z]{0,2})")
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9.\-_/:：第])(?P<number>\d{2,4}(?P<letters>[A-Za-z]{1,2})?)(?![A-Za-z0-9.\-_/%％:：])"
)
_BEFORE = re.compile(
    r"(?:^|[，,。\s]|(?:请问|那|那个|这台|那台|现场的?|一台|客户的?|我(?:家|们)?(?:买|用|装)?的?(?:那台)?(?:是)?|好像是|应该是|和|跟|与|比|、|还是|还有|换成|想买|要买|看看))$"
)
_TOGETHER = re.compile(
    r"(?:和|跟|与|比|、)(?:[A-Za-z]{1,8}-)?\d{2,4}[A-Za-z]{0,2}(?![\d块元天号年月人个])[^，,。]*(?:区别|不同|差别|哪个|哪款|谁|贵|便宜|对比)"
)
_COMPARED = re.compile(r"[^，,。]*(?:区别|不同|差别|哪个|哪款|谁|贵|便宜|对比)")
_MINE = re.compile(r"(?:买|用|装|订|型号)的?(?:那台)?(?:是)$")
_END = re.compile(r"[，,。\s]|$")
_OF_MODEL = re.compile(
    r"的?(?:多少钱|啥价|什么价|价格|单价|报价|售价|保修|质保|参数|尺寸|重量|功率|续航|防水|防尘|防护|说明书|配件|滤网|电池|固件|屏幕|有现?货|有没有(?:现?货|屏幕?)"
    r"|(?:啥时候|什么时候|何时|几号|几月|哪天)(?:能|会|才|可以)*(?:发布|上市|出(?![差勤])|到货|有货|发货|停产)|供货|停产|上市|发布"
    r"|(?:要|得|该)?(?:怎么|如何|咋)(?:安装|校准|重启|联网|连|重置|配置|清洁|保养|充电|装|换|升级)|(?:要|能|可以|能不能)?(?:测(?!试期)|联网|连(?:wi-?fi|网)|装在?室?外|放(?:室|户)外|用在)"
    r"|支持(?!多少)|报[Ee]\d|[那这][个款台])",
    re.I,
)
_LETTERED = re.compile(r"(?!内|以内|后|之后|前|钟|左右)")


def in_number(question: str, profile: KnowledgeProfile | None, counts: Counts | None) -> str:
    """`question` with such a number as the model it means.

    Only where the products of the knowledge base are of one series, the documents hold a model
    of this number in it, and what is asked is asked of things ("200能报吗" is of money).

    Args:
        question: as typed.
        profile: of the selected knowledge bases; without it nothing is changed.
        counts: how many passages hold a term; None knows the titles' and headings' models only.
    """
    if profile is None or not _NUMBER.search(question) or (codes(question) and _spelled(question)):
        return question
    index = gazetteer(profile)
    known = {m.group() for p in index.products for m in [_SERIES.fullmatch(p.upper())] if m}
    series = {_SERIES.fullmatch(code)["letters"] for code in known}  # type: ignore[index]
    if len(known) < _LEAST_MODELS or len(series) != 1:
        return question
    letters = series.pop()
    named = known | {code.upper() for code in codes(index.names)}
    for match in reversed(list(_NUMBER.finditer(question))):
        model = letters + match["number"].upper()
        if not _is_model(question, match):
            continue
        if model in named or (counts and counts([model.lower()]).get(model.lower())):
            question = question[: match.start()] + model + question[match.end() :]
    return question


_FAULT = re.compile(
    r"(?<![A-Za-z0-9.\-_/])(?P<letter>[A-Za-z])(?P<digit>[1-9])(?![A-Za-z0-9.\-_/])"
)


def zero_filled(question: str, counts: Counts | None) -> str:
    """`question` with E4 as the documents write it: E04, where they hold that and no E4."""
    for match in _FAULT.finditer(question) if counts else ():
        typed = match.group().lower()
        full = f"{match['letter']}0{match['digit']}"
        held = counts([typed, full.lower()]) if counts else {}
        if held.get(full.lower()) and not held.get(typed):
            return question[: match.start()] + full + question[match.end() :]
    return question


def _is_model(question: str, match: re.Match[str]) -> bool:
    """Whether what stands around a number shows that it is a model."""
    before, end = question[: match.start()], match.end()
    if _MINE.search(before) and _END.match(question, end):
        return True
    if not _BEFORE.search(before):
        return False
    if match["letters"] and _LETTERED.match(question, end):
        return True
    second = re.search(r"\d[A-Za-z]{0,2}(?:和|跟|与|比|、|还是)$", before)
    together = _TOGETHER.match(question, end) or (second and _COMPARED.match(question, end))
    return bool(together or _OF_MODEL.match(question, end))


def _spelled(question: str) -> bool:
    """Whether the question already names a model in full, so that its numbers are others."""
    return any(_SERIES.fullmatch(code.upper()) and "-" in code for code in codes(question))
