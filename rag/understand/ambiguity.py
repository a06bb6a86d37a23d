"""Whether a question must be asked back before it can be answered, and with which options.

We ask only when the answer depends on it: when the documents that could answer are of
several regions, years or products and say different things. We never ask twice for the same
slot, nor when the user wants all of them. A region that no document has is not asked about:
the search will find nothing and the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from rag.text.normalise import normalise
from rag.types import (
    Clarification,
    ClarificationOption,
    Hit,
    KnowledgeProfile,
    SlotName,
    TimeRange,
    Turn,
    Understanding,
)
from rag.understand.asking import (
    ALL_OF_THEM,
    MOST_OPTIONS,
    Probe,
    ask_reference,
    too_broad,
    with_clarification,
)
from rag.understand.candidates import (
    AS_GOOD,
    Candidate,
    agree,
    candidates,
    compared_products,
    covers_as_well,
    siblings,
    unknown_names,
)
from rag.understand.dialogue import asked_back
from rag.understand.every import asks_when, wants_all, wants_all_products, wants_all_years
from rag.understand.gazetteer import Gazetteer, bare_title, gazetteer
from rag.understand.phrases import plain_noun, topic
from rag.understand.regions import covers, short_name
from rag.understand.reply import put_or_lead
from rag.understand.rows import open_rows
from rag.understand.senses import senses
from rag.understand.slots import QUOTED_TITLE, quoted_titles
from rag.understand.subject_words import speaking_of
from rag.understand.times import years_of


def judge(
    understanding: Understanding,
    history: Sequence[Turn],
    profile: KnowledgeProfile,
    probe: Probe | None,
) -> Understanding:
    """`understanding`, with a clarification where one is needed.

    Args:
        understanding: what `understand` (or the model) made of the question.
        history: the turns before; what was asked back there is not asked again.
        profile: the selected knowledge bases: the source of all options.
        probe: a quick retrieval for a question; None judges by titles alone.

    Returns:
        The same with needs_clarification, clarification, missing_slots, route and strategy
        set; or with the region of the last question taken over and a note about it.
    """
    if understanding.route != "knowledge" or not profile.documents:
        return understanding
    index = gazetteer(profile)
    asked = {c.slot for turn in history if (c := asked_back(turn)) is not None}
    if "reference" in understanding.missing_slots:
        if "reference" in asked:
            return understanding
        return ask_reference(understanding, index, probe, history)
    question = understanding.standalone_question
    if _settled(understanding, asked) or wants_all(question):
        return understanding
    if "reference" not in asked and too_broad(understanding):
        wide = ask_reference(understanding, index, probe, history, about=True)
        if wide.needs_clarification:
            return wide
    hits = probe(question, understanding.slots) if probe and _worth_a_look(question, index) else ()
    if (several := _senses(understanding, asked, hits)) is not None:
        return several
    if _names_one_document(question, index):
        return _rows(understanding, asked, hits) or understanding
    if hits and not quoted_titles(question) and unknown_names(question, hits):
        return understanding  # no document has it: the answer says so
    found = candidates(understanding, index, hits)
    if not quoted_titles(question):
        found = speaking_of(question, found, hits)
    for step in (_region, _time, _product):
        judged = step(understanding, found, asked)
        if judged is None:
            continue
        if judged.missing_slots == ("time",) and probe and hits:
            judged = _with_answering_years(judged, understanding, found, index, probe)
        if judged is not None:
            return judged
    return _rows(understanding, asked, hits) or understanding


def _with_answering_years(
    judged: Understanding,
    meaning: Understanding,
    found: Sequence[Candidate],
    index: Gazetteer,
    probe: Probe,
) -> Understanding | None:
    """The question for the year, with those years only whose edition has the rule."""
    clarification = judged.clarification
    if clarification is None or quoted_titles(meaning.standalone_question):
        return judged
    best = max(c.coverage for c in found)
    kept = []
    for option in clarification.options:
        year = re.fullmatch(r"(\d{4})年", option.label)
        first = int(year[1]) if year else 0
        known = any(c.entry.year == first and c.coverage >= AS_GOOD * best for c in found)
        if first and not known:
            span = TimeRange(text=option.label, start=date(first, 1, 1), end=date(first, 12, 31))
            slots = meaning.slots.model_copy(update={"time": (span,)})
            hits = probe(meaning.standalone_question, slots)
            own = [h for h in hits if h.chunk.metadata.year == first]
            if not covers_as_well(meaning, index, own, best):
                continue
        kept.append(option)
    if len(kept) < 3:
        return None
    return with_clarification(judged, clarification.model_copy(update={"options": tuple(kept)}))


def _rows(
    meaning: Understanding, asked: set[SlotName], hits: Sequence[Hit]
) -> Understanding | None:
    """Ask which row of a table is meant."""
    question = meaning.standalone_question
    if "product" in asked or meaning.intent in ("comparison", "summary") or meaning.sub_questions:
        return None
    rows = open_rows(question, hits)
    if rows is None:
        return None
    kind = f"哪个{rows.label}" if 1 < len(rows.label) <= 8 and rows.label != "项目" else "哪一项"
    wanted = f"请问您想了解{kind}的{rows.column}？"
    options = [
        ClarificationOption(label=name, reply=put_or_lead(name, question)) for name in rows.names
    ]
    options.append(ClarificationOption(label=ALL_OF_THEM, reply=ALL_OF_THEM))
    return with_clarification(
        meaning, Clarification(slot="product", question=wanted, options=tuple(options))
    )


def _senses(
    meaning: Understanding, asked: set[SlotName], hits: Sequence[Hit]
) -> Understanding | None:
    """Ask which of several of one name is meant: two people, one version of two products."""
    question = meaning.standalone_question
    if (
        asked & {"person", "product", "organisation"}
        or meaning.intent == "comparison"
        or meaning.sub_questions
    ):
        return None
    found = senses(question, hits)
    if found is None:
        return None
    slot: SlotName = "person" if found.person else "product"
    options = [
        ClarificationOption(
            label=value, reply=question.replace(found.name, f"{value}的{found.name}", 1)
        )
        for value in found.values
    ]
    everyone = question.replace(found.name, f"所有{found.name}", 1)
    options.append(ClarificationOption(label=ALL_OF_THEM, reply=everyone))
    wanted = f"有 {len(found.values)} 个“{found.name}”，请问您指的是哪个{found.label}的？"
    return with_clarification(
        meaning, Clarification(slot=slot, question=wanted, options=tuple(options))
    )


def _names_one_document(question: str, index: Gazetteer) -> bool:
    """Whether the question names one document of the knowledge base, and no other."""
    named = index.named.find(normalise(QUOTED_TITLE.sub("", question)))
    return len(named) == 1 and len(named[0].titles) == 1


def _worth_a_look(question: str, index: Gazetteer) -> bool:
    """Whether titles alone can't tell: no title is quoted, or not one that the profile keeps."""
    titles = quoted_titles(question)
    return len(titles) != 1 or bare_title(titles[0]) not in index.by_bare


