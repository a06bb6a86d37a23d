"""Chat models against a scripted endpoint: answers, fallback, and each way to fail."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from chat_parts import chat, profile

from rag.errors import ModelError, ModelNonsense, ModelRejected, ModelUnavailable
from rag.models.chat import ChatModel, create_chat
from rag.secrets import Secrets
from rag.settings import ChatSettings
from tests.llm_server import (
    Reply,
    ScriptedServer,
    cut_off,
    hang,
    html,
    raw,
    require_key,
    slow,
    status,
    text,
    thinking,
)

KEY = "sk-very-secret-key-123456"
MESSAGES = [("system", "只根据资料回答。"), ("user", "补贴多少？")]


def ask(model: ChatModel, stop: threading.Event | None = None) -> str:
    return "".join(model.stream(MESSAGES, stop=stop))


# --- Streaming ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (text("每月两千元[1]。"), "每月两千元[1]。"),
        (thinking("先看资料 1。", "每月两千元。"), "每月两千元。"),
        (thinking("想", "答", piece=1), "答"),
        (text("a < b 且 <thin 不是标签", piece=3), "a < b 且 <thin 不是标签"),
        (text("答案", reasoning="另一个字段里的思考"), "答案"),
        (raw('{"choices":[{"message":{"content":"整段返回"}}]}'), "整段返回"),
    ],
)
def test_answers_arrive_without_thoughts(
    reply: Reply, expected: str, server: ScriptedServer, secrets: Secrets
) -> None:
    server.script(reply)
    assert ask(chat(server, secrets)) == expected


def test_pieces_arrive_while_the_answer_is_written(
    server: ScriptedServer, secrets: Secrets
) -> None:
    server.script(slow("一二三四五六七八", pace_s=0.3))
    arrivals = [time.monotonic() for _ in chat(server, secrets).stream(MESSAGES)]
    assert arrivals[-1] - arrivals[0] > 0.2


def test_usage_and_name_are_known_afterwards(server: ScriptedServer, secrets: Secrets) -> None:
    model = chat(server, secrets)
    server.script(text("两千元"))
    ask(model)
    assert model.last_usage == {"input": 13, "output": 3}
    assert model.name == "qwen"
    assert not model.truncated
    server.script(text("两千", finish_reason="length"))
    ask(model)
    assert model.truncated


def test_messages_and_parameters_reach_the_endpoint(
    server: ScriptedServer, secrets: Secrets
) -> None:
    secrets.set("chat:主模型", KEY)
    model = ChatModel([profile(server, temperature=0.5, max_tokens=77)], secrets)
    list(model.stream([("user", "坏\ud83d字")]))
    request = server.chats()[0]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["messages"] == [{"role": "user", "content": "坏?字"}]
    assert (request.body["temperature"], request.body["max_tokens"]) == (0.5, 77)


def test_stop_ends_the_answer_at_once_and_hangs_up(
    server: ScriptedServer, secrets: Secrets
) -> None:
    server.script(slow("一二三四" * 100, pace_s=0.1))
    stop = threading.Event()
    answer = ""
    for piece in chat(server, secrets).stream(MESSAGES, stop=stop):
        answer += piece
        stop.set()
    assert 0 < len(answer) < 200
    assert _eventually(lambda: server.chats()[0].closed_early)


def test_stop_works_before_the_first_token(server: ScriptedServer, secrets: Secrets) -> None:
    server.script(hang(30))
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    begin = time.monotonic()
    assert ask(chat(server, secrets), stop) == ""
    assert time.monotonic() - begin < 25


def test_leaving_the_stream_hangs_up(server: ScriptedServer, secrets: Secrets) -> None:
    server.script(slow("一二三四" * 50, pace_s=0.1))
    stream = chat(server, secrets).stream(MESSAGES)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert _eventually(lambda: server.chats()[0].closed_early)


def _eventually(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


# --- Failures -------------------------------------------------------------------------

FAILURES = [
    (status(401), ModelRejected, "需要密钥"),
    (status(402, "Insufficient Balance"), ModelRejected, "余额"),
    (status(403), ModelRejected, "无权使用"),
    (status(404, "The model `qwen` does not exist"), ModelRejected, "没有名为 qwen 的模型"),
    (status(400, "Model Not Exist"), ModelRejected, "没有名为 qwen 的模型"),
    (status(404, "Not Found"), ModelRejected, "地址可能不对"),
    (html(404), ModelRejected, "地址可能不对"),
    (html(), ModelRejected, "返回的是网页"),
    (status(400, "maximum context length is 4096 tokens"), ModelRejected, "超过了它的长度限制"),
    (status(400, "data_inspection_failed"), ModelRejected, "内容安全"),
    (status(418), ModelRejected, "拒绝了请求（HTTP 418）"),
    (status(429), ModelUnavailable, "限流"),
    (status(429, "You exceeded your current quota"), ModelRejected, "余额"),
    (status(500), ModelUnavailable, "服务出错了（HTTP 500）"),
    (status(503), ModelUnavailable, "服务出错了（HTTP 503）"),
    (hang(5), ModelUnavailable, "太久没有回应"),
    (text(""), ModelNonsense, "没有返回任何内容"),
    (text("<think>一直想", finish_reason="length"), ModelNonsense, "用完了输出长度"),
    (raw("garbage"), ModelNonsense, "无法识别"),
    (raw("data: {bad\n\n", "text/event-stream"), ModelNonsense, "无法识别"),
    (raw(b"\xff\xfe", "text/event-stream"), ModelNonsense, ""),
    (raw('{"error": {"message": "invalid api key"}}'), ModelRejected, "需要密钥"),
    (text("答案", error_after=0), ModelUnavailable, "报告了错误"),
]


@pytest.mark.parametrize(("reply", "kind", "said"), FAILURES)
def test_each_failure_has_its_own_words(
    reply: Reply, kind: type[ModelError], said: str, server: ScriptedServer, secrets: Secrets
) -> None:
    server.script(reply)
    model = chat(server, secrets)
    with pytest.raises(kind) as failure:
        ask(model)
    assert said in failure.value.message
    assert failure.value.remedy
    assert failure.value.text("en").isascii()
    server.script(reply)
    verdict = model.test(profile(server))
    assert not verdict.ok
    assert verdict.message == failure.value.text()


def test_a_refused_connection_and_an_unknown_host(secrets: Secrets) -> None:
    with ScriptedServer() as closed:
        address = closed.url
    model = ChatModel([profile(address)], secrets)
    with pytest.raises(ModelUnavailable, match="拒绝了连接"):
        ask(model)
    verdict = model.test(profile("http://host.invalid/v1"))
    assert not verdict.ok
    assert "host.invalid" in verdict.message


def test_the_whole_answer_is_bounded_in_time(server: ScriptedServer, secrets: Secrets) -> None:
    server.script(slow("一二三四" * 200, pace_s=0.2))
    model = ChatModel([profile(server, total_timeout_s=1)], secrets)
    got: list[str] = []
    with pytest.raises(ModelUnavailable, match="1 秒内没有完成"):
        got.extend(model.stream(MESSAGES))
    assert len("".join(got)) < 400, "the whole would take minutes"


@pytest.mark.parametrize("clean", [False, True], ids=["broken connection", "no finish_reason"])
def test_a_cut_off_keeps_the_part_and_says_so(
    clean: bool, server: ScriptedServer, secrets: Secrets
) -> None:
    server.script(cut_off("一二三四五六七八九十", 2, clean_cut=clean))
    got: list[str] = []
    with pytest.raises(ModelUnavailable, match="断"):
        for piece in chat(server, secrets).stream(MESSAGES):
            got.append(piece)
    assert "".join(got) == "一二三四五六七八"


def test_an_error_in_mid_stream_keeps_the_part(server: ScriptedServer, secrets: Secrets) -> None:
    server.script(text("一二三四五六七八", error_after=1))
    got: list[str] = []
    with pytest.raises(ModelUnavailable):
        for piece in chat(server, secrets).stream(MESSAGES):
            got.append(piece)
    assert got == ["一二三四"]


# --- Fallback -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply", [status(500), status(401), hang(5), text(""), cut_off("一", 0), html()]
)
def test_the_next_profile_answers(
    reply: Reply, server: ScriptedServer, spare: ScriptedServer, secrets: Secrets
) -> None:
    server.script(reply)
    spare.script(text("备用模型的回答"))
    model = ChatModel([profile(server), profile(spare, name="备用", model="glm")], secrets)
    assert ask(model) == "备用模型的回答"
    assert model.name == "glm"


def test_no_fallback_after_the_first_token(
    server: ScriptedServer, spare: ScriptedServer, secrets: Secrets
) -> None:
    server.script(cut_off("一二三四五六七八", 1))
    model = ChatModel([profile(server), profile(spare, name="备用")], secrets)
    with pytest.raises(ModelUnavailable):
        ask(model)
    assert spare.requests == []


def test_when_all_fail_the_first_reason_is_told(
    server: ScriptedServer, spare: ScriptedServer, secrets: Secrets
) -> None:
    server.script(status(429))
    spare.script(status(500))
    model = ChatModel([profile(server), profile(spare, name="备用", model="glm")], secrets)
    with pytest.raises(ModelUnavailable, match="限流") as failure:
        ask(model)
    assert "glm" in failure.value.detail


# --- Keys -----------------------------------------------------------------------------


def test_verdicts_about_keys(server: ScriptedServer, secrets: Secrets) -> None:
    server.script(require_key(KEY), always=True)
    model = ChatModel([], secrets)
    assert "需要密钥" in model.test(profile(server)).message
    assert "密钥不正确" in model.test(profile(server), "sk-wrong").message
    assert "不该出现的字符" in model.test(profile(server), "我的密钥").message
    good = model.test(profile(server), KEY)
    assert good.ok
    assert "连接正常" in good.message
    assert good.ms > 0
    secrets.set("chat:主模型", KEY)
    assert model.test(profile(server)).ok


def test_keys_are_never_shown(
    server: ScriptedServer, secrets: Secrets, caplog: pytest.LogCaptureFixture
) -> None:
    server.script(require_key("another"), always=True)
    secrets.set("chat:主模型", KEY)
    model = chat(server, secrets)
    with caplog.at_level(logging.DEBUG), pytest.raises(ModelRejected) as failure:
        ask(model)
    verdict = model.test(profile(server))
    shown = [failure.value.text(), failure.value.detail, str(failure.value), str(verdict)]
    assert not any(KEY in line for line in [*shown, caplog.text, repr(model.__dict__.keys())])


def test_a_key_in_the_environment_goes_nowhere_else(
    server: ScriptedServer, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    ask(chat(server, secrets))
    assert KEY not in str(server.chats()[0].headers)


# --- Building and sharing -------------------------------------------------------------


def test_create_chat_takes_enabled_profiles_only(tmp_path: Path) -> None:
    secrets = Secrets(tmp_path)
    assert create_chat(ChatSettings(), secrets) is None
    off = profile("http://localhost/v1", enabled=False)
    assert create_chat(ChatSettings(profiles=(off,)), secrets) is None
    on = profile("http://localhost/v1", name="开", model="glm")
    model = create_chat(ChatSettings(profiles=(off, on)), secrets)
    assert model is not None
    assert model.name == "glm"


def test_threads_do_not_mix_answers(server: ScriptedServer, secrets: Secrets) -> None:
    server.script(lambda request: text(request.body["messages"][-1]["content"] * 3))
    model = chat(server, secrets)
    answers: dict[str, tuple[str, dict[str, int]]] = {}

    def one(word: str) -> None:
        answers[word] = "".join(model.stream([("user", word)])), model.last_usage

    threads = [threading.Thread(target=one, args=(f"问题{n}号",)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for word, (answer, usage) in answers.items():
        assert answer == word * 3
        assert usage == {"input": len(word), "output": 3 * len(word)}


def test_langchain_callbacks_see_the_call(server: ScriptedServer, secrets: Secrets) -> None:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.runnables import RunnableLambda

    seen: list[str] = []

    class Watcher(BaseCallbackHandler):
        def on_chat_model_start(self, serialized, messages, **kwargs) -> None:
            seen.append(messages[0][-1].content)

    model = chat(server, secrets)
    chain = RunnableLambda(lambda question: "".join(model.stream([("user", question)])))
    chain.invoke("看得见吗", {"callbacks": [Watcher()]})
    assert seen == ["看得见吗"]
