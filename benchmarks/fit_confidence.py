"""Fits the weights of the answer's confidence (rag/answer/confidence_weights.json).

Questions whose source is among the evidence are positive; the same questions with their
source taken out, questions about regions that are not there or a field that a record lacks,
and questions asked of a knowledge base of another field are negative. Each question is also
asked in everyday words (`benchmarks.paraphrase`), with and without its source, so that the
absence of a word weighs no more than it tells. Trained on legal questions (LeCoQA train),
questions made from statutes (their own topics kept away from the benchmark's) and from
CrossWOZ's records, also in knowledge bases of a few documents, on the sample documents with
their questions, and on workplace documents of our own that the line reader has not seen
(`benchmarks/workplace/fit`), with questions that come near and have no answer. Encyclopaedia
questions and the benchmark's statutes are never trained on: measure there with `bench_answers`.

    python -m benchmarks.fit_confidence [--limit 250] [--again] [--write]
        [--all]  # also the weights for where no model has read the lines
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import bench_workplace
from benchmarks.bench_answers import DATA, WORK, Base, Case, Found, Source, build, law, rows
from benchmarks.paraphrase import paraphrase
from rag.answer.agreement import slot_fits
from rag.answer.features import NAMES, features
from rag.types import DocumentMetadata, Turn

WEIGHTS = Path(__file__).resolve().parent.parent / "rag/answer/confidence_weights.json"
WITHOUT_RERANK = ("rerank", "rerank_gap", "both")
"""Features that are missing where no reranker runs: other weights do without them."""
WITHOUT_DENSE = ("dense", "dense_gap")
"""Features on the bundled embedder's scale: other embedders do without them."""
WITHOUT_READ = ("fit", "fit_best")
"""Features of the line reader."""
POSITIVE = (
    "rerank", "rerank_gap", "passage", "sentence", "everywhere", "likeness", "subject", "run",
    "titled", "kind", "dense", "dense_gap", "agreed", "both", "grounded", "fit", "fit_best",
)  # fmt: skip
NEGATIVE = ("rare_missing", "rare_lost", "name_missing", "slot_silent")
"""The direction that each feature must have: a weight against it is an accident of the data."""
SHARES = {
    ("", "in"): 0.9, ("", "removed"): 0.5, ("", "off"): 0.25, ("", "absent"): 0.25,
    ("lecoqa", "removed"): 0.1, ("samples", "in"): 1.8, ("samples", "removed"): 1.0,
    ("samples", "absent"): 2.0, ("workplace", "in"): 2.0, ("workplace", "absent"): 2.0,
}  # fmt: skip
"""What each kind of row weighs in a set, however many there are. Legal questions without their
labelled articles count less: other articles on the same matter stay in the collection. The
samples are handbooks, tables and FAQs as people upload them and count double."""
MOST = {"dense": 1.0, "few_terms": 0.5}
"""Largest weights: a cosine depends on the question's length and style more than on whether it
is answered, and a short question is not a worse one."""
RIDGE = 0.002
"""Penalty on large weights: a tenth of it fitted the training sets better by .01 of area under
the curve and unseen encyclopaedia questions worse by .004."""
STEPS = 4000
SAID_OTHERWISE = 0.7
LACKING_SHARE = 0.35
"""Shares of the questions asked once more in everyday words, and of the records asked about a
field that they lack; chosen by us."""
OFF_TOPIC = [
    "今天天气怎么样？", "世界杯冠军是谁？", "怎么做红烧肉？", "特斯拉的股价是多少？",
    "推荐一部好看的电影", "地球到月球的距离是多少公里？", "如何学好英语？", "苹果手机怎么截屏？",
    "谁写了《红楼梦》？", "比特币今天多少钱？", "感冒了吃什么药？", "高铁可以带多少行李？",
    "怎么给猫洗澡？", "珠穆朗玛峰有多高？", "贷款利率是多少？", "公司的打印机密码是多少？",
    "明天几点开会？", "食堂今天吃什么？", "张伟的电话号码是多少？", "班车几点发车？",
]  # fmt: skip
FIELDS = {
    "地址": "{}的地址在哪里？|{}在什么地方", "电话": "{}的电话是多少？|怎么联系{}",
    "门票": "{}门票多少钱？|去{}要买多少钱的票", "营业时间": "{}几点营业？|{}什么时候开门",
    "评分": "{}评分多少？|{}的评分高吗", "人均消费": "{}人均消费多少？|在{}吃饭大概要花多少钱",
    "价格": "{}住一晚多少钱？|{}的价格", "游玩时间": "{}要玩多久？|{}游玩多长时间",
    "推荐菜": "{}有什么推荐菜？|{}有哪些好吃的", "酒店设施": "{}有哪些设施？",
    "地铁": "去{}坐地铁到哪一站？",
}  # fmt: skip
Row = tuple[str, str, dict[str, float]]
"""Set, side ("in", or why it is negative: "removed", "off", "absent"), features."""
Model = dict[str, Any]
_HAN = "[\u4e00-\u9fff]"
_TERM = re.compile(rf"本(?:条例|办法|规定|法)所称(?:的)?({_HAN}{{2,10}})，?(?:是|，是)指")
_DEADLINE = re.compile(rf"(?:\n|。)({_HAN}{{3,18}}?)应当自[^。]{{4,30}}?日内[^。]{{2,20}}")
_FINE = re.compile(
    rf"违反本(?:条例|办法|规定)[^，。]{{0,12}}，({_HAN}{{4,20}})的，[^。]{{0,60}}罚款"
)
_DUTY = re.compile(rf"部门负责(?:本行政区域内的)?({_HAN}{{4,14}}(?:工作|管理))")


