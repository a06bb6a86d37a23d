from __future__ import annotations

from datetime import date

import pytest
from ingest_inputs import document_of

from rag.ingest.describe import describe, file_stem, find_region, find_type, is_useful_title
from rag.types import Block, DocumentMetadata


def titled(title: str, *paragraphs: str, name: str = "文件.md") -> DocumentMetadata:
    blocks = [Block(kind="paragraph", text=text) for text in paragraphs]
    return describe(document_of(Block(kind="heading", text=title, level=1), *blocks, name=name))


@pytest.mark.parametrize(
    ("title", "region"),
    [
        ("山东省专利条例", "山东"),
        ("浙江省杭州市人才引进办法", "浙江/杭州"),
        ("上海市商品交易市场管理条例", "上海"),
        ("北京经济技术开发区条例", "北京"),
        ("北京市实施《中华人民共和国动物防疫法》办法", "北京"),
        ("关于修改《重庆市邮政条例》的决定", "重庆"),
        ("中华人民共和国反洗钱法", None),
        ("北京大学章程", None),
        ("北京与上海人才政策对比", None),
        ("员工手册", None),
    ],
)
def test_region_of_a_title(title: str, region: str | None) -> None:
    assert find_region(title) == region


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("人才租房补贴实施办法（2023年）", "办法"),
        ("关于印发《差旅管理办法》的通知", "通知"),
        ("中华人民共和国民法典", "法"),
        ("中华人民共和国劳动法", "法"),
        ("云岭科技员工手册（2024版）", "手册"),
        ("常见问题", "FAQ"),
        ("第三季度产品例会纪要", "纪要"),
        ("产品价格表", "价格表"),
        ("操作方法", None),
    ],
)
def test_type_of_a_title(title: str, kind: str | None) -> None:
    assert find_type(title) == kind


def test_the_year_in_the_title_wins_over_dates_in_the_text() -> None:
    found = titled("2024年人才补贴办法", "发布日期：2023年12月28日", "自2025年1月1日起施行。")
    assert found.year == 2024
    assert found.publish_date == date(2023, 12, 28)
    assert found.effective_date == date(2025, 1, 1)


def test_a_document_about_two_years_belongs_to_neither() -> None:
    found = titled("停车收费规定（2031年度与2032年度）", "自2031年1月1日起执行。")
    assert found.year is None


def test_without_a_year_in_the_title_the_last_change_counts() -> None:
    found = titled(
        "河南省人才流动条例",
        "2000年9月27日 河南省第九届人民代表大会常务委员会第五次会议通过",
        "2004年11月26日 河南省第十届人大常委会《关于修改〈河南省人才流动条例〉的决定》修正",
        "第一条 为了促进人才流动，1999年的旧规定不再适用。",
    )
    assert found.year == 2004
    assert found.publish_date == date(2004, 11, 26)


def test_the_effective_date_of_another_document_is_not_ours() -> None:
    found = titled(
        "某市办法",
        "第一条 《旧办法》自2001年5月1日起施行。",
        "第九条 本办法自2019年7月1日起施行，《旧办法》同时废止。",
    )
    assert found.effective_date == date(2019, 7, 1)


def test_validity() -> None:
    assert titled("办法", "自2023年3月1日起施行，有效期至2024年2月29日。").expiry_date == date(
        2024, 2, 29
    )
    assert titled("办法", "自2023年3月1日起施行，有效期五年。").expiry_date == date(2028, 3, 1)


def test_number_organisation_and_signature() -> None:
    found = titled(
        "关于调整住房公积金缴存基数的通知",
        "杭公积金〔2022〕15号",
        "各单位：请按时调整。依据国发〔2019〕3号文件执行。",
        "杭州住房公积金管理中心",
        "二〇二二年六月二十日",
    )
    assert found.document_number == "杭公积金〔2022〕15号"
    assert found.publish_date == date(2022, 6, 20)
    assert found.document_type == "通知"
    assert found.year == 2022


def test_product_and_company() -> None:
    found = titled("ZW-100环境监测仪用户手册", "云岭科技有限公司")
    assert found.product == "ZW-100环境监测仪"
    assert found.organisation == "云岭科技有限公司"
    assert titled("云岭科技员工手册").product is None


def test_the_file_name_helps_where_the_text_is_silent() -> None:
    found = titled("实施细则", "第一条 略。", name="深圳市2023年_人才补贴.docx")
    assert found.title == "实施细则"
    assert found.region == "广东/深圳"
    assert found.year == 2023


def test_stated_metadata_wins() -> None:
    document = document_of(
        Block(kind="heading", text="北京市2024年办法", level=1),
        metadata=DocumentMetadata(region="上海", year=2020),
    )
    found = describe(document)
    assert (found.region, found.year, found.title) == ("上海", 2020, "北京市2024年办法")


def test_records_don_t_speak_for_the_whole_file() -> None:
    record = Block(kind="paragraph", text="2021年5月1日起施行。", record_id="1")
    found = describe(document_of(record, name="常见问题.jsonl"))
    assert found.title == "常见问题"
    assert found.effective_date is None


@pytest.mark.parametrize(
    ("title", "useful"),
    [
        ("Microsoft Word - 文档1.doc", False),
        ("无标题", False),
        ("年假管理规定", True),
        ("2.pdf", False),
    ],
)
def test_titles_in_file_properties(title: str, useful: bool) -> None:
    assert is_useful_title(title) is useful


def test_file_names_become_titles() -> None:
    assert file_stem("员工_手册 v2.pdf") == "员工 手册 v2"
    assert file_stem("C:\\资料\\年假.docx") == "年假"
