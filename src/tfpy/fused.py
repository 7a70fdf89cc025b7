"""`tf.fused`: matrix products and convolutions with bias and activation, as in TensorFlow.js."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.tfjs.fused import (
    conv2d as conv2d,
    depthwise_conv2d as depthwise_conv2d,
    mat_mul as mat_mul,
)
