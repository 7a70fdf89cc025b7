"""What there is: every public op of TensorFlow.js 4.22 by its name here, and our own functions."""

from __future__ import annotations

import inspect

from surface import public

INVENTORY: dict[str, str] = {
    # Creation
    "buffer": "buffer",
    "clone": "identity",
    "complex": "complex",
    "diag": "linalg.diag",
    "eye": "eye",
    "fill": "fill",
    "imag": "math.imag",
    "linspace": "linspace",
    "oneHot": "one_hot",
    "ones": "ones",
    "onesLike": "ones_like",
    "print": "print",
    "range": "range",
    "real": "math.real",
    "scalar": "scalar",
    "tensor": "tensor",
    "tensor1d": "tensor1d",
    "tensor2d": "tensor2d",
    "tensor3d": "tensor3d",
    "tensor4d": "tensor4d",
    "tensor5d": "tensor5d",
    "tensor6d": "tensor6d",
    "truncatedNormal": "random.truncated_normal",
    "variable": "Variable",
    "zeros": "zeros",
    "zerosLike": "zeros_like",
    # Random
    "multinomial": "random.categorical",
    "rand": "rand",
    "randomGamma": "random.gamma",
    "randomNormal": "random.normal",
    "randomStandardNormal": "random_standard_normal",
    "randomUniform": "random.uniform",
    "randomUniformInt": "random_uniform_int",
    # Transformations
    "batchToSpaceND": "batch_to_space",
    "broadcastArgs": "broadcast_dynamic_shape",
    "broadcastTo": "broadcast_to",
    "cast": "cast",
    "depthToSpace": "nn.depth_to_space",
    "ensureShape": "ensure_shape",
    "expandDims": "expand_dims",
    "mirrorPad": "pad",
    "pad": "pad",
    "pad1d": "pad",
    "pad2d": "pad",
    "pad3d": "pad",
    "pad4d": "pad",
    "reshape": "reshape",
    "setdiff1dAsync": "setdiff1d",
    "spaceToBatchND": "space_to_batch_nd",
    "squeeze": "squeeze",
    # Slicing and joining
    "booleanMaskAsync": "boolean_mask",
    "concat": "concat",
    "concat1d": "concat",
    "concat2d": "concat",
    "concat3d": "concat",
    "concat4d": "concat",
    "gather": "gather",
    "gatherND": "gather_nd",
    "meshgrid": "meshgrid",
    "reverse": "reverse",
    "reverse1d": "reverse",
    "reverse2d": "reverse",
    "reverse3d": "reverse",
    "reverse4d": "reverse",
    "scatterND": "scatter_nd",
    "slice": "slice",
    "slice1d": "slice",
    "slice2d": "slice",
    "slice3d": "slice",
    "slice4d": "slice",
    "split": "split",
    "stack": "stack",
    "stridedSlice": "strided_slice",
    "tensorScatterUpdate": "tensor_scatter_nd_update",
    "tile": "tile",
    "unstack": "unstack",
    # Arithmetic
    "add": "add",
    "addN": "add_n",
    "div": "divide",
    "divNoNan": "math.divide_no_nan",
    "floorDiv": "math.floordiv",
    "maximum": "maximum",
    "minimum": "minimum",
    "mod": "math.floormod",
    "mul": "multiply",
    "pow": "pow",
    "squaredDifference": "math.squared_difference",
    "sub": "subtract",
    # Basic math
    "abs": "abs",
    "acos": "acos",
    "acosh": "acosh",
    "asin": "asin",
    "asinh": "asinh",
    "atan": "atan",
    "atan2": "atan2",
    "atanh": "atanh",
    "ceil": "math.ceil",
    "clipByValue": "clip_by_value",
    "cos": "cos",
    "cosh": "cosh",
    "elu": "nn.elu",
    "erf": "math.erf",
    "exp": "exp",
    "expm1": "math.expm1",
    "floor": "floor",
    "isFinite": "math.is_finite",
    "isInf": "math.is_inf",
    "isNaN": "math.is_nan",
    "leakyRelu": "nn.leaky_relu",
    "log": "math.log",
    "log1p": "math.log1p",
    "logSigmoid": "math.log_sigmoid",
    "neg": "negative",
    "prelu": "prelu",
    "reciprocal": "math.reciprocal",
    "relu": "nn.relu",
    "relu6": "nn.relu6",
    "round": "round",
    "rsqrt": "math.rsqrt",
    "selu": "nn.selu",
    "sigmoid": "sigmoid",
    "sign": "sign",
    "sin": "sin",
    "sinh": "sinh",
    "softplus": "nn.softplus",
    "sqrt": "sqrt",
    "square": "square",
    "step": "step",
    "tan": "tan",
    "tanh": "tanh",
    # Logical
    "bitwiseAnd": "bitwise.bitwise_and",
    "equal": "equal",
    "greater": "greater",
    "greaterEqual": "greater_equal",
    "less": "less",
    "lessEqual": "less_equal",
    "logicalAnd": "logical_and",
    "logicalNot": "logical_not",
    "logicalOr": "logical_or",
    "logicalXor": "math.logical_xor",
    "notEqual": "not_equal",
    "where": "where",
    "whereAsync": "where",
    # Reduction
    "all": "reduce_all",
    "any": "reduce_any",
    "argMax": "argmax",
    "argMin": "argmin",
    "bincount": "math.bincount",
    "denseBincount": "math.bincount",
    "logSumExp": "reduce_logsumexp",
    "max": "reduce_max",
    "mean": "reduce_mean",
    "min": "reduce_min",
    "prod": "reduce_prod",
    "sum": "reduce_sum",
    # Scan
    "cumprod": "math.cumprod",
    "cumsum": "cumsum",
    # Segment
    "unsortedSegmentSum": "math.unsorted_segment_sum",
    # Matrices
    "dot": "dot",
    "einsum": "einsum",
    "euclideanNorm": "euclidean_norm",
    "matMul": "matmul",
    "norm": "norm",
    "outerProduct": "outer_product",
    "transpose": "transpose",
    # Convolution / pooling
    "avgPool": "nn.avg_pool2d",
    "avgPool3d": "nn.avg_pool3d",
    "conv1d": "nn.conv1d",
    "conv2d": "nn.conv2d",
    "conv2dTranspose": "nn.conv2d_transpose",
    "conv3d": "nn.conv3d",
    "conv3dTranspose": "nn.conv3d_transpose",
    "depthwiseConv2d": "nn.depthwise_conv2d",
    "dilation2d": "nn.dilation2d",
    "maxPool": "nn.max_pool2d",
    "maxPool3d": "nn.max_pool3d",
    "maxPoolWithArgmax": "nn.max_pool_with_argmax",
    "pool": "nn.pool",
    "separableConv2d": "nn.separable_conv2d",
    # Normalization / nn
    "batchNorm": "nn.batch_normalization",
    "batchNorm2d": "nn.batch_normalization",
    "batchNorm3d": "nn.batch_normalization",
    "batchNorm4d": "nn.batch_normalization",
    "localResponseNormalization": "nn.local_response_normalization",
    "logSoftmax": "nn.log_softmax",
    "moments": "nn.moments",
    "softmax": "nn.softmax",
    # RNN
    "basicLSTMCell": "basic_lstm_cell",
    "multiRNNCell": "multi_rnn_cell",
    # Dropout
    "dropout": "nn.dropout",
    # Moving average
    "movingAverage": "moving_average",
    # Evaluation
    "inTopKAsync": "math.in_top_k",
    "lowerBound": "lower_bound",
    "searchSorted": "searchsorted",
    "topk": "math.top_k",
    "unique": "unique",
    "upperBound": "upper_bound",
    # Sparse (top level)
    "sparseToDense": "sparse_to_dense",
    # Ragged
    "raggedGather": "ragged_gather",
    "raggedRange": "ragged_range",
    "raggedTensorToTensor": "ragged_tensor_to_tensor",
    # Spectral (also top-level)
    "fft": "signal.fft",
    "ifft": "signal.ifft",
    "irfft": "signal.irfft",
    "rfft": "signal.rfft",
    # Linear algebra (tf.linalg)
    "linalg.bandPart": "linalg.band_part",
    "linalg.gramSchmidt": "linalg.gram_schmidt",
    "linalg.qr": "linalg.qr",
    # Images (tf.image)
    "image.flipLeftRight": "image.flip_left_right",
    "image.grayscaleToRGB": "image.grayscale_to_rgb",
    "image.resizeNearestNeighbor": "image.resize",
    "image.resizeBilinear": "image.resize",
    "image.rgbToGrayscale": "image.rgb_to_grayscale",
    "image.rotateWithOffset": "image.rotate_with_offset",
    "image.cropAndResize": "image.crop_and_resize",
    "image.nonMaxSuppression": "image.non_max_suppression",
    "image.nonMaxSuppressionAsync": "image.non_max_suppression",
    "image.nonMaxSuppressionWithScore": "image.non_max_suppression_with_scores",
    "image.nonMaxSuppressionWithScoreAsync": "image.non_max_suppression_with_scores",
    "image.nonMaxSuppressionPadded": "image.non_max_suppression_padded",
    "image.nonMaxSuppressionPaddedAsync": "image.non_max_suppression_padded",
    "image.threshold": "image.threshold",
    "image.transform": "image.transform",
    # Signal (tf.signal)
    "signal.hammingWindow": "signal.hamming_window",
    "signal.hannWindow": "signal.hann_window",
    "signal.frame": "signal.frame",
    "signal.stft": "signal.stft",
    # Spectral (tf.spectral)
    "spectral.fft": "signal.fft",
    "spectral.ifft": "signal.ifft",
    "spectral.rfft": "signal.rfft",
    "spectral.irfft": "signal.irfft",
    # Losses (tf.losses)
    "losses.absoluteDifference": "compat.v1.losses.absolute_difference",
    "losses.computeWeightedLoss": "compat.v1.losses.compute_weighted_loss",
    "losses.cosineDistance": "compat.v1.losses.cosine_distance",
    "losses.hingeLoss": "compat.v1.losses.hinge_loss",
    "losses.huberLoss": "compat.v1.losses.huber_loss",
    "losses.logLoss": "compat.v1.losses.log_loss",
    "losses.meanSquaredError": "compat.v1.losses.mean_squared_error",
    "losses.sigmoidCrossEntropy": "compat.v1.losses.sigmoid_cross_entropy",
    "losses.softmaxCrossEntropy": "compat.v1.losses.softmax_cross_entropy",
    # Sparse (tf.sparse)
    "sparse.sparseFillEmptyRows": "sparse.sparse_fill_empty_rows",
    "sparse.sparseReshape": "sparse.sparse_reshape",
    "sparse.sparseSegmentMean": "sparse.sparse_segment_mean",
    "sparse.sparseSegmentSum": "sparse.sparse_segment_sum",
    # String (tf.string)
    "string.stringNGrams": "strings.string_n_grams",
    "string.stringSplit": "strings.string_split",
    "string.stringToHashBucketFast": "strings.string_to_hash_bucket_fast",
    "string.staticRegexReplace": "strings.static_regex_replace",
    # Fused (tf.fused)
    "fused.conv2d": "fused.conv2d",
    "fused.depthwiseConv2d": "fused.depthwise_conv2d",
    "fused.matMul": "fused.mat_mul",
    # Outside ops.ts
    "math.confusionMatrix": "math.confusion_matrix",
    "browser.draw": "browser.draw",
    "browser.fromPixels": "browser.from_pixels",
    "browser.fromPixelsAsync": "browser.from_pixels_async",
    "browser.toPixels": "browser.to_pixels",
}
"""TensorFlow.js's name -> ours. One name may stand for several (concat1d, concat2d, ...)."""

