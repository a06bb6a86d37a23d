"""Dialogs that stay open until they are done with.

A dialog of Streamlit's own closes when anything else redraws the page, a finished job for
example, and takes what was typed with it. Ours are opened by state and closed by us.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

_STATE = "open-modal"


def modal(
    key: str,
    title: str,
    opened: bool,
    *,
    width: Literal["small", "medium", "large"] = "small",
) -> Callable[[Callable[[], None]], None]:
    """Draw the decorated function as a dialog while it is open.

    Args:
        key: which dialog this is; one is open at a time.
        title: its heading.
        opened: whether its button has just been pressed.
        width: as Streamlit's.
    """
    if opened:
        st.session_state[_STATE] = key

    def draw(content: Callable[[], None]) -> None:
        if st.session_state.get(_STATE) == key:
            st.dialog(title, width=width, on_dismiss=_dismiss)(content)()

    return draw


def close() -> None:
    """Close the open dialog and draw the page anew."""
    _dismiss()
    st.rerun()


def _dismiss() -> None:
    st.session_state.pop(_STATE, None)
