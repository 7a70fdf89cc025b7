"""Optimizer steps, each of which updates a variable and its slots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.formats.raw_ops.resources import variable_of
from tfpy._src.tensors.array.making import cast, zeros_like
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.scattering import tensor_scatter_nd_update
from tfpy._src.tensors.array.slicing import gather, where
from tfpy._src.tensors.math.arithmetic import sign

Step = Callable[..., tuple[Any, ...]]


def _step(text: str, slots: int, rule: Step) -> None:
    """Register an operation that updates a variable and its slots by a rule.

    Args:
        text: Signature without `use_locking`, which all of these operations have.
        slots: Number of slots. They follow the variable, and are followed by numbers and the
            gradient.
        rule: Function from the old values to the new ones.
    """

    def run(*inputs: Any, **attrs: Any) -> None:
        variables = [variable_of(handle) for handle in inputs[: slots + 1]]
        values = [v.tensor for v in variables]
        numbers = [cast(convert_to_tensor(n), values[0].dtype) for n in inputs[slots + 1 :]]
        attrs.pop("use_locking")
        new = rule(*values, *numbers, **attrs)
        for variable, value in zip(variables, new, strict=True):
            variable.assign(value)

    inputs, _, attrs = text.removesuffix(")").partition("; ")
    named = f"use_locking=False, {attrs}" if attrs else "use_locking=False"
    op(f"{inputs}; {named})", run, stateful=True)


def _row_step(text: str, slots: int, rule: Step, at: int) -> None:
    """Register an operation that updates rows of a variable and its slots by a rule.

    Rows that occur several times are updated several times, in order.

    Args:
        text: Signature without `use_locking`.
        slots: Number of slots.
        rule: Function from the old values to the new ones.
        at: Number of the input with the indices of the rows. It follows the gradient.
    """

    def run(*inputs: Any, **attrs: Any) -> None:
        variables = [variable_of(handle) for handle in inputs[: slots + 1]]
        dtype = variables[0].dtype
        given = [convert_to_tensor(n) for n in (*inputs[slots + 1 : at], *inputs[at + 1 :])]
        numbers = [cast(n, dtype) for n in given]
        gradient = at - slots - 2
        attrs.pop("use_locking")
        for rows, places in _occurrences(inputs[at]):
            where_ = reshape(places, [-1, 1])
            values = [gather(v.tensor, places, axis=0) for v in variables]
            part = gather(numbers[gradient], rows, axis=0)
            new = rule(*values, *numbers[:gradient], part, *numbers[gradient + 1 :], **attrs)
            for variable, value in zip(variables, new, strict=True):
                variable.assign(tensor_scatter_nd_update(variable.tensor, where_, value))

    inputs, _, attrs = text.removesuffix(")").partition("; ")
    named = f"use_locking=False, {attrs}" if attrs else "use_locking=False"
    op(f"{inputs}; {named})", run, stateful=True)


def _occurrences(indices: Any) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield positions in `indices` and their elements, which are different from each other."""
    known = convert_to_tensor(indices)
    left = np.arange(known.size)
    places = np.asarray(host_values(known)).reshape(-1)
    while left.size:
        _, first = np.unique(places[left], return_index=True)
        rows = np.sort(left[first]).astype(np.int32)
        yield constant(rows), constant(places[rows])
        left = np.setdiff1d(left, rows)


def _moved(average: Any, value: Any, rate: Any) -> Any:
    """Update a moving average."""
    return average + (value - average) * (1 - rate)


def _ada_max(
    v: Any, m: Any, u: Any, power: Any, lr: Any, b1: Any, b2: Any, eps: Any, g: Any
) -> Any:
    m, u = _moved(m, g, b1), p.maximum(u * b2, p.abs(g))
    return v - lr / (1 - power) * (m / (u + eps)), m, u


def _adadelta(v: Any, a: Any, d: Any, lr: Any, rho: Any, eps: Any, g: Any) -> Any:
    a = a * rho + g * g * (1 - rho)
    change = p.sqrt(d + eps) * p.rsqrt(a + eps) * g
    return v - change * lr, a, d * rho + change * change * (1 - rho)


def _adagrad(v: Any, a: Any, lr: Any, g: Any, update_slots: bool) -> Any:
    a = a + g * g if update_slots else a
    return v - g * lr * p.rsqrt(a), a


def _adagrad_v2(v: Any, a: Any, lr: Any, eps: Any, g: Any, update_slots: bool) -> Any:
    a = a + g * g if update_slots else a
    return v - g * lr / (p.sqrt(a) + eps), a


