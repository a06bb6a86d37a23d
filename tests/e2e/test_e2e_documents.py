"""An editor drops a folder of mixed documents, mends what is wrong and finds the facts."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from chat_page import ask, ask_samples, last_answer, main, open_page, sign_in, upload
from playwright.sync_api import Page, expect

PROCESSED_MS = 180_000


def scan(path: Path, text: str) -> None:
    """A PDF whose only page is a picture of the text."""
    import pymupdf

    with pymupdf.open() as drawn:
        drawn.new_page(width=420, height=160).insert_text(
            (30, 70), text, fontname="china-s", fontsize=16
        )
        picture = drawn[0].get_pixmap(dpi=150)
    with pymupdf.open() as document:
        document.new_page(width=420, height=160).insert_image((0, 0, 420, 160), pixmap=picture)
        document.save(path)


def draw_damaged(path: Path) -> None:
    """Three pages of which two are pictures without a letter, as from a dirty scanner."""
    import pymupdf

    noise = random.Random(3)
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=420)
        for number, line in enumerate(("设备巡检记录", "三号泵房运行正常，压力0.45兆帕。")):
            page.insert_text((72, 80 + 40 * number), line, fontname="china-s", fontsize=16)
        for _ in range(2):
            page = document.new_page(width=595, height=420)
            side = 140
            pixels = bytes(noise.choice((235, 240, 245, 250)) for _ in range(side * side))
            page.insert_image(
                (0, 0, 595, 420), pixmap=pymupdf.Pixmap(pymupdf.csGRAY, side, side, pixels, 0)
            )
        document.save(path)


def new_base(page: Page, server, name: str) -> None:
    open_page(page, f"{server.url}/documents")
    page.get_by_role("button", name="新建").click()
    page.get_by_role("dialog").get_by_label("名称").fill(name)
    page.get_by_role("button", name="新建知识库").click()
    expect(main(page).get_by_text(f"上传到“{name}”")).to_be_visible()


def open_document(page: Page, name: str) -> None:
    main(page).get_by_role("button", name=name).first.click()
    expect(main(page).get_by_role("button", name="返回列表")).to_be_visible()


def part(page: Page, name: str) -> None:
    main(page).get_by_role("radio", name=name, exact=True).click()


def test_mixed_documents_are_read_mended_and_asked(server, visitor, tmp_path):
    scanned, rules, broken = (
        tmp_path / "停车通知.pdf",
        tmp_path / "食堂规定.md",
        tmp_path / "损坏.docx",
    )
    scan(scanned, "松风园区访客停车每小时收费八元。")
    rules.write_text(
        "# 松风园区食堂规定\n\n第一条 早餐供应时间为7:10至8:50。\n\n第二条 午餐每份补贴12元。\n",
        encoding="utf-8",
    )
    broken.write_bytes(b"PK\x03\x04" + bytes(200))
    page = visitor()
    new_base(page, server, "松风园区")
    upload(page, scanned, rules, broken)
    expect(main(page).locator(".zw-tag").get_by_text("可提问")).to_have_count(
        2, timeout=PROCESSED_MS
    )
    expect(main(page).locator(".zw-tag").get_by_text("未成功").first).to_be_visible()
    part(page, "未成功任务")
    expect(main(page).get_by_text("损坏.docx").first).to_be_visible()
    part(page, "文档")

    open_document(page, "停车通知")
    part(page, "原文")
    expect(main(page).get_by_text("整页文字识别")).to_be_visible()
    expect(main(page).locator("img").first).to_be_visible()
    main(page).get_by_role("button", name="返回列表").click()

    open_document(page, "食堂规定")
    part(page, "分块")
    expect(main(page).get_by_text("分块方式")).to_be_visible()
    main(page).get_by_role("button", name="编辑").first.click()
    area = page.get_by_role("dialog").get_by_label("内容")
    area.fill(area.input_value() + "\n第三条 晚餐供应至20:15。")
    page.get_by_role("dialog").get_by_role("button", name="保存").click()
    expect(main(page).locator(".zw-tag").get_by_text("已修改")).to_be_visible()

    page.get_by_role("link", name="对话").click()
    ask_samples(page, wanted=False)
    ask(page, "松风园区访客停车怎么收费？")
    expect(last_answer(page)).to_contain_text("八元")
    ask(page, "松风园区食堂晚餐供应到几点？")
    expect(last_answer(page)).to_contain_text("20:15")
    last_answer(page).get_by_role("button", name="查看原文").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("人工修改")


def test_a_synonym_counts_from_the_next_question_on(server, visitor):
    page = visitor()
    sign_in(page, server)
    open_page(page, f"{server.url}/documents?b={server.base_id('示例知识库')}")
    part(page, "词典")
    main(page).get_by_role("button", name="添加", exact=True).click()
    page.get_by_role("dialog").get_by_role("textbox", name="词", exact=True).fill("调休")
    page.get_by_role("dialog").get_by_role("textbox", name="同义词").fill("倒休")
    page.get_by_role("dialog").get_by_role("button", name="保存").click()
    expect(main(page).get_by_text("1 个词")).to_be_visible()
    page.get_by_role("link", name="对话").click()
    ask_samples(page)
    ask(page, "倒休几个月内有效？")
    expect(last_answer(page)).to_contain_text("6个月")


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves a folder without a log."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """A web site of one page on this machine; yields its address."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text(
        '<html><head><meta charset="utf-8"><title>青竹小区公告</title></head><body>'
        "<h1>青竹小区公告</h1><p>青竹小区电梯年检定于2026年4月18日进行，期间停用四小时。</p>"
        "</body></html>",
        encoding="utf-8",
    )
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/index.html"
        running.shutdown()


