"""Cells of recurrent networks as TensorFlow.js has them under `tf`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import activation, trigonometry
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.tensors.array.joining import concat, split
from tfpy._src.tensors.linalg.products import matmul

Cell = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
"""A function from `(data, c, h)` to the next `(c, h)`."""


def basic_lstm_cell(
    forget_bias: FloatLike,
    lstm_kernel: TensorLike,
    lstm_bias: TensorLike,
    data: TensorLike,
    c: TensorLike,
    h: TensorLike,
) -> tuple[Tensor, Tensor]:
    """Compute one step of an LSTM (long short-term memory) cell.

    Equivalent to `tf.basicLSTMCell` in TensorFlow.js.

    Args:
        forget_bias: Scalar that is added to the forget gate before the sigmoid function.
        lstm_kernel: Float tensor of shape `[input + units, 4 * units]` with the weights. The
            columns belong to the input gate, the candidate values, the forget gate and the output
            gate, in this order.
        lstm_bias: Float tensor of shape `[4 * units]` with the biases, in the order of the columns.
        data: Float tensor of shape `[batch, input]` with the input of the step.
        c: Float tensor of shape `[batch, units]` with the cell state of the previous step.
        h: Float tensor of shape `[batch, units]` with the output of the previous step.

    Returns:
        A tuple of the new cell state `c` and the new output `h`, float tensors of shape `[batch,
        units]`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> kernel, bias = tf.zeros([2 + 3, 4 * 3]), tf.zeros([4 * 3])
        >>> data, c, h = tf.ones([1, 2]), tf.ones([1, 3]), tf.zeros([1, 3])
        >>> c, h = tf.basic_lstm_cell(0.0, kernel, bias, data, c, h)
        >>> c.numpy().round(3).tolist(), h.shape
        ([[0.5, 0.5, 0.5]], TensorShape([1, 3]))

    See also: `tf.multi_rnn_cell`.
    """
    state = convert_to_tensor(c)
    gates = matmul(concat([data, h], 1), lstm_kernel) + lstm_bias
    if gates.shape[1] != 4 * state.aval.shape[1]:
        raise invalid(
            "basic_lstm_cell",
            f"lstm_kernel must have 4 * {state.aval.shape[1]} columns, got {gates.shape[1]}",
        )
    enter, candidate, forget, leave = split(gates, 4, axis=1)
    kept = state * activation.sigmoid(forget + forget_bias)
    new_c = activation.sigmoid(enter) * trigonometry.tanh(candidate) + kept
    return new_c, trigonometry.tanh(new_c) * activation.sigmoid(leave)


def multi_rnn_cell(
    lstm_cells: Sequence[Cell], data: TensorLike, c: Sequence[Tensor], h: Sequence[Tensor]
) -> tuple[list[Tensor], list[Tensor]]:
    """Compute one step of a stack of recurrent cells.

    The output of each cell is the input of the next cell. Equivalent to `tf.multiRNNCell` in
    TensorFlow.js.

    Args:
        lstm_cells: Functions that take `(data, c, h)` and return the new `(c, h)`, one for each
            cell.
        data: Tensor of shape `[batch, input]` with the input of the first cell.
        c: Cell states of the previous step, one tensor for each cell.
        h: Outputs of the previous step, one tensor for each cell.

    Returns:
        A tuple of two lists with the new cell state `c` and the new output `h` of each cell.

    Example:
        >>> import tfpy as tf
        >>> def cell(data, c, h):
        ...     return c + data, h + data
        >>> ones = tf.ones([1, 2])
        >>> c, h = tf.multi_rnn_cell([cell, cell], ones, [ones, ones], [ones, ones])
        >>> [x.numpy().tolist() for x in h]
        [[[2.0, 2.0]], [[3.0, 3.0]]]

    See also: `tf.basic_lstm_cell`.
    """
    states = []
    x = convert_to_tensor(data)
    for cell, own_c, own_h in zip(lstm_cells, c, h, strict=True):
        states.append(cell(x, own_c, own_h))
        x = states[-1][1]
    return [s[0] for s in states], [s[1] for s in states]
