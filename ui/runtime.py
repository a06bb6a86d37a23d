"""The one application of the process: opened in a thread, so that a page shows at once.

Module state on purpose: sessions come and go, the data directory is opened once per process.
"""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import ZhiwenError

if TYPE_CHECKING:
    from rag.application import Application

log = logging.getLogger(__name__)


class Start:
    """How far the start has come.

    Attributes:
        application: the services; None until the data directory is open.
        failure: what kept the data directory from opening.
        opened: set when opening has ended, well or not.
    """

    def __init__(self) -> None:
        self.application: Application | None = None
        self.failure: Exception | None = None
        self.opened = threading.Event()

    @property
    def error(self) -> Exception | None:
        """What stopped the start: of the data directory or, later, of the models."""
        return self.failure or (self.application.warm_error if self.application else None)

    @property
    def ready(self) -> bool:
        """Whether the models have been loaded, too."""
        return self.application is not None and self.application.ready.is_set() and not self.error


_lock = threading.Lock()
_start: Start | None = None


def start(data: Path | None = None) -> Start:
    """Begin opening the application, once per process; returns its state at once."""
    global _start
    with _lock:
        if _start is None:
            _start = Start()
            threading.Thread(target=_open, args=(_start, data), daemon=True, name="start").start()
        return _start


def retry() -> None:
    """Begin a failed start anew: of the data directory with the next page, of the models now."""
    global _start
    with _lock:
        if _start is None:
            return
        if _start.failure is not None:
            _start = None
            return
        application = _start.application
        if application is not None and application.warm_error is not None:
            application.ready.clear()
            application.warm_error = None
            application.warm_up()


def use(application: Application | None) -> None:
    """Put a ready-made application in place of the process's own (None: forget it)."""
    global _start
    with _lock:
        _start = None
        if application is not None:
            _start = Start()
            _start.application = application
            _start.opened.set()


def close() -> None:
    """Close the application at the end of the process."""
    global _start
    with _lock:
        state, _start = _start, None
    if state is not None and state.application is not None:
        state.application.close()


def _open(state: Start, data: Path | None) -> None:
    try:
        from rag.application import create_application

        application = create_application(data)
        _announce(application)
        application.warm_up()
        state.application = application
    except Exception as error:
        log.error("start failed: %s", error, exc_info=not isinstance(error, ZhiwenError))
        state.failure = error
    finally:
        state.opened.set()


def _announce(application: Application) -> None:
    """Print the one-time setup code while there is no administrator yet."""
    if application.accounts.setup_needed():
        code = application.accounts.setup_code()
        print(f"\n  一次性设置码 · setup code: {code}", file=sys.stderr)
        print("  在「登录」页用它创建管理员 · create the administrator with it\n", file=sys.stderr)
        sys.stderr.flush()