def lecoqa(limit: int) -> tuple[list[Source], list[Case]]:
    """Lay questions about statutes."""
    articles = list(rows("lecoqa_stard/corpus_gold.jsonl"))
    others = list(rows("lecoqa_stard/corpus_distractors.jsonl"))
    random.Random(3).shuffle(others)
    sources = [
        Source(row["id"], row["title"], (row["text"].strip(),), titled(row["title"]))
        for row in [*articles, *others[:500]]
    ]
    questions = list(rows("lecoqa_stard/queries_train.jsonl"))
    random.Random(3).shuffle(questions)
    cases = [Case("lecoqa", q["question"], frozenset(q["doc_ids"])) for q in questions[:limit]]
    return sources, cases


def statutes(limit: int) -> tuple[list[Source], list[Case]]:
    """Questions made from statutes whose topics the benchmark does not use."""
    derived = ("effective_date", "refuse")
    used = {r["topic"] for name in derived for r in rows(f"laws_zh/derived/dev/{name}.jsonl")}
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
            text = f"{absent}从什么时候起施行？"
            cases.append(Case("statutes", text, frozenset(), possible=False))
    chance.shuffle(cases)
    return sources, cases[:limit]


def _questions(title: str, text: str) -> Iterator[str]:
    if re.search(r"自[^。]{4,20}起施行", text):
        yield f"《{title}》从什么时候起施行？"
        yield f"{title}什么时候生效"
    for term in _TERM.findall(text)[:2]:
        yield f"什么是{term}？"
        yield f"{title}所说的{term}指什么"
    for subject in _DEADLINE.findall(text)[:2]:
        yield f"{subject}应当在几日内办理？"
    for act in _FINE.findall(text)[:2]:
        yield f"{act}罚多少钱？"
    for duty in _DUTY.findall(text)[:1]:
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
            sources.append(Source(key, name, ("\n".join(lines),), titled(name)))
            known = [field for field in FIELDS if record.get(field)]
            for wanted in chance.sample(known, min(2, len(known))):
                text = chance.choice(FIELDS[wanted].split("|")).format(name)
                cases.append(Case("records", text, frozenset({key})))
            lacking = [field for field in FIELDS if not record.get(field)]
            if lacking and chance.random() < LACKING_SHARE:
                text = chance.choice(FIELDS[chance.choice(lacking)].split("|")).format(name)
                cases.append(Case("records", text, frozenset(), possible=False))
    chance.shuffle(cases)
    return sources, cases[:limit]


