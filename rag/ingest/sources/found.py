"""What a look at a source gives: the same for folders, sites and databases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Found:
    """One thing that exists at a source.

    Attributes:
        key: what it is known by there: a path in the folder, an address.
        stamp: changes whenever its content may have.
        name: what its document is called, with the extension of its format.
        stated: facts that the source knows about it (`source`, `title`), as JSON values.
        content: its bytes, or the file that holds them; None when it is as it was.
        digest: a hash of what counts in the content, where that isn't all of its bytes.
        error: why it cannot be taken at the moment, in Chinese; the document stays as it is.
        gone: the source says that it does not exist any more.
        passed_over: it is nothing that we take; told in the report, not kept.
    """

    key: str
    stamp: str = ""
    name: str = ""
    stated: Mapping[str, Any] = field(default_factory=dict)
    content: Callable[[], bytes | Path] | None = None
    digest: str = ""
    error: str | None = None
    gone: bool = False
    passed_over: bool = False


@dataclass(frozen=True)
class Look:
    """A look at a source.

    Attributes:
        found: what exists, one after the other; may be slow and may raise.
        listing: all keys, where they are known beforehand: a key that is new then may be
            the moved file of a key that is gone.
        unseen: says of a known key whether it may exist although it was not found, because
            its place could not be looked into.
    """

    found: Iterable[Found]
    listing: frozenset[str] | None = None
    unseen: Callable[[str], bool] = lambda _: False
