"""The parts of a document on the documents page, on the real application: what editors see
and do to its quality, chunks, metadata and versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from page_reading import APP, buttons, field, press, text_of, without_pages_folder
from streamlit.testing.v1 import AppTest

from rag.application import Application, opened
from rag.types import Person
from ui import runtime

GUEST = Person(id="guest-1", name="", role="guest")
RULES = """# 加班管理办法

## 第一章 总则

第一条 为了规范加班管理，制定本办法。

第二条 本办法适用于全体员工。

## 第二章 标准

第三条 平日加班每小时补贴 45 元。

第四条 周末加班每小时补贴 60 元。
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    with opened(tmp_path_factory.mktemp("curation") / "data") as application:
        application.ready.set()
        application.jobs.start()
        yield application


@pytest.fixture
def document_id(made: Application, tmp_path, request) -> str:
    kb = made.kb_named(request.node.name[:70], create=True)
    path = tmp_path / "加班管理办法.md"
    path.write_text(RULES, encoding="utf-8")
    result = made.pipeline.ingest(path, kb.id, path.name)
    assert result.status == "indexed", result.error
    assert result.document_id
    return result.document_id


@pytest.fixture
def page(
    made: Application, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], AppTest]]:
    without_pages_folder(monkeypatch)
    runtime.use(made)

    def show(part: str) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=60)
        at.session_state["language"] = "zh"
        at.query_params["d"] = document_id
        at.run()
        at.switch_page("pages/documents.py").run()
        at.button_group(key="document-part").set_value(part).run()
        assert not at.exception
        return at

    yield show
    runtime.use(None)


def texts(made: Application, document_id: str) -> list[str]:
    return [chunk.text for chunk in made.knowledge.chunks(GUEST, document_id)]


def test_the_cut_is_explained(made, page, document_id):
    shown = text_of(page("chunks"))
    assert "分块方式" in shown
    info = made.knowledge.document(GUEST, document_id)
    assert info.strategy_reason and info.strategy_reason in shown


def test_an_edited_chunk_is_saved_marked_and_reset(made, page, document_id):
    at = page("chunks")
    before = texts(made, document_id)
    press(at, "编辑").run()
    area = next(a for a in at.text_area if a.label == "内容")
    area.set_value(before[0] + "（人工补充）")
    press(at, "保存").run()
    assert texts(made, document_id)[0].endswith("（人工补充）")
    assert "已修改" in text_of(at.run())
    press(at, "撤销上一步").run()
    assert texts(made, document_id) == before


def test_a_chunk_is_switched_off_and_on(made, page, document_id):
    at = page("chunks")
    press(at, "停用").run()
    assert not made.knowledge.chunks(GUEST, document_id)[0].enabled
    assert "已停用" in text_of(at.run())
    press(at, "启用").run()
    assert made.knowledge.chunks(GUEST, document_id)[0].enabled


def test_chunks_are_split_at_marks_and_merged_again(made, page, document_id):
    at = page("chunks")
    before = texts(made, document_id)
    press(at, "拆分").run()
    lines = before[0].split("\n")
    next(a for a in at.text_area if a.label == "内容").set_value(
        "\n".join([lines[0], "---", *lines[1:]])
    )
    [b for b in at.button if b.label == "拆分"][-1].click().run()
    assert len(texts(made, document_id)) == len(before) + 1
    press(at.run(), "与下一块合并").run()
    assert len(texts(made, document_id)) == len(before)


def test_another_cut_is_tried_before_it_is_applied(made, page, document_id):
    at = page("chunks")
    press(at, "调整分块").run()
    field(at.selectbox, "分块方式").set_value("sentence_window").run()
    assert "按句检索" in text_of(at)
    verb = next(label for label in buttons(at) if label.startswith("按此方式重新分块"))
    press(at, verb).run()
    job = made.catalog.jobs.list()[0]
    made.jobs.wait([job.id], 30)
    assert made.knowledge.document(GUEST, document_id).strategy == "sentence_window"


