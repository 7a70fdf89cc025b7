"""Regions of images, files with parts of images, and resizing as a part of other operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.core.conversion import convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.derivative import pulled_back
from tfpy._src.formats.raw_ops.images import on_grid, scaled
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.library.image import distorted_boxes, drawing
from tfpy._src.library.image.resizing import resize_bilinear
from tfpy._src.library.io import image_parts
from tfpy._src.library.io.images import encode_jpeg
from tfpy._src.library.networks.patches import extract_volume_patches
from tfpy._src.tensors.array.joining import pad
from tfpy._src.tensors.nn import convolution as conv


def _glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool,
    normalized: bool,
    uniform_noise: bool,
    noise: str,
) -> Tensor:
    kind = noise if noise != "uniform" or uniform_noise else "gaussian"
    return drawing.extract_glimpse(input, size, offsets, centered, normalized, kind)


def _drawn_box(
    image_size: Any,
    bounding_boxes: Any,
    min_object_covered: float,
    seed: int,
    seed2: int,
    aspect_ratio_range: Sequence[float],
    area_range: Sequence[float],
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
) -> Any:
    return distorted_boxes.sample_distorted_bounding_box(
        image_size,
        bounding_boxes,
        (seed, seed2),
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )


def _padded_convolution(
    input: Any, paddings: Any, filter: Any, mode: str, strides: Sequence[int], padding: str
) -> Tensor:
    return conv.conv2d(pad(input, paddings, mode), filter, strides, padding)


def _resized_convolution(
    input: Any,
    size: Any,
    paddings: Any,
    filter: Any,
    resize_align_corners: bool,
    mode: str,
    strides: Sequence[int],
    padding: str,
) -> Tensor:
    larger = resize_bilinear(input, size, resize_align_corners)
    return _padded_convolution(larger, paddings, filter, mode, strides, padding)


def _resize_gradient(grads: Any, original_image: Any, **attrs: Any) -> Tensor:
    size = convert_to_tensor(grads).shape[1:3]
    return pulled_back(lambda x: on_grid("bicubic")(x, size, **attrs), original_image, grads)


def _scale_gradient(
    grads: Any, original_image: Any, scale: Any, translation: Any, kernel_type: str, antialias: bool
) -> Tensor:
    size = convert_to_tensor(grads).shape[1:3]
    return pulled_back(
        lambda x: scaled(x, size, scale, translation, kernel_type, antialias),
        original_image,
        grads,
    )


op(
    "DecodeAndCropJpeg(contents, crop_window; channels=0, ratio=1, fancy_upscaling=True, "
    'try_recover_truncated=False, acceptable_fraction=1.0, dct_method="") -> image',
    image_parts.decode_and_crop_jpeg,
)
op("DecodeWebP(contents; channels=0, dtype=uint8) -> image", image_parts.decode_webp)
op(
    "EncodeJpegVariableQuality(images, quality) -> contents",
    lambda images, quality: encode_jpeg(images, quality=int(host_values(quality))),
)
op("ExtractJpegShape(contents; output_type=int32) -> image_shape", image_parts.extract_jpeg_shape)

op(
    "DrawBoundingBoxes(images, boxes) -> output",
    lambda images, boxes: drawing.draw_bounding_boxes(images, boxes, None),
)
op("DrawBoundingBoxesV2(images, boxes, colors) -> output", drawing.draw_bounding_boxes)
op(
    "ExtractGlimpse(input, size, offsets; centered=True, normalized=True, uniform_noise=True, "
    'noise="uniform") -> glimpse',
    _glimpse,
)
op(
    "ExtractGlimpseV2(input, size, offsets; centered=True, normalized=True, "
    'uniform_noise=True, noise="uniform") -> glimpse',
    _glimpse,
)
op("ExtractVolumePatches(input; ksizes, strides, padding) -> patches", extract_volume_patches)
op(
    "SampleDistortedBoundingBox(image_size, bounding_boxes; seed=0, seed2=0, "
    "min_object_covered=0.1, aspect_ratio_range=[0.75, 1.33], area_range=[0.05, 1.0], "
    "max_attempts=100, use_image_if_no_bounding_boxes=False) -> begin, size, bboxes",
    lambda image_size, bounding_boxes, min_object_covered, **attrs: _drawn_box(
        image_size, bounding_boxes, min_object_covered, **attrs
    ),
    stateful=True,
)
op(
    "SampleDistortedBoundingBoxV2(image_size, bounding_boxes, min_object_covered; seed=0, "
    "seed2=0, aspect_ratio_range=[0.75, 1.33], area_range=[0.05, 1.0], max_attempts=100, "
    "use_image_if_no_bounding_boxes=False) -> begin, size, bboxes",
    lambda image_size, bounding_boxes, min_object_covered, **attrs: _drawn_box(
        image_size, bounding_boxes, float(host_values(min_object_covered)), **attrs
    ),
    stateful=True,
)
op(
    "StatelessSampleDistortedBoundingBox(image_size, bounding_boxes, min_object_covered, seed; "
    "aspect_ratio_range=[0.75, 1.33], area_range=[0.05, 1.0], max_attempts=100, "
    "use_image_if_no_bounding_boxes=False) -> begin, size, bboxes",
    lambda image_size, bounding_boxes, min_object_covered, seed, **attrs: (
        distorted_boxes.stateless_sample_distorted_bounding_box(
            image_size, bounding_boxes, seed, float(host_values(min_object_covered)), **attrs
        )
    ),
)

op("FusedPadConv2D(input, paddings, filter; mode, strides, padding) -> output", _padded_convolution)
op(
    "FusedResizeAndPadConv2D(input, size, paddings, filter; resize_align_corners=False, mode, "
    "strides, padding) -> output",
    _resized_convolution,
)
op(
    "ResizeBicubicGrad(grads, original_image; align_corners=False, half_pixel_centers=False) "
    "-> output",
    _resize_gradient,
)
op(
    'ScaleAndTranslateGrad(grads, original_image, scale, translation; kernel_type="lanczos3", '
    "antialias=True) -> output",
    _scale_gradient,
)
