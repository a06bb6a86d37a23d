"""The questions: well formed, and every expected answer stands in the documents named."""

import json
import re
from collections import Counter
from pathlib import Path

import docx
import openpyxl
import pymupdf
import pytest

SAMPLES = Path(__file__).parents[2] / "samples"
QUESTIONS = [
    json.loads(line)
    for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]


def raw_text(path: Path) -> str:
    """All text of a sample without white space, by the plainest means."""
    match path.suffix:
        case ".pdf":
            with pymupdf.open(path) as document:
                text = "".join(page.get_text() for page in document)
        case ".docx":
            document = docx.Document(str(path))
            cells = [c.text for table in document.tables for row in table.rows for c in row.cells]
            text = "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])
        case ".xlsx":
            sheets = openpyxl.load_workbook(path).worksheets
            text = "\n".join(str(cell.value) for sheet in sheets for row in sheet for cell in row)
        case _:
            data = path.read_bytes()
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError:
                text = data.decode("gb18030")
    return re.sub(r"\s+", "", text)


def test_there_are_enough_of_each_kind() -> None:
    counts = Counter(question["expect"] for question in QUESTIONS)
    assert len(QUESTIONS) >= 60
    assert counts["answer"] >= 40
    assert min(counts[kind] for kind in ("clarify", "refuse", "chitchat", "meta")) >= 2
    assert sum(bool(question["history"]) for question in QUESTIONS) >= 15


def test_ids_are_unique() -> None:
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q["id"])
def test_question_is_well_formed_and_answerable(question: dict) -> None:
    fields = {"id", "kind", "question", "history", "expect", "answers", "documents", "slot"}
    assert set(question) == fields
    assert [turn["role"] for turn in question["history"]] == [
        ("user", "assistant")[position % 2] for position in range(len(question["history"]))
    ]
    if question["expect"] == "clarify":
        assert question["slot"] in ("region", "time", "product", "reference")
    if question["expect"] == "answer":
        assert question["answers"]
        assert question["documents"]
        text = "".join(raw_text(SAMPLES / "documents" / name) for name in question["documents"])
        missing = [a for a in question["answers"] if not any(v in text for v in a.split("|"))]
        assert missing == []
