from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ingest_inputs import read, rows
from ingest_web_pages import PAGES, Expected

from benchmarks import places
from rag.ingest.clean import clean
from rag.ingest.markdown import to_markdown
from rag.ingest.parse.html import html_metadata, parse_html
from rag.ingest.parse.html_words import elements, is_gone
from rag.types import Document

FOLDER = Path(__file__).parent / "web_pages"
CASES = places.DATA.parent / "cases" / "files"


def markdown(html: str) -> str:
    pages, title = parse_html(html)
    return to_markdown(clean(Document(name="a", media_type="text/html", pages=pages, title=title)))


@pytest.mark.parametrize(("name", "expected"), PAGES.items(), ids=PAGES)
def test_the_content_is_kept_and_what_surrounds_it_dropped(name: str, expected: Expected) -> None:
    text = markdown((FOLDER / f"{name}.html").read_text(encoding="utf-8"))
    kept, dropped = expected
    assert [part for part in kept if part not in text] == []
    assert [part for part in dropped if part in text] == []


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "utf-8", "big5"])
def test_pages_are_decoded_as_they_declare(tmp_path: Path, encoding: str) -> None:
    text = "公司員工請假辦法" if encoding == "big5" else "员工请假办法"
    path = tmp_path / "a.html"
    path.write_bytes(
        f'<html><head><meta charset="{encoding}"><title>{text}</title></head><body><p>{text}。</p>'
        "</body></html>".encode(encoding)
    )
    document = read(path)
    assert document.title == text
    assert document.blocks[0].text == f"{text}。"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>10<sup>5</sup> 个，H<sub>2</sub>O</p>", "10⁵ 个，H₂O"),
        ("<p>结论<sup>[1]</sup>成立</p>", "结论成立"),
        ("<p>甲<br>乙</p>", "甲\n乙"),
        ("<p><ruby>漢<rp>(</rp><rt>かん</rt></ruby>字</p>", "漢字"),
        ('<p><img src="a" alt="组织架构图"><img alt="logo.png"></p>', "组织架构图"),
        ('<math alttext="a^2"><mi>a</mi></math>', "$a^2$"),
        ("<ol start=3><li>丙</li><li value=7>庚</li></ol>", "3. 丙\n7. 庚"),
        ("<dl><dt>年假</dt><dd>带薪</dd><dd>五天</dd></dl>", "- 年假：带薪；五天"),
        ('<pre><code class="language-sql">SELECT  1</code></pre>', "```sql\nSELECT  1\n```"),
        ("<p>第一章 总则</p><p>第一条 本办法。</p>", "## 第一章 总则\n\n第一条 本办法。"),
        ("<div>甲段<br><br>乙段</div>", "甲段\n\n乙段"),
    ],
)
def test_lines(html: str, text: str) -> None:
    assert markdown(f"<html><body>{html}</body></html>") == text


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            "<tr><th rowspan=2>项目</th><th colspan=2>价格</th></tr><tr><th>甲</th><th>乙</th></tr>"
            "<tr><td>球</td><td>1</td><td>2</td></tr>",
            [("项目", "价格/甲", "价格/乙"), ("球", "1", "2")],
        ),
        (
            "<tr><td rowspan=2>项目</td><td colspan=2>价格</td></tr><tr><td>甲</td><td>乙</td></tr>"
            "<tr><td>球</td><td>1</td><td>2</td></tr>",
            [("项目", "价格/甲", "价格/乙"), ("球", "1", "2")],
        ),
        (
            "<tr><td>1</td><td>2.5</td></tr><tr><td>3</td><td>4.5</td></tr>",
            [("", ""), ("1", "2.5"), ("3", "4.5")],
        ),
        (
            "<tr><td colspan=2>2024年收费表</td></tr><tr><td>项目</td><td>元</td></tr>"
            "<tr><td>甲</td><td>5</td></tr>",
            [("项目", "元"), ("甲", "5")],
        ),
    ],
)
def test_headers_and_spans_of_tables(table: str, expected: list[tuple[str, ...]]) -> None:
    pages, _ = parse_html(f"<html><body><table>{table}</table></body></html>")
    found = Document(name="a", media_type="text/html", pages=pages)
    assert rows(found) == [expected]


def test_spans_that_ask_for_billions_of_cells_are_not_believed() -> None:
    cell = "<td rowspan=65000 colspan=65000>x</td>"
    pages, _ = parse_html(
        f"<html><body><table>{f'<tr>{cell * 20}</tr>' * 20}</table></body></html>"
    )
    assert pages[0].blocks


def test_deep_nesting_is_read() -> None:
    assert "深处的内容" in markdown("<div>" * 3000 + "深处的内容。" + "</div>" * 3000)
    deep = "<ul><li>一" * 400 + "</li></ul>" * 400
    assert "一" in markdown(deep)
    assert "长" in markdown("<div class='comment'><p>回复内容很长。</p>" * 700)


