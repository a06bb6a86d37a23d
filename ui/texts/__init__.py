"""The texts of the interface in both languages: two data files with the same keys."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import streamlit as st

LANGUAGES: dict[str, str] = {"zh": "中文", "en": "English"}
"""Language code → its own name, as the switch shows it."""

LANGUAGE_COOKIE = "zhiwen_language"
_STATE = "language"


def language() -> str:
    """The visitor's language: the switch, else the cookie of the last visit, else the setting."""
    chosen = st.session_state.get(_STATE) or st.context.cookies.get(LANGUAGE_COOKIE)
    return chosen if chosen in LANGUAGES else st.session_state.get("default_language", "zh")


def set_language(code: str) -> None:
    """Switch this session to `code` ("zh" or "en")."""
    if code in LANGUAGES:
        st.session_state[_STATE] = code


def t(key: str, /, **values: object) -> str:
    """The text of `key` in the visitor's language, with `{name}` filled from `values`."""
    return text_in(language(), key, **values)


def text_in(code: str, key: str, /, **values: object) -> str:
    """The text of `key` in language `code`; the key itself where a text is missing.

    A place may name what it counts: `{n:page|pages}` becomes "1 page" or "2 pages".
    """
    text = table(code).get(key) or table("zh").get(key, key)
    if not values:
        return text
    return text.format(**{name: _counted(value) for name, value in values.items()})


class _Count(int):
    """A number that can be written with the thing that it counts, in singular or plural."""

    def __format__(self, spec: str) -> str:
        one, between, many = spec.partition("|")
        if not between:
            return super().__format__(spec)
        return f"{int(self):,} {one if self == 1 else many}"


def _counted(value: object) -> object:
    return _Count(value) if type(value) is int else value


def has(key: str) -> bool:
    """Whether the interface has a text for `key`."""
    return key in table("zh")


@cache
def table(code: str) -> dict[str, str]:
    """All texts of one language as dotted key → text."""
    raw = tomllib.loads((Path(__file__).parent / f"{code}.toml").read_text(encoding="utf-8"))
    return dict(_flatten(raw, ""))


def _flatten(node: dict, prefix: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in node.items():
        key = f"{prefix}{name}"
        pairs += _flatten(value, key + ".") if isinstance(value, dict) else [(key, str(value))]
    return pairs
