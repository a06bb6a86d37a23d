"""Who wrote and issued a document, under which number, and where it was taken from: part of
`describe`."""

from __future__ import annotations

import re
from itertools import pairwise

_NUMBER = re.compile(
    r"[一-鿿]{1,12}\s?[〔\[［【(（]\s?((?:19|20)\d{2})\s?[〕\]］】)）]\s?第?\s?\d{1,5}\s?号"
    r"|(?:[一-鿿]{2,20}令|公告)\s*第\s*\d{1,5}\s*号"
    r"|(?:GB|DB\d{2}|YY|HJ|JJG|JJF|QB|JB|HG|SH|DL|NB|CJJ|JGJ|WS|YD|GA|T)(?:/[TZ])?\s?\d{2,6}"
    r"(?:\.\d+)?[-—–](?:19|20)\d{2}"
)
_STATED_NUMBER = re.compile(
    r"(?:文件编号|制度编号|编号|文号|发文字号|^(?:[-*•]\s*)?(?:合同号|订单号|案号))\s*[:：]\s*([^\s，。；·|]{3,40})"
)
_NEXT_LABEL = re.compile(r"[一-鿿]{2,8}[:：].*$")
_STATED_ORGANISATION = re.compile(
    r"(?:发布单位|发布机构|发文机关|发文单位|发布部门|制定单位|制定机关|颁布单位|编制单位|印发单位"
    r"|主管部门|归口部门|出版单位|出版社|公司名称)\s*[:：]\s*([^\s，。；·|]{2,40})"
)
_COMPANY = re.compile(
    r"[一-鿿A-Za-z0-9（）()]{2,30}?(?:有限责任公司|股份有限公司|有限公司|集团公司)"
)
_BODY = (
    r"(?:人民政府|办公厅|办公室|委员会|管委会|管理局|总局|厅|局|部|院|会|中心|公司|大学|学院|学校|中学"
    r"|小学|初中|高中|银行|集团|医院|研究所|协会|学会|出版社|支队|总队|署|所"
    r"|管理处|办事处|指挥部|工作站|服务站|图书馆|博物馆|支部|工会|党委|村委会|居委会)"
)
_ORGANISATION_TITLE = re.compile(
    r"^([一-鿿]{2,30}?(?:人民政府|办公厅|办公室|委员会|厅|局|部|院|会|中心|公司|大学|学院|银行|集团))"
    r"(?:等[一二三四五六七八九十]*部门)?(?:关于|印发|发布)"
)
_FIELD_LABEL = re.compile(r"(?:[-*•]\s*)?([^\s:：]{1,20})\s*[:：]\s*")
_FIELD_BORDER = re.compile(r"\s+(?=[^\s:：]{2,12}[:：])")
_ISSUES = re.compile(
    r"甲方|出租方|发包|招标|采购人|用人单位|单位名称|公司|机构|[编检监评审印主承颁]\S{0,3}单位|报告单位|出具"
)
_SENTENCE_WORD = re.compile(r"原告|被告|上诉|受理|根据|收到|委托|决定|我们|以及|关于|[与向诉由在]")
_DEPARTMENT = re.compile(r"[一-鿿]{1,4}(?:部|科|室|组|车间|班组|中心|处)")
_MINISTRY = re.compile(
    r"(?:财政|教育|商务|国防|外交|公安|民政|司法|水利|交通运输|交通|农业农村|农业|文化和旅游|文化|生态环境"
    r"|环境保护|自然资源|住房和城乡建设|人力资源和社会保障|工业和信息化|科学技术|科技|应急管理|铁道|卫生"
    r"|退役军人事务|国家安全|中宣|中组)部"
)
"""Labels before the name of who issues; words of a sentence that runs on; parts of a body; and
the ministries, whose names look like these."""
_SHORT_COMPANY = re.compile(
    r"^([一-鿿]{2,8}(?:科技|公司|集团|银行|大学|医院|股份|电子|软件|网络|物流|保险|证券|药业|制药))"
)
_LETTERHEAD = re.compile(rf"^([一-鿿]{{2,30}}{_BODY})\s*(?:\([^()]*\))?\s*文件$")
_SIGNATURE = re.compile(rf"^[一-鿿]{{2,30}}{_BODY}$")
_SIGNED_ON = re.compile(
    r"^(?:19|20)\d{2}\s?[年\-/.]\s?\d{1,2}\s?[月\-/.]\s?\d{1,2}\s?日?$|^[一二][〇○零ＯO\d一二三四五六七八九]{3}年"
)
_SIGNED_LINE = re.compile(
    r"^([一-鿿()]{2,30})\s+(?:19|20)\d{2}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日$"
)
# A value goes on to the next field of the same line ("来源：甲报　作者：乙") or to its end.
_VALUE = r"\s*[:：]\s*(\S(?:.*?\S)??)(?=\s*(?:[|｜】\])）]|\s(?:\S{2,6}[:：])|\s{2,}|$))"
_STATED_AUTHOR = re.compile(
    r"(?:^|[\s|｜【\[（(])(?:作者|(?:本报|见习|实习|特约)?记者|通讯员|撰稿人?|撰文|撰写人?|执笔人?|编写人?|编著者?|主编|起草人|拟稿人?|译者"
    r"|[Aa]uthors?|[Ww]ritten by)" + _VALUE,
    re.MULTILINE,
)
_SLASH_AUTHOR = re.compile(
    r"(?:^|\s)(?:文|图文|撰文)\s?[/／|｜]\s?([一-鿿·]{2,12}(?:[、 ][一-鿿·]{2,6})*)"
)
_STATED_SOURCE = re.compile(
    r"(?:^|[\s|｜【\[（(])(?:来源|信息来源|文章来源|稿件来源|稿源|原载|转载自|摘自|[Ss]ource)"
    + _VALUE,
    re.MULTILINE,
)
_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗高梁郑谢宋唐许邓冯韩曹曾彭萧肖蔡潘田董袁于余叶蒋杜苏"
    "魏程吕丁沈任姚卢傅钟姜崔谭廖范汪陆金石戴贾韦夏邱方侯邹熊孟秦白江阎薛尹段雷黎史龙陶贺顾毛郝"
    "龚邵万钱严覃武戚莫孔向汤温康施牛洪"
)
"""The commonest surnames, about nine in ten people."""
_BYLINE = re.compile(rf"^(?:([一-鿿]{{3,24}}{_BODY})\s+)?([一-鿿]{{2,3}}|[一-鿿]\s[一-鿿])$")
_NO_NAME = re.compile(r"[\d。！？；《》]|https?:")
_HEAD_LINES = 25
_MIN_NUMBER = 3
_MAX_BESIDE = 14
"""Characters of a number, and those that may stand beside one in its line: a date, "签发人：…".
Chosen by us."""


