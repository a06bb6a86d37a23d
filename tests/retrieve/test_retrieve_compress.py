"""Evidence within the budget."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.retrieve.compress import compress, fit
from rag.types import Chunk, DocumentMetadata, Hit


def chunk(text: str, id_: str = "c", kind: str = "text", **metadata) -> Chunk:
    return Chunk(
        id=id_,
        document_id="d",
        kb_id="k",
        ordinal=0,
        text=text,
        kind=kind,
        metadata=DocumentMetadata(**metadata),
    )


def hits(*chunks: Chunk) -> list[Hit]:
    return [Hit(chunk=each, scores={"rerank": 0.9}) for each in chunks]


LONG = "".join(f"第{n}项工作由第{n}小组负责。" for n in range(60))


def test_short_passages_stay_whole_and_are_numbered() -> None:
    evidence = compress("年假", hits(chunk("年假五天。", "a"), chunk("病假三天。", "b")), 500, len)
    assert [(e.n, e.text, e.span) for e in evidence] == [
        (1, "年假五天。", (0, 5)),
        (2, "病假三天。", (0, 5)),
    ]
    assert evidence[0].score == 0.9


def test_near_duplicates_of_one_place_leave() -> None:
    text = "申请人应当在每年三月一日至六月三十日期间提出申请，并提交学历证明和劳动合同。"
    same = hits(chunk(text, "a"), chunk(text + "！", "b"))
    assert len(compress("申请", same, 500, len)) == 1
    years = hits(chunk(text, "a", year=2023), chunk(text, "b", year=2024))
    assert len(compress("申请", years, 500, len)) == 2
    regions = hits(chunk(text, "a", region="北京"), chunk(text, "b", region="上海"))
    assert len(compress("申请", regions, 500, len)) == 2


def test_a_near_duplicate_stays_when_it_holds_more_of_the_question() -> None:
    text = "甲方应当在每年三月一日至六月三十日期间验收，并提交验收记录和整改清单。合同编号KD-{}。"
    alike = hits(chunk(text.format(101), "a"), chunk(text.format(102), "b"))
    assert [e.chunk.id for e in compress("KD-102的验收期间", alike, 500, len)] == ["a", "b"]
    assert [e.chunk.id for e in compress("验收期间", alike, 500, len)] == ["a"]


def test_a_long_passage_is_cut_around_what_is_asked() -> None:
    text, span = fit("第42小组负责什么", chunk(LONG), 80, len)
    assert "第42项工作由第42小组负责。" in text
    assert len(text) <= 80
    assert LONG[slice(*span)] == text
    assert text.startswith("第") and text.endswith("。")


def test_a_cut_table_keeps_its_header() -> None:
    rows = "\n".join(f"| ZW-{n} | {n * 10} 元 |" for n in range(100, 160))
    table = chunk(f"| 型号 | 价格 |\n| --- | --- |\n{rows}", kind="table")
    text, span = fit("ZW-142 多少钱", table, 120, len)
    assert text.startswith("| 型号 | 价格 |\n| --- | --- |\n| ZW-1")
    assert "| ZW-142 | 1420 元 |" in text
    assert len(text) <= 122
    assert text.endswith(table.text[slice(*span)])


def test_a_single_endless_sentence_is_cut_hard() -> None:
    text, span = fit("问", chunk("字" * 1000), 100, len)
    assert text == "字" * 100 and span == (0, 100)


def test_the_budget_is_kept_and_later_ones_wait() -> None:
    many = hits(
        *(chunk("".join(f"{w}{n}号由{w}组管。" for n in range(40)), w) for w in "甲乙丙丁戊己庚辛")
    )
    evidence = compress("丙组", many, 600, len)
    assert 2 <= len(evidence) < 8
    assert sum(len(e.text) for e in evidence) <= 600


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(alphabet="甲乙丙年假。；\n |a1", min_size=1, max_size=200), max_size=6),
    st.integers(1, 300),
    st.sampled_from(["text", "table", "list"]),
)
def test_text_is_never_reworded_and_the_budget_holds(texts, budget, kind) -> None:
    given_hits = hits(*(chunk(text, str(n), kind) for n, text in enumerate(texts)))
    evidence = compress("年假", given_hits, budget, len, near_duplicate=1.0)
    assert sum(len(e.text) for e in evidence) <= budget + len(evidence)
    for number, item in enumerate(evidence, start=1):
        assert item.n == number
        assert item.text.endswith(item.chunk.text[slice(*item.span)])
        if kind != "table":
            assert item.text == item.chunk.text[slice(*item.span)]
