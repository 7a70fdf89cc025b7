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

from tfpy._src.ops import OPS

Array = np.ndarray[Any, Any]

DOMAINS = {
    r"image\..*": (0.0, 1.0),
    r"linalg\..*|norm|signal\..*|sparse\..*|losses\..*|nn\..*loss.*|.*segment.*": (-2.0, 2.0),
    r"math\.(betainc|lbeta|igamma.*|polygamma|zeta)": (0.1, 0.9),
    r"nn\.avg_pool3d": (-2.0, 2.0),  # TensorFlow takes the lowest float for padding
}
"""Functions that are tried with such numbers only: colours, what is summed for long or decomposed
(infinities and NaN say nothing there), functions with a domain."""


class Bound(NamedTuple):
    """How far off a result may be."""

    relative: float
    scale: str = "none"
    """"none", "one": 1, "operands": the largest operand, "product": that of the largest of each."""


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
    r"(linalg\.)?(matmul|matvec|einsum|tensordot|.*matmul|cross)|nn\.(.*conv.*)|einsum": (
        PRODUCTS,
        "sums of products in another order",
    ),
    r"linalg\..*|eig.*|norm": (Bound(1e-4, "operands"), "decompositions: errors grow"),
    r"signal\.linear_to_mel.*": (Bound(1e-6, "one"), "differences of edges near each other"),
    r"signal\..*": (Bound(1e-5, "operands"), "long sums of products"),
    r"image\..*": (Bound(1e-5, "operands"), "sums of weighed pixels"),
}

DEFAULT = Bound(5e-6, "operands")
GRADIENT = Bound(1e-4, "product")
EXCUSED = {
    "gradient of linalg.eigh_tridiagonal": "TensorFlow's does not agree with finite differences",
    "linalg.eigh_tridiagonal": "TensorFlow reads beyond diagonals that are too short",
    "histogram_fixed_width_bins": "TensorFlow divides by the width of an empty range",
    "ragged.segment_ids_to_row_splits": "TensorFlow takes ids that descend",
}
"""Functions of which results are not compared, and why."""
NAN_IS_ANY = r"nn\.(max_pool.*|dilation2d|erosion2d|pool)"
"""Functions of which TensorFlow's result, where a NaN goes in, depends on where it stands."""
FLOAT16 = 2e-3
"""Relative, of float16."""


def domain(name: str) -> tuple[float, float] | None:
    """The numbers that a function is tried with, if not with all."""
    return next((d for pattern, d in DOMAINS.items() if re.fullmatch(pattern, name)), None)


ELEMENTWISE = frozenset(
    name for op in OPS.values() if op.expr is not None for name in (*op.public, op.name)
)


def bound(name: str) -> Bound:
    """The bound of a function."""
    if name.startswith("gradient of "):
        return GRADIENT
    for pattern, (found, _) in TABLE.items():
        if re.fullmatch(pattern, name):
            return found
    return ELEMENT if name in ELEMENTWISE else DEFAULT


def scale(kind: str, operands: Sequence[Array]) -> float:
    """The size that an absolute error is measured by."""
    if kind in ("none", "one"):
        return float(kind == "one")
    largest = [_largest(a) for a in operands if a.dtype.kind in "fciu"]
    if kind == "operands":
        return max(largest, default=0.0)
    return float(np.prod([max(n, 1e-30) for n in largest])) if largest else 0.0


def _largest(array: Array) -> float:
    sizes = np.abs(array.astype(np.complex128))
    finite = sizes[np.isfinite(sizes)]
    return float(finite.max(initial=0.0))