def test_problems_are_mended_in_place_and_sources_followed(server, visitor, tmp_path, site):
    import pymupdf

    doubtful, locked = tmp_path / "巡检记录.pdf", tmp_path / "加密菜单.pdf"
    draw_damaged(doubtful)
    with pymupdf.open() as drawn:
        drawn.new_page().insert_text((72, 100), "松露鹅肝每份388元。", fontname="china-s")
        drawn.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="1234", owner_pw="x")
    page = visitor()
    sign_in(page, server)
    new_base(page, server, "青竹小区")
    upload(page, doubtful, locked)
    tags = main(page).locator(".zw-tag")
    expect(tags.get_by_text("待处理")).to_have_count(2, timeout=PROCESSED_MS)
    expect(tags.get_by_text("需要密码")).to_have_count(2, timeout=PROCESSED_MS)
    main(page).get_by_label("文档密码").fill("1234")
    main(page).get_by_role("button", name="用密码打开").click()
    expect(tags.get_by_text("可提问")).to_have_count(1, timeout=PROCESSED_MS)

    main(page).get_by_role("button", name="查看并处理").click()
    main(page).get_by_role("button", name="没问题，接受").first.click()
    expect(main(page).get_by_role("button", name="应用 1 项处理")).to_be_visible()
    main(page).get_by_role("button", name="修正文字").last.click()
    expect(page.get_by_role("dialog").locator("img")).to_be_visible()
    page.get_by_role("dialog").get_by_label("内容").fill("五号泵房压力0.77兆帕。")
    page.get_by_role("dialog").get_by_role("button", name="保留这份修正").click()
    main(page).get_by_role("button", name="应用 2 项处理").click()
    expect(main(page).locator(".st-key-deed")).to_contain_text(
        "处理完成 · 可提问", timeout=PROCESSED_MS
    )
    expect(main(page).get_by_text("已生效的处理 2 项")).to_be_visible()
    main(page).get_by_role("button", name="知道了").click()
    expect(main(page).locator(".st-key-deed")).to_have_count(0)
    page.reload()
    expect(main(page).get_by_text("已生效的处理 2 项")).to_be_visible()

    allow_loopback(page, server)
    page.get_by_role("link", name="文档").click()
    expect(main(page).get_by_text("上传到“青竹小区”")).to_be_visible()
    part(page, "来源")
    main(page).get_by_role("button", name="添加网站").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("名称").fill("物业网站")
    dialog.get_by_label("网址").fill(site)
    dialog.get_by_role("button", name="添加并开始同步").click()
    expect(main(page).get_by_text("的变化：新增 1")).to_be_visible(timeout=PROCESSED_MS)
    part(page, "文档")
    expect(tags.get_by_text("可提问")).to_have_count(3, timeout=PROCESSED_MS)

    page.get_by_role("link", name="对话").click()
    ask_samples(page, wanted=False)
    ask(page, "青竹小区电梯年检是哪一天？")
    expect(last_answer(page)).to_contain_text("4月18日")
    ask(page, "五号泵房压力是多少？")
    expect(last_answer(page)).to_contain_text("0.77")

    page.get_by_role("link", name="文档").click()
    part(page, "批量清理")
    expect(main(page).get_by_text("请先设置至少一个条件")).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    main(page).get_by_label("名称包含").fill("菜单")
    main(page).get_by_label("名称包含").press("Enter")
    expect(main(page).get_by_text("符合条件的文档 1 份")).to_be_visible()
    main(page).get_by_role("button", name="删除 1 份文档").click()
    expect(page.get_by_role("dialog")).to_contain_text("《加密菜单.pdf》")
    page.get_by_role("dialog").get_by_role("button", name="删除 1 份文档").click()
    expect(main(page).get_by_text("符合条件的文档 0 份")).to_be_visible()


def allow_loopback(page: Page, server) -> None:
    """Let web sources reach this machine; addresses of inner networks are refused otherwise."""
    open_page(page, f"{server.url}/admin")
    main(page).get_by_text("文档处理", exact=True).click()
    main(page).get_by_text("允许抓取内网地址", exact=True).first.click()
    main(page).locator('[class*="st-key-save-sources-"] button').click()
    expect(page.get_by_test_id("stToast")).to_be_visible()
