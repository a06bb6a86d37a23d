"""The form of a question back, and the one about what the question is about at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag.text.normalise import normalise
from rag.text.similar import longest_common_substring
from rag.types import Clarification, ClarificationOption, Hit, Slots, Turn, Understanding
from rag.understand.breadth import wants_many
from rag.understand.candidates import AS_GOOD, ENOUGH, passage_coverage, siblings
from rag.understand.dialogue import Dialogue, Exchange
from rag.understand.gazetteer import Entry, Gazetteer, bare_title
from rag.understand.lexicon import ACTIONS, ASKING, AUXILIARIES, TOPICAL_ACTIONS, words_of
from rag.understand.phrases import plain_noun, topic
from rag.understand.refer import resolve
from rag.understand.words import words

Probe = Callable[[str, Slots], Sequence[Hit]]

MOST_OPTIONS = 5
"""Options from the data; one for all of them follows."""
ALL_OF_THEM = "都看看"
_SURE_WHEN_ASKING = 0.6
"""Confidence of an understanding that lacks a value (chosen by us)."""
_SHORTEST = 3
"""Letters of a matter's name; fewer tell nothing (chosen by us)."""
_TURNS_BACK, _MOST_TOPICS = 4, 2
"""The user's last questions whose topics are options, and how many of them (chosen by us)."""
_MIXED = re.compile("常见问题|常见问答|问答|faq|q&a", re.I)
"""Titles of collections, which are about no one thing."""
GENERAL_NOUNS = words_of("""
政策 规定 制度 流程 标准 手续 材料 条件 要求 费用 价格 时间 日期 期限 办法 文件 待遇 金额 额度 钱
电话 地址 联系方式 联系 步骤 程序 方法 方式 规则 细则 内容 情况 信息 资料 事项 问题 具体 相关 需要
时候 生效 审批 负责人 部门 人员 范围 对象 比例 周期 有效期 方面 东西 事 详细 说明书 手册
""")
"""Nouns that every other document has: alone they name no subject."""


def with_clarification(meaning: Understanding, clarification: Clarification) -> Understanding:
    """The understanding of a question that is asked back about before anything is answered."""
    return meaning.model_copy(
        update={
            "needs_clarification": True,
            "clarification": clarification,
            "missing_slots": (clarification.slot,),
            "route": "clarify",
            "strategy": "clarify",
            "confidence": min(meaning.confidence, _SURE_WHEN_ASKING),
        }
    )


def too_broad(meaning: Understanding) -> bool:
    """Whether a question names no subject at all ("标准是多少？"), nor asks for a list."""
    question = meaning.standalone_question
    named = {"name", "document", "code", "number"} & {e.kind for e in meaning.entities}
    if named or meaning.slots != Slots() or wants_many(question):
        return False
    known = (ASKING | AUXILIARIES | ACTIONS | GENERAL_NOUNS) - TOPICAL_ACTIONS
    return all(word in known for word in words(normalise(question)) if word[0].isalnum())


def ask_reference(
    meaning: Understanding,
    index: Gazetteer,
    probe: Probe | None,
    history: Sequence[Turn] = (),
    *,
    about: bool = False,
) -> Understanding:
    """Ask what an unresolved "它" means.

    The options are what was talked about, the latest first, then matters of the knowledge base.

    Args:
        meaning: what lacks a subject.
        index: the knowledge base's titles.
        probe: a quick retrieval for the question.
        history: the turns before.
        about: a question without any subject, not one with a pronoun.

    Where passages hold what the question says, only their documents are options; with one
    matter among them nothing is asked.
    """
    question = meaning.standalone_question
    hits = probe(question, meaning.slots) if probe else ()
    covering = _best_covering(question, hits)
    order: dict[str, Entry] = {}
    for hit in covering or hits:
        if entry := index.by_id.get(hit.chunk.document_id):
            order.setdefault(entry.shown, entry)
    for entry in index.entries if not covering else ():
        order.setdefault(entry.shown, entry)
    matters = _matters(list(order.values()))
    if len(matters) < 2:
        return meaning
    names = list(dict.fromkeys((*_talked_about(question, history), *matters)))[: MOST_OPTIONS - 1]
    options = [ClarificationOption(label=n, reply=_with_name(question, n)) for n in names]
    everything = _with_name(question, "所有事项")
    options.append(ClarificationOption(label=ALL_OF_THEM, reply=everything))
    wanted = "请问您想了解哪一项？" if about else "请问您指的是哪一项？"
    clarification = Clarification(
        slot="reference", question=f"{wanted}也可以直接告诉我名称。", options=tuple(options)
    )
    return with_clarification(meaning, clarification)


def _best_covering(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """The passages that hold about as much of the question as the best one does.

    What every other document has (电话, 时间) counts only where the question names nothing else.
    """
    telling = "".join("，" if w in GENERAL_NOUNS else w for w in words(normalise(question)))
    named = any(passage_coverage(telling, hit) for hit in hits)
    shares = [passage_coverage(telling if named else question, hit) for hit in hits]
    least = max(ENOUGH, AS_GOOD * max(shares, default=0.0))
    return [hit for hit, share in zip(hits, shares, strict=True) if share >= least]


def _talked_about(question: str, history: Sequence[Turn]) -> list[str]:
    """The topics of the user's last questions, the latest first, without the one asked now."""
    said = [turn.standalone or turn.content for turn in history if turn.role == "user"]
    topics = [plain_noun(topic(text)) for text in reversed(said[-_TURNS_BACK:])]
    kept = dict.fromkeys(name for name in topics if len(name) > 1 and name not in question)
    return list(kept)[:_MOST_TOPICS]


def _matters(entries: Sequence[Entry]) -> list[str]:
    """What the documents are about: editions and regions of one matter are one name."""
    groups: list[tuple[str, Entry]] = []
    for entry in entries:
        if _MIXED.search(entry.title):
            continue
        for i, (name, first) in enumerate(groups):
            if siblings(first, entry):
                common = longest_common_substring(bare_title(name), entry.bare)
                at = name.lower().find(common)
                shown = _whole_words(name, at, at + len(common)) if at >= 0 else common
                if shown.lower() in GENERAL_NOUNS or len(shown) < _SHORTEST:
                    continue
                groups[i] = (shown, first)
                break
        else:
            groups.append((entry.shown, entry))
    return list(dict.fromkeys(name for name, _ in groups if name))


def _whole_words(name: str, start: int, end: int) -> str:
    """name[start:end] without the halves of a code that it cuts: 说明书, not 00说明书."""
    while start < end and start and _in_code(name[start - 1 : start + 1]):
        start += 1
    while end > start and end < len(name) and _in_code(name[end - 1 : end + 1]):
        end -= 1
    return name[start:end].strip("的 -_")


def _in_code(pair: str) -> bool:
    return all(letter.isascii() and (letter.isalnum() or letter in "-_") for letter in pair)


def _with_name(question: str, name: str) -> str:
    made = resolve(question, Dialogue([Exchange(name, name, name)]))
    return made.text if made.changed else name
