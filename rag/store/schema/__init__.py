"""Tables of the catalog: the truth from which the vector store can be rebuilt (DESIGN §4).

Values of `rag.types` are kept as their own JSON in text columns; what is searched or sorted
by has a column of its own. All times are UTC.
"""

from __future__ import annotations

from rag.store.schema.base import metadata
from rag.store.schema.configuration import (
    facts,
    prompts,
    settings,
)
from rag.store.schema.documents import (
    chunks,
    document_options,
    documents,
    embeddings,
    jobs,
    knowledge_bases,
    pages,
    source_items,
    sources,
    versions,
)
from rag.store.schema.people import (
    accounts,
    audit,
    conversations,
    events,
    login_failures,
    messages,
    sessions,
)
from rag.store.schema.search import (
    lexical_terms,
    lexical_totals,
    retrieval_cases,
    terms,
)

__all__ = [
    "accounts",
    "audit",
    "chunks",
    "conversations",
    "document_options",
    "documents",
    "embeddings",
    "events",
    "facts",
    "jobs",
    "knowledge_bases",
    "lexical_terms",
    "lexical_totals",
    "login_failures",
    "messages",
    "metadata",
    "pages",
    "prompts",
    "retrieval_cases",
    "sessions",
    "settings",
    "source_items",
    "sources",
    "terms",
    "versions",
]
