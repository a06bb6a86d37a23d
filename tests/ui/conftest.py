"""Pages run by AppTest on the stand-in application."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stand_in import ADMIN, StandIn
from streamlit.testing.v1 import AppTest

from ui import runtime


class _WithoutPagesFolder(type(Path())):  # type: ignore[misc]
    """Keeps AppTest from running `pages/` past the navigation, as the server does."""

    def exists(self, **options: Any) -> bool:
        return self.name != "pages" and super().exists(**options)


APP = Path(__file__).resolve().parents[2] / "app.py"


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    monkeypatch.setattr("streamlit.runtime.pages_manager.Path", _WithoutPagesFolder)
    stand_in = StandIn(tmp_path / "data")
    runtime.use(stand_in)  # type: ignore[arg-type]
    yield stand_in
    runtime.use(None)
    stand_in.close()


@pytest.fixture
def visit(application: StandIn) -> Callable[..., AppTest]:
    """Open a page as a guest, or signed in as administrator."""

    def open_page(page: str = "", admin: bool = False, **query: str) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=20)
        at.session_state["language"] = "zh"
        if admin:
            if application.accounts.setup_needed():
                application.add_admin()
            at.session_state["visitor_session_id"] = "s" * 43
            application.accounts.login("s" * 43, *ADMIN)
        for name, value in query.items():
            at.query_params[name] = value
        at.run()
        if page:
            at.switch_page(f"pages/{page}.py").run()
        return at

    return open_page


def text_of(at: AppTest) -> str:
    """Everything that a page shows through st.html, as plain text."""
    bodies = [element.proto.body for element in at.get("html")]
    shown = [body for body in bodies if not body.startswith(("<style", "<script"))]
    return html.unescape(re.sub(r"<[^>]+>", " ", " ".join(shown)))


def buttons(at: AppTest) -> list[str]:
    """Labels of all buttons."""
    return [button.label for button in at.button]


def press(at: AppTest, label: str) -> AppTest:
    """Click the first button with this label; the caller runs the page."""
    next(button for button in at.button if button.label == label).click()
    return at


def field(widgets: Any, label: str) -> Any:
    """The widget with this label."""
    return next(widget for widget in widgets if widget.label == label)
