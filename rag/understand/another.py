"""Another value for the last question: "北京呢？", "那病假呢？", "周末有吗？"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.types import KnowledgeProfile
from rag.understand.amounts import is_year, other_amount
from rag.understand.carry import carry
from rag.understand.dialogue import Dialogue
from rag.understand.frames import has_attribute, of_other_kind
from rag.understand.moves import listed_item
from rag.understand.phrases import happens, is_deed, is_name, parse, topic
from rag.understand.refer import resolve
from rag.understand.reported import other_state
from rag.understand.routes import with_other_end
from rag.understand.several_values import with_values
from rag.understand.shifts import (
    attribute_of_last,
    day_meant,
    failing,
    in_that_case,
    measured,
    other_count,
    rate_of_last,
)
from rag.understand.siblings import has_sibling, of_a_class
from rag.understand.substitute import COUNTED, in_case, kind_of, put
from rag.understand.swap_places import before_narrowing

_ANOTHER = re.compile(
    r"^(?:那么?(?:如果|要是|换成|在)?(?:改?[去到](?=[\u4e00-\u9fff]{2}))?|还有|如果(?:是|换成|在)?|要是(?:在|改?[去到])?|换成|换作|假如是?"
    r"|若是?|假设是?|至于|但是?|而|另外|然后|那如果是?|再?(?:看看|说说|讲讲|查一?下|查查|问问)|对于"
    r"|针对)?[,，\s]*(?:我(?:们)?(?:如果|要是)?(?:是|属于|在|有)|在)?"
    r"(?P<value>[^，,。？?！!]{1,30}?)(?:的话|的情况|方面|这边|那边|那里)?(?P<mark>呢"
    r"|呐|怎么样|如何|又如何|又怎么样|又是?多少|也一样吗|也是吗|一样吗|也是这样吗|也这样吗|也有吗|有吗|行吗"
    r"|也行吗|也可以吗|可以吗|也能吗|行不行|能行吗|可以不|也?(?:需要|支持|会|能|要)(?:吗|不|么)|也(?:给我)?(?:(?:说|讲|看|查|列|介绍)(?:说|讲|看|查|一下|下)))?[\s？?。！!]*$"
)

_ASKS_BY_ITSELF = ("怎么样", "如何")
"""天气怎么样 is a question of its own, 那年假怎么样 is none."""

CONNECTIVE = re.compile(
    r"^(?:那么(?!多|大|长|高|久|少|早|晚)|那就|那如果|要是|然后|另外|还有|而且|并且|但是?|不过|所以|好的?)[,，\s]*"
    r"|^那(?!么|个|些|种|款|项|里|边|时|天|年|样|儿|家|位|份|条|台|张|只|件|本|部|套|次|辆|批|笔|段)[,，\s]*"
)

_BETWEEN = re.compile("呢(?=[，,、 ])")
_SHOW = re.compile(r"(?:再)?(?:看看|说说|讲讲|查一?下|查查|问问)")


@dataclass(frozen=True, slots=True)
class Completion:
    """A completed question.

    `reason` says in Chinese what was done ("" when nothing was); `topic` is what the question
    is about; `unresolved` are words that refer to something the conversation doesn't name.
    """

    standalone: str
    changed: bool
    reason: str
    topic: str
    unresolved: tuple[str, ...] = ()


def made_of(
    question: str, standalone: str | None, reason: str, about: str = ""
) -> Completion | None:
    """A completion to `standalone`; None for none. `about` is its topic where that is known."""
    if not standalone:
        return None
    changed = standalone.strip() != question
    return Completion(standalone, changed, reason if changed else "", about or topic(standalone))


def another_value(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion | None:
    """The last question asked of the value that `question` names; None when it names none."""
    body = question[parse(question).lead :]
    if dialogue.exchanges and not dialogue.moved:
        several = with_values(_BETWEEN.sub("", body), dialogue.exchanges[-1].question, profile)
        if several:
            return made_of(question, several, f"沿用上一个问题，换成“{body}”")
    if both := _AND_THEN.fullmatch(body):
        of_value = another_value(both["first"], dialogue, profile)
        if of_value is not None and of_value.changed:
            rest = both["rest"]
            if parse(rest).tokens[0].role in ("aux", "ask"):
                rest = CONNECTIVE.sub("", both["first"]).removesuffix("呢") + rest
            joined = f"{of_value.standalone.rstrip('？?')}，{rest}"
            return made_of(question, joined, of_value.reason, of_value.topic)
    match = _ANOTHER.match(body)
    if match and match["mark"] in _ASKS_BY_ITSELF and match.start("value") == 0:
        return None
    if match is None or not dialogue.exchanges:
        return None
    value = re.sub("^我(?=[^们的国])", "", match["value"].strip())
    value = _pointed_at(value)
    marked = bool(match["mark"]) or body.rstrip("。？? ").endswith("的话")
    if item := listed_item(value, dialogue):
        made = put(item, dialogue.exchanges[-1].question, profile)
        whole = made if kind_of(item) == "relation" else None
        return made_of(question, whole or f"介绍一下{item}", f"指的是“{item}”")
    previous = dialogue.exchanges[-1].question
    if day := day_meant(value, dialogue):
        return made_of(question, put(day, previous, profile), f"“{value}”是{day}")
    if match["mark"] == "呢" and (made := failing(value, dialogue)):
        return made_of(question, made, "补上了上文的话题")
    if match["mark"] == "呢":
        if made := other_state(value, previous):
            return made_of(question, made, f"沿用上一个问题，换成“{value}”")
        if of_other_kind(value, dialogue.exchanges[-1].topic, previous):
            return Completion(question, False, "", topic(value))
        if made := rate_of_last(value, dialogue):
            return made_of(question, made, "补上了上文的话题")
    if made := other_amount(value, previous):
        return made_of(question, made, f"沿用上一个问题，换成“{value}”")
    if value.isdigit() and not is_year(value):
        return Completion(question, False, "", topic(question))
    one = _ONE.match(previous)
    about = one.group() if one else dialogue.exchanges[-1].topic
    if match["mark"] == "呢" and has_attribute(about, value) and not has_sibling(value, previous):
        asked = "是多少" if COUNTED.search(value) else "怎么规定"
        return made_of(question, f"{about}的{value}{asked}？", "补上了上文的话题", about)
    for change in (measured, other_count, in_that_case):
        if marked and (made := change(value, previous)):
            return made_of(question, made, f"沿用上一个问题，换成“{value}”")
    if match["mark"] == "呢" and (made := attribute_of_last(value, dialogue)):
        return made_of(question, made, "补上了上文的话题")
    if marked and (made := with_other_end(value, previous) or in_case(value, previous)):
        return made_of(question, made, f"沿用上一个问题，换成“{value}”")
    said = value
    value = value.removesuffix("的") if kind_of(value) != "measure" else value
    if not value or _is_predicate(value):
        return None
    if _MODAL.fullmatch(match["mark"] or "") and kind_of(value) not in ("code", "region", "person"):
        return None
    new = is_deed(value) or (is_name(value) and not _YES_OR_NO.search(previous))
    if match["mark"] in _ALLOWED and new and not dialogue.moved:
        made = carry(body, dialogue, profile) if not has_sibling(value, previous) else None
        if made:
            return made_of(question, made, "补上了上文的话题")
    kind = kind_of(value)
    if match["mark"] in _ALLOWED and kind == "measure" and not _BEGINS_WITH_NUMBER.match(value):
        made = carry(body, dialogue, profile)  # 晚到三天行吗
        return made_of(question, made, "补上了上文的话题")
    words = parse(value).tokens
    deed = all(t.tag[0] in "va" for t in words) or (len(words) > 1 and words[-1].tag == "v")
    first = parse(previous).tokens[:1]
    deed = deed or (words[0].role == "act" and bool(first) and first[0].tag[0] == "n")
    deed = deed or bool(_BEFALLS.fullmatch(value))
    if (
        "的话" in body
        and kind == "thing"
        and deed
        and (words[0].role == "act" or not has_sibling(value, previous))
    ):
        return made_of(question, f"{value}的话，{previous}", f"在“{value}”的情况下问上一个问题")
    if not marked and body.startswith("我") and kind in ("thing", "organisation"):
        return None  # 我是大四的: a case of the last question
    doing = match["mark"] == "呢" and is_deed(value)
    if match["mark"] == "呢" and happens(value):
        return made_of(question, f"{value}，{previous}", f"在“{value}”的情况下问上一个问题")
    if kind in ("thing", "person", "relation") and not is_name(value) and not doing:
        return None
    connected = bool(CONNECTIVE.match(body)) or match.start("value") > 0
    if _SHOW.match(body) and kind in ("thing", "organisation") and not match["mark"]:
        return None  # 说说租金标准: something else is wanted of the topic
    if not marked and not connected and kind not in _KINDS_ALONE:
        return None
    if resolve(value, dialogue).changed:
        return None
    if not marked and kind == "relation" and not (is_name(question) and len(value) > 1):
        return None
    if of_a_class(value) and not has_sibling(value, previous) and kind in ("thing", "relation"):
        made = before_narrowing(value, previous)  # 异地的话呢
        return made_of(question, made, f"沿用上一个问题，换成“{value}”")
    verbal = any(t.tag[0] in "vd" for t in parse(value).tokens[:1])
    if doing and verbal and not is_name(value) and about and about in previous:
        made = previous.replace(about, value, 1)
        return made_of(question, made, f"沿用上一个问题，换成“{value}”")
    return made_of(question, put(said, previous, profile), f"沿用上一个问题，换成“{value}”")


_BEFALLS = re.compile(r"[\u4e00-\u9fff]{1,3}(?:产|胎|孕|伤|残|亡|婚|暴雨|下雨|停电|停课)")
"""What befalls someone: a case of the last question, never another thing."""
_MODAL = re.compile("也?(?:需要|支持|会|能|要)(?:吗|不|么)")
"""Predicates so bare that the last question's is meant, of a model, place or kind of people."""
_BEGINS_WITH_NUMBER = re.compile(r"(?:满|超过|不满|第|请|住)?[\d一二两三四五六七八九十百千半]")
_ALLOWED = ("行吗", "可以吗", "有吗", "行不行", "能行吗", "可以不")

