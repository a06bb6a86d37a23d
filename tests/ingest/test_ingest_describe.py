from __future__ import annotations

from datetime import date

import pytest
from ingest_inputs import document_of

from rag.errors import InvalidInput
from rag.ingest.describe import (
    describe,
    file_stem,
    find_region,
    find_type,
    for_passages,
    is_useful_title,
)
from rag.ingest.metadata import checked
from rag.ingest.parse.text import parse_text
from rag.types import Block, Document, DocumentMetadata


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


# --- People, sources, dates ------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "author", "source"),
    [
        ("作者：李新 来源：某某日报 时间：2023-05-06", "李新", "某某日报"),
        ("来源: 市人社局　　撰稿：王芳, 刘洋", "王芳、刘洋", "市人社局"),
        ("文/张三", "张三", None),
        ("Author: Jane Doe | Source: Example Weekly", "Jane Doe", "Example Weekly"),
        ("某某县第一初级中学 李新录", "李新录", None),
        ("李 雷", "李雷", None),
        ("编写说明：见附件", None, None),
        ("作者：2023年5月6日", None, None),
        ("资金来源：财政拨款", None, None),
        ("信息技术部 分机", None, None),
    ],
)
def test_authors_and_sources(line: str, author: str | None, source: str | None) -> None:
    found = titled("浅谈学校管理", line, "学校管理要从小事做起。")
    assert (found.author, found.source) == (author, source)


@pytest.mark.parametrize(
    ("lines", "organisation"),
    [
        (("杭州市人民政府文件", "各区："), "杭州市人民政府"),
        (("各单位：", "某某公积金管理中心", "二〇二二年六月二十日"), "某某公积金管理中心"),
        (("发文机关：某某市教育局", "各学校："), "某某市教育局"),
        (("联系我局。", "2022年6月20日"), None),
    ],
)
def test_issuers(lines: tuple[str, ...], organisation: str | None) -> None:
    assert titled("关于调整收费的通知", *lines).organisation == organisation


@pytest.mark.parametrize(
    ("clause", "expiry"),
    [
        ("本办法自2023年3月1日起施行，有效期至2024年2月。", date(2024, 2, 29)),
        ("本通知自二〇二三年三月一日起执行，有效期三年。", date(2026, 3, 1)),
        ("本规定自2023年3月1日起试行，试行期六个月。", date(2023, 9, 1)),
        ("自2023年3月1日起至2025年12月31日止执行。", date(2025, 12, 31)),
        ("本政策执行至2025年12月31日。", date(2025, 12, 31)),
        ("有效期：2023年1月1日至2023年12月31日", date(2023, 12, 31)),
        ("居住证有效期至2030年1月1日的，免予提交。", None),
        ("《旧办法》有效期至2020年1月1日。", None),
        ("居民身份证有效期十年。", None),
        ("合同期限为三年。", None),
    ],
)
def test_the_end_of_validity(clause: str, expiry: date | None) -> None:
    assert titled("某某办法", "发布日期：2023年1月1日", clause).expiry_date == expiry


@pytest.mark.parametrize(
    ("clause", "effective"),
    [
        ("本办法自二〇二三年五月一日起施行。", date(2023, 5, 1)),
        ("本办法自印发之日起30日后施行。", date(2023, 1, 31)),
        ("本办法自印发之日起施行。", date(2023, 1, 1)),
        ("本办法自2023年7月起执行。", date(2023, 7, 1)),
    ],
)
def test_the_beginning_of_validity(clause: str, effective: date) -> None:
    assert titled("某某办法", "印发日期：2023年1月1日", clause).effective_date == effective


# --- Years of parts, products ----------------------------------------------------------


def test_parts_about_several_years_leave_the_year_open() -> None:
    by_heading = describe(
        document_of(
            Block(kind="heading", text="停车收费规定", level=1),
            Block(kind="paragraph", text="发布日期：2031年1月5日"),
            Block(kind="heading", text="2031年度标准", level=2),
            Block(kind="heading", text="2032年度标准", level=2),
        )
    )
    rows = (("车型", "2031年", "2032年"), ("小车", "5", "6"))
    by_column = describe(
        document_of(
            Block(kind="heading", text="停车收费规定", level=1),
            Block(kind="paragraph", text="发布日期：2031年1月5日"),
            Block(kind="table", text="略", rows=rows),
        )
    )
    assert (by_heading.year, by_column.year) == (None, None)
    assert titled("2031年停车收费规定", "2030年度的标准已废止。").year == 2031


