"""Calls that TensorFlow.js lacks or computes wrong, in the words of ``surface.evaluation``.

A pair has the equivalent call for TensorFlow, where TensorFlow uses another name.
"""

from __future__ import annotations

IMAGE = "f(1, 5, 6, 2)"
SQUARE = "f(2, 3, 3) + 2.0 * tf.eye(3)"
SYMMETRIC = (
    "(lambda m: m @ tf.linalg.matrix_transpose(m) + tf.linalg.diag(f(2, 3) + [0.0, 2.0, 4.0]))"
)

MISSING_GRADIENTS: dict[str, str | tuple[str, str]] = {
    # kernels without a gradient
    "einsum": "tf.einsum('bij,bjk->bik', f(2, 3, 4), f(2, 4, 2))",
    "einsum, diagonal": "tf.einsum('ii->i', f(3, 3))",
    "cumprod": "tf.math.cumprod(f(2, 4), 1)",
    "cumprod, exclusive and reverse": "tf.math.cumprod(f(2, 4), 1, exclusive=True, reverse=True)",
    "divide_no_nan": "tf.math.divide_no_nan(f(3), f(3) * [1.0, 0.0, 1.0])",
    "fft": "tf.signal.fft(c(2, 6))",
    "ifft": "tf.signal.ifft(c(2, 6))",
    "rfft": "tf.signal.rfft(f(2, 6))",
    "irfft": "tf.signal.irfft(c(2, 4))",
    "fft2d": "tf.signal.fft2d(c(2, 4, 3))",
    "stft": "tf.signal.stft(f(1, 24), 8, 4)",
    "gather_nd": "tf.gather_nd(f(3, 4), t([[0, 1], [2, 3], [0, 1]]))",
    "scatter_nd": "tf.scatter_nd(t([[4], [0], [4]]), f(3, 2), [5, 2])",
    "tensor_scatter_nd_update": "tf.tensor_scatter_nd_update(f(5, 2), t([[4], [0]]), f(2, 2))",
    "sparse_to_dense": (
        "tf.sparse_to_dense(t([[0, 1], [2, 0]]), f(2), t([4, 3]), 0.0)",
        "tf.sparse.to_dense(tf.SparseTensor([[0, 1], [2, 0]], f(2), [4, 3]))",
    ),
    "sparse_segment_sum": "tf.sparse.segment_sum(f(4, 2), t([0, 2, 2]), t([0, 0, 1]))",
    "sparse_segment_mean": "tf.sparse.segment_mean(f(4, 2), t([0, 2, 2]), t([0, 0, 1]))",
    "max_pool_with_argmax": f"tf.nn.max_pool_with_argmax({IMAGE}, 3, 2, 'SAME')[0]",
    "crop_and_resize": (
        f"tf.image.crop_and_resize({IMAGE}, t([[0.1, 0.2, 0.9, 0.7]]), t([0]), (4, 3))"
    ),
    "transform": (
        f"tf.image.transform({IMAGE}, t([[1.0, 0, 1, 0, 1, 2, 0, 0]]))",
        f"tf.raw_ops.ImageProjectiveTransformV3(images={IMAGE}, transforms=[[1.0, 0, 1, 0, 1, 2, "
        "0, 0]], output_shape=[5, 6], fill_value=0.0, interpolation='NEAREST')",
    ),
    "flip_left_right": f"tf.image.flip_left_right({IMAGE})",
    "top_k": "tf.math.top_k(f(3, 5), 2)[0]",
    "sort": "tf.sort(f(3, 5), direction='DESCENDING')",
    "unique": "tf.gather(f(4), tf.unique(t([2, 0, 2]))[0])",
    "depth_to_space": "tf.nn.depth_to_space(f(1, 2, 3, 8), 2)",
    "space_to_depth": "tf.nn.space_to_depth(f(1, 4, 6, 2), 2)",
    "band_part": "tf.linalg.band_part(f(3, 4), 1, 0)",
    "conv3d_transpose": (
        "tf.nn.conv3d_transpose(f(1, 2, 3, 3, 2), f(2, 2, 2, 3, 2), [1, 4, 6, 6, 3], 2)"
    ),
    "segment_max": "tf.math.segment_max(f(4, 2), t([0, 0, 1, 3]))",
    "unsorted_segment_prod": "tf.math.unsorted_segment_prod(f(4, 2), t([1, 0, 1, 3]), 4)",
    # fused kernels: TensorFlow.js has gradients of some activations
    **{
        f"fused mat_mul, {act}": (
            f"tf.fused.mat_mul(f(2, 3), f(3, 4), bias=f(4), activation='{act}')",
            f"tf.nn.{act}(f(2, 3) @ f(3, 4) + f(4))",
        )
        for act in ("relu", "relu6", "elu", "sigmoid")
    },
    "fused conv2d": (
        f"tf.fused.conv2d({IMAGE}, f(3, 3, 2, 4), 1, 'SAME', bias=f(4), activation='sigmoid')",
        f"tf.sigmoid(tf.nn.conv2d({IMAGE}, f(3, 3, 2, 4), 1, 'SAME') + f(4))",
    ),
    "fused depthwise_conv2d": (
        f"tf.fused.depthwise_conv2d({IMAGE}, f(3, 3, 2, 2), 1, 'SAME', bias=f(4), "
        "activation='elu')",
        f"tf.nn.elu(tf.nn.depthwise_conv2d({IMAGE}, f(3, 3, 2, 2), [1] * 4, 'SAME') + f(4))",
    ),
    # gradients that are wrong or raise for some arguments
    "prod": "tf.reduce_prod(f(2, 3), 1)",
    "prod with a zero": "tf.reduce_prod(f(2, 3) * [1.0, 0.0, 1.0], 1)",
    "prod with two zeros": "tf.reduce_prod(f(2, 3) * [1.0, 0.0, 0.0], 1)",
    "max with ties": "(lambda a: tf.reduce_max(tf.stack([a, a, a * 0.5]), 0))(f(3))",
    "maximum, broadcast": "tf.maximum(f(2, 3), f(3))",
    "minimum, broadcast": "tf.minimum(f(2, 1, 3), f(4, 1))",
    "maximum, ties": "(lambda a: tf.maximum(a, tf.stop_gradient(a)))(f(3))",
    "maximum, ties on the right": "(lambda a: tf.maximum(tf.stop_gradient(a), a))(f(3))",
    "avg_pool, SAME": f"tf.nn.avg_pool2d({IMAGE}, 3, 2, 'SAME')",
    "avg_pool3d, SAME": "tf.nn.avg_pool3d(f(1, 3, 4, 5, 2), 2, 2, 'SAME')",
    "max_pool3d": "tf.nn.max_pool3d(f(1, 3, 4, 5, 2), 2, 2, 'SAME')",
    "resize": f"tf.image.resize({IMAGE}, (9, 4))",
    "resize, smaller": f"tf.image.resize({IMAGE}, (2, 3), antialias=True)",
    "resize, nearest": f"tf.image.resize({IMAGE}, (9, 4), 'nearest')",
    "resize, bicubic": f"tf.image.resize({IMAGE}, (9, 4), 'bicubic')",
    "resize_bilinear, corners": (
        f"tf.image.resize_bilinear({IMAGE}, (9, 4), align_corners=True)",
        f"tf.compat.v1.image.resize_bilinear({IMAGE}, (9, 4), align_corners=True)",
    ),
    "gather in a batch": "tf.gather(f(2, 4, 3), t([[0, 3, 0], [1, 1, 2]]), batch_dims=1)",
    "pow of zero": "tf.pow(f(3) * [1.0, 0.0, 1.0], 2.0)",
    "abs of complex numbers": "tf.abs(c(3))",
    "dilation2d": f"tf.nn.dilation2d({IMAGE}, f(2, 2, 2), [1] * 4, 'SAME', 'NHWC', [1] * 4)",
    "mirror_pad": "tf.pad(f(2, 3), [[1, 0], [2, 1]], 'REFLECT')",
    # gradients of gradients
    **{
        f"second order: {name}": f"d(lambda {names}: tf.square({call}), {inputs})"
        for name, names, call, inputs in (
            ("conv2d", "a, w", "tf.nn.conv2d(a, w, 2, 'SAME')", f"{IMAGE}, f(3, 3, 2, 3)"),
            ("depthwise_conv2d", "a, w", "tf.nn.depthwise_conv2d(a, w, [1] * 4, 'SAME')",
             f"{IMAGE}, f(3, 3, 2, 2)"),
            ("conv3d", "a, w", "tf.nn.conv3d(a, w, [1] * 5, 'SAME')",
             "f(1, 3, 3, 4, 2), f(2, 2, 2, 2, 3)"),
            ("conv2d_transpose", "a, w", "tf.nn.conv2d_transpose(a, w, [1, 10, 12, 3], 2)",
             f"{IMAGE}, f(3, 3, 3, 2)"),
            ("max_pool", "a", "tf.nn.max_pool2d(a, 2, 2, 'SAME')", IMAGE),
            ("avg_pool", "a", "tf.nn.avg_pool2d(a, 3, 2, 'SAME')", IMAGE),
            ("softmax", "a", "tf.nn.softmax(a)", "f(2, 3)"),
            ("matmul", "a, b", "a @ b", "f(2, 3), f(3, 2)"),
            ("prod", "a", "tf.reduce_prod(a, 1)", "f(2, 3)"),
            ("cumprod", "a", "tf.math.cumprod(a, 1)", "f(2, 3)"),
        )
    },
    # decompositions
    "cholesky": f"tf.linalg.cholesky({SYMMETRIC}(f(2, 3, 3)))",
    "qr": "tf.linalg.qr(f(2, 4, 3))",
    "svd": "tf.linalg.svd(f(2, 4, 3), compute_uv=False)",
    "eigh": f"tf.linalg.eigh({SYMMETRIC}(f(2, 3, 3)))[0]",
    "inv": f"tf.linalg.inv({SQUARE})",
    "solve": f"tf.linalg.solve({SQUARE}, f(2, 3, 2))",
    "det": f"tf.linalg.det({SQUARE})",
    "slogdet": f"tf.linalg.slogdet({SQUARE})",
}  # fmt: skip
"""Gradients that TensorFlow.js 4.22 lacks or computes wrong."""

