"""Incomplete gamma and beta functions: series and continued fractions until they converge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.elementwise import exp, log
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import FLOAT
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.reference import gamma as host
from tfpy._src.compiler.ops.rules import rule_of
from tfpy._src.compiler.ops.special import lgamma, xlog1py, xlogy

_ITERATES = "the number of terms until a series converges differs from element to element"


def _function(
    name: str,
    ref: Callable[..., Any],
    vjp: Callable[..., Any] | None,
    domain: tuple[tuple[float, float], ...],
    doc: str,
    params: tuple[str, ...] = ("a", "x"),
    public: str = "",
    shapes: Callable[..., Shape] = infer.broadcast_shapes,
) -> Op:
    """Register a function. `shapes` checks the operand shapes and returns the result's shape."""

    def infer_aval(*avals: Aval) -> Aval:
        infer.check_same_dtype(name, avals)
        infer.check_dtype(name, avals[0], FLOAT)
        return Aval(shapes(name, *(a.shape for a in avals)), avals[0].dtype)

    def samples(rng: np.random.Generator) -> list[Sample]:
        return [
            (tuple(array(rng, shape, dtypes.float32, *range_) for range_ in domain), {})
            for shape in ((), (5,), (2, 3))
        ]

    return register(
        Op(
            name,
            "gamma",
            infer_aval,
            ref,
            vjp and rule_of(vjp, broadcasts=True),
            params=params,
            public=(public,) if public else (),
            doc=doc,
            samples=samples,
            host_only=_ITERATES,
        )
    )


def _density(a: Any, x: Any) -> Any:
    """Compute d igamma(a, x) / dx."""
    return exp(log(x) * (a - 1) - x - lgamma(a))


_POSITIVE = ((0.2, 9.0), (0.2, 9.0))

igamma: Op = _function(
    "igamma",
    host.igamma,
    lambda g, y, a, x: (lambda: g * igamma_grad_a(a, x), lambda: g * _density(a, x)),
    _POSITIVE,
    """Compute the lower regularized incomplete gamma function element-wise.

    The result is NaN outside of the domain `a > 0`, `x >= 0`.

    Args:
        a: Float tensor of values greater than 0.
        x: Tensor of the dtype of `a` with values of at least 0. The shapes of `a` and `x` must be
            broadcastable.

    Returns:
        Tensor of the dtype of `a`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtypes differ, or if the shapes are not
            broadcastable.
    """,
    public="math.igamma",
)
igammac: Op = _function(
    "igammac",
    host.igammac,
    lambda g, y, a, x: (lambda: -g * igamma_grad_a(a, x), lambda: -g * _density(a, x)),
    _POSITIVE,
    """Compute the upper regularized incomplete gamma function element-wise.

    The result is `1 - tf.math.igamma(a, x)`. It is NaN outside of the domain `a > 0`, `x >= 0`.

    Args:
        a: Float tensor of values greater than 0.
        x: Tensor of the dtype of `a` with values of at least 0. The shapes of `a` and `x` must be
            broadcastable.

    Returns:
        Tensor of the dtype of `a`, with the shape that results from broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If the dtypes differ, or if the shapes are not
            broadcastable.
    """,
    public="math.igammac",
)
igamma_grad_a: Op = _function(
    "igamma_grad_a",
    host.igamma_grad_a,
    None,
    _POSITIVE,
    "Derivative of igamma with respect to its first argument.",
)
random_gamma_grad: Op = _function(
    "random_gamma_grad",
    host.random_gamma_grad,
    None,
    _POSITIVE,
    "Derivative of a gamma sample with respect to alpha, at a fixed probability.",
    params=("alpha", "sample"),
)


def _one_shape(name: str, *shapes: Shape) -> Shape:
    """Return the common shape of all operands that are not scalars."""
    found = dict.fromkeys(s for s in shapes if s)
    if len(found) > 1:
        raise invalid(
            name,
            f"shapes must be equal, or () for a number, got {[list(s) for s in shapes]}; "
            "broadcast with tf.broadcast_to",
        )
    return next(iter(found), ())


betainc: Op = _function(
    "betainc",
    host.betainc,
    lambda g, y, a, b, x: (
        None,
        None,
        lambda: g * _beta_density(a, b, x),
    ),
    ((0.3, 5.0), (0.3, 5.0), (0.05, 0.95)),
    """Compute the regularized incomplete beta function element-wise.

    The result is NaN outside of the domain `a > 0`, `b > 0`, `0 <= x <= 1`. The gradients with
    respect to `a` and `b` are None.

    Args:
        a: Float tensor of values greater than 0.
        b: Tensor of the dtype of `a` with values greater than 0.
        x: Tensor of the dtype of `a` with values from 0 to 1. Operands that are not scalars must
            have the same shape.

    Returns:
        Tensor of the dtype of `a`, with the shape of the operands that are not scalars.

    Raises:
        tf.errors.InvalidArgumentError: If the dtypes differ, or if operands that are not scalars
            have different shapes.
    """,
    params=("a", "b", "x"),
    public="math.betainc",
    shapes=_one_shape,
)


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    """Compute d betainc(a, b, x) / dx."""
    scale = lgamma(a + b) - lgamma(a) - lgamma(b)
    return exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) + scale)
