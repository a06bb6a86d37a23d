"""The documents that could answer a question: those that name what it asks about.

By titles alone where a title is quoted, else by a quick retrieval: a candidate is good when
it covers as much of the question's content as the best one does.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.text.normalise import normalise
from rag.text.sentences import split_sentences
from rag.text.similar import longest_common_substring
from rag.types import Hit, Understanding
from rag.understand.gazetteer import Entry, Gazetteer, bare_title
from rag.understand.gazetteer import entry as make_entry
from rag.understand.phrases import parse, topic
from rag.understand.regions import find_regions, without_regions
from rag.understand.slots import codes, quoted_titles
from rag.understand.words import JUST

AS_GOOD = 0.9
"""Share of the best coverage from which a candidate is as good (chosen by us)."""
_ANSWERS = 0.5
"""Coverage from which one sentence is taken for the answer (chosen by us)."""
_ASKS_VALUE = re.compile(r"多少|几[\u4e00-\u9fff]|多[久长高大]")
_NUMBER = re.compile(
    r"\d(?![.、)）])|[一二三四五六七八九十百千万两半]+(?:元|个|天|年|月|日|倍|%|次|人|周|小时)"
)
_ANNOUNCES = re.compile(r"[:：]\s*$|如下|下表|下列|以下|\|")
_SAME_MATTER = 4
"""Letters in a row that the titles of documents on one matter share (chosen by us)."""
ENOUGH = 0.5
"""Coverage of the question's content below which nothing is a candidate (chosen by us)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that could answer, and its best passage where one was retrieved.

    `texts` are all passages that cover the question about as well as the best one.
    """

    entry: Entry
    text: str
    coverage: float
    texts: tuple[str, ...] = ()


def candidates(
    meaning: Understanding, index: Gazetteer, hits: Sequence[Hit]
) -> tuple[Candidate, ...]:
    """The good candidates, best first; each document once.

    Args:
        meaning: the completed question with its slots.
        index: the selected knowledge bases' titles.
        hits: a quick retrieval for the question; may be empty.
    """
    question = meaning.standalone_question
    titles = quoted_titles(question)
    if len(titles) == 1:
        return _quoted(titles[0], index, hits)
    content = _content(question)
    if not content:
        return ()
    found: dict[tuple[str, str], Candidate] = {}
    for entry, passages in _passages(index, content, hits).values():
        best = max(coverage for coverage, _ in passages)
        texts = [p for coverage, p in passages if coverage >= AS_GOOD * best]
        found[entry.document_id, entry.title] = Candidate(
            entry, texts[0], best, tuple(dict.fromkeys(texts))
        )
    _add_named(question, index, content, found)
    best = max((c.coverage for c in found.values()), default=0.0)
    if best < ENOUGH:
        return ()
    sure = [c for c in found.values() if c.coverage >= AS_GOOD * best]
    good = [
        c
        for c in found.values()
        if c.coverage >= AS_GOOD * best
        or (c.coverage >= ENOUGH * best and any(siblings(c.entry, s.entry) for s in sure))
    ]
    return tuple(sorted(good, key=lambda c: -c.coverage))


def agree(question: str, found: Sequence[Candidate]) -> bool:
    """Whether the passages say the same, but for the names of their regions and years.

    Either the whole passages do, or the one sentence in each that answers the question.
    """
    texts = [candidate.text for candidate in found]
    if not all(texts):
        return False
    content = _content(question)
    if _ASKS_VALUE.search(question):
        values = [_valued(question, content, candidate) for candidate in found]
        if any(values):
            return len(set(values)) == 1
    if len({_plain(text) for text in texts}) == 1:
        return True
    sentences = [_answering(question, content, candidate) for candidate in found]
    return all(sentences) and len({_plain(sentence) for sentence in sentences}) == 1


def compared_products(question: str, found: Sequence[Candidate]) -> list[str]:
    """The products in the head of a table that answers the question for each of them.

    Empty unless the best passage is such a table: two or more columns are codes, and the
    question names the label of a row.
    """
    for candidate in found[:1]:
        rows = [
            [cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in candidate.text.splitlines()
            if line.lstrip().startswith("|")
        ]
        if len(rows) < 3:
            continue
        columns = [cell for cell in rows[0][1:] if cell in codes(cell)]
        labels = [row[0] for row in rows[2:] if len(row[0]) > 1]
        if len(columns) > 1 and any(label in question for label in labels):
            return columns
    return []


def _entry_of(hit: Hit, index: Gazetteer) -> Entry:
    """The record or document that a passage is from, with the passage's own metadata."""
    chunk, known = hit.chunk, index.by_id.get(hit.chunk.document_id)
    title = chunk.metadata.title or (known.shown if known else chunk.document_name)
    made = make_entry(chunk.document_id, title, chunk.metadata, name=chunk.document_name)
    return made if made.regions or known is None else replace(made, regions=known.regions)


