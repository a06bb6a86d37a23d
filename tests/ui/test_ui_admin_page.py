"""Setup, sign-in and the admin page; who may reach what."""

from __future__ import annotations

import pytest
from page_reading import buttons, field, press, text_of
from stand_in import ADMIN

SECTIONS = ["models", "retrieval", "answer", "prompts", "users", "ingest", "health"]


def section(at, name):
    return at.button_group(key="admin-section").set_value(name).run()


def fill(at, **values):
    for label, value in values.items():
        field(at.text_input, label).set_value(value)
    return at


def test_the_setup_code_makes_the_first_administrator(visit, application):
    at = visit("sign_in")
    code = application.accounts.setup_code()
    fill(at, 一次性设置码=code, 用户名="管理员")
    at.text_input[2].set_value(ADMIN[1])
    at.text_input[3].set_value(ADMIN[1])
    press(at, "创建管理员").run()
    assert not application.accounts.setup_needed()
    assert "管理员" in text_of(at)


@pytest.mark.parametrize("code", ["", "ABCD-1234", "`\"'<b>", "😀", "码" * 80])
def test_a_wrong_setup_code_is_refused_in_words(visit, application, code):
    at = visit("sign_in")
    fill(at, 一次性设置码=code, 用户名="管理员")
    at.text_input[2].set_value(ADMIN[1])
    at.text_input[3].set_value(ADMIN[1])
    press(at, "创建管理员").run()
    assert application.accounts.setup_needed()
    assert not at.exception


def test_passwords_that_differ_are_noticed(visit, application):
    at = visit("sign_in")
    fill(at, 一次性设置码="x", 用户名="管理员")
    at.text_input[2].set_value("aaaaaaaaa")
    at.text_input[3].set_value("bbbbbbbbb")
    press(at, "创建管理员").run()
    assert "不一样" in text_of(at)


@pytest.mark.parametrize(("password", "works"), [(ADMIN[1], True), ("wrong password", False)])
def test_signing_in(visit, application, password, works):
    application.add_admin()
    at = fill(visit("sign_in"), 用户名=ADMIN[0], 密码=password)
    [b for b in at.button if b.label == "登录"][-1].click().run()
    signed_in = "退出登录" in buttons(at)
    assert signed_in is works


def test_signing_out_ends_the_session(visit, application):
    at = visit(admin=True)
    press(at, "退出登录").run()
    assert application.accounts.person("s" * 43).role == "guest"


def test_a_guest_cannot_open_the_admin_page(visit, application):
    application.add_admin()
    at = visit()
    with pytest.raises(Exception, match=r"pages/admin.py|Could not find page"):
        at.switch_page("pages/admin.py").run()
        if "测试连接" not in buttons(at) and "添加模型" not in buttons(at):
            raise LookupError("Could not find page")


@pytest.mark.parametrize("name", SECTIONS)
def test_each_section_opens(visit, name):
    at = section(visit("admin", admin=True), name)
    assert not at.exception
    assert "出了意外" not in text_of(at)


def test_a_setting_is_saved_marked_and_reset(visit, application):
    at = section(visit("admin", admin=True), "retrieval")
    field(at.number_input, "交给回答的段落数").set_value(9).run()
    press(at, "保存 1 项改动").run()
    assert application.settings.current.retrieval.top_k == 9
    assert "已修改" in text_of(at)
    press(at, "恢复默认").run()
    assert application.settings.current.retrieval.top_k == 6
    assert "已修改" not in text_of(at)


def test_a_chat_profile_is_added_and_its_key_never_shown(visit, application):
    at = visit("admin", admin=True)
    press(at, "添加模型").run()
    fill(
        at,
        **{
            "名称": "本地",
            "接口地址（写到 /v1）": "http://127.0.0.1:9/v1",
            "模型名": "m",
            "密钥": "sk-secret",
        },
    )
    press(at, "保存模型").run()
    assert application.settings.current.chat.profiles[0].name == "本地"
    assert application.secrets.get("chat:本地") == "sk-secret"
    assert "密钥已设置" in text_of(at)
    press(at, "修改").run()
    assert "sk-secret" not in str(at)
    assert field(at.text_input, "密钥").value == ""


@pytest.mark.parametrize("address", ["", "ftp://x", "javascript:alert(1)", "没有协议", "`\"'"])
def test_a_wrong_address_is_refused_in_words(visit, application, address):
    at = visit("admin", admin=True)
    press(at, "添加模型").run()
    fill(at, **{"名称": "坏", "接口地址（写到 /v1）": address, "模型名": "m"})
    press(at, "保存模型").run()
    assert application.settings.current.chat.profiles == ()
    assert "接口地址" in text_of(at)


def test_a_broken_prompt_is_refused_and_the_old_one_kept(visit, application):
    at = section(visit("admin", admin=True), "prompts")
    at.text_area[0].set_value('没有占位符：`"{{').run()
    press(at, "保存提示词").run()
    assert application.catalog.prompts.load() == {}
    assert "格式不正确" in text_of(at)


def test_a_prompt_is_changed_previewed_and_reset(visit, application):
    at = section(visit("admin", admin=True), "prompts")
    at.text_area[0].set_value(at.text_area[0].value + "\n# 改过\n").run()
    press(at, "保存提示词").run()
    name = at.selectbox(key="prompt-name").value
    assert name in application.catalog.prompts.load()
    press(at, "预览").run()
    assert at.code
    press(at, "恢复默认提示词").run()
    [b for b in at.button if b.label == "恢复默认提示词"][-1].click().run()
    assert application.catalog.prompts.load() == {}


def test_users_are_added_and_disabled(visit, application):
    at = section(visit("admin", admin=True), "users")
    press(at, "添加用户").run()
    fill(at, 用户名="小王")
    field(at.text_input, "初始密码（至少 8 位）").set_value("password 123")
    [b for b in at.button if b.label == "添加用户"][-1].click().run()
    assert "小王" in text_of(at)
    press(at, "停用").run()
    [b for b in at.button if b.label == "停用"][-1].click().run()
    assert "已停用" in text_of(at)


def test_visitors_must_sign_in_when_guests_are_off(visit, application):
    application.add_admin()
    application.settings.update("interface", {"guests": False})
    at = visit()
    assert not at.chat_input
    assert field(at.text_input, "用户名") is not None
