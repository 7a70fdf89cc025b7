"""Gradients of every public elementwise function at edge operands, with upstream 0 or 1.

The upstream gradient is 0 where ``tf.where`` selects another value. There a gradient must be 0
wherever TensorFlow's is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.compiler.ops import OPS

Array = np.ndarray[Any, Any]

EDGES = [
    *(0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, -1e-30, 3e38, -3e38, 1e20, -1e20),
    *(0.5, -0.5, 1.5, 2.0, -2.0, -3.5, 6.0, 20.0, -20.0, 100.0, -100.0),
]
FEW = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, 3e38, 0.5, 2.0, -3.5]
SUBNORMAL = [1e-40, -1e-40]  # TensorFlow treats them as 0, with other gradients
LEAST = 2.0**-126
UPSTREAM = (0.0, 1.0)

COMPOSED: dict[str, tuple[int, Callable[..., Any]]] = {
    "abs of a difference": (2, lambda tf, x, y: tf.abs(x - y)),
    "cast": (1, lambda tf, x: tf.cast(tf.cast(x, tf.float16), tf.float32)),
    "clip_by_value": (3, lambda tf, x, low, high: tf.clip_by_value(x, low, high)),
    "divide_no_nan": (2, lambda tf, x, y: tf.math.divide_no_nan(x, y)),
    "erfcinv": (1, lambda tf, x: tf.math.erfcinv(x)),
    "gelu": (1, lambda tf, x: tf.nn.gelu(x)),
    "gelu, approximate": (1, lambda tf, x: tf.nn.gelu(x, approximate=True)),
    "leaky_relu": (1, lambda tf, x: tf.nn.leaky_relu(x, alpha=0.5)),
    "log_poisson_loss": (1, lambda tf, x: tf.nn.log_poisson_loss(tf.ones_like(x), x)),
    "log_sigmoid": (1, lambda tf, x: tf.math.log_sigmoid(x)),
    "power 0": (1, lambda tf, x: x**0.0),
    "power 0.5": (1, lambda tf, x: x**0.5),
    "power -1": (1, lambda tf, x: x**-1.0),
    "reciprocal_no_nan": (1, lambda tf, x: tf.math.reciprocal_no_nan(x)),
    "sigmoid_cross_entropy_with_logits": (
        1,
        lambda tf, x: tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(x), logits=x),
    ),
    "sign": (1, lambda tf, x: tf.sign(x)),
    "silu": (1, lambda tf, x: tf.nn.silu(x)),
    "softsign": (1, lambda tf, x: tf.nn.softsign(x)),
    "where": (2, lambda tf, x, y: tf.where(x > y, x, y)),
    "where of rsqrt": (1, lambda tf, x: tf.where(x > 0, tf.math.rsqrt(x), 0.0)),
    "where of sqrt": (1, lambda tf, x: tf.where(x > 0, tf.sqrt(x), 0.0)),
    "where of a reciprocal": (1, lambda tf, x: tf.where(x > 0, tf.math.reciprocal(x), 0.0)),
}
"""Functions composed of primitives, with the number of operands."""

_OVERFLOW = "TensorFlow multiplies 0 by a slope that has overflowed; here the order is another"
_LOST = "TensorFlow's sum stops early, overflows or loses small numbers"
_NOISE = "both are the rounding error of a difference of equal terms"

EXCEPTIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    "betainc": (_LOST, lambda a, b, x: (a > 1e10) & (b > 1e10)),
    "bessel_i0e": (_NOISE, lambda x: np.abs(x) > 1e10),
    "bessel_i1": ("the limit at 0 is 1/2, TensorFlow's is 1", lambda x: x == 0),
    "bessel_i1e": (_NOISE, lambda x: np.abs(x) > 1e10),
    "digamma": (_LOST, lambda x: x > 1e10),
    "divide_no_nan": (_OVERFLOW, lambda x, y: np.abs(y) < 1e-20),
    "floormod": (
        "the quotient is subnormal, which TensorFlow takes for 0",
        lambda x, y: (np.abs(x) < 1e3) & (np.abs(y) > 1e38),
    ),
    "igamma": (_LOST, lambda a, x: ((a > 1e10) & (a == x)) | ((a < 1e-20) & (x > 10))),
    "igammac": (_LOST, lambda a, x: ((a > 1e10) & (a == x)) | ((a < 1e-20) & (x > 10))),
    "polygamma": (_LOST, lambda a, x: (a > 9) | (x > 1e10)),
    "pow": ("the power is subnormal", lambda x, y: (np.abs(x) > 1e38) & (y == -1)),
    "real_div": (_OVERFLOW, lambda x, y: np.abs(y) < 1e-20),
    "reciprocal_no_nan": (_OVERFLOW, lambda x: np.abs(x) < 1e-20),
    "selu": ("TensorFlow computes exp(x) - 1, we expm1", lambda x: np.abs(x) < 1e-20),
    "square": (_OVERFLOW, lambda x: np.abs(x) > 2e38),
    "zeta": (_LOST, lambda x, q: (q < 0) | (q > 1e10)),
}
"""Operands at which a gradient is not compared, with the reason."""


@dataclass(frozen=True)
class Case:
    """A function on a grid of its operands."""

    name: str
    arity: int
    call: Callable[..., Any]

    @property
    def absolute(self) -> float:
        """Return the permitted error where the gradient is a difference."""
        return 1e-8 if self.name.startswith("sigmoid_cross_entropy") else 2 * LEAST

    @property
    def operands(self) -> tuple[Array, ...]:
        values = EDGES if self.arity < 3 else FEW
        grid = np.meshgrid(*[np.array(values, np.float32)] * self.arity)
        flat = [np.ascontiguousarray(part.ravel()) for part in grid]
        if self.name not in EXCEPTIONS:
            return tuple(flat)
        with np.errstate(invalid="ignore"):
            kept = ~EXCEPTIONS[self.name][1](*flat)
        return tuple(part[kept] for part in flat)

    def gradients(self, tf: Any, upstream: float, operands: Any = None) -> list[Array]:
        """Return the gradient of each operand, zeros where there is none."""
        inputs = [tf.constant(a) for a in operands or self.operands]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = self.call(tf, *inputs)
        given = tf.fill(y.shape, tf.constant(upstream))
        found = tape.gradient(y, inputs, given, unconnected_gradients="zero")
        return [np.asarray(tf.convert_to_tensor(g)) for g in found]

    def differences(self, got: list[Array], wanted: list[Array]) -> str:
        """Return the places where gradients differ from the expected ones, or ""."""
        lines = []
        for number, (mine, other) in enumerate(zip(got, wanted, strict=True)):
            near = np.isclose(mine, other, rtol=3e-4, atol=self.absolute, equal_nan=True)
            for i in np.flatnonzero(~near)[:5]:
                at = [float(a[i]) for a in self.operands]
                lines.append(f"operand {number} at {at}: {mine[i]} for {other[i]}")
        return "\n".join([self.name, *lines]) if lines else ""

    def __str__(self) -> str:
        return self.name


def _public(paths: Sequence[str]) -> Callable[..., Any]:
    """Return the function of a name that TensorFlow also has, which prefers ``tf.math``."""
    path = max(paths, key=lambda p: p.startswith("math."))
    return lambda tf, *operands: functools.reduce(getattr, path.split("."), tf)(*operands)


def cases() -> list[Case]:
    """Return every primitive with a public name and a gradient, and the composed functions."""
    records = [
        Case(op.name, len(op.params), _public(op.public))
        for op in OPS.values()
        if op.family in ("elementwise", "gamma") and op.vjp is not None and op.public
    ]
    return records + [Case(name, *composed) for name, composed in COMPOSED.items()]