NEGATIVE = "-1.0 - f(1, 4, 5, 6, 2)"

BUGS: dict[str, str | tuple[str, str]] = {
    # wasm
    "max_pool3d of negative windows": f"tf.nn.max_pool3d({NEGATIVE}, 2, 1, 'SAME')",
    "dilation2d of negative windows": (
        "tf.nn.dilation2d(-3.0 - f(1, 5, 6, 2), f(2, 2, 2), [1] * 4, 'SAME', 'NHWC', [1] * 4)"
    ),
    "max_pool_with_argmax of negatives": (
        "tf.nn.max_pool_with_argmax(-1.0 - f(2, 5, 6, 3), 2, 2, 'SAME')"
    ),
    "conv3d_transpose": (
        "tf.nn.conv3d_transpose(f(2, 3, 3, 3, 4), f(3, 3, 3, 3, 4), [2, 6, 6, 6, 3], 2)"
    ),
    "fused mat_mul with bias, transposed": (
        "tf.fused.mat_mul(f(60, 5), f(7, 60), True, True, bias=f(7), activation='relu')",
        "tf.nn.relu(tf.matmul(f(60, 5), f(7, 60), True, True) + f(7))",
    ),
    "fused mat_mul with bias, in a batch": (
        "tf.fused.mat_mul(f(3, 5, 60), f(3, 60, 7), bias=f(7), activation='relu6')",
        "tf.nn.relu6(f(3, 5, 60) @ f(3, 60, 7) + f(7))",
    ),
    "gather with batch dimensions": "tf.gather(f(2, 4, 3), t([[0, 3], [1, 2]]), batch_dims=1)",
    "clip_by_value of integers": "tf.clip_by_value(i(99, 5, 7), 20, 60)",
    "one_hot of floats": "tf.one_hot(i(5, 4), 5, on_value=0.5, off_value=-0.5)",
    # backends that disagree
    "cos of large numbers": "tf.cos(f(50) * 1000.0)",
    "cumsum of many numbers": "tf.cumsum(f(3000))",
    "cumsum, exclusive and reverse": "tf.cumsum(f(3, 70), 1, exclusive=True, reverse=True)",
    "pow of negative numbers": "tf.pow(t([-2.0, -2.0, -2.0, 0.0]), t([3.0, 2.0, 0.5, 0.0]))",
    "NaN through relu": "tf.nn.relu(t([float('nan'), -1.0, 1.0]))",
    "NaN through maximum": "tf.maximum(t([float('nan'), 1.0, 2.0]), t([1.0, float('nan'), 1.0]))",
    "NaN through minimum": "tf.minimum(t([float('nan'), 1.0, 2.0]), t([1.0, float('nan'), 1.0]))",
    "NaN through reduce_max": "tf.reduce_max(t([[1.0, float('nan')], [1.0, 2.0]]), 1)",
    "NaN is not equal": "tf.equal(t([float('nan')]), t([float('nan')]))",
    "is_nan, is_inf": (
        "[g(t([float('nan'), float('inf'), 1.0])) for g in (tf.math.is_nan, tf.math.is_inf)]"
    ),
    "softmax of infinities": "tf.nn.softmax(t([[float('-inf'), 1.0, 2.0]]))",
    "signs of modulo": "tf.math.floormod(t([-7, 7, -7, 7]), t([3, -3, -3, 3]))",
    "signs of float modulo": "tf.math.floormod(t([-7.5, 7.5, -7.5]), t([2.0, -2.0, -2.0]))",
    "floor division": "tf.math.floordiv(t([-7, 7, -7, 7]), t([2, -2, -2, 2]))",
    "round half to even": "tf.round(t([0.5, 1.5, 2.5, -0.5, -1.5]))",
    "large integers": "t([16777217, 2147483647]) + t([1, 0])",
    "products of integers": "t([123456, 65537]) * t([1000, 30000])",
    "sums of integers": "tf.reduce_sum(t([16777216, 1, 1, 1]))",
    "log1p and expm1 of small numbers": (
        "[g(t([1e-7, -1e-7, 1e-4])) for g in (tf.math.log1p, tf.math.expm1)]"
    ),
    "tanh and sigmoid of large numbers": (
        "[g(t([-100.0, 100.0, 40.0])) for g in (tf.tanh, tf.sigmoid)]"
    ),
    "argmax of ties": (
        "[g(t([[2.0, 3.0, 3.0], [1.0, 1.0, 1.0]]), 1) for g in (tf.argmax, tf.argmin)]"
    ),
    "top_k of ties": "tf.math.top_k(t([1.0, 3.0, 3.0, 2.0, 3.0]), 4)",
    "empty sums": (
        "[g(tf.zeros([0, 3]), 0) for g in (tf.reduce_sum, tf.reduce_prod, tf.reduce_max)]"
    ),
}  # fmt: skip
"""Results that are wrong on some backend of TensorFlow.js 4.22, or differ between backends."""


def ours(call: str | tuple[str, str]) -> str:
    return call if isinstance(call, str) else call[0]


def theirs(call: str | tuple[str, str]) -> str:
    return call if isinstance(call, str) else call[1]
