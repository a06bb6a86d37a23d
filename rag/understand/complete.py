"""The question as it would be asked without its conversation (first step of a turn).

By the shape of the message: a reply to our clarification, an accepted offer, a correction, a
return to an earlier topic, another value for the last question ("北京呢？"), a reference
("它"), or a question that leaves its topic out ("怎么申请？"). A question that stands on its own
comes out unchanged to the character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rag.types import KnowledgeProfile, Turn
from rag.understand.alike import asked_plainly_of, settled_on
from rag.understand.another import CONNECTIVE, Completion, another_value, made_of
from rag.understand.carry import (
    begins_with_attribute,
    carry,
    expand_short_name,
    headless,
    leaves_topic_out,
    names_nothing,
)
from rag.understand.cases import case_told, supposed_case, told_first
from rag.understand.corrections import correction
from rag.understand.courtesy import without_lead_in, without_thanks
from rag.understand.dialogue import (
    Dialogue,
    asked_back,
    in_words,
    offered,
    remember,
    supposed,
)
from rag.understand.every import asks_for_current
from rag.understand.intent import drops_topic, is_meta, is_small_talk
from rag.understand.learned import Fill, with_model
from rag.understand.moves import (
    IF_TOPIC,
    POINTED_CODE,
    RETURN,
    asking_for_more,
    asks_to_verify,
    is_meant,
    named_before,
    neighbour_year,
    pointed_back,
    reports_failure,
    short_for_sibling,
    tells_of_another,
)
from rag.understand.phrases import asks, is_name, parse, topic
from rag.understand.refer import attribute_of_person, resolve
from rag.understand.reply import (
    echoes,
    is_affirmation,
    is_refusal,
    is_unsure,
    merge,
    offer_question,
)
from rag.understand.reported import mending, what_to_do
from rag.understand.routes import with_other_end
from rag.understand.shifts import own_case, share_of
from rag.understand.spelling import in_full
from rag.understand.substitute import kind_of, put

LONGEST = 400
"""Characters: longer messages say themselves what they are about (chosen by us)."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}年度?的?")
_THANKS = re.compile("谢|thx|thank|拜拜|再见", re.I)


def complete(
    question: str,
    history: Sequence[Turn],
    profile: KnowledgeProfile | None = None,
    fill: Fill | None = None,
) -> Completion:
    """Complete `question` from the conversation before it.

    Args:
        question: as typed. When nothing is missing it is returned unchanged (without the
            white space around it).
        history: earlier turns, oldest first. The completed form of a user's turn is taken
            from `standalone` where it is set, else worked out here.
        profile: titles of the knowledge base, for values inside 《》 and for telling a new
            topic from a detail of the last one.
        fill: the completion model; rules alone without it.
    """
    dialogue = _recall(history, profile)
    said = [text for e in dialogue.exchanges for text in (e.question, e.reply)]
    typed = question.strip()
    whole = in_full(typed, said, profile)
    made = _complete(whole, dialogue, profile)
    if made.changed and asks_for_current(whole) and not _YEAR.search(whole):
        made = replace(made, standalone=_YEAR.sub("", made.standalone))
    if fill is not None:
        made = with_model(made, whole, in_words(history), fill)
    return made if made.standalone != whole or whole == typed else replace(made, changed=True)


def _recall(history: Sequence[Turn], profile: KnowledgeProfile | None) -> Dialogue:
    dialogue = Dialogue()
    for turn in in_words(history):
        if turn.role == "assistant":
            dialogue.last = turn
            if dialogue.exchanges and turn.status not in ("error",):
                dialogue.exchanges[-1].reply = turn.content
            continue
        typed = turn.content.strip()
        if dropped := drops_topic(typed):
            dialogue.exchanges.clear()
            typed = typed[dropped:]
            if not typed:
                dialogue.last = None
                continue
        if turn.standalone:
            if _is_subject(turn.standalone):
                remember(dialogue, typed, turn.standalone)
            else:
                dialogue.moved = dialogue.moved or tells_of_another(typed, dialogue)
            continue
        made = _complete(typed, dialogue, profile)
        if not _is_subject(made.standalone):
            dialogue.moved = dialogue.moved or tells_of_another(typed, dialogue)
            dialogue.last = None
            continue
        remember(dialogue, typed, made.standalone, made.topic if made.changed else "")
    return dialogue


def _is_subject(text: str) -> bool:
    """Whether a message of the user sets what is talked about: a question, a wish, a name."""
    if _needs_no_context(text) or len(text) > LONGEST:
        return False
    return asks(text) or _wishes(text) or is_name(text.rstrip("。.！! "))


def _needs_no_context(question: str) -> bool:
    return is_small_talk(question) or is_meta(question)


