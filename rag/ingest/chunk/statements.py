"""Takes a passage apart into statements with the chat model, checked against the passage."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rag.ingest.chunk.nested import Propositions
from rag.ingest.held import names_strangers, share_held, speaks_of_another
from rag.models.chat import ChatModel
from rag.prompts import load_prompt, render, render_system
from rag.text.normalise import normalise
from rag.text.readable import readable
from rag.text.tokenise import codes

TIMEOUT_S = 45.0
"""Seconds for one passage; chosen by us."""
_KNOWN_WORDS = 0.7
"""Share of a statement's words that the passage must hold; chosen by us: a name in the place
of a pronoun may come from the passage, and little else is new."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def statements_by(
    chat: ChatModel, prompts: Mapping[str, str] | None = None, timeout_s: float = TIMEOUT_S
) -> Propositions:
    """A function for `rag.ingest.chunk.chunk` that asks a chat model.

    A statement with a number, a code, a person or a body that the passage doesn't have, about
    something else, or with too many words of its own, is dropped. The function raises
    ModelError when the model fails.

    Args:
        prompts: administrators' prompts by name.
        timeout_s: for one passage.
    """
    prompt = load_prompt("propositions", prompts)

    def propositions(passage: str) -> list[str]:
        text = readable(passage).replace("<<<", "《").replace(">>>", "》")
        said = chat.complete_json(
            render_system(prompt), render(prompt, text=text), prompt.schema, timeout_s=timeout_s
        )
        held = normalise(passage)
        found = [readable(each) for each in said.get("propositions", ()) if isinstance(each, str)]
        return [each for each in found if _is_held(each, held)]

    return propositions


def _is_held(statement: str, held: str) -> bool:
    said = normalise(statement)
    numbers = set(_NUMBER.findall(held))
    if any(number not in numbers for number in _NUMBER.findall(said)):
        return False
    plain = held.replace(" ", "")
    if any(code not in plain for code in codes(statement) if code.isascii()):
        return False
    if names_strangers(statement, held) or speaks_of_another(statement, held):
        return False
    return share_held(statement, held) >= _KNOWN_WORDS