def test_metadata_is_corrected_and_taken_back(made, page, document_id):
    at = page("metadata")
    field(at.text_input, "发布机构").set_value("云岭科技")
    press(at, "保存信息").run()
    assert made.knowledge.document(GUEST, document_id).metadata.organisation == "云岭科技"
    assert any("人工" in widget.label for widget in at.run().text_input)
    press(at, "恢复为自动提取的内容").run()
    assert made.knowledge.document(GUEST, document_id).metadata.organisation is None


def test_a_wrong_date_is_refused_in_words_and_kept_in_the_field(made, page, document_id):
    at = page("metadata")
    field(at.text_input, "失效日期").set_value("很久以后")
    press(at, "保存信息").run()
    assert not at.exception
    assert made.knowledge.document(GUEST, document_id).metadata.expiry_date is None
    assert field(at.text_input, "失效日期").value == "很久以后"


def test_a_hidden_document_says_so(made, page, document_id):
    at = page("chunks")
    press(at, "隐藏").run()
    assert made.knowledge.document(GUEST, document_id).hidden
    assert "已隐藏" in text_of(at.run())
    press(at, "取消隐藏").run()
    assert not made.knowledge.document(GUEST, document_id).hidden


def test_versions_are_listed_and_restored(made, page, document_id, tmp_path):
    kb_id = made.knowledge.document(GUEST, document_id).kb_id
    path = tmp_path / "加班管理办法.md"
    path.write_text(RULES.replace("45", "50"), encoding="utf-8")
    assert made.pipeline.ingest(path, kb_id, path.name).status == "replaced"
    at = page("versions")
    assert "第 2 版" in text_of(at)
    press(at, "恢复这一版").run()
    press(at, "恢复第 1 版").run()
    made.jobs.wait([made.catalog.jobs.list()[0].id], 30)
    assert any("45 元" in text for text in texts(made, document_id))


def test_the_text_and_the_original_are_shown(page):
    assert "平日加班每小时补贴 45 元" in text_of(page("text"))
    assert "平日加班每小时补贴 45 元" in text_of(page("original"))


def picture_page(path) -> None:
    """A PDF of two pages: one with text, one with nothing but a picture."""
    import pymupdf

    with pymupdf.open() as document:
        first = document.new_page()
        first.insert_text((72, 100), "第一条 平日加班每小时补贴四十五元。", fontname="china-s")
        second = document.new_page()
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 300, 400), False)
        pixmap.clear_with(120)
        second.insert_image(second.rect, pixmap=pixmap)
        document.save(path)


def test_a_problem_page_is_shown_corrected_and_the_correction_taken_back(
    made, monkeypatch, tmp_path, page, document_id
):
    kb_id = made.knowledge.document(GUEST, document_id).kb_id
    path = tmp_path / "带图片的制度.pdf"
    picture_page(path)
    made.settings.update("ingest", {"ocr": "off"})
    result = made.pipeline.ingest(path, kb_id, path.name)
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.session_state["language"] = "zh"
    at.query_params["d"] = result.document_id
    at.run()
    at.switch_page("pages/documents.py").run()
    at.button_group(key="document-part").set_value("quality").run()
    assert "需要看一看的 1 页" in text_of(at)
    press(at, "修正文字").run()
    next(a for a in at.text_area if a.label == "内容").set_value("第二条 周末加班补贴六十元。")
    press(at, "保留这份修正").run()
    assert "第 2 页 · 修正文字" in text_of(at.run())
    press(at, "应用 1 项处理").run()
    made.jobs.wait([made.catalog.jobs.list()[0].id], 30)
    assert any("周末加班补贴六十元" in text for text in texts(made, result.document_id))
    options = made.curation.options(GUEST, result.document_id)
    assert [decision.action for decision in options.decisions] == ["correct"]
