from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import paragraph, pdf, read, rows, texts, write
from ingest_pdf_inputs import SENTENCES, boxes, centred, prose, ruled, spaced, width, wrapped

from benchmarks import places
from rag.ingest.markdown import to_markdown
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_table_parts import parts_of
from rag.ingest.table import find_header
from rag.types import Document

HEADER = ["序号", "姓名", "部门", "金额（元）", "日期"]
WIDTHS = [50.0, 90.0, 110.0, 120.0, 110.0]


def staff(start: int, stop: int) -> list[list[str]]:
    return [
        [str(n), f"员工{n}", "研发部", f"{n * 1234:,}.50", f"2023-{n % 12 + 1:02d}-05"]
        for n in range(start, stop)
    ]


def bound(document: Document, header: list[str], row: list[str]) -> bool:
    """Whether a table with this header has this row."""
    return any(
        list(table[0]) == header and tuple(row) in table[1:] for table in rows(document) if table
    )


# --- Over page breaks ----------------------------------------------------------------


@pytest.mark.parametrize("repeated", [True, False])
@pytest.mark.parametrize("has_rules", [True, False])
def test_each_row_of_a_long_table_has_its_header(
    tmp_path: Path, repeated: bool, has_rules: bool
) -> None:
    def draw(number: int) -> Any:
        def paint(page: Any) -> None:
            write(page, 220, 36, "某某集团薪酬台账", 9)
            head = [HEADER] if repeated or number == 0 else []
            part = head + staff(number * 25, number * 25 + 25)
            if has_rules:
                ruled(page, 60, 70, WIDTHS, part)
            else:
                spaced(page, [60, 110, 200, 310, 430], 80, part, 20, 9)
            write(page, 280, 815, f"第{number + 1}页 共3页", 9)

        return paint

    document = read(pdf(tmp_path / "a.pdf", *map(draw, range(3))))
    for row in staff(0, 75):
        assert bound(document, HEADER, row)
    assert sum(list(row) == HEADER for table in rows(document) for row in table) == 3
    assert to_markdown(document).count("薪酬台账") == 1


def test_a_table_of_words_goes_on_too(tmp_path: Path) -> None:
    header = ["部门", "负责人", "办公地点"]
    first = [[f"第{n}工作组", f"{n}主任", f"{n}号楼"] for n in "一二三"]
    second = [[f"第{n}工作组", f"{n}主任", f"{n}号楼"] for n in "四五"]
    document = read(
        pdf(
            tmp_path / "a.pdf",
            lambda p: ruled(p, 72, 700, [120, 120, 120], [header, *first]),
            lambda p: ruled(p, 72, 60, [120, 120, 120], second),
        )
    )
    assert bound(document, header, second[0])


@pytest.mark.parametrize("caption", ["续表 1", "（续）", "续上表"])
def test_a_line_that_says_continued_may_stand_between(tmp_path: Path, caption: str) -> None:
    def second(page: Any) -> None:
        write(page, 72, 60, caption, 9)
        ruled(page, 72, 70, [150, 150], [["上海", "420"], ["杭州", "380"]])

    first = [["城市", "标准"], ["北京", "450"]]
    document = read(pdf(tmp_path / "a.pdf", lambda p: ruled(p, 72, 700, [150, 150], first), second))
    assert bound(document, ["城市", "标准"], ["上海", "420"])


def test_another_table_on_the_next_page_keeps_its_own_header(tmp_path: Path) -> None:
    income = [["项目", "本年", "上年"], ["营业收入", "1,200.5", "1,100.2"], ["其他", "3.0", "2.1"]]
    costs = [["科目", "预算", "决算"], ["人员经费", "800.0", "790.3"], ["公用经费", "12.0", "9.9"]]
    document = read(
        pdf(
            tmp_path / "a.pdf",
            lambda p: ruled(p, 72, 720, [150] * 3, income),
            lambda p: ruled(p, 72, 60, [150] * 3, costs),
        )
    )
    assert rows(document) == [[tuple(r) for r in income], [tuple(r) for r in costs]]


