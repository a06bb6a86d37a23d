"""The dictionary on the documents page: enter, change, delete, bring in, try."""

from __future__ import annotations

import pytest
from page_reading import buttons, field, press, text_of
from streamlit.testing.v1 import AppTest


@pytest.fixture
def base(application) -> str:
    return application.add("人事", {"考勤.txt": "调休须提前两天申请。"})


@pytest.fixture
def book(visit, base) -> AppTest:
    at = visit("documents")
    at.button_group(key="documents-view").set_value("terms").run()
    return at


def terms(application, kb_id: str | None) -> dict[str, tuple[str, ...]]:
    return {term.text: term.synonyms for term in application.catalog.terms.list(kb_id)}


def enter(at: AppTest, term: str, synonyms: str) -> AppTest:
    press(at, "添加").run()
    field(at.text_input, "词").set_value(term)
    field(at.text_area, "同义词").set_value(synonyms)
    return press(at, "保存").run()


def test_an_empty_dictionary_says_what_it_is_for(book):
    assert "词典还是空的" in text_of(book) and "倒休怎么申请" in text_of(book)
    assert {"添加", "导入"} <= set(buttons(book))


def test_a_term_is_entered_changed_tried_and_deleted(book, application, base):
    at = enter(book, "调休", "倒休、换休，\n串休")
    assert terms(application, base) == {"调休": ("倒休", "换休", "串休")}
    field(at.run().text_input, "输入一个问题").set_value("倒休怎么申请？").run()
    assert "“倒休”也叫：调休、换休、串休" in text_of(at)
    assert "同时检索：调休怎么申请？" in text_of(at)
    press(at, "修改").run()
    field(at.text_area, "同义词").set_value("倒休")
    press(at, "保存").run()
    assert terms(application, base) == {"调休": ("倒休",)}
    only = application.catalog.terms.list(base)[0]
    at.run().button(key=f"quiet-delete-{only.id}").click().run()
    assert "不再按这些说法检索" in text_of(at)
    press(at, "删除“调休”").run()
    assert terms(application, base) == {}


def test_what_cannot_be_entered_is_told_and_kept(book, application, base):
    at = enter(book, "怎么", "如何")
    assert "提问或连接用的词" in text_of(at)
    assert field(at.text_input, "词").value == "怎么"
    assert terms(application, base) == {}


def test_hostile_words_are_shown_as_typed(book, application, base):
    at = enter(book, "<b>粗</b>`x`:red[y]", "$a$ **b**")
    assert not at.exception
    assert "<b>粗</b>`x`:red[y]" in text_of(at.run())


def test_a_file_is_previewed_then_brought_in(book, application, base):
    press(book, "导入").run()
    data = "词,同义词\n调休,倒休\n假,休\n".encode("gb18030")
    book.file_uploader[-1].set_value([("词.csv", data, "text/csv")]).run()
    assert "新增 1" in text_of(book) and "第 3 行" in text_of(book)
    assert terms(application, base) == {}
    press(book, "导入 1 个词").run()
    assert terms(application, base) == {"调休": ("倒休",)}


def test_the_search_narrows_the_list(book, application, base):
    application.catalog.terms.save_all(
        base, [(f"词语{n}", f"词语{n}", [f"别名{n}"]) for n in range(60)]
    )
    at = book.run()
    assert "60 个词" in text_of(at) and "另有 10 个词" in text_of(at)
    field(at.text_input, "查找").set_value("别名42").run()
    assert "1 个词" in text_of(at) and "词语42" in text_of(at)


def test_who_may_not_edit_only_reads_and_tries(visit, application, base):
    application.settings.update("interface", {"guest_uploads": False})
    application.catalog.terms.save(None, "调休", "调休", ["倒休"])
    at = visit("documents")
    at.button_group(key="documents-view").set_value("terms").run()
    at.button_group(key="terms-scope").set_value("all").run()
    assert "由管理员维护" in text_of(at) and "倒休" in text_of(at)
    assert not {"添加", "导入", "修改", "删除"} & set(buttons(at))
    field(at.text_input, "输入一个问题").set_value("倒休怎么申请？").run()
    assert "同时检索：调休怎么申请？" in text_of(at)
