"""Finds a document's metadata by rules: the step of the offline chain after chunking.

What the source states itself (front matter, record metadata) always wins. Then the title is
believed over the file name, and both over the text, because a text mentions many regions and
years that it is not about.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import PurePath
from typing import Any

from rag.ingest.describe_dates import (
    effective_date,
    expiry_date,
    publish_date,
    text_dates,
    western_dates,
)
from rag.ingest.describe_issuers import (
    author,
    document_number,
    organisation,
    source,
    year_of_number,
)
from rag.ingest.describe_summary import keywords, summary
from rag.ingest.headings import (
    clause_label,
    heading_level,
    is_title_like,
    without_register,
)
from rag.ingest.inspect import CSV, HTML, XLSX
from rag.ingest.metadata import merge, overridden
from rag.types import Block, Document, DocumentMetadata

DOCUMENT_TYPES: tuple[str, ...] = (
    "条例", "办法", "细则", "规定", "通知", "公告", "通告", "意见", "决定", "决议", "批复", "函",
    "方案", "规划", "计划", "规范", "标准", "规程", "制度", "章程", "规则", "准则", "指南", "指引",
    "手册", "说明书", "FAQ", "合同", "协议", "报告", "纪要", "清单", "公报", "白皮书", "简历",
    "价格表", "联系方式", "教程", "须知", "公约", "法",
)  # fmt: skip
"""The words that `document_type` can be; "实施办法" and "管理办法" are both 办法."""

_TYPE_ALIASES = {
    "常见问题": "FAQ", "常见问题解答": "FAQ", "问答": "FAQ", "faq": "FAQ", "年报": "报告",
    "季报": "报告", "招股说明书": "说明书", "招股书": "说明书", "指导意见": "意见", "法典": "法",
    "解释": "法", "会议纪要": "纪要", "报价单": "价格表", "价目表": "价格表", "安排": "通知",
}  # fmt: skip
_TYPE = re.compile(
    "|".join(sorted({*DOCUMENT_TYPES, *_TYPE_ALIASES} - {"法", "函"}, key=len)[::-1])
)
_LAW = re.compile(r"[^办方语算做]法$")
_VERSION_SUFFIX = re.compile(
    r"[（(【\[_\-\s]*(?:(?:19|20)\d{2}\s*年?|[vV]?\d+(?:\.\d+)+|第[一二三四五六七八九十\d]+版|试行|暂行|"
    r"修订|修正|草案|征求意见稿|最新|终稿|定稿|正式|公开|版|稿|修订版|全文|副本|[-\d\s.年月日]+)*[）)】\]\s]*$"
)
_QUOTED = re.compile(r"《[^《》]*(?:《[^《》]*》[^《》]*)*》")
_YEAR_OF_PART = re.compile(r"(?<!\d)(20\d{2}|19[5-9]\d)\s?(?:年度?|版)(?!\s?\d{1,2}\s?月)")
_YEAR_IN_TITLE = re.compile(r"(?<!\d)(19[5-9]\d|20\d{2})(?!\d)(?!\s*[-—–]?\s*\d{4,}\s*号)")
_PRODUCT_TITLE = re.compile(
    r"^(.{2,30}?)(?:产品|用户|使用|操作|安装|维护保养|维护|维修|快速入门|技术|服务)*"
    r"(?:手册|说明书|指南|白皮书|规格书|教程|价格表|说明)"
)
_CODE = re.compile(r"[A-Za-z]{1,8}[- ]?\d{1,5}[A-Za-z]?(?![A-Za-z0-9])|[A-Z]{2,6}系列")
_NO_PRODUCT = re.compile(
    r"员工|职工|新生|学生|管理|操作规程|入职|安全|报销|办事|申请|申报|政策|服务$|公司$"
)
_ANY_PRODUCT = re.compile(
    r"(?:[全各本]|系列|部|类|产品|商品|服务|设备|系统|软件|仪器|公司|企业|用户|主要)+的?"
)
_USELESS_TITLE = re.compile(
    r"microsoft|word|powerpoint|excel|untitled|无标题|未命名|幻灯片|slide|^\d*$|\.(docx?|pdf|xlsx?|pptx?|"
    r"wps|indd|dwg|tmp|html?)$|^(文档|新建|document|presentation|print|sheet|工作表)",
    re.IGNORECASE,
)
_RULE_OF_PLACE = re.compile(
    r"(黑龙江|内蒙古|[一-鿿]{2})(?!大学|学院|银行|公司|医院|师范|理工)[一-鿿]{2,24}(?:条例|办法|规定|细则|意见)$"
)
_PLACE = re.compile(r"[一-鿿]{2}(?:自治)?[省市县区州盟旗乡镇]")
_HAN_WORD = re.compile(r"[一-鿿]{2}")
_RED_HEAD = re.compile(r"[一-鿿]{4,40}\s*(?:[（(][^（）()]*[)）])?\s*(?:文件|公报[\d年第期 ]*)")
_NAMED_FIELD = re.compile(
    r"\S{0,6}(?:姓名|性别|年龄|编号|单号|号码|日期|时间|地点|地址|电话|单位|部门|科室|甲方|乙方|联系人|[收发]件人)\s*[:：]"
)
_COLUMNS = re.compile(r"(?:\S+[ \t]+){2,}\S+")
_SHOWS_KIND = re.compile(r"[表单书册簿证卡]$|志(?:卷[一-鿿]+)?$")
_NO_TITLE = re.compile(
    r"目\s*录|[前序引]言|摘要|封面|机密|秘密|绝密|内部资料.*|.*注意保密|第?\s*[\d一二三四五六七八九十]+\s*页?"
)
_MIN_TITLE, _MAX_TITLE, _TITLE_LINES = 4, 50, 4
"""Characters of a first line that is the title, and lines among which it is looked for; chosen
by us."""
_MIN_TYPED, _MAX_TYPED = 4, 60
"""Characters of a title that is known by its last word; chosen by us."""
_HEAD_CHARACTERS = 1500
"""How much of the text's start (and end) is searched for numbers, dates and issuers."""


