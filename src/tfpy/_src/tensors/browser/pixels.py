"""``tf.browser``: pixels of images, videos and canvases to tensors, and back."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
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


def from_pixels(pixels: Any, num_channels: int = 3) -> Tensor:
    """An int32 tensor ``[height, width, num_channels]`` of values from 0 to 255.

    Args:
        pixels: in a browser an ImageData, an image, video or canvas element, an OffscreenCanvas
            or an ImageBitmap; everywhere a NumPy array ``[height, width]`` or ``[height, width,
            channels]`` of uint8, or a mapping with ``data`` (RGBA bytes), ``width`` and ``height``.
        num_channels: 1 to 4; the first ones of red, green, blue and alpha.

    On webgpu what an image, video, canvas or bitmap shows goes to the GPU without passing the CPU.
    Colours that are translucent are rounded there as the browser does, by at most 1 otherwise than
    elsewhere.

    Raises:
        ValueError: for another number of channels, or pixels of another kind.

    Example:
        >>> import numpy as np
        >>> import tfpy as tf
        >>> pixels = np.array([[[255, 0, 0], [0, 0, 255]]], np.uint8)
        >>> tf.browser.from_pixels(pixels).numpy().tolist()
        [[[255, 0, 0], [0, 0, 255]]]
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
            f"from_pixels: {num_channels} channels of pixels of shape {list(values.shape)}"
        )
    return constant(values[:, :, :num_channels].astype(np.int32))


def _on_device(source: Any, channels: int) -> Tensor | None:
    """The pixels without the CPU; None where the backend or the browser does not do that."""
    backend = registry.active
    if not isinstance(backend, Pictured):
        return None
    width, height = picture_size(source)
    shape = (height, width, channels)
    slot = backend.picture(source, shape)
    aval = Aval(shape, dtypes.int32)
    return Tensor(aval, Storage(aval, None, backend, slot)) if slot else None


@awaitable("tf.browser.from_pixels_async(pixels)")
async def from_pixels_async(pixels: Any, num_channels: int = 3) -> Tensor:
    """:func:`from_pixels`; an image element is decoded first, without blocking the page.

    Raises:
        ValueError: as :func:`from_pixels`.

    Example:
        >>> import asyncio
        >>> import numpy as np
        >>> import tfpy as tf
        >>> pixels = np.array([[[255, 0, 0], [0, 0, 255]]], np.uint8)
        >>> asyncio.run(tf.browser.from_pixels_async(pixels)).shape
        TensorShape([1, 2, 3])
    """
    if IN_BROWSER and is_js(pixels):
        pixels = await decoded(pixels)
    return from_pixels(pixels, num_channels)


def to_pixels(img: Any, canvas: Any = None) -> Array:
    """Return the RGBA values of an image, also drawn on ``canvas`` if one is given.

    Args:
        img: ``[height, width]`` or ``[height, width, 1, 3 or 4]``, float32 from 0 to 1 or int32
            from 0 to 255.
        canvas: A canvas element or OffscreenCanvas, which gets the image's size.

    Returns:
        A uint8 array ``[height, width, 4]``.

    Raises:
        ValueError: For another shape or dtype, or values outside of the range.
        RuntimeError: In a page where Python cannot wait for the device; there, use
            :func:`to_pixels_async`, or :func:`draw` if only the canvas is wanted.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
        >>> tf.browser.to_pixels(image).tolist()
        [[[255, 0, 0, 255], [0, 0, 255, 255]]]
    """
    drawing = _to_pixels(_image("to_pixels", img), canvas)
    return wait(drawing, "write `await tf.browser.to_pixels_async(image)`")


def to_pixels_async(img: Any, canvas: Any = None) -> Coroutine[Any, Any, Array]:
    """Await what :func:`to_pixels` returns.

    The canvas is drawn in any case, as soon as the browser runs its next task.

    Args and errors are those of :func:`to_pixels`.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> asyncio.run(tf.browser.to_pixels_async(tf.ones([1, 1]))).tolist()
        [[[255, 255, 255, 255]]]
    """
    drawing = _to_pixels(_image("to_pixels", img), canvas)
    is_shown = IN_BROWSER and is_js(canvas)
    return Awaitable(begun(drawing) if is_shown else drawing, "tf.browser.to_pixels_async(image)")


async def _to_pixels(image: Tensor, canvas: Any) -> Array:
    rgba = _rgba("to_pixels", await image.data(), _OPAQUE)
    if canvas is not None and not _drawn_on_device(image, canvas):
        put_pixels(canvas, rgba)
    return rgba


