"""Radical and look-alike code points that Unicode's NFKC leaves alone.

PDF fonts often map glyphs to the CJK Radicals Supplement (U+2E80–2EFF) instead of the
unified ideographs. NFKC folds the Kangxi radicals (U+2F00–2FD5) but only two of this block.
Source: the Unicode names of the block ("CJK RADICAL …") and EquivalentUnifiedIdeograph.
"""

from __future__ import annotations

_PAIRS = (
    "⺁厂⺂乛⺃乚⺄乙⺅亻⺆冂⺇几⺈刀⺉刂⺊卜⺋㔾⺌小⺍小⺎兀⺏尣⺐尢⺑尣⺒巳⺓幺⺔彑⺕彐⺖忄"
    "⺗㣺⺘扌⺙攵⺛旡⺜日⺝月⺞歺⺟母⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺦丬⺧牛⺨犭⺩王⺪疋⺫目⺬示⺭礻"
    "⺮竹⺯糹⺰纟⺱罓⺲罒⺳网⺴网⺵网⺶羊⺷羊⺸羊⺹耂⺺肀⺻聿⺼肉⺽臼⺾艹⺿艹⻀艹⻁虎⻂衤⻃覀"
    "⻄西⻅见⻆角⻇角⻈讠⻉贝⻊足⻋车⻌辶⻍辶⻎辶⻏邑⻐钅⻑長⻒镸⻓长⻔门⻕阜⻖阝⻗雨⻘青⻙韦"
    "⻚页⻛风⻜飞⻝食⻞飠⻟飠⻠饣⻡首⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜"
    "⻰龙⻱龟⻲亀⻳龟"
)

RADICALS: dict[str, str] = {_PAIRS[i]: _PAIRS[i + 1] for i in range(0, len(_PAIRS), 2)}
"""Radical code point → the ideograph that a reader sees."""
