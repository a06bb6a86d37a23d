"""`doctor [--repair]`: what is wrong with this installation, and mending it."""

from __future__ import annotations

import argparse
from typing import Any

from rag.application import opened
from rag.commands.output import Output
from rag.errors import ZhiwenError
from rag.observe.health import HealthFinding

MARKS = {"ok": "✓", "info": "·", "warning": "!", "error": "✗"}


def add_to(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("doctor", parents=[shared], help="check, and repair what it can")
    parser.add_argument("--repair", action="store_true")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print one line per finding; the status is 0 when no error is left."""
    findings: list[HealthFinding] = []
    with opened(args.data, models=False) as application:
        try:
            application.prepare()
        except ZhiwenError as error:
            # What is wrong with the rest is still worth knowing.
            findings.append(
                HealthFinding(
                    name="models",
                    severity="error",
                    message=error.message,
                    remedy=error.remedy,
                    message_en=error.message_en,
                    remedy_en=error.remedy_en,
                )
            )
        doctor = application.doctor
        findings += doctor.repair() if args.repair else doctor.check()
    for finding in findings:
        text = f"{MARKS[finding.severity]} {finding.message}"
        if finding.remedy and finding.severity != "ok":
            text += f" {finding.remedy}"
        output.line(finding.model_dump(mode="json"), text)
    return 1 if any(finding.severity == "error" for finding in findings) else 0
