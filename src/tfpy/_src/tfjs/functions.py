"""Functions that TensorFlow.js has under ``tf`` itself and TensorFlow has not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src import dtypes
from tfpy._src.array.joining import concat, split
from tfpy._src.array.making import reshape
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.errors import invalid
from tfpy._src.linalg.products import matmul, tensordot
from tfpy._src.math.reductions import reduce_euclidean_norm
from tfpy._src.ops import contraction, elementwise as ew
from tfpy._src.random import stateful

Cell = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
"""``(data, c, h)`` to the next ``(c, h)``."""


def tensor(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of numbers, nested sequences or an array: :func:`tf.constant` in another order.

    Args:
        dtype: of the result; int64 and float64 are int32 and float32.

    Raises:
        TypeError: when the number of values does not fit ``shape``.
    """
    return constant(values, dtype, shape)


def scalar(value: Any, dtype: Any = None) -> Tensor:
    """A tensor of one number, without dimensions.

    Args:
        dtype: of the result; int64 and float64 are int32 and float32.
    """
    return _of_rank("scalar", 0, value, (), dtype)


def tensor1d(values: Any, dtype: Any = None) -> Tensor:
    """A vector.

    Args:
        dtype: of the result; int64 and float64 are int32 and float32.
    """
    return _of_rank("tensor1d", 1, values, None, dtype)


