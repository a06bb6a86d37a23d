"""Fits the weights of the answer's confidence (rag/answer/confidence_weights.json).

Questions whose source is among the evidence are positive; the same questions with their
source taken out, questions about regions that are not there, and questions asked of a
knowledge base of another field are negative. Trained on legal questions (LeCoQA train),
questions made from statutes (their own topics kept away from the benchmark's) and from
CrossWOZ's records, also in knowledge bases of a few documents. Encyclopaedia questions and
the benchmark's statutes are never trained on: measure there with `bench_answers`.

    python -m benchmarks.fit_confidence [--limit 400] [--write]
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.bench_answers import DATA, WORK, Base, Case, Found, Source, build, law, rows
from rag.answer.features import NAMES, features
from rag.answer.refuse import slot_fits
from rag.types import DocumentMetadata

WEIGHTS = Path(__file__).resolve().parent.parent / "rag/answer/confidence_weights.json"
WITHOUT_RERANK = ("rerank", "rerank_gap")
"""Features that are missing where no reranker runs: a second model does without them."""
WITHOUT_DENSE = ("dense", "dense_gap")
"""Features on the bundled embedder's scale: other embedders do without them."""
SIGNS = {
    "rerank": 1, "rerank_gap": 1, "passage": 1, "sentence": 1, "everywhere": 1, "rare_missing": -1,
    "name_missing": -1, "likeness": 1, "kind": 1, "dense": 1, "dense_gap": 1, "agreed": 1,
    "slot_silent": -1,
}  # fmt: skip
"""The direction that each feature must have: a weight against it is an accident of the data."""
OFF_TOPIC = (
    "今天天气怎么样？ 世界杯冠军是谁？ 怎么做红烧肉？ 特斯拉的股价是多少？ 推荐一部好看的电影 "
    "地球到月球的距离是多少公里？ 如何学好英语？ 苹果手机怎么截屏？ 谁写了《红楼梦》？ 比特币今天多少钱？ "
    "感冒了吃什么药？ 高铁可以带多少行李？ 怎么给猫洗澡？ 珠穆朗玛峰有多高？ 贷款利率是多少？ "
    "公司的打印机密码是多少？ 明天几点开会？ 食堂今天吃什么？ 张伟的电话号码是多少？ 班车几点发车？"
).split(" ")


def lecoqa(limit: int) -> tuple[list[Source], list[Case]]:
    """Lay questions about statutes."""
    by_law: dict[str, list[tuple[str, str]]] = defaultdict(list)
    home: dict[str, str] = {}
    articles = list(rows("lecoqa_stard/corpus_gold.jsonl"))
    others = list(rows("lecoqa_stard/corpus_distractors.jsonl"))
    random.Random(3).shuffle(others)
    for row in [*articles, *others[:500]]:
        key = row["id"]
        by_law[key].append((row["title"], row["text"].strip()))
        home[row["id"]] = key
    sources = [
        Source(key, parts[0][0], tuple(text for _, text in parts), DocumentMetadata(title=parts[0][0]))
        for key, parts in by_law.items()
    ]
    questions = list(rows("lecoqa_stard/queries_train.jsonl"))
    random.Random(3).shuffle(questions)
    cases = [
        Case("lecoqa", row["question"], frozenset(home[d] for d in row["doc_ids"] if d in home))
        for row in questions[:limit]
    ]
    return sources, cases


def statutes(limit: int) -> tuple[list[Source], list[Case]]:
    """Questions made from statutes whose topics the benchmark does not use."""
    used = {row["topic"] for name in ("effective_date", "refuse") for row in rows(f"laws_zh/derived/dev/{name}.jsonl")}
    metas = [m for m in rows("laws_zh/meta.jsonl") if m["topic"] not in used]
    chance = random.Random(3)
    chance.shuffle(metas)
    metas = [m for m in metas if m["chars"] < 6500][:70]
    sources = [law(meta) for meta in metas]
    cases: list[Case] = []
    for meta, source in zip(metas, sources, strict=True):
        made = list(_questions(meta["title"], "\n".join(source.passages)))
        chance.shuffle(made)
        cases += [Case("statutes", text, frozenset({meta["id"]})) for text in made[:5]]
        absent = _elsewhere(meta["title"], meta["region"], chance)
        if absent:
            cases.append(Case("statutes", f"{absent}从什么时候起施行？", frozenset(), possible=False))
    chance.shuffle(cases)
    return sources, cases[:limit]


