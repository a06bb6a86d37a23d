"""Takes out what asks readers to follow, like and share: part of the clean step.

Only whole paragraphs that say nothing else, at the beginning or end of a web article or
book. "关注公众号“某某医院”预约挂号" tells something and stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.types import Block

_FIRST = 4
_LAST = 12
"""Blocks from the beginning and end in which such calls stand. Chosen by us."""

_MAX_LENGTH = 60
_MIN_LENGTH = 4

_WORDS = re.compile(
    "点击|轻点|猛戳|戳|上方|下方|上面|下面|上图|下图|顶部|文末|右下角|左侧|右侧|图中|蓝色字|蓝字|阅读原文|原文|在看|"
    "即可|快速|免费|可以|一键|轻松|关注|订阅|查看|了解|我们的|我们|更多|详情|欢迎|长按|扫一扫|扫描|扫|识别|二维码|"
    "小程序码|图片|加入|添加|微信公众号|公众号|本号|觉得|不错|有用|好看|喜欢|有帮助|有收获|的话|记得|别忘了|别忘|"
    "麻烦|点赞|点个|点一下|给个|来个|一下|分享给|分享|转发|收藏|三连|朋友|更多人|支持|再走|"
    "[请就给求赞的和与或个吧哦呀噢啦了，,、。.！!~～…·↓↑▼▲☝👇👆→➤★☆❤♥◆●▶>＞<＜\\-—|｜()（）【】\\[\\]“”\"'+/\\s]"
)
"""The words and marks of such calls: a paragraph of nothing else tells nothing."""

_CORE = re.compile(
    "蓝字|蓝色字|阅读原文|在看|点赞|三连|二维码.*(?:关注|加入|添加)|欢迎关注|分享.*收藏|收藏.*分享"
)
"""What makes it a call; "扫描二维码查看" alone may lead to a form that the text is about."""


def without_adverts(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks without calls to follow and share at their beginning and end."""
    last = len(blocks) - _LAST
    kept = tuple(
        block
        for index, block in enumerate(blocks)
        if not ((index < _FIRST or index >= last) and is_advert(block))
    )
    return kept or tuple(blocks)


def is_advert(block: Block) -> bool:
    """Whether a paragraph is nothing but a call to follow, like or share."""
    if block.kind not in ("paragraph", "heading") or block.record_id is not None:
        return False
    text = block.text.strip()
    if not _MIN_LENGTH <= len(text) <= _MAX_LENGTH or _CORE.search(text) is None:
        return False
    return not _WORDS.sub("", text)
