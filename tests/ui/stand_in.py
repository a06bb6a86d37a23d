"""An application without models: real catalog, services and files; a scripted chain.

Uploads are indexed at once as one chunk per paragraph, and answers follow the question's
words, so that the pages can be tested in milliseconds.
"""

from __future__ import annotations

import hashlib
import threading
import time
from pathlib import Path
from typing import Any

from rag.access.accounts import Accounts
from rag.access.audit import Audit
from rag.conversation import Conversations
from rag.curation import Curation
from rag.errors import ModelUnavailable
from rag.ingest.files import FileStore
from rag.ingest.sources import Sources
from rag.knowledge import Knowledge
from rag.secrets import Secrets
from rag.settings_layers import SettingsService
from rag.store.catalog import Catalog
from rag.terms import Dictionary
from rag.types import (
    Answer,
    Block,
    Chunk,
    Citation,
    Claim,
    Clarification,
    ClarificationOption,
    Document,
    Final,
    Page,
    Person,
    StepFinished,
    StepRecord,
    StepStarted,
    Token,
    Understanding,
)

ADMIN = ("管理员", "correct horse battery")


class StandIn:
    """The services that pages use. `chain.gate` holds answers back until it is set."""

    def __init__(self, data: Path) -> None:
        data.mkdir(parents=True, exist_ok=True)
        self.data = data
        self.catalog = Catalog(data / "catalog.sqlite")
        self.settings = SettingsService(data, self.catalog.settings)
        self.secrets = Secrets(data)
        self.files = FileStore(data)
        self.audit = Audit(self.catalog)
        self.accounts = Accounts(self.catalog)
        self.chain = ScriptedChain(self.catalog)
        self.models = _Models()
        self.pipeline = _Pipeline(self.catalog)
        self.jobs = _Jobs(self.catalog)
        self.doctor = _Doctor()
        self.ready = threading.Event()
        self.ready.set()
        self.stage = "就绪"
        self.warm_error = None
        self.knowledge = Knowledge(
            self.catalog,
            self.pipeline,  # type: ignore[arg-type]
            self.jobs,  # type: ignore[arg-type]
            self.files,
            self.audit,
            lambda: self.settings.current,
        )
        self.curation = Curation(
            self.catalog,
            self.pipeline,  # type: ignore[arg-type]
            self.jobs,  # type: ignore[arg-type]
            self.files,
            self.audit,
            lambda: self.settings.current,
        )
        self.dictionary = Dictionary(self.catalog, self.audit, lambda: self.settings.current)
        self.sources = Sources(
            self.catalog,
            self.pipeline,  # type: ignore[arg-type]
            self.jobs,  # type: ignore[arg-type]
            self.secrets,
            self.audit,
            lambda: self.settings.current,
        )
        self.conversations = Conversations(
            self.catalog,
            lambda: self.chain,  # type: ignore[arg-type,return-value]
            lambda stop: None,
        )

    def warm_up(self) -> None:
        self.ready.set()

    def close(self) -> None:
        self.chain.gate.set()
        self.conversations.close()
        self.catalog.close()

    def add(self, kb_name: str, documents: dict[str, str]) -> str:
        """A knowledge base with documents given as name → text; returns its id."""
        kb = self.catalog.knowledge_bases.create(kb_name)
        for name, text in documents.items():
            self.jobs.index(kb.id, name, text, "测试")
        return kb.id

    def add_admin(self) -> Person:
        return self.accounts.create_admin(self.accounts.setup_code(), *ADMIN)


