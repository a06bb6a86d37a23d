"""Cuts running text where its topic changes: breakpoints by the distance of embeddings.

Neighbouring sentences (turns of a conversation) become units. Between each two units the mean
vector of a few units before is compared with that of a few behind; where they differ more
than around (a valley, Hearst's TextTiling with embeddings for words) the text is cut.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from rag.ingest.chunk.count import CountTokens
from rag.ingest.chunk.nested import sentences
from rag.ingest.chunk.pieces import Cut
from rag.ingest.chunk.running import Recursive
from rag.ingest.chunk.sections import Unit
from rag.ingest.chunk.speakers import speaker
from rag.ingest.chunk.split import Atom, atoms

if TYPE_CHECKING:
    import numpy as np

Embed = Callable[[Sequence[str]], "np.ndarray"]
"""Texts to unit vectors, float32 [n, dimension], in their order."""

UNIT_TOKENS = 30
"""A unit grows to so many tokens; chosen by us: shorter ones have vectors of little meaning."""
NEIGHBOURS = 4
"""Units on each side whose mean is compared. Measured on texts put together from 7 passages of
an encyclopaedia (CMRC 2018 dev): 2 to 4 are alike, on conversations 4 is best."""
DEPTH = 0.6
"""A valley is a border when it is deeper than the mean depth plus this many deviations;
measured with `NEIGHBOURS`."""
LEAST_SHARE = 0.15
"""Least length of a segment as a share of a chunk's; chosen by us."""
CUE_BONUS = 0.5
"""Deviations added to the depth where a speaker announces a new topic; chosen by us."""
TURN_SHARE = 0.3
"""Share of units that begin a turn from which a text is a conversation. Chosen by us."""
MIDST_MALUS = 1.0
"""Deviations taken from the depth in the midst of a turn of a conversation; chosen by us."""
MOST_UNITS = 6000
"""Units that are embedded; a longer text is compared by its letters. Chosen by us: a minute
or two with the bundled embedder on one core."""

AT_ONCE = 3000
"""Units that are compared together, so that memory stays flat; a border falls between two such
runs whatever they say. Chosen by us."""
_EVEN = 0.01
"""Deviations that a place at the end of a long part loses; chosen by us."""
_NOISE = 1e-6
"""Differences of likeness below this are those of rounding."""

_CUE = re.compile(
    r"(?:[^：:\n]{1,16}[：:]\s*)?(?:好[的了吧]?|那么?|嗯|OK)?[，,。\s]*(?:接下来|下面|下一个|另外一?个|再说|再来|最后|我们来看|"
    r"第[一二三四五六七八九十]+个(?:议题|问题|话题|部分|方面)|换个话题|说完|回到|除此之外|关于)"
)
"""Words by which speakers and writers announce that something else begins."""


class Semantic:
    """Ranges that end where the topic changes; what is longer than `limit` is cut on.

    Args:
        text: the document's plain text.
        embed: None compares letter pairs instead of meanings.
        overlap: tokens repeated only where one topic is longer than a range.
    """

    def __init__(
        self, text: str, count: CountTokens, limit: int, overlap: int, embed: Embed | None
    ) -> None:
        self._text = text
        self._count = count
        self._limit = limit
        self._embed = embed
        self._within = Recursive(text, count, limit, overlap)

    def __call__(self, units: Sequence[Unit]) -> list[Cut]:
        """The ranges of neighbouring units."""
        found = self.units(units)
        if not found:
            return []
        cuts: list[Cut] = []
        headings = {unit.end for unit in units if unit.is_heading}
        for first, last in self._all_segments(found):
            atoms_ = found[first:last]
            total = sum(atom.tokens for atom in atoms_)
            room = self._limit if total <= self._limit else self._within.room
            pieces = [
                piece
                for atom in atoms_
                for piece in atoms(self._text, atom.start, atom.end, room, self._count)
            ]
            cuts.extend(self._within.packed(pieces, room, headings))
        return cuts

    def units(self, blocks: Sequence[Unit]) -> list[Atom]:
        """The units that are compared: sentences, or turns where people speak, put together
        up to `UNIT_TOKENS`."""
        if not blocks:
            return []
        own = (blocks[0].start, blocks[-1].end)
        begins = {block.start for block in blocks}
        found: list[Atom] = []
        longest = min(2 * UNIT_TOKENS, self._limit)
        for atom in sentences(self._text, blocks, own, self._limit, self._count, longest=longest):
            enough = atom.start in begins and found and found[-1].tokens >= UNIT_TOKENS / 2
            turn = speaker(self._text[atom.start : atom.end]) is not None
            if found and not (enough or turn) and found[-1].tokens + atom.tokens <= UNIT_TOKENS:
                last = found.pop()
                atom = Atom(last.start, atom.end, last.tokens + atom.tokens)
            found.append(atom)
        return found

    def _all_segments(self, units: Sequence[Atom]) -> Iterator[tuple[int, int]]:
        """Half-open ranges of units about one topic each."""
        embed = self._embed if len(units) <= MOST_UNITS else None
        for start in range(0, len(units), AT_ONCE):
            for first, last in self._segments(units[start : start + AT_ONCE], embed):
                yield start + first, start + last

    def _segments(self, units: Sequence[Atom], embed: Embed | None) -> list[tuple[int, int]]:
        lengths = [unit.tokens for unit in units]
        least = self._limit * LEAST_SHARE
        if sum(lengths) <= 2 * least or len(units) < 4:
            return [(0, len(units))]
        texts = [self._text[unit.start : unit.end] for unit in units]
        vectors = letter_vectors(texts) if embed is None else embed(texts)
        return segments(topic_depths(vectors, texts), lengths, least, self._limit)


