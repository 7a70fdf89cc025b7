"""An inventory of the public ops of TensorFlow.js 4.22, with their names in tfpy."""

from __future__ import annotations

import inspect
import tomllib
from pathlib import Path

from surface import public

NAMES = tomllib.loads((Path(__file__).parents[2] / "docs" / "tensorflow_js.toml").read_text())
INVENTORY: dict[str, str] = {
    theirs: ours.removeprefix("tf.")
    for group in NAMES["ops"].values()
    for theirs, ours in group.items()
}
"""TensorFlow.js names with tfpy's names. One name may cover several (concat1d, concat2d, ...)."""

_JAVASCRIPT = "TensorFlow.js computes it in JavaScript as well"
_TEXT = "strings are stored on the host"
_ROWS = "row partitions of ragged tensors and indices of sparse tensors are stored on the host"

HOST: dict[str, str] = {
    "print": "it prints on the host",
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
    "browser.draw": "its result is for the page",
    "browser.toPixels": "its result is for the page",
    "linalg.qr": "TensorFlow.js has no kernel for it either: it runs a loop of small ops",
}
"""TensorFlow.js ops that tfpy computes on the host for a device, with the reason."""

HOST_ON_GPUS: dict[str, str] = {
    f"image.nonMaxSuppression{kind}{how}": _JAVASCRIPT
    for kind in ("", "WithScore", "Padded")
    for how in ("", "Async")
}
"""Ops that are on the host for webgl and webgpu only."""

NO_OPS = (
    "tfpy._src.keras_support",
    "tfpy._src.tensors.autodiff",
    "tfpy._src.functions.control",
    "tfpy._src.core.lifetimes",
    "tfpy._src.core.tape",
    "tfpy._src.library.debugging",
    "tfpy._src.library.extension_types",
    "tfpy._src.library.feature_columns",
    "tfpy._src.distribute",
    "tfpy._src.base.dtypes",
    "tfpy._src.base.flags",
    "tfpy._src.functions.tf_function",
    *(f"tfpy._src.formats.{name}" for name in ("convert", "exported", "node_graphs")),
    *(f"tfpy._src.formats.{name}" for name in ("graph_model", "load", "memory", "sources")),
    *(f"tfpy._src.formats.{name}" for name in ("onnx", "tensorflow", "tfjs", "tflite")),
    *(f"tfpy._src.formats.{name}" for name in ("adapters", "saving")),
    "tfpy._src.checkpoints",
    "tfpy._src.formats.summary",
    "tfpy._src.library.compat.app",
    "tfpy._src.library.compat.logs",
    "tfpy._src.library.compat.xla",
    "tfpy._src.library.profiler",
    "tfpy._src.tensors.random.generator",
    "tfpy._src.backends",
    "tfpy._src.library.config",
    "tfpy._src.base.tracing",
    "tfpy._src.tensors.variables.host_copies",
    "tfpy._src.library.hub",
    "tfpy._src.testing",
)
"""Modules with functions that are not ops, because they do not compute tensors from tensors."""

NO_CALL = {
    "compat.v1.ragged.constant_value",
    "compat.v1.ragged.placeholder",
    "parallel_stack",
    "compat.v1.errors.error_code_from_exception_type",
    "compat.v1.errors.exception_type_from_error_code",
    "register_tensor_conversion_function",
    "random.stateless_parameterized_truncated_normal",
    "browser.draw",
    "browser.from_gpu_buffer",
    "browser.as_javascript",
    "browser.gpu_device",
    *(f"compat.v1.initializers.{n}" for n in ("he_normal", "he_uniform")),
    *(f"compat.v1.initializers.{n}" for n in ("lecun_normal", "lecun_uniform")),
    *(f"compat.v1.losses.{n}" for n in ("add_loss", "get_losses", "get_total_loss")),
    *(f"compat.v1.losses.get_regularization_{n}" for n in ("loss", "losses")),
    *(f"compat.v1.{n}" for n in ("image.resize_images", "random.multinomial", "strings.split")),
    "compat.v1.random.set_random_seed",
    *(f"losses.{n}" for n in ("absolute_difference", "compute_weighted_loss", "cosine_distance")),
    *(f"losses.{n}" for n in ("hinge_loss", "huber_loss", "log_loss", "mean_squared_error")),
    *(f"losses.{n}_cross_entropy" for n in ("sigmoid", "softmax")),
    *("approx_top_k", "config.experimental.enable_op_determinism", "conv"),
    *("experimental.dlpack.from_dlpack", "experimental.dlpack.to_dlpack"),
    *("extract_volume_patches", "fingerprint", "get_current_name_scope"),
    *(f"image.{n}" for n in ("decode_gif", "encode_jpeg", "encode_png", "is_jpeg")),
    *(f"image.{n}" for n in ("decode_and_crop_jpeg", "decode_webp", "extract_jpeg_shape")),
    *(f"image.{n}" for n in ("adjust_jpeg_quality", "draw_bounding_boxes", "extract_glimpse")),
    *("image.random_jpeg_quality", "image.stateless_random_jpeg_quality"),
    *("image.sample_distorted_bounding_box", "image.stateless_sample_distorted_bounding_box"),
    *("is_symbolic_tensor", "is_tensor", "make_ndarray", "make_tensor_proto"),
    *("math.approx_min_k", "nn.batch_norm_with_global_normalization", "nn.isotonic_regression"),
    *(f"nn.depthwise_conv2d_backprop_{n}" for n in ("filter", "input")),
    *("nn.with_space_to_batch", "no_gradient", "random.set_seed", "random_index_shuffle"),
    *("timestamp", "variable_creator_scope"),
}
"""Functions that calls of ``surface.calls`` do not describe."""

BY_NATURE = {"Variable": "native", "browser.draw": "host"}
"""Ways of computing TensorFlow.js ops without a call: a class, and a function of a canvas."""


def groups() -> list[list[str]]:
    """Return the names of each public function that is an op."""
    found: dict[object, list[str]] = {}
    for name, function in public.functions().items():
        made = inspect.unwrap(function)
        if not made.__module__.startswith(NO_OPS):
            found.setdefault(made, []).append(name)
    return list(found.values())
