"""Takes evidence apart into what an extractive answer is made of.

A piece is one original sentence, list item, `key：value` pair or table row, with its exact
place in the evidence and the words around it that say what it is about (heading path, title,
lead-in, the question of a FAQ record).
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Literal, NamedTuple

from rag.answer.faq import faq_parts, lines_of
from rag.answer.line_marks import (
    ANSWER,
    ARTICLE,
    CLAUSE_MARK,
    DEPENDS,
    FIRST_OF,
    HEADING,
    LEADS,
    LONG_CLAUSE,
    MARKER,
    NAMES_RECORD,
    NUMBERED,
    OWN_TITLE,
    RULE_LINE,
    SECTION_LINE,
    TABLE_LINE,
)
from rag.answer.lines import PAIR, alternating, asks, is_form, pairs, parts_of, speakers, tight
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
    `fit` is the probability that the piece answers, as a model reads it (`rag.answer.line_fit`),
    None where none has read the evidence.
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
    fit: float | None = None


LONGEST_QUESTION = 80
"""Characters up to which a line that ends in ？ is a FAQ record's question; chosen by us."""


def pieces(evidence: Evidence) -> tuple[Piece, ...]:
    """The pieces of one evidence in order; a FAQ record's question is context, not a piece."""
    found = tuple(_Reader(evidence).read())
    if len(evidence.fits) != len(found):  # not read, or put into other words since
        return found
    return tuple(
        piece._replace(fit=max(fit, 0.0)) for piece, fit in zip(found, evidence.fits, strict=True)
    )


def about(chunk: Chunk) -> str:
    """What a chunk says it belongs to: document title or name, and the headings above it."""
    title = chunk.metadata.title or PurePath(chunk.document_name).stem
    return " ".join(dict.fromkeys((title, *chunk.heading_path)))