def describe(document: Document, edited: Mapping[str, Any] | None = None) -> DocumentMetadata:
    """All that a document says about itself, by rules.

    Args:
        document: parsed and cleaned; its own metadata (front matter) wins over the text.
        edited: fields that an editor set (`DocumentOptions.metadata`); they win over all, and
            an empty one stays empty.
    """
    stem = file_stem(document.name)
    shown = document.metadata.title or find_title(document)
    title = shown or _title_above(document, stem) or stem
    head, tail = _ends(document)
    whole = _whole(document)
    records = any(block.record_id is not None for block in document.blocks)
    number = None if records else document_number(title, head)
    dates = [] if records else text_dates(head)
    published = None if records else publish_date(head, tail, dates)
    effective = None if records else effective_date(whole, dates, published)
    issuer = organisation(title, stem, *(("", "") if records else (head, tail)))
    # Pieces of a file name ("d10 annual") are words of nobody.
    named = "" if title == stem and not _HAN_WORD.search(stem) else title
    words = document.metadata.keywords or keywords(document.blocks, named)
    found = DocumentMetadata(
        title=title,
        author=None if records else author(head, tail, title),
        source=None if records else source(head, tail),
        summary=document.metadata.summary or summary(document.blocks, words, title),
        region=find_region(title) or find_region(stem) or _region_of_issuer(number, issuer),
        year=_year(document, title, stem, (number, published, effective, dates)),
        publish_date=published,
        effective_date=effective,
        expiry_date=None if records else expiry_date(whole, effective or published),
        document_type=find_type(title) or find_type(stem),
        document_number=number,
        organisation=issuer,
        product=_product(title, issuer) or _product(stem, issuer),
        language=_language(head),
        keywords=words,
    )
    return overridden(merge(document.metadata, found), edited or {})


def for_passages(metadata: DocumentMetadata) -> DocumentMetadata:
    """What each passage carries of its document's metadata: all but what only describes the
    whole and would be stored once more with each."""
    return metadata.model_copy(update={"summary": None, "keywords": (), "extra": {}})


def file_stem(name: str) -> str:
    """A file's name without its extension, as people would say it."""
    return re.sub(r"[_\s]+", " ", PurePath(name.replace("\\", "/")).stem).strip() or name


def find_title(document: Document) -> str | None:
    """The title that the document itself shows, else the one among its properties."""
    sheet = document.media_type in (XLSX, CSV)  # their headings are names of sheets
    shown = None if sheet else _shown_title(document.blocks)
    stated = document.title if document.title and is_useful_title(document.title) else None
    if document.media_type == HTML and stated:
        # Pages add the site's name: "办法_某市政府网站".
        stated = re.split(r"\s*[_|｜]\s*|\s+[-–—]\s+", stated)[0] or stated
    return shown or stated