def _settled(meaning: Understanding, asked: set[SlotName]) -> bool:
    """Whether no slot is left that could be asked for."""
    slots = meaning.slots
    region_known = bool(slots.region) and not _whole_provinces(slots.region)
    return meaning.intent == "out_of_scope" or (
        ("region" in asked or region_known)
        and ("time" in asked or bool(slots.time))
        and ("product" in asked or bool(slots.product))
    )


def _region(
    meaning: Understanding,
    found: Sequence[Candidate],
    asked: set[SlotName],
) -> Understanding | None:
    question, within = meaning.standalone_question, meaning.slots.region
    if within:
        found = [c for c in found if any(covers(r, p) for r in within for p in c.entry.regions)]
        if len(within) > 1 or any(set(c.entry.regions) & set(within) for c in found):
            return None
    by_region: dict[str, Candidate] = {}
    for candidate in found:
        if not candidate.entry.regions:
            return None  # a rule for everywhere answers as well
        for path in candidate.entry.regions:
            by_region.setdefault(path, candidate)
    if len(by_region) < 2 or agree(question, list(by_region.values())):
        return None
    if not within and (known := _region_held(meaning, by_region)):
        slots = meaning.slots.model_copy(update={"region": (known,)})
        note = f"沿用上文的地区：{short_name(known)}"
        return meaning.model_copy(
            update={"slots": slots, "strategy": "metadata_filter", "notes": (*meaning.notes, note)}
        )
    if "region" in asked:
        return None
    labels = _labels(list(by_region))
    about = _about(question)
    return _asking(meaning, "region", f"请问您想了解哪个地区的{about or '规定'}？", labels)


