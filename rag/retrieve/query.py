"""What is embedded and what is tokenised, one function each for passages and questions.

Both chains use these, so that a passage and a question always meet in the same form.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from rag.text.formal_words import formal_words
from rag.text.normalise import normalise
from rag.text.tokenise import STOP_WORDS, query_terms, tokenise
from rag.types import Chunk

_QUOTED_TITLE = re.compile(r"[《〈<]{1,2}([^《》〈〉<>\n]{2,60})[》〉>]{1,2}")

_MARK = 8
"""Characters of a number before a heading ("Q1：", "第十二、"). Chosen by us."""


def title_path(chunk: Chunk) -> tuple[str, ...]:
    """The document's title and the headings above the passage, outermost first.

    A heading that its predecessor already says, or that stands in the first line of the passage
    itself, is left out.
    """
    title = chunk.metadata.title or PurePath(chunk.document_name).stem
    first = chunk.text.partition("\n")[0]
    parts: list[str] = []
    for part in (title, *chunk.heading_path):
        part = part.strip()
        if not part or _opens(first, part) or (parts and part in parts[-1]):
            continue
        if parts and parts[-1] in part:
            parts.pop()
        parts.append(part)
    return tuple(parts)


def _opens(line: str, part: str) -> bool:
    """Whether a passage's first line is a heading, whatever number stands before it."""
    return line.startswith(part) or (line.endswith(part) and len(line) - len(part) <= _MARK)


def identity(chunk: Chunk) -> tuple[str, ...]:
    """What tells the passage's document from others of its kind and stands neither in the
    passage nor above it: its number, who issued it."""
    known = "\n".join((*title_path(chunk), chunk.text))
    stated = (chunk.metadata.document_number, chunk.metadata.organisation)
    return tuple(fact for fact in stated if fact and fact not in known)


def embedding_text(chunk: Chunk) -> str:
    """The text that is embedded: title path and passage, normalised. The document's identity is
    left to keyword search, as it would make its passages alike.

    The embedder adds its own prefix and cuts at its own maximum length.
    """
    return normalise("\n".join((*title_path(chunk), chunk.text)))


def lexical_text(chunk: Chunk) -> str:
    """The text whose terms are indexed for keyword search: title path, the document's number
    and issuer where the passage lacks them, and the passage."""
    return "\n".join((*title_path(chunk), *identity(chunk), chunk.text))


def query_text(question: str) -> str:
    """The form of a question that is embedded."""
    return normalise(question)


def quoted_titles(question: str) -> tuple[str, ...]:
    """Titles that the question names in 《》, normalised, each once, in order."""
    return tuple(dict.fromkeys(normalise(title) for title in _QUOTED_TITLE.findall(question)))


def search_tokens(question: str) -> list[str]:
    """The terms a question is searched by: its index terms without stop words, its words once
    more, so that a whole word weighs more than two letters that happen to meet, and the formal
    words for everyday ones, once."""
    terms = [term for term in tokenise(question) if term not in STOP_WORDS]
    words = query_terms(question)
    formal = formal_words(query_text(question), words)
    others = dict.fromkeys(word for found in formal.values() for word in found)
    return (terms or tokenise(question)) + words + [w for w in others if w not in terms]
