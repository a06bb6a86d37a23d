"""Which words name one thing, and where they stand as a whole."""

from __future__ import annotations

import pytest

from rag.retrieve.exact import ExactTerms, exact_matches, exact_terms, has_entry
from rag.types import Chunk, DocumentMetadata


@pytest.mark.parametrize(
    ("question", "codes", "titles"),
    [
        ("ABC-123 的保修期", ("abc-123",), ()),
        ("E01 报警怎么处理", ("e01",), ()),
        ("ZW-100S和ZW-100有什么区别", ("zw-100s", "zw-100"), ()),
        ("GB/T 19001-2016 要求什么", ("gb/t19001-2016",), ()),
        ("浙政发（2016）306号", ("〔2016〕306号",), ()),
        ("《劳动合同法》第十二条", (), ("劳动合同法",)),
        ("5G 手机、3D 打印和 mp3", (), ()),
        ("人均100-150元的餐馆", (), ()),
        ("2023-2024年度的预算", (), ()),
        ("2024-03-01 之后", (), ()),
        ("010-51979888 是谁的电话", ("010-51979888",), ()),
    ],
)
def test_terms(question: str, codes: tuple[str, ...], titles: tuple[str, ...]) -> None:
    found = exact_terms(question)
    assert (found.codes, found.titles) == (codes, titles)


@pytest.mark.parametrize(
    ("question", "held", "codes"),
    [
        ("净水器亮H3灯咋办", {"h3": (1, 0.1)}, ("h3",)),
        ("屏幕出现LC", {"lc": (2, 0.001)}, ("lc",)),
        ("ＬＣ是什么意思", {"lc": (1, 0.5)}, ("lc",)),
        ("B5纸放哪层", {"b5": (40, 0.001)}, ("b5",)),
        ("B5纸放哪层", {"b5": (40, 0.4)}, ()),
        ("B5纸放哪层", {}, ()),
        ("VIP怎么退", {"vip": (1, 0.001)}, ()),
        ("5kg以内邮费", {"5kg": (1, 0.001)}, ()),
        ("ABC-123 的保修期", {"abc": (1, 0.001)}, ("abc-123",)),
        ("WHAT IS THE FEE", {"fee": (1, 0.001), "what": (1, 0.001)}, ()),
    ],
)
def test_short_codes_count_where_they_are_rare(
    question: str, held: dict[str, tuple[int, float]], codes: tuple[str, ...]
) -> None:
    assert exact_terms(question, lambda _: held).codes == codes


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("编码：QX-20；名称：风扇；单价：60", True),
        ("编码：QX-2；名称：滤芯；单价：20\n编码：QX-20；名称：风扇；单价：60", True),
        ("| 代码 | 现象 |\n| --- | --- |\n| QX-20 | 不转 |", True),
        ("QX-20：断电后重启。", True),
        ("QX-20的风扇每年更换。", False),
        ("编码：QX-200；名称：电机", False),
        ("配件：风扇；适用：QX-20", False),
    ],
)
def test_a_record_or_row_of_a_code_is_its_entry(text: str, entry: bool) -> None:
    assert has_entry(exact_terms("QX-20多少钱"), place(text)) is entry


def test_an_article_begins_with_its_number() -> None:
    asked = exact_terms("第三条说什么")
    law = place("第三条　押金在退租后七日内退还。", title="租赁须知")
    assert asked.articles == ("第3条",)
    assert exact_matches(asked, law) == ("第3条",)
    assert not exact_matches(asked, place("违反第三条的，不退押金。"))
    assert not exact_matches(asked, place("第三条记录：今日无异常。"))
    assert not exact_matches(asked, place("第三十条　本须知自发布之日起生效。"))
    chapter = place("押金的数额。").model_copy(update={"heading_path": ("第三章 押金",)})
    assert exact_matches(exact_terms("第三章讲了什么"), chapter) == ("第3章",)


def test_the_law_whose_article_is_asked_for_counts_more() -> None:
    asked = exact_terms("宿舍管理规定第三条说什么")
    own = place("第三条 熄灯时间为二十三点。", title="宿舍管理规定")
    other = place("第三条 还书期限为三十日。", title="图书借阅规定")
    assert len(exact_matches(asked, own)) > len(exact_matches(asked, other)) == 1


def place(text: str, **metadata) -> Chunk:
    return Chunk(
        id="c",
        document_id="d",
        kb_id="k",
        ordinal=0,
        text=text,
        metadata=DocumentMetadata(**metadata),
        document_name="手册.pdf",
    )


@pytest.mark.parametrize(
    ("code", "text", "there"),
    [
        ("abc-123", "型号ABC-123。", True),
        ("abc-123", "型号ABC-1234。", False),
        ("zw-100", "ZW-100S 高配版", False),
        ("zw-100s", "ＺＷ－１００Ｓ", True),
        ("gb/t19001-2016", "依据 GB/T 19001-2016 标准", True),
        ("〔2016〕306号", "浙政发[2016] 306 号", True),
        ("〔2016〕306号", "浙政发〔2016〕307号", False),
    ],
)
def test_a_code_stands_as_a_whole(code: str, text: str, there: bool) -> None:
    assert exact_matches(ExactTerms((code,)), place(text)) == ((code,) if there else ())


def test_titles_and_numbers_of_the_document_count() -> None:
    chunk = place("第一条 略", title="杭州市租房补贴办法", document_number="杭政〔2024〕8号")
    assert exact_matches(ExactTerms((), ("租房补贴办法",)), chunk) == ("《租房补贴办法》",)
    assert exact_matches(ExactTerms(("〔2024〕8号",)), chunk) == ("〔2024〕8号",)


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ("“一网通办”怎么注册", ("一网通办",)),
        ("「試用期」和『轉正』", ("试用期", "转正")),
        ('"no smoking" 写在哪里', ("no smoking",)),
        ("“年假”“年假”", ("年假",)),
        ("“是”字怎么写，“”呢", ()),
        ("“押金什么时候退”", ()),
        ("没有引号", ()),
    ],
)
def test_words_in_quotation_marks(question: str, phrases: tuple[str, ...]) -> None:
    assert exact_terms(question).phrases == phrases


def test_quoted_words_are_found_as_they_stand() -> None:
    asked = exact_terms("哪里写了“安裝軟體 前”")
    assert exact_matches(asked, place("安装软件前请先联网。")) == ("“安装软件前”",)
    assert exact_matches(asked, place("软件安装前请先联网。")) == ()
    assert exact_matches(asked, place("见下。", title="安裝軟體前須知")) == ("“安装软件前”",)


def test_a_law_named_twice_over_counts_once() -> None:
    asked = exact_terms("《职业教育法》第九条说什么")
    own = place("第九条 国家鼓励发展职业教育。", title="职业教育法")
    assert exact_matches(asked, own) == ("第9条", "《职业教育法》")
