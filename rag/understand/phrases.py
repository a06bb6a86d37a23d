"""How a question is built: its words by role, its noun phrases, its topic.

The topic is what the question is about, with the region, time or group that narrows it:
"北京租房补贴" in "北京租房补贴要哪些材料？". It is a piece of the question's own text wherever
that is possible.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from rag.understand import lexicon
from rag.understand.clauses import asking_clause, is_circumstance, is_day
from rag.understand.regions import find_regions
from rag.understand.runs import (
    FOR_EACH,
    drop_asked_verb,
    drop_predicate,
    is_granted_to,
    reported_code,
    without_relations,
)
from rag.understand.slots import CODE, LETTERED_PRODUCT, QUOTED_TITLE
from rag.understand.tokens import Token, tokens_of

_OF_ASKING = (
    "电话|热线|处|台|窗口|时间|地址|密码|系统|题|费|服务|师|结果|记录|渠道|方式|中心|员|码|号"
)
"""Behind 咨询 or 查询: the name of a thing (咨询电话), no way of asking."""

_LEAD = re.compile(
    r"(?:(?:你好|您好|hi|hello|哈喽|嗨|早上好|下午好)[,，!！。.\s]*"
    r"|(?:好的?|嗯+|哦+|行|明白了?|知道了|了解了?|谢谢你?|ok)[,，!！。.\s]+"
    r"|(?:那么?|那就|然后|接着|另外|还有|对了|顺便|顺便问(?:一下|下)?|此外|再问(?:一下|下)?)[,，:：\s]+"
    r"|(?:请问|麻烦问|请教|麻烦再问|再问|再请教)(?:一下|下)?[,，:：\s]*"
    r"|(?:我)?(?:想要?|要|还想|再)?(?:咨询|请教|了解|问问|问|知道|查询|查查|查)(?:一下|下|的是)?(?:关于)?[,，:：\s]*"
    rf"(?!哪|什么|啥|几|多少|谁|{_OF_ASKING})(?=[^吗?？]{{2}})"
    r"|(?:麻烦|请|劳驾)?(?:你|您)?(?:帮我|给我|帮忙|替我)(?:查|看|找|问|说|讲|介绍|解释|列)?(?:一下|下|看)?[,，:：\s]*"
    r"|(?:请|能不能|能否|可以)?(?:告诉我|告知)(?:一下|下)?[,，:：\s]*)+",
    re.I,
)

_TAIL = re.compile(r"[\s?？!！。.~～…]+$")

_DEFINED = re.compile(
    r"^(?:什么是|何谓|何为|什么叫做?)(?P<a>[^是的，,？?]{2,20})[？?]*$|^(?P<b>[^是的，,？?它这那该其]{2,20})是什么意思[？?]*$"
)

_THING_OF = re.compile(
    rf"(?P<thing>{CODE.pattern}|{LETTERED_PRODUCT.pattern}|{QUOTED_TITLE.pattern})的"
)

_ASKS = re.compile(
    r"[?？]|吗|呢|什么|啥|哪|谁|怎么|怎样|如何|为什么|为何|多少|几[\u4e00-\u9fff]|多久|多长|多大|多高|何时|是否|能否|可否"
    r"|有没有|能不能|可不可以|是不是|会不会|要不要|需不需要|介绍|说明|解释|列出|列举|总结|概括|讲讲|说说|查(?:一?下|询)|咋|[高低大小多少长短快慢好坏升降涨跌]了还是|[\u4e00-\u9fff](?<![了过就但可试都])还是(?![不没有打很要老那这])[\u4e00-\u9fff]"
    r"|([\u4e00-\u9fff])[不没]\1|(?:能|会|可以|要|是|有|得|用|行|可|该|算|给)[^，,。！!]{0,12}[不没][\s?？]*$|[还都也][\u4e00-\u9fff]{1,4}[不没][\s?？]*$|么[\s?？]*$|了没有?[\s?？]*$"
)

_DIGIT = re.compile(r"[\d一二三四五六七八九十百千万半几]")

_PRONOUNS = re.compile("[你您我他她它咱]")

LONGEST_NAME = 24
"""Characters of a noun phrase; more is a sentence (chosen by us)."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: text[start:end].

    `kind` is "topic", "person", "place", "time" or "relation".
    """

    text: str
    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A question's structure. `lead` is the length of greeting and politeness before it."""

    text: str
    lead: int
    tokens: tuple[Token, ...]
    phrases: tuple[Phrase, ...]

    @property
    def body(self) -> str:
        """The question without politeness."""
        return self.text[self.lead :]


