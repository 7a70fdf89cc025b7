"""Functions that TensorFlow.js has under ``tf`` itself and TensorFlow has not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import activation, contraction, elementwise as ew, logic, trigonometry
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import concat, split
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.linalg.products import matmul, tensordot
from tfpy._src.tensors.math.statistics import reduce_euclidean_norm
from tfpy._src.tensors.random import stateful
from tfpy._src.tensors.signal.fourier import fft, ifft, irfft as _irfft, rfft as _rfft


def rfft(input: Any, fft_length: int | None = None) -> Tensor:
    """Transform of float32 numbers; TensorFlow.js takes ``fft_length`` as one number.

    Example:
        >>> import tfpy as tf
        >>> tf.spectral.rfft([1.0, 2.0, 3.0, 4.0]).numpy().real.round(3).tolist()
        [10.0, -2.0, -2.0]
    """
    return _rfft(input, None if fft_length is None else [fft_length])


def irfft(input: Any) -> Tensor:
    """Inverse of :func:`rfft` for an even length.

    Example:
        >>> import tfpy as tf
        >>> frequencies = tf.constant([10, -2 + 2j, -2], tf.complex64)
        >>> tf.spectral.irfft(frequencies).numpy().round(3).tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    return _irfft(input)


__all__ = ["fft", "ifft", "irfft", "rfft"]


Cell = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
"""``(data, c, h)`` to the next ``(c, h)``."""


