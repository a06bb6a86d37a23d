"""The retrieval lab page over scripted results."""

from __future__ import annotations

import pytest
from page_reading import buttons, field, press, text_of

from rag.lab import CaseResult, Experiment, Row
from rag.types import Hit, QueryPlan, Retrieval, SearchFilter, Understanding


class ScriptedLab:
    """Finds all chunks of the asked bases in their order, backwards without reranking."""

    def __init__(self, catalog):
        self.catalog = catalog
        self.setups = []

    def run(self, person, question, kb_ids, setup=None, history=()):
        self.setups.append(setup)
        chunks = [
            chunk
            for kb_id in kb_ids
            for document in self.catalog.documents.list(kb_id)
            for chunk in self.catalog.chunks.list(document.id)
        ]
        if not setup.rerank:
            chunks.reverse()
        rows = tuple(
            Row(
                chunk, {"dense": n, "fused": n, "final": n}, {"dense": 1 / n}, "向量第 1 位", n == 1
            )
            for n, chunk in enumerate(chunks, start=1)
        )
        return Experiment(
            Understanding(question=question, standalone_question=question),
            QueryPlan(
                queries=(question,),
                filter=SearchFilter(kb_ids=tuple(kb_ids)),
                reasons=("问题完整，直接检索",),
            ),
            Retrieval(hits=tuple(Hit(chunk=c) for c in chunks), timings_ms={"dense": 3.0}),
            (),
            rows,
            12.0,
        )

    def save_case(self, person, question, kb_ids, right, note=""):
        from rag.types import ExpectedPassage

        expected = [
            ExpectedPassage(document_id=c.document_id, document=c.document_name, quote=c.text)
            for c in right
        ]
        return self.catalog.retrieval_cases.create(kb_ids, question, expected, note, person.name)

    def cases(self, person):
        return self.catalog.retrieval_cases.list()

    def check(self, person, case, setup=None):
        return CaseResult(case, tuple(2 for _ in case.expected))

    def delete_case(self, person, case_id):
        self.catalog.retrieval_cases.delete(case_id)


@pytest.fixture
def lab(application):
    application.lab = ScriptedLab(application.catalog)
    application.wait_ready = lambda: None
    application.add("制度", {"休假.md": "年假十天。<b>粗</b>\n\n病假十五天。"})
    return application.lab


def tried(visit, compare=False):
    at = visit("search_lab", admin=True)
    field(at.text_input, "问题").set_value("年假几天").run()
    if compare:
        field(at.toggle, "比较两组设置").set_value(True).run()
        [toggle for toggle in at.toggle if toggle.label == "重排"][1].set_value(False).run()
    return press(at, "检索").run()


def test_without_documents_it_says_what_to_do(visit, application):
    at = visit("search_lab", admin=True)
    assert "先在“文档”页面上传" in text_of(at)
    assert "检索" not in buttons(at)


def test_stages_stand_side_by_side(visit, lab):
    text = text_of(tried(visit))
    assert "理解为「年假几天」" in text
    assert "问题完整，直接检索" in text
    assert "向量检索 3 毫秒" in text
    assert "用作依据" in text
    assert "<b>粗</b>" in text


def test_two_settings_are_compared(visit, lab):
    text = text_of(tried(visit, compare=True))
    assert [setup.rerank for setup in lab.setups] == [True, False]
    assert "↓ 1" in text
    assert "↑ 1" in text


def test_a_changed_setting_searches_again_by_itself(visit, lab):
    at = tried(visit)
    assert len(lab.setups) == 1
    field(at.toggle, "重排").set_value(False).run()
    assert [setup.rerank for setup in lab.setups] == [True, False]
    field(at.text_input, "问题").set_value("病假几天").run()
    assert len(lab.setups) == 2


def test_what_was_tried_is_there_again_after_the_other_view(visit, lab):
    at = tried(visit, compare=True)
    at.button_group(key="lab-view").set_value("cases").run()
    at.button_group(key="lab-view").set_value("trial").run()
    assert field(at.text_input, "问题").value == "年假几天"
    assert field(at.toggle, "比较两组设置").value
    assert not at.exception and not at.warning


def test_a_question_is_saved_run_and_deleted(visit, lab):
    at = tried(visit)
    at.checkbox[0].check().run()
    press(at, "存为测试问题").run()
    assert [case.question for case in lab.cases(None)] == ["年假几天"]
    at.button_group(key="lab-view").set_value("cases").run()
    press(at, "全部重跑（1 个）").run()
    assert "第 2 位" in text_of(at)
    assert "0%（0/1） 100%（1/1） 0.50" in " ".join(text_of(at).split())
    field(at.toggle, "比较两组设置").set_value(True).run()
    press(at, "全部重跑（1 个）").run()
    assert "第 2 位 → 第 2 位" in text_of(at)
    press(at, "删除测试问题").run()
    [b for b in at.button if b.label == "删除测试问题"][-1].click().run()
    assert lab.cases(None) == []


def test_only_administrators_see_it(visit, application):
    application.add_admin()
    at = visit()
    assert "检索实验室" not in [
        link.label for link in at.get("page_link") if hasattr(link, "label")
    ]
    with pytest.raises(Exception, match=r"search_lab|NotAllowed|Could not find page"):
        at.switch_page("pages/search_lab.py").run()
        if "检索" not in buttons(at):
            raise LookupError("Could not find page")
