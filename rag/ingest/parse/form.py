"""Forms: grids in which labels stand beside their values rather than above them.

A registration sheet, an approval form or the head of a test report has no header row; taking
its first row for one binds every value to the wrong name. Each label is written with its own
value ("姓名：张三"); tables inside a form stay tables. Part of parse, for all formats.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rag.ingest.table import is_value, looks_like_header, to_markdown
from rag.types import Block

_LABEL = 14
_MIN_ROWS = 2
_MAX_ROWS = 120
_DISTINCT = 0.85
_NAMED = 0.5
_MAX_NAMED_VALUES = 0.25
"""Characters of a label; rows of labels and values that a form has at least, and rows
at most; the share of its
labels that are different, the share of them (below the first row) that are usual names of
fields, and the largest share of values that are. Chosen by us."""

_FIELD = re.compile(
    r".*(?:姓名|名称|性别|民族|籍贯|年龄|学历|学位|专业|政治面貌|婚姻状况|婚否|身高|体重|血型|职务|职称"
    r"|职业|工种|岗位|部门|科室|单位|厂家|厂商|地址|住址|住所|地点|位置|邮编|邮政编码|邮箱|电话|手机|传真"
    r"|联系人|联系方式|日期|时间|年月|期限|有效期|试用期|保质期|工期|编号|号码|证号|工号|学号|文号|单号|批号"
    r"|型号|税号|账号|帐号|车号|代码|规格(?:型号)?|品牌|商标|类别|类型|种类|等级|级别|等级|数量|金额|价格|总价"
    r"|造价|面积|产地|依据|结论|意见|原因|事由|事项|内容|说明|备注|状态|来源|用途|范围|代表人|负责人|经办人"
    r"|申请人|审核人?|批准人?|检验员|检验人|签字|签名|签章|盖章|开户行|开户银行|网址|方式|要求|情况|特长|简历"
    r"|经历|目的|天数|工龄|温度|湿度|理由|措施|主题|主持人|记录人|参加人员|出席人员|职责|任务|领取人|发放人"
    r"|客户|学校|院校|班级|关系|兴趣爱好|爱好|健康状况|出生|证件|户口|户籍|样品|检验类别|委托方?|受检方|购买方|销售方"
    r"|甲方|乙方|收款人|付款人|复核人?|开票人|供应商|承运人|发货人|收货人|司机)"
)
_HEADER_WORD = re.compile(r"内容|值|数值|参数值?|说明|要求|结果|备注|信息|数据|描述|详情|含义|类型")
_COUNTED = re.compile(r"序号|编号|项目|No\.?|#|年度|月份|名次", re.IGNORECASE)
"""Names of fields; names of a table's second column; names of a table's first column."""

Grid = Sequence[Sequence[str]]


class _Cell(NamedTuple):
    """A cell of its own: the column in which it begins, and its text on one line."""

    start: int
    text: str


_Row = list[_Cell]


def form_blocks(
    grid: Grid,
    *,
    starts: Sequence[Sequence[int]] | None = None,
    sure: bool = False,
    page: int = 1,
) -> list[Block]:
    """The blocks of a form: lists of "label：value" lines, tables and titles in its order;
    none when the grid is no form.

    Args:
        grid: the cells with merged ones filled; all rows equally long.
        starts: for each row the columns in which its own cells begin; without it neighbours
            that are the same are one cell.
        sure: the caller knows by the cells' widths that it has no header.
        page: the number that the blocks get.
    """
    rows = [
        _own(cells, starts[number] if starts is not None else None)
        for number, cells in enumerate(grid)
    ]
    if not _is_form(rows, sure=sure):
        return []
    found: list[Block] = []
    lines: list[str] = []

    def close() -> None:
        if lines:
            text = "\n".join(f"- {line}" for line in lines)
            found.append(Block(kind="list", text=text, page=page, metadata={"form": True}))
        lines.clear()

    index = 0
    while index < len(rows):
        row = rows[index]
        end = _end_of_group(rows, index)
        first = 1 if end > index + 1 else 0
        table = _end_of_table(rows, index, first, end if first else len(rows))
        if not row:
            index += 1
        elif table > index:
            title = row[0].text.rstrip("：:") if first else ""
            close()
            if title:
                found.append(Block(kind="paragraph", text=f"{title}：", page=page))
            found.append(_table(grid[index:table], row[first:], page))
            index = table
        elif len(row) == 1 and not _is_pairs(row):
            close()
            found.append(Block(kind="paragraph", text=row[0].text, page=page))
            index += 1
        else:
            above = rows[index - 1] if index else []
            own = [c for c in row if c not in above or c.start == 0 or c is not row[-1]]
            for line in (row, *rows[index + 1 : end]) if first else (own,):
                lines.extend(_pairs(line, grouped=bool(first)))
            index = end if first else index + 1
    close()
    return found


def _own(cells: Sequence[str], starts: Sequence[int] | None) -> _Row:
    """The row's own cells, without empty ones at its end."""
    row: _Row = []
    if starts is not None:
        row = [_Cell(start, _flat(cells[start])) for start in starts if start < len(cells)]
    else:
        start = 0
        for text, same in groupby(map(_flat, cells)):
            width = len(list(same))
            row.extend(_Cell(start + i, text) for i in range(1 if text else width))
            start += width
    while row and not row[-1].text:
        row.pop()
    return row


