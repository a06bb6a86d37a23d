"""The single questions in a question: several asked at once, or one about several things."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from rag.text.normalise import normalise
from rag.types import Intent, KnowledgeProfile, Slots
from rag.understand import lexicon
from rag.understand.carry import carry, leaves_topic_out
from rag.understand.dialogue import Dialogue, remember
from rag.understand.phrases import asks, topic
from rag.understand.regions import find_regions
from rag.understand.slots import CODE, QUOTED_TITLE
from rag.understand.substitute import COUNTED, put

MOST_PARTS = 5
"""More parts than this are searched as one question (chosen by us)."""

_BORDER = re.compile(r"[？?；;。\n]+|[，,](?=[^，,]{2,}[？?]?$)")
_TOGETHER = re.compile(r"(?:这|上述|以上)?[两二三四五]?(?:地|者|个|款|年|种|城|市|省)?(?:之间)?")
_ASKS_DIFFERENCE = re.compile(
    r"(?:有|是)?(?:什么|哪些|何|多大|多少)?(?:的)?(?:区别|差异|差别|不同(?:点|之处)?|不一样)"
    r"|差(?:了)?多少|相差(?:多少)?|对比(?:一下)?|比较(?:一下)?"
)
_BY_HOW_MUCH = (
    r"(?:又|还|要|会|能)?(?:上|下|提|增|降|减)?(?:涨|增加|增长|增|提高|高|多|贵|长|重|快|上调|下降|降低|降|减少|减|少|低|便宜|短|轻|慢|早|晚|变化|差|相差)"
    r"(?:了|出)?(?:多少|几[\u4e00-\u9fff]{0,2})(?:钱|元|天|倍|个百分点)?"
)
_THAN = re.compile(
    rf"^(?P<x>[^，,？?]{{3,30}}?)(?:比|相比|较|(?:跟|与|和)(?=.{{1,24}}相比))(?P<y>[^，,？?]{{1,24}}?)(?:的)?(?:相比|比)?{_BY_HOW_MUCH}$"
)
_MEASURES = (("贵便宜", "多少钱"), ("重轻", "重量是多少"))
_DEARER = re.compile(
    r"^(?P<x>[A-Za-z0-9\u4e00-\u9fff_-]{2,12}?)比(?P<y>[A-Za-z0-9\u4e00-\u9fff_-]{2,12}?)(?:更|还|要)?"
    r"(?P<how>贵|便宜|重|轻)(?:很多|一点|些)?(?:吗|么|不|嘛)$"
)
"""比 questions of two models whose answer is the price or the weight of both."""
_BETWEEN_TWO = re.compile(
    r"^(?P<lead>[^，,和与跟]{0,6}?(?:年|的))?(?P<a>[^，,和与跟的年]{2,10})(?:和|与|跟)(?P<b>[^，,和与跟的]{2,10}?)"
    r"(?P<link>的)(?P<of>[^，,？?的]{2,14}?)(?:之间)?(?:有什么|有何|有)?(?:相差|差(?:了)?多少|相差多少|差距?(?:是)?多少|差几[\u4e00-\u9fff]|区别|不同|不一样|差别)$"
)
_SIDE_BY_SIDE = re.compile(
    r"^(?P<a>[\u4e00-\u9fffA-Za-z]{2,10})(?:和|与|跟)(?P<rest>[\u4e00-\u9fffA-Za-z]{4,18}?)"
    r"(?:之间)?(?:(?:有|是)?(?:什么|何|哪些)?(?:区别|差别|差异|不同|不一样)|(?:相)?差(?:了)?多少"
    r"|(?:分别|各)(?:是|有|为|要)?多少(?:钱|元|天)?)$"
)
_EACH = re.compile(r"分别|各自|各(?=是|有|为|需|多少)")
_WHICH_IS = re.compile(r"(?:哪(?:一)?[个款种项家]|谁)(?:更|比较|最)?(?:加)?")
_LISTED = re.compile(r"[、，,和与及跟或比对的\s]*(?:和|与|跟|比|对比)?")
_FAMILY = re.compile("[A-Za-z]*")
_ATTRIBUTES = re.compile(
    r"^(?P<of>.{2,30}?的)(?P<a>[\u4e00-\u9fffA-Za-z]{2,8})(?:和|与|及"
    r"|以及|、)(?P<b>[\u4e00-\u9fffA-Za-z]{2,8})(?:分别|各)(?P<ask>.{1,12})$"
)


def parts(
    question: str, intent: Intent, slots: Slots, profile: KnowledgeProfile | None
) -> tuple[str, ...]:
    """The single questions, each complete; empty when there is only one.

    Args:
        question: the completed question.
        intent: its intent; a comparison of things is split at the things.
        slots: what the question names.
        profile: see `leaves_topic_out`.
    """
    several = _several_questions(question, profile)
    if len(several) > 1:
        return several
    if both := _difference(question, profile):
        return both
    for spans in (
        _spans_of_products(question, slots),
        _spans_of_regions(question),
        _spans_of_times(question, slots),
    ):
        if 2 <= len(spans) <= MOST_PARTS:
            return tuple(_only(question, span, spans) for span in spans)
    if match := _ATTRIBUTES.match(question):
        return tuple(f"{match['of']}{match[name]}{match['ask']}" for name in ("a", "b"))
    if intent == "comparison":
        return _two_topics(question)
    return ()


def _difference(question: str, profile: KnowledgeProfile | None) -> tuple[str, ...]:
    """The plain question for each of two values: 河南2024年养老金是多少 and 2023年's.

    Of 比 questions, and of 甲和乙的X差多少 where both are named side by side.
    """
    text = question.rstrip("？?。！! ")
    if match := _THAN.match(text):
        first, second = match["x"].rstrip("的，, "), match["y"].strip("的，, ")
        shared = next((n for n in (6, 4, 3, 2) if first.endswith(second[-n:])), 0)
        repeated = bool(shared) and len(second) > shared + 1 and not find_regions(second[-shared:])
        other = f"{second}是多少" if repeated else put(second, f"{first}是多少", profile)
        if other and other != f"{first}是多少":
            return f"{first}是多少？", f"{other}？"
        return ()
    match = _DEARER.match(text)
    if match and CODE.fullmatch(match["x"]) and CODE.fullmatch(match["y"]):
        asked = next(ask for how, ask in _MEASURES if match["how"] in how)
        return tuple(f"{one}{asked}？" for one in (match["x"], match["y"]))
    if match := _BETWEEN_TWO.match(text):
        return tuple(
            f"{match['lead'] or ''}{one}的{_asked(match['of'])}" for one in (match["a"], match["b"])
        )
    if match := _SIDE_BY_SIDE.match(text):
        first, rest = match["a"], match["rest"]
        at = rest.find(first[-1], 1) + 1
        attribute = rest[at:]
        if at and at <= len(first) + 4 and 2 <= len(attribute) <= 8:
            return tuple(f"{one}{_asked(attribute)}" for one in (first, rest[:at]))
    return ()


def _asked(attribute: str) -> str:
    """An attribute as the end of a question: 借期是多少？, 申请条件是什么？, 请假的规定是什么？"""
    if COUNTED.search(attribute):
        return f"{attribute}是多少？"
    related = attribute.endswith(tuple(lexicon.RELATIONS))
    return f"{attribute}是什么？" if related else f"{attribute}的规定是什么？"


def _several_questions(question: str, profile: KnowledgeProfile | None) -> tuple[str, ...]:
    masked = QUOTED_TITLE.sub(lambda m: "〇" * len(m.group()), question)
    pieces, position = [], 0
    for match in _BORDER.finditer(masked):
        pieces.append(question[position : match.start()].strip())
        position = match.end()
    pieces.append(question[position:].strip())
    pieces = [piece for piece in pieces if piece]
    asking = [piece for piece in pieces if asks(piece)]
    if len(pieces) < 2 or len(asking) != len(pieces) or len(pieces) > MOST_PARTS:
        return ()
    dialogue = Dialogue()
    made: list[str] = []
    for piece in pieces:
        whole = piece
        if made and leaves_topic_out(piece, dialogue, profile):
            whole = carry(piece, dialogue, profile) or piece
        if not topic(whole) and not made:
            return ()
        remember(dialogue, piece, whole)
        made.append(whole.rstrip("，,。；;") + "？")
    return tuple(made)


def _spans_of_products(question: str, slots: Slots) -> list[tuple[int, int]]:
    """The models side by side; a model and its fault code (ZW-100 and E04) are one question."""
    spans = _spans(question, slots.product)
    between = [question[a:b] for (_, a), (b, _) in itertools.pairwise(spans)]
    listed = all(_LISTED.fullmatch(text) for text in between)
    families = {_FAMILY.match(question[start:end]).group().lower() for start, end in spans}  # type: ignore[union-attr]
    return spans if listed or len(families) == 1 else []


def _spans_of_regions(question: str) -> list[tuple[int, int]]:
    masked = QUOTED_TITLE.sub(lambda m: "〇" * len(m.group()), question)
    return list(dict.fromkeys((m.start, m.end) for m in find_regions(masked)))


def _spans_of_times(question: str, slots: Slots) -> list[tuple[int, int]]:
    return _spans(question, [time.text for time in slots.time])


def _spans(question: str, values: Sequence[str]) -> list[tuple[int, int]]:
    simple = normalise(question)
    text = question if len(simple) != len(question) else simple
    found = []
    for value in values:
        name = value if value in text else normalise(value)
        if name in text:
            found.append((text.index(name), text.index(name) + len(name)))
    return sorted(set(found))


def _only(question: str, span: tuple[int, int], spans: Sequence[tuple[int, int]]) -> str:
    """The question about one of the things: the list of all is cut down to it."""
    first, last = min(s for s, _ in spans), max(e for _, e in spans)
    rest = question[last:]
    if match := _TOGETHER.match(rest):
        rest = rest[match.end() :] if re.search("[两二三四五者]", match.group()) else rest
    links = "".join(question[a:b] for (_, a), (b, _) in itertools.pairwise(sorted(spans)) if a < b)
    if re.fullmatch(r"[、，,和与及跟或比对\s]*", links):
        head = question[:first] + question[span[0] : span[1]]
    else:  # 北京的租房补贴和上海的租房补贴: each has words of its own
        following = [start for start, _ in spans if start > span[0]]
        own = question[span[0] : following[0]] if following else question[span[0] : last] + rest
        head, rest = question[:first] + re.sub(r"[、，,和与及跟或比对\s]+$", "", own), ""
    return _as_question(head, rest, head + rest)


def _as_question(head: str, rest: str, whole: str) -> str:
    """A part in the form of a question, without the words that compare it with the others."""
    number = "差多少" in whole or "相差" in whole
    body = _ASKS_DIFFERENCE.sub("", _EACH.sub("", head + rest)) if not rest else head
    if rest:
        rest = _WHICH_IS.sub("是否", _ASKS_DIFFERENCE.sub("", _EACH.sub("", rest)))
        body += (
            rest if rest.startswith("的") and len(rest.strip("的？? ")) > 1 else rest.lstrip("的")
        )
    body = body.strip().rstrip("？?的在上 ")
    return (
        f"{body}？" if asks(body) or "是否" in body else f"{body}是{'多少' if number else '什么'}？"
    )


def _two_topics(question: str) -> tuple[str, ...]:
    about = topic(question)
    pieces = re.split(r"和|与|跟|、|以及", about)
    if len(pieces) != 2 or not all(1 < len(piece) <= 20 for piece in pieces):
        return ()
    rest = question[question.find(pieces[1]) + len(pieces[1]) :] if pieces[1] in question else ""
    rest = _ASKS_DIFFERENCE.sub("", _EACH.sub("", rest)).strip("？?的在上 有是")
    return tuple(f"{piece}{rest}？" if rest else f"{piece}的规定是什么？" for piece in pieces)
