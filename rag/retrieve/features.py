"""What the local reranker sees of a question and its candidates: lexical, dense and metadata
agreement as numbers. No model is called, and a passage is only searched, never tokenised.

`features` looks at all candidates together, because much of what tells a good one from a bad
one is relative: the gap to the best vector, how rare a word is among the candidates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rag.retrieve.answer_form import AnswerForm, answer_form
from rag.retrieve.query import title_path
from rag.retrieve.subject import rival_penalties, subjects
from rag.text.formal_words import formal_words
from rag.text.normalise import HAN, normalise
from rag.text.numerals import arabic
from rag.text.similar import char_ngrams, longest_common_substring
from rag.text.tokenise import STOP_WORDS, codes, query_terms, rarity
from rag.types import Hit

if TYPE_CHECKING:
    import numpy as np

FEATURES: tuple[str, ...] = (
    "dense",  # cosine, shifted and scaled to about −1..1
    "dense_gap",  # cosine below the best candidate's, in tenths
    "dense_rank",  # reciprocal rank by cosine
    "sparse_share",  # keyword score over the best candidate's
    "sparse_level",  # keyword score over the question's number of terms
    "sparse_rank",  # reciprocal rank by keyword score
    "fused_rank",  # reciprocal rank of the fusion
    "coverage",  # question terms in passage or title, weighted by general rarity
    "coverage_pool",  # the same, weighted by rarity among the candidates
    "missing_rare",  # share of the rarest question term's weight that is missing
    "pairs",  # the question's letter pairs in the passage, weighted by rarity in the pool
    "bm25_pool",  # saturated counts of terms, normalised by length, over the best candidate's
    "sentence",  # terms in the best single sentence
    "sentence_gap",  # the same below the best candidate's
    "window",  # most term weight within 60 characters
    "common_run",  # longest common run of letters over the question's length
    "common_run_title",  # the same with the title path alone
    "title_terms",  # question terms in the title path
    "title_named",  # share of the title's letter pairs in the question
    "title_whole",  # the whole innermost title stands in the question
    "code_match",  # share of the question's codes in passage or title
    "code_missing",  # the question names codes, and none is here
    "number_match",  # share of the question's other numbers in passage or title
    "year_agrees",  # +1 the passage's year is named, −1 another year is named
    "region_agrees",  # the same for the region
    "answer_form",  # +1 the best sentence holds what is asked for (a number, date, …), −1 not
    "definition",  # asked for a definition, and the passage defines the term
    "length",  # logarithm of the passage's length
    "title_only",  # terms that only the title holds
)
"""Names of the columns, in order."""

_SENTENCE = re.compile(r"[^。!?;\n]+")
_HAN_RUN = re.compile(f"[{HAN}]+")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WINDOW = 60
"""Characters of the span in which terms count as standing together."""


@dataclass(frozen=True, slots=True)
class _Question:
    text: str
    core: str  # without the stop words
    terms: tuple[str, ...]
    weights: tuple[float, ...]
    formal: dict[str, tuple[str, ...]]  # formal words for everyday ones
    pairs: tuple[str, ...]
    codes: tuple[str, ...]
    numbers: frozenset[str]
    years: frozenset[str]
    form: AnswerForm


@dataclass(frozen=True, slots=True)
class _Passage:
    text: str
    title: str
    innermost: str
    title_pairs: tuple[str, ...]
    sentences: tuple[str, ...]
    digits: str  # with Chinese numerals in digits, title included
    numbers: frozenset[str]


@lru_cache(maxsize=512)
def _question(question: str) -> _Question:
    text = normalise(question)
    terms = tuple(query_terms(text)) or tuple(_HAN_RUN.findall(text)) or (text,)
    core = "".join(terms)
    formal = formal_words(text, terms)
    # 多少钱 is one everyday word, whatever the segmenter made of it.
    terms = (*(t for t in terms if not any(t in word and t != word for word in formal)),
             *(word for word in formal if word not in terms))  # fmt: skip
    pairs = dict.fromkeys(
        pair for run in _HAN_RUN.findall(text) for pair in char_ngrams(run, 2)
        if len(pair) == 2 and pair not in STOP_WORDS
    )  # fmt: skip
    digits = arabic(text)
    years = frozenset(_YEAR.findall(digits))
    found = tuple(codes(text))
    rest = digits
    for code in found:
        rest = rest.replace(code, " ")
    return _Question(
        text=text,
        core=core,
        terms=terms,
        weights=tuple(rarity(term) * (0.4 if len(term) == 1 else 1.0) for term in terms),
        formal=formal,
        pairs=tuple(pairs),
        codes=found,
        numbers=frozenset(_NUMBER.findall(rest)) - years,
        years=years,
        form=answer_form(text),
    )


@lru_cache(maxsize=8192)
def _passage(titles: tuple[str, ...], text: str) -> _Passage:
    title, body = normalise("\n".join(titles)), normalise(text)
    innermost = title.rsplit("\n", 1)[-1]
    digits = arabic(f"{title}\n{body}")
    return _Passage(
        text=body,
        title=title,
        innermost=innermost,
        title_pairs=tuple(dict.fromkeys(char_ngrams(innermost, 2))),
        sentences=tuple(_SENTENCE.findall(body)),
        digits=digits,
        numbers=frozenset(_NUMBER.findall(digits)),
    )


def features(question: str, hits: Sequence[Hit]) -> np.ndarray:
    """One row of `FEATURES` per hit, float32 [n, len(FEATURES)].

    The hits' scores "dense", "sparse" and "fused" are used where they are there. The order of
    the hits does not matter, their company does.
    """
    import numpy as np

    asked = _question(question)
    passages = [_passage(title_path(hit.chunk), hit.chunk.text) for hit in hits]
    rows = np.zeros((len(hits), len(FEATURES)), dtype=np.float32)
    if not hits:
        return rows
    column = {name: index for index, name in enumerate(FEATURES)}
    _scores(rows, column, hits, len(asked.terms))
    wholes = [f"{passage.title}\n{passage.text}" for passage in passages]
    rare_term = _pool_rarity(asked.terms, wholes, asked.formal)
    rare_pair = _pool_rarity(asked.pairs, wholes, {})
    mean_length = sum(map(len, wholes)) / len(wholes)
    regions = _regions_named(asked.text, hits)
    for row, hit, passage, whole in zip(rows, hits, passages, wholes, strict=True):
        values = _lexical(asked, passage, whole, rare_term, rare_pair, mean_length)
        values |= _agreement(asked, hit, passage, regions)
        for name, value in values.items():
            row[column[name]] = value
    for name, source in (("sentence_gap", "sentence"), ("bm25_pool", "bm25_pool")):
        best = float(rows[:, column[source]].max())
        if name == "sentence_gap":
            rows[:, column[name]] = rows[:, column[source]] - best
        else:
            rows[:, column[name]] /= best or 1.0
    return rows


def subject_penalties(question: str, hits: Sequence[Hit]) -> list[float]:
    """What the ordering scores lose for passages about another subject than the question's
    (`rag.retrieve.subject`)."""
    asked = _question(question)
    passages = [_passage(title_path(hit.chunk), hit.chunk.text) for hit in hits]
    titles, texts = [p.title for p in passages], [p.text for p in passages]
    names = subjects(asked.text, titles)
    return rival_penalties(names, [rarity(name) for name in names], titles, texts)


def _scores(rows: np.ndarray, column: dict[str, int], hits: Sequence[Hit], terms: int) -> None:
    import numpy as np

    def known(name: str) -> np.ndarray:
        return np.array([hit.scores.get(name, np.nan) for hit in hits], dtype=np.float64)

    dense, sparse, fused = known("dense"), known("sparse"), known("fused")
    if not np.isnan(dense).all():
        dense = np.where(np.isnan(dense), np.nanmin(dense) - 0.01, dense)
        rows[:, column["dense"]] = (dense - 0.85) * 10
        rows[:, column["dense_gap"]] = (dense - dense.max()) * 10
        rows[:, column["dense_rank"]] = _reciprocal_ranks(dense)
    sparse = np.nan_to_num(sparse, nan=0.0)
    if sparse.max() > 0:
        rows[:, column["sparse_share"]] = sparse / sparse.max()
        rows[:, column["sparse_level"]] = np.minimum(sparse / (10.0 * max(terms, 1)), 2.0)
        rows[:, column["sparse_rank"]] = _reciprocal_ranks(sparse)
    fused = np.nan_to_num(fused, nan=0.0)
    rows[:, column["fused_rank"]] = _reciprocal_ranks(fused) if fused.max() > 0 else 0.0


def _reciprocal_ranks(scores: np.ndarray) -> np.ndarray:
    import numpy as np

    order = np.argsort(-scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = 1.0 / np.arange(1, len(scores) + 1)
    return ranks


def _pool_rarity(
    terms: Sequence[str], wholes: Sequence[str], formal: dict[str, tuple[str, ...]]
) -> dict[str, float]:
    count = len(wholes)
    rare: dict[str, float] = {}
    for term in terms:
        forms = (term, *formal.get(term, ()))
        holding = sum(any(form in whole for form in forms) for whole in wholes)
        rare[term] = math.log1p((count - holding + 0.5) / (holding + 0.5)) + 0.1
    return rare


def _lexical(
    asked: _Question,
    passage: _Passage,
    whole: str,
    rare_term: dict[str, float],
    rare_pair: dict[str, float],
    mean_length: float,
) -> dict[str, float]:
    total = sum(asked.weights) or 1.0
    pool_total = sum(rare_term[term] for term in asked.terms) or 1.0
    norm = 0.5 + 0.7 * len(whole) / mean_length
    covered = covered_pool = in_title = only_title = saturated = 0.0
    rarest, rarest_missing = 0.0, 0.0
    present: list[tuple[str, float]] = []
    for term, weight in zip(asked.terms, asked.weights, strict=True):
        form = term
        if term in asked.formal and term not in passage.text:
            # The best-known formal word that the passage has stands for the everyday one.
            form = next((f for f in asked.formal[term] if f in passage.text), term)
        count = passage.text.count(form)
        titled = term in passage.title
        if count or titled:
            covered += weight
            covered_pool += rare_term[term]
            saturated += rare_term[term] * (count + titled) / (count + titled + norm)
        else:
            rarest_missing = max(rarest_missing, weight)
        rarest = max(rarest, weight)
        if titled:
            in_title += weight
            only_title += weight if not count else 0.0
        if count:
            present.append((form, weight))
    pair_total = sum(rare_pair.values()) or 1.0
    run = len(longest_common_substring(asked.core, passage.text)) if present else 0
    run_title = len(longest_common_substring(asked.core, passage.title)) if in_title else 0
    sentence, best = _best_sentence(present, passage.sentences, total)
    return {
        "coverage": covered / total,
        "coverage_pool": covered_pool / pool_total,
        "missing_rare": rarest_missing / rarest if rarest else 0.0,
        "pairs": sum(w for pair, w in rare_pair.items() if pair in whole) / pair_total,
        "bm25_pool": saturated,
        "sentence": sentence,
        "window": _window(present, passage.text) / total,
        "common_run": min(run / max(len(asked.core), 1), 1.0),
        "common_run_title": min(run_title / max(len(asked.core), 1), 1.0),
        "title_terms": in_title / total,
        "title_only": only_title / total,
        "answer_form": asked.form.holds(best or passage.text),
        "definition": asked.form.defines(asked.terms, passage.text),
        "length": math.log1p(len(passage.text)) - 5.0,
    }


def _best_sentence(
    present: Sequence[tuple[str, float]], sentences: Sequence[str], total: float
) -> tuple[float, str]:
    best, text = 0.0, ""
    for sentence in sentences:
        weight = sum(weight for term, weight in present if term in sentence)
        if weight > best:
            best, text = weight, sentence
    return best / total, text


def _window(present: Sequence[tuple[str, float]], text: str) -> float:
    """Most weight of distinct terms that begin within `_WINDOW` characters of each other."""
    places: list[tuple[int, int]] = []
    for number, (term, _) in enumerate(present):
        at = text.find(term)
        for _ in range(6):
            if at < 0:
                break
            places.append((at, number))
            at = text.find(term, at + 1)
    places.sort()
    best = held = 0.0
    counts = [0] * len(present)
    left = 0
    for at, number in places:
        if not counts[number]:
            held += present[number][1]
        counts[number] += 1
        while at - places[left][0] > _WINDOW:
            counts[places[left][1]] -= 1
            if not counts[places[left][1]]:
                held -= present[places[left][1]][1]
            left += 1
        best = max(best, held)
    return best


def _agreement(
    asked: _Question, hit: Hit, passage: _Passage, regions: frozenset[str]
) -> dict[str, float]:
    named = 0.0
    if passage.title_pairs:
        named = sum(pair in asked.text for pair in passage.title_pairs) / len(passage.title_pairs)
    matched = sum(has_code(passage.digits, code) for code in asked.codes)
    numbers = len(asked.numbers & passage.numbers)
    return {
        "title_named": named,
        "title_whole": float(len(passage.innermost) > 1 and passage.innermost in asked.text),
        "code_match": matched / len(asked.codes) if asked.codes else 0.0,
        "code_missing": float(bool(asked.codes) and not matched),
        "number_match": numbers / len(asked.numbers) if asked.numbers else 0.0,
        "year_agrees": _year_agrees(asked, hit, passage),
        "region_agrees": _region_agrees(hit, passage, regions),
    }


def has_code(digits: str, code: str) -> bool:
    """Whether a normalised text holds a code as a whole, not as part of a longer one."""
    at = digits.find(code)
    while at >= 0:
        before, after = digits[at - 1 : at], digits[at + len(code) : at + len(code) + 1]
        if not (_joins(before) and _joins(code[0])) and not (_joins(after) and _joins(code[-1])):
            return True
        at = digits.find(code, at + 1)
    if "/" in code or code[:1].isalpha():  # "gb/t19001" is also written "gb/t 19001"
        spaced = re.sub(r"(?<=[a-z])(?=\d)", " ", code, count=1)
        return spaced != code and has_code(digits, spaced)
    return False


def _joins(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _year_agrees(asked: _Question, hit: Hit, passage: _Passage) -> float:
    if not asked.years:
        return 0.0
    own = {str(hit.chunk.metadata.year)} if hit.chunk.metadata.year else set()
    own |= set(_YEAR.findall(passage.title))
    if own & asked.years:
        return 1.0
    # What was issued in one year may well be about another.
    if any(year in passage.digits for year in asked.years):
        return 0.5
    return -1.0 if own else 0.0


def _regions_named(text: str, hits: Sequence[Hit]) -> frozenset[str]:
    """The candidates' region names that the question mentions."""
    own = {part for hit in hits if hit.chunk.metadata.region
           for part in hit.chunk.metadata.region.split("/")}  # fmt: skip
    return frozenset(part for part in own if part and normalise(part) in text)


def _region_agrees(hit: Hit, passage: _Passage, regions: frozenset[str]) -> float:
    if not regions:
        return 0.0
    own = hit.chunk.metadata.region
    if own:
        return 1.0 if regions & set(own.split("/")) else -1.0
    return 0.5 if any(region in passage.title for region in regions) else 0.0
