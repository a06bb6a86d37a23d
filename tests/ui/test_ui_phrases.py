"""What steps write in Chinese reads in English where the visitor wants it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from ui.texts.phrases import book, english

ROOT = Path(__file__).parents[2]
HAN = re.compile(r"[\u4e00-\u9fff]")
QUOTED = re.compile(r"“[^”]*”|《[^》]*》")

WRITTEN = [
    "筛选检索：补全为“上海；北京的补贴”；限定地区：X；限定“2024年”：同一文件另有年份的 2 份不查",
    "从 12 段中找到 8 处；没有找到符合地区“上海”、机构“市教委”的内容，已放宽",
    "多种说法检索：同义词：“倒休”→“调休”、“换休” 等 5 个；“年假”→“年休假”；限定地区：“北京”",
    "含有：X；关键词第 1 位，向量未列入；标题相符；重排 0.83",
    "模型的补全“2023年的呢”丢掉了“上海”，采用本地理解",
    "由模型补全；本地理解为“上海呢”",
    "模型的回答与依据矛盾，已改用原文摘录。没有找到符合地区“上海”的内容，已放宽。",
    "有 2 个“张三”，请问您指的是哪个X的？",
    "请问您指的是哪一项？也可以直接告诉我名称。",
    "请问您想了解哪一年的“补贴”？",
    "不客气。还有想了解的，直接问我就好。",
    "根据现有信息无法确定：没有找到“2023年”的相关内容（现有：2024）。\n\n"
    "已在“示例知识库”、“人事”中查找“珠峰多高”，最接近的是《员工手册》、《年假》。\n\n"
    "可以换个说法，选择其他知识库，或补充相关文档后再问。",
    "选中的知识库里有 2 份文档：\n\n1. 《甲》",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_what_a_step_says_reads_in_english(text):
    said = english(text)
    assert not HAN.search(QUOTED.sub("", said)), said
    for name in QUOTED.findall(text):
        assert name in said


@pytest.mark.parametrize(
    "text", ["员工入职满一年；可休年假。", "上海呢？", "", "- 甲：乙\n\n1. 丙。丁"]
)
def test_what_people_and_documents_say_stays(text):
    assert english(text) == text


WRITERS = (
    "rag/behind.py",
    "rag/topic_look.py",
    "rag/understand/plan.py",
    "rag/understand/llm.py",
    "rag/understand/llm_check.py",
    "rag/step_summaries.py",
    "rag/answer/write.py",
    "rag/answer/verify.py",
    "rag/answer/lacking.py",
    "rag/retrieve/why.py",
)
PARTS = {"用户", "助手", "助手（反问）", "关键词", "向量", "由您改写为", "补全为", "限定地区："}
PARTS |= {"限定文档类型：", "限定机构：", "7未列入", "7第 7 位7"}
"""Words of prompts, and halves of sentences."""
PATTERN = re.compile(r"\(\?|[\[|\\]")


def test_no_sentence_of_a_step_is_without_its_english():
    missing = [
        f"{path}: {text}"
        for path in WRITERS
        for text in _sentences(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        if text not in PARTS and not any(shape.fullmatch(text) for shape, _ in book())
    ]
    assert not missing


def _sentences(tree: ast.Module) -> list[str]:
    """The Chinese texts of a module with "7" for what is filled in; no patterns, no docstrings."""
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "compile":
            skipped |= {id(part) for part in ast.walk(node)}
    texts = []
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
        if isinstance(node, ast.JoinedStr):
            filled = [part.value if isinstance(part, ast.Constant) else "7" for part in node.values]
            texts.append("".join(map(str, filled)))
    return [text for text in texts if len(HAN.findall(text)) > 1 and not PATTERN.search(text)]
