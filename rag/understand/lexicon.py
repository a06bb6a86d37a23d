"""Closed classes of Chinese words that decide how a question is built.

Written by us. A word belongs here for its grammatical role, never for its subject: the
lists hold what asks, connects, limits or stands for something else.
"""

from __future__ import annotations


def words_of(text: str) -> frozenset[str]:
    """The set of the words in `text`, which are divided by white space."""
    return frozenset(text.split())


ASKING = words_of("""
什么 啥 哪 哪些 哪个 哪种 哪里 哪儿 哪家 哪类 哪位 哪年 哪天 哪项 哪几个 谁 怎么 怎样 怎么样
如何 咋 怎么办 怎办 为什么 为何 干嘛 多少 几 几天 几个 几年 几月 几次 几倍 几号 几点 几种 几级
几人 几位 几岁 几条 几项 几家 几折 多久 多长 多大 多高 多重 多远 多快 多 何时 何地 何 何种 是否
能否 可否 有没有 能不能 可不可以 是不是 会不会 要不要 需不需要 用不用 算不算 吗 呢 么 嘛 吧 啊
呀 哦 什么样 怎么回事 有无 多少钱 多少元 多少天 多少次 多少人 多少年 几块钱 几折 多大年纪 何事
""")
"""Words that ask, and particles at a question's end."""

AUXILIARIES = words_of("""
可以 能 能够 应该 应当 必须 须 需要 需 要 得 会 可 是 有 为 算 属于 包括 包含 含有 没有 没 不
不能 不会 不可以 不得 无法 并 都 还 也 就 才 又 再 只 只能 仅 一般 通常 大概 大约 约 最多 最少
至少 最高 最低 最长 最短 最大 最小 最晚 最早 最迟 最 更 比较 很 每 每年 每月 每次 每天 每周 每人
一年 一月 一次 一共 总共 合计 共 从 自 到 至 在 由 给 对 向 被 把 将 按 按照 根据 依据 以 于 凭
通过 经 因 因为 如果 若 要是 那么 那 则 所以 但 但是 而且 并且 或者 或 以及 还是 具体 到底 究竟
分为 分成 分别 目前 现在 已经 曾 正在 马上 立即 直接 自动 必要 还有 了 着 过 的话 地 得 之 所 以内 以上
以下 之内 之前 之后 以前 以后 前 后 内 时 时候 里 中 上 下 请 请问 帮 帮我 麻烦 告诉 告诉我 想
想要 我想 知道 了解 咨询 问 查 查询一下 介绍 说明 解释 讲 讲讲 说 说说 谈谈 看 看看 列 列出 指
指的 叫 叫做 说的 起 开始 结束 截止 一下 一点 一些 关于 有关 相关 同时 另外 其他 其它 别的 这 那
我 你 您 我们 你们 他们 多长时间 什么时候 是什么 怎么回事 仍 仍然 依然 一定 非 主要 大约是 为止
与否 非常 太 够 不够 行 好 对不对 随时 平时 全部 所有 一直 全 各 各自 任何 新 旧 如 例如 比如 等
等等 算是 作为 成为 变成 下 去 来 找 比 跟
""")
"""Modals, copulas, adverbs, prepositions and politeness: no subject of their own."""

ACTIONS = words_of("""
申请 申报 申领 办理 办 领取 领 提交 交 递交 查询 使用 用 操作 审批 审核 批准 批 发放 发 到账
到帐 到 享受 适用 执行 施行 实施 生效 规定 计算 算 缴纳 缴 登记 做 弄 处理 开具 开 准备 提供
携带 带 获得 得到 拿 拿到 补办 变更 修改 取消 撤销 注销 更新 更换 换 退 退还 退款 联系 收费 收
付 付款 支付 发布 公布 颁布 出台 报名 预约 激活 开通 设置 重置 安装 维修 修 保修 维护 清洗 清洁
购买 买 卖 销售 租 借 还 填 填写 签 签字 盖章 走 过期 失效 延期 延长 续 续签 停 暂停 恢复 休 请
报 报销 折现 分次 提前 完成 成功 通过 生效 废止 修订 制定 解决 排查 执行 遵守 违反 处罚 罚 罚款
扣 扣除 补 补缴 调整 增加 减少 上涨 涨 降 降低 结转 累计 累积 清零 作废 公示 评定 认定 确定 确认
选 选择 参加 加入 写 定义 理解 区分 区别 对比 比较 下载 上传 打印 登录 注册 负责 组织 通知 起算
计入 计算 抵扣 转 转让 转移 继承 共享 限制 影响 支持 兼容
""")
"""Verbs that take their object from the topic: alone they name no subject."""

TOPICAL_ACTIONS = words_of(
    "报销 付款 支付 退款 登录 注册 打印 购买 盖章 续签 维修 安装 参加 销售 租 组织 保修"
)
"""Actions that make a topic with a relational noun behind them: "报销流程是什么"."""

EVENTS = words_of("""
入职 离职 辞职 转岗 出差 请假 休假 参保 退保 加班 旷工 退休 结婚 生育 落户 买房 租房 创业 就业 留学
""")
"""Verbs that are a subject of their own: "怎么请假？" needs nothing before it."""

