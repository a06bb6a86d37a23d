"""Documents in: what comes out of public test files, beside two widely used converters.

    make bench-parse
    python -m benchmarks.bench_parse [--peers PYTHON] [--only 01,02] [--verbose]

Reads the files of `cases/files` beside the evaluation data (see `benchmarks.places`) and
checks the Markdown of each against `benchmarks.parse_checks`. pymupdf4llm and markitdown are
run on the same files with the same checks by the interpreter `--peers`, each file in a
process of its own with a time limit; without it only our column is printed. For files that
cannot be read as they are, a tool passes when it says so instead of returning nothing.

Prints one Markdown row per file: checks held of all, seconds (imports left out), and at the
end the totals and the ratio of the times on the PDF files with a text layer.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.parse_checks import CHECKS, FLAGS, PASSWORDS, REFUSED, Check
from benchmarks.places import DATA
from rag.errors import (
    CorruptDocument,
    DocumentError,
    EmptyDocument,
    EncryptedDocument,
    ZhiwenError,
)
from rag.settings import IngestSettings

PEERS = ("pymupdf4llm", "markitdown")
LIMIT_S = 60.0
"""Seconds that a peer may take for one file; one of them hung for minutes on a slide."""
NATIVE = ("01", "02", "03", "04", "09", "12", "16", "17", "22", "32", "33")
"""PDF files with a text layer and nothing to recognise: those whose times are compared."""
AIM_PAGES_PER_S, AIM_RATIO = 20.0, 5.0
"""Pages a second of these files on one core, and how many times faster than pymupdf4llm."""


@dataclass
class Outcome:
    """What a tool made of a file. `text` is None when it refused; `reason` says why, `flags`
    are the notices that come with the text."""

    text: str | None
    seconds: float
    reason: str = ""
    flags: tuple[str, ...] = ()
    pages: int = 0


def main() -> int:
    """Check all files and print the table; the exit status is 1 when one of ours fails."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--peers", type=Path, help="a Python with the other converters")
    arguments.add_argument("--only", default="", help="numbers of files, comma-separated")
    arguments.add_argument("--verbose", action="store_true", help="name the checks that failed")
    options = arguments.parse_args()
    folder = DATA.parent / "cases" / "files"
    if not folder.is_dir():
        print(f"cases/files not beside {DATA}: skipped (set ZHIWEN_BENCH_DATA)")
        return 0
    wanted = set(options.only.split(",")) - {""}
    files = [
        path
        for path in sorted(folder.iterdir())
        if path.name[:2] in {*CHECKS, *REFUSED, *FLAGS} and (not wanted or path.name[:2] in wanted)
    ]
    tools = ["ours", *(PEERS if options.peers else ())]
    warm_up(files)
    table = _Table(tools)
    for path in files:
        outcomes = [ours(path), *(peer(options.peers, tool, path) for tool in tools[1:])]
        table.add(path, outcomes, options.verbose)
    return table.finish()


def warm_up(files: Sequence[Path]) -> None:
    """Read one PDF beforehand: loading the parts would otherwise count as its time."""
    for path in files:
        if path.name[:2] in NATIVE:
            ours(path)
            return


def ours(path: Path, password: str | None = None) -> Outcome:
    """Our Markdown of a file."""
    from rag.ingest.clean import clean
    from rag.ingest.inspect import inspect
    from rag.ingest.markdown import to_markdown
    from rag.ingest.parse import parse

    settings = IngestSettings()
    start = time.perf_counter()
    try:
        found = inspect(path, settings)
        document = parse(path, found, name=path.name, settings=settings, password=password)
        document = clean(document)
        text = to_markdown(document)
    except ZhiwenError as error:
        return Outcome(None, time.perf_counter() - start, _kind(error))
    seconds = time.perf_counter() - start
    return Outcome(text, seconds, flags=document.flags, pages=len(document.pages))