def tensor(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of numbers, nested sequences or an array: :func:`tf.constant` in another order.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        TypeError: when the number of values does not fit ``shape``.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor([1, 2, 3, 4], [2, 2]).numpy().tolist()
        [[1, 2], [3, 4]]
    """
    return constant(values, dtype, shape)


def scalar(value: Any, dtype: Any = None) -> Tensor:
    """A tensor of one number, without dimensions.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.scalar(3.5).shape, tf.scalar(3.5).numpy().tolist()
        (TensorShape([]), 3.5)
    """
    return _of_rank("scalar", 0, value, (), dtype)


def tensor1d(values: Any, dtype: Any = None) -> Tensor:
    """A vector.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor1d([1, 2, 3]).shape
        TensorShape([3])
    """
    return _of_rank("tensor1d", 1, values, None, dtype)


def tensor2d(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A matrix, of nested sequences or of flat values and a shape; so up to ``tensor6d``.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor2d([1, 2, 3, 4, 5, 6], [2, 3]).numpy().tolist()
        [[1, 2, 3], [4, 5, 6]]
    """
    return _of_rank("tensor2d", 2, values, shape, dtype)


def tensor3d(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of three dimensions.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor3d([1, 2, 3, 4], [1, 2, 2]).numpy().tolist()
        [[[1, 2], [3, 4]]]
    """
    return _of_rank("tensor3d", 3, values, shape, dtype)


def tensor4d(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of four dimensions.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor4d([1, 2, 3, 4], [1, 2, 2, 1]).shape
        TensorShape([1, 2, 2, 1])
    """
    return _of_rank("tensor4d", 4, values, shape, dtype)


def tensor5d(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of five dimensions.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor5d([1, 2, 3, 4], [1, 1, 2, 2, 1]).shape
        TensorShape([1, 1, 2, 2, 1])
    """
    return _of_rank("tensor5d", 5, values, shape, dtype)


def tensor6d(values: Any, shape: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of six dimensions.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor6d([1, 2, 3, 4], [1, 1, 1, 2, 2, 1]).shape
        TensorShape([1, 1, 1, 2, 2, 1])
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
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> tf.random_standard_normal([2, 3]).shape
        TensorShape([2, 3])
    """
    return stateful.normal(shape, dtype=dtype, seed=seed)


def random_uniform_int(shape: Any, minval: int, maxval: int, seed: Any = None) -> Tensor:
    """Integers in ``[minval, maxval)``, each as likely.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> x = tf.random_uniform_int([100], minval=0, maxval=6)
        >>> x.dtype, bool(tf.reduce_all((x >= 0) & (x < 6)))
        (tf.int32, True)
    """
    return stateful.uniform(shape, minval, maxval, dtypes.int32, seed)


def prelu(x: Any, alpha: Any) -> Tensor:
    """x above 0, alpha * x below, with broadcasting.

    Example:
        >>> import tfpy as tf
        >>> tf.prelu([-2.0, -4.0, 3.0], alpha=[0.5, 0.25, 0.5]).numpy().tolist()
        [-1.0, -1.0, 3.0]
    """
    a, b = as_tensors(ew.multiply, (x, alpha))
    return logic.select(a > 0, a, a * b)


def step(x: Any, alpha: float = 0.0) -> Tensor:
    """1 above 0, ``alpha`` at 0 and below; NaN stays NaN.

    Example:
        >>> import tfpy as tf
        >>> tf.step([-2.0, 0.0, 3.0]).numpy().tolist()
        [0.0, 0.0, 1.0]
    """
    t = convert_to_tensor(x)
    if not t.dtype.is_floating:
        return logic.select(t > 0, 1, int(alpha))
    return logic.select(
        logic.is_nan(t), t, logic.select(t > 0, constant(1.0, t.dtype), float(alpha))
    )


def dot(t1: Any, t2: Any) -> Tensor:
    """The sum of products over the last dimension of ``t1`` and the first of ``t2``.

    Raises:
        InvalidArgumentError: unless both are vectors or matrices of fitting sizes.

    Example:
        >>> import tfpy as tf
        >>> tf.dot([1.0, 2.0], [[1.0, 0.0], [3.0, 1.0]]).numpy().tolist()
        [7.0, 2.0]
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

    Example:
        >>> import tfpy as tf
        >>> tf.outer_product([1.0, 2.0], [3.0, 4.0, 5.0]).numpy().tolist()
        [[3.0, 4.0, 5.0], [6.0, 8.0, 10.0]]
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

    Example:
        >>> import tfpy as tf
        >>> tf.euclidean_norm([[3.0, 4.0], [0.0, 5.0]], axis=1).numpy().tolist()
        [5.0, 5.0]
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

    Example:
        >>> import tfpy as tf
        >>> kernel, bias = tf.zeros([2 + 3, 4 * 3]), tf.zeros([4 * 3])
        >>> data, c, h = tf.ones([1, 2]), tf.ones([1, 3]), tf.zeros([1, 3])
        >>> c, h = tf.basic_lstm_cell(0.0, kernel, bias, data, c, h)
        >>> c.numpy().round(3).tolist(), h.shape
        ([[0.5, 0.5, 0.5]], TensorShape([1, 3]))
    """
    state = convert_to_tensor(c)
    gates = matmul(concat([data, h], 1), lstm_kernel) + lstm_bias
    if gates.shape[1] != 4 * state.aval.shape[1]:
        raise invalid(
            "basic_lstm_cell",
            f"lstm_kernel must give 4 * {state.aval.shape[1]} columns, gives {gates.shape[1]}",
        )
    enter, candidate, forget, leave = split(gates, 4, axis=1)
    kept = state * activation.sigmoid(forget + forget_bias)
    new_c = activation.sigmoid(enter) * trigonometry.tanh(candidate) + kept
    return new_c, trigonometry.tanh(new_c) * activation.sigmoid(leave)


def multi_rnn_cell(
    lstm_cells: Sequence[Cell], data: Any, c: Sequence[Any], h: Sequence[Any]
) -> tuple[list[Tensor], list[Tensor]]:
    """One step of stacked cells; each one's ``h`` is the next one's data.

    Example:
        >>> import tfpy as tf
        >>> def cell(data, c, h):
        ...     return c + data, h + data
        >>> ones = tf.ones([1, 2])
        >>> c, h = tf.multi_rnn_cell([cell, cell], ones, [ones, ones], [ones, ones])
        >>> [x.numpy().tolist() for x in h]
        [[[2.0, 2.0]], [[3.0, 3.0]]]
    """
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

    Example:
        >>> import tfpy as tf
        >>> tf.moving_average([0.0], [8.0], decay=0.5, zero_debias=False).numpy().tolist()
        [4.0]
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
