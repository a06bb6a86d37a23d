"""Values that a question names: regions, times, organisations, types, numbers, products.

The selected knowledge bases' own metadata is the gazetteer for organisations, products and
document types; the rest comes from the form of the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from rag.text.normalise import normalise
from rag.types import Entity, KnowledgeProfile, Slots
from rag.understand.clock import ClockTime, find_clock_times
from rag.understand.gazetteer import gazetteer
from rag.understand.named import Named
from rag.understand.organisations import find_organisations
from rag.understand.quantities import find_quantities
from rag.understand.regions import find_regions
from rag.understand.times import TimeMention, find_times

QUOTED_TITLE = re.compile(r"《(?:[^《》]|《[^《》]*》)+》")
"""A title in 《》, which may hold another one."""

DOCUMENT_TYPES = (
    *("实施细则", "管理办法", "暂行办法", "实施办法", "管理规定", "操作指南", "用户手册"),
    *("员工手册", "产品手册", "说明书", "白皮书", "会议纪要", "常见问题", "操作手册"),
    *("条例", "办法", "规定", "细则", "通知", "公告", "通告", "意见", "决定", "批复", "指南"),
    *("手册", "规范", "标准", "规程", "制度", "章程", "合同", "协议", "报告", "纪要", "方案"),
    *("年报", "季报", "招股书", "公报", "清单", "faq"),
)
"""Kinds of documents, longer ones first."""

# A kind is meant as a condition only where the question points at the document as such.
_POINTS_AT_TYPE = re.compile(
    "(?:" + "|".join(DOCUMENT_TYPES) + ")"
    "(?=(?:文件)?(?:里面?|中|上|内)(?:是?怎么|如何|有没有|有|对|关于|是|规定|写|说|提)|有哪些[?？]?$)",
    re.I,
)
_DOCUMENT_NUMBER = re.compile(
    r"[\u4e00-\u9fff]{0,10}[〔\[［【(（](?:19|20)\d{2}[〕\]］】)）]\s*"
    r"(?:[\u4e00-\u9fff]{1,3}\d{0,4}[\u4e00-\u9fff]{1,3})?第?\d{1,5}\s*号"  # （2023）京01民终12号
    r"|(?:主席令|国务院令|部令|令)\s*第\s*[\d一二三四五六七八九十百零]+\s*号"
    r"|(?:公告|通告|令)\s*(?:19|20)\d{2}\s*年\s*第\s*\d{1,4}\s*号"
    r"|(?:(?:19|20)\d{2}\s*年\s*)?第?\s*[\d一二三四五六七八九十]{1,4}\s*号(?:文件?|令|公告|通知|决定)"
    r"|\b(?:GB|DB\d{2}|YY|HJ|JJG|ISO|IEC|QB|JB|HG|SH|DL|NB|YD|JT|JGJ|CJJ|CJ|TB|LY|NY|GA|WS|SL|AQ)"
    r"(?:/[TZ])?\s?\d{1,6}(?:\.\d+)?(?:[-—]\d{4})?"
    r"|\b[TQ]/[A-Z]{2,8}\s?\d{1,6}(?:\.\d+)?(?:[-—]\d{4})?"
)
CODE = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z]{1,8}(?=[A-Za-z0-9.]*\d)(?:\.[A-Za-z0-9]+)+"  # SC.c3.large
    r"|[A-Za-z]{1,8}[-_ ]?\d[A-Za-z0-9]*(?:[-_./][A-Za-z0-9]+)*"
    r"|\d+[A-Za-z]{1,4}[-_]?\d*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]+)+)(?![A-Za-z0-9])"
)
LETTERED_PRODUCT = re.compile(
    r"(?<![A-Za-z0-9])([A-Za-z]{1,10}|[甲乙丙丁])\s?(产品|型号?|款|套餐|版本|系列|方案|计划|类)"
)
_MODEL_WORDS = re.compile(r"(?:\s?(?:Pro|Max|Plus|Mini|Ultra|Lite|SE|Air)(?![A-Za-z]))+", re.I)
_UNITS_ONLY = re.compile(
    r"\d+(?:kb|mb|gb|tb|kg|g|km|m|cm|mm|w|kw|v|a|ml|l|k|h|s|ms|hz|ghz|mah|x)$", re.I
)
_TIME_CODE = re.compile(r"(?:fy\d{2,4}|[hq][1-4]|(?:19|20)\d{2}[hq][1-4])$", re.I)
_PERSON = re.compile(r"[\u4e00-\u9fff]{1,3}(?:先生|女士|经理|主任|总监|老师|教授|局长|处长)")


def extract(
    question: str, profile: KnowledgeProfile | None, today: date
) -> tuple[Slots, tuple[Entity, ...]]:
    """The slots and the named things of a completed question.

    Args:
        question: the question as it will be asked; it is normalised here.
        profile: gazetteer; None when no knowledge base is selected.
        today: the day of asking, for relative times.

    Returns:
        Slots in the order of mention, each value once; and entities, among them kinds that
        are no slot: "document" for a title in 《》, "name" for one without, "code", "amount",
        "rating", "duration", "share", "clock"; the value of a quantity is canonical ("50-100元").
    """
    text = _folded(question)
    entities: dict[tuple[str, str], Entity] = {}

    def add(text: str, kind: str, value: str = "") -> None:
        entities.setdefault((kind, value or text), Entity(text=text, kind=kind, value=value))

    for match in QUOTED_TITLE.finditer(question):
        add(match.group(), "document", match.group()[1:-1])
    names = gazetteer(profile).named.find(_untitled(text)) if profile else []
    regions = find_regions(_masked(text, [name for name in names if name.institution]))
    for region in regions:
        add(region.text, "region", region.path)
    numbers = [match.group().strip() for match in _DOCUMENT_NUMBER.finditer(question)]
    times = find_times(_without_numbers(_without_titles(text)), today)
    for time in times:
        add(time.range.text, "time", f"{time.range.start or ''}/{time.range.end or ''}")
    for number in numbers:
        add(number, "number")
    for name in names:
        add(name.text, "name", name.titles[0] if len(name.titles) == 1 else name.text)
    clocks = find_clock_times(_masked(text, names))
    for clock in clocks:
        add(clock.text, "clock", clock.value)
    for quantity in find_quantities(_masked(text, [*names, *times, *clocks])):
        add(quantity.text, quantity.kind, quantity.value)
    products = list(_products(question, text, profile, numbers))
    for product in products:
        code = CODE.fullmatch(product) is not None
        add(product, "code" if code else "product", _as_known(product, profile))
    known = gazetteer(profile).organisations if profile else ()
    organisations = dict(find_organisations(QUOTED_TITLE.sub("，", text), known))
    for organisation, written in organisations.items():
        add(written, "organisation", organisation)
    people = list(dict.fromkeys(match.group() for match in _PERSON.finditer(text)))
    for person in people:
        add(person, "person")
    types = list(dict.fromkeys(match.group() for match in _POINTS_AT_TYPE.finditer(text)))
    slots = Slots(
        region=tuple(dict.fromkeys(region.path for region in regions)),
        time=tuple({(t.range.start, t.range.end): t.range for t in times}.values()),
        organisation=tuple(organisations),
        document_type=tuple(types),
        product=tuple(products),
        person=tuple(people),
        number=tuple(dict.fromkeys(numbers)),
    )
    return slots, tuple(entities.values())


def quoted_titles(text: str) -> tuple[str, ...]:
    """The titles in 《》, without the marks, outermost ones only."""
    return tuple(match.group()[1:-1] for match in QUOTED_TITLE.finditer(text))


def codes(text: str) -> tuple[str, ...]:
    """Model numbers and other codes in `text` as written ("ABC-123"); no units, no times."""
    return tuple(
        match.group()
        for match in CODE.finditer(text)
        if not _UNITS_ONLY.match(match.group()) and not _TIME_CODE.match(match.group())
    )


def _folded(text: str) -> str:
    """Normalised, but with the case kept: codes and abbreviations need it."""
    simple = normalise(text)
    return simple if len(simple) != len(text) else _with_case(simple, text)


def _with_case(simple: str, text: str) -> str:
    return "".join(o if o.lower() == s else s for s, o in zip(simple, text, strict=True))


def _without_titles(text: str) -> str:
    """A year inside a title belongs to the title only when it stands in its bracket."""
    return QUOTED_TITLE.sub(
        lambda m: re.sub(r"第\S{1,6}[届号]", lambda n: "，" * len(n.group()), m.group()), text
    )


def _without_numbers(text: str) -> str:
    """公告2023年第6号 names a document, not the year that is asked about."""
    return _DOCUMENT_NUMBER.sub(lambda m: "，" * len(m.group()), text)


def _untitled(text: str) -> str:
    return QUOTED_TITLE.sub(lambda m: "，" * len(m.group()), text)


def _masked(text: str, spans: Iterable[Named | TimeMention | ClockTime]) -> str:
    """The text with some letters covered: the 7 days of "7天酒店" are none."""
    for span in spans:
        text = text[: span.start] + "，" * (span.end - span.start) + text[span.end :]
    return text


def _products(
    question: str, text: str, profile: KnowledgeProfile | None, numbers: list[str]
) -> Iterator[str]:
    seen: set[str] = set()
    known = gazetteer(profile).products if profile else ()
    for product in known:
        if _contains(text, normalise(product)) and not any(product in s for s in seen):
            seen.add(product)
            yield product
    for match in LETTERED_PRODUCT.finditer(question):
        if match.group().lower() not in {s.lower() for s in seen}:
            seen.add(match.group())
            yield match.group()
    for code in codes(question):
        if not any(code in other for other in (*numbers, *seen)):
            whole = _MODEL_WORDS.match(question, question.find(code) + len(code))
            name = code + (whole.group() if whole else "")
            seen.add(name)
            yield name


def _as_known(product: str, profile: KnowledgeProfile | None) -> str:
    """The knowledge base's own spelling of a product: ZW-200 for "zw 200"."""
    bare = re.sub(r"[-_ ]", "", normalise(product))
    known = gazetteer(profile).products if profile else ()
    return next((k for k in known if re.sub(r"[-_ ]", "", normalise(k)) == bare), product)


def _contains(text: str, name: str) -> bool:
    """Whether `name` stands in `text`, not inside a longer code (ABC-12 in ABC-123)."""
    if not name:
        return False
    edge = r"(?<![a-z0-9])" if name[0].isascii() and name[0].isalnum() else ""
    tail = r"(?![a-z0-9])" if name[-1].isascii() and name[-1].isalnum() else ""
    return re.search(edge + re.escape(name.lower()) + tail, text.lower()) is not None