class ScriptedChain:
    """Answers by words in the question: 哪里 asks back, 天气 refuses, 坏 fails, else cites."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.gate = threading.Event()
        self.gate.set()

    def stream(self, turn: Any, *, stop: threading.Event) -> Any:
        yield StepStarted(step="understand")
        standalone = turn.question
        if turn.question.startswith("那") and turn.history:
            standalone = f"{turn.question[1:]}（接着上文）"
        asked = standalone if turn.corrected is None else turn.corrected
        meaning = Understanding(
            question=turn.question,
            standalone_question=asked,
            source="rules" if turn.corrected is None else "user",
        )
        step = StepFinished(step="understand", ms=3.2, summary=asked)
        yield step
        steps = [StepRecord(**step.model_dump(exclude={"type"}))]
        if "坏" in asked:
            raise ModelUnavailable("模型没有响应。", "请稍后再试。", message_en="No reply.")
        if "哪里" in asked:
            options = tuple(
                ClarificationOption(label=city, reply=f"{city}的租房补贴多少钱？")
                for city in ("上海", "北京")
            )
            back = Clarification(slot="region", question="请问您想了解哪个地区？", options=options)
            meaning = meaning.model_copy(
                update={"clarification": back, "needs_clarification": True}
            )
            yield Final(
                answer=Answer(
                    status="clarify", text=back.question, understanding=meaning, steps=tuple(steps)
                )
            )
            return
        if "天气" in asked:
            yield Final(
                answer=Answer(
                    status="refused",
                    text="根据现有信息无法确定。已在所选知识库中查找“天气”。",
                    confidence=0.2,
                    understanding=meaning,
                    suggestions=("年假有几天？", "怎么报销？"),
                    steps=tuple(steps),
                )
            )
            return
        yield from self._answer(turn, meaning, steps, stop)

    def _answer(self, turn: Any, meaning: Understanding, steps: list, stop: threading.Event) -> Any:
        chunk = self._first_chunk(turn.kb_ids)
        text = f"{chunk.text}[1]\n\n这一句没有依据。"
        written = ""
        for start in range(0, len(text), 4):
            if stop.is_set():
                break
            written += text[start : start + 4]
            yield Token(text=text[start : start + 4])
            while not self.gate.wait(0.01) and not stop.is_set():
                time.sleep(0)
        if stop.is_set():
            yield Final(answer=Answer(status="stopped", text=written, understanding=meaning))
            return
        at = text.index("这一句")
        yield Final(
            answer=Answer(
                status="answered",
                text=text,
                confidence=0.86,
                understanding=meaning,
                steps=tuple(steps),
                timings_ms={"total": 812.0},
                citations=(_citation(chunk),),
                claims=(
                    Claim(text=chunk.text, verdict="supported", evidence=(1,), span=(0, at - 5)),
                    Claim(text="这一句没有依据。", verdict="unsupported", span=(at, len(text))),
                ),
                suggestions=("需要哪些材料？",),
            )
        )

    def _first_chunk(self, kb_ids: tuple[str, ...]) -> Chunk:
        for document in self.catalog.documents.list(list(kb_ids)):
            for chunk in self.catalog.chunks.list(document.id, 0, 1):
                return chunk
        raise ModelUnavailable("所选知识库里还没有文档。")


def _citation(chunk: Chunk) -> Citation:
    quote = chunk.text[: min(12, len(chunk.text))]
    return Citation(
        n=1,
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        document=chunk.document_name,
        page=chunk.pages[0],
        heading_path=chunk.heading_path,
        quote=quote,
        char_span=(0, len(quote)),
        text=chunk.text,
    )


class _Models:
    def secret_changed(self, name: str) -> None:
        """Nothing is kept."""


class _Doctor:
    def check(self) -> list:
        return []

    repair = check


class _Pipeline:
    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def delete_document(self, document_id: str) -> None:
        self.catalog.documents.delete(document_id)

    def delete_kb(self, kb_id: str) -> None:
        self.catalog.knowledge_bases.delete(kb_id)


class _Jobs:
    """Indexes at once; "坏.txt" leaves a failed job behind, "同.txt" a duplicate."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def submit(
        self, path: Path, kb_id: str, name: str, uploaded_by: str | None, password: str | None
    ) -> Any:
        job = self.catalog.jobs.create(kb_id=kb_id, name=name)
        if name.startswith("坏"):
            self.catalog.jobs.update(job.id, status="failed", error="文件已损坏，无法读取。")
            return job
        if name.startswith("同"):
            self.catalog.jobs.update(job.id, status="done", error="内容与已有文档相同。")
            return job
        self.index(kb_id, name, path.read_text(encoding="utf-8"), uploaded_by)
        self.catalog.jobs.update(job.id, status="done")
        return job

    def index(self, kb_id: str, name: str, text: str, uploaded_by: str | None) -> str:
        digest = hashlib.sha256(text.encode()).hexdigest()
        info = self.catalog.documents.create(
            kb_id, name, digest, len(text.encode()), "text/plain", uploaded_by
        )
        paragraphs = [part for part in text.split("\n") if part.strip()]
        blocks = tuple(Block(kind="paragraph", text=part) for part in paragraphs)
        document = Document(
            id=info.id,
            kb_id=kb_id,
            name=name,
            media_type="text/plain",
            sha256=digest,
            pages=(Page(number=1, blocks=blocks),),
        )
        chunks = [
            Chunk(
                id=f"{info.id}-1-{i}",
                document_id=info.id,
                kb_id=kb_id,
                ordinal=i,
                text=part,
                heading_path=("第一章",),
                document_name=name,
                access=kb_id,
            )
            for i, part in enumerate(paragraphs)
        ]
        self.catalog.documents.publish(info.id, 1, document, chunks)
        return info.id

    def cancel(self, job_id: str) -> None:
        self.catalog.jobs.update(job_id, status="cancelled")

    def dismiss(self, job_id: str) -> None:
        self.catalog.jobs.delete(job_id)

    def retry(self, job_id: str, password: str | None = None) -> Any:
        self.catalog.jobs.update(job_id, status="done", error=None)
        return self.catalog.jobs.get(job_id)