def _flat(text: str) -> str:
    return " ".join(text.split())


def _is_form(rows: Sequence[_Row], *, sure: bool) -> bool:
    if len(rows) > _MAX_ROWS or _is_merged_header(rows):
        return False
    pairs, others = _loose(rows)
    if len(pairs) < _MIN_ROWS or len(others) > len(pairs):
        return False
    first = next(row for row in rows if len(row) > 1)
    if first is not pairs[0] or _is_header(first):
        return False
    if sure:
        return True
    labels = list({cell for row in pairs for cell in row[::2]})
    values = [cell.text for row in pairs for cell in row[1::2] if cell.text]
    if len({cell.text for cell in labels}) < _DISTINCT * len(labels):
        return False
    later = [cell.text for row in pairs[1:] for cell in row[::2]]
    named = sum(map(_is_field, later))
    if sum(map(_is_field, values)) > _MAX_NAMED_VALUES * len(values):
        return False
    if named >= _NAMED * len(later) and _is_field(first[0].text) + named >= _MIN_ROWS:
        return True
    return _has_mixed_values(pairs)


def _is_merged_header(rows: Sequence[_Row]) -> bool:
    """Whether the first name of a first row without a group's label reaches down."""
    full = [row for row in rows if len(row) > 1][:2]
    return len(full) == 2 and len(full[0]) % 2 == 0 and full[0][0] == full[1][0]


def _loose(rows: Sequence[_Row]) -> tuple[list[_Row], list[_Row]]:
    """The rows of labels and values, and the other ones, outside of tables and groups."""
    pairs: list[_Row] = []
    others: list[_Row] = []
    index = 0
    while index < len(rows):
        group = _end_of_group(rows, index)
        first = 1 if group > index + 1 else 0
        table = _end_of_table(rows, index, first, group if first else len(rows))
        if pairs and max(group if first else 0, table) > index:
            index = max(group if first else 0, table)
            continue
        if _is_pairs(rows[index]):
            pairs.append(rows[index])
        elif len(rows[index]) > 1:
            others.append(rows[index])
        index += 1
    return pairs, others


def _has_mixed_values(pairs: Sequence[_Row]) -> bool:
    """Whether values of several kinds stand below each other and the first row has numbers,
    which no header has; for two pairs in a row at least."""
    if not all(len(row) > 3 for row in pairs[:_MIN_ROWS]):
        return False
    if not any(map(_has_digit, (cell.text for cell in pairs[0][1::2]))):
        return False
    if any(_has_digit(cell.text) for row in pairs for cell in row[::2]):
        return False
    columns: dict[int, set[bool]] = {}
    for row in pairs:
        for cell in row[1::2]:
            if cell.text:
                columns.setdefault(cell.start, set()).add(_has_digit(cell.text))
    return 2 * sum(len(kinds) > 1 for kinds in columns.values()) >= len(columns)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _is_pairs(row: _Row) -> bool:
    """Whether labels and values take turns in the row; the last value may be empty."""
    if len(row) == 1:
        return row[0].start == 0 and _is_field(row[0].text)
    return bool(row) and all(_is_label(cell.text) for cell in row[::2])


