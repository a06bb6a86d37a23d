"""The messages that ask an LLM for a cited answer (step "generate").

Evidence goes in numbered and fenced; what could close a fence is taken out of the text, so
that a document can neither leave its fence nor give itself another number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rag.answer.marks import without_marks
from rag.ingest.places import chinese_place
from rag.prompts import load_prompt, render, render_system
from rag.types import Evidence, Intent, Turn, Understanding

RECENT_TURNS = 4
"""Messages of the conversation that go along; the question is complete without them."""
LONGEST_TURN = 300
"""Characters of one earlier message that go along."""

_FENCE = re.compile(r"<{3,}|>{3,}")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
)
_FORMS: dict[Intent, str] = {
    "fact": "第一句直接给出所问的日期、金额、天数、名称等答案，再补充必要的条件，一般不超过三句。",
    "definition": "先用一句话给出定义，再补充要点。",
    "procedure": "按先后顺序写成编号列表，每一步一行，每行末尾标编号。",
    "comparison": "先说结论，再按比较对象分点说明各自的规定，每点末尾标编号。",
    "summary": "分点概括，每点一行，不超过六点，每点末尾标编号。",
    "policy": "先给出结论，再列出适用条件和例外。",
    "troubleshooting": "先说可能的原因，再按顺序列出处理步骤。",
    "calculation": "写出资料中的计算规则和数值，再给出算式和结果；资料没有规则时不要计算。",
}


def messages(
    understanding: Understanding,
    history: Sequence[Turn],
    evidence: Sequence[Evidence],
    prompts: Mapping[str, str] | None = None,
) -> list[tuple[str, str]]:
    """The call's messages as (role, text), roles "system" and "user".

    Args:
        understanding: its completed question is asked.
        history: the turns before, oldest first; only the last few go along, without numbers.
        evidence: the passages, numbered as they will be cited.
        prompts: administrators' overrides by name.

    Raises:
        SettingsError: an override is malformed.
    """
    prompt = load_prompt("generate", prompts)
    values = {
        "history": _conversation(history),
        "evidence": "\n\n".join(fenced(item) for item in evidence),
        "question": unfenced(understanding.standalone_question),
        "form": _FORMS.get(understanding.intent, _FORMS["fact"]),
    }
    return [
        ("system", render_system(prompt, **values).strip()),
        ("user", render(prompt, **values).strip()),
    ]


def fenced(item: Evidence) -> str:
    """One passage between its fences, with what it is headed by."""
    chunk, facts = item.chunk, item.chunk.metadata
    source = " > ".join(
        part for part in (facts.title or chunk.document_name, *chunk.heading_path) if part
    )
    where = chinese_place(chunk.document_name, chunk.pages[:1])
    notes = [f"来源：{source}", *([where] if where else [])]
    if facts.region:
        notes.append(f"地区：{facts.region}")
    if facts.year:
        notes.append(f"年份：{facts.year}")
    if item.summary:
        notes.append("以下是摘要")
    head = unfenced("；".join(notes)).replace("\n", " ")
    return f"<<<资料 {item.n}\n（{head}）\n{unfenced(item.summary or item.text)}\n>>>资料 {item.n}"


def _conversation(history: Sequence[Turn]) -> str:
    """Earlier messages as quoted lines; broken-off and empty ones are left out."""
    lines: list[str] = []
    for turn in list(history)[-RECENT_TURNS:]:
        content = without_marks(turn.standalone or turn.content).strip()
        if not content or turn.status in ("error", "stopped"):
            continue
        short = content if len(content) <= LONGEST_TURN else content[:LONGEST_TURN] + "……"
        who = "用户" if turn.role == "user" else "助手"
        lines.append(f"{who}：{unfenced(short)}")
    if not lines:
        return ""
    return "此前的对话（只用来理解问题，不能作为依据）：\n" + "\n".join(lines) + "\n\n"


def unfenced(text: str) -> str:
    """A text without what could open or close a fence, and without control characters."""
    return _FENCE.sub("‹", _CONTROL.sub("", text))