@pytest.mark.parametrize(
    ("title", "product"),
    [
        ("云岭科技产品价格表（2024年）", None),
        ("产品价格表", None),
        ("全系列产品使用说明书", None),
        ("设备维护手册", None),
        ("ZW-200监测仪价格表", "ZW-200监测仪"),
    ],
)
def test_a_price_list_is_of_no_product_called_product(title: str, product: str | None) -> None:
    assert titled(title).product == product


# --- Keywords and summary --------------------------------------------------------------


RULE = (
    "第一条 为支持人才安居，规范租房补贴的发放，制定本办法。",
    "第二条 租房补贴按月发放，硕士每月1500元，博士每月2000元。",
    "第三条 申请租房补贴应当在本市连续缴纳社会保险满六个月。",
    "联系电话：010-0000-0000",
    "第四条 本办法自2023年3月1日起施行。",
)


def test_keywords_are_the_telling_words() -> None:
    found = titled("人才租房补贴办法", *RULE)
    assert any("租房补贴" in word for word in found.keywords)
    assert not {"办法", "应当", "第一条", "施行"} & set(found.keywords)


def test_the_summary_is_made_of_whole_sentences_in_order() -> None:
    found = titled("人才租房补贴办法", *RULE)
    assert found.summary is not None
    assert found.summary.startswith("租房补贴按月发放，硕士每月1500元，博士每月2000元。")
    assert "制定本办法" not in found.summary
    assert "电话" not in found.summary and len(found.summary) <= 200


def of_text(text: str) -> DocumentMetadata:
    pages = parse_text(text)
    return describe(Document(name="a.txt", media_type="text/plain", pages=pages))


REGULATION = """星河市城市照明管理办法
星河发〔2023〕12号　　2023年3月1日

第一条 为了加强城市照明管理，改善环境，根据《城市照明管理规定》，制定本办法。
第二条 本办法适用于本市道路、广场照明设施的规划、建设和维护。
第三条 照明设施亮灯率主干道不低于98%，次干道不低于96%。
第四条 本办法由市城管局负责解释。
第五条 本办法自2023年4月1日起施行。
"""
NOTICE = """关于做好汛期值班工作的通知

各科室：
为切实做好今年防汛工作，现将汛期值班有关事项通知如下：
一、值班补助
工作日每班80元，节假日每班200元。
特此通知。

青山水库管理处　　2024年5月20日
"""
CONTRACT = """设备租赁合同

甲方（出租方）：云帆租赁有限公司
乙方（承租方）：恒达建设有限公司
根据《中华人民共和国民法典》，双方本着平等自愿的原则，就租赁事宜达成如下协议：
第一条 租赁物：塔式起重机2台，型号QTZ80。
第二条 租金每台每月18,600元，乙方于每月5日前支付。
第三条 本合同未尽事宜，由双方协商解决。

签订日期：2024年2月20日
"""
MINUTES = """第三季度产品例会纪要

会议时间：2024年7月12日 14:00
参会人员：陆遥、温若兰、骆怀远
会议决定：新版控制器于9月15日前完成试产，由温若兰负责。
大家就下一步工作进行了热烈讨论，气氛非常好。
"""


@pytest.mark.parametrize(
    ("text", "told", "untold"),
    [
        (REGULATION, ("适用于本市道路", "主干道不低于98%"), ("制定本办法", "负责解释", "12号")),
        (NOTICE, ("值班补助：工作日每班80元",), ("通知如下", "特此", "管理处")),
        (
            CONTRACT,
            ("甲方（出租方）云帆租赁有限公司，乙方（承租方）恒达建设有限公司。", "18,600元"),
            ("平等自愿", "未尽事宜"),
        ),
        (MINUTES, ("9月15日前完成试产，由温若兰负责",), ("热烈讨论",)),
    ],
    ids=["regulation", "notice", "contract", "minutes"],
)
def test_the_summary_says_what_the_document_regulates(
    text: str, told: tuple[str, ...], untold: tuple[str, ...]
) -> None:
    summary = of_text(text).summary or ""
    assert [part for part in told if part not in summary] == []
    assert [part for part in untold if part in summary] == []


