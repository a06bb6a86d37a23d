"""The quoted history of a mail: each earlier mail under a heading of its own, kept once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.types import Block

_QUOTE_MARK = re.compile(r"^(?:\s*>)+ ?")
_RULE = re.compile(
    r"[-_—=*\s>]{3,}\s*(?:原始邮件|原邮件|原始郵件|转发的邮件|转发邮件信息|转发邮件|轉寄郵件|回复的原邮件|回复的邮件|"
    r"Original Message|Forwarded [Mm]essage|Original Email)\s*[-_—=*\s]*|"
    r"Begin forwarded message\s*[:：]?|(?:开始)?转发的邮件\s*[:：]",
    re.IGNORECASE,
)
_WROTE = re.compile(
    r"(?:On\s.{6,160}\bwrote\s*[:：]|(?:在|于|於)?\s*\d{4}\s*[-年/.].{4,160}?(?:写道|寫道|wrote)\s*[:：]|"
    r".{1,60}(?:在|于|於)\s*\d{4}\s*[-年/.].{4,100}?(?:写道|寫道)\s*[:：]|"
    r".{1,60}<[^<>@\s]+@[^<>\s]+>\s*(?:写道|寫道|wrote)\s*[:：])",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"\**\s*(发件人|發件人|寄件者|From|发送时间|发送日期|发件日期|日期|時間|时间|Sent|Date|收件人|收件者|To|抄送|副本|"
    r"Cc|主题|主旨|主題|Subject|附件|Attachments?)\s*\**\s*[:：]\s*\**\s*(.*)",
    re.IGNORECASE,
)
_SENDER = ("发件人", "發件人", "寄件者", "from")
_SENT = ("发送时间", "发送日期", "发件日期", "日期", "時間", "时间", "sent", "date")
_SUBJECT = ("主题", "主旨", "主題", "subject")
_DEVICE = re.compile(
    r"(?:发自|來自|来自|發自)我的.{1,20}|发自.{0,6}(?:邮箱大师|手机QQ邮箱|iPhone|Foxmail)|"
    r"Sent from my .{2,30}|从 ?Windows ?(?:\d+ )?版?\S*发送|"
    r"(?:获取|Get) Outlook for \w+.{0,30}|Sent from Mail for Windows.*"
)
_MIN_REPEAT = 16
"""Characters (blanks aside) from which a quoted paragraph that occurred before is left out;
shorter ones ("同意。") may well be said twice. Chosen by us."""

_MIN_FIELDS = 2
_MAX_FIELDS = 8
"""Header lines that make a quoted mail's head; chosen by us."""

_UNNAMED = "原邮件"


def with_history(blocks: Sequence[Block]) -> tuple[list[Block], bool]:
    """The blocks of a mail's text with a heading before each quoted mail, and whether quoted
    text that occurred before was left out."""
    found: list[Block] = []
    seen: set[str] = set()
    merged = quoted = False
    for block in _marked(blocks):
        if block.kind == "heading" and block.metadata.get("quoted"):
            quoted = True
            found.append(block.model_copy(update={"metadata": {}}))
            continue
        key = "".join(block.text.split())
        if quoted and len(key) >= _MIN_REPEAT and key in seen:
            merged = True
            continue
        seen.add(key)
        found.append(block)
    while found and found[-1].kind == "heading" and found[-1].text == _UNNAMED:
        found.pop()
    return found, merged


def _marked(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks cut at the beginnings of quoted mails, which become headings."""
    lines: list[tuple[str, Block]] = []
    for block in blocks:
        if block.kind in ("paragraph", "list", "heading") and block.rows is None:
            texts = [_QUOTE_MARK.sub("", line) for line in block.text.split("\n")]
            lines.extend((text, block) for text in texts)
        else:
            lines.append(("", block))
    at = 0
    group: list[str] = []
    owner: Block | None = None

    def flush() -> Iterator[Block]:
        text = "\n".join(group).strip("\n")
        if owner is not None and text.strip():
            yield owner if text == owner.text else owner.model_copy(update={"text": text})
        group.clear()

    while at < len(lines):
        line, block = lines[at]
        if block is not owner:
            yield from flush()
            owner = block
        if block.kind not in ("paragraph", "list", "heading") or block.rows is not None:
            yield block
            owner = None
            at += 1
            continue
        length, heading, rest = _beginning(lines, at)
        if length:
            yield from flush()
            yield Block(kind="heading", text=heading, level=2, metadata={"quoted": True})
            if rest:
                yield Block(kind="paragraph", text=rest)
            at += length
            continue
        if not line.strip():
            yield from flush()
        elif not _DEVICE.fullmatch(line.strip()):
            group.append(line)
        at += 1
    yield from flush()


def _beginning(lines: Sequence[tuple[str, Block]], at: int) -> tuple[int, str, str]:
    """How many lines from `at` on introduce a quoted mail (0 for none), its heading, and what
    else these lines say."""
    line = lines[at][0].strip()
    length = 1 if _RULE.fullmatch(line) else 0
    if not length and _WROTE.fullmatch(line):
        sender = re.sub("(?:写道|寫道|wrote)?[:： ]*$", "", line)
        return 1, f"{_UNNAMED}：{sender}", ""
    values: dict[str, str] = {}
    look = at + length
    while look < len(lines) and len(values) < _MAX_FIELDS:
        text = lines[look][0].strip()
        match = _FIELD.fullmatch(text)
        if match is not None and match[1].lower() not in values:
            values[match[1].lower()] = match[2].strip().strip(";；")
        elif text or not length:
            break
        look += 1
    begins_with_sender = bool(values) and next(iter(values)) in _SENDER
    if len(values) >= _MIN_FIELDS and (length or begins_with_sender):
        length = look - at
    elif length:
        values = {}
    else:
        return 0, "", ""
    parts: list[str] = []
    for names in (_SENDER, _SENT, _SUBJECT):
        name = next((name for name in names if values.get(name)), None)
        if name is not None:
            parts.append(values.pop(name))
    rest = "\n".join(f"{name}：{value}" for name, value in values.items() if value)
    return length, f"{_UNNAMED}：{'，'.join(parts)}" if parts else _UNNAMED, rest
