"""Loads the settings' four layers: code defaults < settings.toml < environment < admin page.

Environment variables are `ZHIWEN_<SECTION>__<FIELD>` (for example
`ZHIWEN_RETRIEVAL__TOP_K=8`); `ZHIWEN_DATA` is the data directory. Secrets (API keys) live in
`secrets.toml` in the data directory (mode 0600) or in the environment, never in the catalog.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from rag.errors import SettingsError
from rag.settings import DEFAULT_DATA_DIRECTORY, SECTIONS, Settings
from rag.toml_file import read_toml

ENVIRONMENT_PREFIX = "ZHIWEN_"
SECRET_PREFIX = ENVIRONMENT_PREFIX + "SECRET_"


class SettingsRows(Protocol):
    """Where the admin page's layer is kept (the catalog)."""

    def load(self) -> dict[str, dict[str, Any]]:
        """Return the stored overrides as section → field → value."""
        ...

    def save(self, section: str, values: Mapping[str, Any]) -> None:
        """Replace the stored overrides of one section."""
        ...


def data_directory(argument: str | Path | None = None) -> Path:
    """The data directory: the argument, else `ZHIWEN_DATA`, else `./data`; absolute."""
    chosen = argument or os.environ.get(ENVIRONMENT_PREFIX + "DATA") or DEFAULT_DATA_DIRECTORY
    return Path(chosen).expanduser().resolve()


def load_settings(
    data: Path,
    overrides: Mapping[str, Mapping[str, Any]] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Merge the layers below the admin page's `overrides` and those on top.

    Args:
        data: the data directory; `settings.toml` is read from it when present.
        overrides: section → field → value as the admin page saved them.
        environment: variables to read instead of the process's own.

    Raises:
        SettingsError: a value or name is wrong; the message names its path.
    """
    layers: dict[str, dict[str, Any]] = {}
    for layer in (
        read_toml(data / "settings.toml"),
        _read_environment(os.environ if environment is None else environment),
        overrides or {},
    ):
        for section, values in layer.items():
            if not isinstance(values, Mapping):
                raise _misplaced(section)
            layers.setdefault(section, {}).update(values)
    try:
        return Settings.model_validate({"data": data, **layers})
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"])
        raise SettingsError(
            f"设置项 {path} 不正确：{first['msg']}。",
            "请改正 settings.toml、环境变量或管理页面里的这一项。",
            message_en=f"The setting {path} is wrong: {first['msg']}.",
            remedy_en="Correct it in settings.toml, the environment or the admin page.",
        ) from error


class SettingsService:
    """The current settings, changed at run time by the admin page.

    Readers take `current` once per turn or job, so that a change never tears a running one.
    """

    def __init__(self, data: Path, rows: SettingsRows | None = None) -> None:
        self._data = data
        self._rows = rows
        self._lock = threading.Lock()
        self._listeners: list[Callable[[Settings, Settings], None]] = []
        self.current = load_settings(data, rows.load() if rows else None)

    def on_change(self, listener: Callable[[Settings, Settings], None]) -> None:
        """Call `listener(old, new)` after each change."""
        self._listeners.append(listener)

    def update(self, section: str, values: Mapping[str, Any]) -> Settings:
        """Validate and store the new values of one section; unnamed fields keep theirs.

        Raises:
            SettingsError: the section or a value is wrong; nothing was changed.
        """
        if section not in SECTIONS:
            raise SettingsError(f"没有名为 {section} 的设置。", message_en=f"No section {section}.")
        with self._lock:
            stored = dict(self._rows.load()) if self._rows else {}
            return self._replace(stored, section, {**stored.get(section, {}), **values})

    def reset(self, section: str, field: str) -> Settings:
        """Drop the admin page's value of one field, so that the layer below shows again."""
        with self._lock:
            stored = dict(self._rows.load()) if self._rows else {}
            kept = {k: v for k, v in stored.get(section, {}).items() if k != field}
            return self._replace(stored, section, kept)

    def _replace(
        self, stored: Mapping[str, Any], section: str, values: Mapping[str, Any]
    ) -> Settings:
        """Store a section's values and tell the listeners, one change after the other."""
        new = load_settings(self._data, {**stored, section: values})
        if self._rows:
            self._rows.save(section, new_values(new, section, values))
        old, self.current = self.current, new
        for listener in self._listeners:
            listener(old, new)
        return new


def new_values(settings: Settings, section: str, names: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON-ready values of the named fields of a section."""
    dumped = getattr(settings, section).model_dump(mode="json")
    return {name: dumped[name] for name in names}


def _misplaced(name: str) -> SettingsError:
    return SettingsError(
        f"settings.toml 里的 {name} 不在任何一节之内。",
        "请把它写在所属的节下面，例如 [retrieval] 下的 top_k。",
        message_en=f"{name} in settings.toml stands outside any section.",
        remedy_en="Put it under its section, for example top_k under [retrieval].",
    )


def _read_environment(environment: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    layer: dict[str, dict[str, Any]] = {}
    for name, value in environment.items():
        if not name.startswith(ENVIRONMENT_PREFIX) or "__" not in name:
            continue
        if name.startswith(SECRET_PREFIX):
            continue
        section, field = name.removeprefix(ENVIRONMENT_PREFIX).lower().split("__", 1)
        layer.setdefault(section, {})[field] = value
    return layer
