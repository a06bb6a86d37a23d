"""Words typed with another character of the same sound: 报消 for 报销, 婚嫁 for 婚假.

Only a word that no document holds is changed, and only where one word of the same sound is
in the documents. Names, codes, titles and common words stay as they are typed.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rag.text.formal_words import formal_of
from rag.text.numerals import NUMERAL_LETTERS
from rag.understand.lexicon import ACTIONS
from rag.understand.names import find_names
from rag.understand.phrases import parse
from rag.understand.regions import find_regions
from rag.understand.tokens import Token
from rag.understand.words import frequency, tagged

Counts = Callable[[Iterable[str]], Mapping[str, int]]
"""How many passages hold each pair of characters."""

_COMMON = 100
"""Occurrences in jieba's corpus from which a word is taken as it stands (chosen by us)."""
_RARE = 5
"""Fewer occurrences are words that nobody types (chosen by us)."""
_OFFICE = 1_000_000
"""Occurrences that only the words have which `rag.understand.words` adds to the dictionary."""
_HEADS = "假费金证保贴补险卡期款率额单"
_LONGEST = 4
_FIRSTS = (
    "啊埃鞍肮凹芭白斑邦苞杯奔崩逼鞭标鳖彬兵玻捕擦猜餐苍操厕层插拆搀昌超车郴撑吃充抽初揣川疮吹春戳疵聪凑粗蹿摧村磋搭大"
    "耽当刀德蹬堤颠碉跌丁丢东兜都端堆墩掇蛾恩而发藩坊菲芬丰佛否夫噶该干冈篙哥给根耕工钩辜刮乖棺光瑰辊锅哈骸酣夯壕呵嘿"
    "痕哼轰喉呼花槐欢荒灰荤豁击嘉歼僵蕉揭巾劲炯揪鞠捐撅均喀开刊康考坷肯坑空抠枯夸块宽匡亏坤括垃莱蓝琅捞勒雷棱厘俩联粮"
    "撩列琳拎溜龙楼芦峦掠萝妈埋瞒芒猫么玫门萌眯棉苗蔑民明谬摸谋拇拿氖南囊挠呢馁嫩能妮蔫娘鸟捏您柠牛脓奴女虐哦欧啪拍攀"
    "乓抛呸喷砰坯篇飘撇拼聘坡扑期掐牵枪橇切钦青琼秋趋圈缺裙然瓤饶惹壬扔日戎揉肉软蕊闰若撒腮三桑搔瑟森僧莎筛珊墒梢奢砷"
    "声师收蔬刷摔栓霜谁吮说斯松搜苏酸虽孙蓑塌胎坍汤掏特藤梯天挑贴厅通偷凸湍推吞拖挖歪豌汪威瘟嗡挝巫昔瞎掀相萧楔薪星兄"
    "休墟轩靴勋压焉殃邀椰一茵英哟拥幽迂鸳曰耘匝栽咱赃遭责贼怎增扎摘瞻樟招遮珍蒸芝中舟珠抓拽专桩椎谆捉兹鬃邹租钻嘴尊昨"
)
"""The first character of each syllable: GB 2312 orders its 3,755 common ones by sound."""


def repaired(question: str, counts: Counts) -> str:
    """`question` with such words as the documents write them.

    Args:
        question: complete.
        counts: asked once or twice for some hundred pairs of characters.
    """
    words = [w for w in _words(question) if len(w) >= 2]
    if not words:
        return question
    held = counts(dict.fromkeys(pair for word in words for pair in _pairs(word)))
    strange = [w for w in words if any(not held.get(pair) for pair in _pairs(w))]
    others = {word: list(_of_same_sound(word)) for word in strange}
    asked = dict.fromkeys(p for found in others.values() for word in found for p in _pairs(word))
    held = counts(asked) if asked else {}
    for word in sorted(strange, key=len, reverse=True):
        known = [o for o in others[word] if all(held.get(pair) for pair in _pairs(o))]
        meant = formal_of(word)  # an everyday word is one: 补班 is no 补办
        if meant and not set(known) & set(meant):
            continue
        if len(known) == 1 and word in question:
            question = question.replace(word, known[0], 1)
    return question


