"""Converts old and foreign office formats with LibreOffice: part of the parse step.

LibreOffice is optional. It runs without a window, with a profile of its own in which macros
and everything fetched from elsewhere are switched off, and ends with all its children when it
takes too long, when it is cancelled, and when this process ends, even by being killed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rag.errors import CorruptDocument
from rag.ingest.archive import list_members
from rag.ingest.formats import CONVERTIBLE, DOCX, EXTENSIONS, PPTX, XLSX
from rag.ingest.refused import unconverted
from rag.settings import IngestSettings

_PLACES = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    "/opt/libreoffice/program/soffice",
    "C:/Program Files/LibreOffice/program/soffice.exe",
)
_FILTERS = {
    DOCX: "MS Word 2007 XML",
    XLSX: "Calc MS Excel 2007 XML",
    PPTX: "Impress MS PowerPoint 2007 XML",
}
_TIMEOUT_S = 240.0
"""Longest conversion, chosen by us; a page of text takes milliseconds, the start seconds."""

_POLL_S = 0.5
"""Between two looks at whether it has finished; each also reports progress."""

_GUARD_S = 10.0
"""Time that the guard has to end what it guards; it needs milliseconds. Chosen by us."""

_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"
 xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
{}
</oor:items>
"""
_OPTIONS = (
    ("org.openoffice.Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("org.openoffice.Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("org.openoffice.Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("org.openoffice.Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("org.openoffice.Office.Writer/Content/Update", "Link", "0"),
    ("org.openoffice.Office.Calc/Content/Update", "Link", "2"),
)
"""No macro runs, and nothing that a document links to is fetched."""


def find_office() -> str | None:
    """The path of LibreOffice's program, None where it isn't installed."""
    for name in ("soffice", "libreoffice"):
        found = shutil.which(name)
        if found:
            return found
    return next((place for place in _PLACES if Path(place).is_file()), None)


@contextmanager
def converted(
    source: Path,
    old: str,
    settings: IngestSettings,
    progress: Callable[[float], None] | None = None,
    timeout_s: float = _TIMEOUT_S,
) -> Iterator[Path]:
    """The file in its new format, for as long as the context lasts.

    Args:
        old: its format, a key of `CONVERTIBLE`, or ".xlsx" to have formulas computed.
        progress: called with 0 while the conversion runs; may raise to stop it.
        timeout_s: seconds after which the conversion is given up.

    Raises:
        UnsupportedFormat: LibreOffice isn't installed.
        CorruptDocument: it couldn't read the file, or took too long.
        TooLarge: the result would unpack beyond the bounds.
    """
    program = find_office()
    if program is None:
        raise unconverted(old)
    target = CONVERTIBLE[old][0] if old in CONVERTIBLE else XLSX
    with tempfile.TemporaryDirectory(prefix="zhiwen-", ignore_cleanup_errors=True) as folder:
        room = Path(folder)
        # A plain name: people's names may be longer than what LibreOffice can add to.
        copy = room / f"source.{old.rpartition('.')[2]}"
        shutil.copyfile(source, copy)
        extension = EXTENSIONS[target]
        command = [
            program, "--headless", "--norestore", "--nolockcheck", "--nodefault",
            "--nologo", f"-env:UserInstallation={_profile(room).as_uri()}",
            "--convert-to", f"{extension[1:]}:{_FILTERS[target]}",
            "--outdir", str(room / "out"), str(copy),
        ]  # fmt: skip
        said = _run(_guarded(command, room, timeout_s), room, progress, timeout_s)
        result = room / "out" / f"source{extension}"
        if not result.is_file():
            raise _not_converted(old, said)
        list_members(result, settings)
        yield result


def _guarded(command: list[str], room: Path, timeout_s: float) -> list[str]:
    """The command, bound to end even where this process is killed meanwhile."""
    if os.name != "posix":
        return command
    guard = Path(__file__).with_name("convert_guard.py")
    # Without site packages, Python starts in a fifth of the time.
    return [sys.executable, "-I", "-S", str(guard), f"{timeout_s + 5:g}", str(room), *command]


def _profile(room: Path) -> Path:
    folder = room / "profile"
    (folder / "user").mkdir(parents=True)
    items = "\n".join(
        f'<item oor:path="/{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value>'
        "</prop></item>"
        for path, name, value in _OPTIONS
    )
    (folder / "user" / "registrymodifications.xcu").write_text(
        _PROFILE.format(items), encoding="utf-8"
    )
    return folder


def _run(
    command: list[str], room: Path, progress: Callable[[float], None] | None, timeout_s: float
) -> str:
    """What the program said; it and its children are gone afterwards, however this ends."""
    log = room / "log"
    environment = {**os.environ, "HOME": str(room), "TMPDIR": str(room), "SAL_USE_VCLPLUGIN": "svp"}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=room,
            start_new_session=True,
        )
        until = time.monotonic() + timeout_s
        try:
            while process.poll() is None and time.monotonic() < until:
                if progress is not None:
                    progress(0.0)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_S)
            late = process.poll() is None
        finally:
            _kill(process)
    if late:
        raise _too_slow(timeout_s)
    return log.read_text(encoding="utf-8", errors="replace")[-500:]


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the guard by letting go of its pipe, and with it what it guards."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    if os.name == "posix":
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GUARD_S)
    process.kill()
    process.wait()


def _not_converted(old: str, detail: str) -> CorruptDocument:
    _, what, what_en = CONVERTIBLE.get(old, ("", "Excel 表格", "an Excel sheet"))
    blank = " " if what[:1].isascii() else ""
    return CorruptDocument(
        f"文件是{blank}{what}，LibreOffice 没能打开它，可能已损坏。",
        "请用 Office 或 WPS 打开并另存为新格式（.docx、.xlsx、.pptx），再重新上传。",
        message_en=f"The file is {what_en}, and LibreOffice couldn't open it; it may be damaged.",
        remedy_en="Open it in Office or WPS, save it as .docx, .xlsx or .pptx and upload that.",
        detail=detail,
    )


def _too_slow(timeout_s: float) -> CorruptDocument:
    return CorruptDocument(
        f"文件在 {timeout_s:g} 秒内没有转换完。",
        "请用 Office 或 WPS 另存为新格式（.docx、.xlsx、.pptx），再重新上传。",
        message_en=f"The file wasn't converted within {timeout_s:g} seconds.",
        remedy_en="Save it as .docx, .xlsx or .pptx in Office or WPS and upload that.",
    )
