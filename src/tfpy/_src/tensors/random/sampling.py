"""Sampling from a state, shared by stateless functions, generators and stateful functions.

A state is six words: the Philox key (two words) and counter (four words).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.backends.registry import storable
from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid, invalid_dtype
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import (
    bitwise,
    distributions,
    elementwise as ew,
    logic,
    random as primitives,
)
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.families.infer import broadcast_shapes
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.scalar_cache import scalar
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.casting import bitcast
from tfpy._src.tensors.array.joining import unstack
from tfpy._src.tensors.array.making import cast, zeros_like
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.array.scans import cumsum
from tfpy._src.tensors.array.slicing import take, where
from tfpy._src.tensors.array.sorting import searchsorted
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.math.reductions import reduce_max

State = tuple[int, ...] | tuple[Tensor, ...] | Tensor
"""Six words: integers, or in a trace six scalar tensors or an int32 tensor of shape `[6]`."""

_ACCEPTED = (
    *dtypes.FLOATS,
    *dict.fromkeys((dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)),
)
_FRACTION_BITS = {dtypes.float16: 10, dtypes.bfloat16: 7}
"""Number of random bits that TensorFlow uses for a float of less than 32 bits."""


def draw(op: Op, state: State, *inputs: Any, **attrs: Any) -> Tensor:
    """Apply the random primitive `op` to a state."""
    found = unstack(state) if isinstance(state, Tensor) else state
    if isinstance(found[0], Tensor):
        return op(*found, *inputs, **attrs)
    words = np.array(found, np.uint32).view(np.int32)
    return op(*(constant(w) if w else scalar(0, dtypes.int32) for w in words), *inputs, **attrs)


def reserved(stream: Callable[[], Callable[[], tuple[int, ...]]]) -> State:
    """Return the current state of a stream and advance it: now, or at each call of a trace.

    Args:
        stream: Function that is called once for each random op of a trace. It returns a function
            that returns the op's state at a call and advances the stream.
    """
    trace = tracing.current()
    if trace is None:
        return stream()()

    return trace.feed(StateFeed(stream), Aval((6,), dtypes.int32), "random_state")


class StateFeed:
    """A feed that provides the state of a random op at each call of a trace.

    Args:
        stream: Function that returns a function; see `reserved`.
    """

    def __init__(self, stream: Callable[[], Callable[[], tuple[int, ...]]]) -> None:
        self.stream = stream

    def __call__(self) -> Callable[[], Any]:
        advance = self.stream()
        return lambda: np.array(advance(), np.uint32).view(np.int32)


def sizes(op: str, shape: Any) -> tuple[int, ...]:
    """Return a shape as integers.

    Raises:
        InvalidArgumentError: If a size is negative.
    """
    found = static_ints(shape)
    for n in found:
        if n < 0:
            raise invalid(op, f"Dimension {n} must be >= 0")
    return found


def number_dtype(dtype: Any) -> DType:
    """Return the dtype of uniform numbers.

    Raises:
        ValueError: If uniform numbers of this dtype are not supported.
    """
    kind = as_dtype(dtype)
    if kind not in _ACCEPTED:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind}. Accepted dtypes are {_ACCEPTED}."
        )
    return kind


def check_bounds(kind: DType, minval: Any, maxval: Any) -> None:
    """Check that both bounds of integers are None, or neither.

    Raises:
        ValueError: If only one bound of integers is None.
    """
    if kind.is_integer and (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer dtype {kind}, minval and maxval must be both `None` or both "
            f"non-`None`; got minval={minval} and maxval={maxval}"
        )


def uniform(state: State, shape: Any, minval: Any, maxval: Any, kind: DType) -> Tensor:
    """Draw numbers in `[minval, maxval)`; integers of the whole range if both are None.

    Raises:
        InvalidArgumentError: If the range of integers is empty.
    """
    shape = sizes("random_uniform", shape)
    if kind.is_integer:
        if minval is None:
            return full_int(state, shape, kind)
        low, high = convert_to_tensor(minval, kind), convert_to_tensor(maxval, kind)
        if math.prod(shape) and type(low) is type(high) is Tensor and int(low) >= int(high):
            message = f"Need minval < maxval, got {int(low)} >= {int(high)}"
            return failing("random_int", message, (), shape, kind)
        if kind in dtypes.WIDE:
            return _between(state, shape, low, high)
        return draw(primitives.random_int, state, low, high, shape=shape)
    unit = _unit(state, shape, kind)
    limit = 1 if maxval is None else maxval
    if isinstance(minval, int) and isinstance(limit, int) and (minval, limit) == (0, 1):
        return unit
    low = convert_to_tensor(minval, kind)
    return unit * (convert_to_tensor(limit, kind) - low) + low


def _between(state: State, shape: tuple[int, ...], low: Tensor, high: Tensor) -> Tensor:
    """Draw int64 numbers in `[low, high)`: two words modulo the range, in unsigned arithmetic."""
    words = full_int(state, shape, dtypes.uint64)
    span = bitcast(high, dtypes.uint64) - bitcast(low, dtypes.uint64)
    return bitcast(ew.floor_mod(words, span), dtypes.int64) + low


def _of(kind: DType) -> dict[str, Any]:
    """Return the attributes of an op that produces float32 by default."""
    return {"dtype": kind} if kind in dtypes.WIDE else {}


def _unit(state: State, shape: tuple[int, ...], kind: DType) -> Tensor:
    """Draw floats in `[0, 1)`."""
    if kind not in _FRACTION_BITS:
        return draw(primitives.random_uniform, state, shape=shape, **_of(kind))
    steps = 2 ** _FRACTION_BITS[kind]
    bits = draw(primitives.random_bits, state, shape=shape)
    fraction: Tensor = cast(bitwise.bitwise_and(bits, steps - 1), dtypes.float32) / steps
    return cast(fraction, kind)


def full_int(state: State, shape: Any, kind: DType) -> Tensor:
    """Draw integers from all values of a dtype; a 64-bit integer consists of two words."""
    shape = sizes("random_bits", shape)
    if kind.size < dtypes.uint64.size:
        return cast(draw(primitives.random_bits, state, shape=shape), kind)
    return bitcast(draw(primitives.random_bits, state, shape=(*shape, 2)), kind)


def normal(
    state: State, shape: Any, mean: Any, stddev: Any, dtype: Any, truncated: bool = False
) -> Tensor:
    """Draw normal numbers, optionally only those within two standard deviations."""
    kind = as_dtype(dtype)
    op = primitives.random_truncated_normal if truncated else primitives.random_normal
    mean, stddev = convert_to_tensor(mean, kind), convert_to_tensor(stddev, kind)
    drawn = cast(draw(op, state, shape=sizes(op.name, shape), **_of(kind)), kind)
    result: Tensor = drawn * stddev + mean
    return result


def broadcast(op: str, *values: Any) -> list[Tensor]:
    """Broadcast a distribution's parameters to their common shape."""
    tensors = [convert_to_tensor(v) for v in values]
    shape = broadcast_shapes(op, *(t.aval.shape for t in tensors))
    return [broadcast_to(t, shape) for t in tensors]


