"""Dates, sizes, durations and labels as people write them; user text made safe for labels."""

from __future__ import annotations

import html
import re
import unicodedata
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from rag.types import Told
from ui.texts import language, t

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>$:&])")
_JOINER = "\u2060"  # word joiner: invisible, keeps ":red:" and "->" from being rewritten
_SEQUENCES = re.compile(r":(?=[\w+-]+:)|-(?=[->])|<(?=[-=])|>(?==)|~(?==)|(?<=[\w])_(?=[\w])")


def plain(text: str, limit: int = 0) -> str:
    """One safe line: control characters dropped, whitespace folded, cut to `limit` characters."""
    kept = "".join(
        " " if c in "\n\r\t\u2028\u2029" else c
        for c in text
        if c in "\n\r\t" or unicodedata.category(c) not in ("Cc", "Cs", "Co")
        if c not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
    folded = re.sub(r" {2,}", " ", kept).strip()
    return folded if not limit or len(folded) <= limit else folded[: limit - 1] + "…"


def said(text: Told | None, limit: int = 0) -> str:
    """What people are told, in the language of the page and plain; "" for nothing."""
    return plain(text.said(language()), limit) if text else ""


def label(text: str, limit: int = 60) -> str:
    """User text for a widget's label, which Streamlit reads as Markdown: shown as typed."""
    guarded = _SEQUENCES.sub(lambda m: m.group(0) + _JOINER, plain(text, limit))
    return _MARKDOWN.sub(r"\\\1", guarded) or "\u00a0"


def escape(text: str) -> str:
    """User text for HTML content or attributes."""
    return html.escape(text, quote=True).replace("\x00", "")


def zone() -> tzinfo:
    """The visitor's time zone as the browser reports it; UTC when unknown."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        return UTC


def local(moment: datetime) -> datetime:
    """A stored moment in the visitor's time zone; naive ones are UTC."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(zone())


def day(moment: datetime) -> str:
    """2026年11月29日, or 29 Nov 2026."""
    at = local(moment)
    if language() == "zh":
        return f"{at.year}年{at.month}月{at.day}日"
    return f"{at.day} {at:%b %Y}"


def moment(at: datetime) -> str:
    """2026年11月29日 14:05, or 29 Nov 2026 14:05."""
    return f"{day(at)} {local(at):%H:%M}"


def day_group(moment: datetime, now: datetime | None = None) -> str:
    """The heading under which a conversation is listed: today, yesterday, this week, earlier."""
    today = local(now or datetime.now(UTC)).date()
    age = (today - local(moment).date()).days
    if age <= 0:
        return t("day.today")
    if age == 1:
        return t("day.yesterday")
    return t("day.week") if age < 7 else t("day.earlier")


def size(count: int) -> str:
    """Bytes in KB or MB (1 MB = 1024 × 1024 bytes)."""
    if count < 1024:
        return t("size.bytes", n=count)
    return f"{count / 1024:.0f} KB" if count < 1024 * 1024 else f"{count / 1024 / 1024:.1f} MB"


def duration(ms: float) -> str:
    """Milliseconds in words: "12 毫秒", "0.8 秒", "2 分 5 秒"."""
    if ms < 100:
        return t("time.ms", n=f"{ms:.0f}")
    seconds = ms / 1000
    if seconds < 60:
        return t("time.s", n=f"{seconds:.1f}")
    span = timedelta(seconds=round(seconds))
    return t("time.min", m=span.seconds // 60 + span.days * 1440, s=span.seconds % 60)
