"""Word borders and parts of speech, from jieba, loaded at first use.

A tokeniser of our own with a few everyday office words that jieba's dictionary lacks; it is
never taught a knowledge base's words, so that the same question always reads the same.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Any

_LOCK = threading.Lock()
_NOUNS = """
年假 事假 调休 调休假 陪产假 育儿假 护理假 产检假 哺乳假 独生子女假 丧假 打车费 餐补 房补 车补
话费 差旅费 断缴 住宿费 交通费 招待费 报销单 发票 工龄 司龄 试用期 转正 绩效 年终奖 五险一金 公积金
工位 工牌 门禁 考勤 打卡 补卡 加班费 加班 团建 体检 居住证 社保卡 人才公寓 租房补贴 购房补贴
生活补贴 租房 购房 落户 保修期 质保期 有效期 固件 说明书 售后 客服 工单 账号 密码 验证码 套餐
会员 优惠券 积分 应届生 实习生 外包 博士 硕士 本科生 研究生 毕业生 申请人 负责人 审批人 联系人
主管部门 交强险 商业险 三者险 车损险 医疗险 重疾险 意外险
年会 例会 周会 晨会 班会 家长会 年报 周报 日报
"""
_VERBS = (
    "入职 离职 辞职 转岗 出差 请假 报销 到账 到帐 休假 续签 参保 退保 申领 补缴 重置 折现 分次 提前"
)
_ADVERBS = "老是 总是 经常 常常 一直 动不动"
JUST = re.compile(
    "(?<![\u4e00-\u9fff])(?:我们?|他们?|她们?|本人)?刚刚?(?=[\u4e00-\u9fff]{2})(?!刚?[好才性果])"
)
"""An adverb that a segmenter joins with the word behind it (刚入|职)."""
_FREQUENCY = 2_000_000
"""High enough that a listed word is never cut in two."""


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.initialize()
    for words_, tag in ((_NOUNS, "n"), (_VERBS, "v"), (_ADVERBS, "d")):
        for word in words_.split():
            tokenizer.add_word(word, _FREQUENCY, tag)
    return tokenizer


@lru_cache(maxsize=1)
def _tagger() -> Any:
    import jieba.posseg

    return jieba.posseg.POSTokenizer(_tokenizer())


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """The words of `text` in order; joined they give `text` again."""
    with _LOCK:
        return tuple(_tokenizer().cut(text, HMM=False))


@lru_cache(maxsize=4096)
def boundaries(text: str) -> frozenset[int]:
    """The positions in `text` where a word begins or ends, both ends included."""
    edges, position = {0}, 0
    for word in words(text):
        position += len(word)
        edges.add(position)
    return frozenset(edges)


def frequency(word: str) -> int:
    """How often jieba's corpus holds `word`; 0 where its dictionary lacks it."""
    with _LOCK:
        return int(_tokenizer().FREQ.get(word) or 0)


@lru_cache(maxsize=2048)
def tagged(text: str) -> tuple[tuple[str, str], ...]:
    """The words of `text` with jieba's part-of-speech tags ("n", "v", "r", …)."""
    with _LOCK:
        return tuple((pair.word, pair.flag) for pair in _tagger().cut(text, HMM=False))
