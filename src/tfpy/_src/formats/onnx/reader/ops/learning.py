"""Operations of the domain `ai.onnx.ml`: encoders, scalers, linear models and trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.ops.text import array_of, texts
from tfpy._src.formats.onnx.reader.record import Floats, Ints, Strings, operation
from tfpy._src.formats.onnx.reader.values import like, tensor
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import gather, one_hot, where
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.ordering import argmax
from tfpy._src.tensors.math.reductions import reduce_any, reduce_max, reduce_min, reduce_sum
from tfpy._src.tensors.nn.activations import softmax


@operation("ai.onnx.ml.Binarizer")
def binarizer(x: Tensor, *, threshold: float = 0.0) -> Any:
    return cast(x > like(threshold, x), x.dtype)


@operation("ai.onnx.ml.ArrayFeatureExtractor")
def array_feature_extractor(x: Tensor, y: Tensor) -> Any:
    return gather(x, reshape(y, [-1]), axis=x.ndim - 1)


@operation("ai.onnx.ml.Scaler")
def scaler(x: Tensor, *, offset: Floats = (0.0,), scale: Floats = (1.0,)) -> Any:
    shift, factor = (np.array(v, np.float32) for v in (offset, scale))
    return (cast(x, "float32") - shift) * factor


@operation("ai.onnx.ml.Normalizer")
def normalizer(x: Tensor, *, norm: str = "MAX") -> Any:
    y = cast(x, "float32")
    sizes: dict[str, Callable[[Tensor], Tensor]] = {
        "MAX": lambda v: reduce_max(p.abs(v), -1, True),
        "L1": lambda v: reduce_sum(p.abs(v), -1, True),
        "L2": lambda v: p.sqrt(reduce_sum(p.square(v), -1, True)),
    }
    if norm not in sizes:
        raise invalid("Normalizer", f"norm must be one of {[*sizes]}, got {norm!r}")
    size = sizes[norm](y)
    return y / where(p.equal(size, 0.0), 1.0, size)


def _values(
    found: Array | None, floats: Floats | None, whole: Ints | None, strings: Strings | None
) -> Array:
    """Return the keys or values from the one attribute that is present."""
    given: list[Array] = [] if found is None else [found]
    given += [] if floats is None else [np.array(floats, np.float32)]
    given += [] if whole is None else [np.array(whole, np.int64)]
    given += [] if strings is None else [array_of(list(strings), -1)]
    if len(given) != 1:
        raise invalid("LabelEncoder", f"expected one list of keys or values, got {len(given)}")
    return given[0]


@operation("ai.onnx.ml.LabelEncoder")
def label_encoder(
    x: Array, *, default_float: float = -0.0, default_int64: int = -1,
    default_string: str = "_Unused", default_tensor: Array | None = None,
    keys_floats: Floats | None = None, keys_int64s: Ints | None = None,
    keys_strings: Strings | None = None, keys_tensor: Array | None = None,
    values_floats: Floats | None = None, values_int64s: Ints | None = None,
    values_strings: Strings | None = None, values_tensor: Array | None = None,
) -> Any:  # fmt: skip
    """Map each key to its value, and other elements to the default."""
    keys = _values(keys_tensor, keys_floats, keys_int64s, keys_strings)
    values = _values(values_tensor, values_floats, values_int64s, values_strings)
    if keys.size != values.size:
        raise invalid("LabelEncoder", f"{keys.size} keys do not match {values.size} values")
    default: Any = default_tensor.reshape(-1)[0] if default_tensor is not None else (
        default_string.encode() if values.dtype == object
        else default_float if values.dtype.kind == "f" else default_int64
    )  # fmt: skip
    table = dict(zip(_plain(keys), values.reshape(-1), strict=True))
    made = np.empty(x.size, values.dtype)
    made[:] = [table.get(key, default) for key in _plain(x)]
    return tensor(made.reshape(x.shape))


def _plain(values: Array) -> list[Any]:
    return texts(values) if values.dtype == object else values.reshape(-1).tolist()


_AFTER: Mapping[str, Callable[[Tensor], Any]] = {
    "NONE": lambda x: x,
    "SOFTMAX": lambda x: softmax(x, -1),
    "LOGISTIC": p.sigmoid,
}


def _after(name: str, x: Tensor) -> Any:
    if name not in _AFTER:
        raise invalid("ai.onnx.ml", f"post_transform must be one of {[*_AFTER]}, got {name!r}")
    return _AFTER[name](x)


def _linear(x: Tensor, coefficients: Floats, intercepts: Floats | None, rows: int) -> Tensor:
    matrix = np.array(coefficients, np.float32)
    if rows < 1 or matrix.size != rows * x.aval.shape[-1]:
        raise invalid(
            "ai.onnx.ml", f"{matrix.size} coefficients do not match {rows} × {x.aval.shape[-1]}"
        )
    y = matmul(cast(x, "float32"), tensor(matrix.reshape(rows, -1)), transpose_b=True)
    return y if intercepts is None else y + np.array(intercepts, np.float32)


@operation("ai.onnx.ml.LinearRegressor")
def linear_regressor(
    x: Tensor, *, coefficients: Floats, intercepts: Floats | None = None,
    post_transform: str = "NONE", targets: int = 1,
) -> Any:  # fmt: skip
    return _after(post_transform, _linear(x, coefficients, intercepts, targets))


@operation("ai.onnx.ml.LinearClassifier")
def linear_classifier(
    x: Tensor, *, classlabels_ints: Ints | None = None, classlabels_strings: Strings | None = None,
    coefficients: Floats, intercepts: Floats | None = None, multi_class: int = 0,
    post_transform: str = "NONE",
) -> Any:  # fmt: skip
    """Return the labels with the highest scores, and the scores."""
    rows = len(coefficients) // x.aval.shape[-1]
    scores = _linear(x, coefficients, intercepts, rows)
    names = classlabels_strings is not None
    labels = array_of(list(classlabels_strings or ()), -1) if names else np.array(classlabels_ints)
    if rows == 1 and labels.size == 2:
        shown = _after(post_transform, scores)
        both = np.array([1.0 if post_transform == "LOGISTIC" else 0.0], np.float32)
        sign = both - shown if post_transform == "LOGISTIC" else -shown
        at = reshape(cast(scores > 0.0, "int32"), [-1])
        return gather(tensor(labels), at, axis=0), concat([sign, shown], -1)
    if rows != labels.size:
        raise invalid("LinearClassifier", f"{rows} scores do not match {labels.size} labels")
    at = argmax(scores, -1)
    return gather(tensor(labels), at, axis=0), _after(post_transform, scores)


_MODES: tuple[Callable[[Any, Any], Tensor], ...] = (
    p.less_equal, p.less, p.greater_equal, p.greater, p.equal, p.not_equal,
)  # fmt: skip
_MEMBER = 6
_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC")


@operation("ai.onnx.ml.TreeEnsemble", since=5)
def tree_ensemble(
    x: Tensor, *, aggregate_function: int = 1, leaf_targetids: Ints, leaf_weights: Array,
    membership_values: Array | None = None, n_targets: int = 1, nodes_falseleafs: Ints,
    nodes_falsenodeids: Ints, nodes_featureids: Ints, nodes_hitrates: Array | None = None,
    nodes_missing_value_tracks_true: Ints | None = None, nodes_modes: Array, nodes_splits: Array,
    nodes_trueleafs: Ints, nodes_truenodeids: Ints, post_transform: int = 0, tree_roots: Ints,
) -> Any:  # fmt: skip
    """Evaluate decision trees on each row and aggregate the weights of the leaves."""
    nodes, leaves = len(nodes_featureids), len(leaf_targetids)
    follow = [
        np.array(ids) + np.where(np.array(is_leaf, bool), nodes, 0)
        for ids, is_leaf in (
            (nodes_truenodeids, nodes_trueleafs),
            (nodes_falsenodeids, nodes_falseleafs),
        )
    ]
    roots = np.array(tree_roots)
    _check_trees(follow, roots, nodes, leaves, x.aval.shape[-1], np.array(nodes_featureids))
    stay = np.arange(nodes, nodes + leaves)
    yes, no = (tensor(np.concatenate([one, stay])) for one in follow)
    features = tensor(np.array(nodes_featureids))
    at: Tensor = tensor(np.broadcast_to(roots, [x.aval.shape[0], roots.size]).copy())
    for _ in range(_depth(follow, roots, nodes)):
        inside = p.minimum(at, nodes - 1)  # at a leaf, the comparison has no effect
        feature = gather(features, inside, axis=0)
        value = gather(x, feature, axis=1, batch_dims=1)
        found = _compared(value, inside, nodes_modes, nodes_splits, membership_values)
        if nodes_missing_value_tracks_true is not None:
            missing = gather(tensor(np.array(nodes_missing_value_tracks_true)), inside, axis=0)
            found = p.logical_or(found, p.logical_and(p.is_nan(value), p.not_equal(missing, 0)))
        at = where(found, gather(yes, at, axis=0), gather(no, at, axis=0))
    leaf = at - nodes
    weights = gather(tensor(leaf_weights), leaf, axis=0)
    target = gather(tensor(np.array(leaf_targetids)), leaf, axis=0)
    owner = one_hot(target, n_targets, on_value=True, off_value=False)
    made = _aggregated(weights, owner, aggregate_function, roots.size)
    return _after(dict(enumerate(_TRANSFORMS)).get(post_transform, ""), made)


def _aggregated(weights: Tensor, owner: Tensor, how: int, trees: int) -> Tensor:
    """Aggregate weights [N, T] into targets [N, targets] by their owners."""
    wide = reshape(weights, [*weights.aval.shape, 1])
    if how in (0, 1):
        total = reduce_sum(where(owner, wide, like(0, weights)), 1)
        return total / trees if how == 0 else total
    if how not in (2, 3):
        raise invalid("TreeEnsemble", f"unknown aggregate_function {how}")
    most = like(np.inf if how == 2 else -np.inf, weights)
    return (reduce_min if how == 2 else reduce_max)(where(owner, wide, most), 1)


def _compared(
    value: Tensor, node: Tensor, modes: Array, splits: Array, members: Array | None
) -> Tensor:
    """Return True where a node's condition holds for the value of its feature."""
    mode = gather(tensor(modes.astype(np.int32)), node, axis=0)
    split = gather(tensor(splits), node, axis=0)
    found = tensor(False)
    for number, compare in enumerate(_MODES):
        if (modes == number).any():
            found = where(p.equal(mode, number), compare(value, split), found)
    if (modes == _MEMBER).any():
        table = _member_table(modes, members)
        wide = reshape(value, [*value.aval.shape, 1])
        inside = p.equal(wide, gather(tensor(table), node, axis=0))
        found = where(p.equal(mode, _MEMBER), reduce_any(inside, -1), found)
    return found


