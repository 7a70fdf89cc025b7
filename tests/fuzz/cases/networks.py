"""Cases of neural networks, images and signals."""

from __future__ import annotations

import numpy as np

from ..programs import Program
from .making import case, numbers

_XENT = "tf.nn.softmax_cross_entropy_with_logits"
_DILATED = "[1, 1, 1, 1], 'SAME', 'NHWC'"

NETWORKS: dict[str, Program] = {
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
    "colors of images of four channels": case(
        "tf.image.adjust_saturation($0, 1.5)", numbers(2, 2, 4)
    ),
    "hues of images without channels": case("tf.image.adjust_hue($0, 0.5)", numbers(2, 2, 0)),
    "a contrast that is no number": case("tf.image.adjust_contrast($0, [2.0])", numbers(2, 2, 3)),
    "gray of one dimension": case("tf.image.grayscale_to_rgb($0)", numbers(1)),
    "colors of a number": case("tf.image.rgb_to_grayscale($0)", 0.5),
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
    "boxes of images out of range": case(
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
    "complex colors": case("tf.image.rgb_to_yiq($0)", numbers(2, 3).astype(np.complex64)),
    "largest places of integers": case(
        "tf.nn.max_pool_with_argmax($0, 2, 1, 'SAME')", -np.ones((1, 3, 3, 1), np.int32)
    ),
    "boxes of bools": case(
        "tf.image.crop_and_resize($0, $1, [0], [2, 2])", np.ones((1, 4, 4, 1), bool), numbers(1, 4)
    ),
    "overlaps above thresholds out of range": case(
        "[tf.image.non_max_suppression_padded($0, $1, 3, t, pad_to_max_output_size=True)"
        " for t in (0.5, 1.0, 1.1, 1e4)]",
        np.float32([[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3]]),
        numbers(3),
    ),
    "the whole of an image without pixels": case(
        "tf.image.central_crop($0, 1.0)", numbers(2, 6, 0, 3)
    ),
    "labels of classes out of range": case(
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
    "hues of negative colors": case(
        "[tf.image.adjust_hue($0, d) for d in (-1.0, -0.7, 0.0, 0.3, 0.95)]", numbers(4, 4, 3)
    ),
    "hues turned by more than a circle, in a trace": case(
        "[mapped(lambda x: tf.image.adjust_hue(x, d), $0) for d in (3.7, -12.4)]",
        np.abs(numbers(2, 3, 4, 3)),
    ),
    "a search for no sequences": case(
        "tf.nn.ctc_beam_search_decoder($0, [4, 3], 5, -1)[1]", numbers(4, 3, 4)
    ),
    "decoders of integer arrays": case(
        "[f($0.numpy(), [3, 2])[1] for f in"
        " (tf.nn.ctc_greedy_decoder, tf.nn.ctc_beam_search_decoder)]",
        np.int32([[[0, 3, -3], [-7, 9, -5]], [[2, -3, 5], [9, 4, -1]], [[3, 9, 5], [-8, -5, 3]]]),
    ),
    "losses have the dtype of the logits": case(
        "[f($0, $1, label_smoothing=s, weights=$2, reduction=r) for f in"
        " (tf.compat.v1.losses.sigmoid_cross_entropy, tf.compat.v1.losses.softmax_cross_entropy)"
        " for s in (0, 0.1) for r in ('none', 'weighted_mean')]",
        np.float32([[0.25, 0.75], [1, 0]]),
        np.float16([[1.5, -2.25], [0.5, 3]]),
        np.float32(0.5),
    ),
}
