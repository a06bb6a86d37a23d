"""The conversation as completion reads it: past questions in full, and what we last said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.types import Clarification, ClarificationOption, SlotName, Turn
from rag.understand.courtesy import asked_plainly
from rag.understand.lexicon import CLASSES, TOPICAL_ACTIONS
from rag.understand.phrases import parse, relation, topic
from rag.understand.regions import find_regions
from rag.understand.slots import CODE
from rag.understand.subject import whole_subject

TURNS_READ = 24
"""Messages looked back at; older ones no longer explain a question (chosen by us)."""

_ASKS_BACK = re.compile(
    r"(?:请问|您|你)[^。！？?!\n]{0,40}(?:哪|什么|谁|多少|几|还是|是指|指的是|具体)[^。！\n]{0,60}[?？]"
    r"|(?:哪个|哪一|哪些|哪里|哪座|哪种|哪款|哪年)[^。！\n]{0,40}[?？]\s*(?:$|\n|[（(]|1|-|·|•|可选)"
)
_YES_NO_BACK = re.compile(
    r"(?:您|你)(?:是)?(?:指|想问|问|想了解|说)(?:的)?(?:是)?(?P<x>[^，。？?！!]{2,40}?)(?:吗|对吗|对吧)[?？]?\s*$"
)
_OFFER = re.compile(
    r"(?:(?:还)?(?:是否)?(?:需要|要不要|需不需要|是否需要|想不想|是否想要?|想要|要|想(?=了解|知道|看|听))(?:我)?(?:再|继续|为您|帮您|给您|替您|为你|帮你|给你)*"
    r"|(?:如果|若|如)(?:您|你)?(?:还)?(?:需要|想要?|愿意|感兴趣)(?:的话)?[，,]?\s*(?:我)?(?:还)?(?:可以"
    r"|能|也可以)(?:再|继续|为您|帮您|给您|替您|为你|帮你)*"
    r"|(?:我)(?:还)?(?:可以|能)(?:再|继续)?(?:为您|帮您|给您|替您|为你|帮你|给你))"
    r"(?P<action>[^。！？?!\n]{2,60}?)(?:吗|么|呢|吧|，?好吗|，?可以吗)?[?？。！!]?\s*$"
)
_SLOT_WORDS: tuple[tuple[SlotName, re.Pattern[str]], ...] = (
    (
        "region",
        re.compile("地区|地方|城市|省份|哪个省|哪个市|哪里的|哪座城|哪一?省|哪一?市|区域|所在地"),
    ),
    (
        "time",
        re.compile("哪一?年|年份|年度|哪个时间|时间段|什么时候的|哪个版本的年|哪一?期|时期|日期"),
    ),
    ("product", re.compile("产品|型号|款|套餐|机型|设备|系列")),
    ("organisation", re.compile("公司|单位|机构|部门|学校")),
    ("document_type", re.compile("哪类文件|文件类型|哪种文件")),
)
_LISTED = re.compile(
    r"^\s*(?:[（(]?\d{1,2}[.、)）．]|[-*•·]|[①-⑳]|[一二三四五六七八九十]、)\s*(.+?)\s*$", re.M
)
_INLINE_OPTIONS = re.compile(
    r"[（(](?:如|例如|比如|可选)?[:：]?([^（）()]{3,80})[）)]|[:：]([^:：?？]{3,80})[?？]?\s*$"
)


@dataclass(slots=True)
class Exchange:
    """A past question of the user in full, its topic, and our reply to it.

    `subject` is its topic with the way or place that belongs to it, "" where that is no more.
    """

    question: str
    topic: str
    typed: str
    reply: str = ""
    subject: str = ""


@dataclass(slots=True)
class Dialogue:
    """The past questions, oldest first, and our last message if the user answers it now.

    `moved` tells that the user has since told of something else, so that what is left out
    now may be of that.
    """

    exchanges: list[Exchange] = field(default_factory=list)
    last: Turn | None = None
    moved: bool = False

    @property
    def previous(self) -> Exchange | None:
        """The question before this one."""
        return self.exchanges[-1] if self.exchanges else None

    def topics(self) -> list[str]:
        """What was talked about, latest first, each once."""
        found: dict[str, None] = {}
        for exchange in reversed(self.exchanges):
            if exchange.topic:
                found.setdefault(exchange.topic)
        return list(found)


def remember(dialogue: Dialogue, typed: str, standalone: str, about: str = "") -> None:
    """Add a question of the user to the dialogue."""
    standalone = asked_plainly(standalone)
    about = about or _taken_up(dialogue, typed, standalone) or topic(standalone)
    if not about and (deed := parse(standalone).tokens[:1]):
        about = deed[0].text if deed[0].text in TOPICAL_ACTIONS else ""
    if not about:
        about = dialogue.previous.topic if dialogue.previous else relation(standalone)
    dialogue.moved = False
    kept = dialogue.previous.subject if dialogue.previous else ""
    subject = kept if kept and standalone.startswith(kept) else whole_subject(standalone)
    dialogue.exchanges.append(Exchange(standalone, about, typed, subject=subject))
    dialogue.last = None


def _taken_up(dialogue: Dialogue, typed: str, standalone: str) -> str:
    """The earlier topic that completion put into a message: it stays what is talked about."""
    about = next((t for t in dialogue.topics() if t in standalone and t not in typed), "")
    at = standalone.find(about) if about else -1
    if at > 0 and (model := re.search(rf"{CODE.pattern}的?$", standalone[:at])):
        return model.group() + about  # ZW-100S的滤网
    whole = topic(standalone)
    placed = about and whole != about and whole.endswith(about) and find_regions(whole)
    return whole if placed and not find_regions(about) else about


def asked_back(turn: Turn | None) -> Clarification | None:
    """The clarification in an assistant's message, from its field or from its wording."""
    if turn is None or turn.role != "assistant":
        return None
    if turn.clarification is not None:
        return turn.clarification
    text = turn.content.strip()
    if not text or (turn.status not in (None, "clarify")) or len(text) > 400:
        return None
    if turn.status == "clarify" or _ASKS_BACK.search(text):
        return Clarification(slot=_slot_of(text), question=text, options=_options_in(text))
    return None


