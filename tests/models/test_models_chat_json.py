"""JSON from chat models, whatever servers and models make of the request."""

from __future__ import annotations

import time

import pytest
from chat_parts import chat, profile

from rag.errors import ModelNonsense, ModelUnavailable
from rag.models.chat import ChatModel
from rag.secrets import Secrets
from tests.llm_server import (
    Reply,
    ScriptedServer,
    as_json,
    fenced,
    hang,
    malformed_json,
    reject_parameters,
    status,
    text,
    thinking,
)

SCHEMA = {
    "type": "object",
    "required": ["intent"],
    "properties": {
        "intent": {"type": "string", "enum": ["fact", "chitchat"]},
        "region": {"type": ["string", "null"]},
    },
}


@pytest.mark.parametrize(
    "reply",
    [
        as_json({"intent": "fact", "region": None}),
        fenced({"intent": "fact", "region": None}),
        thinking('也许 {"intent": 1}？', '{"intent": "fact", "region": null}'),
        text('按 {要求} 输出：{"intent": "fact", "region": null} 完毕'),
        text('没有开头的思考</think>{"intent": "fact", "region": null}'),
        reject_parameters("response_format", then=as_json({"intent": "fact", "region": None})),
        reject_parameters(
            *("response_format", "stream_options", "temperature", "max_tokens"),
            then=as_json({"intent": "fact", "region": None}),
        ),
    ],
)
def test_json_survives_what_servers_do(
    reply: Reply, server: ScriptedServer, secrets: Secrets
) -> None:
    server.script(reply)
    value = chat(server, secrets).complete_json("理解问题", "你好", SCHEMA, timeout_s=3)
    assert value == {"intent": "fact", "region": None}
    asked = server.chats()[0].body["messages"][0]["content"]
    assert "理解问题" in asked
    assert '"enum": ["fact", "chitchat"]' in asked


def test_a_rejected_parameter_is_left_out_from_then_on(
    server: ScriptedServer, secrets: Secrets
) -> None:
    def decide(request) -> Reply:
        if "response_format" in request.body:
            return status(400, "This response_format type is unavailable now")
        return as_json({"intent": "fact"})

    server.script(decide)
    model = chat(server, secrets)
    for _ in range(2):
        model.complete_json("s", "u", SCHEMA, timeout_s=3)
    sent = ["response_format" in request.body for request in server.chats()]
    assert sent == [True, False, False]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (malformed_json(), "没有按要求返回 JSON"),
        (text("我不会输出 JSON。"), "没有按要求返回 JSON"),
        (text("[1, 2]"), "没有按要求返回 JSON"),
        (as_json({"intent": "weather"}), "不符合要求"),
        (as_json({"region": "浙江"}), "不符合要求"),
        (as_json({"intent": "fact", "region": 5}), "不符合要求"),
        (text("{" * 5000), "没有按要求返回 JSON"),
    ],
)
def test_json_that_cannot_be_used_is_nonsense(
    reply: Reply, said: str, server: ScriptedServer, secrets: Secrets
) -> None:
    server.script(reply)
    with pytest.raises(ModelNonsense, match=said):
        chat(server, secrets).complete_json("s", "u", SCHEMA, timeout_s=3)


def test_json_has_one_time_limit_for_all_profiles(
    server: ScriptedServer, spare: ScriptedServer, secrets: Secrets
) -> None:
    server.script(hang(30))
    spare.script(hang(30))
    slow_ones = [profile(s, name=s.url, read_timeout_s=60) for s in (server, spare)]
    begin = time.monotonic()
    with pytest.raises(ModelUnavailable):
        ChatModel(slow_ones, secrets).complete_json("s", "u", SCHEMA, timeout_s=0.6)
    assert time.monotonic() - begin < 25
