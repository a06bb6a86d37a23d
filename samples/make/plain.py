"""Writes pieces as Markdown, plain text and HTML."""

from __future__ import annotations

import html
import re

from samples.make.pieces import Piece, article, chinese_number


def to_markdown(pieces: list[Piece]) -> str:
    """Markdown with the article numbers written out."""
    lines: list[str] = []
    for piece in pieces:
        if piece.kind == "title":
            lines += [f"# {piece.text}", ""]
        elif piece.kind == "heading":
            lines += ["#" * (piece.level + 1) + f" {piece.text}", ""]
        elif piece.kind == "note":
            lines += [f"> {piece.text}", ""]
        elif piece.kind == "table":
            header, *rows = piece.rows
            divider = tuple("---" for _ in header)
            lines += ["| " + " | ".join(row) + " |" for row in (header, divider, *rows)] + [""]
        elif piece.kind == "step":
            lines += [f"{piece.number}. {piece.text}"]
        elif piece.kind == "item":
            lines += [f"- {piece.text}"]
        else:
            if lines and lines[-1]:
                lines.append("")
            lines += [article(piece) if piece.kind == "article" else piece.text, ""]
    return re.sub(
        r"\n{3,}", "\n\n", re.sub(r"(?m)^((?:-|\d+\.) .*)\n(?=#)", r"\1\n\n", "\n".join(lines))
    )


def to_text(pieces: list[Piece]) -> str:
    """Plain text; a table row becomes a sentence per row."""
    lines: list[str] = []
    for piece in pieces:
        if piece.kind == "table":
            header, *rows = piece.rows
            for row in rows:
                values = "，".join(
                    f"{name}为{cell}" for name, cell in zip(header[1:], row[1:], strict=True)
                )
                lines.append(f"　　{row[0]}：{values}。")
        elif piece.kind == "heading":
            lines += ["", piece.text]
        elif piece.kind == "step":
            lines.append(f"　　{piece.number}. {piece.text}")
        elif piece.kind == "article":
            lines.append(article(piece))
        elif piece.kind == "item":
            lines.append(f"　　{piece.text}")
        else:
            lines.append(f"（{piece.text}）" if piece.kind == "note" else piece.text)
    return "\n".join(lines) + "\n"


def to_html(pieces: list[Piece]) -> str:
    """A page with navigation around the text, as government sites have it."""
    title = next(piece.text for piece in pieces if piece.kind == "title")
    body: list[str] = []
    opened = ""

    def open_list(tag: str) -> None:
        nonlocal opened
        if opened != tag:
            body.extend(filter(None, (opened and f"</{opened}>", tag and f"<{tag}>")))
            opened = tag

    for piece in pieces:
        text = html.escape(piece.text, quote=False)
        open_list({"step": "ol", "item": "ul"}.get(piece.kind, ""))
        if piece.kind in ("step", "item"):
            body.append(f"<li>{text}</li>")
        elif piece.kind == "table":
            body.append('<table border="1">')
            for position, row in enumerate(piece.rows):
                tag = "td" if position else "th"
                cells = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
                body.append(f"<tr>{cells}</tr>")
            body.append("</table>")
        elif piece.kind == "article":
            body.append(f"<p><strong>第{chinese_number(piece.number)}条</strong>　{text}</p>")
        else:
            tag = {"title": "h1", "heading": f"h{piece.level + 1}", "note": "p"}.get(
                piece.kind, "p"
            )
            body.append(f"<{tag}>{text}</{tag}>")
    open_list("")
    content = "\n".join(body)
    return f"""<!DOCTYPE html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<title>{html.escape(title)}</title>
<style>table {{ border-collapse: collapse }} .bar {{ color: #666 }}</style>
</head>
<body>
<div class="bar"><nav>首页 &gt; 人才服务 &gt; 政策文件</nav></div>
<main>
{content}
</main>
<footer class="bar">示例网站 · 打印本页 · 关闭窗口</footer>
</body>
</html>
"""
