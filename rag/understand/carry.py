"""Questions that leave their topic out ("怎么申请？") or shorten its name ("补贴怎么领？")."""

from __future__ import annotations

import itertools
import re
from datetime import date

from rag.text.normalise import normalise
from rag.types import KnowledgeProfile
from rag.understand import lexicon
from rag.understand.answered import asked_of_both, deed_asked_about, part_named, subject_of
from rag.understand.details import asks_detail, is_payday, whole_kind, with_topic
from rag.understand.dialogue import Dialogue, Exchange
from rag.understand.frames import belongs, is_attribute
from rag.understand.gazetteer import gazetteer
from rag.understand.left_out import (
    BACK,
    DAYS_OFF,
    DETAIL_VERBS,
    IDIOMS,
    MORE_OF_TIME,
    NEXT_MEETING,
    OF_THE_WAY,
    THAN,
    THERE_IS,
    WHEN_DONE,
    before_verb,
    journey,
    same_deed,
)
from rag.understand.phrases import Parsed, Phrase, is_name, parse, topic_phrase
from rag.understand.refer import two_things
from rag.understand.regions import find_regions
from rag.understand.slots import QUOTED_TITLE
from rag.understand.subject import without_condition
from rag.understand.swap_places import put_region, put_time
from rag.understand.times import find_times

LONGEST_ELLIPSIS = 24
"""Characters: longer questions name what they are about (chosen by us)."""
_TO_US = re.compile("你(?!知道|能|可以|看|说)|咱|楼主|亲|(?:他|她)们?")
# What a question begins with when its subject is left out.
_SUBJECTLESS = re.compile(
    r"(?:那|具体|大概|一般|通常|最(?:多|少|高|低|长|短|晚|早|快|迟)|至少|还|也|都)*(?:会(?!议"
    r"|员|计|费|展)|需要|要(?!素|点)|需|得|应该|应当|必须|由谁|由哪|算(?!法)|属于|包括|包含|是不是"
    r"|是否|为什么|多久|多少|几[\u4e00-\u9fff]|有效|有(?:没有|多少|几|何|什么(?!样)|哪些)?)"
)
_MAY = re.compile(
    r"(?:那|还|也|都)*(?:可以|能不能|能否|可否|可不可以|能(?!源|力|耗)|有没有|有(?!效|关))"
)
_PROCEDURE_ACTION = re.compile(
    r"(?:怎么|如何|怎样)(?:才能)?(申请|办理|报销|领取|申报|申领|登记|缴纳|查询|报名|注册|开具|补办)"
)
_IMPERATIVE = re.compile(
    r"(?P<verb>(?:请|我)?(?:详细|具体)?(?:介绍|说明|解释|列出|列举|总结|讲讲|说说)(?:一下)?"
    r"|(?:请|(?:我)?(?:想要?|要|打算|准备|需要))(?:申请|办理|领取|报销|购买|查询))(?P<rest>.*)$"
)
_ASKS_DETAIL = re.compile(r"(?:材料|资料|证件|手续|条件)")


