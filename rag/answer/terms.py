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
from rag.answer.little_words import LITTLE_WORDS
from rag.answer.spoken import is_empty, plainly, without_modal, yields
from rag.text.formal_words import Expression, expressions, formal_of
from rag.text.normalise import HAN, is_han, normalise
from rag.text.numerals import arabic
from rag.text.similar import longest_common_substring
from rag.text.tokenise import codes, query_terms, rarity

PARTIAL_CREDIT = 0.6
"""Most that a term can earn when only pairs of its letters occur; chosen by us."""


TELLING = 0.35
"""Weight from which a word's absence is worth telling people; chosen by us."""
RARE_LETTER = 0.5
"""Rarity from which a letter is more likely part of a name than grammar (鳗, 舒; not 办, 份)."""
SOFT_SHARE = 0.25
"""Share of its weight with which an absent soft term still counts; chosen by us."""
LONGEST_WHOLE, SOFT_WEIGHT = 4, 0.5
"""Letters and weight of what stands in for the words of a question that has none."""
KIND_BELOW = 0.5
"""Weight below which a noun behind 什么 may be a kind of answer (材料), not a thing (健身房)."""
RARE_WORD = 0.75
"""Rarity (`rag.text.tokenise`) from which a word may be a name or a part of one."""
_GRAMMAR = (
    "趟辆班节批要各是最能会可被把的了在有和与去来到每再还都也就从对将上下里中过得"
    "一二三四五六七八九十两几多少个台位次种只件"
)
_LIGHT = "没给办交做弄搞让叫带买卖用想帮我他她你您咱就号份"
"""Verbs and pronouns that stick to unknown words just so (没拆, 做近视)."""
"""Letters that stick to unknown words without being part of a name."""
_BREAKS = "能没完会要了不还就都再别"
"""Words that never belong to a name that the segmenter took apart (年假|没|休)."""
_SYNONYM_GROUPS = (
    "价格 售价 单价 价钱 定价", "工资 薪资 薪水 薪酬", "社保 社会保险", "公积金 住房公积金",
    "住宿费 住宿标准 住宿", "质保 保修", "辞职 离职 解除劳动合同 离开", "电脑 计算机",
    "手机 移动电话", "租房补贴 住房补贴 租赁补贴", "请假 休假", "年假 年休假", "生育假 产假",
    "报销 报账", "发票 票据", "步骤 流程 程序", "材料 资料 文件", "期限 时限 期间",
    "电话 联系方式", "负责 主管", "补助 补贴 津贴", "生效 施行 实施", "废止 失效", "罚款 处罚",
    "员工 职工", "截止 截至", "结婚 婚", "餐补 伙食补助", "充电器 适配器 电源", "坏了 故障",
    "维修 修理", "更换 换", "快递 物流", "密码 口令", "开会 会议", "上市 发布", "工龄 工作年限",
    "办公地点 地址", "本科生 本科毕业生", "硕士生 硕士研究生", "博士生 博士研究生",
    "涨价 调价 提价 上调 价格调整",
    "开门 营业 开放", "关门 打烊 闭馆", "礼拜天 星期天 星期日 周日", "弄丢 丢失 遗失 丢了 丢",
    "逾期 超期 过期", "学校 院校 毕业院校", "wifi 无线网络 无线网 wi-fi",
    "医保 医疗保险 职工医保", "剖腹产 剖宫产", "名字 名称", "付款 支付 付清", "交 缴",
    "到期 届满 期满", "户口 户籍",
    "费用 收费 价格", "损坏 破损 弄坏", "退还 退回 返还", "厂里 厂区 工厂", "报到 入职",
)  # fmt: skip
_SYNONYMS = {
    word: tuple(other for other in group.split() if other != word)
    for group in _SYNONYM_GROUPS
    for word in group.split()
}
_SUFFIXES = "期数率额费量人员者度时处地卡证房馆店厂所院号险"
"""A word without this last letter says much the same (保修期, 保修)."""
SYNONYM_CREDIT = 0.85
"""What a synonym earns beside the word itself; chosen by us."""
ABBREVIATION_CREDIT = 0.6
"""What 社…保… (each first letter of two words) earns for 社保; chosen by us."""


