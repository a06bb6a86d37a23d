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
晚饭 晚餐
早饭 早餐
午饭 午餐
中饭 午餐
吃饭 就餐 用餐 餐饮
饭钱 餐费 伙食费
饭堂 食堂 餐厅
病人 患者
看病人 探视 探望
看医生 就诊 就医 门诊
挂号 预约
打针 注射 接种
开刀 手术
抽血 采血
吃药 服药 用药
拿药 取药
寝室 宿舍
住校 住宿
走读 通学
关灯 熄灯
开学 入学 报到
逃课 旷课
翘课 旷课
作弊 舞弊
补考 重考
家长 监护人
娃 子女 儿童
要钱 收费 费用 免费
花钱 收费 费用
交钱 缴费 缴纳
收钱 收费 收取
换钱 折现 折算 兑换
换现 折现 折算
变现 折现
换成钱 折现 折算
扣钱 扣除 扣减 扣发
发钱 发放 支付
给钱 支付 付款
付给 支付 给付
打款 支付 转账 付款
打钱 支付 转账
涨钱 调整 上调
便宜点 优惠 折扣
打折 折扣 优惠
划算 优惠
分期 分期付款
还给 归还 交还 退还
退给 退还 返还
交给 提交 移交 报送
发给 发放
递交 提交
上交 提交 缴纳
补交 补缴 补办
拿到 领取
领到 领取
带上 携带
送货 配送 发货
收货 签收
退货 退换
换货 更换 退换 调换
消掉 撤销 消除
撤掉 撤销
去掉 删除 取消
删掉 删除
弄坏 损坏
弄丢 丢失 遗失
丢了 丢失 遗失
不见了 丢失 遗失
找不到 丢失 遗失
忘了 忘记 遗忘
锁了 锁定
解锁 解除 解开
回来 返回 返岗 返校
回去 返回 返程
找谁 联系 负责
谁管 负责 主管
谁批 审批 批准
说一声 通知 告知
提前说 提前 通知
打电话 拨打 致电 联系
问谁 咨询 联系
手机号 联系电话
没网 断网 网络
上网 网络 联网
死机 重启 故障
没电 电量
漏水 渗漏
停电 断电
装修 装饰
车费 交通费 市内交通
打车 出租车 打车费
坐车 乘车 乘坐
坐飞机 乘机 航班
火车票 车票
宾馆 住宿 酒店
超了 超过 超出 超标
打卡 考勤 签到
婚嫁 婚假
结婚假 婚假
生孩子假 产假
丧事 丧假
不干 离职 辞职
跳槽 离职
炒鱿鱼 辞退 解除
签合同 签订
续约 续签 续订
延长 延期 延
延保 延长保修 延保服务
保质期 有效期
过期 逾期 失效
岁数 年龄
门票 票价 票
小孩票 儿童票
宠物 动物 犬
抽烟 吸烟
喝酒 饮酒
罚钱 罚款 处罚
退休金 养老金 基本养老金
关店 停止营业
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
