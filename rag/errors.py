"""Errors that people see: one tree, each with a message and a remedy.

Everything else that is raised is a bug and reaches the log with a trace id. Messages are
kept in both interface languages here; `language` picks one at the edge (page or command
line), so that no step needs to know who is reading.
"""

from __future__ import annotations

from rag.types.told import Told


class ZhiwenError(Exception):
    """Base class. `code` is stable for machines; message and remedy are for people.

    Args:
        message: what happened, in Chinese.
        remedy: what to do next, in Chinese.
        message_en: the same for the English interface; the Chinese text when left out.
        remedy_en: the same for the English interface.
        detail: technical detail that may be unfolded; never holds secrets.
    """

    code = "error"

    def __init__(
        self,
        message: str,
        remedy: str = "",
        *,
        message_en: str = "",
        remedy_en: str = "",
        detail: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.message_en = message_en or message
        self.remedy_en = remedy_en or remedy
        self.detail = detail

    def text(self, language: str = "zh") -> str:
        """Message and remedy in one line, in "zh" or "en"."""
        message, remedy = (
            (self.message_en, self.remedy_en) if language == "en" else (self.message, self.remedy)
        )
        return f"{message} {remedy}".strip() if language == "en" else f"{message}{remedy}"

    def told(self, rest: str = "", rest_en: str = "") -> Told:
        """Message and remedy in both languages, to be written down; `rest` is what to add."""
        return Told(f"{self.text()}{rest}", f"{self.text('en')} {rest_en}".strip())


class InvalidInput(ZhiwenError):
    """The question or a form field cannot be used as it is."""

    code = "invalid_input"


class NotFound(ZhiwenError):
    """A knowledge base, document, conversation or job does not exist (any more)."""

    code = "not_found"


class NotAllowed(ZhiwenError):
    """The person may not do this."""

    code = "not_allowed"


class NameTaken(ZhiwenError):
    """Another knowledge base or account has this name."""

    code = "name_taken"


class DocumentError(ZhiwenError):
    """A file cannot become knowledge. Base of the cases below."""

    code = "document"


class EmptyDocument(DocumentError):
    """Zero bytes, or no text in it."""

    code = "empty_document"


class EncryptedDocument(DocumentError):
    """A password is needed, or the given one is wrong."""

    code = "encrypted_document"


class CorruptDocument(DocumentError):
    """The file is damaged and cannot be read."""

    code = "corrupt_document"


class UnsupportedFormat(DocumentError):
    """The real format (found by content) is not one that we read."""

    code = "unsupported_format"


class TooLarge(DocumentError):
    """Beyond the configured bounds (size, pages, unpacked size)."""

    code = "too_large"


class ModelError(ZhiwenError):
    """A model cannot be loaded or does not answer. Base of the cases below."""

    code = "model"


class ModelUnavailable(ModelError):
    """No connection, time-out, 429 or 5xx: may work later."""

    code = "model_unavailable"


class ModelRejected(ModelError):
    """400, 401, 403 or 404: wrong key, name or address; will not work until changed."""

    code = "model_rejected"


class ModelNonsense(ModelError):
    """The model answered, but not in a form that can be used."""

    code = "model_nonsense"


class StoreError(ZhiwenError):
    """The catalog or the vector store cannot be used. Base of the cases below."""

    code = "store"


class StoreLocked(StoreError):
    """Another process has the data directory open."""

    code = "store_locked"


class DiskFull(StoreError):
    """No space is left for what was to be written."""

    code = "disk_full"


class SettingsError(ZhiwenError):
    """A settings file, environment variable or form value is wrong."""

    code = "settings"
