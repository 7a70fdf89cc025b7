"""Image files: PNG and BMP are decoded here, JPEG and GIF with Pillow if it is installed."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, png
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.image.batches import convert_image_dtype
from tfpy._src.library.io import gif, pillow
from tfpy._src.library.io.audio import scalar_bytes
from tfpy._src.library.io.files import texts
from tfpy._src.library.io.pixels import _bmp_pixels, _png_pixels

Array = np.ndarray[Any, Any]


def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Decode a JPEG, PNG, GIF or BMP file.

    JPEG and GIF files require the package Pillow.

    Args:
        contents: Scalar string tensor with the bytes of the file.
        channels: Number of channels of the result: 1 for grayscale, 3 for RGB, 4 for RGBA (PNG and
            BMP only). Default: the number of channels in the file.
        dtype: Dtype of the result: uint8 (default), or float32 with values between 0 and 1.
        expand_animations: If True, return all frames of a GIF. If False, return only its first
            frame.

    Returns:
        Tensor of shape `[height, width, channels]`. For a GIF, the shape is
        `[frames, height, width, 3]` if `expand_animations` is True.

    Raises:
        tf.errors.InvalidArgumentError: If the format is unknown, the file is damaged, or `channels`
            is not supported for the format.
        ValueError: If `dtype` is neither uint8 nor float32.
        tf.errors.UnimplementedError: If the file is a JPEG or GIF file and Pillow is not installed.

    Example:
        >>> import tfpy as tf
        >>> png = tf.io.encode_png(tf.constant([[[1, 2, 3]]], tf.uint8))
        >>> tf.io.decode_image(png).numpy().tolist()
        [[[1, 2, 3]]]

    See also: `tf.io.read_file`, `tf.io.decode_png`, `tf.io.decode_jpeg`.
    """
    data = scalar_bytes("decode_image", contents)
    wanted = 0 if channels is None else int(channels)
    kind = as_dtype(dtype)
    if kind not in (dtypes.uint8, dtypes.float32):
        raise ValueError(f"dtype must be uint8 or float32, got {kind}")
    if wanted not in (0, 1, 3, 4):
        raise invalid("decode_image", f"channels must be in (None, 0, 1, 3, 4), got {channels}")
    found = constant(_decoded(data, wanted, expand_animations))
    return found if kind == dtypes.uint8 else convert_image_dtype(found, kind)


def _decoded(data: bytes, channels: int, animated: bool) -> Array:
    """Decode a file by its signature."""
    if data.startswith(png.SIGNATURE):
        return _png_pixels(data, channels)
    if data.startswith(b"BM"):
        return _bmp_pixels(data, channels)
    if data.startswith(b"\xff\xd8\xff"):
        return pillow.jpeg_pixels(data, channels)
    if data.startswith((b"GIF87a", b"GIF89a")):
        if channels not in (0, 3):
            raise invalid_value("decode_gif", f"channels must be 0, 3 for GIF, got {channels}")
        return gif.frames(data) if animated else gif.frames(data, 1)[0]
    raise invalid_value(
        "decode_image", "Unknown image file format. One of JPEG, PNG, GIF, BMP required."
    )


def decode_png(
    contents: TensorLike,
    channels: int = 0,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
) -> Tensor:
    """Decode a PNG file.

    As in TensorFlow, JPEG and BMP files and the first frame of a GIF file are decoded as well.
    Pixels with 16 bits are reduced to their upper 8 bits.

    Args:
        contents: Scalar string tensor with the bytes of the file.
        channels: Number of channels of the result: 1 for grayscale, 3 for RGB, 4 for RGBA. Default:
            the number of channels in the file.
        dtype: Dtype of the result. Only uint8 is supported.

    Returns:
        Uint8 tensor of shape `[height, width, channels]`.

    Raises:
        tf.errors.InvalidArgumentError: If the file is damaged, or `dtype` or `channels` is not
            supported.
        tf.errors.UnimplementedError: If the file is a JPEG or GIF file and Pillow is not installed.

    Example:
        >>> import tfpy as tf
        >>> png = tf.io.encode_png(tf.constant([[[1], [255]]], tf.uint8))
        >>> tf.io.decode_png(png).numpy().tolist()
        [[[1], [255]]]

    See also: `tf.io.decode_image`, `tf.io.encode_png`.
    """
    if as_dtype(dtype) != dtypes.uint8:
        raise invalid("decode_png", f"dtype must be uint8, got {as_dtype(dtype).name}")
    return decode_image(contents, channels, expand_animations=False)


