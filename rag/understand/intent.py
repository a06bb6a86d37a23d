"""What kind of answer a question wants, from the words that ask for it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.types import Intent, Turn

_MARKS = re.compile(r"[\W_]+")
_GREETING = re.compile(
    r"(?:你|您|大家)好(?:啊|呀|吗|哇)?|哈[喽啰罗]|嗨|hi|hello|hey|在吗|在不在|有人吗|早(?:上好|安)?|(?:上午|中午|下午|晚上)好|晚安"
)
_THANKS = re.compile(
    r"(?:好的?|好吧|好嘞|嗯+|行|ok|明白了?|知道了|了解了?|懂了|收到|清楚了)?"
    r"(?:非常|太|十分|多)?(?:谢谢|感谢|多谢|谢[了啦咯喽哈]|辛苦|thanks?|thankyou"
    r"|thx)(?:你|您|啦|了|咯|你们|大家|你的[\u4e00-\u9fff]{1,4})?(?:哦|啊|呀|哈)?"
    r"|(?:你|您|这)?(?:可|真的?|真是)?(?:是)?帮(?:了)?(?:我|到我)?(?:一个|个)?(?:大|很大的?|好大的?)?(?:忙|到我)(?:了|啦)"
    r"|(?:对我)?(?:很|太|非常|真)有(?:用|帮助)(?:了)?|麻烦(?:你|您)了"
)
_FAREWELL = re.compile(
    r"(?:再见|拜拜|回见|bye|byebye|明天见|下次见|没(?:有)?(?:别的)?(?:事|问题)了|不用了|没事了?)(?:谢谢|啦|了)?"
)
_ACKNOWLEDGE = re.compile(
    r"(?:好|好的|好吧|好嘞|嗯+|哦+|噢|行|可以|ok|okay|明白|明白了|知道了|了解|了解了|懂了|收到|原来如此|是的|对|对的|没错|不客气"
    r"|厉害|不错|真棒|太好了|太棒了|赞|牛|哈+|呵呵|嘿嘿|6+)(?:啊|呀|的|吧|了|哦|谢谢)?"
)
_SIGH = re.compile(
    r"唉+|嗯呢|哎(?:呀|哟|哎)*|诶+|欸+|呃+|额+|唔+|em+|啊+|哇+|呵+|天[哪啊呐]|(?:真|好|太|可真|有点)?(?:麻烦|无语|郁闷|心累|烦人?|可惜|遗憾)(?:啊|呀|了|哦|死了)*"
    r"|(?:我)?服了|头大"
)
"""Sighs: alone, or around other small talk, they ask nothing."""
_SETTLED = re.compile(
    r"(?:那(?:么|就)?|我|就|也)*(?:好吧|行吧|好[的嘞滴哒]?|行|可以|(?:先|就)?这样子?(?:吧|了|啊)?|原来(?:是这样|如此)|怪不得|难怪"
    r"|(?:都|全|大概|差不多|基本)?(?:明白|知道|懂|清楚|了解)了?|(?:再|先)(?:看看|想想|试试|等等)(?:吧)?|(?:去|再)?(?:问问|试试|看看|找找)(?:他们?|她们?|人事|领导|同事|看)?(?:吧)?"
    r"|回头再说(?:吧)?|搞定了|弄好了|解决了|收到了?|没(?:事|有)?了|ok+)(?:的|呢|啊|呀|吧|哈|哦|啦|咯)*"
)
"""The user is content, or will see: nothing more is asked."""
_ABOUT_ASSISTANT = re.compile(
    r"(?:你|您)(?:是谁|叫什么(?:名字)?|是(?:什么|哪个|哪家)(?:模型|机器人|ai|公司|系统|助手)?(?:开发的"
    r"|做的)?|是(?:机器人|人工智能|真人|ai|chatgpt|gpt)吗?"
    r"|(?:都|还)?(?:能|会|可以)(?:做|干|帮我做?|回答|帮我)(?:些|点)?(?:什么|啥|哪些(?:事"
    r"|问题)?)(?:方面)?(?:的)?(?:事情?|问题)?|有(?:什么|哪些)(?:功能|本事|用)|(?:该|要)?(?:怎么|如何|怎样)(?:用|使用)(?:你)?"
    r"|是(?:由)?(?:谁|哪(?:个|家|里)(?:公司|团队|单位)?)(?:家)?(?:开发|做|研发|制作|设计|造|训练|创造)(?:出来)?的?"
    r"|介绍一下(?:你)?自己|多大了|几岁了?|喜欢什么|吃饭了吗|好吗)(?:啊|呀|呢)?"
    r"|(?:我)?(?:该|要|应该)?(?:怎么|如何|怎样)(?:来|去)?(?:用|使用|问|跟|和)(?:你|您)(?:说话|聊|聊天|对话|问问题|提问)?(?:啊|呀|呢)?"
    r"|(?:是)?谁(?:开发|做|研发|制作|设计|造|训练|创造)(?:出来)?(?:了)?(?:的)?(?:你|您)(?:的)?(?:啊|呀|呢)?"
    r"|(?:你|您)(?:的)?(?:开发者|作者|主人)是谁"
    r"|介绍一下你自己|自我介绍(?:一下)?|who are you|what can you do"
)
_PLAY = re.compile(
    r"(?:给我|请|帮我|来|能)?(?:讲|说|来)(?:一?个|点)(?:笑话|故事|段子)|陪我聊(?:聊|天)|(?:我们)?聊聊天?(?:吧)?|唱(?:一?首|个)?歌"
)
_DROP = re.compile(
    r"(?:(?:那|还是|嗯|唉|哎)*(?:算了吧?|好吧|行吧|没事了?))?(?:那)?(?:我)?(?:先|就|还是)?(?:不|别)(?:再)?(?:想)?(?:问|说|聊|谈|管|看|查|提)"
    r"(?:这个?|那个?|它|这些|那些|这事|这件事|刚才那个)?(?:话题|问题|事|事情)?(?:了|啦|吧)+(?:吧)?"
    r"|(?:那|我们?|咱们?)?(?:来)?换(?:一?个|别的|其他)(?:话题|问题)(?:吧|了|好吗)?"
    r"|(?:那|我们?|咱们?)?(?:说|问|聊)(?:点|个)?(?:别的|其他的?)(?:吧|了)?(?:好了)?"
    r"|(?:那|那就|还是|唉|哎)?算了(?:吧|啦)?"
)
_LIBRARY = re.compile(
    r"(?:请问|那)?(?:(?:你|您|你们|这里|这儿|这个系统|系统里?|目前|现在|我|我们|当前)(?:的)?)?"
    r"(?:(?:这个)?(?:知识库|资料库|文档库|文件库|资料|文档|库)(?:里面?|中|内|里头)?)?(?:都|一共|总共|目前|现在)*(?:能|可以|能够)?"
    r"(?:有|收录(?:了)?|包含|包括|存(?:了|着)?|查(?:到|询)?|看(?:到)?|搜(?:到|索)?|上传(?:了)?|导入(?:了)?)(?:着|过|了)?"
    r"(?:哪些|什么|啥|些什么|多少|几)(?:个|份|篇|种|方面的?|类)?(?:文件|资料|文档|知识|材料|内容)(?:可以?|能)?(?:查|看|问|用)?(?:吗|呢|啊|呀)?"
    r"|(?:列出|列一下|看看|显示|给我看看?)(?:一下)?(?:所有(?:的)?|全部(?:的)?)?(?:知识库(?:里|中)?的?)?(?:所有(?:的)?|全部(?:的)?)?(?:文件|文档|资料)(?:列表|清单|目录|名称?)?"
    r"|(?:文件|文档|资料|知识库)(?:列表|清单|目录)"
)
_OF_THE_LIBRARY = re.compile(r"知识库|资料库|文档库|文件库|库[里中]|你|您|系统|这里|这儿")
_META = re.compile(
    r"(?:我|咱们?|我们)?(?:刚才|刚刚|之前|上一?(?:个|次|轮)|前面|最开始|一开始|第[一二三四五六七八九十\d]+(?:个"
    r"|次|轮)|最近)(?:的)?(?:我|你|我们)?(?:都|一共|还)?(?:问|说|聊|回答|讲|提)(?:了|过"
    r"|的)?(?:你|我)?(?:是|的)?(?:什么|哪些|啥|几个|多少|的?问题是什么|的?是什么|到哪)"
    r"|我(?:都|一共|总共)?(?:问|说)(?:了|过)(?:你)?(?:什么|哪些|啥|几个|多少)"
    r"|(?:总结|概括|回顾|归纳|梳理)(?:一下|下)?(?:我们|咱们|咱|刚才|以上|上面|前面|这次|本次|之前)(?:的"
    r"|这)?(?:全部|所有|这段|刚才)?(?:的)?(?:对话|聊天|谈话|交流|会话|讨论|内容|问答|问题)"
    r"|(?:我们|咱们)(?:刚才|刚刚|之前|都|一共)?(?:聊|谈|讨论|说)(?:了|过)(?:些)?(?:什么|哪些|啥)"
    r"|(?:上一个|上个|刚才的?|前一个|第[一二三四五\d]+个)问题是(?:什么|啥)"
    r"|(?:把|将)?(?:我们的?|这段|以上|上面的?)(?:对话|聊天记录?)(?:总结|概括|回顾)"
    r"|(?:你|您)(?:刚才|刚刚|之前|上一次|上次)(?:是怎么|怎么)?(?:说|回答|讲)(?:了|的)?(?:什么"
    r"|啥|是什么)|(?:重复|再说)(?:一遍|一下)(?:你)?(?:刚才|上一?个|刚刚)的?(?:话|回答|答案)"
)
_OUT_OF_SCOPE = re.compile(
    r"(?:帮我|给我|替我|请)?(?:写|作|编|画|做|创作)(?:一)?(?:首|篇|段|幅|个|张)(?:诗|词|歌词?|小说|作文|情书|代码|程序|图|画|视频)"
    r"|(?:播放|放)(?:一?首|点|个)?(?:音乐|歌|视频)|(?:帮我|给我|替我)(?:订|买|叫|点|打)(?:一?[张个份辆])?(?:票"
    r"|机票|火车票|酒店|外卖|车|电话|咖啡)"
    r"|(?:今天|明天|后天|现在|这周|周末)?[\u4e00-\u9fff]{0,6}天气(?:怎么样|如何|预报|好吗"
    r"|热吗|冷吗)|会下雨吗|现在几点|今天(?:是)?(?:星期几|几号|礼拜几)|(?:股票|股价|彩票|双色球)(?:今天"
    r"|现在)?(?:涨|跌|多少|开奖)"
)
_COMPARISON = re.compile(
    r"区别|差异|差别|不同(?:点|之处)?(?:是|在|有|$|[?？])|有什么不同|有何不同|不一样|异同|对比|比较(?:一下)?|相比|"
    r"哪个(?:更|比较)?(?:好|高|低|多|少|贵|便宜|快|慢|长|短|大|小|划算|合适|严|宽)|谁(?:更|比较)"
    r"|差(?:了)?多少|相差|更(?:高|低|多|少|好|严|快)(?:吗|$|[?？])|比[\u4e00-\u9fffA-Za-z0-9]{1,20}(?:高"
    r"|低|多|少|好|长|短|贵|便宜)|优劣|vs"
)
_SUMMARY = re.compile(
    r"总结|概括|概述|概要|摘要|归纳|梳理|综述|主要(?:内容|讲|说|包括|规定)|大意|(?:讲|说|写)了(?:些)?什么|介绍一下|整体(?:情况|介绍)|要点|核心内容"
)
_TROUBLE = re.compile(
    r"报错|出错|(?:显示|提示|出现|弹出|跳出)(?:了|的是)?[a-zA-Z]{1,2}-?\d{1,4}(?![\da-zA-Z-])|^[a-z]{1,2}-?\d{1,4}(?:怎么办|怎么处理|是什么(?:意思|故障))"
    r"|(?<![a-z\d-])[a-z]{1,2}-?\d{1,4}[，, ]?(?:该|要)?(?:怎么|咋|如何)(?:弄|整|搞|解决)"
    r"|错误(?:代码|码|提示|信息)?|故障|异常|失败|失灵|不(?:了|动|响应|工作|显示|亮|上|出来"
    r"|生效|能用|好用)(?:怎么|如何|了|$|[?？，,])|(?:无法|不能|没法)(?:打开|登录|登陆|使用|启动"
    r"|连接|开机|提交|上传|下载|识别|打印|安装|联网|访问|充电|保存|显示)"
    r"|打不开|连不上|登不上|用不了|开不了|上不去|收不到|死机|卡住|卡顿|崩溃|闪退|黑屏|蓝屏|漏水|异响|发热"
    r"|坏了|丢了|忘记(?:了)?(?:密码|账号)|怎么(?:修|排查|解决|处理|修复)|(?:解决|排查|修复)(?:办法"
    r"|方法)|为什么(?:会)?[\u4e00-\u9fff]{0,8}(?:不|没|无法)[\u4e00-\u9fff]{0,6}(?:亮"
    r"|转|响|显示|响应|启动|工作|连|通|出水)"
)
_CALCULATION = re.compile(
    r"(?:怎么|如何|怎样)(?:计算|算|折算|换算)|(?:一共|总共|合计|共计|总计|累计)(?:是|要|有|能"
    r"|可以|需要)?[\u4e00-\u9fff]{0,6}(?:多少|几)|算(?:一下|下|出|多少)|折合|换算|平均(?:是"
    r"|每)?[\u4e00-\u9fff]{0,6}多少|增长(?:率|了多少)|同比|环比|占比|(?:(?<![\w/.-])\d+(?:\.\d+)?(?:\s*[+*/×÷]\s*"
    r"|\s+-\s+)\d)|(?:\d|[一二三四五六七八九十])[\d.]*(?:元|万|天|个月|年)[\u4e00-\u9fff，,]{1,20}(?:能"
    r"|可以|应该?|要|得)(?:拿|领|报|休|交|扣|付|补)(?:多少|几)"
)
_PROCEDURE = re.compile(
    r"(?:怎么|如何|怎样|咋)(?!样|回事|了|说|样|规定|算)(?:才能|去|来|在[\u4e00-\u9fff]{1,8})?[\u4e00-\u9fff]{0,8}?(?:申请"
    r"|办理|办|申报|提交|报销|操作|使用|用|设置|安装|领取|领|登记|注册|查询|查|开通|开具|开|缴|交|预约"
    r"|请|休|申诉|投诉|退|换|变更|修改|补办|注销|下载|上传|登录|激活|配置|更换|清洁|清洗|保养|走|做|弄"
    r"|填|报名|缴纳|签|处理|审批|转|加入|参加|联系|重置|恢复|连接|升级|打卡|购买|预订|盖章|借|还|拿|取"
    r"|发起|创建|添加|删除|导出|导入)"
    r"|流程|步骤|程序是|手续|操作方法|办理方式|申请方式|(?:需要|要|应|应当|须)(?:准备|提交|提供|带|携带"
    r"|交)?(?:哪些|什么|啥|几种)(?:材料|资料|证件|手续|文件|单据|证明|步骤|流程)|材料有哪些|所需材料"
    r"|怎么走|怎么办理|分(?:几|哪几)步|教(?:我|一下)"
)
_DEFINITION = re.compile(
    r"(?:什么|何)(?:是|叫做?|谓)|(?:是|指的?是|叫)(?:什么|啥)(?:意思|概念|东西|含义)?[?？啊呀呢]*$"
    r"|(?:什么|啥)意思|定义|含义|指(?:的是)?(?:什么|哪些)|是指|(?:如何|怎么)(?:理解|定义|解释)"
    r"|的概念"
)
_POLICY = re.compile(
    r"(?:是否|能否|可否|能不能|可不可以|能|可以|允许|准许|必须|应当|应该|需不需要|要不要|会不会|有没有|算不算"
    r"|属于|违反|禁止|不得|有资格|符合)[\u4e00-\u9fff，,《》]*(?:吗|么|呢|$|[?？])"
    r"|(?:政策|规定|条件|资格|标准|要求|制度|待遇|权利|义务|责任|处罚|罚款|适用(?:范围|对象)?|限制)(?:是"
    r"|有|包括|要求)?(?:什么|哪些|怎样|怎么样|如何|多少|吗|$|[?？])|怎么规定|如何规定|有(?:什么"
    r"|哪些|何)(?:规定|要求|条件|政策|限制|待遇)|(?:什么|哪些)(?:条件|人|情况|情形|人员|企业|单位)(?:下)?(?:可以"
    r"|能|才能|不能|需要|应当|可)|第[\d一二三四五六七八九十百]+条"
)
_FACT = re.compile(
    r"多少|几[天个年月次名人元点级种条岁]|多久|多长|多大|多高|多重|什么时候|何时|哪[天年月里儿家个些位种]|谁"
    r"|什么(?:时间|日期|地方|地点|名字|颜色|级别|号码|电话|部门)|电话|地址|邮箱|网址|号码"
)


def classify(question: str, history: Sequence[Turn] = ()) -> tuple[Intent, float]:
    """The intent of a question and how sure the rules are, 0..1.

    Args:
        question: the completed question (small talk: as typed).
        history: kept for callers that judge with it; small talk needs none.
    """
    del history  # the completed question carries what matters of it
    text = question.strip().lower()
    bare = _MARKS.sub("", text)
    if is_small_talk(question):
        return "chitchat", 0.95
    if _META.search(bare) or is_library(question):
        return "meta", 0.92
    if _OUT_OF_SCOPE.search(bare):
        return "out_of_scope", 0.7
    ordered: tuple[tuple[Intent, re.Pattern[str], float], ...] = (
        ("comparison", _COMPARISON, 0.9),
        ("troubleshooting", _TROUBLE, 0.85),
        ("calculation", _CALCULATION, 0.85),
        ("summary", _SUMMARY, 0.85),
        ("procedure", _PROCEDURE, 0.85),
        ("definition", _DEFINITION, 0.8),
        ("policy", _POLICY, 0.75),
        ("fact", _FACT, 0.8),
    )
    for intent, pattern, confidence in ordered:
        if pattern.search(text):
            return _refined(intent, text), confidence
    return "fact", 0.5


def is_small_talk(question: str) -> bool:
    """Whether the question holds nothing to look up: greetings, thanks, only marks or emoji."""
    bare = _MARKS.sub("", question.lower())
    if not bare:
        return True
    rest = bare
    for pattern in (_ABOUT_ASSISTANT, _PLAY):
        rest = "" if pattern.fullmatch(rest) else rest
    previous = None
    while rest and rest != previous:
        previous = rest
        for pattern in _SMALL_TALK:
            if match := pattern.match(rest):
                rest = rest[match.end() :]
    dropped = drops_topic(question) == len(question) or bool(_DROP.fullmatch(rest))
    return not rest or dropped


_SMALL_TALK = (
    _GREETING,
    _THANKS,
    _FAREWELL,
    _SETTLED,
    _SIGH,
    _ACKNOWLEDGE,
    _ABOUT_ASSISTANT,
)


def is_meta(question: str) -> bool:
    """Whether the question is about this conversation or about what can be searched."""
    return bool(_META.search(_MARKS.sub("", question.lower()))) or is_library(question)


def is_library(question: str) -> bool:
    """Whether the question asks which documents there are ("知识库里有哪些文件？").

    Without a word for the knowledge base only documents as such are meant: 有哪些材料 asks
    what to hand in.
    """
    bare = _MARKS.sub("", question.lower())
    if not _LIBRARY.fullmatch(bare):
        return False
    return bool(_OF_THE_LIBRARY.search(bare)) or bool(
        re.fullmatch(
            r"(?:都|一共|目前|现在)*有(?:哪些|什么|几个|多少)?个?(?:文件|文档).*|.*(?:列表|清单|目录)|列.*",
            bare,
        )
    )


def drops_topic(question: str) -> int:
    """How many characters at the beginning end the topic ("算了，不问这个了，"); 0 for none.

    算了 alone ends it only as the whole message; with more behind it the rest must be parted
    by a mark.
    """
    clauses = list(re.finditer(r"[^，,。；;！!？?\s]+[，,。；;！!？?\s]*", question))[:3]
    end = 0
    for clause in clauses:
        if not _DROP.fullmatch(_MARKS.sub("", clause.group())):
            break
        end = clause.end()
    return end


def _refined(intent: Intent, text: str) -> Intent:
    """ "年假的申请条件是什么" asks for a rule, "X是什么" for a meaning."""
    if intent == "definition" and _POLICY.search(text):
        return "policy"
    if intent == "definition" and re.search(
        r"(?:时间|日期|期限|地址|电话|金额|价格|费用|部门|型号|颜色|号码|比例|额度|名称|编号|人)是(?:什么|啥)",
        text,
    ):
        return "fact"
    return intent
