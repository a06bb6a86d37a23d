"""When a document was published, comes into force and ends: part of `describe`."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

from rag.ingest.describe_issuers import ends_like_a_body, is_document_number
from rag.ingest.describe_repealed import dates_another, of_another

_DAY = r"(?:19|20)\d{2}\s?[年\-/.]\s?\d{1,2}\s?[月\-/.]\s?\d{1,2}\s?日?"
_DAY_OR_MONTH = rf"(?:{_DAY}|(?:19|20)\d{{2}}\s?年\s?\d{{1,2}}\s?月(?:份|底|末)?)"
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d{2})\s?(?:年|[-/.])\s?(\d{1,2})\s?(?:月|[-/.])\s?(\d{1,2})(?!\d)\s?日?"
)
_MONTH = re.compile(r"((?:19|20)\d{2})\s?年\s?(\d{1,2})\s?月")
_CHINESE_DATE = re.compile(
    r"([一二][〇○零ＯO一二三四五六七八九]{3})年([一二三四五六七八九十]{1,2})月(?:([一二三四五六七八九十]{1,3})日)?"
)
_PUBLISHED = re.compile(
    r"(?:(?:发布|公布|印发|颁布|成文|制定|签发|修订|编制|更新|发文|发表|出版"
    r"|(?:[Pp]ublished|[Uu]pdated|[Pp]osted)(?: on)?)\s*(?:日期|时间)?"
    r"|(?:签订|签署|签约|订立)\s*(?:日期|时间))\s*[:：]?\s*$"
)
_STATED_TIME = re.compile(
    r"^\s*(?:会议)?(?:日\s*期|时间|[Dd]ate)\s*[:：]\s*$|.*[\s　|｜]日\s*期\s*[:：]\s*$"
)
_SIGNED_FIELD = re.compile(r"(?:^|\s)(?:(?:签订|签署|签约)?日\s*期|时间)\s*[:：]\s*$")
_BYLINE_REST = re.compile(
    r"\s*(?:\d{1,2}:\d{2}(?::\d{2})?)?(?:[\s|｜·]*"
    r"(?:来源|作者|记者|编辑|责任编辑|责编|通讯员|浏览|点击|阅读|字号|信息来源|文章来源)\s*[:：].*|\s*)"
)
"""What stands behind the date of a byline: a time, then fields."""
_NEWS_LINE = re.compile(
    r"\s*\d{1,2}:\d{2}(?::\d{2})?\s+[^\s，。；：:]{2,16}(?:\s[^，。；：:]{2,16})?"
)
"""The rest of a byline without labels: "08:15 滨江晚报 记者 邬棠"."""
_AFTER_PUBLISHED = re.compile(r"^\s*(?:发布|公布|印发|颁布)")
_EFFECTIVE = re.compile(
    rf"(?:自|从|于|由)?\s*(?P<date>{_DAY_OR_MONTH})"
    r"\s*(?:起|开始)?\s*(?:正式)?\s*(?:施行|实施|生效|执行|试行|起施行)"
)
_FROM_TO = re.compile(
    rf"(?:自|从)\s*(?P<date>{_DAY_OR_MONTH})\s*(?:起|开始)?\s*(?:至|到)\s*{_DAY_OR_MONTH}\s*(?:止|期间)?"
    r"\s*(?:正式)?\s*(?:施行|实施|生效|执行|试行|有效)"
)
_EFFECTIVE_STATED = re.compile(
    r"(?:施行|实施|生效|执行)(?:日期|时间)\s*[:：]?\s*(?P<date>(?:19|20)\d{2}\s?[年\-/.]\s?\d{1,2}"
    r"\s?[月\-/.]\s?\d{1,2})"
)
_ON_PUBLICATION = re.compile(r"自(?:公布|发布|印发|颁布)之日起(?:施行|实施|执行|生效|试行)")
_COMES_INTO_FORCE = re.compile(r"\s*(?:起|开始)?\s*(?:正式)?\s*(?:施行|实施|生效|执行|试行)")
_DAYS_AFTER = re.compile(
    r"自(?:公布|发布|印发|颁布)之日起\s*(?:满)?\s*(\d{1,3}|[一二三四五六七八九十]{1,3})\s*(?:个?自然)?日后?"
    r"(?:起)?(?:施行|实施|执行|生效)"
)
_EXPIRY_STATED = re.compile(
    r"^[\s>*·\-]*(?:有效期限?|失效日期|废止日期|截止日期|有效期至|有效期截止)\s*[:：]?\s*"
    rf"(?:[^，。；\n]{{0,25}}?[至到\-—~])?\s*(?P<date>{_DAY_OR_MONTH})",
    re.MULTILINE,
)
_UNTIL = re.compile(
    rf"(?:有效期|试行期|执行期|期限|施行|实施|执行|试行|有效|延长|顺延|延续)[^。；\n]{{0,30}}?"
    rf"(?:至|到|截至|截止于?)\s*(?P<date>{_DAY_OR_MONTH})"
    rf"|(?:至|到)\s*(?P<ending>{_DAY_OR_MONTH})\s*(?:止|为止|失效|废止|终止|自动失效)"
)
_VALID_FOR = re.compile(
    r"(?:有效期|试行期|试行)(?:限)?(?:为|是)?\s*([一二三四五六七八九十两\d]{1,2})\s*(年|个月)"
)
_OWN = re.compile(
    r"(?:本|该|此)(?:办法|规定|条例|细则|通知|公告|通告|意见|方案|规范|标准|规程|制度|规则|指南|政策"
    r"|文件|手册|章程|计划|须知|协议|合同|价格表|目录|清单)|施行|实施|执行|印发之日|发布之日|生效|试行"
)
"""Words by which a sentence speaks of the document itself rather than of a card or a contract."""
_HEAD_LINES, _TAIL_LINES = 12, 8
_MAX_LINE, _MAX_IMPRINT = 120, 60
"""Lines from the ends that may tell a date alone, and characters of the longest of them and
of "市政府办公室 2024年5月20日印发". Chosen by us."""
_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"○": 0, "零": 0, "O": 0, "两": 2}
_PASSED = re.compile(r"通过|公布|发布|修正|修订|批准|印发")


def western_dates(text: str) -> str:
    """`text` (in NFKC) with dates such as 二〇二四年五月一日 written in digits."""

    def digits(match: re.Match[str]) -> str:
        year, month = _number(match[1]), _number(match[2])
        return f"{year}年{month}月" + (f"{_number(match[3])}日" if match[3] else "")

    return _CHINESE_DATE.sub(digits, text)


def text_dates(head: str) -> list[date]:
    """Dates of the adoption and changes of the document, from lines of its head that speak
    of nothing else ("2014年7月31日 …会议通过")."""
    found: list[date] = []
    for line in head.split("\n")[:30]:
        line = line.strip(" ()（）")
        match = _DATE.match(line)
        if match and dates_another(line, 0, match.end()):
            continue
        if match and len(line) < 200 and _PASSED.search(line) and (day := _as_date(match)):
            found.append(day)
            # A second change in the same line; what it changed stands in 《》.
            rest = re.sub(r"《[^》]*》", "", line[match.end() :])
            found.extend(
                d
                for m in _DATE.finditer(rest)
                if not _COMES_INTO_FORCE.match(rest[m.end() :]) and (d := _as_date(m))
            )
    return found


def publish_date(head: str, tail: str, dates: list[date]) -> date | None:
    """The date that the document gives as its publication, last change or signature."""
    for match in _DATE.finditer(head):
        before, after = head[max(0, match.start() - 12) : match.start()], head[match.end() :][:6]
        start = head.rfind("\n", 0, match.start()) + 1
        line = head[start:].split("\n", 1)[0]
        stated = (
            _PUBLISHED.search(before)
            or _STATED_TIME.match(head[start : match.start()])
            or (_AFTER_PUBLISHED.match(after) and len(line) < 60)
        )
        other = dates_another(head, match.start(), match.end())
        if stated and not other and (day := _as_date(match)):
            return max([day, *dates])
    if dates:
        return max(dates)
    # A signature or a cover; then a line of the head that also tells number or source.
    first = [line.strip() for line in head.split("\n")[:_HEAD_LINES]]
    last = [line.strip() for line in tail.split("\n")[-_TAIL_LINES:]]
    for line in reversed((*first, *last)):
        whole = _DATE.fullmatch(line.strip("()（）"))
        if whole and (day := _as_date(whole)):
            return day
    for line in reversed(last):
        if day := _signed_day(line):
            return day
    return next((day for line in first if (day := _head_day(line))), None)


def _signed_day(line: str) -> date | None:
    """The date of a last line with who signed before it ("市水务局 2024年5月20日", "签订日期：…")
    or "印发" behind it."""
    for match in _DATE.finditer(line):
        before, after = line[: match.start()].rstrip(), line[match.end() :].strip(" ()（）")
        if _SIGNED_FIELD.search(line[: match.start()]):
            return _as_date(match)
        if (
            not after
            and re.fullmatch(r"[^\s，。；：:《》]{2,40}", before)
            and ends_like_a_body(before)
        ):
            return _as_date(match)
        if before and len(line) <= _MAX_IMPRINT and _PASSED.fullmatch(after):
            return _as_date(match)
    return None


def _head_day(line: str) -> date | None:
    """The date of a line that holds a document's number and date, or a byline."""
    if len(line) > _MAX_LINE:
        return None
    match = _DATE.search(line)
    if match is None:
        return None
    before, after = line[: match.start()].strip(" ()（）|｜"), line[match.end() :]
    if not before and (_BYLINE_REST.fullmatch(after) or _NEWS_LINE.fullmatch(after)):
        return _as_date(match)
    rest = f"{before}{after.strip(' ()（）|｜')}"
    alone = is_document_number(rest) or (not after.strip() and ends_like_a_body(before))
    return _as_date(match) if alone else None


