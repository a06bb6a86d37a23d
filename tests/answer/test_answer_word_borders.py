"""Words that the segmenter cuts wrongly are mended by the evidence; absent names are not."""

from __future__ import annotations

from rag.answer.terms import content_terms, presence
from rag.answer.word_borders import mended


def _words(question: str, text: str) -> set[str]:
    return {term.text for term in mended(content_terms(question), question, text)}


def test_letters_over_a_border() -> None:
    assert "童锁" in _words("怎么锁童锁？", "童锁键：长按5秒锁定全部按键。")


def test_an_absent_name_stays_absent() -> None:
    words = _words("高氏前肛鳗属于什么科？", "前肛鳗属于合鳃鳗科。")
    assert any("高氏" in word or "氏" in word for word in words)


def test_ordinals_and_spellings() -> None:
    assert presence("第4节", "| 节次 | 时间 |\n| --- | --- |\n| 4 | 10:00 |") > 0.5
    assert presence("第4节", "| 节次 | 时间 |\n| --- | --- |\n| 3 | 10:00 |") == 0.0
    assert presence("wifi", "办公区无线网络名称为Cloud-1。") > 0.5
