"""Spoken Chinese in a question: what of it names nothing that a document would say.

A rule is read by the letters of a question. People put grammar among them that no document
repeats: 咋整, a 不 that only asks, the days inside 请5天假, the 里 of 卡里, the 给 of 还给. General
knowledge of the language, chosen by us.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rag.text.normalise import HAN
from rag.text.tokenise import rarity
from rag.understand.words import JUST, tagged

_HOW = re.compile(
    r"(?:该|应该|得|要|可)?(?:咋个?|怎么|怎样|如何)(?:整|搞|弄|办|处理|解决|操作|是好|做)(?:呢|啊|呀|嘛|吗)?"
    r"(?=[？?。！!，, ]*$)"
)
_COLLOQUIAL_HOW = re.compile("咋个?(?!舌)")
_TAIL = re.compile(
    rf"(?<=[{HAN}a-z0-9])(?<!是)(?<![要能可会有]不)(?:不|没有?|木有|不啦|(?<![什怎那这多])么|(?<!干)嘛)[呀啊呢]?"
    r"(?=[？?。 ]*$)"
)
_INSIDE = re.compile("(?<![公英海哪那这邻千万百乡故])(?:里面|里头|里边|里)(?=的|有|还|没|能|会|剩)")
_AMOUNT = (
    r"(?:了|过|完)?(?:\d+(?:\.\d+)?|[一二两三四五六七八九十半]+|几|多少)"
    r"个?(?:工作日|天半|天|日|周|星期|礼拜|月|年|学期|学年|小时|钟头|分钟|次|回|趟|晚)的?"
)
_PARTED = re.compile(
    rf"([{HAN}])(?<![有是在满每])({_AMOUNT})([{HAN}])(?![{HAN}]|$)"
    rf"|([{HAN}])(?<![有是在满每])({_AMOUNT})([{HAN}])(?=$|[找要能可该得怎咋谁多会需应])"
)
_DOING_WHAT = re.compile("(?<!能)(?:干|做)(?:什么|啥|嘛|点什么|些什么)(?=[？?。！!，, 呢呀啊的]*$)")
_OR_NOT = re.compile(f"(?<![能可是要会有])([{HAN}])(?<![能可是要会有好行对])不\\1(?![{HAN}]*不)")
_A_NIGHT = re.compile("(?<=[一每几两三])晚上")
_MORE = re.compile(f"(?<=[能要会得])[多少](?=[{HAN}]{{1,2}}(?:几|多少|多久|一?[天点些]))")
_SHOWN = re.compile(
    "(?:屏幕|显示屏|液晶屏|面板|界面|机器|设备)(?:上面|上|里面|里)?(?:一直|老是|总是|突然|又)?"
    "(?:显示|出现|提示|弹出|跳出|报)(?:了|的是|个)?(?:故障|错误)?(?:代码|码)?"
    "(?=[A-Za-z]{1,4}-?\\d)"
)
"""Where a code was read tells nothing of it."""
_MAY = re.compile("(?:^|(?<=[，。？,? ]))能(?![力源量耗效级见]|不能|否)")
"""It opens a question only as an auxiliary, which a segmenter joins with the verb (能带)."""
_LIT = re.compile("([红绿黄蓝紫白橙亮闪灭黑响])着(?![火色急])")
_NOT_YET = re.compile(f"没有?(?=[{HAN}][过完])")
_DONE = re.compile(rf"([{HAN}]{{2,3}})([{HAN}])(?=了(?!解|不起))")
_COMPLEMENT = re.compile(f"[{HAN}](?:来|去|给|掉|到|完|好|成|走|着|住|上去|下来|出来|回来|过来)")
_WHOLE = frozenset(
    (
        *("报到", "签到", "迟到", "打到", "良好", "爱好", "未来", "完成", "组成", "构成", "形成"),
        *("养成", "分成", "提成", "逃走", "居住", "入住", "友好", "美好", "达成", "生成"),
    )
)
"""Verbs that only look as if they ended in such a complement."""
_EMPTY_TAGS = frozenset("frmqpcuyeo")
"""Parts of speech that name nothing: places beside (期间, 之内), pronouns, counts, particles."""
_MODALS = "能要可会"
_TIMES = frozenset(
    (
        *("晚上", "早上", "上午", "中午", "下午", "夜里", "夜间", "白天", "清晨", "傍晚", "平日"),
        *("当天", "当日", "年底", "年初", "月底", "月初", "去年", "今年"),
    )
)


def plainly(question: str) -> str:
    """The question without the grammar of speech among its words.

    怎么办 for 咋整, 请假5天 for 请5天假, 卡的 for 卡里的; a 不 or 没 that ends it asks and says no.
    """
    text = _HOW.sub("怎么办", question)
    text = _COLLOQUIAL_HOW.sub("怎么", text)
    text = _TAIL.sub("吗", text)
    text = _DOING_WHAT.sub("，", text)
    text = _OR_NOT.sub(r"\1", text)
    text = _MAY.sub("", text)
    text = _A_NIGHT.sub("晚", text)
    text = _MORE.sub("", text)
    text = _SHOWN.sub("，", text)
    text = _LIT.sub(r"\1", text).replace("啥", "什么")
    text = JUST.sub("，", text)
    text = _INSIDE.sub("", text)
    text = _NOT_YET.sub("，", text)
    text = _DONE.sub(_verb_apart, text)
    return _PARTED.sub(_joined, text)


@lru_cache(maxsize=4096)
def is_empty(word: str) -> bool:
    """Whether a word names nothing by its part of speech (之内, 期间, 周岁, 每人)."""
    tags = tagged(word)
    return len(tags) == 1 and len(word) > 1 and tags[0][1][:1] in _EMPTY_TAGS


@lru_cache(maxsize=4096)
def yields(word: str) -> bool:
    """Whether documents say a word in many ways, so that its absence tells little: a verb with
    its complement (还给, 消掉), an adverb, a time of the day."""
    if word in _TIMES:
        return True
    if word in _WHOLE or len(word) < 2:
        return False
    tags = tagged(word)
    if len(tags) == 1 and tags[0][1][:1] == "d":
        return True
    verb = all(tag[:1] in "vd" for _, tag in tags)
    return verb and bool(_COMPLEMENT.fullmatch(word))


def without_modal(word: str) -> str:
    """A verb without the auxiliary that the segmenter left at its front (能退 is 退)."""
    if len(word) == 2 and word[0] in _MODALS and rarity(word) >= 0.75:
        tags = tagged(word)
        if len(tags) == 1 and tags[0][1][:1] == "v":
            return word[1]
    return word


def _joined(found: re.Match[str]) -> str:
    verb, amount, thing = found.groups()[:3] if found[1] else found.groups()[3:]
    if rarity(verb + thing) >= 1.0 or tagged(verb + thing)[0][1][:1] not in "vn":
        return found.group()
    return f"{verb}{thing}，{amount.removesuffix('的')}，"


def _verb_apart(found: re.Match[str]) -> str:
    """密码 and 锁 before 了: no noun stands there, whatever the segmenter makes of 密码锁."""
    for thing in (found[1], found[1][1:]):
        tags = tagged(thing)
        if len(tags) == 1 and len(thing) > 1 and tags[0][1][:1] == "n" and rarity(thing) < 1.0:
            return f"{found[1]}，{found[2]}"
    return found.group()
