"""A chat model is connected, streams, is stopped and goes away again."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from chat_page import ask_samples, composer, finished, last_answer, main, open_page, sign_in
from llm_server import Request, ScriptedServer, slow, status, text
from playwright.sync_api import Page, expect
from real_server import Server

KEY = "sk-e2e-secret"
SENTENCE = "年假按工龄计算，入职满一年后可以申请。"


def reply(request: Request):
    """401 without the key; a slow answer when streaming; nonsense where JSON is asked for."""
    if request.headers.get("authorization") != f"Bearer {KEY}":
        return status(401, "Incorrect API key provided", code="invalid_api_key")
    if request.body.get("stream") and "资料" in str(request.body.get("messages")):
        return slow(SENTENCE * 12, pace_s=0.25)
    return text("好的。")


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        running.script(reply)
        yield running


def add_profile(page: Page, url: str, key: str) -> None:
    main(page).get_by_role("button", name="添加模型").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("名称").fill("本地模型")
    dialog.get_by_label("接口地址").fill(url)
    dialog.get_by_label("模型名").fill("tiny")
    dialog.get_by_label("密钥").fill(key)
    dialog.get_by_role("button", name="保存模型").click()
    expect(main(page).get_by_text("本地模型")).to_be_visible()


def test_a_model_is_tested_streams_and_is_stopped(server: Server, visitor, model: ScriptedServer):
    page = visitor()
    sign_in(page, server)
    open_page(page, f"{server.url}/admin")
    add_profile(page, model.url, "wrong")
    main(page).get_by_role("button", name="测试连接").click()
    expect(main(page).locator(".zw-box.zw-bad")).to_contain_text(re.compile("密钥|401"))

    main(page).get_by_role("button", name="修改", exact=True).click()
    page.get_by_role("dialog").get_by_label("密钥").fill(KEY)
    page.get_by_role("dialog").get_by_role("button", name="保存模型").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    main(page).get_by_role("button", name="测试连接").click()
    expect(main(page).get_by_text("连接正常：tiny")).to_be_visible()
    page.reload()
    expect(main(page).get_by_text("密钥已设置")).to_be_visible()
    assert KEY not in page.content()

    page.get_by_role("link", name="对话").click()
    ask_samples(page)
    composer(page).fill("工作满6年的员工有几天年假？")
    composer(page).press("Enter")
    writing = page.locator(".zw-caret")
    expect(writing).to_contain_text("年假按工龄")
    page.reload()
    expect(writing).to_contain_text("年假按工龄")
    page.get_by_role("button", name="停止").click()
    finished(page)
    expect(last_answer(page)).to_contain_text("已停止")
    expect(last_answer(page).locator(".zw-answer")).to_contain_text("年假按工龄")
    assert last_answer(page).locator(".zw-answer").inner_text().count(SENTENCE) < 12

    page.get_by_role("link", name="管理").click()
    main(page).get_by_role("button", name="删除", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="删除这个模型").click()
    expect(main(page).get_by_text("还没有对话模型")).to_be_visible()
