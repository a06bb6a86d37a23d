"""Word borders and parts of speech, from jieba, loaded at first use."""

from __future__ import annotations

import threading
from functools import lru_cache

_LOCK = threading.Lock()


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """The words of `text` in order; joined they give `text` again."""
    import jieba

    with _LOCK:
        return tuple(jieba.cut(text, HMM=False))


@lru_cache(maxsize=4096)
def boundaries(text: str) -> frozenset[int]:
    """The positions in `text` where a word begins or ends, both ends included."""
    edges, position = {0}, 0
    for word in words(text):
        position += len(word)
        edges.add(position)
    return frozenset(edges)


@lru_cache(maxsize=2048)
def tagged(text: str) -> tuple[tuple[str, str], ...]:
    """The words of `text` with jieba's part-of-speech tags ("n", "v", "r", …)."""
    import jieba.posseg

    with _LOCK:
        return tuple((pair.word, pair.flag) for pair in jieba.posseg.cut(text, HMM=False))
