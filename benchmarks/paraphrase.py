"""Says a question as people say it: everyday words, fillers, personal details, words left out.

Rules over general Chinese, for training rows whose meaning (and so whose source) stays the
same. Titles in 《》 and codes are never touched.
"""

from __future__ import annotations

import random
import re
from functools import lru_cache

from rag.text.formal_words import formal_words
from rag.text.tokenise import query_terms, rarity

_LEADS = (
    "请问一下，", "麻烦问下，", "我想问问", "那个，", "你好，", "帮我看看", "我朋友问", "听说，",
    "我妈今年68了，", "我家老人", "我刚来，", "我在外地上班，", "我女儿刚上小学，",
    "我跟同事在争，", "之前没弄过，", "有点急，",
)  # fmt: skip
_TAILS = ("呀", "啊", "呢", "，谢谢", "，急", "，大概说说", "，我不太懂", "哦")
_ASKING = (
    ("什么时候", ("啥时候", "几月份", "哪天")), ("多少钱", ("要花多少", "贵不贵", "啥价")),
    ("在哪里", ("在哪儿", "在什么地方", "怎么去")), ("在什么地方", ("在哪", "在哪儿")),
    ("是什么", ("是啥", "指什么")), ("什么是", ("啥叫", "啥是")), ("如何", ("咋", "怎么")),
    ("怎么", ("咋",)), ("是否", ("是不是", "能不能算")), ("应当", ("得", "要")),
    ("有哪些", ("都有啥", "有什么")), ("哪些", ("啥",)), ("几点营业", ("几点开门", "啥时候开")),
    ("是多少", ("多少", "有多少", "是几")), ("应该", ("要", "得")), ("可以", ("能",)),
    ("需要", ("得", "要")), ("怎样", ("咋样", "怎么")), ("罚多少钱", ("怎么罚", "罚几个钱")),
    ("要玩多久", ("逛多久", "得多长时间")), ("推荐菜", ("好吃的", "招牌菜")),
    ("从什么时候起施行", ("啥时候开始执行", "哪天开始算数", "什么时候生效")),
)  # fmt: skip
_KEPT = re.compile(r"《[^《》]*》|[A-Za-z0-9][A-Za-z0-9\-_./]*")
_FIRST_OF = re.compile(r"^([^，。？?的]{2,20})的([^，。？?]{2,12}[？?]?)$")
_LEAST_LEFT = 2
_TELLING = 0.6
"""Words that must be left when one is dropped, and the rarity from which none is."""


def paraphrase(question: str, chance: random.Random) -> str:
    """The question in other words; two or three rules that apply, in random order."""
    rules = [_everyday, _asking, _drop, _turn, _dress]
    text = question
    chance.shuffle(rules)
    wanted, applied = chance.choice((2, 2, 3)), 0
    for rule in rules:
        changed = rule(text, chance)
        applied += changed != text
        text = changed
        if applied == wanted:
            break
    return text


def _everyday(text: str, chance: random.Random) -> str:
    """Up to two formal words by everyday ones."""
    table = _everyday_words()
    found = [word for word in table if word in _outside(text)]
    chance.shuffle(found)
    for word in sorted(found[:2], key=len, reverse=True):
        text = text.replace(word, chance.choice(table[word]))
    return text


def _asking(text: str, chance: random.Random) -> str:
    for words, others in _ASKING:
        if words in text:
            return text.replace(words, chance.choice(others), 1)
    return text


def _drop(text: str, chance: random.Random) -> str:
    """Leave out one of the words that tell least."""
    outside = _outside(text)
    words = [word for word in query_terms(text) if word in outside and not word.isascii()]
    common = [word for word in words if len(word) > 1 and rarity(word) < _TELLING]
    if len(words) <= _LEAST_LEFT or not common:
        return text
    return text.replace(chance.choice(common), "", 1)


def _turn(text: str, chance: random.Random) -> str:
    """甲的乙是多少 as 乙是多少，甲的."""
    match = _FIRST_OF.match(text)
    if not match:
        return text
    return f"{match[2].rstrip('？?')}，{match[1]}{chance.choice(('的', '那个', ''))}"


def _dress(text: str, chance: random.Random) -> str:
    """Fillers and personal details around the question."""
    bare = text.rstrip("？?。")
    lead = chance.choice(_LEADS) if chance.random() < 0.7 else ""
    return f"{lead}{bare}{chance.choice(_TAILS) if not lead or chance.random() < 0.4 else ''}"


def _outside(text: str) -> str:
    """The text with its titles and codes blanked out."""
    return _KEPT.sub("，", text)


@lru_cache(maxsize=1)
def _everyday_words() -> dict[str, tuple[str, ...]]:
    """Formal words with the everyday words for them."""
    found: dict[str, list[str]] = {}
    for everyday in _EVERYDAY.split():
        for formal in formal_words(everyday, [everyday]).get(everyday, ()):
            if len(formal) > 1:
                found.setdefault(formal, []).append(everyday)
    return {formal: tuple(dict.fromkeys(words)) for formal, words in found.items()}


_EVERYDAY = """
老板 打工 工资 薪水 工钱 欠薪 辞退 开除 裁员 辞职 怀孕 生孩子 加班 放假 年假 病假 老公 老婆 爸妈
孩子 小孩 老人 彩礼 家暴 房东 租客 租房 房租 押金 买房 卖房 开发商 拆迁 过户 房产证 房子 借钱
还钱 欠条 借条 老赖 赔钱 退钱 打官司 坐牢 判刑 警察 派出所 报警 打架 骂人 偷 抢 骗 酒驾 车祸 驾照
开车 受伤 医院 医生 看病 买东西 网购 卖家 商家 顾客 假货 保修 坏了 修 快递 开店 开公司 执照 分红
交税 社保 医保 养老金 落户 身份证 上学 老师 抄袭 盗版 照片 隐私 名声 停车 补助 作废 取消
"""
"""Everyday words that may stand for their formal ones wherever these stand."""