def leaves_topic_out(question: str, dialogue: Dialogue, profile: KnowledgeProfile | None) -> bool:
    """Whether the question names no topic of its own, so that the last one is meant."""
    parsed = parse(question)
    own = topic_phrase(parsed)
    if not _has_predicate(parsed) or len(parsed.body) > LONGEST_ELLIPSIS:
        return False
    if _TO_US.match(parsed.body):
        return False
    if dialogue.previous and dialogue.previous.subject and OF_THE_WAY.search(parsed.body):
        return True
    if _OF_BOTH.match(parsed.body) and asked_of_both(dialogue):
        return True
    if BACK.match(parsed.body) and journey(dialogue):
        return True
    if asks_detail(parsed, dialogue):
        return True
    if own is None:
        alone = DAYS_OFF.match(parsed.body) or NEXT_MEETING.match(parsed.body)
        return not _idiom(question) and not alone
    if THERE_IS.match(parsed.body) or NEXT_MEETING.match(parsed.body):
        return False
    when = WHEN_DONE.fullmatch(parsed.body)
    if dialogue.previous and when and when["deed"] == own.text not in lexicon.EVENTS:
        return not known_topic(own.text, profile)
    if dialogue.previous and THAN.match(parsed.body):
        return True
    if dialogue.previous and _WITHOUT.match(parsed.body):
        return True
    if dialogue.previous and (_WITHIN.match(parsed.body) or _DONE.match(parsed.body)):
        return True
    if _ONE_OF.match(parsed.body) and dialogue.previous:
        return True  # 最高那档有多少钱
    if _WHICH.match(parsed.body) and two_things(dialogue):
        return True
    if QUOTED_TITLE.search(own.text) or _code_like(own.text):
        return False
    if _owner(parsed, own, dialogue) or _asked_of_before(parsed, own, dialogue):
        return not known_topic(own.text, profile)
    body = parsed.body
    if part_named(body, dialogue):
        return not known_topic(own.text, profile)
    at = own.start - parsed.lead
    before = body[:at]
    if own.text in _VAGUE or _MISHAP.match(body) or _WITH.search(before):
        return dialogue.previous is None or not known_topic(own.text, profile)
    if not (_SUBJECTLESS.match(body) or _MAY.match(body)) or at == 0 or find_regions(before):
        return False
    previous = dialogue.previous
    if previous and _shares(own.text, previous.topic):
        return not _same_head(own.text, previous.topic)
    if known_topic(own.text, profile):
        return False
    if _MAY.match(body) and not re.match(r"(?:那|还|也|都)*有", body):
        before_own = [t for t in parsed.tokens if t.end <= own.start]
        said = previous.question if previous else ""
        return (
            same_deed(parsed, own, said)
            or before_verb(parsed, own)
            or any(t.text in DETAIL_VERBS for t in before_own)
        )
    return not re.match(r"(?:那|还|也|都)*有(?:哪些|什么|几|多少)", body)


def _asked_of_before(parsed: Parsed, own: Phrase, dialogue: Dialogue) -> bool:
    """Whether the question begins with what the last one asked of its topic: 等待期 of a policy."""
    previous = dialogue.previous
    if previous is None or own.start != parsed.lead or len(own.text) < 2:
        return False
    if previous.topic in parsed.text or _shares(own.text, previous.topic):
        return False
    asked = [
        phrase.text
        for exchange in dialogue.exchanges[-2:]
        if exchange.topic == previous.topic
        for phrase in parse(exchange.question).phrases
        if phrase.kind == "topic" and len(phrase.text) > 1 and phrase.text != exchange.topic
    ]
    return any(own.text.startswith(text) or text.endswith(own.text) for text in asked)


def headless(question: str, dialogue: Dialogue) -> str | None:
    """The question with the last topic behind 的 that lacks its noun: 新能源的(车船税)要交吗."""
    previous, parsed = dialogue.previous, parse(question)
    for token, after in itertools.pairwise(parsed.tokens):
        if token.role != "of" or token.start - parsed.lead < 2:
            continue
        before = question[parsed.lead : token.start]
        if after.text in ("呢", "话", "时候", "过程"):
            return None
        if previous is None or after.role not in ("aux", "ask", "act") or not is_name(before):
            return None
        if previous.topic and not _shares(before, previous.topic):
            return question[: token.end] + previous.topic + question[token.end :]
        return None
    return None


def begins_with_attribute(question: str) -> bool:
    """Whether the question begins with a noun that things of some class have (密码是多少)."""
    first = next(iter(parse(question).phrases), None)
    at_start = first is not None and first.start == parse(question).lead
    return at_start and first is not None and is_attribute(first.text)


_ONE_OF = re.compile(r"(?:最|更|比较)[\u4e00-\u9fff]的?[那这](?:一)?[\u4e00-\u9fff]")


def _is_attribute(parsed: Parsed, own: Phrase, about: str) -> bool:
    """Whether the question begins with an attribute of what was talked about (门票多少钱)."""
    at = next((p for p in parsed.phrases if p.kind in ("topic", "relation")), own)
    noun = parsed.text[own.start : max(own.end, at.end)] if at.start == own.start else own.text
    run = [t for t in parsed.tokens if t.start >= own.start]
    for token in run:  # 起存金额: the attribute with its relational noun
        if token.start > own.end or token.role not in ("noun", "rel"):
            break
        noun = parsed.text[own.start : token.end]
        if belongs(noun, about):
            return True
    return belongs(noun, about) or belongs(own.text, about)


def _owner(parsed: Parsed, own: Phrase | None, dialogue: Dialogue) -> str:
    """What the attribute at the beginning of the question is of: 幼儿园 for 学费多少; else ""."""
    previous = dialogue.previous
    if previous is None or own is None or is_payday(own.text, parsed.body):
        return ""
    for about in (previous.topic, *(p.text for p in parse(previous.question).phrases)):
        if about and own.text not in about and _is_attribute(parsed, own, about):
            return whole_kind(about)
    return ""