def test_a_row_cut_by_the_page_break_is_one_row(tmp_path: Path) -> None:
    header = ["条款", "内容", "责任单位"]
    begun = "建立联席会议制度，每季度召开一次工作例会，通报推进情况并研究"
    document = read(
        pdf(
            tmp_path / "a.pdf",
            lambda p: ruled(
                p,
                60,
                700,
                [80, 300, 90],
                [header, ["一", "落实保障", "财政局"], ["二", begun, "发改委"]],
            ),
            lambda p: ruled(
                p, 60, 60, [80, 300, 90], [["", "重大问题", ""], ["三", "加强宣传", "宣传部"]]
            ),
        )
    )
    assert bound(document, header, ["二", begun + "重大问题", "发改委"])
    assert bound(document, header, ["三", "加强宣传", "宣传部"])


def test_a_merged_label_cut_by_the_page_break_names_the_rows_behind_it(tmp_path: Path) -> None:
    xs = [72.0, 172, 322, 472]

    def first(page: Any) -> None:
        ys = [700.0 + 22 * n for n in range(6)]
        head = [(0, 1, 0, 1, "类别"), (0, 1, 1, 2, "项目"), (0, 1, 2, 3, "限额")]
        body = [(n, n + 1, 1, 2, f"项目{n}") for n in range(1, 5)]
        body += [(n, n + 1, 2, 3, f"{n}00") for n in range(1, 5)]
        boxes(page, xs, ys, [*head, (1, 3, 0, 1, "交通费"), (3, 5, 0, 1, "住宿费"), *body])

    def second(page: Any) -> None:
        ys = [60.0 + 22 * n for n in range(4)]
        body = [(n, n + 1, 1, 2, f"项目{n + 5}") for n in range(3)]
        body += [(n, n + 1, 2, 3, f"{n + 5}00") for n in range(3)]
        boxes(page, xs, ys, [(0, 2, 0, 1, ""), (2, 3, 0, 1, "伙食费"), *body])

    document = read(pdf(tmp_path / "a.pdf", first, second))
    header = ["类别", "项目", "限额"]
    assert bound(document, header, ["住宿费", "项目4", "400"])
    assert bound(document, header, ["住宿费", "项目6", "600"])
    assert bound(document, header, ["伙食费", "项目7", "700"])


def test_a_boxed_header_on_each_page_is_read_once(tmp_path: Path) -> None:
    def draw(number: int) -> Any:
        def paint(page: Any) -> None:
            control = [["采购控制程序", "文件编号：QM-07"], ["版本：A/2", f"第{number}页 共4页"]]
            ruled(page, 60, 30, [240, 240], control)
            prose(page, 60, 140, f"（{number}）{SENTENCES[number % 4]}", 480)

        return paint

    markdown = to_markdown(read(pdf(tmp_path / "a.pdf", *map(draw, range(1, 5)))))
    assert markdown.count("QM-07") == 1
    assert all(f"（{number}）" in markdown for number in range(1, 5))


def test_rows_that_repeat_on_each_page_are_no_header_of_the_page(tmp_path: Path) -> None:
    header = ["日期", "摘要", "借方", "贷方"]

    def draw(number: int) -> Any:
        def paint(page: Any) -> None:
            body = [
                [f"2024-0{number}-{n:02d}", f"支付货款{n}", f"{n}7.00", "-"] for n in range(1, 20)
            ]
            part = [header, ["2024-01-01", "承前页", "0.00", "0.00"], *body]
            spaced(page, [72, 190, 330, 430], 60, part, 22)

        return paint

    document = read(pdf(tmp_path / "a.pdf", *map(draw, range(1, 5))))
    assert to_markdown(document).count("承前页") == 4
    assert bound(document, header, ["2024-03-05", "支付货款5", "57.00", "-"])


# --- Headers -------------------------------------------------------------------------


def test_two_levels_of_names_become_one(tmp_path: Path) -> None:
    xs = [60.0, 150, 240, 330, 420, 510]
    names = [(0, 1, 0, 1, ""), (0, 1, 1, 3, "上半年"), (0, 1, 3, 5, "下半年")]
    names += [(1, 2, n, n + 1, t) for n, t in enumerate(["产品", "产量", "销量", "产量", "销量"])]
    values = [(2, 3, n, n + 1, t) for n, t in enumerate(["甲型", "100", "95", "120", "118"])]
    values += [(3, 4, n, n + 1, t) for n, t in enumerate(["乙型", "210", "205", "230", "221"])]
    draw = pdf(
        tmp_path / "a.pdf", lambda p: boxes(p, xs, [100, 124, 148, 172, 196], names + values)
    )
    header = ["产品", "上半年/产量", "上半年/销量", "下半年/产量", "下半年/销量"]
    assert bound(read(draw), header, ["乙型", "210", "205", "230", "221"])


