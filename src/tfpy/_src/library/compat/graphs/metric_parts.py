"""Parts of the metrics of `tf.compat.v1.metrics`: their Variables, updates, weights and entries."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from tfpy._src.base import dtypes, tracing
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.tensors.array import making
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, squeeze
from tfpy._src.tensors.variables.variable import Variable

F = TypeVar("F", bound=Callable[..., Any])

_SHARED = """\
    weights: Weight of each value, a number or a tensor. Each dimension of the tensor is 1 or equal
        to the corresponding dimension of the values. Default: 1.
    metrics_collections: Names of collections of the graph to which the value is added.
    updates_collections: Names of collections of the graph to which the update is added.

Returns:
    Pair of tensors of a graph: {returns}. The second one also adds the present batch to the
    metric's local Variables.

Raises:
    RuntimeError: In eager execution.
    ValueError: If the arguments do not match.

Example:
    >>> import tfpy as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     value, update = tf.compat.v1.metrics.{name}({call})
    ...     sess.run(tf.compat.v1.local_variables_initializer())
    ...     print(sess.run(update).round(2).tolist())
    {prints}

See also: `{see}`."""


def metric(
    call: str, prints: str, see: str, returns: str = "the value, and the value after an update"
) -> Callable[[F], F]:
    """Return a decorator that completes the entry of a metric and refuses eager execution.

    Args:
        call: Arguments of the example.
        prints: Output of the example.
        see: Name of a related function.
        returns: Description of the two results.
    """

    def decorate(function: F) -> F:
        name = function.__name__
        end = _SHARED.format(returns=returns, name=name, call=call, prints=prints, see=see)
        function.__doc__ = f"{inspect.getdoc(function)}\n{end}"
        return function

    return decorate


def require_graph(name: str) -> None:
    """Check that a graph is active.

    Raises:
        RuntimeError: In eager execution.
    """
    if tracing.executing_eagerly():
        raise RuntimeError(
            f"tf.metrics.{name} is not supported when eager execution is enabled. Call it in "
            "`with tf.Graph().as_default():`, or use the classes of tf.keras.metrics."
        )


def local_variable(name: str, shape: Sequence[int], dtype: DTypeLike = dtypes.float32) -> Variable:
    """Make a local Variable of a metric."""
    keys = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
    return GraphVariable(
        lambda: making.zeros(shape, dtype), trainable=False, name=name, collections=keys
    )


def streamed(
    variables: Sequence[Variable],
    batch: Callable[..., Sequence[Tensor]],
    given: Sequence[Any],
    result: Callable[..., Tensor],
    collections: tuple[Iterable[str] | None, Iterable[str] | None],
    update_result: Callable[..., Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """Add the operations of a metric to the graph.

    Args:
        variables: Variables of the metric.
        batch: Function that computes what a batch adds to each Variable.
        given: Arguments of `batch`.
        result: Function that computes the value from the values of the Variables.
        collections: Collections of the value and of the update.
        update_result: Function for the result of the update. Default: `result`.
    """
    graph = get_default_graph()

    def value(held: Sequence[Any]) -> Tensor:
        return result(*map(convert_to_tensor, held))

    def update(held: Sequence[Any], given: Sequence[Any]) -> Tensor:
        sums = []
        for variable, part in zip(held, batch(*given), strict=True):
            variable.assign_add(making.cast(part, variable.dtype))
            sums.append(variable.value())
        return (update_result or result)(*sums)

    found = graph.record(value, [[*variables]], {}, "value")
    updated = graph.record(update, [[*variables], [*given]], {}, "update_op")
    for names, tensor in zip(collections, (found, updated), strict=True):
        graph.add_to_collections(names or (), tensor)
    return found, updated


def matched(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Remove a last dimension of size 1 that only one of the tensors has.

    Raises:
        ValueError: If the shapes of predictions and labels differ.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels = convert_to_tensor(labels)
        extra = predictions.shape.rank - labels.shape.rank
        if extra == 1:
            predictions = squeeze(predictions, [-1])
        elif extra == -1:
            labels = squeeze(labels, [-1])
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    extra = weights.shape.rank - predictions.shape.rank
    if weights.shape.rank and extra == 1:
        weights = squeeze(weights, [-1])
    elif weights.shape.rank and extra == -1:
        weights = expand_dims(weights, -1)
    return predictions, labels, weights


def weighted(values: Any, weights: Any) -> tuple[Tensor, Tensor]:
    """Return values multiplied by their weights, and the weight of each value.

    Raises:
        ValueError: If the weights do not have the rank of the values.
    """
    values = making.cast(values, dtypes.float32)
    if weights is None:
        return values, making.ones_like(values)
    weights = making.cast(weights, values.dtype)
    if weights.shape.rank not in (0, values.shape.rank):
        raise ValueError(
            "weights can not be broadcast to values. values.rank="
            f"{values.shape.rank}. weights.rank={weights.shape.rank}."
        )
    weights = broadcast_to(weights, values.shape)
    return values * weights, weights