def tensor2d(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A matrix, of nested sequences or of flat values and a shape; so up to ``tensor6d``.

    Args:
        dtype: of the result; int64 and float64 are int32 and float32.
    """
    return _of_rank("tensor2d", 2, values, shape, dtype)


def tensor3d(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of three dimensions.

    Args:
        dtype: of the result; int64 and float64 are int32 and float32.
    """
    return _of_rank("tensor3d", 3, values, shape, dtype)


def tensor4d(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of four dimensions.

    Args:
        dtype: of the result; int64 and float64 are int32 and float32.
    """
    return _of_rank("tensor4d", 4, values, shape, dtype)


def tensor5d(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of five dimensions.

    Args:
        dtype: of the result; int64 and float64 are int32 and float32.
    """
    return _of_rank("tensor5d", 5, values, shape, dtype)


def tensor6d(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of six dimensions.

    Args:
        dtype: of the result; int64 and float64 are int32 and float32.
    """
    return _of_rank("tensor6d", 6, values, shape, dtype)


def _of_rank(name: str, rank: int, values: Any, shape: Any, dtype: Any) -> Tensor:
    made = convert_to_tensor(values, dtype)
    if shape is not None and made.ndim not in (1, len(shape)):
        raise ValueError(
            f"{name}: values must be flat or have the rank of shape {list(shape)}, "
            f"not shape {list(made.aval.shape)}"
        )
    if shape is not None:
        made = reshape(made, shape)
    if made.ndim != rank:
        raise ValueError(f"{name}: values must have rank {rank}, not shape {list(made.aval.shape)}")
    return made


def random_standard_normal(shape: Any, dtype: Any = dtypes.float32, seed: Any = None) -> Tensor:
    """Normal numbers of mean 0 and deviation 1.

    Args:
        dtype: of the result; int64 and float64 are int32 and float32.
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.
    """
    return stateful.normal(shape, dtype=dtype, seed=seed)


def random_uniform_int(shape: Any, minval: int, maxval: int, seed: Any = None) -> Tensor:
    """Integers in ``[minval, maxval)``, each as likely.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.
    """
    return stateful.uniform(shape, minval, maxval, dtypes.int32, seed)


def prelu(x: Any, alpha: Any) -> Tensor:
    """x above 0, alpha * x below, with broadcasting."""
    a, b = as_tensors(ew.multiply, (x, alpha))
    return ew.select(a > 0, a, a * b)


def step(x: Any, alpha: float = 0.0) -> Tensor:
    """1 above 0, ``alpha`` at 0 and below; NaN stays NaN."""
    t = convert_to_tensor(x)
    if not t.dtype.is_floating:
        return ew.select(t > 0, 1, int(alpha))
    return ew.select(ew.is_nan(t), t, ew.select(t > 0, constant(1.0, t.dtype), float(alpha)))


def dot(t1: Any, t2: Any) -> Tensor:
    """The sum of products over the last dimension of ``t1`` and the first of ``t2``.

    Raises:
        InvalidArgumentError: unless both are vectors or matrices of fitting sizes.
    """
    a, b = as_tensors(contraction.matmul, (t1, t2))
    if a.ndim not in (1, 2) or b.ndim not in (1, 2):
        raise invalid(
            "dot",
            f"both must be vectors or matrices, got {list(a.aval.shape)} and {list(b.aval.shape)}",
        )
    return tensordot(a, b, 1)


def outer_product(v1: Any, v2: Any) -> Tensor:
    """The products of each element of one vector with each of another.

    Raises:
        InvalidArgumentError: unless both are vectors.
    """
    a, b = as_tensors(ew.multiply, (v1, v2))
    if a.ndim != 1 or b.ndim != 1:
        raise invalid(
            "outer_product",
            f"both must be vectors, got {list(a.aval.shape)} and {list(b.aval.shape)}",
        )
    return reshape(a, [a.aval.shape[0], 1]) * b


def euclidean_norm(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """sqrt(sum(x ** 2)) over the axes (all by default).

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.
    """
    return reduce_euclidean_norm(x, axis, keepdims)


def basic_lstm_cell(
    forget_bias: Any, lstm_kernel: Any, lstm_bias: Any, data: Any, c: Any, h: Any
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM: the next ``(c, h)``.

    Args:
        lstm_kernel: ``[input + units, 4 * units]``: input gate, candidate, forget and output gate.
        lstm_bias: ``[4 * units]``.
        data: ``[batch, input]``; ``c`` and ``h`` are ``[batch, units]``.

    Raises:
        InvalidArgumentError: when the sizes do not go together.
    """
    state = convert_to_tensor(c)
    gates = matmul(concat([data, h], 1), lstm_kernel) + lstm_bias
    if gates.shape[1] != 4 * state.aval.shape[1]:
        raise invalid(
            "basic_lstm_cell",
            f"lstm_kernel must give 4 * {state.aval.shape[1]} columns, gives {gates.shape[1]}",
        )
    enter, candidate, forget, leave = split(gates, 4, axis=1)
    kept = state * ew.sigmoid(forget + forget_bias)
    new_c = ew.sigmoid(enter) * ew.tanh(candidate) + kept
    return new_c, ew.tanh(new_c) * ew.sigmoid(leave)


def multi_rnn_cell(
    lstm_cells: Sequence[Cell], data: Any, c: Sequence[Any], h: Sequence[Any]
) -> tuple[list[Tensor], list[Tensor]]:
    """One step of stacked cells; each one's ``h`` is the next one's data."""
    states = []
    x = convert_to_tensor(data)
    for cell, own_c, own_h in zip(lstm_cells, c, h, strict=True):
        states.append(cell(x, own_c, own_h))
        x = states[-1][1]
    return [s[0] for s in states], [s[1] for s in states]


def moving_average(
    v: Any, x: Any, decay: Any, step: Any = None, zero_debias: bool = True
) -> Tensor:
    """v + (x - v) * (1 - decay), divided by 1 - decay ** step if ``zero_debias``.

    Raises:
        ValueError: when ``step`` is missing with ``zero_debias``.
    """
    old, new = as_tensors(ew.subtract, (v, x))
    if old.aval.shape != new.aval.shape:
        raise ValueError(
            f"moving_average: shapes {list(old.shape)} and {list(new.shape)} must be equal"
        )
    change = (new - old) * (1 - decay)
    if zero_debias:
        if step is None:
            raise ValueError("moving_average: zero_debias needs a step")
        change = change / (1 - decay**step)
    return ew.add(old, change)
