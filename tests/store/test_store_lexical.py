import math
import random

import pytest
from store_parts import new_document, publish

from rag.store.lexical import TERM_SPACE, bm25_weights, idf, term_id


def test_term_ids_are_stable_and_within_bounds():
    # Written down in every stored vector: these numbers must never change.
    assert term_id("年假") == 2987413632
    assert term_id("ABC-123") == 3419629345
    assert all(0 <= term_id(str(number)) < TERM_SPACE for number in range(10_000))
    assert len({term_id(str(number)) for number in range(10_000)}) >= 9_999


def test_query_and_stored_weights_together_are_bm25(catalog):
    texts = ["年假 五天 年假", "病假 十天", "年假 规定 细则 附则"]
    kb = catalog.knowledge_bases.create("甲")
    publish(catalog, new_document(catalog, kb.id), texts)
    query = catalog.lexical.query_weights(["年假", "细则"])
    scores = []
    for text in texts:
        stored = catalog.lexical.document_weights(text.split())
        scores.append(sum(weight * stored.get(term, 0) for term, weight in query.items()))
    assert scores[2] > scores[0] > scores[1] == 0
    norm = 1.2 * (0.25 + 0.75 * 3 / catalog.lexical.reference_length)
    assert scores[0] == pytest.approx(math.log(1 + 1.5 / 2.5) * 2 * 2.2 / (2 + norm))


def test_stored_weights_do_not_move_while_the_collection_grows(catalog):
    kb = catalog.knowledge_bases.create("甲")
    before = catalog.lexical.document_weights(["年假", "五天"])
    publish(catalog, new_document(catalog, kb.id), ["长 " * 400, "年假 五天"])
    assert catalog.lexical.document_weights(["年假", "五天"]) == before


def test_rare_words_weigh_more_as_the_collection_changes(catalog):
    kb = catalog.knowledge_bases.create("甲")
    first = publish(catalog, new_document(catalog, kb.id), ["年假 规定", "病假 规定", "婚假 规定"])
    weights = catalog.lexical.query_weights(["年假", "规定", "没有的词"])
    assert weights[term_id("年假")] > weights[term_id("规定")] > 0
    assert term_id("没有的词") not in weights
    catalog.documents.delete(first.id)
    assert catalog.lexical.query_weights(["年假"])[term_id("年假")] > 0  # nothing counted: kept


def test_adding_and_removing_by_hand_is_exact(catalog):
    lists = [["年假", "年假", "五天"], ["病假"], []]
    catalog.lexical.add(lists, "blanks-1")
    assert catalog.lexical.document_frequencies(["年假", "病假"]) == {"年假": 1, "病假": 1}
    assert (catalog.lexical.chunks, catalog.lexical.average_length) == (2, 2.0)
    assert catalog.lexical.tokeniser == "blanks-1"
    catalog.lexical.remove(lists)
    assert catalog.lexical.document_frequencies(["年假", "病假"]) == {"年假": 0, "病假": 0}
    assert (catalog.lexical.chunks, catalog.lexical.average_length) == (0, 0.0)


def test_recount_mends_wrong_statistics(catalog):
    kb = catalog.knowledge_bases.create("甲")
    publish(catalog, new_document(catalog, kb.id), ["年假 五天", "病假"])
    assert catalog.lexical.is_right()
    catalog.lexical.add([["年假", "错"]])
    assert not catalog.lexical.is_right()
    assert catalog.lexical.recount()
    assert catalog.lexical.is_right()
    assert catalog.lexical.document_frequencies(["年假", "错"]) == {"年假": 1, "错": 0}
    assert not catalog.lexical.recount()


def test_a_new_tokeniser_counts_anew(catalog):
    kb = catalog.knowledge_bases.create("甲")
    info = publish(catalog, new_document(catalog, kb.id), ["年假 五天", "病假"])
    ids = [f"{info.id}-1-0", f"{info.id}-1-1", "deleted-meanwhile"]
    catalog.lexical.retokenise(zip(ids, [["年", "假"], ["病", "假"], ["x"]], strict=True), "2")
    assert catalog.lexical.tokeniser == "2"
    assert catalog.lexical.document_frequencies(["年假", "年", "假", "x"]) == {
        "年假": 0,
        "年": 1,
        "假": 2,
        "x": 0,
    }
    assert catalog.lexical.is_right()
    catalog.documents.delete(info.id)
    assert catalog.lexical.chunks == 0


@pytest.mark.parametrize(("chunks", "holding"), [(0, 0), (10, 0), (10, 10), (10, 99), (10, -3)])
def test_idf_is_never_negative(chunks, holding):
    assert idf(chunks, holding) >= 0


def test_weights_of_nothing_are_empty(catalog):
    assert catalog.lexical.document_weights([]) == {}
    assert catalog.lexical.query_weights([]) == {}


def test_another_reference_length_hardly_changes_the_order():
    rng = random.Random(5)
    words = [f"w{number}" for number in range(300)]
    passages = [rng.choices(words, k=rng.randint(40, 160)) for _ in range(200)]

    def best(reference: float, query: list[str]) -> set[int]:
        scored = []
        for number, passage in enumerate(passages):
            weights = bm25_weights(passage, reference)
            scored.append((-sum(weights.get(term_id(word), 0) for word in query), number))
        return {number for _, number in sorted(scored)[:10]}

    queries = [rng.sample(words, 4) for _ in range(30)]
    for reference in (50.0, 200.0):
        shared = [len(best(100.0, query) & best(reference, query)) for query in queries]
        assert sum(shared) / len(shared) >= 8
