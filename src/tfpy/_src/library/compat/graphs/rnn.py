"""`tf.compat.v1.nn`: recurrent networks of cells, which are functions of an input and a state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.typing import DTypeLike, Nest, TensorLike
from tfpy._src.functions.control.mapping import scan
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.functions.graph_mode.subgraph import Subgraph
from tfpy._src.library.compat.graphs.scopes import variable_scope
from tfpy._src.tensors.array import making
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.ranges import range as numbers
from tfpy._src.tensors.array.reordering import reverse, reverse_sequence
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, shape, transpose
from tfpy._src.tensors.array.slicing import where

Cell = Callable[..., Any]
_shape, _transpose = recorded(shape), recorded(transpose)
_reverse, _reverse_sequence = recorded(reverse), recorded(reverse_sequence)


@recorded
def _chosen(is_used: Any, new: Any, old: Any) -> Any:
    """Return the new rows where a sequence has not ended, and the old ones elsewhere."""
    if not new.shape.rank:
        return new
    return where(reshape(is_used, [-1] + [1] * (new.shape.rank - 1)), new, old)


def _initial_state(cell: Any, given: Any, size: Any, dtype: DTypeLike | None) -> Any:
    if given is not None:
        return given
    if dtype is None:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(inputs=None, batch_size=size, dtype=as_dtype(dtype))
    return cell.zero_state(size, as_dtype(dtype))


def _check_cell(cell: Any) -> None:
    if not (hasattr(cell, "output_size") and hasattr(cell, "state_size") and callable(cell)):
        raise TypeError(
            f"The argument 'cell' ({cell}) is not an RNNCell: it needs the attributes output_size "
            "and state_size, the method zero_state or get_initial_state, and must be callable."
        )


def _looped(step: Callable[..., Any], inputs: Any, lengths: Any, states: list[Any]) -> Any:
    """Return the stacked outputs and states of a cell.

    Args:
        step: Function of an input and flat states, which returns flat outputs and flat states.
        inputs: Tensor of shape [time, batch, ...].
        lengths: Lengths of the sequences, or None.
        states: Flat initial states.
    """
    steps = int(inputs.shape[0])
    zeros = [making.zeros_like(x) for x in step(inputs[0], states)[0]]

    def body(before: Any, item: Any) -> Any:
        _, states = before
        x, time = item
        outputs, new = step(x, states)
        if lengths is None:
            return list(outputs), list(new)
        is_used = time < lengths
        outputs = [_chosen(is_used, y, z) for y, z in zip(outputs, zeros, strict=True)]
        return outputs, [_chosen(is_used, a, b) for a, b in zip(new, states, strict=True)]

    times = numbers(steps)
    outputs, all_states = scan(body, (inputs, times), (zeros, states))
    return outputs, [x[-1] for x in all_states]


def dynamic_rnn(
    cell: Cell,
    inputs: TensorLike,
    sequence_length: TensorLike | None = None,
    initial_state: Nest = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Apply a cell to each step of sequences, in a loop.

    Args:
        cell: Function of an input of shape [batch, features] and a state, which returns an output
            and a state. It has the attributes `output_size` and `state_size`, and the method
            `zero_state` or `get_initial_state`. Its Variables come from
            `tf.compat.v1.get_variable`.
        inputs: Float tensor of shape [batch, time, features], or [time, batch, features].
        sequence_length: Integer tensor of shape [batch]. Outputs behind the end of a sequence are
            zeros, and the state does not change there.
        initial_state: Initial state. Default: the cell's zeros.
        dtype: Dtype of the initial state. Required if there is no initial state.
        parallel_iterations, swap_memory: Has no effect.
        time_major: If True, the first axis of inputs and outputs is the time.
        scope: Name or `VariableScope` of the Variables. Default: `"rnn"`.

    Returns:
        Pair of the outputs, a tensor with an additional axis for the time, and the final state.

    Raises:
        TypeError: If `cell` is not a cell.
        ValueError: If there is neither an initial state nor a dtype.

    Example:
        >>> import tfpy as tf
        >>> class Sum:
        ...     output_size = state_size = 1
        ...     def zero_state(self, batch_size, dtype):
        ...         return tf.zeros([batch_size, 1], dtype)
        ...     def __call__(self, x, state, scope=None):
        ...         return x + state, x + state
        >>> outputs, state = tf.compat.v1.nn.dynamic_rnn(
        ...     Sum(), tf.constant([[[1.0], [2.0], [3.0]]]), dtype=tf.float32)
        >>> print(outputs.numpy().ravel(), state.numpy())
        [1. 3. 6.] [[6.]]

    See also: `tf.keras.layers.RNN`.
    """
    _check_cell(cell)
    with variable_scope(scope or "rnn"):
        x = convert_to_tensor(inputs)
        if not time_major:
            x = _transpose(x, _swapped(x.ndim))
        size = x.shape[1] if x.shape[1] is not None else _shape(x)[1]
        state = _initial_state(cell, initial_state, size, dtype)
        lengths = None
        if sequence_length is not None:
            lengths = recorded(making.cast)(sequence_length, dtypes.int32)
        structures: list[Any] = []

        def step(x: Any, *states: Any) -> Any:
            output, new = cell(x, nest.pack_sequence_as(state, [*states]))
            structures[:] = [output]
            return nest.flatten(output), nest.flatten(new)

        states = [convert_to_tensor(s) for s in nest.flatten(state)]
        outputs, final = _loop(step, x, lengths, states)
        if not time_major:
            outputs = [_transpose(y, _swapped(y.ndim)) for y in outputs]
        return nest.pack_sequence_as(structures[0], outputs), nest.pack_sequence_as(state, final)


