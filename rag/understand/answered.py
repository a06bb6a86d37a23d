"""What the last answer named, as what the next question is about: 账号 for "锁了找谁解"."""

from __future__ import annotations

import itertools
import re
from datetime import date

from rag.understand.dialogue import Dialogue
from rag.understand.phrases import parse
from rag.understand.regions import find_regions
from rag.understand.slots import codes
from rag.understand.times import find_times

_READ = 300
"""Characters of an answer that are read (chosen by us)."""
_STOPPED = re.compile(r"(?:暂停|停止|中止|暂缓|中断|关闭)(?P<what>[\u4e00-\u9fff]{2,8})")


def subject_of(body: str, dialogue: Dialogue) -> str:
    """The thing that the last answer tells the same of, "" for none: 账号锁定30分钟, "锁了找谁".

    What begins again ("什么时候恢复") is what the answer says has stopped.
    """
    previous = dialogue.previous
    tokens = [t for t in parse(body).tokens if t.role not in ("ask", "mark")]
    if previous is None or not previous.reply:
        return ""
    reply = previous.reply[:_READ]
    if any(t.text in ("恢复", "重新") for t in tokens):
        for match in _STOPPED.finditer(reply):
            words = parse(match["what"]).tokens
            if words and words[0].text in previous.question and len(words[0].text) > 1:
                return words[0].text
    first = tokens[0] if tokens else None
    if first is None or not body.startswith(first.text) or first.tag[0] != "v":
        return ""
    if first.role == "aux":
        return ""
    for noun, deed in itertools.pairwise(parse(reply).tokens):
        if deed.text.startswith(first.text) and deed.tag[0] == "v" and noun.end == deed.start:
            plain = noun.role == "noun" and noun.tag[0] == "n" and len(noun.text) > 1
            if plain and not find_regions(noun.text):
                return noun.text
    return ""


_AMOUNT = re.compile(
    r"(?P<noun>[\u4e00-\u9fff]{2,6}?)(?:的)?(?:是|要)?(?:多少(?:钱|元)?|几[点元块次])[？?\s]*"
)


def part_named(body: str, dialogue: Dialogue) -> bool:
    """Whether only the amount is asked of something that the last answer brought in."""
    match, previous = _AMOUNT.fullmatch(body), dialogue.previous
    if match is None or previous is None:
        return False
    noun = match["noun"]
    return noun in previous.reply[:_READ] and noun not in previous.question


_WHAT_PRICE = re.compile(
    r"(?:那|要|得|需要|大概)*(?:多少钱|怎么收费|怎么算钱|收费吗|要钱吗|几块钱)[^，,]{0,4}"
)
_WHETHER = re.compile(
    r"(?:能不能|可不可以|是否|能否|能|可以|支持|有没有|提供)(?P<deed>[\u4e00-\u9fff]{2,4}?)(?:吗|么|不|嘛)?[？?]?$"
)


def deed_asked_about(body: str, dialogue: Dialogue) -> str:
    """What may be done, for its price: ZW-200延保 for "多少钱一年" after "ZW-200能延保吗"."""
    previous = dialogue.previous
    if previous is None or not previous.topic or not _WHAT_PRICE.fullmatch(body):
        return ""
    match = _WHETHER.search(previous.question)
    if match is None or previous.topic not in previous.question[: match.start()]:
        return ""
    return previous.topic + match["deed"]


_KINDS = (
    (re.compile(r"地方|城市|地区|省份|校区|省|市|区"), "region"),
    (re.compile(r"型号|产品|机型|设备|款|机器|职级|级别|代码|套餐"), "code"),
)
_TWO = re.compile(
    r"(?:这|那|上述|以上|前面|刚才)?(?:两|2|二)(?:个|款|种|座|台|家|边)(?P<noun>地方|城市|地区|省份|型号|产品|机型|设备|职级|级别|代码)"
)


def two_of_a_kind(question: str, dialogue: Dialogue) -> tuple[str, str] | None:
    """`question` with the two places or models of the last questions for 这两个地方, and them."""
    match = _TWO.search(question)
    if match is None:
        return None
    kind = next(kind for words, kind in _KINDS if words.search(match["noun"]))
    found = last_two(kind, dialogue)
    if found is None:
        return None
    pair = f"{found[0]}和{found[1]}"
    rest = _shared(found, dialogue)
    if not find_times(question, date.today()) and (when := _time_of_both(dialogue)):
        pair = when + pair
    link = "" if not rest or rest in question else rest
    return question[: match.start()] + pair + link + question[match.end() :], pair


def _time_of_both(dialogue: Dialogue) -> str:
    """The one time that the last two questions name, so that it needn't be asked; else ""."""
    named = [
        {t.text for t in find_times(e.question, date.today())} for e in dialogue.exchanges[-2:]
    ]
    times = set[str]().union(*named)
    return times.pop() if len(times) == 1 and named[-1] else ""


def last_two(kind: str, dialogue: Dialogue) -> tuple[str, str] | None:
    """The two values of a kind ("region", "code") that the last questions named, in their order."""
    found: list[str] = []
    for exchange in reversed(dialogue.exchanges[-_LOOKED_BACK:]):
        if kind == "region":
            named = [m.text for m in find_regions(exchange.question)]
        else:
            named = list(codes(exchange.question))
        for value in reversed(named):
            if value not in found:
                found.append(value)
        if len(found) >= 2:
            return found[1], found[0]
    return None


def asked_of_both(dialogue: Dialogue) -> str:
    """M5扫地机和M7扫地机 after the same question was asked of both; "" for other questions."""
    for kind in ("code", "region"):
        two = last_two(kind, dialogue) if len(dialogue.exchanges) > 1 else None
        if two and dialogue.exchanges[-2].question == dialogue.exchanges[-1].question.replace(
            two[1], two[0]
        ):
            return f"{two[0]}和{two[1]}{_shared(two, dialogue)}"
    return ""


_LOOKED_BACK = 4
"""Questions in which two values are looked for (chosen by us)."""


def _shared(values: tuple[str, str], dialogue: Dialogue) -> str:
    """What the last question says behind the value that both are of: 租房补贴 of 北京租房补贴."""
    question = dialogue.exchanges[-1].question
    for phrase in parse(question).phrases:
        for value in values:
            if phrase.text.startswith(value) and len(phrase.text) > len(value) + 1:
                rest = phrase.text[len(value) :].lstrip("的市省")
                other = values[1] if value == values[0] else values[0]
                return re.sub(rf"^[和与跟、]{re.escape(other)}[的市省]?", "", rest)
        if phrase.kind == "topic" and not codes(phrase.text):
            return phrase.text
    return ""