def document_number(title: str, head: str) -> str | None:
    """The document's own number, from its title or a line of its head.

    A number inside a sentence cites another document; its own stands alone in a line.
    """
    for line in (title, *head.split("\n")[:_HEAD_LINES]):
        line = line.strip()
        stated = _STATED_NUMBER.search(line)
        if stated:
            own = _NEXT_LABEL.sub("", stated[1]).rstrip(";,")
            if len(own) >= _MIN_NUMBER:
                return own
        match = _NUMBER.search(line)
        if match and len(line) - len(match[0]) <= _MAX_BESIDE and "《" not in line:
            return re.sub(r"\s", "", match[0])
    match = _NUMBER.search(title)
    return match[0] if match else None


def is_document_number(text: str) -> bool:
    """Whether a text is a document's number and nothing else."""
    return _NUMBER.fullmatch(text.strip()) is not None


def ends_like_a_body(text: str) -> bool:
    """Whether a text without blanks is the name of a body: "青溪县水务局"."""
    return _SIGNATURE.match(re.sub(r"\s|\([^()]*\)", "", text)) is not None


def year_of_number(number: str | None) -> int | None:
    """The year inside a document number such as 杭公积金〔2022〕15号."""
    match = _NUMBER.search(number or "")
    return int(match[1]) if match and match[1] else None