def names_nothing(question: str, profile: KnowledgeProfile | None) -> bool:
    """Whether a first question asks how, where or when to do what nobody named ("怎么申请？").

    Never where a title of the knowledge base names the action itself.
    """
    parsed = parse(question)
    if profile is None or (parsed.phrases and any(p.kind != "relation" for p in parsed.phrases)):
        return False
    if any(t.role == "noun" and len(t.text) > 1 for t in parsed.tokens):
        return False  # 爽约几次会被停预约 names what it asks about
    actions = [t.text for t in parsed.tokens if t.role == "act"]
    asking = any(t.role == "ask" for t in parsed.tokens)
    if not asking or len(parsed.body) > 12 or find_regions(question):
        return False
    if not actions and not any(p.text in _NEEDED for p in parsed.phrases):
        return False
    return not any(action in gazetteer(profile).titles for action in actions)


def carry(question: str, dialogue: Dialogue, profile: KnowledgeProfile | None) -> str | None:
    """`question` with the topic of the conversation in front; None when there is none."""
    source = _source(dialogue)
    if source is None or not source.topic:
        return None
    if _KIN.fullmatch(source.topic):
        return None  # what he or she asked for is meant
    parsed = parse(question)
    body = parsed.body.lstrip("，, ")
    about = _owner(parsed, topic_phrase(parsed), dialogue)
    about = (
        about
        or deed_asked_about(body, dialogue)
        or subject_of(body, dialogue)
        or source.subject
        or without_condition(source.topic)
    )
    if (of := _OF_BOTH.match(body)) and (both := asked_of_both(dialogue)):
        return both + body[of.start("said") :]
    if BACK.match(body) and (gone := journey(dialogue)):
        return gone + body
    if without := _WITHOUT.match(body):
        return body[: without.end()] + about + body[without.end() :]
    if _WHICH.match(body) and (two := two_things(dialogue)):
        return "和".join(two) + body
    if QUOTED_TITLE.search(about):
        about = QUOTED_TITLE.search(about).group()  # type: ignore[union-attr]
    regions = find_regions(body)
    if regions:
        about = put_region("".join(dict.fromkeys(m.text for m in regions)), about, profile)
        for mention in reversed(regions):
            body = body[: mention.start] + body[mention.end :]
        body = re.sub(r"^(?:在|的|那边|这边)+", "", body)
    for phrase in parsed.phrases:
        if (
            phrase.kind == "time"
            and phrase.text in body
            and phrase.start == parsed.lead
            and not MORE_OF_TIME.match(parsed.text, phrase.end)
            and find_times(phrase.text, date.today())
        ):
            about, body = (
                put_time(phrase.text, about),
                body.replace(phrase.text, "", 1).lstrip("的"),
            )
    action = _PROCEDURE_ACTION.search(source.question)
    if (
        action
        and _ASKS_DETAIL.search(body)
        and not any(t.role == "act" for t in parse(body).tokens)
    ):
        about = f"{about}{action.group(1)}" if not about.endswith(action.group(1)) else about
    imperative = _IMPERATIVE.match(body)
    if imperative:
        rest = imperative["rest"].strip()
        link = "的" if rest and not rest.startswith(("的", "？", "?", "。")) else ""
        return imperative["verb"] + about + link + rest
    about, body = with_topic(body, about, dialogue)
    return about + body


def expand_short_name(question: str, dialogue: Dialogue) -> str | None:
    """ "补贴怎么领？" after 北京租房补贴: the bare head stands for the whole name."""
    parsed = parse(question)
    own = topic_phrase(parsed)
    if own is None or QUOTED_TITLE.search(own.text) or _narrowed(parsed, own):
        return None
    near = 3 if own.text in lexicon.CLASSES else 1
    for exchange in reversed(dialogue.exchanges[-near:]):
        name = exchange.topic
        if "和" in name or QUOTED_TITLE.search(name) or len(name) > 24:
            continue
        if len(own.text) >= 2 and _same_head(own.text, name) and own.text != name:
            rest = name[: -len(own.text)]
            times = find_times(rest, date.today())
            if times and find_times(question, date.today()):
                continue  # 退货率比二季度高了还是低了
            if len(rest) == 1 and parse(name).tokens[0].role == "act":
                continue  # 墨盒 is no short name for 换墨盒
            if find_regions(rest) and not _beyond_region(rest):
                return (
                    None
                    if _is_full(own.text, name)
                    else question[: own.start] + name + question[own.end :]
                )
            return question[: own.start] + name + question[own.end :]
    return None