def _region_held(meaning: Understanding, offered: dict[str, Candidate]) -> str | None:
    """The region that the conversation is about, when a candidate has it."""
    held = meaning.held.region
    return next((p for h in held for p in offered if covers(h, p)), None)


def _time(
    meaning: Understanding,
    found: Sequence[Candidate],
    asked: set[SlotName],
) -> Understanding | None:
    question = meaning.standalone_question
    if "time" in asked or meaning.slots.time or wants_all_years(question) or asks_when(question):
        return None
    if quoted_titles(question) and not any(c.entry.dated for c in found):
        return None
    regions = meaning.slots.region
    editions: dict[str, dict[int, Candidate]] = {}
    for candidate in found:
        entry = candidate.entry
        if not entry.dated or entry.year is None:
            continue
        if (
            regions
            and entry.regions
            and not any(_meet(r, p) for r in regions for p in entry.regions)
        ):
            continue
        editions.setdefault(entry.bare, {}).setdefault(entry.year, candidate)
    years = max(editions.values(), key=len, default={})
    if len(years) < 2 or _another_is_better(found, years) or agree(question, list(years.values())):
        return None
    if (span := years_of(meaning.held.time)) and any(span[0] <= year <= span[1] for year in years):
        return meaning
    labels = [f"{year}年" for year in sorted(years, reverse=True)]
    about = _about(question)
    return _asking(meaning, "time", f"请问您想了解哪一年的{about or '规定'}？", labels)


def _another_is_better(found: Sequence[Candidate], years: dict[int, Candidate]) -> bool:
    """Whether a document on another matter covers the question as well as the yearly ones."""
    best = max(c.coverage for c in years.values())
    first = next(iter(years.values()))
    return any(c.coverage >= best and not siblings(c.entry, first.entry) for c in found)


def _product(
    meaning: Understanding,
    found: Sequence[Candidate],
    asked: set[SlotName],
) -> Understanding | None:
    question = meaning.standalone_question
    if "product" in asked or meaning.slots.product or wants_all_products(question):
        return None
    if meaning.intent == "comparison" or quoted_titles(question):
        return None
    by_product: dict[str, Candidate] = {}
    for candidate in found:
        product = candidate.entry.product
        if product is None:
            by_product.clear()
            break
        by_product.setdefault(product, candidate)
    names = list(by_product)
    if len(names) < 2 or agree(question, list(by_product.values())):
        names = compared_products(question, found)
    if len(names) < 2:
        return None
    about = _about(question)
    return _asking(
        meaning, "product", f"请问您想了解哪个产品{f'的{about}' if about else ''}？", names
    )


def _asking(
    meaning: Understanding, slot: SlotName, question: str, labels: Sequence[str]
) -> Understanding:
    shown = list(labels)[:MOST_OPTIONS]
    options = [ClarificationOption(label=label, reply=label) for label in shown]
    options.append(ClarificationOption(label=ALL_OF_THEM, reply=ALL_OF_THEM))
    return with_clarification(
        meaning, Clarification(slot=slot, question=question, options=tuple(options))
    )


def _labels(paths: Sequence[str]) -> list[str]:
    """Short names; with the province in front where two would read the same."""
    shorts = [short_name(path) for path in paths]
    return [
        short if shorts.count(short) == 1 else path.replace("/", "")
        for short, path in zip(shorts, paths, strict=True)
    ]


def _about(question: str) -> str:
    titles = quoted_titles(question)
    if len(titles) == 1:
        return f"《{titles[0]}》"
    return plain_noun(topic(question))


def _meet(a: str, b: str) -> bool:
    return covers(a, b) or covers(b, a)


def _whole_provinces(regions: Sequence[str]) -> bool:
    return all("/" not in region for region in regions)
