"""Evidence within the budget."""

from __future__ import annotations

from hypothesis import example, given, settings
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


def scored(*pairs: tuple[float, Chunk]) -> list[Hit]:
    return [Hit(chunk=each, scores={"rerank": score}) for score, each in pairs]


def test_what_is_new_goes_before_what_repeats_when_not_all_fit() -> None:
    said = "租房补贴每月八百元，由用人单位在每月月底之前统一发放到本人的银行账户，逾期不补发。"
    alike = said.replace("逾期", "过期").replace("统一", "一并")
    other = "租房补贴最长可以领取三年，离职、购房或者享受公租房的次月起停止发放，不得重复享受。"
    found = scored((0.9, chunk(said, "a")), (0.8, chunk(alike, "b")), (0.7, chunk(other, "c")))
    budget = len(said) + len(other) + 10
    assert [e.chunk.id for e in compress("租房补贴", found, budget, len)] == ["a", "c"]
    assert [e.chunk.id for e in compress("租房补贴", found, 500, len)] == ["a", "b", "c"]


def test_the_only_passage_with_the_asked_attribute_is_never_dropped() -> None:
    filler = "本产品采用进口材料制造，外观大方，操作简便，适合各类家庭及办公场所长期使用。" * 3
    found = scored(
        *((0.9 - n / 20, chunk(f"净水器第{n}节。{filler}", str(n))) for n in range(6)),
        (
            0.1,
            chunk("净水器的保修期为三年，滤芯除外。请保留好购买时的发票和保修卡以备查验。", "last"),
        ),
    )
    evidence = compress("净水器的保修期", found, 400, len)
    assert evidence[-1].chunk.id == "last"
    assert [e.n for e in evidence] == list(range(1, len(evidence) + 1))
    assert evidence[0].chunk.id == "0"


def test_regions_and_years_in_the_same_words_do_not_repeat_each_other() -> None:
    text = "租房补贴每月八百元，由用人单位在每月月底之前统一发放到本人的银行账户，逾期不补发。"
    other = "租房补贴的申请入口在一网通办，登录以后选择人才服务，再按照页面提示逐项填写信息。"
    found = scored(
        (0.9, chunk(text, "a", year=2023)),
        (0.8, chunk(text, "b", year=2024)),
        (0.3, chunk(other, "c")),
    )
    assert [e.chunk.id for e in compress("租房补贴", found, 2 * len(text), len)] == ["a", "b"]


def test_a_hard_cut_leaves_numbers_with_their_units() -> None:
    start = "甲" * 60
    for quantity in ("12345.67元", "三千五百元", "10,000 kWh", "2024年", "85%", "100–150元"):
        piece = chunk(start + quantity + "乙" * 60)
        for tokens in range(61, 61 + len(quantity)):
            text, span = fit("问", piece, tokens, len)
            assert text in (start, start + quantity), (quantity, tokens, text)
            assert piece.text[slice(*span)] == text


@settings(max_examples=100, deadline=None)
@example(["1" * 15 + " \n1"], 16, "text")
@example(["年假\n\n\n甲\n\n\n乙乙乙乙乙乙乙乙"], 10, "table")
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


def parts_of(text: str) -> list[Hit]:
    names = ("甲", "乙", "丙", "丁")
    return [
        Hit(chunk=chunk(text, name, region=name), scores={"rerank": 0.9 - n / 9})
        for n, name in enumerate(names)
    ]


def test_a_passage_without_room_stands_by_its_summary() -> None:
    asked: list[list[str]] = []

    def summarise(chunks):
        asked.append([each.id for each in chunks])
        return {each.id: f"{each.id}单位的工作由各小组负责。" for each in chunks}

    found, budget = parts_of(LONG), 400
    plain = compress("工作", found, budget, len)
    assert [item.summary for item in plain] == [""] * len(plain)
    short = compress("工作", found, budget, len, summarise=summarise)
    assert len(plain) < len(found) == len(short)
    assert asked == [[hit.chunk.id for hit in found[len(plain) :]]]
    summarised = [item for item in short if item.summary]
    assert [item.chunk.id for item in summarised] == asked[0]
    assert all(item.text == item.chunk.text for item in summarised)
    assert [item.n for item in short] == [1, 2, 3, 4]
    assert sum(len(item.summary or item.text) for item in short) <= budget
    assert all(item.text == item.chunk.text[slice(*item.span)] for item in short)


def test_no_summary_is_asked_for_where_all_passages_have_room() -> None:
    def summarise(chunks):
        raise AssertionError

    assert len(compress("工作", parts_of("第一项工作。"), 400, len, summarise=summarise)) == 4


def test_summaries_push_no_passage_out() -> None:
    found, budget = parts_of(LONG), 400
    plain = compress("工作", found, budget, len)
    long = compress("工作", found, budget, len, summarise=lambda c: {x.id: "长" * 101 for x in c})
    assert long == plain
