"""The documentation says what the code says: settings, licences, links, commands."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from rag.settings import ChatProfile, Section, Settings

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
