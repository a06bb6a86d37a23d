"""Gives freed memory back to the system after a large document."""

from __future__ import annotations

import ctypes
import ctypes.util
from contextlib import suppress
from functools import cache
from typing import Any


def give_back() -> None:
    """Return what the C library keeps of freed memory. Takes milliseconds, without the
    interpreter's lock; does nothing where the C library isn't glibc."""
    library = _glibc()
    if library is not None:
        library.malloc_trim(0)


@cache
def _glibc() -> Any:
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(ctypes.util.find_library("c") or "libc.so.6")
        library.malloc_trim.argtypes = [ctypes.c_size_t]
        return library
    return None