_YES_OR_NO = re.compile(r"能|可以|行|允许|得")

_KINDS_ALONE = ("region", "time", "code", "clause", "relation")
"""Kinds of which a bare value, without 呢, asks the last question again."""


_ONE = re.compile("[\u4e00-\u9fffA-Za-z0-9-]{1,8}[那这][款台种](?![呢吗？?])")
"""室外那款几天能发货: which of several things is asked about."""
_AND_THEN = re.compile(r"(?P<first>[^，,\s？?]{1,12}呢)[，,？?\s]+(?P<rest>[^，,\s].{2,20})")
"""质保呢 能不能延: another value, and a second question about it."""
_POINTING = re.compile(
    r"^(?:刚才|刚刚|之前|前面)(?:说|问|提|讲)?(?:到|过)?的?(?:那个?|这个?)?(?=[\u4e00-\u9fff]{2})"
    r"|(?<=.)[那这](?:个|款|种|间|台|份|类|项)$"
)


def _pointed_at(value: str) -> str:
    """A value without the words that only point at it: 滤网 of 滤网那个, 婚假 of 刚才那个婚假."""
    bare = _POINTING.sub("", value)
    return bare if bare and (is_name(bare) or kind_of(bare) == "code") else value


def _is_predicate(value: str) -> bool:
    """Whether the words before 呢 are a question of their own ("怎么申请呢")."""
    parsed = parse(value)
    return (
        any(t.role == "ask" for t in parsed.tokens)
        or not parsed.tokens
        or all(t.role in ("aux", "mark") for t in parsed.tokens)
    )
