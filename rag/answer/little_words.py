"""Words of a question that tell little about its subject: whether a passage holds them hardly
counts. General knowledge of the language, chosen by us."""

from __future__ import annotations

_FORMS = """
规定 要求 内容 情况 问题 方面 方式 标准 相关 办法 事项 介绍 说明 信息 资料 时候 时间 开始 起 钱
进行 属于 存在 主要 一般 通常 目前 现在 最新 今年 去年 明年 新 区别 不同 差别 差异 比较 对比
分别 日期 金额 数量 步骤 流程 具体 中 后 前 等 两个 两 三个 个 年 月 日 天 元 人 含义 意思 定义
原因 包括 多少 地址 电话 名称 名字 叫 有 成为 使用 发生 作为 当时 之后 之前 其中 以后 以前 一种
那里 这里
"""
"""What is asked for in general (规定, 步骤, 日期), whatever the subject is."""
_ASIDES = """
妈 爸 娃 我妈 我爸 妈妈 爸爸 爸妈
截止 截至 到期 结束 还要 还能 还会
父母 爷爷 奶奶 外公 外婆 老公 老婆 儿子 女儿 孩子 小孩 老人 家里 家人
我家 朋友 同事 亲戚 邻居 本人 自己 个人 老家 最近 刚才 刚刚 今天 昨天 明天 后天 上次 这次 下次 才能
平时 一直 已经 马上 突然 大概 大约 左右 到底 究竟 其实 反正 好像 听说 据说 打算 准备 想要 觉得
记得 知道 了解 详细 详细说明 说说 讲讲 看看 试试 麻烦 谢谢 帮忙 另外 还有 然后 如果 要是 假如
的话 不知道 不懂 不会 没有 不能 不让 可以 能够 允许 需要 必须 应当 应该 处理 操作 弄 搞 整 做 办
给 拿 交 收 算 咋 咋办 咋整 咋弄 啥 啥时候 公斤 千克 克 斤 吨 米 厘米 平方 平米 平方米 公里 小时
钟头 分钟 秒 块 块钱 毛钱 岁 周 礼拜 星期 号 份 次 位 名 月份 几月 最多 最少 最高 最低 最大 最小
至少 至多 以内 以上 以下 超过 一共 总共 总计 每年 每月 每天 每次 每周 一年 一次 一天 一个月 显示
出现 提示 收费 交钱 花钱 要钱 贵 便宜 讲 说 聊 百分之 百分
"""
"""Fillers, persons and details of their own, words of doing, units and limits."""
LITTLE_WORDS = frozenset((*_FORMS.split(), *_ASIDES.split()))
