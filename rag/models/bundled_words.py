"""Tokenizer and word table of the bundled encoder, shared by the embedder and the cross-encoder."""

from __future__ import annotations

import json
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rag.models.bundled_convert import NORMALISER, TOKENISER, WORDS
from rag.models.bundled_source import BLOCK_BYTES, BLOCK_WEIGHTS, dequantise
from rag.models.unicode import encodable

HIDDEN = 384
"""Numbers of a word vector."""


class BundledWords:
    """Thread-safe. The table stays in 4 bits in a memory-mapped file.

    Args:
        folder: a converted model (`rag.models.bundled_convert.prepare`).

    Raises:
        OSError, ValueError, RuntimeError: a file is missing or damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._tokeniser = _tokeniser(folder / TOKENISER)
        characters = json.loads((folder / NORMALISER).read_text(encoding="utf-8"))
        self._characters: dict[int, str] = {int(code): text for code, text in characters.items()}
        self._characters[0] = ""
        table = np.memmap(folder / WORDS, np.uint8, "r")
        self._table = table.reshape(-1, HIDDEN // BLOCK_WEIGHTS, BLOCK_BYTES)

    def tokenise(self, text: str) -> list[int]:
        """Ids of the bare text."""
        plain = unicodedata.normalize("NFC", text).translate(self._characters)
        ids: list[int] = self._tokeniser.encode(encodable(plain))
        return ids

    def pieces(self, text: str) -> list[tuple[int, int]]:
        """The id of each piece of the bare text, with how many letters of the text it stands for.

        Letters that the model does not know and those it drops belong to the piece before them.
        """
        plain, owner = "", list[int]()
        for place, letter in enumerate(encodable(text)):
            written = unicodedata.normalize("NFC", letter).translate(self._characters)
            plain += written
            owner += [place] * len(written)
        found, end, taken = list[tuple[int, int]](), 0, 0
        for piece in self._tokeniser.encode(plain, return_type="proto").pieces:
            end += len(piece.surface)
            upto = owner[end - 1] + 1 if 0 < end <= len(owner) else taken
            found.append((piece.id, max(upto - taken, 0)))
            taken = max(upto, taken)
        return found

    def vectors(self, ids: list[int] | np.ndarray) -> np.ndarray:
        """Word vectors of ids [...], float32 [..., 384]."""
        return dequantise(self._table[ids])


@lru_cache(maxsize=1)
def bundled_words(folder: Path) -> BundledWords:
    """The words of a folder, read once."""
    return BundledWords(folder)


def _tokeniser(path: Path) -> Any:
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_file=str(path))
