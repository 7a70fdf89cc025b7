"""Calls of ``tf.image`` and ``tf.browser``."""

from __future__ import annotations

IMAGE, LARGE = "f(2, 6, 7, 3)", "f(1, 180, 180, 1)"
BOXES = "t([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]]), t([0.9, 0.8, 0.7])"
SEED = "seed=(1, 2)"
PIXELS = "np.arange(24, dtype=np.uint8).reshape(2, 3, 4)"

CALLS = {
    # files
    "image.decode_image": "tf.io.encode_png(tf.cast(i(255, 4, 5, 3), tf.uint8))",
    "image.decode_png": "tf.io.encode_png(tf.cast(i(255, 4, 5, 3), tf.uint8))",
    "image.decode_jpeg": "tf.io.encode_png(tf.cast(i(255, 4, 5, 3), tf.uint8))",
    "image.decode_bmp": (
        "b'BM' + np.array([62, 0, 54, 40, 2, 1, 24 << 16 | 1], '<i4').tobytes() + bytes(24) + "
        "bytes(range(8))"
    ),
    # size and place
    "image.resize": f"{IMAGE}, (9, 4)",
    "compat.v1.image.resize": f"{IMAGE}, (9, 4)",
    "compat.v1.image.resize_area": f"{IMAGE}, (9, 4)",
    "compat.v1.image.resize_bicubic": f"{IMAGE}, (9, 4)",
    "compat.v1.image.resize_image_with_pad": f"{IMAGE}, 9, 9",
    "image.resize_bilinear": (
        f"{IMAGE}, (9, 4)",
        f"tf.compat.v1.image.resize_bilinear({IMAGE}, (9, 4))",
    ),
    "image.resize_nearest_neighbor": (
        f"{IMAGE}, (9, 4)",
        f"tf.compat.v1.image.resize_nearest_neighbor({IMAGE}, (9, 4))",
    ),
    "image.resize_with_pad": f"{IMAGE}, 9, 9",
    "image.resize_with_crop_or_pad": f"{IMAGE}, 8, 4",
    "image.crop_and_resize": f"{IMAGE}, t([[0.1, 0.2, 0.9, 0.7]]), t([1]), (4, 5)",
    "image.central_crop": f"{IMAGE}, 0.5",
    "image.crop_to_bounding_box": "x(2, 6, 7, 3), 1, 2, 3, 4",
    "image.pad_to_bounding_box": "x(2, 6, 7, 3), 1, 2, 9, 9",
    "image.flip_left_right": "x(2, 6, 7, 3)",
    "image.flip_up_down": "x(2, 6, 7, 3)",
    "image.rot90": "x(2, 6, 7, 3), 3",
    "image.transpose": "x(2, 6, 7, 3)",
    "image.extract_patches": f"{IMAGE}, [1, 3, 3, 1], [1, 2, 2, 1], [1] * 4, 'SAME'",
    "image.transform": (
        f"{IMAGE}, [[1, 0.2, -1, 0.1, 0.9, 1, 0, 0]], 'bilinear'",
        f"tf.raw_ops.ImageProjectiveTransformV3(images={IMAGE}, transforms=[[1, 0.2, -1, 0.1, "
        "0.9, 1, 0, 0]], output_shape=[6, 7], fill_value=0.0, interpolation='BILINEAR')",
    ),
    "image.rotate_with_offset": f"{IMAGE}, 0.4",
    # colors
    "image.adjust_brightness": f"{IMAGE}, 0.2",
    "image.adjust_contrast": f"{IMAGE}, 1.5",
    "image.adjust_gamma": f"{IMAGE}, 1.5",
    "image.adjust_hue": f"{IMAGE}, 0.2",
    "image.adjust_saturation": f"{IMAGE}, 1.5",
    "image.convert_image_dtype": f"{IMAGE}, 'int32'",
    "image.grayscale_to_rgb": "x(2, 6, 7, 1)",
    "image.rgb_to_grayscale": IMAGE,
    "image.rgb_to_hsv": IMAGE,
    "image.hsv_to_rgb": IMAGE,
    "image.rgb_to_yiq": IMAGE,
    "image.yiq_to_rgb": IMAGE,
    "image.rgb_to_yuv": IMAGE,
    "image.yuv_to_rgb": IMAGE,
    "image.per_image_standardization": IMAGE,
    "image.threshold": "f(6, 7, 3) * 255.0",
    # measures
    "image.psnr": f"{IMAGE}, {IMAGE}, 1.0",
    "image.ssim": f"{IMAGE}, {IMAGE}, 1.0, filter_size=5",
    "image.ssim_multiscale": f"{LARGE}, {LARGE}, 1.0",
    "image.total_variation": IMAGE,
    "image.image_gradients": IMAGE,
    "image.sobel_edges": IMAGE,
    # boxes
    "image.non_max_suppression": f"{BOXES}, 3",
    "image.non_max_suppression_with_scores": f"{BOXES}, 3, soft_nms_sigma=0.5",
    "image.non_max_suppression_padded": f"{BOXES}, 3, pad_to_max_output_size=True",
    "image.non_max_suppression_overlaps": "t([[1.0, 0.8], [0.8, 1.0]]), t([0.9, 0.8]), 2",
    "image.combined_non_max_suppression": (
        "t([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.5, 1.0, 1.5]]]]), t([[[0.9], [0.8]]]), 2, 2"
    ),
    "image.non_max_suppression_async": (
        f"{BOXES}, 3",
        f"tf.image.non_max_suppression({BOXES}, 3)",
    ),
    "image.non_max_suppression_with_scores_async": (
        f"{BOXES}, 3",
        f"tf.image.non_max_suppression_with_scores({BOXES}, 3)",
    ),
    "image.non_max_suppression_padded_async": (
        f"{BOXES}, 3",
        f"tf.image.non_max_suppression_padded({BOXES}, 3)",
    ),
    # random
    **{
        f"image.{prefix}random_{kind}": f"{IMAGE}{args}, {seed}"
        for prefix, seed in (("", "seed=5"), ("stateless_", SEED))
        for kind, args in (
            ("brightness", ", 0.2"),
            ("contrast", ", 0.2, 0.5"),
            ("crop", ", (2, 4, 4, 3)"),
            ("flip_left_right", ""),
            ("flip_up_down", ""),
            ("hue", ", 0.2"),
            ("saturation", ", 0.2, 0.5"),
        )
    },
    # pixels
    "browser.from_pixels": (PIXELS, f"tf.constant({PIXELS}.astype('int32')[..., :3])"),
    "browser.from_pixels_async": (PIXELS, f"tf.constant({PIXELS}.astype('int32')[..., :3])"),
    **{
        f"browser.{name}": ("i(256, 2, 3, 4)", "i(256, 2, 3, 4).numpy().astype('uint8')")
        for name in ("to_pixels", "to_pixels_async")
    },
}

FLOATS = (
    "image.adjust_hue",
    "image.adjust_saturation",
    "image.convert_image_dtype",
    "image.crop_and_resize",
    "image.extract_patches",
    "image.psnr",
    "image.random_flip_left_right",
    "image.random_flip_up_down",
    "image.random_hue",
    "image.resize",
    "image.resize_bilinear",
    "image.resize_nearest_neighbor",
    "image.resize_with_pad",
    "image.rgb_to_yiq",
    "image.rgb_to_yuv",
    "image.ssim",
    "image.ssim_multiscale",
    "image.stateless_random_flip_left_right",
    "image.stateless_random_flip_up_down",
    "image.stateless_random_hue",
    "image.transform",
    "image.yiq_to_rgb",
    "image.yuv_to_rgb",
)
