"""Tells apart what lines without sentence structure hold: several `key：value` pairs on one
line, forms whose labels and values stand side by side, and the turns of a conversation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag.answer.line_marks import INLINE_MARKER
from rag.text.sentences import split_sentences

_WORD = r"[^\s：:，。；、|*（(]"
_KEY = rf"(?:{_WORD}{{1,14}}[（(][^（）()\n]{{1,16}}[)）]{_WORD}{{0,8}}|[^\s：:，。；、|*]{{1,14}})"
PAIR = re.compile(
    rf"^\s*(?:[-*+•]\s+)?(?:\*\*)?({_KEY}(?: ?{_KEY})?)(?:\*\*)?\s*"
    r"(?:：|:(?!\d)|(?<!\d):)\s*(?:\*\*)?(?=\S)(?!//)"
)
_BORDER = re.compile(r"(?<!\d),\s*|,(?!\d)\s*|[，；;。]\s*|\s{2,}|\t|\u3000+|\s\|\s|\s+")
_SIMPLE_KEY = re.compile(r"[^\s：:，,。；;、|*]{1,12}[：:]\s*(?=[^\s/])")
SHORT_VALUE = 32
"""Characters up to which two values on one line are fields rather than prose; chosen by us."""
_PROSE = re.compile(r"[。！？!?]\s*\S|，[^，]*，")

_LABEL = re.compile(
    r"(?:姓\s*名|名\s*称|性\s*别|年\s*龄|民\s*族|籍\s*贯|学\s*历|学\s*位|专\s*业|院\s*校|单\s*位|部\s*门|职\s*[务位称业]|岗\s*位|"
    r"工\s*号|编\s*号|[号编]\s*码|证\s*号|订单号|单\s*号|账\s*号|卡\s*号|文\s*号|电\s*话|手\s*机|邮\s*箱|邮\s*编|传\s*真|微\s*信|地\s*址|住\s*址|"
    r"日\s*期|时\s*间|年\s*月|生\s*日|地\s*点|期\s*限|有效期|金\s*额|单\s*价|数\s*量|规\s*格|型\s*号|品\s*牌|产\s*地|币\s*种|方\s*式|"
    r"[^\s]人(?:员)?|代\s*表|状\s*况|面\s*貌|类\s*[型别]|等\s*级|级\s*别|经\s*历|备\s*注|用\s*途|原\s*因|事\s*由|仓\s*库|供应商|客\s*户|"
    r"开户行|银\s*行|税\s*号|[甲乙丙]\s*方|现居地|身\s*高|体\s*重|血\s*型|科\s*室|床\s*号|诊\s*断|车牌号?|里\s*程|颜\s*色|面\s*积|[^\s]{1,4}率|[^\s]{1,4}额)"
    r"(?:\s*[（(][^（）()]{1,10}[)）])?\s*[:：]?$"
)
"""Names that fields of forms end in; chosen by us from forms of offices, clinics and shops."""
LABELS = 0.6
"""Share of a form's label cells that must look like labels, and VALUES the most of its others."""
VALUES = 0.25
LONGEST_LABEL = 14

_ENDED = re.compile(r"[。！？](?![”’」』）)\"'\s])")
_QUOTED = re.compile("[“「『]")
LONGEST_JOINED = 140
"""Characters up to which parts joined by semicolons stay one piece; chosen by us."""

LEAST_TURNS = 4
"""Lines with speakers from which a text is a conversation; chosen by us."""
_ASKS = re.compile(r"[？?][”\"』」）)]?\s*$")


class Field(NamedTuple):
    """A field of a form: `key` and `value` as written, which stand in `text[start:end]`."""

    key: str
    value: str
    start: int
    end: int


def pairs(line: str) -> Iterator[tuple[int, int]]:
    """Split a line of several `key：value` parts; any other line stays whole.

    Two parts need short values, three any; commas inside numbers (1,234.50) part nothing, and
    single spaces only before a key that has none itself; brackets hold no parts.
    """
    borders = [0]
    for match in _BORDER.finditer(line):
        if _in_brackets(line[: match.end()]) or line[match.end() :].startswith(("（", "(")):
            continue
        single = match.group() == " "
        rest = line[match.end() :]
        key = _SIMPLE_KEY.match(rest) if single else PAIR.match(rest)
        if (
            key
            and match.end() > borders[-1]
            and not (single and _unfinished(line[: match.start()]))
        ):
            borders.append(match.end())
    parts = list(zip(borders, [*borders[1:], len(line)], strict=True))
    two = len(parts) == 2 and not all(_is_short(line[low:high]) for low, high in parts)
    if len(parts) < 2 or two or not PAIR.match(line):
        yield 0, len(line)
        return
    yield from parts