def is_useful_title(title: str) -> bool:
    """Whether a title among a file's properties says anything about the content."""
    text = title.strip()
    return 2 <= len(text) <= 120 and not _USELESS_TITLE.search(text)


def find_region(title: str) -> str | None:
    """The region that a title is about, as a path; None for the whole country and for several.

    Regions inside 《》 count only when there is none outside.
    """
    from rag.understand.regions import find_regions, is_region

    text = unicodedata.normalize("NFKC", title)
    for part in (_QUOTED.sub("", text), text):
        paths = [
            _without_market(mention.path, part[mention.end :]) for mention in find_regions(part)
        ]
        if len({path.split("/")[0] for path in paths}) > 1:
            return None  # a comparison, or an agreement between two places
        if paths:
            # "浙江省" and then "杭州市" apart: the finer one that lies in the first.
            finer = [path for path in paths if path.startswith(paths[0] + "/")]
            return finer[0] if finer else paths[0]
    prefix = _RULE_OF_PLACE.match(text)
    return prefix[1] if prefix and is_region(prefix[1]) else None


def _without_market(path: str, after: str) -> str:
    """The path without a district that is really the beginning of "…市场"."""
    return path.rpartition("/")[0] or path if after.startswith("场") else path


def find_type(title: str) -> str | None:
    """The kind of document that a title names, one of `DOCUMENT_TYPES`."""
    core = _VERSION_SUFFIX.sub("", title.strip())
    if _LAW.search(core):
        return "法"
    outside = _QUOTED.sub("", core)
    for text in (outside, core):
        matches = _TYPE.findall(text)
        if matches:
            # The last word decides: "关于印发…办法的通知" is a 通知.
            found = str(matches[-1])
            return _TYPE_ALIASES.get(found, found)
    lowered = title.lower()
    return "FAQ" if "faq" in lowered else None


def is_typed_title(line: str) -> bool:
    """Whether a line of plain text reads like the title of a kind of document: "关于印发…的通知",
    "设备租赁合同"."""
    text = _VERSION_SUFFIX.sub("", line.strip())
    if not (_MIN_TYPED <= len(line.strip()) <= _MAX_TYPED and is_title_like(line)):
        return False
    if re.search(r"[\n:：。；\t]|^《|^[附抄主]|本..?$", line) or re.search(r"[，,]", text):
        return False
    kind = find_type(text)
    return kind is not None and any(text.endswith(end) for end in (kind, *_ends_of(kind)))


def _ends_of(kind: str) -> list[str]:
    return [alias for alias, named in _TYPE_ALIASES.items() if named == kind]


def _shown_title(blocks: Sequence[Block]) -> str | None:
    """The first heading that stands above everything but short lines; below a red head the
    one that says what it is about."""
    first = True
    for position, block in enumerate(blocks):
        if block.record_id is not None or position > 12 or block.kind == "table":
            return None
        own = without_register(block.text)
        if not own.strip():
            continue
        leads, first = first, False
        text = " ".join(own.split())
        if _RED_HEAD.fullmatch(text) and _subject(blocks[position + 1 :]):
            continue
        if block.kind == "heading" and _NAMED_FIELD.match(text):
            continue
        if block.kind == "heading" and not _is_part(text):
            above = [" ".join(other.text.split()) for other in blocks[:position]]
            whole = next((line for line in above if line.endswith(text)), text)
            return whole if 2 <= len(whole) <= 120 else None
        if block.kind == "heading" or clause_label(text):
            return None
        if leads and is_title_like(text) and find_type(text) and "\n" not in own:
            return None if _NAMED_FIELD.match(text) else text
        if len(text) > 200:
            return None
    return None


def _subject(blocks: Sequence[Block]) -> str | None:
    """The "关于…的通知" among the first lines below a red head."""
    for block in blocks[:_TITLE_LINES]:
        text = " ".join(block.text.split())
        if block.kind in ("heading", "paragraph") and "关于" in text and is_typed_title(text):
            return text
    return None