def _is_label(text: str) -> bool:
    name = text.rstrip("：: ")
    return 0 < len(name) <= _LABEL and not is_value(name) and any(map(str.isalpha, name))


def _is_field(text: str) -> bool:
    """Whether a text is the name of a field, not a sentence or a name that ends like one."""
    # Fonts give letters as radicals and compatibility forms.
    name = re.sub(r"\([^()]*\)|[\s:*]", "", unicodedata.normalize("NFKC", text))
    return 1 < len(name) <= _LABEL and bool(_FIELD.fullmatch(name))


def _is_header(row: _Row) -> bool:
    """Whether a row of pairs may as well name columns: its values are names of fields too."""
    values = [cell.text for cell in row[1::2] if cell.text]
    if not values:
        return False
    if len(row) % 2:
        return sum(_is_field(cell.text) for cell in row) >= 0.6 * len(row)
    named = sum(_is_field(text) or bool(_HEADER_WORD.fullmatch(text)) for text in values)
    return 2 * named >= len(values) or bool(_COUNTED.fullmatch(row[0].text))


def _end_of_group(rows: Sequence[_Row], index: int) -> int:
    """The row behind those that share a label at their left, merged over them."""
    row = rows[index]
    end = index + 1
    if len(row) > 2 and row[0].start == 0 and _is_label(row[0].text):
        while end < len(rows) and len(rows[end]) > 2 and rows[end][0] == row[0]:
            end += 1
    return end


def _end_of_table(rows: Sequence[_Row], index: int, first: int, stop: int) -> int:
    """The row behind a table that begins here with its header; `index` when none does.

    Args:
        first: cells at the left that label the whole table.
        stop: the row that cannot belong to it.
    """
    header = rows[index][first:]
    names = [cell.text for cell in header]
    if len(header) < 3 - (first > 0) or not looks_like_header(names) or not all(names):
        return index
    starts = [cell.start for cell in header]
    below = rows[index + 1][first:] if index + 1 < stop else []
    counted = bool(_COUNTED.fullmatch(names[0])) or (bool(below) and is_value(below[0].text))
    if not _is_header(header) and not (counted and _keeps_to(below, starts)):
        return index
    end = index + 1
    while end < stop and _keeps_to(rows[end][first:], starts):
        if len(header) % 2 == 0 and not first and _is_form_row(rows[end]):
            break
        end += 1
    return end if end > index + 1 else index


def _keeps_to(row: _Row, starts: Sequence[int]) -> bool:
    """Whether the row's cells begin where those of a header do; one cell alone is a note."""
    filled = [cell.start for cell in row if cell.text]
    return len(filled) > 1 and set(filled) <= set(starts) and row[0].start == starts[0]


def _is_form_row(row: _Row) -> bool:
    return _is_pairs(row) and all(_is_field(cell.text) for cell in row[::2])


def _table(grid: Grid, header: _Row, page: int) -> Block:
    starts = [cell.start for cell in header]
    rows = tuple(
        tuple(_flat(cells[start]) if start < len(cells) else "" for start in starts)
        for cells in grid
    )
    return Block(kind="table", text=to_markdown(rows), rows=rows, page=page)


def _pairs(row: _Row, *, grouped: bool) -> Iterator[str]:
    """The row's labels with their values; a label of the whole row stands before each."""
    group = ""
    odd = len(row) % 2 and len(row) > 2 and _is_field(row[1].text) and not _is_field(row[2].text)
    if grouped or odd:
        group, row = f"{row[0].text.rstrip('：: ')} ", row[1:]
    texts = [cell.text for cell in row]
    texts += [""] * (len(texts) % 2)
    for label, value in zip(texts[::2], texts[1::2], strict=True):
        name = _closed(label.rstrip("：: "))
        if name and (value or _is_field(name)):
            yield f"{group}{name}：{value}"
        elif name or value:
            yield f"{group}{name or value}"


def _closed(label: str) -> str:
    """A label whose letters are spread over its cell ("姓  名") as a word."""
    return (
        label.replace(" ", "")
        if re.fullmatch(r"[\u4e00-\u9fff](?: [\u4e00-\u9fff])+", label)
        else label
    )
