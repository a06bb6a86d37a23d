"""What people are told, in both interface languages."""

from __future__ import annotations

from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


class Told(str):
    """A Chinese text that knows its English one. It is written down with both where the catalog
    keeps it (`rag.store.columns.ToldText`), and with the Chinese alone elsewhere.

    Attributes:
        en: the English text; empty where nobody wrote one.
    """

    en: str

    def __new__(cls, text: str, en: str = "") -> Told:
        """Both texts."""
        made = super().__new__(cls, text)
        made.en = en
        return made

    def said(self, language: str) -> str:
        """The text in "zh" or "en"; the Chinese one where there is no other."""
        return self.en if language == "en" and self.en else str(self)

    def __reduce__(self) -> tuple[type[Told], tuple[str, str]]:
        """Copies keep both."""
        return Told, (str(self), self.en)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """A text; what is no `Told` yet has no English."""
        return core_schema.no_info_after_validator_function(
            lambda value: value if isinstance(value, cls) else cls(value),
            core_schema.union_schema(
                [core_schema.is_instance_schema(cls), core_schema.str_schema()]
            ),
            serialization=core_schema.plain_serializer_function_ser_schema(str),
        )
