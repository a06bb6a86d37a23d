"""Reads the TOML files of the data directory."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from rag.errors import SettingsError


def read_toml(path: Path) -> dict[str, Any]:
    """The file's content; empty when there is no file.

    Raises:
        SettingsError: it cannot be read.
    """
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"无法读取 {path.name}：{error}。",
            "请改正这个文件后再启动。",
            message_en=f"{path.name} cannot be read: {error}.",
            remedy_en="Correct the file and start again.",
        ) from error