def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decode a JPEG file, which requires the package Pillow.

    As in TensorFlow, PNG and BMP files and the first frame of a GIF file are decoded as well.

    Args:
        contents: Scalar string tensor with the bytes of the file.
        channels: Number of channels of the result: 1 for grayscale, 3 for RGB. Default: the number
            of channels in the file.
        ratio: Factor by which height and width are reduced: 1 (default), 2, 4 or 8.
        fancy_upscaling: Has no effect.
        try_recover_truncated: Has no effect.
        acceptable_fraction: Has no effect.
        dct_method: Has no effect.

    Returns:
        Uint8 tensor of shape `[height, width, channels]`.

    Raises:
        tf.errors.InvalidArgumentError: If `ratio` or `channels` is not supported, or the file is
            damaged.
        tf.errors.UnimplementedError: If Pillow is not installed.

    Example::

        import tfpy as tf

        image = tf.io.decode_jpeg(tf.io.read_file("photo.jpg"), channels=3)
        print(image.shape)  # (height, width, 3)

    See also: `tf.io.decode_image`, `tf.io.encode_jpeg`.
    """
    if ratio not in (1, 2, 4, 8):
        raise invalid("decode_jpeg", f"ratio must be 1, 2, 4, or 8, got {ratio}")
    data = scalar_bytes("decode_jpeg", contents)
    if ratio > 1 and data.startswith(b"\xff\xd8\xff"):
        return constant(pillow.jpeg_pixels(data, channels, ratio))
    return decode_image(contents, channels, expand_animations=False)


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """Decode a BMP file.

    Args:
        contents: Scalar string tensor with the bytes of the file.
        channels: Number of channels that the file must have: 1, 3 or 4. Default: any of these.

    Returns:
        Uint8 tensor of shape `[height, width, channels]`.

    Raises:
        tf.errors.InvalidArgumentError: If the file is not a BMP file, or its number of channels
            differs from `channels`.

    Example:
        >>> import tfpy as tf
        >>> head = "424d3a00000000000000360000002800000001000000010000000100180000000000"
        >>> pixel = [3, 2, 1, 0]  # blue, green, red, and one byte to fill the row
        >>> tf.io.decode_bmp(bytes.fromhex(head) + bytes([0] * 20 + pixel)).numpy().tolist()
        [[[1, 2, 3]]]

    See also: `tf.io.decode_image`.
    """
    data = scalar_bytes("decode_bmp", contents)
    if not data.startswith(b"BM"):
        raise invalid_value("decode_bmp", "Expected BMP format")
    return constant(_bmp_pixels(data, channels))


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """Decode all frames of a GIF file, which requires the package Pillow.

    Args:
        contents: Scalar string tensor with the bytes of the file.

    Returns:
        Uint8 tensor of shape `[frames, height, width, 3]`.

    Raises:
        tf.errors.InvalidArgumentError: If the file is not a GIF file, or is damaged.
        tf.errors.UnimplementedError: If Pillow is not installed.

    Example::

        import tfpy as tf

        frames = tf.io.decode_gif(tf.io.read_file("animation.gif"))
        print(frames.shape)  # (frames, height, width, 3)

    See also: `tf.io.decode_image`.
    """
    data = scalar_bytes("decode_gif", contents)
    if not data.startswith((b"GIF87a", b"GIF89a")):
        raise invalid_value("decode_gif", "Expected GIF format")
    return constant(gif.frames(data))


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    r"""Encode one or more images as PNG files.

    Args:
        image: Uint8 tensor of shape `[..., height, width, channels]` with 1 to 4 channels: gray,
            gray and alpha, RGB or RGBA.
        compression: Compression level from 0 (none) to 9 (smallest file), or -1 for zlib's default
            level.

    Returns:
        String tensor of shape `[...]` with the bytes of each file.

    Raises:
        tf.errors.InvalidArgumentError: If the dtype, the rank, the number of channels or the level
            is not supported.

    Example:
        >>> import tfpy as tf
        >>> png = tf.io.encode_png(tf.constant([[[1], [255]]], tf.uint8))
        >>> png.numpy()[:4]
        b'\x89PNG'

    See also: `tf.io.decode_png`, `tf.io.write_file`.
    """
    x = convert_to_tensor(image)
    if x.dtype != dtypes.uint8:
        raise invalid("encode_png", f"image must have type uint8, got {x.dtype.name}")
    if x.ndim < 3 or not 1 <= x.aval.shape[-1] <= 4 or not x.size:
        raise invalid(
            "encode_png",
            f"image must be [..., height, width, 1 to 4 channels], got {list(x.aval.shape)}",
        )
    if not -1 <= compression <= 9:
        raise invalid("encode_png", f"compression should be between -1 and 9, got {compression}")
    lead = x.aval.shape[:-3]
    images = x.host_view().reshape(-1, *x.aval.shape[-3:])
    return texts([png.written(one, compression) for one in images], lead)


_PER_INCH = {"in": 1, "cm": 2.54}
"""Numbers of units per inch, by the names of the units."""


def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """Encode an image as a JPEG file, which requires the package Pillow.

    Args:
        image: Uint8 tensor of shape `[height, width, 1]` or `[height, width, 3]`.
        format: `"grayscale"` for an image with 1 channel, `"rgb"` for an image with 3 channels, or
            `""` (default) for both.
        quality: Quality from 0 (smallest file) to 100 (best).
        progressive: If True, write a file that programs can display in steps while it loads.
        optimize_size: If True, spend more time to make the file smaller.
        chroma_downsampling: If True, store colors at half the resolution.
        density_unit: Unit of the densities, `"in"` for pixels per inch or `"cm"` for pixels per
            centimeter.
        x_density: Horizontal number of pixels per unit.
        y_density: Vertical number of pixels per unit.
        xmp_metadata: XMP metadata to store in the file. Default: none.

    Returns:
        Scalar string tensor with the bytes of the file.

    Raises:
        tf.errors.InvalidArgumentError: If the shape, the dtype, the format, the quality or the
            unit is not supported.
        tf.errors.UnimplementedError: If Pillow is not installed.

    Example::

        import tfpy as tf

        jpeg = tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8), quality=90)
        tf.io.write_file("black.jpg", jpeg)

    See also: `tf.io.decode_jpeg`, `tf.io.encode_png`.
    """
    x = convert_to_tensor(image)
    if x.dtype != dtypes.uint8 or x.ndim != 3 or x.aval.shape[2] not in (1, 3):
        raise invalid(
            "encode_jpeg", f"image must be uint8 of [height, width, 1 or 3], got {x.aval}"
        )
    if not 0 <= quality <= 100:
        raise invalid("encode_jpeg", f"quality must be in [0, 100], got {quality}")
    if density_unit not in _PER_INCH:
        raise invalid(
            "encode_jpeg", f"density_unit must be one of 'in' and 'cm', got {density_unit!r}"
        )
    pixels = x.host_view()
    gray = pixels.shape[2] == 1
    if (format, gray) in (("grayscale", False), ("rgb", True)):
        raise invalid("encode_jpeg", f"format {format!r} does not match the image {x.aval}")
    out = io.BytesIO()
    made = pillow.module("encode_jpeg", "Image").fromarray(pixels[:, :, 0] if gray else pixels)
    factor = _PER_INCH[density_unit]
    made.save(
        out,
        "JPEG",
        quality=quality,
        progressive=progressive,
        optimize=optimize_size,
        subsampling="4:2:0" if chroma_downsampling else "4:4:4",
        dpi=(x_density * factor, y_density * factor),
        xmp=xmp_metadata.encode(),
    )
    return texts([out.getvalue()], ())


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Return True if a string begins with the signature of a JPEG file.

    Args:
        contents: Scalar string tensor with the bytes of the file.

    Returns:
        Scalar bool tensor.

    Raises:
        tf.errors.InvalidArgumentError: If `contents` is not a scalar string.

    Example:
        >>> import tfpy as tf
        >>> tf.io.is_jpeg(bytes([255, 216, 255, 224])).numpy(), tf.io.is_jpeg(b"text").numpy()
        (np.True_, np.False_)

    See also: `tf.io.decode_jpeg`.
    """
    return constant(scalar_bytes("is_jpeg", contents).startswith(b"\xff\xd8\xff"))