def _adam(
    v: Any, m: Any, s: Any, power1: Any, power2: Any, lr: Any, b1: Any, b2: Any, eps: Any, g: Any,
    use_nesterov: bool,
) -> Any:  # fmt: skip
    rate = lr * p.sqrt(1 - power2) / (1 - power1)
    m, s = _moved(m, g, b1), _moved(s, g * g, b2)
    first = g * (1 - b1) + m * b1 if use_nesterov else m
    return v - first * rate / (p.sqrt(s) + eps), m, s


def _amsgrad(
    v: Any, m: Any, s: Any, most: Any, power1: Any, power2: Any, lr: Any, b1: Any, b2: Any,
    eps: Any, g: Any,
) -> Any:  # fmt: skip
    rate = lr * p.sqrt(1 - power2) / (1 - power1)
    m, s = _moved(m, g, b1), _moved(s, g * g, b2)
    most = p.maximum(most, s)
    return v - m * rate / (p.sqrt(most) + eps), m, s, most


def _add_sign(v: Any, m: Any, lr: Any, alpha: Any, decay: Any, beta: Any, g: Any) -> Any:
    m = _moved(m, g, beta)
    return v - (alpha + decay * sign(g) * sign(m)) * g * lr, m


def _power_sign(v: Any, m: Any, lr: Any, base: Any, decay: Any, beta: Any, g: Any) -> Any:
    m = _moved(m, g, beta)
    return v - p.exp(base * decay * sign(g) * sign(m)) * g * lr, m


def _rms(v: Any, s: Any, mom: Any, lr: Any, rho: Any, momentum: Any, eps: Any, g: Any) -> Any:
    s = _moved(s, g * g, rho)
    mom = mom * momentum + g * lr * p.rsqrt(s + eps)
    return v - mom, s, mom


def _centered_rms(
    v: Any, mean: Any, s: Any, mom: Any, lr: Any, rho: Any, momentum: Any, eps: Any, g: Any
) -> Any:
    s, mean = _moved(s, g * g, rho), _moved(mean, g, rho)
    mom = mom * momentum + g * lr * p.rsqrt(s - mean * mean + eps)
    return v - mom, mean, s, mom


def _ftrl(
    v: Any, a: Any, z: Any, g: Any, lr: Any, l1: Any, l2: Any, *rest: Any, **attrs: Any
) -> Any:
    *shrinkage, power = rest
    shrunk = g + v * shrinkage[0] * 2 if shrinkage else g
    new = a + g * g
    before, after = p.pow(a, -power), p.pow(new, -power)
    if attrs["multiply_linear_by_lr"]:
        z = z + shrunk * lr - (after - before) * v
        quadratic, l1 = after + l2 * lr * 2, l1 * lr
    else:
        z = z + shrunk - (after - before) / lr * v
        quadratic = after / lr + l2 * 2
    return where(p.greater(p.abs(z), l1), (sign(z) * l1 - z) / quadratic, zeros_like(z)), new, z


def _near(v: Any, rate: Any, l1: Any, l2: Any) -> Tensor:
    """Compute the proximal operator of the penalties."""
    return sign(v) / (1 + rate * l2) * p.maximum(p.abs(v) - rate * l1, 0.0)


def _proximal_descent(v: Any, alpha: Any, l1: Any, l2: Any, delta: Any) -> Any:
    return (_near(v - delta * alpha, alpha, l1, l2),)


def _momentum(v: Any, a: Any, lr: Any, g: Any, momentum: Any, use_nesterov: bool) -> Any:
    a = a * momentum + g
    return v - (g * lr + a * momentum * lr if use_nesterov else a * lr), a


def _keras_momentum(v: Any, a: Any, lr: Any, g: Any, momentum: Any, use_nesterov: bool) -> Any:
    a = a * momentum - g * lr
    return v + (a * momentum - g * lr if use_nesterov else a), a


def _proximal_adagrad(v: Any, a: Any, lr: Any, l1: Any, l2: Any, g: Any) -> Any:
    a = a + g * g
    rate = lr * p.rsqrt(a)
    return _near(v - g * rate, rate, l1, l2), a


def _dual_averages(
    v: Any, total: Any, squares: Any, g: Any, lr: Any, l1: Any, l2: Any, step: Any
) -> Any:
    total, squares = total + g, squares + g * g
    shrunk = sign(total) * p.maximum(p.abs(total) - l1 * step, 0.0)
    return -lr * shrunk / (l2 * step * lr + p.sqrt(squares)), total, squares


