"""Personal names in Chinese text, by surname and by how the words around them are cut."""

from __future__ import annotations

import re

from rag.understand.phrases import parse
from rag.understand.tokens import Token
from rag.understand.words import frequency, tagged

_SURNAMES = frozenset(
    "王李张刘陈杨赵吴周徐孙朱胡郭何林罗郑梁谢宋唐许韩邓冯曹彭曾肖田董袁潘蔡蒋余杜叶程魏苏吕丁任"
    "卢姚沈钟姜崔谭陆范汪廖贾韦傅邹孟熊秦邱侯阎薛雷段郝邵庞樊殷施陶洪翟颜倪严牛章鲁葛柯尹岳齐沿"
)
_ALSO_WORDS = frozenset("高黄金白石江安温方于夏万马毛史关季康龙武戴莫孔向常钱汤黎易尚文")
"""Surnames that begin many other words; the given name must then look like one."""
_NO_NAME_ENDS = frozenset("卡证费险款票券项号区级类店局所部")
_TITLES = ("经理", "主任", "总监", "老师", "教授", "先生", "女士")


def find_names(text: str) -> list[tuple[int, int]]:
    """The places of personal names of two or three characters in `text`."""
    tokens = parse(text).tokens
    found: list[tuple[int, int]] = []
    for index, token in enumerate(tokens):
        if found and token.start < found[-1][1]:
            continue
        if index and tokens[index - 1].role == "noun" and not _ends(tokens[index - 1]):
            continue
        if end := _name_from(tokens, index):
            found.append((token.start, end))
    return found


_OFFICER = re.compile(
    rf"(?<=[部科处组室员师长理管任])(?P<name>[{''.join(sorted(_SURNAMES))}][\u4e00-\u9fff]{{1,2}}?)"
    r"(?=负责|办理|处理|提交|联系|审批|老师|经理|分机|电话|[，,。；;（(、\s]|$)"
)


def officers(text: str) -> list[str]:
    """People named right behind their office or trade: 设备科王建负责, 考勤专员罗敏."""
    return [
        match["name"]
        for match in _OFFICER.finditer(text)
        if not frequency(match["name"]) or tagged(match["name"])[0][1].startswith("nr")
    ]


def is_name_of_person(text: str) -> bool:
    """Whether the whole text is a personal name."""
    return 2 <= len(text) <= 3 and find_names(text) == [(0, len(text))]


def _ends(token: Token) -> bool:
    return token.text.endswith(_TITLES)


def _name_from(tokens: tuple[Token, ...], index: int) -> int:
    """Where the name that begins with this token ends; 0 when none does."""
    first = tokens[index]
    surname = first.text[:1]
    if surname not in _SURNAMES | _ALSO_WORDS:
        return 0
    if first.tag == "nr" and 2 <= len(first.text) <= 3:
        return first.end
    if len(first.text) != 1:
        return 0
    length, end, sure = 1, first.end, surname in _SURNAMES
    for token in tokens[index + 1 : index + 3]:
        given = token.tag.startswith("nr") or (sure and token.role == "noun")
        if token.start != end or length + len(token.text) > 3 or not given:
            break
        if len(token.text) == 2 and token.tag in ("n", "v", "vn") and token.tag != "nr":
            break
        length, end = length + len(token.text), token.end
    text = "".join(t.text for t in tokens[index : index + 3])[:length]
    return end if length > 1 and text[-1] not in _NO_NAME_ENDS else 0
