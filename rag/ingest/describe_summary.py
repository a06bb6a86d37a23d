"""Keywords and an extractive summary, from the document's own words: part of `describe`.

Words count by how often they stand in the text and how rare they are in general Chinese;
sentences by the keywords in them and by their place. Both look at a bounded sample of the
text, so that a long document costs no more than a short one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from rag.text.normalise import normalise
from rag.text.sentences import split_sentences
from rag.text.tokenise import STOP_WORDS, rarity, word_ends
from rag.types import Block

KEYWORDS = 8
"""Keywords of a document; chosen by us, a line on the page."""
SUMMARY_CHARACTERS = 160
"""Aim for the length of a summary; chosen by us, three lines on the page."""
_SAMPLE_CHARACTERS = 12_000
"""Text that is looked at, half from the beginning, half spread over the rest; chosen by us:
about 40 ms."""
_TITLE_WEIGHT, _HEADING_WEIGHT = 6, 2
"""How often a word of the title and of a heading counts; chosen by us."""
_TOGETHER = 0.6
"""Share of its occurrences from which a word that follows another one forms one term with it."""
_SENTENCES = 3
_SHORTEST, _LONGEST = 12, 150
_HAN_WORD = re.compile(r"[一-鿿]{2,8}")
_NAME_WORD = re.compile(r"[a-z][a-z0-9+#.\-]{2,24}")
_GENERAL_WORDS = """
本办 办法 规定 条例 通知 制度 文件 说明 内容 情况 方面 要求 工作 进行 实施
执行 负责 根据 按照 依照 包括 其他 以上 以下 以内 之间 以及 或者 不得 必须
应当 之日 自印发 施行 下列 有下列 所称 第一条 第一章 总则 附则 附件 附录 目录
表格 单位 人员 相应 相关 予以 给予 同时 通过 使用 提供 每月 每年 示例 文本
版本 日期 编号 标题 备注 序号 合计 数为 工作日内
"""
_EMPTY_WORDS = frozenset(_GENERAL_WORDS.split())
"""Words of nearly every rule or form, which tell no document from another."""
_CLAUSE_NUMBER = re.compile(
    r"^(?:第[一二三四五六七八九十百零〇\d]+[条章节款项]\s*|[（(]?[一二三四五六七八九十\d]{1,3}[）)、.．]\s*)"
)
_NO_STATEMENT = re.compile(
    r"^(?:文件编号|文号|编号|发布|印发|来源|作者|电话|地址|邮编|联系|咨询|日期|时间|版本|目录|附件|抄送|主送|关键词)"
    r"[^。]{0,12}[:：]|[:：]$|https?://|^\W*$|[.…·]{4,}\s*\d+$|版权所有|免责声明|仅供|虚构"
    r"|^[（(].*[）)]$|[:：][^。]*[:：]"
)
_BULLET = re.compile(r"^(?:[-*+•·●○▪◆]\s+)+")
_MOSTLY = 3.0
"""How many times longer than the prose the tables are in a document that is a table."""
_LEANING = re.compile(r"但|而且|因此|所以|此外|同时|其中|上述|前款|这|该|It|This")
_PURPOSE = re.compile(
    r"为了?.{4,60}(?:制定|编制|根据)|适用于|本(?:文|手册|报告|指南)[^。]{0,10}介绍|旨在"
)


def keywords(blocks: Sequence[Block], title: str) -> tuple[str, ...]:
    """The words that tell this text from others, the weightiest first, at most `KEYWORDS`."""
    counts: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    plain: Counter[str] = Counter()
    for text, weight in _weighted_texts(blocks, title):
        words = _words(text)
        named = [word for word in words if word]
        counts.update({word: weight * count for word, count in Counter(named).items()})
        plain.update(named)
        pairs.update((one, two) for one, two in pairwise(words) if one and two)
    for (one, two), count in pairs.most_common(40):
        joined = one + two
        rarer = min(plain[one], plain[two])
        if count >= 3 and count >= _TOGETHER * rarer and len(joined) <= 8:
            counts[joined] = int(1.5 * min(counts[one], counts[two]))
    scored = sorted(
        ((count * rarity(word), word) for word, count in counts.items()),
        key=lambda item: (-item[0], item[1]),
    )
    found: list[str] = []
    for _, word in scored:
        if not any(word in other or other in word for other in found):
            found.append(word)
        if len(found) == KEYWORDS:
            break
    return tuple(found)


def summary(blocks: Sequence[Block], words: Sequence[str], title: str = "") -> str | None:
    """One to three sentences of the text that say most of what it is about, in its order.

    Tables alone are named by their columns; files of records have no summary.

    Args:
        words: the document's keywords.
        title: its title, which is no sentence of the summary.
    """
    prose = [b for b in blocks if b.kind in ("paragraph", "list") and b.record_id is None]
    cells = sum(len(block.text) for block in blocks if block.rows and block.record_id is None)
    if cells > _MOSTLY * sum(len(block.text) for block in prose):
        return _of_tables(blocks)
    sentences: list[tuple[str, bool]] = []
    for text, kind in _sampled(prose):
        for span in split_sentences(text):
            sentence = _CLAUSE_NUMBER.sub("", _BULLET.sub("", " ".join(span.text.split())))
            shaped = _SHORTEST <= len(sentence) <= _LONGEST and sentence != title
            if shaped and not _NO_STATEMENT.search(sentence):
                sentences.append((sentence, kind == "list"))
    if not sentences:
        return None
    total = len(sentences)
    worths = [
        _worth(sentence, number, total, words) - (1.0 if listed else 0.0)
        for number, (sentence, listed) in enumerate(sentences)
    ]
    ranked = sorted(range(total), key=lambda number: (-worths[number], number))
    kept: list[int] = []
    length = 0
    for number in ranked[: 4 * _SENTENCES]:
        sentence = sentences[number][0]
        if kept and length + len(sentence) > SUMMARY_CHARACTERS:
            continue
        if any(_alike(sentence, sentences[other][0]) for other in kept):
            continue
        kept.append(number)
        length += len(sentence)
        if len(kept) == _SENTENCES:
            break
    return "".join(_ended(sentences[number][0]) for number in sorted(kept))


def _weighted_texts(blocks: Sequence[Block], title: str) -> Iterable[tuple[str, int]]:
    yield title, _TITLE_WEIGHT
    for text, kind in _sampled(blocks):
        yield text, _HEADING_WEIGHT if kind == "heading" else 1


def _sampled(blocks: Sequence[Block]) -> Iterable[tuple[str, str]]:
    """Texts and kinds of blocks: all of them while they are few, else the beginning and
    then evenly spread ones."""
    total = sum(len(block.text) for block in blocks)
    taken, position = 0, 0
    step = max(1.0, (total - _SAMPLE_CHARACTERS / 2) / (_SAMPLE_CHARACTERS / 2))
    while position < len(blocks) and taken < _SAMPLE_CHARACTERS:
        text = blocks[position].text[:2000]
        yield text, blocks[position].kind
        taken += len(text)
        if taken < _SAMPLE_CHARACTERS / 2 or total <= _SAMPLE_CHARACTERS:
            position += 1
        else:
            position += max(1, round(step))


def _words(text: str) -> list[str]:
    """The words in order; "" where something stands that is no keyword."""
    normal = normalise(text)
    pieces = (normal[start:end].strip() for start, end in pairwise([0, *word_ends(normal)]))
    return [word if _is_telling(word) else "" for word in pieces if word]


def _is_telling(word: str) -> bool:
    shaped = _HAN_WORD.fullmatch(word) or _NAME_WORD.fullmatch(word)
    return shaped is not None and word not in STOP_WORDS and word not in _EMPTY_WORDS


def _worth(sentence: str, number: int, total: int, words: Sequence[str]) -> float:
    text = normalise(sentence)
    held = sum(1.0 / (1 + rank / 4) for rank, word in enumerate(words) if word in text)
    early = 1.5 if number == 0 else 1.0 if number < 5 else 0.5 if number < total / 4 else 0.0
    purpose = 1.5 if number < 12 and _PURPOSE.search(sentence) else 0.0
    # A sentence that leans on the one before it says little alone.
    leaning = 1.0 if _LEANING.match(sentence) else 0.0
    return held + early + purpose - leaning


def _alike(one: str, other: str) -> bool:
    mine, theirs = ({text[i : i + 2] for i in range(len(text) - 1)} for text in (one, other))
    return len(mine & theirs) > 0.6 * min(len(mine), len(theirs))


def _ended(sentence: str) -> str:
    return sentence if sentence[-1] in "。！？!?." else sentence.rstrip("；;，,：:") + "。"


def _of_tables(blocks: Sequence[Block]) -> str | None:
    tables = [block for block in blocks if block.rows and block.record_id is None]
    if not tables:
        return None
    first = tables[0].rows or ()
    columns = "、".join(" ".join(cell.split()) for cell in first[0] if cell.strip())
    count = sum(len(block.rows or ()) - 1 for block in tables)
    return f"表格，列为{columns}，共{count}行。"[:300] if columns and count > 0 else None
