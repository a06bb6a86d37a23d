"""Tells which short texts belong to a table: its title and unit above it, its notes below."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.ingest.chunk.sections import Unit

MOST_LINES = 3
_LONGEST_TITLE = 40
_LONGEST_STATEMENT = 60
"""Lines above a table, and below it, that belong to it; characters of a title, and of a line
that states something about the table. Chosen by us."""

_NUMBERED = re.compile(r"(续?表|附表|Table)\s*[\d一二三四五六七八九十:：]|.*[:：]$", re.DOTALL)
_TITLE = re.compile(
    r"[^。；！？\n]*(?:表|单|明细|统计|一览|汇总|台账|目录|名册|情况|记录|报告|计划|安排|标准|清册)"
    r"\s*(?:[（(][^（）()]{1,12}[)）])?"
)
_STATED = re.compile(
    r"[（(]?\s*(?:(?:金额)?(?:计量)?单位|币种|编制单位|填报单位|填表单位|制表单位|制表日期|编制日期|填报日期"
    r"|统计时间|统计期间|报告期|日期|时间|截至|截止|年度|所属期|会计期间)\s*[:：\d]"
)
_NOTE = re.compile(
    r"[（(*＊]?\s*(?:备?注|说明|附注|数据来源|资料来源|来源|合\s*计|总\s*计|小\s*计|价税合计|以上"
    r"|Note|Source)\s*[\d一二三]*\s*(?:[（(][^（）()]{1,8}[)）])?\s*[:：.]?"
)


def above(run: Sequence[Unit], *, of_sheet: bool) -> list[Unit]:
    """The units at the end of a run that introduce the table behind them: headings, a title,
    what is stated for all of the table ("单位：万元").

    Args:
        of_sheet: the table is one of a workbook, whose titles stand in cells of their own.
    """
    found: list[Unit] = []
    titled = False
    for unit in reversed(run):
        text = unit.block.text.strip()
        lines = sum(not u.is_heading for u in found)
        if unit.is_heading:
            titled = True
        elif titled or lines >= MOST_LINES or unit.block.kind not in ("paragraph", "list"):
            break
        elif _NUMBERED.match(text) or _is_title(text) or (of_sheet and _is_brief(text)):
            titled = not of_sheet
        elif not (_STATED.match(text) and len(text) <= _LONGEST_STATEMENT):
            break
        found.insert(0, unit)
    return found


def below(units: Sequence[Unit]) -> list[Unit]:
    """The first of the units, as far as they are notes or sums of the table before them."""
    found: list[Unit] = []
    for unit in units[:MOST_LINES]:
        text = unit.block.text
        if unit.block.kind not in ("paragraph", "list") or unit.block.record_id is not None:
            break
        if not _NOTE.match(text.strip()) or unit.block.metadata.get("form"):
            break
        found.append(unit)
    return found


def _is_title(text: str) -> bool:
    return len(text) <= _LONGEST_TITLE and bool(_TITLE.fullmatch(text))


def _is_brief(text: str) -> bool:
    return len(text) <= _LONGEST_STATEMENT and not re.search(r"[。；！？\n]", text)