_JAVASCRIPT = "TensorFlow.js computes it in JavaScript there too"
_TEXT = "texts live on the host"
_ROWS = "rows of ragged and indices of sparse tensors are kept on the host"

HOST: dict[str, str] = {
    "print": "prints",
    "truncatedNormal": _JAVASCRIPT,
    "randomGamma": _JAVASCRIPT,
    "setdiff1dAsync": _JAVASCRIPT,
    "unique": _JAVASCRIPT,
    "raggedGather": _ROWS,
    "raggedRange": _ROWS,
    "sparse.sparseFillEmptyRows": _ROWS,
    "sparse.sparseReshape": _ROWS,
    "string.stringNGrams": _TEXT,
    "string.stringSplit": _TEXT,
    "string.stringToHashBucketFast": _TEXT,
    "string.staticRegexReplace": _TEXT,
    "browser.draw": "leaves for the page",
    "browser.toPixels": "leaves for the page",
    "linalg.qr": "TensorFlow.js has no kernel for it: it runs a loop of small ones",
}
"""The ops of TensorFlow.js that are on the host here on a device, and why they may be."""

HOST_ON_GPUS: dict[str, str] = {
    f"image.nonMaxSuppression{kind}{how}": _JAVASCRIPT
    for kind in ("", "WithScore", "Padded")
    for how in ("", "Async")
}
"""Those that are there on webgl and webgpu only."""

