"""From what a question means to what will be searched and how (the plan of DESIGN §2).

The strategy names the chief means; the plan's other fields hold all of them. Each decision
leaves a reason in Chinese, which the trace shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rag.retrieve.shares import shares
from rag.text.normalise import normalise
from rag.types import (
    Hit,
    KnowledgeProfile,
    OtherNames,
    QueryPlan,
    SearchFilter,
    Slots,
    Strategy,
    Turn,
    Understanding,
)
from rag.understand.breadth import wants_many
from rag.understand.candidates import ENOUGH, passage_coverage
from rag.understand.carried import carried_evidence, question_before
from rag.understand.editions import other_editions
from rag.understand.every import asks_for_current
from rag.understand.expand import wordings
from rag.understand.gazetteer import gazetteer
from rag.understand.held import other_regions
from rag.understand.regions import short_name
from rag.understand.slots import QUOTED_TITLE, quoted_titles
from rag.understand.synonyms import names_in, renamed, told

if TYPE_CHECKING:
    from rag.settings import Settings
    from rag.text.vocabulary import Vocabulary

Probe = Callable[[str, Slots], Sequence[Hit]]

LEAST_SHARE = 0.05
"""Share of the evidence from which the reasons name a knowledge base; chosen by us."""
_ASKS_THE_WEB = re.compile(
    r"(?:上网|网上|联网|互联网上?|网络上)(?:帮我|给我)?(?:再)?(?:查|搜|找|看|检索|有没有|怎么说|的说法)"
    r"|(?:查|搜|找|检索)(?:一下|查|下)?(?:互联网|网上|全网|网络|网页)|百度(?:一下|搜)|google|bing",
    re.I,
)
_ISSUED = (
    "(?:发布|印发|出台|制定|颁布|公布|下发)?(?:的|于|过)?[\u4e00-\u9fff]{0,6}?"
    "(?:规定|办法|公告|通知|通告|政策|制度|条例|意见|决定|文件|细则)"
)
_LABELS = {
    "direct": "问题完整，直接检索",
    "rewrite": "用补全后的问题检索",
    "expand": "换成书面说法再检索一次",
    "hyde": "用模型设想的答案辅助检索",
    "decompose": "拆成几个小问题分别检索",
    "metadata_filter": "按条件筛选后检索",
    "broad": "问到多份文件，每份文件取一处",
    "web": "同时检索网页",
    "clarify": "问题还不明确，先反问",
    "no_retrieval": "不需要检索",
}


def plan(
    understanding: Understanding,
    kb_ids: Sequence[str],
    *,
    profile: KnowledgeProfile | None,
    history: Sequence[Turn] = (),
    override: Strategy | None = None,
    web_enabled: bool = False,
    probe: Probe | None = None,
    kb_names: Mapping[str, str] | None = None,
    vocabulary: Vocabulary | None = None,
) -> QueryPlan:
    """The queries, the filter and the means of a search.

    `queries[0]` is the completed question; the parts of a comparison follow, or another
    wording. The filter holds the asked regions always, kinds of document and issuing bodies
    only where the knowledge base has documents of them, and passes over other years' editions
    of what there is of the asked year.

    Args:
        understanding: what the question means; its `passage` is a model's imagined answer.
        kb_ids: the knowledge bases to search.
        profile: what they are about; None without any.
        history: the turns before, for the evidence that a continued topic takes along.
        override: use this strategy and no other means, as the retrieval lab does.
        web_enabled: whether a web search is configured.
        probe: a quick retrieval, asked where a web search is configured (without anything near
            the question in the knowledge bases the web is searched as well), and where there
            are several knowledge bases. All of these are searched whatever it finds: to know
            the right one beforehand would bring next to nothing, to choose wrongly would cost
            the answer (benchmarks/bench_routing.py).
        kb_names: of the knowledge bases, for the reasons.
        vocabulary: the dictionary of these knowledge bases; the question is searched in the
            other names of its words, too.
    """
    if override is not None:
        made = _overridden(understanding, kb_ids, profile, override, web_enabled, vocabulary)
        return _with_shares(made, understanding, probe, kb_names or {})
    question = understanding.standalone_question
    condition, because = _filter(understanding, kb_ids, profile)
    reasons = list(because)
    parts = understanding.sub_questions
    names = names_in(question, vocabulary)
    formal = () if parts else wordings(question, profile)
    behind = "" if parts else _behind(understanding, history)
    others = () if parts else (*renamed(question, names), *formal)
    breadth = _is_broad(understanding, profile, condition)
    web, web_reason = _web(understanding, web_enabled, probe)
    carried = carried_evidence(understanding, history)
    strategy = _strategy(understanding, condition, others, breadth=breadth, web=web)
    if parts:
        reasons.append(f"问题包含 {len(parts)} 个小问题，分别检索")
    if synonyms := told(names):
        reasons.append(synonyms)
    if formal:
        reasons.append(f"换一种书面说法再查：{formal[0]}")
    if behind:
        reasons.append(f"连同上一问再查：{behind}")
    if breadth:
        reasons.append("问到多份文件，每份文件先取一处")
    if understanding.passage:
        reasons.append("模型设想了一段答案，用来辅助语义检索")
    if carried:
        reasons.append(f"话题延续，沿用上一轮的 {len(carried)} 处依据")
    if web_reason:
        reasons.append(web_reason)
    if understanding.rewritten:
        who = "由您改写为" if understanding.source == "user" else "补全为"
        reasons.insert(0, f"{who}“{question}”")
    made = QueryPlan(
        queries=_distinct((question, *parts, *others)),
        filter=condition,
        strategy=strategy,
        intent=understanding.intent,
        passage=understanding.passage,
        breadth=breadth,
        web=web,
        carried=carried,
        behind=behind,
        behind_first=bool(behind) and not understanding.rewritten,
        names=names,
        reasons=tuple(reasons) or (_LABELS[strategy],),
    )
    return _with_shares(made, understanding, probe, kb_names or {})


def _behind(meaning: Understanding, history: Sequence[Turn]) -> str:
    """What was typed, after the question before it."""
    before = question_before(meaning, history)
    return f"{before}，{meaning.question}" if before else ""


def _with_shares(
    made: QueryPlan, meaning: Understanding, probe: Probe | None, names: Mapping[str, str]
) -> QueryPlan:
    """The plan with what each of several knowledge bases holds for the question."""
    kb_ids = made.filter.kb_ids
    if len(kb_ids) < 2 or probe is None or not made.queries or meaning.route != "knowledge":
        return made
    found = tuple(shares(probe(meaning.standalone_question, meaning.slots)).items())
    told = [
        f"“{names.get(kb_id, kb_id)}”{share:.0%}" for kb_id, share in found if share >= LEAST_SHARE
    ]
    if told:
        reason = f"{len(kb_ids)} 个知识库都检索，依据主要在" + "、".join(told)
    else:
        reason = f"{len(kb_ids)} 个知识库都检索，初步没有找到相近的内容"
    return made.model_copy(update={"shares": found, "reasons": (*made.reasons, reason)})


def web_enabled(settings: Settings) -> bool:
    """Whether an administrator has switched the web search on."""
    section = getattr(settings, "web_search", None)
    return bool(getattr(section, "enabled", False))


def asks_the_web(question: str) -> bool:
    """Whether the user asks to look on the web."""
    return bool(_ASKS_THE_WEB.search(question))


def _strategy(
    meaning: Understanding,
    condition: SearchFilter,
    others: tuple[str, ...],
    *,
    breadth: bool,
    web: bool,
) -> Strategy:
    """The chief means, the strongest first."""
    if meaning.route != "knowledge":
        return meaning.strategy if meaning.strategy == "clarify" else "no_retrieval"
    filtered = bool(
        condition.regions
        or condition.left_out
        or condition.document_types
        or condition.organisations
        or meaning.slots.time
    )
    chosen: tuple[tuple[bool, Strategy], ...] = (
        (bool(meaning.sub_questions), "decompose"),
        (breadth, "broad"),
        (web, "web"),
        (filtered, "metadata_filter"),
        (bool(meaning.passage), "hyde"),
        (bool(others), "expand"),
        (meaning.rewritten, "rewrite"),
    )
    return next((strategy for holds, strategy in chosen if holds), "direct")


def _overridden(
    meaning: Understanding,
    kb_ids: Sequence[str],
    profile: KnowledgeProfile | None,
    strategy: Strategy,
    web_enabled: bool,
    vocabulary: Vocabulary | None,
) -> QueryPlan:
    """A plan by one strategy alone; where it has nothing to work with, the reason says so."""
    question = meaning.question if strategy == "direct" else meaning.standalone_question
    condition = SearchFilter(kb_ids=tuple(kb_ids))
    because: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    names: tuple[OtherNames, ...] = ()
    lacking = ""
    if strategy == "metadata_filter":
        condition, because = _filter(meaning, kb_ids, profile)
        lacking = "" if because else "问题里没有可以筛选的条件"
    elif strategy == "expand":
        names = names_in(question, vocabulary)
        others = (*renamed(question, names), *wordings(question, profile))
        because = (synonyms,) if (synonyms := told(names)) else ()
        lacking = "" if others else "没有别的书面说法"
    elif strategy == "decompose":
        others = meaning.sub_questions
        lacking = "" if others else "问题里只有一件事"
    elif strategy == "hyde":
        lacking = "" if meaning.passage else "没有模型设想的答案"
    elif strategy == "web":
        lacking = "" if web_enabled else "没有启用网页检索"
    nothing = strategy in ("no_retrieval", "clarify")
    reasons = (f"指定策略：{_LABELS[strategy]}", *because, *((lacking,) if lacking else ()))
    return QueryPlan(
        queries=() if nothing else _distinct((question, *others)),
        filter=condition,
        strategy=strategy,
        intent=meaning.intent,
        passage=meaning.passage if strategy == "hyde" else "",
        breadth=strategy == "broad",
        web=strategy == "web" and web_enabled,
        names=names,
        reasons=reasons,
    )


def _distinct(queries: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(query for query in queries if query.strip()))


def _filter(
    meaning: Understanding, kb_ids: Sequence[str], profile: KnowledgeProfile | None
) -> tuple[SearchFilter, tuple[str, ...]]:
    """The conditions, and why each is there."""
    documents = _named_documents(meaning, profile)
    left_out = other_editions(profile, meaning.slots)
    elsewhere = other_regions(profile, meaning.held.region)
    of_other_years = other_editions(profile, meaning.held)
    types = _types(meaning, profile)
    organisations = _issuers(meaning, profile)
    reasons = []
    if documents:
        reasons.append(f"只查《{quoted_titles(meaning.standalone_question)[0]}》")
    if meaning.slots.region:
        reasons.append("限定地区：" + "、".join(map(short_name, meaning.slots.region)))
    if left_out:
        times = "、".join(time.text for time in meaning.slots.time)
        reasons.append(f"限定“{times}”：同一文件另有年份的 {len(left_out)} 份不查")
    elif meaning.slots.time:
        reasons.append("没有按年份区分的文件，不限年份")
    if elsewhere:
        places = "、".join(map(short_name, meaning.held.region))
        reasons.append(f"上文说的是{places}：同类文件另有地区的 {len(elsewhere)} 份不查")
    if of_other_years:
        times = "、".join(time.text for time in meaning.held.time)
        count = len(of_other_years)
        if asks_for_current(meaning.standalone_question):
            reasons.append(f"问的是现行的{times}：同一文件另有年份的 {count} 份不查")
        else:
            reasons.append(f"上文说的是{times}：同一文件另有年份的 {count} 份不查")
    if types:
        reasons.append("限定文档类型：" + "、".join(types))
    if organisations:
        reasons.append("限定机构：" + "、".join(organisations))
    condition = SearchFilter(
        kb_ids=tuple(kb_ids),
        document_ids=documents,
        regions=meaning.slots.region,
        left_out=tuple(dict.fromkeys((*left_out, *elsewhere, *of_other_years))),
        document_types=types,
        organisations=organisations,
    )
    return condition, tuple(reasons)


def _named_documents(
    understanding: Understanding, profile: KnowledgeProfile | None
) -> tuple[str, ...]:
    """The documents whose whole title the question quotes, when it is about one title only."""
    titles = quoted_titles(understanding.standalone_question)
    if profile is None or len(titles) != 1 or understanding.intent == "comparison":
        return ()
    wanted = normalise(titles[0])
    return tuple(d.document_id for d in profile.documents if normalise(d.title) == wanted)


def _types(meaning: Understanding, profile: KnowledgeProfile | None) -> tuple[str, ...]:
    """The kinds of document that the question points at, where the knowledge base has them
    and none of its documents is called so: 员工手册 in a title names that one alone."""
    if profile is None or meaning.intent == "comparison":
        return ()
    known = {d.metadata.document_type for d in profile.documents if d.metadata.document_type}
    titles = gazetteer(profile).titles
    wanted = [
        kind
        for named in meaning.slots.document_type
        if not (len(named) > 2 and normalise(named) in titles)
        for kind in known
        if normalise(named) == normalise(kind)
    ]
    return tuple(dict.fromkeys(wanted))


def _issuers(meaning: Understanding, profile: KnowledgeProfile | None) -> tuple[str, ...]:
    """The bodies whose own rules the question asks for ("财政部发布的通知")."""
    if profile is None or meaning.intent == "comparison":
        return ()
    known = set(gazetteer(profile).organisations)
    text = QUOTED_TITLE.sub("，", normalise(meaning.standalone_question))
    words = {e.text: e.value or e.text for e in meaning.entities if e.kind == "organisation"}
    return tuple(
        official
        for written, official in words.items()
        if official in known and re.search(re.escape(normalise(written)) + _ISSUED, text)
    )


def _is_broad(
    meaning: Understanding, profile: KnowledgeProfile | None, condition: SearchFilter
) -> bool:
    """Whether the answer is spread over many documents."""
    if profile is None or len({d.document_id for d in profile.documents}) < 2:
        return False
    question = meaning.standalone_question
    if condition.document_ids or meaning.sub_questions or quoted_titles(question):
        return False
    named = [e for e in meaning.entities if e.kind in ("name", "code")]
    return not named and wants_many(question)


def _web(meaning: Understanding, enabled: bool, probe: Probe | None) -> tuple[bool, str]:
    if meaning.route != "knowledge":
        return False, ""
    question = meaning.standalone_question
    if asks_the_web(meaning.question):
        return enabled, "按要求同时检索网页" if enabled else "没有启用网页检索，只查知识库"
    if not enabled or probe is None:
        return False, ""
    hits = probe(question, meaning.slots)
    if any(passage_coverage(question, hit) >= ENOUGH for hit in hits):
        return False, ""
    return True, "知识库里没有相近的内容，同时检索网页"
