"""Takes evidence apart into what an extractive answer is made of.

A piece is one original sentence, list item, `key：value` pair or table row, with its exact
place in the evidence and the words around it that say what it is about (heading path, title,
lead-in, the question of a FAQ record).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Literal, NamedTuple

from rag.text.sentences import split_sentences
from rag.text.tokenise import codes
from rag.types import Chunk, Evidence

PieceKind = Literal["sentence", "item", "pair", "row", "lead", "heading"]


class Piece(NamedTuple):
    """One quotable piece.

    `text` is `evidence.text[start:end]`; `body` is the part worth showing (without list
    marker or quotation marks of Markdown). `about` are words that tell what it is about.
    `order` sorts pieces as they stand in their documents. `cells` and `header` are set on rows;
    `key` on pairs. `lead` is the index (in the same evidence) of the lead-in of an item, or -1.
    Pairs of one record share a `group` (0 or more). `title` is the document's, "" if unknown.
    `head` is what a record or a row is about: its first field's value, its first cell.
    `label` stood in front of the body: the clause's number (第七条) or its own small title
    (一、起付标准。). `before` are the sentences of the same line that come before this one.
    """

    n: int
    kind: PieceKind
    text: str
    body: str
    start: int
    end: int
    about: str
    order: tuple[str, int, int]
    prior: float = 0.0
    key: str = ""
    cells: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    lead: int = -1
    group: int = -1
    title: str = ""
    head: str = ""
    label: str = ""
    before: str = ""


LONGEST_JOINED = 140
"""Characters up to which parts joined by semicolons stay one piece; chosen by us."""

_HAN_COUNT = "[一二三四五六七八九十]{1,3}"
_STEP_NUMBER = r"[一二三四五六七八九十\d]{1,3}"
_LIST_MARKS = (
    r"[-*+•·●○▪◆■]\s+",
    r"[•·●○▪◆■✓√→]\s*",
    r"\d{1,2}(?:\.\d{1,2}){0,3}\s*[.、)）．:：]\s*(?!\d)",
    rf"[(（]\s*(?:\d{{1,2}}|{_HAN_COUNT}|[a-zA-Z])\s*[)）]\s*[、.]?\s*",
    r"[①-⑳]\s*",
    rf"{_HAN_COUNT}、\s*",
    rf"第{_STEP_NUMBER}步\s*[:：，,、.]?\s*",
    rf"步骤\s*{_STEP_NUMBER}\s*[:：，,、.]?\s*",
    r"step\s*\d{1,2}\s*[:：.,]?\s*",
    r"\[[ xX]\]\s*",
)
_MARKER = re.compile(rf"^\s*(?:{'|'.join(_LIST_MARKS)})+", re.I)
_NUMBERED = re.compile(rf"^\s*(?:{'|'.join(_LIST_MARKS[2:])})", re.I)
"""A line with a number is an item, whatever colon follows; a bullet may hold a pair."""
_INLINE_MARKS = (
    rf"[(（](?:\d{{1,2}}|{_HAN_COUNT})[)）]",
    "[①-⑳]",
    r"\d{1,2}[、)）](?!\d)",
    rf"第{_STEP_NUMBER}步",
    r"[一二三四五六七八九]是(?=[^，,。；;]{2})",
)
_INLINE_MARKER = re.compile(rf"(?<=[：:；;。，,\s])(?={'|'.join(_INLINE_MARKS)})")
_FIRST_OF = re.compile(r"^\s*[一二三四五六七八九]是(?=[^，,。；;]{2})")
"""一是… after a colon or semicolon: an item; taken off only where it was cut."""
_ARTICLE = re.compile(
    r"^第[一二三四五六七八九十百零〇\d]{1,8}条(?:之[一二三四五六七八九十]+)?[\s\u3000、：:]+(?=\S)"
)
_CLAUSE_MARK = re.compile(rf"^\s*(?:\*\*)?(?:{_HAN_COUNT}、|[(（]{_HAN_COUNT}[)）])\s*")
_OWN_TITLE = re.compile(r"^((?:\d+(?:\.\d+)+)?[\u4e00-\u9fffA-Za-z]{2,14})。(?:\*\*)?\s*(?=[^\s*])")
_DEPENDS = re.compile(
    r"^(?:违反|违者|逾期|超过|超出|否则|其中|其余|该|此|上述|前款|填写|提交|携带|拨打|登录|经|审核|审批|通过|每次|遇|"
    r"因|如|若|未|已|不|需|须|应|并|还|也|另|可|凭|持|到|买|在此|同时|之后|然后|自|从|按|满|标准|期限|申请[人时]|情节|会议|最终|结果)"
)
"""Beginnings of sentences that go on about the subject of the sentence before."""
LONG_CLAUSE = 40
"""Characters from which a line 一、… of several sentences is a clause, no item; chosen by us."""
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+\S")
_KEY = r"[^\s：:，。；、|*]{1,14}"
_PAIR = re.compile(
    rf"^\s*(?:[-*+•]\s+)?(?:\*\*)?({_KEY}(?: ?{_KEY})?)(?:\*\*)?\s*"
    r"(?:：|:(?!\d)|(?<!\d):)\s*(?:\*\*)?(?=\S)(?!//)"
)
_QUESTION = re.compile(
    r"^\s*(?:\*\*)?(?:问题?|q(?:uestion)?|提问|常见问题)\s*\d*(?:\*\*)?\s*[：:.、]\s*", re.I
)
_ANSWER = re.compile(
    r"^\s*(?:\*\*)?(?:答案?|a(?:nswer)?|回答|回复|解答)\s*\d*(?:\*\*)?\s*[：:.、]\s*(?:\*\*)?", re.I
)
_TABLE_LINE = re.compile(r"^\s*\|.*\|\s*$")
_RULE_LINE = re.compile(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?\s*)?\|?\s*$")


def pieces(evidence: Evidence) -> tuple[Piece, ...]:
    """The pieces of one evidence in order; a FAQ record's question is context, not a piece."""
    return tuple(_Reader(evidence).read())


