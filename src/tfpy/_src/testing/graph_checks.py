"""`tf.compat.v1.test`: gradients and messages of graphs of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.functions.graph_mode.placeholders import placeholder
from tfpy._src.library.protos.graphs import GraphDef
from tfpy._src.tensors.autodiff.graph_gradients import gradients
from tfpy._src.testing import graph_defs

Jacobians = tuple[Array, Array]


def assert_equal_graph_def(
    actual: GraphDef,
    expected: GraphDef,
    checkpoint_v2: bool = False,
    hash_table_shared_name: bool = False,
) -> None:
    """Check that two graphs have the same nodes, in any order.

    Args:
        actual, expected: Graphs as `tf.compat.v1.GraphDef` messages.
        checkpoint_v2, hash_table_shared_name: Has no effect.

    Raises:
        AssertionError: If the graphs differ. The message names the difference.
        TypeError: If an argument is not a GraphDef.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.constant(1.0)
        >>> tf.compat.v1.test.assert_equal_graph_def(graph.as_graph_def(), graph.as_graph_def())

    See also: `tf.test.assert_equal_graph_def`.
    """
    graph_defs.assert_equal_graph_def(expected, actual)


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Sequence[Any] | None = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> Jacobians | list[Jacobians]:
    """Compute the Jacobian matrix of a tensor of a graph by gradients and by finite differences.

    There must be a default session. A complex number counts as two real numbers.

    Args:
        x: Tensor of a graph, or a list of tensors.
        x_shape: Shape of `x`, or a list of shapes.
        y: Tensor that depends on `x`.
        y_shape: Shape of `y`.
        x_init_value: Array with the value of `x`, or a list. Default: random numbers.
        delta: Step of the differences.
        init_targets: Operations that run first.
        extra_feed_dict: Values of other tensors.

    Returns:
        Pair of arrays of shape [elements of x, elements of y], or a list of pairs.

    Example:
        >>> import numpy as np
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session():
        ...     x = tf.constant([1.0, 3.0])
        ...     exact, _ = tf.compat.v1.test.compute_gradient(
        ...         x, [2], tf.square(x), [2], np.array([1.0, 3.0], np.float32))
        >>> exact.tolist()
        [[2.0, 0.0], [0.0, 6.0]]

    See also: `tf.test.compute_gradient`.
    """
    for target in init_targets or ():
        target.run()
    feeds = dict(extra_feed_dict or {})
    if not isinstance(x, list):
        return _jacobians(x, _start(x, x_shape, x_init_value), y, y_shape, delta, feeds)
    given = x_init_value if isinstance(x_init_value, list) else [x_init_value] * len(x)
    starts = [_start(*one) for one in zip(x, x_shape, given, strict=True)]
    return [
        _jacobians(one, start, y, y_shape, delta, feeds)
        for one, start in zip(x, starts, strict=True)
    ]


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Sequence[Any] | None = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> float:
    """Compute the largest difference between gradients and finite differences in a graph.

    There must be a default session.

    Args:
        x, x_shape, y, y_shape: As for `tf.compat.v1.test.compute_gradient`.
        x_init_value, delta, init_targets, extra_feed_dict: As for that function.

    Returns:
        A number, 0 if there are no elements.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session():
        ...     x = tf.constant([1.0, 3.0])
        ...     error = tf.compat.v1.test.compute_gradient_error(x, [2], tf.square(x), [2])
        >>> bool(error < 1e-2)
        True

    See also: `tf.compat.v1.test.compute_gradient`.
    """
    found = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    pairs = found if isinstance(found, list) else [found]
    return max((np.abs(a - b).max() for a, b in pairs if a.size), default=0)


def _start(x: Any, shape: Sequence[int], value: Any) -> Array:
    """Return the value of a tensor at which its gradient is computed."""
    kind: DType = x.dtype
    if not (kind.is_floating or kind.is_complex):
        raise AssertionError(f"Don't support type {kind.name} for x")
    if value is not None:
        if list(shape) != list(value.shape):
            raise AssertionError(f"x_shape = {shape}, init_data shape = {list(value.shape)}")
        return np.asarray(value, kind.as_numpy_dtype)
    numbers = np.random.random_sample(tuple(shape))
    if kind.is_complex:
        numbers = numbers + 1j * np.random.random_sample(tuple(shape))
    return np.asarray(numbers, kind.as_numpy_dtype)


def _jacobians(
    x: Any, start: Array, y: Any, y_shape: Sequence[int], delta: float, feeds: dict[Any, Any]
) -> Jacobians:
    session = x.op.session(None, "eval")
    with x.graph.as_default():
        seed = placeholder(y.dtype, y_shape)
        (slope,) = gradients(y, x, seed)
    seeds = np.zeros(tuple(y_shape), y.dtype.as_numpy_dtype)

    def gradient() -> Array:
        return _numbers(session.run(slope, {**feeds, x: start, seed: seeds}))

    def value() -> Array:
        return _numbers(session.run(y, {**feeds, x: changed}))

    exact = np.zeros((_numbers(start).size, _numbers(seeds).size), _numbers(start).dtype)
    for column in range(exact.shape[1]):
        _numbers(seeds)[column] = 1
        exact[:, column] = gradient()
        _numbers(seeds)[column] = 0
    differences = np.zeros_like(exact)
    changed = start.copy()
    for row in range(exact.shape[0]):
        differences[row] = _difference(value, _numbers(changed), row, delta)
    return exact, differences


def _difference(value: Callable[[], Array], numbers: Array, place: int, delta: float) -> Array:
    """Return the central difference of a function with respect to one number."""
    original = numbers[place]
    numbers[place] = original + delta
    above = value()
    numbers[place] = original - delta
    below = value()
    numbers[place] = original
    return (above - below) / np.asarray(2 * delta, above.dtype)


def _numbers(array: Array) -> Array:
    """Return a view of the elements as real numbers."""
    flat = np.asarray(array).reshape(-1)
    return flat.view(flat.real.dtype)
