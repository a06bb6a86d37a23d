"""The documentation says what the code says: settings, licences, links, commands."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from rag.settings import ChatProfile, Section, Settings
from rag.types import ChunkStrategy, PageRoute

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "README.zh-CN.md",
    "LICENSES.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")),
]


def settings_in_code() -> dict[str, tuple[str, str]]:
    """Setting → (default, bounds) as the documentation should show them."""
    sections: dict[str, type[Section]] = {
        name: field.annotation for name, field in Settings.model_fields.items() if name != "data"
    }
    found = {}
    for prefix, section in [*sections.items(), ("chat.profiles[]", ChatProfile)]:
        for name, field in section.model_fields.items():
            default = "" if field.is_required() else f"`{json.dumps(field.default)}`"
            choices = ", ".join(
                f"`{value}`" for value in get_args(field.annotation) if isinstance(value, str)
            )
            bounds = {}
            for item in field.metadata:
                for key in ("gt", "ge", "le", "min_length", "max_length"):
                    if getattr(item, key, None) is not None:
                        bounds[key] = f"{getattr(item, key):.10g}"
            if "min_length" in bounds:
                text = f"length {bounds['min_length']} to {bounds['max_length']}"
            else:
                signs = {"gt": ">", "ge": "≥", "le": "≤"}
                text = ", ".join(f"{signs[key]} {value}" for key, value in bounds.items())
            found[f"{prefix}.{name}"] = (default, choices or text)
    return found


def test_configuration_lists_every_setting_with_its_default_and_range() -> None:
    page = (ROOT / "docs/CONFIGURATION.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"(?m)^\| `([a-z_.\[\]]+\.[a-z_]+)` \|([^|]*)\|([^|]*)\|[^|]+\|[^|]+\|$", page
    )
    documented = {name: (default.strip(), bounds.strip()) for name, default, bounds in rows}
    assert documented == settings_in_code()


@pytest.mark.parametrize("requirements", ["requirements.txt", "requirements-dev.txt"])
def test_licences_list_every_pinned_package(requirements: str) -> None:
    text = (ROOT / requirements).read_text(encoding="utf-8")
    pinned = re.findall(r"(?m)^([A-Za-z0-9_.\-]+)==([^\s;]+)", text)
    page = (ROOT / "LICENSES.md").read_text(encoding="utf-8")
    section = page.split(f"## Packages in `{requirements}`")[1].split("\n## ")[0]
    assert re.findall(r"(?m)^\| ([A-Za-z0-9_.\-]+) \| ([0-9][^ ]*) \|", section) == pinned


@pytest.mark.parametrize("document", PAGES)
def test_links_between_pages_lead_somewhere(document: str) -> None:
    path = ROOT / document
    targets = re.findall(r"\]\((?!https?://|#|mailto:)([^)#]+)", path.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (path.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("document", ["README.md", "README.zh-CN.md"])
def test_commands_of_the_readme_exist(document: str) -> None:
    from rag.commands.main import _parser

    text = (ROOT / document).read_text(encoding="utf-8")
    targets = set(re.findall(r"(?m)\bmake ([a-z][a-z-]*)", text))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {t for t in targets if not re.search(rf"(?m)^{t}:", makefile)} == set()
    shown = set(re.findall(r"python -m rag ([a-z]+)", text))
    known = {"ingest", "parse", "kb", "delete", "search", "understand", "ask", "doctor", "account"}
    assert shown == known
    usage = _parser().format_help()
    assert all(command in usage for command in known)


def test_troubleshooting_quotes_messages_that_exist() -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("rag", "ui", "pages")
        for path in (ROOT / folder).rglob("*.py")
    )
    page = (ROOT / "docs/TROUBLESHOOTING.md").read_text(encoding="utf-8")
    quoted = re.findall(r"(?m)^\| (?!Message|---)([^|]+) \|", page)
    pieces = [piece for message in quoted for piece in message.split("…") if len(piece) > 2]
    assert len(pieces) > 30
    assert [piece for piece in pieces if piece not in code] == []


def test_parsing_states_the_thresholds_of_the_code() -> None:
    from rag.ingest import quality
    from rag.ingest.parse import pdf_glyphs, pdf_route

    text = (ROOT / "docs/PARSING.md").read_text(encoding="utf-8")
    page = " ".join(text.split()).replace(" %", "%")
    stated = [
        f"over {pdf_glyphs.GARBLED_SHARE:.0%} garbled;",
        f"over {pdf_glyphs.REPEATED_SHARE:.0%} of the Han characters",
        f"font with at least {pdf_route._FONT_SHARE:.0%} of the characters",
        f"pictures over {pdf_route.SCAN_SHARE:.0%} of the page",
        f"more than {pdf_route._OUTLINED_PATHS} drawn paths",
        f"pictures over {pdf_route._COVERED_SHARE:.0%} and fewer than"
        f" {pdf_route._STAMP_CHARACTERS} characters",
        f"over {pdf_route.INVISIBLE_SHARE:.0%} hidden text",
        f"pictures over {pdf_route.MIXED_SHARE:.0%} of the page",
        f"less than {quality.CONFIDENCE_WARNING:.0%} confidence",
        f"under {quality.CONFIDENCE_ERROR:.0%} confidence",
        f"more than {quality.GARBLED_WARNING:.0%} garbled",
        f"over {quality.GARBLED_ERROR:.0%} garbled,",
        f"repeated text (over {quality.DUPLICATE_SHARE:.0%})",
    ]
    assert [words for words in stated if words not in page] == []


def test_parsing_names_every_strategy_and_route() -> None:
    page = (ROOT / "docs/PARSING.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"(?m)^\| `([a-z_]+)` \|", page))
    assert rows == {*get_args(ChunkStrategy), *get_args(PageRoute)} - {"auto"}


def test_the_tests_that_parsing_names_exist() -> None:
    page = (ROOT / "docs/PARSING.md").read_text(encoding="utf-8")
    files = {path.name: path for path in (ROOT / "tests").rglob("test_*.py")}
    named, file = [], ""
    for where, test in re.findall(r"`(test_\w+\.py)?::(test_\w+)`", page):
        file = where or file
        named.append((file, test))
    assert len(named) > 20
    absent = [
        f"{file}::{test}"
        for file, test in named
        if file not in files or f"def {test}(" not in files[file].read_text(encoding="utf-8")
    ]
    assert absent == []


@pytest.mark.parametrize("document", ["README.zh-CN.md", "docs/PARSING.zh-CN.md"])
def test_instructions_call_the_parts_of_the_pages_by_their_names(document: str) -> None:
    words = (ROOT / "ui/texts/zh.toml").read_text(encoding="utf-8")
    quoted = re.findall(r"“([^”…？]{2,16})”", (ROOT / document).read_text(encoding="utf-8"))
    parts = [part.strip() for text in quoted for part in text.split("→")]
    assert parts
    assert [part for part in parts if f'"{part}"' not in words] == []


def test_commands_of_the_benchmarks_exist() -> None:
    text = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"python -m benchmarks\.(\w+)", text))
    assert len(named) > 3
    assert [name for name in named if not (ROOT / f"benchmarks/{name}.py").exists()] == []
