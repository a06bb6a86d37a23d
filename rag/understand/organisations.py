"""Organisations in a question: those of the knowledge base by full and short name, and others.

"星河科技" and "星河公司" are 星河科技有限公司 where a document of that body is there;
"市人社局" is the 人力资源和社会保障局 of the region that the question names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rag.text.normalise import normalise
from rag.understand.regions import find_regions, region_paths, related, without_regions

_LEGAL_FORM = re.compile(
    r"(?:集团)?(?:股份)?(?:有限责任|有限)公司$|(?:集团|控股)?(?:股份)?公司$|集团$|\((?:中国|集团)\)"
)
_TRADE = re.compile(
    "(?:科技|信息|网络|技术|实业|贸易|软件|电子|智能|医药|生物|文化|传媒|咨询|物业|建设|置业|投资|控股"
    "|数据|云计算|教育|食品|能源|汽车|物流|制药|电器|机械|材料|化工|金融|保险|证券)+.*$"
)
_SHORT_WORDS: tuple[tuple[str, str], ...] = (
    ("住房和城乡建设", "住建"),
    ("人力资源和社会保障", "人社"),
    ("人力资源社会保障", "人社"),
    ("发展和改革委员会", "发改委"),
    ("市场监督管理", "市监"),
    ("市场监督管理", "市场监管"),
    ("卫生健康委员会", "卫健委"),
    ("医疗保障", "医保"),
    ("生态环境", "环保"),
    ("退役军人事务", "退役军人"),
    ("自然资源和规划", "规自"),
    ("工业和信息化", "工信"),
    ("经济和信息化", "经信"),
    ("国有资产监督管理委员会", "国资委"),
    ("证券监督管理委员会", "证监会"),
    ("国家金融监督管理总局", "金监总局"),
    ("中国人民银行", "央行"),
    ("中国人民银行", "人行"),
    ("国家税务总局", "税务总局"),
    ("住房公积金管理中心", "公积金中心"),
    ("交通运输", "交通"),
    ("文化和旅游", "文旅"),
    ("农业农村", "农业"),
    ("应急管理", "应急"),
    ("人民法院", "法院"),
    ("人民检察院", "检察院"),
    ("人力资源部", "人事部"),
    ("人力资源部", "HR"),
    ("人力资源部", "人力部"),
)
"""Parts of official names, and how people shorten them (general knowledge, chosen by us)."""
_SHORTEST = 2
_NAMED = re.compile(
    r"[\u4e00-\u9fffA-Za-z0-9]{0,24}?(?:有限责任公司|股份有限公司|有限公司|集团公司|分公司|大学|学院"
    r"|研究院|研究所|委员会|人民政府|人民法院|检察院|银行|医院|中心|管理局|税务局|公安局|教育局"
    r"|人社局|人社厅|财政局|财政厅|民政局|住建局|住建委|住建部|发改委|卫健委|医保局|市监局|国资委|统计局"
    r"|办公厅|办公室|海关总署|证监会|税务总局|财政部|教育部|商务部|人社部|工信部|人力资源部"
    r"|人事部|财务部|行政部|法务部|采购部|技术部|市场部|信息部|客服部|工会)"
)
_BEFORE = re.compile(
    r"^.*?(?:请问|由|给|向|找|去|到|在|问|是|和|与|对|的|有|哪个|哪些|什么)(?=[^的是有])"
)


def find_organisations(text: str, known: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The bodies named in a text, each once: its name and how the text writes it.

    Those of the knowledge base have their full name, others that which is written.

    Args:
        text: normalised, without quoted titles.
        known: official names that the knowledge base's metadata holds, longest first.
    """
    seen: list[str] = []
    lowered = text.lower()
    regions = region_paths(text)
    for name, written in _known(lowered, tuple(known), regions):
        if not any(written in other for other in seen):
            seen += [name, written]
            yield name, written
    for match in _NAMED.finditer(text):
        name = _BEFORE.sub("", match.group())
        if len(name) >= 3 and not any(name in other or other in name for other in seen):
            seen.append(name)
            yield name, name


def _known(
    text: str, known: tuple[str, ...], regions: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Official names with the words that stand for them; one short name of several bodies
    means that of the region named, else none."""
    short: dict[str, list[str]] = {}
    for name in known:
        full = normalise(name)
        if full in text:
            yield name, full
            continue
        for form in short_names(name):
            if form in text:
                short.setdefault(form, []).append(name)
    for form in sorted(short, key=len, reverse=True):
        fitting = short[form]
        if len(fitting) > 1 and regions:
            fitting = [
                name
                for name in fitting
                if any(related(a, b) for a in region_paths(name) for b in regions)
            ]
        if len(fitting) == 1 and _in_place(fitting[0], regions):
            yield fitting[0], form


def _in_place(name: str, regions: tuple[str, ...]) -> bool:
    """Whether the body is not one of another region than the question names."""
    own = region_paths(name)
    return not own or not regions or any(related(a, b) for a in own for b in regions)


@lru_cache(maxsize=4096)
def short_names(name: str) -> frozenset[str]:
    """The shorter forms of an official name, normalised; without the name itself."""
    full = normalise(name)
    forms = {full, _LEGAL_FORM.sub("", full)}
    leading = [mention for mention in find_regions(full) if mention.start == 0]
    if leading:
        rest = without_regions(full)
        forms |= {rest, _LEGAL_FORM.sub("", rest)} if len(rest) > 3 else set()
    for long, short in (*_SHORT_WORDS, ("委员会", "委")):
        forms |= {form.replace(long.lower(), short.lower()) for form in forms}
    if full.endswith(("公司", "集团")):
        brand = _TRADE.sub("", _LEGAL_FORM.sub("", without_regions(full)))
        if len(brand) >= _SHORTEST:
            forms |= {brand + "公司", brand + "集团"}
    bare = {"公司", "集团", "委员会", "办公室", "银行", "大学", "医院", "中心"}
    return frozenset(form for form in forms if len(form) >= _SHORTEST and form not in bare) - {full}
