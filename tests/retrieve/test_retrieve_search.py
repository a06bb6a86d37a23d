"""Search over the real stores: what people find, in which order, and what is never shown."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import date

import numpy as np
import pytest
from retrieve_world import PairEmbedder, World

from rag.errors import ModelUnavailable
from rag.ingest.rebuild import fill
from rag.types import Slots

LEAVE = "员工入职满一年后享有五天带薪年假，满十年为十天。"
EXPENSES = "差旅费用应在出差结束后三十日内提交报销单和发票。"
SICK = "病假三天以上须提交医院证明，病假工资按八成发放。"


def test_the_right_passage_comes_first(world: World) -> None:
    world.add("员工手册.docx", [LEAVE, EXPENSES, SICK])
    assert world.texts("年假有几天？")[0] == LEAVE
    assert world.texts("出差回来多久要报销")[0] == EXPENSES
    assert world.texts("生病请假要什么证明")[0] == SICK


def test_hits_carry_scores_ranks_reasons_and_timings(world: World) -> None:
    world.add("员工手册.docx", [LEAVE, EXPENSES])
    found = world.retriever.search(world.plan("年假有几天？"))
    best = found.hits[0]
    assert set(best.scores) == {"dense", "sparse", "fused", "rerank"}
    assert 0 <= best.scores["rerank"] <= 1
    assert best.why == "含有：年假"
    assert [hit.rank for hit in found.hits] == [1, 2]
    assert found.candidates == 2
    assert {"embed", "dense", "sparse", "fuse", "resolve", "rerank"} <= set(found.timings_ms)


@pytest.mark.parametrize("question", ["", "   ", "\x00"])
def test_a_blank_question_finds_nothing(world: World, question: str) -> None:
    world.add("员工手册.docx", [LEAVE])
    assert world.retriever.search(world.plan(question.strip("\x00"))).hits == ()


@pytest.mark.parametrize(
    "question", ["😀😀😀", '"\\ or 1==1', "%' OR region like '%", "`{}`", "a" * 10_000, "\x07年假"]
)
def test_odd_questions_do_no_harm(world: World, question: str) -> None:
    world.add("员工手册.docx", [LEAVE])
    assert len(world.retriever.search(world.plan(question)).hits) <= 1


def test_a_rare_two_letter_name_is_found(world: World) -> None:
    world.add("名录.txt", ["负责人为欧阳龘龘。", *[f"第{n}组的负责人为张伟。" for n in range(30)]])
    assert world.texts("龘龘")[0] == "负责人为欧阳龘龘。"


@pytest.mark.parametrize("code", ["ABC-123", "ABC-124", "abc-125", "ＡＢＣ－１２３"])
def test_the_named_code_comes_before_its_neighbours(world: World, code: str) -> None:
    for number in ("123", "124", "125"):
        text = f"型号 ABC-{number} 的额定电压为 220V，保修期两年，功率如下表所示。"
        world.add(f"规格 {number}.txt", [text, f"ABC-{number} 的包装尺寸。"])
    best = world.texts(f"{code} 的额定电压是多少？")
    wanted = code[-1].translate(str.maketrans("３", "3"))
    assert f"ABC-12{wanted} 的额定电压" in best[0]
    assert all(f"ABC-12{wanted}" in text for text in best[:2])


def test_a_document_number_and_a_quoted_title_come_first(world: World) -> None:
    world.add("通知一.txt", ["根据浙政发〔2016〕306号文件执行。"])
    world.add("通知二.txt", ["根据浙政发〔2016〕307号文件执行，306号另行通知，306号从旧。"])
    world.add("杭州市租房补贴办法.txt", ["补贴每月八百元。"])
    world.add("宁波市租房补贴办法.txt", ["租房补贴办法规定补贴每月六百元，租房补贴按月发放。"])
    assert world.texts("浙政发[2016]306号讲了什么")[0].endswith("306号文件执行。")
    found = world.retriever.search(world.plan("《杭州市租房补贴办法》补贴多少"))
    assert found.hits[0].chunk.text == "补贴每月八百元。"
    assert found.hits[0].why == "准确匹配：《杭州市租房补贴办法》"


def test_conditions_hold_and_unspecified_documents_pass(world: World) -> None:
    world.add("杭州.txt", ["人才租房补贴每月八百元。"], region="浙江/杭州", year=2024)
    world.add("北京.txt", ["人才租房补贴每月两千元。"], region="北京", year=2024)
    world.add("全国.txt", ["人才租房补贴不计入应税收入。"])
    found = world.texts("租房补贴", regions=("浙江/杭州",))
    assert "人才租房补贴每月两千元。" not in found
    assert set(found) == {"人才租房补贴每月八百元。", "人才租房补贴不计入应税收入。"}


def test_conditions_without_any_hit_are_dropped_and_named(world: World) -> None:
    world.add("杭州.txt", ["人才租房补贴每月八百元。"], region="浙江/杭州", year=2024)
    found = world.retriever.search(
        world.plan("租房补贴", regions=("浙江",), years=(2019, 2019), document_types=("通知",))
    )
    assert found.widened == ("文档类型", "年份")
    assert [hit.chunk.text for hit in found.hits] == ["人才租房补贴每月八百元。"]


def test_knowledge_bases_and_documents_are_never_widened(world: World) -> None:
    world.add("员工手册.docx", [LEAVE])
    other = world.catalog.knowledge_bases.create("另一个").id
    assert world.texts("年假", kb_ids=(other,)) == []
    assert world.texts("年假", document_ids=("没有",)) == []
    assert world.texts("年假", kb_ids=()) == []


def test_what_the_catalog_does_not_hold_is_not_shown(world: World) -> None:
    chunks = world.add("员工手册.docx", [LEAVE, EXPENSES])
    world.catalog.documents.delete(chunks[0].document_id)
    assert world.texts("年假有几天？") == []


def test_results_are_kept_until_a_document_or_setting_changes(world: World) -> None:
    world.add("员工手册.docx", [LEAVE])
    first = world.retriever.search(world.plan("年假有几天？"))
    assert world.retriever.search(world.plan("年假有几天？")) is first
    world.add("补充规定.txt", ["年假有十五天。"])
    second = world.retriever.search(world.plan("年假有几天？"))
    assert len(second.hits) == 2
    world.settings = world.settings.model_copy(
        update={"retrieval": world.settings.retrieval.model_copy(update={"top_k": 1})}
    )
    assert len(world.retriever.search(world.plan("年假有几天？")).hits) == 1
    assert world.embedder.calls == 1


def test_parts_of_a_question_are_searched_too(world: World) -> None:
    world.add("员工手册.docx", [LEAVE, EXPENSES, SICK])
    plan = world.plan("年假和病假有什么区别？", "年假是什么规定", "病假是什么规定")
    assert {hit.chunk.text for hit in world.retriever.search(plan).hits[:2]} == {LEAVE, SICK}


def test_without_reranking_the_fusion_decides(world: World) -> None:
    world.add("员工手册.docx", [LEAVE, EXPENSES, SICK])
    found = world.retriever.search(world.plan("年假有几天？"), rerank=False)
    assert found.hits[0].chunk.text == LEAVE
    fused = [hit.scores["fused"] for hit in found.hits]
    assert fused == sorted(fused, reverse=True)
    assert all("rerank" not in hit.scores for hit in found.hits)


def test_a_dead_reranker_endpoint_does_not_end_the_search(world: World) -> None:
    class Dead:
        name = "dead"

        def score(self, question, hits):
            raise ModelUnavailable("重排服务没有响应。")

    world.add("员工手册.docx", [LEAVE, EXPENSES])
    world.reranker = Dead()
    assert world.texts("年假有几天？")[0] == LEAVE


def test_a_probe_keeps_to_the_known_slots(world: World) -> None:
    world.add("杭州.txt", ["人才租房补贴每月八百元。"], region="浙江/杭州", year=2024)
    world.add("北京.txt", ["人才租房补贴每月两千元。"], region="北京", year=2023)
    probe = world.retriever.probe
    both = probe("租房补贴多少", (world.kb_id,), Slots())
    assert {hit.chunk.metadata.region for hit in both} == {"浙江/杭州", "北京"}
    only = probe("租房补贴多少", (world.kb_id,), Slots(region=("北京",)))
    assert [hit.chunk.metadata.region for hit in only] == ["北京"]
    others = {hit.chunk.document_id for hit in only}
    rest = probe("租房补贴多少", (world.kb_id,), Slots(), tuple(others))
    assert [hit.chunk.metadata.region for hit in rest] == ["浙江/杭州"]


def test_a_document_of_another_year_is_found_by_the_year_in_its_text(world: World) -> None:
    world.add("纪要.txt", ["会议确认：2024年的设备采购合同金额为九十六万元。"], year=2025)
    world.add("通知.txt", ["关于2024年放假安排的通知。"], year=2024)
    first = world.retriever.search(world.plan("2024年的设备采购合同金额是多少？")).hits[0]
    assert "九十六万" in first.chunk.text


def test_documents_that_are_left_out_are_not_found(world: World) -> None:
    world.add("旧.txt", ["租房补贴每月八百元。"], year=2023)
    world.add("新.txt", ["租房补贴每月一千元。"], year=2024)
    old = next(d.id for d in world.catalog.documents.list(world.kb_id) if d.name == "旧.txt")
    hits = world.retriever.search(world.plan("租房补贴多少", left_out=(old,))).hits
    assert [hit.chunk.text for hit in hits] == ["租房补贴每月一千元。"]


def test_evidence_follows_the_settings(world: World) -> None:
    world.add("员工手册.docx", [LEAVE, EXPENSES, SICK])
    found = world.retriever.search(world.plan("年假有几天？"))
    evidence = world.retriever.evidence("年假有几天？", found.hits)
    assert [item.n for item in evidence] == [1, 2, 3]
    assert evidence[0].text == LEAVE


def test_a_short_code_comes_before_what_only_sounds_alike(world: World) -> None:
    world.add(
        "净水器手册.txt",
        [
            "H2 滤芯到期：换上新的滤芯。",
            "H3 漏水保护：关闭进水阀，擦干底盘。",
            "显示屏亮起故障灯时先断电，再看怎么处理；灯还亮就联系售后。",
        ],
    )
    assert world.texts("净水器灯亮显示H3怎么处理")[0].startswith("H3")


def test_words_of_another_region_meet(world: World) -> None:
    world.add("手冊.txt", ["安裝軟體前請先連上網路。", "滑鼠須另外購買。"])
    world.add("手册.txt", ["打印机缺纸时亮红灯。"])
    assert world.texts("软件怎么装")[0].startswith("安裝軟體")
    assert world.texts("鼠标要买吗")[0].startswith("滑鼠")
    assert world.texts("列印缺紙")[0].startswith("打印机")


class WideEmbedder(PairEmbedder):
    """Another embedder, of another dimension."""

    fingerprint = "pairs_2"
    dimension = 64


def swapped(world: World) -> tuple[WideEmbedder, Callable[[], None]]:
    """Another embedder with its vectors beside those in use, and the switch to its vectors."""
    other = WideEmbedder()
    fill(world.catalog, world.vectors.beside(other.fingerprint, other.dimension), other)
    return other, lambda: world.vectors.open(other.fingerprint, other.dimension)


def test_a_search_between_the_two_steps_of_an_exchange_waits(world: World) -> None:
    world.add("员工手册.docx", [LEAVE, EXPENSES])
    other, switch = swapped(world)
    switch()
    timer = threading.Timer(0.1, lambda: setattr(world, "embedder", other))
    timer.start()
    assert world.texts("年假有几天？")[0] == LEAVE
    timer.join()


def test_a_search_during_an_exchange_is_begun_again(world: World) -> None:
    world.add("员工手册.docx", [LEAVE, EXPENSES])
    other, switch = swapped(world)
    old, embed = world.embedder, world.embedder.embed_queries

    def exchange(texts: Sequence[str]) -> np.ndarray:
        vectors = embed(texts)
        switch()
        world.embedder = other
        return vectors

    old.embed_queries = exchange
    assert world.texts("年假有几天？")[0] == LEAVE
    assert other.calls == 1


OLD_RULE = "住宿费标准为每人每天三百元，超过部分自理。"
NEW_RULE = "住宿费标准为每人每天四百五十元，超过部分自理。"


def test_the_current_version_of_a_rule_comes_first(world: World) -> None:
    old = world.add("差旅办法（2021版）.md", [OLD_RULE], effective_date=date(2021, 1, 1))
    new = world.add("差旅办法（2024版）.md", [NEW_RULE], effective_date=date(2024, 1, 1))
    world.catalog.documents.set_superseded(world.kb_id, {old[0].document_id: new[0].document_id})
    question = "住宿费标准是每人每天多少？"
    assert world.texts(question) == [NEW_RULE, OLD_RULE]
    assert world.texts("2021年" + question)[0] == OLD_RULE
    assert [hit.chunk.text for hit in world.retriever.probe(question, [world.kb_id], Slots())] == [
        NEW_RULE
    ]
