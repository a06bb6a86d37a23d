from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.clean import clean, clean_text
from rag.ingest.clean_adverts import is_advert
from rag.ingest.clean_mojibake import repair
from rag.ingest.clean_running import Said, is_page_number
from rag.ingest.formats import PPTX
from rag.ingest.lines import join_lines, join_wrapped, wrap_width
from rag.types import Block, Document, Page

SENTENCE = "本公司员工年假为十天，病假按国家规定执行。"
TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "年假十天员工甲乙 　\n\t，。：A1b2-⽂⻔ＡＢ①\u200b\u00ad\x08\ue000\uf0b7锟斤拷"
        ),
        st.characters(codec="utf-8"),
    )
)


def told(text: str) -> str:
    """What a text says: its letters and digits."""
    return "".join(c for c in text if c.isalnum())


def paged(*pages: tuple[Block, ...], media_type: str = "application/pdf") -> Document:
    numbered = tuple(
        Page(
            number=n,
            height=800,
            width=600,
            blocks=tuple(b.model_copy(update={"page": n}) for b in p),
        )
        for n, p in enumerate(pages, start=1)
    )
    return Document(name="a", media_type=media_type, pages=numbered)


def block(text: str, y: float = 400, kind: str = "paragraph", **values: object) -> Block:
    return Block(kind=kind, text=text, bbox=(50, y, 300, y + 12), **values)


@given(TEXTS)
def test_cleaning_loses_no_letter_or_digit_and_keeps_their_order(text: str) -> None:
    assert told(clean_text(text)) == told(text)


@given(TEXTS)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once


@given(TEXTS)
def test_no_control_or_invisible_character_is_left(text: str) -> None:
    assert not set(clean_text(text)) & set("\x00\x08\r\x0b\x0c\u200b\u00ad\ufeff\u2028")


@given(st.lists(TEXTS.filter(str.strip), max_size=6))
def test_blocks_keep_their_letters_order_and_kinds(texts: list[str]) -> None:
    blocks = tuple(Block(kind="paragraph", text=text) for text in texts)
    cleaned = clean(
        Document(name="a", media_type="application/pdf", pages=(Page(number=1, blocks=blocks),))
    )
    before = "".join(told(repair(text).text) for text in texts)
    assert "".join(told(b.text) for b in cleaned.blocks) == before


@given(st.text(alphabet="年假十天员工病按国家规定执行公司，。", min_size=1))
def test_sound_chinese_is_never_repaired(text: str) -> None:
    assert repair(text).text == text


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x24F)))
def test_western_text_is_repaired_only_to_chinese_or_signs(text: str) -> None:
    mended = repair(text)
    if mended.repaired:
        assert any(ord(c) > 0x7FF for c in mended.text)


@pytest.mark.parametrize(
    "broken",
    [
        SENTENCE.encode().decode("latin-1"),
        SENTENCE.encode("gbk").decode("latin-1"),
        "我们".encode().decode("gbk"),
        "“引号”——".encode().decode("latin-1"),
    ],
)
def test_a_wrong_decoding_is_undone_where_that_is_certain(broken: str) -> None:
    mended = repair(broken)
    assert mended.text in (SENTENCE, "我们", "“引号”——")
    assert mended.repaired


