"""Names of `tf.compat.v1` that are functions of TensorFlow 2 under other names or arguments."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any

from tfpy._src.functions.graph_mode.recording import recorded


def _words(text: str) -> list[str]:
    return text.split()


MOVED = {
    **{
        name: f"math.{name}"
        for name in _words(
            "acos acosh add_n angle asin asinh atan atan2 atanh betainc bincount ceil "
            "confusion_matrix conj cos cosh cumprod cumsum digamma erf erfc exp expm1 "
            "floor floordiv floormod igamma igammac imag is_finite is_inf is_nan "
            "is_non_decreasing is_strictly_increasing lbeta lgamma log log1p log_sigmoid "
            "logical_and logical_not logical_or logical_xor polygamma real reciprocal "
            "rint rsqrt segment_max segment_mean segment_min segment_prod segment_sum sin "
            "sinh squared_difference top_k unsorted_segment_max unsorted_segment_mean "
            "unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
            "unsorted_segment_sum zeta accumulate_n invert_permutation"
        )
    },
    **{
        name: f"linalg.{name}"
        for name in _words("cholesky cholesky_solve cross norm qr svd trace logdet")
    },
    **{
        f"matrix_{name}": f"linalg.{theirs}"
        for name, theirs in {
            "band_part": "band_part",
            "determinant": "det",
            "diag": "diag",
            "diag_part": "diag_part",
            "inverse": "inv",
            "set_diag": "set_diag",
            "solve": "solve",
            "solve_ls": "lstsq",
            "square_root": "sqrtm",
            "transpose": "matrix_transpose",
            "triangular_solve": "triangular_solve",
        }.items()
    },
    **{name: f"signal.{name}" for name in ["fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d"]},
    **{
        f"random_{name}": f"random.{name}"
        for name in _words("gamma normal poisson shuffle uniform index_shuffle")
    },
    **{
        f"sparse_{name}": f"sparse.{name}"
        for name in _words(
            "add fill_empty_rows mask maximum minimum reorder reset_shape reshape retain "
            "slice softmax split to_indicator transpose"
        )
    },
    **{f"decode_{name}": f"io.decode_{name}" for name in ["base64", "compressed", "csv", "raw"]},
    **{
        name: f"io.{name}"
        for name in _words(
            "encode_base64 matching_files parse_tensor read_file serialize_tensor "
            "write_file parse_example parse_single_example FixedLenFeature VarLenFeature "
            "FixedLenSequenceFeature SparseFeature"
        )
    },
    **{
        f"assert_{name}": f"debugging.assert_{name}"
        for name in _words(
            "equal greater greater_equal integer less less_equal near negative "
            "non_negative non_positive none_equal positive proper_iterable rank "
            "rank_at_least rank_in same_float_dtype scalar type"
        )
    },
    **{name: name for name in ["equal", "not_equal", "less", "greater"]},
    "check_numerics": "debugging.check_numerics",
    "count_nonzero": "math.count_nonzero",
    "depth_to_space": "nn.depth_to_space",
    "diag": "linalg.tensor_diag",
    "diag_part": "linalg.tensor_diag_part",
    "div_no_nan": "math.divide_no_nan",
    "extract_image_patches": "image.extract_patches",
    "global_norm": "linalg.global_norm",
    "is_numeric_tensor": "debugging.is_numeric_tensor",
    "lin_space": "linspace",
    "mod": "math.floormod",
    "py_func": "numpy_function",
    "random_crop": "image.random_crop",
    "reduce_join": "strings.reduce_join",
    "regex_replace": "strings.regex_replace",
    "reverse_v2": "reverse",
    "self_adjoint_eig": "linalg.eigh",
    "self_adjoint_eigvals": "linalg.eigvalsh",
    "space_to_depth": "nn.space_to_depth",
    "sparse_tensor_dense_matmul": "sparse.sparse_dense_matmul",
    "sparse_tensor_to_dense": "sparse.to_dense",
    "string_join": "strings.join",
    "string_strip": "strings.strip",
    "string_to_hash_bucket_fast": "strings.to_hash_bucket_fast",
    "string_to_number": "strings.to_number",
    "substr": "strings.substr",
    "tensor_scatter_add": "tensor_scatter_nd_add",
    "tensor_scatter_sub": "tensor_scatter_nd_sub",
    "tensor_scatter_update": "tensor_scatter_nd_update",
    "truncated_normal": "random.truncated_normal",
    "verify_tensor_all_finite": "debugging.assert_all_finite",
    "where_v2": "where",
    "gfile": "io.gfile",
}
"""Names of `tf.compat.v1`, and the names of the same functions in `tf`."""

_REDUCTION = {"reduction_indices": "axis", "keep_dims": "keepdims"}
RENAMED: dict[str, dict[str, str]] = {
    **{
        f"reduce_{name}": _REDUCTION
        for name in ["all", "any", "logsumexp", "max", "mean", "min", "prod", "sum"]
    },
    "argmax": {"dimension": "axis"},
    "argmin": {"dimension": "axis"},
    "arg_max": {"dimension": "axis"},
    "arg_min": {"dimension": "axis"},
    "count_nonzero": {**_REDUCTION, "input_tensor": "input"},
    "expand_dims": {"dim": "axis"},
    "squeeze": {"squeeze_dims": "axis"},
    "nn.softmax": {"dim": "axis"},
    "nn.log_softmax": {"dim": "axis"},
    "nn.l2_normalize": {"dim": "axis"},
    "nn.moments": {"keep_dims": "keepdims"},
    "nn.softmax_cross_entropy_with_logits": {"dim": "axis"},
    "nn.softmax_cross_entropy_with_logits_v2": {"dim": "axis"},
    "nn.conv2d": {"filter": "filters"},
    "nn.conv3d": {"filter": "filters"},
    "nn.depthwise_conv2d": {"rate": "dilations"},
    "reverse_sequence": {"seq_dim": "seq_axis", "batch_dim": "batch_axis"},
    "norm": {"keep_dims": "keepdims"},
    "concat": {"concat_dim": "axis"},
}
"""Arguments with other names than in `tf`, by the name of the function."""

_ALIASES = {
    "arg_max": "argmax",
    "arg_min": "argmin",
    "nn.softmax_cross_entropy_with_logits_v2": "nn.softmax_cross_entropy_with_logits",
}
_OUTSIDE = frozenset(("compat", "function", "as_tensorflow", "Module", "export", "time"))
"""Names of `tf` that `tf.compat.v1` does not have, or defines itself."""


def adapted(function: Callable[..., Any], renamed: dict[str, str]) -> Callable[..., Any]:
    """Return a function that also accepts the older names of arguments.

    Args:
        function: Function of TensorFlow 2.
        renamed: Present names of arguments by their older names.
    """

    present = function if hasattr(function, "__recorded__") else recorded(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for older, newer in renamed.items():
            if older in kwargs:
                value = kwargs.pop(older)
                if value is not None:
                    kwargs[newer] = value
        return present(*args, **kwargs)

    vars(call)["__recorded__"] = True
    return call


def find(namespace: str) -> Callable[[str], Any]:
    """Return a function that finds the names of a namespace of `tf.compat.v1`.

    Args:
        namespace: Namespace within `tf.compat.v1`, such as `"nn"`, or an empty string.
    """
    lead = f"{namespace}." if namespace else ""

    def found(name: str) -> Any:
        path = lead + name
        if name in _OUTSIDE:
            raise KeyError(name)
        target = MOVED.get(path, _ALIASES.get(path, path))
        value = _public(target)
        return adapted(value, RENAMED[path]) if path in RENAMED else value

    return found


def _public(path: str) -> Any:
    value: Any = sys.modules[__name__.partition(".")[0]]
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            raise KeyError(path) from None
    return value


def names(namespace: str) -> Callable[[], Iterable[str]]:
    """Return a function that lists the names that `find` finds in a namespace."""

    def listed() -> Iterable[str]:
        root = _public(namespace) if namespace else sys.modules[__name__.partition(".")[0]]
        own = [n for n in dir(root) if not n.startswith("_") and n not in _OUTSIDE]
        return [*own, *(n for n in MOVED if not namespace)]

    return listed
