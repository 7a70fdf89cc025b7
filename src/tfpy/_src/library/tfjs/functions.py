"""Functions under `tf` that TensorFlow.js has and TensorFlow does not have."""

from __future__ import annotations

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import contraction, elementwise as ew, logic
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.linalg.products import tensordot
from tfpy._src.tensors.math.statistics import reduce_euclidean_norm
from tfpy._src.tensors.random import stateful
from tfpy._src.tensors.signal.fourier import fft, ifft, irfft as _irfft, rfft as _rfft


def rfft(input: TensorLike, fft_length: int | None = None) -> Tensor:
    """Compute the discrete Fourier transform of real numbers over the last axis.

    Equivalent to `tf.spectral.rfft` in TensorFlow.js. Unlike in `tf.signal.rfft`, `fft_length` is a
    single integer.

    Args:
        input: Float32 tensor of shape `[..., n]`.
        fft_length: Number of elements to transform. The input is cropped or padded with zeros to
            this length. Default: n.

    Returns:
        Complex64 tensor of shape `[..., fft_length // 2 + 1]`.

    Example:
        >>> import tfpy as tf
        >>> tf.spectral.rfft([1.0, 2.0, 3.0, 4.0]).numpy().real.round(3).tolist()
        [10.0, -2.0, -2.0]

    See also: `tf.spectral.irfft`, `tf.signal.rfft`.
    """
    return _rfft(input, None if fft_length is None else [fft_length])


def irfft(input: TensorLike) -> Tensor:
    """Compute the inverse of `tf.spectral.rfft` for signals of an even length.

    Equivalent to `tf.spectral.irfft` in TensorFlow.js.

    Args:
        input: Complex64 tensor of shape `[..., n]`.

    Returns:
        Float32 tensor of shape `[..., 2 * (n - 1)]`.

    Example:
        >>> import tfpy as tf
        >>> frequencies = tf.constant([10, -2 + 2j, -2], tf.complex64)
        >>> tf.spectral.irfft(frequencies).numpy().round(3).tolist()
        [1.0, 2.0, 3.0, 4.0]

    See also: `tf.spectral.rfft`, `tf.signal.irfft`.
    """
    return _irfft(input)


__all__ = ["fft", "ifft", "irfft", "rfft"]


def random_standard_normal(
    shape: ShapeLike, dtype: DTypeLike = dtypes.float32, seed: int | None = None
) -> Tensor:
    """Draw samples from the normal distribution with mean 0 and standard deviation 1.

    Equivalent to `tf.randomStandardNormal` in TensorFlow.js. Unless the environment variable
    `TFPY_ENABLE_X64` is set, `tf.float64` is another name of `tf.float32`.

    Args:
        shape: Shape of the result.
        dtype: Dtype of the result. Default: float32.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor of shape `shape` and dtype `dtype`.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.random_standard_normal([3]).numpy().round(3)
        array([-1.101,  1.546,  0.384], dtype=float32)

    See also: `tf.random.normal`.
    """
    return stateful.normal(shape, dtype=dtype, seed=seed)


def random_uniform_int(
    shape: ShapeLike, minval: int, maxval: int, seed: int | None = None
) -> Tensor:
    """Draw random integers from a uniform distribution.

    Equivalent to `tf.randomUniformInt` in TensorFlow.js.

    Args:
        shape: Shape of the result.
        minval: Lower bound, inclusive.
        maxval: Upper bound, exclusive.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Int32 tensor of shape `shape` with values in [minval, maxval).

    Raises:
        tf.errors.InvalidArgumentError: If `minval` is not less than `maxval`.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.random_uniform_int([6], minval=1, maxval=7).numpy().tolist()  # dice
        [1, 4, 4, 6, 1, 5]

    See also: `tf.random.uniform`.
    """
    return stateful.uniform(shape, minval, maxval, dtypes.int32, seed)


def prelu(x: TensorLike, alpha: TensorLike) -> Tensor:
    """Compute the parametric ReLU, a leaky ReLU with a learned slope.

    The result is `x` for positive elements, and `alpha * x` for other elements. Equivalent to
    `tf.prelu` in TensorFlow.js.

    Args:
        x: Float tensor.
        alpha: Slope for elements that are not positive, a tensor with the dtype of `x` that is
            broadcast with `x`.

    Returns:
        Tensor with the dtype of `x` and the common shape of `x` and `alpha` after broadcasting.

    Example:
        >>> import tfpy as tf
        >>> tf.prelu([-2.0, -4.0, 3.0], alpha=[0.5, 0.25, 0.5]).numpy().tolist()
        [-1.0, -1.0, 3.0]

    See also: `tf.nn.leaky_relu`.
    """
    a, b = as_tensors(ew.multiply, (x, alpha))
    return logic.select(a > 0, a, a * b)


