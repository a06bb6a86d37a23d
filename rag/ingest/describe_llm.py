"""The same description by one LLM call, checked word by word against the text: part of
`describe`.

What the rules found stands; the model fills what they left open, writes the summary and
chooses the keywords. Whatever it says that the document doesn't is dropped.
"""

from __future__ import annotations

import json
import logging
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from rag.errors import ZhiwenError
from rag.ingest.describe import DOCUMENT_TYPES, file_stem, is_useful_title
from rag.ingest.describe_dates import western_dates
from rag.ingest.describe_issuers import is_body, is_department
from rag.ingest.held import names_strangers, share_held
from rag.ingest.metadata import as_date, as_region
from rag.models.chat import ChatModel
from rag.prompts import load_prompt, render, render_system
from rag.text.normalise import normalise
from rag.text.readable import readable
from rag.types import Document, DocumentMetadata

log = logging.getLogger(__name__)

TIMEOUT_S = 60.0
"""Seconds for the call. Chosen by us: nobody waits for it but the job."""
HEAD_CHARACTERS, TAIL_CHARACTERS = 4000, 1500
"""How much of a document's beginning and end the model reads. Chosen by us: titles, numbers,
issuers and dates stand there."""
_SUMMARY_LENGTH = (10, 300)
_KNOWN_WORDS = 0.6
"""Share of a summary's words that the document must hold; chosen by us: it says in few words of
its own what many say there."""
_KEYWORDS = 8
_COPIED = ("author", "source", "document_number", "organisation")
_DATES = ("publish_date", "effective_date", "expiry_date")
_DATE = re.compile(r"((?:19|20)\d{2})\s?[年\-/.]\s?(\d{1,2})\s?[月\-/.](?:\s?(\d{1,2}))?(?!\d)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MARKUP = re.compile(r"<[^>]*>|https?://|\]\(|`")


def describe_with_llm(
    document: Document,
    found: DocumentMetadata,
    chat: ChatModel,
    *,
    prompts: Mapping[str, str] | None = None,
    edited: Mapping[str, Any] | None = None,
    timeout_s: float = TIMEOUT_S,
    failed: Callable[[ZhiwenError], None] | None = None,
) -> DocumentMetadata:
    """Ask the model once; `found` stands where it fails or says what the text doesn't.

    Args:
        document: parsed and cleaned.
        found: what the rules found (`describe`).
        chat: the chat model; any failure of it leaves `found`.
        prompts: administrators' texts by name (see `rag.prompts`).
        edited: fields that an editor set; they are never touched.
        failed: told of the model's failure.
    """
    text = _shown_text(document)
    if not text:
        return found
    prompt = load_prompt("describe", prompts)
    user = render(prompt, name=document.name, found=_as_lines(found), text=text)
    system = render_system(prompt, types="、".join(DOCUMENT_TYPES))
    try:
        said = chat.complete_json(system, user, prompt.schema, timeout_s=timeout_s)
    except ZhiwenError as error:
        log.info("a document was described by rules alone: %s", error.message)
        if failed is not None:
            failed(error)
        return found
    return _checked(said, document, found, set(edited or ()))


def _checked(
    said: Mapping[str, Any], document: Document, found: DocumentMetadata, edited: set[str]
) -> DocumentMetadata:
    whole = "\n".join((document.name, *(block.text for block in document.blocks)))
    text = western_dates(unicodedata.normalize("NFKC", whole))
    held = re.sub(r"\s", "", normalise(whole))
    # Records have no issuer and no dates of their own, whatever stands in one of them.
    records = any(block.record_id is not None for block in document.blocks)
    update: dict[str, Any] = {}

    def take(field: str, value: Any) -> None:
        if value and field not in edited:
            update[field] = value

    title = _words(said.get("title"), 120)
    if found.title in (None, file_stem(document.name)) and is_useful_title(title):
        take("title", title if _is_held(title, held) else None)
    for field in () if records else _COPIED:
        value = _words(said.get(field), 100)
        if field == "organisation" and (is_department(value) or not is_body(value)):
            continue
        if not getattr(found, field) and _is_held(value, held):
            take(field, value)
    for field in () if records else _DATES:
        day = as_date(said[field]) if said.get(field) else None
        if not getattr(found, field) and day is not None and _is_dated(day, text):
            take(field, day)
    region = _words(said.get("region"), 40)
    if not found.region and region and _is_held(region, held):
        take("region", as_region(region))
    kind = _words(said.get("document_type"), 20)
    if not found.document_type and kind in DOCUMENT_TYPES and _is_held(kind, held):
        take("document_type", kind)
    if not document.metadata.summary:
        take("summary", _summary(said.get("summary"), text, normalise(whole)))
    if not document.metadata.keywords:
        take("keywords", _keywords(said.get("keywords"), held))
    return _in_order(found.model_copy(update=update), found)


def _in_order(made: DocumentMetadata, found: DocumentMetadata) -> DocumentMetadata:
    """Without an end before the beginning."""
    begun, ended = made.effective_date or made.publish_date, made.expiry_date
    if begun and ended and ended < begun and ended != found.expiry_date:
        return made.model_copy(update={"expiry_date": found.expiry_date})
    return made


def _shown_text(document: Document) -> str:
    text = "\n".join(block.text for block in document.blocks if block.text.strip())
    if len(text) > HEAD_CHARACTERS + TAIL_CHARACTERS:
        text = f"{text[:HEAD_CHARACTERS]}\n……\n{text[-TAIL_CHARACTERS:]}"
    # Marks that would end the data early can't stand in it.
    return readable(text).replace("<<<", "《").replace(">>>", "》").strip()


def _as_lines(found: DocumentMetadata) -> str:
    values = found.model_dump(mode="json", exclude={"extra", "summary", "keywords"})
    return json.dumps({k: v for k, v in values.items() if v}, ensure_ascii=False)


def _words(value: Any, longest: int) -> str:
    """One line of plain text, or "" for anything else."""
    text = " ".join(readable(value).split()) if isinstance(value, str) else ""
    return text if len(text) <= longest and not _MARKUP.search(text) else ""


def _is_held(value: str, held: str) -> bool:
    wanted = re.sub(r"\s", "", normalise(value))
    return len(wanted) > 1 and wanted in held


def _is_dated(day: date, text: str) -> bool:
    for match in _DATE.finditer(text):
        year, month, number = (int(part) if part else 1 for part in match.groups())
        if (year, month, number) == (day.year, day.month, day.day):
            return True
    return False


def _summary(value: Any, text: str, held: str) -> str | None:
    """A summary whose numbers all stand in the text, and most of its words."""
    said = _words(value, _SUMMARY_LENGTH[1])
    if len(said) < _SUMMARY_LENGTH[0]:
        return None
    known = set(_NUMBER.findall(text))
    if not set(_NUMBER.findall(unicodedata.normalize("NFKC", said))) <= known:
        return None
    if names_strangers(said, held) or share_held(said, held) < _KNOWN_WORDS:
        return None
    return said


def _keywords(value: Any, held: str) -> tuple[str, ...]:
    words = [_words(word, 20) for word in value] if isinstance(value, list) else []
    return tuple(dict.fromkeys(word for word in words if _is_held(word, held)))[:_KEYWORDS]
