"""Places that knowledge bases follow: folders, web sites, SQL databases."""

from rag.ingest.sources.follow import CONFIGS
from rag.ingest.sources.service import Sources
from rag.ingest.sources.sync import SyncReport

__all__ = ["CONFIGS", "Sources", "SyncReport"]
