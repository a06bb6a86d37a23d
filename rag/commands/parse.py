"""`parse FILE`: what a file looks like once it is read, without storing anything."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rag.commands.output import Output, joined
from rag.errors import NotFound
from rag.ingest.flags import flag_text
from rag.settings_layers import data_directory, load_settings
from rag.types import Document


def add_to(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("parse", parents=[shared], help="read a file and print it")
    parser.add_argument("file", type=Path)
    parser.add_argument("--password", help="for an encrypted file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print name, media type, pages with their routes, flags and the text as Markdown."""
    document = read(args.file, args)
    from rag.ingest.markdown import to_markdown

    markdown = to_markdown(document, places=True)
    value = {
        "name": document.name,
        "media_type": document.media_type,
        "pages": [
            {"number": page.number, "route": page.route, "flags": list(page.flags)}
            for page in document.pages
        ],
        "flags": list(document.flags),
        "markdown": markdown,
    }
    noticed = joined([flag_text(flag) for flag in document.flags])
    flags = f"，标记：{noticed}" if noticed else ""
    output.line(value, f"{document.name}：{len(document.pages)} 页{flags}\n\n{markdown}")
    return 0


def read(path: Path, args: argparse.Namespace) -> Document:
    """Inspect, parse and clean one file."""
    from rag.ingest.clean import clean
    from rag.ingest.encoding import file_name
    from rag.ingest.inspect import inspect
    from rag.ingest.parse import parse

    if not path.is_file():
        raise NotFound(f"没有这个文件：{path}。", message_en=f"There is no file {path}.")
    settings = load_settings(data_directory(args.data)).ingest
    inspection = inspect(path, settings)
    name = file_name(path)
    return clean(parse(path, inspection, name=name, settings=settings, password=args.password))