def test_what_is_lost_is_flagged_and_not_guessed() -> None:
    document = clean(paged((block("合同锟斤拷锟斤拷条款"),)))
    assert document.blocks[0].text == "合同锟斤拷锟斤拷条款"
    assert "lost_text" in document.flags


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("中 华 人 民 共 和 国", "中华人民共和国"),
        ("索 引 号：001", "索引号：001"),
        ("甲 乙 丙 丁", "甲 乙 丙 丁"),
        ("张 三 李四", "张 三 李四"),
        ("N O T I C E", "NOTICE"),
        ("答案：A B C D E", "答案：A B C D E"),
        ("⽂⻔ ＡＢＣ－１２３", "⽂⻔ ＡＢＣ－１２３"),
        ("\uf0b7 第一项", "• 第一项"),
        ("2024\u00a0年  3 月", "2024 年 3 月"),
    ],
)
def test_spacing_is_undone_and_signs_are_kept(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


def test_headers_and_page_numbers_of_recognised_pages_go() -> None:
    document = clean(
        paged(
            *(
                (block("第一篇 商品", 20), block(f"第{n}段的内容。"), block(f"{n + 10}", 770))
                for n in range(1, 6)
            )
        )
    )
    sentences = [f"第{n}段的内容。" for n in range(1, 6)]
    assert [b.text for b in document.blocks] == ["第一篇 商品", *sentences]
    assert "header_footer" in document.flags


def test_headers_that_the_document_says_elsewhere_go_altogether() -> None:
    title = block("第一篇商品", 100, "heading", level=1)
    pages: list[tuple[Block, ...]]
    pages = [(block("第一篇 商品", 20), block(f"第{n}段的内容。")) for n in range(1, 6)]
    pages[0] = (pages[0][0], title, *pages[0][1:])
    assert [b.text for b in clean(paged(*pages)).blocks][:2] == ["第一篇商品", "第1段的内容。"]


def test_a_header_that_is_read_differently_on_two_recognised_pages_is_one() -> None:
    document = paged(
        (block("编号：HZ-05 机械租赁公司", 20), block("第一条 租期一年。")),
        (block("编号：HZ-05 机诚租赁公司", 24), block("第二条 租金每月一万元。")),
    )
    pages = tuple(p.model_copy(update={"confidence": 0.9}) for p in document.pages)
    told = [b.text for b in clean(document.model_copy(update={"pages": pages})).blocks]
    assert told == ["编号：HZ-05 机械租赁公司", "第一条 租期一年。", "第二条 租金每月一万元。"]


@pytest.mark.parametrize(
    "lines",
    [
        ["图1 现场照片", "图2 现场照片", "图3 现场照片", "图4 现场照片"],
        ["表2 检测结果", "表3 检测结果", "表4 检测结果", "表5 检测结果"],
        ["续表一 明细", "续表二 明细", "续表三 明细", "续表四 明细"],
        ["本页小计：1,200.00", "本页小计：980.50", "本页小计：77.10", "本页小计：3.00"],
        ["日期：2025年3月1日", "日期：2025年3月2日", "日期：2025年3月3日", "日期：2025年3月4日"],
        ["日期：2025-03-01", "日期：2025-03-02", "日期：2025-03-03", "日期：2025-03-04"],
    ],
)
def test_lines_that_differ_by_what_they_tell_stay(lines: list[str]) -> None:
    document = clean(
        paged(*((block(f"照片说明{n}"), block(line, 770)) for n, line in enumerate(lines)))
    )
    assert [b.text for b in document.blocks if b.text in lines] == lines


@pytest.mark.parametrize(
    ("header", "kept"),
    [
        (
            "户名：苏州某某贸易有限公司 账号：6228 4104 5500",
            "户名：苏州某某贸易有限公司 账号：6228 4104 5500",
        ),
        ("文件编号：QMS-07 版本：B/2 第1页 共4页", "文件编号：QMS-07 版本：B/2"),
        ("机密", "机密"),
    ],
)
def test_facts_of_a_repeated_line_stay_once(header: str, kept: str) -> None:
    pages = (
        (block(header.replace("第1页", f"第{n}页"), 20), block(f"第{n}段的内容。"))
        for n in range(1, 5)
    )
    told = [b.text for b in clean(paged(*pages)).blocks]
    assert told == [kept, *(f"第{n}段的内容。" for n in range(1, 5))]


def test_a_table_that_repeats_on_each_page_is_no_header() -> None:
    row = block("| 合计 | 100 |", 20, "table", rows=(("合计", "100"),))
    document = clean(paged(*((row, block(f"说明{n}")) for n in range(5))))
    assert sum(b.kind == "table" for b in document.blocks) == 5


def test_what_repeats_in_the_middle_or_fills_a_page_stays() -> None:
    document = clean(paged(*((block("同意", 400), block(f"意见{n}", 420)) for n in range(4))))
    assert sum(b.text == "同意" for b in document.blocks) == 4
    assert len(clean(paged(*((block("绝密", 20),) for _ in range(4)))).blocks) == 4


def test_slides_keep_titles_that_repeat() -> None:
    slides = paged(*((block("季度总结", 20), block(f"要点{n}")) for n in range(4)))
    slides = slides.model_copy(update={"media_type": PPTX})
    assert sum(b.text == "季度总结" for b in clean(slides).blocks) == 4


@pytest.mark.parametrize("text", ["12", "第 3 页", "- 4 -", "2/10", "第1页 共9页", "Page 3 of 7"])
def test_page_numbers(text: str) -> None:
    assert is_page_number(text)


@pytest.mark.parametrize("text", ["2024年", "第三条", "3.5%", "", "-", "1. 范围"])
def test_no_page_numbers(text: str) -> None:
    assert not is_page_number(text)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("瑞禾食品集团2024年年度报告 第 3 页", True),
        ("瑞禾食品集团 | 2024年年度报告", True),
        ("恒舟机械设备租赁有限公司合同专用", True),
        ("采购部管理制度", False),
        ("电话：0571-1234567", False),
        ("编号：RH-01", True),
        ("编号：RH-02", False),
        ("总论", True),
        ("审计", False),
        ("- 12 -", True),
    ],
)
def test_what_a_document_says_elsewhere(line: str, said: bool) -> None:
    content = ["瑞禾食品集团", "2024年年度报告", "恒舟机械设备租赁有限公司", "第一章 总论"]
    content += ["采购部负责本办法。", "公司的管理制度应当报审计部门备案并且公开。", "编号：RH-01"]
    assert Said(content).says(line) is said