def titled(title: str) -> DocumentMetadata:
    """Metadata with nothing but a title."""
    return DocumentMetadata(title=title)


SETS: dict[str, Callable[[int], tuple[list[Source], list[Case]]]] = {
    "lecoqa": lecoqa, "statutes": statutes, "records": records,
}  # fmt: skip


def collect(limit: int) -> list[tuple[str, Found]]:
    """What is found for all questions, each with its set."""
    bases: dict[str, Base] = {}
    questions: dict[str, list[Case]] = {}
    for name, make in SETS.items():
        sources, questions[name] = make(limit)
        bases[name] = build(name, sources)
    chance = random.Random(7)
    result: list[tuple[str, Found]] = []
    for name, base in bases.items():
        keys = list(base.keys.values())
        for case in questions[name]:
            result += [(name, found) for found in _both(base, case)]
            if chance.random() < SAID_OTHERWISE:
                text = paraphrase(case.question, chance)
                result += [(name, found) for found in _both(base, replace(case, question=text))]
            few = chance.sample(keys, 4)
            small = replace(case, answers=(), within=(*few, *case.sources))
            if chance.random() < 0.4:
                if chance.random() < SAID_OTHERWISE:
                    small = replace(small, question=paraphrase(case.question, chance))
                result += [(name, found) for found in _both(base, small)]
        others = [other for other in questions if other != name]
        strangers = [case.question for other in others for case in questions[other][: limit // 8]]
        for text in [*strangers, *OFF_TOPIC]:
            found = base.find(Case("off", text, frozenset(), possible=False))
            result.append((name, found))
    return result + samples() + workplace()


def _both(base: Base, case: Case) -> list[Found]:
    """A question with its source there (where that is found) and with its source taken out."""
    found = [base.find(case)]
    if not case.possible:
        return found
    return [*(one for one in found if one.holds), base.find(case, without=case.sources)]


def samples() -> list[tuple[str, Found]]:
    """The sample documents' own questions, follow-ups included, ingested as users do."""
    from rag.application import SAMPLE_DIRECTORY, opened

    result: list[tuple[str, Found]] = []
    chance = random.Random(11)
    with opened(WORK / "samples") as application:
        known = {kb.name: kb for kb in application.catalog.knowledge_bases.list()}
        kb = known.get("samples") or application.catalog.knowledge_bases.create("samples")
        for path in sorted(SAMPLE_DIRECTORY.iterdir()):
            application.pipeline.ingest(path, kb.id, path.name)
        keys = {info.id: info.name for info in application.catalog.documents.list((kb.id,))}
        base = Base("samples", application.retriever, application.catalog, kb.id, keys)
        lines = (SAMPLE_DIRECTORY.parent / "questions.jsonl").read_text("utf-8").splitlines()
        for row in map(json.loads, lines):
            if row["expect"] not in ("answer", "refuse"):
                continue
            possible = row["expect"] == "answer"
            sources = frozenset(row.get("documents") or ())
            history = tuple(Turn(**turn) for turn in row["history"])
            case = Case("samples", row["question"], sources, possible=possible, history=history)
            result += [("samples", found) for found in _both(base, case)]
            if not history:
                for _ in range(2):
                    other = replace(case, question=paraphrase(case.question, chance))
                    result += [("samples", found) for found in _both(base, other)]
    return result


def workplace() -> list[tuple[str, Found]]:
    """Colloquial questions about documents of our own; those without an answer come near one."""
    from rag.application import opened

    given = bench_workplace.documents("fit")
    result: list[tuple[str, Found]] = []
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as application:
        kb_id = bench_workplace.fill(application, given, "workplace")
        keys = {info.id: info.name for info in application.catalog.documents.list((kb_id,))}
        base = Base("workplace", application.retriever, application.catalog, kb_id, keys)
        for asked in (one for document in given for one in bench_workplace.questions(document)):
            source = frozenset({f"{asked.document}.md"})
            case = Case("workplace", asked.question, source, possible=bool(asked.answer))
            found = base.find(case)
            if found.holds or not asked.answer:
                result.append(("workplace", found))
    return result


def _row(name: str, found: Found) -> list[Row]:
    """The row of one question; none where a conflict of slots decides alone."""
    if not found.evidence or "conflict" in slot_fits(found.meaning, found.evidence).values():
        return []
    if found.holds:
        side = "in"
    else:
        side = "removed" if found.removed else "off" if found.case.kind == "off" else "absent"
    return [(name, side, features(found.meaning, found.hits, found.evidence))]


def fit(found: Sequence[Row], names: Sequence[str]) -> Model:
    """Logistic regression with the signs and shares above."""
    x = np.array([[row[2][name] for name in names] for row in found])
    y = np.array([row[1] == "in" for row in found], dtype=float)
    groups = [(row[0], row[1]) for row in found]
    sizes = Counter(groups)
    weight = np.array([SHARES.get(g, SHARES["", g[1]]) / sizes[g] for g in groups])
    weight *= len(found) / weight.sum()
    up = np.array([name in POSITIVE for name in names])
    down = np.array([name in NEGATIVE for name in names])
    most = np.array([MOST.get(name, np.inf) for name in names])
    w, b = np.zeros(len(names)), 0.0
    moment, square = np.zeros(len(names) + 1), np.zeros(len(names) + 1)
    for step in range(1, STEPS + 1):  # Adam on the whole set, projected onto the allowed signs
        error = weight * (1 / (1 + np.exp(-(x @ w + b))) - y)
        gradient = np.append(x.T @ error / len(y) + RIDGE * w, error.mean())
        moment = 0.9 * moment + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        move = 0.03 * (moment / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        w, b = w - move[:-1], b - move[-1]
        w = np.where(up, np.maximum(w, 0), np.where(down, np.minimum(w, 0), w))
        w = np.clip(w, -most, most)
    pairs = zip(names, w, strict=True)
    kept = {name: round(float(value), 3) for name, value in pairs if abs(value) > 0.02}
    return {"intercept": round(float(b), 3), "weights": kept}


def report(model: Model, found: Sequence[Row]) -> None:
    """Shares answered and refused at .6 by set, and how well the values are calibrated."""
    weights = model["weights"]
    logits = [model["intercept"] + sum(w * row[2][n] for n, w in weights.items()) for row in found]
    values = 1 / (1 + np.exp(-np.array(logits)))
    for name, side in sorted({(row[0], row[1]) for row in found}):
        mine = values[[(row[0], row[1]) == (name, side) for row in found]]
        share = (mine >= 0.6).mean() if side == "in" else (mine < 0.6).mean()
        verb = "answered" if side == "in" else "refused"
        print(f"  {name} {side}: {verb} {share:.3f} of {len(mine)}")
    right = np.array([row[1] == "in" for row in found])
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (values >= low) & (values < low + 0.2)
        if inside.any():
            share = right[inside].mean()
            print(f"  {low:.1f} to {low + 0.2:.1f}: right {share:.2f} of {inside.sum()}")


def main() -> None:
    """Search (kept for the next run), fit the models, report, write when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=250)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--again", action="store_true", help="use what the last run found")
    parser.add_argument("--all", action="store_true", help="also where no lines were read")
    arguments = parser.parse_args()
    kept = WORK / "confidence_found.pickle"
    if arguments.again and kept.is_file():
        searched = pickle.loads(kept.read_bytes())  # our own file
    else:
        searched = collect(arguments.limit)
        kept.write_bytes(pickle.dumps(searched))
    found = [row for name, one in searched for row in _row(name, one)]
    models: dict[str, Model] = json.loads(WEIGHTS.read_text("utf-8"))
    for name, left_out in (("reranked", ()), ("plain", WITHOUT_RERANK)):
        for suffix, more in (("", ()), ("_lexical", WITHOUT_DENSE)):
            for read, unread in (("_read", ()), ("", WITHOUT_READ)):
                if read or arguments.all:
                    names = [n for n in NAMES if n not in (*left_out, *more, *unread)]
                    models[name + suffix + read] = fit(found, names)
                    print(name + suffix + read, json.dumps(models[name + suffix + read]))
                    report(models[name + suffix + read], found)
    if arguments.write:
        WEIGHTS.write_text(json.dumps(models, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
