"""What a person chose among the knowledge bases is remembered, and nothing else is believed."""

from __future__ import annotations

import pytest

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
