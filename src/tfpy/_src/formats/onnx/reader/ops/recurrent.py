"""LSTM, GRU and RNN."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.ops import activations
from tfpy._src.formats.onnx.reader.ops.control import steps
from tfpy._src.formats.onnx.reader.ops.quantization import dynamic_product
from tfpy._src.formats.onnx.reader.record import Floats, Strings, operation
from tfpy._src.formats.onnx.reader.values import host, like, tensor
from tfpy._src.tensors.array.joining import concat, split, stack
from tfpy._src.tensors.array.reordering import reverse, reverse_sequence
from tfpy._src.tensors.array.reshaping import expand_dims, transpose
from tfpy._src.tensors.array.slicing import gather, where
from tfpy._src.tensors.linalg.products import matmul

Step = Callable[[Tensor, list[Tensor]], list[Tensor]]

_ACTIVATIONS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "relu": (p.relu, ()),
    "tanh": (p.tanh, ()),
    "sigmoid": (p.sigmoid, ()),
    "softsign": (activations.softsign, ()),
    "softplus": (p.softplus, ()),
    "affine": (
        lambda x, alpha=1.0, beta=0.0: like(alpha, x) * x + like(beta, x),
        ("alpha", "beta"),
    ),
    "leakyrelu": (activations.leaky_relu, ("alpha",)),
    "thresholdedrelu": (activations.thresholded_relu, ("alpha",)),
    "scaledtanh": (
        lambda x, alpha=1.0, beta=1.0: like(alpha, x) * p.tanh(like(beta, x) * x),
        ("alpha", "beta"),
    ),
    "hardsigmoid": (activations.hard_sigmoid, ("alpha", "beta")),
    "elu": (activations.elu, ("alpha",)),
}
"""Activations by name, with their parameters."""


def _functions(
    names: Strings, alphas: Floats | None, betas: Floats | None
) -> list[Callable[[Any], Any]]:
    """Return activations; each one consumes its parameters from the front of the lists."""
    given = {"alpha": list(alphas or ()), "beta": list(betas or ())}
    found: list[Callable[[Any], Any]] = []
    for name in names:
        if name.lower() not in _ACTIVATIONS:
            raise invalid("RNN", f"activation must be one of {[*_ACTIVATIONS]}, got {name!r}")
        function, takes = _ACTIVATIONS[name.lower()]
        how = {key: given[key].pop(0) for key in takes if given[key]}
        found.append(functools.partial(function, **how))
    return found


def _clipped(x: Tensor, clip: float | None) -> Tensor:
    return x if not clip else p.minimum(p.maximum(x, like(-clip, x)), like(clip, x))


def _run(
    op: str, x: Tensor, lengths: Any, states: Sequence[Any], hidden: int, direction: str,
    layout: int, cell: Callable[[int, Tensor], tuple[Tensor, Step]],
) -> tuple[Any, ...]:  # fmt: skip
    """Return the outputs of all steps and the last states, for each direction.

    Args:
        op: Name of the operation.
        x: Inputs [T, B, I], or [B, T, I] with `layout`.
        lengths: Number of steps of each batch element; None for all steps.
        states: Initial states by direction; None for zeros.
        hidden: Size of the state.
        direction: `"forward"`, `"reverse"` or `"bidirectional"`.
        layout: If 1, the batch is the first axis.
        cell: Function that takes a direction and its inputs [T, B, I], and returns the projections
            of all steps [T, B, ...] and a function that computes the new states of one step.
    """
    ways = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
    if direction not in ways:
        raise invalid(op, f"direction must be one of {[*ways]}, got {direction!r}")
    if layout:
        x = transpose(x, [1, 0, 2])
        states = [None if s is None else transpose(s, [1, 0, 2]) for s in states]
    count, batch, _ = x.aval.shape
    if lengths is not None and _all_of(lengths, count):
        lengths = None
    outs, lasts = [], []
    for i, backward in enumerate(ways[direction]):
        made, step = cell(i, _turned(x, lengths) if backward else x)
        zeros = tensor(np.zeros([batch, hidden], np.float32))
        first = [like(zeros, x) if s is None else s[i] for s in states]
        last, out = _steps(count, made, step, first, lengths)
        outs.append(_turned(out, lengths) if backward else out)
        lasts.append(last)
    y = stack(outs, 1)
    ends = [stack(list(one)) for one in zip(*lasts, strict=True)]
    if layout:
        y, ends = transpose(y, [2, 0, 1, 3]), [transpose(s, [1, 0, 2]) for s in ends]
    return y, *ends


def _all_of(lengths: Tensor, count: int) -> bool:
    return lengths.has_values and bool((host(lengths) == count).all())


def _turned(x: Tensor, lengths: Any) -> Tensor:
    if lengths is None:
        return reverse(x, [0])
    return reverse_sequence(x, lengths, seq_axis=0, batch_axis=1)


def _steps(
    count: int, made: Tensor, step: Step, first: list[Tensor], lengths: Any
) -> tuple[list[Any], Any]:
    def body(i: Any, state: list[Any]) -> tuple[list[Any], list[Any]]:
        new = step(gather(made, i, axis=0), state)
        if lengths is None:
            return new, [new[0]]
        on = expand_dims(lengths > i, -1)
        kept = [where(on, a, b) for a, b in zip(new, state, strict=True)]
        return kept, [where(on, new[0], new[0] * 0)]

    last, outs = steps(count, body, first)
    return last, outs[0]


def _names(given: Strings | None, default: Strings, direction: str) -> Strings:
    return given or default * (2 if direction == "bidirectional" else 1)


Product = Callable[[int, Tensor], Tensor]
"""A product of the weights of a direction and an input."""


class _Gates(NamedTuple):
    """The attributes that LSTMs share."""

    op: str
    functions: list[Callable[[Any], Any]]
    hidden: int
    clip: float | None
    direction: str
    input_forget: int
    layout: int = 0

    def run(
        self, x: Tensor, of_input: Product, of_state: Product, b: Tensor | None, lengths: Any,
        states: list[Any], peepholes: Tensor | None,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the outputs of all steps and the last states."""
        hidden = self.hidden

        def cell(way: int, xs: Tensor) -> tuple[Tensor, Step]:
            f, g, h = self.functions[3 * way : 3 * way + 3]
            made = of_input(way, xs)
            if b is not None:
                made = made + b[way, : 4 * hidden] + b[way, 4 * hidden :]
            pi, po, pf = (0, 0, 0) if peepholes is None else split(peepholes[way], 3, 0)

            def step(inputs: Tensor, state: list[Tensor]) -> list[Tensor]:
                before, c = state
                gates = _clipped(inputs + of_state(way, before), self.clip)
                i, o, forget, new = split(gates, 4, -1)
                if peepholes is not None:
                    i, forget = i + pi * c, forget + pf * c
                i = f(i)
                kept = 1 - i if self.input_forget else f(forget)
                c = kept * c + i * g(new)
                o = f(o if peepholes is None else o + po * c)
                return [o * h(c), c]

            return made, step

        return _run(self.op, x, lengths, states, hidden, self.direction, self.layout, cell)