@pytest.mark.parametrize(
    ("text", "published"),
    [
        (REGULATION, date(2023, 3, 1)),
        (NOTICE, date(2024, 5, 20)),
        (CONTRACT, date(2024, 2, 20)),
        (MINUTES, date(2024, 7, 12)),
        (
            "大桥合龙\n\n2023-05-01 10:22 来源：海州日报 记者：林岫\n\n大桥全长3.86公里。",
            date(2023, 5, 1),
        ),
        ("菜场完工\n\n2024-02-11 08:15 滨江晚报 记者 邬棠\n\n摊位112个。", date(2024, 2, 11)),
        (
            "养犬条例\n（2022年8月26日市人大常委会第四次会议通过　自2023年1月1日起施行）\n\n"
            "第一条 每户限养一只。",
            date(2022, 8, 26),
        ),
        (
            "通知\n\n请各单位执行，逾期不候。\n\n市应急管理局办公室　　2024年6月3日印发",
            date(2024, 6, 3),
        ),
        ("办法\n\n第一条 自2024年5月1日起，每人每月补贴2000元。", None),
        ("年会安排\n\n2025年1月10日 14:00 在三楼会议室召开年会，请准时参加。", None),
    ],
)
def test_where_a_text_tells_its_date(text: str, published: date | None) -> None:
    assert of_text(text).publish_date == published


def test_a_date_beside_the_number_hides_neither_and_who_signed_is_known() -> None:
    assert of_text(REGULATION).document_number == "星河发〔2023〕12号"
    assert of_text(REGULATION).effective_date == date(2023, 4, 1)
    assert of_text(NOTICE).organisation == "青山水库管理处"


def test_the_summary_of_a_table_names_its_columns() -> None:
    rows = (("型号", "单价（元）"), ("ZW-100", "1280"), ("ZW-200", "1880"))
    block = Block(kind="table", text="| 型号 | 单价（元） |" * 9, rows=rows)
    assert describe(document_of(block)).summary == "表格，列为型号、单价（元），共2行。"


def test_long_documents_cost_no_more() -> None:
    blocks = [Block(kind="paragraph", text=f"第{n}段，水泵每月检修。" * 20) for n in range(5000)]
    document = document_of(Block(kind="heading", text="水泵检修规程", level=1), *blocks)
    assert "水泵" in describe(document).keywords


# --- Editors ---------------------------------------------------------------------------


def test_what_an_editor_set_wins_and_what_they_emptied_stays_empty() -> None:
    document = document_of(
        Block(kind="heading", text="北京市2024年办法", level=1),
        metadata=DocumentMetadata(region="上海"),
    )
    edited = {"region": "浙江/杭州", "year": None, "expiry_date": "2030-01-01"}
    edited |= {"keywords": ["补贴"]}
    found = describe(document, edited)
    assert (found.region, found.year) == ("浙江/杭州", None)
    assert (found.expiry_date, found.keywords) == (date(2030, 1, 1), ("补贴",))
    assert found.title == "北京市2024年办法"


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ({"publish_date": "2024年5月1日"}, {"publish_date": "2024-05-01"}),
        ({"year": " 2024年 "}, {"year": 2024}),
        ({"region": "浙江省杭州市"}, {"region": "浙江/杭州"}),
        ({"keywords": "租房，补贴"}, {"keywords": ("租房", "补贴")}),
        ({"title": "  ", "author": None}, {"title": None, "author": None}),
    ],
)
def test_values_of_editors_are_stored_typed(values: dict, kept: dict) -> None:
    assert checked(values) == kept


@pytest.mark.parametrize(
    "values",
    [
        {"publish_date": "去年"},
        {"year": "第3版"},
        {"region": "火星"},
        {"title": "长" * 501},
        {"access": "kb2"},
        {"document_type": "一" * 21},
    ],
)
def test_wrong_values_are_refused(values: dict) -> None:
    with pytest.raises(InvalidInput):
        checked(values)


def test_passages_don_t_carry_the_summary() -> None:
    about = titled("人才租房补贴办法", *RULE)
    carried = for_passages(about)
    assert carried.summary is None and carried.keywords == ()
    assert (carried.title, carried.effective_date) == (about.title, about.effective_date)