def step(x: TensorLike, alpha: float = 0.0) -> Tensor:
    """Compute the step function, which is 1 for positive elements and `alpha` for other elements.

    NaN remains NaN. Equivalent to `tf.step` in TensorFlow.js.

    Args:
        x: Tensor of a real dtype.
        alpha: Value for elements that are not positive. Default: 0.

    Returns:
        Tensor with the shape and dtype of `x`.

    Example:
        >>> import tfpy as tf
        >>> tf.step([-2.0, 0.0, 3.0]).numpy().tolist()
        [0.0, 0.0, 1.0]

    See also: `tf.sign`.
    """
    t = convert_to_tensor(x)
    if not t.dtype.is_floating:
        return logic.select(t > 0, 1, int(alpha))
    return logic.select(
        logic.is_nan(t), t, logic.select(t > 0, constant(1.0, t.dtype), float(alpha))
    )


def dot(t1: TensorLike, t2: TensorLike) -> Tensor:
    """Compute the dot product of two vectors, two matrices, or a vector and a matrix.

    The elementwise products are summed over the last axis of `t1` and the first axis of `t2`.
    Equivalent to `tf.dot` in TensorFlow.js.

    Args:
        t1: Tensor of rank 1 or 2.
        t2: Tensor of rank 1 or 2 with the dtype of `t1`.

    Returns:
        Tensor with the dtype of `t1`. Its axes are the axes of `t1` except the last one, followed
        by the axes of `t2` except the first one.

    Raises:
        tf.errors.InvalidArgumentError: If the rank of `t1` or `t2` is not 1 or 2, or the sizes of
            the summed axes differ.

    Example:
        >>> import tfpy as tf
        >>> tf.dot([1.0, 2.0], [[1.0, 0.0], [3.0, 1.0]]).numpy().tolist()
        [7.0, 2.0]

    See also: `tf.matmul`, `tf.tensordot`, `tf.outer_product`.
    """
    a, b = as_tensors(contraction.matmul, (t1, t2))
    if a.ndim not in (1, 2) or b.ndim not in (1, 2):
        raise invalid(
            "dot",
            f"both must be vectors or matrices, got {list(a.aval.shape)} and {list(b.aval.shape)}",
        )
    return tensordot(a, b, 1)


def outer_product(v1: TensorLike, v2: TensorLike) -> Tensor:
    """Compute the outer product of two vectors.

    Equivalent to `tf.outerProduct` in TensorFlow.js.

    Args:
        v1: Tensor of shape `[n]`.
        v2: Tensor of shape `[m]` with the dtype of `v1`.

    Returns:
        Tensor of shape `[n, m]` with the dtype of `v1`.

    Raises:
        tf.errors.InvalidArgumentError: If an argument is not a vector.

    Example:
        >>> import tfpy as tf
        >>> tf.outer_product([1.0, 2.0], [3.0, 4.0, 5.0]).numpy().tolist()
        [[3.0, 4.0, 5.0], [6.0, 8.0, 10.0]]

    See also: `tf.dot`, `tf.einsum`.
    """
    a, b = as_tensors(ew.multiply, (v1, v2))
    if a.ndim != 1 or b.ndim != 1:
        raise invalid(
            "outer_product",
            f"both must be vectors, got {list(a.aval.shape)} and {list(b.aval.shape)}",
        )
    return reshape(a, [a.aval.shape[0], 1]) * b


def euclidean_norm(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Compute the Euclidean norm, `sqrt(sum(x ** 2))`, over axes.

    Equivalent to `tf.euclideanNorm` in TensorFlow.js.

    Args:
        x: Tensor of a numeric dtype.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Tensor with the dtype of `x`, without the reduced axes unless `keepdims` is True.

    Example:
        >>> import tfpy as tf
        >>> tf.euclidean_norm([[3.0, 4.0], [0.0, 5.0]], axis=1).numpy().tolist()
        [5.0, 5.0]

    See also: `tf.norm`, `tf.math.reduce_euclidean_norm`.
    """
    return reduce_euclidean_norm(x, axis, keepdims)


def moving_average(
    v: TensorLike,
    x: TensorLike,
    decay: float | Tensor,
    step: float | Tensor | None = None,
    zero_debias: bool = True,
) -> Tensor:
    """Update an exponential moving average, and return the new average.

    The result is `v + (x - v) * (1 - decay)`. Equivalent to `tf.movingAverage` in TensorFlow.js.

    Args:
        v: Tensor with the current average.
        x: Tensor with the new value, of the shape and dtype of `v`.
        decay: Scalar weight of the current average, usually close to 1.
        step: Number of the update, counted from 1. Required if `zero_debias` is True.
        zero_debias: If True, divide the change by `1 - decay ** step`. This corrects the bias of an
            average that starts at 0.

    Returns:
        Tensor with the shape and dtype of `v`.

    Raises:
        ValueError: If the shapes of `v` and `x` differ, or if `zero_debias` is True and `step` is
            None.

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
            raise ValueError("moving_average: zero_debias=True requires a step")
        change = change / (1 - decay**step)
    return ew.add(old, change)