_COUNTING = "一两三几每各某这那"
_COUNTED = re.compile(rf"\d+(?:\.\d+)?[{HAN}]{{0,2}}")


_WEEKDAY = re.compile("(?:周|星期|礼拜)([一二三四五六日天末])")
_FROM_TODAY = re.compile(
    "(?:[上下这本]|这个|上个|下个)(?:周|星期|礼拜|月|季度|学期)[一二三四五六日天末初底]?|今明两天|大?[前后]天|[今明]晚|[今明]早"
)
"""Days as people count them from today, which no document does."""
_OTHER_DAYS = re.compile("(?:周|星期|礼拜)[一二三四五六日天末]|每[天日]")
_ORDINAL = re.compile(rf"第(\d+)([{HAN}])")
_BETWEEN = re.compile(
    r"[的在是和与有为了被把将由于从对等]|[\s，,。？?！!《》“”「」（）()：:、；;]+"
)
"""Letters and marks between the names in a question."""


class Term(NamedTuple):
    """A content term in normalised form.

    `weight` is 0..1; `name` marks codes and quoted names. `soft` marks what may be no word at
    all (the segmenter's 办年 in 办年卡): where a text holds it that counts, where not, hardly.
    """

    text: str
    weight: float
    name: bool = False
    soft: bool = False


@lru_cache(maxsize=1024)
def content_terms(question: str) -> tuple[Term, ...]:
    """The question's terms that an answer should be about, each once, in order."""
    stripped = without_asking(plainly(question))
    names = set(codes(stripped))
    names |= {normalise(text) for text in quoted(question)}
    terms: dict[str, Term] = {}
    normal = normalise(stripped)
    everyday = {one.word: one.formal for one in expressions(normal)}
    for word in _in_everyday(_joined(_known(query_terms(stripped), normal), normal), normal):
        whole = word in names or word in everyday
        text = word if whole else _core(without_modal(word))
        weight = 1.0 if text in names else _weight(text)
        if word in everyday and rarity(word) >= 1.0:
            weight = min(weight, rarity(everyday[word][0]))
        if weight > 0:
            soft = text not in names and (yields(text) or not _sure(text))
            soft = soft or (weight < KIND_BELOW and _is_kind(text, question))
            terms.setdefault(text, Term(text, weight, text in names, soft))
    for text in names:
        terms[text] = Term(text, 1.0, True)
    if not terms:  # 过号 is grammar by its letters
        parts = [part for part in stretches(question) if 1 < len(part) <= LONGEST_WHOLE]
        parts = [part for part in parts if part not in LITTLE_WORDS and not is_empty(part)]
        terms = {part: Term(part, SOFT_WEIGHT, False, True) for part in parts}
    return tuple(terms.values())


def _in_everyday(words: Sequence[str], question: str) -> list[str]:
    """The words, with an everyday one that the segmenter took apart (修, 不好) in one piece."""
    apart = [e for e in expressions(question) if not _is_made_of_words(e, words)]
    result: list[str] = []
    at, last = 0, None
    for word in words:
        found = question.find(word, at)
        if found < 0:
            result.append(word)
            continue
        at, end = found + len(word), found + len(word)
        one = next((e for e in apart if e.start < end and found < e.end), None)
        if one is None:
            result.append(word)
        elif one is not last:
            result.append(one.word)
        last = one
    return result


def _is_made_of_words(one: Expression, words: Sequence[str]) -> bool:
    """Whether an everyday word is two words that tell something each (工牌丢了)."""
    telling = [word for word in words if len(word) > 1 and word in one.word]
    return sum(_weight(word) >= TELLING for word in telling) > 1


def _is_kind(word: str, question: str) -> bool:
    """Whether a word only says of what kind the answer is (材料 in 什么材料)."""
    return bool(re.search(f"(?:什么|啥|哪些|哪种|哪类|哪几[种个项]){re.escape(word)}", question))