def _quoted(title: str, index: Gazetteer, hits: Sequence[Hit]) -> tuple[Candidate, ...]:
    """The documents that a quoted title may mean; only the one where it is exact."""
    exact = index.titled(title)
    if not exact and find_regions(title.split("《")[0]):
        return ()  # it names a region that no document has: nothing to choose from
    wanted, simple = bare_title(title), normalise(title)
    entries = list(exact or index.by_bare.get(wanted, []))
    retrieved = [_entry_of(hit, index) for hit in hits]
    if not exact and any(e.title == simple for e in retrieved):
        return tuple(Candidate(e, "", 1.0) for e in retrieved if e.title == simple)
    known = {(e.document_id, e.title) for e in entries}
    if not exact:
        entries += [
            e for e in retrieved if e.bare == wanted and (e.document_id, e.title) not in known
        ]
    return tuple(Candidate(e, "", 1.0) for e in entries)


def _add_named(
    question: str,
    index: Gazetteer,
    content: frozenset[str],
    found: dict[tuple[str, str], Candidate],
) -> None:
    """Documents whose title holds the whole topic, which a quick retrieval may have missed.

    They share the best coverage of the retrieved ones with the same title.
    """
    about = bare_title(topic(question))
    if len(about) < 3:
        return
    for bare, entries in index.by_bare.items():
        if about not in bare:
            continue
        known = [c.coverage for c in found.values() if c.entry.bare == bare]
        for entry in entries:
            coverage = max([_coverage(content, entry.title), *known])
            found.setdefault((entry.document_id, entry.title), Candidate(entry, "", coverage))


def _content(question: str) -> frozenset[str]:
    """The pairs of letters of the words that name something in the question."""
    from rag.text.tokenise import query_terms

    text = JUST.sub(" ", without_regions(normalise(question)))
    text = re.sub(r"(?:19|20)\d{2}年?(?:度|版)?", " ", text)
    pairs: set[str] = set()
    for term in query_terms(text):
        pairs.update(term[i : i + 2] for i in range(len(term) - 1))
    for a, b in itertools.pairwise(parse(text).tokens):  # 学生|卡, 年|审
        named = a.role in ("noun", "rel") and b.role == "noun" and b.tag[0] not in "xmq"
        if named and a.end == b.start and 1 in (len(a.text), len(b.text)):
            pairs.add(a.text[-1] + b.text[0])
    return frozenset(pairs)


def _coverage(content: frozenset[str], text: str) -> float:
    simple = normalise(text)
    return sum(pair in simple for pair in content) / len(content)


def _answering(question: str, content: frozenset[str], candidate: Candidate) -> str:
    """The sentence that covers the question, from its clause that does so best.

    "" when none does or it only announces what follows. Of two clauses that cover as much
    that one counts which holds what the question says last: there it says what it wants.
    """
    wanted = _beyond_title(question, content, candidate)
    best, answer = (0.0, 0.0, -1), ""
    for span in split_sentences(candidate.text):
        clauses = re.split(r"(?<=[，,])", span.text)
        for index, clause in enumerate(clauses):
            last = max((question.find(pair) for pair in content if pair in clause), default=-1)
            coverage = (_coverage(wanted, clause), _coverage(content, clause), last)
            if coverage > best:
                best, answer = coverage, "".join(clauses[index:])
    return "" if best[0] < _ANSWERS or _ANNOUNCES.search(answer) else answer


