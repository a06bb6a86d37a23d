"""Regions of China in a text, as paths from the province down ("浙江/杭州").

Used by slot extraction and by the description of documents. A name counts only when it is
a word of its own: "以上海关规定" holds no 上海, "北京大学" is an organisation, "三明治" is lunch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rag.understand import region_names as names
from rag.understand.words import boundaries

_SUFFIXES = (
    *("特别行政区", "自治州", "自治县", "自治区", "地区", "新区"),
    *"省市州盟区县",
)
_PLACE_AFTER = "的呢地市省吗？?，,、。和与及跟或户籍人有怎如需 ）)》"
_DOCUMENT_NUMBER = re.compile(
    r"([\u4e00-\u9fff])[\u4e00-\u9fff]{1,8}[〔\[［（(【]\s*(?:19|20)\d{2}\s*[〕\]］）)】]"
)
_DISTRICT = re.compile(r"[\u4e00-\u9fff]{2,4}?(?:新区|区|县|市)")
_NOT_DISTRICTS = (
    "区县",
    *(f"{letter}区" for letter in "地市城特辖社园片小校各郊景库赛大专灾该全两"),
)
_ON_THE_SEA = re.compile("[线网以路身马晚早船岛如同之加算赶地掌]上海[报洋鲜关拔外淘域运军底]")
_BUSINESS = re.compile(
    "大?(?:饭店|酒店|宾馆|饭庄|火锅|拉面|牛肉面|炒米粉|烤鸭|黄酒|炸酱面|米线|菜馆|小吃|路|大道|胡同|[一二三四五]条)"
)
"""Behind a city's name these make a dish, a house or a street that is called after it."""
_PREFECTURE = re.compile("(?:[\u4e00-\u9fff]{1,6}?族)+自治[州县]")
_LETTER_BEFORE = frozenset("在来赴驻离抵返入进到去留回非")
_LETTER_AFTER = frozenset("籍牌户漂")
_AFTER_NAME = "人 籍 户口 本地 地区 分公司 分行 市 省 户籍 居民 市民 话"
_TAILS = frozenset(_AFTER_NAME.split())
_CUT_WORDS = "市民 市场 市区 市政 省委 省内 省级 省会 省份 市值 市面 市级 市内 市委"
_WORDS_AFTER_SHORT_NAME = frozenset(_CUT_WORDS.split())
_AROUND = " 那么换成如果是呢的？?！!。，,"
"""What may stand around a place in a question that consists of nothing else."""


@dataclass(frozen=True, slots=True)
class RegionMention:
    """A region named in a text: `text` is text[start:end]; `path` names it from the province.

    `formal` tells whether the name was written with its suffix ("浙江省", "杭州市").
    """

    text: str
    start: int
    end: int
    path: str
    formal: bool = False


def find_regions(text: str) -> list[RegionMention]:
    """The regions named in `text`, in order, without overlaps.

    "浙江省杭州市" is one mention with the path "浙江/杭州"; a group such as "江浙沪" gives one
    mention per region at the same place. The text is taken as it is: normalise it first if
    it may hold wide or traditional characters.
    """
    if not _ANY_PLACE.search(text):
        return []
    mentions = _named(text)
    mentions += _from_document_numbers(text, mentions)
    mentions += _single_letters(text, mentions)
    mentions += _joined(text, mentions)
    mentions.sort(key=lambda mention: (mention.start, mention.end))
    return _nested(text, mentions)


def region_paths(text: str) -> tuple[str, ...]:
    """The paths of the regions named in `text`, each once, in order."""
    return tuple(dict.fromkeys(mention.path for mention in find_regions(text)))


def official_name(path: str) -> str:
    """The last part of a path with its suffix: "浙江" → "浙江省", "浙江/杭州" → "杭州市"."""
    *above, last = path.split("/")
    if not above:
        return names.PROVINCE_FORMS.get(last, (last,))[0]
    if above[0] in names.MUNICIPALITIES or len(above) > 1:
        return last if last.endswith("区") else last + "区"
    if last.endswith("盟"):
        return last
    return last + ("州" if last in names.PREFECTURES else "地区" if last in names.AREAS else "市")


def short_name(path: str) -> str:
    """The last part of a path: "浙江/杭州" → "杭州"."""
    return path.rsplit("/", 1)[-1]


def covers(general: str, special: str) -> bool:
    """Whether `special` is `general` or lies in it ("浙江" covers "浙江/杭州")."""
    return special == general or special.startswith(general + "/")


def related(a: str, b: str) -> bool:
    """Whether one of the two regions lies in the other."""
    return covers(a, b) or covers(b, a)


