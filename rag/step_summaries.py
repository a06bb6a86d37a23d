"""What the trace says of each finished step: one line for people, and the details."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag.answer.write import Written
from rag.types import Evidence, QueryPlan, Retrieval, Strategy, Understanding
from rag.understand.regions import short_name

Summary = tuple[str, dict[str, Any]]


def of_understanding(meaning: Understanding) -> Summary:
    """The completed question, and all that was understood."""
    return meaning.standalone_question, {"understanding": meaning.model_dump(mode="json")}


def of_clarification(meaning: Understanding, known: Sequence[str]) -> Summary:
    """The question back, or that none is needed, with the notes that were not `known` before."""
    if meaning.needs_clarification and meaning.clarification:
        return meaning.clarification.question, {"missing": list(meaning.missing_slots)}
    return "问题明确", {"notes": [note for note in meaning.notes if note not in known]}


STRATEGIES: dict[Strategy, str] = {
    "direct": "直接检索",
    "rewrite": "补全后检索",
    "expand": "多种说法检索",
    "hyde": "设想答案检索",
    "decompose": "拆分检索",
    "metadata_filter": "筛选检索",
    "broad": "广泛检索",
    "web": "网页检索",
    "clarify": "反问",
    "no_retrieval": "不检索",
}
"""Names of the strategies for people."""


def of_plan(plan: QueryPlan) -> Summary:
    """The strategy with its reasons, and the whole plan."""
    name = STRATEGIES[plan.strategy]
    because = "；".join(plan.reasons)
    return f"{name}：{because}" if because else name, {"plan": plan.model_dump(mode="json")}


def widening(meaning: Understanding, dropped: Sequence[str]) -> str:
    """Which conditions nothing was found under, so that they were dropped; "" for none."""
    if not dropped:
        return ""
    slots = meaning.slots
    said = {
        "地区": [short_name(path) for path in slots.region],
        "年份": [time.text for time in slots.time],
        "机构": slots.organisation,
        "产品": slots.product,
        "文档类型": slots.document_type,
    }
    named = [f"{name}“{'、'.join(said[name])}”" if said.get(name) else name for name in dropped]
    return f"没有找到符合{'、'.join(named)}的内容，已放宽"


def of_retrieval(found: Retrieval, meaning: Understanding) -> Summary:
    """How much was found among how much, and each hit with its scores."""
    widened = widening(meaning, found.widened)
    facts = [f"从 {found.candidates} 段中找到 {len(found.hits)} 处", widened, *found.notes]
    hits = [
        {
            "rank": hit.rank,
            "chunk_id": hit.chunk.id,
            "document": hit.chunk.document_name,
            "pages": list(hit.chunk.pages),
            "scores": {name: round(score, 4) for name, score in hit.scores.items()},
            "why": hit.why,
            "preview": hit.chunk.text[:80],
        }
        for hit in found.hits
    ]
    timings = {name: round(ms, 1) for name, ms in found.timings_ms.items()}
    details = {"hits": hits, "timings_ms": timings, "widened": list(found.widened)}
    return "；".join(fact for fact in facts if fact), details | {"notes": list(found.notes)}


def of_refusal(confidence: float, reason: str) -> Summary:
    """That no answer is given, with how sure one would have been, and why not surer."""
    return "依据不足，不作回答", {"confidence": confidence, "reason": reason}


def of_evidence(evidence: Sequence[Evidence]) -> Summary:
    """How many passages are left, and which of them the model shortened."""
    short = {str(item.n): item.summary for item in evidence if item.summary}
    summary = f"留下 {len(evidence)} 处依据"
    if short:
        summary = f"留下 {len(evidence)} 处依据，其中 {len(short)} 处由模型缩短"
    details: dict[str, Any] = {"evidence": [item.n for item in evidence]}
    return summary, details | ({"summaries": short} if short else {})


def of_claims(written: Written) -> Summary:
    """How many statements have evidence, and each with its verdict."""
    supported = sum(claim.verdict == "supported" for claim in written.claims)
    summary = f"{supported}/{len(written.claims)} 句有依据"
    return summary, {"claims": [claim.model_dump(mode="json") for claim in written.claims]}
