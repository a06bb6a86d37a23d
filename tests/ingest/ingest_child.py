"""A process of its own that ingests until it is killed: `ingest_child.py DATA KB FILE…`."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from ingest_world import BigramEmbedder, open_world


class SlowEmbedder(BigramEmbedder):
    """Takes its time, so that the process can be killed in the middle."""

    def embed_passages(self, texts, progress=None):  # type: ignore[no-untyped-def]
        print("embedding", flush=True)
        time.sleep(0.3)
        return super().embed_passages(texts, progress)


def main() -> None:
    data, kb, *names = sys.argv[1:]
    world = open_world(Path(data), SlowEmbedder(), kb)
    for name in names:
        world.jobs.submit(Path(name), kb, Path(name).name)
    # The application starts the queue from its warm-up thread.
    starter = threading.Thread(target=world.jobs.start)
    starter.start()
    starter.join()
    print("started", flush=True)
    time.sleep(60)


if __name__ == "__main__":
    main()