def table_cells(line: str) -> tuple[str, ...]:
    """The cells of a Markdown table line, trimmed, with `\\|` read as a bar."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return tuple(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner))


class _Reader:
    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.text = evidence.text
        self.question, self.begin = faq_parts(evidence)
        self.about = f"{about(evidence.chunk)} {self.question}".strip()
        self.header: tuple[str, ...] = ()
        self.found: list[Piece] = []
        self.lead = -1
        self.group = -1
        self.section = ""
        self.speakers = speakers(evidence.text)
        self.asked = ""
        self.above = ""

    def read(self) -> list[Piece]:
        lines = [(s, e) for s, e in lines_of(self.text) if e > self.begin]
        form_ends = -1
        for index, (start, end) in enumerate(lines):
            if index < form_ends:
                continue
            start = max(start, self.begin)
            line = self.text[start:end]
            if RULE_LINE.match(line):
                continue
            if TABLE_LINE.match(line):
                form_ends = index if self.header else self._form(lines, index)
                if form_ends > index:
                    continue
                following = self.text[slice(*lines[index + 1])] if index + 1 < len(lines) else ""
                self._table_line(start, end, bool(RULE_LINE.match(following)))
                continue
            self.header = ()
            if self._faq_question(lines, index):
                continue
            if HEADING.match(line) or self._is_heading(line) or self._heads(lines, index):
                self._add("heading", start, end)
                self.section = line.strip().lstrip("#").strip()
                self.lead = -1
                self.asked = ""
                continue
            self._line(start, end)
        return self._with_records()

    def _faq_question(self, lines: list[tuple[int, int]], index: int) -> bool:
        """Whether a line is a question that the next line answers (答：…): it is context."""
        start, end = lines[index]
        line = self.text[start:end]
        if self.speakers or not asks(line) or len(line) > LONGEST_QUESTION:
            return False
        if index + 1 == len(lines) or not ANSWER.match(self.text[slice(*lines[index + 1])]):
            return False
        self._add("heading", start, end)
        self.asked = MARKER.sub("", line, count=1).strip()
        self.lead = -1
        return True

    def _with_records(self) -> list[Piece]:
        """Each pair is about its whole record: 单价 of the line that begins with the code."""
        records: dict[int, list[Piece]] = {}
        for piece in self.found:
            if piece.group >= 0:
                records.setdefault(piece.group, []).append(piece)
        return [self._in_record(piece, records.get(piece.group, [])) for piece in self.found]

    def _in_record(self, piece: Piece, record: list[Piece]) -> Piece:
        if piece.cells:
            return piece._replace(head=piece.cells[0])
        if len(record) < 2:
            return piece._replace(head=piece.key) if codes(piece.key) else piece
        first = record[0]
        one_line = "\n" not in self.text[first.start : record[-1].end].strip()
        named = one_line or bool(NAMES_RECORD.search(first.key))
        return piece._replace(
            about=f"{piece.about} {' '.join(other.body for other in record)}",
            head=first.body[len(first.key) + 1 :].strip(" ：:；;，,。") if named else "",
        )

    def _is_heading(self, line: str) -> bool:
        """A line of the heading path, or a first line without any stop: a title."""
        stripped = line.strip()
        chunk = self.evidence.chunk
        if stripped in chunk.heading_path or stripped == chunk.metadata.title:
            return len(stripped) < 60
        first = not self.found and self.text.lstrip().startswith(stripped + "\n")
        plain = not re.search(r"[，。；：！？,;:!?|]|\d", stripped)
        return first and plain and len(stripped) <= 30 and not MARKER.match(line)

    def _heads(self, lines: list[tuple[int, int]], index: int) -> bool:
        """Whether a short numbered line (五、年假衔接) stands above a paragraph: no item does."""
        line = self.text[slice(*lines[index])].strip()
        if not SECTION_LINE.fullmatch(line) or index + 1 == len(lines):
            return False
        following = self.text[slice(*lines[index + 1])].strip()
        prose = not MARKER.match(following) and not TABLE_LINE.match(following)
        return prose and following.endswith(("。", "；")) and len(following) > len(line)

    def _table_line(self, start: int, end: int, is_header: bool) -> None:
        cells = table_cells(self.text[start:end])
        if is_header or not self.header:
            self.header, self.above = cells, ""
            return
        filled = [cell for cell in cells if cell]
        if len(cells) > 2 and len(filled) == 1 and cells[0]:
            self.above = cells[0]  # 三、减值准备: a row that heads those below it
        self._add("row", start, end, cells=cells, header=self.header, label=self.above)

    def _form(self, lines: list[tuple[int, int]], first: int) -> int:
        """Add the fields of the form whose table begins at line `first`; where it ends, or
        `first` when it is a table with columns."""
        last = first
        while last < len(lines) and TABLE_LINE.match(self.text[slice(*lines[last])]):
            last += 1
        rows = [
            (start, table_cells(self.text[start:end]))
            for start, end in lines[first:last]
            if not RULE_LINE.match(self.text[start:end])
        ]
        if not is_form([cells for _, cells in rows]):
            return first
        self.group = len(self.found)
        for (start, cells), (_, end) in zip(
            rows, [span for span in lines[first:last] if not _rule(self.text, span)], strict=True
        ):
            for key, value in zip(cells[::2], cells[1::2], strict=True):
                if key and value:
                    self._add("pair", start, end, key=tight(key), value=value)
        self.group = -1
        return last

    def _fields(self, start: int, line: str) -> bool:
        """Add the fields of a line that joins labels and values alike, if it does."""
        fields = alternating(line)
        if not fields:
            return False
        last = self.found[-1] if self.found else None
        self.group = last.group if last and last.group >= 0 else len(self.found)
        for one in fields:
            key = tight(one.key)
            self._add("pair", start + one.start, start + one.end, key=key, value=one.value)
        self.group = -1
        return True

    def _turn(self, start: int, end: int, said: re.Match[str]) -> None:
        """A turn of a conversation: a question is context for the reply after it."""
        line = self.text[start:end]
        if asks(line):
            self.asked = line[said.end() :].strip()
            self._add("heading", start, end)
            return
        for span in split_sentences(line):
            self._add("sentence", start + span.start, start + span.end, label=self.asked)

    def _line(self, start: int, end: int) -> None:
        line = self.text[start:end]
        said = PAIR.match(line) if self.speakers else None
        if said and said.group(1) in self.speakers:
            self._turn(start, end, said)
            return
        if self._fields(start, line):
            return
        answer = ANSWER.match(line) if self.asked else None
        if answer:
            self._prose(start + answer.end(), end)
            return
        parts = list(pairs(line))
        self.group = self._group(line, len(parts))
        for offset, stop in parts:
            key = None if NUMBERED.match(line) else PAIR.match(line[offset:stop])
            if key and _is_value(line[offset + key.end() : stop], len(parts) > 2):
                name = ARTICLE.sub("", key.group(1))
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
        key = PAIR.match(line)
        if key and codes(key.group(1)):
            return new  # E2 排水超时：… speaks of its own code alone
        used = {piece.key for piece in self.found if piece.group == last.group}
        before = self.text[last.start : last.end + 1]
        return last.group if key and key.group(1) not in used and "\n" in before else new

    def _prose(self, start: int, end: int) -> None:
        line = self.text[start:end]
        marked = bool(MARKER.match(line))
        if not marked:
            self.lead = -1 if not self._waits_for_items() else self.lead
        label, skipped = self._own_title(line)
        label = label or self.asked
        parts = list(parts_of(line))
        clause = (bool(label) and label != self.asked) or (
            bool(CLAUSE_MARK.match(line)) and len(parts) > 1 and len(line) > LONG_CLAUSE
        )
        for part, (offset, stop) in enumerate(parts):
            if stop <= skipped:
                continue
            offset = max(offset, skipped)
            text = line[offset:stop]
            is_item = bool(MARKER.match(text) or (part and FIRST_OF.match(text)))
            goes_on = bool(DEPENDS.match(MARKER.sub("", text, count=1)))
            before = line[skipped:offset].strip() if goes_on else ""
            if clause:
                self._add("sentence", start + offset, start + stop, label=label, before=before)
            elif not is_item and marked and part and self.found and self.found[-1].kind == "item":
                # The rest of an item of several sentences belongs to the item.
                last = self.found.pop()
                self._add("item", last.start, start + stop)
            elif LEADS.search(text) and self.evidence.chunk.kind != "code":
                self._add("lead", start + offset, start + stop)
                self.lead = len(self.found) - 1
            else:
                kind: PieceKind = "item" if is_item else "sentence"
                before = "" if is_item else before
                self._add(kind, start + offset, start + stop, label=self.asked, before=before)

    def _own_title(self, line: str) -> tuple[str, int]:
        """The small title in front of a clause (一、起付标准。) and where its text begins."""
        mark = CLAUSE_MARK.match(line)
        title = OWN_TITLE.match(line[mark.end() :]) if mark else None
        if mark is None or title is None:
            return "", 0
        return title[1], mark.end() + title.end()

    def _waits_for_items(self) -> bool:
        return self.lead >= 0 and self.lead == len(self.found) - 1

    def _add(
        self, kind: PieceKind, start: int, end: int, *, key: str = "",
        cells: tuple[str, ...] = (), header: tuple[str, ...] = (), label: str = "",
        before: str = "", value: str = "",
    ) -> None:  # fmt: skip
        text = self.text[start:end]
        start += len(text) - len(text.lstrip())
        text = text.strip()
        body = text if kind == "row" else MARKER.sub("", text, count=1)
        body = FIRST_OF.sub("", body) if kind == "item" else body
        body = re.sub(r"^(?:>\s*)+|^#{1,6}\s+|\*\*|__", "", body).strip()
        body = f"{key}：{value}" if value else body
        article = ARTICLE.match(body)
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


def _rule(text: str, span: tuple[int, int]) -> bool:
    return bool(RULE_LINE.match(text[slice(*span)]))


def _is_value(text: str, in_record: bool) -> bool:
    """Whether what follows a colon is a value, no list; outside a record one sentence at most."""
    alone = len(split_sentences(text)) == 1 and len(list(parts_of(text))) == 1
    return not MARKER.match(text) and (in_record or alone)
