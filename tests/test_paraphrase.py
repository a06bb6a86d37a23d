from __future__ import annotations

import random

from benchmarks.paraphrase import paraphrase


def test_titles_and_codes_stay_and_the_seed_decides() -> None:
    question = "《测试用品管理办法》里QX-100的价格是多少？"
    said = [paraphrase(question, random.Random(seed)) for seed in range(40)]
    assert said == [paraphrase(question, random.Random(seed)) for seed in range(40)]
    assert all("《测试用品管理办法》" in text and "QX-100" in text for text in said)
    assert len(set(said)) > 10


def test_formal_words_become_everyday_ones() -> None:
    said = {paraphrase("用人单位拖欠劳动报酬怎么办？", random.Random(seed)) for seed in range(60)}
    assert any("工资" in text or "工钱" in text or "薪水" in text for text in said)