def _complete(question: str, dialogue: Dialogue, profile: KnowledgeProfile | None) -> Completion:
    if not question or len(question) > LONGEST:
        return Completion(question, False, "", topic(question[:LONGEST]) if question else "")
    if dropped := drops_topic(question):
        if dropped == len(question) and not (asked_back(dialogue.last) and is_refusal(question)):
            return Completion(question, False, "", "")
        if rest := question[dropped:]:
            made = _complete(rest, Dialogue(), profile)
            return Completion(made.standalone, True, "换了话题", made.topic, made.unresolved)
    plain = without_thanks(question)
    if plain == question and not is_small_talk(question):
        plain = without_lead_in(question)
    if plain != question:
        made = _complete(plain, dialogue, profile)
        return Completion(made.standalone, True, made.reason, made.topic, made.unresolved)
    if _THANKS.search(question) and is_small_talk(question) and not is_refusal(question):
        return Completion(question, False, "", "")  # no reply to what we asked back
    for step in (_replied, _accepted):
        if found := step(question, dialogue, profile):
            return found
    if _needs_no_context(question) and not asks_to_verify(question):
        return Completion(question, False, "", "")
    for step in (
        _verified,
        _corrected,
        _returned,
        _more,
        _other_year,
        _theirs,
        _supposed,
        _alike,
        another_value,
    ):
        if found := step(question, dialogue, profile):
            return found
    return _referred_or_carried(question, dialogue, profile)