def _beyond_title(question: str, content: frozenset[str], candidate: Candidate) -> frozenset[str]:
    """What the question says after the document's matter: 电源 in "打印机的电源是多少伏".

    Where the passage holds half of that, only what it holds can tell its clauses apart.
    """
    title, text = candidate.entry.title, normalise(candidate.text)
    named = max((question.find(pair) for pair in content if pair in title), default=-1)
    wanted = frozenset(p for p in content if p not in title and question.find(p) > named) or content
    held = frozenset(pair for pair in wanted if pair in text)
    return held if 2 * len(held) >= len(wanted) else wanted


def _valued(question: str, content: frozenset[str], candidate: Candidate) -> frozenset[str]:
    """What a document says about the question with a number in it: sentences and tables."""
    found: set[str] = set()
    wanted = _beyond_title(question, content, candidate)
    for text in candidate.texts or (candidate.text,):
        if "|" in text:
            found.add(_plain(text))
            continue
        for span in split_sentences(text):
            clauses = re.split(r"(?<=[，,])", span.text)
            covered = [(_coverage(wanted, c), _coverage(content, c)) for c in clauses]
            at = covered.index(max(covered))
            answer = "".join(clauses[at:])
            if covered[at][0] >= _ANSWERS and _NUMBER.search(answer):
                found.add(_plain(answer))
    return frozenset(found)


def _passages(
    index: Gazetteer, content: frozenset[str], hits: Sequence[Hit]
) -> dict[tuple[str, str], tuple[Entry, list[tuple[float, str]]]]:
    """By document (or record): its retrieved passages with their coverage, best ranked first."""
    found: dict[tuple[str, str], tuple[Entry, list[tuple[float, str]]]] = {}
    for hit in hits:
        entry = _entry_of(hit, index)
        text = " ".join((entry.title, *hit.chunk.heading_path, hit.chunk.text))
        _, passages = found.setdefault((entry.document_id, entry.title), (entry, []))
        passages.append((_coverage(content, text), hit.chunk.text))
    for _, passages in found.values():
        passages.sort(key=lambda passage: -passage[0])
    return found


def unknown_names(question: str, hits: Sequence[Hit]) -> list[str]:
    """Nouns of the question that no retrieved passage holds in any part, nor a formal word."""
    from rag.text.formal_words import formal_words

    whole = normalise(
        " ".join(
            " ".join(
                (
                    h.chunk.metadata.title or h.chunk.document_name,
                    *h.chunk.heading_path,
                    h.chunk.text,
                )
            )
            for h in hits
        )
    )
    text = without_regions(normalise(question))
    missing = []
    for token in parse(text).tokens:
        if token.role != "noun" or token.tag[0] not in "nj" or len(token.text) < 2:
            continue
        words = (token.text, *formal_words(token.text, [token.text]).get(token.text, ()))
        if not any(w[i : i + 2] in whole for w in words for i in range(len(w) - 1)):
            missing.append(token.text)
    return missing


def passage_coverage(question: str, hit: Hit) -> float:
    """The share of the question's content that a passage holds with its titles, 0..1."""
    content = _content(question)
    title = hit.chunk.metadata.title or hit.chunk.document_name
    text = " ".join((title, *hit.chunk.heading_path, hit.chunk.text))
    return _coverage(content, text) if content else 0.0


def covers_as_well(
    meaning: Understanding, index: Gazetteer, hits: Sequence[Hit], coverage: float
) -> bool:
    """Whether passages found for one edition cover the question about as well as `coverage`."""
    content = _content(meaning.standalone_question)
    found = _passages(index, content, hits) if content else {}
    best = max((c for _, passages in found.values() for c, _ in passages), default=0.0)
    return best >= AS_GOOD * coverage


def _plain(text: str) -> str:
    """A passage without regions, years and marks."""
    return re.sub(r"(?:19|20)\d{2}年?(?:度|版)?|\W", "", without_regions(normalise(text)))


def siblings(a: Entry, b: Entry) -> bool:
    """Whether two titles name the same matter ("人才租房补贴办法", "人才租房补贴实施细则")."""
    common = longest_common_substring(a.bare, b.bare)
    if common in a.organisation or common in b.organisation:
        return False  # documents of one house on different matters
    return len(common) >= max(_SAME_MATTER, min(len(a.bare), len(b.bare)) / 2)