_step("ResourceApplyAdaMax(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad)", 2, _ada_max)
_step("ResourceApplyAdadelta(var, accum, accum_update, lr, rho, epsilon, grad)", 2, _adadelta)
_step("ResourceApplyAdagrad(var, accum, lr, grad; update_slots=True)", 1, _adagrad)
_step("ResourceApplyAdagradV2(var, accum, lr, epsilon, grad; update_slots=True)", 1, _adagrad_v2)
_step(
    "ResourceApplyAdam(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad; "
    "use_nesterov=False)",
    2,
    _adam,
)
_step(
    "ResourceApplyAdamWithAmsgrad(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, "
    "epsilon, grad)",
    3,
    _amsgrad,
)
_step("ResourceApplyAddSign(var, m, lr, alpha, sign_decay, beta, grad)", 1, _add_sign)
_step(
    "ResourceApplyCenteredRMSProp(var, mg, ms, mom, lr, rho, momentum, epsilon, grad)",
    3,
    _centered_rms,
)
_step(
    "ResourceApplyFtrl(var, accum, linear, grad, lr, l1, l2, lr_power; "
    "multiply_linear_by_lr=False)",
    2,
    _ftrl,
)
_step(
    "ResourceApplyFtrlV2(var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power; "
    "multiply_linear_by_lr=False)",
    2,
    _ftrl,
)
_step(
    "ResourceApplyGradientDescent(var, alpha, delta)",
    0,
    lambda v, alpha, delta: (v - delta * alpha,),
)
_step(
    "ResourceApplyKerasMomentum(var, accum, lr, grad, momentum; use_nesterov=False)",
    1,
    _keras_momentum,
)
_step("ResourceApplyMomentum(var, accum, lr, grad, momentum; use_nesterov=False)", 1, _momentum)
_step("ResourceApplyPowerSign(var, m, lr, logbase, sign_decay, beta, grad)", 1, _power_sign)
_step("ResourceApplyProximalAdagrad(var, accum, lr, l1, l2, grad)", 1, _proximal_adagrad)
_step(
    "ResourceApplyProximalGradientDescent(var, alpha, l1, l2, delta)",
    0,
    _proximal_descent,
)
_step("ResourceApplyRMSProp(var, ms, mom, lr, rho, momentum, epsilon, grad)", 2, _rms)
_step(
    "ResourceApplyAdagradDA(var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, "
    "l2, global_step)",
    2,
    _dual_averages,
)

# Steps on rows

_row_step(
    "ResourceSparseApplyAdadelta(var, accum, accum_update, lr, rho, epsilon, grad, indices)",
    2,
    _adadelta,
    7,
)
_row_step(
    "ResourceSparseApplyAdagrad(var, accum, lr, grad, indices; update_slots=True)", 1, _adagrad, 4
)
_row_step(
    "ResourceSparseApplyAdagradDA(var, gradient_accumulator, gradient_squared_accumulator, grad, "
    "indices, lr, l1, l2, global_step)",
    2,
    _dual_averages,
    4,
)
_row_step(
    "ResourceSparseApplyAdagradV2(var, accum, lr, epsilon, grad, indices; update_slots=True)",
    1,
    _adagrad_v2,
    5,
)
_row_step(
    "ResourceSparseApplyCenteredRMSProp(var, mg, ms, mom, lr, rho, momentum, epsilon, grad, "
    "indices)",
    3,
    _centered_rms,
    9,
)
_row_step(
    "ResourceSparseApplyFtrl(var, accum, linear, grad, indices, lr, l1, l2, lr_power; "
    "multiply_linear_by_lr=False)",
    2,
    _ftrl,
    4,
)
_row_step(
    "ResourceSparseApplyFtrlV2(var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, "
    "lr_power; multiply_linear_by_lr=False)",
    2,
    _ftrl,
    4,
)
_row_step(
    "ResourceSparseApplyKerasMomentum(var, accum, lr, grad, indices, momentum; use_nesterov=False)",
    1,
    _keras_momentum,
    4,
)
_row_step(
    "ResourceSparseApplyMomentum(var, accum, lr, grad, indices, momentum; use_nesterov=False)",
    1,
    _momentum,
    4,
)
_row_step(
    "ResourceSparseApplyProximalAdagrad(var, accum, lr, l1, l2, grad, indices)",
    1,
    _proximal_adagrad,
    6,
)
_row_step(
    "ResourceSparseApplyProximalGradientDescent(var, alpha, l1, l2, grad, indices)",
    0,
    _proximal_descent,
    5,
)
_row_step(
    "ResourceSparseApplyRMSProp(var, ms, mom, lr, rho, momentum, epsilon, grad, indices)",
    2,
    _rms,
    8,
)
