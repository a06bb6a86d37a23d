from __future__ import annotations

import pytest

from rag.errors import SettingsError
from rag.prompts import load_prompt, parse_prompt, prompt_names, prompt_text, render


def test_all_shipped_prompts_load() -> None:
    assert set(prompt_names()) == {
        "describe",
        "generate",
        "hyde",
        "propositions",
        "questions",
        "summarise",
        "understand",
    }
    for name in prompt_names():
        prompt = load_prompt(name)
        assert prompt.name == name and prompt.version >= 1 and prompt.purpose


def test_values_never_open_another_place() -> None:
    prompt = parse_prompt("t", "name: t\nversion: 1\nuser: 'A {{a}} B {{b}}'")
    assert render(prompt, a="{{b}}", b="{{a}} {x} %s \\1") == "A {{b}} B {{a}} {x} %s \\1"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a",
        "name: x",
        "name: x\nversion: 0\nuser: y",
        "a: [",
        "name: x\nversion: 1\nuser: y\nmore: z",
    ],
)
def test_a_malformed_prompt_is_named(text: str) -> None:
    with pytest.raises(SettingsError, match="generate"):
        parse_prompt("generate", text)


@pytest.mark.parametrize("name", ["nothing", "../requirements", "", "a/b", "生成"])
def test_an_unknown_name(name: str) -> None:
    with pytest.raises(SettingsError):
        load_prompt(name)


def test_an_override_must_keep_the_places() -> None:
    lost = prompt_text("generate").replace("{{evidence}}", "")
    with pytest.raises(SettingsError, match="evidence"):
        load_prompt("generate", {"generate": lost})
    unknown = prompt_text("generate").replace("{{evidence}}", "{{evidence}}{{other}}")
    with pytest.raises(SettingsError, match="other"):
        load_prompt("generate", {"generate": unknown})


def test_an_override_wins() -> None:
    edited = prompt_text("generate").replace("version: ", "version: 9")
    shipped = load_prompt("generate").version
    assert load_prompt("generate", {"generate": edited}).version == int(f"9{shipped}")
