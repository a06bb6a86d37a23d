"""A process that works until a point and waits there to be killed:
`ingest_killed.py DATA KB POINT ACTION FILE-OR-DOCUMENT`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ingest_world import BigramEmbedder, World, open_world

from rag.ingest import run as runs


def halt() -> None:
    """Say that the point is reached and go no further."""
    print("here", flush=True)
    time.sleep(60)


def stop(owner: Any, name: str, *, after: bool) -> None:
    """Make a function halt before or after its work."""
    original: Callable[..., Any] = getattr(owner, name)

    def halting(*positional: Any, **named: Any) -> Any:
        if not after:
            halt()
        result = original(*positional, **named)
        halt()
        return result

    setattr(owner, name, halting)


def arrange(world: World, point: str) -> None:
    """Halt at a point of the chain."""
    when, _, where = point.partition(" ")
    owners = {
        "read": (runs, "read_isolated"),
        "embed": (world.embedder, "embed_passages"),
        "upsert": (world.vectors, "upsert"),
        "publish": (world.catalog.documents, "publish"),
        "delete_chunks": (world.vectors, "delete_chunks"),
        "set_hidden": (world.catalog.documents, "set_hidden"),
    }
    stop(*owners[where], after=when == "after")


def main() -> None:
    data, kb, point, action, subject = sys.argv[1:]
    world = open_world(Path(data), BigramEmbedder(), kb)
    arrange(world, point)
    if action == "upload":
        world.jobs.submit(Path(subject), kb, Path(subject).name)
    elif action == "hide":
        world.pipeline.set_hidden([subject], True)
    else:
        world.jobs.submit_reprocess(subject, parse=action == "reprocess")
    world.jobs.start()
    time.sleep(60)


if __name__ == "__main__":
    main()
