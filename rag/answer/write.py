"""Writes the answer of one turn: by the LLM when there is one, else by extraction.

The local path is the fallback of the LLM path: it takes over when the LLM fails before its
first word, when it says nothing usable and when it contradicts the evidence. What has been
shown to the user is never thrown away: an answer that breaks off is kept and marked.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Generator, Mapping, Sequence

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import set_config_context

from rag.answer.cite import cite
from rag.answer.extract import extract
from rag.answer.generate import messages
from rag.answer.refuse import HEDGE_PREFIX, REFUSAL_PREFIX
from rag.answer.verify import verify
from rag.errors import ModelError, SettingsError
from rag.models.chat import ChatModel
from rag.settings import Settings
from rag.types import Citation, Claim, Evidence, Token, Turn, Understanding, Value

UNSUPPORTED_COST = 0.5
"""Trust lost by an answer without a single supported claim; chosen by us."""

EXTRACTIVE = "extractive"
CUT_AT_LENGTH = "回答到了长度上限，没有写完；管理员可以调大最大长度。"


class Written(Value):
    """An answer's text on its way through cite and verify.

    `cut` says that the text broke off (stop or a failing model); `failed` that it did so
    without the user asking. `trust` in 0..1 scales the confidence after verification.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    reason: str = ""
    suggestions: tuple[str, ...] = ()
    tokens: dict[str, int] = {}
    model: str = EXTRACTIVE
    notes: tuple[str, ...] = ()
    summary: str = ""
    cut: bool = False
    failed: bool = False
    refused: bool = False
    trust: float = 1.0

    def hedged(self, hedge: bool) -> Written:
        """Put the hedging words in front, or take them away, as the final status wants."""
        text = self.text.removeprefix(HEDGE_PREFIX)
        removed = len(self.text) - len(text)
        shift = (len(HEDGE_PREFIX) if hedge else 0) - removed
        claims = tuple(
            claim.model_copy(
                update={"span": (max(0, claim.span[0] + shift), max(0, claim.span[1] + shift))}
            )
            for claim in self.claims
        )
        return self.model_copy(
            update={"text": (HEDGE_PREFIX if hedge else "") + text, "claims": claims}
        )

    def noting(self, note: str) -> Written:
        """With a sentence more in the reason; "" adds none."""
        if not note:
            return self
        return self.model_copy(update={"reason": f"{self.reason}{note}。"})


class Writer:
    """Composes answers. Thread-safe.

    Args:
        chat: returns the current chat model, or None.
        prompts: returns the administrators' prompt overrides by name.
    """

    def __init__(
        self, chat: Callable[[], ChatModel | None], prompts: Callable[[], Mapping[str, str]]
    ) -> None:
        self._chat = chat
        self._prompts = prompts

    def write(
        self,
        meaning: Understanding,
        history: Sequence[Turn],
        evidence: Sequence[Evidence],
        settings: Settings,
        *,
        config: RunnableConfig,
        stop: threading.Event,
        hedge: bool = False,
    ) -> Generator[Token, None, Written]:
        """Yield the answer piece by piece; return the draft, not yet cited or checked."""
        if hedge:
            yield Token(text=HEDGE_PREFIX)
        chat = self._chat() if settings.chat.generate_with_llm else None
        if chat is None:
            return (yield from self._extractive(meaning, evidence, unsure=hedge))
        pieces: list[str] = []
        try:
            prompt = messages(meaning, history, evidence, self._prompts())
            stream = chat.stream(prompt, stop=stop)
            with set_config_context(config) as context:
                while (piece := context.run(next, stream, None)) is not None:
                    pieces.append(piece)
                    yield Token(text=piece)
        except (ModelError, SettingsError) as error:  # the latter: a prompt that was edited
            if "".join(pieces).strip():
                return Written(
                    text="".join(pieces),
                    reason=f"回答没有写完：{error.text()}",
                    model=chat.name,
                    summary="模型中断",
                    cut=True,
                    failed=True,
                )
            note = f"模型没有回答（{error.message}），已改用原文摘录"
            return (yield from self._extractive(meaning, evidence, note, unsure=hedge))
        text = "".join(pieces)
        if not text.strip() and not stop.is_set():
            return (
                yield from self._extractive(
                    meaning, evidence, "模型没有写出内容，已改用原文摘录", unsure=hedge
                )
            )
        notes = (CUT_AT_LENGTH,) if chat.truncated else ()
        usage = dict(chat.last_usage)
        summary = f"{chat.name} 写了 {len(text)} 字"
        return Written(
            text=text,
            model=chat.name,
            tokens=usage,
            notes=notes,
            summary=summary,
            cut=stop.is_set(),
        )

    def check(
        self,
        draft: Written,
        meaning: Understanding,
        evidence: Sequence[Evidence],
        settings: Settings,
    ) -> Written:
        """Cite and verify a draft; an LLM answer that the evidence contradicts, or of which it
        supports nothing, is replaced by extraction."""
        if draft.text.strip().startswith(REFUSAL_PREFIX):
            return draft.model_copy(update={"refused": True, "text": draft.text.strip()})
        asked = meaning.standalone_question
        text, citations = cite(draft.text, evidence)
        claims = verify(text, citations, evidence, asked) if settings.answer.verify else ()
        fault = _fault(claims, citations) if settings.answer.verify else ""
        if draft.model != EXTRACTIVE and fault and not draft.cut:
            text, citations = cite(extract(meaning, evidence), evidence)
            claims = verify(text, citations, evidence, asked)
            draft = draft.model_copy(update={"model": EXTRACTIVE, "reason": fault})
        reason = draft.reason or "".join(draft.notes)
        return draft.model_copy(
            update={
                "text": text,
                "citations": citations,
                "claims": claims,
                "reason": reason,
                "trust": _trust(claims),
            }
        )

    def _extractive(
        self,
        meaning: Understanding,
        evidence: Sequence[Evidence],
        note: str = "",
        *,
        unsure: bool = False,
    ) -> Generator[Token, None, Written]:
        text = extract(meaning, evidence, unsure=unsure)
        for piece in re.findall(r"[^。；\n]*[。；\n]?", text):
            if piece:
                yield Token(text=piece)
        return Written(text=text, notes=(note,) if note else (), summary=note or "摘录原文")


def _fault(claims: Sequence[Claim], citations: Sequence[Citation]) -> str:
    """Why an LLM's answer must not be shown; empty when it may be."""
    if any(claim.verdict == "contradicted" for claim in claims):
        return "模型的回答与依据矛盾，已改用原文摘录。"
    if not any(claim.verdict == "supported" for claim in claims) and (claims or not citations):
        return "模型的回答没有依据，已改用原文摘录。"
    return ""


def _trust(claims: Sequence[Claim]) -> float:
    if not claims:
        return 1.0
    unsupported = sum(claim.verdict != "supported" for claim in claims) / len(claims)
    return 1.0 - UNSUPPORTED_COST * unsupported
