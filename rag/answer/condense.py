"""Summaries by the LLM of passages that the budget has no room for (step "compress").

They go to the model that writes the answer, in place of their passages; citations, quotes and
the check of the answer still use the passages' own text. A summary counts only when each of its
sentences says what a place of its passage says, with all that binds it there: each number and
date, negation, condition, exception, duty and limit. Without one the passage is trimmed or left
out, as without a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from rag.answer.generate import unfenced
from rag.answer.locate import locate
from rag.answer.marks import without_marks
from rag.answer.values import find_values
from rag.answer.verify import negations, verify
from rag.errors import ZhiwenError
from rag.models.chat import ChatModel
from rag.prompts import load_prompt, render, render_system
from rag.retrieve.cache import RecentResults
from rag.settings import Settings
from rag.text.normalise import normalise
from rag.text.readable import readable
from rag.text.sentences import split_sentences
from rag.text.tokenise import query_terms, rarity
from rag.types import Chunk, Citation

TIMEOUT_S = 8.0
"""Seconds for the one call, which the answer waits for; chosen by us."""
MOST_PASSAGES = 6
"""Passages of one call, those first that are needed most; chosen by us."""
LONGEST_PASSAGE = 4000
"""Characters of a passage that is sent; of a longer one a part would be summarised as if it
were the whole. Chosen by us."""
LONGEST_SUMMARY = 160
"""Characters of a summary; chosen by us."""
_KINDS = ("text", "list", "clause")
"""Kinds of passage that are summarised: a table's rows need their header, code and records
their form."""
_RECENT = 128

_BINDING = tuple(
    re.compile(pattern)
    for pattern in (
        r"如果|如(?=[^何下此同]{1,30}[的，,])|若|倘|只要|只有|一旦|凡|经|须|前提|情形",
        r"除|但|另有|例外|以外|不在此限",
        r"应当?|必须|须|务必|有义务",
        r"(?<!不)可以?|有权|允许|(?<!不)能够?",
        r"不超过|不得超过|不高于|至多|最多|最高|上限|以下|以内",
        r"不少于|不低于|不得低于|至少|最少|最低|下限|以上",
        r"以前|之前|前[，,。]|以后|之后|后[，,。]|届满|起",
        r"全部|所有|均|各|任何|每|仅|只|部分|原则上|一般",
        r"(?i)\b(?:if|unless|except|provided|otherwise|until|only|when|where)\b",
        r"(?i)\b(?:must|shall|should|required?|has to|have to)\b",
        r"(?i)\b(?:may|might|can|could|allowed|permitted)\b",
        r"(?i)\b(?:not|no|never|neither|nor|none|without|cannot)\b|n't\b",
        r"(?i)\b(?:at least|at most|up to|more than|less than|maximum|minimum)\b",
    )
)
"""What binds a statement, by kind: conditions, exceptions, duties, permissions, limits from
above and from below, terms, extent; then the same in English. Of each kind a summary's sentence
has some where its place in the passage has some, and none where that has none."""


class Condenser:
    """Summarises passages. Thread-safe.

    Args:
        chat: returns the current chat model, or None.
        prompts: returns the administrators' prompt overrides by name.
    """

    def __init__(
        self, chat: Callable[[], ChatModel | None], prompts: Callable[[], Mapping[str, str]]
    ) -> None:
        self._chat = chat
        self._prompts = prompts
        self._known: RecentResults[dict[str, str]] = RecentResults(_RECENT)

    def ready(
        self, question: str, settings: Settings
    ) -> Callable[[Sequence[Chunk]], dict[str, str]] | None:
        """What summarises passages for this question; None without a model that may, or where
        it doesn't write the answers, which are then made of the documents' own sentences."""
        wanted = settings.chat.summarise_with_llm and settings.chat.generate_with_llm
        chat = self._chat() if wanted else None
        if chat is None:
            return None
        return lambda chunks: self._summaries(question, chunks, chat)

    def _summaries(self, question: str, chunks: Sequence[Chunk], chat: ChatModel) -> dict[str, str]:
        """Summaries that keep to their passages, by chunk id; none where the model fails."""
        asked = [
            chunk
            for chunk in chunks
            if chunk.kind in _KINDS and LONGEST_SUMMARY < len(chunk.text) <= LONGEST_PASSAGE
        ][:MOST_PASSAGES]
        if not asked:
            return {}
        prompts = dict(self._prompts())
        key = (
            question,
            tuple((chunk.id, chunk.text) for chunk in asked),
            tuple(sorted(prompts.items())),
            chat.name,
        )
        try:
            return self._known.get(key, lambda: _asked(question, asked, chat, prompts))
        except ZhiwenError:
            return {}


def _asked(
    question: str, chunks: Sequence[Chunk], chat: ChatModel, prompts: Mapping[str, str]
) -> dict[str, str]:
    prompt = load_prompt("summarise", prompts)
    passages = "\n\n".join(
        f"<<<资料 {number}\n{unfenced(chunk.text)}\n>>>资料 {number}"
        for number, chunk in enumerate(chunks, start=1)
    )
    values = {
        "question": unfenced(question),
        "passages": passages,
        "length": str(LONGEST_SUMMARY),
    }
    said = chat.complete_json(
        render_system(prompt, **values),
        render(prompt, **values),
        prompt.schema,
        timeout_s=TIMEOUT_S,
    )
    found: dict[str, str] = {}
    for item in said.get("summaries", ()):
        number, text = item.get("n"), item.get("text")
        if not isinstance(number, int) or not 1 <= number <= len(chunks):
            continue
        chunk, summary = chunks[number - 1], without_marks(" ".join(readable(str(text)).split()))
        if keeps_to(summary, chunk) and _tells(question, summary, chunk):
            found.setdefault(chunk.id, summary)
    return found


def _tells(question: str, summary: str, chunk: Chunk) -> bool:
    """Whether a summary keeps most of what its passage has of the question: a heading or the
    words before a list say nothing."""
    text, short = normalise(chunk.text), normalise(summary)
    held = {term: rarity(term) for term in query_terms(question) if term in text}
    kept = sum(weight for term, weight in held.items() if term in short)
    return kept > sum(held.values()) / 2 and not short.endswith(":")


def keeps_to(summary: str, chunk: Chunk) -> bool:
    """Whether a summary is short and each of its sentences says what the passage says."""
    if not summary or len(summary) > min(LONGEST_SUMMARY * 1.5, len(chunk.text) * 0.7):
        return False
    own = Citation(
        n=1,
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        document=chunk.document_name,
        page=chunk.pages[0] if chunk.pages else 1,
        heading_path=chunk.heading_path,
        quote=chunk.text,
        char_span=(0, len(chunk.text)),
        text=chunk.text,
    )
    sentences = [piece.text.strip() for piece in split_sentences(summary) if piece.text.strip()]
    return bool(sentences) and all(_says(sentence, own) for sentence in sentences)


def _says(sentence: str, source: Citation) -> bool:
    place = locate(sentence, source.text)
    if place is None:
        return False
    near = "".join(
        piece.text
        for piece in split_sentences(source.text)
        if piece.start < place.end and place.start < piece.end
    )
    if _values(sentence) != _values(near) or negations(sentence) != negations(near):
        return False
    if any(bool(p.search(sentence)) != bool(p.search(near)) for p in _BINDING):
        return False
    claims = verify(f"{sentence.rstrip('。')}[1]。", [source])
    return bool(claims) and all(claim.verdict == "supported" for claim in claims)


def _values(text: str) -> set[tuple[str, str, str]]:
    return {(value.kind, value.value, value.unit) for value in find_values(text)}
