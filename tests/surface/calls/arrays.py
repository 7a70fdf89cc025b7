"""Calls of the functions under ``tf`` itself; see the package's text for how to read them."""

from __future__ import annotations

CALLS = {
    # making
    "constant": "[[1.0, 2.0]]",
    "convert_to_tensor": "[[1, 2]]",
    "tensor": ("[1.0, 2.0], [2, 1]", "tf.constant([[1.0], [2.0]])"),
    "scalar": ("3.5", "tf.constant(3.5)"),
    "tensor1d": ("[1, 2]", "tf.constant([1, 2])"),
    "tensor2d": ("[1, 2], [1, 2]", "tf.constant([[1, 2]])"),
    "tensor3d": ("[1, 2], [1, 1, 2]", "tf.constant([[[1, 2]]])"),
    "tensor4d": ("[1, 2], [1, 1, 1, 2]", "tf.constant([[[[1, 2]]]])"),
    "tensor5d": ("[1, 2], [1, 1, 1, 1, 2]", "tf.constant([[[[[1, 2]]]]])"),
    "tensor6d": ("[1, 2], [1, 1, 1, 1, 1, 2]", "tf.constant([[[[[[1, 2]]]]]])"),
    "buffer": ("[2], 'int32', [4, 5]).to_tensor(", "tf.constant([4, 5])"),
    "fill": "[2, 3], x()",
    "zeros": "[2, 3]",
    "ones": "[2, 3]",
    "zeros_like": "x(2, 3)",
    "ones_like": "x(2, 3)",
    "eye": "3, 4, batch_shape=[2]",
    "range": "2, 11, 3",
    "linspace": "f(3), f(3) + 2.0, 5",
    "complex": "f(2, 3), f(2, 3)",
    "one_hot": "i(4, 2, 3), 4",
    "meshgrid": "x(3), x(4)",
    # shaping
    "identity": "x(2, 3)",
    "cast": "x(2, 3), 'int32'",
    "reshape": "x(2, 3), [3, 2]",
    "squeeze": "x(2, 1, 3)",
    "expand_dims": "x(2, 3), 1",
    "broadcast_static_shape": "tf.TensorShape([2, 1]), tf.TensorShape([3])",
    "ensure_shape": "x(2, 3), [2, None]",
    "broadcast_to": "x(1, 3), [2, 3]",
    "broadcast_dynamic_shape": "[2, 1], [3]",
    "transpose": "x(2, 3, 4), [2, 0, 1]",
    "shape": "x(2, 3)",
    "rank": "x(2, 3)",
    "size": "x(2, 3)",
    # joining, slicing
    "concat": "[x(2, 3), x(2, 4)], 1",
    "stack": "[x(2, 3), x(2, 3)], 1",
    "unstack": "x(2, 3), axis=1",
    "split": "x(2, 6), [1, 2, 3], 1",
    "pad": "x(2, 3), [[1, 2], [0, 1]]",
    "tile": "x(2, 3), [2, 2]",
    "repeat": "x(2, 3), 2, axis=1",
    "reverse": "x(2, 3), [1]",
    "reverse_sequence": "x(3, 4), t([1, 2, 4]), seq_axis=1",
    "roll": "x(2, 5), 2, 1",
    "slice": "x(3, 4), [1, 0], [2, 3]",
    "strided_slice": "x(5, 6), [4, 0], [0, 6], [-2, 2]",
    "gather": "x(5, 3), t([[0, 4], [2, 2]])",
    "gather_nd": "x(3, 4), t([[0, 1], [2, 3]])",
    "boolean_mask": "x(4, 2), t([True, False, True, True])",
    "where": "b(2, 3), x(2, 3), x(3)",
    "batch_to_space": "x(4, 2, 2, 1), [2, 2], [[0, 1], [0, 0]]",
    "space_to_batch": "x(1, 4, 4, 1), [2, 2], [[0, 0], [0, 0]]",
    # scattering
    "scatter_nd": "t([[4], [0]]), x(2, 3), [5, 3]",
    "tensor_scatter_nd_update": "x(5, 3), t([[4], [0]]), x(2, 3)",
    "tensor_scatter_nd_add": "x(5, 3), t([[4], [0]]), x(2, 3)",
    "tensor_scatter_nd_sub": "x(5, 3), t([[4], [0]]), x(2, 3)",
    "tensor_scatter_nd_max": "x(5, 3), t([[4], [0]]), x(2, 3)",
    "tensor_scatter_nd_min": "x(5, 3), t([[4], [0]]), x(2, 3)",
    "dynamic_partition": "x(4, 2), t([1, 0, 1, 2]), 3",
    "dynamic_stitch": "[t([0, 2]), t([1])], [x(2, 3), x(1, 3)]",
    "unravel_index": "i(12, 4), [3, 4]",
    # sorting and finding
    "sort": "x(3, 5), direction='DESCENDING'",
    "argsort": "x(3, 5)",
    "searchsorted": "t([0.1, 0.4, 0.6]), f(4)",
    "lower_bound": (
        "t([0.1, 0.4, 0.6]), f(4)",
        "tf.searchsorted(t([0.1, 0.4, 0.6]), f(4), 'left')",
    ),
    "upper_bound": (
        "t([0.1, 0.4, 0.6]), f(4)",
        "tf.searchsorted(t([0.1, 0.4, 0.6]), f(4), 'right')",
    ),
    "unique": "x(7)",
    "unique_with_counts": "x(7)",
    "setdiff1d": (
        "t([1, 2, 3, 4]), t([2, 4])",
        "tuple(tf.raw_ops.ListDiff(x=[1, 2, 3, 4], y=[2, 4]))",
    ),
    "histogram_fixed_width": "f(20), [0.0, 1.0], 5",
    "histogram_fixed_width_bins": "f(20), [0.0, 1.0], 5",
    # clipping
    "clip_by_value": "x(2, 3), 0.3, 0.6",
    "clip_by_norm": "f(2, 3), 0.5",
    "clip_by_global_norm": "[f(2, 3), f(4)], 0.5",
    "clip_by_average_norm": (
        "f(2, 3), 0.1",
        "tf.compat.v1.clip_by_average_norm(f(2, 3), 0.1)",
    ),
    "truncatediv": "x(2, 3), x(3)",
    "truncatemod": "x(2, 3), x(3)",
    "realdiv": "x(2, 3), x(3)",
    "einsum": "'bij,bjk->bik', x(2, 3, 4), x(2, 4, 2)",
    "tensordot": "x(2, 3, 4), x(4, 3), 1",
    "matmul": "x(2, 3, 4), x(2, 4, 5)",
    # TensorFlow.js's own
    "prelu": ("f(2, 3) - 0.5, f(3)", "tf.where((a := f(2, 3) - 0.5) > 0, a, a * f(3))"),
    "step": ("f(2, 3) - 0.5, 0.25", "tf.where(f(2, 3) - 0.5 > 0, 1.0, 0.25)"),
    "dot": ("f(2, 3), f(3)", "tf.tensordot(f(2, 3), f(3), 1)"),
    "outer_product": ("f(2), f(3)", "tf.tensordot(f(2), f(3), 0)"),
    "euclidean_norm": ("f(2, 3), 1", "tf.math.reduce_euclidean_norm(f(2, 3), 1)"),
    "moving_average": (
        "f(2), f(2), 0.9, zero_debias=False",
        "(v := f(2)) + (f(2) - v) * (1 - 0.9)",
    ),
    "basic_lstm_cell": (
        "1.0, f(5, 8), f(8), f(3, 3), f(3, 2), f(3, 2)",
        "(lambda k, b, x, c, h: (lambda i, j, g, o: (lambda c: (c, tf.tanh(c) * tf.sigmoid(o)))("
        "c * tf.sigmoid(g + 1.0) + tf.sigmoid(i) * tf.tanh(j)))("
        "*tf.split(tf.concat([x, h], 1) @ k + b, 4, 1)))"
        "(f(5, 8), f(8), f(3, 3), f(3, 2), f(3, 2))",
    ),
    "multi_rnn_cell": (
        "[lambda x, c, h: (c + x, h * x)] * 2, f(2, 3), [f(2, 3), f(2, 3)], [f(2, 3), f(2, 3)]",
        "(lambda x, c1, c2, h1, h2: ([c1 + x, c2 + h1 * x], [h1 * x, h2 * (h1 * x)]))"
        "(f(2, 3), f(2, 3), f(2, 3), f(2, 3), f(2, 3))",
    ),
    "multinomial": (
        "f(2, 3), 4, seed=5",
        "tf.random.categorical(f(2, 3), 4, seed=5)",
    ),
    "rand": ("[2, 3], lambda: 0.5", "tf.fill([2, 3], 0.5)"),
    "random_standard_normal": ("[2, 3], seed=5", "tf.random.normal([2, 3], seed=5)"),
    "random_uniform_int": (
        "[2, 3], 1, 9, seed=5",
        "tf.random.uniform([2, 3], 1, 9, tf.int32, seed=5)",
    ),
    "print": "x(2), output_stream='file:///dev/null'",
}

FLOATS = (
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
)
