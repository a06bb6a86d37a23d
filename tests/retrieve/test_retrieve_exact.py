"""Which words name one thing, and where they stand as a whole."""

from __future__ import annotations

import pytest

from rag.retrieve.exact import ExactTerms, exact_matches, exact_terms
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