def _in_brackets(before: str) -> bool:
    """Whether a place lies inside brackets: （学名：…，英文：…） are no fields of a record."""
    return before.count("（") > before.count("）") or before.count("(") > before.count(")")


def is_label(cell: str) -> bool:
    """Whether a cell reads like the name of a form's field (姓名, 联系电话, 甲方（用人单位）)."""
    text = cell.strip().rstrip(":：")
    return 0 < len(text) <= LONGEST_LABEL and bool(_LABEL.search(text))


def is_form(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the rows of a table are label, value, label, value instead of columns.

    Args:
        rows: all rows with the one that stands as header, each as its cells. An empty header
            says nothing and is left out.
    """
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if not filled or any(len(row) % 2 for row in filled) or len(filled[0]) < 2:
        return False
    labels = [cell for row in filled for cell in row[::2] if cell.strip()]
    values = [cell for row in filled for cell in row[1::2] if cell.strip()]
    if not labels or not values:
        return False
    empty_header = len(filled) < len(rows)
    if len(filled[0]) == 2 and not empty_header:
        return False
    named = sum(map(is_label, labels)) / len(labels)
    wrong = sum(map(is_label, values)) / len(values)
    return named >= (0.5 if empty_header else LABELS) and wrong <= VALUES


def tight(label: str) -> str:
    """A label without the spaces that spread it and without its colon (姓 名 is 姓名)."""
    return re.sub(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])", "", label.strip().rstrip(":："))


def alternating(line: str) -> list[Field]:
    """The fields of a line that joins labels and values alike: 订单号；A-1；日期；5月2日."""
    parts = [(m.start(), m.end()) for m in re.finditer(r"[^；;]+", line)]
    texts = [line[low:high].strip() for low, high in parts]
    if len(texts) < 4 or len(texts) % 2 or not is_form([texts]):
        return []
    if any("：" in text or ":" in text for text in texts[::2]):
        return []
    return [
        Field(texts[i], texts[i + 1], parts[i][0], parts[i + 1][1]) for i in range(0, len(texts), 2)
    ]


def speakers(text: str) -> frozenset[str]:
    """The names in front of the lines of a conversation; empty where there is none.

    At least two speak, one of them twice or more, and a question is among what they say.
    """
    said: list[tuple[str, str]] = []
    for line in text.split("\n"):
        key = PAIR.match(line)
        if key and len(key.group(1)) <= 8:
            said.append((key.group(1), line[key.end() :]))
    counts = Counter(name for name, _ in said)
    often = {name for name, count in counts.items() if count >= 2}
    turns = [(name, words) for name, words in said if name in often]
    asked = any(_ASKS.search(words) for _, words in turns)
    if len(often) < 2 or len(turns) < LEAST_TURNS or not asked:
        return frozenset()
    return frozenset(often)


def asks(turn: str) -> bool:
    """Whether a turn of a conversation ends as a question."""
    return bool(_ASKS.search(turn))


def parts_of(text: str) -> Iterator[tuple[int, int]]:
    """Sentences of a line, cut again at enumeration marks inside it.

    Short parts that a semicolon joins stay together: 满1年的5天；满10年的10天 is one statement.
    """
    start: int | None = None
    spans = split_sentences(text)
    for index, span in enumerate(spans):
        start = span.start if start is None else start
        goes_on = span.text.endswith(("；", ";")) and index + 1 < len(spans)
        if goes_on and spans[index + 1].end - start <= LONGEST_JOINED:
            continue
        for match in INLINE_MARKER.finditer(text, start, span.end):
            if text[start : match.start()].strip():
                yield start, match.start()
                start = match.start()
        yield from _unquoted(text, start, span.end)
        start = None


def _unquoted(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of a span that a stray quotation mark (', ") holds together."""
    said = text[start:end]
    if ("'" in said or '"' in said) and not _QUOTED.search(said):
        for match in _ENDED.finditer(text, start, end - 1):
            yield start, match.end()
            start = match.end()
    yield start, end


def _is_short(part: str) -> bool:
    key = PAIR.match(part)
    value = part[key.end() :].strip() if key else part
    return bool(key) and len(value) <= SHORT_VALUE and not _PROSE.search(value)


def _unfinished(before: str) -> bool:
    """Whether words before a space still wait for a value (a key that is two words)."""
    return before.rstrip().endswith(("：", ":"))