def organisation(title: str, stem: str, head: str, tail: str = "") -> str | None:
    """The body that issued the document: stated in a field, named by title or file name, on
    its letterhead, or signed below.

    Args:
        head: the first lines; empty for files of records, which have no issuer of their own.
        tail: the last lines.
    """
    head = "\n".join(line for line in head.split("\n") if not line.lstrip().startswith("|"))
    stated = _STATED_ORGANISATION.search(head)
    if stated and not is_department(stated[1]):
        return stated[1]
    for text in (title, stem):
        for pattern in (_ORGANISATION_TITLE, _COMPANY, _SHORT_COMPANY):
            match = pattern.search(text)
            if match:
                return match[1] if match.lastindex else match[0]
    start = [line.strip() for line in head.split("\n")[:8] if len(line) <= 60]
    for line in start:
        match = _LETTERHEAD.match(line)
        fields = [line] if match else _FIELD_BORDER.split(line)
        found = match[1] if match else next(filter(None, map(_company, fields)), None)
        if found:
            return found
    return _signed(head) or _signed(tail)


def _company(line: str) -> str | None:
    """The company that a line of the head names as the document's own: alone, or behind a
    label that says who issues; not one that a sentence or another field speaks of."""
    label = _FIELD_LABEL.match(line)
    if label and not _ISSUES.search(label[1]):
        return None
    rest = line[label.end() :] if label else line
    match = _COMPANY.match(rest.strip("《 "))
    if match is None or _SENTENCE_WORD.search(match[0]):
        return None
    after = rest.strip("《 ")[match.end() :]
    return None if re.search(r"[，。；]", after) else match[0]


def is_body(text: str) -> bool:
    """Whether a text is a name that bodies have: it ends like one, or holds a company's."""
    return ends_like_a_body(text) or bool(_COMPANY.search(text) or _SHORT_COMPANY.search(text))


def is_department(text: str) -> bool:
    """Whether a name is that of a part of some body rather than of a body: "财务部"."""
    return bool(_DEPARTMENT.fullmatch(text)) and not _MINISTRY.fullmatch(text)


def author(head: str, tail: str, title: str = "") -> str | None:
    """The people that a document names as its authors, as they are written there."""
    for text in (head, tail):
        stated = _STATED_AUTHOR.search(text) or _SLASH_AUTHOR.search(text)
        if stated and (name := _as_names(stated[1])):
            return name
    lines = [line.strip() for line in head.split("\n")[:5] if line.strip() != title.strip()]
    for line in lines[:3]:
        match = _BYLINE.match(line)
        # A bare word of two letters may be anything; a surname and a school make a byline.
        if match and match[2][0] in _SURNAMES and (match[1] or " " in match[2]):
            return re.sub(r"\s", "", match[2])
    return None


def source(head: str, tail: str) -> str | None:
    """Where the document says that it was taken from."""
    for text in (head, tail):
        stated = _STATED_SOURCE.search(text)
        if stated and 2 <= len(value := stated[1].strip("《》“”\"' ")) <= 100:
            return value
    return None


def _signed(text: str) -> str | None:
    """The body whose name stands alone right above a date that stands alone."""
    lines = [line.strip() for line in text.split("\n")]
    for line in reversed(lines):
        # Body and date in one line, far apart.
        match = _SIGNED_LINE.match(line)
        if match and ends_like_a_body(match[1]):
            return re.sub(r"\s", "", match[1])
    for line, below in pairwise(lines):
        if _SIGNED_ON.match(below) and _SIGNATURE.match(line.replace(" ", "")):
            return line.replace(" ", "")
    return None


def _as_names(text: str) -> str | None:
    text = text.strip(" ,，;；、")
    if not 2 <= len(text) <= 40 or _NO_NAME.search(text):
        return None
    return re.sub(r"\s*[,，;；/]\s*", "、", text)
