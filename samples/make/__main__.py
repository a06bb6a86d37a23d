"""Build the generated sample documents: `python -m samples.make`.

Files under `samples/documents` are replaced in place; `$name` in a source is filled in from
the JSON beside it. DOCX files get real automatic numbering, so that the numbers are nowhere
in their text, as word processors do it. The output is the same on every run; `--check`
changes nothing and fails when a document is not what its source gives.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from string import Template

from samples.make.office import to_docx, to_xlsx
from samples.make.pdf import to_pdf
from samples.make.pieces import read_pieces
from samples.make.plain import to_html, to_markdown, to_text

SAMPLES = Path(__file__).parent.parent
SOURCES = SAMPLES / "sources"
DOCUMENTS = SAMPLES / "documents"

HANDBOOKS = {
    "员工手册.md": "云岭科技员工手册（2024版）.docx",
    "差旅与报销.md": "云岭科技差旅与费用报销管理制度.pdf",
    "产品手册.md": "ZW系列环境监测仪产品手册.pdf",
}


def build() -> dict[str, bytes]:
    """File name → content of every generated document."""
    files: dict[str, bytes] = {}

    def add(name: str, markup: str, encoding: str = "utf-8") -> None:
        pieces = read_pieces(markup)
        match Path(name).suffix:
            case ".pdf":
                files[name] = to_pdf(pieces)
            case ".docx":
                files[name] = to_docx(pieces)
            case ".html":
                files[name] = to_html(pieces).encode(encoding)
            case ".md":
                files[name] = to_markdown(pieces).encode(encoding)
            case _:
                files[name] = to_text(pieces).encode(encoding)

    for values in json.loads((SOURCES / "租房补贴.json").read_text(encoding="utf-8")):
        for level in ("doctor", "master", "bachelor"):
            values[f"{level}_year"] = values[level] * 12
        template = (SOURCES / values["template"]).read_text(encoding="utf-8")
        add(values["file"], Template(template).substitute(values), values.get("encoding", "utf-8"))
    for source, name in HANDBOOKS.items():
        add(name, (SOURCES / source).read_text(encoding="utf-8"))
    book = json.loads((SOURCES / "通讯录.json").read_text(encoding="utf-8"))
    files[book["file"]] = to_xlsx(book)
    return files


def main() -> None:
    """Write every generated document; with `--check` only name those that are out of date."""
    DOCUMENTS.mkdir(exist_ok=True)
    stale = []
    for name, data in build().items():
        path = DOCUMENTS / name
        if path.is_file() and path.read_bytes() == data:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.write_bytes(data)
    sys.stdout.write("".join(f"{name}\n" for name in stale))
    if stale and "--check" in sys.argv:
        sys.exit(1)


if __name__ == "__main__":
    main()
