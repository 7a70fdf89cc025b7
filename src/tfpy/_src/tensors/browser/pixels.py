"""`tf.browser`: conversion between tensors and the pixels of images, videos and canvases."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.backends import registry
from tfpy._src.backends.abilities import Pictured, draws, sharing_of
from tfpy._src.backends.awaitable import Awaitable, awaitable, begun
from tfpy._src.backends.interface import Look
from tfpy._src.backends.javascript.bridge import IN_BROWSER, wait
from tfpy._src.backends.javascript.interop import is_js, kind as kind_of
from tfpy._src.backends.storage import Storage
from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.tensors.browser.canvas import (
    decoded,
    get_pixels,
    has_usages,
    picture_size,
    put_pixels,
)

__all__ = [
    "draw",
    "from_gpu_buffer",
    "from_pixels",
    "from_pixels_async",
    "gpu_device",
    "to_pixels",
    "to_pixels_async",
]

_OPAQUE = 255
_NO_ATTRIBUTES: Mapping[str, Any] = {}


def from_pixels(pixels: object, num_channels: int = 3) -> Tensor:
    """Convert an image to a tensor.

    On the webgpu backend, the pixels of images, videos, canvases and bitmaps are copied to the GPU
    without passing through the CPU. The values of translucent pixels can then differ by 1 from
    those on the other backends, because the browser rounds differently.

    Args:
        pixels: In a browser, an ImageData, an image, video or canvas element, an OffscreenCanvas or
            an ImageBitmap. Everywhere, a uint8 NumPy array of shape `[height, width]` or `[height,
            width, channels]`, or a mapping with `data` (RGBA bytes), `width` and `height`.
        num_channels: Number of channels of the result, 1 to 4, the first ones of red, green, blue
            and alpha. So 1 selects the red channel, not a gray value. Default: 3. An array of shape
            `[height, width]` has one channel, so it requires 1.

    Returns:
        Int32 tensor of shape `[height, width, num_channels]`, with values from 0 to 255.

    Raises:
        ValueError: If `num_channels` is not from 1 to 4 or exceeds the channels of `pixels`, if
            `pixels` is not an image, or if it comes from a different site that forbids reading.

    Example:
        >>> import numpy as np
        >>> import tfpy as tf
        >>> pixels = np.array([[[255, 0, 0], [0, 0, 255]]], np.uint8)
        >>> tf.browser.from_pixels(pixels).numpy().tolist()
        [[[255, 0, 0], [0, 0, 255]]]

    See also: `tf.browser.to_pixels`, `tf.browser.from_pixels_async`.
    """
    if not 1 <= num_channels <= 4:
        raise ValueError(f"from_pixels: num_channels must be 1 to 4, got {num_channels}")
    if IN_BROWSER and is_js(pixels) and not hasattr(pixels, "data"):
        found = _on_device(pixels, num_channels)
        if found is not None:
            return found
    values = _values(pixels)
    if num_channels > values.shape[2]:
        raise ValueError(
            f"from_pixels: num_channels {num_channels} is larger than the number of channels of "
            f"pixels of shape {list(values.shape)}"
        )
    return constant(values[:, :, :num_channels].astype(np.int32))


def _on_device(source: Any, channels: int) -> Tensor | None:
    """Copy the pixels without the CPU, or return None if this is not supported."""
    backend = registry.active
    if not isinstance(backend, Pictured):
        return None
    width, height = picture_size(source)
    shape = (height, width, channels)
    slot = backend.picture(source, shape)
    aval = Aval(shape, dtypes.int32)
    return Tensor(aval, Storage(aval, None, backend, slot)) if slot else None


@awaitable("tf.browser.from_pixels_async(pixels)")
async def from_pixels_async(pixels: object, num_channels: int = 3) -> Tensor:
    """Convert an image to a tensor asynchronously, as soon as the image is loaded.

    An image element is loaded and decoded first, without blocking the page.

    Args:
        pixels: An image, as for `tf.browser.from_pixels`.
        num_channels: Number of channels of the result, 1 to 4, the first ones of red, green, blue
            and alpha. Default: 3.

    Returns:
        An awaitable that resolves to an int32 tensor of shape `[height, width, num_channels]`, with
        values from 0 to 255.

    Raises:
        ValueError: As for `tf.browser.from_pixels`.

    Example:
        >>> import asyncio
        >>> import numpy as np
        >>> import tfpy as tf
        >>> pixels = np.array([[[255, 0, 0], [0, 0, 255]]], np.uint8)
        >>> x = asyncio.run(tf.browser.from_pixels_async(pixels))  # in a page: x = await ...
        >>> x.numpy().tolist()
        [[[255, 0, 0], [0, 0, 255]]]

    See also: `tf.browser.from_pixels`.
    """
    if IN_BROWSER and is_js(pixels):
        pixels = await decoded(pixels)
    return from_pixels(pixels, num_channels)


def to_pixels(img: TensorLike, canvas: object = None) -> Array:
    """Convert an image tensor to RGBA bytes, and draw it on a canvas if one is passed.

    Args:
        img: Image of shape `[height, width]` or `[height, width, channels]` with 1, 3 or 4
            channels. Its values are float32 from 0 to 1 or int32 from 0 to 255.
        canvas: Canvas element or OffscreenCanvas, which is resized to the image. Default: the image
            is not drawn.

    Returns:
        Uint8 NumPy array of shape `[height, width, 4]`.

    Raises:
        ValueError: If the shape, dtype or values of the image are not supported.
        RuntimeError: On the webgpu backend, if the browser cannot suspend Python (JSPI). Await
            `tf.browser.to_pixels_async` instead, or call `tf.browser.draw` only to draw the image.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
        >>> tf.browser.to_pixels(image).tolist()
        [[[255, 0, 0, 255], [0, 0, 255, 255]]]

    See also: `tf.browser.from_pixels`, `tf.browser.draw`.
    """
    drawing = _to_pixels(_image("to_pixels", img), canvas)
    return wait(drawing, "write `await tf.browser.to_pixels_async(image)`")


def to_pixels_async(img: TensorLike, canvas: object = None) -> Coroutine[Any, Any, Array]:
    """Convert an image tensor to RGBA bytes like `tf.browser.to_pixels`, without blocking the page.

    If a canvas is passed, the image is drawn in the next event-loop task, even if the result is not
    awaited.

    Args:
        img: Image of shape `[height, width]` or `[height, width, channels]` with 1, 3 or 4
            channels. Its values are float32 from 0 to 1 or int32 from 0 to 255.
        canvas: Canvas element or OffscreenCanvas, which is resized to the image. Default: the image
            is not drawn.

    Returns:
        An awaitable that resolves to a uint8 NumPy array of shape `[height, width, 4]`.

    Raises:
        ValueError: If the shape, dtype or values of the image are not supported.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> image = tf.constant([[[1.0, 0.0, 0.0]]])
        >>> pixels = asyncio.run(tf.browser.to_pixels_async(image))  # in a page: pixels = await ...
        >>> pixels.tolist()
        [[[255, 0, 0, 255]]]

    See also: `tf.browser.to_pixels`.
    """
    drawing = _to_pixels(_image("to_pixels", img), canvas)
    is_shown = IN_BROWSER and is_js(canvas)
    return Awaitable(begun(drawing) if is_shown else drawing, "tf.browser.to_pixels_async(image)")


async def _to_pixels(image: Tensor, canvas: Any) -> Array:
    """Read an image, convert it to RGBA bytes, and draw it on the canvas."""
    rgba = _rgba("to_pixels", await image.data(), _OPAQUE)
    if canvas is not None and not _drawn_on_device(image, canvas):
        put_pixels(canvas, rgba)
    return rgba


def draw(image: TensorLike, canvas: object, options: Mapping[str, Any] | None = None) -> None:
    """Draw an image tensor on a canvas, which is resized to the image.

    On the webgpu backend, the image is drawn directly from GPU memory. Values outside of the range
    are clipped, and the image appears later if the GPU programs are still being compiled. On the
    other backends, the values are read back first, and values outside of the range are an error.

    Args:
        image: Image of shape `[height, width]` or `[height, width, channels]` with 1, 3 or 4
            channels. Its values are float32 from 0 to 1 or int32 from 0 to 255.
        canvas: Canvas element or OffscreenCanvas.
        options: Mapping with the optional keys `"image_options"` and `"context_options"`.
            `{"image_options": {"alpha": 0.5}}` sets the opacity of an image without an alpha
            channel (default: 1). `{"context_options": {"context_type": "2d", "context_attributes":
            {}}}` chooses the context of a canvas that does not have one yet, and the attributes
            that are passed to `canvas.getContext`. The type is `"2d"` or, on the webgpu backend
            only, `"webgpu"`. Default: `"webgpu"` on this backend and `"2d"` on the others.

    Raises:
        ValueError: If the shape, dtype or values of the image or the options are not supported, or
            if the canvas has a context on which the backend cannot draw.

    Example::

        image = tf.random.uniform([64, 64, 3])
        tf.browser.draw(image, js.document.getElementById("canvas"))

    See also: `tf.browser.to_pixels`.
    """
    options = options or {}
    context = options.get("context_options", {})
    kind, attributes = context.get("context_type"), context.get("context_attributes", {})
    if kind not in (None, "2d", "webgpu"):
        raise ValueError(f'draw: context_type must be "2d" or "webgpu", not {kind!r}')
    if kind == "webgpu" and not draws(registry.active_backend()):
        raise ValueError(f'draw: context_type must be "2d" on {registry.get_backend()}')
    alpha = options.get("image_options", {}).get("alpha", 1.0)
    if not 0 <= alpha <= 1:
        raise ValueError(f"draw: alpha must be in [0, 1], got {alpha}")
    level = round(255 * alpha)
    x = _image("draw", image)
    if not _drawn_on_device(x, canvas, level, kind or "webgpu", attributes):
        put_pixels(canvas, _rgba("draw", x.host_view(), level), attributes)


def _drawn_on_device(
    image: Tensor,
    canvas: Any,
    alpha: int = _OPAQUE,
    kind: str = "webgpu",
    attributes: Mapping[str, Any] = _NO_ATTRIBUTES,
) -> bool:
    """Draw an image without the CPU; return False if the backend does not support it."""
    backend = registry.active
    if not (IN_BROWSER and is_js(canvas)):
        return False
    if not isinstance(backend, Pictured) or not backend.draws:
        return False
    height, width, channels = (*image.aval.shape, 1)[:3]
    look = Look(height, width, channels, alpha, kind, attributes)
    return backend.draw(image.slot_on(backend), canvas, look)


def gpu_device() -> Any:
    """Return the GPUDevice of the webgpu backend, for buffers and commands of your own.

    If you destroy the device, all tensors of the backend are lost.

    Returns:
        The JavaScript GPUDevice.

    Raises:
        tf.errors.UnimplementedError: If the active backend is not webgpu.

    Example::

        device = tf.browser.gpu_device()
        queue = device.queue

    See also: `tf.browser.from_gpu_buffer`.
    """
    return sharing_of(registry.active_backend()).gpu


def from_gpu_buffer(
    buffer: object, shape: Sequence[int], dtype: DTypeLike = dtypes.float32
) -> Tensor:
    """Create a tensor that uses a GPUBuffer of the page as its memory, without a copy.

    tfpy neither writes to the buffer nor destroys it. Your code must not write to the buffer or
    destroy it while the tensor or a reshaped view of it exists, or before all results that are
    computed from the tensor have been read. Commands that your code submitted to the queue earlier
    run first.

    Args:
        buffer: Unmapped GPUBuffer of `tf.browser.gpu_device()` with the usages STORAGE and
            COPY_SRC. The elements are stored at its beginning. Its size in bytes must be at least 4
            times the number of elements, rounded up to a multiple of 16.
        shape: Shape of the tensor.
        dtype: Dtype of the elements, float32 (default) or int32.

    Returns:
        Tensor of shape `shape` and dtype `dtype`.

    Raises:
        tf.errors.UnimplementedError: If the active backend is not webgpu.
        TypeError: If `dtype` is not supported, or `buffer` is not a GPUBuffer.
        ValueError: If the buffer is too small, is mapped, or lacks one of the required usages.
        tf.errors.InternalError: If the buffer belongs to a different device. The error is raised
            when a value is read the next time.

    Example::

        usage = js.GPUBufferUsage.STORAGE | js.GPUBufferUsage.COPY_SRC | js.GPUBufferUsage.COPY_DST
        buffer = tf.browser.gpu_device().createBuffer(size=64, usage=usage)
        x = tf.browser.from_gpu_buffer(buffer, [4, 4])

    See also: `tf.browser.gpu_device`.
    """
    backend = registry.active_backend()
    sharing = sharing_of(backend)
    aval = Aval(tuple(int(size) for size in shape), dtypes.as_dtype(dtype))
    if aval.dtype not in (dtypes.float32, dtypes.int32):
        raise TypeError(f"from_gpu_buffer: dtype must be float32 or int32, not {aval.dtype.name}")
    _check_buffer(buffer, aval)
    slot = sharing.borrow(buffer, aval.size, aval.dtype.name)
    return Tensor(aval, Storage(aval, None, backend, slot))


def _check_buffer(buffer: Any, aval: Aval) -> None:
    """Check the size, the usages and the state of a GPUBuffer."""
    if kind_of(buffer) != "GPUBuffer":
        raise TypeError(f"from_gpu_buffer: buffer must be a GPUBuffer, not {kind_of(buffer)}")
    wanted = max(16, -(-aval.size // 4) * 16)
    if buffer.size < wanted:
        raise ValueError(
            f"from_gpu_buffer: {aval} needs {wanted} bytes (16 for each four elements), but the "
            f"buffer has {buffer.size}"
        )
    if not has_usages(buffer, "STORAGE", "COPY_SRC"):
        raise ValueError(
            "from_gpu_buffer: create the buffer with usage GPUBufferUsage.STORAGE | "
            f"GPUBufferUsage.COPY_SRC; it has {buffer.usage:#x}"
        )
    if buffer.mapState != "unmapped":
        raise ValueError(f"from_gpu_buffer: the buffer is {buffer.mapState}; unmap it first")


def _values(pixels: Any) -> Array:
    """Return pixels as uint8 values `[height, width, channels]`.

    Raises:
        ValueError: If the pixels are not an image.
    """
    if IN_BROWSER and is_js(pixels):
        return get_pixels(pixels)
    if isinstance(pixels, Mapping):
        flat = np.frombuffer(pixels["data"], np.uint8)
        return flat.reshape(pixels["height"], pixels["width"], 4)
    if isinstance(pixels, np.ndarray) and pixels.dtype == np.uint8 and pixels.ndim in (2, 3):
        return pixels if pixels.ndim == 3 else pixels[:, :, None]
    raise ValueError(
        "from_pixels: pixels must be an image of the browser, a uint8 array [height, width, "
        f"channels], or a mapping with data, width and height, not {type(pixels)}"
    )


def _image(name: str, value: Any) -> Tensor:
    """Convert an image to a tensor, and check its shape and dtype."""
    x = convert_to_tensor(value)
    depth = x.aval.shape[2] if x.ndim == 3 else 1
    if x.ndim not in (2, 3) or depth not in (1, 3, 4):
        raise ValueError(
            f"{name}: an image must have shape [height, width] or [height, width, 1, 3 or 4], "
            f"not {list(x.aval.shape)}"
        )
    if x.dtype not in (dtypes.float32, dtypes.int32):
        raise ValueError(f"{name}: an image must be float32 or int32, not {x.dtype.name}")
    return x


def _rgba(name: str, values: Array, alpha: int) -> Array:
    """Convert an image to RGBA bytes; `alpha` is used if it has no alpha channel."""
    top = 1.0 if values.dtype.kind == "f" else 255
    if values.size and not (values.min() >= 0 and values.max() <= top):
        raise ValueError(
            f"{name}: {values.dtype} values must be in [0, {top:g}], "
            f"got {values.min():g} to {values.max():g}"
        )
    levels = np.rint(values * (255 / top)).astype(np.uint8)
    levels = levels.reshape(*levels.shape[:2], -1)
    rgba = np.empty((*levels.shape[:2], 4), np.uint8)
    rgba[:, :, 3] = alpha
    rgba[:, :, : max(levels.shape[2], 3)] = levels
    return rgba
