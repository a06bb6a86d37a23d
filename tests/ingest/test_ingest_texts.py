from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from ingest_inputs import jsonl, read, rows, texts

from benchmarks import places
from rag.errors import CorruptDocument, EmptyDocument
from rag.ingest.lines import join_wrapped
from rag.ingest.markdown import to_markdown
from rag.ingest.quality import require_text

CASES = places.DATA.parent / "cases" / "files"

MARKDOWN = """---
title: 人才补贴办法
地区: 浙江省杭州市
年份: 2024
发布日期: 2024-03-01
负责人: 张三
---
# 人才补贴办法

<!-- 内部注释 -->
申请条件见[下表](http://example.com)：

| 学历 | 金额 |
|---|---|
| 博士 | **2000** |

1. 先登录
2. 再提交
   - 附材料

    四个空格开头的中文段落不是代码。

```python
print("代码")
```
"""


def test_markdown(tmp_path: Path) -> None:
    path = tmp_path / "办法.md"
    path.write_text(MARKDOWN, encoding="utf-8")
    document = read(path)
    assert [b.kind for b in document.blocks] == ["heading", "paragraph", "table", "list", "code"]
    assert document.blocks[1].text == "申请条件见下表："
    assert rows(document) == [[("学历", "金额"), ("博士", "2000")]]
    assert document.blocks[3].text.startswith("1. 先登录\n2. 再提交\n  - 附材料")
    assert "内部注释" not in to_markdown(document)


