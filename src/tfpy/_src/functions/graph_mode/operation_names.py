"""The names and types of operations, by the functions that create them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_SAME = (
    "adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_jpeg_quality "
    "adjust_saturation argsort bincount boolean_mask categorical central_crop clip_by_global_norm "
    "clip_by_norm clip_by_value confusion_matrix conv1d conv2d_transpose crop_to_bounding_box dct "
    "decode_image einsum embedding_lookup flip_left_right flip_up_down frame global_norm "
    "grayscale_to_rgb hann_window histogram_fixed_width l2_normalize lbeta logdet meshgrid moments "
    "non_max_suppression norm pad_to_bounding_box per_image_standardization polyval random_crop "
    "random_flip_left_right random_flip_up_down reduce_std reduce_variance resize "
    "resize_image_with_pad rgb_to_grayscale rot90 separable_conv2d "
    "softmax_cross_entropy_with_logits sort stft total_variation zero_fraction"
)
"""Functions with the names of their operations."""

_NAMES = {
    **{name: name for name in _SAME.split()},
    "add": "Add", "multiply": "Mul", "subtract": "Sub", "divide": "truediv", "matmul": "MatMul",
    "reduce_sum": "Sum", "reduce_mean": "Mean", "reduce_max": "Max", "reduce_min": "Min",
    "reduce_prod": "Prod", "reduce_any": "Any", "reduce_all": "All", "constant": "Const",
    "zeros": "zeros", "ones": "ones", "range": "range", "concat": "concat", "stack": "stack",
    "split": "split", "argmax": "ArgMax", "argmin": "ArgMin", "fill": "Fill", "slice": "Slice",
    "normal": "random_normal", "uniform": "random_uniform", "linspace": "linspace",
    "truncated_normal": "truncated_normal", "one_hot": "one_hot", "conv2d": "Conv2D",
    "max_pool2d": "MaxPool2d", "cond": "cond", "while_loop": "while", "softmax": "Softmax",
    "transpose": "transpose", "gradients": "gradients", "unstack": "unstack", "eye": "eye",
    "expand_dims": "ExpandDims", "zeros_like": "zeros_like", "ones_like": "ones_like",
    "negative": "Neg", "xw_plus_b": "xw_plus_b", "log1p": "Log1p",
    "dropout": "dropout",
    "accumulate_n": "AddN", "avg_pool2d": "AvgPool2D", "batch_normalization": "batchnorm",
    "convert_image_dtype": "convert_image", "crelu": "CRelu", "depthwise_conv2d": "depthwise",
    "det": "MatrixDeterminant", "extract_patches": "ExtractImagePatches", "fft": "FFT",
    "fft2d": "FFT2D", "fft3d": "FFT3D", "gamma": "random_gamma", "gather": "GatherV2",
    "hsv_to_rgb": "HSVToRGB", "ifft": "IFFT", "ifft2d": "IFFT2D", "ifft3d": "IFFT3D",
    "inv": "MatrixInverse", "join": "StringJoin", "length": "StringLength",
    "local_response_normalization": "LRN", "lower": "StringLower", "poisson": "random_poisson",
    "psnr": "PSNR", "random_brightness": "adjust_brightness",
    "random_contrast": "adjust_contrast", "random_hue": "adjust_hue",
    "random_saturation": "adjust_saturation", "reduce_logsumexp": "ReduceLogSumExp",
    "regex_replace": "StaticRegexReplace", "resize_with_crop_or_pad":
    "resize_image_with_crop_or_pad", "resize_with_pad": "resize_image_with_pad",
    "reverse": "ReverseV2", "rgb_to_hsv": "RGBToHSV", "rgb_to_yiq": "Tensordot",
    "rgb_to_yuv": "Tensordot", "shuffle": "RandomShuffle",
    "sigmoid_cross_entropy_with_logits": "logistic_loss", "solve": "MatrixSolve", "ssim": "SSIM",
    "stateless_normal": "stateless_random_normal", "stateless_uniform":
    "stateless_random_uniform", "tensor_scatter_nd_update": "TensorScatterUpdate",
    "to_hash_bucket_fast": "StringToHashBucketFast", "to_number": "StringToNumber",
    "top_k": "TopKV2", "upper": "StringUpper", "where": "SelectV2", "yiq_to_rgb": "Tensordot",
    "yuv_to_rgb": "Tensordot",
}  # fmt: skip
"""Names of operations by the names of functions. Other names are converted to CamelCase."""

_TYPES = {
    "add": "AddV2", "Add": "AddV2", "mul": "Mul", "sub": "Sub", "truediv": "RealDiv",
    "matmul": "MatMul", "pow": "Pow", "strided_slice": "StridedSlice", "concat": "ConcatV2",
    "zeros": "Fill", "ones": "Fill", "stack": "Pack", "transpose": "Transpose",
    "group_deps": "NoOp", "range": "Range", "and": "LogicalAnd", "or": "LogicalOr",
}  # fmt: skip
"""Types of operations by their names, where the two differ."""


def name_of(function: Callable[..., Any]) -> str:
    """Return the default name of the operation of a function."""
    name = getattr(function, "__name__", type(function).__name__).strip("_<>")
    return _NAMES.get(name) or _camel(name)


def type_of(name: str) -> str:
    """Return the type of the operation of a function, by its default name."""
    return _TYPES.get(name) or _camel(name)


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
