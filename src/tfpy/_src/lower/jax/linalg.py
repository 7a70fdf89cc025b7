"""Decompositions of matrices, and incomplete gamma and beta functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax, numpy as jnp
from jax.scipy import linalg

from tfpy._src.ir.op import OPS
from tfpy._src.lower.jax.table import RULES, lowers, wide


def _packed(factors: Sequence[Any], batch: int) -> Any:
    """Several results of each matrix as one vector: the trailing dimensions of each, flat."""
    dtype = jnp.result_type(*factors)
    flat = [
        lax.reshape(f, (*f.shape[:batch], math.prod(f.shape[batch:]))).astype(dtype)
        for f in factors
    ]
    return jnp.concatenate(flat, axis=-1)


def _together(a: Any, b: Any) -> tuple[Any, Any]:
    """Two matrices of the same batch."""
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
    """Of the lower half."""
    vectors, values = lax.linalg.eigh(a, lower=True, symmetrize_input=False)
    return _packed([values, vectors], a.ndim - 2)


@lowers("eig")
def eig(a: Any) -> Any:
    """XLA has it on CPUs and GPUs; elsewhere the host computes it in the midst of the program."""
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


_MOST_STEPS = 64


@lowers("sqrtm")
@wide
def sqrtm(a: Any) -> Any:
    """As in the reference, by Denman and Beavers' iteration."""
    if not a.size:
        return a
    matrices = lax.reshape(a, (math.prod(a.shape[:-2]), *a.shape[-2:]))
    return lax.reshape(jax.vmap(_root)(_doubled(matrices)), a.shape)


def _doubled(a: Any) -> Any:
    return a.astype(jnp.result_type(a.dtype, np.float64))


def _root(a: Any) -> Any:
    def goes_on(state: Any) -> Any:
        steps, y, _, change = state
        return (steps < _MOST_STEPS) & ~_is_small(change, y)

    def step(state: Any) -> Any:
        steps, y, z, _ = state
        after = (y + jnp.linalg.inv(z)) / 2
        return steps + 1, after, (z + jnp.linalg.inv(y)) / 2, jnp.max(jnp.abs(after - y))

    first = (0, a, jnp.eye(len(a), dtype=a.dtype), jnp.float64(np.inf))
    _, y, _, change = lax.while_loop(goes_on, step, first)
    return jnp.where(_is_small(change, y), y, jnp.nan)


def _is_small(change: Any, y: Any) -> Any:
    return change <= 1e-13 * jnp.maximum(jnp.max(jnp.abs(y)), 1)


@lowers("logm")
@wide
def logm(a: Any) -> Any:
    """By eigenvectors."""
    n = a.shape[-1]
    packed = eig(_doubled(a))
    values, vectors = packed[..., :n], lax.reshape(packed[..., n:], a.shape)
    return (vectors * jnp.log(values)[..., None, :]) @ jnp.linalg.inv(vectors)


def _broadcast(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers, of arrays of shapes that go together."""
    return lambda *xs: function(*jnp.broadcast_arrays(*xs))


RULES.update(
    igamma=_broadcast(lax.igamma),
    igammac=_broadcast(lax.igammac),
    igamma_grad_a=_broadcast(lax.igamma_grad_a),
    random_gamma_grad=_broadcast(lax.random_gamma_grad),
    betainc=_broadcast(lax.betainc),
)
