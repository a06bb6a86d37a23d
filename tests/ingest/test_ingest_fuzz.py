"""500 damaged files: each is read, or refused with a reason that people understand, and soon."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import pytest
from fuzz_files import mutated, originals

from rag.errors import ZhiwenError
from rag.ingest.isolate import inspect_isolated, parse_isolated
from rag.ingest.quality import assess, require_text
from rag.settings import IngestSettings
from rag.types import Document

COUNT = 500
SEED = 20260101
SLOWEST_S = 30.0
"""No page may go without progress for longer."""
SETTINGS = IngestSettings(ocr="off", page_timeout_s=SLOWEST_S)


def outcome(path: Path) -> str:
    """What becomes of a file: "read" with some text, or the class of the error."""
    try:
        looked_at = inspect_isolated(path, SETTINGS, name=path.name)
        document = parse_isolated(path, looked_at, name=path.name, settings=SETTINGS)
        check(document, looked_at.page_count)
        require_text(document)
        return "read"
    except ZhiwenError as error:
        assert error.message and error.remedy, f"{path.name}: nothing to do about {error!r}"
        assert error.message_en != error.message, f"{path.name}: {error.message}"
        return "crashed" if "崩溃" in error.message else type(error).__name__


def check(document: Document, count: int | None) -> None:
    """Whether nothing was lost silently."""
    numbers = [page.number for page in document.pages]
    assert numbers == sorted(set(numbers))
    assert count is None or len(numbers) == count
    assess(document)
    for page in document.pages:
        lost = not any(block.text.strip() for block in page.blocks)
        assert not lost or page.flags or len(numbers) == 1, f"page {page.number} is just empty"


@pytest.mark.slow
def test_damaged_files_are_read_or_refused_with_a_reason(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    sound = originals(tmp_path)
    for extension, data in sound.items():
        (tmp_path / f"good{extension}").write_bytes(data)
        expected = {"read"} if extension not in PICTURES else {"read", "EmptyDocument"}
        assert outcome(tmp_path / f"good{extension}") in expected, extension
    found: Counter[str] = Counter()
    faults: list[str] = []
    began = time.monotonic()
    for number in range(COUNT):
        extension = chance.choice(list(sound))
        data = mutated(sound[extension], chance)
        named = chance.choice(list(sound)) if chance.random() < 0.2 else extension
        path = tmp_path / f"{number}{named}"
        path.write_bytes(data)
        start = time.monotonic()
        try:
            found[outcome(path)] += 1
        except Exception as error:
            faults.append(f"{path.name} (a {extension}): {type(error).__name__}: {error}")
        if time.monotonic() - start > SLOWEST_S:
            faults.append(f"{path.name} (a {extension}) took {time.monotonic() - start:.0f} s")
        path.unlink()
    print(dict(found), f"{time.monotonic() - began:.1f} s")
    assert faults == [], f"seed {SEED}"
    assert found["read"] > COUNT * 0.3
    assert found["crashed"] == 0


PICTURES = {".png", ".jpg", ".tiff", ".gif", ".bmp", ".webp"}
"""Without text recognition there is nothing to read in them."""
