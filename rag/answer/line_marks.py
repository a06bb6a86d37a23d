"""Marks that tell the lines of a text apart: list items, clauses, tables, questions, answers."""

from __future__ import annotations

import re

_HAN_COUNT = "[一二三四五六七八九十]{1,3}"
_STEP_NUMBER = r"[一二三四五六七八九十\d]{1,3}"
_LIST_MARKS = (
    r"[-*+•·●○▪◆■]\s+",
    r"[•·●○▪◆■✓√→]\s*",
    r"\d{1,2}(?:\.\d{1,2}){0,3}\s*[.、)）．:：]\s*(?!\d)",
    rf"[(（]\s*(?:\d{{1,2}}|{_HAN_COUNT}|[a-zA-Z])\s*[)）]\s*[、.]?\s*",
    r"[①-⑳]\s*",
    rf"{_HAN_COUNT}、\s*",
    rf"第{_STEP_NUMBER}步\s*[:：，,、.]?\s*",
    rf"步骤\s*{_STEP_NUMBER}\s*[:：，,、.]?\s*",
    r"step\s*\d{1,2}\s*[:：.,]?\s*",
    r"\[[ xX]\]\s*",
)
MARKER = re.compile(rf"^\s*(?:{'|'.join(_LIST_MARKS)})+", re.I)
NUMBERED = re.compile(rf"^\s*(?:{'|'.join(_LIST_MARKS[2:])})", re.I)
"""A line with a number is an item, whatever colon follows; a bullet may hold a pair."""
_INLINE_MARKS = (
    rf"[(（](?:\d{{1,2}}|{_HAN_COUNT})[)）]",
    "[①-⑳]",
    r"\d{1,2}[、)）](?!\d)",
    rf"第{_STEP_NUMBER}步",
    r"[一二三四五六七八九]是(?=[^，,。；;]{2})",
)
INLINE_MARKER = re.compile(rf"(?<=[：:；;。，,\s])(?={'|'.join(_INLINE_MARKS)})")
FIRST_OF = re.compile(r"^\s*[一二三四五六七八九]是(?=[^，,。；;]{2})")
"""一是… after a colon or semicolon: an item; taken off only where it was cut."""
ARTICLE = re.compile(
    r"^第[一二三四五六七八九十百零〇\d]{1,8}条(?:之[一二三四五六七八九十]+)?[\s\u3000、：:]+(?=\S)"
)
CLAUSE_MARK = re.compile(rf"^\s*(?:\*\*)?(?:{_HAN_COUNT}、|[(（]{_HAN_COUNT}[)）])\s*")
OWN_TITLE = re.compile(r"^((?:\d+(?:\.\d+)+)?[\u4e00-\u9fffA-Za-z]{2,14})。(?:\*\*)?\s*(?=[^\s*])")
DEPENDS = re.compile(
    r"^(?:违反|违者|逾期|超过|超出|否则|其中|其余|该|此|上述|前款|填写|提交|携带|拨打|登录|经|审核|审批|通过|每次|遇|"
    r"因|如|若|未|已|不|需|须|应|并|还|也|另|可|凭|持|到|买|在此|同时|之后|然后|自|从|按|满|标准|期限|申请[人时]|情节|会议|最终|结果)"
)
"""Beginnings of sentences that go on about the subject of the sentence before."""
SECTION_LINE = re.compile(r"[一二三四五六七八九十]{1,3}、[^\s，。；：！？,;:!?|\d]{2,14}")
"""五、年假衔接: a heading that no parser has marked."""
LEADS = re.compile(r"(?:[：:]|(?:通知|公告|规定|安排|说明|要求)如下。)\s*$")
"""A line that says nothing itself but what follows it."""
LONG_CLAUSE = 40
"""Characters from which a line 一、… of several sentences is a clause, no item; chosen by us."""
HEADING = re.compile(r"^\s{0,3}#{1,6}\s+\S")
QUESTION = re.compile(
    r"^\s*(?:\*\*)?(?:问题?|q(?:uestion)?|提问|常见问题)\s*\d*(?:\*\*)?\s*[：:.、]\s*", re.I
)
ANSWER = re.compile(
    r"^\s*(?:\*\*)?(?:答案?|a(?:nswer)?|回答|回复|解答)\s*\d*(?:\*\*)?\s*[：:.、]\s*(?:\*\*)?", re.I
)
NAMES_RECORD = re.compile("(?<!出厂)(?:型号|名称|姓名|编码|代码|编号|货号|料号|产品|项目)$")
"""Keys of a record's first line that name what its other lines are about."""
TABLE_LINE = re.compile(r"^\s*\|.*\|\s*$")
RULE_LINE = re.compile(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?\s*)?\|?\s*$")
