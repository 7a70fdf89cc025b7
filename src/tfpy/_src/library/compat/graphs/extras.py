"""`tf.compat.v1`: scopes, partitioners and other small functions for graphs."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.functions.control.effects import py_function
from tfpy._src.functions.control.ordering import group
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.compat.graphs.scopes import VariableScope, name_scope, variable_scope
from tfpy._src.library.debugging.assertions import check_numerics
from tfpy._src.tensors.array.reshaping import identity
from tfpy._src.tensors.random.streams import op_seeds
from tfpy._src.tensors.variables.variable import Variable


@contextmanager
def container(container_name: str) -> Iterator[str]:
    """Return a context manager without effect, because there is one container of resources.

    Args:
        container_name: Name of the container.

    Returns:
        A context manager that returns the name.

    Example:
        >>> import tfpy as tf
        >>> with tf.compat.v1.container("experiment"):
        ...     v = tf.Variable(1.0)

    See also: `tf.Graph`.
    """
    yield container_name


def op_scope(values: Sequence[Any], name: str | None, default_name: str | None = None) -> Any:
    """Return a context manager that prefixes names, with the arguments of early versions.

    Args:
        values: Has no effect.
        name: Name of the scope. None for `default_name`.
        default_name: Name if `name` is None.

    Returns:
        A context manager that returns the prefix.

    Example:
        >>> import tfpy as tf
        >>> with tf.compat.v1.op_scope([], None, "layer") as scope:
        ...     print(scope)
        layer/

    See also: `tf.compat.v1.name_scope`.
    """
    return name_scope(name, default_name)


def variable_op_scope(
    values: Sequence[Any],
    name_or_scope: str | VariableScope | None,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Callable[..., Any] | None = None,
    caching_device: object = None,
    partitioner: object = None,
    custom_getter: Callable[..., Any] | None = None,
    reuse: Any = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Callable[..., Any] | None = None,
) -> Any:
    """Return a variable scope, with the arguments of early versions.

    Args:
        values: Has no effect.
        name_or_scope, default_name: As for `tf.compat.v1.variable_scope`, like all other arguments.
        initializer, regularizer, caching_device, partitioner, custom_getter: See above.
        reuse, dtype, use_resource, constraint: See above.

    Returns:
        A context manager that returns the `VariableScope`.

    Example:
        >>> import tfpy as tf
        >>> with tf.compat.v1.variable_op_scope([], "model") as scope:
        ...     print(scope.name)
        model

    See also: `tf.compat.v1.variable_scope`.
    """
    return variable_scope(
        name_or_scope, default_name, values, initializer, regularizer, caching_device,
        partitioner, custom_getter, reuse, dtype, use_resource, constraint,
    )  # fmt: skip


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Convert a value to a tensor, and return `tf.IndexedSlices` unchanged.

    Args:
        value: Tensor, number, list, array or `tf.IndexedSlices`.
        dtype: Dtype of the result.

    Returns:
        Tensor or `tf.IndexedSlices`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.convert_to_tensor_or_indexed_slices([1, 2]).numpy().tolist()
        [1, 2]

    See also: `tf.convert_to_tensor`.
    """
    return value if isinstance(value, IndexedSlices) else convert_to_tensor(value, dtype)


def count_up_to(ref: Variable, limit: int, name: str | None = None) -> Any:
    """Increment an integer Variable unless it has reached a limit.

    Args:
        ref: Integer Variable.
        limit: Limit.

    Returns:
        Scalar tensor with the value before the increment.

    Raises:
        tf.errors.OutOfRangeError: If the Variable has the value `limit`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3)
        >>> print(tf.compat.v1.count_up_to(v, 5).numpy(), v.numpy())
        3 4

    See also: `tf.Variable.assign_add`.
    """
    return ref.count_up_to(limit)


def batch_scatter_update(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replace rows of each batch of a Variable.

    Args:
        ref: Variable of shape [batches..., rows, ...].
        indices: Integer tensor of shape [batches..., n].
        updates: Tensor of shape [batches..., n, ...].
        use_locking: Has no effect.

    Returns:
        The Variable, or a tensor with its new value while a graph is active.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([[1, 2], [3, 4]])
        >>> _ = tf.compat.v1.batch_scatter_update(v, [[0], [1]], [[5], [6]])
        >>> v.numpy().tolist()
        [[5, 2], [3, 6]]

    See also: `tf.compat.v1.scatter_update`.
    """
    return ref.batch_scatter_update(IndexedSlices(updates, indices))


def add_check_numerics_ops() -> Any:
    """Return an operation that checks that the float tensors of the graph are finite.

    Returns:
        A `tf.Operation`.

    Raises:
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     x = tf.constant([1.0, 2.0]) * 3.0
        ...     check = tf.compat.v1.add_check_numerics_ops()
        ...     sess.run(check)

    See also: `tf.debugging.enable_check_numerics`.
    """
    if tracing.executing_eagerly():
        raise RuntimeError(
            "add_check_numerics_ops() is not compatible with eager execution. To check for "
            "Inf's and NaN's under eager execution, call tf.debugging.enable_check_numerics() "
            "once before executing the checked operations."
        )
    checked = recorded(check_numerics)
    found = [
        output
        for op in get_default_graph().get_operations()
        for output in op.outputs
        if output.dtype.is_floating
    ]
    return group(*[checked(x, f"{x.name}") for x in found], name="group_deps")


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """Return the seeds of an operation, which depend on the seed of the program.

    Args:
        op_seed: Seed of the operation.

    Returns:
        Pair of integers, or of None if there are no seeds.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(None)
        >>> tf.compat.v1.get_seed(3)
        (87654321, 3)

    See also: `tf.random.set_seed`.
    """
    return op_seeds(op_seed) or (None, None)


def Print(  # noqa: N802 - TensorFlow's name
    input_: TensorLike,
    data: Sequence[TensorLike],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Print tensors to the standard error output, and return another tensor.

    Args:
        input_: Tensor that is returned.
        data: List of tensors that are printed.
        message: Text in front of the tensors.
        first_n: Number of calls that print. Default: all calls.
        summarize: Number of printed elements of each tensor. Default: 3.

    Returns:
        The tensor `input_`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.compat.v1.Print(tf.constant(1.0), [tf.constant([1, 2])], "numbers: ")
        >>> x.numpy().tolist()
        1.0

    See also: `tf.print`.
    """
    calls = itertools.count()

    def show(*tensors: Any) -> None:
        if first_n is not None and 0 <= first_n <= next(calls):
            return
        shown = "".join(_shown(np.asarray(x).ravel(), summarize or 3) for x in tensors)
        sys.stderr.write(f"{message or ''}{shown}\n")

    def printed(input_: Any, data: Any) -> Any:
        py_function(show, data, [])
        return identity(input_)

    return recorded(printed)(input_, [*data])


def _shown(values: Any, count: int) -> str:
    return f"[{' '.join(map(str, values[:count]))}{'...' if len(values) > count else ''}]"


@contextmanager
def colocate_with(op: object, ignore_existing: bool = False) -> Iterator[None]:
    """Return a context manager that specifies the device of another operation in a `tf.Graph`.

    Args:
        op: Operation, tensor or Variable.
        ignore_existing: If True, enclosing contexts are ignored.

    Returns:
        A context manager.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant(1.0)
        >>> with tf.compat.v1.colocate_with(x):
        ...     print(float(x + 1.0))
        2.0

    See also: `tf.device`.
    """
    graph = tracing.active_graph()
    with nullcontext() if graph is None else graph.colocate_with(op, ignore_existing):
        yield
