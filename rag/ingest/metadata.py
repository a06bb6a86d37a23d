"""Metadata that people state (front matter, records, editors) as typed values.

Names of fields in files are understood in Chinese and English; what we have no field for is
kept as text in `extra`, so that nothing that a person wrote down is lost.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from rag.errors import InvalidInput
from rag.text.readable import readable
from rag.types import DocumentMetadata

FIELD_NAMES: dict[str, str] = {
    "title": "标题", "author": "作者", "source": "来源", "summary": "摘要", "region": "地区",
    "year": "年份", "publish_date": "发布日期", "effective_date": "施行日期",
    "expiry_date": "失效日期", "document_type": "文种", "document_number": "文号",
    "organisation": "发布机构", "product": "产品", "language": "语言", "keywords": "关键词",
}  # fmt: skip
"""The fields that editors may change, with their Chinese names."""

_NAMES: dict[str, str] = {
    name: field
    for field, names in {
        "title": "title 标题 题名 名称",
        "author": "author authors by 作者 撰稿 撰写 编写 起草人 主编",
        "source": "source url 来源 出处 网址 链接",
        "summary": "summary abstract description 摘要 简介 内容提要",
        "region": "region 地区 区域 地域 省份 城市 适用地区 area province city location",
        "year": "year 年份 年度 适用年度",
        "publish_date": "publish_date published publish date 发布日期 公布日期 发文日期 印发日期"
        " 发布时间 成文日期 issued",
        "effective_date": "effective_date effective valid_from 施行日期 生效日期 实施日期 起始日期",
        "expiry_date": "expiry_date expires valid_to valid_until 失效日期 废止日期 截止日期"
        " 有效期至",
        "document_type": "document_type doc_type type 文种 类型 文档类型 文件类型 category 类别",
        "document_number": "document_number doc_number number 文号 发文字号 文件号 编号",
        "organisation": "organisation organization org issuer publisher 发布机构 发文机关"
        " 发布单位 机构 单位 部门 company 公司",
        "product": "product 产品 产品名称 型号 model",
        "language": "language lang 语言",
        "keywords": "keywords tags 关键词 标签 主题词",
    }.items()
    for name in names.split()
}
_DATE = re.compile(r"((?:19|20)\d{2})\s*[-/.年]\s*(\d{1,2})(?:\s*[-/.月]\s*(\d{1,2}))?")
_YEAR = re.compile(r"(?<!\d)(19[5-9]\d|20\d{2})(?!\d)")
_MAX_VALUE = 500
"""Characters of one kept value; longer ones are content rather than metadata."""
_MAX_SUMMARY = 2000
_MAX_KEYWORDS = 30


def from_mapping(values: Mapping[str, Any]) -> DocumentMetadata:
    """Typed metadata from a source's own names and values; wrong values go to `extra`."""
    fields: dict[str, Any] = {}
    extra: dict[str, str] = {}
    for name, value in values.items():
        field = _NAMES.get(str(name).strip().lower().replace("-", "_"))
        typed = _typed(field, value) if field else None
        if field is not None and typed is not None and field not in fields:
            fields[field] = typed
        elif (text := as_text(value)) is not None:
            extra[str(name)[:60]] = text
    return DocumentMetadata(**fields, extra=extra)


def merge(own: DocumentMetadata, fallback: DocumentMetadata) -> DocumentMetadata:
    """`own` with its unknown fields taken from `fallback`."""
    empty: tuple[Any, ...] = (None, (), {}, "")
    values = {
        name: getattr(fallback, name)
        for name in DocumentMetadata.model_fields
        if getattr(own, name) in empty
    }
    values["extra"] = {**fallback.extra, **own.extra}
    return own.model_copy(update=values)


def overridden(found: DocumentMetadata, values: Mapping[str, Any]) -> DocumentMetadata:
    """`found` with the fields that an editor set; an empty value empties its field.

    Args:
        values: as `checked` returns them; unknown names and wrong values are passed over.
    """
    update: dict[str, Any] = {}
    for field, value in values.items():
        if field not in FIELD_NAMES:
            continue
        if value in (None, "", [], ()):
            update[field] = () if field == "keywords" else None
        elif (typed := _edited(field, value)) is not None:
            update[field] = typed
    return found.model_copy(update=update)


def checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """An editor's values as they are stored: JSON, with dates as "2024-05-01".

    Args:
        values: field of `DocumentMetadata` → what was typed; "" or None empties the field.

    Raises:
        InvalidInput: a field doesn't exist, or its value isn't one for it.
    """
    kept: dict[str, Any] = {}
    for field, value in values.items():
        if field not in FIELD_NAMES:
            raise InvalidInput(
                f"没有名为“{field}”的文档信息。", message_en=f"Documents have no field {field}."
            )
        if isinstance(value, str):
            value = value.strip()
        if value in (None, "", [], ()):
            kept[field] = None
            continue
        typed = _edited(field, value)
        if typed is None:
            raise _unfitting(field, value)
        kept[field] = typed.isoformat() if isinstance(typed, date) else typed
    return kept


def as_date(value: Any) -> date | None:
    """A date from a date, "2024-05-01", "2024年5月" (then its first day) or the like."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    match = _DATE.search(unicodedata.normalize("NFKC", str(value)))
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3] or 1))
    except ValueError:
        return None


def as_region(value: str) -> str | None:
    """The path ("浙江/杭州") of the first region named, None for the whole country."""
    from rag.understand.regions import find_regions

    text = unicodedata.normalize("NFKC", value).strip()
    if "/" in text:
        text = text.replace("/", "")
    found = find_regions(text)
    return found[0].path if found else None


def as_text(value: Any, longest: int = _MAX_VALUE) -> str | None:
    """A short text for any value; None for nothing and for nested or overlong values."""
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, list | tuple):
        parts = [as_text(item) for item in value]
        value = "、".join(part for part in parts if part)
    if not isinstance(value, str | int | float | date):
        return None
    text = readable(str(value)).strip()
    return text if 0 < len(text) <= longest else None


def _typed(field: str, value: Any) -> Any:
    if field.endswith("_date"):
        return as_date(value)
    if field == "year":
        match = _YEAR.search(str(value))
        return int(match[1]) if match else None
    if field == "keywords":
        parts = value if isinstance(value, list | tuple) else re.split(r"[,，、;；\s]+", str(value))
        return tuple(text for part in parts if (text := as_text(part)))[:_MAX_KEYWORDS] or None
    text = as_text(value, _MAX_SUMMARY if field == "summary" else _MAX_VALUE)
    if field == "region" and text is not None:
        return as_region(text)
    return text


def _edited(field: str, value: Any) -> Any:
    """Typed like `_typed`, but a year is a whole number and a list stays a list."""
    if field == "year" and not re.fullmatch(r"\s*(?:19|20)\d{2}\s*年?度?\s*", str(value)):
        return None
    typed = _typed(field, value)
    if field == "document_type" and typed is not None and len(typed) > 20:
        return None
    return typed


def _unfitting(field: str, value: Any) -> InvalidInput:
    examples = {"year": "2024", "region": "浙江杭州"}
    example = "2024-05-01" if field.endswith("_date") else examples.get(field)
    name = FIELD_NAMES[field]
    shown = " ".join(str(value).split())[:40]
    return InvalidInput(
        f"“{shown}”不能作为{name}。",
        f"请写成“{example}”这样。" if example else "请写得短一些。",
        message_en=f"“{shown}” cannot be the {field.replace('_', ' ')}.",
        remedy_en=f"Write it like {example}." if example else "Make it shorter.",
    )
