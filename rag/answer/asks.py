"""What kind of answer a question wants: a date, days, an amount, a place, a list, steps …

Rules over the question's own words, used by extract (which sentence, what goes first) and by
confidence (does the evidence hold an answer of this kind at all?).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from rag.answer.values import ValueKind, find_values
from rag.types import Value

Wanted = Literal[
    "value", "phone", "email", "url", "place", "person", "contact", "organisation", "reason",
    "yes_no",
    "list", "steps", "definition", "text",
]  # fmt: skip


class Asked(Value):
    """What a question asks for.

    `kinds` are the kinds of value that can answer it and `units` narrows them (canonical
    units of `rag.answer.values`, empty for any). `wanted` is the form of the answer.
    """

    wanted: Wanted = "text"
    kinds: frozenset[ValueKind] = frozenset()
    units: frozenset[str] = frozenset()


_N = r"(?:多少|几)"
_DURATION = {
    "天": {"天", "工作日"}, "日": {"天", "工作日"}, "工作日": {"工作日", "天"}, "月": {"月", "年"},
    "年": {"年"}, "周": {"周", "天"}, "星期": {"周", "天"}, "小时": {"小时", "分钟"},
    "钟头": {"小时"}, "分钟": {"分钟"}, "秒": {"秒"},
}  # fmt: skip
_DURATION_ASKED = re.compile(
    rf"{_N}\s*个?(工作日|天|日|月|年|周|星期|小时|钟头|分钟|秒)(?!前|份|级)"
)
_COUNT_ASKED = re.compile(rf"{_N}\s*(?:个)?([\u4e00-\u9fff])")
_COUNT_UNITS = {"位": "人", "名": "人", "人": "人", "岁": "岁", "次": "次", "级": "级", "层": "层",
                "倍": "倍", "米": "米", "吨": "吨", "度": "度", "页": "页", "家": "家", "所": "所",
                "件": "件", "份": "份", "辆": "辆", "台": "台", "套": "套", "户": "户", "间": "间",
                "场": "场", "集": "集", "季": "季", "字": "字", "种": "种", "条": "条", "项": "项",
                "座": "座", "楼": "楼",
                "片": "片", "本": "本", "张": "张", "块": "块", "只": "只"}  # fmt: skip


def _any(*lines: str) -> re.Pattern[str]:
    """A pattern of alternatives that are separated by spaces."""
    return re.compile("|".join(" ".join(lines).split()), re.I)


_NOT_ITSELF = "容量|大小|上限|空间|密码|型号|系统|套餐|格式"
"""Nouns that make another thing of the one before them: 邮箱容量 is no address."""


def _noun(*words: str) -> re.Pattern[str]:
    """A pattern of nouns that are asked for: at the end, or with 多少, 是什么 … close behind."""
    nouns = "|".join(" ".join(words).split())
    asking = "[^，。；？?、]{0,8}?(?:多少|几何|几[元块]|是什么|是哪个|什么标准|怎么[算收])"
    given = "(?:给|发|报|告诉)(?:一下|下)?我?(?:一下|下|一?[个份])?(?:吧|呗|吗|呢)?"
    told = "(?:是?[给发报说]|告诉|提供)(?:我|一下|下|一个|个)+"
    at_end = f"(?:[有是]?(?:吗|呢)?|{given}|{told})[？?。 ]*$"
    return re.compile(f"(?:{nouns})(?!{_NOT_ITSELF})(?:号码?)?(?:{asking}|{at_end})", re.I)


_VALUE_KINDS: tuple[ValueKind, ...] = ("money", "percent", "count", "duration", "number", "ordinal")
_DOING = "申请 办理 安装 使用 操作 设置 报销 请假 提交 重置 清洁 更换 注册 登录 查询 预约 退款 开通"
_HOW_TO = [f"{how}{verb}" for verb in _DOING.split() for how in ("怎么", "如何", "怎样")]
_RULES: tuple[tuple[re.Pattern[str], Wanted, frozenset[ValueKind]], ...] = (
    # The last noun decides: 补贴的申领流程是什么 asks for no amount.
    (
        _any(
            "(?:步骤|流程|手续|程序)(?:分?[是有为])?(?:什么样?|怎么?样|哪些|哪几步|如何)?的?"
            r"[？?。\s]*$"
        ),
        "steps",
        frozenset(),
    ),
    (_any(r"(?:能|可以)(?!多少|几)[^，。多几]{2,16}[吗么][？?。 ]*$"), "yes_no", frozenset()),
    (_noun("电话 联系方式 热线 手机 分机"), "phone", frozenset({"phone"})),
    (
        _any("(?:哪一?个|哪部|什么|啥)(?:服务|咨询|投诉|客服)?(?:电话|号码|热线|分机) 打几?多少号"),
        "phone",
        frozenset({"phone"}),
    ),
    (_noun("邮箱 电子邮件 e-?mail"), "email", frozenset({"email"})),
    (_noun("网址 官网 网站地址 链接"), "url", frozenset({"url"})),
    (
        _any(
            "什么是 是什么意思 何谓 何为 的定义 的含义 指的是什么",
            "是指什么 指什么 什么叫 叫做什么",
        ),
        "definition",
        frozenset(),
    ),
    (
        _any(
            "什么时候 什么时间 何时 哪一?天 哪一?年 哪一?月 几月 几号 几日(?!内) 哪个(?:月|日期)",
            r"日期 时间是 哪天 啥时候 \bwhen\b",
        ),
        "value",
        frozenset({"date", "time", "duration"}),
    ),
    (_any("几点 营业时间 开放时间 上班时间 下班时间 作息"), "value", frozenset({"time"})),
    (_any("占(?:了|到|总)?多少"), "value", frozenset({"percent", "count"})),
    (
        _any(
            "百分之几 百分之多少 比例 百分比 利率 税率 费率 几成 几折 折扣 占比",
            "(?:比|概|汇|几|增长|合格|中签|及格|覆盖|出席|完成|失业|出生|死亡|识字)率",
        ),
        "value",
        frozenset({"percent"}),
    ),
    (
        _any(
            "花(?:费|掉|了)?多少(?!时|精|功|天)",
            "多少钱 多少元 多少块 几块 几元 罚多少 赔多少 多少万 免费吗 收费吗 贵不贵",
            "(?:贵|便宜|划算)(?:吗|么|嘛|不|些|点) 要钱 要不要钱 收不收[钱费] 收[钱费](?:吗|么|不)",
            "(?:补贴|补助|津贴|奖金).{0,12}(?:什么|哪个|何种)?标准",
        ),
        "value",
        frozenset({"money"}),
    ),
    (
        _noun(
            "金额 价格 价钱 费用 收费 单价 票价 门票 租金 房租 工资 薪资 薪酬 罚款 额度 人均消费",
            "补贴 补助 津贴 奖金 奖励 押金 学费 报酬 赔偿 收入 费 价",
        ),
        "value",
        frozenset({"money"}),
    ),
    (
        _any(
            "多久 多长时间 期限 时限 有效期 时长 多长期 几年 多少年 保质期 保修期",
            "(?:期|假|时间|合同|周期|寿命|续航|学制|[休放等干用歇请])(?:是|为|有)?多长(?!度)",
        ),
        "value",
        frozenset({"duration", "date"}),
    ),
    (_any("多大年[龄纪] 多大岁数 几岁 年龄"), "value", frozenset({"count"})),
    (
        _any("哪里 哪儿 在哪 何处 什么地方 去哪 [从到往]哪(?![天年月个些种款])"),
        "place",
        frozenset(),
    ),
    (_noun("地址 地点 位置"), "place", frozenset()),
    (_any("为什么 为何 原因 怎么回事 缘何"), "reason", frozenset()),
    (_any("(?:找|给|问|向|跟|归|由)谁 哪里?的人", "联系谁"), "contact", frozenset()),
    (_any("谁 哪位 何人 什么人 负责人 联系人"), "person", frozenset()),
    (
        _any("(?:哪|什么)(?:一?个|些)?(?:部门|单位|机构|公司|机关|企业|组织|学校|大学)"),
        "organisation",
        frozenset(),
    ),
    (
        _any(
            "哪些 哪几 有什么(?!区别|不同|关系) 包括什么 包含什么 什么材料 哪种 列出",
            "分别是(?!多少) 清单 几种 几类",
        ),
        "list",
        frozenset(),
    ),
    (_any("步骤 流程 手续 程序是", *_HOW_TO), "steps", frozenset()),
    (
        _any(r"多少 多[高长宽重远快深大](?![家数多]) \bhow\s(?:many|much)\b 第几"),
        "value",
        frozenset(_VALUE_KINDS),
    ),
    (
        _any(
            "是否 能否 可否 能不能 可不可以 是不是 有没有 要不要 需不需要",
            "会不会 吗[？?]?$ 行不行",
        ),
        "yes_no",
        frozenset(),
    ),
)

_ASKING = _any(
    "打几[折成] 最[晚迟早快](?=什么时候|何时|几|哪|多久)",
    "请问 想知道 想了解 我想问 告诉我 帮我 麻烦 从?什么时候(?:起|开始)? 什么时间 何时 多少钱 多少",
    "几(?:个工作日|天|日|个?月|年|点|号|岁|位|名|次|个|种|家|条|项|元|块|级|层|倍|米)?(?=$|[^乎何率])",
    "(?<=[交还退送])给谁 找谁 问谁 要不?要?钱",
    "多久 多长时间 多大 多高 多长 多远 是什么意思 是什么 什么是 什么样 什么 怎么样 怎么办 怎么",
    "怎样 如何 哪一?天 哪一?年 哪些 哪个 哪里 哪儿 哪几 哪种 哪位 哪 谁 为什么 为何 是否 能否 可否",
    "能不能 可不可以 是不是 有没有 吗 呢 吧 指的是 是指 有何 何种 何",
)
_POLITE = frozenset(
    ("请问", "想知道", "想了解", "我想问", "告诉我", "帮我", "麻烦", "吗", "呢", "吧")
)

_REQUEST = re.compile(
    r"^\s*(?:(?P<lead>(?:请|烦请|麻烦|劳驾|帮忙|[帮给替为]我|[你您]|能不能|能否|可否|可以|再|先|[，,\s])+)"
    r"(?:详细|具体|简单|简要|分别|逐一)?地?)?"
    r"(?:(?P<plain>列出|列举|罗列|概括|概述|归纳|讲解)"
    r"|总结|汇总|梳理|整理|解释|描述|展示|给出|提供|查询|查找|分析|推荐)(?P<once>一下)?"
)
"""What a request opens with. Verbs that may name a thing as well (总结会, 查询密码) are taken for
a request only behind a polite word or before 一下."""


@lru_cache(maxsize=1024)
def asked(question: str) -> Asked:
    """What `question` (completed) asks for; `text` when nothing tells."""
    duration = _DURATION_ASKED.search(question)
    if duration and not re.search(r"几[年月日](?:几|份)", question):
        return Asked(
            wanted="value", kinds=frozenset({"duration"}), units=frozenset(_DURATION[duration[1]])
        )
    count = _COUNT_ASKED.search(question)
    which = re.search(r"几[种类条项].{0,6}[？?]?$", question)
    if count and count[1] in _COUNT_UNITS and not which:
        units = frozenset({_COUNT_UNITS[count[1]]})
        return Asked(wanted="value", kinds=frozenset({"count"}), units=units)
    for pattern, wanted, kinds in _RULES:
        if pattern.search(question):
            return Asked(wanted=wanted, kinds=kinds)
    return Asked()


def without_asking(question: str) -> str:
    """The question with a comma for each word that only asks: what is left names things."""
    request = _REQUEST.match(question)
    if request and (request["lead"] or request["plain"] or request["once"]):
        question = f"，{question[request.end() :]}"
    return _ASKING.sub("，", question)


def asking_spans(question: str) -> list[tuple[int, int]]:
    """Where the words stand that ask for something (多少, 什么, 哪里), politeness left out."""
    return [m.span() for m in _ASKING.finditer(question) if m.group() not in _POLITE]


def answers_kind(asked_for: Asked, text: str) -> bool:
    """Whether `text` holds a value (or another mark) of the kind that was asked for."""
    if asked_for.kinds:
        if "date" in asked_for.kinds and _RELATIVE_DATE.search(text):
            return True
        if "money" in asked_for.kinds and (_UNIT_FIRST.search(text) or _FREE.search(text)):
            return True
        return bool(values_of_kind(asked_for, text))
    mark = _MARKS.get(asked_for.wanted)
    return mark is None or bool(mark.search(text))


def may_hold(asked_for: Asked, text: str) -> bool:
    """Whether a text has any sign of the kind of value asked for; True when in doubt."""
    if not asked_for.kinds or not asked_for.kinds <= _SIGNS.keys():
        return True
    return any(_SIGNS[kind].search(text) for kind in asked_for.kinds)


def key_answers(asked_for: Asked, key: str) -> bool:
    """Whether a field or column of this name is likely to hold what was asked for."""
    wanted = [*asked_for.kinds, asked_for.wanted]
    return any(_KEYS[name].search(key) for name in wanted if name in _KEYS)


def values_of_kind(asked_for: Asked, text: str) -> list[tuple[int, int]]:
    """Spans of the values in `text` that can answer the question, in order."""
    return [
        (value.start, value.end)
        for value in find_values(text)
        if value.kind in asked_for.kinds
        and (not asked_for.units or value.unit in asked_for.units)
        and not value.bare_one
        and not (value.kind in _COUNTED and _IN_CODE.search(text[: value.start]))
    ]


_COUNTED = ("count", "number", "ordinal")
_IN_CODE = re.compile(
    r"(?<![A-Za-z0-9])(?!(?i:ph|usd|rmb|cny)\b)[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]*)?$"
)
"""What stands before a number that belongs to a code: IP66, ZW-F01."""


_UNIT_FIRST = re.compile(r"(?:元(?:/[^\d\s/]{1,3})?[）)]?(?:为|：|:|是)?|[¥￥$])\s*\d")
_FREE = re.compile(r"免费|免收|不(?:再|另)?收(?:取|费|任何)|不要钱|无需付费|无偿")
_RELATIVE_DATE = re.compile(
    r"公布之日|发布之日|印发之日|之日起|每[年月周日]|次[年月日]|当[天日年月]|即日起"
)
_SIGNS: dict[str, re.Pattern[str]] = {
    "money": _any("元 块 ¥ ￥ \\$ 免费 免收 不收 无偿 价 费 额 万"),
    "percent": _any("% ％ 百分 成 折 率 ‰"),
    "phone": re.compile(
        r"\|[^|\n]*(?:电话|分机|手机|热线)[^|\n]*\|[\s\S]*\|\s*\d{3,}|\d{7}|\d{3,4}[- ]\d{3,4}|"
        r"(?:分机|电话|热线|拨打|手机|号码)\D{0,8}\d{3}"
    ),
    "email": re.compile("@|＠"),
    "url": _any("http www \\.com \\.cn 网"),
    "time": re.compile(r"\d\s*[:：点时]|[一二三四五六七八九十]点|全天|小时"),
    "duration": _any("年 月 日 天 周 小时 分钟 秒 长期 永久 季"),
}
_KEYS: dict[str, re.Pattern[str]] = {
    "money": _any("价 费 金额 元 钱 标准 工资 薪 租金 补贴 补助 额度 限额"),
    "phone": _any("电话 分机 手机 热线 联系方式 号码"),
    "email": _any("邮箱 邮件 e-?mail"),
    "url": _any("网址 官网 链接"),
    "place": _any("地址 地点 位置 所在 楼层"),
    "person": _any("姓名 负责人 联系人 人员 名字"),
    "contact": _any("姓名 负责人 联系人 人员 名字 部门 单位 电话 分机 地点"),
    "organisation": _any("部门 单位 机构 公司 院校 学校 大学 企业"),
    "duration": _any("(?<!日)期 时长 天数 时间 年限 小时 天）"),
    "date": _any("日期 时间 年份"),
    "time": _any("时间 几点"),
    "percent": _any("率 比例 占比"),
    "count": _any("数 容量 容纳"),
}
"""Words in the names of fields and columns that tell what kind of thing they hold."""
_HAN = "[\u4e00-\u9fff]"
_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎"
    "鲁韦马苗凤花方俞任袁柳鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆"
    "萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴宋庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄江童颜郭梅盛林刁钟"
    "徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫房裘缪解应宗丁宣邓郁单洪包诸左石崔吉龚程邢裴陆荣翁荀羊甄曲"
    "封储靳焦巴弓牧车侯班仰仲伊宫宁仇栾甘厉戎祖武符刘景詹束龙叶幸司韶黎薄印白怀蒲邰鄂索赖卓蔺屠蒙池"
    "乔阴胥能苍双闻莘党翟谭贡劳逄姬申扶堵冉宰郦雍璩桑桂濮牛寿通边扈燕冀郏浦尚农温别庄晏柴瞿阎充慕连习"
)
_COMPOUND_SURNAMES = (
    "欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 慕容 司徒 司空 令狐 "
    "宇文 长孙 夏侯 端木 百里 呼延 "
    "独孤 南宫 西门 轩辕 赫连 闾丘 濮阳 澹台 "
    "宗政 淳于 单于 太叔 申屠 公冶 仲孙 钟离 拓跋 亓官 第五 闻人 公羊 鲜于 完颜"
)
_MARKS: dict[str, re.Pattern[str]] = {
    "contact": _any(
        "[部局委会院校所处科室社团厅行厂台] 公司 中心 单位 机构 机关 前台 分机 电话",
        "经理 主任 负责人 联系人 老师 医生 专员 主管 值班 上级 领导",
    ),
    "place": re.compile(r"[省市区县镇乡村路街道号楼层室厅馆站]|地址|位于|地点"),
    "reason": re.compile(r"因为|由于|因|原因|所以|导致|为了|故|鉴于|缘于|造成"),
    "person": _any(
        f"(?:[{_SURNAMES}]){_HAN}{{1,2}}(?=[，。、；（(《“\\s]|$|先生|女士|等人|[为任是在于])",
        f"(?:{'|'.join(_COMPOUND_SURNAMES.split())}){_HAN}{{1,2}}",
        "经理 主任 负责人 联系人 教授 先生 女士 总监 专员 部长 局长 院长 校长 主席 总统",
        f"创始人 作者 导演 演员 设计师 医生 老师 [a-z]+·?[a-z]+ {_HAN}{{2,8}}·{_HAN}{{2,8}}",
    ),
    "organisation": _any("[部局委会院校所处科室社团厅行厂] 公司 中心 单位 机构 政府 机关"),
    "definition": re.compile(r"是指|指的是|，?指|系指|称为|叫做|即|是[^否]|定义"),
    "list": re.compile(r"[、；;]|包括|下列|以下|分别|（[一二三]）|\n\s*(?:[-*•]|\d+[.、)])"),
}  # fmt: skip
