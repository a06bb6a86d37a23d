"""Which line of a document is its title, who issued it, and what is neither."""

from __future__ import annotations

import pytest
from ingest_inputs import document_of

from rag.ingest.describe import describe
from rag.ingest.table import to_markdown
from rag.types import Block, DocumentMetadata


def heading(text: str, level: int = 1) -> Block:
    return Block(kind="heading", text=text, level=level)


def paragraph(text: str) -> Block:
    return Block(kind="paragraph", text=text)


def found(*blocks: Block, name: str = "scan 07.pdf") -> DocumentMetadata:
    return describe(document_of(*blocks).model_copy(update={"name": name}))


def table(*rows: tuple[str, ...]) -> Block:
    return Block(kind="table", text=to_markdown(rows), rows=rows)


def test_below_a_red_head_stands_the_title() -> None:
    made = found(
        heading("青岚县人民政府文件"),
        paragraph("青政发〔2026〕7号"),
        heading("青岚县人民政府关于印发《医共体建设实施方案》的通知"),
        paragraph("各乡镇人民政府：\n\n结余留用比例为80%。"),
    )
    assert made.title == "青岚县人民政府关于印发《医共体建设实施方案》的通知"
    assert made.organisation == "青岚县人民政府"
    assert made.document_type == "通知"
    assert made.region != "青海"


FORM = table(("姓名", "欧阳靖", "科室", "内分泌科"), ("床号", "12", "住院号", "Z99012"))


@pytest.mark.parametrize(
    ("blocks", "title"),
    [
        ((paragraph("入院登记表"), FORM), "入院登记表"),
        (
            (
                paragraph("社区志愿者登记表"),
                heading("姓名： 欧阳若溪"),
                paragraph("时长： 128小时"),
            ),
            "社区志愿者登记表",
        ),
        (
            (
                paragraph("南浦大道改造工程"),
                paragraph("招标文件"),
                paragraph("招标编号：NP-041"),
                heading("第一章 招标公告"),
                paragraph("招标控制价为6,842万元。"),
            ),
            "南浦大道改造工程",
        ),
        (
            (paragraph("远澜新材料股份有限公司2025年年度报告"), heading("第十节财务报告"), FORM),
            "远澜新材料股份有限公司2025年年度报告",
        ),
        ((paragraph("松山水库调度规程\n汛限水位为148.60米。"),), "松山水库调度规程"),
        ((paragraph("目 录"), heading("第一章总体情况"), paragraph("水质为Ⅲ类。")), "scan 07"),
        ((paragraph("内部资料 注意保密"), heading("差旅费办法"), paragraph("一。")), "差旅费办法"),
        ((paragraph("各位同事："), paragraph("明天放假。")), "scan 07"),
        ((paragraph("报告编号：R-77"), FORM), "scan 07"),
        ((paragraph("设备编码 设备名称 责任人\nEQ-1 离心泵 郝建军"),), "scan 07"),
        ((heading("新任店长培训：安全"), paragraph("讲师：百里清")), "新任店长培训：安全"),
        (
            (paragraph("南浦大道工程施工招标文件"), heading("招标文件"), paragraph("编号：N-1")),
            "南浦大道工程施工招标文件",
        ),
    ],
)
def test_the_line_above_a_document_is_its_title(blocks: tuple[Block, ...], title: str) -> None:
    assert found(*blocks).title == title


def test_a_chinese_file_name_says_more_than_any_line() -> None:
    made = found(paragraph("金额以万元计"), FORM, name="采购订单PO-07.pdf")
    assert made.title == "采购订单PO-07"


def test_pieces_of_a_file_name_are_no_keywords() -> None:
    made = found(paragraph("断电后清理异物。再用棉签擦拭传感器。"), name="d10_annual.pdf")
    assert not set(made.keywords) & {"d10", "annual"}


@pytest.mark.parametrize(
    ("blocks", "organisation"),
    [
        (
            (paragraph("本院受理原告秦学明诉被告广源建材有限公司买卖合同纠纷一案。"),),
            None,
        ),
        ((table(("订单号", "客户名称"), ("001", "镕基电器有限公司")),), None),
        ((paragraph("编制单位：财务部 单位：万元"),), None),
        ((paragraph("编制单位：财政部"),), "财政部"),
        ((paragraph("桥梁名称：石湾大桥　检查单位：恒桥有限公司"),), "恒桥有限公司"),
        ((paragraph("供应商：宏泰轴承有限公司"),), None),
        ((paragraph("甲方（用人单位）：辰光机械有限公司"),), "辰光机械有限公司"),
        ((paragraph("恒舟机械有限公司"), paragraph("设备管理制度说明")), "恒舟机械有限公司"),
    ],
)
def test_who_issued_it(blocks: tuple[Block, ...], organisation: str | None) -> None:
    assert found(*blocks).organisation == organisation


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("桥梁编号：G104-0427检查单位:恒桥检测有限公司", "G104-0427"),
        ("订单号：PO-20250916-08", "PO-20250916-08"),
        ("编号：单位：元", None),
        ("备注：订单号:PO-2026-0388;合同号:HT-1", None),
    ],
)
def test_a_number_ends_before_the_next_label(line: str, number: str | None) -> None:
    assert found(paragraph(line), paragraph("正文。")).document_number == number
