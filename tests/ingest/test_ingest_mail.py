from __future__ import annotations

from datetime import UTC, date, datetime
from email.message import EmailMessage
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path

import pytest
from ingest_inputs import docx, read, rows, texts
from ingest_mail_inputs import attachment, compound_file, inner_mail, message

from rag.errors import CorruptDocument
from rag.ingest.flags import flag_text
from rag.ingest.markdown import to_markdown
from rag.ingest.parse.mail import parse_eml, parse_msg
from rag.settings import IngestSettings

SETTINGS = IngestSettings(ocr="off")
BODY = (
    "各位同事：\n\n　　国庆节放假时间为10月1日至10月8日，共8天。\n\n请提前安排好工作。\n\n"
    "发自我的iPhone\n"
)


def eml(path: Path, mail: EmailMessage | bytes) -> Path:
    path.write_bytes(mail if isinstance(mail, bytes) else bytes(mail))
    return path


def mail_of(
    body: str = BODY, subject: str = "关于国庆节放假的通知", **options: str
) -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = subject
    mail["From"] = '"张三" <zhangsan@example.com>'
    mail["To"] = "全体员工 <all@example.com>"
    mail["Date"] = "Fri, 20 Sep 2024 09:30:00 +0800"
    mail.set_content(body, **options)  # type: ignore[arg-type]
    return mail


@pytest.mark.parametrize("charset", ["utf-8", "gb2312", "gb18030"])
@pytest.mark.parametrize("cte", ["base64", "quoted-printable"])
def test_charsets_and_transfer_encodings(tmp_path: Path, charset: str, cte: str) -> None:
    document = read(eml(tmp_path / "a.eml", mail_of(charset=charset, cte=cte)), settings=SETTINGS)
    text = to_markdown(document)
    assert document.title == "关于国庆节放假的通知"
    assert "共8天" in text and "发件人：张三 <zhangsan@example.com>" in text
    assert "日期：2024-09-20 09:30" in text
    assert "iPhone" not in text
    assert document.metadata.publish_date == date(2024, 9, 20)


def test_raw_bytes_in_headers_and_a_wrong_charset(tmp_path: Path) -> None:
    raw = (
        "From: 李四 <l@example.com>\r\nSubject: 会议通知\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: 8bit\r\n\r\n明天下午三点开会。\r\n"
    ).encode("gbk")
    pages, title, _, _ = parse_eml(eml(tmp_path / "a.eml", raw), SETTINGS)
    assert title == "会议通知"
    assert pages[0].blocks[-1].text == "明天下午三点开会。"


def test_a_word_that_two_encoded_words_cut(tmp_path: Path) -> None:
    raw = (
        b"From: a@example.com\r\nSubject: =?gb2312?B?udjT2g==?=\r\n =?gb2312?B?t8W82Q==?=\r\n"
        b"\r\ntext\r\n"
    )
    assert parse_eml(eml(tmp_path / "a.eml", raw), SETTINGS)[1] == "关于放假"


def test_html_only_keeps_its_table(tmp_path: Path) -> None:
    html = (
        "<html><body><div style='display:none'>预览文字</div><p>报价如下：</p><table>"
        "<tr><th>型号</th><th>价格</th></tr><tr><td>X100</td><td>1,299.00</td></tr></table></body></html>"
    )
    part = MIMEText(html, "html", "gb18030")
    part["From"], part["Subject"] = "a@example.com", "报价"
    document = read(eml(tmp_path / "a.eml", part.as_bytes()), settings=SETTINGS)
    assert rows(document) == [[("型号", "价格"), ("X100", "1,299.00")]]
    assert "预览文字" not in to_markdown(document)


def test_quoted_history_is_kept_once_under_headings(tmp_path: Path) -> None:
    body = (
        "同意，请按此执行。\n\n------------------ 原始邮件 ------------------\n"
        '发件人: "李四" <li@example.com>;\n发送时间: 2024年9月19日(星期四) 下午3:00\n'
        '收件人: "张三" <z@example.com>;\n主题: 采购申请\n\n'
        "申请采购打印机两台，预算不超过5000元。\n\n"
        "2024-09-18 10:00，王五 <w@example.com> 写道：\n"
        "> 打印机坏了，需要换新的，请尽快处理。\n> \n"
        "> 申请采购打印机两台，预算不超过5000元。\n"
    )
    document = read(eml(tmp_path / "a.eml", mail_of(body, "回复: 采购申请")), settings=SETTINGS)
    headings = [b.text for b in document.blocks if b.kind == "heading"]
    assert headings[1].startswith('原邮件："李四" <li@example.com>，2024年9月19日')
    assert headings[2] == "原邮件：2024-09-18 10:00，王五 <w@example.com>"
    text = to_markdown(document)
    assert text.count("预算不超过5000元") == 1
    assert "打印机坏了，需要换新的，请尽快处理。" in texts(document)
    assert "quotes_merged" in document.flags


