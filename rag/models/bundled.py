"""The bundled embedder: multilingual-e5-small in 8 bits on ONNX Runtime, no download, no torch.

Each text runs alone through a single-threaded session, and several texts run at the same
time. That is as fast as padded batches on a processor (`benchmarks/bench_embedding.py`), and
a text's vector depends on nothing but the text: the same alone or among thousands of others.
"""

from __future__ import annotations

import json
import os
import threading
import unicodedata
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from rag.errors import ModelError
from rag.models.bundled_convert import (
    CONVERTER_VERSION,
    GRAPH,
    NORMALISER,
    TOKENISER,
    WORDS,
    damage,
    prepare,
)
from rag.models.bundled_source import BLOCK_BYTES, BLOCK_WEIGHTS, SOURCE_SHA256, dequantise
from rag.models.embedder import Progress
from rag.models.unicode import encodable

DIMENSION = 384
MAX_TOKENS = 512
QUERY_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "
"""What multilingual-e5 was trained with (its model card)."""

_BEGIN, _END = 0, 2
_MOST_CHARACTERS = MAX_TOKENS * 64
"""Text beyond this is not even tokenised: no piece is longer than 16 characters, the rest
is room for spaces and dropped characters."""


class BundledEmbedder:
    """See `rag.models.embedder.Embedder`. The model is built and loaded at the first use.

    Args:
        data: data directory that the converted model lies in.
        threads: texts embedded at the same time; 0 means one per available core.
    """

    name = "multilingual-e5-small"
    fingerprint = f"e5small_{SOURCE_SHA256[:8]}_{CONVERTER_VERSION}"
    dimension = DIMENSION
    max_tokens = MAX_TOKENS

    def __init__(self, data: Path, threads: int = 0) -> None:
        self._data = data
        self._threads = threads or _available_cores()
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._pool: ThreadPoolExecutor | None = None

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        """See the protocol. A single question runs in the calling thread."""
        return self._embed(QUERY_PREFIX, texts, None)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        """See the protocol."""
        return self._embed(PASSAGE_PREFIX, texts, progress)

    def count_tokens(self, text: str) -> int:
        """See the protocol."""
        return len(self._load().tokenise(text))

    def load(self) -> None:
        """Build the model if needed and load it; done by the first use otherwise."""
        self._load()

    def _load(self) -> _Loaded:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    loaded = self._open()
                    self._pool = ThreadPoolExecutor(self._threads, "embed")
                    self._loaded = loaded
        return self._loaded

    def _open(self) -> _Loaded:
        try:
            return _Loaded(prepare(self._data))
        except ModelError:
            if not damage(self._data):
                raise
            return _Loaded(prepare(self._data, check=True))

    def _embed(self, prefix: str, texts: Sequence[str], progress: Progress | None) -> np.ndarray:
        model = self._load()
        vectors = np.empty((len(texts), DIMENSION), np.float32)

        def one(index: int) -> None:
            vectors[index] = model.vector(prefix + texts[index])

        if len(texts) == 1 or self._threads == 1:
            results: Any = map(one, range(len(texts)))
        else:
            assert self._pool is not None
            results = self._pool.map(one, range(len(texts)))
        for done, _ in enumerate(results, start=1):
            if progress:
                progress(done)
        return vectors


class _Loaded:
    """Session, word table and tokenizer of a converted model."""

    def __init__(self, folder: Path) -> None:
        try:
            self._session = _session(folder / GRAPH)
            self._tokeniser = _tokeniser(folder / TOKENISER)
            characters = json.loads((folder / NORMALISER).read_text(encoding="utf-8"))
            words = np.memmap(folder / WORDS, np.uint8, "r")
        except Exception as error:
            raise ModelError(
                "自带的向量模型无法加载。",
                "请重新安装依赖：pip install -r requirements.txt，再重新启动。",
                message_en="The bundled embedding model cannot be loaded.",
                remedy_en="Run pip install -r requirements.txt and start again.",
                detail=f"{type(error).__name__}: {error}",
            ) from error
        self._characters: dict[int, str] = {int(code): text for code, text in characters.items()}
        self._characters[0] = ""
        self._words = words.reshape(-1, DIMENSION // BLOCK_WEIGHTS, BLOCK_BYTES)

    def tokenise(self, text: str) -> list[int]:
        """Ids of the bare text."""
        plain = unicodedata.normalize("NFC", text).translate(self._characters)
        return self._tokeniser.encode(encodable(plain))

    def vector(self, text: str) -> np.ndarray:
        """The unit vector of a text that carries its prefix."""
        ids = self.tokenise(text[:_MOST_CHARACTERS])[: MAX_TOKENS - 2]
        rows = self._words[[_BEGIN, *ids, _END]]
        return self._session.run(None, {"words": dequantise(rows)[None]})[0][0]


def _session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The extended level would fuse Add + LayerNormalization into a slower operator.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _tokeniser(path: Path) -> Any:
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def _available_cores() -> int:
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
