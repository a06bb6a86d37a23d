"""Replies that need no search: greetings, thanks, questions about this conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.marks import without_marks
from rag.answer.markup import escape, unescape
from rag.types import KnowledgeProfile, Turn, Understanding
from rag.understand.intent import drops_topic, is_library

MOST_QUESTIONS = 10
"""Earlier questions that are listed at most."""
MOST_DOCUMENTS = 30
"""Titles of documents that are listed at most."""
LONGEST_ECHO = 200
"""Characters of an earlier message that are repeated."""

_REPLIES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"辛苦|麻烦[你您]了"), "不辛苦，能帮上您就好。还有想了解的，随时问我。"),
    (
        re.compile(r"谢|感谢|多谢|thank|thx|帮.{0,4}(?:忙|到我)|有(?:用|帮助)", re.I),
        "不客气。还有想了解的，直接问我就好。",
    ),
    (re.compile(r"再见|拜拜|回头见|bye", re.I), "再见，需要时随时来问。"),
    (
        re.compile(r"(?:谁|哪.{0,4})(?:家)?(?:开发|做|研发|制作|设计|造|训练|创造)|开发者|作者|主人"),
        "我是知问，一套可以自行部署的知识库问答软件，由部署我的单位管理；我能回答的内容都来自他们上传的文档。",
    ),
    (
        re.compile(r"你是谁|你叫什么|介绍一?下?你?自己|你的名字|who are you", re.I),
        "我是知问，根据您选中的知识库回答问题，每一句都标出依据，方便您核对；文档里没有的，我会直接告诉您。",
    ),
    (
        re.compile(
            r"[你您]都?(?:能|会|可以)(?:做|干|帮)?(?:我做)?(?:什么|啥|哪些)"
            r"|[你您]都?(?:能|会|可以)回答|有(?:什么|哪些)功能|what can you do",
            re.I,
        ),
        "您可以就知识库里的文档提问，比如某项标准是多少、怎么办理、两者有什么区别。我会给出带出处的回答，也可以接着追问。",
    ),
    (re.compile(r"对不起|抱歉|不好意思"), "没关系，请继续问吧。"),
    (re.compile(r"真棒|厉害|很好|不错|太好了|好用|聪明"), "谢谢，能帮上忙就好。"),
    (
        re.compile(r"没用|不对|错了|太差|垃圾|答非所问"),
        "很抱歉没有答好。请告诉我哪里不对，或者换个说法再问一次，我会重新查找。",
    ),
    (re.compile(r"早上好|早安|上午好"), "早上好，想了解什么？"),
    (re.compile(r"晚上好|晚安"), "晚上好，想了解什么？"),
    (
        re.compile(r"(?:怎么|如何|怎样)(?:来|去)?(?:用|使用|问|跟|和)|怎么用"),
        "直接用平常的话提问就行，例如“某项费用是多少”“怎么办理”“两者有什么区别”。看到回答后可以接着追问（“那北京呢”“需要哪些材料”）；点开句末的编号就能看到原文。",
    ),
    (
        re.compile(
            r"^(?:(?:好的?|嗯+|哦+|噢|行|可以|对|ok|知道了?|明白了?|懂了?|收到|了解了?|原来如此)[啊呀的吧了哦，,。！!~～.\s]*)+$",
            re.I,
        ),
        "好的。还有想了解的，直接问我就好。",
    ),
)  # fmt: skip
_GREETING = "您好，我是知问。请直接说出想了解的内容，我会从知识库里查找并标出依据。"
_ALL_QUESTIONS = re.compile(
    r"哪些问题|什么问题|所有(?:的)?问题|问过(?:你|些)?(?:什么|哪些)|聊(?:了|过)(?:什么|些什么|哪些)|总结.{0,6}(?:对话|聊天)|几个问题"
)
_FIRST = re.compile(r"第一(?:个问题|句|次|个)|最开始|一开始|最早|最初")
_NTH = re.compile(r"第([二三四五六七八九十]|\d{1,2})个?(?:问题|句)")
_THEIRS = re.compile(
    r"你(?:刚才|刚刚|之前|上次|前面)?(?:是?怎么)?(?:说|回答|答|讲|告诉)|(?:刚才|刚刚|上一个|上个|之前|上面)的?(?:回答|答案|回复)|再说一遍|重复一遍"
)
_HAN_DIGITS = "一二三四五六七八九十"


def reply(
    understanding: Understanding,
    history: Sequence[Turn],
    profile: KnowledgeProfile | None = None,
) -> str:
    """A short reply to chit-chat or a question about the conversation itself.

    Args:
        understanding: intent "chitchat", "meta" or "out_of_scope".
        history: the turns before this question, oldest first.
        profile: the selected knowledge bases, for "有哪些文件".
    """
    corrected = understanding.source == "user"
    question = (understanding.standalone_question if corrected else understanding.question).strip()
    if is_library(question):
        return _documents(profile)
    if drops_topic(question):
        return "好的，那我们换个话题。您接下来想了解什么？"
    if understanding.intent == "meta" or understanding.route == "conversation":
        return _about_conversation(question, history)
    return next((text for pattern, text in _REPLIES if pattern.search(question)), _GREETING)


def _documents(profile: KnowledgeProfile | None) -> str:
    titles = [d.title or d.name for d in profile.documents] if profile else []
    if not titles:
        return "选中的知识库里还没有可以查询的文档。"
    lines = [f"{index}. {_short(title)}" for index, title in enumerate(titles, start=1)]
    more = (
        f"\n\n另有 {len(titles) - MOST_DOCUMENTS} 份没有列出。"
        if len(titles) > MOST_DOCUMENTS
        else ""
    )
    return f"选中的知识库里有 {len(titles)} 份文档：\n\n" + "\n".join(lines[:MOST_DOCUMENTS]) + more


def _about_conversation(question: str, history: Sequence[Turn]) -> str:
    asked = [
        turn.content.strip() for turn in history if turn.role == "user" and turn.content.strip()
    ]
    if asked and asked[-1] == question.strip():
        asked = asked[:-1]
    answers = [t.content.strip() for t in history if t.role == "assistant" and t.content.strip()]
    if _THEIRS.search(question):
        if not answers:
            return "在这次对话里，我还没有回答过问题。"
        return f"我上一次的回答是：\n\n{_quoted(answers[-1])}"
    if not asked:
        return "这是我们对话的开始，您还没有问过别的问题。"
    nth = _NTH.search(question)
    if _FIRST.search(question):
        return f"您的第一个问题是：“{_short(asked[0])}”"
    if nth:
        number = int(nth[1]) if nth[1].isdigit() else _HAN_DIGITS.index(nth[1]) + 1
        if number > len(asked):
            return f"您到现在一共问了 {len(asked)} 个问题，没有第 {number} 个。"
        return f"您的第 {number} 个问题是：“{_short(asked[number - 1])}”"
    if _ALL_QUESTIONS.search(question) and len(asked) > 1:
        recent = asked[-MOST_QUESTIONS:]
        lines = [f"{index}. {_short(text)}" for index, text in enumerate(recent, start=1)]
        return "您在这次对话里问过：\n\n" + "\n".join(lines)
    return f"您刚才问的是：“{_short(asked[-1])}”"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return escape(text if len(text) <= LONGEST_ECHO else text[:LONGEST_ECHO] + "……")


def _quoted(answer: str) -> str:
    text = unescape(without_marks(answer))
    lines = [line for line in text.splitlines() if line.strip()]
    shown = "\n".join(f"> {escape(line)}" for line in lines)
    return shown if len(shown) <= 2000 else shown[:2000] + "……"
