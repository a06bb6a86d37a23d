"""Another wording of a question for the search: abbreviations spelled out, formal words.

Colloquial questions meet passages in official language better in that language. A question
for an exact thing (a code, a document's number, a title) is never reworded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.text.formal_words import expressions, formal_words, is_shared
from rag.text.normalise import normalise
from rag.types import KnowledgeProfile, Understanding
from rag.understand.gazetteer import gazetteer
from rag.understand.slots import codes, quoted_titles
from rag.understand.words import words

_ABBREVIATIONS = """
五险一金 社会保险和住房公积金
五险 社会保险
三险一金 社会保险和住房公积金
个税 个人所得税
企税 企业所得税
增值税专票 增值税专用发票
专票 增值税专用发票
普票 增值税普通发票
公积金 住房公积金
社保卡 社会保障卡
社保 社会保险
医保 医疗保险
养老金 养老保险待遇
低保 最低生活保障
民诉 民事诉讼
刑诉 刑事诉讼
劳动仲裁 劳动争议仲裁
招投标 招标投标
高管 高级管理人员
董监高 董事、监事、高级管理人员
股东会 股东大会
环评 环境影响评价
安评 安全评价
消防验收 建设工程消防验收
食安 食品安全
知产 知识产权
版权 著作权
双休 每周休息两日
调休 安排补休
试工 试用期
竞业 竞业限制
工伤 工伤事故
体检 健康检查
年审 年度审验
年检 年度检验
行驶证 机动车行驶证
驾照 机动车驾驶证
身份证 居民身份证
房产证 不动产权证书
房本 不动产权证书
学区房 学区
幼升小 小学入学
小升初 初中入学
高考 普通高等学校招生全国统一考试
考研 硕士研究生入学考试
研发 研究开发
质保 质量保证
售后 售后服务
开机 启动
关机 关闭电源
"""
"""Short forms and what documents write for them (general knowledge, chosen by us)."""


def _pairs() -> dict[str, str]:
    pairs = (line.split() for line in _ABBREVIATIONS.strip().splitlines())
    return {short: long for short, long in pairs if short != long}


_SPELLED = _pairs()
_COLLOQUIAL = re.compile(
    "咋|啥|怎么办|怎么弄|怎么搞|怎么整|行不行|好不好|可不可以|能不能|要不要|划算|靠谱|有没有用|算不算|找谁"
    "|会不会|不给|不让|跑路|坑|倒霉|凭什么|干嘛|合不合理|合理吗|合法吗"
)
MOST_REPLACED = 4
"""Words replaced in one question; more would make another question of it (chosen by us)."""


def wordings(question: str, profile: KnowledgeProfile | None = None) -> tuple[str, ...]:
    """Other wordings of a completed question, at most one.

    None where nothing is to be put formally or the question asks for an exact thing. A word
    that stands in the titles and headings of the profile is the documents' own: it stays.
    """
    if codes(question) or quoted_titles(question):
        return ()
    text = normalise(question)
    own = gazetteer(profile).names if profile else ""
    made, replaced = [], 0
    for token, formal in _tokens(text):
        other = _SPELLED.get(token) or ("" if is_shared(token) else formal)
        if other and other not in text and token not in own and replaced < MOST_REPLACED:
            made.append(other)
            replaced += 1
        else:
            made.append(token)
    return ("".join(made),) if replaced else ()


def is_vague(meaning: Understanding, profile: KnowledgeProfile | None = None) -> bool:
    """Whether a question is put colloquially or says little, so that an imagined answer helps.

    Never where it names an exact thing, nor where nothing is searched.
    """
    question = meaning.standalone_question
    slots = meaning.slots
    if meaning.route != "knowledge" or meaning.intent == "out_of_scope":
        return False
    if slots.number or slots.product or codes(question) or quoted_titles(question):
        return False
    return bool(_COLLOQUIAL.search(question)) or bool(wordings(question, profile))


def _tokens(text: str) -> list[tuple[str, str]]:
    """The words of a normalised question in order, everyday ones in one piece, each with its
    first formal word or ""."""
    found: list[tuple[str, str]] = []
    last = 0
    for one in expressions(text):
        found += _between(text[last : one.start])
        found.append((one.word, one.formal[0] if one.formal else ""))
        last = one.end
    return found + _between(text[last:])


def _between(text: str) -> list[tuple[str, str]]:
    tokens = _halved(words(text))
    formal = formal_words(text, tokens)
    return [(token, next(iter(formal.get(token, ())), "")) for token in _merged(tokens)]


def _halved(tokens: Sequence[str]) -> tuple[str, ...]:
    """The words, those of four letters in halves where one of them is an everyday word."""
    parts: list[str] = []
    for token in tokens:
        halves = (token[:2], token[2:])
        known = len(token) == 4 and formal_words("", halves)
        parts += halves if known and not formal_words("", (token,)) else (token,)
    return tuple(parts)


def _merged(tokens: tuple[str, ...]) -> list[str]:
    """The words, with neighbours joined where together they are a known short form."""
    merged: list[str] = []
    position = 0
    while position < len(tokens):
        for length in (3, 2):
            joined = "".join(tokens[position : position + length])
            if joined in _SPELLED and position + length <= len(tokens):
                merged.append(joined)
                position += length
                break
        else:
            merged.append(tokens[position])
            position += 1
    return merged
