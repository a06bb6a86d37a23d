"""Chooses how a document is cut, and says why."""

from __future__ import annotations

from collections.abc import Sequence

from rag.ingest.chunk.sections import (
    Unit,
    article,
    asks,
    in_articles,
    is_slides,
    questions_in,
    units_of,
)
from rag.ingest.chunk.speakers import turns
from rag.ingest.headings import starts_entry
from rag.settings import IngestSettings
from rag.types import ChunkStrategy, Document, DocumentOptions

STRATEGY_NAMES: dict[ChunkStrategy, str] = {
    "auto": "自动",
    "fixed": "固定长度",
    "recursive": "递归",
    "structural": "结构",
    "semantic": "语义",
    "record": "记录",
    "sentence_window": "句子窗口",
    "parent_child": "父子",
    "proposition": "命题",
}
"""What people call the strategies."""

_MOST = 0.5
"""Share of a document's text from which a kind of content decides; chosen by us."""
_LEAST_QUESTIONS = 3
_LEAST_ENTRIES = 4
_LONG_ROW = 80
"""Characters of a table's average row from which each row is worth a chunk; chosen by us."""
_QUESTIONS = "问题 提问 问 常见问题 标准问题 问法 question questions q query instruction"
_ANSWERS = "答案 回答 答 答复 解答 回复 answer answers a response output"
_QUESTION_NAMES = frozenset(_QUESTIONS.split())
_ANSWER_NAMES = frozenset(_ANSWERS.split())

Choice = tuple[ChunkStrategy, str]


def choose(
    document: Document, settings: IngestSettings, options: DocumentOptions | None = None
) -> Choice:
    """The strategy for a document, never "auto", and why in Chinese.

    An editor's choice wins, then the setting; `auto` decides by the document.
    """
    if options is not None and options.strategy is not None:
        if options.strategy != "auto":
            return options.strategy, "由编辑者为本文档指定"
    elif settings.chunk_strategy != "auto":
        return settings.chunk_strategy, "系统设置指定"
    return _by_content(document)


def _by_content(document: Document) -> Choice:
    units = units_of(document)
    if not units:
        return "recursive", "没有文字可切分"
    for rule in (_records, _slides, _questions, _articles, _speech, _code, _tables, _entries):
        found = rule(document, units)
        if found is not None:
            return found
    headings = sum(unit.is_heading for unit in units)
    if headings:
        return "recursive", f"有 {headings} 个标题，在各标题之内按段落和句子递归切分"
    return "recursive", "没有标题和条款，按段落和句子递归切分"


def _records(_: Document, units: Sequence[Unit]) -> Choice | None:
    records = [unit for unit in units if unit.block.record_id is not None]
    if records and _share(records, units) >= _MOST:
        return "record", f"由 {len(records)} 条记录组成，一条记录为一个片段"
    return None


def _slides(document: Document, units: Sequence[Unit]) -> Choice | None:
    if is_slides(document):
        pages = len({unit.block.page for unit in units})
        return "structural", f"是 {pages} 页幻灯片，按页和标题切分"
    return None


def _questions(_: Document, units: Sequence[Unit]) -> Choice | None:
    """FAQ: marked questions, headings that ask, or a table of questions and answers."""
    asked = len(questions_in(units))
    headings = [unit for unit in units if unit.is_heading]
    asking = sum(unit.block.text.rstrip().endswith(("？", "?")) for unit in headings)
    body = len(units) - len(headings)
    if asked >= _LEAST_QUESTIONS and asked * 6 >= body:
        marked = sum(asks(unit) for unit in units)
        form = "“问：”开头的问题" if marked * 2 >= asked else "编号的问句"
        return "record", f"有 {asked} 个{form}，一问一答为一个片段"
    if asking >= _LEAST_QUESTIONS and asking >= _MOST * len(headings):
        return "record", f"有 {asking} 个以问题为标题的小节，一问一答为一个片段"
    tables = [unit for unit in units if _is_faq(unit)]
    rows = sum(len(unit.block.rows or ()) - 1 for unit in tables)
    if rows >= _LEAST_QUESTIONS and _share(tables, units) >= _MOST:
        return "record", f"是 {rows} 行问答表，一行为一个片段"
    return None


def _articles(_: Document, units: Sequence[Unit]) -> Choice | None:
    if not in_articles(units):
        return None
    found = sum(article(unit) is not None for unit in units)
    return "structural", f"有 {found} 个“第…条”条款，一条为一个片段"


def _speech(_: Document, units: Sequence[Unit]) -> Choice | None:
    found = turns(units)
    if found:
        return "semantic", f"是 {found} 段发言的对话记录，在话题变化处切分"
    return None


def _code(_: Document, units: Sequence[Unit]) -> Choice | None:
    code = [unit for unit in units if unit.block.kind == "code"]
    if code and _share(code, units) >= _MOST:
        return "structural", "以源代码为主，按函数、类和空行切分"
    return None


def _tables(_: Document, units: Sequence[Unit]) -> Choice | None:
    tables = [unit for unit in units if unit.block.kind == "table" and unit.block.rows]
    if not tables or _share(tables, units) < _MOST:
        return None
    rows = sum(max(len(unit.block.rows or ()) - 1, 1) for unit in tables)
    records = [unit for unit in tables if unit.block.metadata.get("rows") == "records"]
    letters = sum(unit.end - unit.start for unit in records)
    of_records = sum(max(len(unit.block.rows or ()) - 1, 1) for unit in records)
    if records and letters >= _LONG_ROW * of_records and _share(records, units) >= _MOST:
        return "record", f"是 {of_records} 行文字较长的表格，一行为一个片段"
    return "structural", f"以表格为主（{rows} 行），按行切分，每段都带表头"


def _entries(_: Document, units: Sequence[Unit]) -> Choice | None:
    found = sum(starts_entry(unit.block.text) for unit in units if not unit.is_heading)
    if found >= _LEAST_ENTRIES:
        return "structural", f"有 {found} 个代码条目，条目与其说明不分开"
    return None


def _is_faq(unit: Unit) -> bool:
    rows = unit.block.rows
    if not rows or len(rows) < 2:
        return False
    names = {cell.strip().lower() for cell in rows[0]}
    return bool(names & _QUESTION_NAMES) and bool(names & _ANSWER_NAMES)


def _share(some: Sequence[Unit], units: Sequence[Unit]) -> float:
    """Share of the document's characters in some of its units."""
    total = sum(unit.end - unit.start for unit in units)
    return sum(unit.end - unit.start for unit in some) / total if total else 0.0
