"""Journeys through the real program in a real browser."""

from __future__ import annotations

import re

from chat_page import (
    ask,
    ask_samples,
    choose_option,
    composer,
    finished,
    last_answer,
    main,
    open_page,
    sign_in,
    upload,
)
from playwright.sync_api import Page, expect
from real_server import wait_until

HANDBOOK = """# 青松书院借阅办法

## 第一章 借阅
第一条 每位读者每次可以借阅青松书院的图书7册，借期为45天。
第二条 图书逾期未还的，每册每天收取滞纳金0.3元。

## 第二章 办证
第三条 办理借阅证需要提交身份证复印件和一寸照片两张。
"""


def test_from_the_first_start_to_a_deleted_document(server, visitor, tmp_path):
    page = visitor()
    sign_in(page, server)
    page.reload()
    expect(page.get_by_role("button", name="退出登录")).to_be_visible()

    page.get_by_role("link", name="文档").click()
    page.get_by_role("button", name="新建").click()
    page.get_by_role("dialog").get_by_label("名称").fill("书院")
    page.get_by_role("button", name="新建知识库").click()
    expect(main(page).get_by_text("上传到“书院”")).to_be_visible()
    file = tmp_path / "青松书院借阅办法.md"
    file.write_text(HANDBOOK, encoding="utf-8")
    upload(page, file)
    expect(main(page).locator(".zw-tag").get_by_text("可提问")).to_be_visible(timeout=120_000)

    page.get_by_role("link", name="对话").click()
    ask_samples(page, wanted=False)
    ask(page, "青松书院每次可以借几册图书？")
    expect(last_answer(page)).to_contain_text("7册")
    ask(page, "那逾期呢？")
    expect(last_answer(page)).to_contain_text("0.3元")

    last_answer(page).locator("a.zw-chip").first.click()
    card = last_answer(page).locator(".zw-card:target")
    expect(card).to_contain_text("青松书院借阅办法")
    expect(card.locator("mark").first).to_be_visible()
    last_answer(page).get_by_role("button", name="查看原文").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("第二条")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.get_by_role("link", name="文档").click()
    main(page).get_by_role("button", name="青松书院借阅办法.md").click()
    expect(main(page).get_by_text("第 1 块").first).to_be_visible()
    main(page).get_by_role("button", name="删除", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="删除 1 份文档").click()
    expect(main(page).get_by_text("这个知识库里还没有文档")).to_be_visible()
    page.get_by_role("link", name="对话").click()
    ask_samples(page, wanted=False)
    ask(page, "青松书院每次可以借几册图书？")
    expect(last_answer(page)).to_contain_text("根据现有信息无法确定")
    expect(last_answer(page).locator(".zw-card")).to_have_count(0)


def test_a_clarification_is_answered_with_a_click(server, visitor):
    page = visitor()
    open_page(page, server.url)
    ask_samples(page)
    ask(page, "人才租房补贴怎么申请？")
    expect(last_answer(page).get_by_role("button", name="深圳")).to_be_visible()
    choose_option(page, "深圳", "2024年")
    expect(last_answer(page).locator(".zw-card").first).to_contain_text("深圳市人才租房补贴")


def test_a_reload_in_mid_answer_loses_nothing(server, visitor):
    page = visitor()
    open_page(page, server.url)
    ask_samples(page)
    question = "年假、病假和婚假分别有几天？"
    composer(page).fill(question)
    composer(page).press("Enter")
    expect(page).to_have_url(re.compile(r"c="))
    page.reload()
    expect(page.locator(".zw-user")).to_contain_text(question)
    finished(page)
    expect(last_answer(page).locator(".zw-answer, .zw-box")).not_to_be_empty()
    other_tab = page.context.new_page()
    open_page(other_tab, page.url)
    expect(other_tab.locator(".zw-user")).to_contain_text(question)


def test_another_visitor_sees_nothing_of_it(server, visitor):
    first, second = visitor(), visitor()
    open_page(first, server.url)
    ask_samples(first)
    ask(first, "出差住宿标准是多少？")
    address = first.url
    open_page(second, address)
    expect(second.get_by_test_id("stSidebar").get_by_text("还没有对话")).to_be_visible()
    expect(second.locator(".zw-user")).to_have_count(0)
    expect(first.locator(".zw-user")).to_have_count(1)


def test_guests_do_not_reach_the_admin_page(server, visitor):
    admin, guest = visitor(), visitor()
    sign_in(admin, server)
    open_page(admin, f"{server.url}/admin")
    expect(main(admin).get_by_text("对话模型").first).to_be_visible()
    open_page(guest, f"{server.url}/admin")
    expect(main(guest).get_by_text("请先用有权限的账号登录")).to_be_visible()
    expect(main(guest).get_by_text("对话模型")).to_have_count(0)


def choose(page: Page, action: str) -> None:
    """Choose an action of the first conversation's menu."""
    page.locator('[class*="st-key-menu-"] button').first.click()
    page.get_by_text(action, exact=True).last.click()


def test_conversations_are_renamed_found_and_deleted(server, visitor):
    page = visitor()
    open_page(page, server.url)
    ask(page, "你好")
    choose(page, "重命名")
    page.get_by_role("dialog").get_by_label("标题").fill("问候 `x` <b>")
    page.get_by_role("dialog").get_by_role("button", name="重命名").click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_role("button", name="问候 `x` <b>")).to_be_visible()
    choose(page, "删除")
    page.get_by_role("button", name="删除这个对话").click()
    expect(sidebar.get_by_text("还没有对话")).to_be_visible()
    expect(main(page).get_by_text("问问您的文档")).to_be_visible()


def test_the_page_speaks_english_and_remembers_it(server, visitor):
    page = visitor()
    open_page(page, server.url)
    page.get_by_test_id("stSidebar").get_by_text("English").click()
    expect(main(page).get_by_text("Ask your documents")).to_be_visible()
    wait_until(lambda: "zhiwen_language" in {c["name"] for c in page.context.cookies()})
    page.reload()
    expect(main(page).get_by_text("Ask your documents")).to_be_visible()


def test_the_theme_is_one_click_away(server, visitor):
    page = visitor()
    open_page(page, server.url)
    scheme = "() => getComputedStyle(document.querySelector('.stApp')).colorScheme"
    assert page.evaluate(scheme) == "light"
    page.locator(".st-key-menu-theme button").click()
    page.get_by_text("深色", exact=True).click()
    page.wait_for_function(f"({scheme})() === 'dark'")


def test_a_phone_shows_it_all_without_scrolling_sideways(server, browser, browser_context_args):
    phone = {**browser_context_args, "viewport": {"width": 390, "height": 844}}
    context = browser.new_context(**phone)
    page = context.new_page()
    for path in ("", "documents", "sign_in"):
        open_page(page, f"{server.url}/{path}")
        expect(main(page).locator("h1").first).to_be_visible()
        width = page.evaluate("document.scrollingElement.scrollWidth")
        assert width <= 390, path
    context.close()