def about(chunk: Chunk) -> str:
    """What a chunk says it belongs to: document title or name, and the headings above it."""
    title = chunk.metadata.title or PurePath(chunk.document_name).stem
    return " ".join(dict.fromkeys((title, *chunk.heading_path)))


def faq_question(evidence: Evidence) -> str:
    """The question that a FAQ record answers, or an empty string."""
    question, _ = _faq_parts(evidence)
    return question


def table_cells(line: str) -> tuple[str, ...]:
    """The cells of a Markdown table line, trimmed, with `\\|` read as a bar."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return tuple(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner))


def _faq_parts(evidence: Evidence) -> tuple[str, int]:
    """The record's question and where its answer begins in the evidence's text."""
    text = evidence.text
    lines = _lines(text)
    if not lines:
        return "", 0
    start, end = lines[0]
    first = text[start:end]
    marked = _QUESTION.match(first)
    for answer_start, answer_end in lines[1:4]:
        answer = _ANSWER.match(text[answer_start:answer_end])
        if answer and marked:
            question = text[start + marked.end() : answer_start].strip().strip("*")
            return question, answer_start + answer.end()
    plain = first.strip().strip("*#").strip()
    if len(lines) > 1 and plain.endswith(("？", "?")) and len(plain) <= 80:
        begin = lines[1][0]
        answer = _ANSWER.match(text[begin : lines[1][1]])
        return plain[marked.end() :] if marked else plain, begin + (answer.end() if answer else 0)
    title = evidence.chunk.metadata.title or ""
    if evidence.chunk.kind == "record" and title.rstrip().endswith(("？", "?")):
        return title, 0
    headings = evidence.chunk.heading_path
    if headings and headings[-1].rstrip().endswith(("？", "?")):
        return headings[-1], 0
    return "", 0


def _lines(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        if line.strip():
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans


class _Reader:
    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.text = evidence.text
        self.question, self.begin = _faq_parts(evidence)
        self.about = f"{about(evidence.chunk)} {self.question}".strip()
        self.header: tuple[str, ...] = ()
        self.found: list[Piece] = []
        self.lead = -1
        self.group = -1
        self.section = ""

    def read(self) -> list[Piece]:
        lines = [(s, e) for s, e in _lines(self.text) if e > self.begin]
        for index, (start, end) in enumerate(lines):
            start = max(start, self.begin)
            line = self.text[start:end]
            if _RULE_LINE.match(line):
                continue
            if _TABLE_LINE.match(line):
                following = self.text[slice(*lines[index + 1])] if index + 1 < len(lines) else ""
                self._table_line(start, end, bool(_RULE_LINE.match(following)))
                continue
            self.header = ()
            if _HEADING.match(line) or self._is_heading(line):
                self._add("heading", start, end)
                self.section = line.strip().lstrip("#").strip()
                self.lead = -1
                continue
            self._line(start, end)
        return self._with_records()

    def _with_records(self) -> list[Piece]:
        """Each pair is about its whole record: 单价 of the line that begins with the code."""
        records: dict[int, list[Piece]] = {}
        for piece in self.found:
            if piece.group >= 0:
                records.setdefault(piece.group, []).append(piece)
        return [self._in_record(piece, records.get(piece.group, [])) for piece in self.found]

    @staticmethod
    def _in_record(piece: Piece, record: list[Piece]) -> Piece:
        if piece.cells:
            return piece._replace(head=piece.cells[0])
        if len(record) < 2:
            return piece._replace(head=piece.key) if codes(piece.key) else piece
        first = record[0]
        return piece._replace(
            about=f"{piece.about} {' '.join(other.body for other in record)}",
            head=first.body[len(first.key) + 1 :].strip(" ：:；;，,。"),
        )

    def _is_heading(self, line: str) -> bool:
        """A line of the heading path, or a first line without any stop: a title."""
        stripped = line.strip()
        chunk = self.evidence.chunk
        if stripped in chunk.heading_path or stripped == chunk.metadata.title:
            return len(stripped) < 60
        first = not self.found and self.text.lstrip().startswith(stripped + "\n")
        plain = not re.search(r"[，。；：！？,;:!?|]|\d", stripped)
        return first and plain and len(stripped) <= 30 and not _MARKER.match(line)

    def _table_line(self, start: int, end: int, is_header: bool) -> None:
        cells = table_cells(self.text[start:end])
        if is_header or not self.header:
            self.header = cells
            return
        self._add("row", start, end, cells=cells, header=self.header)

    def _line(self, start: int, end: int) -> None:
        line = self.text[start:end]
        parts = list(_pairs(line))
        self.group = self._group(line, len(parts))
        for offset, stop in parts:
            key = None if _NUMBERED.match(line) else _PAIR.match(line[offset:stop])
            if key and _is_value(line[offset + key.end() : stop]):
                name = _ARTICLE.sub("", key.group(1))
                self._add("pair", start + offset, start + stop, key=name)
            else:
                self._prose(start + offset, start + stop)
        self.group = -1

    def _group(self, line: str, parts: int) -> int:
        """The record of a line: its own for a line of several pairs; single pairs join."""
        last = self.found[-1] if self.found else None
        new = len(self.found)
        if parts > 1 or last is None or codes(last.key) or last.kind != "pair" or last.group < 0:
            return new
        key = _PAIR.match(line)
        if key and codes(key.group(1)):
            return new  # E2 排水超时：… speaks of its own code alone
        used = {piece.key for piece in self.found if piece.group == last.group}
        before = self.text[last.start : last.end + 1]
        return last.group if key and key.group(1) not in used and "\n" in before else new

    def _prose(self, start: int, end: int) -> None:
        line = self.text[start:end]
        marked = bool(_MARKER.match(line))
        if not marked:
            self.lead = -1 if not self._waits_for_items() else self.lead
        label, skipped = self._own_title(line)
        parts = list(_parts(line))
        clause = bool(label) or (
            bool(_CLAUSE_MARK.match(line)) and len(parts) > 1 and len(line) > LONG_CLAUSE
        )
        for part, (offset, stop) in enumerate(parts):
            if stop <= skipped:
                continue
            offset = max(offset, skipped)
            text = line[offset:stop]
            is_item = bool(_MARKER.match(text) or (part and _FIRST_OF.match(text)))
            goes_on = bool(_DEPENDS.match(_MARKER.sub("", text, count=1)))
            before = line[skipped:offset].strip() if goes_on else ""
            if clause:
                self._add("sentence", start + offset, start + stop, label=label, before=before)
            elif not is_item and marked and part and self.found and self.found[-1].kind == "item":
                # The rest of an item of several sentences belongs to the item.
                last = self.found.pop()
                self._add("item", last.start, start + stop)
            elif text.rstrip().endswith(("：", ":")):
                self._add("lead", start + offset, start + stop)
                self.lead = len(self.found) - 1
            else:
                kind: PieceKind = "item" if is_item else "sentence"
                self._add(kind, start + offset, start + stop, before="" if is_item else before)

    def _own_title(self, line: str) -> tuple[str, int]:
        """The small title in front of a clause (一、起付标准。) and where its text begins."""
        mark = _CLAUSE_MARK.match(line)
        title = _OWN_TITLE.match(line[mark.end() :]) if mark else None
        if mark is None or title is None:
            return "", 0
        return title[1], mark.end() + title.end()

    def _waits_for_items(self) -> bool:
        return self.lead >= 0 and self.lead == len(self.found) - 1

    def _add(
        self, kind: PieceKind, start: int, end: int, *, key: str = "",
        cells: tuple[str, ...] = (), header: tuple[str, ...] = (), label: str = "",
        before: str = "",
    ) -> None:  # fmt: skip
        text = self.text[start:end]
        start += len(text) - len(text.lstrip())
        text = text.strip()
        body = text if kind == "row" else _MARKER.sub("", text, count=1)
        body = _FIRST_OF.sub("", body) if kind == "item" else body
        body = re.sub(r"^(?:>\s*)+|^#{1,6}\s+|\*\*|__", "", body).strip()
        article = _ARTICLE.match(body)
        if article and kind != "row":
            label, body = article.group().strip(" 、：:\u3000"), body[article.end() :]
        if not body or not re.search(r"\w", body):
            return
        has_lead = 0 <= self.lead < len(self.found) and kind in ("item", "pair", "sentence")
        words = [self.about, self.section, label, *header]
        if has_lead or (kind == "row" and 0 <= self.lead < len(self.found)):
            words.append(self.found[self.lead].body)
        chunk = self.evidence.chunk
        order = (chunk.document_id, chunk.ordinal, self.evidence.span[0] + start)
        self.found.append(
            Piece(
                self.evidence.n, kind, text, body, start, start + len(text), " ".join(words), order,
                self.evidence.score, key, cells, header, self.lead if has_lead else -1,
                self.group if kind == "pair" else -1, chunk.metadata.title or "", "", label, before,
            )
        )  # fmt: skip


def _is_value(text: str) -> bool:
    """Whether what follows a colon is a value, rather than a list or several sentences."""
    return not _MARKER.match(text) and len(split_sentences(text)) == 1


def _pairs(line: str) -> Iterator[tuple[int, int]]:
    """Split a line of several `key：value` parts; any other line stays whole."""
    borders = [0]
    for match in re.finditer(r"[，,；;。]\s*|\s{2,}|\t|\s\|\s", line):
        if _PAIR.match(line[match.end() :]):
            borders.append(match.end())
    if len(borders) < 3 or not _PAIR.match(line):
        yield 0, len(line)
        return
    yield from zip(borders, [*borders[1:], len(line)], strict=True)


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Sentences of a line, cut again at enumeration marks inside it.

    Short parts that a semicolon joins stay together: 满1年的5天；满10年的10天 is one statement.
    """
    start: int | None = None
    spans = split_sentences(text)
    for index, span in enumerate(spans):
        start = span.start if start is None else start
        goes_on = span.text.endswith(("；", ";")) and index + 1 < len(spans)
        if goes_on and spans[index + 1].end - start <= LONGEST_JOINED:
            continue
        for match in _INLINE_MARKER.finditer(text, start, span.end):
            if text[start : match.start()].strip():
                yield start, match.start()
                start = match.start()
        yield start, span.end
        start = None
