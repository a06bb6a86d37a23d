"""The words by which web pages give away what is not their content: names and phrases."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import Tag

LEAF_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "dd", "details", "div", "dl", "dt", "fieldset",
        "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
        "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "th",
        "tr", "ul", "center",
    )
)  # fmt: skip
"""Elements that stand for themselves rather than within a line."""


CONTENT_NAMES = frozenset(
    {
        "content", "article", "detail", "details", "zoom", "editor", "post", "entry", "richtext",
        "maincontent", "articlecontent", "contentbody", "articlebody", "neirong", "zhengwen",
        "mw-content-text", "ucap-content", "trs_editor", "main", "markdown-body", "news_content",
    }
)  # fmt: skip
"""Names of main contents."""

FURNITURE_NAMES = frozenset(
    {
        "nav", "navbar", "navigation", "menu", "breadcrumb", "breadcrumbs", "crumb", "crumbs",
        "footer", "foot", "sidebar", "side", "aside", "share", "social", "comment", "comments",
        "advert", "ad", "ads", "cookie", "popup", "pagination", "pager", "copyright", "related",
        "recommend", "recommended", "toolbar", "hot", "tags", "toc", "links", "friendlink", "top",
        "topbar", "header", "subnav", "rank", "ranking", "relate", "mulu", "daohang", "leftnav",
        "rel", "tuijian", "hotnews", "toplist", "navi", "menus",
    }
)  # fmt: skip
"""Names of what usually surrounds the content; only together with much link text."""

SURE_NAMES = frozenset(
    {
        "cookie", "cookies", "consent", "gdpr", "advert", "adverts", "advertisement", "ads",
        "adsbygoogle", "guanggao", "share", "sharing", "bdshare", "bdsharebuttonbox", "social",
        "popup", "pagination", "pager", "breadcrumb", "breadcrumbs", "copyright", "qrcode",
        "ewm", "erweima", "editsection", "mw-editsection", "navbox", "catlinks", "printfooter",
        "noprint", "comment", "comments", "pinglun", "commentlist", "login", "loginbox",
        "searchbox", "backtop", "gotop", "skip-link", "sr-only", "mw-jump-link", "sponsor",
        "sponsored", "related", "recommend", "recommended", "recommendation", "recommendations",
        "newsletter", "subscribe", "prevnext", "prenext", "advertise", "sitenotice",
        "sitesub", "gg", "cmt", "cmts", "cmnt", "plq", "fenxiang", "bshare", "xgyd", "xgxw", "xgwz",
    }
)  # fmt: skip
"""Names of what is never the content unless it is most of the page."""

SIDE_NAMES = frozenset({"sidebar", "side", "aside", "widget", "widgets", "leftbar", "rightbar"})
"""Names of columns beside a content."""

TOGGLED_NAMES = frozenset(
    {
        "accordion", "collapse", "collapsible", "tab-pane", "tabpane", "tab-content", "panel",
        "answer", "answers", "faq", "toggle", "expand", "expandable", "fold", "unfold", "da",
    }
)  # fmt: skip
"""Names of what a click shows: hidden at first, but content."""

COMMENT_NAMES = frozenset(
    {
        "comment", "comments", "commentlist", "cmt", "cmts", "cmnt", "pinglun", "plq", "reply",
        "replies", "disqus",
    }
)  # fmt: skip
"""Names of what readers wrote."""

AD_NAME = re.compile(
    r"(?:[a-z0-9]+[-_]+)*?(?:ads?|adv|advert\w*|advs|gg|ggao|guanggao|tuiguang|sponsor(?:ed)?)[-_]*"
    r"(?:box|bar|wrap(?:per)?|slot|area|zone|img|pic|right|left|top|bottom|mid(?:dle)?|banner|block|"
    r"unit|space|holder|con(?:tainer)?|text|link|list|item|w|wei|pos(?:ition)?|frame|col|row|inner|"
    r"inline|native|card)?(?:[-_]*\d+(?:[x_-]\d+)?)?|adsbygoogle|(?:google|banner|side|inner|text|bottom|top)ads?\d*",
    re.IGNORECASE,
)
"""Names of advertisements: "adbox", "ad-300x250", "inner-ad", "ggw"."""

AD_LABEL = re.compile(
    r"[【\[（(]?\s*(?:广告|推广|赞助(?:内容|商)?|商业推广|推广链接|AD|Ads?|Advertisement|Sponsored|Promoted)\s*[】\])）]?"
)
"""A label over an advertisement, alone."""

LABELLED_AD = re.compile(
    r"\s*[【\[（(]\s*(?:广告|推广|商业推广|AD|Sponsored)\s*[】\])）]\s*\S|广告[丨|｜]\s*\S"
)
"""The beginning of a line that is an advertisement by its label."""

RELATED_TITLE = re.compile(
    r"[\s【\[■◆●▶>›|]*(?:相关(?:链接|阅读|新闻|文章|推荐|稿件|信息|内容|资讯|专题|词条|报道|搜索|解读|文档|图解)|"
    r"热门(?:文章|推荐|新闻|阅读|资讯|标签|搜索|排行)|推荐(?:阅读|文章|新闻|内容|信息)|"
    r"(?:最新|热点|最热)(?:文章|新闻|资讯|发布|推荐)|猜你喜欢|延伸阅读|更多(?:文章|新闻|推荐|精彩|阅读)|"
    r"(?:为您|为你)推荐|大家都在看|往期(?:推荐|精选|回顾|文章)|(?:点击|阅读|新闻|热点|热门)排行榜?|友情链接|"
    r"(?:(?:24|48)小时|今日|本周|本月|一周)?(?:热榜|热文|热搜|热点|热门)(?:榜|排行|推荐)?|编辑推荐|精彩推荐|"
    r"(?:相關|延伸)(?:文章|新聞|閱讀)|"
    r"related (?:articles|links|posts)|you may also like|read next)[\s】\]:：>›》]*",
    re.IGNORECASE,
)
"""A title over links to other pages."""

COMMENTS_TITLE = re.compile(
    r"(?:(?:网友|用户|热门|最新|全部|精彩|文章|读者)?(?:评论|跟贴|跟帖)(?:区|列表)?|发表(?:评论|跟帖)|我要评论|"
    r"(?:网友|读者)留言|(?:网友|用户)热评|comments?)"
    r"\s*(?:[(（]?\s*(?:共\s*)?\d+\s*条?\s*[)）]?)?\s*[:：]?",
    re.IGNORECASE,
)
"""A title over what readers wrote."""

BARE_COMMENTS_TITLE = re.compile(r"(?:评论|comments?)\s*[:：]?", re.IGNORECASE)
"""The same in a word that may also head a part of the text."""

IMPRINT = re.compile(
    r"ICP[备證证]|公网安备|网站标识码|copyright\s*(?:©|\(c\)|&copy;|\d{4})|©\s*\d{4}|"
    r"all rights reserved|(?:版权所有|主办单位|主办|承办单位|承办)\s*[:：©].{0,80}"
    r"(?:技术支持|承办|维护|电话|邮编|地址)",
    re.IGNORECASE,
)
"""Words of the imprint at the foot of a site."""

INFO_LINE = re.compile(
    r"(?:发布|发文|成文|公布|印发|更新|生成)(?:日期|时间|机构|单位|机关)|来源\s*[:：]|索\s*引\s*号|"
    r"文\s*号\s*[:：]|发文字号|作者\s*[:：]|有\s*效\s*性|主题分类|浏览次数|信息来源|"
    r"\d{4}\s*[-年/.]\s*\d{1,2}\s*[-月/.]\s*\d{1,2}"
)
"""Words of the lines that tell an article's date, source and number."""