def without_regions(text: str) -> str:
    """`text` with all region names cut out."""
    kept, position = [], 0
    for mention in find_regions(text):
        kept.append(text[position : max(position, mention.start)])
        position = max(position, mention.end)
    return "".join(kept) + text[position:]


def is_region(text: str) -> bool:
    """Whether the whole of `text` is the name of a region."""
    return text in _PATHS or text in names.GROUPS or text in names.PLAIN_LETTERS


def _build_paths() -> dict[str, str]:
    paths: dict[str, str] = {}
    for path, places in names.COUNTIES.items():
        for place in places.split():
            short = place if place.endswith(("新区", "园区")) else place.removesuffix("区")
            full = f"{path}/{short}"
            paths[place] = full
            if not place.endswith(("区", "市")):
                for suffix in ("区", "市", "县", "新区"):
                    paths[place + suffix] = full
    for province, places in names.CITIES.items():
        for place in places.split():
            short = place.removesuffix("市") if place == "吉林市" else place
            short = "海南" if place == "海南州" else short
            full = f"{province}/{short}"
            paths[place] = full
            for suffix in ("市", "地区", "州", "自治州"):
                if not place.endswith(("市", "州", "盟")) or (
                    suffix == "市" and place.endswith("州")
                ):
                    paths[place + suffix] = full
    for province, forms in names.PROVINCE_FORMS.items():
        for form in (province, *forms):
            paths[form] = province
    paths.update(names.NICKNAMES)
    return paths


_PATHS = _build_paths()
_LONGEST_FIRST = sorted({*_PATHS, *names.GROUPS}, key=len, reverse=True)
_NAME = re.compile("|".join(map(re.escape, _LONGEST_FIRST)))
_ANY_PLACE = re.compile(
    "|".join([*map(re.escape, _LONGEST_FIRST), "[" + "".join(names.LETTERS) + "]"])
)


def _named(text: str) -> list[RegionMention]:
    found: list[RegionMention] = []
    position = 0
    while match := _NAME.search(text, position):
        name = _fitting(text, match.start(), match.group())
        if name is None:
            position = match.start() + 1
            continue
        end = match.start() + len(name)
        if long_form := _PREFECTURE.match(text, end):
            end, name = long_form.end(), text[match.start() : long_form.end()]
        for path in _paths_of(name):
            found.append(RegionMention(name, match.start(), end, path, _is_formal(name)))
        position = end
    return found


def _is_formal(name: str) -> bool:
    """浙江省 and 杭州市 are, 杭州 and 黄州 are not."""
    return any(name.endswith(s) and name[: -len(s)] in _PATHS for s in _SUFFIXES) or (
        len(name) > 4 and name.endswith(_SUFFIXES)
    )


def _paths_of(name: str) -> tuple[str, ...]:
    if name in names.GROUPS:
        return names.GROUPS[name]
    if name in _PATHS:
        return (_PATHS[name],)
    if name.startswith("海南藏族"):
        return ("青海/海南",)
    short = max((length for length in range(2, 5) if name[:length] in _PATHS), default=0)
    return (_PATHS[name[:short]],)


def _fitting(text: str, start: int, longest: str) -> str | None:
    """The longest name at `start` that is a word there: "北京市民" gives 北京, not 北京市."""
    if longest == "上海" and _ON_THE_SEA.match(text, max(0, start - 1)):
        return None
    edges = boundaries(text)
    for length in range(len(longest), 1, -1):
        name = text[start : start + length]
        if name not in _PATHS and name not in names.GROUPS:
            continue
        if _is_word(text, start, name, edges):
            return name
    return None


def _is_word(text: str, start: int, name: str, edges: frozenset[int]) -> bool:
    end = start + len(name)
    before, after = text[:start][-1:], text[end:][:1]
    if (after and after in names.CONTINUATIONS.get(name, "")) or _BUSINESS.match(text, end):
        return False
    if name in names.EVERYDAY_WORDS and not _only_a_place_fits(text, start, end, before, after):
        return False
    if name.endswith(("省", "市", "自治区", "自治州", "特别行政区")) and (
        start in edges or not before
    ):
        # "北京市民" and "上海市场" end inside the word that follows the short name.
        return end in edges or _word_across(text, end, edges) not in _WORDS_AFTER_SHORT_NAME
    if start not in edges and not _inside_title(text, start) and not _follows(text, start, name):
        return False
    if end in edges or _PREFECTURE.match(text, end) or _leads(text, end, name):
        return True
    tail = text[end : min(e for e in edges if e >= end)]
    return tail in _TAILS


def _only_a_place_fits(text: str, start: int, end: int, before: str, after: str) -> bool:
    if any(
        text.endswith((province, *forms), 0, start)
        for province, forms in names.PROVINCE_FORMS.items()
    ):
        return True
    if text.strip(_AROUND) == text[start:end]:
        return True
    return bool(before) and before in "在到去赴驻" and (not after or after in _PLACE_AFTER)