def test_names_in_one_cell_over_several_columns_go_to_their_columns(tmp_path: Path) -> None:
    xs = [60.0, 160, 240, 320]

    def draw(page: Any) -> None:
        page.draw_rect((60, 100, 160, 140))
        page.draw_rect((160, 100, 320, 140))
        centred(page, 60, 160, 124, "地区")
        centred(page, 160, 320, 115, "枪支背景核查")
        centred(page, 160, 240, 132, "手枪类")
        centred(page, 240, 320, 132, "长枪类")
        for row, cells in enumerate([["东区", "12", "34"], ["西区", "56", "78"]]):
            for column, text in enumerate(cells):
                top = 140 + 20 * row
                page.draw_rect((xs[column], top, xs[column + 1], top + 20))
                write(page, xs[column] + 5, top + 14, text, 9)

    header = ["地区", "枪支背景核查/手枪类", "枪支背景核查/长枪类"]
    assert bound(read(pdf(tmp_path / "a.pdf", draw)), header, ["西区", "56", "78"])


def test_a_table_below_a_row_across_has_its_own_header() -> None:
    cells = [
        ["报告期末股东总数", "79,053", "优先股股东总数", "0"],
        ["前十名股东"] * 4,
        ["股东名称", "性质", "比例", "数量"],
        ["某某公司", "境外法人", "29.43%", "257,055"],
    ]
    table = FoundTable(
        (0, 0, 400, 80), cells, (0, 100, 200, 300, 400), across=[False, True] + [False] * 2
    )
    parts, header = parts_of(table, None)
    assert header is not None
    assert parts[0].text == "报告期末股东总数：79,053；优先股股东总数：0"
    assert parts[1].text == "前十名股东"
    assert parts[2].rows == (tuple(cells[2]), tuple(cells[3]))
    assert header.names == tuple(cells[2])


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ([["项目", "2023年", "2023年"], ["项目", "金额", "占比"], ["甲", "1", "2"]], (0, 2)),
        ([["项目", "2023年12月31日", "2022年12月31日"], ["甲", "1", "2"]], (0, 1)),
        ([["甲", "1.5", "2.5"], ["乙", "3.5", "4.5"]], None),
    ],
)
def test_the_header_is_told_by_its_cells(
    table: list[list[str]], found: tuple[int, int] | None
) -> None:
    assert find_header(table, [1] * len(table)) == found


# --- Without rules -------------------------------------------------------------------


def test_cells_that_wrap_belong_to_one_row(tmp_path: Path) -> None:
    header = ["岗位", "职责说明", "编制"]
    data = [
        ["综合岗", "负责公文流转、会议组织、印章管理以及办公室日常事务的协调", "3"],
        ["财务岗", "负责预算编制、资金支付、会计核算与国有资产登记管理", "2"],
        ["技术岗", "负责机房运维", "1"],
    ]

    def draw(page: Any) -> None:
        y = spaced(page, [60, 160, 420], 100, [header], 24)
        for label, text, count in data:
            lines = wrapped(text, 220, 10)
            spaced(page, [60, 160, 420], y, [[label, lines[0], count]])
            for number, line in enumerate(lines[1:], 1):
                write(page, 160, y + 14 * number, line, 10)
            y += 14 * len(lines) + 8

    (table,) = rows(read(pdf(tmp_path / "a.pdf", draw)))
    assert [list(row) for row in table] == [header, *data]


def test_labels_in_the_middle_of_their_rows(tmp_path: Path) -> None:
    header = ["环节", "办理内容", "时限"]
    data = [
        ["受理", "窗口对材料进行形式审查，材料不齐的一次性告知需要补正的内容", "一个工作日"],
        ["审查", "业务处室开展实质审查，必要时组织专家评审或者现场核查情况", "十个工作日"],
        ["决定", "分管领导签发决定文书，并且在当天通知申请人领取该决定文书", "两个工作日"],
    ]

    def draw(page: Any) -> None:
        y = spaced(page, [60, 160, 420], 100, [header], 24)
        for label, text, limit in data:
            upper, lower = wrapped(text, 200, 10)[:2]
            assert width(upper + lower, 10) >= width(text, 10) - 1
            write(page, 160, y, upper, 10)
            write(page, 60, y + 7.5, label, 10)
            write(page, 420, y + 7.5, limit, 10)
            write(page, 160, y + 15, lower, 10)
            y += 15 + 22

    (table,) = rows(read(pdf(tmp_path / "a.pdf", draw)))
    assert [list(row) for row in table] == [header, *data]