def topic_depths(vectors: np.ndarray, texts: Sequence[str]) -> np.ndarray:
    """How much the topic changes before each unit but the first, float [n - 1], in standard
    deviations above the mean of the text."""
    import numpy as np

    n = len(vectors)
    sums = np.vstack([np.zeros_like(vectors[:1]), np.cumsum(vectors, axis=0, dtype=np.float64)])
    at = np.arange(1, n)
    before = sums[at] - sums[np.maximum(at - NEIGHBOURS, 0)]
    behind = sums[np.minimum(at + NEIGHBOURS, n)] - sums[at]
    norms = np.linalg.norm(before, axis=1) * np.linalg.norm(behind, axis=1)
    near = np.einsum("ij,ij->i", before, behind) / np.where(norms > 0, norms, 1)
    depths = _peaks_around(near)
    spread = float(depths.std())
    depths = (depths - depths.mean()) / spread if spread > _NOISE else np.zeros_like(depths)
    cues = [CUE_BONUS if _CUE.match(text) else 0.0 for text in texts[1:]]
    turns = [speaker(text) is not None for text in texts[1:]]
    spoken = sum(turns) >= TURN_SHARE * len(turns)
    midst = [MIDST_MALUS if spoken and not turn else 0.0 for turn in turns]
    return depths + np.array(cues) - np.array(midst)


def _peaks_around(near: np.ndarray) -> np.ndarray:
    """Depth of each valley: how far the likeness rises to both sides before it falls again."""
    import numpy as np

    left, right = near.copy(), near.copy()
    for i in range(1, len(near)):
        left[i] = max(near[i], left[i - 1]) if near[i] <= near[i - 1] else near[i]
    for i in range(len(near) - 2, -1, -1):
        right[i] = max(near[i], right[i + 1]) if near[i] <= near[i + 1] else near[i]
    return np.asarray(left + right - 2 * near)


def segments(
    depths: np.ndarray, lengths: Sequence[int], least: float, limit: int
) -> list[tuple[int, int]]:
    """Half-open ranges of units: cut at the deepest valleys first, no part below `least`
    tokens; parts above `limit` are cut at their deepest place that leaves enough."""
    import numpy as np

    places = np.concatenate([[0], np.cumsum(lengths)])
    borders = [0, len(lengths)]
    for index in np.argsort(-depths, kind="stable"):
        if depths[index] < DEPTH:
            break
        border = int(index) + 1
        at = bisect(borders, border)
        low, high = borders[at - 1], borders[at]
        if min(places[border] - places[low], places[high] - places[border]) >= least:
            borders.insert(at, border)
    done: list[tuple[int, int]] = []
    waiting = list(pairwise(borders))[::-1]
    while waiting:
        low, high = waiting.pop()
        first = max(int(np.searchsorted(places, places[low] + least)), low + 1)
        last = min(int(np.searchsorted(places, places[high] - least, side="right")), high)
        if places[high] - places[low] <= limit or first >= last:
            done.append((low, high))
            continue
        # Of places that are alike, the one nearest to the middle makes even parts.
        middle = np.abs(np.arange(first, last) - (low + high) / 2) / (high - low)
        best = first + int(np.argmax(depths[first - 1 : last - 1] - _EVEN * middle))
        waiting.extend([(best, high), (low, best)])
    return done


def letter_vectors(texts: Sequence[str], dimension: int = 512) -> np.ndarray:
    """Texts as unit vectors of their letter pairs, float32 [n, dimension]; pairs that are in
    most of the texts count little."""
    import zlib

    import numpy as np

    from rag.text.normalise import normalise
    from rag.text.similar import char_ngrams

    rows = np.zeros((len(texts), dimension), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for pair in char_ngrams(normalise(text), 2):
            row[zlib.crc32(pair.encode("utf-8", "surrogatepass")) % dimension] += 1
    share = (rows > 0).mean(axis=0)
    rows = np.sqrt(rows) * np.log(1.0 + 1.0 / np.maximum(share, 1e-6))
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1), dtype=np.float32)
