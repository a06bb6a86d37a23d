"""Model folders: where one is, whether it is whole, and what it says about itself.

Serves the FlagEmbedding and transformers adapters. A folder that does not exist is reported
at once; a hub name is looked up in the local cache first, and asked for with a short
time-out, because the libraries themselves retry an unreachable hub for most of a minute.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from rag.errors import ModelRejected, ModelUnavailable, SettingsError

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_HUB_TIMEOUT_S = 5.0
_SAMPLE_BYTES = 1 << 20
"""How much of the beginning and end of a weights file goes into a fingerprint."""
_WEIGHTS = ("*.safetensors", "*.bin", "*.pt")
_WHOLE_REPOSITORY = ["*.json", "*.txt", "*.model", "*.safetensors", "*.bin", "*.pt"]


def check_path(path: str) -> None:
    """Report a path that cannot be a model, without loading or downloading anything.

    Raises:
        SettingsError: it is empty.
        ModelRejected: it is neither a folder with a model nor a hub name.
    """
    if not path.strip():
        raise SettingsError(
            "没有填写模型的文件夹。",
            "请在管理页面填写本地模型文件夹的路径。",
            message_en="No model folder is given.",
            remedy_en="Enter the path of a local model folder on the admin page.",
        )
    folder = Path(path).expanduser()
    if folder.is_dir():
        _check_folder(folder)
    elif not _HUB_NAME.fullmatch(path.strip()):
        raise ModelRejected(
            f"找不到模型文件夹：{path}",
            "请检查路径；它应当是一个含有 config.json 的文件夹。",
            message_en=f"There is no model folder {path}",
            remedy_en="Check the path; it should be a folder with a config.json.",
        )


def locate(path: str) -> Path:
    """The folder of a model, downloaded first when `path` is a hub name that is not cached.

    Raises:
        SettingsError, ModelRejected: as `check_path`; the hub has no such model.
        ModelUnavailable: the hub cannot be reached.
    """
    check_path(path)
    folder = Path(path).expanduser()
    return folder if folder.is_dir() else _from_hub(path.strip())


def _check_folder(folder: Path) -> None:
    if not (folder / "config.json").is_file():
        raise ModelRejected(
            f"文件夹 {folder} 里没有 config.json，不是完整的模型。",
            "请选择模型下载后的文件夹（里面有 config.json 和权重文件）。",
            message_en=f"The folder {folder} has no config.json and is no whole model.",
            remedy_en="Choose the downloaded model's folder, with config.json and the weights.",
        )
    if not any(next(folder.glob(pattern), None) for pattern in _WEIGHTS):
        raise ModelRejected(
            f"文件夹 {folder} 里没有权重文件，下载可能没有完成。",
            "请重新下载模型；需要 model.safetensors 或 pytorch_model.bin。",
            message_en=f"The folder {folder} has no weights; its download may be incomplete.",
            remedy_en="Download the model again; it needs model.safetensors or pytorch_model.bin.",
        )


def _from_hub(name: str) -> Path:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError, RepositoryNotFoundError

    try:
        found = Path(snapshot_download(name, local_files_only=True))
        _check_folder(found)
        return found
    except (LocalEntryNotFoundError, ModelRejected):
        pass  # not cached, or only in part
    try:
        HfApi().model_info(name, timeout=_HUB_TIMEOUT_S)
        return Path(snapshot_download(name, allow_patterns=_WHOLE_REPOSITORY))
    except RepositoryNotFoundError as error:
        raise ModelRejected(
            f"没有名为 {name} 的文件夹，模型站点上也没有这个模型。",
            "请检查路径或模型名。",
            message_en=f"There is no folder {name}, and the hub has no such model.",
            remedy_en="Check the path or the model's name.",
            detail=str(error)[:300],
        ) from error
    except Exception as error:
        raise ModelUnavailable(
            f"没有名为 {name} 的文件夹，也连不上模型站点来下载它。",
            "请先把模型下载到本地，再填写文件夹的路径；或检查网络（可用 HF_ENDPOINT 指定镜像）。",
            message_en=f"There is no folder {name}, and the hub cannot be reached.",
            remedy_en="Download the model and enter its folder, or check the network.",
            detail=f"{type(error).__name__}: {error}"[:300],
        ) from error


def read_config(folder: Path) -> dict[str, Any]:
    """The model's config.json.

    Raises:
        ModelRejected: it cannot be read.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise cannot_load(folder, error) from error
    return config if isinstance(config, dict) else {}


def most_tokens(folder: Path, limit: int) -> int:
    """Longest input of the model in tokens, special ones included, at most `limit`."""
    config = read_config(folder)
    positions = int(config.get("max_position_embeddings") or limit)
    if config.get("model_type") in ("xlm-roberta", "roberta", "camembert"):
        positions -= int(config.get("pad_token_id") or 1) + 1  # their positions start after it
    try:
        tokenizer = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        stated = int(tokenizer.get("model_max_length") or limit)
    except (OSError, ValueError, AttributeError):
        stated = limit
    return max(8, min(positions, stated, limit))


def weights_digest(folder: Path) -> str:
    """8 hex digits that change when the model does, but not when its folder is moved."""
    digest = hashlib.sha256((folder / "config.json").read_bytes())
    for path in sorted(p for pattern in _WEIGHTS for p in folder.glob(pattern)):
        size = path.stat().st_size
        digest.update(f"{path.name} {size}".encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE_BYTES))
            file.seek(max(0, size - _SAMPLE_BYTES))
            digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:8]


def cannot_load(folder: Path, error: Exception) -> ModelRejected:
    """The error that people see when a library refuses a model folder."""
    if "trust_remote_code" in str(error):
        return ModelRejected(
            f"模型 {folder.name} 需要运行它自带的程序代码，出于安全没有加载。",
            "请换一个不需要自带代码的模型。",
            message_en=f"The model {folder.name} wants to run code of its own and was not loaded.",
            remedy_en="Use a model without code of its own.",
        )
    return ModelRejected(
        f"无法加载模型文件夹 {folder}，文件可能不完整或格式不符。",
        "请重新下载模型，并确认它的种类与设置一致（向量模型或重排模型）。",
        message_en=f"The model folder {folder} cannot be loaded.",
        remedy_en="Download it again, and make sure that its kind is the one in the settings.",
        detail=f"{type(error).__name__}: {error}"[:300],
    )
