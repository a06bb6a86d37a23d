"""Taiwan's words for things that the mainland names otherwise: 軟體 is 软件, 網路 is 网络.

The pairs come from OpenCC's phrase table. Its keys are traditional letters, so that text in
simplified letters never changes by it (软体动物, 网路). Words that mean something else in
other traditional texts are left out: 檔案 may be a 档案 as well as a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_WORDS_OF_OTHER_SENSES = """
執行 資料 裝置 指標 模擬 通訊 聯絡 檔案 儲存 查詢 啟用 透過 複製 傳送 互動 互動式 列舉 訊息
設定 開啟 載入 匯入 連結 連線 外掛 變數 類比 機率 取樣 取樣率 稽覈 陣列 檢視 預設 過載 高階
低階 進階 專案 社羣 存檔 釋出 對映 型別 通話記錄 通話卡 縮排 點選 片語 迴圈 除錯 賓士 擴音
線上 例項 丟擲 冷盤 原始碼 原始檔 撥出 行動資料 行動式 參數列 引數 燒錄 名稱空間 運算元 離線
內建 錄影 截圖 擷取 持久性 永續性 傷心小棧 調變 實體地址 回撥 來電轉駁 圖示 巢狀 閘流體
"""
_OTHER_SENSES = frozenset(_WORDS_OF_OTHER_SENSES.split())
_KEPT = {
    "軟體動物": "软体动物", "柔軟體": "柔软体", "網路由": "网路由", "網路過": "网路过",
    "資訊息": "资讯息", "資訊號": "资信号", "資訊問": "资讯问", "視訊號": "视信号",
}  # fmt: skip
"""Where such letters only meet: 柔軟+體操, 聯網+路由器, 投資+訊息, 電視+訊號."""

_IN_BOTH_SCRIPTS = {
    "滑鼠": "鼠标",
    "列印": "打印",
    "硬碟": "硬盘",
    "光碟": "光盘",
    "磁碟": "磁盘",
    "伺服器": "服务器",
}
"""Words whose letters are the same in both scripts; the mainland has no such words."""
_BOTH = re.compile(
    "滑鼠|硬碟|光碟|磁碟|伺服器|(?<![系排并陈罗行队专])列印(?![度章刷花象尼发泥])"  # 系列|印章
)


def taiwan_phrases(
    rows: Iterable[tuple[str, str]], simplify: Callable[[str], str]
) -> dict[str, str]:
    """Traditional word → the mainland's in simplified letters, of the same length.

    Args:
        rows: OpenCC's pairs, Taiwan's word first, the mainland's in traditional letters.
        simplify: letters alone.
    """
    phrases: dict[str, str] = {}
    for word, other in rows:
        plain, wanted = simplify(word), simplify(other)
        traditional = plain not in (word, wanted)
        if traditional and 1 < len(word) == len(wanted) and word not in _OTHER_SENSES:
            phrases[word] = wanted
    return phrases | _KEPT


def mainland_words(text: str) -> str:
    """A simplified text with the words whose letters both scripts share replaced (滑鼠 →
    鼠标); the length stays."""
    return _BOTH.sub(lambda match: _IN_BOTH_SCRIPTS[match.group()], text)