@lru_cache(maxsize=1024)
def parse(text: str) -> Parsed:
    """Read the structure of a question (or statement)."""
    match = _LEAD.match(text)
    lead = match.end() if match and match.end() < len(_TAIL.sub("", text)) else 0
    tokens = tuple(tokens_of(text, lead))
    return Parsed(text, lead, tokens, tuple(_phrases(text, tokens)))


def asks(text: str) -> bool:
    """Whether `text` is a question or asks for something."""
    return bool(_ASKS.search(text))


def topic_phrase(parsed: Parsed) -> Phrase | None:
    """The phrase that the question is about, without what narrows it; None if it has none."""
    topics = [phrase for phrase in parsed.phrases if phrase.kind == "topic"]
    if not topics:
        return None
    asking = _asking_clause(parsed)
    in_clause = [p for p in topics if asking[0] <= p.start < asking[1]]
    found = in_clause or topics[-1:]
    applied = [p for p in found if _APPLIED_FOR.search(parsed.text[: p.start])]
    return (applied or found)[0]


_APPLIED_FOR = re.compile("(?:申请|申领|申报|领取|享受)(?:人才|本市|公司)?$")
"""What one wants to have is what a question is about, not who wants it."""


_AMOUNT_OF = re.compile("^[钱元天个]的(?=[\u4e00-\u9fff]{2})")
"""What is left of 多少钱的 before a noun."""


def relation(text: str) -> str:
    """The first relational noun of `text`, which its topic is where it has no other."""
    phrases = (p for p in parse(text).phrases if p.kind == "relation")
    found = [p for p in phrases if len(p.text) > 1 and not p.text.isdigit()]
    return found[0].text if found else ""


def topic(text: str) -> str:
    """What `text` is about, with its region, time and group; "" when it names nothing."""
    about = _topic(text)
    if not _COUNTED_FIRST.match(about):
        about = _PER_UNIT.sub("", about)
    return "" if _NO_TOPIC.fullmatch(about) else about


_PER_UNIT = re.compile("(?<=[\u4e00-\u9fff]{2})(?:一个?|每)(?:月|年|天|晚|次|周|季度)$")
"""What an amount is given for: 租房补贴一个月能领多少."""
_COUNTED_FIRST = re.compile("[一二两三四五六七八九十\\d]")
"""两个人陪护一天: a case as a whole."""
_NO_TOPIC = re.compile(
    "哪几[天个年次]|回事|打算|[上下这本]个?(?:周|星期|礼拜|月)[一二三四五六日天初末底]?|[今明后昨前]天"
)


def _topic(text: str) -> str:
    parsed = parse(text)
    if match := _DEFINED.search(parsed.body):
        return (match["a"] or match["b"]).strip()
    if match := _HOW_TO.match(parsed.body):
        return match["act"]
    if code := reported_code(text):
        return code
    head = topic_phrase(parsed)
    if head is None:
        return ""
    if named := _THING_OF.match(head.text):
        return named["thing"]
    clause = _asking_clause(parsed)
    if joined := _one_of(parsed, head):
        return joined
    start, end = _with_verbs(parsed, head)
    narrowing = [
        p
        for p in parsed.phrases
        if p.kind in ("place", "time", "person") and clause[0] <= p.start < clause[1]
    ]
    narrowing = [p for p in narrowing if not is_circumstance(p.text, text[p.end : start])]
    if before := [p for p in narrowing if p.end <= start]:
        whole = text[before[0].start : end]
        names = [p.text.removeprefix("个") for p in before]  # 有个硕士想申请
        for piece in (*(p.text for p in before), text[start:end]):
            whole = whole.replace(piece, "", 1)
        if re.fullmatch("[的和与、及跟\\s]*", whole):
            return text[before[0].start : end]
        return "".join(names) + _AMOUNT_OF.sub("", text[start:end])
    return text[start:end]


def _one_of(parsed: Parsed, head: Phrase) -> str:
    """太阳能板方案 for 太阳能板那个方案; "" where nothing points."""
    match = re.compile("[那这]个").match(parsed.text, head.end)
    behind = next((p for p in parsed.phrases if match and p.start == match.end()), None)
    return head.text + behind.text if behind and not find_regions(head.text) else ""


_LIGHT = lexicon.words_of("办 领 查 开 交 做 弄 用 看 报 买 填 批 发 请 找 拿 到 来 去 算 休 签 写")
"""Verbs that say no more than that one deals with the thing behind them."""

_HOUSE = re.compile(r"(?:院|馆|店|局|所|中心|银行|公司|学校|大学|大厅|机场|车站|社|堂)$")

_HOW_TO = re.compile(
    r"(?:怎么|怎样|如何|咋)(?:才能|样)?(?P<act>(?:帮(?!我)|在|给(?!我)|为|把|从|向)[^，,。？?！!]{3,20}?)[呢啊呀吗？?。！!\s]*$"
)


