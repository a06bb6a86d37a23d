"""Columns that are alternatives (一类城市 / 二类城市, 男 / 女) and texts that say what each covers.

A price list has a column for each class of city; another table, or a sentence, says which city
is of which class. Who asks by the city's name means the column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rag.text.normalise import normalise

LONGEST_OWN = 6
"""Letters in which the names of two alternatives may differ; chosen by us."""
LEAST_GIVEN = 2
"""Letters of a member's name that a question must give."""
_UNIT = re.compile(r"[（(](.*?)[)）]")
_CODE = re.compile(r"(?=.*\d)[a-z0-9][a-z0-9.\-_/]*")
_OPPOSITES = tuple(
    frozenset(group.split())
    for group in (
        "男 女 男性 女性 男生 女生",
        "工作日 周末 节假日 法定节假日 平日 假日 休息日",
        "成人 儿童 老人 学生 少儿",
        "白班 夜班 早班 中班 晚班",
        "旺季 淡季 平季",
        "会员 非会员",
        "在职 退休",
        "上午 下午 晚上",
        "春季 夏季 秋季 冬季",
        "市内 省内 省外",
        "线上 线下",
    )
)
_SAYS = r"(?:是指|是|系指|特指|指的是|指|包括|包含|包括有|含|为|有|即|：|:|（|\()"
_BELONGS = r"(?:均?属于?|属|列[为入]|划[为入]|均?为|是|按|执行|算)"
_MEMBERS = re.compile(r"[、，,；;/\s]+|以及|和|及|与|或者?")
_SUFFIX = re.compile(r"(?:等地?区?|省|市|县)$")
_REST = re.compile(
    r"除.{0,12}?(?:以外|之外|外)|其他|其它|其余|未列[入明出]|未在?.{0,4}列|以上均?不|余下"
)
_SENTENCE = re.compile(r"[^。！？!?\n]+[。！？!?]?")
_RULE = re.compile(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+")


class Defined(NamedTuple):
    """A line or sentence, `text[start:end]`, that says which things are of the class `name`.

    `member` is the one that the question names, "" where the class is of all the rest.
    `members` are all that were listed of any class there, as written.
    """

    name: str
    start: int
    end: int
    member: str
    members: tuple[str, ...]


def bare(column: str) -> str:
    """A column's name without its unit: 一类城市 of 一类城市（元/晚）."""
    return _UNIT.sub("", column).strip()


@lru_cache(maxsize=1024)
def alternatives(header: tuple[str, ...]) -> tuple[int, ...]:
    """Which columns are alternatives of each other: the largest group, or () without one.

    They share a unit and a part of their names, or are codes of one kind, or opposites.
    The first column names the rows and is none of them.
    """
    best: list[int] = []
    for first in range(1, len(header)):
        alike = [first]
        alike += [i for i in range(first + 1, len(header)) if _alike(header[first], header[i])]
        if len(alike) > max(1, len(best)):
            best = alike
    return tuple(best)


def _alike(left: str, right: str) -> bool:
    mine, other = normalise(bare(left)), normalise(bare(right))
    if not mine or not other or mine == other or _units(left) != _units(right):
        return False
    if _CODE.fullmatch(mine) and _CODE.fullmatch(other):
        return True
    if any(mine in group and other in group for group in _OPPOSITES):
        return True
    start = _shared(mine, other)
    end = _shared(mine[start:][::-1], other[start:][::-1])
    own = max(len(mine), len(other)) - start - end
    shared = start + end
    return (shared >= 2 and own <= min(LONGEST_OWN, max(2, shared))) or (
        shared == 1 and end == 1 and len(mine) == len(other) == 3 and bool(_units(left))
    )


def _units(column: str) -> tuple[str, ...]:
    return tuple(_UNIT.findall(column))


def _shared(left: str, right: str) -> int:
    count = 0
    for mine, other in zip(left, right, strict=False):
        if mine != other:
            break
        count += 1
    return count


def defined(names: Sequence[str], question: str, text: str) -> Defined | None:
    """The place in `text` that says of which class a thing is that the question names.

    Args:
        names: what the classes are called.
        question: as it was asked.

    The class of all the rest is never given here; see `rest`.
    """
    asked = normalise(question)
    best: Defined | None = None
    for one, listed in _definitions(tuple(names), text):
        named = max((m for m in listed if _named(m, asked)), key=len, default="")
        named = named or next((m for m in listed if _begun(m, listed, asked)), "")
        if named and (best is None or len(named) > len(best.member)):
            best = one._replace(member=named)
    return best


def rest(names: Sequence[str], text: str) -> Defined | None:
    """The place in `text` that says which class has all that no other class lists."""
    found = list(_definitions(tuple(names), text))
    for one, listed in found:
        others = tuple(m for other, their in found if other.name != one.name for m in their)
        if any(_REST.search(m) for m in listed) and len(others) > 1:
            return one._replace(members=others)
    return None


def defines(names: Sequence[str], text: str) -> bool:
    """Whether a text says of at least two classes what they cover."""
    return len({one.name for one, _ in _definitions(tuple(names), text)}) > 1


def _named(member: str, asked: str) -> bool:
    """Whether the question names a member in full."""
    name = _SUFFIX.sub("", normalise(member))
    if len(name) < LEAST_GIVEN or _REST.search(member):
        return False
    if _CODE.fullmatch(name):
        return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", asked) is not None
    return name in asked


def _begun(member: str, listed: Sequence[str], asked: str) -> bool:
    """Whether the question names a member by the beginning that it alone has (重症)."""
    name = normalise(member)
    begin = name[:LEAST_GIVEN]
    alone = sum(normalise(other).startswith(begin) for other in listed) == 1
    long = len(name) >= 2 * LEAST_GIVEN and not _REST.search(member) and begin.isalpha()
    return long and alone and not begin.isascii() and begin in asked


@lru_cache(maxsize=512)
def _definitions(names: tuple[str, ...], text: str) -> tuple[tuple[Defined, tuple[str, ...]], ...]:
    """Each statement of what a class covers, with its members as written."""
    return tuple(_all_definitions(names, text))


def _all_definitions(
    names: tuple[str, ...], text: str
) -> Iterator[tuple[Defined, tuple[str, ...]]]:
    start = 0
    for line in text.split("\n"):
        if line.lstrip().startswith("|"):
            if not _RULE.match(line):
                yield from _of_row(names, line, start)
        else:
            for match in _SENTENCE.finditer(line):
                yield from _of_sentence(names, match.group(), start + match.start())
        start += len(line) + 1


def _of_row(
    names: Sequence[str], line: str, start: int
) -> Iterator[tuple[Defined, tuple[str, ...]]]:
    """一类城市 | 北京、上海、广州、深圳: a row whose one cell is the class."""
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    mine = [name for name in names if cells and _same(cells[0], name)]
    if len(mine) != 1 or len(cells) < 2:
        return
    listed = max((_members(cell) for cell in cells[1:]), key=len)
    if listed and not all(re.fullmatch(r"[\d.,%]+", m) for m in listed):
        yield Defined(mine[0], start, start + len(line), "", ()), listed


def _same(cell: str, name: str) -> bool:
    mine, other = normalise(bare(cell)), normalise(name)
    return bool(mine) and (mine == other or (len(mine) > 1 and other.startswith(mine)))


def _of_sentence(
    names: Sequence[str], sentence: str, start: int
) -> Iterator[tuple[Defined, tuple[str, ...]]]:
    places = sorted(
        (match.start(), match.end(), name)
        for name in names
        for match in re.finditer(_written(name), sentence)
    )
    stop = start + len(sentence)
    for index, (low, high, name) in enumerate(places):
        following = places[index + 1][0] if index + 1 < len(places) else len(sentence)
        after = re.match(rf"\s*{_SAYS}", sentence[high:])
        if after:
            said = re.split("[；;。]", sentence[high + after.end() : following])[0]
            yield Defined(name, start, stop, "", ()), _members(said)
            continue
        before_from = places[index - 1][1] if index else 0
        before = re.split("[；;。：:]", sentence[before_from:low])[-1]
        belongs = re.search(rf"{_BELONGS}\s*$", before)
        if belongs:
            yield Defined(name, start, stop, "", ()), _members(before[: belongs.start()])


def _written(name: str) -> str:
    """A class's name, or its beginning that ends in 类, 级, 档, 区, 等: 一类 for 一类城市."""
    short = re.match(r"(.{1,3}?[类级档区等])(?=.)", name)
    longest = re.escape(name)
    return f"{longest}|{re.escape(short[1])}" if short and len(short[1]) > 1 else longest


def _members(text: str) -> tuple[str, ...]:
    parts = (part.strip(" 。，、；;：:（）()“”") for part in _MEMBERS.split(text))
    return tuple(part for part in parts if part)
