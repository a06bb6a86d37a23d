"""Recognises headings and clauses in plain lines: for formats that don't mark them.

Chinese documents number their headings by custom, and the kind of number tells the level.
"""

from __future__ import annotations

import re

_NUMBER = "[0-9０-９零〇一二三四五六七八九十百千两]+"

_LEVELS: tuple[tuple[int, re.Pattern[str]], ...] = (
    (1, re.compile(rf"第\s*{_NUMBER}\s*(编|篇|部分|卷)(?=$|[\s　:：、])")),
    (2, re.compile(rf"第\s*{_NUMBER}\s*章(?=$|[\s　:：、一-鿿])")),
    (
        2,
        re.compile(
            # "附件：1. 登记表" names what is enclosed.
            r"(?!附件\s*[:：])(附件|附录|附表|附則|附则)\s*[0-9０-９一二三四五六七八九十A-Z]*"
            r"(?=$|[\s　:：])"
        ),
    ),
    (3, re.compile(rf"第\s*{_NUMBER}\s*节(?=$|[\s　:：、一-鿿])")),
    (4, re.compile(r"[一二三四五六七八九十]{1,3}\s*[、.．]\s*\S")),
    (5, re.compile(r"[（(][一二三四五六七八九十]{1,3}[)）]\s*\S")),
)
_DECIMAL = re.compile(r"(\d{1,2}(?:[.．]\d{1,2}){0,3})[.．、]?\s*(?=[^\d\s.．、%％)）])")
_CLAUSE = re.compile(rf"第\s*{_NUMBER}\s*条(?:之{_NUMBER})?(?=$|[\s　:：、（(【一-鿿])")
_SENTENCE_END = tuple("。；;，,！!？?：:、…")

_BRACKETED = re.compile(r"[【〖]\s*([^【】〖〗]{1,30}?)\s*[】〗]")
_BRACKETED_LEVEL = 3
"""A line of its own in 【】 stands beside a chapter's section."""

_LEAD = re.compile(r"[^。；;，,！!？?、:：]{2,16}[:：]")
LEAD_LEVEL = 6

_ENTRY = re.compile(
    r"\s*(?:[-*•·]\s*)?(?:(?:错误|故障)?代码\s*)?[\[【(（]?"
    r"(?:[A-Z]{1,4}[-_]?\d{1,4}[A-Za-z]?|\d{1,2}[A-Z]{1,2}\d{0,2}|[A-Z]{2,3})"
    r"(?:[\]】)）]?\s*[:：—–|]|[\]】)）]?[\s　]+(?=[^\sA-Za-z0-9])|[\]】)）](?=\S))"
)

_REGISTER_LABEL = (
    r"(?!关于|第)[^\s:：，。；《》|｜]{0,8}?(?:编号|代码|简称|[文字案单档证批刊期]号|索引号|流水号|登记号|密级|等级"
    r"|紧急程度|缓急|版本号?|版次|修订号|修改号|状态|保密期限?|日期|更新时间|发布时间|来源|分类号?|主题词|总页数|页数|页码)"
    r"|(?i:(?:document|doc|file|ref(?:erence)?)?\.?\s?(?:no|number|id)\.?|version|rev(?:ision)?\.?"
    r"|classification|date|status)"
)
_REGISTERED = re.compile(rf"(?:{_REGISTER_LABEL})\s*[:：]\s*\S.*")
_FIELDS = re.compile(r"(?:^|(?<=[\s　|｜;；]))[^\s:：|｜，。；]{1,12}\s*[:：]")
_SECRECY = re.compile(
    r"[【\[（(]?\s*(?:内部(?:资料|文件|公开|使用|参考)?|普通商密|核心商密|商业秘密|公司秘密|秘密|机密|绝密|受控(?:文件|副本)?"
    r"|特急|加急|急件|公开(?:发布)?|依申请公开|(?i:confidential|internal(?: use)?(?: only)?))"
    r"(?:[\s　,，、★☆·—-]*(?:注意保密|妥善保管|[严不禁得请勿]{1,2}(?:外传|外泄|转发|翻印)|长期"
    r"|(?:\d{1,2}|[一二三四五六七八九十]{1,3})(?:年|个月)))*\s*[】\])）]?"
)
_NUMBER_ALONE = re.compile(
    r"[一-鿿]{1,12}\s?[〔\[［【(（]\s?(?:19|20)\d{2}\s?[〕\]］】)）]\s?第?\s?\d{1,5}\s?号|(?i:no)[.:：]\s?[\w./-]+"
)
_MAX_REGISTER = 120
"""Labels of the fields that registries and exchanges write above a title, degrees of secrecy and
urgency, and the characters of the longest such line; collected and chosen by us."""

