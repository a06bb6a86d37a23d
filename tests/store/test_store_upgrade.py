"""A catalog of the first release, with content, opens and keeps everything."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from store_parts import empty_database, publish

from rag.store import schema
from rag.store.catalog import Catalog
from rag.store.database import Database
from rag.store.lexical import distinct_terms, pack_terms
from rag.store.migrate import _SCRIPTS
from rag.types import DocumentOptions

NOW = "2026-01-02 03:04:05"
OLD, CURRENT = "a" * 64, "b" * 64


def insert(connection, table, **values):
    columns = ", ".join(f'"{name}"' for name in values)
    places = ", ".join(f":{name}" for name in values)
    connection.execute(sa.text(f"INSERT INTO {table} ({columns}) VALUES ({places})"), values)


def chunk_json(document_id, ordinal, text):
    return json.dumps(
        {
            "id": f"{document_id}-2-{ordinal}",
            "document_id": document_id,
            "kb_id": "kb1",
            "ordinal": ordinal,
            "text": text,
        }
    )


def fill_first_release(connection):
    common = {"flags": "[]", "headings": '["总则"]', "facets": "[]", "updated_at": NOW}
    insert(
        connection,
        "knowledge_bases",
        id="kb1",
        name="库",
        name_key="库",
        description="",
        public=True,
        generation=4,
        created_at=NOW,
    )
    metadata = {"title": "休假办法", "region": "浙江/杭州", "expiry_date": "2025-12-31"}
    for document_id, version, text in (("d1", 2, json.dumps(metadata)), ("d2", 0, "{}")):
        insert(
            connection,
            "documents",
            id=document_id,
            kb_id="kb1",
            name="办法.txt",
            status="indexed" if version else "failed",
            version=version,
            media_type="text/plain",
            sha256=CURRENT if version else "c" * 64,
            size=77,
            page_count=1,
            chunk_count=2 if version else 0,
            metadata=text,
            created_at=NOW,
            **common,
        )
    for version, sha256 in ((1, OLD), (2, CURRENT)):
        insert(
            connection,
            "versions",
            document_id="d1",
            version=version,
            sha256=sha256,
            page_count=1,
            chunk_count=2,
            published_at=NOW,
        )
    page = {"number": 1, "blocks": [{"kind": "paragraph", "text": "年假 五天"}]}
    insert(connection, "pages", document_id="d1", number=1, page=json.dumps(page))
    for ordinal, text in enumerate(["年假 五天", "病假 十天"]):
        insert(
            connection,
            "chunks",
            id=f"d1-2-{ordinal}",
            document_id="d1",
            kb_id="kb1",
            ordinal=ordinal,
            chunk=chunk_json("d1", ordinal, text),
            terms=pack_terms(distinct_terms(text.split())),
            token_count=2,
        )
    insert(
        connection,
        "lexical_totals",
        id=1,
        chunks=2,
        tokens=4,
        reference_length=150.0,
        tokeniser="blanks-1",
    )
    for term in distinct_terms(["年假", "五天", "病假", "十天"]):
        insert(connection, "lexical_terms", term=int(term), documents=1)
    insert(
        connection,
        "jobs",
        id="j1",
        kb_id="kb1",
        name="办法.txt",
        status="failed",
        progress=0.5,
        attempts=1,
        error="文件是空的。",
        cancel=False,
        payload="{}",
        created_at=NOW,
        updated_at=NOW,
    )


@pytest.fixture
def upgraded(database_url):
    empty_database(database_url)
    first = Database(database_url)
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))
    with first.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        fill_first_release(connection)
    first.close()
    catalog = Catalog(database_url)
    yield catalog
    catalog.close()


def test_the_upgrade_keeps_documents_chunks_pages_and_jobs(upgraded):
    document = upgraded.documents.get("d1")
    assert (document.version, document.status, document.title) == (2, "indexed", None)
    assert document.metadata.region == "浙江/杭州"
    assert (document.quality.status, document.hidden, document.strategy) == (
        "passed",
        False,
        "structural",
    )
    assert upgraded.documents.pages("d1")[0].blocks[0].text == "年假 五天"
    assert [chunk.text for chunk in upgraded.chunks.of_document("d1")] == ["年假 五天", "病假 十天"]
    assert upgraded.chunks.searchable_ids("kb1") == {"d1-2-0", "d1-2-1"}
    assert upgraded.chunks.get(["d1-2-0"]).keys() == {"d1-2-0"}
    assert upgraded.lexical.is_right()
    job = upgraded.jobs.get("j1")
    assert (job.detail, job.next_attempt_at) == ("", None)
    assert [entry.document_id for entry in upgraded.documents.profile(["kb1"]).documents] == ["d1"]


def test_the_upgrade_fills_what_documents_are_selected_by(upgraded):
    def found(**wanted):
        return [info.id for info in upgraded.documents.select("kb1", **wanted)]

    assert found(region="浙江") == ["d1"]
    assert found(expired_before=date(2026, 1, 1)) == ["d1"]
    assert found(status="failed") == ["d2"]


def test_the_upgrade_knows_which_originals_were_kept(upgraded):
    assert [(v.version, v.sha256, v.kept) for v in upgraded.documents.versions("d1")] == [
        (2, CURRENT, True),
        (1, OLD, False),
    ]
    assert upgraded.documents.version_file("d1", 2) == ("办法.txt", CURRENT, 77)
    assert upgraded.documents.version_hashes() == {CURRENT}


def test_an_upgraded_catalog_takes_new_content(upgraded):
    publish(upgraded, upgraded.documents.get("d1"), ["年假 六天"], version=3)
    upgraded.options.save("d1", DocumentOptions(strategy="fixed"))
    assert upgraded.lexical.is_right()
    assert upgraded.lexical.chunks == 1
    upgraded.documents.delete("d1")
    assert upgraded.options.get("d1") == DocumentOptions()
    assert upgraded.lexical.chunks == 0


def test_going_back_leaves_the_first_release(database_url):
    empty_database(database_url)
    Catalog(database_url).close()
    database = Database(database_url)
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
        tables = set(sa.inspect(connection).get_table_names())
        columns = {column["name"] for column in sa.inspect(connection).get_columns("documents")}
    database.close()
    assert "sources" not in tables
    assert "hidden" not in columns
    assert {"headings", "facets"} <= columns


def test_times_are_read_back_as_utc(upgraded):
    assert upgraded.documents.get("d1").created_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert "hidden" in schema.documents.c
