"""Reading and writing the pixels of images, videos and canvases in the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.base.flags.environment import env
from tfpy._src.compiler.ir.aval import Array

if IN_BROWSER:
    import js
    from pyodide.ffi import JsException, to_js


async def decoded(image: Any) -> Any:
    """Return the image after it is loaded and decoded."""
    if hasattr(image, "decode"):
        await image.decode()
    return image


def get_pixels(source: Any) -> Array:
    """Return the RGBA bytes `[height, width, 4]` of an image source.

    Raises:
        ValueError: If the source has no pixels, or the browser does not allow reading them, for
            example because they come from a different site.
    """
    if hasattr(source, "data"):
        return _rgba_bytes(source)
    width, height = picture_size(source)
    canvas = _new_canvas(width, height)
    often = env().get_bool("CANVAS2D_WILL_READ_FREQUENTLY_FOR_GPU")
    context = canvas.getContext("2d", willReadFrequently=often)
    try:
        context.drawImage(source, 0, 0, width, height)
        return _rgba_bytes(context.getImageData(0, 0, width, height))
    except JsException as refused:
        raise ValueError(f"The browser cannot read the pixels of {source}: {refused}") from None


def put_pixels(canvas: Any, rgba: Array, attributes: Mapping[str, Any] | None = None) -> None:
    """Resize a canvas to the size of RGBA bytes `[height, width, 4]` and draw them.

    Args:
        attributes: Attributes of the 2d context, if the canvas does not have a context yet.

    Raises:
        ValueError: If the canvas has no 2d context.
    """
    given = to_js(attributes, dict_converter=js.Object.fromEntries) if attributes else None
    context = canvas.getContext("2d", given) if hasattr(canvas, "getContext") else None
    if not context:
        hint = "A canvas with a WebGPU context cannot get one; create a new canvas."
        raise ValueError(f"{canvas} is not a canvas with a 2d context. {hint}")
    height, width = rgba.shape[:2]
    canvas.width, canvas.height = width, height
    data = js.Uint8ClampedArray.new(rgba.size)
    data.assign(np.ascontiguousarray(rgba))
    context.putImageData(js.ImageData.new(data, width, height), 0, 0)


def _rgba_bytes(image_data: Any) -> Array:
    flat = np.frombuffer(image_data.data.to_bytes(), np.uint8)
    return flat.reshape(image_data.height, image_data.width, 4)


def picture_size(source: Any) -> tuple[int, int]:
    """Return the width and height of an image or video, in pixels of the source.

    Raises:
        ValueError: If the source has no size.
    """
    for width, height in (
        ("naturalWidth", "naturalHeight"), ("videoWidth", "videoHeight"), ("width", "height")
    ):  # fmt: skip
        if getattr(source, width, 0) and getattr(source, height, 0):
            return int(getattr(source, width)), int(getattr(source, height))
    raise ValueError(f"{source} has no pixels. Wait until it is loaded.")


def _new_canvas(width: int, height: int) -> Any:
    if hasattr(js, "OffscreenCanvas"):
        return js.OffscreenCanvas.new(width, height)
    canvas = js.document.createElement("canvas")
    canvas.width, canvas.height = width, height
    return canvas


def has_usages(buffer: Any, *names: str) -> bool:
    """Return True if a GPUBuffer was created with these usages, named as in GPUBufferUsage."""
    return all(buffer.usage & getattr(js.GPUBufferUsage, name) for name in names)
