"""What was noticed about a document or page: short codes, and how people read them.

A flag is a code, or a code and a value joined by a colon ("bad_lines:3,7").
"""

from __future__ import annotations

_TEXTS: dict[str, tuple[str, str]] = {
    "no_text": ("没有文字层（扫描件或图片）", "no text layer (a scan or picture)"),
    "garbled": (
        "文字编码异常，认不出的未收录",
        "garbled; what could not be read was left out",
    ),
    "invisible_text": ("含不可见文字，未收录", "invisible text was left out"),
    "fake_bold": ("重复绘制的粗体已去重", "doubled bold text was merged"),
    "watermark": ("水印文字已去除", "watermark text was removed"),
    "header_footer": ("页眉页脚已去除", "headers and footers were removed"),
    "rotated": ("页面有旋转", "page is rotated"),
    "vertical": ("竖排文字", "vertical writing"),
    "columns": ("多栏排版", "several columns"),
    "image_text": ("图片里的文字未识别", "text inside pictures was not read"),
    "blank": ("空白页", "blank page"),
    "failed_page": ("页面读取失败", "page could not be read"),
    "repaired": ("文件有损坏，已修复读取", "the damaged file was repaired for reading"),
    "ragged_rows": ("部分行的列数不一致", "some rows have another number of columns"),
    "bad_lines": ("部分行不是有效记录，已跳过", "some lines are no valid records"),
    "duplicate_records": ("有重复的记录编号", "some record ids occur twice"),
    "hidden_sheet": ("隐藏的工作表未收录", "hidden sheets were left out"),
    "hidden_cells": ("隐藏的行或列未收录", "hidden rows or columns were left out"),
    "skipped_columns": ("列数过多，后面的列未收录", "too many columns; the rest was left out"),
    "hidden_slide": ("隐藏的幻灯片未收录", "hidden slides were left out"),
    "converted": ("由旧格式转换后读取", "converted from an old format for reading"),
    "formula_without_value": ("部分公式没有计算结果", "some formulas have no stored result"),
    "damaged_text": ("部分字符无法解码", "some characters could not be decoded"),
    "other_format": ("实际格式与文件名不符", "the real format differs from the name"),
    "missing_page": ("页面缺失", "page is missing"),
    "recognised": ("文字由图像识别得到", "text was recognised from the picture"),
    "pictures_read": ("图片里的文字已识别", "text inside pictures was recognised"),
    "mended_text": (
        "文字编码异常，已按页面所见改正",
        "garbled text was replaced by what the page shows",
    ),
    "doubtful_text": ("文字可能与页面所见不符", "the text may differ from what the page shows"),
    "hidden_layer": (
        "采用了扫描件自带的隐藏文字层",
        "the scan's own hidden text layer was used",
    ),
    "ocr_off": ("文字识别（OCR）未启用或不可用", "text recognition is off or not available"),
    "ocr_failed": ("文字识别出错", "text recognition failed"),
    "garbled_text": ("文字里有乱码", "the text has garbled characters"),
    "stamp_over_text": (
        "印章盖住了文字，请对照原件检查",
        "a stamp covers text; compare it with the original",
    ),
    "low_resolution": (
        "图像分辨率低，有些字可能认错，请对照原件检查",
        "the image's resolution is low; some characters may be wrong, compare with the original",
    ),
    "doubtful_numbers": (
        "有些数字可能认错，请对照原件检查",
        "some numbers may be misread; compare with the original",
    ),
    "low_confidence": ("文字识别把握不大", "text recognition is not certain"),
    "low_information": ("几乎没有可用的文字", "hardly any usable text"),
    "duplicate_text": ("重复的段落较多", "many paragraphs are repeated"),
    "duplicate_page": ("与前面的页面内容相同", "the same text as an earlier page"),
    "reading_order": ("阅读顺序可能有误", "the reading order is doubtful"),
    "table_numbers": ("表格里的数字与原文对不上", "numbers in a table differ from the page"),
    "excluded": ("已被编辑排除", "excluded by an editor"),
    "corrected": ("内容由编辑改正", "corrected by an editor"),
    "decision_outdated": (
        "页面内容与编辑处理时不同，请再看一遍",
        "the page has changed since an editor decided about it",
    ),
    "decision_without_page": ("编辑处理过的页面已不存在", "a page decided about is gone"),
    "truncated": ("内容过长，后面的部分未收录", "too long; the rest was left out"),
    "skipped_page": (
        "页面处理超时或出错，已改用图像识别",
        "page hung or crashed; read as a picture",
    ),
    "mojibake_repaired": ("解码错误的文字已修复", "wrongly decoded text was repaired"),
    "lost_text": ("部分文字在编码转换中已丢失", "some text was lost in a wrong conversion"),
    "adverts_removed": ("推广语已去除", "calls to follow and share were removed"),
    "attachments_unread": ("部分附件未收录", "some attachments were left out"),
    "nested_unread": (
        "嵌套过深的邮件或附件未收录",
        "messages or attachments nested too deep were left out",
    ),
    "model_failed": (
        "语言模型没有按时或正确回答，部分描述、拆分或问题由规则代替",
        "the language model failed or timed out; rules did part of its work",
    ),
    "quotes_merged": ("重复的引用内容已合并", "quoted text that occurs twice was merged"),
}


def flag_text(flag: str, language: str = "zh") -> str:
    """A flag in words, in "zh" or "en"; unknown codes as they are."""
    code, _, value = flag.partition(":")
    if code not in _TEXTS:
        return flag
    text = _TEXTS[code][1 if language == "en" else 0]
    if not value:
        return text
    return f"{text} ({value})" if language == "en" else f"{text}（{value}）"