def lost_words(question: str, text: str) -> list[str]:
    """Words and names of the question of which `text` holds nothing, as the question wrote
    them; only what is a word, a name or a code, and tells something."""
    lost = [
        term.text
        for term in content_terms(question)
        if not term.soft and term.weight >= TELLING and not presence(term.text, text)
    ]
    typed = {word.lower(): word for word in re.findall(r"[A-Za-z0-9][A-Za-z0-9_\-./]*", question)}
    whole = [word for word in lost if not any(word != o and word in o for o in lost)]
    return [typed.get(word, word) for word in whole]


def stretches(question: str) -> list[str]:
    """The question between its grammar and asking words, normalised: 张舒雅, 香港小姐冠军."""
    plain = normalise(without_asking(plainly(question)))
    parts = [part for part in _BETWEEN.split(plain) if part]
    return [part for part in parts if len(part) > 1] or parts


@lru_cache(maxsize=1024)
def rare_names(question: str) -> tuple[str, ...]:
    """Runs of rare words and single letters in the question: what the segmenter takes apart
    (高氏前肛鳗) in one piece again, each at least two letters long."""
    normal = normalise(without_asking(plainly(question)))
    runs: list[str] = []
    last = ""
    for word in _unbroken(query_terms(normal)):
        known = word in _BREAKS or word in LITTLE_WORDS or without_modal(word) != word
        known = known or is_empty(word) or yields(word)
        rare = (len(word) == 1 or rarity(word) >= RARE_WORD) and not (known or word.isdigit())
        if rare and last and last + word in normal:
            last = runs[-1] = last + word
        elif rare:
            last = word
            runs.append(word)
        else:
            last = ""
    cleaned = (run.strip(_GRAMMAR) if all(map(is_han, run)) else run for run in runs)
    return tuple(dict.fromkeys(run for run in cleaned if len(run) > 1))


def _unbroken(words: Sequence[str]) -> list[str]:
    """Unknown words in the parts between grammar that the segmenter took in (能延保)."""
    parts: list[str] = []
    for word in words:
        unknown = rarity(word) >= 1.0 and all(map(is_han, word))
        parts += re.split(f"([{''.join(_BREAKS)}])", word) if unknown else [word]
    return [part for part in parts if part]


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
    held_by = [(term, presence(term.text, text)) for term in terms]
    total = sum(counted(term, share) for term, share in held_by)
    if not total:
        return 0.0
    return sum(term.weight * share for term, share in held_by) / total


def counted(term: Term, share: float) -> float:
    """What a term weighs where a text holds `share` (0..1) of it: soft ones less when absent."""
    return term.weight * max(share, SOFT_SHARE) if term.soft else term.weight


@lru_cache(maxsize=16384)
def presence(term: str, text: str) -> float:
    """1 when the term stands in the text, less when only pairs of its letters do, else 0."""
    searched = searchable(text)
    if term in searched:
        return 1.0
    canonical = arabic(term)
    if canonical != term and canonical in searched:
        return 1.0
    ordinal = _ORDINAL.fullmatch(term)
    if ordinal and _in_cells(ordinal, text):
        return SYNONYM_CREDIT
    weekday = _WEEKDAY.fullmatch(term)
    if weekday:
        return _weekday(weekday[1], searched)
    if any(other in searched for other in _other_words(term)):
        return SYNONYM_CREDIT
    if not all(map(is_han, term)):
        return 0.0
    if len(term) == 2 and _spelt_out(term, searched):
        return ABBREVIATION_CREDIT
    if len(term) < 3:
        return 0.0
    if term[-1] in _SUFFIXES and term[:-1] in searched:
        return SYNONYM_CREDIT
    pairs = [term[i : i + 2] for i in range(len(term) - 1)]
    return PARTIAL_CREDIT * sum(pair in searched for pair in pairs) / len(pairs)


