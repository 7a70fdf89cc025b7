"""Cases of arrays, math, linear algebra, ragged and sparse tensors, strings and datasets."""

from __future__ import annotations

import numpy as np

from ..programs import Program
from .making import case, complexes, numbers

TEXTS = np.array([[b"a", b"b"], [b"c", b"d"]], object)

TENSORS: dict[str, Program] = {
    "a function with a long expression in a sum compiles at once on webgl": case(
        "tf.image.total_variation($0)", numbers(5, 4, 2, 2)
    ),
    "extremes of bools": case("tf.argmax($0, 1)", [[False, True, True], [False, False, False]]),
    "least of bools": case("tf.argmin($0, 0)", [[False, True, True], [False, False, True]]),
    "an identity matrix of a negative size": case("$0 + tf.eye(-2)", numbers(1)),
    "an identity matrix of negative columns": case("$0 + tf.eye(2, -1)", numbers(1)),
    "roots of matrices without elements": case("tf.linalg.sqrtm($0)", numbers(2, 0, 0)),
    "products over a negative number of axes": case("tf.tensordot($0, $0, -1)", numbers(2, 2)),
    "products over axes of other sizes but one count": case(
        "tf.tensordot($0, $1, 2)", numbers(2, 3, 4), numbers(4, 3)
    ),
    "products over two axes and one": case("tf.tensordot($0, $0, [[0, 1], [0]])", numbers(2, 2)),
    "clipping by a negative norm": case("tf.clip_by_norm($0, [[-1.0], [1.0]], [1])", numbers(2, 3)),
    "clipping by a norm that is larger than the tensor": case(
        "tf.clip_by_norm($0, [[1.0], [2.0]])", numbers(2)
    ),
    "clipping by a negative global norm": case(
        "tf.clip_by_global_norm([$0, $1], -0.5)", numbers(2, 3), numbers(4)
    ),
    "the gradient of multiply_no_nan at 0": case(
        "gradients(tf.math.multiply_no_nan, $0, $1)", numbers(2, 3), np.float32([0, 1, 0])
    ),
    "multiply_no_nan of integers": case("tf.math.multiply_no_nan($0, $0)", [0, 1]),
    "the gradient of a large Bessel function": case(
        "gradients(tf.math.bessel_i0, $0)", np.float32([1.8e8, -1.8e8, 1, 0, 88])
    ),
    "betainc of shapes that broadcast": case(
        "tf.math.betainc($0, $1, $0)", np.float32([0.3, 0.4]), np.float32([0.5])
    ),
    "products of bools": case("$0 * $1", [[True, False], [True, True]], [True, False]),
    "powers of a complex 0": case("0 ** $0", complexes(-1 + 0.4j, 1 - 2j, 2j, 0, -1, 1)),
    "inverse hyperbolic functions near their branch points": case(
        "[f($0) for f in (tf.asinh, tf.acosh, tf.atanh, tf.acos, tf.asin, tf.math.log1p)]",
        complexes(-1.0446567 + 0.0084313j, 1e-5 + 1e-5j, -1 + 1e-3j, 1 + 1e-4j, -1e4, 1e15 + 1j),
    ),
    "one complex number ascends": case(
        "[f($0) for f in (tf.math.is_strictly_increasing, tf.math.is_non_decreasing)]",
        complexes(1j),
    ),
    "bools do not ascend": case("tf.math.is_non_decreasing($0)", [True, True]),
    "row splits that descend": case("tf.ragged.row_splits_to_segment_ids($0)", [0, 2, -2, 5]),
    "a negative count of repeats among others": case("tf.repeat($0, [1, -2, 3])", [1, 2, 3]),
    "a negative count of repeats": case("tf.repeat($0, -1)", [1, 2, 3]),
    "too many counts of repeats": case("tf.repeat($0, [1, 2])", [1, 2, 3]),
    "segment ids that descend": case("tf.ragged.segment_ids_to_row_splits($0)", [3, 1]),
    "segment ids beyond the segments": case(
        "tf.ragged.segment_ids_to_row_splits($0, 1)", [0, 1, 0]
    ),
    "partitions that are not one for each row": case(
        "tf.ragged.stack_dynamic_partitions($0, [1, 0], 3)", numbers(5)
    ),
    "a partition of one number": case("tf.ragged.stack_dynamic_partitions($0, 0, 2)", 1.5),
    "reversed sequences of a negative length": case(
        "tf.reverse_sequence($0, [1, -2], seq_axis=1)", numbers(2, 2)
    ),
    "a number reversed": case("tf.reverse($0, [0])", 1.5),
    "an axis that is no list": case("tf.reverse($0, 0)", numbers(2)),
    "a sparse identity matrix of a negative size": case("[$0, tf.sparse.eye(2, -4)]", 1),
    "a sparse slice of a negative size": case(
        "tf.sparse.slice(tf.sparse.from_dense($0), [0, 1], [-2, 2])", numbers(2, 3)
    ),
    "rows without elements stitched together": case(
        "tf.dynamic_stitch([[0, 2], [1]], [$0, $1])", numbers(2, 0), numbers(1, 0)
    ),
    "segments out of range of rows without elements": case(
        "tf.math.unsorted_segment_prod($0, [1, 5], 4)", numbers(2, 0)
    ),
    "bins of a range without width": case(
        "tf.histogram_fixed_width_bins($0, [1.0, 1.0], 5)", np.float32([np.nan, 0.5, 2, 1, np.inf])
    ),
    "a histogram of a range without width": case(
        "tf.histogram_fixed_width($0, [1.0, 1.0], 5)", numbers(3)
    ),
    "least squares of vectors": case("tf.linalg.lstsq($0, $0)", numbers(2)),
    "the diagonal of a number": case("tf.linalg.tensor_diag_part($0)", 1.5),
    "sparse products of batches": case("tf.matmul($0, $0, a_is_sparse=True)", numbers(2, 2, 2)),
    "scatters that ignore what is outside": case(
        "[f($0, [[0], [5], [-1]], $1, bad_indices_policy='IGNORE') for f in ("
        "tf.tensor_scatter_nd_add, tf.tensor_scatter_nd_max, tf.tensor_scatter_nd_min)]",
        numbers(2),
        numbers(3),
    ),
    "strings scattered, what is outside ignored": case(
        "tf.scatter_nd([[0], [5], [-1]], $0, [3], 'IGNORE')", np.array([b"a", b"b", b"c"], object)
    ),
    "an unknown policy": case("tf.scatter_nd([[0]], $0, [3], 'X')", numbers(1)),
    "texts of tensors without elements": case(
        "[tf.strings.format('{}', x) for x in ($0, $1)]", numbers(3, 0), numbers(2, 0, 3)
    ),
    "images without pixels moved": case(
        "tf.raw_ops.ImageProjectiveTransformV3(images=$0, transforms=[[1.0, 0, 0, 0, 1, 0, 0, 0]], "
        "output_shape=[2, 2], fill_value=0.5, interpolation='BILINEAR')",
        numbers(1, 4, 0, 2),
    ),
    "masks of a negative length": case("tf.sequence_mask($0, -1)", [1, 3, 2]),
    "a range of quantization upside down": case(
        "tf.quantization.fake_quant_with_min_max_args_gradient($0, $0, 1.0, 0.6)", numbers(2)
    ),
    "eigenvectors of a tridiagonal matrix, whose signs are free": case(
        "tf.abs(tf.linalg.eigh_tridiagonal($0, $1, eigvals_only=False)[1])", numbers(4), numbers(3)
    ),
    "fake quantization to a range that is upside down": case(
        "tf.quantization.fake_quant_with_min_max_vars($0, -0.2, -1.0, narrow_range=True)",
        numbers(2, 3),
    ),
    "fake quantization to ranges of channels, one upside down": case(
        "tf.quantization.fake_quant_with_min_max_vars_per_channel($0, [-0.2, 0.0], [0.6, -1.0])",
        numbers(3, 2),
    ),
    "sparse counts of nothing": case(
        "[tf.sparse.bincount($0), tf.sparse.bincount($0, maxlength=3)]", np.zeros(0, np.int32)
    ),
    "sparse counts of a number of bins": case("tf.sparse.bincount($0, maxlength=9)", [1, 1, 2]),
    "the gradient of polygamma for orders that are not natural numbers": case(
        "gradients(lambda x: tf.math.polygamma([-1.0, 0.0, 2.0, 2.5], x), $0)",
        np.float32([0.3, 0.4, 0.5, 0.6]),
    ),
    "tanh near its pole": case("tf.tanh($0)", complexes(0.0333 + 1.487j, 1 + 1j, 20 + 1j)),
    "least squares by singular values of other batches": case(
        "tf.linalg.lstsq($0, $1, fast=False)", numbers(2, 3, 1), numbers(3, 1)
    ),
    "texts that show no element": case("tf.strings.format('{}', $0, summarize=0)", numbers(2, 3)),
    "numbers between an integer and a float": case(
        "tf.linspace($0, $1, 5)", np.int32([4]), numbers(1)
    ),
    "numbers between a number and a vector": case("tf.linspace(1.0, $0, 3)", numbers(2)),
    "numbers between a vector and a matrix": case(
        "[tf.linspace($0, $1, 3, axis=a) for a in (0, 1, -1)]", numbers(2), numbers(3, 2)
    ),
    "a grid of two dtypes": case("tf.meshgrid($0, [0, 6, 3])", np.uint16([4, 6])),
    "a histogram of integers between floats": case(
        "tf.histogram_fixed_width($0, [0.0, 1.0], 5)", np.int32([3])
    ),
    "a histogram between bounds of another dtype": case(
        "tf.histogram_fixed_width($0, $1, 5)", numbers(3), np.int32([0, 1])
    ),
    "a histogram of integers": case("tf.histogram_fixed_width($0, [0, 9], 4)", np.int32([3, 8])),
    "indices out of range in loops without rows": case(
        "[mapped(lambda x, u: f(x, [[4], [0]], u), $0, $1)"
        " for f in (tf.tensor_scatter_nd_add, tf.tensor_scatter_nd_update)]",
        numbers(0, 1, 3),
        numbers(2, 3),
    ),
    "segments out of range in loops without rows": case(
        "[looped(lambda x: f(x, tf.constant(at), tf.constant(ids)), $0)"
        " for f in (tf.sparse.segment_sum, tf.sparse.segment_mean, tf.sparse.segment_sqrt_n)"
        " for at, ids in (([0, 3], [0, 0]), ([0, 0], [1, 0]), ([0, 0], [-1, 0]))]",
        numbers(0, 1, 2),
    ),
    "a dataset repeated without end": case(
        "[elements(tf.data.Dataset.from_tensor_slices($0).take(n).repeat(-2)) for n in (2, 0)]",
        [1, 2, 3],
    ),
    "boundaries of buckets that are in no order": case(
        "[elements(tf.data.Dataset.from_tensor_slices($0).map(tf.range)"
        ".bucket_by_sequence_length(tf.size, b, [2, 1, 2])) for b in ([1, -1], [3, 1], [2, 2])]",
        np.int32([3, 1, 3, 0, 1, 0, 2]),
    ),
    "diagonals of a batch": case("tf.linalg.eigh_tridiagonal($0, $1)", numbers(4, 2), numbers(1)),
    "a diagonal of one element, by columns": case(
        "[tf.linalg.eigh_tridiagonal($0, $1), tf.linalg.eigh_tridiagonal($2, $1)]",
        numbers(1, 3),
        numbers(3),
        numbers(0),
    ),
    "eigenvalues of float16 and of complex diagonals": case(
        "[tf.linalg.eigh_tridiagonal($0, $1), tf.linalg.eigh_tridiagonal($2, $2[1:])]",
        numbers(4).astype(np.float16),
        numbers(3).astype(np.float16),
        complexes(1 + 2j, 2 - 1j, 0.5j),
    ),
    "complex gradients of fake quantization": case(
        "tf.quantization.fake_quant_with_min_max_vars_gradient($0, $1, -0.2, 0.6)",
        complexes(1 + 2j),
        numbers(1),
    ),
    "gradients of fake quantization of another shape": case(
        "tf.quantization.fake_quant_with_min_max_args_gradient($0, $1)", numbers(2, 1), numbers(2)
    ),
    "gradients of fake quantization for a row of channels": case(
        "tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient($0, $1, $2, $2)",
        numbers(1, 2),
        numbers(2),
        numbers(2),
    ),
    "a range of quantization of another dtype": case(
        "tf.quantization.quantize_and_dequantize_v2($0, $1, 2.0)", numbers(2), np.int32(0)
    ),
    "texts of complex numbers": case(
        "[tf.strings.format('{}', $0, summarize=n) for n in (-1, 0, 1, 3)]"
        " + [tf.strings.format('{} {} {}', [$0[:3], $0[0], $0[:0]])]",
        complexes(1 + 2j, 2, 3, 4, 5),
    ),
    "texts of complex matrices": case(
        "tf.strings.format('{}', $0, summarize=2)", complexes(1, 2, 3, 4).reshape(2, 2)
    ),
    "strings between which 0 is put": case("tf.linalg.diag($0)", TEXTS[0]),
    "diagonals of strings filled with 0": case("tf.linalg.diag_part($0)", TEXTS),
    "numbers between diagonals of another kind": case(
        "tf.linalg.diag($0, padding_value=1.5)", [1, 2]
    ),
    "numbers between diagonals that do not fit": case(
        "tf.linalg.diag($0, padding_value=300)", np.uint8([1, 2])
    ),
    "a grid of strings": case("tf.meshgrid($0, $0[:1])", TEXTS[0]),
    "factors of float16": case(
        "[tf.abs(r) for r in (*tf.linalg.qr($0), *tf.linalg.qr($0, full_matrices=True))]",
        numbers(2, 5, 3).astype(np.float16),
    ),
    "inverses of float16": case(
        "[tf.linalg.inv($0), tf.linalg.inv($0, adjoint=True)]",
        (numbers(2, 3, 3) + 3 * np.eye(3)).astype(np.float16),
    ),
    "masks of other rows than a tensor has": case(
        "tf.ragged.boolean_mask($0, $1)", numbers(0, 1, 4, 3), np.zeros((0, 1, 1, 3), bool)
    ),
    "masks without elements of another size": case(
        "tf.ragged.boolean_mask($0, $1)", numbers(2, 0, 3), np.zeros((2, 0, 4), bool)
    ),
    "lists in which tensors of another dtype are scattered": case(
        "[f([[1.0, 2.0], [3.0, 4.0]], [[1], [0]], $0) for f in ("
        "tf.tensor_scatter_nd_update, tf.tensor_scatter_nd_add, tf.tensor_scatter_nd_sub,"
        " tf.tensor_scatter_nd_min, tf.tensor_scatter_nd_max)]",
        numbers(2, 2).astype(np.float16),
    ),
    "arrays scattered in tensors of another dtype": case(
        "[tf.tensor_scatter_nd_min($0, [[1]], np.array([1])),"
        " tf.tensor_scatter_nd_add(np.array([1, 2], np.int32), [[1]], $0[:1])]",
        numbers(2),
    ),
    "complex numbers to bools": case("tf.cast($0, 'bool')", complexes(0, 1j, 0.5, 2 - 3j, -0.0)),
    "compiled casts of complex numbers to bools": case(
        "tf.function(lambda x: [tf.cast(x, d) for d in (bool, 'int32', 'uint8', 'float16')])($0)",
        complexes(0, 1j, 0.5, 2 - 3j, -0.0),
    ),
    "transforms of arrays of other dtypes": case(
        "[f($0.numpy()) for f in (tf.signal.fft, tf.signal.rfft, tf.signal.irfft)]",
        [True, False, True],
    ),
    "two-dimensional transforms of integer arrays": case(
        "[f($0.numpy()) for f in (tf.signal.ifft2d, tf.signal.rfft2d, tf.signal.irfft2d)]",
        np.int32([[1, 2], [3, 5]]),
    ),
    "arrays with a preferred dtype": case(
        "[tf.convert_to_tensor(x, dtype_hint=d) for x in ($0.numpy(), $1.numpy(), [True], [])"
        " for d in (tf.float16, tf.int32, tf.uint8, tf.bool, tf.complex64)]",
        [1.5, -2.0],
        np.int32([300, -1]),
    ),
    "lists and arrays stitched with a tensor of another dtype": case(
        "[tf.dynamic_stitch([[0, 2], [1]], [$0, x]) for x in ([[4, 5]], np.array([[4, 5]]))]"
        " + [tf.dynamic_stitch([[1], [0, 2]], [[[4, 5]], $0])]"
        " + [tf.raw_ops.AddN(inputs=[[[4, 5], [6, 7]], $0])]",
        np.uint8([[9, 3], [1, 2]]),
    ),
    "an array before a tensor of another dtype in a list": case(
        "[tf.convert_to_tensor([np.array([1, 0]), $0]), tf.unstack([np.array([1, 0]), $0])]",
        numbers(2).astype(np.float16),
    ),
    "places in a shape with a negative size": case("tf.unravel_index($0, [3, -1])", [7]),
    "places in a shape with negative sizes": case("tf.unravel_index($0, [-3, -1])", [1]),
    "places in a shape without elements": case("tf.unravel_index($0, [2, 0])", [0]),
}
