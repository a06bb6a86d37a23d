from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import pdf, read, rows, texts, write
from ingest_pdf_inputs import boxes, spaced, width, wrapped

ITEM_NAMES = ["序号", "名称", "规格", "单位", "数量", "金额"]
ITEMS = [
    ["1", "球阀", "DN50", "只", "12", "2220.00"],
    ["2", "控制柜（含安装调试服务）", "KZ-3", "台", "1", "18600.00"],
    ["3", "垫片", "F80", "片", "200", "240.00"],
]
ITEM_EDGES = [40.0, 80.0, 190.0, 270.0, 330.0, 410.0, 540.0]


def items(page: Any, y: float) -> float:
    """Names and items, the long name on two lines, without any rules."""
    for number, cells in enumerate([ITEM_NAMES, *ITEMS]):
        lines = [wrapped(text, 90, 9) for text in cells]
        for edge, following, parts in zip(ITEM_EDGES, ITEM_EDGES[1:], lines, strict=False):
            for k, part in enumerate(parts):
                place = edge + 5 if number else (edge + following - width(part, 9)) / 2
                write(page, place, y + 12 * k, part, 9)
        y += 12 * max(map(len, lines)) + 6
    return y


@pytest.mark.parametrize("across", [(), (100, 300), (100, 120, 300)])
@pytest.mark.parametrize("down", [True, False])
def test_rows_without_rules_between_them_are_told_by_their_lines(
    tmp_path: Path, across: tuple[int, ...], down: bool
) -> None:
    """Orders with columns ruled or not, in a frame or not, the header ruled off or not."""

    def draw(page: Any) -> None:
        write(page, 220, 60, "采购订单", 18)
        for y in across:
            page.draw_line((40, y), (540, y))
        for x in ITEM_EDGES if down else ITEM_EDGES[:1] + ITEM_EDGES[-1:]:
            if down or across:
                page.draw_line((x, 100), (x, 300))
        items(page, 114)

    document = read(pdf(tmp_path / "a.pdf", draw))
    assert rows(document) == [[tuple(row) for row in [ITEM_NAMES, *ITEMS]]]


def test_an_invoice_has_its_items_total_and_labels(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.draw_rect((40, 60, 560, 340))
        for y in (120, 280, 300):
            page.draw_line((40, y), (560, y))
        for x in (60, 300, 320):
            page.draw_line((x, 60), (x, 120))
        for number, letter in enumerate("购买方"):
            write(page, 46, 76 + 16 * number, letter, 9)
        for number, letter in enumerate("销售方"):
            write(page, 306, 76 + 16 * number, letter, 9)
        write(page, 66, 80, "名称：甲辰传媒有限公司", 9)
        write(page, 66, 105, "税号：91310115MA1K4B", 9)
        write(page, 326, 80, "名称：乙巳办公用品商行", 9)
        write(page, 326, 105, "税号：92310115MA1K9X", 9)
        items(page, 136)
        write(page, 90, 270, "合", 9)
        write(page, 130, 270, "计", 9)
        write(page, 415, 270, "21060.00", 9)
        write(page, 70, 293, "价税合计（大写）", 9)
        write(page, 200, 293, "贰万壹仟零陆拾圆整", 9)
        write(page, 400, 293, "（小写）21060.00", 9)
        write(page, 46, 314, "备", 8)
        write(page, 46, 326, "注", 8)
        write(page, 70, 319, "订单号：PO-778812", 9)

    document = read(pdf(tmp_path / "a.pdf", draw))
    total = ("", "合计", "", "", "", "21060.00")
    assert rows(document) == [[*(tuple(row) for row in [ITEM_NAMES, *ITEMS]), total]]
    assert [text for text in texts(document) if "|" not in text] == [
        "购买方：名称：甲辰传媒有限公司 税号：91310115MA1K4B",
        "销售方：名称：乙巳办公用品商行 税号：92310115MA1K9X",
        "价税合计（大写） 贰万壹仟零陆拾圆整 （小写）21060.00",
        "备注 订单号：PO-778812",
    ]


def test_letters_below_each_other_in_a_column_stay_cells(tmp_path: Path) -> None:
    data = [["姓名", "性别", "年龄"], ["张三", "男", "31"], ["李四", "女", "28"]]

    def draw(page: Any) -> None:
        assert spaced(page, [80, 200, 300], 100, data, 14)

    assert rows(read(pdf(tmp_path / "a.pdf", draw))) == [[tuple(row) for row in data]]


def test_a_merged_cell_of_long_text_is_one_row(tmp_path: Path) -> None:
    long = "股东通过证券公司客户信用交易担保证券账户持有股份，其余股东未参与。" * 2

    def draw(page: Any) -> None:
        xs, ys = [60, 160, 260, 360, 520], [90, 110, 130, 200]
        head, body = ["名称", "性质", "比例", "数量"], ["某公司", "法人", "29.43%", "257055"]
        cells = [(r, r + 1, c, c + 1, t) for r, row in enumerate((head, body))
                 for c, t in enumerate(row)]  # fmt: skip
        boxes(page, xs, ys, [*cells, (2, 3, 0, 1, "情况说明"), (2, 3, 1, 4, "")])
        for number, line in enumerate(wrapped(long, 340, 9)):
            write(page, 164, 145 + 12 * number, line, 9)

    (table,) = rows(read(pdf(tmp_path / "a.pdf", draw)))
    assert len(table) == 3
    assert table[2][:2] == ("情况说明", long)