def test_attachments_follow_under_their_names(tmp_path: Path) -> None:
    mail = mail_of("见附件。")
    word = docx(tmp_path / "b.docx", lambda d: d.add_paragraph("附件里的规定：每月报销一次。"))
    mail.add_attachment(
        word.read_bytes(), maintype="application", subtype="octet-stream", filename="报销规定.docx"
    )
    mail.add_attachment(
        "姓名,年龄\n张三,20\n".encode("gbk"), maintype="text", subtype="csv", filename="名单.csv"
    )
    mail.add_attachment(b"\x00\x01" * 500, maintype="application", subtype="x", filename="程序.bin")
    document = read(eml(tmp_path / "a.eml", mail), settings=SETTINGS)
    assert [p.number for p in document.pages] == [1, 2, 3]
    assert all(b.page == p.number for p in document.pages for b in p.blocks)
    assert document.pages[1].blocks[0].text == "附件：报销规定.docx"
    assert "每月报销一次" in document.pages[1].blocks[1].text
    assert rows(document) == [[("姓名", "年龄"), ("张三", "20")]]
    assert "附件：报销规定.docx、名单.csv、程序.bin" in texts(document)
    assert "attachments_unread:程序.bin" in document.flags


def test_mails_in_mails_are_opened_to_depth_two(tmp_path: Path) -> None:
    innermost = mail_of("第三层的内容，太深了。", "三层")
    third = mail_of("第二层的内容。", "二层")
    third.add_attachment(innermost)
    second = mail_of("第一层的内容。", "一层")
    second.add_attachment(third)
    first = mail_of("转发，请看附件。", "转发")
    first.add_attachment(second)
    document = read(eml(tmp_path / "a.eml", first), settings=SETTINGS)
    text = to_markdown(document)
    assert "第一层的内容" in text and "第二层的内容" in text
    assert "第三层的内容" not in text
    assert "附件：三层.eml" in text
    assert document.flags == ("nested_unread:三层.eml",)
    assert flag_text(document.flags[0]) == "嵌套过深的邮件或附件未收录（三层.eml）"


def test_what_attached_mails_leave_unread_is_named(tmp_path: Path) -> None:
    second = mail_of("第一层的内容。", "一层")
    second.add_attachment(
        b"\x00\x01" * 500, maintype="application", subtype="x", filename="程序.bin"
    )
    first = mail_of("转发，请看附件。", "转发")
    first.add_attachment(second)
    assert "attachments_unread:程序.bin" in read(eml(tmp_path / "a.eml", first)).flags


def test_parts_nested_too_deep_are_flagged(tmp_path: Path) -> None:
    part: MIMEBase = MIMEText("最里面的正文。", "plain", "utf-8")
    for _ in range(40):
        outer = MIMEMultipart()
        outer.attach(part)
        part = outer
    outer.attach(MIMEText("外面的正文。", "plain", "utf-8"))
    outer["From"], outer["Subject"] = "a@example.com", "层层"
    document = read(eml(tmp_path / "a.eml", bytes(outer)), settings=SETTINGS)
    assert "nested_unread:层层" in document.flags


def test_a_saved_web_page_is_read_as_one(tmp_path: Path) -> None:
    raw = (
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.com/a\r\n"
        "Subject: 页面\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
        "<html><head><title>办事指南</title></head><body><nav><a>首页</a></nav><p>周一至周五办理，"
        "请带身份证原件。</p></body></html>\r\n--b--\r\n"
    ).encode()
    pages, title, metadata, _ = parse_eml(eml(tmp_path / "a.mht", raw), SETTINGS)
    assert title == "办事指南"
    assert [b.text for b in pages[0].blocks] == ["办事指南", "周一至周五办理，请带身份证原件。"]
    assert metadata == {"source": "https://example.com/a"}


def test_an_outlook_mail(tmp_path: Path) -> None:
    tree = message(
        subject="项目进度", body="本周完成了接口联调。\r\n\r\n下周上线。", sender="张三",
        address="z@example.com", to="李四; 王五", date=datetime(2024, 9, 20, 1, 30, tzinfo=UTC),
        attachments=(
            attachment("说明.txt", "上线步骤：先备份，再发布。".encode()),
            inner_mail(message(subject="原始需求", body="需要支持导出。", top=False)),
        ),
    )  # fmt: skip
    document = read(compound_file(tmp_path / "a.msg", tree), settings=SETTINGS)
    text = to_markdown(document)
    assert document.title == "项目进度"
    assert "发件人：张三 <z@example.com>\n收件人：李四; 王五" in text
    assert "先备份，再发布" in text and "# 附件：说明.txt" in text
    assert "## 原始需求" in text and "需要支持导出。" in text
    assert document.metadata.publish_date == date(2024, 9, 20)


@pytest.mark.parametrize("codepage", [936, 0])
def test_an_outlook_mail_without_unicode(tmp_path: Path, codepage: int) -> None:
    tree = message(subject="关于放假的通知", body="放假三天，请各部门安排值班。", codepage=codepage)
    pages, title, _, _ = parse_msg(compound_file(tmp_path / "a.msg", tree), SETTINGS)
    assert title == "关于放假的通知"
    assert pages[0].blocks[-1].text.rstrip("\0") == "放假三天，请各部门安排值班。"


def test_an_outlook_mail_in_html(tmp_path: Path) -> None:
    html = "<html><head><meta charset='gb2312'></head><body><p>会议改到周五下午。</p></body></html>"
    tree = message(subject="会议", html=html.encode("gbk"))
    pages, _, _, _ = parse_msg(compound_file(tmp_path / "a.msg", tree), SETTINGS)
    assert [b.text for b in pages[0].blocks] == ["会议", "会议改到周五下午。"]


def test_a_damaged_outlook_mail_is_refused(tmp_path: Path) -> None:
    path = compound_file(tmp_path / "a.msg", message(subject="会议", body="内容"))
    path.write_bytes(path.read_bytes()[:700])
    with pytest.raises(CorruptDocument):
        parse_msg(path, SETTINGS)
