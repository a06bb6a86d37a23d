"""`ask QUESTION --kb NAME`: a whole turn, answered with citations."""

from __future__ import annotations

import argparse
from typing import Any

from rag.application import opened
from rag.commands.output import Output, failure, place, preview, understanding_json
from rag.commands.understand import add_question, identified, inputs
from rag.types import Answer


def add_to(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("ask", parents=[shared], help="answer a question")
    add_question(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the Answer of each question; a row that fails becomes an answer "error"."""
    status = 0
    with opened(args.data) as application:
        for row_id, turn in inputs(args, application.kb_ids(args.kb)):
            try:
                answer = application.chain.invoke(turn)
            except Exception as error:
                if row_id is None:
                    raise
                told = failure(error)
                answer = Answer(status="error", text="", reason=told["message"] + told["remedy"])
            if answer.status == "error":
                status = 1
            output.line(identified(row_id, answer_json(answer)), describe(answer))
    return status


def answer_json(answer: Answer) -> dict[str, Any]:
    """The Answer as the command line prints it."""
    value = answer.model_dump(mode="json")
    if answer.understanding is not None:
        value["understanding"] = understanding_json(answer.understanding)
    return value


def describe(answer: Answer) -> str:
    """An Answer for people: text, options or citations."""
    lines = [answer.text]
    meaning = answer.understanding
    if answer.status == "clarify" and meaning and meaning.clarification:
        lines += [f"  · {option.label}" for option in meaning.clarification.options]
    lines += [f"[{c.n}] {place(c)}：{preview(c.quote)}" for c in answer.citations]
    if answer.reason:
        lines.append(f"（{answer.reason}）")
    return "\n".join(line for line in lines if line)
