"""Which lines were broken to fit a page, and which are records of their own."""

from __future__ import annotations

import pytest

from rag.ingest.lines import are_records, join_lines, unwrap, wrap_width

DUTIES = """2025-10-01 白班 夏侯敏 夜班 东方朔华 带班 卫兰
2025-10-02 白班 公孙楠 夜班 夏侯敏华 带班 卫兰
2025-10-03 白班 东方朔 夜班 公孙楠华 带班 蒲阳
2025-10-04 白班 令狐骁 夜班 赫连云华 带班 蒲阳"""
TABBED = """设备编码\t设备名称\t安装位置\t责任人
EQ-1001\t离心泵\t泵房1层\t郝建军
EQ-1002\t螺杆压缩机\t空压站\t芮小琪
EQ-1003\t冷却塔\t屋顶\t闫旭"""
MAIL = """发件人：申屠晴 <shentu@lanhai.example>
收件人：全体项目组 <proj@lanhai.example>
抄送：宓晓东 <mi@lanhai.example>
日期：2025-10-15 17:22"""
PEOPLE = """张伟，男，联系电话13800001111，住南湖路1号
李娜，女，联系电话13800002222，住南湖路2号
王芳，女，联系电话13800003333，住南湖路3号
赵强，男，联系电话13800004444，住南湖路4号"""
FORM = """姓名：慕容川　岗位：区域销售经理　部门：一部
入职：2021-03-15　离职：2025-10-17　直属：钟
电话：13800001111　邮箱：mr@a.example.com
地址：镇江市京口区学府路3号1栋204室江滨"""
LEDGER = """1001  2025-01-02  货款   12,000.00  昆山德敏
1002  2025-01-03  电费    4,377.18  国网公司
1003  2025-01-04  房租   21,680.00  恒达物业
1004  2025-01-05  工资   88,400.00  全体员工"""
RULES = """检验人员应当每日核对样品编号与登记簿是否一致。
发现不一致的样品应当立即隔离并报告质量负责人。
质量负责人应当在两个工作日内书面答复检验人员。
未经答复的样品不得流入下一道工序或者出具报告。"""
ITEMS = """EQ-1001 离心泵 泵房一层东侧 责任人郝建军
EQ-1002 压缩机 空压站二号位 责任人芮小琪
EQ-1003 冷却塔 三号楼屋顶面 责任人闫旭东"""

PROSE = """为进一步规范公司差旅费用的管理，提高资金使用效
率，根据国家有关规定，结合公司实际情况，制定本办
法。本办法适用于公司全体员工，包括试用期员工和劳
务派遣人员。出差人员应当事先填写申请单，经部门负
责人批准后方可出行，费用按照实际发生额凭票报销。"""
ENGLISH = """The committee reviewed the annual figures, and it found that the costs of
travel had risen by a fifth since the year before, mainly because of fares
that had gone up in spring. It asked the office to draw up a plan that all
departments could follow, and to report again in autumn with new figures.
Members of the staff may comment on the draft until the end of September."""
HEADER_AND_PROSE = """编号：RH-2025-018 密级：内部资料 版本：第三版本号
本制度规定了样品的接收、登记、保存与销毁的全部程
序，适用于各检验室。各检验室负责人对本室样品的安
全负责，质量管理部每季度组织一次检查并公布结果。"""


@pytest.mark.parametrize("text", [DUTIES, TABBED, MAIL, PEOPLE, FORM, LEDGER, RULES, ITEMS])
def test_records_of_nearly_equal_width_keep_their_lines(text: str) -> None:
    assert are_records(text.split("\n"))
    assert "\n".join(unwrap(text.split("\n"))) == text
    assert wrap_width([text]) is None
    assert join_lines(text, 40) == text


@pytest.mark.parametrize("text", [PROSE, ENGLISH])
def test_broken_sentences_are_joined(text: str) -> None:
    assert not are_records(text.split("\n"))
    assert len(unwrap(text.split("\n"))) == 1
    width = wrap_width([text])
    assert width is not None
    assert "\n" not in join_lines(text, width)


def test_records_between_broken_sentences_keep_their_lines() -> None:
    lines = [*PROSE.split("\n"), "", *DUTIES.split("\n"), "", *PROSE.split("\n")]
    found = unwrap(lines)
    assert found[2:6] == DUTIES.split("\n")
    assert len(found) == 8
    assert "\n" in join_lines(MAIL, 30)


def test_a_labelled_line_is_no_rest_of_a_sentence() -> None:
    found = unwrap([*HEADER_AND_PROSE.split("\n"), "联系人：温时雨"])
    assert found[-1] == "联系人：温时雨"
    assert len(found) == 2 or len(found) == 3