def test_front_matter_becomes_metadata(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(MARKDOWN, encoding="utf-8")
    metadata = read(path).metadata
    assert metadata.title == "人才补贴办法"
    assert metadata.region == "浙江/杭州"
    assert metadata.year == 2024
    assert metadata.publish_date == date(2024, 3, 1)
    assert metadata.extra == {"负责人": "张三"}


def test_a_heading_without_a_blank_and_a_long_underlined_line(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    long = "这是一个普通的段落" * 10
    path.write_text(f"#标题\n\n{long}\n---\n\n后文", encoding="utf-8")
    assert [b.kind for b in read(path).blocks] == ["heading", "paragraph", "paragraph"]


HTML = """<html><head><title>年假规定_某某公司</title><script>var x = "脚本";</script>
<style>p {color: red}</style></head><body>
<nav><a href="/">首页</a><a href="/about">关于我们</a></nav>
<div class="sidebar"><a href="1">热门推荐</a></div>
<div id="content"><h1>年假规定</h1><p>员工入职满一年后<b>享受</b>年假。</p>
<table><tr><th>工龄</th><th>天数</th></tr><tr><td rowspan=2>1至10年</td><td>5</td></tr>
<tr><td>6</td></tr></table>
<ul><li>第一项</li><li>第二项<ol><li>嵌套</li></ol></li></ul>
<p style="display:none">隐藏文字</p></div>
<footer>版权所有</footer></body></html>"""


def test_html_keeps_the_content_and_drops_what_surrounds_it(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(HTML, encoding="utf-8")
    document = read(path)
    text = to_markdown(document)
    for gone in ("脚本", "color", "首页", "热门推荐", "版权所有", "隐藏文字"):
        assert gone not in text
    assert "员工入职满一年后享受年假。" in text
    assert rows(document) == [[("工龄", "天数"), ("1至10年", "5"), ("1至10年", "6")]]
    assert "- 第一项\n- 第二项\n  1. 嵌套" in text


def test_plain_text_headings_lists_and_wrapped_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    wrapped = ["这份文件里的每一行都在固定的宽度处折断，所以需要接起来"] * 6
    path.write_text(
        "放假通知\n\n一、时间\n" + "\n".join(wrapped) + "。\n\n1. 甲\n2. 乙\n", encoding="gbk"
    )
    blocks = read(path).blocks
    assert [b.kind for b in blocks] == ["heading", "heading", "paragraph", "list"]
    assert "\n" not in blocks[2].text
    assert blocks[3].text == "1. 甲\n2. 乙"


def test_spaced_letters_and_control_characters_are_cleaned(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("目　　录\n\n正\u200b文\u00ad内\x08容  多  空格", encoding="utf-8")
    assert texts(read(path)) == ["目 录", "正文内容 多 空格"]
    path.write_text("中 华 人 民 共 和 国\n\n正文", encoding="utf-8")
    assert texts(read(path))[0] == "中华人民共和国"


def test_one_jsonl_record_is_one_block(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "a.jsonl",
        {
            "id": 7,
            "title": "年假几天",
            "text": "五天。\n特殊情况另议。",
            "metadata": {"region": "北京"},
        },
        {"id": "b", "question": "病假呢", "answer": "按规定。"},
    )
    blocks = read(path).blocks
    assert [b.record_id for b in blocks] == ["7", "b"]
    assert blocks[0].text == "五天。\n特殊情况另议。"
    assert blocks[0].metadata == {"title": "年假几天", "metadata": {"region": "北京"}}
    assert blocks[1].text == "按规定。"


def test_bad_jsonl_lines_are_skipped_and_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id":"1","text":"甲"}\n坏行\n\n[1]\n{"id":"2","text":"乙"}\n', encoding="utf-8"
    )
    document = read(path)
    assert len(document.blocks) == 2
    assert document.flags == ("bad_lines:2,4",)


def test_jsonl_records_that_share_an_id_are_kept_and_flagged(tmp_path: Path) -> None:
    document = read(jsonl(tmp_path / "a.jsonl", {"id": 1, "text": "甲"}, {"id": "1", "text": "乙"}))
    assert texts(document) == ["甲", "乙"]
    assert document.flags == ("duplicate_records",)


def test_jsonl_without_a_usable_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": 1}\n不是 JSON\n', encoding="utf-8")
    with pytest.raises(CorruptDocument, match="JSONL"):
        read(path)


@pytest.mark.parametrize("content", [" \n\t\n　\n", "\u200b\ufeff", "\n" * 50])
def test_blank_files_do_not_pass_the_gate(tmp_path: Path, content: str) -> None:
    path = tmp_path / "空白.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(EmptyDocument, match="没有文字"):
        require_text(read(path))


def test_bracketed_lines_and_leads_of_lists_are_headings(tmp_path: Path) -> None:
    path = tmp_path / "说明.txt"
    path.write_text(
        "空气炸锅说明\n\n【清洁】\n炸篮可以水洗【机身除外】。\n\n〖保修〗\n保修一年。\n\n"
        "随机附件：\n1. 炸篮\n2. 夹子\n\n联系人：\n王工\n",
        encoding="utf-8",
    )
    blocks = read(path).blocks
    headings = [block.text for block in blocks if block.kind == "heading"]
    assert headings == ["空气炸锅说明", "【清洁】", "〖保修〗", "随机附件："]


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (("成人每次1", "0mg，每日两次"), "成人每次10mg，每日两次"),
        (("合同金额为1,", "200元整"), "合同金额为1,200元整"),
        (("浓度不超过0.", "5%即可"), "浓度不超过0.5%即可"),
        (("本办法始于2023", "2024年修订"), "本办法始于2023 2024年修订"),
        (("共分三类，见表1", "2. 申请"), "共分三类，见表1 2. 申请"),
        (("version 3", "10 users"), "version 3 10 users"),
    ],
)
def test_a_number_cut_by_a_line_s_end_is_whole_again(lines: tuple[str, ...], joined: str) -> None:
    assert join_wrapped(lines) == joined


NOTES = """+++
title = "说明"
+++
#标题

正文[^1]，10<sup>5</sup>个，公式$a*b*c$。

[^1]: 注释内容很重要

[注意]: 请先备份

[地址]: https://example.com

见[链接][地址]。

$$
E=mc^2
$$

```bash
#注释不变
<!-- 保留 -->
```

1. 第一步
   ```
   code
   ```
2. 第二步
"""


def test_notes_formulas_and_code_of_markdown_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(NOTES, encoding="utf-8")
    document = read(path)
    assert [(b.kind, b.text) for b in document.blocks] == [
        ("heading", "标题"),
        ("paragraph", "正文[^1]，10⁵个，公式$a*b*c$。"),
        ("paragraph", "[^1]: 注释内容很重要"),
        ("paragraph", "[注意]: 请先备份"),
        ("paragraph", "见链接。"),
        ("formula", "E=mc^2"),
        ("code", "#注释不变\n<!-- 保留 -->"),
        ("list", "1. 第一步"),
        ("code", "code"),
        ("list", "2. 第二步"),
    ]
    assert document.metadata.title == "说明"


def test_jsonl_arrays_chinese_names_and_plain_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '[\n {"问题": "病假", "答案": "看规定"},\n {"型号": "X1", "价格": 100}\n]', encoding="utf-8"
    )
    blocks = read(path).blocks
    assert [(b.record_id, b.text) for b in blocks] == [
        ("1", "看规定"),
        ("2", "型号：X1\n价格：100"),
    ]
    assert blocks[0].metadata["title"] == "病假"


