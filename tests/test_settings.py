"""Settings: the layers, wrong values, secrets."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rag.errors import SettingsError
from rag.secrets import Secrets
from rag.settings_layers import SettingsService, load_settings


class Rows:
    """The admin page's layer, in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}

    def load(self) -> dict[str, dict[str, Any]]:
        return self.kept

    def save(self, section: str, values: Mapping[str, Any]) -> None:
        self.kept = {**self.kept, section: dict(values)}


def test_each_layer_wins_over_the_one_below(tmp_path: Path) -> None:
    assert load_settings(tmp_path, environment={}).retrieval.top_k == 6
    (tmp_path / "settings.toml").write_text("[retrieval]\ntop_k = 7\nrrf_k = 50\n")
    environment = {"ZHIWEN_RETRIEVAL__TOP_K": "8", "ZHIWEN_DATA": "x", "HOME": "/"}
    assert load_settings(tmp_path, environment={}).retrieval.top_k == 7
    assert load_settings(tmp_path, environment=environment).retrieval.top_k == 8
    on_top = load_settings(tmp_path, {"retrieval": {"top_k": 9}}, environment)
    assert (on_top.retrieval.top_k, on_top.retrieval.rrf_k) == (9, 50)


@pytest.mark.parametrize(
    ("file", "environment", "named"),
    [
        ("[retrieval]\ntop_q = 3\n", {}, "retrieval.top_q"),
        ("[retrieval]\ntop_k = 0\n", {}, "retrieval.top_k"),
        ("top_k = 3\n", {}, "top_k"),
        ("[retrieval\n", {}, "settings.toml"),
        ("", {"ZHIWEN_ANSWER__REFUSE_BELOW": "often"}, "answer.refuse_below"),
        ("", {"ZHIWEN_NOWHERE__X": "1"}, "nowhere"),
        ("[answer]\nrefuse_below = 0.9\n", {}, "refuse_below 不能大于 hedge_below"),
    ],
)
def test_a_wrong_setting_is_named(
    tmp_path: Path, file: str, environment: dict[str, str], named: str
) -> None:
    (tmp_path / "settings.toml").write_text(file)
    with pytest.raises(SettingsError) as raised:
        load_settings(tmp_path, environment=environment)
    assert named in raised.value.message


def test_a_secret_in_the_environment_is_no_setting(tmp_path: Path) -> None:
    assert load_settings(tmp_path, environment={"ZHIWEN_SECRET_CHAT__MY_PROFILE": "k"})


def test_updates_are_stored_and_a_wrong_one_changes_nothing(tmp_path: Path) -> None:
    rows = Rows()
    service = SettingsService(tmp_path, rows)
    seen: list[tuple[int, int]] = []
    service.on_change(lambda old, new: seen.append((old.retrieval.top_k, new.retrieval.top_k)))
    service.update("retrieval", {"top_k": 9})
    with pytest.raises(SettingsError):
        service.update("retrieval", {"top_k": -1})
    assert service.current.retrieval.top_k == 9
    assert SettingsService(tmp_path, rows).current.retrieval.top_k == 9
    service.reset("retrieval", "top_k")
    assert service.current.retrieval.top_k == 6
    assert seen == [(6, 9), (9, 6)]


def test_secrets_are_private_and_removable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = Secrets(tmp_path)
    secrets.set("chat:我的模型", "sk-1")
    assert stat.S_IMODE((tmp_path / "secrets.toml").stat().st_mode) == 0o600
    assert Secrets(tmp_path).get("chat:我的模型") == "sk-1"
    secrets.set("chat:我的模型", "")
    assert not secrets.has("chat:我的模型")
    monkeypatch.setenv("ZHIWEN_SECRET_CHAT_MAIN", "sk-2")
    assert secrets.get("chat:main") == "sk-2"