_BREADCRUMB = re.compile(
    r"(?:您|你)?(?:现在|当前|目前)?的?(?:所在)?位置\s*[:：]?.{0,120}|首页(?:\s*[>›»/＞→\-]\s*[^>›»＞→]{1,30}){1,8}"
)
_NEIGHBOUR = re.compile(
    r"(?:上|下|前|后)一?(?:篇|条|页|章|则|个)(?:文章|新闻|信息)?\s*[:：>»]?.{0,120}|"
    r"(?:previous|next)(?: (?:post|article|page))?\s*[:：>»].{0,120}",
    re.IGNORECASE,
)
_WORDS = (
    "编辑|播报|收藏|分享|打印|打印本页|打印此页|关闭|关闭窗口|关闭本页|返回顶部|回到顶部|返回首页|返回列表|返回|顶部|"
    "登录|注册|展开|收起|展开全文|查看更多|更多|点赞|举报|复制链接|复制|阅读全文|首页|上一页|下一页|尾页|末页|"
    "分享到|分享至|分享本文|微信|微博|新浪微博|腾讯微博|朋友圈|微信好友|QQ|QQ空间|QQ好友|豆瓣|人人网|钉钉|"
    "字体|字号|大|中|小|默认|超大|放大|缩小|我要纠错|纠错|无障碍|长者模式|关怀版|繁体|简体|English|扫一扫|"
    "扫一扫在手机打开当前页|扫一扫分享|扫码分享|用微信扫一扫|收藏本页|加入收藏|设为首页|语音播报|朗读|下载|保存|"
    "赞|踩|转发|回复|引用|关注|取消|确定|提交|搜索|Share|Print|Tweet|Facebook|Twitter|Top|Menu|"
    "锁定|添加收藏|目录|跳转到导航|跳转到搜索|查看历史|查看源代码|阅读|讨论|阅读原文|在看|评论|我来说两句|写评论|"
    "我要评论|发表评论|喜欢作者|打印此文|推荐给朋友|打开APP|打开APP查看更多内容|打开APP阅读全文|下载APP|网站地图|联系我们|"
    "关于我们|我要反馈|保存网页|缩小字体|放大字体|喜欢|关闭此页|责任声明|免责声明|返回上一页|返回列表页"
)
_WORD = re.compile("|".join(sorted(_WORDS.split("|"), key=len, reverse=True)), re.IGNORECASE)
_COUNTED = re.compile(
    r"(阅读|点赞|赞|在看|评论|收藏|转发|分享|回复|关注|喜欢)\s*[:：]?\s*\d+(?:\.\d+)?\s*[万wWkK+]*"
)
_SEPARATORS = " \t\n|｜·•、,，/:：>＞»«<＜[]【】()（）↑+-　"
_TAIL_START = re.compile(
    r"\s*[【\[(（]?\s*(?:字体|字号|打印|分享|收藏|关闭|纠错|【)", re.IGNORECASE
)
_SURE_WORD = re.compile(
    "本页|此页|窗口|返回|回到|分享|扫一扫|全文|更多|收藏|首页|字体|字号|纠错|无障碍|播报|跳转|复制链接|举报|阅读原文|在看|"
    "我来说两句|写评论|APP|网站地图|关于我们",
)
_SCAN = re.compile(
    r"(?:微信|手机)?(?:扫一扫|扫描?(?:下方|右侧|左侧)?二维码|扫码)[^。；]{0,16}"
    r"(?:打开|浏览|分享|查看|访问|阅读)[^。；]{0,12}[。！]?"
)
_OPEN_APP = re.compile(
    r"(?:点击)?(?:打开|下载)[^，。]{0,8}(?:APP|客户端)[，,]?[^。；]{0,14}", re.IGNORECASE
)
_IMPRINT_LINE = re.compile(
    r".*(?:ICP[备證证]\s*\d|公网安备\s*\d|网站标识码)|(?:copyright|版权所有)\s*(?:©|\(c\)|[:：]|\d{4})|"
    r"©\s*\d{4}|.*all rights reserved",
    re.IGNORECASE,
)
_MAX_INTERFACE_LINE = 140
"""Characters of the longest line of the interface; chosen by us."""