def _member_table(modes: Array, members: Array | None) -> Array:
    """Return the set members of each node; NaN separates sets in the file."""
    values = np.zeros(0, np.float32) if members is None else members
    sets = np.split(values, np.flatnonzero(np.isnan(values)))
    sets = [one[~np.isnan(one)] for one in sets]
    owners = np.flatnonzero(modes == _MEMBER)
    if len(sets) < len(owners):
        raise invalid(
            "TreeEnsemble", "membership_values has fewer sets than there are membership nodes"
        )
    table = np.full([modes.size, max(map(len, sets))], np.nan, np.float32)
    for owner, one in zip(owners, sets, strict=False):
        table[owner, : len(one)] = one
    return table


def _check_trees(
    follow: list[Array], roots: Array, nodes: int, leaves: int, width: int, features: Array
) -> None:
    """Check that all referenced nodes, leaves and features exist."""
    everything = np.concatenate([*follow, roots])
    wrong = any(one.size != nodes for one in follow) or not everything.size
    if wrong or everything.min() < 0 or everything.max() >= nodes + leaves:
        raise invalid("TreeEnsemble", "a tree refers to a missing node or leaf")
    if features.min(initial=0) < 0 or features.max(initial=0) >= width:
        raise invalid("TreeEnsemble", f"a node refers to a missing feature; there are {width}")


def _depth(follow: list[Array], roots: Array, nodes: int) -> int:
    """Return the number of nodes on the longest path.

    Raises:
        InvalidArgumentError: If a path has a cycle.
    """
    at, depth = roots[roots < nodes], 0
    while at.size:
        depth += 1
        if depth > nodes:
            raise invalid("TreeEnsemble", "a tree has a cycle")
        at = np.unique(np.concatenate([one[at] for one in follow]))
        at = at[at < nodes]
    return depth