def test_text_that_was_decoded_wrongly_before_is_repaired(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("请假应提前一天。".encode().decode("latin-1"), encoding="utf-8")
    document = read(path)
    assert texts(document) == ["请假应提前一天。"]
    assert document.flags == ("mojibake_repaired",)


@pytest.mark.skipif(not CASES.is_dir(), reason="the real documents are not here")
def test_real_texts() -> None:
    letter = texts(read(CASES / "44_utf16_bom.txt"))
    assert letter[0] == "This is a test document to use for unit tests."
    assert not any("\ufeff" in text for text in letter)
    cups = read(CASES / "45_utf16_be.csv")
    assert cups.blocks[0].text == "Stanley Cups"
    assert rows(cups)[0][:2] == [("Team", "Location", "Stanley Cups"), ("Blues", "STL", "1")]
    assert ("清华大学", "2", "985", "清华") in rows(read(CASES / "48_bom_rank.csv"))[0]


JSON_RECORDS = '{"code": 0, "data": [{"问题": "病假", "答案": "看规定", "部门": "人事"}]}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"id": "a", "title": "病假", "text": "看规定"}]', [("a", "看规定")]),
        (
            '\ufeff[\n{"id": 1, "型号": "X1"},\n{"id": 2, "型号": "X2"}]',
            [("1", "id：1\n型号：X1"), ("2", "id：2\n型号：X2")],
        ),
        (JSON_RECORDS, [("1", "看规定\n部门：人事")]),
        ('{"id": 1, "text": "甲"}\n{"id": 2, "text": "乙"}', [("1", "甲"), ("2", "乙")]),
        # Settings and trees keep all of their values as text.
        ('{"name": "x", "scripts": {"a": "b"}}', None),
        ('[{"id": 1, "地址": {"市": "杭州"}}]', None),
        ("[1, 2, 3]", None),
        ('{"id": 1, "text": "断了', None),
    ],
)
def test_json_is_read_as_records_where_nothing_is_lost_by_it(
    tmp_path: Path, text: str, expected: list[tuple[str, str]] | None
) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    document = read(path)
    assert "other_format" not in document.flags
    if expected is None:
        assert document.media_type == "text/plain"
        assert all(block.record_id is None for block in document.blocks)
    else:
        assert [(b.record_id, b.text) for b in document.blocks] == expected


def test_one_json_object_over_several_lines_is_one_record(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{\n "id": "7",\n "text": "看规定"\n}', encoding="utf-8")
    assert [(b.record_id, b.text) for b in read(path).blocks] == [("7", "看规定")]


def test_escapes_in_json_that_no_store_can_hold_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        r'{"id": "a\ud800", "title": "病\udfff假", "text": "看\ud83d规\u0000定", '
        r'"k\ud800": "v\ud800"}'
        "\n"
        r'{"id": "b", "text": "\ud83d\ude00笑"}',
        encoding="utf-8",
    )
    document = read(path)
    document.model_dump_json().encode()
    first, second = document.blocks
    assert (first.record_id, first.metadata["title"], first.text) == (
        "a�",
        "病�假",
        "看�规定\nk�：v�",
    )
    assert first.metadata["metadata"] == {"k�": "v�"}
    assert second.text == "\U0001f600笑"


def test_what_a_record_says_beside_its_text_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(JSON_RECORDS, encoding="utf-8")
    (block,) = read(path).blocks
    assert block.metadata == {"title": "病假", "metadata": {"部门": "人事"}}


def test_a_web_page_says_who_published_it_and_when(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(
        '<html><head><meta name="author" content="人事部">'
        '<meta name="PubDate" content="2024-05-01"></head><body><p>年休假为五天。</p>',
        encoding="utf-8",
    )
    metadata = read(path).metadata
    assert metadata.author == "人事部"


def test_a_title_that_names_its_kind_heads_a_text_without_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(
        "设备租赁合同\n甲方：云帆公司\n乙方：恒达公司\n第一条 租期一年。", encoding="utf-8"
    )
    assert [(b.kind, b.text) for b in read(path).blocks] == [
        ("heading", "设备租赁合同"),
        ("paragraph", "甲方：云帆公司\n乙方：恒达公司"),
        ("paragraph", "第一条 租期一年。"),
    ]