_MAX_HEADING = 40
"""Characters of the longest heading; chosen by us, longer lines are sentences."""

_DECIMAL_BASE = 3
"""A decimal number "1.2" has this level plus its depth, so it stands below a chapter."""


def heading_level(line: str, *, decimals: bool = True) -> int | None:
    """The level (from 1) of a line that is a heading by its number, else None.

    Args:
        decimals: whether "1.2 范围" counts; numbered list items look the same, so callers
            that can't see fonts or blank lines leave it out.
    """
    text = line.strip()
    if not text or len(text) > _MAX_HEADING or text.endswith(_SENTENCE_END):
        return None
    for level, pattern in _LEVELS:
        if pattern.match(text):
            return level
    match = _DECIMAL.match(text) if decimals else None
    if match is None:
        return None
    depth = match[1].replace("．", ".").count(".") + 1
    # "1 范围" alone is too weak a sign, it needs the point: "1. 范围" or "1.1 范围".
    if depth == 1 and text[match.end(1) : match.end(1) + 1] not in (".", "．", "、"):
        return None
    return _DECIMAL_BASE + depth


def bracketed_level(line: str) -> int | None:
    """The level of a line that is nothing but a short text in 【】 or 〖〗, else None; a degree
    of secrecy ("【内部】") heads nothing."""
    text = line.strip()
    return _BRACKETED_LEVEL if _BRACKETED.fullmatch(text) and not _SECRECY.fullmatch(text) else None


def is_lead(line: str) -> bool:
    """Whether a line could head the list behind it: "所需材料：", nothing else."""
    return bool(_LEAD.fullmatch(line.strip()))


def starts_entry(line: str) -> bool:
    """Whether a line begins an entry of a list of codes: "E1：…", "F7 水位故障：…"."""
    return bool(_ENTRY.match(line))


def is_register_line(line: str) -> bool:
    """Whether a line is what a registry writes above a title: fields such as "编号：…" or
    "证券代码：… 证券简称：…", a degree of secrecy or a document number."""
    text = line.strip()
    if not text or len(text) > _MAX_REGISTER:
        return False
    if _SECRECY.fullmatch(text) or _NUMBER_ALONE.fullmatch(text):
        return True
    if _REGISTERED.fullmatch(text):
        return True
    starts = [match.start() for match in _FIELDS.finditer(text)]
    if len(starts) < 2 or starts[0] != 0:
        return False
    return any(_REGISTERED.match(text, start) for start in starts)


def without_register(text: str) -> str:
    """The lines of a text from the first that no registry wrote; "" where there is none."""
    lines = text.split("\n")
    while lines and is_register_line(lines[0]):
        lines.pop(0)
    return "\n".join(lines)


def clause_label(text: str) -> str | None:
    """The "第十二条" that a paragraph starts with, without spaces, else None."""
    match = _CLAUSE.match(text.lstrip())
    return re.sub(r"\s", "", match[0]) if match else None


def is_title_like(line: str) -> bool:
    """Whether a line could be a title: short, and not the end of a sentence."""
    text = line.strip()
    return 2 <= len(text) <= 2 * _MAX_HEADING and not text.endswith(_SENTENCE_END)