DOCUMENT_NOUNS = words_of("制度 办法 规定 政策 规范 条例 细则 规程 手册 指南 方案 通知 管理")
"""Nouns for rules: an action between a subject and one of these belongs to the subject."""

RELATIONS = words_of("""
条件 材料 资料 证件 手续 流程 步骤 程序 过程 时间 日期 期限 时限 周期 时长 有效期 保修期 质保期
金额 额度 数额 标准 上限 下限 比例 费用 价格 价钱 钱 费率 税率 利率 单价 总价 地址 地点 地方
分机 分机号 工号 邮编 传真 位置 电话 号码 联系方式 联系电话 联系人 邮箱 网址 网站 官网 入口 链接
渠道 方式 方法 途径 要求 资格 对象 范围 人群 部门 负责人 审批人 负责部门 主管部门 机关 机构 原因
理由 目的 意义 作用 用途 功能 特点 优点 缺点 优势 劣势 好处 坏处 区别 差异 差别 不同 影响 后果
处罚 罚款 风险 注意事项 事项 内容 详情 细节 情况 情形 结果 进度 状态 依据 出处 来源 文件 规定
规则 表格 表 模板 样本 例子 案例 次数 天数 人数 数量 名额 年限 年龄 学历 截止日期 截止时间
开始时间 生效时间 生效日期 施行日期 施行时间 发布时间 颜色 尺寸 重量 大小 型号 规格 参数 配置
性能 质量 库存 品牌 厂家 产地 作者 导演 主演 主角 评分 类型 种类 名称 名字 编号 代码 单位 级别
等级 顺序 例外 定义 含义 意思 概念 全称 简称 特殊 问题 事 事情 东西 办法 做法 建议 证明 单据
凭证 附件 原件 复印件 样式 格式 周末 节假日 工作日 期间 阶段 环节 节点 关系 待遇 政策 天 年 月
日 元 块 个 次 倍 人 种 份 小时 分钟 责任 义务 权利 主体 机制 措施 途经 口径 公式 基数 系数 档次
限额 指标 目标 总额 余额 差额 折扣 优惠 赔偿 违约金 押金 手续费 服务费 运费 税 功率 电压 容量
温度 速度 频率 精度 寿命 续航 接口 版本 材质 外观 包装 配件 说明
""")
"""Nouns that are of something: a question of these alone asks about the topic before it."""

GENERIC_PEOPLE = words_of(
    "我 我们 你 你们 您 他 他们 大家 公司 单位 员工 职工 个人 用户 客户 人 本人 劳动者 "
    "申请人 人员 自己 谁 咱们 公民 当事人"
)
"""People that any question may name; they set no subject and no condition."""

CLASSES = words_of("""
政策 规定 文件 制度 办法 条例 法规 法律 细则 通知 标准 规范 方案 产品 商品 东西 项目 业务 公司
企业 单位 机构 服务 设备 系统 功能 型号 机器 事 事情 事项 问题 活动 计划 合同 协议 指标 手册
报告 补贴 津贴 奖励 假 假期 费用 证 证件 资格 职位 岗位 部门 软件 应用 平台 工具 药 车 手机 电脑
话题 方面 内容 概念 词 人 城市 地方 地区 省 市 学校 课程 书 电影 歌 景点 酒店 餐厅 餐馆 店 饭店
""")
"""Class names that can stand for a thing named before ("这项政策")."""

PERSON_ENDINGS = (
    *(
        "员工",
        "职工",
        "人员",
        "实习生",
        "学生",
        "毕业生",
        "研究生",
        "本科生",
        "应届生",
        "大学生",
        "新生",
    ),
    *(
        "经理",
        "主管",
        "总监",
        "家属",
        "子女",
        "配偶",
        "父母",
        "博士",
        "硕士",
        "本科",
        "大专",
        "孕妇",
        "女性",
    ),
    *(
        "男性",
        "外包",
        "新人",
        "军人",
        "教师",
        "外国人",
        "老人",
        "儿童",
        "高管",
        "个体户",
        "工程师",
        "者",
        "人才",
    ),
    *(
        "销售员",
        "管理员",
        "驾驶员",
        "合同工",
        "临时工",
        "农民工",
        "兼职",
        "全职",
        "高层",
        "干部",
        "领导",
        "顾问",
    ),
    *(
        "法人",
        "企业",
        "外籍",
        "港澳台",
        "残疾人",
        "退休人员",
        "医生",
        "护士",
        "级别",
        "职级",
        "男方",
        "女方",
        "副总",
        "总裁",
        "主任",
        "处长",
        "科长",
        "局长",
        "院长",
        "组长",
        "店长",
        "董事",
        "司机",
    ),
)
"""Endings of words for kinds of people and applicants."""

NOT_PERSON = words_of("卫生 民生 人生 养生 再者 或者 两者 前者 后者 二者 学者型 租房人才 人才")
"""Words with such an ending that are no kind of applicant."""