def test_lines_broken_at_a_fixed_width_are_joined() -> None:
    line = "这一行在固定的宽度处折断了所以应当接回去"
    text = "\n".join([line] * 5 + ["短的末行。"])
    width = wrap_width([text])
    assert width is not None
    assert "\n" not in join_lines(text, width)
    assert wrap_width(["地址：北京\n电话：010\n邮编：100000\n联系人：张三\n备注：无"]) is None


@given(st.lists(st.text(alphabet="年假十天abc,.-", min_size=1), min_size=1), st.integers(4, 60))
def test_joining_lines_keeps_all_but_hyphens(lines: list[str], width: int) -> None:
    joined = join_lines("\n".join(lines), width)
    assert told(joined) == told("".join(lines))


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("符合 GB/T 19001-", "2016 的要求", "符合 GB/T 19001-2016 的要求"),
        ("型号为XH-", "1005", "型号为XH-1005"),
        ("an X-", "ray image", "an X-ray image"),
        ("COVID-", "19", "COVID-19"),
        ("the Wi-", "Fi password", "the Wi-Fi password"),
        ("state-of-the-", "art methods", "state-of-the-art methods"),
        ("see https://a.example/foo-", "bar.html", "see https://a.example/foo-bar.html"),
        ("run build-2-", "stage", "run build-2-stage"),
        ("DNA-", "based tests", "DNA-based tests"),
        ("price -", "quality", "price - quality"),
        ("10-", "20mg", "10-20mg"),
    ],
)
def test_hyphens_of_codes_and_compounds_stay(first: str, second: str, joined: str) -> None:
    assert join_wrapped([first, second]) == joined


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "High pressure, good performance: a high-\u00adperformance pump.",
            "a high-performance pump",
        ),
        ("It is a high-performance pump. High-\u00adperformance again.", "High-performance again"),
        ("The implementation. An imple-\u00admentation.", "An implementation"),
        ("An imple-\u00admentation.", "An implementation"),
        ("A well-\u00adknown author.", "A well-known author"),
        ("A high-\u00ader wall.", "A higher wall"),
        ("For in-\u00adformation on ex-\u00adamples.", "For information on examples"),
        ("The water level and the sensor. A water-\u00adsensor.", "A water-sensor"),
        ("Over here is a view. An over-\u00adview.", "An overview"),
    ],
)
def test_the_document_tells_whether_a_hyphen_belongs_to_its_word(text: str, told: str) -> None:
    document = Document(
        name="a",
        media_type="application/pdf",
        pages=(Page(number=1, blocks=(Block(kind="paragraph", text=text),)),),
    )
    cleaned = clean(document).blocks[0].text
    assert told in cleaned


@pytest.mark.parametrize(
    ("text", "advert"),
    [
        ("点击上方蓝字关注我们", True),
        ("长按识别二维码关注我们", True),
        ("觉得不错，点个在看吧！", True),
        ("关注公众号“市一医院”，点击预约挂号", False),
        ("扫描二维码查看", False),
        ("请分享给需要的部门", False),
    ],
)
def test_only_what_says_nothing_else_is_an_advert(text: str, advert: bool) -> None:
    assert is_advert(Block(kind="paragraph", text=text)) is advert


def test_records_and_code_keep_their_blanks() -> None:
    code = Block(kind="code", text="def f():\n    return  1")
    record = Block(kind="paragraph", text="甲  乙\u200b", record_id="1")
    document = clean(
        Document(name="a", media_type="text/plain", pages=(Page(number=1, blocks=(code, record)),))
    )
    assert [b.text for b in document.blocks] == ["def f():\n    return  1", "甲  乙"]
