"""The functions that distributions use. They create operations while a graph is active."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from tfpy._src.core import conversion, primitives
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.control import mapping
from tfpy._src.functions.control.ordering import control_dependencies
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.debugging import assertions, shapes
from tfpy._src.tensors.array import (
    broadcasting,
    joining,
    making,
    masks,
    reshaping,
    slicing,
)
from tfpy._src.tensors.linalg import diagonals, products
from tfpy._src.tensors.math import arithmetic, ordering, reductions
from tfpy._src.tensors.nn import activations, losses
from tfpy._src.tensors.random import stateful

convert_to_tensor = recorded(conversion.convert_to_tensor)
map_fn = recorded(mapping.map_fn)

assert_equal = recorded(assertions.assert_equal)
assert_greater_equal = recorded(assertions.assert_greater_equal)
assert_less = recorded(assertions.assert_less)
assert_less_equal = recorded(assertions.assert_less_equal)
assert_near = recorded(assertions.assert_near)
assert_non_negative = recorded(assertions.assert_non_negative)
assert_positive = recorded(assertions.assert_positive)
assert_rank_at_least = recorded(shapes.assert_rank_at_least)

absolute = recorded(primitives.abs)
betainc = recorded(primitives.betainc)
digamma = recorded(primitives.digamma)
equal = recorded(primitives.equal)
erf = recorded(primitives.erf)
erfc = recorded(primitives.erfc)
exp = recorded(primitives.exp)
igamma = recorded(primitives.igamma)
is_nan = recorded(primitives.is_nan)
lgamma = recorded(primitives.lgamma)
log = recorded(primitives.log)
log1p = recorded(primitives.log1p)
logical_and = recorded(primitives.logical_and)
logical_or = recorded(primitives.logical_or)
maximum = recorded(primitives.maximum)
minimum = recorded(primitives.minimum)
ndtri = recorded(primitives.ndtri)
rsqrt = recorded(primitives.rsqrt)
sigmoid = recorded(primitives.sigmoid)
softplus = recorded(primitives.softplus)
sqrt = recorded(primitives.sqrt)
square = recorded(primitives.square)
xlogy = recorded(primitives.xlogy)

argmax = recorded(ordering.argmax)
broadcast_dynamic_shape = recorded(broadcasting.broadcast_dynamic_shape)
cast = recorded(making.cast)
concat = recorded(joining.concat)
fill = recorded(making.fill)
identity = recorded(reshaping.identity)
lbeta = recorded(arithmetic.lbeta)
log_softmax = recorded(activations.log_softmax)
matmul = recorded(products.matmul)
one_hot = recorded(slicing.one_hot)
ones = recorded(making.ones)
ones_like = recorded(making.ones_like)
rank = recorded(reshaping.rank)
reduce_all = recorded(reductions.reduce_all)
reduce_any = recorded(reductions.reduce_any)
reduce_prod = recorded(reductions.reduce_prod)
reduce_sum = recorded(reductions.reduce_sum)
reshape = recorded(reshaping.reshape)
sequence_mask = recorded(masks.sequence_mask)
set_diag = recorded(diagonals.set_diag)
shape = recorded(reshaping.shape)
sigmoid_cross_entropy = recorded(losses.sigmoid_cross_entropy_with_logits)
sign = recorded(arithmetic.sign)
softmax = recorded(activations.softmax)
sparse_cross_entropy = recorded(losses.sparse_softmax_cross_entropy_with_logits)
transpose = recorded(reshaping.transpose)
where = recorded(slicing.where)
zeros = recorded(making.zeros)
zeros_like = recorded(making.zeros_like)

random_categorical = recorded(stateful.categorical)
random_gamma = recorded(stateful.gamma)
random_normal = recorded(stateful.normal)
random_uniform = recorded(stateful.uniform)

broadcast_static_shape = broadcasting.broadcast_static_shape
get_static_value = conversion.get_static_value


def checked(found: Iterable[Any], value: Any) -> Any:
    """Return a tensor that depends on assertions, which have been called."""
    with control_dependencies([assertion for assertion in found if assertion is not None]):
        return identity(value)


def sizes_of(value: Any) -> Any:
    """Return the shape of a tensor: a TensorShape if all sizes are known, otherwise a tensor."""
    known = TensorShape(value.shape)
    return known if known.is_fully_defined() else shape(value)


def joined(*parts: Any) -> Any:
    """Join shapes: sequences of integers, or vectors."""
    if all(isinstance(part, TensorShape | list) for part in parts):
        return [n for part in parts for n in part]
    vectors = [
        convert_to_tensor(list(part), dtype="int32") if isinstance(part, TensorShape) else part
        for part in parts
    ]
    return concat(vectors, 0)


def derived_seed(seed: int | None, salt: str) -> int | None:
    """Return the seed of the second random operation of a distribution."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF
