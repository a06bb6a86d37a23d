import pytest

from rag.errors import NotFound
from rag.types import Answer, Citation, Final, StepStarted, Token


@pytest.fixture
def conversation(catalog):
    return catalog.conversations.create("u1", ["kb1"], "年假")


def test_ids_cannot_be_guessed(catalog, conversation):
    other = catalog.conversations.create("u1", [])
    message = catalog.conversations.add_message(conversation.id, "user", "你好")
    ids = {conversation.id, other.id, message.id}
    assert len(ids) == 3
    assert all(len(id_) >= 32 for id_ in ids)


def test_only_the_owner_sees_a_conversation(catalog, conversation):
    assert catalog.conversations.get(conversation.id, "u1") == conversation
    assert catalog.conversations.list("u2") == []
    with pytest.raises(NotFound):
        catalog.conversations.get(conversation.id, "u2")


def test_messages_keep_their_order_and_move_the_conversation_up(catalog, conversation, clock):
    clock.forward(minutes=1)
    later = catalog.conversations.create("u1", [], "报销")
    assert [c.title for c in catalog.conversations.list("u1")] == ["报销", "年假"]
    clock.forward(minutes=1)
    for content in ("年假几天？", "五天 [1]", "那病假呢？"):
        catalog.conversations.add_message(conversation.id, "user", content)
    assert [m.content for m in catalog.conversations.messages(conversation.id)] == [
        "年假几天？",
        "五天 [1]",
        "那病假呢？",
    ]
    assert [c.id for c in catalog.conversations.list("u1")] == [conversation.id, later.id]


@pytest.mark.parametrize(
    ("query", "found"),
    [("", 2), ("年假", 1), ("五天", 1), ("ABC-1", 1), ("abc-1", 1), ("%", 0), ("_", 0), ("'", 0)],
)
def test_search_takes_words_literally(catalog, conversation, query, found):
    catalog.conversations.add_message(conversation.id, "assistant", "五天，见 ABC-123")
    catalog.conversations.create("u1", [], "报销")
    assert len(catalog.conversations.list("u1", query)) == found


def test_title_and_knowledge_bases_change(catalog, conversation):
    catalog.conversations.rename(conversation.id, " 休假 ")
    catalog.conversations.set_kbs(conversation.id, ["kb2", "kb3"])
    changed = catalog.conversations.get(conversation.id, "u1")
    assert (changed.title, changed.kb_ids) == ("休假", ("kb2", "kb3"))


def test_a_finished_answer_survives_with_its_citations(catalog, conversation):
    message = catalog.conversations.add_message(conversation.id, "assistant", "", "running")
    citation = Citation(
        n=1,
        chunk_id="c",
        document_id="d",
        document="手册.docx",
        page=3,
        quote="五天",
        char_span=(0, 2),
    )
    answer = Answer(status="answered", text="五天 [1]", citations=(citation,), confidence=0.9)
    catalog.conversations.update_message(
        message.id, content=answer.text, status="done", answer=answer
    )
    assert catalog.conversations.message(message.id).answer == answer


def test_events_are_read_from_where_one_left_off(catalog, conversation):
    message = catalog.conversations.add_message(conversation.id, "assistant", "", "running")
    events = [StepStarted(step="retrieve"), Token(text="五"), Token(text="天")]
    for seq, event in enumerate(events, start=1):
        catalog.conversations.append_event(message.id, seq, event)
    assert catalog.conversations.events(message.id, 0) == list(enumerate(events, start=1))
    assert catalog.conversations.events(message.id, 2) == [(3, Token(text="天"))]
    final = Final(answer=Answer(status="answered", text="五天"))
    catalog.conversations.append_events(message.id, [(3, Token(text="again")), (4, final)])
    assert catalog.conversations.events(message.id, 2) == [(3, Token(text="天")), (4, final)]


def test_writing_to_a_deleted_conversation_does_no_harm(catalog, conversation):
    message = catalog.conversations.add_message(conversation.id, "assistant", "", "running")
    catalog.conversations.delete(conversation.id)
    catalog.conversations.append_event(message.id, 1, Token(text="五"))
    assert catalog.conversations.events(message.id) == []
    assert not catalog.conversations.update_message(message.id, content="五")
    with pytest.raises(NotFound):
        catalog.conversations.add_message(conversation.id, "user", "还在吗")
    with pytest.raises(NotFound):
        catalog.conversations.message(message.id)


def test_a_crash_leaves_the_partial_text_as_stopped(catalog, conversation):
    store = catalog.conversations
    streamed = store.add_message(conversation.id, "assistant", "", "running")
    for seq, text in enumerate(("年假", "五天"), start=1):
        store.append_event(streamed.id, seq, Token(text=text))
    saved = store.add_message(conversation.id, "assistant", "已保存的部分", "running")
    done = store.add_message(conversation.id, "assistant", "完成")
    assert store.fail_running() == 2
    assert [(m.status, m.content) for m in store.messages(conversation.id)] == [
        ("stopped", "年假五天"),
        ("stopped", "已保存的部分"),
        ("done", "完成"),
    ]
    assert {streamed.id, saved.id, done.id} == {m.id for m in store.messages(conversation.id)}
    assert store.fail_running() == 0


def test_feedback_is_kept_and_taken_back(catalog, conversation):
    message = catalog.conversations.add_message(conversation.id, "assistant", "五天")
    catalog.conversations.set_feedback(message.id, "down", "数字不对")
    shown = catalog.conversations.message(message.id)
    assert (shown.feedback, shown.feedback_reason) == ("down", "数字不对")
    catalog.conversations.set_feedback(message.id, None)
    shown = catalog.conversations.message(message.id)
    assert (shown.feedback, shown.feedback_reason) == (None, "")
    catalog.conversations.remove_message(message.id)
    with pytest.raises(NotFound):
        catalog.conversations.set_feedback(message.id, "up")
