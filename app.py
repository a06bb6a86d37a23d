"""知问 (ZhiWen): navigation and the chat page. Start it with `streamlit run app.py`.

The server imports this file for its `app`; every visit runs it as the page script.
"""

from __future__ import annotations

import streamlit as st

from rag.errors import NotFound
from rag.types import Conversation, KnowledgeBase, Message
from ui import frame, server
from ui.chat import live, messages, sidebar
from ui.errors import box, show, shown
from ui.frame import Here
from ui.texts import t
from ui.words import escape, label, plain

PAGES = ("chat", "documents", "search_lab", "admin", "sign_in")

SHOWN_MESSAGES = 40
"""Messages drawn at first; earlier ones on demand. Chosen by us for a phone's sake."""


def main() -> None:
    """Draw the page that the visitor is on, with those pages in reach that the role allows."""
    st.set_page_config(page_title="知问 ZhiWen", page_icon=":material/auto_stories:")
    frame.style()
    if not frame.ready_to_show():
        return
    here = frame.here()
    pages = _pages(here)
    closed = [
        st.Page(_closed, title=t("nav.chat"), url_path=name) for name in PAGES if name not in pages
    ]
    current = st.navigation([*pages.values(), *closed], position="hidden")
    frame.sidebar_head(pages)
    try:
        current.run()
    except Exception as error:
        show(error)
    frame.sidebar_foot(here)


def _pages(here: Here) -> dict[str, st.Page]:
    guest = here.person.role == "guest"
    open_to_guests = here.application.settings.current.interface.guests
    pages = {}
    if not guest or open_to_guests:
        pages["chat"] = st.Page(chat, title=t("nav.chat"), default=True, url_path="chat")
        pages["documents"] = st.Page(
            "pages/documents.py", title=t("nav.documents"), url_path="documents"
        )
    if here.person.role == "admin":
        pages["search_lab"] = st.Page(
            "pages/search_lab.py", title=t("nav.search_lab"), url_path="search_lab"
        )
        pages["admin"] = st.Page("pages/admin.py", title=t("nav.admin"), url_path="admin")
    if guest:
        pages["sign_in"] = st.Page(
            "pages/sign_in.py", title=t("nav.sign_in"), url_path="sign_in", default=not pages
        )
    return pages


def _closed() -> None:
    """Stands in for a page that the role may not open, in the visitor's language."""
    here = frame.here()
    frame.heading(t("closed.title"))
    guest = here.person.role == "guest"
    box(t("closed.sign_in" if guest else "closed.other"), level="warn")
    if guest:
        st.page_link("pages/sign_in.py", label=t("nav.sign_in"), icon=":material/login:")


def chat() -> None:
    """The chat page: one conversation, named by `c` in the address."""
    here = frame.here()
    conversation = _conversation(here)
    bases = here.application.knowledge.bases(here.person)
    sidebar.render(here, conversation)
    chosen = sidebar.pick_knowledge(here, bases, conversation)

    def ask(question: str) -> None:
        _ask(here, conversation, chosen, question)

    history = _history(here, conversation)
    if history:
        _messages(here, history, ask)
    else:
        _welcome(here, bases, chosen, ask)
    _unsent(ask)
    _unread(here, chosen)
    typed = st.chat_input(t("chat.placeholder"), key="question")
    if typed is not None:
        ask(typed)


def _conversation(here: Here) -> Conversation | None:
    conversation_id = st.query_params.get("c")
    if not conversation_id:
        return None
    try:
        return here.application.conversations.get(conversation_id, here.person)
    except NotFound:
        del st.query_params["c"]
        st.toast(t("chat.not_found"))
        return None


def _history(here: Here, conversation: Conversation | None) -> list[Message]:
    if conversation is None:
        return []
    return list(here.application.conversations.messages(conversation.id, here.person))


def _ask(here: Here, conversation: Conversation | None, kb_ids: list[str], question: str) -> None:
    try:
        if conversation is None:
            if not question.strip():
                return
            conversation = here.application.conversations.create(here.person, kb_ids)
        here.application.conversations.ask(conversation.id, here.person, question)
    except Exception as error:
        st.session_state["unsent"] = (question, error)
        st.rerun()
    st.query_params["c"] = conversation.id
    st.rerun()


