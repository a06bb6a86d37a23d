"""Metadata that a source states itself (front matter, JSONL records) as typed values.

Names of fields are understood in Chinese and English; what we have no field for is kept as
text in `extra`, so that nothing that a person wrote down is lost.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from rag.types import DocumentMetadata

_NAMES: dict[str, str] = {
    name: field
    for field, names in {
        "title": "title 标题 题名 名称",
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


def as_text(value: Any) -> str | None:
    """A short text for any value; None for nothing and for nested or overlong values."""
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, list | tuple):
        parts = [as_text(item) for item in value]
        value = "、".join(part for part in parts if part)
    if not isinstance(value, str | int | float | date):
        return None
    text = str(value).strip()
    return text if 0 < len(text) <= _MAX_VALUE else None


def _typed(field: str, value: Any) -> Any:
    if field.endswith("_date"):
        return as_date(value)
    if field == "year":
        match = _YEAR.search(str(value))
        return int(match[1]) if match else None
    if field == "keywords":
        parts = value if isinstance(value, list | tuple) else re.split(r"[,，、;；\s]+", str(value))
        return tuple(text for part in parts if (text := as_text(part)))
    text = as_text(value)
    if field == "region" and text is not None:
        return as_region(text)
    return text
