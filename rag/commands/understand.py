"""`understand QUESTION --kb NAME`: what a question is taken to mean."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rag.application import opened
from rag.commands.output import (
    Output,
    failure,
    joined,
    read_batch,
    read_history,
    to_turns,
    understanding_json,
)
from rag.errors import InvalidInput
from rag.turn import TurnInput
from rag.types import Understanding


def add_to(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "understand", parents=[shared], help="complete and classify a question"
    )
    add_question(parser)
    parser.set_defaults(run=run)


def add_question(parser: argparse.ArgumentParser) -> None:
    """The arguments that `understand` and `ask` share."""
    parser.add_argument("question", nargs="?", metavar="QUESTION")
    parser.add_argument("--kb", required=True, metavar="NAME", action="append")
    parser.add_argument(
        "--history", type=Path, metavar="FILE.json", help="[{role, content}], oldest first"
    )
    parser.add_argument(
        "--corrected",
        metavar="QUESTION",
        help="the completed question, where QUESTION would be completed wrongly",
    )
    parser.add_argument(
        "--batch", type=Path, metavar="FILE.jsonl", help="rows {id, question, history}"
    )


def inputs(args: argparse.Namespace, kb_ids: tuple[str, ...]) -> list[tuple[Any, TurnInput]]:
    """The questions to run, each with its row id (None for a single question)."""
    if (args.question is None) == (args.batch is None):
        raise InvalidInput(
            "请给出一个问题，或用 --batch 给出一个文件。", message_en="Give QUESTION or --batch."
        )
    if args.batch is None:
        turn = TurnInput(
            question=args.question,
            history=read_history(args.history),
            kb_ids=kb_ids,
            corrected=args.corrected,
        )
        return [(None, turn)]
    return [
        (
            row["id"],
            TurnInput(
                question=row["question"],
                history=to_turns(row.get("history") or [], f"{args.batch}（id {row['id']}）"),
                kb_ids=kb_ids,
            ),
        )
        for row in read_batch(args.batch)
    ]


def identified(row_id: Any, value: dict[str, Any]) -> dict[str, Any]:
    """Put the row's id in front, for batches."""
    return value if row_id is None else {"id": row_id, **value}


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the Understanding of each question; a row that fails gets an "error"."""
    status = 0
    with opened(args.data) as application:
        for row_id, turn in inputs(args, application.kb_ids(args.kb)):
            try:
                meaning = application.chain.interpret(turn)
            except Exception as error:
                if row_id is None:
                    raise
                told, status = failure(error), 1
                output.line({"id": row_id, "error": told}, f"{row_id}：{told['message']}")
                continue
            output.line(identified(row_id, understanding_json(meaning)), describe(meaning))
    return status


def describe(meaning: Understanding) -> str:
    """An Understanding for people."""
    lines = [f"理解为：{meaning.standalone_question}", f"意图：{meaning.intent}"]
    for name, value in meaning.slots:
        if value:
            lines.append(f"{name}：{joined([getattr(item, 'text', item) for item in value])}")
    if meaning.clarification:
        options = joined([option.label for option in meaning.clarification.options])
        lines.append(f"反问：{meaning.clarification.question}（{options}）")
    return "\n".join(lines)
