"""Attributes that things of a class have: a scenic spot its tickets, a loan its interest.

"门票多少钱？" after 故宫 asks about its tickets, after 年假 about something else. So a noun of
these lists is of the thing talked about only where that thing is of the right class.
"""

from __future__ import annotations

import re

_FRAMES: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(heads), frozenset(attributes.split()))
    for heads, attributes in (
        (
            r"(?:宫|寺|庙|塔|山|沟|湖|岛|峡|瀑布|公园|乐园|古镇|古城|长城|"
            r"景区|景点|博物馆|美术馆|展览馆|科技馆"
            r"动物园|植物园|海洋馆|遗址|故居|石窟|温泉|滑雪场|游乐场|水族馆|纪念馆|"
            r"园|馆)$",
            "门票 票价 票 开放时间 闭馆时间 营业时间 停车场 停车费 讲解 学生票 "
            "老人票 儿童票 海拔 索道 缆车 路线 年票",
        ),
        (
            r"(?:酒店|宾馆|民宿|旅馆|客栈|饭店|餐厅|餐馆|饭馆|火锅店|咖啡馆|店|"
            r"房型|房间)$",
            "早餐 房价 停车场 停车费 押金 房型 入住时间 退房时间 营业时间 招牌菜 "
            "人均消费 包间 评分 wifi",
        ),
        (
            r"(?:食堂|餐厅|饭堂|餐馆|饭店)$",
            "早餐 午餐 晚餐 早饭 午饭 晚饭 夜宵 宵夜 菜单 饭卡 餐费 包间 外卖",
        ),
        (
            r"(?:健身房|泳池|球馆|游泳馆|瑜伽馆|俱乐部|球场)$",
            "年卡 月卡 次卡 私教 会费 储物柜 淋浴 押金 开放时间",
        ),
        (
            r"(?:存单|存款|贷款|房贷|车贷|理财|理财产品|国债|债券|基金|信用卡|"
            r"储蓄卡|白金卡|金卡|普卡|卡|账户|保险|保单|定期"
            r"|活期|花呗|网贷|按揭|公积金|社保)$",
            "利息 利率 起存金额 起购金额 起投金额 收益 收益率 年费 月供 首付 额度 "
            "逾期 违约金 账单 账单日 还款日 还款方式 最低还款额 保费 本金 征信 罚息 "
            "积分 期限 密码 余额 缴费基数 赎回费 管理费 免赔额",
        ),
        (
            r"(?:药|胶囊|片|颗粒|口服液|注射液|疫苗|滴剂|滴眼液|软膏|糖浆|霉素|"
            r"西林|拉唑|洛芬|沙坦|他汀|胰岛素|肟|平|丸|散|贴|喷雾)$",
            "副作用 不良反应 用量 剂量 用法 疗程 禁忌 成分 医保 饮食 保质期 说明书 "
            "适应症 忌口 药效",
        ),
        (
            r"(?:手术|检查|核磁共振|核磁|CT|ct|B超|彩超|胃镜|肠镜|体检|"
            r"化疗|放疗|透析|种植牙|烤瓷牙|拔牙|正畸|门诊|住院|挂号|治疗"
            r"|康复|接种|产检|炎|症|病|骨折|结石|感冒)$",
            "医保 副作用 疗程 风险 麻醉 报告 片子 空腹 护理 恢复期 忌口 症状 病因 "
            "饮食 后遗症 潜伏期 并发症 挂号费 传染性",
        ),
        (
            r"(?:专业|大学|学院|学校|中学|小学|幼儿园|研究生|硕士|博士|课程|"
            r"选修课|奖学金|助学金|四级|六级|考试|考研|自考|驾照|资格证|证书"
            r"|考证|培训班|夏令营)$",
            "学费 学制 学分 分数线 录取线 报名费 报名时间 考试时间 考试科目 考试地点 "
            "准考证 成绩 宿舍 住宿费 班主任 教材 证书 通过率 补考 合格线 教室 "
            "任课老师 考场 学时",
        ),
        (
            r"(?:高铁|动车|火车|飞机|航班|大巴|地铁|公交|轮渡|班车|机票|车票|"
            r"火车票|船票|线路|专线)$",
            "票价 首班车 末班车 首末班车 发车时间 行李额 行李 退票费 改签费 车程 "
            "登机口 餐食 候车室 检票口 经停站 班次",
        ),
        (
            r"(?:快递|包裹|物流|快件|邮件|货物|行李|专线|整车|零担|冷链|同城|"
            r"跑腿|集装箱|外卖)$",
            "运费 邮费 首重 续重 保价费 保价 时效 重量限制 单号 签收 包装费 清关 关税 理赔",
        ),
        (
            r"(?:(?<![关开停死待])机|器|床|泵|阀|炉|仪|设备|空调|冰箱|电脑|手机|平板|相机|"
            r"电视|汽车|轿车|电动车|摩托车|叉车|打印机|扫描仪|路由器|耳机|手表"
            r"|音箱|电池|轮胎|滤芯|生产线|锅炉|电梯|起重机|挖掘机)$",
            "续航 功率 噪音 电压 尺寸 电池 充电器 充电时间 保修 质保 延保 转速 油耗 内存 "
            "屏幕 滤芯 耗材 耗电量 售后 润滑油 分辨率 能耗 扬程 流量 保养 保养周期 "
            "墨盒 硒鼓 扭矩 载重 排量",
        ),
        (
            r"(?:房|公寓|房屋|住房|套房|写字楼|商铺|小区|物业|车位|别墅|宿舍|"
            r"出租屋|租房)$",
            "租金 房租 押金 物业费 水电费 面积 朝向 产权 首付 税费 车位 户型 学区 "
            "容积率 公摊 中介费 取暖费 过户费",
        ),
        (
            r"(?:公司|集团|企业|银行|工厂|单位|事务所|机构)$",
            "董事长 总经理 法人 注册资本 股东 员工数 营业额 利润 市值 股价 总部 创始人 客服 官网",
        ),
        (
            r"(?:险|保险|医保|保单|社保|年金)$",
            "等待期 免赔额 续保 退保 理赔 保费 保额 受益人 犹豫期 现金价值 赔付比例",
        ),
        (
            r"(?:套餐|宽带|流量包|会员|手机卡|号码|专线)$",
            "流量 月租 月费 网速 通话时长 合约期 违约金 短信 副卡 限速 续费 速率",
        ),
        (
            r"(?:官司|诉讼|仲裁|起诉|离婚|案件|案子|上诉|合同|协议|公证|遗嘱)$",
            "诉讼费 律师费 举证 时效 管辖 开庭时间 判决 证据 仲裁费 公证费 违约责任 上诉期 执行",
        ),
        (
            r"(?:(?<![作休寒暑])假|年休|产检|加班|停工|调休|旷工|值班)$",
            "工资 薪水 薪资 奖金 绩效 全勤奖 全勤 社保 饭补 餐补 待遇 工龄",
        ),
        (
            r"(?:招聘|面试|岗位|工作|职位|实习|入职|试用期|实习期)$",
            "薪资 工资 底薪 提成 双休 社保 公积金 五险一金 年假 病假 合同 面试官 笔试 试用期 转正",
        ),
        (
            r"(?:软件|系统|平台|网站|邮箱|vpn|app|账号|应用|服务器|云盘|"
            r"网盘|数据库|小程序|插件)$",
            "容量 会员 密码 客户端 安装包 验证码 权限 并发 带宽 端口 快捷键 管理员 存储空间 附件",
        ),
    )
)
"""Endings of the names of a class, and what things of that class have (written by us)."""