def effective_date(text: str, dates: list[date], published: date | None) -> date | None:
    """The date from which the document applies; the last one that the text states for
    itself, because a quoted rule comes before the closing clause."""
    for stated in _EFFECTIVE_STATED.finditer(text[:3000]):
        if not dates_another(text, *stated.span()) and (day := _parsed(stated["date"])):
            return day
    own = [
        (match.start(), day)
        for pattern in (_EFFECTIVE, _FROM_TO)
        for match in pattern.finditer(text)
        if not of_another(text, *match.span()) and (day := _parsed(match["date"]))
    ]
    if own:
        return max(own)[1]
    later = _DAYS_AFTER.search(text[-1500:])
    if later and published and not dates[1:]:
        return published + timedelta(days=_number(later[1]))
    return published if _ON_PUBLICATION.search(text[-1500:]) and not dates[1:] else None


def expiry_date(text: str, start: date | None) -> date | None:
    """The last day on which the document applies, stated or by its years of validity.

    Validities of other things (a card, a contract) are passed over.

    Args:
        start: the day from which years of validity count.
    """
    stated = _EXPIRY_STATED.search(text)
    if stated and (day := _parsed(stated["date"], last=True)):
        return day
    found: list[date] = []
    for match in _UNTIL.finditer(text):
        if _speaks_of_itself(text, match) and (
            day := _parsed(match["date"] or match["ending"], last=True)
        ):
            found.append(day)
    if found:
        return found[-1]
    if start is None:
        return None
    for match in reversed(list(_VALID_FOR.finditer(text))):
        if _speaks_of_itself(text, match):
            return _months_after(start, _number(match[1]) * (12 if match[2] == "年" else 1))
    return None