def _verified(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion | None:
    """你确定吗: the last question is answered again."""
    del profile
    previous = dialogue.previous
    if previous is None or not asks_to_verify(question):
        return None
    return made_of(question, previous.question, "核对上一个回答", previous.topic)


def _other_year(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion | None:
    """前一年呢: the year before that under discussion, not before today."""
    meant = neighbour_year(question, dialogue)
    if meant is None:
        return None
    if meant.bare:
        made = put(meant.year, meant.source, profile)
    else:
        made = _referred_or_carried(meant.typed, dialogue, profile).standalone
    return made_of(question, made, f"“{meant.words}”是{meant.year}")


def _replied(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion | None:
    asked, previous = asked_back(dialogue.last), dialogue.previous
    if previous is None or dialogue.last is None:
        return None
    guess = supposed(dialogue.last)
    if guess and is_affirmation(question):
        return made_of(question, put(guess, previous.question, profile), f"确认了“{guess}”")
    if asked is None:
        return None
    if is_unsure(question) or is_refusal(question):
        return made_of(question, previous.question, "未指定，按原问题回答")
    if len(question) > 60:
        return None
    merged = merge(question, asked, previous.question, profile)
    return made_of(question, merged, "把回答补进了上一个问题") if merged else None


def _accepted(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion | None:
    action = offered(dialogue.last)
    if not action or not (is_affirmation(question) or echoes(question, action)):
        return None
    wanted = offer_question(action)
    about = dialogue.previous.topic if dialogue.previous else ""
    referred = resolve(wanted, dialogue)
    wanted = referred.text
    if about and not topic(wanted) and about not in wanted:
        wanted = carry(wanted, dialogue, profile) or wanted
    elif about and (longer := expand_short_name(wanted, dialogue)):
        wanted = longer
    return made_of(question, wanted, "接受了上一轮的提议")


def _corrected(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion | None:
    previous, said = dialogue.previous, correction(question)
    if previous is None or said is None:
        return None
    if asks(said.value):
        inner = _referred_or_carried(said.said, dialogue, profile)
        return made_of(question, inner.standalone, "按更正后的说法理解")
    value = said.value.removesuffix("的")
    made = with_other_end(value, previous.question)
    if made is None and not is_name(value):
        told = own_case(value, dialogue)
        return made_of(question, told, "补上了自己的情况", previous.topic)
    if said.old and said.old in previous.question:
        made = previous.question.replace(said.old, value, 1)
    made = made or put(said.value, previous.question, profile)
    return made_of(question, made, f"更正为“{value}”")


def _returned(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion | None:
    match = RETURN.match(question) or IF_TOPIC.match(question)
    if dialogue.previous is None:
        return None
    if match is None:
        whole, about = pointed_back(question, dialogue)
        return made_of(question, whole, f"回到“{about}”", about)
    named, rest = match["topic"].strip(), CONNECTIVE.sub("", match["rest"].strip())
    about = next((t for t in dialogue.topics() if is_meant(named, t)), "")
    if (about or named_before(named, dialogue)) and (code := POINTED_CODE.match(rest)):
        model, asked = code["code"], rest[code.end() :].lstrip("的")
        if any(t.role == "noun" for t in parse(named).tokens):  # 烤箱E7怎么处理
            return made_of(question, f"{named}{model}{asked}", f"回到“{named}”", named)
        return made_of(question, f"{model}{named}{asked}", f"回到“{named}”", f"{model}{named}")
    if not about and leaves_topic_out(rest, Dialogue(), None):
        about = named_before(named, dialogue)
        return made_of(question, about + rest, f"回到“{about}”", about) if about else None
    if about and begins_with_attribute(rest):
        return made_of(question, about + rest, f"回到“{about}”", about)
    if not about or not leaves_topic_out(rest, Dialogue(), None):
        return None
    inner = Dialogue([e for e in dialogue.exchanges if e.topic == about][-1:])
    return made_of(question, carry(rest, inner, profile), f"回到“{about}”", about)


def _alike(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion | None:
    """2023年也是这么久吗: the last question for another region, year or product."""
    if (said := settled_on(question)) and kind_of(said[0]) in ("region", "time", "code"):
        whole = f"{said[0]}{said[1]}"
        made = _referred_or_carried(whole, dialogue, profile)
        return made_of(question, made.standalone, f"改问“{said[0]}”", made.topic)
    plain = asked_plainly_of(question)
    value = CONNECTIVE.sub("", plain.removesuffix("呢"))
    if plain == question or kind_of(value.removesuffix("的")) not in ("region", "time", "code"):
        return None
    found = another_value(plain, dialogue, profile)
    return found if found and found.changed and found.standalone != plain else None


def _theirs(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion | None:
    """他分机: of the person whom the last answer names."""
    del profile
    their = attribute_of_person(question, dialogue)
    return made_of(question, their, f"“{topic(their)}”是上文所指") if their else None


def _supposed(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion | None:
    """要是还难产, 客户要20台: the last question in that case."""
    del profile
    about = dialogue.previous.topic if dialogue.previous else ""
    made = supposed_case(question, dialogue) or case_told(question, dialogue)
    return made_of(question, made, "在这种情况下问上一个问题", about)


def _more(question: str, dialogue: Dialogue, profile: KnowledgeProfile | None) -> Completion | None:
    del profile
    previous = dialogue.previous
    wanted = asking_for_more(question, previous.question) if previous else None
    return made_of(question, wanted, "接着上一个问题", previous.topic) if previous else None


def _referred_or_carried(
    question: str, dialogue: Dialogue, profile: KnowledgeProfile | None
) -> Completion:
    if not asks(question) and not _wishes(question):
        about = dialogue.previous.topic if dialogue.previous and not dialogue.moved else ""
        if about and reports_failure(question):
            return Completion(f"{about}{question}", True, "补上了上文的话题", about)
        if made := what_to_do(question):
            return Completion(made, True, "按报告的故障问怎么处理", topic(made))
        if made := own_case(question, dialogue):
            return Completion(made, True, "补上了自己的情况", about)
        return Completion(question, False, "", topic(question))
    body = CONNECTIVE.sub("", question, count=1) if dialogue.exchanges else question
    referred = resolve(body if len(body) >= 2 else question, dialogue)
    if referred.changed:
        text = referred.text
        about = referred.about or topic(text)
        return Completion(text, True, f"“{about}”是上文所指" if about else "补全了指代", about)
    if referred.unresolved:
        return Completion(question, False, "", topic(question), tuple(referred.unresolved))
    if not dialogue.exchanges and names_nothing(question, profile):
        return Completion(question, False, "", "", (question,))
    if dialogue.exchanges:
        if told := told_first(body, dialogue, profile):
            return Completion(told, True, "补上了上文的话题", topic(told))
        if whole := mending(body, dialogue) or share_of(body, dialogue.exchanges[-1].question):
            return Completion(whole, whole != question, "补上了上文的话题", topic(whole))
        whole = headless(body, dialogue) if not dialogue.moved else None
        whole = (
            whole
            or short_for_sibling(body, dialogue.exchanges[-1].question, profile)
            or (
                carry(body, dialogue, profile)
                if not dialogue.moved and leaves_topic_out(body, dialogue, profile)
                else None
            )
        )
        if whole:
            return Completion(whole, True, "补上了上文的话题", dialogue.exchanges[-1].topic)
        longer = expand_short_name(body, dialogue)
        if longer:
            return Completion(longer, True, "补全了上文的简称", topic(longer))
    return Completion(question, False, "", topic(question))


def _wishes(question: str) -> bool:
    return bool(
        re.match(
            r"(?:我)?(?:想|要|打算|准备|需要|希望)(?:要)?(?:申请|办理|领取|报销|办|购买|买|了解|知道)"
            r"|(?:我)?(?:想|要)?(?:请教|咨询|问)(?:一下|下)"
            r"|.{2,12}(?:发|给|报|说)(?:我|一下)(?:一?[个份下])?[吧。！!]*$",
            question,
        )
    )
