"""Arguments, exit status and errors of the command line.

Standard output carries results only: with `--json` one JSON value per line, otherwise plain
text. Everything else (progress, warnings, errors) goes to standard error. The exit status is
0 only when everything that was asked for succeeded.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rag.commands import account, ask, doctor, documents, parse, search, understand
from rag.commands.output import Output, failure
from rag.errors import ZhiwenError

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Chinese must come out on consoles of any code page, and half an emoji must not
            # end the run; in JSON the backslash form is the right escape.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    args = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    output = Output(args.json)
    try:
        status: int = args.run(args, output)
        return status
    except ZhiwenError as error:
        if args.json:
            print(json.dumps({"error": failure(error)}, ensure_ascii=False), file=sys.stderr)
        else:
            print(error.text(), file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        print("已中断。", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_FAILED


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--data", metavar="DIR", type=Path, help="data directory (default: $ZHIWEN_DATA or ./data)"
    )
    shared.add_argument("--json", action="store_true", help="print JSON lines only")
    parser = argparse.ArgumentParser(
        prog="python -m rag", description="ZhiWen (知问) without the browser"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (documents, parse, search, understand, ask, doctor, account):
        module.add_to(commands, shared)
    return parser
