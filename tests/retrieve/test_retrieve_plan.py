"""What a plan asks of the search beyond its queries: an imagined answer, breadth, carried
evidence, quoted words."""

from __future__ import annotations

from retrieve_world import World

LEAVE = "员工入职满一年后享有五天带薪年假，满十年为十天。"
EXPENSES = "差旅费用应在出差结束后三十日内提交报销单和发票。"


def test_an_imagined_answer_joins_the_vector_search(world: World) -> None:
    rooms = [f"休息的事：第{n}号休息室怎么说也可坐{n}人。" for n in range(20)]
    world.add("手册.txt", [LEAVE, EXPENSES, *rooms])
    few = world.settings.retrieval.model_copy(
        update={"dense_candidates": 2, "sparse_candidates": 1}
    )
    plan = world.plan("休息的事怎么说")
    without = world.retriever.search(plan, settings=few, stages=True)
    imagined = plan.model_copy(update={"passage": "入职满一年享有五天带薪年假。"})
    found = world.retriever.search(imagined, settings=few, stages=True)
    assert LEAVE not in [hit.chunk.text for hit in without.hits]
    leave = next(hit for hit in found.hits if hit.chunk.text == LEAVE)
    question = world.embedder.embed_queries(["休息的事怎么说"])[0]
    passage = next(iter(world.vectors.vectors([leave.chunk.id], (world.kb_id,)).values()))
    assert abs(leave.scores["dense"] - float(question @ passage)) < 1e-4
    stage = next(stage for stage in found.stages if stage.note == "设想的答案")
    assert (stage.name, stage.query) == ("dense", imagined.passage)
    assert all(imagined.passage not in hit.chunk.text for hit in found.hits)


def test_breadth_takes_one_hit_of_each_document_first(world: World) -> None:
    long = [f"租房补贴第{n}条：租房补贴每月八百元。" for n in range(40)]
    world.add("杭州办法.txt", long)
    world.add("宁波办法.txt", ["宁波的租房补贴每月六百元。"])
    world.add("温州办法.txt", ["温州给青年人才发放住房补助。"])
    plan = world.plan("租房补贴")
    narrow = world.retriever.search(plan, top_k=4)
    broad = world.retriever.search(plan.model_copy(update={"breadth": True}), top_k=4)
    assert len({hit.chunk.document_id for hit in narrow.hits[:3]}) < 3
    assert len({hit.chunk.document_id for hit in broad.hits[:3]}) == 3
    assert len(broad.hits) == 4
    assert [hit.rank for hit in broad.hits] == [1, 2, 3, 4]


def test_carried_evidence_is_a_candidate_within_the_filter(world: World) -> None:
    kept = world.add("杭州.txt", ["补贴每月八百元。"], region="浙江/杭州")
    away = world.add("北京.txt", ["补贴每月两千元。"], region="北京")
    world.add("杂项.txt", [f"第{n}号会议室的钥匙在前台。" for n in range(60)], region="浙江/杭州")
    secret = world.catalog.knowledge_bases.create("另一个").id
    hidden = world.add("密.txt", ["补贴每月一万元。"], kb_id=secret, region="浙江/杭州")
    plan = world.plan("钥匙在哪", regions=("浙江/杭州",))
    few = world.settings.retrieval.model_copy(
        update={"dense_candidates": 20, "sparse_candidates": 20, "top_k": 50}
    )
    assert kept[0].id not in ids(world.retriever.search(plan, settings=few))
    carried = (*(chunk.id for chunk in (*kept, *away, *hidden)), "不存在")
    found = world.retriever.search(plan.model_copy(update={"carried": carried}), settings=few)
    assert kept[0].id in ids(found)
    assert away[0].id not in ids(found)
    assert hidden[0].id not in ids(found)
    hit = next(hit for hit in found.hits if hit.chunk.id == kept[0].id)
    assert hit.scores["fused"] == 0 and 0 < hit.scores["dense"] < 1 and "rerank" in hit.scores
    assert found.hits[0].chunk.id != kept[0].id


def test_a_deleted_document_is_not_carried_on(world: World) -> None:
    kept = world.add("旧.txt", ["补贴每月八百元。"])
    world.add("新.txt", ["钥匙在前台。"])
    plan = world.plan("钥匙在哪").model_copy(update={"carried": (kept[0].id,)})
    assert kept[0].id in ids(world.retriever.search(plan))
    world.catalog.documents.delete(kept[0].document_id)
    assert kept[0].id not in ids(world.retriever.search(plan))


def test_quoted_words_are_matched_as_they_stand(world: World) -> None:
    world.add("一.txt", [f"一网办理事项第{n}项，网通全办，办事一次通。" for n in range(40)])
    world.add("二.txt", ["办事大厅提供的服务很多，其中也包括“一网通办”，其他的见公告。"])
    found = world.retriever.search(world.plan("「一网通办」办理事项是什么"), stages=True)
    assert found.hits[0].chunk.document_name == "二.txt"
    assert found.hits[0].why.startswith("准确匹配：“一网通办”")
    exact = next(stage for stage in found.stages if stage.name == "exact")
    assert [id_ for id_, _ in exact.ranked] == [found.hits[0].chunk.id]


def test_a_quotation_that_stands_nowhere_does_no_harm(world: World) -> None:
    world.add("手册.txt", [LEAVE, EXPENSES])
    assert world.texts("“带薪年休假期”有几天年假")[0] == LEAVE


def ids(found) -> list[str]:
    return [hit.chunk.id for hit in found.hits]
