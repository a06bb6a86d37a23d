from __future__ import annotations

from datetime import date

import pytest

from rag.types import Chunk, DocumentMetadata, DocumentProfile, Hit, KnowledgeProfile, Turn
from rag.understand.ambiguity import judge
from rag.understand.candidates import passage_coverage
from rag.understand.understand import understand

TEXTS = {
    "员工手册": "婚假10天，申请婚假应当提交结婚证。",
    "奖学金办法（2023年）": "申请奖学金应当提交材料：成绩单。奖学金每年300元。",
    "奖学金办法（2024年）": "申请奖学金应当提交材料：成绩单和推荐意见。奖学金每年400元。",
    "考勤规定": "迟到三次按旷工处理，考勤异常在次月恢复。",
    "机房规定": "故障后两小时恢复供电。",
}


def hits() -> list[Hit]:
    return [
        Hit(
            chunk=Chunk(
                id=f"{i}-1-0", document_id=str(i), kb_id="kb", ordinal=0, text=text,
                document_name=f"{title}.md", metadata=DocumentMetadata(title=title), access="kb",
            ),
            scores={}, rank=i + 1,
        )
        for i, (title, text) in enumerate(TEXTS.items())
    ]  # fmt: skip


def profile() -> KnowledgeProfile:
    return KnowledgeProfile(
        documents=tuple(
            DocumentProfile(
                document_id=str(i), name=f"{title}.md", title=title,
                metadata=DocumentMetadata(
                    title=title, year=int(title[-6:-2]) if "年" in title else None
                ),
            )
            for i, title in enumerate(TEXTS)
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "slot"),
    [("婚假需要交什么材料", None), ("奖学金需要交什么材料", "time"), ("旷工电话多少", None)],
)
def test_only_documents_on_the_subject_are_options(question: str, slot: str | None) -> None:
    known = profile()
    meaning = understand(question, (), known, date(2024, 9, 20))
    judged = judge(meaning, (), known, lambda *_: hits())
    assert (judged.clarification.slot if judged.clarification else None) == slot


def test_just_is_no_part_of_the_word_behind_it() -> None:
    text = "入职当天携带身份证。"
    hit = hits()[0]
    hit = hit.model_copy(update={"chunk": hit.chunk.model_copy(update={"text": text})})
    assert passage_coverage("我刚入职", hit) == 1.0


def test_what_was_talked_about_comes_first() -> None:
    known = profile()
    history = (
        Turn(role="user", content="门禁卡丢了怎么补办"),
        Turn(role="assistant", content="到前台补办。"),
    )
    meaning = understand("什么时候恢复", history, known, date(2024, 9, 20))
    meaning = meaning.model_copy(
        update={"standalone_question": "什么时候恢复", "missing_slots": ("reference",)}
    )
    judged = judge(meaning, history, known, lambda *_: hits())
    assert judged.clarification is not None
    labels = [option.label for option in judged.clarification.options]
    assert labels[0] == "门禁卡"
    assert set(labels[1:3]) == {"考勤规定", "机房规定"}
