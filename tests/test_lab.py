"""The lab finds what the chat finds, says why, and remembers questions."""

from __future__ import annotations

import pytest

from rag.application import Application
from rag.errors import InvalidInput, NotAllowed
from rag.lab import CaseResult, Setup, figures
from rag.settings import RetrievalSettings
from rag.types import Person

ADMIN = Person(id="a", name="管理员", role="admin")
TEXTS = {
    "休假.md": (
        "# 休假办法\n\n## 年假\n\n员工每年有十天年假。\n\n## 病假\n\n病假每年十五天，须有证明。\n"
    ),
    "报销.md": "# 报销制度\n\n差旅费在返回后三十天内报销。\n",
    "设备.md": "# 设备表\n\nABC-123 型离心机放在三楼，ABC-124 型放在四楼。\n",
}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    application = Application(tmp_path_factory.mktemp("lab"))
    application.prepare()
    kb = application.kb_named("制度", create=True)
    for name, text in TEXTS.items():
        path = application.data / name
        path.write_text(text, encoding="utf-8")
        application.pipeline.ingest(application.files.put(path, name).path, kb.id, name)
    yield application
    application.close()


@pytest.fixture(scope="module")
def kb_ids(app):
    return (app.kb_named("制度").id,)


def test_the_lab_and_the_chat_find_the_same(app, kb_ids):
    question = "年假有几天？"
    tried = app.lab.run(ADMIN, question, kb_ids)
    chat = app.search(question, kb_ids, app.settings.current.retrieval.top_k)
    assert [hit.chunk.id for hit in tried.retrieval.hits] == [hit.chunk.id for hit in chat.hits]
    assert "十天年假" in tried.rows[0].chunk.text


def test_each_found_passage_says_where_it_stood_and_why(app, kb_ids):
    tried = app.lab.run(ADMIN, "ABC-123 放在哪里", kb_ids)
    first = tried.rows[0]
    assert "ABC-123" in first.chunk.text
    assert {"dense", "sparse", "fused", "reranked", "final"} <= set(first.places)
    assert first.places["final"] == 1
    assert "关键词第" in first.why
    assert first.used
    assert tried.plan.reasons


def test_settings_of_a_trial_change_nothing_else(app, kb_ids):
    before = app.settings.current
    narrow = RetrievalSettings.model_validate(before.retrieval.model_dump() | {"top_k": 1})
    tried = app.lab.run(ADMIN, "报销期限", kb_ids, Setup(retrieval=narrow, rerank=False))
    assert len(tried.retrieval.hits) == 1
    assert "reranked" not in tried.rows[0].places
    assert app.settings.current == before


def test_a_strategy_can_be_forced(app, kb_ids):
    tried = app.lab.run(ADMIN, "年假有几天？", kb_ids, Setup(strategy="broad"))
    assert tried.plan.strategy == "broad"


def test_a_saved_question_is_found_again_after_the_document_was_cut_anew(app, kb_ids):
    tried = app.lab.run(ADMIN, "病假要什么？", kb_ids)
    right = next(row.chunk for row in tried.rows if "病假" in row.chunk.text)
    case = app.lab.save_case(ADMIN, "病假要什么？", kb_ids, [right])
    assert app.lab.save_case(ADMIN, "病假要什么？", kb_ids, [right]).id == case.id
    assert app.lab.check(ADMIN, case).first == 1
    app.pipeline.recut(right.document_id)
    assert app.lab.check(ADMIN, app.lab.cases(ADMIN)[0]).first == 1
    gone = case.model_copy(update={"kb_ids": ("k-gone",)})
    assert app.lab.check(ADMIN, gone).first is None
    app.lab.delete_case(ADMIN, case.id)
    assert app.lab.cases(ADMIN) == []


def test_what_cannot_be_tried_is_refused_in_words(app, kb_ids):
    with pytest.raises(InvalidInput, match="空的"):
        app.lab.run(ADMIN, "  ", kb_ids)
    with pytest.raises(InvalidInput, match="知识库"):
        app.lab.run(ADMIN, "年假", ())
    with pytest.raises(InvalidInput, match="片段"):
        app.lab.save_case(ADMIN, "年假", kb_ids, [])


@pytest.mark.parametrize("role", ["guest", "member", "editor"])
def test_only_administrators_may_look(app, kb_ids, role):
    person = Person(id="p", role=role)
    with pytest.raises(NotAllowed):
        app.lab.run(person, "年假", kb_ids)
    with pytest.raises(NotAllowed):
        app.lab.cases(person)


@pytest.mark.parametrize("question", ["```'\"%", "😀😀", "<b>年假</b>", "年假" * 900])
def test_odd_questions_do_no_harm(app, kb_ids, question):
    assert app.lab.run(ADMIN, question, kb_ids).ms > 0


def test_the_figures_count_questions_and_passages():
    def result(*places):
        return CaseResult(None, places)

    said = figures([result(1, None), result(4), result(None, None)])
    assert (said.cases, said.first, said.expected, said.found) == (3, 1, 5, 2)
    assert said.hit_at_1 == pytest.approx(1 / 3)
    assert said.recall == pytest.approx(2 / 5)
    assert said.mrr == pytest.approx((1 + 1 / 4) / 3)
    assert (figures([]).hit_at_1, figures([]).recall, figures([]).mrr) == (0.0, 0.0, 0.0)
