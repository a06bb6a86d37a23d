"""Words that stand for something named before: 它, 这个, 该办法, 两者, 其, 当地, 前者.

Each is replaced by what the conversation names: the latest topic, the topic of the same
class, the two latest topics. What nothing was named for stays and is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rag.understand import lexicon
from rag.understand.answered import last_two, two_of_a_kind
from rag.understand.antecedents import (
    TRADES,
    Referred,
    antecedent,
    is_object,
    last_house,
    last_person,
    own_noun,
)
from rag.understand.dialogue import Dialogue, listed
from rag.understand.phrases import parse
from rag.understand.regions import find_regions
from rag.understand.slots import QUOTED_TITLE
from rag.understand.words import boundaries

_CLASSIFIERS = (
    "个|项|种|款|份|条|些|家|类|篇|部|本|张|台|套|笔|门|座|支|辆|件|场|所|只|位|名|批|方面的?"
)

_NOT_AFTER_THIS = "样|么|里|儿|会|时|边|周|月|年|天|阵|下|次|回|期间|季|星期|礼拜|学期|段时间|几"

_PAIR = re.compile(
    r"它们(?=[^，。]{0,8}(?:区别|差别|差异|不同|一样|哪|谁|对比|比较|关系|分别|共同))|它(?:们)?和(?:那"
    r"|这)(?:个|种|款|项|份)?|(?:这|那)(?:个|种|款|项)和(?:那|这)(?:个|种|款|项)|前者和后者"
    r"|这个和那个|它俩|[他她]们?俩|[这那]俩(?!人|个)|(?:^|(?<=[，,。；;\s那]))两(?:个|种|款|家|者|项)(?:地方|东西|产品)?(?=哪|谁|有(?:什么|啥|何)|差|的?区别|相比|比|可以|能|之间|都|也|离|隔|同时|一起|一样|加起来|在|会|要|是)"
    rf"|(?:上述|以上|前述|这|那)?(?:两者|二者)(?:之间)?|(?:上述|以上|前述|这|那)(?:两|2|二)(?:{_CLASSIFIERS})?(?=[\u4e00-\u9fff]"
    rf"|$)(?!年|天|月|周)"
)

_FORMER = re.compile(r"前者|前一(?:个|种|项|款)|第一(?:个|种|项|款)(?=[^是]|$)")

_LATTER = re.compile(r"后者|后一(?:个|种|项|款)")

_SAID = (
    r"(?:(?:刚才|刚刚|之前|前面|上面|先前)(?:我|你|我们)?"
    r"(?:说|提|问|讲|聊|介绍)(?:到|起|过)?(?:的)?)"
)

_POINTING = re.compile(
    rf"(?P<det>{_SAID}?(?:(?:上述|前述|上面(?:的)?|以上)(?:的)?(?:(?:{_CLASSIFIERS}))?"
    rf"|(?<![应活本都也就我你又不])该(?=[\u4e00-\u9fff]{{1,3}})(?!怎|如|不|咋|何|去|走|用|由|做|办(?!法)|给|交|找|从|是|有)"
    rf"|此(?:类|项|种|款|份|条)|此(?=办法|条例|规定|政策|产品|文件|通知)"
    rf"|[这那](?:(?:一)?(?:{_CLASSIFIERS}))(?!{_NOT_AFTER_THIS})|[这那](?=办法"
    rf"|条例|规定|政策|产品|文件|通知|东西|补贴|假|费用|制度|公司)"
    rf"|{_SAID}))"
)

_BARE = re.compile(
    r"它们?|牠|(?<![尤极与何及若])其(?=[\u4e00-\u9fff])(?![他它实中余次间后])"
    r"|(?:^|(?<=[，,。；;、和与跟比对是向给把在]))[这那](?=(?:是|要|能|可以|会|算|需要?|怎么"
    r"|如何|有(?!什么区)|得|由|应|属于|包括|和|与|跟|对|为什么|应该|必须|值|值得|是否|能否|还|也|又"
    r"|都|到底|究竟|多少|多久))"
)

_PEOPLE = re.compile(r"[他她]们?(?=[\u4e00-\u9fff，,？?]|$)")

_PLACE = re.compile(
    r"当地|该地区?|(?<![从到往哪])(?:那里|那边|那儿)|(?:这个|那个|该)(?:城市|地区|地方|省份|省|市)(?![\u4e00-\u9fff]*[局府])"
)

_DUMMY = re.compile(r"(?:这|那)(?:个|种|些)?(?:问题|时候|话|情况下|情况|意思|方面|东西是什么意思)")

_ABOUT_US = re.compile(
    r"(?:这|那)(?:个)?(?:是)?(?:真的|对的?|什么意思|准确|可靠|靠谱|吧)(?:吗|么)?[?？]*$"
)


def resolve(question: str, dialogue: Dialogue) -> Referred:
    """Replace what refers to the conversation."""
    result = Referred(question)
    if _ABOUT_US.match(question):
        return result
    topics = dialogue.topics()
    if two := two_of_a_kind(question, dialogue):
        result.text, result.about = two
        result.changed = True
    for step in (_pairs, _order, _places, _pointing, _bare, _people):
        step(result, topics, dialogue)
    return result


def refers(question: str) -> bool:
    """Whether the question holds a word that stands for something named before."""
    masked = QUOTED_TITLE.sub(lambda m: "〇" * len(m.group()), question)
    return any(
        pattern.search(masked) for pattern in (_PAIR, _POINTING, _BARE, _FORMER, _LATTER, _PLACE)
    )


def _replace(
    result: Referred, pattern: re.Pattern[str], value: Callable[[re.Match[str]], str | None]
) -> None:
    """Replace matches outside titles; None leaves one as it is."""
    masked = QUOTED_TITLE.sub(lambda m: "〇" * len(m.group()), result.text)
    pieces, position = [], 0
    for match in pattern.finditer(masked):
        new = value(match)
        if new is None or match.start() < position:
            continue
        pieces += [result.text[position : match.start()], new]
        position = match.end()
        result.changed = True
    result.text = "".join(pieces) + result.text[position:]


def _pairs(result: Referred, topics: list[str], dialogue: Dialogue) -> None:
    def value(match: re.Match[str]) -> str | None:
        if _names_two_before(result.text, match.start()):
            return None
        two = _two_meant(dialogue)
        if two is None:
            if len(dialogue.exchanges) == 0 or not topics:
                result.unresolved.append(match.group())
            return None
        first, second = two
        result.about = f"{first}和{second}"
        words = match.group()
        if words.startswith(("它和", "这个和那个")):
            return f"{topics[0]}和{topics[1]}" if len(topics) > 1 else f"{first}和{second}"
        return f"{first}和{second}"

    _replace(result, _PAIR, value)


_PAIR_REMEMBERED = 4
"""Questions in which a pair is looked for (chosen by us)."""


def two_things(dialogue: Dialogue) -> tuple[str, str] | None:
    """The two things talked about: those of the last question, else the two latest topics."""
    previous, topics = dialogue.previous, dialogue.topics()
    if previous and (parts := _conjuncts(previous.topic)):
        return parts
    for exchange in reversed(dialogue.exchanges[-_PAIR_REMEMBERED:-1]):
        # 病假 alone after 病假和事假: the pair is still what is talked about.
        parts = _conjuncts(exchange.topic)
        if parts and any(previous and previous.topic in part for part in parts):
            return parts
    if len(topics) >= 2:
        return topics[1], topics[0]
    return None


def _two_meant(dialogue: Dialogue) -> tuple[str, str] | None:
    """The two things talked about, else the last two models or places named."""
    return two_things(dialogue) or last_two("code", dialogue) or last_two("region", dialogue)


def _conjuncts(topic: str) -> tuple[str, str] | None:
    parts = re.split(r"和|与|跟|以及|、", topic)
    if len(parts) < 2 or not all(len(p) > 1 for p in parts[:2]):
        return None
    first, second = parts[0], parts[1]
    if 1 < (cut := second.find(first[-1]) + 1) < len(second) and cut >= len(first):
        second = second[:cut]  # 病假和事假工资: what follows is of both
    # 北京和上海的租房补贴: both share what follows 的.
    if "的" in second and "的" not in first and find_regions(first):
        first += second[second.index("的") :]
    return first, second


def _names_two_before(text: str, position: int) -> bool:
    """Whether the question itself names both before saying 两者."""
    before = text[:position]
    return bool(
        re.search(
            r"[\u4e00-\u9fffA-Za-z0-9]{2,}(?:和|与|跟|、)[\u4e00-\u9fffA-Za-z0-9]{2,}", before
        )
    )


def _order(result: Referred, topics: list[str], dialogue: Dialogue) -> None:
    del topics
    items = listed(dialogue.previous.reply) if dialogue.previous else ()
    two = _two_meant(dialogue)

    def pick(index: int) -> Callable[[re.Match[str]], str | None]:
        def value(match: re.Match[str]) -> str | None:
            if match.group().startswith("第一"):
                return items[0] if items else None
            return two[index] if two else None

        return value

    if _FORMER.search(result.text) and _LATTER.search(result.text) and two is None:
        return
    _replace(result, _FORMER, pick(0))
    _replace(result, _LATTER, pick(1))

    def numbered(match: re.Match[str]) -> str | None:
        number = (
            "一二三四五六七八九十".find(match["n"])
            if not match["n"].isdigit()
            else int(match["n"]) - 1
        )
        return items[number] if 0 <= number < len(items) else None

    if items:
        _replace(
            result,
            re.compile(r"第(?P<n>[一二三四五六七八九十]|\d{1,2})(?:个|种|项|款|点|步)"),
            numbered,
        )


def _places(result: Referred, topics: list[str], dialogue: Dialogue) -> None:
    def value(match: re.Match[str]) -> str | None:
        if find_regions(result.text[: match.start()]):
            return None
        for exchange in reversed(dialogue.exchanges):
            if found := find_regions(exchange.question):
                return found[-1].text
        return None

    del topics
    _replace(result, _PLACE, value)


def _pointing(result: Referred, topics: list[str], dialogue: Dialogue) -> None:
    position = 0
    while match := _POINTING.search(_masked(result.text), position):
        noun = _shared_head(result.text, match.end(), topics) or _noun_after(
            result.text, match.end()
        )
        if noun and _named_already(result.text, match.start()):
            position = match.end()
            continue
        if _DUMMY.match(result.text, match.start()) and noun not in ("办法",):
            position = match.end()
            continue
        new, end = antecedent(result, match, noun, topics, dialogue)
        if new is None:
            position = match.end()
            continue
        result.text = result.text[: match.start()] + new + result.text[end:]
        result.changed, position = True, match.start() + len(new)


def _named_already(text: str, position: int) -> bool:
    """Whether a noun right before the pointing words says which one: 太阳能板那个方案."""
    if text[position : position + 1] not in "那这" or text[position + 1 : position + 2] != "个":
        return False
    before = [t for t in parse(text).tokens if t.end == position]
    if not before or before[0].role != "noun" or before[0].tag[0] != "n":
        return False
    run = next((p for p in parse(text).phrases if p.end == position), None)
    return (
        run is not None and run.kind == "topic" and len(run.text) > 1 and not find_regions(run.text)
    )


def _bare(result: Referred, topics: list[str], dialogue: Dialogue) -> None:
    def value(match: re.Match[str]) -> str | None:
        before = result.text[: match.start()]
        linked = before.rstrip().endswith(("和", "与", "跟", "比", "同"))
        if own_noun(before) and not linked and not is_object(match.group(), before):
            return None
        if not topics:
            result.unresolved.append(match.group())
            return None
        chosen = _chosen_one(topics[0], dialogue) or topics[0]
        if linked and topics[0] in before:
            chosen = next((t for t in topics if t not in before), topics[0])
        result.about = chosen
        return chosen + ("的" if match.group() == "其" else "")

    _replace(result, _BARE, value)


def _chosen_one(about: str, dialogue: Dialogue) -> str:
    """Of two things the one that our answer chose: ZW-100 after "哪个便宜"; "" for neither."""
    previous, two = dialogue.previous, _conjuncts(about)
    if (
        previous is None
        or two is None
        or not re.search(r"哪(?:一)?[个款种家项]|谁", previous.question)
    ):
        return ""
    named = [one for one in two if one in previous.reply[:60]]
    return named[0] if len(named) == 1 else ""


def _people(result: Referred, topics: list[str], dialogue: Dialogue) -> None:
    def value(match: re.Match[str]) -> str | None:
        if match.group() != result.text[match.start() : match.end()] or own_noun(
            result.text[: match.start()]
        ):
            return None
        plural = match.group().endswith("们")
        for exchange in reversed(dialogue.exchanges):
            for text in (exchange.reply, exchange.question):
                if person := last_person(text):
                    return person + ("们" if plural and len(person) <= 3 else "")
                if topics and topics[0].endswith(TRADES):
                    return topics[0]
                if plural and (house := last_house(text)):
                    return house
        return None

    if "其他" not in result.text and "吉他" not in result.text:
        _replace(result, _PEOPLE, value)


_THEIRS = re.compile(
    r"(?:那|还有)?(?P<who>[他她]们?)的?(?P<what>[\u4e00-\u9fff]{1,5}?)(?:呢|是)?[。.！!…\s]*"
)


def attribute_of_person(message: str, dialogue: Dialogue) -> str | None:
    """陆一帆的分机 for "他分机" after an answer that names 陆一帆; None for other messages."""
    match = _THEIRS.fullmatch(message)
    if match is None or match["what"] not in lexicon.RELATIONS | _OF_PEOPLE:
        return None
    previous = dialogue.previous
    if previous and re.search("谁|哪位", previous.question) and not last_person(previous.reply):
        return None  # whom the last question asked for we could not tell
    referred = Referred(match["who"])
    _people(referred, dialogue.topics(), dialogue)
    return f"{referred.text}的{match['what']}" if referred.changed else None


_OF_PEOPLE = lexicon.words_of("手机 手机号 微信 工位 职务 岗位 部门 办公室 座机 名字 职级")
"""What people have besides the relational nouns."""


def _masked(text: str) -> str:
    return QUOTED_TITLE.sub(lambda m: "〇" * len(m.group()), text)


def _shared_head(text: str, position: int, topics: list[str]) -> str:
    """The words right behind pointing words with which the latest topic ends (这个套餐)."""
    for topic in topics[:2]:
        bare = topic.strip("《》")
        for length in (4, 3, 2):
            word = text[position : position + length]
            if position + length not in boundaries(text):
                continue
            if len(word) == length < len(bare) and bare.endswith(word):
                return word
    return ""


def _noun_after(text: str, position: int) -> str:
    """The class noun or noun phrase right behind pointing words."""
    for length in (4, 3, 2, 1):
        word = text[position : position + length]
        if position + length not in boundaries(text):
            continue
        if len(word) == length and (word in lexicon.CLASSES or word in lexicon.RELATIONS):
            return word
    for phrase in parse(text).phrases:
        if phrase.start == position:
            return phrase.text
    return ""
