"""Rows of a database as records, and that nothing but reading is possible."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from ingest_world import World
from source_world import ADMIN, Followed, eventually

from rag.errors import InvalidInput, NotAllowed, NotFound, TooLarge
from rag.ingest.sources import sql
from rag.ingest.sources.sql import (
    KEY,
    QueryFailed,
    SqlConfig,
    _engine,
    checked_query,
    checked_url,
    look_at,
)
from rag.types import Source

GOODS = [
    (1, "空气净化器", 1280.5, "华东", "2024-05-01", None),
    (2, "环境监测仪：便携", 4680, "华南", "2024-06-01", "含“充电器”"),
    (3, "滤网", 0.1, "华东", "2024-06-15", ""),
]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "业务 数据.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "create table 商品 (id integer, 名称 text, 单价 real, 大区 text, 日期 text, 备注 text)"
        )
        connection.executemany("insert into 商品 values (?, ?, ?, ?, ?, ?)", GOODS)
    connection.close()
    return path


@pytest.fixture
def followed(world: World) -> Iterator[Followed]:
    world.jobs.start()
    made = Followed(world)
    yield made
    made.sources.stop()


def url(database: Path) -> str:
    return f"sqlite:///{database}"


def source_of(followed: Followed, database: Path, query: str, **config: object) -> Source:
    return followed.follow("sql", name="商品库", url=url(database), query=query, **config)


def change(database: Path, statement: str) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute(statement)
    connection.close()


def records(database: Path, query: str, **config: object) -> list[dict]:
    most = int(str(config.pop("max_rows", 100)))
    made = SqlConfig(url=url(database), query=query, **config)
    look = look_at(made, "", name="商品库", data=Path("/nowhere"), max_rows=most)
    (found,) = look.found
    content = found.content() if found.content else b""
    assert isinstance(content, bytes)
    return [json.loads(line) for line in content.splitlines()]


# --- Records ---------------------------------------------------------------------------


def test_each_row_is_a_record_headed_by_its_name(database: Path) -> None:
    first, second, third = records(database, "select * from 商品 order by id;")
    assert (first["id"], first["title"]) == ("1", "空气净化器")
    assert first["text"] == "单价：1280.5\n大区：华东\n日期：2024-05-01"
    assert "备注：含“充电器”" in second["text"]
    assert second["metadata"]["名称"] == "环境监测仪：便携"
    assert "备注" not in third["text"]


def test_columns_can_be_chosen(database: Path) -> None:
    (record, *_) = records(
        database,
        "select * from 商品 where 日期 like '2024-05%' and 名称 <> '12:30'",
        id_column="日期",
        title_column="大区",
        text_columns=["名称", "单价"],
    )
    assert (record["id"], record["title"]) == ("2024-05-01", "华东")
    assert record["text"] == "名称：空气净化器\n单价：1280.5"
    with pytest.raises(InvalidInput, match="标题") as raised:
        records(database, "select id, 名称 from 商品", title_column="标题")
    assert "id、名称" in raised.value.remedy


def test_codes_can_be_asked_for_and_running_numbers_say_nothing(database: Path) -> None:
    change(database, "create table 设备 (编号 text, 名称 text, 价格 real, 台数 integer)")
    change(database, "insert into 设备 values ('SB-002', '数控车床', 356000, 2)")
    (record,) = records(database, "select * from 设备")
    assert (record["id"], record["title"]) == ("SB-002", "数控车床")
    assert record["text"] == "编号：SB-002\n价格：356000\n台数：2"
    assert "id：" not in records(database, "select * from 商品")[0]["text"]


def test_too_many_rows_are_told(database: Path) -> None:
    assert len(records(database, "select * from 商品", max_rows=3)) == 3
    with pytest.raises(TooLarge):
        records(database, "select * from 商品", max_rows=2)
    with pytest.raises(TooLarge):
        records(database, "select * from 商品 limit 3", max_rows=2)


# --- Synchronising ---------------------------------------------------------------------


def test_rows_are_found_followed_and_taken_away(followed: Followed, database: Path) -> None:
    source = source_of(followed, database, "select * from 商品")
    assert followed.sync(source) == {"added": 1}
    (info,) = followed.documents().values()
    assert (info.name, info.status, info.chunk_count) == ("商品库.jsonl", "indexed", 3)
    assert info.metadata.source == "sqlite:///业务 数据.db"
    chunks = followed.world.catalog.chunks.of_document(info.id)
    assert {chunk.record_id for chunk in chunks} == {"1", "2", "3"}
    kept = {chunk.record_id: chunk.id for chunk in chunks}
    assert followed.sync(source) == {"unchanged": 1}

    change(database, "update 商品 set 单价 = 1390 where id = 1")
    change(database, "delete from 商品 where id = 3")
    embedded = len(followed.world.embedder.batches)
    assert followed.sync(source) == {"changed": 1}
    chunks = followed.world.catalog.chunks.of_document(info.id)
    assert {chunk.record_id for chunk in chunks} == {"1", "2"}
    assert any("1390" in chunk.text for chunk in chunks)
    # The row that stayed the same was not embedded again.
    assert {c.record_id: c.id for c in chunks}["2"] == kept["2"]
    assert sum(followed.world.embedder.batches[embedded:]) == 1

    change(database, "delete from 商品")
    assert followed.sync(source) == {"removed": 1}
    assert [info.hidden for info in followed.documents().values()] == [True]
    change(database, "insert into 商品 values (9, '新品', 1, '华北', '2024-07-01', null)")
    assert followed.sync(source) == {"changed": 1}
    (info,) = followed.documents().values()
    assert (info.hidden, info.chunk_count) == (False, 1)
    assert [item.key for item in followed.sources.items(ADMIN, source.id)] == [KEY]


def test_a_database_that_is_gone_loses_nothing(followed: Followed, database: Path) -> None:
    source = source_of(followed, database, "select * from 商品", removal="remove")
    followed.sync(source)
    database.rename(database.with_suffix(".bak"))
    with pytest.raises(NotFound):
        followed.sync(source)
    database.with_suffix(".bak").rename(database)
    change(database, "drop table 商品")
    with pytest.raises(QueryFailed):
        followed.sync(source)
    (info,) = followed.documents().values()
    assert not info.hidden
    failed = followed.sources.list(ADMIN)[0]
    assert failed.status == "failed" and "查询" in (failed.error or "")


# --- Reading only ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "  select * from t -- drop table t;\n where a = 'x; delete from t'",
        "WITH a AS (SELECT 1 AS n) SELECT n FROM a;",
        '(select "update" from t) union (select [insert] from u)',
        "/* set x */ select `create` from t",
    ],
)
def test_reading_queries(query: str) -> None:
    assert checked_query(query) == query.strip().rstrip(";").strip()


@pytest.mark.parametrize(
    "query",
    [
        "",
        "delete from t",
        "select 1; drop table t",
        "with a as (delete from t returning *) select * from a",
        "select * into u from t",
        "select * from t for update",
        "pragma journal_mode=wal",
        "attach 'x' as y",
        "explain select 1",
        "/* select */ update t set a=1",
        "select 1 /* ; */ ; select 2",
        "call p()",
        "select load_extension('x'); select 1",
    ],
)
def test_anything_else_is_refused(query: str) -> None:
    with pytest.raises(InvalidInput):
        checked_query(query)


@pytest.mark.parametrize(
    ("query", "dialect", "reads"),
    [
        ("select 1 /*! into outfile '/tmp/x' */", "mysql", False),
        ("select 1 /*!50000 into outfile '/tmp/x' */", "mysql", False),
        ("select 1 /*M! into outfile '/tmp/x' */", "mariadb", False),
        ("select a #>> '{x}'; delete from t", "postgresql", False),
        ("select a #>> '{b}' from t", "postgresql", True),
        ("select 1 # the latest update; really", "mysql", True),
        ("select 5--1; delete from t", "mysql", False),
        ("select 5 -- 1; delete from t", "mysql", True),
        (r"select E'\'' ; delete from t; --'", "postgresql", False),
        (r"select '\'; delete from t; select '", "postgresql", False),
        ("select 'it''s; update' from t", "postgresql", True),
        ("select '-- ' ; delete from t", "sqlite", False),
        ("select '/*' ; delete from t; select '*/'", "sqlite", False),
        ('select "a/*b" from t where c = 1 -- it\'s', "sqlite", True),
        ("select 1 -- it's fine\n; delete from t --'", "sqlite", False),
    ],
)
def test_comments_and_quotes_hide_nothing(query: str, dialect: str, reads: bool) -> None:
    if reads:
        assert checked_query(query, dialect) == query
        return
    with pytest.raises(InvalidInput):
        checked_query(query, dialect)


def test_the_connection_itself_can_only_read(database: Path) -> None:
    import sqlalchemy as sa

    before = database.read_bytes()
    with _engine(checked_url(url(database), Path("/nowhere")), "") as engine:
        for statement in ("delete from 商品", "create table x (a)", "pragma query_only = off"):
            with engine.connect() as connection:
                try:
                    connection.exec_driver_sql(statement)
                    connection.exec_driver_sql("delete from 商品")
                    connection.commit()
                except sa.exc.OperationalError as error:
                    assert "readonly" in str(error)
    assert database.read_bytes() == before


ENDLESS = (
    "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) as n from r"
)


def test_an_endless_query_ends(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "LONGEST_S", 0.3)
    config = SqlConfig(url=url(database), query=ENDLESS)
    with pytest.raises(QueryFailed):
        list(look_at(config, "", name="a", data=Path("/nowhere"), max_rows=10).found)


def test_an_endless_query_doesnt_keep_the_program_from_ending(
    followed: Followed, database: Path
) -> None:
    source = followed.follow("sql", url=url(database), query=ENDLESS)
    followed.sources.start()
    eventually(lambda: followed.sources.list(ADMIN)[0].status == "running")
    began = monotonic()
    followed.sources.stop()
    assert monotonic() - began < sql.LONGEST_S / 5
    assert followed.world.catalog.sources.get(source.id).status != "running"


def test_which_databases(followed: Followed, database: Path) -> None:
    data = followed.world.data
    for wrong in ("", "no url", "sqlite://", "sqlite:///:memory:", "sqlite:///file:x?mode=rw"):
        with pytest.raises(InvalidInput):
            checked_url(wrong, data)
    with pytest.raises(InvalidInput, match="密码"):
        checked_url("postgresql://u:secret@db/x", data)
    with pytest.raises(NotAllowed):
        checked_url(f"sqlite:///{data}/catalog.sqlite", data)
    with pytest.raises(NotAllowed):
        checked_url(f"sqlite:///{data}/../{data.name}/catalog.sqlite", data)
    with pytest.raises(NotFound):
        checked_url("sqlite:////nowhere/at/all.db", data)
    (database.parent / "link.db").symlink_to(data / "catalog.sqlite")
    with pytest.raises(NotAllowed):
        checked_url(f"sqlite:///{database.parent}/link.db", data)


def test_a_missing_driver_is_named(followed: Followed) -> None:
    source = followed.follow(
        "sql", name="甲骨文", url="oracle+cx_oracle://u@db/x", query="select 1", password="秘密"
    )
    with pytest.raises(QueryFailed) as raised:
        followed.sync(source)
    assert "pip install" in raised.value.remedy
    assert "秘密" not in raised.value.text() + raised.value.detail


def test_the_password_is_kept_apart(followed: Followed) -> None:
    source = followed.follow(
        "sql", name="库", url="mysql+pymysql://u@db/x", query="select 1", password="秘密"
    )
    assert followed.secrets.get(f"source:{source.id}") == "秘密"
    assert "秘密" not in source.model_dump_json()
    followed.sources.update(ADMIN, source.id, password="")
    assert not followed.secrets.has(f"source:{source.id}")
    followed.sources.update(ADMIN, source.id, password="新的")
    followed.sources.delete(ADMIN, source.id)
    assert not followed.secrets.has(f"source:{source.id}")


def test_the_community_package_is_only_loaded_when_it_is_needed() -> None:
    import subprocess

    code = "import sys, rag.ingest.sources; print([m for m in sys.modules if 'community' in m])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['rag.ingest.sources.community']"
