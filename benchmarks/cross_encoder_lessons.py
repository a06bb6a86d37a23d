"""What the cross-encoder learns from: questions of many kinds with right and wrong passages.

Real questions: LeCoQA/STARD's training part without its fixed fifth, with their key words and
answers as further queries, and CrossWOZ users' turns without theirs. Made ones: from statutes
(articles and whole sections), from hotel, restaurant and sight records, from our sample
documents. Wrong passages are the best of BM25 and of the bundled embedder that are not right.
A tenth of the real questions and of the passages is kept away for `train_reranker`, which
learns there how far the cross-encoder can be trusted.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.embedded import passage_vectors, question_vectors
from benchmarks.paraphrase import paraphrase
from rag.evaluate import datasets
from rag.evaluate.datasets import Question, bucket, rows
from rag.evaluate.memory_index import MemoryIndex
from rag.evaluate.questions import make_questions
from rag.models.embedder import Embedder
from rag.retrieve.excerpt import passage_text
from rag.retrieve.query import query_text
from rag.settings import RetrievalSettings
from rag.text.normalise import normalise
from rag.text.sentences import split_sentences
from rag.text.tokenise import query_terms, rarity
from rag.types import Chunk, DocumentMetadata

SHARES = {
    "lecoqa": 0.24,
    "lecoqa said otherwise": 0.12,
    "lecoqa keywords": 0.06,
    "lecoqa answers": 0.08,
    "made articles": 0.08,
    "made laws": 0.10,
    "sections": 0.12,
    "crosswoz": 0.05,
    "fields": 0.08,
    "made records": 0.04,
    "samples": 0.03,
}
"""How often each kind of lesson is drawn, chosen by us: real questions teach meaning, made ones
keep the model from unlearning words, names, numbers and regions."""
WRONG = 12
"""Wrong passages kept for a question; each visit draws five of them."""
POOL = 40
_SETTINGS = RetrievalSettings(fusion="weighted", dense_weight=0.5)
_FIELDS = {
    "地址": "{}的地址在哪里？|{}在什么地方|怎么去{}啊",
    "电话": "{}的电话是多少？|怎么联系{}|给我{}的电话",
    "门票": "{}门票多少钱？|去{}要买多少钱的票|{}收费吗",
    "营业时间": "{}几点营业？|{}什么时候开门",
    "评分": "{}评分多少？|{}的评分高吗",
    "人均消费": "{}人均消费多少？|在{}吃饭大概要花多少钱",
    "价格": "{}住一晚多少钱？|{}的价格|{}贵不贵",
    "游玩时间": "{}要玩多久？|{}游玩多长时间",
    "推荐菜": "{}有什么推荐菜？|{}有哪些好吃的",
    "酒店设施": "{}有哪些设施？|{}有没有无烟房",
    "地铁": "去{}坐地铁到哪一站？|{}附近的地铁站",
    "周边景点": "{}周边有什么好玩的|{}附近有什么景点？",
}
_BACK = {
    "地址": "{}有什么好去的地方|{}那里是哪家",
    "电话": "电话是{}的是哪家？",
    "地铁": "{}附近有什么",
    "推荐菜": "哪里能吃到{}|想吃{}",
    "酒店设施": "有{}的酒店",
}
_WHO = "谁|哪个部门"
_GAPS = (
    (
        re.compile(r"[0-9一二三四五六七八九十百千万]+(?=[万亿]?[元日天年月倍名个]|周岁|平方米)"),
        "多少",
    ),
    (re.compile(r"(?<=由)[^，。由]{2,14}?(?=负责|组织|制定|批准|决定|承担)"), _WHO),
    (
        re.compile(r"[^，。、]{2,10}(?:人民政府|部门|委员会|机构|机关)(?=应当|可以|负责|会同)"),
        _WHO,
    ),
    (re.compile(r"(?<=应当)[^，。]{4,16}(?=[，。；])"), "做什么|怎么做"),
)
"""What a made question asks for in a sentence, and by which words."""


@dataclass(frozen=True)
class Lesson:
    """One question: texts of right and of wrong passages, as the model reads them."""

    kind: str
    question: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]


def held_out(question: Question) -> bool:
    """Whether a real question is in the fifth that nothing is trained on."""
    return bucket(question.id, 5) == 0


def kept_away(id_: str) -> bool:
    """Whether a question or passage belongs to `train_reranker` alone."""
    return bucket(f"blend {id_}", 10) == 0


def lessons(root: Path, cache: Path, embedder: Embedder) -> Iterator[Lesson]:
    """All lessons, the same ones in the same order each time.

    Args:
        root: folder of the data sets.
        cache: keeps vectors.
    """
    legal = datasets.load_lecoqa(root, distractors=3000)
    laws = datasets.load_laws(root)
    sights = datasets.load_crosswoz(root)
    own = sample_passages()
    long = sections(root)

    def index(passages: Sequence[Chunk]) -> MemoryIndex:
        return MemoryIndex(passages, passage_vectors(embedder, passages, cache))

    statutes, places = index([*legal.passages, *laws.passages]), index(sights.passages)
    by_words = MemoryIndex(long, np.zeros((len(long), embedder.dimension), np.float32))
    real = [q for q in legal.questions if not held_out(q) and not kept_away(q.id)]
    asked = [q for q in sights.questions if not held_out(q) and not kept_away(q.id)]
    more = {row["id"]: row for row in rows(root / "lecoqa_stard" / "queries_train.jsonl")}

    def everyday(question: Question) -> str:
        return paraphrase(question.text, chance)

    chance = random.Random(5)
    plan: list[tuple[str, MemoryIndex, list[Question]]] = [
        ("lecoqa", statutes, real),
        ("lecoqa said otherwise", statutes, _again(real[::2], everyday)),
        ("lecoqa keywords", statutes, _again(real[1::2], lambda q: key_words(more[q.id]))),
        ("lecoqa answers", statutes, _again(real, lambda q: _sentence(more[q.id]["answers"]))),
        ("made articles", statutes, _made(legal.passages, 600, chance)),
        ("made laws", statutes, _made(laws.passages, 700, chance)),
        ("sections", by_words, [q for c in _open(long) for q in gapped(c, chance)][:700]),
        ("crosswoz", places, asked + _again(asked[::4], everyday)),
        ("fields", places, list(about_fields(root, _open(sights.passages), chance))[:500]),
        ("made records", places, _made(sights.passages, 250, chance)),
        ("samples", index(own), _made(own, 200, chance)
         + [q for c in _open(own) for q in gapped(c, chance)]),
    ]  # fmt: skip
    for kind, pool, questions in plan:
        yield from _with_passages(kind, pool, questions, embedder, cache)


def _with_passages(
    kind: str, pool: MemoryIndex, questions: Sequence[Question], embedder: Embedder, cache: Path
) -> Iterator[Lesson]:
    by_id = {chunk.id: chunk for chunk in pool.passages}
    if kind == "sections":
        vectors = np.zeros((len(questions), embedder.dimension), np.float32)
    else:
        vectors = question_vectors(embedder, [q.text for q in questions], cache)
    for question, vector in zip(questions, vectors, strict=True):
        chance = random.Random(f"wrong {question.id} {question.text}")
        hits = pool.candidates(question.text, vector, _SETTINGS, POOL)
        right = [by_id[id_] for id_ in sorted(question.gold) if id_ in by_id]
        same = {chunk.text for chunk in right}
        wrong = [h.chunk for h in hits if h.chunk.id not in question.gold]
        wrong = [chunk for chunk in wrong if chunk.text not in same]
        near, far = wrong[: WRONG - 2], wrong[WRONG - 2 :]
        drawn = chance.sample(near, min(7, len(near))) + chance.sample(far, min(5, len(far)))
        if right and len(drawn) >= 5:
            text = query_text(question.text)
            yield Lesson(
                kind,
                text,
                tuple(passage_text(question.text, chunk) for chunk in right[:3]),
                tuple(passage_text(question.text, chunk) for chunk in drawn),
            )


def _open(passages: Sequence[Chunk]) -> list[Chunk]:
    """Passages that are not kept away, in an order of their own."""
    found = [chunk for chunk in passages if not kept_away(chunk.id)]
    return sorted(found, key=lambda chunk: bucket(f"lesson {chunk.id}"))


def _made(passages: Sequence[Chunk], count: int, chance: random.Random) -> list[Question]:
    made = make_questions(_open(passages), count)
    return [
        Question(q.id, paraphrase(q.text, chance) if chance.random() < 0.3 else q.text, q.gold)
        for q in made
    ]


def _again(questions: Sequence[Question], say: Callable[[Question], str]) -> list[Question]:
    said = [Question(q.id, say(q), q.gold) for q in questions]
    return [now for now, q in zip(said, questions, strict=True) if now.text and now.text != q.text]


def key_words(row: dict[str, Any]) -> str:
    """The key words of a row of LeCoQA; some have none."""
    return str(row["keywords"] or "")


def _sentence(answers: Sequence[str]) -> str:
    """A sentence of an answer; its opening phrase names no matter."""
    texts = [answer for answer in answers[:1] if isinstance(answer, str)]  # some are NaN
    found = [s.text.strip() for text in texts for s in split_sentences(text)]
    found = [s for s in found if 12 <= len(s) <= 70 and not s.startswith(("您好", "你好"))]
    return max(found, key=len, default="")


def gapped(chunk: Chunk, chance: random.Random) -> Iterator[Question]:
    """Sentences of a passage with the asked part replaced by an interrogative, or shortened."""
    found = [s.text.strip() for s in split_sentences(chunk.text)]
    found = [s for s in found if 14 <= len(s) <= 90]
    if not found:
        return
    sentence = normalise(chance.choice(found))
    sentence = re.sub(r"^第[^条]{1,8}条\s*", "", sentence)
    fitting = [(gap, ask) for gap, ask in _GAPS if gap.search(sentence)]
    if fitting and chance.random() < 0.75:
        gap, ask = chance.choice(fitting)
        text = gap.sub(chance.choice(ask.split("|")), sentence, count=1)
        clauses = re.split("[，,；;。]", text)
        keep = next((i for i, c in enumerate(clauses) if re.search("多少|谁|哪个|什么|怎么", c)), 0)
        text = "，".join(clauses[max(0, keep - 1) : keep + 1])
    else:
        words = [w for w in query_terms(sentence) if len(w) > 1 and rarity(w) > 0.25]
        start = chance.randrange(max(1, len(words) - 3))
        text = chance.choice(("", "什么是", "介绍一下", "")) + "".join(words[start : start + 4])
    title = chunk.metadata.title or ""
    if title and chance.random() < 0.35:
        text = chance.choice(("{0}{1}", "《{0}》中，{1}", "{1}（{0}）")).format(title, text)
    if len(text) >= 6:
        end = chance.choice(("？", "？", ""))
        yield Question(f"gap-{chunk.id}", text + end, frozenset({chunk.id}))


def about_fields(
    root: Path, passages: Sequence[Chunk], chance: random.Random
) -> Iterator[Question]:
    """Questions about one field of a record, and for the record that has a value."""
    records: dict[str, dict[str, Any]] = {}
    for kind in ("attraction", "hotel", "restaurant"):
        path = root / "crosswoz" / "database" / f"{kind}_db.json"
        records |= dict(json.loads(path.read_text("utf-8")))
    for chunk in passages:
        name = chunk.metadata.title or ""
        record = records.get(name, {})
        known = [field for field in _FIELDS if record.get(field)]
        if known and chance.random() < 0.75:
            text = chance.choice(_FIELDS[chance.choice(known)].split("|")).format(name)
            if chance.random() < 0.3:
                text = paraphrase(text, chance)
            yield Question(f"field-{chunk.id}", text, frozenset({chunk.id}))
        elif back := [field for field in _BACK if record.get(field)]:
            field = chance.choice(back)
            value = record[field]
            if isinstance(value, list):
                value = "和".join(chance.sample(value, min(2, len(value))))
            text = chance.choice(_BACK[field].split("|")).format(value)
            yield Question(f"field-{chunk.id}", text, frozenset({chunk.id}))


def sections(root: Path, documents: int = 150, letters: int = 480) -> list[Chunk]:
    """Long passages: neighbouring paragraphs of laws that no other lesson uses."""
    folder = root / "laws_zh"
    meta = sorted(rows(folder / "meta.jsonl"), key=lambda row: bucket(row["id"]))
    found: list[Chunk] = []
    for document in meta[150 : 150 + documents]:
        text = (folder / document["file"]).read_text(encoding="utf-8")
        part = ""
        for line in [*text.splitlines(), ""]:
            line = line.strip().lstrip("#").strip()
            if part and (len(part) + len(line) > letters or not line) and len(part) > 160:
                found.append(_section(document, len(found), part))
                part = ""
            part = f"{part}\n{line}".strip() if line else part
    found.sort(key=lambda chunk: bucket(chunk.id))
    return found[:1200]


def _section(document: dict[str, Any], number: int, text: str) -> Chunk:
    return Chunk(
        id=f"{document['id']}-part-{number}",
        document_id=document["id"],
        kb_id="sections",
        ordinal=number,
        text=text,
        document_name=f"{document['title']}.md",
        metadata=DocumentMetadata(title=document["title"]),
    )


def sample_passages() -> list[Chunk]:
    """Passages of the sample documents, as an ingest cuts them."""
    import tempfile

    from rag.application import SAMPLE_DIRECTORY, opened

    with (
        tempfile.TemporaryDirectory(prefix="zhiwen-lessons-") as folder,
        opened(Path(folder)) as application,
    ):
        kb = application.catalog.knowledge_bases.create("samples")
        for path in sorted(SAMPLE_DIRECTORY.iterdir()):
            application.pipeline.ingest(path, kb.id, path.name)
        found: list[Chunk] = []
        for info in application.catalog.documents.list((kb.id,)):
            found += application.catalog.chunks.of_document(info.id)
    return [
        chunk.model_copy(update={"id": f"{chunk.document_name}-{chunk.ordinal}"}) for chunk in found
    ]
