"""Decompositions of matrices, and incomplete gamma and beta functions."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax, numpy as jnp
from jax.scipy import linalg

from tfpy._src.compiler.ir.matrix_functions import MOST_ROOTS, NODES, RADIUS, REAL_WITHIN, WEIGHTS
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.lower.jax.table import RULES, lowers, wide


def _packed(factors: Sequence[Any], batch: int) -> Any:
    """Pack several results of each matrix into one vector, with flattened trailing dimensions."""
    dtype = jnp.result_type(*factors)
    flat = [
        lax.reshape(f, (*f.shape[:batch], math.prod(f.shape[batch:]))).astype(dtype)
        for f in factors
    ]
    return jnp.concatenate(flat, axis=-1)


def _together(a: Any, b: Any) -> tuple[Any, Any]:
    """Broadcast two matrices to the same batch."""
    lead = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return tuple(jnp.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (a, b))


@lowers("matrix_solve")
def matrix_solve(a: Any, b: Any) -> Any:
    a, b = _together(a, b)
    return jnp.linalg.solve(a, b) if b.size else b


@lowers("triangular_solve")
def triangular_solve(a: Any, b: Any, lower: bool) -> Any:
    a, b = _together(a, b)
    return lax.linalg.triangular_solve(a, b, left_side=True, lower=lower) if b.size else b


@lowers("cholesky")
def cholesky(a: Any) -> Any:
    return lax.linalg.cholesky(a, symmetrize_input=False) if a.size else a


RULES.update(
    det=jnp.linalg.det,
    sign_det=lambda a: jnp.linalg.slogdet(a)[0],
    log_abs_det=lambda a: jnp.linalg.slogdet(a)[1],
    expm=lambda a: linalg.expm(a) if a.size else a,
    lu=lambda a: lax.linalg.lu(a)[0],
    lu_permutation=lambda a: lax.linalg.lu(a)[2],
)


@lowers("qr")
def qr(a: Any, full: bool) -> Any:
    q, r = jnp.linalg.qr(a, mode="complete" if full else "reduced")
    return _packed([q, r], a.ndim - 2)


@lowers("svd")
def svd(a: Any, full: bool) -> Any:
    u, s, vh = jnp.linalg.svd(a, full_matrices=full)
    return _packed([s, u, jnp.conj(jnp.swapaxes(vh, -1, -2))], a.ndim - 2)


@lowers("eigh")
def eigh(a: Any) -> Any:
    """Decompose the matrix given by the lower half."""
    vectors, values = lax.linalg.eigh(a, lower=True, symmetrize_input=False)
    return _packed([values, vectors], a.ndim - 2)


@lowers("eig")
def eig(a: Any) -> Any:
    """Decompose a matrix by XLA on CPUs and GPUs, otherwise by a host callback."""
    n = a.shape[-1]
    packed = jax.ShapeDtypeStruct(
        (*a.shape[:-2], n + n * n), jnp.result_type(a.dtype, np.complex64)
    )
    if not a.size:
        return jnp.zeros(packed.shape, packed.dtype)

    def by_xla(a: Any) -> Any:
        return _packed(lax.linalg.eig(a, compute_left_eigenvectors=False), a.ndim - 2)

    def by_host(a: Any) -> Any:
        return jax.pure_callback(lambda a: OPS["eig"].ref(np.asarray(a)), packed, a)

    return lax.platform_dependent(a, cpu=by_xla, cuda=by_xla, rocm=by_xla, default=by_host)


@lowers("sqrtm")
@wide
def sqrtm(a: Any) -> Any:
    """Compute the square root by the Schur form, as in the reference."""
    of_one = functools.partial(_root, not jnp.iscomplexobj(a))
    return _by_schur("sqrtm", of_one, a, a.dtype)


@lowers("logm")
@wide
def logm(a: Any) -> Any:
    """Compute the logarithm by the Schur form, as in the reference."""
    return _by_schur("logm", _log, a, jnp.result_type(a.dtype, np.complex64))


def _by_schur(op: str, of_one: Callable[..., Any], a: Any, dtype: Any) -> Any:
    """Compute a function by the Schur form.

    XLA has it on CPUs; otherwise a host callback computes it.
    """
    if not a.size:
        return a.astype(dtype)

    def by_xla(a: Any) -> Any:
        matrices = lax.reshape(a, (math.prod(a.shape[:-2]), *a.shape[-2:]))
        factors = lax.linalg.schur(matrices.astype(np.complex128))
        return lax.reshape(jax.vmap(of_one)(*factors), a.shape).astype(dtype)

    def by_host(a: Any) -> Any:
        def compute(a: Any) -> Any:
            return OPS[op].ref(np.asarray(a)).astype(dtype)

        return jax.pure_callback(compute, jax.ShapeDtypeStruct(a.shape, dtype), a)

    return lax.platform_dependent(a, cpu=by_xla, default=by_host)


def _root(is_real: bool, t: Any, q: Any) -> Any:
    root = q @ _triangular_root(t) @ q.conj().T
    if not is_real:
        return root
    stays = jnp.max(jnp.abs(root.imag)) <= REAL_WITHIN * jnp.max(jnp.abs(root.real))
    return jnp.where(stays, root.real, jnp.nan)


def _triangular_root(t: Any) -> Any:
    n = len(t)
    diagonal = jnp.sqrt(jnp.diagonal(t))
    sums, number = diagonal[:, None] + diagonal, np.arange(n) - np.arange(n)[:, None]

    def fill(k: Any, root: Any) -> Any:
        return jnp.where(number == k, (t - root @ root) / sums, root)

    return lax.fori_loop(1, n, fill, jnp.diag(diagonal))


def _log(t: Any, q: Any) -> Any:
    eye = jnp.eye(len(t), dtype=t.dtype)

    def goes_on(state: Any) -> Any:
        t, roots = state
        distance = jnp.max(jnp.sum(jnp.abs(t - eye), 0))
        return (distance > RADIUS) & (roots < MOST_ROOTS)

    root, roots = lax.while_loop(
        goes_on, lambda state: (_triangular_root(state[0]), state[1] + 1), (t, 0)
    )
    x = root - eye
    solved = jax.vmap(lambda node: jnp.linalg.solve(eye + node * x, x))(NODES)
    log = jnp.tensordot(WEIGHTS, solved, 1) * 2.0**roots
    eigenvalues = jnp.diagonal(t)
    log = jnp.where(eye == 1, jnp.log(eigenvalues), log)
    return jnp.where(jnp.all(eigenvalues != 0), q @ log @ q.conj().T, jnp.nan)


def _broadcast(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that broadcasts its operands first."""
    return lambda *xs: function(*jnp.broadcast_arrays(*xs))


RULES.update(
    igamma=_broadcast(lax.igamma),
    igammac=_broadcast(lax.igammac),
    igamma_grad_a=_broadcast(lax.igamma_grad_a),
    random_gamma_grad=_broadcast(lax.random_gamma_grad),
    betainc=_broadcast(lax.betainc),
)
