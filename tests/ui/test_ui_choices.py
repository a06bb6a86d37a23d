"""What a person chose among the knowledge bases is remembered, and nothing else is believed."""

from __future__ import annotations

import re

import pytest
from page_reading import press

from ui import choices
from ui.choices import Choices


def test_what_is_written_is_read_again():
    kept = {
        "a1b2c3d4e5f6": Choices("kb1", (("kb1", True), ("kb2", False))),
        "0123456789ab": Choices(),
    }
    assert choices._read(choices._written(kept)) == kept


@pytest.mark.parametrize(
    "written", ["", "/", ":::", "<script>:kb1", "a:kb1; path=/", "a" * 5000, "a:kb 1:+kb2"]
)
def test_what_is_not_ours_is_left_out(written):
    assert choices._read(written) == {}


@pytest.fixture
def two_bases(application):
    from rag.application import SAMPLE_KNOWLEDGE_BASE

    sample = application.add(SAMPLE_KNOWLEDGE_BASE, {"样例.txt": "样例的一段。"})
    return sample, application.add("我的制度", {})


def ticked(at):
    return {box.label.split(" ")[0]: box.value for box in at.checkbox}


def cookie(at):
    """The ticks of the person at hand, as the page lets the browser write them."""
    scripts = [element.proto.body for element in at.get("html")]
    (script,) = [body for body in scripts if choices.COOKIE in body]
    written = re.search(r'"kept": "([^"]*)"', script)[1]
    return written.split("/")[0].split(":")[2:]


def test_the_samples_are_asked_only_until_there_are_documents_of_ones_own(
    visit, application, two_bases
):
    assert ticked(visit()) == {"示例知识库": True, "我的制度": True}
    application.jobs.index(two_bases[1], "制度.txt", "制度的一段。", "测试")
    assert ticked(visit()) == {"示例知识库": False, "我的制度": True}


def test_a_tick_is_remembered_for_the_next_conversation(visit, application, two_bases):
    application.jobs.index(two_bases[1], "制度.txt", "制度的一段。", "测试")
    at = visit()
    at.checkbox(key=f"base-new-{two_bases[0]}").check().run()
    (entry,) = choices._read(choices._written(at.session_state[choices.COOKIE])).values()
    assert entry.ticked == ((two_bases[0], True),)
    assert ticked(at) == {"示例知识库": True, "我的制度": True}


def test_the_documents_page_opens_on_ones_own_base_first(visit, two_bases):
    assert visit("documents").selectbox[0].value == two_bases[1]


def test_the_base_opened_last_is_remembered(visit, application, two_bases):
    at = visit("documents")
    at.selectbox[0].set_value(two_bases[0]).run()
    (entry,) = at.session_state[choices.COOKIE].values()
    assert entry.opened == two_bases[0]


def test_another_page_of_the_same_person_knows_a_tick_that_no_cookie_has_told_it(
    visit, application, two_bases
):
    application.jobs.index(two_bases[1], "制度.txt", "制度的一段。", "测试")
    first, second = visit(admin=True), visit(admin=True)
    first.checkbox(key=f"base-new-{two_bases[0]}").check().run()
    assert ticked(visit(admin=True)) == {"示例知识库": True, "我的制度": True}
    second.checkbox(key=f"base-new-{two_bases[1]}").uncheck().run()
    first.run()
    assert cookie(first) == cookie(second) == [f"+{two_bases[0]}", f"-{two_bases[1]}"]
    assert ticked(visit()) == {"示例知识库": False, "我的制度": True}  # Another person.


def test_the_lab_asks_what_was_ticked_in_the_chat(visit, application, two_bases):
    application.jobs.index(two_bases[1], "制度.txt", "制度的一段。", "测试")
    assert visit("search_lab", admin=True).multiselect[0].value == [two_bases[1]]
    at = visit(admin=True)
    at.checkbox(key=f"base-new-{two_bases[0]}").check().run()
    lab = at.switch_page("pages/search_lab.py").run()
    assert set(lab.multiselect[0].value) == set(two_bases)


def test_a_guest_does_not_write_over_what_was_ticked_before_signing_out(
    visit, application, two_bases
):
    at = visit(admin=True)
    at.checkbox(key=f"base-new-{two_bases[0]}").uncheck().run()
    press(at, "退出登录").run()
    at.checkbox(key=f"base-new-{two_bases[1]}").uncheck().run()
    kept = [dict(entry.ticked) for entry in at.session_state[choices.COOKIE].values()]
    assert kept == [{two_bases[1]: False}, {two_bases[0]: False}]


def test_the_program_remembers_so_many_people_at_most(visit, two_bases, monkeypatch):
    monkeypatch.setattr(choices, "LATEST", 2)
    for _ in range(3):
        visit().checkbox[0].uncheck().run()
    assert len(choices._latest) == 2