def test_numbers_at_the_right_and_empty_cells(tmp_path: Path) -> None:
    data = [
        ["项目", "本期金额", "上期金额"],
        ["一、营业收入", "1,234,567.89", "998,765.43"],
        ["减：营业成本", "765,432.10", "654,321.09"],
        ["加：营业外收入", "", "12.00"],
        ["三、利润总额", "467,901.79", "343,468.69"],
    ]

    def draw(page: Any) -> None:
        for number, row in enumerate(data):
            y = 100 + 20 * number
            write(page, 80, y, row[0], 10)
            for edge, text in ((380, row[1]), (500, row[2])):
                write(page, edge - width(text, 10), y, text, 10)

    assert rows(read(pdf(tmp_path / "a.pdf", draw))) == [[tuple(row) for row in data]]


def test_columns_that_nearly_touch(tmp_path: Path) -> None:
    data = [
        ["检测项目名称", "标准值", "实测值", "单项判定", "检测方法"],
        ["抗压强度", "≥30.0", "35.6", "合格", "GB/T 50081"],
        ["氯离子含量限值", "≤0.06", "0.021", "合格", "JGJ/T 322"],
        ["坍落度", "180", "175", "合格", "GB/T 50080"],
    ]
    path = pdf(tmp_path / "a.pdf", lambda p: spaced(p, [60, 150, 205, 262, 330], 100, data, 18, 9))
    assert rows(read(path)) == [[tuple(row) for row in data]]


@pytest.mark.parametrize("levels", [1, 2])
def test_three_rules_make_a_table(tmp_path: Path, levels: int) -> None:
    def draw(page: Any) -> None:
        prose(page, 72, 60, SENTENCES[0], 450)
        top, head = 110, 110 + 20 * levels
        for y in (top, head, head + 66):
            page.draw_line((72, y), (520, y))
        if levels == 2:
            page.draw_line((200, top + 20), (350, top + 20))
            centred(page, 200, 350, top + 14, "实验组")
        for x, text in ((110, "变量"), (235, "均值"), (315, "标准差"), (440, "备注说明")):
            centred(page, x - 40, x + 40, head - 6, text)
        for number, row in enumerate([("年龄", "34.5", "6.2"), ("血压", "121.3", "10.4")]):
            for x, text in zip((110, 235, 315), row, strict=True):
                centred(page, x - 40, x + 40, head + 20 + 20 * number, text)
            centred(page, 400, 480, head + 20 + 20 * number, "正常")
        prose(page, 72, head + 100, SENTENCES[1], 450)

    document = read(pdf(tmp_path / "a.pdf", draw))
    prefix = "实验组/" if levels == 2 else ""
    header = ["变量", f"{prefix}均值", f"{prefix}标准差", "备注说明"]
    assert bound(document, header, ["血压", "121.3", "10.4", "正常"])
    assert SENTENCES[0] in texts(document)
    assert SENTENCES[1] in texts(document)


def test_shaded_rows_are_no_rules(tmp_path: Path) -> None:
    data = [["型号", "功率", "价格"], ["KX-100", "1.5kW", "¥2,399"], ["KX-200", "2.2kW", "¥3,199"]]
    data += [["KX-300", "3.0kW", "¥4,599"], ["KX-400", "4.0kW", "¥5,999"]]

    def draw(page: Any) -> None:
        for number in (1, 3):
            for x in (72, 172, 272):
                top = 100 + 22 * number
                page.draw_rect((x, top, x + 100, top + 22), fill=(0.85, 0.9, 1), color=None)
        spaced(page, [80, 180, 280], 115, data, 22)

    assert rows(read(pdf(tmp_path / "a.pdf", draw))) == [[tuple(row) for row in data]]


@pytest.mark.parametrize(
    "lines",
    [
        [("甲方：某某科技有限公司", "乙方：某某实业有限公司"), ("法人：张三", "法人：李四")] * 2,
        [("1.", SENTENCES[0]), ("2.", SENTENCES[1]), ("3.", SENTENCES[2]), ("4.", SENTENCES[3])],
    ],
)
def test_forms_and_lists_are_no_tables(tmp_path: Path, lines: list[tuple[str, str]]) -> None:
    document = read(
        pdf(
            tmp_path / "a.pdf",
            lambda p: spaced(p, [72, 260 if "：" in lines[0][0] else 100], 100, lines),
        )
    )
    assert rows(document) == []
    assert all(cell in to_markdown(document) for line in lines for cell in line)