def _questions(title: str, text: str) -> Iterator[str]:
    if re.search(r"自[^。]{4,20}起施行", text):
        yield f"《{title}》从什么时候起施行？"
        yield f"{title}什么时候生效"
    for term in re.findall(r"本(?:条例|办法|规定|法)所称(?:的)?([\u4e00-\u9fff]{2,10})，?(?:是|，是)指", text)[:2]:
        yield f"什么是{term}？"
        yield f"{title}所说的{term}指什么"
    for subject, _ in re.findall(r"(?:\n|。)([\u4e00-\u9fff]{3,18}?)(应当自[^。]{4,30}?日内[^。]{2,20})", text)[:2]:
        yield f"{subject}应当在几日内办理？"
    for act in re.findall(r"违反本(?:条例|办法|规定)[^，。]{0,12}，([\u4e00-\u9fff]{4,20})的，[^。]{0,60}罚款", text)[:2]:
        yield f"{act}罚多少钱？"
    for duty in re.findall(r"部门负责(?:本行政区域内的)?([\u4e00-\u9fff]{4,14}(?:工作|管理))", text)[:1]:
        yield f"哪个部门负责{duty}？"


def _elsewhere(title: str, region: str, chance: random.Random) -> str:
    """The title with a province that the corpus has nothing about."""
    absent = chance.choice(["湖北省", "四川省", "江苏省", "云南省", "福建省", "湖南省"])
    for suffix in ("省", "市"):
        if region and title.startswith(region + suffix):
            name = title.replace(region + suffix, absent, 1)
            return f"《{name}》" if chance.random() < 0.6 else name
    return ""


def records(limit: int) -> tuple[list[Source], list[Case]]:
    """Hotels, restaurants and sights of CrossWOZ with questions about their fields."""
    ask = {
        "地址": "{}的地址在哪里？|{}在什么地方", "电话": "{}的电话是多少？|怎么联系{}",
        "门票": "{}门票多少钱？|去{}要买多少钱的票", "营业时间": "{}几点营业？|{}什么时候开门",
        "评分": "{}评分多少？|{}的评分高吗", "人均消费": "{}人均消费多少？|在{}吃饭大概要花多少钱",
        "价格": "{}住一晚多少钱？|{}的价格", "游玩时间": "{}要玩多久？|{}游玩多长时间",
        "推荐菜": "{}有什么推荐菜？|{}有哪些好吃的", "酒店设施": "{}有哪些设施？",
        "地铁": "去{}坐地铁到哪一站？",
    }  # fmt: skip
    chance = random.Random(3)
    sources: list[Source] = []
    cases: list[Case] = []
    for kind in ("attraction", "hotel", "restaurant"):
        database = json.loads((DATA / f"crosswoz/database/{kind}_db.json").read_text("utf-8"))
        chance.shuffle(database)
        for name, record in database[:90]:
            key = f"{kind}:{name}"
            lines = [
                f"{k}：{'、'.join(map(str, v[:12])) if isinstance(v, list) else v}"
                for k, v in record.items()
                if v not in (None, [], "")
            ]
            sources.append(Source(key, name, ("\n".join(lines),), DocumentMetadata(title=name)))
            fields = [f for f in ask if record.get(f)]
            for wanted in chance.sample(fields, min(2, len(fields))):
                text = chance.choice(ask[wanted].split("|")).format(name)
                cases.append(Case("records", text, frozenset({key})))
    chance.shuffle(cases)
    return sources, cases[:limit]


SETS: dict[str, Callable[[int], tuple[list[Source], list[Case]]]] = {
    "lecoqa": lecoqa, "statutes": statutes, "records": records,
}  # fmt: skip