def peer(python: Path, tool: str, path: Path) -> Outcome:
    """Another tool's Markdown of a file; an error and a time-out count as a refusal."""
    command = [str(python), str(Path(__file__).with_name("parse_peer.py")), tool, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return Outcome(None, LIMIT_S, "time-out")
    if done.returncode:
        return Outcome(None, 0.0, "error")
    seconds = float(done.stderr.decode(errors="replace").strip().rsplit("\n", 1)[-1])
    return Outcome(done.stdout.decode("utf-8", "replace"), seconds)


def _kind(error: ZhiwenError) -> str:
    for kind, name in (
        (EncryptedDocument, "encrypted"),
        (EmptyDocument, "empty"),
        (CorruptDocument, "corrupt"),
        (DocumentError, "refused"),
    ):
        if isinstance(error, kind):
            return name
    return "error"


class _Table:
    """Prints rows as they come and sums them up."""

    def __init__(self, tools: Sequence[str]) -> None:
        self._tools = tools
        self._held = dict.fromkeys(tools, 0)
        self._native = dict.fromkeys(tools, 0.0)
        self._pages = 0
        self._all = dict.fromkeys(tools, 0)
        self._failed = False
        print("| file | " + " | ".join(f"{tool} | s" for tool in tools) + " |")
        print("|---" * (1 + 2 * len(tools)) + "|")

    def add(self, path: Path, outcomes: Sequence[Outcome], verbose: bool) -> None:
        """One file's row."""
        number = path.name[:2]
        checks = CHECKS.get(number, ())
        cells: list[str] = []
        notes: list[str] = []
        for tool, outcome in zip(self._tools, outcomes, strict=True):
            mine = tool == "ours"
            # The others take no password and give no notices.
            asked = checks if mine or number not in PASSWORDS else ()
            failed = self._failures(tool, path, outcome, asked)
            total = len(asked) + (number in REFUSED) + (mine and number in FLAGS)
            self._all[tool] += total
            self._held[tool] += total - len(failed)
            if number in NATIVE:
                self._native[tool] += outcome.seconds
                self._pages += outcome.pages
            cells.append(f"{total - len(failed)}/{total} {outcome.reason}".strip())
            cells.append(f"{outcome.seconds:.2f}")
            notes += [f"    {tool}: {label}" for label in failed]
            self._failed |= mine and bool(failed)
        print(f"| {path.name} | " + " | ".join(cells) + " |", flush=True)
        if verbose and notes:
            print("\n".join(notes), flush=True)

    def _failures(
        self, tool: str, path: Path, outcome: Outcome, checks: Sequence[Check]
    ) -> list[str]:
        number = path.name[:2]
        failed: list[str] = []
        if number in REFUSED:
            said = outcome.text is None and outcome.reason != "time-out"
            right = outcome.reason == REFUSED[number] if tool == "ours" else said
            failed += [] if right else [f"says that it is {REFUSED[number]}"]
            if number in PASSWORDS and tool == "ours":
                outcome = ours(path, PASSWORDS[number])
        if number in FLAGS and tool == "ours":
            noticed = {flag.partition(":")[0] for flag in outcome.flags}
            failed += [] if FLAGS[number] in noticed else [f"notice {FLAGS[number]}"]
        text = outcome.text
        return failed + [c.label for c in checks if text is None or not c.holds(text)]

    def finish(self) -> int:
        """The totals."""
        totals = [f"{self._held[tool]}/{self._all[tool]} | " for tool in self._tools]
        print("| **all** | " + " | ".join(totals) + " |")
        seconds = max(self._native["ours"], 1e-9)
        if self._pages:
            speed = self._pages / seconds
            verdict = "met" if speed >= AIM_PAGES_PER_S else "MISSED"
            print(
                f"PDF with a text layer: {speed:.0f} pages/s (aim {AIM_PAGES_PER_S:g}: {verdict})"
            )
        for tool in self._tools[1:]:
            ratio = self._native[tool] / seconds
            aim = AIM_RATIO if tool == PEERS[0] else 1.0
            verdict = "met" if ratio >= aim else "MISSED"
            print(f"{tool} takes {ratio:.1f}× our time for them (aim {aim:g}: {verdict})")
        return int(self._failed)


if __name__ == "__main__":
    sys.exit(main())
