"""Runs of noun-like words: where their name ends, and what behind it is no part of it."""

from __future__ import annotations

import re

from rag.understand import lexicon
from rag.understand.tokens import NOUN_ENDS, Token

_PAPERS = lexicon.words_of("证明 凭证 单据 表格 表 证件 证书 附件 模板")


def without_relations(tokens: list[Token]) -> list[Token]:
    """The run up to its relational nouns, its measures gone too (社保断缴三个月)."""
    tail = list(tokens)
    if len(tail) > 1 and tail[-1].tag == "a" and tail[-2].role == "rel" and len(tail[-1].text) == 1:
        tail.pop()  # 发的时间长
    while tail and (tail[-1].role in ("rel", "of") or (tail[-1].tag == "m" and len(tail) > 1)):
        if tail[-1].text in _PAPERS and len(tail) > 1 and tail[-2].tag[0] == "v":
            break  # 离职证明 is a thing, 离职手续 is of 离职
        if tail[-1].tag == "m" and not _MEASURED.fullmatch(tail[-1].text):
            break
        tail.pop()
    return tail


_MEASURED = re.compile(r"[\d一二两三四五六七八九十百千半]+(?:个|次)?")


def drop_predicate(run: list[Token]) -> None:
    """End a run before its predicate and the time with it: 故宫 of 故宫周一开门."""
    if len(run) > 2 and FOR_EACH.fullmatch(run[-2].text + run[-1].text):
        del run[-2:]  # 伙食费一学期多少
    while len(run) > 1 and _is_bare_verb(run[-1]):
        run.pop()  # 胶囊饭前吃
        while len(run) > 1 and run[-1].tag == "t":
            run.pop()
    times = [i for i, token in enumerate(run) if i and token.tag == "t"]
    if times and times[0] + 1 < len(run):
        behind = run[times[0] + 1 :]
        named = behind[-1].text in NOUN_ENDS and len(behind) > 1  # 今年离职率
        if not named and all(t.tag[0] == "v" and t.tag != "vn" for t in behind):
            del run[times[0] :]


def _is_bare_verb(token: Token) -> bool:
    """Whether a word is a verb of one letter that ends no noun."""
    return len(token.text) == 1 and token.tag == "v" and token.text not in NOUN_ENDS


REPORTED = re.compile(
    r"(?:显示|提示|报错|报|出现|弹出|跳出|写着|写的|亮着)(?:了|的|是|(?:错误|故障)(?!代码)|信息|码)*"
    r"(?P<code>[A-Za-z]{1,2}-?\d{1,4}(?![\dA-Za-z-])|(?:错误|故障)?代码\d{1,5}(?!\d))"
)
"""A code that a device shows: the screen and the showing are no part of what it is about."""

_NUMBERED = re.compile(r"(?:错误|故障)代码[A-Za-z]{0,2}\d{1,5}(?!\d)")


def reported_code(text: str) -> str:
    """The code that `text` reports, "" where it names a model before it or none."""
    if named := _NUMBERED.search(text):
        return named.group()
    match = REPORTED.search(text)
    return match["code"] if match and not re.search(r"[A-Za-z]\d", text[: match.start()]) else ""


LAMP = re.compile(r"(?:状态|指示|电源|信号|[红黄绿蓝橙白])?灯$")
"""A lamp of the device that is named before it."""
FOR_EACH = re.compile(r"[一每半](?:个)?(?:学期|学年|季度|年度|工作日|星期)")
"""一学期最多请几次: for how long something is counted, no topic."""


def drop_asked_verb(run: list[Token], behind: Token) -> None:
    """End a run before the verb that the question is about: 事假扣钱吗, 路由器重启的时候."""
    words = [t for t in run if t.role != "of"] if behind.text in _WHILE else run
    if len(words) < 2 or (behind.text not in _WHILE and behind.text not in _YES_OR_NO):
        return
    before, last = words[-2:]
    if last.tag != "v" or len(last.text) < 2 or last.text in lexicon.EVENTS:
        return
    if before.tag[0] == "n" and len(before.text) > 1:
        del run[run.index(last) :]


_WHILE = lexicon.words_of("时候 时")
_YES_OR_NO = lexicon.words_of("吗 么 不 嘛 没")
_APPLICANTS = lexicon.words_of("""
硕士 博士 本科 大专 毕业生 应届生 研究生 本科生 大学生 学生 新生 员工 职工 实习生 外籍 家属 子女
配偶 儿童 老人 孕妇
""")
GRANTED = re.compile(
    r"(?:补贴|津贴|补助|奖励|工资|奖学金|助学金|学费|[^罚资基现]金|[年病婚产事丧]假|待遇|公寓)$"
)
"""Endings of what people are granted or pay: behind them the group is no part of the name."""


def is_granted_to(run: list[Token]) -> bool:
    """Whether a run names what is granted and then to whom: 租房补贴硕士."""
    return len(run) > 1 and run[-1].text in _APPLICANTS and bool(GRANTED.search(run[-2].text))
