"""What the chat model does for documents: describes them, splits them into statements, asks
questions about them. Each is optional, and none fails a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rag.ingest.assemble import Language
from rag.types import Chunk, Document, DocumentMetadata

if TYPE_CHECKING:
    from rag.models.chat import ChatModel


def language_of(
    chat: ChatModel | None, prompts: Mapping[str, str], questions_per_chunk: int
) -> Language:
    """What a chat model may do for documents; nothing without one.

    Args:
        prompts: the administrators' prompts by name.
        questions_per_chunk: 0 for none.
    """
    if chat is None:
        return Language()
    from rag.errors import ZhiwenError
    from rag.ingest.chunk.statements import statements_by

    failures: list[str] = []
    take_apart = statements_by(chat, prompts)

    def failed(error: ZhiwenError) -> None:
        failures.append(error.message)

    def propositions(passage: str) -> list[str]:
        try:
            return take_apart(passage)
        except ZhiwenError as error:
            failed(error)
            raise

    def describe(
        document: Document, found: DocumentMetadata, edited: Mapping[str, Any]
    ) -> DocumentMetadata:
        from rag.ingest.describe_llm import describe_with_llm

        return describe_with_llm(
            document, found, chat, prompts=prompts, edited=edited, failed=failed
        )

    def questions(chunks: Sequence[Chunk], step: Callable[[float], None]) -> list[Chunk]:
        from rag.ingest.questions import with_questions

        return with_questions(
            chunks, chat, questions_per_chunk, prompts=prompts, progress=step, failed=failed
        )

    return Language(
        describe=describe,
        questions=questions if questions_per_chunk else None,
        propositions=propositions,
        failures=failures,
    )