def test_exponents_stay_exponents(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        write(page, 72, 100, "建筑面积1200m", 10.5)
        end = 72 + width("建筑面积1200m", 10.5)
        write(page, end, 96, "2", 6.5)
        write(page, end + 4, 100, "，容积率不超过2.5。", 10.5)

    assert "1200m²，" in to_markdown(read(pdf(tmp_path / "a.pdf", draw)))


def test_a_table_that_lies_on_its_side(tmp_path: Path) -> None:
    data = [["线路", "起点", "长度"], ["一号线", "火车站", "35.2"], ["二号线", "大学城", "28.7"]]

    def draw(page: Any) -> None:
        for r, row in enumerate(data):
            for c, text in enumerate(row):
                x, y = 150 + r * 26, 760 - c * 120
                page.draw_rect((x - 18, y - 110, x + 8, y + 10))
                page.insert_text((x, y), text, fontsize=10, fontname="china-s", rotate=90)

    assert rows(read(pdf(tmp_path / "a.pdf", draw))) == [[tuple(row) for row in data]]


def test_a_sideways_label_in_an_upright_table(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        cells = [(0, 1, 0, 1, "部门"), (0, 1, 1, 2, "事项"), (0, 1, 2, 3, "时限"), (1, 3, 0, 1, "")]
        cells += [(1, 2, 1, 2, "受理"), (1, 2, 2, 3, "5日")]
        cells += [(2, 3, 1, 2, "审查"), (2, 3, 2, 3, "9日")]
        boxes(page, [72, 112, 212, 312], [100, 122, 172, 222], cells)
        page.insert_text((96, 190), "综合窗口", fontsize=10, fontname="china-s", rotate=90)

    (table,) = rows(read(pdf(tmp_path / "a.pdf", draw)))
    assert table[1:] == [("综合窗口", "受理", "5日"), ("综合窗口", "审查", "9日")]


# --- Real documents ------------------------------------------------------------------

FILES = places.DATA.parent / "cases" / "files"


def real(number: str) -> Document:
    found = sorted(FILES.glob(f"{number}_*.pdf"))
    if not found:
        pytest.skip("the public documents are not here")
    return read(found[0])


def test_a_real_report_binds_its_statements_to_their_headers() -> None:
    document = real("03")
    header = ["项目", "期末余额", "期初余额"]
    assert bound(document, header, ["持有至到期投资", "", ""])
    assert bound(document, header, ["未分配利润", "-2,038,791,290.11", "-2,034,142,303.59"])
    assert bound(
        document,
        ["项目", "本期发生额", "上期发生额"],
        ["1.重新计量设定受益计划净负债或净资产的变动", "", ""],
    )
    held = ["股东名称", "持有无限售条件股份数量", "股份种类", "股份种类/数量"]
    assert bound(document, held, ["史宇波", "3,992,100", "人民币普通股", "3,992,100"])


def test_a_real_sideways_table_has_all_its_names() -> None:
    names = [name.strip() for name in rows(real("32"))[0][0]]
    assert names[:4] == ["State / Territory", "Permit", "Handgun", "Long Gun"]
    assert "Pre-Pawn/Handgun" in names


def test_paragraph_below_a_table_is_no_row_of_it(tmp_path: Path) -> None:
    data = [["项目", "结果", "单位"], ["白细胞", "3.9", "E9/L"], ["血红蛋白", "159", "g/L"]]

    def draw(page: Any) -> None:
        y = spaced(page, [72, 182, 292], 100, data)
        paragraph(page, 72, y, ["建议与解释：无"], 10)

    document = read(pdf(tmp_path / "a.pdf", draw))
    assert rows(document) == [[tuple(row) for row in data]]
    assert texts(document)[-1] == "建议与解释：无"


def test_a_table_without_names_has_an_empty_header(tmp_path: Path) -> None:
    data = [["打印纸", "20", "400.00"], ["硒鼓", "5", "1,500.00"], ["墨盒", "9", "630.00"]]
    path = pdf(tmp_path / "a.pdf", lambda p: ruled(p, 72, 100, [120, 80, 80], data))
    assert rows(read(path)) == [[("", "", ""), *(tuple(row) for row in data)]]