def _words(question: str) -> Iterator[str]:
    """What may be a word: one of the dictionary that is not common, or letters it cuts apart."""
    parsed = parse(question)
    fixed = [(m.start, m.end) for m in find_regions(question)] + list(find_names(question))
    tokens = parsed.tokens
    for at in range(len(tokens)):
        for number in (1, 2, 3):
            run = tokens[at : at + number]
            word = "".join(t.text for t in run)
            letters = len(run) == len(word) == 2  # 补帖: the dictionary has neither word
            fits = _letter if letters else _plain
            if len(run) < number or not 2 <= len(word) <= _LONGEST or not all(map(fits, run)):
                continue
            if any(a.end != b.start for a, b in itertools.pairwise(run)):
                continue
            if any(a < run[-1].end and run[0].start < b for a, b in fixed):
                continue
            cut = any(len(t.text) == 1 for t in run)
            if cut and any(_touches(other, run) for other in tokens):
                continue  # 天兴居: part of a name
            if letters and (run[0].text in _WORDS or any(_beside(t, run) for t in tokens)):
                continue  # 那个事报给谁, 用完餐
            if (number == 1 or cut) and frequency(word) < _COMMON:
                yield word


_WORDS = frozenset("事人钱货票车卡证假饭会班课书药水电话字图表名家门房路店")
"""Letters that people use as whole words."""


def _beside(other: Token, run: Sequence[Token]) -> bool:
    """Whether a single letter of any kind but grammar stands right before the run."""
    before = other.end == run[0].start and len(other.text) == 1
    return before and other.role in ("noun", "act", "rel")


def _touches(other: Token, run: Sequence[Token]) -> bool:
    """Whether a single letter that may belong to the same word stands beside the run."""
    beside = other.end == run[0].start or other.start == run[-1].end
    return beside and len(other.text) == 1 and other.role == "noun"


def _plain(token: Token) -> bool:
    return (
        token.role in ("noun", "act", "rel")
        and token.tag not in ("nr", "nrt", "ns", "nt")
        and token.tag[0] not in "mqt"
        and all(_syllable(letter) for letter in token.text)
    )


def _letter(token: Token) -> bool:
    """Whether a single letter may be half of a mistyped word, whatever it is on its own."""
    wordlike = token.role in ("noun", "act", "rel") and token.text not in NUMERAL_LETTERS
    return wordlike and bool(_syllable(token.text))


def _of_same_sound(word: str) -> Iterator[str]:
    """The words of the dictionary that differ in one character of the same sound.

    A word that the dictionary has (婚嫁) may be meant as it stands (大巴, not 大坝): only a head
    that names what one asks an office for is put right in it.
    """
    for at, letter in enumerate(word):
        for other in _alike(letter):
            made = word[:at] + other + word[at + 1 :]
            headed = made[-1] in _HEADS and made[-1] != word[-1]
            if frequency(made) >= _RARE and _is_noun(made) and (headed or not frequency(word)):
                yield made


def _is_noun(word: str) -> bool:
    """Whether `word` is a noun of the dictionary, an office's word or what offices do."""
    found = tagged(word)
    named = found[0][1][0] in "nj" or found[0][1] == "vn" or frequency(word) > _OFFICE
    named = named or word in ACTIONS
    return len(found) == 1 and named


def _pairs(word: str) -> list[str]:
    return [word[at : at + 2] for at in range(len(word) - 1)]


def _code(letter: str) -> int:
    """Place in GB 2312 among the characters ordered by sound; 0 for none of them."""
    try:
        code = int.from_bytes(letter.encode("gb2312"), "big")
    except UnicodeEncodeError:
        return 0
    return code if 0xB0A1 <= code <= 0xD7F9 else 0


_STARTS = [_code(letter) for letter in _FIRSTS]


def _syllable(letter: str) -> int:
    """Number of the syllable of a common character, from 1; 0 for any other."""
    code = _code(letter)
    return bisect_right(_STARTS, code) if code else 0


def _alike(letter: str) -> Iterator[str]:
    at = _syllable(letter)
    end = _STARTS[at] if at < len(_STARTS) else 0xD7FA
    for code in range(_STARTS[at - 1], end):
        if code & 0xFF >= 0xA1 and code & 0xFF <= 0xFE:
            other = code.to_bytes(2, "big").decode("gb2312", "ignore")
            if other and other != letter:
                yield other
