"""What a question of a conversation is taken to mean, by rules and, where there is one, an LLM."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from rag.models.chat import ChatModel
from rag.retrieve.cache import RecentResults
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.turn import TurnInput
from rag.types import KnowledgeProfile, Understanding
from rag.understand.learned import Fill
from rag.understand.llm import understand_with_llm
from rag.understand.understand import understand

_RECENT = 128


class Interpreter:
    """Thread-safe; keeps what a model has understood lately.

    Args:
        catalog: tells rare words, and when documents have changed.
        chat: returns the current chat model, or None.
        prompts: returns the prompt overrides by name.
        fill: the completion model; None leaves completion to the rules.
    """

    def __init__(
        self,
        catalog: Catalog,
        chat: Callable[[], ChatModel | None],
        prompts: Callable[[], dict[str, str]],
        fill: Fill | None = None,
    ) -> None:
        self._fill = fill
        self._catalog, self._chat, self._prompts = catalog, chat, prompts
        self._known: RecentResults[Understanding] = RecentResults(_RECENT)

    def __call__(
        self, input: TurnInput, profile: KnowledgeProfile, settings: Settings
    ) -> Understanding:
        """The meaning; that of the rules where no model is there, or where it fails.

        Args:
            profile: of the knowledge bases that the question goes to.
        """
        today = input.today or date.today()
        local = understand(
            input.question,
            input.history,
            profile,
            today,
            counts=self._catalog.lexical.document_frequencies,
            corrected=input.corrected,
            fill=self._fill,
        )
        chat = self._chat() if settings.chat.understand_with_llm else None
        if chat is None or local.route != "knowledge" or local.source == "user":
            return local
        prompts = self._prompts()
        said = input.model_dump_json(exclude={"attempt"})
        changed = self._catalog.documents.generation(input.kb_ids)
        return self._known.get(
            (said, changed, today, settings.chat, tuple(sorted(prompts.items()))),
            lambda: understand_with_llm(
                input.question, input.history, profile, chat, local, today=today, prompts=prompts
            ),
            lambda meaning: meaning.source == "llm",
        )