def _spelt_out(short: str, text: str) -> bool:
    """Whether two words stand side by side whose first letters are `short` (社会保险, 社保)."""
    at = text.find(short[0])
    while at >= 0:
        spelt = text[at : at + 4]
        if len(spelt) == 4 and spelt[2] == short[1] and is_han(spelt[1]) and is_han(spelt[3]):
            return True
        at = text.find(short[0], at + 1)
    return False


def _in_cells(ordinal: re.Match[str], text: str) -> bool:
    """Whether a table has the number of 第4节 as a cell and its unit in a column's name."""
    cell = re.search(rf"(?:^|[|；;：:])\s*{ordinal[1]}\s*(?:$|[|；;])", text, re.M)
    return bool(cell) and ordinal[2] in text


@lru_cache(maxsize=4096)
def _other_words(term: str) -> tuple[str, ...]:
    """Synonyms of a term, and what documents write for an everyday word."""
    return (*_SYNONYMS.get(term, ()), *formal_of(term))


def _weekday(day: str, searched: str) -> float:
    """礼拜一 is 周一; a text that speaks of other weekdays may include it (周一至周五)."""
    if re.search(f"(?:周|星期|礼拜){day}", searched):
        return 1.0
    return (
        PARTIAL_CREDIT
        if re.search("(?:周|星期|礼拜)[一二三四五六日天末]|每[天日]", searched)
        else 0.0
    )


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
    bare = word.strip(_GRAMMAR + _LIGHT)
    return bare if len(bare) > 1 or len(word) == 2 else word


def _sure(term: str) -> bool:
    """Whether a term is a word of the dictionary, a code or number, or looks like a name."""
    if rarity(term) < 1.0 or not all(map(is_han, term)):
        return True
    return any(rarity(letter) >= RARE_LETTER for letter in term)


def _known(words: Sequence[str], question: str) -> list[str]:
    """Unknown words in favour of the dictionary's words across their borders: 会, 员卡 is 会员,
    卡 and 延误险 is 延误, 险."""
    result: list[str] = []
    for word in words:
        if len(word) < 2 or rarity(word) < 1.0 or not all(map(is_han, word)):
            result.append(word)
            continue
        at = question.find(word)
        left = max(0, at - 1)
        window = question[left : at + len(word) + 1]
        inside = _words_in(window, at - left, at - left + len(word))
        result += inside if _replaces(word, inside) else [word]
    return result


def _words_in(window: str, start: int, end: int) -> list[str]:
    """Words of the dictionary of two letters or more that reach into `window[start:end]`, the
    longest first, without overlaps."""
    spans = [
        (i, j)
        for i in range(len(window))
        for j in range(i + 2, len(window) + 1)
        if j > start and i < end and _is_word(window[i:j])
    ]
    taken: list[tuple[int, int]] = []
    for i, j in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(j <= a or i >= b for a, b in taken):
            taken.append((i, j))
    return [window[i:j] for i, j in sorted(taken)]


def _is_word(text: str) -> bool:
    return rarity(text) < 1.0 or text in LITTLE_WORDS


def _replaces(word: str, inside: Sequence[str]) -> bool:
    """Whether known words stand for an unknown one: names with rare letters stay whole."""
    left = word
    for known in inside:
        left = left.replace(known, "")
    return bool(inside) and not any(rarity(letter) >= RARE_LETTER for letter in left)


def _weight(term: str) -> float:
    if not term:
        return 0.0
    if term in LITTLE_WORDS or is_empty(term):
        return 0.12
    if _COUNTED.fullmatch(term) or (len(term) == 2 and term[0] in _COUNTING):
        return 0.15  # years are the slots' business; 一台, 每晚 only count
    if _FROM_TODAY.fullmatch(term):
        return 0.12
    if _WEEKDAY.fullmatch(term):
        return 0.3  # often inside a range that does not name it
    weight = rarity(term)
    # A single letter is mostly the left-over of a word that the segmenter did not know.
    return weight * 0.5 if len(term) == 1 else weight
