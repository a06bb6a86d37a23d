"""Pages run by AppTest on the stand-in application."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_reading import APP, without_pages_folder
from stand_in import ADMIN, StandIn
from streamlit.testing.v1 import AppTest

from ui import runtime


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    without_pages_folder(monkeypatch)
    stand_in = StandIn(tmp_path / "data")
    runtime.use(stand_in)  # type: ignore[arg-type]
    yield stand_in
    runtime.use(None)
    stand_in.close()


@pytest.fixture
def visit(application: StandIn) -> Callable[..., AppTest]:
    """Open a page as a guest, or signed in as administrator."""

    def open_page(page: str = "", admin: bool = False, **query: str) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=60)
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
