"""Whether a question wants all regions, all years or all products, so that none is meant."""

from __future__ import annotations

import re

from rag.understand.slots import QUOTED_TITLE

_WANTS_ALL = re.compile(
    r"(?:各|每|所有|全部|全国|不同|多|哪些?|哪个|哪几个|几个|任何)(?:个)?(?:地区?|地方|省份?|市"
    r"|城市|区域)|各省市|分别|都(?:是|有|能|可以|要)?(?:多少|什么|哪些|怎么)"
    r"|哪(?:里|儿|个|些|座|家)(?:城市|地方|的)?[^，。]{0,12}(?:最|更|比较)|(?:对比|比较)(?:一下)?(?:各"
    r"|不同|所有)|全国(?:性|统一)?|国家(?:层面|规定|标准|政策)|(?:所有|全部|任何)(?:的)?"
)
_ALL_YEARS = re.compile(
    r"历年|各年|每年度|逐年|最新|现行|目前|现在|当前|最近|近几年|变化|有什么不同"
)
_CURRENT = re.compile(r"最新|现行|目前|现在|当前|如今|眼下")
_WHICH_YEAR = re.compile(r"哪一?年|何时|什么时候")
_ALL_PRODUCTS = re.compile(
    r"(?:各|每|所有|全部|不同|哪些?|哪个|哪几)(?:个|款|种)?(?:产品|型号|款|机型|设备|系列)"
)


def wants_all(question: str) -> bool:
    """Whether the question is about all regions or all of a kind."""
    return bool(_WANTS_ALL.search(_untitled(question)))


def wants_all_years(question: str) -> bool:
    """Whether the question is about the course of the years, or about whatever is valid now."""
    return bool(_ALL_YEARS.search(_untitled(question)))


def asks_for_current(question: str) -> bool:
    """Whether the question is about what is valid now."""
    return bool(_CURRENT.search(_untitled(question)))


def asks_when(question: str) -> bool:
    """Whether the question asks for a year or another point in time."""
    return bool(_WHICH_YEAR.search(_untitled(question)))


def wants_all_products(question: str) -> bool:
    """Whether the question is about all products."""
    return bool(_ALL_PRODUCTS.search(question))


def _untitled(question: str) -> str:
    """The question without titles: 全国 in a law's name is not the user's wish."""
    return QUOTED_TITLE.sub("", question)