def _follows(text: str, start: int, name: str) -> bool:
    """Whether the province of the place called `name` stands right before it."""
    province = _paths_of(name)[0].split("/")[0]
    return any(text.endswith(form, 0, start) for form in _forms(province))


def _leads(text: str, end: int, name: str) -> bool:
    """Whether a place in the region called `name` stands right behind it."""
    inner = _NAME.match(text, end)
    return inner is not None and any(
        path.startswith(_paths_of(name)[0] + "/") for path in _paths_of(inner.group())
    )


def _forms(province: str) -> tuple[str, ...]:
    return (province, *names.PROVINCE_FORMS[province])


def _inside_title(text: str, start: int) -> bool:
    return start == 0 or text[start - 1] in '《〈「『“"（(【[ 、，,：:'


def _word_across(text: str, position: int, edges: frozenset[int]) -> str:
    """The word that `position` cuts through."""
    left = max((e for e in edges if e <= position), default=0)
    right = min((e for e in edges if e > position), default=len(text))
    return text[max(left, position - 1) : right]


def _from_document_numbers(text: str, known: list[RegionMention]) -> list[RegionMention]:
    """沪府规〔2022〕3号 comes from Shanghai."""
    found = []
    for match in _DOCUMENT_NUMBER.finditer(text):
        letter, start = match.group(1), match.start(1)
        if letter in names.LETTERS and not any(m.start <= start < m.end for m in known):
            found.append(RegionMention(letter, start, start + 1, names.LETTERS[letter]))
    return found


def _single_letters(text: str, known: list[RegionMention]) -> list[RegionMention]:
    """在沪 / 沪籍 / "沪呢？": a letter whose neighbours make it a place."""
    found = []
    bare = text.strip(_AROUND)
    for start, letter in enumerate(text):
        if letter not in names.PLAIN_LETTERS or any(m.start <= start < m.end for m in known):
            continue
        before, after = text[:start][-1:], text[start + 1 :][:1]
        alone = bare == letter
        plate = "A" <= after.upper() <= "Z" and not before.isalnum()
        placed = before in _LETTER_BEFORE and start + 1 in boundaries(text)
        if alone or plate or placed or after in _LETTER_AFTER:
            found.append(RegionMention(letter, start, start + 1, names.LETTERS[letter]))
    return found


_JOINED = re.compile("[和与跟及、]([\u4e00-\u9fff]{2})")


def _joined(text: str, known: list[RegionMention]) -> list[RegionMention]:
    """海淀和朝阳: an everyday word beside a district is the district of the same city."""
    found = []
    for mention in known:
        match = _JOINED.match(text, mention.end)
        if not match or match[1] not in names.EVERYDAY_WORDS:
            continue
        path = next((_PATHS[match[1] + end] for end in "区市" if match[1] + end in _PATHS), "")
        taken = any(other.start == match.start(1) for other in known)
        if not taken and path.rpartition("/")[0] == mention.path.rpartition("/")[0] != "":
            found.append(RegionMention(match[1], match.start(1), match.end(1), path))
    return found


def _nested(text: str, mentions: list[RegionMention]) -> list[RegionMention]:
    """Join 浙江省 + 杭州市 into one mention and read an unknown district behind a full name."""
    joined: list[RegionMention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        if (
            last
            and last.end == mention.start
            and covers(last.path, mention.path)
            and last.text not in names.GROUPS
        ):
            mention = RegionMention(
                last.text + mention.text, last.start, mention.end, mention.path, mention.formal
            )
            joined.pop()
        elif last and last.end > mention.start and last.start != mention.start:
            continue
        joined.append(_with_district(text, mention))
    return joined


@lru_cache(maxsize=4096)
def _district(tail: str) -> str | None:
    match = _DISTRICT.match(tail)
    if not match or match.group().endswith(_NOT_DISTRICTS) or len(match.group()) < 3:
        return None
    return match.group()


def _with_district(text: str, mention: RegionMention) -> RegionMention:
    if not mention.formal or not mention.text.endswith("市") or mention.path.count("/") > 1:
        return mention
    district = _district(text[mention.end : mention.end + 5])
    if district is None or mention.end + len(district) not in boundaries(text):
        return mention
    short = district.removesuffix("市").removesuffix("县")
    short = short if short.endswith("新区") else short.removesuffix("区")
    if len(short) < 2:
        short = district
    end = mention.end + len(district)
    return RegionMention(
        text[mention.start : end], mention.start, end, f"{mention.path}/{short}", True
    )
