"""Data sets are read from files of the layout that they come in; samples go by hash."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rag.evaluate.datasets import bucket, load_crosswoz, load_laws, load_lecoqa
from rag.evaluate.memory_index import MemoryIndex
from rag.evaluate.questions import make_questions
from rag.settings import RetrievalSettings


def write(path: Path, *rows: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    legal = tmp_path / "lecoqa_stard"
    write(
        legal / "corpus_gold.jsonl", {"id": "g0", "title": "甲法第一条", "text": "定金双倍返还。"}
    )
    others = [{"id": f"x{n}", "title": f"乙法第{n}条", "text": f"其他规定{n}。"} for n in range(20)]
    write(legal / "corpus_distractors.jsonl", *others)
    write(legal / "queries_train.jsonl", {"id": "q0", "question": "定金能退吗", "doc_ids": ["g0"]})
    database = tmp_path / "crosswoz" / "database"
    for kind in ("attraction", "hotel", "restaurant"):
        write(database / f"{kind}_db.json")
        record = {"名称": f"{kind}大院", "电话": "010-1", "周边": ["故宫", "天坛"], "评分": None}
        (database / f"{kind}_db.json").write_text(
            json.dumps([[f"{kind}大院", record]], ensure_ascii=False), "utf-8"
        )
    turns = [
        {"id": "t0", "text": "hotel大院的电话是多少？", "intent": ["Request+酒店"]},
        {"id": "t1", "text": "hotel大院不错", "intent": ["Inform+酒店"]},
        {"id": "t2", "text": "哪家好？", "intent": ["Request+酒店"]},
    ]
    write(tmp_path / "crosswoz" / "val_user_turns.jsonl", *turns)
    laws = tmp_path / "laws_zh"
    meta = {"id": "l1", "title": "浙江省某条例", "region": "浙江", "level": "地方性法规"}
    write(laws / "meta.jsonl", {**meta, "year": "2020", "file": "docs/l1.md"})
    (laws / "docs").mkdir()
    article = "县级以上人民政府应当将社会救助纳入国民经济和社会发展规划，建立健全协调机制。"
    (laws / "docs" / "l1.md").write_text(
        f"# 浙江省某条例\n\n第一条 {article}\n\n第二条 短。\n\n## 第二章\n\n第三条 {article}\n",
        "utf-8",
    )
    return tmp_path


def test_lecoqa_keeps_the_right_passages_and_samples_the_others(root: Path) -> None:
    found = load_lecoqa(root, distractors=5)
    assert len(found.passages) == 6
    assert found.passages[0].id == "g0"
    assert found.questions[0].gold == {"g0"}
    assert load_lecoqa(root, 5) == found
    assert len(load_lecoqa(root).passages) == 21


def test_crosswoz_turns_count_when_they_ask_about_one_record(root: Path) -> None:
    found = load_crosswoz(root)
    assert [question.id for question in found.questions] == ["t0"]
    (gold,) = found.questions[0].gold
    text = next(chunk.text for chunk in found.passages if chunk.id == gold)
    assert text == "名称：hotel大院\n电话：010-1\n周边：故宫、天坛"


def test_laws_are_cut_into_articles_with_region_and_year(root: Path) -> None:
    found = load_laws(root)
    assert sorted(chunk.id for chunk in found.passages) == ["l1第一条", "l1第三条"]
    assert {(c.metadata.region, c.metadata.year) for c in found.passages} == {("浙江", 2020)}


def test_a_missing_data_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="lecoqa_stard"):
        load_lecoqa(tmp_path)


def test_made_questions_are_the_same_each_time_and_point_to_their_passage(root: Path) -> None:
    passages = load_laws(root).passages
    made = make_questions(passages, 10)
    assert made == make_questions(passages, 10)
    assert made
    for question in made:
        assert question.text.strip()
        assert question.gold <= {chunk.id for chunk in passages}


def test_buckets_are_stable_and_in_range() -> None:
    assert bucket("q0", 5) == bucket("q0", 5)
    assert {bucket(str(n), 3) for n in range(50)} == {0, 1, 2}


def test_the_memory_index_fuses_and_can_leave_passages_out(root: Path) -> None:
    passages = load_lecoqa(root).passages
    vectors = np.eye(len(passages), dtype=np.float32)
    index = MemoryIndex(passages, vectors)
    settings = RetrievalSettings()
    hits = index.candidates("定金能退吗", vectors[0], settings, 5)
    assert hits[0].chunk.id == "g0"
    assert hits[0].scores["dense"] == 1.0
    assert len(hits) == 5
    without = index.candidates("定金能退吗", vectors[0], settings, 50, frozenset({"g0"}))
    assert without[-1].chunk.id == "g0" or "g0" not in {hit.chunk.id for hit in without}
