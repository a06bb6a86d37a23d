"""The chat page: empty state, asking, clarification, refusal, correction, failure, limits."""

from __future__ import annotations

import time

import pytest
from page_reading import APP, buttons, field, press, text_of
from streamlit.testing.v1 import AppTest

from rag.errors import ModelUnavailable

TEXT = "2024年上海人才租房补贴每月1500元。\n申请人登录一网通办提交材料。"


@pytest.fixture
def policies(application):
    return application.add("人才政策", {"上海补贴办法.txt": TEXT})


def conversation_id(at):
    """The conversation in the address."""
    value = at.query_params["c"]
    return value if isinstance(value, str) else value[0]


def settle(at, application):
    """Run until no answer is being written."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        at.run()
        if "c" not in at.query_params:
            return at
        rows = application.catalog.conversations.messages(conversation_id(at))
        if all(row.status != "running" for row in rows):
            return at.run()
    raise AssertionError("the answer never ended")


def ask(at, application, question):
    at.chat_input(key="question").set_value(question).run()
    return settle(at, application)


def test_without_documents_the_page_says_where_to_upload(visit):
    at = visit()
    assert "还没有文档" in text_of(at)
    assert not at.exception


def test_the_empty_page_offers_what_can_be_asked(visit, policies):
    at = visit()
    assert "人才政策" in text_of(at)
    assert any("主要讲了什么" in label for label in buttons(at))


def test_a_question_is_answered_with_its_evidence(visit, application, policies):
    at = ask(visit(), application, "补贴多少钱？")
    shown = text_of(at)
    assert "每月1500元" in shown
    assert "上海补贴办法.txt" in shown
    assert "较高" in shown
    assert "1 句没有找到依据" in shown
    assert "查看原文" in buttons(at)
    assert not at.exception


def test_files_that_are_still_read_are_told(visit, application, policies):
    jobs = application.catalog.jobs
    job = jobs.create(policies, "新.txt")
    at = visit().run()
    assert "1 份文件正在处理" in text_of(at)
    jobs.update(job.id, status="done")
    assert "正在处理" not in text_of(at.run())


def test_the_conversation_survives_a_reload(visit, application, policies):
    at = ask(visit(), application, "补贴多少钱？")
    again = AppTest.from_file(str(APP), default_timeout=60)
    again.session_state["visitor_session_id"] = at.session_state["visitor_session_id"]
    again.query_params["c"] = conversation_id(at)
    assert "每月1500元" in text_of(again.run())


def test_another_visitor_sees_nothing_of_it(visit, application, policies):
    at = ask(visit(), application, "补贴多少钱？")
    other = visit(c=conversation_id(at))
    assert "补贴多少钱" not in text_of(other)
    assert "补贴多少钱？" not in buttons(other)
    assert "还没有对话" in text_of(other)


def test_choosing_a_clarification_asks_on(visit, application, policies):
    at = ask(visit(), application, "哪里有补贴？")
    assert "上海" in buttons(at)
    press(at, "上海").run()
    settle(at, application)
    assert "上海的租房补贴多少钱？" in text_of(at)


def test_a_refusal_shows_near_topics_and_no_evidence(visit, application, policies):
    at = ask(visit(), application, "明天天气怎么样？")
    assert "根据现有信息无法确定" in text_of(at)
    assert "年假有几天？" in buttons(at)
    assert "查看原文" not in buttons(at)


def test_the_completed_question_can_be_corrected(visit, application, policies):
    at = ask(visit(), application, "补贴多少钱？")
    ask(at, application, "那怎么申请？")
    assert "理解为「怎么申请？（接着上文）」" in text_of(at)
    press(at, "修正").run()
    at.text_area[0].set_value("上海怎么申请？")
    press(at, "按这个问题重新回答").run()
    settle(at, application)
    assert "按您改写的问题回答：「上海怎么申请？」" in text_of(at)
    assert "那怎么申请？" in text_of(at)
    press(at, "先前的回答（1）").run()
    assert "先前的回答（1/1）" in text_of(at)
    assert "理解为「怎么申请？（接着上文）」" in text_of(at)
    press(at, "看现在的回答").run()
    press(at, "按我的原话查").run()
    settle(at, application)
    assert "按您的原话回答" in text_of(at)
    press(at, "恢复自动补全").run()
    settle(at, application)
    assert "理解为「怎么申请？（接着上文）」" in text_of(at)


def test_a_question_that_was_not_completed_can_be_put_right_too(visit, application, policies):
    at = ask(visit(), application, "去哪里申请？")
    ask(at, application, "天气呢？")
    assert buttons(at).count("改写问题") == 2
    at.button(key=next(b.key for b in at.button if b.label == "改写问题")).click().run()
    at.text_area[0].set_value("  ")
    press(at, "按这个问题重新回答").run()
    assert "问题是空的" in text_of(at)
    at.text_area[0].set_value("补贴怎么申请？")
    press(at, "按这个问题重新回答").run()
    settle(at, application)
    assert "按您改写的问题回答：「补贴怎么申请？」" in text_of(at)
    assert "去哪里申请？" in text_of(at) and "天气呢？" in text_of(at)


def test_a_failed_answer_keeps_the_question_and_says_what_to_do(visit, application, policies):
    at = ask(visit(), application, "坏了吗？")
    assert "模型没有响应" in text_of(at)
    assert "坏了吗？" in text_of(at)


def test_stop_keeps_what_was_written(visit, application, policies):
    application.chain.gate.clear()
    at = visit()
    at.chat_input(key="question").set_value("补贴多少钱？").run()
    press(at, "停止").run()
    settle(at, application)
    assert "已停止" in text_of(at)


def test_thumbs_are_kept_with_a_reason(visit, application, policies):
    at = ask(visit(), application, "补贴多少钱？")
    press(at, "没用").run()
    field(at.text_input, "补充说明（可不填）").set_value("数字不对")
    press(at, "提交评价").run()
    message = application.catalog.conversations.messages(conversation_id(at))[-1]
    assert (message.feedback, message.feedback_reason) == ("down", "数字不对")


HOSTILE = [
    "`反引号` \"双引号\" '单引号' \\ ; --",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "![图](http://evil.example/x.png) [链接](javascript:alert(1)) $x^2$ :red[红] :smile:",
    "😀🎉👨‍👩‍👧",
    "控制\x00\x07字符\u202e反转",
    "一" * 4000,
]


@pytest.mark.parametrize("question", HOSTILE)
def test_any_question_is_shown_as_it_was_typed(visit, application, policies, question):
    at = ask(visit(), application, question)
    bubble = next(e.proto.body for e in at.get("html") if "zw-user" in e.proto.body)
    assert "<script" not in bubble
    assert "<img" not in bubble
    assert not at.exception


@pytest.mark.parametrize("question", ["   \n ", "长" * 10_000])
def test_a_refused_question_is_kept_to_be_changed(visit, application, policies, question):
    at = ask(visit(), application, question)
    if question.strip():
        assert "太长" in text_of(at)
        assert at.text_area[0].value == question
    assert not at.exception


def test_english_is_one_switch_away(visit, policies):
    at = visit()
    at.button_group(key="language-switch").set_value("en").run()
    assert "Ask your documents" in text_of(at)


def test_models_that_failed_to_load_can_be_tried_again(visit, application):
    application.warm_error = ModelUnavailable("连不上向量接口。", "请检查地址。")
    at = visit()
    assert "连不上向量接口" in text_of(at)
    press(at, "再试一次").run()
    assert "连不上向量接口" not in text_of(at)
