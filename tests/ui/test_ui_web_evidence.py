"""The card of a web page: its address is shown and opened, and stays text."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def card() -> None:
    from rag.types import Answer, Citation
    from ui.chat import evidence

    url = "https://example.org/tractor?a=1&b=2"
    citation = Citation(
        n=1,
        chunk_id="web:1",
        document_id="web:1",
        document="<b>拖拉机</b>",
        page=1,
        quote="有效期为六年。",
        char_span=(0, 7),
        text="有效期为六年。",
        url=url,
    )
    answer = Answer(status="answered", text="六年[1]。", citations=(citation,))
    evidence.render(None, answer, "m")  # type: ignore[arg-type]


def test_a_web_page_shows_its_address_and_no_source_of_ours() -> None:
    at = AppTest.from_function(card, default_timeout=60).run()
    assert not at.exception
    page = "".join(element.proto.body for element in at.get("html"))
    assert "https://example.org/tractor?a=1&amp;b=2" in page
    assert "<b>拖拉机</b>" not in page
    assert "第" not in page
    (link,) = at.get("link_button")
    assert link.proto.url == "https://example.org/tractor?a=1&b=2"
    assert not at.button
