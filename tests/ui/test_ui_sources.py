"""Sources on the documents page: added, paused, run, deleted; refused in words."""

from __future__ import annotations

import pytest
from page_reading import buttons, field, press, text_of


@pytest.fixture
def base(application):
    return application.add("制度", {"甲.txt": "甲的一段。"})


def at_sources(visit, **options):
    at = visit("documents", **options)
    at.button_group(key="documents-view").set_value("sources").run()
    assert not at.exception
    return at


def test_a_folder_is_followed_paused_and_deleted(visit, application, base, tmp_path):
    application.settings.update("sources", {"folder_roots": (str(tmp_path),)})
    at = at_sources(visit, admin=True)
    press(at, "添加文件夹").run()
    field(at.text_input, "名称").set_value("共享盘")
    field(at.text_input, "服务器上的文件夹路径").set_value(str(tmp_path))
    press(at, "添加并开始同步").run()
    assert not at.exception
    (source,) = application.catalog.sources.list(base)
    assert (source.name, source.kind, source.config["path"]) == ("共享盘", "folder", str(tmp_path))
    assert "共享盘" in text_of(at.run())
    press(at, "暂停").run()
    assert not application.catalog.sources.get(source.id).enabled
    press(at.run(), "继续").run()
    assert application.catalog.sources.get(source.id).enabled
    [b for b in at.run().button if b.label == "删除"][-1].click().run()
    assert "以后不再同步；已收录的文档留在知识库里" in text_of(at)
    press(at, "删除这个来源").run()
    assert application.catalog.sources.list(base) == []


def test_a_folder_outside_the_allowed_ones_is_refused(visit, application, base, tmp_path):
    at = at_sources(visit, admin=True)
    press(at, "添加文件夹").run()
    field(at.text_input, "名称").set_value("系统")
    field(at.text_input, "服务器上的文件夹路径").set_value("/etc")
    press(at, "添加并开始同步").run()
    assert "不在允许" in text_of(at)
    assert application.catalog.sources.list(base) == []


def test_a_password_is_kept_apart(visit, application, base):
    at = at_sources(visit, admin=True)
    press(at, "添加数据库").run()
    field(at.text_input, "名称").set_value("工单库")
    field(at.text_input, "数据库地址（不含密码）").set_value("postgresql://reader@db.example/desk")
    field(at.text_input, "密码（可不填）").set_value("secret-word")
    field(at.text_area, "查询语句（SELECT）").set_value("select id, title from tickets")
    press(at, "添加并开始同步").run()
    assert not at.exception
    (source,) = application.catalog.sources.list(base)
    assert "secret-word" not in source.model_dump_json()
    assert application.secrets.get(f"source:{source.id}") == "secret-word"


@pytest.mark.parametrize(
    ("allowed", "says"), [(False, "不访问内网地址"), (True, "管理员允许访问内网地址")]
)
def test_whether_private_addresses_are_reached_is_told_as_it_is(
    visit, application, base, allowed, says
):
    application.settings.update("sources", {"allow_private": allowed})
    at = at_sources(visit, admin=True)
    press(at, "添加网站").run()
    assert says in text_of(at)


def test_guests_add_nothing(visit, base):
    at = at_sources(visit)
    assert "请用编辑账号登录" in text_of(at)
    assert not {"添加网站", "添加文件夹", "添加数据库"} & set(buttons(at))
