"""How people say it, and how documents write it: everyday words and their formal ones.

A question is searched and judged by both. Each line is one everyday word, then the formal
words that rules, handbooks, manuals and price lists use for it. General knowledge of the
language, chosen by us; administrators' own synonyms come on top of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

_LINES = """
老板 用人单位 雇主 负责人
公司 用人单位 企业
员工 劳动者 职工 雇员
打工 劳动 劳务
工资 劳动报酬 薪酬 薪资
薪水 劳动报酬 工资
工钱 劳动报酬 工资
欠薪 拖欠 劳动报酬
辞退 解除 劳动合同
开除 解除 辞退
裁员 裁减
辞职 解除 离职
离职 解除 终止
补偿金 经济补偿
怀孕 孕期 女职工
生孩子 生育 分娩
加班 延长工作时间
放假 休假 节假日
年假 年休假
病假 医疗期
上班 工作
老公 丈夫 配偶 夫妻
老婆 妻子 配偶 夫妻
丈夫 配偶 夫妻
妻子 配偶 夫妻
爸爸 父亲 父母
妈妈 母亲 父母
爸妈 父母
爷爷 祖父母
奶奶 祖父母
外公 外祖父母
外婆 外祖父母
儿子 子女
女儿 子女
孩子 子女 未成年人
小孩 未成年人 子女
老人 老年人 被赡养人
亲戚 近亲属
彩礼 婚约财物
出轨 与他人同居
小三 与他人同居
家暴 家庭暴力
养老 赡养
房东 出租人
租客 承租人
租房 租赁 承租
房租 租金
押金 保证金
买房 购房 商品房 房屋买卖
卖房 出售 房屋买卖
开发商 房地产开发企业 出卖人
物业 物业服务
邻居 相邻
拆迁 征收
过户 转移登记
房产证 权属证书 不动产登记
房子 房屋 住房 不动产
借钱 借款 借贷
欠钱 债务 借款
还钱 偿还 清偿 还款
讨债 债权 清偿
欠条 借据 债权
借条 借据 借款
高利贷 利率 高利转贷
老赖 失信 被执行人
赔钱 赔偿
订金 预付款
退钱 退款 返还
退款 退还 返还
打官司 诉讼 起诉
告 起诉 诉讼
法官 审判人员
律师 辩护人 代理人
坐牢 有期徒刑
判刑 有期徒刑
判几年 有期徒刑
抓 拘留 逮捕
警察 公安机关
派出所 公安机关
报警 报案 公安机关
打架 殴打 故意伤害
打人 殴打 故意伤害
骂人 侮辱 诽谤
造谣 诽谤 虚假信息
偷 盗窃
偷东西 盗窃
抢 抢夺 抢劫
骗 诈骗 欺诈
被骗 诈骗 欺诈
杀人 故意杀人
酒驾 饮酒
醉驾 醉酒 危险驾驶
车祸 交通事故
撞人 交通事故
撞车 交通事故
驾照 驾驶证
车牌 号牌
开车 驾驶
电动车 非机动车 电动自行车
受伤 损害 伤害
医院 医疗机构
医生 医务人员 医师
看病 诊疗 医疗
医疗事故 医疗损害
买东西 购买 消费者
网购 网络交易
卖家 经营者 销售者
商家 经营者 销售者
顾客 消费者
假货 假冒 伪劣 不合格
保修 质量保证 质保
坏了 故障 损坏
坏 故障 损坏
修 维修 修理
快递 寄递
狗 动物
开店 经营 个体工商户
开公司 设立
执照 营业执照
入股 出资
分红 利润
交税 纳税
逃税 偷税
社保 社会保险
医保 医疗保险
养老金 养老保险
落户 户口 户籍
户口 户籍
身份证 居民身份证
上学 入学
老师 教师
抄袭 著作权 剽窃
盗版 著作权
照片 肖像
隐私 个人信息
名声 名誉
种地 承包地 耕地
村委会 村民委员会
车位 停车位
停车 停放
噪音 噪声
垃圾 废弃物
当兵 兵役
移民 国籍
补助 补贴 津贴
补贴 补助 津贴
办理 申请
办 办理 申请
材料 文件
流程 程序 步骤
作废 废止 无效
生效 施行
执行 施行
取消 撤销
开不了机 无法开机 不能启动
连不上 无法连接
报错 错误 故障
报警 报警 故障
多少钱 价格 单价 售价 金额 费用
什么价 价格 单价 售价
贵 价格 单价 售价
便宜 价格 单价 售价
价格 单价 售价
售价 单价 价格
电话 联系方式 手机
地址 地点 位于
在哪 地址 地点 位于
几点 时间
开门 营业时间 开放时间
关门 营业时间 开放时间
影片 视频
"""


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in _LINES.split("\n"):
        word, *formal = line.split() or [""]
        if word:
            merged = dict.fromkeys((*table.get(word, ()), *formal))
            table[word] = tuple(other for other in merged if other != word)
    return table


def formal_words(question: str, terms: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Everyday words of a question with their formal ones.

    Args:
        question: normalised.
        terms: its words; a longer everyday word (多少钱) also counts where it is only part of
            the question's letters.
    """
    table = _table()
    found = {term: table[term] for term in terms if term in table}
    for word, formal in table.items():
        if len(word) > 2 and word in question:
            found.setdefault(word, formal)
    return found
