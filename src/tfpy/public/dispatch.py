"""Public functions that take ragged (and sparse) tensors: one table, applied at import.

Ops on elements need no entry: the executor hands them to ``CompositeOperand.apply_op``. Here stand
the compositions. A function is looked up when one of its arguments, or an item of a list, is
ragged.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Any

from tfpy.array import making as array
from tfpy.array import slicing
from tfpy.composite.ragged_tensor import RaggedTensor
from tfpy.composite.sparse_tensor import SparseTensor
from tfpy.core.conversion import constant
from tfpy.core.operand import CompositeOperand
from tfpy.core.tensor import Tensor
from tfpy.ops import elementwise
from tfpy.ragged import reduction as ragged_reduction
from tfpy.ragged import shaping as ragged_shaping

Function = Callable[..., Any]


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """``tf.where`` of ragged tensors: all three go together element by element."""
    if x is not None or y is not None:
        return elementwise.select(condition, x, y)
    sparse = condition.to_sparse()
    return slicing.boolean_mask(sparse.indices, sparse.values)


def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    return constant(input.flat_values.size)


def rank(input: Any, name: str | None = None) -> Tensor:
    return constant(input.ndim)


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Ragged tensors have no shape that is a vector.

    Raises:
        ValueError: always; TensorFlow gives a DynamicRaggedShape.
    """
    raise ValueError("tf.shape of a RaggedTensor: use bounding_shape() or row_lengths()")


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """A ragged tensor reshapes to its flat values only."""
    flat = tensor.flat_values
    if array.static_ints(shape) != (-1,):
        raise ValueError("reshape: a RaggedTensor can be reshaped to [-1] only; use to_tensor()")
    return array.reshape(flat, [-1])


def one_hot(indices: Any, *args: Any, **kwargs: Any) -> Any:
    return ragged_shaping.map_flat_values(slicing.one_hot, indices, *args, **kwargs)


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Over the innermost ragged dimension: absent values count as -infinity."""
    if axis not in (None, -1, logits.ndim - 1):
        raise ValueError("softmax of a RaggedTensor is over its last axis")
    peak = ragged_reduction.REDUCTIONS["reduce_max"](logits, -1, True)
    from tfpy.core.tape import stop_gradient

    shifted = logits - _map(stop_gradient, peak)
    powers = elementwise.exp(shifted)
    return powers / ragged_reduction.REDUCTIONS["reduce_sum"](powers, -1, True)


def _map(function: Function, value: Any) -> Any:
    if isinstance(value, RaggedTensor):
        return value.with_flat_values(function(value.flat_values))
    return function(value)


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False,
           name: str | None = None) -> Any:  # fmt: skip
    """Along the innermost ragged axis, through the dense tensor."""
    from tfpy.composite.ragged_broadcast import _same_rows

    dense = sys.modules["tfpy.math"].cumsum(x.to_tensor(), axis, exclusive, reverse)
    lengths = x.nested_row_lengths()
    back = RaggedTensor.from_tensor(dense, lengths=lengths if len(lengths) > 1 else lengths[0])
    assert _same_rows(back, x)
    return back


def add_n(inputs: Any, name: str | None = None) -> Any:
    first, *rest = inputs
    for x in rest:
        first = first + x
    return first


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """Rows of ``params`` at ragged ids."""
    lookup = sys.modules["tfpy.nn"].embedding_lookup.__wrapped__
    return ids.with_flat_values(lookup(params, ids.flat_values, max_norm))


RAGGED: dict[str, Function] = {
    **ragged_reduction.REDUCTIONS,
    "reduce_mean": ragged_reduction.reduce_mean,
    "math.reduce_variance": ragged_reduction.reduce_variance,
    "math.reduce_std": ragged_reduction.reduce_std,
    "concat": ragged_shaping.concat,
    "stack": ragged_shaping.stack,
    "expand_dims": ragged_shaping.expand_dims,
    "squeeze": ragged_shaping.squeeze,
    "tile": ragged_shaping.tile,
    "reverse": ragged_shaping.reverse,
    "split": ragged_shaping.split,
    "gather": ragged_shaping.gather,
    "where": where,
    "size": size,
    "rank": rank,
    "reshape": reshape,
    "shape": shape,
    "one_hot": one_hot,
    "add_n": add_n,
    "nn.softmax": softmax,
    "math.cumsum": cumsum,
    "nn.embedding_lookup": embedding_lookup,
}
"""TensorFlow's name -> what it is for ragged tensors."""

SPARSE: dict[str, Function] = {
    "divide": lambda x, y, name=None: elementwise.real_div(x, y),
    "cast": lambda x, dtype, name=None: x.with_values(array.cast(x.values, dtype)),
    "size": lambda input, out_type=None, name=None: constant(math.prod(input.host_shape)),
    "rank": rank,
    "shape": lambda input, out_type=None, name=None: input.dense_shape,
    "identity": lambda input, name=None: input.with_values(array.identity(input.values)),
}
"""TensorFlow's name -> what it is for sparse tensors; other functions refuse them."""

PER_VALUE = (
    "cast", "divide", "truediv", "math.divide", "math.truediv", "clip_by_value", "identity",
    "ones_like", "zeros_like", "stop_gradient", "math.log_sigmoid", "math.multiply_no_nan",
    "nn.dropout", "nn.gelu", "nn.swish", "nn.silu", "nn.relu6", "nn.crelu",
)  # fmt: skip
"""Compositions that compute each value alone: they map over flat values."""

SAME = {"reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_any", "reduce_all",
        "reduce_mean", "add_n"}  # fmt: skip
"""Names under ``tf`` that ``tf.math`` has too."""


def _composites(args: tuple[Any, ...]) -> list[CompositeOperand]:
    found = []
    for a in args:
        if type(a) is Tensor:
            continue
        if isinstance(a, CompositeOperand):
            found.append(a)
        elif type(a) in (list, tuple):
            found += [v for v in a if isinstance(v, CompositeOperand)]
    return found


def dispatching(function: Function, ragged: Function) -> Function:
    """``function``, but ``ragged`` when an argument is a ragged tensor."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = _composites((*args, *kwargs.values()))
        if not found:
            return function(*args, **kwargs)
        sparse = next((x for x in found if isinstance(x, SparseTensor)), None)
        if sparse is None:
            return ragged(*args, **kwargs)
        special = SPARSE.get(function.__name__)
        return special(*args, **kwargs) if special else function(*args, **kwargs)

    return call


def _per_value(function: Function) -> Function:
    """Maps over flat values, after rows are matched if several arguments have any."""

    def mapped(*args: Any, **kwargs: Any) -> Any:
        from tfpy.composite.ragged_broadcast import match

        places = [i for i, a in enumerate(args) if isinstance(a, CompositeOperand | Tensor)]
        flat, like = match([args[i] for i in places])
        given = list(args)
        for i, value in zip(places, flat, strict=True):
            given[i] = value
        return like.with_flat_values(function(*given, **kwargs))

    return lambda *args, **kwargs: (
        mapped(*args, **kwargs)
        if any(isinstance(a, CompositeOperand) for a in args)
        else ragged_shaping.map_flat_values(function, *args, **kwargs)
    )


def install() -> None:
    """Wraps the public functions; called once, when the package is imported."""
    names = dict.fromkeys(PER_VALUE, None) | RAGGED | {f"math.{n}": RAGGED[n] for n in SAME}
    for path, ragged in names.items():
        *namespace, name = path.split(".")
        module = sys.modules[".".join(["tfpy", *namespace])]
        function = vars(module).get(name)
        if function is not None:
            setattr(module, name, dispatching(function, ragged or _per_value(function)))
