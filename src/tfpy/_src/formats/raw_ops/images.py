"""Resizing, boxes, colors and files of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.derivative import pulled_back
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.library.image import adjusting, boxes, colors, combined_boxes, resizing
from tfpy._src.library.image.geometry import extract_patches
from tfpy._src.library.image.sampling import crop_and_resize, transform
from tfpy._src.library.io import images as files
from tfpy._src.tensors.array.joining import pad
from tfpy._src.tensors.array.making import cast, zeros
from tfpy._src.tensors.array.static import static_int, static_ints


def _projected(
    images: Any,
    transforms: Any,
    output_shape: Any,
    fill_value: Any = 0.0,
    *,
    interpolation: str,
    fill_mode: str,
) -> Tensor:
    """Apply projective transforms to images and keep their dtype."""
    x, fill = convert_to_tensor(images), float(fill_value)
    how = (interpolation.lower(), fill_mode.lower())
    return cast(transform(x, transforms, *how, fill, output_shape), x.dtype)


def _whole(grads: Any, size: Any) -> Tensor:
    """Return an image tensor of a given size, with the batch and channels of the gradients."""
    count, _, _, channels = convert_to_tensor(grads).aval.shape
    return zeros([count, *static_ints(size), channels])


def on_grid(method: str) -> Any:
    """Return the operation that resizes with a method."""

    def resized(
        images: Any, size: Any, align_corners: bool, half_pixel_centers: bool = False
    ) -> Tensor:
        flags = align_corners, half_pixel_centers
        return resizing.resize_on_grid(f"resize_{method}", images, size, method, *flags)

    return resized


def scaled(
    images: Any, size: Any, scale: Any, translation: Any, kernel_type: str, antialias: bool
) -> Tensor:
    """Resize as `tf.image.resize` does: the whole image fills the new size."""
    x, sizes = convert_to_tensor(images), static_ints(size)
    factors = [n / old for n, old in zip(sizes, x.aval.shape[1:3], strict=True)]
    moved = host_values(translation).any()
    if moved or not np.allclose(host_values(scale), factors, rtol=1e-5):
        raise UnimplementedError(
            None,
            None,
            "ScaleAndTranslate is only supported for the whole image: the scale must match the "
            "size, and the translation must be 0.",
        )
    method = {"triangle": "bilinear", "keyscubic": "bicubic"}.get(kernel_type, kernel_type)
    return resizing.resize(x, sizes, method, antialias=antialias)


def _suppressed(
    boxes_: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    pad_to_max_output_size: bool,
) -> tuple[Tensor, Tensor]:
    pairs = boxes.suppressed(boxes_, scores, max_output_size, iou_threshold, score_threshold)
    if pad_to_max_output_size:
        return boxes.padded(pairs, static_int(max_output_size))
    places, _ = boxes.chosen(pairs)
    return places, constant(places.aval.shape[0])


def _suppressed_and_scored(
    boxes_: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    soft_nms_sigma: Any,
    pad_to_max_output_size: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    places, kept = boxes.non_max_suppression_with_scores(
        boxes_, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma
    )
    count = places.aval.shape[0]
    if pad_to_max_output_size:
        missing = [[0, static_int(max_output_size) - count]]
        places, kept = pad(places, missing), pad(kept, missing)
    return places, kept, constant(count)


op("AdjustContrastv2(images, contrast_factor) -> output", adjusting.adjust_contrast)
op("AdjustHue(images, delta) -> output", adjusting.adjust_hue)
op("AdjustSaturation(images, scale) -> output", adjusting.adjust_saturation)
op("HSVToRGB(images) -> output", colors.hsv_to_rgb)
op("RGBToHSV(images) -> output", colors.rgb_to_hsv)

op(
    'CropAndResize(image, boxes, box_ind, crop_size; method="bilinear", '
    "extrapolation_value=0.0) -> crops",
    crop_and_resize,
)
op(
    "ExtractImagePatches(images; ksizes, strides, rates, padding) -> patches",
    lambda images, ksizes, strides, rates, padding: extract_patches(
        images, ksizes, strides, rates, padding
    ),
)
op(
    "ImageProjectiveTransformV2(images, transforms, output_shape; interpolation, "
    'fill_mode="CONSTANT") -> transformed_images',
    _projected,
)
op(
    "ImageProjectiveTransformV3(images, transforms, output_shape, fill_value; interpolation, "
    'fill_mode="CONSTANT") -> transformed_images',
    _projected,
)
op(
    "ResizeBilinear(images, size; align_corners=False, half_pixel_centers=False) -> resized_images",
    resizing.resize_bilinear,
)
op(
    "ResizeBilinearGrad(grads, original_image; align_corners=False, "
    "half_pixel_centers=False) -> output",
    lambda grads, original_image, **attrs: pulled_back(
        lambda x: resizing.resize_bilinear(x, grads.shape[1:3], **attrs), original_image, grads
    ),
)
op(
    "ResizeNearestNeighbor(images, size; align_corners=False, half_pixel_centers=False) -> "
    "resized_images",
    resizing.resize_nearest_neighbor,
)

op(
    'CropAndResizeGradBoxes(grads, image, boxes, box_ind; method="bilinear") -> output',
    lambda grads, image, boxes, box_ind, method: pulled_back(
        lambda b: crop_and_resize(image, b, box_ind, convert_to_tensor(grads).shape[1:3], method),
        boxes,
        grads,
    ),
)
op(
    'CropAndResizeGradImage(grads, boxes, box_ind, image_size; T, method="bilinear") -> output',
    lambda grads, boxes, box_ind, image_size, T, method: pulled_back(
        lambda x: crop_and_resize(x, boxes, box_ind, convert_to_tensor(grads).shape[1:3], method),
        zeros(image_size, T),
        grads,
    ),
)
op("ResizeArea(images, size; align_corners=False) -> resized_images", on_grid("area"))
op(
    "ResizeBicubic(images, size; align_corners=False, half_pixel_centers=False) -> resized_images",
    on_grid("bicubic"),
)
op(
    "ResizeNearestNeighborGrad(grads, size; align_corners=False, half_pixel_centers=False) "
    "-> output",
    lambda grads, size, **attrs: pulled_back(
        lambda x: resizing.resize_nearest_neighbor(x, convert_to_tensor(grads).shape[1:3], **attrs),
        _whole(grads, size),
        grads,
    ),
)
op(
    'ScaleAndTranslate(images, size, scale, translation; kernel_type="lanczos3", '
    "antialias=True) -> resized_images",
    scaled,
)
op(
    "CombinedNonMaxSuppression(boxes, scores, max_output_size_per_class, max_total_size, "
    "iou_threshold, score_threshold; pad_per_class=False, clip_boxes=True) -> nmsed_boxes, "
    "nmsed_scores, nmsed_classes, valid_detections",
    combined_boxes.combined_non_max_suppression,
)
op(
    "NonMaxSuppression(boxes, scores, max_output_size; iou_threshold=0.5) -> selected_indices",
    boxes.non_max_suppression,
)
op(
    "NonMaxSuppressionV2(boxes, scores, max_output_size, iou_threshold) -> selected_indices",
    boxes.non_max_suppression,
)
op(
    "NonMaxSuppressionV3(boxes, scores, max_output_size, iou_threshold, score_threshold) -> "
    "selected_indices",
    boxes.non_max_suppression,
)
op(
    "NonMaxSuppressionV4(boxes, scores, max_output_size, iou_threshold, score_threshold; "
    "pad_to_max_output_size=False) -> selected_indices, valid_outputs",
    _suppressed,
)
op(
    "NonMaxSuppressionV5(boxes, scores, max_output_size, iou_threshold, score_threshold, "
    "soft_nms_sigma; pad_to_max_output_size=False) -> selected_indices, selected_scores, "
    "valid_outputs",
    _suppressed_and_scored,
)
op(
    "NonMaxSuppressionWithOverlaps(overlaps, scores, max_output_size, overlap_threshold, "
    "score_threshold) -> selected_indices",
    boxes.non_max_suppression_overlaps,
)

op("DecodeBmp(contents; channels=0) -> image", files.decode_bmp)
op("DecodeGif(contents) -> image", files.decode_gif)
op(
    "DecodeImage(contents; channels=0, dtype=uint8, expand_animations=True) -> image",
    files.decode_image,
)
op(
    "DecodeJpeg(contents; channels=0, ratio=1, fancy_upscaling=True, "
    'try_recover_truncated=False, acceptable_fraction=1.0, dct_method="") -> image',
    files.decode_jpeg,
)
op("DecodePng(contents; channels=0, dtype=uint8) -> image", files.decode_png)
op(
    'EncodeJpeg(image; format="", quality=95, progressive=False, optimize_size=False, '
    'chroma_downsampling=True, density_unit="in", x_density=300, y_density=300, '
    'xmp_metadata="") -> contents',
    files.encode_jpeg,
)
op("EncodePng(image; compression=-1) -> contents", files.encode_png)