def belongs(noun: str, about: str) -> bool:
    """Whether `noun` is an attribute that things such as `about` have (门票 of 故宫)."""
    return any(heads.search(about) and noun in attributes for heads, attributes in _FRAMES)


def has_attribute(about: str, noun: str) -> bool:
    """Whether things such as `about`, a model's code among them, have `noun` (ZW-100S: 质保).

    Their parts don't count (滤芯): of those the same can be asked as of the whole.
    """
    if noun in about or not _NO_PART.fullmatch(noun):
        return False
    return belongs(noun, about) or bool(_DEVICE.fullmatch(about) and belongs(noun, "设备"))


_NO_PART = re.compile(
    r"工资|薪[水资]|底薪|奖金|提成|社保|公积金|五险一金|[年病]假|双休|待遇|合同|质保|保修|延保|售后|保养(?:周期)?|理赔|退保|续保"
    r"|[\u4e00-\u9fff]{1,3}[费金率额期]"
)
_DEVICE = re.compile(r"[A-Za-z]{1,8}-?\d{2,4}[A-Za-z]{0,2}|.+[那这][款台种]")


def is_attribute(noun: str) -> bool:
    """Whether `noun` is an attribute that things of some class have."""
    return any(noun in attributes for _, attributes in _FRAMES)


_OF_A_PLACE = re.compile(
    r"有?多[高重深远宽厚](?!的?(?:比例|标准|学历))|海拔|(?:几点|什么时候|啥时候)(?:开门|关门|开|关|下班|上班|营业|闭馆)|好[吃玩看]|谁[写演建造发画]"
    r"|哪年(?:建|出生|成立)|(?:在哪(?:里|儿)?|[在到]?几楼|怎么走|怎么去)[？?]*$|多少(?:米|公斤|公里|平)"
)
_GIVEN = re.compile(
    r"(?:补贴|津贴|补助|奖励|工资|奖学金|助学金|学费|公积金|社保|医保|[年病婚产事丧]假|陪产假|待遇|政策|报销|证明)$"
)


def of_other_kind(value: str, about: str, question: str) -> bool:
    """Whether `value` is granted or given while the question asks of a place or a body.

    石家庄的租房补贴 has no height: after 珠穆朗玛峰有多高 it is asked about for itself.
    """
    return bool(_GIVEN.search(value) and _OF_A_PLACE.search(question) and not _GIVEN.search(about))
