"""The words of a question, each with the role that it and its neighbours give it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rag.understand import lexicon
from rag.understand.slots import CODE, LETTERED_PRODUCT, QUOTED_TITLE
from rag.understand.words import tagged

_PROTECTED = re.compile(
    "|".join(
        (
            QUOTED_TITLE.pattern,
            r"“[^”]{2,30}”",
            r"「[^」]{2,30}」",
            CODE.pattern,
            LETTERED_PRODUCT.pattern,
        )
    )
)

_AMOUNT = re.compile(
    r"[\d.,]+[%％]?$|第[\d一二三四五六七八九十百千零]+[条款章节项编篇页步个种次]?$"
)

Role = str
"""One of: "ask", "aux", "act", "rel", "noun", "of" (的), "and", "mark"."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its role; it is text[start:end]."""

    text: str
    start: int
    end: int
    role: Role
    tag: str


def tokens_of(text: str, lead: int) -> list[Token]:
    """The words of `text` from the position `lead` on; titles, quotes and codes are one each."""
    tokens: list[Token] = []
    position = lead
    for match in _PROTECTED.finditer(text, lead):
        tokens += _plain_tokens(text, position, match.start())
        role = "noun"
        tokens.append(Token(match.group(), match.start(), match.end(), role, "nz"))
        position = match.end()
    tokens += _plain_tokens(text, position, len(text))
    return [_in_place(tokens, index) for index in range(len(tokens))]


_COUNTED = re.compile(r"(?:第|哪|好)?几[\u4e00-\u9fff]{0,2}$")

_INSIDE = lexicon.words_of("内 里 上 中 外 下 旁 前 后 并 新 全 非 共 总")

NOUN_ENDS = lexicon.words_of("费 证 补 保 额 率 价 量 期 差 税 贴 险")
"""Letters that jieba tags as verbs and that end the name of a thing."""

_MEASURE_OF = re.compile(
    r"(?!试用期|假期|学期|实习期|哺乳期|孕期|定期|活期|长期|短期|人数|多数|少数|无期|暑期)"
    r"[\u4e00-\u9fff]{1,3}(?:期|率|价|额|数|龄|限)"
)
"""Nouns for a measure or a term of the thing before them."""


def _in_place(tokens: list[Token], index: int) -> Token:
    """The token with the role that its neighbours give it."""
    token = tokens[index]
    before = tokens[index - 1] if index else None
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    verbal = token.tag[0] in "vz" and len(token.text) == 1 and token.text not in NOUN_ENDS
    if token.tag[0] == "m" and _COUNTED.match(token.text):
        return replace(token, role="ask")  # 几粒, 第几档
    if token.tag == "eng" and before and (before.text in ("多少", "几")):
        return replace(token, role="rel")  # 多少G
    if token.tag in ("zg", "q") and before and before.text in ("多少", "几"):
        return replace(token, role="rel")  # 多少件
    if before and after and before.role == after.role == "noun":
        if token.text in _INSIDE:
            return replace(token, role="noun")  # 金字塔内墓室
        if token.text == "着" and len(before.text) == 1 and before.tag[0] == "v":
            return replace(token, role="noun")  # 印着月亮的钥匙
    if token.text == "会" and _is_meeting(tokens, index):
        return replace(token, role="noun", tag="n")  # 开视频会
    leads = token.role == "noun" and (not before or before.role == "mark")
    if leads and len(token.text) == 1 and token.tag == "n" and after and after.text in ("了", "过"):
        return replace(token, role="act")  # 量了只有10.8
    named = before is not None and before.role == "noun" and before.tag != "t"
    if token.role == "noun" and named and _MEASURE_OF.fullmatch(token.text):
        return replace(token, role="rel")  # 虾仁保质期
    if token.role == "noun" and after:
        if verbal and (after.role == "ask" or _COUNTED.match(after.text)):
            return replace(token, role="act")  # 吃几粒
        if (verbal or token.tag == "a") and len(token.text) == 1 and after.text in ("了", "过"):
            return replace(token, role="act")  # 包裹坏了怎么赔
    return token


def _is_meeting(tokens: list[Token], index: int) -> bool:
    """Whether 会 behind a noun is a meeting: the clause ends with it, or one holds it."""
    before, after = tokens[index - 1] if index else None, tokens[index + 1 : index + 2]
    if before is None or before.role != "noun" or before.tag[0] not in "nv":
        return False
    held = index > 1 and tokens[index - 2].text in ("开", "参加", "召开", "主持")
    return held or (len(before.text) > 1 and bool(after) and not after[0].text.strip())


def _plain_tokens(text: str, start: int, end: int) -> list[Token]:
    tokens: list[Token] = []
    position = start
    for word, tag in tagged(text[start:end]):
        pieces = [(word, tag)]
        asked = word[:2]
        if len(word) > 2 and asked in ("哪些", "什么", "怎么", "多少") and tag[0] in "nl":
            pieces = [(asked, "r"), (word[2:], "n")]  # the dictionary has 哪些项目
        if len(word) == 2 and word[0] in "会能可要需" and tag[0] in "nva" and not _is_one(word):
            pieces = [(word[0], "v"), (word[1], "v")]
        for piece, piece_tag in pieces:
            tokens.append(
                Token(piece, position, position + len(piece), _role(piece, piece_tag), piece_tag)
            )
            position += len(piece)
    return tokens


_RESULT = re.compile("[\u4e00-\u9fff](?:好|完|成|到|掉|下来?|出来?|了|起|回|过|清|齐)")

_CANNOT = re.compile("[\u4e00-\u9fff][不得][上下来去开了到出掉动住完起好清见着进过通成]")

_WHOLE = frozenset(
    [
        "会议",
        "会员",
        "会计",
        "会费",
        "会展",
        "会所",
        "会长",
        "会场",
        "会签",
        "能力",
        "能源",
        "能耗",
        "要素",
        "要点",
        "需求",
        "可以",
        "能够",
        "需要",
        "会见",
        "要求",
    ]
)


def _is_one(word: str) -> bool:
    """会议 is a word; 会扣 is a modal and a verb that jieba took for one."""
    return word in _WHOLE or word in lexicon.AUXILIARIES


def _role(word: str, tag: str) -> Role:
    if not word.strip() or (tag in ("x", "w") and not any(c.isalnum() for c in word)):
        return "mark"
    if word == "的":
        return "of"
    if word in ("和", "与", "及", "以及", "跟", "、", "或", "或者"):
        return "and"
    if word in lexicon.ASKING or word in ("咋办", "咋整", "咋弄"):
        return "ask"
    if word in lexicon.PERSON_ENDINGS or word == "异常":
        return "noun"
    if _CANNOT.fullmatch(word):
        return "act"  # 连不上
    if word in lexicon.AUXILIARIES:
        return "aux"
    if word in lexicon.ACTIONS or (_RESULT.fullmatch(word) and word[0] in lexicon.ACTIONS):
        return "act"
    if word in lexicon.RELATIONS or _AMOUNT.match(word):
        return "rel"
    if tag[0] in "ydcpuroe" and tag not in ("eng", "rz") and len(word) <= 2:
        return "aux"
    return "noun"