def collect(limit: int) -> list[tuple[str, bool, dict[str, float]]]:
    """Rows as (set, whether the evidence holds the answer, features)."""
    bases: dict[str, Base] = {}
    questions: dict[str, list[Case]] = {}
    for name, make in SETS.items():
        sources, questions[name] = make(limit)
        bases[name] = build(name, sources)
    chance = random.Random(7)
    result: list[tuple[str, bool, dict[str, float]]] = []
    for name, base in bases.items():
        keys = list(base.keys.values())
        for case in questions[name]:
            everything = base.find(case)
            if everything.holds or not case.possible:
                result += _row(name, everything)
            if case.possible:
                result += _row(name, base.find(case, without=case.sources))
            few = chance.sample(keys, 4)
            small = Case(case.kind, case.question, case.sources, (), (*few, *case.sources))
            if chance.random() < 0.4:
                found = base.find(small)
                if found.holds:
                    result += _row(name, found)
                if case.possible:
                    result += _row(name, base.find(small, without=case.sources))
        strangers = [c for other in questions if other != name for c in questions[other][: limit // 8]]
        strangers += [Case("off", text, frozenset()) for text in OFF_TOPIC]
        for case in strangers:
            result += _row(name, base.find(Case("off", case.question, frozenset(), possible=False)))
    return result


def _row(name: str, found: Found) -> list[tuple[str, bool, dict[str, float]]]:
    """The row of one question; none where a conflict of slots decides alone."""
    if not found.evidence or "conflict" in slot_fits(found.meaning, found.evidence).values():
        return []
    return [(name, found.holds, features(found.meaning, found.hits, found.evidence))]


def fit(rows_: Sequence[tuple[str, bool, dict[str, float]]], names: Sequence[str]) -> dict[str, object]:
    """Logistic regression with the signs of `SIGNS`; each set and each class weighs the same."""
    x = np.array([[row[2][name] for name in names] for row in rows_])
    y = np.array([row[1] for row in rows_], dtype=float)
    groups = [(row[0], row[1]) for row in rows_]
    sizes = {group: groups.count(group) for group in set(groups)}
    weight = np.array([1.0 / sizes[group] for group in groups])
    weight *= len(rows_) / weight.sum()
    sign = np.array([SIGNS.get(name, 0) for name in names])
    w, b = np.zeros(len(names)), 0.0
    moment, square = np.zeros(len(names) + 1), np.zeros(len(names) + 1)
    for step in range(1, 4001):  # Adam on the whole set, projected onto the allowed signs
        p = 1 / (1 + np.exp(-(x @ w + b)))
        error = weight * (p - y)
        gradient = np.append(x.T @ error / len(y) + 0.002 * w, error.mean())
        moment = 0.9 * moment + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        move = 0.03 * (moment / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        w, b = w - move[:-1], b - move[-1]
        w = np.where(sign > 0, np.maximum(w, 0), np.where(sign < 0, np.minimum(w, 0), w))
    kept = {name: round(float(value), 3) for name, value in zip(names, w, strict=True) if abs(value) > 0.02}
    return {"intercept": round(float(b), 3), "weights": kept}


def report(model: dict, rows_: Sequence[tuple[str, bool, dict[str, float]]]) -> None:  # type: ignore[type-arg]
    """Shares answered and refused at .6 by set, and how well the values are calibrated."""
    values = [
        1 / (1 + np.exp(-(model["intercept"] + sum(w * row[2][n] for n, w in model["weights"].items()))))
        for row in rows_
    ]
    for name in sorted({row[0] for row in rows_}):
        inside = [v for v, row in zip(values, rows_, strict=True) if row[0] == name and row[1]]
        outside = [v for v, row in zip(values, rows_, strict=True) if row[0] == name and not row[1]]
        answered = np.mean(np.array(inside) >= 0.6) if inside else 0
        refused = np.mean(np.array(outside) < 0.6) if outside else 0
        print(f"  {name}: answered {answered:.3f} of {len(inside)}, refused {refused:.3f} of {len(outside)}")
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        bucket = [row[1] for v, row in zip(values, rows_, strict=True) if low <= v < low + 0.2 + 1e-9]
        if bucket:
            print(f"  {low:.1f}–{low + 0.2:.1f}: right {np.mean(bucket):.2f} of {len(bucket)}")


def main() -> None:
    """Collect rows (kept for the next run), fit both models, report, write when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--again", action="store_true", help="use the rows of the last run")
    arguments = parser.parse_args()
    kept = WORK / "confidence_rows.json"
    if arguments.again and kept.is_file():
        found = [(a, b, c) for a, b, c in json.loads(kept.read_text("utf-8"))]
    else:
        found = collect(arguments.limit)
        kept.write_text(json.dumps(found), encoding="utf-8")
    sets = {"reranked": (), "plain": WITHOUT_RERANK}
    models = {
        name + suffix: fit(found, [n for n in NAMES if n not in left_out and n not in more])
        for name, left_out in sets.items()
        for suffix, more in (("", ()), ("_lexical", WITHOUT_DENSE))
    }
    for name, model in models.items():
        print(name, json.dumps(model, ensure_ascii=False))
        report(model, found)
    if arguments.write:
        WEIGHTS.write_text(json.dumps(models, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
