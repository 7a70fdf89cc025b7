"""Reading and writing at computed positions. Indices out of range yield 0 or are dropped."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from jax import lax, numpy as jnp

from tfpy._src.compiler.lower.jax.table import RULES, lowers

_DROPPING = {"mode": "drop"}


@lowers("gather")
def gather(
    x: Any,
    indices: Any,
    axis: int,
    batch_dims: int,
    sparse_gradient: bool = False,
    role: str = "",
) -> Any:
    """Gather from [batch, outer, n, inner] at [batch, picks]."""
    batch = math.prod(x.shape[:batch_dims])
    outer, inner = math.prod(x.shape[batch_dims:axis]), math.prod(x.shape[axis + 1 :])
    shape = x.shape[:axis] + indices.shape[batch_dims:] + x.shape[axis + 1 :]
    if 0 in shape:
        return jnp.zeros(shape, x.dtype)
    rows = lax.reshape(x, (batch, outer, x.shape[axis], inner))
    places = lax.reshape(indices, (batch, math.prod(indices.shape[batch_dims:]), 1))
    found = lax.gather(
        rows,
        places,
        lax.GatherDimensionNumbers(
            offset_dims=(1, 3),
            collapsed_slice_dims=(2,),
            start_index_map=(2,),
            operand_batching_dims=(0,),
            start_indices_batching_dims=(0,),
        ),
        slice_sizes=(1, outer, 1, inner),
        mode=lax.GatherScatterMode.FILL_OR_DROP,
        fill_value=0,
    )
    return lax.reshape(found, shape)


def _kept(ids: Any, rows: int) -> Any:
    """Return ids in one dimension, with negative ones moved beyond the end.

    JAX would count them from the end.
    """
    flat = lax.reshape(ids, (math.prod(ids.shape),))
    return jnp.where(flat < 0, np.int32(rows), flat)


def _rows(updates: Any, ids: Any) -> Any:
    """Return one row of updates for each id."""
    return lax.reshape(updates, (math.prod(ids.shape), *updates.shape[ids.ndim :]))


@lowers("segment_sum")
def segment_sum(data: Any, ids: Any, segments: int) -> Any:
    out = jnp.zeros((segments, *data.shape[ids.ndim :]), data.dtype)
    return out.at[_kept(ids, segments)].add(_rows(data, ids), **_DROPPING)


@lowers("scatter_update")
def scatter_update(x: Any, ids: Any, updates: Any) -> Any:
    """Write the last update of each row. It is found first, because devices write in any order."""
    kept, rows = _kept(ids, len(x)), _rows(updates, ids)
    if not rows.size:
        return x
    last = jnp.full((len(x),), -1, np.int32)
    last = last.at[kept].max(lax.iota(np.int32, len(kept)), **_DROPPING)
    found = jnp.take(rows, last, axis=0, mode="clip")
    is_new = lax.reshape(last >= 0, (len(x), *[1] * (x.ndim - 1)))
    return jnp.where(is_new, found, x)


def _scatter(method: str) -> Any:
    def scatter(x: Any, ids: Any, updates: Any) -> Any:
        combine = getattr(x.at[_kept(ids, len(x))], method)
        return combine(_rows(updates, ids), **_DROPPING)

    return scatter


RULES.update(
    scatter_prod=_scatter("multiply"),
    scatter_max=_scatter("max"),
    scatter_min=_scatter("min"),
)


@lowers("dynamic_update_slice")
def dynamic_update_slice(x: Any, update: Any, starts: Any) -> Any:
    """Update a slice. JAX would count negative starts from the end."""
    limits = np.subtract(x.shape, update.shape).astype(np.int32)
    return lax.dynamic_update_slice(x, update, list(jnp.clip(starts, 0, limits)))


@lowers("ravel_index")
def ravel_index(indices: Any, dims: tuple[int, ...]) -> Any:
    """Return row-major positions, and -1 for indices out of range."""
    place = jnp.zeros(indices.shape[:-1], np.int32)
    inside = jnp.ones(indices.shape[:-1], np.bool_)
    for axis, size in enumerate(dims):
        column = indices[..., axis]
        place = place * np.int32(size) + column
        inside &= (column >= 0) & (column < size)
    return jnp.where(inside, place, np.int32(-1))


@lowers("non_max_suppression")
def non_max_suppression(
    boxes: Any, scores: Any, most: int, threshold: float, least: float, sigma: float
) -> Any:
    """Suppress boxes [..., n, 4], one set after the other."""
    n = scores.shape[-1]
    if not scores.size or not most:
        empty = jnp.asarray([-1.0, 0.0], np.float32)
        return jnp.broadcast_to(empty, (*scores.shape[:-1], most, 2))
    sets = lax.reshape(boxes, (math.prod(scores.shape[:-1]), n, 4))
    rows = lax.reshape(scores, sets.shape[:2])
    choose = functools.partial(_choose, most, threshold, least, sigma)
    found = lax.map(lambda one: choose(*one), (sets, rows))
    return lax.reshape(found, (*scores.shape[:-1], most, 2))


def _choose(
    most: int, threshold: float, least: float, sigma: float, boxes: Any, scores: Any
) -> Any:
    """Choose the best remaining box repeatedly. Similar boxes are dropped, or lose score."""
    low, high = jnp.minimum(boxes[:, :2], boxes[:, 2:]), jnp.maximum(boxes[:, :2], boxes[:, 2:])
    area = jnp.prod(high - low, axis=1)

    def likeness(box: Any) -> Any:
        sides = jnp.minimum(high, high[box]) - jnp.maximum(low, low[box])
        shared = jnp.prod(jnp.maximum(sides, 0), axis=1)
        union = area + area[box] - shared
        return jnp.where(union > 0, shared / jnp.where(union > 0, union, 1), 0)

    def step(i: Any, state: Any) -> Any:
        left, out = state
        box = lax.argmax(left, 0, np.int32)
        score = left[box]
        found = score > least
        row = jnp.stack([box.astype(np.float32), score])
        out = jnp.where(found, out.at[i].set(row), out)
        alike = likeness(box)
        if sigma > 0:
            left = left * jnp.exp(np.float32(-0.5 / sigma) * alike * alike)
        else:
            left = jnp.where(alike > threshold, -np.inf, left)
        return jnp.where(left > least, left, -np.inf).at[box].set(-np.inf), out

    out = jnp.tile(jnp.asarray([-1.0, 0.0], np.float32), (most, 1))
    start = jnp.where(scores > least, scores, -np.inf)
    return lax.fori_loop(0, most, step, (start, out))[1]
