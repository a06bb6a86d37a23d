from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from rag.export import to_markdown
from rag.types import Answer, Citation, Conversation, Message

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def exported(question: str, quote: str = "", title: str = "年假", document: str = "a.md") -> str:
    conversation = Conversation(id="c", owner="u", title=title, created_at=NOW, updated_at=NOW)
    shared: dict[str, Any] = {"conversation_id": "c", "status": "done", "created_at": NOW}
    citation = Citation(
        n=1,
        chunk_id="d-1-0",
        document_id="d",
        document=document,
        page=2,
        quote=quote,
        char_span=(0, 1),
    )
    answer = Answer(text="五天。[1]", citations=(citation,), status="answered")
    messages = [
        Message(id="1", role="user", content=question, **shared),
        Message(id="2", role="assistant", content=answer.text, answer=answer, **shared),
    ]
    return to_markdown(conversation, messages)


def test_a_question_is_a_heading_and_a_citation_an_item() -> None:
    lines = exported("年假几天？", "年假五天。\n\n病假十天。").splitlines()
    assert lines[0] == "# 年假"
    assert "## 年假几天？" in lines
    assert "- [1] a.md：" in lines
    assert lines[-2:] == ["  > 年假五天。", "  > 病假十天。"]


def test_a_quoted_table_stays_a_table() -> None:
    text = exported("几天", "| 假别 | 天数 |\n| --- | :-: |\n| 年假* | 5 |")
    assert "  > | 假别 | 天数 |\n  > | --- | :-: |\n  > | 年假\\* | 5 |" in text


@pytest.mark.parametrize("bad", ["<img src=x onerror=alert(1)>", "[x](http://evil.example)"])
def test_what_people_and_documents_say_is_never_markup(bad: str) -> None:
    text = exported(bad, bad, title=bad, document=bad)
    assert bad not in text
    assert text.count("\\" + bad[0]) == 4


def test_a_question_of_several_lines_stays_one_heading() -> None:
    assert "## 第一行 # 第二行" in exported("第一行\n# 第二行")


def test_what_a_model_wrote_brings_no_html_and_no_links() -> None:
    written = "**五天**[1]。<img src=x onerror=alert(1)> [点这里](http://evil.example) ![图](x.png)"
    now = datetime(2026, 1, 1, tzinfo=UTC)
    conversation = Conversation(id="c", owner="o", title="年假", created_at=now, updated_at=now)
    message = Message(
        id="m", conversation_id="c", role="assistant", content=written, created_at=now
    )
    text = to_markdown(conversation, [message])
    assert "**五天**[1]" in text
    assert "\\<img" in text
    assert "evil.example" not in text and "x.png" not in text
