"""What must come out of each file of the parsing benchmark, as checks on its Markdown.

The files are public test documents that lie beside the evaluation data (`cases/files`); only
what is asserted about them is kept here. A check sees text as a reader would: width, blanks,
emphasis and escapes don't count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

_MARKUP = re.compile(r"</?(?:u|b|i|br|strong|em|sup|sub)\s*/?>|[\s*_`#\\\u200b\ufeff]")


def squash(text: str) -> str:
    """The text without blanks and Markdown signs, its width normalised."""
    return _MARKUP.sub("", unicodedata.normalize("NFKC", text))


@dataclass(frozen=True)
class Check:
    """One assertion. `holds` takes the Markdown of a document."""

    label: str
    holds: Callable[[str], bool]


def has(text: str) -> Check:
    """The text occurs."""
    return Check(f"has {text}", lambda markdown: squash(text) in squash(markdown))


def lacks(text: str) -> Check:
    """The text does not occur."""
    return Check(f"lacks {text}", lambda markdown: squash(text) not in squash(markdown))


def once(text: str, times: int = 1) -> Check:
    """The text occurs exactly `times` times."""
    return Check(f"{times}× {text}", lambda markdown: squash(markdown).count(squash(text)) == times)


def at_most(text: str, times: int = 1) -> Check:
    """The text occurs at most `times` times."""
    return Check(
        f"≤{times}× {text}", lambda markdown: squash(markdown).count(squash(text)) <= times
    )


def order(*texts: str) -> Check:
    """The texts occur one after the other."""

    def holds(markdown: str) -> bool:
        place, whole = 0, squash(markdown)
        for text in texts:
            found = whole.find(squash(text), place)
            if found < 0:
                return False
            place = found + len(squash(text))
        return True

    return Check("order " + " → ".join(texts), holds)


def row(*cells: str) -> Check:
    """One row of a table, or one record, holds these cells in this order.

    A cell of the row counts as `cell` when it is or contains it at its own borders.
    """

    def holds(markdown: str) -> bool:
        return any(_in_order(line, cells) for line in _lines(markdown))

    return Check("row " + " ¦ ".join(cells), holds)


def heading(text: str) -> Check:
    """A heading contains the text."""

    def holds(markdown: str) -> bool:
        wanted = squash(text)
        return any(wanted in squash(line) for line in markdown.splitlines() if line.startswith("#"))

    return Check(f"heading {text}", holds)


def lacks_control_characters() -> Check:
    """No control characters but blanks and line breaks."""
    found = re.compile(r"[\x00-\x08\x0e-\x1f\x80-\x9f]")
    return Check("no control characters", lambda markdown: found.search(markdown) is None)


def no_line(text: str) -> Check:
    """No line consists of the text alone."""

    def holds(markdown: str) -> bool:
        return all(squash(line) != squash(text) for line in markdown.splitlines())

    return Check(f"no line {text}", holds)


def _rows(count: int) -> Check:
    """The Markdown holds a table with so many rows, header included."""

    def holds(markdown: str) -> bool:
        lines = [line for line in markdown.splitlines() if line.startswith("|")]
        return sum(1 for line in lines if not re.fullmatch(r"[|:\-\s]+", line)) == count

    return Check(f"{count} rows", holds)


def _lines(markdown: str) -> list[list[str]]:
    """Rows of tables as cells; other lines split at the signs that separate fields."""
    rows = []
    for line in markdown.splitlines():
        if line.count("|") >= 2:
            cells = re.split(r"(?<!\\)\|", line)
        else:
            cells = re.split(r"[:：；;,，\t]\s*|\s{2,}", line)
        rows.append([squash(cell) for cell in cells])
    return rows


def _in_order(cells: list[str], wanted: tuple[str, ...]) -> bool:
    place = 0
    for want in wanted:
        target = squash(want)
        while place < len(cells) and not _is_cell(cells[place], target):
            place += 1
        if place == len(cells):
            return False
        place += 1
    return True


def _is_cell(cell: str, wanted: str) -> bool:
    if cell == wanted:
        return True
    found = cell.find(wanted)
    if found < 0 or wanted.isdigit():
        return False
    before, after = cell[:found][-1:], cell[found + len(wanted) :][:1]
    return not (wanted[0].isdigit() and (before.isdigit() or before in ".,")) and not (
        wanted[-1].isdigit() and (after.isdigit() or after in ".,")
    )


REFUSED: dict[str, str] = {
    "25": "encrypted", "26": "encrypted", "27": "empty", "28": "corrupt", "46": "encrypted",
}  # fmt: skip
"""Files that cannot be read as they are, and why."""

PASSWORDS: dict[str, str] = {"25": "test", "26": "1234"}
"""Passwords with which the checks of these files are tried."""

CHECKS: dict[str, tuple[Check, ...]] = {
    "01": (
        row("高速公路", "八", "2.5000", "60000≤Q＜80000", "20＜μ≤30"),
        row("一级公路", "四", "0.6667"),
        row("二级公路", "二", "0.3333", "Q＜15000"),
        row("1.7333", "0.8667", "0.5333"),
        order("表7.5", "表7.6"),
        order("第7.9条", "第7.11条"),
        lacks("安徽省建设用地使用标准"),
        no_line("173"),
    ),
    "02": (
        row("白细胞计数(WBC)", "仪器法", "↓", "3.9", "E+9/L", "[4.0-10.0]"),
        row("血小板计数(PLT)", "149", "[125-350]"),
        has("送检时间:2021-06-04 19:38"),
    ),
    "03": (
        row("营业收入（元）", "4,755,785.11", "5,699,227.63", "-16.55%"),
        heading("第二节 公司基本情况"),
        at_most("东北电气发展股份有限公司2018 年第一季度报告全文"),
    ),
    "04": (has("项目描述"), lacks("项项目目"), heading("教育经历")),
    "05": (once("股票代码：300218"), once("2011 年年度报告"), has("披露日期：2012 年3 月27 日")),
    "07": (has("物的有用性使物成为使用价值"), no_line("12")),
    "09": (
        row("2023", "AA+", "中诚信国际信用评级有限责任公司、联合资信评估有限公司", "稳定"),
        row("1", "工商银行", "330,435.30", "234,850.00", "95,585.30"),
        row("11", "上海银行盐城分行", "46,265.00", "46,265.00", "0.00"),
        no_line("251"),
    ),
    "10": (has("4406961485"), has("TORONTO,CANADA"), has("20150.00"), lacks("佛佛佛")),
    "12": (
        has("愿景"),
        has("知识库简介"),
        has("重点关注"),
        lacks_control_characters(),
    ),
    "13": (has("坚持社会主义核心价值体系"), has("增强文化自觉和文化自信"), lacks("试用水印")),
    "15": (has("轉寄：針對港鐵幕門安全性的投訴"),),
    "16": (has("電線接続端子部が次のいずれにも該当しないとき。"),),
    "17": (order("あいうえお日本語"),),
    "18": (Check("OA + OB + OC = u", lambda s: "OA+OB+OC=u" in squash(s)),),
    "19": (has("我是文字"), has("横向文本框"), has("竖向文本框"), once("我是文字")),
    "21": (has("THE SLEREXE COMPANY LIMITED"), has("Dear Pete")),
    "22": (order("This is a sample document", "pellentesque ante. Phasellus"),),
    "23": (
        has("Docling bundles PDF document conversion to JSON and Markdown"),
        has("in an easy self contained package"),
    ),
    "25": (has("Backup4all"),),
    "26": (has("DocLayNet: A Large Human-Annotated Dataset"),),
    "32": (row("State / Territory", "Permit", "Handgun", "Long Gun"),),
    "33": (has("浅谈校长的魅力"), has("山西省闻喜县诚镇初中 李新录")),
    "34": (has("2026 年03月04日"), heading("1.1")),
    "35": (
        row("Class1", "Class1", "Class2"),
        row("R1", "True", "False"),
        row("R3", "True", "True"),
        heading("Second slide title"),
        has("普通文本框 粗体 斜体 下划线 删除线"),
    ),
    "37": (has("職務権限規程"),),
    "38": (
        row("項目", "内容"),
        row("契約者番号", "12345678"),
        row("契約者", "田中 太郎"),
    ),
    "40": (_rows(324),),
    "41": (_rows(324),),
    "42": (row("我是表格1", "我是表格2"), has("横向文本框")),
    "44": (has("This is a test document"), lacks("\ufffe")),
    "45": (has("Stanley Cups"), row("Team", "Location", "Stanley Cups"), row("Blues", "STL", "1")),
    "48": (row("清华大学", "2", "985", "清华"),),
    "49": (has("姓名"), has("性别"), has("民族"), has("电话")),
    "52": (row("表头1", "表头2"), heading("测试 HTML 文档")),
    "53": (has("細則"), has("本社編（情報システム部）"), order("１．", "２．")),
    "54": (row("a", "b", "c", "d", "e"),),
}  # fmt: skip
"""By the number that the file's name begins with."""

FLAGS: dict[str, str] = {
    "07": "recognised", "10": "garbled", "15": "mended_text", "21": "recognised",
    "30": "invisible_text", "51": "low_information", "54": "ragged_rows",
}  # fmt: skip
"""Notices that an editor must get about these files (ours alone: the others have none)."""
