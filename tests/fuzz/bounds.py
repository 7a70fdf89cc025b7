"""A table of how far results may be from TensorFlow's, with reasons.

Results that are not floats must be equal. A float result may differ by ``relative * (|y| +
scale)``. The scale is 0 for elementwise functions, and otherwise the size of the operands, because
sums may cancel. Each statement is judged alone on its actual operands, so errors do not accumulate
along a program.
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
    r"nn\.avg_pool3d": (-2.0, 2.0),  # TensorFlow pads with the lowest float
    r"nn\.(lrn|local_response_normalization)": (-2.0, 2.0),  # squares that overflow times 0 or 1
}
"""Ranges of operands for functions that are not tried with all numbers.

These are functions of colors, functions with a domain, and long sums and decompositions, for which
infinities and NaN are not informative.
"""


class Bound(NamedTuple):
    """Bound on the difference of a result."""

    relative: float
    scale: str = "none"
    """Kind of scale.

    "none": 0, "one": 1, "operands": the largest operand, "product": the product of each operand's
    largest element, "numbers": the largest operand times the largest number in the call.
    """


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
"""Relative bounds of 16-bit floats."""


def truncated(name: str) -> bool:
    """Return True if integers are truncated floats, so that the integer below is also valid."""
    return re.fullmatch(r"image\.adjust_.*", unsurrounded(name)) is not None


def domain(name: str) -> tuple[float, float] | None:
    """Return the range of numbers that a function is tried with, or None for all."""
    return next((d for pattern, d in DOMAINS.items() if re.fullmatch(pattern, name)), None)


ELEMENTWISE = frozenset(
    name for op in OPS.values() if op.expr is not None for name in (*op.public, op.name)
)


def bound(name: str) -> Bound:
    """Return the bound of a function."""
    if name.startswith(("gradient of ", "assigned ")):
        return GRADIENT
    name = unsurrounded(name)
    for pattern, (found, _) in TABLE.items():
        if re.fullmatch(pattern, name):
            return found
    return ELEMENT if name in ELEMENTWISE else DEFAULT


def scale(kind: str, operands: Sequence[Array], text: str) -> float:
    """Return the scale of absolute errors of a call."""
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
