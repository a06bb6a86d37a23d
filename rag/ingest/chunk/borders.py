"""Places where a text must not be cut: inside a number, between it and its unit, in a code."""

from __future__ import annotations

import re
import unicodedata

_REACH = 48
"""Characters looked at on each side of a place; longer runs without a border are cut."""

_UNITS = (
    "美元|港元|欧元|日元|人民币|平方公里|平方米|立方米|公里|千米|公斤|千克|毫克|毫升|毫米|厘米|海里"
    "|英里|英寸|小时|分钟|工作日|自然日|百分点|季度|学时|课时"
    "|[元角分圆年月日天周时秒号岁人名个项条款章节页次台套件辆部张份册本户家间栋层级档倍米克斤吨升亩度"
    "瓦伏安帕赫点届期批位所座根颗粒片包箱盒瓶只头匹株棵%％‰℃℉°′″]"
)
_LATIN_UNIT = r"[A-Za-zμµΩ°][A-Za-zμµΩ]{0,5}(?:[/·][A-Za-z]{1,4})?[²³23]?"
_UNIT = rf"[百千万亿]{{0,3}}个?(?:{_UNITS})|[百千万亿]+|{_LATIN_UNIT}"
_ARABIC = r"(?:[¥￥$€£±≥≤<>≈~+\-−]|人民币|RMB|USD)?[  ]?\d+(?:[,，.．:：/／~～\-–—×*]\d+)*"
_HAN_NUMBER = "[零〇一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟]{1,16}"
_QUANTITY = (
    rf"(?:第?{_ARABIC}(?:\s?(?:{_UNIT})){{0,3}}){{1,TIMES}}"
    rf"|(?:第?{_HAN_NUMBER}(?:{_UNITS})){{1,TIMES}}"
)
_CHAIN = 4
"""Quantities in a row that are one: 2024年3月5日, 3小时20分钟."""
_GLUED, _SINGLE = (
    re.compile(
        rf"百分之(?:{_HAN_NUMBER}|{_ARABIC})"
        rf"|{_QUANTITY.replace('TIMES', str(times))}"
        r"|[A-Za-z0-9]+(?:[-_.@/][A-Za-z0-9]+)*"
    )
    for times in (_CHAIN, 1)
)
_JOINERS = frozenset("\u200d\ufe0e\ufe0f\u20e3")


def may_cut(text: str, position: int) -> bool:
    """Whether `text` may be cut before the character at `position`."""
    return _is_border(text, position, _GLUED)


def border_before(text: str, position: int, lowest: int) -> int:
    """The last place at or before `position` and above `lowest` where `text` may be cut, even
    if only between two quantities; `position` when there is none."""
    for glued in (_GLUED, _SINGLE):
        for place in range(position, max(lowest, position - _REACH), -1):
            if _is_border(text, place, glued):
                return place
    return position


def _is_border(text: str, position: int, glued: re.Pattern[str]) -> bool:
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if after in _JOINERS or before == "\u200d" or unicodedata.combining(after):
        return False
    low = max(position - _REACH, 0)
    # A number never goes on over a blank line, so the search may begin behind the last one.
    low = max(low, text.rfind("\n\n", low, position) + 1)
    for match in glued.finditer(text, low, min(position + _REACH, len(text))):
        if match.start() >= position:
            return True
        if match.end() > position:
            return False
    return True
