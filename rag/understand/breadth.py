"""Questions whose answer is spread over many documents: lists, overviews, all of a kind."""

from __future__ import annotations

import re

from rag.understand.slots import QUOTED_TITLE

_KINDS_OF_TEXT = (
    "制度|规定|政策|文件|办法|条例|标准|通知|公告|手册|合同|报告|产品|型号|项目|课程|岗位|部门|城市|省份"
    "|地区|地方|公司|单位|法律|法规|措施|规范|方案|服务|业务|案例|补贴|福利"
)
_BROAD = re.compile(
    rf"(?:有|包括|涉及|发布了?|出台了?|制定了?)(?:哪些|什么|几种|几类|几个)(?:[\u4e00-\u9fff]{{0,6}}?)(?:{_KINDS_OF_TEXT})"
    rf"|(?:哪些|哪几个|哪几种)(?:[\u4e00-\u9fff]{{0,6}}?)(?:{_KINDS_OF_TEXT})"
    rf"|(?:各|每个|所有|全部|不同)(?:的)?(?:个|省|市|地|县|区|{_KINDS_OF_TEXT})"
    r"|(?:汇总|盘点|梳理|归纳|列出|列举|罗列|一览|综述)"
    r"|(?:有|都有)哪些[?？]?$"
)


_ONE_WAY = re.compile(
    r"(?:汇总|梳理|归纳|列出|列举|罗列)(?!.*(?:各|每个|所有|全部|不同)).*(?:步骤|流程|程序|手续)"
)
"""The steps of one thing stand in one place."""


def wants_many(question: str) -> bool:
    """Whether a question asks for a list or an overview ("公司有哪些制度", "各地的补贴")."""
    asked = QUOTED_TITLE.sub("", question)
    return bool(_BROAD.search(asked)) and not _ONE_WAY.search(asked)