NO_OPS = (
    "tfpy._src.alias",
    "tfpy._src.autodiff",
    "tfpy._src.control",
    "tfpy._src.core.lifetimes",
    "tfpy._src.core.tape",
    "tfpy._src.debugging",
    "tfpy._src.distribute",
    "tfpy._src.dtypes",
    "tfpy._src.environment",
    "tfpy._src.export",
    "tfpy._src.function",
    "tfpy._src.graphs",
    "tfpy._src.models",
    "tfpy._src.profiler",
    "tfpy._src.random.generator",
    "tfpy._src.runtime",
    "tfpy._src.tfjs.backends",
    "tfpy._src.tracing",
    "tfpy._src.variables.host_copies",
    "tfpy._src.writers",
)
"""Modules whose functions are no ops: they compute no tensors of tensors."""

NO_CALL = {
    "browser.draw",
    "browser.from_gpu_buffer",
    "browser.as_javascript",
    "browser.gpu_device",
    "experimental.numpy.finfo",
    "image.encode_png",
    "is_tensor",
    "random.set_seed",
    "timestamp",
}
"""Functions that no call of ``surface.calls`` says anything about."""

BY_NATURE = {"Variable": "native", "browser.draw": "host"}
"""How ops of TensorFlow.js are computed that have no call: a class, and what needs a canvas."""


def groups() -> list[list[str]]:
    """The names of each public function that is an op."""
    found: dict[object, list[str]] = {}
    for name, function in public.functions().items():
        made = inspect.unwrap(function)
        if not made.__module__.startswith(NO_OPS):
            found.setdefault(made, []).append(name)
    return list(found.values())