def trials(op: str, counts: Tensor, probs: Tensor) -> list[Tensor]:
    """Return the parameters of a binomial distribution, broadcast.

    Without trials there are no successes, even if the probability is NaN.
    """
    n, p = broadcast(op, counts, probs)
    return [n, where(logic.equal(n, zeros_like(n)), zeros_like(p), p)]


def leading(op: str, shape: Any, parameters: Sequence[Tensor]) -> tuple[int, ...]:
    """Return the part of `shape` before the parameters' shape.

    Raises:
        InvalidArgumentError: If `shape` does not end with the parameters' shape.
    """
    whole, inner = sizes(op, shape), parameters[0].aval.shape
    lead = len(whole) - len(inner)
    if lead < 0 or whole[lead:] != inner:
        raise invalid(
            op,
            f"Shape passed in must end with broadcasted shape {list(inner)}, got {list(whole)}",
        )
    return whole[:lead]


def sampled(
    op: Op, state: State, lead: tuple[int, ...], parameters: Sequence[Tensor], **attrs: Any
) -> Tensor:
    """Draw `lead` samples for each element of the parameters, which have one shape."""
    count = int(np.prod(lead))
    drawn = draw(op, state, *parameters, samples=count, **attrs)
    return reshape(drawn, (*lead, *parameters[0].aval.shape))


def gamma(state: State, lead: tuple[int, ...], alpha: Tensor, beta: Any) -> Tensor:
    """Draw gamma numbers of rate `beta`; they are never 0."""
    kind = alpha.dtype
    drawn = cast(sampled(distributions.random_gamma, state, lead, [alpha], **_of(kind)), kind)
    tiny = float(np.finfo(kind.as_numpy_dtype).tiny)
    return ew.maximum(drawn / beta, storable(tiny))


def gamma_parameters(alpha: Any, beta: Any, dtype: Any) -> tuple[Tensor, Tensor]:
    """Return `alpha` in the common shape, and `beta` as a tensor, with None as 1."""
    kind = as_dtype(dtype)
    shape_ = convert_to_tensor(alpha, kind)
    rate = convert_to_tensor(1 if beta is None else beta, kind)
    return broadcast("random_gamma", shape_, rate)[0], rate


def categorical(state: State, logits: Any, num_samples: Any, dtype: Any) -> Tensor:
    """Draw class indices `[batch, num_samples]`, by inversion of the cumulative probabilities.

    TensorFlow computes the probabilities in float64, tfpy in float32, so a few of ten million
    indices differ.

    Raises:
        InvalidArgumentError: If the logits are not floats of shape `[batch, classes]`, or there are
            no classes.
        ValueError: If `dtype` is neither int32 nor int64.
    """
    values = convert_to_tensor(logits)
    if values.ndim != 2:
        raise invalid("categorical", f"logits should be a matrix, got shape {values.shape}")
    if not values.dtype.is_floating:
        raise invalid_dtype("categorical", f"logits have dtype {values.dtype.name}; use tf.cast")
    values = cast(values, dtypes.float32)
    (count,) = sizes("categorical", num_samples)
    kind = dtypes.int64 if dtype is None else as_dtype(dtype)
    if kind not in dtypes.INDICES:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind}. Accepted dtypes are tf.int32."
        )
    if values.aval.shape[1] == 0 and values.aval.shape[0] * count:
        message = "num_classes should be positive, got 0"
        return failing("categorical", message, (values,), (values.aval.shape[0], count), kind)
    finite = logic.is_finite(values)
    top = reduce_max(logic.select(finite, values, -math.inf), 1, keepdims=True)
    weights = logic.select(
        finite, ew.exp(values - logic.select(logic.is_finite(top), top, 0.0)), 0.0
    )
    sums = cumsum(weights, 1)
    units = draw(primitives.random_fine_uniform, state, shape=(values.aval.shape[0], count))
    total = sums[:, -1:]
    places = ew.minimum(units * total, total * (1 - 2**-23))  # rounding must not yield the total
    return searchsorted(sums, places, "right", kind)


def shuffled(state: State, value: Any) -> Tensor:
    """Shuffle the rows of a tensor; a scalar is returned unchanged."""
    x = convert_to_tensor(value)
    if not x.ndim or x.size < 2:
        return x
    return take(x, draw(distributions.random_permutation, state, count=x.aval.shape[0]))