def _title_above(document: Document, stem: str) -> str | None:
    """The line that stands above a document without headings: one that names a kind of
    document, or any where the file's name says nothing in Chinese."""
    lines: list[str] = []
    for block in document.blocks[:_TITLE_LINES]:
        if block.kind not in ("paragraph", "heading") or block.record_id is not None:
            break
        if block.kind == "heading" and document.media_type in (XLSX, CSV):
            continue  # the name of a sheet
        if block.kind == "heading" and _is_part(block.text):
            break
        if not (own := without_register(block.text)):
            continue
        first, _, rest = own.partition("\n")
        lines.append(" ".join(first.split()))
        if rest:
            break
    silent = not _HAN_WORD.search(stem)
    for line in lines:
        fits = _MIN_TITLE <= len(line) <= _MAX_TITLE and is_title_like(line)
        if not fits or _NO_TITLE.fullmatch(line) or re.search(r"[:：，,。；;|\t]", line):
            continue
        if not _HAN_WORD.search(line) or line in stem or _COLUMNS.fullmatch(line):
            continue
        if is_typed_title(line) or _SHOWS_KIND.search(line) or silent:
            return line
    return None


def _is_part(text: str) -> bool:
    return clause_label(text) is not None or heading_level(text) is not None or text in (
        "目录", "前言", "摘要", "序言", "引言",
    )  # fmt: skip


def _ends(document: Document) -> tuple[str, str]:
    head: list[str] = []
    size = 0
    for block in document.blocks:
        head.append(block.text[:_HEAD_CHARACTERS])
        size += len(head[-1])
        if size > _HEAD_CHARACTERS:
            break
    tail = [block.text for block in document.blocks[-6:] if block.kind != "table"]
    first, last = (unicodedata.normalize("NFKC", "\n".join(part)) for part in (head, tail))
    return (
        western_dates(first[: 2 * _HEAD_CHARACTERS]),
        western_dates(last[-_HEAD_CHARACTERS:]),
    )


def _whole(document: Document) -> str:
    text = "\n".join(block.text for block in document.blocks)
    return western_dates(unicodedata.normalize("NFKC", text))


def _year(
    document: Document,
    title: str,
    stem: str,
    stated: tuple[str | None, date | None, date | None, list[date]],
) -> int | None:
    """The year that the content applies to: named by title or file name, else of its number,
    its last change, its publication or its coming into force. None where several are named,
    in the title or by its headings and columns: a filter by one of them must not hide the
    rules of the other."""
    for text in (title, stem):
        years = [int(y) for y in _YEAR_IN_TITLE.findall(unicodedata.normalize("NFKC", text))]
        if years:
            return years[0] if len(set(years)) == 1 else None
    if len(_years_of_parts(document)) > 1:
        return None
    number, published, effective, dates = stated
    named = year_of_number(number)
    if named:
        return named
    for found in (published, max(dates, default=None), effective):
        if found is not None:
            return found.year
    return None


def _years_of_parts(document: Document) -> set[int]:
    """Years that headings and the heads of tables name as what their part is about."""
    found: set[int] = set()
    for block in document.blocks:
        heads = block.rows[0] if block.rows else ()
        for text in (block.text,) if block.kind == "heading" else heads:
            plain = _QUOTED.sub("", unicodedata.normalize("NFKC", text))
            if len(plain) <= 60:
                found.update(int(year) for year in _YEAR_OF_PART.findall(plain))
    return found


def _region_of_issuer(number: str | None, issuer: str | None) -> str | None:
    from rag.understand.regions import find_regions

    for text in (issuer, number):
        if text == number and issuer and _PLACE.search(issuer):
            continue  # "青政发" of a county is no number of the province that 青 stands for
        found = find_regions(text) if text else []
        # A company that is called after a city doesn't speak for the city.
        if found and not (text == issuer and text and text.endswith("公司")):
            return found[0].path
    return None


def _product(title: str, issuer: str | None) -> str | None:
    core = unicodedata.normalize("NFKC", title).strip().removeprefix(issuer or "")
    match = _PRODUCT_TITLE.match(core)
    if match is None or _NO_PRODUCT.search(match[1]) or _ANY_PRODUCT.fullmatch(match[1]):
        return None
    code = _CODE.search(match[1])
    if code:
        return match[1].strip() if len(match[1]) <= 20 else code[0]
    return match[1].strip(" 《》") if "产品" in core and len(match[1]) <= 20 else None


def _language(text: str) -> str | None:
    han = sum("一" <= c <= "鿿" for c in text)
    kana = sum("぀" <= c <= "ヿ" for c in text)
    latin = sum(c.isascii() and c.isalpha() for c in text)
    if kana > 0.1 * (han + kana) and kana > 5:
        return "ja"
    if han > latin / 4 and han > 0:
        return "zh"
    return "en" if latin else None
