"""Exact matches first, words in quotation marks by how much they say, documents in breadth."""

from __future__ import annotations

from rag.retrieve.exact import exact_terms
from rag.retrieve.order import one_each_first, ordered
from rag.types import Chunk, Hit


def hit(name: str, text: str, rerank: float, document: str = "d") -> Hit:
    chunk = Chunk(id=name, document_id=document, kb_id="kb", ordinal=0, text=text)
    return Hit(chunk=chunk, scores={"rerank": rerank, "fused": 0.5})


def names(question: str, *hits: Hit) -> list[str]:
    return [found.chunk.id for found in ordered(question, exact_terms(question), hits)]


def test_codes_and_long_quotations_come_first_whatever_the_score() -> None:
    better, exact = hit("a", "型号 ABC-124 保修三年。", 0.9), hit("b", "ABC-123 见附录。", 0.01)
    assert names("ABC-123保修多久", better, exact) == ["b", "a"]
    other, quoted = hit("a", "租金按月支付。", 0.9), hit("b", "本合同自签字之日起生效。", 0.01)
    assert names("哪里写了“自签字之日起生效”", other, quoted) == ["b", "a"]


def test_the_record_of_a_code_goes_before_passages_that_mention_it() -> None:
    said = hit("a", "请选用ABC-123，它防水。", 0.4)
    record = hit("b", "编码：ABC-123；单价：60", 0.2)
    assert names("ABC-123多少钱", said, record) == ["b", "a"]
    hopeless = hit("b", "编码：ABC-123；单价：60", 0.05)
    assert names("ABC-123防水吗", said, hopeless) == ["a", "b"]


def test_a_word_set_apart_counts_but_does_not_decide_alone() -> None:
    question = "单位解除“三期”员工合同合法吗"
    near, held = hit("a", "孕期、产期、哺乳期不得解除合同。", 0.3), hit("b", "工程分三期。", 0.2)
    assert names(question, near, held) == ["b", "a"]
    hopeless = hit("b", "工程分三期。", 0.001)
    assert names(question, near, hopeless) == ["a", "b"]


def test_certain_scores_do_no_harm() -> None:
    assert names("什么是“年假”", hit("a", "休假。", 1.0), hit("b", "年假五天。", 1.0)) == ["b", "a"]


def test_every_document_once_then_the_rest() -> None:
    hits = [hit("a", "一", 0.9), hit("b", "二", 0.8), hit("c", "三", 0.7, "e"), hit("d", "四", 0.6)]
    found = one_each_first(hits)
    assert [one.chunk.id for one in found] == ["a", "c", "b", "d"]
    assert [one.rank for one in found] == [1, 2, 3, 4]