def _unsent(ask: messages.Ask) -> None:
    """A question that was not accepted: why, and its text to correct and send again."""
    if "unsent" not in st.session_state:
        return
    question, error = st.session_state["unsent"]
    show(error)
    with st.form("unsent-question", border=False):
        text = st.text_area(t("chat.unsent"), question, height=140)
        again = st.form_submit_button(t("chat.send_again"), type="primary")
        drop = st.form_submit_button(t("chat.drop_unsent"))
    if again or drop:
        del st.session_state["unsent"]
        if again:
            ask(text)
        st.rerun()


def _unread(here: Here, kb_ids: list[str]) -> None:
    """While files of the chosen knowledge bases are being read: how many answers lack."""

    def waiting() -> int:
        jobs = here.application.catalog.jobs.list(active_only=True)
        return sum(job.kb_id in kb_ids for job in jobs)

    if not waiting():
        return

    @st.fragment(run_every=2.0)
    def note() -> None:
        left = waiting()
        if not left:
            st.rerun(scope="app")
        text = escape(t("chat.unread", n=left))
        st.html(f'<div class="zw-note" role="status">{text}</div>')

    note()


def _messages(here: Here, history: list[Message], ask: messages.Ask) -> None:
    key = f"shown-{history[0].conversation_id}"
    shown_count = st.session_state.setdefault(key, SHOWN_MESSAGES)
    hidden = max(0, len(history) - shown_count)
    if hidden and st.button(t("chat.earlier", n=hidden), key="quiet-earlier", type="tertiary"):
        st.session_state[key] = shown_count + SHOWN_MESSAGES
        st.rerun()
    for index in range(hidden, len(history)):
        message = history[index]
        state = "running" if message.status == "running" else "message"
        with st.container(key=f"{state}-{message.id}", gap="small"), shown():
            if message.role == "user":
                messages.question(message)
            elif message.status == "running":
                live.render(here, message)
            else:
                asked = history[index - 1] if index else None
                messages.answer(here, message, asked, ask, last=index == len(history) - 1)


def _welcome(here: Here, bases: list[KnowledgeBase], chosen: list[str], ask: messages.Ask) -> None:
    st.html(
        f'<div class="zw-hero"><h1>{escape(t("welcome.title"))}</h1>'
        f"<p>{escape(t('welcome.sentence'))}</p></div>"
    )
    filled = [base for base in bases if base.document_count]
    if not filled:
        st.html(f'<div class="zw-note">{escape(t("welcome.empty"))}</div>')
        st.page_link("pages/documents.py", label=t("welcome.upload"), icon=":material/upload_file:")
        return
    rows = "".join(
        f'<p class="zw-row"><b>{escape(plain(base.name, 60))}</b> · '
        f"{escape(t('documents.counts', documents=base.document_count, chunks=base.chunk_count))}"
        f"{' · ' + escape(plain(base.description, 120)) if base.description else ''}</p>"
        for base in filled[:6]
    )
    st.html(f'<div class="zw-day">{escape(t("welcome.bases"))}</div>{rows}')
    questions = _sample_questions(here, [base for base in filled if base.id in chosen])
    if questions:
        st.html(f'<div class="zw-day">{escape(t("welcome.try"))}</div>')
        for index, question in enumerate(questions):
            if st.button(label(question, 60), key=f"sample-{index}", icon=":material/chat_bubble:"):
                ask(question)


def _sample_questions(here: Here, bases: list[KnowledgeBase]) -> list[str]:
    """Three questions about what is asked: of document titles, else of the shipped samples."""
    from rag.application import SAMPLE_KNOWLEDGE_BASE

    own = [base for base in bases if base.name != SAMPLE_KNOWLEDGE_BASE]
    if bases and not own:
        return [t(f"welcome.sample_{n}") for n in (1, 2, 3)]
    profile = here.application.catalog.documents.profile([base.id for base in own[:3]])
    titles = dict.fromkeys(plain(entry.title or entry.name, 30) for entry in profile.documents)
    return [t("welcome.about", title=title) for title in list(titles)[:3]]


if __name__ == "__main__":
    main()
else:
    server.prepare_pages()
    app = st.App(
        __file__,
        lifespan=server.lifespan,
        routes=server.routes(),
        middleware=server.middleware(),
        on_script_error=server.on_script_error,
    )
