"""`tf.compat.v1.image`: functions for images, with the sampling grids of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.images import (
    ResizeMethod as ResizeMethod,
    resize as resize,
    resize_area as resize_area,
    resize_bicubic as resize_bicubic,
    resize_image_with_pad as resize_image_with_pad,
    resize_images as resize_images,
)
