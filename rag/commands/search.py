"""`search QUERY --kb NAME`: ranked passages."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rag.application import Application, opened
from rag.commands.output import Output, failure, hit_json, preview, read_batch
from rag.errors import InvalidInput
from rag.ingest.places import chinese_place


def add_to(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("search", parents=[shared], help="find passages")
    parser.add_argument("query", nargs="?", metavar="QUERY")
    parser.add_argument("--kb", required=True, metavar="NAME", action="append")
    parser.add_argument("-k", type=_count, default=10, help="how many hits (default 10)")
    parser.add_argument("--batch", type=Path, metavar="FILE.jsonl", help="rows {id, question}")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print one line per hit, or one line per row of the batch."""
    if (args.query is None) == (args.batch is None):
        raise InvalidInput(
            "请给出一个问题，或用 --batch 给出一个文件。", message_en="Give QUERY or --batch."
        )
    with opened(args.data) as application:
        kb_ids = application.kb_ids(args.kb)
        if args.batch:
            return _run_batch(args, output, application, kb_ids)
        for hit in application.search(args.query, kb_ids, args.k).hits:
            name = hit.chunk.document_name
            title = f"{hit.rank}. {name} {chinese_place(name, hit.chunk.pages)}".rstrip()
            output.line(hit_json(hit), f"{title}\n   {preview(hit.chunk.text)}")
    return 0


def _run_batch(
    args: argparse.Namespace, output: Output, application: Application, kb_ids: tuple[str, ...]
) -> int:
    """Print the hits of each row; one that fails has none, and an "error"."""
    status = 0
    for row in read_batch(args.batch):
        try:
            hits = application.search(row["question"], kb_ids, args.k).hits
        except Exception as error:
            told, status = failure(error), 1
            output.line(
                {"id": row["id"], "hits": [], "error": told}, f"{row['id']}：{told['message']}"
            )
            continue
        texts = [f"  {hit.rank}. {preview(hit.chunk.text)}" for hit in hits]
        value = {"id": row["id"], "hits": [hit_json(hit) for hit in hits]}
        output.line(value, "\n".join([f"{row['id']}：{row['question']}", *texts]))
    return status


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return count
