"""What the system says when it refuses: what is missing, what came nearest, what can be asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from rag.answer.agreement import Fit, quoted_titles, slot_fits
from rag.answer.asks import without_asking
from rag.answer.faq import faq_question
from rag.answer.markup import escape
from rag.answer.pieces import about
from rag.answer.rank import rank, read_question
from rag.answer.refuse import REFUSAL_PREFIX
from rag.answer.terms import TELLING, content_terms, lost_words, presence
from rag.text.as_asked import hits_as_asked
from rag.types import Evidence, Hit, OtherNames, Understanding

MOST_SUGGESTIONS = 3
LOOKED_AT = 6
SUBJECT_HELD = 0.6
"""Passages that suggestions are made from, and how far a text must hold a word to share it."""
NEAREST_FROM, LONGEST_LINE = 0.05, 120
"""Fit (`Piece.fit`) from which the nearest line is quoted, and how much of it; chosen by us."""
_NUMBERING = re.compile(
    r"^第[^\s\u3000]{1,6}[条章节]\s*|^[一二三四五六七八九十]+、|^[（(][一二三四五六七八九十\d]+[)）]|^[\d.]+\s*"
)


def refusal(
    understanding: Understanding,
    hits: Sequence[Hit],
    kb_names: Sequence[str],
    synonyms: Sequence[OtherNames] = (),
    evidence: Sequence[Evidence] = (),
) -> tuple[str, tuple[str, ...]]:
    """A refusal that helps.

    Args:
        understanding: the question that is refused.
        hits: what came nearest, best first.
        kb_names: names of the knowledge bases that were searched.
        synonyms: other names of the question's words: who says one has said the word.
        evidence: what an answer would have been made from; its nearest line is quoted.

    Returns:
        The text (it begins with `REFUSAL_PREFIX`; all quoted names are escaped) and up to
        three questions that the found documents can answer, to be offered as buttons.
    """
    said = hits_as_asked(hits, synonyms)
    fits = slot_fits(understanding, said)
    lines = [f"{REFUSAL_PREFIX}：{_missing(understanding, said, fits)}"]
    where = "、".join(f"“{escape(name)}”" for name in kb_names) or "所选知识库"
    titles = _titles(hits)
    near = (
        f"，最接近的是{'、'.join(f'《{escape(title)}》' for title in titles[:2])}" if titles else ""
    )
    lines.append(f"已在{where}中查找“{escape(_topic(understanding))}”{near}。")
    if "conflict" not in fits.values() and (quoted := _nearest_line(understanding, evidence)):
        lines.append(quoted)
    suggestions = _suggestions(understanding, hits, fits)
    if suggestions:
        lines.append("可以试试下面的问题，或换个说法、补充相关文档后再问。")
    else:
        lines.append("可以换个说法，选择其他知识库，或补充相关文档后再问。")
    return "\n\n".join(lines), suggestions


def _nearest_line(understanding: Understanding, evidence: Sequence[Evidence]) -> str:
    """The line that came nearest to an answer, for people to judge; "" where none did."""
    ranked = rank(read_question(understanding.standalone_question), evidence) if evidence else []
    if not ranked or (ranked[0].piece.fit or 0.0) < NEAREST_FROM:
        return ""
    best = ranked[0].piece
    cells = zip(best.header, best.cells, strict=False)
    said = "；".join(f"{head}：{cell}" for head, cell in cells if cell) or best.body
    short = said if len(said) <= LONGEST_LINE else f"{said[:LONGEST_LINE]}……"
    source = next(item.chunk for item in evidence if item.n == best.n)
    title = escape(_title(Hit(chunk=source)))
    return f"最接近的一处（《{title}》）：“{escape(short)}”"


def _missing(understanding: Understanding, hits: Sequence[Hit], fits: dict[str, Fit]) -> str:
    """What is not there, in one clause."""
    slots = understanding.slots
    if not hits:
        return "知识库里没有找到相关的内容。"
    if fits.get("region") == "conflict":
        named = "、".join(path.rsplit("/", 1)[-1] for path in slots.region)
        have = _values([h.chunk.metadata.region for h in hits])
        return f"没有找到{named}的相关内容{_have(have)}。"
    if fits.get("time") == "conflict":
        named = "、".join(period.text for period in slots.time)
        years = [hit.chunk.metadata.year for hit in hits]
        have = _values([f"{year}年" if year else None for year in years])
        return f"没有找到{escape(named)}的相关内容{_have(have)}。"
    if fits.get("product") == "conflict" or fits.get("code") == "conflict":
        names = [
            term.text.upper()
            for term in content_terms(understanding.standalone_question)
            if term.name
        ]
        named = "、".join(slots.product or names) or "所问的产品"
        return f"没有找到{escape(named)}的相关内容。"
    if fits.get("title") == "conflict":
        named = "、".join(
            f"《{escape(t)}》" for t in quoted_titles(understanding.standalone_question)
        )
        return f"知识库里没有{named}。"
    everything = "\n".join(f"{about(hit.chunk)}\n{hit.chunk.text}" for hit in hits)
    lost = lost_words(understanding.standalone_question, everything)
    if lost:
        words = "、".join(f"“{escape(text)}”" for text in lost[:3])
        return f"找到的内容没有提到{words}。"
    return "知识库里没有找到能回答这个问题的内容。"


def _have(values: Sequence[str]) -> str:
    return f"（现有：{'、'.join(escape(v) for v in values[:5])}）" if values else ""


def _values(values: Sequence[str | None]) -> list[str]:
    return list(dict.fromkeys(value.replace("/", "") for value in values if value))


def _topic(understanding: Understanding) -> str:
    text = " ".join(understanding.standalone_question.split()).rstrip("？?。！!")
    return text if len(text) <= 60 else text[:60] + "……"


def _titles(hits: Sequence[Hit]) -> list[str]:
    return list(dict.fromkeys(title for hit in hits if (title := _title(hit))))


def _title(hit: Hit) -> str:
    """A document's title; its file's name where the title is a FAQ record's question."""
    title = hit.chunk.metadata.title or ""
    if not title or title.rstrip().endswith(("？", "?")):
        title = PurePath(hit.chunk.document_name).stem
    return title.strip("《》")