def _speaks_of_itself(text: str, match: re.Match[str]) -> bool:
    """Whether the sentence around a validity is about the document that it stands in."""
    before = re.split(r"[。；\n]", text[max(0, match.start() - 120) : match.start()])[-1]
    after = re.split(r"[。；，\n]", text[match.end() : match.end() + 12])[0]
    sentence = before + match[0] + after
    return "《" not in before and _OWN.search(sentence) is not None


def _months_after(start: date, months: int) -> date:
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if start.day <= monthrange(year, month + 1)[1]:
        return date(year, month + 1, start.day)
    return date(year, month + 1, monthrange(year, month + 1)[1]) + timedelta(days=1)


def _parsed(text: str, *, last: bool = False) -> date | None:
    """A day, or the first (or last) day of a month."""
    match = _DATE.match(text)
    if match:
        return _as_date(match)
    month = _MONTH.match(text)
    if month is None or not 1 <= int(month[2]) <= 12:
        return None
    year, number = int(month[1]), int(month[2])
    return date(year, number, monthrange(year, number)[1] if last else 1)


def _as_date(match: re.Match[str]) -> date | None:
    try:
        return date(*(_number(part) for part in match.groups()))
    except ValueError:
        return None


def _number(text: str) -> int:
    if text.isdecimal() and text.isascii():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
    return int("".join(str(_DIGITS.get(c, 0)) for c in text))
