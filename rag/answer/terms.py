"""The content terms of a question with weights, and how much of them a text covers.

Weights come from word frequencies of general Chinese (jieba's dictionary), not from the
knowledge base, so that they mean the same in a knowledge base of three lines and in one of
three hundred laws: a rare name weighs about ten times as much as 工作.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rag.answer.asks import without_asking
from rag.text.normalise import HAN, is_han, normalise
from rag.text.numerals import arabic
from rag.text.similar import longest_common_substring
from rag.text.tokenise import codes, query_terms, rarity

PARTIAL_CREDIT = 0.6
"""Most that a term can earn when only pairs of its letters occur; chosen by us."""

_GENERIC = frozenset(
    [
        "规定",
        "要求",
        "内容",
        "情况",
        "问题",
        "方面",
        "方式",
        "标准",
        "相关",
        "办法",
        "事项",
        "介绍",
        "说明",
        "信息",
        "资料",
        "时候",
        "时间",
        "开始",
        "起",
        "钱",
        "进行",
        "属于",
        "存在",
        "主要",
        "一般",
        "通常",
        "目前",
        "现在",
        "最新",
        "今年",
        "去年",
        "明年",
        "新",
        "区别",
        "不同",
        "差别",
        "差异",
        "比较",
        "对比",
        "分别",
        "日期",
        "金额",
        "数量",
        "步骤",
        "流程",
        "具体",
        "中",
        "后",
        "前",
        "等",
        "两个",
        "两",
        "三个",
        "个",
        "年",
        "月",
        "日",
        "天",
        "元",
        "人",
        "含义",
        "意思",
        "定义",
        "原因",
        "包括",
        "多少",
        "地址",
        "电话",
        "名称",
        "名字",
        "叫",
        "有",
        "成为",
        "使用",
        "发生",
        "作为",
        "当时",
        "之后",
        "之前",
        "其中",
        "以后",
        "以前",
        "一种",
        "那里",
        "这里",
    ]
)


RARE_WORD = 0.75
"""Rarity (`rag.text.tokenise`) from which a word may be a name or a part of one."""
_GRAMMAR = (
    "要各是最能会可被把的了在有和与去来到每再还都也就从对将上下里中过得"
    "一二三四五六七八九十两几多少个台位次种只件"
)
"""Letters that stick to unknown words without being part of a name."""
_SYNONYM_GROUPS = (
    "价格 售价 单价 价钱 定价", "工资 薪资 薪水 薪酬", "社保 社会保险", "公积金 住房公积金",
    "住宿费 住宿标准 住宿", "质保 保修", "辞职 离职 解除劳动合同", "电脑 计算机",
    "手机 移动电话", "租房补贴 住房补贴 租赁补贴", "请假 休假", "年假 年休假", "生育假 产假",
    "报销 报账", "发票 票据", "步骤 流程 程序", "材料 资料 文件", "期限 时限 期间",
    "电话 联系方式", "负责 主管", "补助 补贴 津贴", "生效 施行 实施", "废止 失效", "罚款 处罚",
    "员工 职工", "截止 截至", "结婚 婚", "餐补 伙食补助", "充电器 适配器 电源", "坏了 故障",
    "维修 修理", "更换 换", "快递 物流", "密码 口令", "开会 会议", "上市 发布", "工龄 工作年限",
    "办公地点 地址", "本科生 本科毕业生", "硕士生 硕士研究生", "博士生 博士研究生", "涨价 调价",
    "开门 营业 开放", "关门 打烊 闭馆",
)  # fmt: skip
_SYNONYMS = {
    word: tuple(other for other in group.split() if other != word)
    for group in _SYNONYM_GROUPS
    for word in group.split()
}
_SUFFIXES = "期数率额费量人员者度时处地卡证"
"""A word without this last letter says much the same (保修期, 保修)."""
SYNONYM_CREDIT = 0.85
"""What a synonym earns beside the word itself; chosen by us."""
ABBREVIATION_CREDIT = 0.6
"""What 社…保… (each first letter of two words) earns for 社保; chosen by us."""


_COUNTING = "一两三几每各某这那"


_BETWEEN = re.compile(
    r"[的在是和与有为了被把将由于从对等]|[\s，,。？?！!《》“”「」（）()：:、；;]+"
)
"""Letters and marks between the names in a question."""


class Term(NamedTuple):
    """A content term in normalised form. `weight` is 0..1; `name` marks codes and names."""

    text: str
    weight: float
    name: bool = False


@lru_cache(maxsize=1024)
def content_terms(question: str) -> tuple[Term, ...]:
    """The question's terms that an answer should be about, each once, in order."""
    stripped = without_asking(question)
    names = set(codes(stripped))
    names |= {normalise(text) for text in quoted(question)}
    terms: dict[str, Term] = {}
    words = query_terms(stripped)
    joined = _joined(words, normalise(stripped))
    for text in (*(_core(word) for word in joined), *names):
        weight = 1.0 if text in names else _weight(text)
        if weight > 0:
            terms.setdefault(text, Term(text, weight, text in names))
    return tuple(terms.values())