_KIN = re.compile(
    "(?:她|他|我)?(?:老公|老婆|爱人|丈夫|妻子|对象|男友|女友|男朋友|女朋友|同事|朋友|领导|老板|客户|家人|父母|孩子)"
)


def known_topic(text: str, profile: KnowledgeProfile | None) -> bool:
    """Whether a document's title or heading names this."""
    return profile is not None and len(text) >= 2 and normalise(text) in gazetteer(profile).names


_WITHIN = re.compile(r"(?:里面|其中|里头|上面|下面|内部|周边|附近|旁边)(?!那|这)")
_DONE = re.compile(
    r"[\u4e00-\u9fff]{1,2}(?:完了|好了|完|好|了|过)(?:之后|以后|后)?(?=能|可以|要|会|还|多久|怎么|几|什么|需要|得|就)"
)
"""打完能洗澡吗: what may be done when the thing talked about is dealt with."""
_OF_BOTH = re.compile(r"(?:它们|两[个种款家者])?(?:全)?(?P<said>都|相?差(?:了)?(?:多少|几))")
_WITHOUT = re.compile(r"(?:那|如果|要是|万一)*(?P<verb>没有|没|有|不够|超过)(?=的话)")
_WITH = re.compile("^(?:还|也|都|是否|能否|可以|能不能|可不可以|能|会|要)*(?:跟|和|与|同|比)$")
_MISHAP = re.compile(
    r"(?:那|如果|要是|万一|假如|一旦)*(?:[\u4e00-\u9fff]{0,2}[不没][\u4e00-\u9fff]{1,2}"
    r"|[漏断没缺]水|[漏断没跳]电|跳闸|异响|冒烟|发热|发烫|过热|卡顿|卡纸|死机|黑屏|花屏|白屏|闪退|掉线|堵塞|生锈|报警|报错|超时"
    r"|[\u4e00-\u9fff]{1,3}了)(?:的话)?[，,]?"
    r"(?:怎么办|怎么处理|怎么解决|怎么修|怎么回事|咋办|为什么|是什么原因|是怎么回事|会怎样|会怎么样|有什么后果|怎么补救)"
)
"""连不上怎么办, 卡纸了怎么办: what went wrong with the thing talked about."""
_NEEDED = frozenset(["材料", "资料", "条件", "手续", "流程"])
_WHICH = re.compile(r"(?:那|到底)?(?:哪(?:一)?[个种款项家类份]|谁)")
_VAGUE = frozenset(
    [
        "钱",
        "多少钱",
        "货",
        "现货",
        "家属",
        "时间",
        "人",
        "事",
        "东西",
        "哪些人",
        "什么时候",
        "多长时间",
        "原因",
        "情况",
    ]
)


def _has_predicate(parsed: Parsed) -> bool:
    return any(t.role in ("ask", "act", "aux", "rel") for t in parsed.tokens)


def _idiom(question: str) -> bool:
    """Questions that have no topic at all."""
    return question.strip("？?！!。 ") in IDIOMS


def _code_like(text: str) -> bool:
    return bool(re.search(r"[A-Za-z]\d|\d[A-Za-z]|[A-Za-z]{2,}", text))


def _shares(a: str, b: str) -> bool:
    return len(set(a) & set(b)) >= 2 or any(a[i : i + 2] in b for i in range(len(a) - 1))


def _same_head(short: str, name: str) -> bool:
    return name.endswith(short) and len(name) > len(short)


def _narrowed(parsed: Parsed, own: Phrase) -> bool:
    return any(p.kind in ("place", "person", "time") and p.end <= own.start for p in parsed.phrases)


def _beyond_region(rest: str) -> bool:
    from rag.understand.regions import without_regions

    return bool(without_regions(rest).strip("的市省"))


def _is_full(short: str, name: str) -> bool:
    """Whether the short form is a whole name of its own (年假 in 北京年假), not a bare head."""
    del name
    return short not in lexicon.CLASSES


def _source(dialogue: Dialogue) -> Exchange | None:
    """The latest question with a topic."""
    for exchange in reversed(dialogue.exchanges):
        if exchange.topic:
            return exchange
    return None
