"""Runs a converter for as long as somebody waits for it: the child of `rag.ingest.convert`.

Run by its path with a time limit in seconds, a folder and a command. Standard input is a pipe
from whoever waits: when it ends, however that process ended, and when the time is up, the
command is killed with all that it started, and the folder is removed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress

LATE = 124
"""Exit status when the time was up, as `timeout` of the GNU core utilities has it."""


def main() -> None:
    """Run the command that the arguments name, and end as it ends."""
    limit_s, folder, *command = sys.argv[1:]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
    threading.Thread(target=_watch, args=(process, folder), daemon=True).start()
    try:
        code = process.wait(float(limit_s))
    except subprocess.TimeoutExpired:
        code = LATE
    _kill(process)
    os._exit(code if code >= 0 else 1)


def _watch(process: subprocess.Popen[bytes], folder: str) -> None:
    """End everything when nobody waits any more."""
    with suppress(OSError):
        while os.read(0, 1024):
            pass
    _kill(process)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the command and its children; it may be gone while they are left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