def _suggestions(
    understanding: Understanding, hits: Sequence[Hit], fits: dict[str, Fit]
) -> tuple[str, ...]:
    """Questions that the found documents can answer."""
    question = understanding.standalone_question
    made: list[str] = []
    if fits.get("region") == "conflict":
        made += _other_regions(question, hits)
    if fits.get("time") == "conflict":
        made += _other_years(question, hits)
    for hit in hits[:LOOKED_AT]:
        made += _about(question, hit)
    unique = [text for text in dict.fromkeys(made) if text != question]
    return tuple(unique[:MOST_SUGGESTIONS])


def _other_regions(question: str, hits: Sequence[Hit]) -> list[str]:
    from rag.understand.regions import find_regions, official_name

    mentions = find_regions(question)
    if len(mentions) != 1:
        return []
    mention = mentions[0]
    made = []
    for path in dict.fromkeys(h.chunk.metadata.region for h in hits if h.chunk.metadata.region):
        name = official_name(path) if mention.formal else path.rsplit("/", 1)[-1]
        made.append(question[: mention.start] + name + question[mention.end :])
    return made


def _other_years(question: str, hits: Sequence[Hit]) -> list[str]:
    years = re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", question)
    if len(years) != 1:
        return []
    known = dict.fromkeys(h.chunk.metadata.year for h in hits if h.chunk.metadata.year)
    return [question.replace(years[0], str(year)) for year in known]


def _about(question: str, hit: Hit) -> list[str]:
    """A question that the passage answers and that shares the subject of the one refused: its
    own where it is a FAQ record, else one about its section or document."""
    chunk = hit.chunk
    faq = faq_question(Evidence(n=1, chunk=chunk, text=chunk.text, span=(0, len(chunk.text))))
    if faq:
        return [faq] if _shares(question, f"{faq}\n{_title(hit)}") else []
    title = _title(hit)
    if not title:
        return []
    heading = _NUMBERING.sub("", chunk.heading_path[-1]).strip() if chunk.heading_path else ""
    usable = heading != title and without_asking(heading).strip("，") and len(heading) <= 20
    if heading and usable and _shares(question, f"{heading}\n{chunk.text}"):
        return [f"《{title}》里“{heading}”的内容是什么？"]
    return [f"《{title}》的主要内容是什么？"] if _shares(question, title) else []


def _shares(question: str, text: str) -> bool:
    """Whether a text holds a word of the question that tells something of its subject."""
    telling = [t for t in content_terms(question) if t.weight >= TELLING and not t.soft]
    return any(presence(term.text, text) >= SUBJECT_HELD for term in telling)
