"""Words that exclude each other: 二期 is not 一期, 晚餐 is not 午餐, 停水 is not 停电.

Such words are close in letters and in meaning, so that search and coverage take one for the
other. Each set below holds letters that, in the same place of otherwise equal words, name
different things of one kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rag.text.normalise import normalise

_SETS = (
    "一二三四五六七八九十", "0123456789", "上中下本这今", "上下去本这", "早午晚",
    "早中晚夜", "白夜早晚", "去返回", "往返",
    "水电气网热暖", "大中小", "东南西北", "甲乙丙丁", "左右", "内外", "新旧老", "春夏秋冬", "男女",
    "正负反", "主副", "前后", "收支", "进出", "买卖", "借贷", "长短", "高中低",
    "日周月季年", "父母",
)  # fmt: skip
"""Chosen by us: ordinals, parts of the day, directions, services, sizes, sides, seasons."""
_STEMS = re.compile(
    r"[一二三四五六七八九十0-9]+(?:期|号线|标段|季度|年级|班|批|届|楼|栋|单元|区|车间|组|部|科|级|等|审|稿)|"
    r"[上中下本去今明前后](?:月|周|季度|年度?|旬|半年|午|学期)|(?:早|午|中|晚|夜)(?:餐|饭|班|上|间)|白班|"
    r"(?:去|返|回|往)(?:程|途)|[停供缴交](?:水|电|气|网|热|暖)(?:费)?|(?:大|中|小)[\u4e00-\u9fff]{1,4}|"
    r"[东南西北](?:区|门|楼|院|校区|侧|站)|[甲乙丙丁](?:方|级|类|等|班)|(?:左|右|内|外|前|后)[\u4e00-\u9fff]|"
    r"[新旧老](?:版|址|楼|厂|区|公司|合同|标准)|[春夏秋冬](?:季|装|令营)?|(?:收入|支出|进口|出口|买方|卖方|主任|副主任)"
)
"""Words in which such a letter tells which thing is meant."""


_SIZED = re.compile("[大中小]")
_OF_TIME = re.compile("(?:月|周|季度|学期)$")
_GROUPS = tuple(
    frozenset(group.split())
    for group in (
        "上午 下午 晚上 夜间 凌晨 中午", "白班 夜班 早班 晚班 中班", "早餐 午餐 中餐 晚餐 夜宵",
        "收入 支出", "进口 出口", "甲方 乙方", "去程 返程 回程", "周末 工作日", "单人 双人 多人",
        "全日制 非全日制", "试用期 转正后",
    )
)  # fmt: skip
"""Whole words that exclude each other."""


@lru_cache(maxsize=4096)
def opposed(said: str, question: str) -> str:
    """The word of `question` that a text excludes by a word of its own, or "".

    Args:
        said: what a row, heading or sentence says.
        question: what is asked.

    A word counts when the text has its opposite and not the word itself.
    """
    text, asked = normalise(said), normalise(question)
    for group in _GROUPS:
        mine = [word for word in group if word in asked]
        if len(mine) == 1 and mine[0] not in text and any(w in text for w in group):
            return mine[0]
    for match in _STEMS.finditer(asked):
        for end in range(match.end(), match.start() + 1, -1):
            word = asked[match.start() : end]
            if word not in text and any(o in text and o not in asked for o in _others(word)):
                return word
            if not _SIZED.match(match.group()):
                break
    return ""


@lru_cache(maxsize=4096)
def _others(word: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_exchanged(word)))


def _exchanged(word: str) -> Iterator[str]:
    """The word with one letter exchanged for each other letter of its sets."""
    for index, letter in enumerate(word):
        for group in _SETS:
            if letter not in group:
                continue
            for other in group:
                if other != letter:
                    changed = word[:index] + other + word[index + 1 :]
                    yield changed
                    if index == 0 and _OF_TIME.search(word):
                        yield f"{other}个{word[1:]}"
