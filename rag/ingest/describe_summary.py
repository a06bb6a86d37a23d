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

from rag.ingest.describe_sentences import is_filler, worth
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
    r"|^[（(].*[）)]$|[:：][^。]*[:：]|^(?:索引号|合同编号|甲方|乙方|丙方)"
    r"|^[^，。]{0,40}(?:19|20)\d{2}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日$|来源\s*[:：]|浏览次数"
)
_BULLET = re.compile(r"^(?:[-*+•·●○▪◆]\s+)+")
_TOLD = ("paragraph", "list", "heading")
_SHORT_HEADING = 12
"""Characters of a heading that may be put before its first sentence; chosen by us."""
_EMPTY_HEADINGS = frozenset(
    """
    总则 附则 罚则 法律责任 概述 产品概述 前言 引言 背景 简介 介绍 说明 其他 维护 售后
    正文 内容 摘要 使用方法 操作步骤 规定 要求 注意事项
    """.split()  # noqa: SIM905
)
"""Headings that add nothing to the sentence below them."""
_PARTY_BLOCKS = 15
_PARTY = re.compile(
    r"((?:甲|乙|丙)方|(?:出租|承租|委托|受托|发包|承包|转让|受让)方|[买卖]方|[供需]方|用人单位|劳动者)"
    r"\s*([（(][^）)]{1,10}[）)])?\s*[:：]\s*([^\s，。；:：]{2,40})"
)
_MOSTLY = 3.0
"""How many times longer than the prose the tables are in a document that is a table."""


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
    sentences = _sentences(blocks, title) if prose else []
    parties = _parties(prose)
    if not sentences:
        return parties
    total = len(sentences)
    worths = [
        worth(sentence, number, total, words) - (0.6 if listed else 0.0)
        for number, (sentence, listed) in enumerate(sentences)
    ]
    ranked = sorted(range(total), key=lambda number: (-worths[number], number))
    kept: list[int] = []
    length = len(parties or "")
    for number in ranked[: 4 * _SENTENCES]:
        sentence = sentences[number][0]
        if kept and (length + len(sentence) > SUMMARY_CHARACTERS or is_filler(sentence)):
            continue
        if any(_alike(sentence, sentences[other][0]) for other in kept):
            continue
        kept.append(number)
        length += len(sentence)
        if len(kept) == _SENTENCES:
            break
    return (parties or "") + "".join(_ended(sentences[number][0]) for number in sorted(kept))


def _sentences(blocks: Sequence[Block], title: str) -> list[tuple[str, bool]]:
    """The sentences that may stand in a summary, and whether each is of a list."""
    found: list[tuple[str, bool]] = []
    heading = ""
    shown = [b for b in blocks if b.kind in _TOLD and b.record_id is None]
    for text, kind in _sampled(shown):
        if kind == "heading":
            heading = _CLAUSE_NUMBER.sub("", " ".join(text.split()))
            continue
        for span in split_sentences(text):
            sentence = _CLAUSE_NUMBER.sub("", _BULLET.sub("", " ".join(span.text.split())))
            shaped = _SHORTEST <= len(sentence) <= _LONGEST and sentence != title
            if shaped and not _NO_STATEMENT.search(sentence):
                found.append((_under(heading, sentence), kind == "list"))
            heading = ""
    return found


def _under(heading: str, sentence: str) -> str:
    """A sentence that needs its heading to be understood, with it: "值班时间：6月1日至…"."""
    short = 2 <= len(heading) <= _SHORT_HEADING and len(sentence) <= 5 * _SHORT_HEADING
    if not short or not _HAN_WORD.fullmatch(heading) or heading in _EMPTY_HEADINGS:
        return sentence
    named = any(heading[i : i + 2] in sentence for i in range(len(heading) - 1))
    return (
        sentence if named or re.match("[^，。]{1,12}[:：]", sentence) else f"{heading}：{sentence}"
    )


def _parties(prose: Sequence[Block]) -> str | None:
    """Who makes a contract: "甲方甲公司，乙方乙公司。"; None where not two are named."""
    lines = [line for block in prose[:_PARTY_BLOCKS] for line in block.text.split("\n")]
    found: dict[str, str] = {}
    for line in lines:
        match = _PARTY.match(" ".join(line.split()))
        if match and match[1] not in found:
            found[match[1]] = f"{match[1]}{match[2] or ''}{match[3]}"
    return "，".join(found.values()) + "。" if len(found) > 1 else None


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
