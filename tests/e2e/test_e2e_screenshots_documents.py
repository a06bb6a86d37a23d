"""Pictures of what editors see of one document: problem pages, original, chunks, sources.

They are kept where ZHIWEN_SCREENSHOTS points (docs/screenshots for the documentation's), else in
the test's own folder.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from chat_page import main, open_page, sign_in, upload
from playwright.sync_api import Page, expect
from real_server import Server, wait_until
from test_e2e_documents import PROCESSED_MS, draw_damaged, new_base, open_document, part
from test_e2e_screenshots import WIDE, folder, take

RULES = """第一章 总则
第一条 为规范访客和车辆进出松风园区，保障安全，制定本规定。
第二条 本规定适用于来访人员、临时车辆和施工单位。
第二章 停车收费
第三条 访客车辆每小时收费八元，每日最高六十元，当日首三十分钟免费。
第四条 施工车辆凭工单免费停放，最长不超过三日；超过的按日收费五十元。
第三章 附则
第五条 本规定自2026年3月1日起施行。""".splitlines()
TABLE = [
    ["车型", "每小时（元）", "每日上限（元）", "月卡（元）"],
    ["小型车", "8.00", "60.00", "480.00"],
    ["中型车", "12.00", "90.00", "720.00"],
    ["大型车", "20.00", "150.00", "1,200.00"],
]
SHARED = {
    "食堂规定.md": "# 食堂规定\n\n第一条 早餐供应时间为7:10至8:50。\n\n第二条 午餐每份补贴12元。\n",
    "会议室预订.md": "# 会议室预订办法\n\n第一条 会议室须提前一日预订。\n\n第二条 超时自动释放。\n",
}


def draw_rules(path: Path) -> None:
    """Two pages with a heading, articles and a ruled table; the second is a scan of such a one."""
    import pymupdf

    with pymupdf.open() as document, pymupdf.open() as scanned:
        page = document.new_page()
        page.insert_text((150, 90), "松风园区访客停车管理规定", fontname="china-s", fontsize=20)
        for number, line in enumerate(RULES):
            size = 14 if line.startswith("第") and "章" in line[:4] else 11
            page.insert_text((72, 140 + 30 * number), line, fontname="china-s", fontsize=size)
        for row, cells in enumerate(TABLE):
            for column, cell in enumerate(cells):
                x, y = 72 + 110 * column, 430 + 26 * row
                page.draw_rect((x, y, x + 110, y + 26))
                page.insert_text((x + 6, y + 17), cell, fontname="china-s", fontsize=10)
        sheet = scanned.new_page(width=595, height=300)
        sheet.insert_text((150, 60), "附件一 停车申请须知", fontname="china-s", fontsize=18)
        for number, line in enumerate(
            ("申请人应当在来访前一日提交车牌号和来访事由。", "审核通过后短信通知，凭短信入场。")
        ):
            sheet.insert_text((72, 120 + 36 * number), line, fontname="china-s", fontsize=14)
        picture = sheet.get_pixmap(dpi=150)
        document.new_page().insert_image((0, 60, 595, 360), pixmap=picture)
        document.save(path)


def allow(page: Page, server: Server, place: Path) -> None:
    """Allow the directory above on the admin page."""
    open_page(page, f"{server.url}/admin")
    main(page).get_by_text("文档处理", exact=True).click()
    area = main(page).get_by_label("允许关注的服务器目录")
    area.fill(str(place.parent))
    area.press("Control+Enter")
    main(page).locator('[class*="st-key-save-sources-"] button').click()
    expect(page.get_by_test_id("stToast")).to_be_visible()


def follow(page: Page, place: Path) -> None:
    """Follow a folder with the chosen base, and wait until it was looked at."""
    part(page, "来源")
    main(page).get_by_role("button", name="添加文件夹").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("名称").fill(place.name)
    dialog.get_by_label("服务器上的文件夹路径").fill(str(place))
    dialog.get_by_role("button", name="添加并开始同步").click()
    expect(main(page).get_by_text("上次同步").first).to_be_visible(timeout=PROCESSED_MS)


def test_a_document_s_parts_have_their_pictures(
    server: Server, visitor: Callable[[], Page], tmp_path: Path
) -> None:
    kept = folder(tmp_path)
    rules, damaged = tmp_path / "停车管理规定.pdf", tmp_path / "巡检记录（扫描）.pdf"
    draw_rules(rules)
    draw_damaged(damaged)
    page = visitor()
    page.set_viewport_size(WIDE)
    sign_in(page, server)
    # The picture shows the path: the test's own folder has a long one.
    with tempfile.TemporaryDirectory(prefix="zhiwen-") as place:
        shared = Path(place) / "公共制度"
        shared.mkdir()
        for name, text in SHARED.items():
            (shared / name).write_text(text, encoding="utf-8")
        allow(page, server, shared)
        new_base(page, server, "松风园区制度")
        upload(page, rules, damaged)
        tags = main(page).locator(".zw-tag")
        expect(tags.get_by_text("可提问")).to_have_count(1, timeout=PROCESSED_MS)
        expect(tags.get_by_text("待处理").first).to_be_visible(timeout=PROCESSED_MS)
        follow(page, shared)
        wait_until(lambda: not server.open_jobs(), PROCESSED_MS / 1000)
        expect(main(page).get_by_text(f"{len(SHARED)} 项").first).to_be_visible()
        parts_at_top(page)
        take(page, kept / "documents-sources.png")

    part(page, "文档")
    expect(tags.get_by_text("可提问")).to_have_count(3)
    parts_at_top(page)
    take(page, kept / "documents-list.png")
    open_document(page, "停车管理规定")
    part(page, "原文")
    expect(main(page).locator("img").first).to_be_visible()
    take(page, kept / "document-original.png")
    part(page, "分块")
    expect(main(page).get_by_text("分块方式")).to_be_visible()
    parts_at_top(page)
    take(page, kept / "document-chunks.png")
    main(page).get_by_role("button", name="调整分块").click()
    expect(page.get_by_role("dialog").locator(".zw-card").first).to_be_visible()
    take(page, kept / "document-cut.png")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    main(page).get_by_role("button", name="返回列表").click()

    open_document(page, "巡检记录")
    part(page, "质量")
    expect(main(page).locator("img").first).to_be_visible()
    parts_at_top(page)
    take(page, kept / "document-quality.png")


def parts_at_top(page: Page) -> None:
    """Scroll to where the parts of the page begin."""
    main(page).get_by_role("radiogroup").last.evaluate("e => e.scrollIntoView({block: 'start'})")
