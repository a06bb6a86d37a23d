"""`ingest`, `kb list` and `delete`: what goes into and out of the knowledge bases."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rag.application import opened
from rag.commands.output import Output, joined
from rag.errors import NotFound, ZhiwenError
from rag.ingest.encoding import file_name
from rag.ingest.flags import flag_text
from rag.types import IngestResult

WORDS = {
    "indexed": "已入库",
    "duplicate": "重复，已跳过",
    "replaced": "已更新",
    "quarantined": "已隔离，待核对",
    "failed": "失败",
    "cancelled": "已取消",
}


def add_to(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Register the commands."""
    ingest = commands.add_parser("ingest", parents=[shared], help="add files to a knowledge base")
    ingest.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    ingest.add_argument("--kb", required=True, metavar="NAME", help="created when it is not there")
    ingest.add_argument("--password", help="for encrypted files")
    ingest.set_defaults(run=run_ingest)

    kb = commands.add_parser("kb", help="knowledge bases").add_subparsers(
        required=True, metavar="ACTION"
    )
    kb.add_parser("list", parents=[shared], help="list them").set_defaults(run=run_list)
    listing = kb.add_parser("documents", parents=[shared], help="list the documents of one")
    listing.add_argument("--kb", required=True, metavar="NAME")
    listing.set_defaults(run=run_documents)

    delete = commands.add_parser(
        "delete", parents=[shared], help="delete a knowledge base or one document of it"
    )
    delete.add_argument("--kb", required=True, metavar="NAME")
    delete.add_argument("--document", metavar="ID")
    delete.set_defaults(run=run_delete)


def run_ingest(args: argparse.Namespace, output: Output) -> int:
    """Ingest files and folders one by one; a failing file does not stop the others."""
    paths = list(_files(args.paths))
    if not paths:
        raise NotFound(
            "给出的文件夹里没有文件。",
            "请检查路径；以点开头的文件和文件夹会跳过。",
            message_en="There are no files in the given folders.",
            remedy_en="Check the paths; hidden files and folders are passed over.",
        )
    with opened(args.data) as application:
        kb = application.kb_named(args.kb, create=True)
        failures = 0
        for path in paths:
            name = file_name(path)
            try:
                if not path.is_file():
                    raise NotFound(f"没有这个文件：{path}。", message_en=f"No file {path}.")
                result = application.pipeline.ingest(path, kb.id, name, password=args.password)
            except ZhiwenError as error:
                result = IngestResult(
                    document_id=None, name=name, status="failed", error=error.text()
                )
            failures += result.status == "failed"
            output.line(result.model_dump(mode="json"), _describe(result))
    return 1 if failures else 0


def run_list(args: argparse.Namespace, output: Output) -> int:
    """Print each knowledge base with its counts."""
    with opened(args.data, models=False) as application:
        for kb in application.catalog.knowledge_bases.list():
            text = f"{kb.name}：{kb.document_count} 个文档，{kb.chunk_count} 段"
            output.line(kb.model_dump(mode="json"), text)
    return 0


def run_documents(args: argparse.Namespace, output: Output) -> int:
    """Print each document of a knowledge base with its id, which `delete` takes."""
    with opened(args.data, models=False) as application:
        kb = application.kb_named(args.kb)
        for info in application.catalog.documents.list([kb.id]):
            text = f"{info.id}  {info.name}：{info.status}，{info.chunk_count} 段"
            output.line(info.model_dump(mode="json"), text)
    return 0


def run_delete(args: argparse.Namespace, output: Output) -> int:
    """Delete a document, or the whole knowledge base."""
    with opened(args.data) as application:
        kb = application.kb_named(args.kb)
        if args.document is None:
            application.pipeline.delete_kb(kb.id)
            value = {"kb": kb.name, "documents": kb.document_count, "deleted": True}
            output.line(value, f"已删除知识库“{kb.name}”和其中 {kb.document_count} 个文档")
            return 0
        info = application.catalog.documents.get(args.document)
        if info.kb_id != kb.id:
            raise NotFound(
                f"“{kb.name}”里没有文档 {args.document}。",
                message_en=f"There is no document {args.document} in {kb.name}.",
            )
        application.pipeline.delete_document(info.id)
        value = {"kb": kb.name, "document_id": info.id, "name": info.name, "deleted": True}
        output.line(value, f"已删除《{info.name}》")
    return 0


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(
                p
                for p in path.rglob("*")
                if p.is_file() and not any(s.startswith(".") for s in p.relative_to(path).parts)
            )
        else:
            yield path


def _describe(result: IngestResult) -> str:
    text = f"{result.name}：{WORDS[result.status]}"
    if result.chunks:
        text += f"，{result.pages} 页，{result.chunks} 段"
    if result.flags:
        text += f"，标记：{joined([flag_text(flag) for flag in result.flags])}"
    return text + (f"。{result.error}" if result.error else "")