def _with_verbs(parsed: Parsed, head: Phrase) -> tuple[int, int]:
    """The range of the topic with the verbs that are part of it: 转专业, 市一院做核磁共振."""
    start, end, tokens = head.start, head.end, parsed.tokens
    at = next((i for i, t in enumerate(tokens) if t.start == start), 0)
    if at == 1 and tokens[0].role == "act" and len(tokens[0].text) == 1:
        start = start if tokens[0].text in _LIGHT else tokens[0].start
    elif end - start == 1 and at and tokens[at - 1].role == "act":
        start = tokens[at - 1].start  # 那退宿要赔钱吗
    after = next((i for i, t in enumerate(tokens) if t.start == end), len(tokens))
    if _HOUSE.search(head.text) and after + 1 < len(tokens) and tokens[after].role == "act":
        following = next((p for p in parsed.phrases if p.start == tokens[after].end), None)
        if following is not None and following.kind == "topic":
            end = following.end
    return start, end


def plain_noun(about: str) -> str:
    """The noun at the end of a topic, without its region, time and numbers; "" if unclear."""
    tokens = parse(about).tokens
    kept: list[str] = []
    while tokens and tokens[-1].tag[0] in "mq":  # 基础养老金一个月
        tokens = tokens[:-1]
    for token in reversed(tokens):
        plain = (
            token.role in ("noun", "rel")
            and token.tag[0] in "nvjb"
            and not _DIGIT.search(token.text)
        )
        if not plain or find_regions(token.text):
            break
        kept.insert(0, token.text)
    noun = "".join(kept)
    whole = kept and tokens[-1].tag[0] in "nvj"
    return noun if whole and 2 <= len(noun) <= 10 else ""


def is_name(text: str) -> bool:
    """Whether `text` is a noun phrase and nothing else ("病假", "入职三年的员工")."""
    tokens = parse(text).tokens
    if not tokens or len(text) > LONGEST_NAME or _PRONOUNS.search(text):
        return False
    return all(t.role in ("noun", "rel", "act", "of", "and") for t in tokens) or is_unknown_name(
        text
    )


_UNNAMED = re.compile("[你您我他她它咱的了不没很谁啥这那吗呢吧是有能会要]")


def is_unknown_name(text: str) -> bool:
    """Whether `text` is a short word that the dictionary cuts into letters (顺丰, 中班)."""
    tokens = parse(text).tokens
    if not 2 <= len(text) <= 4 or _UNNAMED.search(text) or not text.isalpha() or text.isascii():
        return False
    return len(tokens) > 1 and all(len(t.text) == 1 and t.role != "ask" for t in tokens)


def is_deed(text: str) -> bool:
    """Whether `text` says what someone does, and asks nothing ("高速上倒车", "不系安全带")."""
    tokens = parse(text).tokens
    if not 2 <= len(text) <= LONGEST_NAME or _PRONOUNS.search(text) or not tokens:
        return False
    if any(t.role in ("ask", "mark") or t.text in _MODALS for t in tokens):
        return False
    last = tokens[-1]
    return last.role in ("noun", "act") and any(
        t.role == "noun" and len(t.text) > 1 for t in tokens
    )


def happens(text: str) -> bool:
    """Whether `text` says that something has happened ("原公司倒闭了"), and asks nothing."""
    tokens = parse(text).tokens
    if not 3 <= len(text) <= LONGEST_NAME or _ASKS.search(text) or len(tokens) < 3:
        return False
    denied = tokens[1].text in ("不", "没", "没有") and tokens[0].role == "noun"
    if tokens[-1].text != "了" and not denied:
        return False
    return any(t.role == "noun" and len(t.text) > 1 for t in tokens[:-2])


def is_person(text: str) -> bool:
    """Whether a phrase names a kind of people ("实习生", "正式员工")."""
    if text in ("男", "女", "男的", "女的"):
        return True
    return text.endswith(lexicon.PERSON_ENDINGS) and text not in lexicon.NOT_PERSON


def _asking_clause(parsed: Parsed) -> tuple[int, int]:
    return asking_clause(parsed.text, parsed.lead, parsed.tokens, parsed.phrases, asks)


_LATELY = lexicon.words_of("最近 近期 近来 目前 如今 当前")


