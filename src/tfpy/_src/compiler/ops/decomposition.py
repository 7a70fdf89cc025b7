"""Matrix decompositions and ops that depend on them, over batches [..., m, n]. NumPy computes them.

An op has one output: the factors of a decomposition are packed as one vector per matrix
(`host_linalg.pack`). :func:`unpack` separates them, so that their gradients are packed as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, real_part
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.movement import reshape, strided_slice
from tfpy._src.compiler.ops.reference import linalg as host

TAKES = dtypes.PARTS | dtypes.COMPLEX
REASON = "pivoting and iteration are sequential, so NumPy computes it with LAPACK"

Rule = Callable[..., Any]


RULES: dict[str, Rule] = {}
"""Op -> gradient rule. The rules use matrix algebra, so `linalg/gradients.py` defines and enters
them."""


def _vjp(name: str) -> Rule:
    return lambda *args, **attrs: RULES[name](*args, **attrs)


def _complex(dtype: DType) -> DType:
    return dtypes.with_parts(real_part(dtype))


def _decomposition(
    name: str,
    ref: Rule,
    out: Callable[..., Shape],
    differentiable: bool = True,
    *,
    square: bool = True,
    sides: int = 1,
    gives: Callable[[DType], DType] | None = None,
    samples: Callable[[np.random.Generator], list[Sample]],
    doc: str,
) -> Op:
    """Register an op on matrices.

    Args:
        out: (shape, **attrs) -> the shape of the output. With two inputs it receives both shapes.
        square: True if the first input must be square.
        sides: Number of inputs.
        gives: Function from the dtype of the input to the dtype of the output.
    """

    def infer_aval(*avals: Aval, **attrs: Any) -> Aval:
        infer.check_same_dtype(name, avals)
        for a in avals:
            infer.check_dtype(name, a, TAKES, "input")
            if a.rank < 2:
                raise invalid(name, f"Shape must be at least rank 2 but is rank {a.rank}")
        first = avals[0]
        if square and first.shape[-1] != first.shape[-2]:
            raise invalid(name, f"Input matrix must be square, got: {list(first.shape)}")
        shape = out(*(a.shape for a in avals), **attrs)
        return Aval(shape, gives(first.dtype) if gives else first.dtype)

    return register(
        Op(
            name,
            "linalg",
            infer_aval,
            ref,
            _vjp(name) if differentiable else None,
            params=("input", "rhs")[:sides],
            doc=doc,
            samples=samples,
            tolerance=1e-3,
            reason="the condition number of the matrix amplifies rounding errors",
            host_only=REASON,
        )
    )


def unpack(packed: Any, shapes: Sequence[Shape]) -> list[Any]:
    """Return the packed results of each matrix as tensors with these trailing shapes."""
    *lead, _ = packed.aval.shape
    factors, start = [], 0
    for shape in shapes:
        count = math.prod(shape)
        flat = strided_slice(
            packed,
            begin=(*[0] * len(lead), start),
            size=(*lead, count),
            strides=(1,) * (len(lead) + 1),
        )
        factors.append(reshape(flat, shape=(*lead, *shape)))
        start += count
    return factors


# Samples


def matrix(rng: np.random.Generator, *shape: int) -> Any:
    """Return a well-conditioned random matrix with a dominant diagonal."""
    heavy = 3 * np.eye(shape[-2], shape[-1])
    return (rng.uniform(-1, 1, shape) + heavy).astype(np.float32)


def positive(rng: np.random.Generator, *shape: int) -> Any:
    a = rng.uniform(-1, 1, shape)
    return (a @ np.swapaxes(a, -1, -2) + 2 * np.eye(shape[-1])).astype(np.float32)


def _of(make: Any, shapes: Sequence[Shape], **attrs: Any) -> Any:
    return lambda rng: [((make(rng, *s),), dict(attrs)) for s in shapes]


_SQUARE = [(3, 3), (2, 4, 4), (1, 1), (0, 3, 3)]


def _systems(make: Any, cases: Sequence[dict[str, Any]]) -> Any:
    def samples(rng: np.random.Generator) -> list[Sample]:
        sides = [((3, 3), (3, 2)), ((2, 4, 4), (2, 4, 1)), ((2, 2), (2, 0))]
        return [
            ((make(rng, *a), rng.uniform(-1, 1, b).astype(np.float32)), dict(attrs))
            for a, b in sides
            for attrs in cases
        ]

    return samples


def _rhs_shape(name: str) -> Any:
    def out(a: Shape, b: Shape, **attrs: Any) -> Shape:
        if a[-1] != b[-2]:
            raise invalid(name, f"Input matrix {list(a)} and rhs {list(b)} are incompatible")
        return (*infer.broadcast_shapes(name, a[:-2], b[:-2]), *b[-2:])

    return out


# Systems of equations and determinants

matrix_solve = _decomposition(
    "matrix_solve",
    host.solve,
    _rhs_shape("matrix_solve"),
    sides=2,
    samples=_systems(matrix, [{}]),
    doc="Solution x of input @ x = rhs.",
)
triangular_solve = _decomposition(
    "triangular_solve",
    host.triangular_solve,
    _rhs_shape("triangular_solve"),
    sides=2,
    samples=_systems(matrix, [{"lower": True}, {"lower": False}]),
    doc="Solution x of input @ x = rhs; only one triangle of the input is read.",
)
cholesky = _decomposition(
    "cholesky",
    host.cholesky,
    lambda a: a,
    samples=_of(positive, _SQUARE),
    doc="""Lower triangular L with L @ adjoint(L) = input. Only the lower triangle of the input is
    read.""",
)
det = _decomposition(
    "det", host.det, lambda a: a[:-2], samples=_of(matrix, _SQUARE), doc="Determinant."
)
sign_det = _decomposition(
    "sign_det",
    host.sign_det,
    lambda a: a[:-2],
    samples=_of(matrix, _SQUARE),
    doc="Sign of the determinant; for complex numbers, a number with absolute value 1.",
)
log_abs_det = _decomposition(
    "log_abs_det",
    host.log_abs_det,
    lambda a: a[:-2],
    gives=real_part,
    samples=_of(matrix, _SQUARE),
    doc="Logarithm of the absolute value of the determinant.",
)

# Decompositions


def qr_shapes(a: Shape, full: bool) -> list[Shape]:
    """Return the shapes of q and r."""
    *_, m, n = a
    k = m if full else min(m, n)
    return [(m, k), (k, n)]


def svd_shapes(a: Shape, full: bool) -> list[Shape]:
    """Return the shapes of s, u and v."""
    *_, m, n = a
    k = min(m, n)
    return [(k,), (m, m if full else k), (n, n if full else k)]


def _packed(shapes: Callable[..., list[Shape]]) -> Any:
    def out(a: Shape, **attrs: Any) -> Shape:
        return (*a[:-2], sum(math.prod(s) for s in shapes(a, **attrs)))

    return out


def eigen_shapes(a: Shape) -> list[Shape]:
    """Return the shapes of eigenvalues and eigenvectors."""
    return [(a[-1],), (a[-1], a[-1])]


qr = _decomposition(
    "qr",
    host.qr,
    _packed(qr_shapes),
    square=False,
    samples=_of(matrix, [(4, 3), (2, 3, 3), (2, 4)], full=False),
    doc="Packed q and r of q @ r = input.",
)
svd = _decomposition(
    "svd",
    host.svd,
    _packed(svd_shapes),
    square=False,
    samples=_of(matrix, [(4, 3), (2, 3, 3), (2, 4)], full=False),
    doc="Packed s, u and v of u @ diag(s) @ adjoint(v) = input.",
)
eigh = _decomposition(
    "eigh",
    host.eigh,
    _packed(eigen_shapes),
    samples=_of(positive, [(3, 3), (2, 4, 4)]),
    doc="""Packed eigenvalues and eigenvectors of a self-adjoint matrix. Only the lower half is
    read.""",
)
eig = _decomposition(
    "eig",
    host.eig,
    _packed(eigen_shapes),
    gives=_complex,
    samples=_of(matrix, [(3, 3), (2, 4, 4)]),
    doc="Packed eigenvalues and eigenvectors, complex.",
)
lu = _decomposition(
    "lu",
    host.lu,
    lambda a: a,
    samples=_of(matrix, _SQUARE[:3]),
    doc="Both triangular factors in one matrix, for the input with permuted rows.",
)
lu_permutation = _decomposition(
    "lu_permutation",
    host.lu_permutation,
    lambda a: a[:-1],
    differentiable=False,
    gives=lambda _: dtypes.int32,
    samples=_of(matrix, _SQUARE[:3]),
    doc="Row of the input for each row of the product of the factors.",
)

# Functions of matrices

expm = _decomposition(
    "expm", host.expm, lambda a: a, samples=_of(matrix, _SQUARE), doc="Exponential of a matrix."
)
sqrtm = _decomposition(
    "sqrtm",
    host.sqrtm,
    lambda a: a,
    samples=_of(positive, _SQUARE[:3]),
    doc="Principal square root of a matrix.",
)
logm = _decomposition(
    "logm",
    host.logm,
    lambda a: a,
    differentiable=False,
    gives=_complex,
    samples=_of(positive, _SQUARE[:3]),
    doc="Logarithm of a matrix.",
)