@operation("LSTM")
def lstm(
    x: Tensor, w: Tensor, r: Tensor, b: Tensor | None = None, sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None, initial_c: Tensor | None = None,
    peepholes: Tensor | None = None, *, activation_alpha: Floats | None = None,
    activation_beta: Floats | None = None, activations: Strings | None = None,
    clip: float | None = None, direction: str = "forward", hidden_size: int | None = None,
    input_forget: int = 0, layout: int = 0,
) -> Any:  # fmt: skip
    names = _names(activations, ("Sigmoid", "Tanh", "Tanh"), direction)
    functions = _functions(names, activation_alpha, activation_beta)
    gates = _Gates("LSTM", functions, r.aval.shape[-1], clip, direction, input_forget, layout)
    return gates.run(
        x, lambda way, y: matmul(y, w[way], transpose_b=True),
        lambda way, y: matmul(y, r[way], transpose_b=True), b, sequence_lens,
        [initial_h, initial_c], peepholes,
    )  # fmt: skip


@operation("com.microsoft.DynamicQuantizeLSTM")
def dynamic_quantize_lstm(
    x: Tensor, w: Tensor, r: Tensor, b: Tensor | None = None, sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None, initial_c: Tensor | None = None,
    peepholes: Tensor | None = None, w_scale: Tensor | None = None, w_zero: Tensor | None = None,
    r_scale: Tensor | None = None, r_zero: Tensor | None = None, *,
    activation_alpha: Floats | None = None, activation_beta: Floats | None = None,
    activations: Strings | None = None, clip: float | None = None, direction: str = "forward",
    hidden_size: int | None = None, input_forget: int = 0,
) -> Any:  # fmt: skip
    """Run an LSTM with quantized weights [D, inputs, 4 · H]; inputs and states are quantized."""
    op, ways = "DynamicQuantizeLSTM", 2 if direction == "bidirectional" else 1
    if x.ndim != 3 or w.ndim != 3 or r.ndim != 3:
        raise invalid(op, f"X {x.aval}, W {w.aval} and R {r.aval} must have three axes")
    hidden = r.aval.shape[1]
    if (w.aval.shape, r.aval.shape) != (
        (ways, x.aval.shape[-1], 4 * hidden), (ways, hidden, 4 * hidden)
    ):  # fmt: skip
        raise invalid(op, f"W {w.aval} and R {r.aval} do not match X {x.aval} ({direction})")
    for one in (w_scale, w_zero, r_scale, r_zero):
        if one is None or one.aval.shape not in ((ways,), (ways, 1), (ways, 4 * hidden)):
            raise invalid(op, f"scales and zero points must have {ways} or {4 * hidden} elements")
    names = _names(activations, ("Sigmoid", "Tanh", "Tanh"), direction)
    functions = _functions(names, activation_alpha, activation_beta)
    gates = _Gates(op, functions, hidden, clip, direction, input_forget)

    def product(weights: Tensor, scale: Any, zero: Any) -> Product:
        return lambda way, y: dynamic_product(y, weights[way], scale[way], zero[way])

    return gates.run(
        x, product(w, w_scale, w_zero), product(r, r_scale, r_zero), b, sequence_lens,
        [initial_h, initial_c], peepholes,
    )  # fmt: skip