def test_metadata_of_the_head() -> None:
    html = (
        '<head><meta name="ArticleTitle" content="通知"><meta name="PubDate" content="2024-03-12">'
        '<meta name="ContentSource" content="人社局"></head><body></body>'
    )
    assert html_metadata(html) == {"标题": "通知", "发布日期": "2024-03-12", "发布机构": "人社局"}


NAMES = ("div", "p", "table", "tr", "td", "ul", "li", "a", "h1", "nav", "article", "dl", "dt", "dd",
         "pre", "form", "button", "sup", "div class=share", "div id=content")  # fmt: skip
TAGS = st.sampled_from(
    [f"<{name}>" for name in NAMES] + [f"</{name.split()[0]}>" for name in NAMES]
)


@pytest.mark.parametrize("html", ["<ul><ul><div>1", "<ul><ul><ul><li>1", "<ul><li>1"])
def test_a_list_of_one_item_is_a_paragraph_without_its_mark(html: str) -> None:
    assert [(b.kind, b.text) for b in parse_html(html)[0][0].blocks] == [("paragraph", "1")]


@given(st.lists(st.one_of(TAGS, st.text(alphabet="年假十天，。ab1 ", min_size=1)), max_size=40))
def test_any_soup_of_tags_is_read_without_inventing_text(parts: list[str]) -> None:
    pages, _ = parse_html("".join(parts))
    shown = "".join(part for part in parts if not part.startswith("<"))
    for block in pages[0].blocks:
        if block.kind == "paragraph":
            assert set(block.text) <= set(shown) | set(" \n⁰¹^¹ᵃ")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("会员积分规则 - 好邻居超市", "会员积分规则"),
        ("青溪县水务局-关于调整水价的公告", "关于调整水价的公告"),
        ("2024年-2025年供暖安排", "2024年-2025年供暖安排"),
        ("首页_某市政府网站", None),
    ],
)
def test_the_title_of_a_page_that_shows_none_heads_its_text(
    title: str, expected: str | None
) -> None:
    page = (
        f"<html><head><title>{title}</title></head><body><div>每消费1元积1分。</div></body></html>"
    )
    headings = [b.text for b in parse_html(page)[0][0].blocks if b.kind == "heading"]
    assert headings == ([expected] if expected else [])


def test_a_blank_parts_only_fields_and_not_emphasised_words() -> None:
    line = "<div><span>自2024年</span><span>3月1日</span><span>起施行</span>。</div>"
    assert markdown(f"<html><body>{line}</body></html>") == "自2024年3月1日起施行。"


@pytest.mark.skipif(not CASES.is_dir(), reason="the real documents are not here")
def test_real_pages() -> None:
    document = read(CASES / "52_page_cn.html")
    assert document.title == "测试 HTML 文档"
    assert ("表头1", "表头2") in rows(document)[0]
    rule = read(CASES / "53_rule_jp.html")
    text = to_markdown(rule)
    assert "細則 本社編（情報システム部）" in text
    numbered = [text.index(n) for n in ("１． スパットくん紛失", "２． スパットくん故障")]
    assert numbered == sorted(numbered)


@pytest.mark.parametrize("name", ["right", "side", "hot", "rank", "sidebar", "col-right"])
@pytest.mark.parametrize("title", ["24小时热榜", "热门新闻", "点击排行"])
def test_a_side_column_of_short_lines_is_dropped_without_links(name: str, title: str) -> None:
    news = "地铁5号线一期工程于9月28日开通，全程票价6元，首班车6点05分发车。" * 2
    html = (
        f'<html><body><div class="main"><div class="left"><h1>地铁开通</h1><div>{news}</div></div>'
        f'<div class="{name}"><div>{title}</div><div>1 某明星离婚</div><div>2 油价下调</div></div>'
        "</div></body></html>"
    )
    text = markdown(html)
    assert "票价6元" in text
    assert "某明星" not in text and title not in text


@pytest.mark.parametrize(
    ("title", "line"), [("办理时间", "周一至周五 9:00"), ("热门问题", "年假5天。")]
)
def test_a_side_column_that_says_something_stays(title: str, line: str) -> None:
    news = "请携带身份证原件到大厅办理，当场领取结果，无需预约，也不收取任何费用。" * 2
    html = (
        f'<html><body><div class="main"><div class="left"><div>{news}</div></div>'
        f'<div class="right"><div>{title}</div><div>{line}</div></div></div></body></html>'
    )
    assert line in markdown(html)


def test_what_was_taken_out_is_known_to_be_gone() -> None:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup("<div><p>甲<b>乙</b></p><p>丙</p></div>", "lxml")
    first, second = elements(soup, ("p",))
    inner = first.b
    first.decompose()
    assert (is_gone(first), is_gone(inner), is_gone(second)) == (True, True, False)
    assert [first.decomposed, second.decomposed] == [True, False]