def _swapped(rank: int) -> list[int]:
    return [1, 0, *range(2, rank)]


def _loop(step: Callable[..., Any], x: Any, lengths: Any, states: list[Any]) -> Any:
    if tracing.executing_eagerly():
        return _looped(lambda x, states: step(x, *states), x, lengths, states)
    graph = get_default_graph()
    body = Subgraph(graph, step, [recorded(_first)(x), *states])

    def dynamic_rnn_loop(x: Any, lengths: Any, states: list[Any], captured: list[Any]) -> Any:
        held = [convert_to_tensor(value) for value in captured]
        return _looped(lambda x, states: body([x, *states], held), x, lengths, states)

    return recorded(dynamic_rnn_loop)(x, lengths, states, body.captured)


def _first(x: Any) -> Any:
    return x[0]


def bidirectional_dynamic_rnn(
    cell_fw: Cell,
    cell_bw: Cell,
    inputs: TensorLike,
    sequence_length: TensorLike | None = None,
    initial_state_fw: Nest = None,
    initial_state_bw: Nest = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Apply two cells to each step of sequences, one of them from the end to the start.

    Args:
        cell_fw, cell_bw: Cells, as for `dynamic_rnn`.
        inputs: Float tensor of shape [batch, time, features], or [time, batch, features].
        sequence_length: Integer tensor of shape [batch].
        initial_state_fw, initial_state_bw: Initial states. Default: the cells' zeros.
        dtype: Dtype of the initial states.
        parallel_iterations, swap_memory: Has no effect.
        time_major: If True, the first axis of inputs and outputs is the time.
        scope: Name or `VariableScope` of the Variables. Default: `"bidirectional_rnn"`.

    Returns:
        Pair of pairs: the outputs of both cells, and their final states.

    Raises:
        TypeError: If an argument is not a cell.

    Example:
        >>> import tfpy as tf
        >>> class Sum:
        ...     output_size = state_size = 1
        ...     def zero_state(self, batch_size, dtype):
        ...         return tf.zeros([batch_size, 1], dtype)
        ...     def __call__(self, x, state, scope=None):
        ...         return x + state, x + state
        >>> outputs, states = tf.compat.v1.nn.bidirectional_dynamic_rnn(
        ...     Sum(), Sum(), tf.constant([[[1.0], [2.0], [3.0]]]), dtype=tf.float32)
        >>> print(outputs[1].numpy().ravel())
        [6. 5. 3.]

    See also: `tf.keras.layers.Bidirectional`.
    """
    _check_cell(cell_fw)
    _check_cell(cell_bw)
    time, batch = (0, 1) if time_major else (1, 0)

    def turned(x: Any) -> Any:
        if sequence_length is None:
            return _reverse(x, [time])
        return _reverse_sequence(x, sequence_length, time, batch)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, dtype,
                time_major=time_major, scope=inner,
            )  # fmt: skip
        with variable_scope("bw") as inner:
            backward, other = dynamic_rnn(
                cell_bw, turned(convert_to_tensor(inputs)), sequence_length, initial_state_bw,
                dtype, time_major=time_major, scope=inner,
            )  # fmt: skip
        return (forward, nest.map_structure(turned, backward)), (state, other)


def static_rnn(
    cell: Cell,
    inputs: Sequence[TensorLike],
    initial_state: Nest = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Apply a cell to each tensor of a list.

    Args:
        cell: Cell, as for `dynamic_rnn`.
        inputs: List of float tensors of shape [batch, features], one for each step.
        initial_state: Initial state. Default: the cell's zeros.
        dtype: Dtype of the initial state. Required if there is no initial state.
        sequence_length: Integer tensor of shape [batch]. Outputs behind the end of a sequence are
            zeros, and the state does not change there.
        scope: Name or `VariableScope` of the Variables. Default: `"rnn"`.

    Returns:
        Pair of the list of outputs and the final state.

    Raises:
        TypeError: If `cell` is not a cell, or `inputs` is not a list.
        ValueError: If `inputs` is empty.

    Example:
        >>> import tfpy as tf
        >>> class Sum:
        ...     output_size = state_size = 1
        ...     def zero_state(self, batch_size, dtype):
        ...         return tf.zeros([batch_size, 1], dtype)
        ...     def __call__(self, x, state, scope=None):
        ...         return x + state, x + state
        >>> outputs, state = tf.compat.v1.nn.static_rnn(Sum(), [[[1.0]], [[2.0]]], dtype=tf.float32)
        >>> print(outputs[1].numpy(), state.numpy())
        [[3.]] [[3.]]

    See also: `tf.compat.v1.nn.dynamic_rnn`.
    """
    _check_cell(cell)
    if not isinstance(inputs, list | tuple):
        raise TypeError(f"Inputs must be a sequence, but saw: {inputs}.")
    if not inputs:
        raise ValueError("Inputs must not be empty.")
    with variable_scope(scope or "rnn") as inner:
        tensors = [convert_to_tensor(x) for x in inputs]
        size = tensors[0].shape[0]
        state = _initial_state(
            cell, initial_state, _shape(tensors[0])[0] if size is None else size, dtype
        )
        outputs = []
        for time, x in enumerate(tensors):
            if time and not tracing.executing_eagerly():
                inner.reuse_variables()
            output, new = cell(x, state)
            if sequence_length is not None:
                is_used = recorded(_before)(time, sequence_length)
                output = nest.map_structure(
                    lambda y, on=is_used: _chosen(on, y, recorded(making.zeros_like)(y)), output
                )
                new = nest.map_structure(
                    lambda a, b, on=is_used: _chosen(on, a, convert_to_tensor(b)), new, state
                )
            outputs.append(output)
            state = new
        return outputs, state


def _before(time: int, lengths: Any) -> Any:
    return convert_to_tensor(lengths) > time


def static_bidirectional_rnn(
    cell_fw: Cell,
    cell_bw: Cell,
    inputs: Sequence[TensorLike],
    initial_state_fw: Nest = None,
    initial_state_bw: Nest = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Apply two cells to each tensor of a list, one of them from the end to the start.

    Args:
        cell_fw, cell_bw: Cells, as for `dynamic_rnn`.
        inputs: List of float tensors of shape [batch, features], one for each step.
        initial_state_fw, initial_state_bw: Initial states. Default: the cells' zeros.
        dtype: Dtype of the initial states.
        sequence_length: Integer tensor of shape [batch].
        scope: Name or `VariableScope` of the Variables. Default: `"bidirectional_rnn"`.

    Returns:
        The list of outputs, which are concatenated along the last axis, and both final states.

    Raises:
        TypeError: If an argument is not a cell.

    Example:
        >>> import tfpy as tf
        >>> class Sum:
        ...     output_size = state_size = 1
        ...     def zero_state(self, batch_size, dtype):
        ...         return tf.zeros([batch_size, 1], dtype)
        ...     def __call__(self, x, state, scope=None):
        ...         return x + state, x + state
        >>> outputs, _, _ = tf.compat.v1.nn.static_bidirectional_rnn(
        ...     Sum(), Sum(), [[[1.0]], [[2.0]]], dtype=tf.float32)
        >>> print(outputs[0].numpy())
        [[1. 3.]]

    See also: `tf.compat.v1.nn.static_rnn`.
    """

    def turned(tensors: Sequence[Any]) -> list[Any]:
        if sequence_length is None:
            return [*tensors][::-1]
        return list(recorded(_turned)([*tensors], sequence_length))

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, inner
            )
        with variable_scope("bw") as inner:
            backward, other = static_rnn(
                cell_bw, turned(inputs), initial_state_bw, dtype, sequence_length, inner
            )
        pairs = zip(forward, turned(backward), strict=True)
        return [recorded(concat)([a, b], -1) for a, b in pairs], state, other


def _turned(tensors: Sequence[Any], lengths: Any) -> list[Any]:
    joined = concat([expand_dims(x, 0) for x in tensors], 0)
    found = reverse_sequence(joined, lengths, 0, 1)
    return [found[i] for i in range(len(tensors))]
