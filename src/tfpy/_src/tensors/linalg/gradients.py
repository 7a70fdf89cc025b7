"""Gradients of matrix decompositions.

They are composed of ops, so that they work on every backend and can be differentiated again. See
Giles (2008, https://people.maths.ox.ac.uk/gilesm/files/NA-08-01.pdf) and Walter and Lehmann (2010,
https://arxiv.org/abs/1001.1654) for the formulas; adjoints replace transposes for complex matrices.
If singular values or eigenvalues coincide, the vectors are not functions of the matrix; the
division by the difference of the values is then broadened.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.backends.registry import storable
from tfpy._src.compiler.ops import decomposition as dec, elementwise as ew, logic
from tfpy._src.compiler.ops.decomposition import unpack
from tfpy._src.compiler.ops.rules import sum_to_shape
from tfpy._src.core.conversion import constant
from tfpy._src.tensors.array.complex_numbers import real
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast, zeros_like
from tfpy._src.tensors.array.reshaping import expand_dims, reshape
from tfpy._src.tensors.linalg.products import adjoint, matmul, matrix_transpose

_BROADENING = 1e-20


def _mask(x: Any, values: Any) -> Any:
    """Return `x` times a constant matrix of zeros, halves and ones."""
    return x * constant(np.asarray(values, x.dtype.as_numpy_dtype))


def _eye(x: Any) -> Any:
    return np.eye(x.aval.shape[-2], x.aval.shape[-1])


def _lower(x: Any) -> Any:
    return _mask(x, np.tri(x.aval.shape[-2], x.aval.shape[-1]))


def _lower_half(x: Any) -> Any:
    """Return the lower triangle with half of the diagonal."""
    return _mask(x, np.tri(x.aval.shape[-2], x.aval.shape[-1]) - _eye(x) / 2)


def _diagonal(v: Any) -> Any:
    """Return diagonal matrices of vectors."""
    return _mask(expand_dims(v, -1), np.eye(v.aval.shape[-1]))


def _scalars(g: Any) -> Any:
    return expand_dims(expand_dims(g, -1), -1)


def _safe_reciprocal(x: Any) -> Any:
    return x / (x * x + storable(_BROADENING))


def _differences(values: Any) -> Any:
    """Return `1 / (values[j] - values[i])` at `[i, j]`, and 0 on the diagonal."""
    gaps = expand_dims(values, -2) - expand_dims(values, -1)
    return _mask(_safe_reciprocal(gaps), 1 - np.eye(values.aval.shape[-1]))


def _inverse_adjoint(a: Any) -> Any:
    """Return the adjoint of the inverse."""
    eye = constant(np.broadcast_to(_eye(a), a.aval.shape).astype(a.dtype.as_numpy_dtype))
    return dec.matrix_solve(adjoint(a), eye)


def matrix_solve(g: Any, x: Any, a: Any, b: Any) -> tuple[Any, Any]:
    to_b = dec.matrix_solve(adjoint(a), g)
    to_a = -matmul(to_b, x, adjoint_b=True)
    return sum_to_shape(to_a, a.aval.shape), sum_to_shape(to_b, b.aval.shape)


def triangular_solve(g: Any, x: Any, a: Any, b: Any, lower: bool) -> tuple[Any, Any]:
    to_b = dec.triangular_solve(adjoint(a), g, lower=not lower)
    full = -matmul(to_b, x, adjoint_b=True)
    triangle = np.tri(a.aval.shape[-1]) if lower else np.tri(a.aval.shape[-1]).T
    return sum_to_shape(_mask(full, triangle), a.aval.shape), sum_to_shape(to_b, b.aval.shape)


def cholesky(g: Any, y: Any, a: Any) -> tuple[Any]:
    middle = _lower_half(matmul(y, g, adjoint_a=True))
    # inverse(adjoint(y)) @ middle @ inverse(y)
    left = dec.triangular_solve(adjoint(y), middle, lower=False)
    whole = adjoint(dec.triangular_solve(adjoint(y), adjoint(left), lower=False))
    return ((whole + adjoint(whole)) * 0.5,)


def det(g: Any, y: Any, a: Any) -> tuple[Any]:
    conjugate = y if not y.dtype.is_complex else adjoint(_scalars(y))[..., 0, 0]
    return (_scalars(g * conjugate) * _inverse_adjoint(a),)


def sign_det(g: Any, y: Any, a: Any) -> Any:
    return (zeros_like(a),)


def log_abs_det(g: Any, y: Any, a: Any) -> tuple[Any]:
    return (cast(_scalars(g), a.dtype) * _inverse_adjoint(a),)


def qr(g: Any, y: Any, a: Any, full: bool) -> tuple[Any]:
    """Return the gradient of the reduced QR decomposition.

    Raises:
        NotImplementedError: If the matrices are full and have more rows than columns.
    """
    shapes = dec.qr_shapes(tuple(a.aval.shape), full)
    (q, r), (dq, dr) = unpack(y, shapes), unpack(g, shapes)
    m, n = a.aval.shape[-2:]
    if full and m > n:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true: "
            f"input {list(a.shape)}"
        )
    if m >= n:
        return (_qr_deep(q, r, dq, dr),)
    # The first m columns are a square problem. The other columns are q times the columns of r.
    rest, drest = a[..., m:], dr[..., m:]
    first = _qr_deep(q, r[..., :m], dq + matmul(rest, drest, adjoint_b=True), dr[..., :m])
    return (concat([first, matmul(q, drest)], -1),)


def _qr_deep(q: Any, r: Any, dq: Any, dr: Any) -> Any:
    inner = matmul(r, dr, adjoint_b=True) - matmul(dq, q, adjoint_a=True)
    if inner.dtype.is_complex:  # r has a real diagonal
        own = _mask(inner, _eye(inner))
        inner = _mask(inner, 1 - _eye(inner)) + cast(real(own), inner.dtype)
    strict = _mask(inner, np.tri(inner.aval.shape[-1], k=-1))
    symmetric = strict + adjoint(strict) + _mask(inner, _eye(inner))
    return adjoint(dec.triangular_solve(r, adjoint(dq + matmul(q, symmetric)), lower=False))


def svd(g: Any, y: Any, a: Any, full: bool) -> tuple[Any]:
    """Return the gradient for real and complex matrices with distinct singular values.

    Raises:
        NotImplementedError: If the matrices are full and their sizes differ by more than 1.
    """
    m, n = a.aval.shape[-2:]
    if full and abs(m - n) > 1:
        raise NotImplementedError(
            "svd: the gradient with full matrices requires abs(m - n) <= 1, got input "
            f"{list(a.shape)}"
        )
    shapes = dec.svd_shapes(tuple(a.aval.shape), full)
    (s, u, v), (ds, du, dv) = unpack(y, shapes), unpack(g, shapes)
    if m > n:
        return (adjoint(_svd_wide(s, v, u, ds, dv, du)),)
    return (_svd_wide(s, u, v, ds, du, dv),)


def _svd_wide(s: Any, u: Any, v: Any, ds: Any, du: Any, dv: Any) -> Any:
    """Return the gradient for matrices that do not have more rows than columns.

    `v` may have more columns than `s` has values.
    """
    m, n = u.aval.shape[-1], v.aval.shape[-2]
    own, down = v[..., :m], dv[..., :m]
    gaps = _differences(ew.square(s))
    turn_u, turn_v = matmul(u, du, adjoint_a=True), matmul(own, down, adjoint_a=True)
    values, inverse = _diagonal(s), _diagonal(_safe_reciprocal(s))
    left, right = gaps * turn_u, gaps * turn_v
    core = _diagonal(ds) + matmul(left + adjoint(left), values)
    core = core + matmul(values, right + adjoint(right))
    if u.dtype.is_complex:  # account for the phases of the vectors
        phase = _mask(turn_v, _eye(turn_v))
        core = core + matmul(inverse, adjoint(phase) - phase) * 0.5
    result = matmul(matmul(u, core), own, adjoint_b=True)
    if m == n:
        return result
    outside = adjoint(down) - matmul(adjoint(turn_v), own, adjoint_b=True)
    if v.aval.shape[-1] > m:
        more, dmore = v[..., m:], dv[..., m:]
        outside = outside - matmul(matmul(own, dmore, adjoint_a=True), more, adjoint_b=True)
    return result + matmul(matmul(u, inverse), outside)


def eigh(g: Any, y: Any, a: Any) -> tuple[Any]:
    shapes = dec.eigen_shapes(tuple(a.aval.shape))
    (e, v), (de, dv) = unpack(y, shapes), unpack(g, shapes)
    inner = _diagonal(de) + _differences(e) * matmul(v, dv, adjoint_a=True)
    whole = matmul(matmul(v, inner), v, adjoint_b=True)
    return (_lower_half(whole + adjoint(whole)),)


def eig(g: Any, y: Any, a: Any) -> tuple[Any]:
    shapes = dec.eigen_shapes(tuple(a.aval.shape))
    (e, v), (de, dv) = unpack(y, shapes), unpack(g, shapes)
    turn = matmul(v, dv, adjoint_a=True)
    lengths = _mask(cast(real(turn), turn.dtype), _eye(turn))
    turn = turn - matmul(matmul(v, v, adjoint_a=True), lengths)
    gaps = adjoint(_differences(e))
    inner = _diagonal(de) + matrix_transpose(gaps) * turn
    return (cast(dec.matrix_solve(adjoint(v), matmul(inner, v, adjoint_b=True)), a.dtype),)


def lu(g: Any, y: Any, a: Any) -> tuple[Any]:
    n = a.aval.shape[-1]
    lower_mask, eye = np.tri(n, n, -1), np.eye(n)
    unit = _mask(y, lower_mask) + constant(np.asarray(eye, y.dtype.as_numpy_dtype))
    upper = _mask(y, 1 - lower_mask)
    # adjoint(inverse(L)) @ (tril(L^H dL) + triu(dU U^H)) @ adjoint(inverse(U))
    inner = _mask(matmul(unit, _mask(g, lower_mask), adjoint_a=True), lower_mask)
    inner = inner + _mask(matmul(_mask(g, 1 - lower_mask), upper, adjoint_b=True), 1 - lower_mask)
    left = dec.triangular_solve(adjoint(unit), inner, lower=False)
    whole = adjoint(dec.triangular_solve(upper, adjoint(left), lower=False))
    order = dec.lu_permutation(a)
    back = logic.equal(expand_dims(order, -2), constant(np.arange(n, dtype=np.int32)[:, None]))
    return (matmul(cast(back, a.dtype), whole),)


def expm(g: Any, y: Any, a: Any) -> tuple[Any]:
    """Return the upper right block of the exponential of `[[a^H, g], [0, a^H]]`."""
    n, turned = a.aval.shape[-1], adjoint(a)
    blocks = [concat([turned, g], -1), concat([zeros_like(a), turned], -1)]
    return (dec.expm(concat(blocks, -2))[..., :n, n:],)


def sqrtm(g: Any, y: Any, a: Any) -> tuple[Any]:
    """Solve `y^H x + x y^H = g` for x, as one system of n * n equations."""
    n, eye = a.aval.shape[-1], np.eye(a.aval.shape[-1])
    turned, plain = adjoint(y), adjoint(matrix_transpose(y))  # y^H and conj(y)
    rows = _kronecker(turned, eye) + _kronecker_right(plain, eye)

    flat = reshape(g, [*a.aval.shape[:-2], n * n, 1])
    return (reshape(dec.matrix_solve(rows, flat), a.aval.shape),)


def _kronecker(x: Any, eye: Any) -> Any:
    """Return `kron(x, eye)`, which multiplies a row-major flat matrix by `x` from the left."""

    n = x.aval.shape[-1]
    spread = expand_dims(expand_dims(x, -1), -3)  # [i, 1, k, 1]
    fixed = constant(np.asarray(eye[:, None, :], x.dtype.as_numpy_dtype))  # [j, 1, l]
    return reshape(spread * fixed, [*x.aval.shape[:-2], n * n, n * n])


def _kronecker_right(x: Any, eye: Any) -> Any:
    """Return `kron(eye, x)`."""

    n = x.aval.shape[-1]
    spread = expand_dims(expand_dims(x, -2), -4)  # [1, j, 1, l]
    fixed = constant(np.asarray(eye[:, None, :, None], x.dtype.as_numpy_dtype))
    return reshape(spread * fixed, [*x.aval.shape[:-2], n * n, n * n])


dec.RULES.update(
    {
        "matrix_solve": matrix_solve,
        "triangular_solve": triangular_solve,
        "cholesky": cholesky,
        "det": det,
        "sign_det": sign_det,
        "log_abs_det": log_abs_det,
        "qr": qr,
        "svd": svd,
        "eigh": eigh,
        "eig": eig,
        "lu": lu,
        "expm": expm,
        "sqrtm": sqrtm,
    }
)
