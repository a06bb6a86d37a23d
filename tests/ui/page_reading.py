"""How tests read and use a page that AppTest has drawn."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

APP = Path(__file__).resolve().parents[2] / "app.py"


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


class _WithoutPagesFolder(type(Path())):  # type: ignore[misc]
    """Keeps AppTest from running `pages/` past the navigation, as the server does."""

    def exists(self, **options: Any) -> bool:
        return self.name != "pages" and super().exists(**options)


def without_pages_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages be reached by the navigation alone."""
    monkeypatch.setattr("streamlit.runtime.pages_manager.Path", _WithoutPagesFolder)
