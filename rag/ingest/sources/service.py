"""Sources for people: who may follow what, and what is kept about it.

Every call checks the person's rights and writes changes to the audit log. Folders and
databases reach what the server can reach, so that only administrators set them up; web pages
are for all who may change the knowledge base.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic import ValidationError

from rag.access.audit import Audit
from rag.access.policy import can_chat, can_edit, can_read, require_admin
from rag.errors import InvalidInput, NotAllowed, NotFound
from rag.ingest.sources.fetch import checked_address
from rag.ingest.sources.folder import FolderConfig, followed_folder
from rag.ingest.sources.follow import CONFIGS, Follower, secret_name
from rag.ingest.sources.sql import SqlConfig, checked_query, checked_url
from rag.ingest.sources.sync import SyncReport
from rag.ingest.sources.web import WebConfig
from rag.removal import remove_documents
from rag.secrets import Secrets
from rag.settings import Settings
from rag.store.clock import Clock, utc_now
from rag.text.readable import readable
from rag.types import Person, Source, SourceItem, SourceKind

if TYPE_CHECKING:
    from rag.ingest.jobs import JobQueue
    from rag.ingest.pipeline import Pipeline
    from rag.store.catalog import Catalog

SourceList = list[Source]
ItemList = list[SourceItem]
Removal = Literal["keep", "hide", "remove"]

LEAST_EVERY_S = 60.0
"""Least seconds between two synchronisations of a site or a database; chosen by us."""
_LONGEST_NAME = 100
_MAY_FOLLOW: Mapping[str, tuple[str, ...]] = {
    "admin": ("folder", "web", "sql"),
    "editor": ("web",),
}
"""Kinds by role. Guests may upload where that is allowed, but make the server fetch nothing."""


class Sources:
    """The places that knowledge bases follow. Thread-safe.

    Args:
        now: the clock.
    """

    def __init__(
        self,
        catalog: Catalog,
        pipeline: Pipeline,
        jobs: JobQueue,
        secrets: Secrets,
        audit: Audit,
        settings: Callable[[], Settings],
        now: Clock = utc_now,
    ) -> None:
        self._catalog = catalog
        self._pipeline = pipeline
        self._secrets = secrets
        self._audit = audit
        self._settings = settings
        self._follower = Follower(catalog, pipeline, jobs, secrets, settings, now)

    # --- For people -------------------------------------------------------------------

    def create(
        self,
        person: Person,
        kb_id: str,
        kind: SourceKind,
        name: str,
        config: Mapping[str, Any],
        *,
        every_s: float = 3600.0,
        password: str = "",
    ) -> Source:
        """Follow a place from now on; the first synchronisation begins within seconds.

        Args:
            config: fields of the kind's class in `CONFIGS`.
            every_s: seconds between two synchronisations; folders are looked at as often as
                the setting `sources.folder_every_s` says.
            password: of a database, kept apart from the catalog.

        Raises:
            InvalidInput, NotFound: the configuration is wrong; the message says what.
            NotAllowed: the person may not, or the place is not to be followed.
        """
        self._require(person, kb_id, kind)
        checked = self._checked(kind, config)
        source = self._catalog.sources.create(
            kb_id, kind, _name(name), checked, _every(kind, every_s)
        )
        if password:
            self._secrets.set(secret_name(source.id), password)
        self._audit.record(person, "source.create", source.id, f"{kind} {source.name}")
        self._follower.wake()
        return source

    def list(self, person: Person, kb_id: str | None = None) -> SourceList:
        """The sources that the person may change (of one knowledge base), oldest first."""
        return [
            source
            for source in self._catalog.sources.list(kb_id)
            if self._may(person, source.kb_id, source.kind)
        ]

    def items(self, person: Person, source_id: str) -> ItemList:
        """What was found at a source and what became of it."""
        source = self._catalog.sources.get(source_id)
        self._require(person, source.kb_id, source.kind)
        return self._catalog.sources.items(source_id)

    def last_report(self, person: Person, source_id: str) -> SyncReport | None:
        """What the last synchronisation since the start did; None before it."""
        source = self._catalog.sources.get(source_id)
        self._require(person, source.kb_id, source.kind)
        return self._follower.reports.get(source_id)

    def update(
        self,
        person: Person,
        source_id: str,
        *,
        name: str | None = None,
        config: Mapping[str, Any] | None = None,
        every_s: float | None = None,
        enabled: bool | None = None,
        password: str | None = None,
    ) -> Source:
        """Change what is given; `password=""` removes the stored one.

        Raises:
            InvalidInput, NotFound, NotAllowed: as for `create`.
        """
        source = self._catalog.sources.get(source_id)
        self._require(person, source.kb_id, source.kind)
        changed = self._catalog.sources.update(
            source_id,
            name=None if name is None else _name(name),
            config=None if config is None else self._checked(source.kind, config),
            every_s=None if every_s is None else _every(source.kind, every_s),
            enabled=enabled,
            next_run_at=None,
        )
        if password is not None:
            self._secrets.set(secret_name(source_id), password)
        self._audit.record(person, "source.update", source_id, changed.name)
        self._follower.wake()
        return changed

    def delete(self, person: Person, source_id: str, documents: Removal = "keep") -> int:
        """Stop following a place.

        Args:
            documents: what becomes of the documents that came from it. What was found and
                still waits to be read comes in only where they are kept.

        Returns:
            How many documents were hidden or removed.
        """
        source = self._catalog.sources.get(source_id)
        self._require(person, source.kb_id, source.kind)
        if documents != "keep":
            self._follower.cancel_jobs(source_id)
        own = self._catalog.documents.select(source.kb_id, source_id=source_id)
        self._catalog.sources.delete(source_id)
        if self._secrets.has(secret_name(source_id)):
            self._secrets.set(secret_name(source_id), "")
        if documents == "hide":
            self._pipeline.set_hidden([info.id for info in own if not info.hidden], True)
        elif documents == "remove":
            files = self._pipeline.files
            remove_documents(self._catalog, self._pipeline.vectors, files, [i.id for i in own])
        self._audit.record(person, "source.delete", source_id, f"{source.name}：{documents}")
        return 0 if documents == "keep" else len(own)

    def run_now(self, person: Person, source_id: str) -> Source:
        """Synchronise as soon as possible, without waiting for it."""
        source = self._catalog.sources.get(source_id)
        self._require(person, source.kb_id, source.kind)
        changed = self._catalog.sources.update(source_id, next_run_at=None)
        self._audit.record(person, "source.run", source_id, source.name)
        self._follower.wake()
        return changed

    # --- In the background ------------------------------------------------------------

    def sync(self, source_id: str) -> SyncReport:
        """Synchronise one source and wait for the look at it; what is new is then queued.

        Raises:
            NotFound: there is no such source.
            InvalidInput: it is being synchronised already.
            ZhiwenError, OSError: it cannot be looked at; that is noted with the source, too.
        """
        return self._follower.sync(source_id)

    def start(self) -> None:
        """Follow all sources in the background until `stop`."""
        self._follower.start()

    def stop(self) -> None:
        """End following; a synchronisation that runs stops after its present page or file."""
        self._follower.stop()

    # --- Checks -----------------------------------------------------------------------

    def _checked(self, kind: SourceKind, config: Mapping[str, Any]) -> dict[str, Any]:
        """The configuration as it is stored.

        Raises:
            InvalidInput, NotFound, NotAllowed: it cannot be followed.
        """
        try:
            made = CONFIGS[kind].model_validate(dict(config))
        except ValidationError as error:
            field = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise InvalidInput(
                f"来源的设置“{field}”不正确。",
                "请改正后再保存。",
                message_en=f"The source's setting {field} is wrong.",
                remedy_en="Correct it and save again.",
            ) from error
        settings = self._settings()
        if isinstance(made, FolderConfig):
            followed_folder(made, settings.sources.folder_roots)
        elif isinstance(made, SqlConfig):
            url = checked_url(made.url, settings.data)
            checked_query(made.query, url.get_backend_name())
        elif isinstance(made, WebConfig):
            made = made.model_copy(update={"address": checked_address(made.address)})
        return made.model_dump(mode="json")

    def _may(self, person: Person, kb_id: str, kind: SourceKind) -> bool:
        if kind not in _MAY_FOLLOW.get(person.role, ()):
            return False
        try:
            kb = self._catalog.knowledge_bases.get(kb_id)
        except NotFound:
            return False
        settings = self._settings()
        return (
            can_chat(person, settings) and can_read(person, kb) and can_edit(person, kb, settings)
        )

    def _require(self, person: Person, kb_id: str, kind: SourceKind) -> None:
        if kind not in get_args(SourceKind):
            raise InvalidInput("没有这种来源。", message_en="There is no such kind of source.")
        self._catalog.knowledge_bases.get(kb_id)
        if self._may(person, kb_id, kind):
            return
        self._audit.record(person, "refused.source", kb_id, kind)
        if kind != "web":
            require_admin(person)
        raise NotAllowed(
            "您没有这项权限。",
            "请用有权限的账号登录，或联系管理员。",
            message_en="You may not do this.",
            remedy_en="Sign in with an account that may, or ask an administrator.",
        )


def _name(name: str) -> str:
    made = " ".join(readable(name).split())[:_LONGEST_NAME].strip("/\\. ")
    if not made:
        raise InvalidInput("请给来源起个名称。", message_en="Give the source a name.")
    return made


def _every(kind: SourceKind, every_s: float) -> float:
    return every_s if kind == "folder" else max(every_s, LEAST_EVERY_S)
