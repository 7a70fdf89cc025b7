"""Functions composed of primitives, and their gradients, on every device backend.

No step may be computed on the host, and the results equal NumPy's. Each function runs eagerly and
compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser


def mobile_block(tf, x, f, scale, offset, depthwise, point, dense):
    """Return the loss of a network with strided, separable and residual convolutions.

    The network has the parts of MobileNet.
    """
    h = tf.nn.conv2d(x, f, 2, "SAME")
    h = tf.nn.relu6(tf.nn.fused_batch_norm(h, scale, offset)[0])
    g = tf.nn.depthwise_conv2d(h, depthwise, [1, 2, 2, 1], "SAME")
    g = tf.nn.relu6(tf.nn.fused_batch_norm(g, scale, offset)[0])
    g = tf.nn.conv2d(g, point, 1, "SAME") + tf.nn.avg_pool2d(h, 2, 2, "SAME")
    g = tf.nn.max_pool2d(tf.nn.swish(g), 3, 2, "SAME")
    logits = tf.reduce_mean(g, [1, 2]) @ dense
    labels = tf.one_hot([1, 3], dense.shape[1])
    return tf.nn.softmax_cross_entropy_with_logits(labels, logits)


def video_block(tf, x, f, g, bias):
    h = tf.nn.relu(tf.nn.conv3d(x, f, [1, 1, 2, 2, 1], "SAME") + bias)
    h = tf.nn.max_pool3d(h, 2, [1, 1, 2, 2, 1], "VALID")
    h = tf.nn.conv3d_transpose(h, g, [2, 6, 8, 8, 3], 2, "SAME")
    return tf.nn.avg_pool3d(h, 2, 2, "SAME", data_format="NDHWC")


PROGRAMS: dict[str, Any] = {
    "mobile_block": (
        mobile_block,
        [(2, 33, 33, 3), (3, 3, 3, 8), (8,), (8,), (3, 3, 8, 1), (1, 1, 8, 8), (8, 5)],
    ),
    "video_block": (
        video_block,
        [(2, 4, 16, 16, 3), (3, 3, 3, 3, 4), (3, 3, 3, 3, 4), (4,)],
    ),
    "complex_product": (
        lambda tf, x, y: tf.math.real(tf.reduce_prod(tf.complex(x, y), 1)),
        [(3, 7, 2), (3, 7, 2)],
    ),
    "channel_maxima": (
        lambda tf, x: tf.nn.max_pool2d(x, [1, 1, 1, 2], [1, 1, 1, 2], "SAME"),
        [(2, 3, 4, 6)],
    ),
    "einsum": (
        lambda tf, x, y: tf.einsum("...qhd,...khd->...hqk", x, y),
        [(2, 4, 3, 5), (2, 6, 3, 5)],
    ),
    "einsum_diagonal": (lambda tf, x, y: tf.einsum("iji,jk->k", x, y), [(4, 3, 4), (3, 5)]),
    "conv1d": (lambda tf, x, f: tf.nn.conv1d(x, f, 2, "SAME"), [(2, 9, 3), (3, 3, 4)]),
    "conv3d": (
        lambda tf, x, f: tf.nn.conv3d(x, f, [1, 2, 1, 1, 1], "SAME"),
        [(2, 4, 5, 6, 3), (3, 2, 2, 3, 4)],
    ),
    "conv3d_groups": (
        lambda tf, x, f: tf.nn.conv3d(x, f, [1, 2, 1, 1, 1], "SAME"),
        [(2, 4, 5, 4, 6), (3, 2, 2, 2, 9)],
    ),
    "empty_windows": (
        lambda tf, x, f: [tf.nn.conv2d(x, f, 1, "VALID"), tf.nn.max_pool2d(x, 5, 1, "VALID")],
        [(2, 4, 4, 3), (5, 5, 3, 4)],
    ),
    "embedding_in_parts": (
        lambda tf, x, y: tf.nn.embedding_lookup([x, y], [4, 0, 0], max_norm=0.5),
        [(3, 4), (2, 4)],
    ),
    "hsv": (lambda tf, x: tf.image.rgb_to_hsv(x), [(2, 4, 5, 3)]),
    "conv3d_transpose": (
        lambda tf, x, f: tf.nn.conv3d_transpose(x, f, [2, 6, 6, 6, 3], 2),
        [(2, 3, 3, 3, 4), (3, 3, 3, 3, 4)],
    ),
    "channels_first": (
        lambda tf, x, f: tf.nn.conv2d(x, f, 1, "VALID", data_format="NCHW"),
        [(2, 3, 6, 7), (2, 3, 3, 4)],
    ),
    "max_pool3d": (lambda tf, x: tf.nn.max_pool3d(x, 3, 2, "SAME"), [(2, 5, 6, 7, 3)]),
    "avg_pool3d": (lambda tf, x: tf.nn.avg_pool3d(x, 3, 2, "SAME"), [(2, 5, 6, 7, 4)]),
    "argmax": (lambda tf, x: tf.nn.max_pool_with_argmax(x, 3, 2, "SAME"), [(2, 7, 6, 3)]),
    "dilation2d": (
        lambda tf, x, f: tf.nn.dilation2d(x, f, [1] * 4, "SAME", "NHWC", [1] * 4),
        [(2, 6, 5, 3), (3, 2, 3)],
    ),
    "lrn": (lambda tf, x: tf.nn.lrn(x, 2, 1.0, 0.5, 0.75), [(2, 4, 4, 7)]),
    "fused_batch_norm": (
        lambda tf, x, s, o: tf.nn.fused_batch_norm(x, s, o)[0],
        [(3, 5, 4, 6), (6,), (6,)],
    ),
    "fused_conv": (
        lambda tf, x, f, b: tf.fused.conv2d(x, f, 1, "SAME", bias=b, activation="relu6"),
        [(2, 5, 5, 4), (3, 3, 4, 8), (8,)],
    ),
    "lstm": (
        lambda tf, k, b, x, c, h: tf.basic_lstm_cell(1.0, k, b, x, c, h),
        [(7, 16), (16,), (2, 3), (2, 4), (2, 4)],
    ),
    "bilinear": (lambda tf, x: tf.image.resize(x, (9, 4)), [(2, 6, 7, 3)]),
    "lanczos": (lambda tf, x: tf.image.resize(x, (3, 11), "lanczos5", False, True), [(2, 6, 7, 4)]),
    "nearest": (lambda tf, x: tf.image.resize(x, (9, 4), "nearest"), [(2, 6, 7, 3)]),
    "crop_and_resize": (
        lambda tf, x: tf.image.crop_and_resize(
            x, [[0.1, 0.2, 0.9, 0.7], [-0.1, 0, 1.2, 1]], [1, 0], (4, 5)
        ),
        [(2, 6, 7, 3)],
    ),
    "transform": (
        lambda tf, x: tf.image.transform(x, [[1, 0.2, -1, 0.1, 0.9, 1, 0, 0.01]], "bilinear"),
        [(2, 6, 7, 3)],
    ),
    "rotate": (lambda tf, x: tf.image.rotate_with_offset(x, 0.4), [(2, 6, 7, 3)]),
    "hue": (lambda tf, x: tf.image.adjust_hue(x, 0.2), [(2, 4, 5, 3)]),
    "ssim": (
        lambda tf, x, y: tf.image.ssim(x, y, 1.0, filter_size=5),
        [(2, 9, 8, 3), (2, 9, 8, 3)],
    ),
    "patches": (
        lambda tf, x: tf.image.extract_patches(x, [1, 3, 3, 1], [1, 2, 2, 1], [1] * 4, "SAME"),
        [(2, 7, 8, 3)],
    ),
    "weighted_loss": (
        lambda tf, x, y: tf.losses.huber_loss(x, y, delta=0.3),
        [(4, 5), (4, 5)],
    ),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("name", sorted(PROGRAMS))
@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_program(tf, backend, name, compiled):
    from tfpy._src.backends import registry

    program, shapes = PROGRAMS[name]
    rng = np.random.default_rng(11)
    arrays = [rng.uniform(0, 1, s).astype(np.float32) for s in shapes]

    def run(*inputs):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = program(tf, *inputs)
            outputs = list(y) if isinstance(y, list | tuple) else [y]
            total = tf.add_n([tf.reduce_sum(o * o) for o in outputs if o.dtype == tf.float32])
        grads = tape.gradient(total, inputs, unconnected_gradients="zero")
        return [*outputs, *grads]

    def results(function):
        return [tf.convert_to_tensor(t).numpy() for t in function(*map(tf.constant, arrays))]

    device = registry.active_backend()
    for key in [k for k, known in device.programs.items() if known.program == 0]:
        del device.programs[key]  # entries that other tests had computed on the host
    got = results(tf.function(run) if compiled else run)
    on_host = {key[0].name for key, known in device.programs.items() if known.program == 0}
    assert not on_host, f"computed on the host: {on_host}"
    tf.set_backend("cpu")
    expected = results(run)
    tf.set_backend(backend)
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-3, atol=5e-4)