def _phrases(text: str, tokens: tuple[Token, ...]) -> list[Phrase]:
    """Runs of noun-like words, their links included."""
    found: list[Phrase] = []
    run: list[Token] = []

    def close() -> None:
        while run and run[-1].role in ("of", "and"):
            run.pop()
        while run and run[0].role in ("of", "and"):
            run.pop(0)
        while len(run) > 1 and run[-1].text in _LATELY:
            run.pop()
        drop_predicate(run)
        if run:
            found.extend(_split_run(text, run))
        run.clear()

    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        topical = token.text in lexicon.TOPICAL_ACTIONS
        if token.role == "act" and following:
            if run and (
                following.text in lexicon.DOCUMENT_NOUNS or (topical and following.role == "rel")
            ):
                token = replace(token, role="noun")  # 差旅报销制度
            elif topical and not run and following.role == "rel":
                found.append(Phrase(token.text, token.start, token.end, "topic"))
        if token.role == "noun" and not run and _is_predicate(tokens, index):
            continue
        if token.role in ("noun", "rel") or (token.role in ("of", "and") and run):
            run.append(token)
        else:
            drop_asked_verb(run, token)
            close()
    close()
    return found


def _is_predicate(tokens: tuple[Token, ...], index: int) -> bool:
    """Whether a verb ends the question behind what asks: 在哪里举行, 能减免吗."""
    token = tokens[index]
    behind = tokens[index + 1 :]
    if index == 0:
        led = token.tag == "v" and len(token.text) > 1 and token.text[-1] in "给到在成为向去于"
        return led and bool(behind) and all(t.role in ("ask", "mark") for t in behind)  # 交给谁
    before = tokens[index - 1]
    if before.text in ("哪", "哪里", "哪儿") and tokens[index - 2].tag in ("p", "v") and index > 1:
        return all(t.role in ("ask", "mark", "aux") for t in behind)  # 在哪上车
    if token.tag not in ("v", "vn", "vi") or token.text in lexicon.EVENTS:
        return False
    if before.role != "ask" and before.text not in _MODALS:
        return False
    return all(t.role in ("ask", "mark", "aux") for t in behind)


_MODALS = lexicon.words_of("能 可以 会 要 需要 可 应该 能够 允许 必须 还 也 都 不能 不会")


def _split_run(text: str, run: list[Token]) -> list[Phrase]:
    """Cut a run into narrowing parts (place, time, people) and the topic behind them."""
    phrases: list[Phrase] = []
    tokens = list(run)
    start, end = tokens[0].start, tokens[-1].end
    regions = find_regions(text[start:end])
    while tokens and regions and regions[0].start == tokens[0].start - start:
        region = regions.pop(0)
        if QUOTED_TITLE.match(tokens[0].text):
            break
        stop = start + region.end
        phrases.append(Phrase(text[tokens[0].start : stop], tokens[0].start, stop, "place"))
        tokens = [t for t in tokens if t.start >= stop]
        while (tokens and tokens[0].role in ("of", "and")) or (
            tokens and tokens[0].text in ("市", "省", "地区")
        ):
            tokens.pop(0)
        regions = [r for r in regions if start + r.start >= stop]
    if not tokens:
        return phrases
    while tokens and tokens[0].tag == "t" and tokens[0].text[-1] not in "假期":
        phrases.append(Phrase(tokens[0].text, tokens[0].start, tokens[0].end, "time"))
        tokens.pop(0)
        while tokens and tokens[0].role == "of":
            tokens.pop(0)
    if not tokens:
        return phrases
    tail = without_relations(tokens)
    if not tail:
        phrases.append(
            Phrase(
                text[tokens[0].start : tokens[-1].end], tokens[0].start, tokens[-1].end, "relation"
            )
        )
        return phrases
    if all(t.text in lexicon.GENERIC_PEOPLE or t.role != "noun" for t in tail):
        return phrases
    core = text[tail[0].start : tail[-1].end]
    if len(tail) == 2 and tail[0].tag in ("nr", "nrt", "nz") and is_person(tail[1].text):
        phrases.append(Phrase(tail[0].text, tail[0].start, tail[0].end, "topic"))
        tail, core = tail[1:], tail[1].text  # 阿莫西林儿童一次吃几粒
    if is_granted_to(tail):
        last = tail.pop()  # 租房补贴硕士每月多少
        phrases.append(Phrase(text[tail[0].start : last.start], tail[0].start, last.start, "topic"))
        tail, core = [last], last.text
    if is_day(core, text[: tail[0].start]):
        phrases.append(Phrase(core, tail[0].start, tail[-1].end, "time"))
        return phrases
    kind = "person" if is_person(core) else "topic"
    if len(core) == 1 and tail[0].tag[0] in "vamqt":
        return phrases
    if all(t.tag in ("a", "ad", "d", "an", "z", "s") for t in tail):
        return phrases
    if all(t.tag[0] in "mq" and not t.text[0].isascii() for t in tail):
        return phrases  # 两个
    if FOR_EACH.fullmatch(core):
        return phrases
    phrases.append(Phrase(core, tail[0].start, tail[-1].end, kind))
    return phrases
