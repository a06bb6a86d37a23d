"""Words of offices, policies and manuals that jieba's general dictionary lacks.

Only words that it would cut apart are listed. Administrators' own words come on top, through
`rag.text.tokenise.add_words`.
"""

from __future__ import annotations

_WORDS = """
年假 陪产假 育儿假 哺乳假 工伤假 竞业限制 竞业协议 五险一金 报销单 餐补 油补 房补 采购单 入库单
人才房 公租房 保障房 经适房 首套房 二套房 个税 专技人才 质保期 故障码 复位键 配网 双因素 权限组
工单 司龄 职等
"""

DOMAIN_WORDS: tuple[str, ...] = tuple(dict.fromkeys(_WORDS.split()))