@operation("GRU")
def gru(
    x: Tensor, w: Tensor, r: Tensor, b: Tensor | None = None, sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None, *, activation_alpha: Floats | None = None,
    activation_beta: Floats | None = None, activations: Strings | None = None,
    clip: float | None = None, direction: str = "forward", hidden_size: int | None = None,
    layout: int = 0, linear_before_reset: int = 0,
) -> Any:  # fmt: skip
    names = _names(activations, ("Sigmoid", "Tanh"), direction)
    functions, hidden = _functions(names, activation_alpha, activation_beta), r.aval.shape[-1]

    def cell(way: int, xs: Tensor) -> tuple[Tensor, Step]:
        f, g = functions[2 * way : 2 * way + 2]
        made = matmul(xs, w[way], transpose_b=True)
        rz, rh = r[way, : 2 * hidden], r[way, 2 * hidden :]
        late: Any = 0
        if b is not None:
            own, late = b[way, : 3 * hidden], b[way, 5 * hidden :]
            made = made + own + concat([b[way, 3 * hidden : 5 * hidden], late * 0], 0)

        def step(inputs: Tensor, state: list[Tensor]) -> list[Tensor]:
            (before,) = state
            gates = inputs[:, : 2 * hidden] + matmul(before, rz, transpose_b=True)
            z, reset = split(f(_clipped(gates, clip)), 2, -1)
            if linear_before_reset:
                new = reset * (matmul(before, rh, transpose_b=True) + late)
            else:
                new = matmul(reset * before, rh, transpose_b=True) + late
            new = g(_clipped(inputs[:, 2 * hidden :] + new, clip))
            return [(1 - z) * new + z * before]

        return made, step

    return _run("GRU", x, sequence_lens, [initial_h], hidden, direction, layout, cell)


@operation("RNN")
def rnn(
    x: Tensor, w: Tensor, r: Tensor, b: Tensor | None = None, sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None, *, activation_alpha: Floats | None = None,
    activation_beta: Floats | None = None, activations: Strings | None = None,
    clip: float | None = None, direction: str = "forward", hidden_size: int | None = None,
    layout: int = 0,
) -> Any:  # fmt: skip
    names = _names(activations, ("Tanh",), direction)
    functions, hidden = _functions(names, activation_alpha, activation_beta), r.aval.shape[-1]

    def cell(way: int, xs: Tensor) -> tuple[Tensor, Step]:
        made = matmul(xs, w[way], transpose_b=True)
        if b is not None:
            made = made + b[way, :hidden] + b[way, hidden:]

        def step(inputs: Tensor, state: list[Tensor]) -> list[Tensor]:
            total = inputs + matmul(state[0], r[way], transpose_b=True)
            return [functions[way](_clipped(total, clip))]

        return made, step

    return _run("RNN", x, sequence_lens, [initial_h], hidden, direction, layout, cell)
