"""How far results may be from TensorFlow's: one table, with reasons.

Numbers that are no floats are equal. A float result may be off by ``relative * (|y| + scale)``,
where the scale is 0 for what is computed element by element and else the size of the operands,
for sums may cancel. Every statement is judged by itself, on the operands that it had, so that
errors do not add up along a program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.compiler.ops import OPS

from .surroundings import unsurrounded

Array = np.ndarray[Any, Any]

DOMAINS = {
    r"image\..*": (0.0, 1.0),
    r"linalg\..*|norm|signal\..*|sparse\..*|losses\..*|nn\..*loss.*|.*segment.*": (-2.0, 2.0),
    r"nn\.ctc_.*": (-2.0, 2.0),
    r"math\.(betainc|lbeta|igamma.*|polygamma|zeta)": (0.1, 0.9),
    r"nn\.avg_pool3d": (-2.0, 2.0),  # TensorFlow takes the lowest float for padding
    r"nn\.(lrn|local_response_normalization)": (-2.0, 2.0),  # squares that overflow times 0 or 1
}
"""Functions that are tried with such numbers only: colours, what is summed for long or decomposed
(infinities and NaN say nothing there), functions with a domain."""


class Bound(NamedTuple):
    """How far off a result may be."""

    relative: float
    scale: str = "none"
    """"none", "one": 1, "operands": the largest operand, "product": that of the largest of each,
    "numbers": the largest operand times the largest number in the call."""


EXACT = Bound(0.0)
ELEMENT = Bound(2e-6)
SUMS = Bound(2e-6, "operands")
PRODUCTS = Bound(4e-6, "product")

TABLE: dict[str, tuple[Bound, str]] = {
    r"(math\.)?(negative|abs|sign|maximum|minimum|floor|ceil|rint|round|reduce_max|reduce_min)|"
    r"identity|reshape|squeeze|expand_dims|transpose|concat|stack|unstack|split|pad|tile|repeat|"
    r"reverse.*|roll|slice|strided_slice|gather.*|where|boolean_mask|sort|unique.*|broadcast_to|"
    r"batch_to_space|space_to_batch|nn\.(relu|relu6|max_pool.*|depth_to_space|space_to_depth)|"
    r"linalg\.(diag.*|set_diag|band_part|matrix_transpose|tensor_diag.*)": (
        EXACT,
        "moves or picks values",
    ),
    r"pow|math\.(xlogy|xlog1py)": (Bound(1e-5), "exp(y log x): the product's rounding grows"),
    r"math\.(lgamma|digamma|polygamma|zeta|igamma.*|betainc|lbeta|ndtri|erf.*inv|bessel.*)": (
        Bound(2e-5, "none"),
        "series in float32, of other lengths",
    ),
    r"nn\.s?elu": (Bound(2e-6, "one"), "TensorFlow's exp(x) - 1 loses small numbers"),
    r"(linalg\.)?(matmul|matvec|einsum|tensordot|.*matmul|cross)|nn\.(.*conv.*)|einsum": (
        PRODUCTS,
        "sums of products in another order",
    ),
    r"linalg\..*|eig.*|norm": (Bound(1e-4, "operands"), "decompositions: errors grow"),
    r"signal\..*window": (Bound(2e-6, "one"), "cosines and Bessel functions in float32"),
    r"signal\.linear_to_mel.*": (Bound(1e-6, "one"), "differences of edges near each other"),
    r"signal\..*": (Bound(1e-5, "operands"), "long sums of products"),
    r"image\.adjust_contrast": (Bound(1e-6, "numbers"), "the mean's rounding times the factor"),
    r"image\..*": (Bound(1e-5, "operands"), "sums of weighed pixels"),
}

DEFAULT = Bound(5e-6, "operands")
GRADIENT = Bound(1e-4, "product")
HALVES = {"float16": 2e-3, "bfloat16": 1.6e-2}
"""Relative, of floats of 16 bits."""


def truncated(name: str) -> bool:
    """Whether integers are computed as floats and truncated: the nearest below is as good."""
    return re.fullmatch(r"image\.adjust_.*", unsurrounded(name)) is not None


def domain(name: str) -> tuple[float, float] | None:
    """The numbers that a function is tried with, if not with all."""
    return next((d for pattern, d in DOMAINS.items() if re.fullmatch(pattern, name)), None)


ELEMENTWISE = frozenset(
    name for op in OPS.values() if op.expr is not None for name in (*op.public, op.name)
)


def bound(name: str) -> Bound:
    """The bound of a function."""
    if name.startswith(("gradient of ", "assigned ")):
        return GRADIENT
    name = unsurrounded(name)
    for pattern, (found, _) in TABLE.items():
        if re.fullmatch(pattern, name):
            return found
    return ELEMENT if name in ELEMENTWISE else DEFAULT


def scale(kind: str, operands: Sequence[Array], text: str) -> float:
    """The size that an absolute error of a call is measured by."""
    if kind in ("none", "one"):
        return float(kind == "one")
    largest = [_largest(a) for a in operands if a.dtype.kind not in "bO"]
    if kind == "operands":
        return max(largest, default=0.0)
    if kind == "numbers":
        numbers = map(float, re.findall(r"(?<![\w$.])\d+(?:\.\d+)?(?:e[-+]?\d+)?", text))
        return max(largest, default=0.0) * max([1.0, *numbers])
    return float(np.prod([max(n, 1e-30) for n in largest])) if largest else 0.0


def _largest(array: Array) -> float:
    sizes = np.abs(array.astype(np.complex128))
    finite = sizes[np.isfinite(sizes)]
    return float(finite.max(initial=0.0))
