"""Steps of optimizers (domain `ai.onnx.preview.training`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.formats.onnx.reader.values import host

_DOMAIN = "ai.onnx.preview.training"


def _each(name: str, values: Sequence[Tensor], size: int, step: Callable[..., Any]) -> Any:
    """Run a step for each of several variables.

    Inputs are grouped by kind: all values, then all gradients, then all states. The results are
    grouped in the same way, without gradients.
    """
    count, left = divmod(len(values), size)
    if left or not count:
        raise invalid(name, f"expected {size} values for each variable, got {len(values)}")
    made = [step(*values[i::count]) for i in range(count)]
    return tuple(one for kind in zip(*made, strict=True) for one in kind)


@operation(f"{_DOMAIN}.Adagrad")
def adagrad(
    rate: Tensor, count: Tensor, *values: Tensor, decay_factor: float = 0.0,
    epsilon: float = 1e-6, norm_coefficient: float = 0.0,
) -> Any:  # fmt: skip
    now = rate / (1 + float(host(count)) * decay_factor)

    def step(x: Tensor, gradient: Tensor, h: Tensor) -> Any:
        g = gradient + norm_coefficient * x
        h = h + p.square(g)
        return x - now * g / (p.sqrt(h) + epsilon), h

    return _each("Adagrad", values, 3, step)


@operation(f"{_DOMAIN}.Momentum")
def momentum(
    rate: Tensor, count: Tensor, *values: Tensor, alpha: float, beta: float, mode: str,
    norm_coefficient: float,
) -> Any:  # fmt: skip
    share = beta if host(count) > 0 else 1.0
    if mode not in ("standard", "nesterov"):
        raise invalid("Momentum", f"unknown mode {mode!r}")

    def step(x: Tensor, gradient: Tensor, v: Tensor) -> Any:
        g = gradient + norm_coefficient * x
        v = alpha * v + share * g
        return x - rate * (v if mode == "standard" else g + alpha * v), v

    return _each("Momentum", values, 3, step)


@operation(f"{_DOMAIN}.Adam")
def adam(
    rate: Tensor, count: Tensor, *values: Tensor, alpha: float = 0.9, beta: float = 0.999,
    epsilon: float = 1e-6, norm_coefficient: float = 0.0, norm_coefficient_post: float = 0.0,
) -> Any:  # fmt: skip
    t = int(host(count))
    now = rate * ((1 - beta**t) ** 0.5 / (1 - alpha**t)) if t > 0 else rate

    def step(x: Tensor, gradient: Tensor, v: Tensor, h: Tensor) -> Any:
        g = gradient + norm_coefficient * x
        v = alpha * v + (1 - alpha) * g
        h = beta * h + (1 - beta) * p.square(g)
        new = x - now * v / (p.sqrt(h) + epsilon)
        return (1 - norm_coefficient_post) * new, v, h

    return _each("Adam", values, 4, step)
