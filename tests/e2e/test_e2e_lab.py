"""The retrieval lab and the corrected question in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

from chat_page import ask, ask_samples, at_rest, finished, last_answer, main, open_page, sign_in
from playwright.sync_api import Locator, Page, expect


def _until(act: Callable[[], None], shown: Locator) -> None:
    """Do what may be done twice until its outcome shows: a click amid a rerun can be lost."""
    for _ in range(3):
        act()
        with suppress(AssertionError):
            expect(shown).to_be_visible(timeout=5000)
            return
    expect(shown).to_be_visible()


def only_samples(page: Page) -> None:
    """Choose the shipped samples alone in the lab, whatever other tests have left."""
    field = page.locator(".st-key-lab-bases")
    expect(field).to_be_visible()
    at_rest(page)
    field.get_by_label("Clear all").click()
    expect(field.get_by_label("Clear all")).to_have_count(0)
    at_rest(page)  # A list that is open while the page is drawn anew closes.
    field.get_by_role("combobox").fill("示例知识库")
    page.get_by_role("option", name="示例知识库").click()
    page.keyboard.press("Escape")
    at_rest(page)


def test_a_question_is_tried_compared_saved_and_run_again(server, visitor):
    page = visitor()
    sign_in(page, server)
    open_page(page, f"{server.url}/search_lab")
    only_samples(page)
    page.get_by_label("问题", exact=True).fill("工作满6年的员工有几天年假？")
    page.get_by_label("问题", exact=True).press("Enter")
    page.get_by_role("button", name="检索", exact=True).click()
    heads = page.locator(".zw-lab th")
    expect(heads.last).to_have_text("最终")
    expect(page.locator(".zw-lab tr").nth(1)).to_contain_text("用作依据")
    expect(page.locator(".zw-lab tr").nth(1)).to_contain_text("员工手册")

    main(page).get_by_text("比较两组设置", exact=True).click()
    expect(heads.last).to_have_text("变化")
    expect(page.locator(".zw-lab tr").nth(1)).to_contain_text("1")

    at_rest(page)
    main(page).get_by_text("把这个问题存成测试").click()
    passage = main(page).locator('[class*="st-key-lab-right-"]').first
    passage.locator("label").click()
    expect(passage.get_by_role("checkbox")).to_be_checked()
    at_rest(page)
    _until(
        lambda: page.get_by_role("button", name="存为测试问题").click(),
        page.get_by_text("已保存到“测试问题”。"),
    )
    main(page).get_by_text("测试问题", exact=True).click()
    at_rest(page)
    page.get_by_role("button", name="全部重跑（1 个）").click()
    expect(page.locator(".zw-figures tr").nth(1)).to_contain_text("100%（1/1）")
    page.get_by_role("button", name="删除测试问题").click()
    page.get_by_role("dialog").get_by_role("button", name="删除测试问题").click()
    expect(main(page).get_by_text(re.compile("还没有测试问题"))).to_be_visible()


def test_the_completed_question_is_put_right_in_one_click(server, visitor):
    page = visitor()
    open_page(page, server.url)
    ask_samples(page)
    ask(page, "2024年上海博士的租房补贴是多少？")
    ask(page, "北京呢？")
    expect(last_answer(page)).to_contain_text("理解为「")
    last_answer(page).get_by_role("button", name="修正").click()
    page.get_by_label("完整的问题").fill("2024年深圳博士的租房补贴是多少？")
    page.get_by_role("button", name="按这个问题重新回答").click()
    expect(last_answer(page)).to_contain_text("按您改写的问题回答：「2024年深圳")
    expect(last_answer(page).locator(".zw-card").first).to_contain_text("深圳")
    expect(page.locator(".zw-user").last).to_have_text("北京呢？")
    page.get_by_test_id("stSidebar").get_by_text("English").click()
    expect(last_answer(page)).to_contain_text("Answered as you rewrote it")
    last_answer(page).get_by_text(re.compile(r"\d+ steps")).click()
    expect(last_answer(page).locator(".zw-steps")).to_contain_text("Rewritten by you")
    finished(page)
