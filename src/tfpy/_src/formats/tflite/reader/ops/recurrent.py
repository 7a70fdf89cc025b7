"""Recurrent networks; their states are Variables of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.formats.tflite.reader.ops.elementwise import activated
from tfpy._src.formats.tflite.reader.record import operation
from tfpy._src.functions.control.mapping import scan
from tfpy._src.tensors.array.joining import concat, split
from tfpy._src.tensors.array.reordering import reverse
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.arithmetic import clip_by_value
from tfpy._src.tensors.math.reductions import reduce_mean, reduce_sum

_EPSILON = 1e-8  # of layer normalization


def _steps(x: Any, time_major: bool, is_backward: bool = False) -> Any:
    """Transpose a sequence to time-major order."""
    rows = x if time_major else transpose(x, (1, 0, 2))
    return reverse(rows, [0]) if is_backward else rows


def _sequence(y: Any, time_major: bool, is_backward: bool = False) -> Any:
    """Transpose a time-major sequence back."""
    rows = reverse(y, [0]) if is_backward else y
    return rows if time_major else transpose(rows, (1, 0, 2))


def _dense(x: Any, weights: Any, bias: Any = None) -> Any:
    y = matmul(x, weights, transpose_b=True)
    return y if bias is None else p.add(y, bias)


def _clipped(x: Any, limit: float) -> Any:
    return clip_by_value(x, -limit, limit) if limit > 0 else x


def _normalized(x: Any, scale: Any) -> Any:
    centred = p.subtract(x, reduce_mean(x, -1, True))
    spread = reduce_mean(p.square(centred), -1, True)
    return p.multiply(p.multiply(centred, p.rsqrt(p.add(spread, _EPSILON))), scale)


class _Lstm:
    """One direction of an LSTM.

    Args:
        weights: 17 tensors in the order of the operation's inputs: input weights (4) and recurrent
            weights (4) of the input gate, forget gate, cell and output gate, peepholes (3), biases
            (4), projection (2). Omitted ones are None. Without an input gate, it is 1 minus the
            forget gate.
        norms: Scales of layer normalization for the four gates.
        activation: Number of the activation function.
        cell: Clipping limit of the cell state.
        out: Clipping limit of the projection.
    """

    def __init__(
        self, weights: Sequence[Any], norms: Sequence[Any], activation: int, cell: float, out: float
    ) -> None:
        self.on_inputs, self.on_state = weights[:4], weights[4:8]
        peepholes = weights[8:11]
        self.peepholes = (peepholes[0], peepholes[1], None, peepholes[2])
        self.biases, self.projection = weights[11:15], weights[15:17]
        self.norms = norms
        self.activation, self.cell_clip, self.out_clip = activation, cell, out

    def __call__(self, state: Sequence[Any], x: Any) -> tuple[Any, Any]:
        """Return the output and the cell state after a step."""
        out, cell = state
        forget = p.sigmoid(self._gate(1, x, out, cell))
        if self.on_inputs[0] is None:
            add = p.subtract(1.0, forget)
        else:
            add = p.sigmoid(self._gate(0, x, out, cell))
        new = activated(self._gate(2, x, out, cell), self.activation)
        cell = p.add(p.multiply(forget, cell), p.multiply(add, new))
        cell = _clipped(cell, self.cell_clip)
        gate = p.sigmoid(self._gate(3, x, out, cell))
        out = p.multiply(gate, activated(cell, self.activation))
        if self.projection[0] is not None:
            out = _clipped(_dense(out, *self.projection), self.out_clip)
        return out, cell

    def _gate(self, which: int, x: Any, out: Any, cell: Any) -> Any:
        found = p.add(_dense(x, self.on_inputs[which]), _dense(out, self.on_state[which]))
        if (peephole := self.peepholes[which]) is not None:
            found = p.add(found, p.multiply(cell, peephole))
        if self.norms[which] is not None:
            found = _normalized(found, self.norms[which])
        return found if self.biases[which] is None else p.add(found, self.biases[which])


def _ran(cell: Any, rows: Any, variables: Sequence[Any]) -> Any:
    """Return the first state after each step and assign the last states to the variables."""
    state = tuple(convert_to_tensor(variable) for variable in variables)
    found = scan(cell, rows, state)
    for variable, values in zip(variables, found, strict=True):
        variable.assign(values[-1])
    return found[0]


@operation("UNIDIRECTIONAL_SEQUENCE_LSTM")
def _lstm_sequence(
    x: Any, *inputs: Any, fused_activation_function: int, cell_clip: float, proj_clip: float,
    time_major: bool,
) -> Any:  # fmt: skip
    norms = [*inputs[19:23], *[None] * 4][:4]
    cell = _Lstm(inputs[:17], norms, fused_activation_function, cell_clip, proj_clip)
    return _sequence(_ran(cell, _steps(x, time_major), inputs[17:19]), time_major)


@operation("BIDIRECTIONAL_SEQUENCE_LSTM")
def _lstm_both_ways(
    x: Any, *inputs: Any, fused_activation_function: int, cell_clip: float, proj_clip: float,
    merge_outputs: bool, time_major: bool,
) -> Any:  # fmt: skip
    if any(value is not None for value in inputs[38:]):
        raise UnimplementedError(
            None, None, "A bidirectional LSTM with auxiliary inputs is not supported."
        )
    found = []
    for is_backward in (False, True):
        weights = inputs[17:34] if is_backward else inputs[:17]
        state = inputs[36:38] if is_backward else inputs[34:36]
        cell = _Lstm(weights, [None] * 4, fused_activation_function, cell_clip, proj_clip)
        rows = _ran(cell, _steps(x, time_major, is_backward), state)
        found.append(_sequence(rows, time_major, is_backward))
    return concat(found, -1) if merge_outputs else found


@operation("LSTM")
def _lstm(
    x: Any, *inputs: Any, fused_activation_function: int, cell_clip: float, proj_clip: float,
    kernel_type: int,
) -> Any:  # fmt: skip
    if kernel_type == 1:
        return _basic_lstm(x, *inputs)
    norms = [*inputs[19:23], *[None] * 4][:4]
    cell = _Lstm(inputs[:17], norms, fused_activation_function, cell_clip, proj_clip)
    rows = _ran(cell, reshape(x, (1, *x.shape)), inputs[17:19])
    return rows[0]


def _basic_lstm(x: Any, out: Any, weights: Any, bias: Any, cell: Any) -> Any:
    """Compute one step of an LSTM with its states as inputs and outputs."""
    joined = concat([x, out], -1)
    gates = _dense(joined, weights, bias)
    add, new, forget, show = split(gates, 4, -1)
    kept = p.multiply(p.sigmoid(forget), cell)
    cell = p.add(p.multiply(p.sigmoid(add), p.tanh(new)), kept)
    return p.multiply(p.sigmoid(show), p.tanh(cell)), cell, joined, gates


def _rnn(weights: Sequence[Any], activation: int) -> Any:
    on_inputs, on_state, bias = weights

    def step(state: Sequence[Any], x: Any) -> tuple[Any]:
        found = p.add(_dense(x, on_inputs, bias), _dense(state[0], on_state))
        return (activated(found, activation),)

    return step


@operation("RNN")
def _rnn_step(
    x: Any, weights: Any, recurrent: Any, bias: Any, state: Any, *, fused_activation_function: int
) -> Any:
    cell = _rnn((weights, recurrent, bias), fused_activation_function)
    return _ran(cell, reshape(x, (1, *x.shape)), [state])[0]


@operation("UNIDIRECTIONAL_SEQUENCE_RNN")
def _rnn_sequence(
    x: Any, weights: Any, recurrent: Any, bias: Any, state: Any, *, time_major: bool,
    fused_activation_function: int,
) -> Any:  # fmt: skip
    cell = _rnn((weights, recurrent, bias), fused_activation_function)
    return _sequence(_ran(cell, _steps(x, time_major), [state]), time_major)


@operation("BIDIRECTIONAL_SEQUENCE_RNN")
def _rnn_both_ways(
    x: Any, *inputs: Any, time_major: bool, merge_outputs: bool, fused_activation_function: int
) -> Any:
    if any(value is not None for value in inputs[8:]):
        raise UnimplementedError(
            None, None, "A bidirectional RNN with auxiliary inputs is not supported."
        )
    found = []
    for is_backward in (False, True):
        weights = inputs[4:7] if is_backward else inputs[:3]
        state = inputs[7] if is_backward else inputs[3]
        cell = _rnn(weights, fused_activation_function)
        rows = _ran(cell, _steps(x, time_major, is_backward), [state])
        found.append(_sequence(rows, time_major, is_backward))
    return concat(found, -1) if merge_outputs else found


@operation("SVDF")
def _svdf(
    x: Any, on_features: Any, on_time: Any, bias: Any, state: Any, *, rank: int,
    fused_activation_function: int,
) -> Any:  # fmt: skip
    """Apply filters to the features, then to their results in the last steps."""
    filters, memory = on_time.shape
    new = reshape(_dense(x, on_features), (-1, filters, 1))
    before = reshape(convert_to_tensor(state), (-1, filters, memory))
    kept = concat([before[:, :, 1:], new], -1)
    state.assign(reshape(kept, state.shape))
    weighed = reduce_sum(p.multiply(kept, on_time), -1)
    y = reduce_sum(reshape(weighed, (-1, filters // rank, rank)), -1)
    return activated(y if bias is None else p.add(y, bias), fused_activation_function)
