"""`doctor [--repair]`: what is wrong with this installation, and mending it."""

from __future__ import annotations

import argparse
from typing import Any

from rag.application import opened
from rag.commands.output import Output

MARKS = {"ok": "✓", "info": "·", "warning": "!", "error": "✗"}


def add_to(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("doctor", parents=[shared], help="check, and repair what it can")
    parser.add_argument("--repair", action="store_true")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print one line per finding; the status is 0 when no error is left."""
    with opened(args.data) as application:
        findings = application.doctor.repair() if args.repair else application.doctor.check()
    for finding in findings:
        text = f"{MARKS[finding.severity]} {finding.message}"
        if finding.remedy and finding.severity != "ok":
            text += f" {finding.remedy}"
        output.line(finding.model_dump(mode="json"), text)
    return 1 if any(finding.severity == "error" for finding in findings) else 0
