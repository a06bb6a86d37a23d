"""Pictures of every page, light and dark, wide and on a phone, for people to look at.

They are kept where ZHIWEN_SCREENSHOTS points (docs/screenshots for the README's), else in the
test's own folder.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from chat_page import ask, ask_samples, choose_option, last_answer, main, open_page, sign_in
from playwright.sync_api import Browser, Locator, Page, expect
from real_server import Server, wait_until

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LOOKS = {
    "": (WIDE, "light"),
    "-dark": (WIDE, "dark"),
    "-mobile": (PHONE, "light"),
    "-mobile-dark": (PHONE, "dark"),
}

MOVED = """Promise.race([
    Promise.all(document.getAnimations()
        .filter(moving => moving.effect.getTiming().iterations !== Infinity)
        .map(moving => moving.finished.catch(() => null))),
    new Promise(done => setTimeout(done, 3000))]).then(() => null)"""
"""Waits until nothing moves any more: an opening expander is cut off in mid-way. Not for long:
what is paused, or taken off the page on its way, never ends."""


def folder(tmp_path: Path) -> Path:
    chosen = Path(os.environ.get("ZHIWEN_SCREENSHOTS") or tmp_path)
    chosen.mkdir(parents=True, exist_ok=True)
    return chosen


def take(page: Page, path: Path) -> None:
    """A picture once nothing is loading any more."""
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    page.evaluate("document.fonts.ready")
    page.evaluate(MOVED)
    page.screenshot(path=path)
    assert path.stat().st_size > 5_000


def _on_top(page: Page, part: Locator) -> bool:
    """Scroll a part to the top; the page follows what grows at its end, so look again after."""
    part.evaluate("e => e.scrollIntoView({block: 'start'})")
    page.evaluate(MOVED)
    page.wait_for_timeout(200)
    top = part.evaluate("e => e.getBoundingClientRect().top")
    return bool(-5 <= top <= 150)


@pytest.mark.parametrize("look", LOOKS)
def test_every_page_has_its_picture(
    server: Server, browser: Browser, browser_context_args: dict, look: str, tmp_path: Path
):
    size, scheme = LOOKS[look]
    options = {**browser_context_args, "viewport": size, "color_scheme": scheme}
    context = browser.new_context(**options)
    page, kept = context.new_page(), folder(tmp_path)
    open_page(page, server.url)
    ask_samples(page)
    expect(page.locator(".zw-hero")).to_be_visible()
    take(page, kept / f"welcome{look}.png")

    ask(page, "人才租房补贴怎么申请？")
    expect(last_answer(page).get_by_role("button", name="北京")).to_be_visible()
    take(page, kept / f"clarify{look}.png")
    choose_option(page, "上海", "2024年")
    ask(page, "那北京呢？")
    expect(last_answer(page).locator(".zw-card").first).to_be_visible()
    page.locator(".zw-user").last.evaluate("e => e.scrollIntoView({block: 'start'})")
    take(page, kept / f"chat{look}.png")
    last_answer(page).locator('[data-testid="stExpander"] summary').first.click()
    rows = last_answer(page).locator(".zw-steps tr")
    expect(rows.first).to_be_visible()
    wait_until(lambda: _on_top(page, last_answer(page).get_by_test_id("stExpander").first))
    take(page, kept / f"steps{look}.png")
    last_answer(page).locator('[class*="st-key-quiet-source-"] button').first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_role("dialog").locator("img, .zw-passage").first).to_be_visible()
    take(page, kept / f"source{look}.png")
    page.keyboard.press("Escape")
    ask(page, "珠穆朗玛峰有多高？")
    take(page, kept / f"refusal{look}.png")

    open_page(page, f"{server.url}/documents?b={server.base_id('示例知识库')}")
    expect(main(page).locator('[class*="st-key-row-document-"]').first).to_be_visible()
    take(page, kept / f"documents{look}.png")
    main(page).locator('[class*="st-key-open-document-"] button').first.click()
    expect(main(page).locator(".zw-card").first).to_be_visible()
    take(page, kept / f"document{look}.png")

    open_page(page, f"{server.url}/sign_in")
    expect(page.get_by_label("用户名")).to_be_visible()
    take(page, kept / f"sign-in{look}.png")
    sign_in(page, server)
    open_page(page, f"{server.url}/admin")
    expect(main(page).get_by_text("对话模型").first).to_be_visible()
    take(page, kept / f"admin{look}.png")
    main(page).get_by_text("检索", exact=True).click()
    expect(main(page).get_by_label("交给回答的段落数")).to_be_visible()
    take(page, kept / f"admin-search{look}.png")
    if not look:
        open_page(page, f"{server.url}/search_lab")
        page.get_by_label("问题", exact=True).fill("2024年上海博士的租房补贴是多少？")
        page.get_by_label("问题", exact=True).press("Enter")
        page.get_by_role("button", name="检索", exact=True).click()
        expect(page.locator(".zw-lab")).to_be_visible()
        page.get_by_label("问题", exact=True).evaluate("e => e.scrollIntoView({block: 'start'})")
        take(page, kept / "search-lab.png")
    context.close()
