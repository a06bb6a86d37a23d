"""An editor drops a folder of mixed documents, mends what is wrong and finds the facts."""

from __future__ import annotations

import re
from pathlib import Path

from chat_page import ask, last_answer, main, open_page, upload
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
    part(page, "失败任务")
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
    page.get_by_text(re.compile("示例知识库 ·")).first.click()
    ask(page, "松风园区访客停车怎么收费？")
    expect(last_answer(page)).to_contain_text("八元")
    ask(page, "松风园区食堂晚餐供应到几点？")
    expect(last_answer(page)).to_contain_text("20:15")
    last_answer(page).get_by_role("button", name="查看原文").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("人工修改")