def stretches(question: str) -> list[str]:
    """The question between its grammar and asking words, normalised: 张舒雅, 香港小姐冠军."""
    parts = [part for part in _BETWEEN.split(normalise(without_asking(question))) if part]
    return [part for part in parts if len(part) > 1] or parts


@lru_cache(maxsize=1024)
def rare_names(question: str) -> tuple[str, ...]:
    """Runs of rare words and single letters in the question: what the segmenter takes apart
    (高氏前肛鳗) in one piece again, each at least two letters long."""
    normal = normalise(without_asking(question))
    runs: list[str] = []
    last = ""
    for word in query_terms(normal):
        rare = (len(word) == 1 or rarity(word) >= RARE_WORD) and not word.isdigit()
        if rare and last and last + word in normal:
            last = runs[-1] = last + word
        elif rare:
            last = word
            runs.append(word)
        else:
            last = ""
    cleaned = (run.strip(_GRAMMAR) if all(map(is_han, run)) else run for run in runs)
    return tuple(dict.fromkeys(run for run in cleaned if len(run) > 1))


def held(stretch: str, text: str) -> float:
    """Share of a stretch that stands in the text in one piece, 0..1; single letters are none."""
    run = len(longest_common_substring(stretch, searchable(text)))
    return run / len(stretch) if run > 1 or len(stretch) == 1 else 0.0


def _joined(words: Sequence[str], question: str) -> list[str]:
    """Neighbouring single letters as one word: the segmenter takes 年假 apart."""
    result: list[str] = []
    for word in words:
        last = result[-1] if result else ""
        singles = len(last) == len(word) == 1 and is_han(last) and is_han(word)
        if singles and last + word in question:
            result[-1] = last + word
        else:
            result.append(word)
    return result


@lru_cache(maxsize=1024)
def quoted(question: str) -> tuple[str, ...]:
    """What the question puts into 《》 or quotation marks: titles and literal names."""
    found = re.findall(
        r"《([^《》]{1,60})》|“([^“”]{1,40})”|「([^「」]{1,40})」|\"([^\"]{2,40})\"", question
    )
    return tuple(next(part for part in parts if part) for parts in found)


def coverage(terms: Sequence[Term], text: str) -> float:
    """Share (by weight) of the terms that `text` holds, 0..1; 0 when there are no terms."""
    total = sum(term.weight for term in terms)
    if not total:
        return 0.0
    return sum(term.weight * presence(term.text, text) for term in terms) / total


def presence(term: str, text: str) -> float:
    """1 when the term stands in the text, less when only pairs of its letters do, else 0."""
    searched = searchable(text)
    if term in searched:
        return 1.0
    canonical = arabic(term)
    if canonical != term and canonical in searched:
        return 1.0
    if any(other in searched for other in _SYNONYMS.get(term, ())):
        return SYNONYM_CREDIT
    if not all(map(is_han, term)):
        return 0.0
    if len(term) == 2 and re.search(f"{term[0]}[{HAN}]{term[1]}[{HAN}]", searched):
        return ABBREVIATION_CREDIT
    if len(term) < 3:
        return 0.0
    if term[-1] in _SUFFIXES and term[:-1] in searched:
        return SYNONYM_CREDIT
    pairs = [term[i : i + 2] for i in range(len(term) - 1)]
    return PARTIAL_CREDIT * sum(pair in searched for pair in pairs) / len(pairs)


@lru_cache(maxsize=4096)
def searchable(text: str) -> str:
    """`text` normalised, followed by its form with arabic numerals where that differs."""
    normal = normalise(text)
    digits = arabic(normal)
    return normal if digits == normal else f"{normal}\n{digits}"


def _core(word: str) -> str:
    """A word that the dictionary does not know, without the grammar around it (要交 → 交)."""
    if len(word) < 2 or rarity(word) < 1.0 or not all(map(is_han, word)):
        return word
    return word.strip(_GRAMMAR)


def _weight(term: str) -> float:
    if not term:
        return 0.0
    if term in _GENERIC:
        return 0.12
    if term.isdigit() or (len(term) == 2 and term[0] in _COUNTING):
        return 0.3  # years are the slots' business; 一台, 每晚 only count
    weight = rarity(term)
    # A single letter is mostly the left-over of a word that the segmenter did not know.
    return weight * 0.5 if len(term) == 1 else weight
