"""Turns the files and arrays of callers into pixels that are upright, opaque and bounded."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from rag.errors import CorruptDocument, TooLarge

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

MOST_PIXELS = 120_000_000
"""Pixels of the largest picture that is decoded: an A3 scan at 600 dpi has 70 million, most
phone cameras less. Its RGB values take 360 MB. Chosen by us."""


def load(image: np.ndarray | Image.Image | bytes) -> np.ndarray:
    """The picture as height × width × 3 RGB bytes, turned as its EXIF data says.

    Args:
        image: the bytes of a picture file (its first frame is taken), a Pillow image, or an
            array of bytes: height × width grey values, or with a third axis of 1 (grey),
            3 (RGB) or 4 (RGBA) values.

    Raises:
        CorruptDocument: the bytes are no picture, or a damaged one.
        TooLarge: it has more than `MOST_PIXELS` pixels.
    """
    import numpy as np

    if isinstance(image, np.ndarray):
        _check_size(image.shape[1], image.shape[0])
        return _from_array(image)
    if isinstance(image, bytes | bytearray | memoryview):
        picture = open_picture(io.BytesIO(image))
        return from_pillow(picture)
    return from_pillow(image)


def open_picture(source: Any) -> Image.Image:
    """Open a picture file (a path or a binary file object); nothing is decoded yet.

    Raises:
        CorruptDocument: it is no picture that we read.
        TooLarge: it has more than `MOST_PIXELS` pixels.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        picture = Image.open(source)
    except Image.DecompressionBombError as error:
        raise too_many_pixels() from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError) as error:
        raise damaged_picture(str(error)) from error
    _check_size(*picture.size)
    return picture


def from_pillow(picture: Image.Image) -> np.ndarray:
    """The current frame of a Pillow image as height × width × 3 RGB bytes, upright.

    Raises:
        CorruptDocument: it cannot be decoded.
        TooLarge: it has more than `MOST_PIXELS` pixels.
    """
    import numpy as np
    from PIL import Image, ImageOps

    _check_size(*picture.size)
    try:
        upright = ImageOps.exif_transpose(picture)
        if upright.mode in ("I;16", "I;16B", "I;16L", "I", "F"):
            return _from_array(_stretched(np.asarray(upright)))
        if upright.has_transparency_data:
            upright = upright.convert("RGBA")
            ground = Image.new("RGBA", upright.size, (255, 255, 255, 255))
            upright = Image.alpha_composite(ground, upright)
        return np.ascontiguousarray(np.asarray(upright.convert("RGB")))
    except Image.DecompressionBombError as error:
        raise too_many_pixels() from error
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError) as error:
        raise damaged_picture(str(error)) from error


def too_many_pixels() -> TooLarge:
    """The error for a picture with too many pixels to be decoded safely."""
    most = MOST_PIXELS // 1_000_000
    return TooLarge(
        f"图片的像素太多（超过 {most} 百万像素），没有读取。",
        "请把图片缩小，或分成几张后重新上传。",
        message_en=f"The picture has more than {most} million pixels and was not read.",
        remedy_en="Scale it down or cut it into several pictures.",
    )


def damaged_picture(detail: str) -> CorruptDocument:
    """The error for a picture that cannot be decoded."""
    return CorruptDocument(
        "图片已损坏，无法打开。",
        "请用看图软件打开并另存一份，再重新上传。",
        message_en="The picture is damaged and cannot be opened.",
        remedy_en="Open it in a picture viewer, save a copy and upload that.",
        detail=detail,
    )


def _check_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise too_many_pixels()


def _from_array(values: np.ndarray) -> np.ndarray:
    import numpy as np

    if values.dtype != np.uint8:
        values = _stretched(values)
    if values.ndim == 2:
        values = values[:, :, None]
    channels = values.shape[2]
    if channels == 4:
        alpha = values[:, :, 3:].astype(np.uint16)
        mixed = (values[:, :, :3] * alpha + 255 * (255 - alpha)) // 255
        return mixed.astype(np.uint8)
    if channels != 3:
        return np.repeat(values[:, :, :1], 3, axis=2)
    return np.ascontiguousarray(values)


def _stretched(values: np.ndarray) -> np.ndarray:
    """Values of any range as bytes."""
    import numpy as np

    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    scale = 255.0 / (high - low) if high > low else 0.0
    return np.nan_to_num((values - low) * scale).astype(np.uint8)
