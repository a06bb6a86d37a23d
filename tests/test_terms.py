"""The dictionary for people: rights, the log, files, and that each change counts at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.access.audit import Audit
from rag.errors import InvalidInput, NameTaken, NotAllowed, NotFound
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.terms import Dictionary
from rag.types import Person

GUEST = Person(id="guest-1")
EDITOR = Person(id="u2", name="编辑", role="editor")
ADMIN = Person(id="u3", name="管理", role="admin")
QUESTION = "小程序怎么登录？"


class Desk:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.catalog = Catalog(path)
        self.audit = Audit(self.catalog)
        closed = Settings.model_validate({"interface": {"guest_uploads": False}})
        self.book = Dictionary(self.catalog, self.audit, lambda: closed)
        self.kb = self.catalog.knowledge_bases.create("内部").id
        self.other = self.catalog.knowledge_bases.create("别处").id

    def asked(self, *kb_ids: str) -> tuple[str, ...]:
        return self.book.trial(EDITOR, kb_ids or (self.kb,), QUESTION).questions

    def log(self) -> list[str]:
        return [entry.action for entry in reversed(self.audit.entries())]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "catalog.sqlite")
    yield made
    made.catalog.close()


def test_a_change_counts_from_the_next_question_on(desk: Desk) -> None:
    assert desk.asked() == ()
    term = desk.book.save(EDITOR, desk.kb, "云岭协同", ["小程序"])
    assert desk.asked() == ("云岭协同怎么登录？",)
    desk.book.save(EDITOR, desk.kb, "云岭平台", ["小程序"], term.id)
    assert desk.asked() == ("云岭平台怎么登录？",)
    assert [t.text for t in desk.book.terms(EDITOR, desk.kb)] == ["云岭平台"]
    desk.book.remove(EDITOR, [t.id for t in desk.book.terms(EDITOR, desk.kb)])
    assert desk.asked() == ()
    assert desk.log() == ["term.add", "term.change", "term.delete"]


def test_a_change_by_another_process_counts_as_well(desk: Desk) -> None:
    assert desk.asked() == ()
    elsewhere = Catalog(desk.path)
    elsewhere.terms.save(desk.kb, "云岭协同", "云岭协同", ["小程序"])
    elsewhere.close()
    assert desk.asked() == ("云岭协同怎么登录？",)


def test_only_the_asked_bases_terms_and_those_for_all_count(desk: Desk) -> None:
    desk.book.save(EDITOR, desk.other, "云岭协同", ["小程序"])
    assert desk.asked() == ()
    assert desk.asked(desk.kb, desk.other) == ("云岭协同怎么登录？",)
    desk.book.save(ADMIN, None, "微应用", ["小程序"])
    assert desk.asked() == ("微应用怎么登录？",)
    desk.catalog.knowledge_bases.delete(desk.other)
    assert desk.asked() == ("微应用怎么登录？",)


def test_editors_change_their_bases_and_administrators_those_for_all(desk: Desk) -> None:
    term = desk.book.save(ADMIN, None, "云岭协同", ["小程序"])
    for deed in (
        lambda: desk.book.save(EDITOR, None, "年假"),
        lambda: desk.book.remove(EDITOR, [term.id]),
        lambda: desk.book.preview_import(EDITOR, None, b"a"),
        lambda: desk.book.save(GUEST, desk.kb, "年假"),
    ):
        with pytest.raises(NotAllowed):
            deed()
    assert desk.log() == ["term.add", *["refused.edit"] * 4]
    assert desk.book.terms(GUEST, None) == [term]
    assert desk.book.may_edit(ADMIN, None) and not desk.book.may_edit(EDITOR, None)
    desk.catalog.knowledge_bases.describe(desk.kb, public=False)
    with pytest.raises(NotAllowed):
        desk.book.terms(GUEST, desk.kb)
    with pytest.raises(NotFound):
        desk.book.terms(EDITOR, "kb-none")


@pytest.mark.parametrize(
    "text", ["", "  ", "假", "怎么", "长" * 41, "甲乙、丙丁", "年\x00假", "--"]
)
def test_words_that_cannot_be_used_are_refused(desk: Desk, text: str) -> None:
    with pytest.raises(InvalidInput):
        desk.book.save(EDITOR, desk.kb, text)
    assert desk.book.terms(EDITOR, desk.kb) == []


def test_a_term_is_there_once(desk: Desk) -> None:
    desk.book.save(EDITOR, desk.kb, "ＯＡ系统")
    with pytest.raises(NameTaken, match="ＯＡ系统"):
        desk.book.save(EDITOR, desk.kb, "oa系统")
    with pytest.raises(NotFound):
        desk.book.save(EDITOR, desk.kb, "年假", term_id="w0")
    with pytest.raises(InvalidInput, match="20"):
        desk.book.save(EDITOR, desk.kb, "年假", [f"说法{n}" for n in range(21)])


@pytest.mark.parametrize(("replace", "synonyms"), [(False, ("倒休", "换休")), (True, ("换休",))])
def test_an_import_shows_what_it_would_do_first(
    desk: Desk, replace: bool, synonyms: tuple[str, ...]
) -> None:
    desk.book.save(EDITOR, desk.kb, "调休", ["倒休"])
    desk.book.save(EDITOR, desk.kb, "年假", ["年休假"])
    desk.book.save(EDITOR, desk.kb, "病假")
    data = "调休,换休\n年假,年休假\n小程序,云岭协同\n怎么,如何\n".encode("gb18030")
    preview = desk.book.preview_import(EDITOR, desk.kb, data, replace=replace)
    assert [e.text for e in preview.added] == ["小程序"]
    assert [(c.before, c.entry.synonyms) for c in preview.changed] == [(("倒休",), synonyms)]
    assert [e.text for e in preview.unchanged] == ["年假"]
    assert [row.line for row in preview.bad] == [4]
    assert desk.asked() == ()
    assert desk.book.apply_import(EDITOR, desk.kb, preview) == 2
    assert desk.asked() == ("云岭协同怎么登录？",)
    kept = {t.text: t.synonyms for t in desk.book.terms(EDITOR, desk.kb)}
    assert kept == {
        "小程序": ("云岭协同",),
        "年假": ("年休假",),
        "病假": (),
        "调休": synonyms,
    }
    again = desk.book.preview_import(EDITOR, desk.kb, desk.book.export(EDITOR, desk.kb))
    assert not (again.added or again.changed or again.bad)
    assert desk.log()[-1] == "term.import"


def test_many_terms_are_read_once_for_all_questions(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.terms.MOST_TERMS", 2_000)
    rows = "".join(f"词语{n}甲,别名{n}乙\n" for n in range(1_999)) + "云岭协同,小程序\n"
    preview = desk.book.preview_import(EDITOR, desk.kb, rows.encode())
    assert desk.book.apply_import(EDITOR, desk.kb, preview) == 2_000
    assert desk.asked() == ("云岭协同怎么登录？",)
    made = desk.catalog.terms.vocabulary([desk.kb])
    assert desk.catalog.terms.vocabulary([desk.kb]) is made
    with pytest.raises(InvalidInput, match="2000"):
        desk.book.save(EDITOR, desk.kb, "再多一个")