def draw(image: Any, canvas: Any, options: Mapping[str, Any] | None = None) -> None:
    """Draws an image, as :func:`to_pixels` takes it, on a canvas, which gets its size.

    On webgpu the image goes from the GPU to the canvas: nothing is read, values outside of the
    range are drawn as the nearest within it, and where its kernels are still being compiled it
    appears when they are. A canvas that has no context becomes a WebGPU canvas there, a 2d one
    elsewhere.

    Args:
        options: ``{"image_options": {"alpha": 0.5}}`` makes an image without an alpha channel
            translucent. ``{"context_options": {"context_type": "2d", "context_attributes": {}}}``
            says which context, "2d" or (on webgpu) "webgpu", and with which of the browser's
            attributes, a canvas gets that has none.

    Raises:
        ValueError: for another shape or dtype, other options, or values outside of the range; when
            the canvas has a context that cannot be drawn on here.
    """
    options = options or {}
    context = options.get("context_options", {})
    kind, attributes = context.get("context_type"), context.get("context_attributes", {})
    if kind not in (None, "2d", "webgpu"):
        raise ValueError(f'draw: context_type is "2d" or "webgpu", not {kind!r}')
    if kind == "webgpu" and not draws(registry.active_backend()):
        raise ValueError(f'draw: on {registry.get_backend()} context_type is "2d"')
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
    """Whether the backend has drawn an image without the CPU."""
    backend = registry.active
    if not (IN_BROWSER and is_js(canvas)):
        return False
    if not isinstance(backend, Pictured) or not backend.draws:
        return False
    height, width, channels = (*image.aval.shape, 1)[:3]
    look = Look(height, width, channels, alpha, kind, attributes)
    return backend.draw(image.slot_on(backend), canvas, look)


def gpu_device() -> Any:
    """The GPUDevice of the webgpu backend, to make buffers and submit commands of one's own.

    Destroying it takes the backend's tensors with it.

    Raises:
        UnimplementedError: when the active backend is not webgpu.
    """
    return sharing_of(registry.active_backend()).gpu


def from_gpu_buffer(buffer: Any, shape: Any, dtype: Any = dtypes.float32) -> Tensor:
    """A tensor over the page's GPUBuffer, which is not copied.

    The buffer stays the page's: tfpy neither writes to it nor destroys it. The page must do
    neither as long as the tensor, or one of another shape that was made of it, lives, and what was
    computed from it has not been read. What the page has submitted to the queue before comes first.

    Args:
        buffer: of ``tf.browser.gpu_device()``, with the usages STORAGE and COPY_SRC, not mapped.
            Its first bytes are the elements; they are read in fours, so that it has 16 bytes for
            each four elements that are begun. It may be larger.
        dtype: float32 or int32.

    Raises:
        UnimplementedError: when the active backend is not webgpu.
        TypeError: for another dtype, and for what is no GPUBuffer.
        ValueError: when the buffer is too small, mapped, or made for other usages.
        InternalError: at the next read, when it is of another device.
    """
    backend = registry.active_backend()
    sharing = sharing_of(backend)
    aval = Aval(tuple(int(size) for size in shape), dtypes.as_dtype(dtype))
    if aval.dtype not in (dtypes.float32, dtypes.int32):
        raise TypeError(f"from_gpu_buffer: dtype is float32 or int32, not {aval.dtype.name}")
    _check_buffer(buffer, aval)
    slot = sharing.borrow(buffer, aval.size, aval.dtype.name)
    return Tensor(aval, Storage(aval, None, backend, slot))


def _check_buffer(buffer: Any, aval: Aval) -> None:
    if kind_of(buffer) != "GPUBuffer":
        raise TypeError(f"from_gpu_buffer: a GPUBuffer is wanted, not {kind_of(buffer)}")
    wanted = max(16, -(-aval.size // 4) * 16)
    if buffer.size < wanted:
        raise ValueError(
            f"from_gpu_buffer: {aval} takes {wanted} bytes in fours of elements, the buffer has "
            f"{buffer.size}"
        )
    if not has_usages(buffer, "STORAGE", "COPY_SRC"):
        raise ValueError(
            "from_gpu_buffer: make the buffer with usage GPUBufferUsage.STORAGE | "
            f"GPUBufferUsage.COPY_SRC; it has {buffer.usage:#x}"
        )
    if buffer.mapState != "unmapped":
        raise ValueError(f"from_gpu_buffer: the buffer is {buffer.mapState}; unmap it first")


def _values(pixels: Any) -> Array:
    """Pixels as uint8 ``[height, width, channels]``.

    Raises:
        ValueError: when they are of no known kind.
    """
    if IN_BROWSER and is_js(pixels):
        return get_pixels(pixels)
    if isinstance(pixels, Mapping):
        flat = np.frombuffer(pixels["data"], np.uint8)
        return flat.reshape(pixels["height"], pixels["width"], 4)
    if isinstance(pixels, np.ndarray) and pixels.dtype == np.uint8 and pixels.ndim in (2, 3):
        return pixels if pixels.ndim == 3 else pixels[:, :, None]
    raise ValueError(
        "from_pixels: pixels must be an object of the browser that shows an image, a uint8 array "
        f"[height, width, channels] or a mapping with data, width and height, not {type(pixels)}"
    )


def _image(name: str, value: Any) -> Tensor:
    x = convert_to_tensor(value)
    depth = x.aval.shape[2] if x.ndim == 3 else 1
    if x.ndim not in (2, 3) or depth not in (1, 3, 4):
        raise ValueError(
            f"{name}: an image has shape [height, width] or [height, width, 1, 3 or 4], "
            f"not {list(x.aval.shape)}"
        )
    if x.dtype not in (dtypes.float32, dtypes.int32):
        raise ValueError(f"{name}: an image is float32 or int32, not {x.dtype.name}")
    return x


def _rgba(name: str, values: Array, alpha: int) -> Array:
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
