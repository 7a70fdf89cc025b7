"""`tf.image`: resizing, cropping, color adjustments, quality metrics and bounding boxes."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.library.image.adjusting import (
    adjust_brightness as adjust_brightness,
    adjust_contrast as adjust_contrast,
    adjust_gamma as adjust_gamma,
    adjust_hue as adjust_hue,
    adjust_saturation as adjust_saturation,
    per_image_standardization as per_image_standardization,
)
from tfpy._src.library.image.batches import convert_image_dtype as convert_image_dtype
from tfpy._src.library.image.boxes import (
    non_max_suppression as non_max_suppression,
    non_max_suppression_async as non_max_suppression_async,
    non_max_suppression_overlaps as non_max_suppression_overlaps,
    non_max_suppression_with_scores as non_max_suppression_with_scores,
    non_max_suppression_with_scores_async as non_max_suppression_with_scores_async,
)
from tfpy._src.library.image.colors import (
    grayscale_to_rgb as grayscale_to_rgb,
    hsv_to_rgb as hsv_to_rgb,
    rgb_to_grayscale as rgb_to_grayscale,
    rgb_to_hsv as rgb_to_hsv,
    rgb_to_yiq as rgb_to_yiq,
    rgb_to_yuv as rgb_to_yuv,
    threshold as threshold,
    yiq_to_rgb as yiq_to_rgb,
    yuv_to_rgb as yuv_to_rgb,
)
from tfpy._src.library.image.combined_boxes import (
    combined_non_max_suppression as combined_non_max_suppression,
)
from tfpy._src.library.image.geometry import (
    central_crop as central_crop,
    crop_to_bounding_box as crop_to_bounding_box,
    extract_patches as extract_patches,
    flip_left_right as flip_left_right,
    flip_up_down as flip_up_down,
    pad_to_bounding_box as pad_to_bounding_box,
    rot90 as rot90,
    transpose as transpose,
)
from tfpy._src.library.image.padded_boxes import (
    non_max_suppression_padded as non_max_suppression_padded,
    non_max_suppression_padded_async as non_max_suppression_padded_async,
)
from tfpy._src.library.image.quality import (
    image_gradients as image_gradients,
    psnr as psnr,
    sobel_edges as sobel_edges,
    ssim as ssim,
    ssim_multiscale as ssim_multiscale,
    total_variation as total_variation,
)
from tfpy._src.library.image.randomized import (
    random_brightness as random_brightness,
    random_contrast as random_contrast,
    random_crop as random_crop,
    random_flip_left_right as random_flip_left_right,
    random_flip_up_down as random_flip_up_down,
    random_hue as random_hue,
    random_saturation as random_saturation,
)
from tfpy._src.library.image.resizing import (
    ResizeMethod as ResizeMethod,
    resize as resize,
    resize_bilinear as resize_bilinear,
    resize_nearest_neighbor as resize_nearest_neighbor,
    resize_with_crop_or_pad as resize_with_crop_or_pad,
    resize_with_pad as resize_with_pad,
)
from tfpy._src.library.image.sampling import (
    crop_and_resize as crop_and_resize,
    rotate_with_offset as rotate_with_offset,
    transform as transform,
)
from tfpy._src.library.image.stateless_randomized import (
    stateless_random_brightness as stateless_random_brightness,
    stateless_random_contrast as stateless_random_contrast,
    stateless_random_crop as stateless_random_crop,
    stateless_random_flip_left_right as stateless_random_flip_left_right,
    stateless_random_flip_up_down as stateless_random_flip_up_down,
    stateless_random_hue as stateless_random_hue,
    stateless_random_saturation as stateless_random_saturation,
)
from tfpy._src.library.io.images import (
    decode_bmp as decode_bmp,
    decode_gif as decode_gif,
    decode_image as decode_image,
    decode_jpeg as decode_jpeg,
    decode_png as decode_png,
    encode_jpeg as encode_jpeg,
    encode_png as encode_png,
    is_jpeg as is_jpeg,
)

if _typing.TYPE_CHECKING:
    from tfpy._src.library.image.distorted_boxes import (
        sample_distorted_bounding_box as sample_distorted_bounding_box,
        stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
    )
    from tfpy._src.library.image.drawing import (
        draw_bounding_boxes as draw_bounding_boxes,
        extract_glimpse as extract_glimpse,
    )
    from tfpy._src.library.io.image_parts import (
        decode_and_crop_jpeg as decode_and_crop_jpeg,
        decode_webp as decode_webp,
        extract_jpeg_shape as extract_jpeg_shape,
    )
    from tfpy._src.library.io.jpeg_quality import (
        adjust_jpeg_quality as adjust_jpeg_quality,
        random_jpeg_quality as random_jpeg_quality,
        stateless_random_jpeg_quality as stateless_random_jpeg_quality,
    )

_LATER = {
    "draw_bounding_boxes": "tfpy._src.library.image.drawing",
    "extract_glimpse": "tfpy._src.library.image.drawing",
    "adjust_jpeg_quality": "tfpy._src.library.io.jpeg_quality",
    "random_jpeg_quality": "tfpy._src.library.io.jpeg_quality",
    "stateless_random_jpeg_quality": "tfpy._src.library.io.jpeg_quality",
    "decode_and_crop_jpeg": "tfpy._src.library.io.image_parts",
    "decode_webp": "tfpy._src.library.io.image_parts",
    "extract_jpeg_shape": "tfpy._src.library.io.image_parts",
    "sample_distorted_bounding_box": "tfpy._src.library.image.distorted_boxes",
    "stateless_sample_distorted_bounding_box": "tfpy._src.library.image.distorted_boxes",
}
