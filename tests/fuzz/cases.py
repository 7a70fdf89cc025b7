"""Programs that once differed from TensorFlow, on some backend; they run on all of them.

``build.py fuzz`` prints a finding as a program: its last statement with ``$0``, ``$1``... for the
operands, and their arrays, make a case.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .programs import Call, Given, Program, Ref


def case(text: str, *arrays: Any) -> Program:
    """One call on arrays."""
    given = [Given(np.asarray(a)) for a in arrays]
    operands = tuple(map(Ref, range(len(given))))
    return Program((*given, Call("case", text, operands)))


def complexes(*values: complex) -> Any:
    """Complex numbers."""
    return np.array(values, np.complex64)


def numbers(*shape: int) -> Any:
    """Floats from -2 to 2."""
    return np.random.default_rng(1).uniform(-2, 2, shape).astype(np.float32)


CASES: dict[str, Program] = {
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
    "a policy that there is not": case("tf.scatter_nd([[0]], $0, [3], 'X')", numbers(1)),
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
    "the gradient of polygamma for orders that there are not": case(
        "gradients(lambda x: tf.math.polygamma([-1.0, 0.0, 2.0, 2.5], x), $0)",
        np.float32([0.3, 0.4, 0.5, 0.6]),
    ),
    "tanh near its pole": case("tf.tanh($0)", complexes(0.0333 + 1.487j, 1 + 1j, 20 + 1j)),
    "least squares by singular values of other batches": case(
        "tf.linalg.lstsq($0, $1, fast=False)", numbers(2, 3, 1), numbers(3, 1)
    ),
    "texts that show no element": case("tf.strings.format('{}', $0, summarize=0)", numbers(2, 3)),
}

_XENT = "tf.nn.softmax_cross_entropy_with_logits"
_DILATED = "[1, 1, 1, 1], 'SAME', 'NHWC'"

CASES |= {
    "cross entropy of rows of labels and one row of logits": case(
        f"{_XENT}($0, $1)", numbers(2, 3), numbers(1, 3)
    ),
    "cross entropy of one row of labels and rows of logits": case(
        f"{_XENT}($0, $1)", numbers(1, 3), numbers(2, 3)
    ),
    "cross entropy of volumes whose rows do not broadcast": case(
        f"{_XENT}($0, $1)", numbers(2, 1, 7), numbers(2, 3, 7)
    ),
    "cross entropy in the shape of the logits": case(
        f"[{_XENT}(*x) for x in (($0, $1), ($0, $2), ($3, $2))]",
        numbers(1, 7),
        numbers(1),
        numbers(7),
        numbers(1, 1),
    ),
    "cross entropy over an axis that is no number": case(f"{_XENT}($0, $0, axis=[0])", numbers(3)),
    "cross entropy over no axis": case(f"{_XENT}($0, $0, axis=[])", numbers(1)),
    "cross entropy over the axis None": case(
        f"gradients(lambda x: {_XENT}(x, x, axis=None), $0)", numbers(2, 3)
    ),
    "cross entropy of a class and a scalar": case(
        "tf.nn.sparse_softmax_cross_entropy_with_logits(1, $0)", 1.5
    ),
    "softmax over an axis that is no number": case("tf.nn.softmax($0, axis=[0])", numbers(3)),
    "crelu along an axis in a list": case("tf.nn.crelu($0, axis=[0])", numbers(3)),
    "losses weighed by their last dimension": case(
        "[tf.nn.compute_average_loss(*x) for x in (($0, $1), ($0, $2), ($0, $3))]",
        numbers(2, 4, 3),
        numbers(3),
        numbers(2, 4),
        numbers(2, 4, 3, 1),
    ),
    "ids without a row that do not count": case(
        "tf.nn.safe_embedding_lookup_sparse("
        "$0, tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 4, -2], [1, 2]))",
        numbers(5, 2),
    ),
    "ids without a row that count": case(
        "tf.nn.safe_embedding_lookup_sparse("
        "$0, tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 4, 2], [1, 2]))",
        numbers(5, 2),
    ),
    "ids of rows that are not in order": case(
        "tf.nn.embedding_lookup_sparse("
        "$0, tf.SparseTensor([[1, 0], [0, 1], [2, 0]], [1, 4, 2], [3, 2]), None)",
        numbers(5, 2),
    ),
    "convolutions that give no channel": case(
        "[tf.nn.conv2d($0, $1, 1, 'SAME'), tf.nn.conv1d($2, $3, 2, 'VALID'),"
        " tf.nn.depthwise_conv2d($0, $1, [1] * 4, 'SAME'),"
        " *gradients(lambda x, f: tf.nn.conv2d(x, f, 1, 'SAME'), $0, $1)]",
        numbers(2, 6, 7, 3),
        numbers(3, 3, 3, 0),
        numbers(2, 7, 3),
        numbers(3, 3, 0),
    ),
    "depthwise convolutions of no image": case(
        "[tf.nn.depthwise_conv2d($0, $1, [1] * 4, 'SAME'),"
        " tf.nn.separable_conv2d($0, $1, $2, [1] * 4, 'SAME')]",
        numbers(0, 6, 7, 3),
        numbers(3, 3, 3, 2),
        numbers(1, 1, 6, 4),
    ),
    "a pointwise filter that is not of one point": case(
        "tf.nn.separable_conv2d($0, $1, $2, [1, 1, 1, 1], 'SAME')",
        numbers(1, 6, 7, 3),
        numbers(3, 3, 3, 2),
        numbers(5, 1, 6, 4),
    ),
    "a transposed convolution that gives no channel": case(
        "tf.nn.atrous_conv2d_transpose($0, $1, [2, 6, 7, 0], 2, 'SAME')",
        numbers(2, 6, 7, 4),
        numbers(3, 3, 4, 4),
    ),
    "a convolution with strides and dilations": case(
        "tf.nn.convolution($0, $1, strides=2, dilations=2)",
        numbers(1, 6, 7, 3),
        numbers(3, 3, 3, 4),
    ),
    "pooling with dilations and padding": case(
        "tf.nn.pool($0, [2], 'AVG', padding='SAME', dilations=[2])", numbers(2, 6, 3)
    ),
    "a dilation with one rate": case(
        f"tf.nn.dilation2d($0, $1, {_DILATED}, [1])", numbers(1, 6, 7, 3), numbers(2, 2, 3)
    ),
    "largest places of windows larger than the image": case(
        "tf.nn.max_pool_with_argmax($0, 8, 2, 'VALID')", numbers(1, 6, 7, 3)
    ),
    "colours of images of four channels": case(
        "tf.image.adjust_saturation($0, 1.5)", numbers(2, 2, 4)
    ),
    "hues of images without channels": case("tf.image.adjust_hue($0, 0.5)", numbers(2, 2, 0)),
    "a contrast that is no number": case("tf.image.adjust_contrast($0, [2.0])", numbers(2, 2, 3)),
    "gray of one dimension": case("tf.image.grayscale_to_rgb($0)", numbers(1)),
    "colours of a number": case("tf.image.rgb_to_grayscale($0)", 0.5),
    "complex pixels": case(
        "tf.image.convert_image_dtype($0, 'complex64', saturate=True)", numbers(1)
    ),
    "pixels that are bools": case("tf.image.convert_image_dtype($0, 'uint8')", [True]),
    "patches with a negative stride": case(
        "tf.image.extract_patches($0, [1, 3, 3, 1], [1, 2, -2, 1], [1] * 4, 'SAME')", numbers(1)
    ),
    "gradients of an image without rows": case("tf.image.image_gradients($0)", numbers(1, 0, 1, 1)),
    "gradients of no image": case("tf.image.image_gradients($0)", numbers(0, 0, 0, 0)),
    "variation of images without rows": case("tf.image.total_variation($0)", numbers(1, 0, 1, 1)),
    "standard images without pixels": case(
        "tf.image.per_image_standardization($0)", numbers(0, 2, 3)
    ),
    "images without pixels between zeros": case(
        "tf.image.pad_to_bounding_box($0, 0, 0, 3, 4)", numbers(0, 4, 1)
    ),
    "an image turned by a list": case("tf.image.rot90($0, k=[1])", numbers(2, 3, 1)),
    "boxes of images that there are not": case(
        "tf.image.crop_and_resize($0, $1, [0, 2], [2, 2])", numbers(2, 4, 4, 1), numbers(2, 4)
    ),
    "no boxes wanted of classes": case(
        "tf.image.combined_non_max_suppression($0, $1, 0, 2)", numbers(1, 3, 1, 4), numbers(1, 3, 2)
    ),
    "cosine transforms of nothing": case(
        "[*[tf.signal.dct($0, type=t) for t in (2, 3, 4)], tf.signal.inverse_mdct($0),"
        " *gradients(tf.signal.dct, $0)]",
        numbers(3, 0),
    ),
    "a cosine transform of a number": case("tf.signal.dct($0)", 1.5),
    "a cosine transform of frames of length 0": case("tf.signal.mdct($0, 0)", numbers(1)),
    "frames with a step of 0": case("tf.signal.frame($0, 2, 0)", numbers(7)),
    "frames of a negative length": case("tf.signal.frame($0, -2, 1)", numbers(7)),
    "frames to the end with a negative step": case(
        "tf.signal.frame($0, 2, -1, pad_end=True)", numbers(7)
    ),
    "frames with a negative step": case("tf.signal.frame($0, 2, -1)", numbers(7)),
    "spectra of frames without samples": case("tf.signal.stft($0, 0, 4, pad_end=True)", numbers(1)),
    "spectra of a length that is no list": case("tf.signal.rfft($0, 3)", numbers(3)),
    "a signal of frames with a step of 0": case("tf.signal.overlap_and_add($0, 0)", numbers(2, 5)),
    "frames without overlap added": case("tf.signal.overlap_and_add($0, 5)", numbers(2, 5)),
    "a window function for a step of 0": case(
        "$0 + tf.signal.inverse_stft_window_fn(0)(8, tf.float32)", numbers(1)
    ),
    "coefficients of a number": case("tf.signal.mfccs_from_log_mel_spectrograms($0)", 1.5),
    "mel weights for no frequency": case(
        "$0 + tf.signal.linear_to_mel_weight_matrix(8, 0)", numbers(1)
    ),
    "Kaiser windows of all heights": case(
        "[$0 * tf.signal.kaiser_window(9, b) for b in (0.0, -3.0, 0.5, 490.0, 600.0, 1e4)]",
        numbers(1),
    ),
    **{
        f"a {name} window of a negative length": case(
            f"$0 + tf.signal.{name}_window(-1)", numbers(1)
        )
        for name in ("hann", "hamming", "kaiser", "kaiser_bessel_derived", "vorbis")
    },
    "labels of another dtype": case(
        f"[{_XENT}(*x) for x in (($0, $1), ($1, $2), ($2, $1))]",
        [[1, 2, 0]],
        numbers(2, 3),
        numbers(2, 3).astype(np.float16),
    ),
    "weights of another dtype": case("tf.nn.weighted_moments($0, [0], [1, 2, 3])", numbers(2, 3)),
    "statistics of another dtype": case(
        "tf.nn.batch_normalization($0, $1, $1 + 1.0, $1, None, 3.0)",
        numbers(2, 3).astype(np.float16),
        np.abs(numbers(3)),
    ),
    "luminance of float16": case(
        "tf.image.rgb_to_grayscale($0)", np.abs(numbers(2, 3)).astype(np.float16)
    ),
    "complex colours": case("tf.image.rgb_to_yiq($0)", numbers(2, 3).astype(np.complex64)),
    "largest places of integers": case(
        "tf.nn.max_pool_with_argmax($0, 2, 1, 'SAME')", -np.ones((1, 3, 3, 1), np.int32)
    ),
    "boxes of bools": case(
        "tf.image.crop_and_resize($0, $1, [0], [2, 2])", np.ones((1, 4, 4, 1), bool), numbers(1, 4)
    ),
    "overlaps above thresholds that there are not": case(
        "[tf.image.non_max_suppression_padded($0, $1, 3, t, pad_to_max_output_size=True)"
        " for t in (0.5, 1.0, 1.1, 1e4)]",
        np.float32([[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3]]),
        numbers(3),
    ),
    "the whole of an image without pixels": case(
        "tf.image.central_crop($0, 1.0)", numbers(2, 6, 0, 3)
    ),
    "labels of classes that there are not": case(
        "[tf.nn.ctc_loss([[1, k], [2, 2]], $0, [2, 2], [5, 6]) for k in (9, -1)]",
        numbers(6, 2, 4),
    ),
    "a search through sequences of a negative length": case(
        "tf.nn.ctc_beam_search_decoder($0, [-1, 3], 5, 2)[1]", numbers(4, 2, 4)
    ),
    "a search through no classes": case(
        "tf.nn.ctc_beam_search_decoder($0, [4, 3], 5, 2)[1]", numbers(4, 2, 0)
    ),
    "boxes that are said to be in order": case(
        "[tf.image.non_max_suppression_padded($0, $1, 3, 0.5, t, True, sorted_input=True)"
        " for t in (-1.0, 0.8)]",
        np.float32([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3]]),
        np.float32([0.7, 0.9, 1.0]),
    ),
    "losses of open shapes that broadcast": case(
        "[opened(f, $0, $1) for f in ("
        "tf.nn.log_poisson_loss, tf.nn.sigmoid_cross_entropy_with_logits)]",
        numbers(3, 2),
        numbers(1, 2),
    ),
    "losses of open shapes that do not fit": case(
        "opened(tf.nn.log_poisson_loss, $0, $1)", numbers(3, 2), numbers(2, 2)
    ),
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
    "hues of negative colors": case(
        "[tf.image.adjust_hue($0, d) for d in (-1.0, -0.7, 0.0, 0.3, 0.95)]", numbers(4, 4, 3)
    ),
    "hues turned by more than a circle, in a trace": case(
        "[mapped(lambda x: tf.image.adjust_hue(x, d), $0) for d in (3.7, -12.4)]",
        np.abs(numbers(2, 3, 4, 3)),
    ),
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
    "a search for no sequences": case(
        "tf.nn.ctc_beam_search_decoder($0, [4, 3], 5, -1)[1]", numbers(4, 3, 4)
    ),
}