_NAME_PART = re.compile(r"[a-z]+|\d+", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def names(tag: Tag) -> set[str]:
    """The names in an element's class and id, whole and in their parts, in small letters."""
    classes = tag.get("class")
    whole = [*(classes if isinstance(classes, list) else []), str(tag.get("id") or "")]
    found: set[str] = set()
    for name in whole:
        found.add(name.lower())
        found.update(part.lower() for part in _NAME_PART.findall(_CAMEL.sub("-", name)))
    found.discard("")
    return found


def holds(tag: Tag, wanted: Collection[str]) -> bool:
    """Whether an element has one of these inside it; the library's search takes ten times as
    long for this question."""
    return any(getattr(inner, "name", None) in wanted for inner in tag.descendants)


def elements(root: Tag, wanted: Collection[str]) -> list[Tag]:
    """The elements of these names inside `root` in document order; the library compares each
    element with each name in turn."""
    from bs4 import Tag as Element

    return [e for e in root.descendants if isinstance(e, Element) and e.name in wanted]


def is_gone(tag: Tag) -> bool:
    """Whether an element was taken out; the library's own property searches the whole element
    for a tag of that name first."""
    return "_decomposed" in vars(tag)


def is_surely_furniture(tag: Tag) -> bool:
    """Whether the element is named after what is never content ("article-share", "cookies").

    The last part of a name says what a thing is, so "share-content" is not sure."""
    classes = tag.get("class")
    whole = [*(classes if isinstance(classes, list) else []), str(tag.get("id") or "")]
    for name in whole:
        parts = [part.lower() for part in _NAME_PART.findall(_CAMEL.sub("-", name))]
        if name.lower() in SURE_NAMES or (parts and parts[-1] in SURE_NAMES):
            return True
        if SURE_NAMES.intersection(parts) and not CONTENT_NAMES.intersection(parts):
            return True
    return False


def without_interface_tail(text: str) -> str:
    """A line of data about an article without the buttons behind it ("字体：大 中 小 打印")."""
    match = _TAIL_START.search(text)
    if match is None or not INFO_LINE.search(text[: match.start()]):
        return text
    return text[: match.start()] if _count_words(text[match.start() :]) else text


def is_interface_line(text: str, linked: bool) -> bool:
    """Whether a line belongs to the site rather than to its text: a breadcrumb trail, the way
    to the neighbouring articles, words of buttons, an imprint.

    Args:
        linked: whether there is a link in it; "登录" alone may be a step of a manual.
    """
    if len(text) > _MAX_INTERFACE_LINE:
        return False
    words = _count_words(text)
    if words > 1 or (words and (linked or _SURE_WORD.search(text))):
        return True
    if _SCAN.fullmatch(text) or _OPEN_APP.fullmatch(text):
        return True
    if (linked or "没有" in text or "暂无" in text) and _NEIGHBOUR.fullmatch(text):
        return True
    if _BREADCRUMB.fullmatch(text) and (linked or re.search("[>›»＞→]", text)):
        return True
    return bool(_IMPRINT_LINE.match(text))


def _count_words(text: str) -> int:
    """Words of buttons in a text that has nothing but them and marks between them, else 0."""
    left, words = _WORD.subn("", _COUNTED.sub(r"\1", text))
    return 0 if left.strip(_SEPARATORS) else words
