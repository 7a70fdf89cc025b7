"""Calls of ``tf.nn``, ``tf.losses`` and ``tf.fused``."""

from __future__ import annotations

IMAGE, VOLUME = "f(2, 6, 7, 3)", "f(1, 4, 5, 6, 2)"

QUANTIZED = "tf.quantization.quantize(f(2, 3), 0.0, 1.0, tf.quint8)[0]"

CALLS = {
    # activations
    "nn.relu": "x(2, 3)",
    "nn.relu6": "x(2, 3)",
    "nn.elu": "x(2, 3)",
    "nn.selu": "x(2, 3)",
    "nn.leaky_relu": "x(2, 3)",
    "nn.gelu": "x(2, 3)",
    "nn.silu": "x(2, 3)",
    "nn.softsign": "x(2, 3)",
    "nn.crelu": "x(2, 3)",
    "nn.softmax": "f(2, 3)",
    "nn.log_softmax": "f(2, 3)",
    # convolutions
    "nn.conv1d": "f(2, 9, 3), f(3, 3, 4), 2, 'SAME'",
    "nn.conv2d": f"{IMAGE}, f(3, 3, 3, 4), 2, 'SAME'",
    "nn.conv3d": f"{VOLUME}, f(3, 3, 3, 2, 4), [1, 1, 2, 1, 1], 'SAME'",
    "nn.convolution": f"{IMAGE}, f(3, 3, 3, 4)",
    "nn.depthwise_conv2d": f"{IMAGE}, f(3, 3, 3, 2), [1, 1, 1, 1], 'SAME'",
    "nn.separable_conv2d": f"{IMAGE}, f(3, 3, 3, 2), f(1, 1, 6, 4), [1, 1, 1, 1], 'SAME'",
    "nn.atrous_conv2d": f"{IMAGE}, f(2, 2, 3, 4), 2, 'SAME'",
    "nn.conv1d_transpose": "f(2, 5, 4), f(3, 3, 4), [2, 10, 3], 2",
    "nn.conv2d_transpose": "f(2, 3, 4, 4), f(3, 3, 3, 4), [2, 6, 8, 3], 2",
    "nn.conv3d_transpose": "f(1, 2, 3, 3, 4), f(3, 3, 3, 2, 4), [1, 4, 6, 6, 2], 2",
    "nn.conv_transpose": "f(2, 5, 4), f(3, 3, 4), [2, 10, 3], 2",
    "nn.atrous_conv2d_transpose": "f(2, 6, 7, 4), f(2, 2, 3, 4), [2, 6, 7, 3], 2, 'SAME'",
    # pooling and morphology
    "nn.max_pool": f"{IMAGE}, 3, 2, 'SAME'",
    "nn.max_pool1d": "f(2, 9, 3), 3, 2, 'SAME'",
    "nn.max_pool2d": f"{IMAGE}, 3, 2, 'SAME'",
    "nn.max_pool3d": f"{VOLUME}, 3, 2, 'SAME'",
    "quantization.quantize": "f(2, 3), 0.0, 1.0, tf.quint8",
    "quantization.dequantize": f"{QUANTIZED}, 0.0, 1.0",
    "quantization.quantized_concat": f"0, [{QUANTIZED}] * 2, [0.0, 0.0], [1.0, 1.0]",
    "nn.fractional_avg_pool": "f(1, 7, 8, 2), [1.0, 1.5, 2.5, 1.0], seed=3",
    "nn.fractional_max_pool": "f(1, 7, 8, 2), 1.5, overlapping=True, seed=3",
    "nn.max_pool_with_argmax": f"{IMAGE}, 3, 2, 'SAME'",
    "nn.avg_pool": f"{IMAGE}, 3, 2, 'SAME'",
    "nn.avg_pool1d": "f(2, 9, 3), 3, 2, 'SAME'",
    "nn.avg_pool2d": f"{IMAGE}, 3, 2, 'SAME'",
    "nn.avg_pool3d": f"{VOLUME}, 3, 2, 'SAME'",
    "nn.pool": f"{IMAGE}, [2, 2], 'MAX'",
    "nn.dilation2d": f"{IMAGE}, f(2, 2, 3), [1] * 4, 'SAME', 'NHWC', [1] * 4",
    "nn.erosion2d": f"{IMAGE}, f(2, 2, 3), [1] * 4, 'SAME', 'NHWC', [1] * 4",
    "nn.depth_to_space": "x(1, 2, 3, 8), 2",
    "nn.space_to_depth": "x(1, 4, 6, 2), 2",
    # normalization
    "nn.moments": "f(2, 5), [0]",
    "nn.weighted_moments": "f(2, 5), [0], f(2, 5)",
    "nn.sufficient_statistics": "f(2, 5), [0]",
    "nn.normalize_moments": "4.0, f(5), f(5) + 4.0, None",
    "nn.batch_normalization": "f(2, 5), f(5), f(5), f(5), f(5), 1e-3",
    "nn.fused_batch_norm": (
        f"{IMAGE}, f(3), f(3)",
        f"tf.compat.v1.nn.fused_batch_norm({IMAGE}, f(3), f(3))",
    ),
    "nn.local_response_normalization": f"{IMAGE}, 2",
    "nn.bias_add": "x(2, 3), x(3)",
    "nn.dropout": "f(4, 5), 0.4, seed=5",
    "nn.experimental.general_dropout": (
        "f(4, 5), 0.4, lambda shape, dtype: tf.random.stateless_uniform(shape, (1, 2))"
    ),
    "nn.experimental.stateless_dropout": "f(4, 5), 0.4, (1, 2)",
    "nn.nce_loss": (
        "f(6, 4), f(6), t([[1], [2], [0]]), f(3, 4), 3, 6, 1, (t([1, 5, 3]), f(3, 1), f(3))"
    ),
    "nn.sampled_softmax_loss": (
        "f(6, 4), f(6), t([[1], [2], [0]]), f(3, 4), 3, 6, 1, (t([1, 5, 3]), f(3, 1), f(3))"
    ),
    "nn.embedding_lookup": "f(5, 3), t([[0, 4], [2, 2]])",
    "nn.embedding_lookup_sparse": (
        "f(5, 3), tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 4, 2], [3, 2]), None"
    ),
    "nn.safe_embedding_lookup_sparse": (
        "f(5, 3), tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 4, -2], [3, 2])"
    ),
    # steps of integers
    "quantization.fake_quant_with_min_max_args": "f(3, 4), -0.2, 0.6",
    "quantization.fake_quant_with_min_max_vars": "f(3, 4), t(-0.2), t(0.6)",
    "quantization.fake_quant_with_min_max_vars_per_channel": (
        "f(3, 2), t([-0.2, 0.0]), t([0.6, 0.5])"
    ),
    "quantization.fake_quant_with_min_max_args_gradient": "f(3, 4), f(3, 4), -0.2, 0.6",
    "quantization.fake_quant_with_min_max_vars_gradient": "f(3, 4), f(3, 4), t(-0.2), t(0.6)",
    "quantization.fake_quant_with_min_max_vars_per_channel_gradient": (
        "f(3, 2), f(3, 2), t([-0.2, 0.0]), t([0.6, 0.5])"
    ),
    "quantization.quantize_and_dequantize": "f(3, 4), -0.2, 0.6",
    "quantization.quantize_and_dequantize_v2": "f(3, 4), -0.2, 0.6",
    # labels of sequences
    "nn.ctc_loss": "t([[1, 2], [2, 2]]), f(6, 2, 4), t([2, 2]), t([5, 6])",
    "nn.ctc_greedy_decoder": "f(6, 2, 4), t([5, 6])",
    "nn.ctc_beam_search_decoder": "f(4, 2, 4), t([4, 3]), 5, 2",
    "nn.ctc_unique_labels": "t([[1, 2, 1], [2, 2, 5]])",
    "nn.collapse_repeated": "t([[1, 1, 2], [2, 2, 2]]), t([3, 2])",
    # losses
    "nn.l2_loss": "f(2, 3)",
    "nn.softmax_cross_entropy_with_logits": "f(2, 3), f(2, 3)",
    "nn.sparse_softmax_cross_entropy_with_logits": "t([1, 2]), f(2, 3)",
    "nn.sigmoid_cross_entropy_with_logits": "f(2, 3), f(2, 3)",
    "nn.weighted_cross_entropy_with_logits": "f(2, 3), f(2, 3), 1.5",
    "nn.log_poisson_loss": "f(2, 3), f(2, 3)",
    "nn.compute_average_loss": "f(4), f(4)",
    "nn.scale_regularization_loss": "f(4)",
    "compat.v1.losses.absolute_difference": "f(2, 3), f(2, 3)",
    "compat.v1.losses.compute_weighted_loss": "f(2, 3), f(2, 3)",
    "compat.v1.losses.cosine_distance": "f(2, 3), f(2, 3), 1",
    "compat.v1.losses.hinge_loss": "f(2, 3), f(2, 3)",
    "compat.v1.losses.huber_loss": "f(2, 3), f(2, 3), delta=0.3",
    "compat.v1.losses.log_loss": "f(2, 3), f(2, 3)",
    "compat.v1.losses.mean_pairwise_squared_error": "f(2, 3), f(2, 3)",
    "compat.v1.losses.sparse_softmax_cross_entropy": "[1, 0], f(2, 3)",
    "compat.v1.losses.mean_squared_error": "f(2, 3), f(2, 3)",
    "compat.v1.losses.sigmoid_cross_entropy": "f(2, 3), f(2, 3)",
    "compat.v1.losses.softmax_cross_entropy": "f(2, 3), f(2, 3)",
    # fused
    "fused.mat_mul": (
        "f(2, 3), f(3, 4), bias=f(4), activation='relu'",
        "tf.nn.relu(f(2, 3) @ f(3, 4) + f(4))",
    ),
    "fused.conv2d": (
        f"{IMAGE}, f(3, 3, 3, 4), 1, 'SAME', bias=f(4), activation='relu6'",
        f"tf.nn.relu6(tf.nn.conv2d({IMAGE}, f(3, 3, 3, 4), 1, 'SAME') + f(4))",
    ),
    "fused.depthwise_conv2d": (
        f"{IMAGE}, f(3, 3, 3, 2), 1, 'SAME', bias=f(6), activation='elu'",
        f"tf.nn.elu(tf.nn.depthwise_conv2d({IMAGE}, f(3, 3, 3, 2), [1] * 4, 'SAME') + f(6))",
    ),
}

FLOATS = (
    "fused.conv2d",
    "compat.v1.losses.compute_weighted_loss",
    "compat.v1.losses.sigmoid_cross_entropy",
    "compat.v1.losses.softmax_cross_entropy",
    "nn.atrous_conv2d",
    "nn.atrous_conv2d_transpose",
    "nn.compute_average_loss",
    "nn.nce_loss",
    "nn.sampled_softmax_loss",
    "nn.scale_regularization_loss",
    "nn.conv1d",
    "nn.conv1d_transpose",
    "nn.conv2d",
    "nn.conv2d_transpose",
    "nn.conv_transpose",
    "nn.convolution",
    "nn.dilation2d",
    "nn.erosion2d",
    "nn.fused_batch_norm",
    "nn.l2_loss",
    "nn.max_pool",
    "nn.max_pool1d",
    "nn.max_pool2d",
    "nn.max_pool_with_argmax",
    "nn.pool",
    "nn.sufficient_statistics",
)
