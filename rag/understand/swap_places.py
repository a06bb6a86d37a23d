"""Another region or another time in an earlier question, its titles included."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from rag.types import KnowledgeProfile
from rag.understand.gazetteer import gazetteer
from rag.understand.phrases import parse, topic_phrase
from rag.understand.regions import RegionMention, find_regions, official_name
from rag.understand.slots import QUOTED_TITLE
from rag.understand.times import find_times

_LINKS = re.compile(r"[和与、及跟,，\s]*")


def put_region(value: str, question: str, profile: KnowledgeProfile | None) -> str:
    """`question` about the region(s) that `value` names."""
    new = find_regions(value)
    if not new:
        return question
    old = find_regions(question)
    if old:
        return _replace_regions(question, old, new, profile)
    for match in QUOTED_TITLE.finditer(question):
        title = match.group()[1:-1]
        if len(new) == 1 and (full := title_in_region(title, new[0].path, profile)):
            return question[: match.start()] + f"《{full}》" + question[match.end() :]
    return before_topic("和".join(m.text for m in new), question)


def put_time(value: str, question: str, profile: KnowledgeProfile | None = None) -> str:
    """`question` about the time that `value` names."""
    new = find_times(value, date.today())
    if not new:
        return question
    text = new[0].text if len(new) == 1 else value.removesuffix("的")
    if re.fullmatch(r"(?:19|20)\d{2}", text):
        text += "年"
    elif re.fullmatch(r"\d{2}年", text) and new[0].range.start:
        text = f"{new[0].range.start.year}年"
    old = find_times(QUOTED_TITLE.sub(lambda m: "〇" * len(m.group()), question), date.today())
    if old:
        last = old[0]
        if re.fullmatch("[上下]半年|.*季度?|.{1,3}月份?", text) and (
            year := re.match(r"(?:(?:19|20)\d{2}年?|[今去前明]年)(?:度)?", last.text)
        ):
            text = year.group() + text
        return question[: last.start] + text + question[last.end :]
    del profile
    head = topic_phrase(parse(question))
    if head and QUOTED_TITLE.fullmatch(head.text):
        return question[: head.start] + text + question[head.start :]
    return before_narrowing(text, question)


def title_in_region(title: str, region: str, profile: KnowledgeProfile | None) -> str | None:
    """The title of the document that is `title` for `region`, as the document writes it."""
    if profile is None or find_regions(title.split("《")[0]):
        return None
    return gazetteer(profile).in_region(title, region)


def _replace_regions(
    question: str,
    old: Sequence[RegionMention],
    new: Sequence[RegionMention],
    profile: KnowledgeProfile | None,
) -> str:
    spans = _listed_spans(question, old)
    replacement = "和".join(dict.fromkeys(m.text for m in new))
    result = question
    for start, end, formal in reversed(spans):
        quoted = next(
            (m for m in QUOTED_TITLE.finditer(result) if m.start() < start < m.end()), None
        )
        if quoted and len(new) == 1:
            rest = result[quoted.start() + 1 : start] + result[end : quoted.end() - 1]
            full = title_in_region(rest, new[0].path, profile)
            if full:
                result = result[: quoted.start()] + f"《{full}》" + result[quoted.end() :]
                continue
        text = replacement
        if formal and len(new) == 1 and not new[0].formal:
            text = official_name(new[0].path)
        result = result[:start] + text + result[end:]
    if len(spans) < len({m.start for m in old}) and len(new) == 1:
        result = re.sub("分别|各自", "", result)
    return result


def _listed_spans(text: str, old: Sequence[RegionMention]) -> list[tuple[int, int, bool]]:
    """The places of the regions; those of a list ("北京和上海") are one place."""
    spans: list[tuple[int, int, bool]] = []
    for start, end, formal in dict.fromkeys((m.start, m.end, m.formal) for m in old):
        if spans and _LINKS.fullmatch(text, spans[-1][1], start):
            spans[-1] = (spans[-1][0], end, spans[-1][2])
        else:
            spans.append((start, end, formal))
    return spans


def before_topic(value: str, question: str) -> str:
    """`question` with `value` in front of its topic."""
    head = topic_phrase(parse(question))
    at = head.start if head else parse(question).lead
    return question[:at] + value + question[at:]


def before_narrowing(value: str, question: str) -> str:
    """In front of the topic and of the place or people before it."""
    parsed = parse(question)
    head = topic_phrase(parsed)
    if head is None:
        return question[: parsed.lead] + value + question[parsed.lead :]
    at = head.start
    for phrase in reversed(parsed.phrases):
        if phrase.kind in ("place", "person") and phrase.end <= at and at - phrase.end <= 1:
            at = phrase.start
    return question[:at] + value + question[at:]