def supposed(turn: Turn | None) -> str:
    """X when the assistant asked "您是指X吗？", else ""."""
    match = _YES_NO_BACK.search(turn.content.strip()) if turn and turn.role == "assistant" else None
    return match["x"].strip("“”\"'「」 ") if match else ""


def offered(turn: Turn | None) -> str:
    """What the assistant offered to do at the end of its message ("介绍申请流程"), else ""."""
    if turn is None or turn.role != "assistant":
        return ""
    lines = [line for line in turn.content.strip().splitlines() if line.strip()]
    sentences = re.split(r"(?<=[。！？!?])", lines[-1]) if lines else []
    for sentence in reversed([s for s in sentences if s.strip()]):
        if match := _OFFER.search(sentence.strip()):
            return match["action"].strip(" ，,")
        break
    return ""


def listed(text: str) -> tuple[str, ...]:
    """The items of a numbered or bulleted list, each up to its first colon or stop."""
    items = [
        re.split(r"[:：。；;（(\n]", item.replace("**", ""))[0].strip()
        for item in _LISTED.findall(text)
    ]
    return tuple(item for item in items if 0 < len(item) <= 40)


def in_words(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns that completion reads, without empty ones."""
    return [turn for turn in turns if turn.content.strip()][-TURNS_READ:]


def _slot_of(text: str) -> SlotName:
    for slot, pattern in _SLOT_WORDS:
        if pattern.search(text):
            return slot
    return "reference"


def _options_in(text: str) -> tuple[ClarificationOption, ...]:
    items = list(listed(text))
    if not items and (match := _INLINE_OPTIONS.search(text)):
        items = [
            p.strip() for p in re.split(r"[、，,/|]|还是|或者?", match.group(1) or match.group(2))
        ]
    if not items and (
        match := re.search(
            r"(?:是|问的是|指的?是?|想了解)([^，。？?是]{2,20})还是([^，。？?]{2,20}?)(?:呢)?[?？]",
            text,
        )
    ):
        items = [match.group(1), match.group(2)]
    items = [item for item in items if item and item not in CLASSES and len(item) <= 40]
    return tuple(ClarificationOption(label=item, reply=item) for item in items[:8])
