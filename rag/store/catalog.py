"""The catalog: one SQL database that is the truth about everything we keep (DESIGN §4)."""

from __future__ import annotations

from pathlib import Path

from rag.store.chunks import Chunks
from rag.store.clock import Clock, utc_now
from rag.store.configuration import Facts, StoredPrompts, StoredSettings
from rag.store.conversations import Conversations
from rag.store.database import Database
from rag.store.documents import Documents
from rag.store.embeddings import Embeddings
from rag.store.jobs import Jobs
from rag.store.knowledge_bases import KnowledgeBases
from rag.store.lexical import LexicalStats
from rag.store.migrate import migrate
from rag.store.options import Options
from rag.store.people import AccountRows, AuditRows, LoginFailures, SessionRows
from rag.store.retrieval_cases import RetrievalCases
from rag.store.sources import Sources
from rag.store.terms import Terms


class Catalog:
    """Opens (and upgrades) the catalog; each attribute is one repository. Thread-safe.

    Args:
        url_or_path: path of a SQLite file, or an SQLAlchemy URL (`postgresql+psycopg://…`).
        now: the clock.

    Raises:
        StoreError: it cannot be opened, or was written by a newer version.
    """

    def __init__(self, url_or_path: str | Path, now: Clock = utc_now) -> None:
        self.database = Database(url_or_path)
        self.lexical = LexicalStats(self.database)
        try:
            migrate(self.database)
            self.lexical.prepare()
        except BaseException:
            self.database.close()
            raise
        self.knowledge_bases = KnowledgeBases(self.database, self.lexical, now)
        self.documents = Documents(self.database, self.lexical, now)
        self.options = Options(self.database, now)
        self.chunks = Chunks(self.database)
        self.embeddings = Embeddings(self.database, now)
        self.sources = Sources(self.database, now)
        self.terms = Terms(self.database, now)
        self.retrieval_cases = RetrievalCases(self.database, now)
        self.jobs = Jobs(self.database, now)
        self.conversations = Conversations(self.database, now)
        self.settings = StoredSettings(self.database)
        self.prompts = StoredPrompts(self.database, now)
        self.facts = Facts(self.database)
        self.accounts = AccountRows(self.database, now)
        self.sessions = SessionRows(self.database, now)
        self.login_failures = LoginFailures(self.database)
        self.audit = AuditRows(self.database, now)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()
