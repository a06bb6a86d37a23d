"""What a person does on the pages, by the words that they see."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect
from real_server import Server

ANSWER_LIMIT_MS = 60_000
PASSWORD = "correct horse battery"


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    expect(page.get_by_test_id("stSidebar")).to_be_attached()


def composer(page: Page) -> Locator:
    return page.get_by_test_id("stChatInputTextArea")


def ask(page: Page, question: str) -> None:
    """Send a question and wait until its answer is finished."""
    before = page.locator(".zw-user").count()
    composer(page).fill(question)
    composer(page).press("Enter")
    expect(page.locator(".zw-user")).to_have_count(before + 1)
    finished(page)


def finished(page: Page) -> None:
    """Wait until every question has its finished answer."""
    questions = page.locator(".zw-user").count()
    messages = page.locator('[class*="st-key-message-"]')
    expect(messages).to_have_count(2 * questions, timeout=ANSWER_LIMIT_MS)


def at_rest(page: Page) -> None:
    """Wait until the page has drawn what the last action asked for: a click before that is lost."""
    page.wait_for_timeout(300)
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")


def last_answer(page: Page) -> Locator:
    return page.locator('[class*="st-key-message-"]').last


def choose_option(page: Page, *wanted: str) -> None:
    """Answer questions back with the first of the wanted options that each offers."""
    for _ in wanted:
        options = last_answer(page).locator('[class*="st-key-option-"] button')
        offered = [text.strip() for text in options.all_inner_texts()]
        chosen = next((word for word in wanted if word in offered), None)
        if chosen is None:
            return
        before = page.locator(".zw-user").count()
        options.get_by_text(chosen, exact=True).click()
        expect(page.locator(".zw-user")).to_have_count(before + 1)
        finished(page)


def main(page: Page) -> Locator:
    return page.get_by_test_id("stMainBlockContainer")


def upload(page: Page, *files: Path) -> None:
    page.locator('input[type="file"]').set_input_files([str(file) for file in files])
    for file in files:
        expect(main(page).get_by_text(file.name).first).to_be_visible()
    main(page).get_by_role("button", name="上传", exact=True).click()


def ask_samples(page: Page, wanted: bool = True) -> None:
    """Tick or untick the shipped samples; once there are other documents, they start unticked."""
    sidebar = page.get_by_test_id("stSidebar")
    box = sidebar.get_by_label(re.compile("示例知识库"))
    expect(box).to_be_attached()
    if box.is_checked() == wanted:
        return
    narrow = (page.viewport_size or {"width": 1280})["width"] < 700
    if narrow:
        page.get_by_test_id("stExpandSidebarButton").click()
    sidebar.get_by_text(re.compile("示例知识库 ·")).click()
    expect(box).to_be_checked(checked=wanted)
    if narrow:
        page.get_by_test_id("stSidebarCollapseButton").locator("button").click()


def sign_in(page: Page, server: Server) -> None:
    """Sign in as administrator, creating the account at the first call."""
    open_page(page, f"{server.url}/sign_in")
    expect(page.get_by_label("用户名")).to_be_visible()
    if page.get_by_label("一次性设置码").count():
        page.get_by_label("一次性设置码").fill(server.setup_code())
        page.get_by_label("用户名").fill("管理员")
        page.get_by_label("密码（至少 8 位）").fill(PASSWORD)
        page.get_by_label("再输入一次密码").fill(PASSWORD)
        page.get_by_role("button", name="创建管理员").click()
    else:
        page.get_by_label("用户名").fill("管理员")
        page.get_by_label("密码", exact=True).fill(PASSWORD)
        main(page).get_by_role("button", name="登录").click()
    expect(page.get_by_role("button", name="退出登录")).to_be_attached()
