"""The text of each LLM step, kept in `prompts/*.yaml` and editable by administrators.

A file has the keys name, version, purpose, system, user and (optionally) schema. An
override is a whole file's text under the same name, as the admin page saved it. Values are
put into `{{name}}` places in a single pass, so that nothing inside a value (a document, a
question) can open another place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag.errors import SettingsError

PROMPT_DIRECTORY = Path(__file__).resolve().parent.parent / "prompts"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_PLACE = re.compile(r"\{\{\s*([a-z][a-z0-9_]*)\s*\}\}")


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    version: int = Field(ge=1)
    purpose: str = ""
    system: str = ""
    user: str = Field(min_length=1)
    answer_schema: dict[str, Any] = Field(default_factory=dict, alias="schema")


@dataclass(frozen=True)
class Prompt:
    """One LLM step's prompt.

    `template` is the user message (the file's key `user`) and `system` the one before it; both
    may hold `{{name}}` places. `schema` is the JSON schema of the answer, empty for free text.
    """

    name: str
    version: int
    purpose: str
    system: str
    template: str
    schema: dict[str, Any] = field(default_factory=dict)

    @property
    def places(self) -> frozenset[str]:
        """Names of all places in both texts."""
        return frozenset(_PLACE.findall(self.system)) | frozenset(_PLACE.findall(self.template))


def prompt_names() -> tuple[str, ...]:
    """Names of all prompts that ship with the program, sorted."""
    return tuple(sorted(path.stem for path in PROMPT_DIRECTORY.glob("*.yaml")))


def prompt_text(name: str) -> str:
    """The shipped file's text: what the admin page shows before the first edit.

    Raises:
        SettingsError: there is no prompt of this name.
    """
    path = PROMPT_DIRECTORY / f"{name}.yaml"
    if not _NAME.fullmatch(name) or not path.is_file():
        raise SettingsError(
            f"没有名为“{name}”的提示词。",
            "请从列表中选择一个提示词。",
            message_en=f'There is no prompt called "{name}".',
            remedy_en="Choose one from the list.",
        )
    return path.read_text(encoding="utf-8")


def load_prompt(name: str, overrides: Mapping[str, str] | None = None) -> Prompt:
    """Load a prompt; the administrator's text wins over the shipped one.

    Args:
        name: the file's name without `.yaml`.
        overrides: name → YAML text.

    Raises:
        SettingsError: unknown name, broken YAML, or an override that lost a place which the
            shipped text has (the evidence or the question would be missing from the call).
    """
    shipped = parse_prompt(name, prompt_text(name))
    override = (overrides or {}).get(name)
    if override is None:
        return shipped
    edited = parse_prompt(name, override)
    missing = sorted(shipped.places - edited.places)
    unknown = sorted(edited.places - shipped.places)
    if missing or unknown:
        wrong = "、".join(f"{{{{{place}}}}}" for place in missing or unknown)
        raise SettingsError(
            f"提示词“{name}”{'缺少' if missing else '有未知的'}占位符：{wrong}。",
            "请补上缺少的占位符，删去未知的占位符，或恢复默认提示词。",
            message_en=f'"{name}" {"lacks" if missing else "has unknown"} places: {wrong}.',
            remedy_en="Put missing places back, remove unknown ones, or reset the prompt.",
        )
    return edited


def parse_prompt(name: str, text: str) -> Prompt:
    """Read a prompt file's text.

    Raises:
        SettingsError: it is not YAML, or a key is missing, unknown or of the wrong type.
    """
    try:
        raw = _File.model_validate(yaml.safe_load(text))
    except (yaml.YAMLError, ValidationError) as error:
        raise SettingsError(
            f"提示词“{name}”的格式不正确。",
            "它应是含有 name、version、purpose、system、user 的 YAML；请改正或恢复默认提示词。",
            message_en=f'The prompt "{name}" is malformed.',
            remedy_en="It must be YAML with name, version, purpose, system and user.",
            detail=str(error),
        ) from error
    return Prompt(name, raw.version, raw.purpose, raw.system, raw.user, raw.answer_schema)


def render(prompt: Prompt, **values: str) -> str:
    """The user message with all places filled in one pass; values are never read again.

    Raises:
        KeyError: a place has no value (a bug of the caller).
    """
    return fill(prompt.template, values)


def render_system(prompt: Prompt, **values: str) -> str:
    """The system message with all places filled, as `render` does for the user message."""
    return fill(prompt.system, values)


def fill(template: str, values: Mapping[str, str]) -> str:
    """Put values into `{{name}}` places in a single pass."""
    return _PLACE.sub(lambda match: values[match.group(1)], template)
