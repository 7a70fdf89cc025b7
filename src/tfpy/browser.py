"""`tf.browser`: conversion between tensors and the pixels of images, videos and canvases."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.tensors.browser.functions import as_javascript as as_javascript
from tfpy._src.tensors.browser.pixels import (
    draw as draw,
    from_gpu_buffer as from_gpu_buffer,
    from_pixels as from_pixels,
    from_pixels_async as from_pixels_async,
    gpu_device as gpu_device,
    to_pixels as to_pixels,
    to_pixels_async as to_pixels_async,
)
