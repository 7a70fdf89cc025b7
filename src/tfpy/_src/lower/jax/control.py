"""Conditionals, loops and lists within a function of JAX.

A list of tensors is one array with a row for each, zeros where nothing was written. So its rows
have one shape, and in a loop it has its length before; one in which it grows is the host's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import lax, numpy as jnp

from tfpy._src.errors import NotLowerable
from tfpy._src.ir.aval import Aval
from tfpy._src.ir.graph import Graph
from tfpy._src.lower.jax.lowering import evaluated
from tfpy._src.lower.jax.table import lowers

_ROUNDS = 4
"""In which the lists of a loop get their rows: one for each that is filled of another."""


@jax.tree_util.register_pytree_node_class
@dataclass(frozen=True)
class Items:
    """A list."""

    length: int
    rows: Any = None
    """[length, ...]; None as long as nothing tells the shape of a row."""

    def tree_flatten(self) -> tuple[tuple[Any], int]:
        return (self.rows,), self.length

    @classmethod
    def tree_unflatten(cls, length: int, children: tuple[Any]) -> Items:
        return cls(length, *children)


def _like(items: Items, length: int, row: Any) -> Items:
    """The list with so many rows of that shape and dtype."""
    if items.rows is None:
        return Items(length, jnp.zeros((length, *row.shape), row.dtype))
    if items.rows.shape[1:] != row.shape or items.rows.dtype != row.dtype:
        raise NotLowerable("a list of tensors of several shapes")
    missing = length - items.length
    if missing <= 0:
        return items
    around = [(0, missing, 0), *[(0, 0, 0)] * len(row.shape)]
    return Items(length, lax.pad(items.rows, jnp.zeros((), row.dtype), around))


def _row_of(items: Items) -> Any:
    return jax.ShapeDtypeStruct(items.rows.shape[1:], items.rows.dtype)


def _merged(first: Any, second: Any) -> Any:
    """``first``, and of lists what is long enough for both."""
    if not isinstance(first, Items):
        return first
    known = [items for items in (first, second) if items.rows is not None]
    length = max(first.length, second.length)
    return _like(first, length, _row_of(known[0])) if known else Items(length)


@lowers("list_make")
def list_make(*tensors: Any, places: Sequence[int], length: int) -> Any:
    found = Items(length)
    for place, x in zip(places, tensors, strict=True):
        (found,) = list_set(found, np.asarray(place), x, None)
    return (found,)


@lowers("list_set")
def list_set(items: Items, index: Any, x: Any, limit: int | None) -> Any:
    if isinstance(x, Items):
        raise NotLowerable("a list of lists")
    length = items.length
    if isinstance(index, np.ndarray):
        length = max(length, int(index) + 1)
    elif limit is None:
        raise NotLowerable("a list grows, to a length that only its values tell")
    grown = _like(items, length, x)
    return (Items(grown.length, grown.rows.at[index].set(x, mode="drop")),)


@lowers("list_clear")
def list_clear(items: Items, index: Any) -> Any:
    if items.rows is None:
        return (items,)
    zeros = jnp.zeros(items.rows.shape[1:], items.rows.dtype)
    return (Items(items.length, items.rows.at[index].set(zeros, mode="drop")),)


@lowers("list_get")
def list_get(items: Items, index: Any, aval: Aval) -> Any:
    if items.rows is None or not items.length:
        return (_zeros(aval),)
    _check_row(items, aval)
    row = lax.dynamic_index_in_dim(items.rows, index, keepdims=False)
    inside = (index >= 0) & (index < items.length)
    return (jnp.where(inside, row, _zeros(aval)),)


def _zeros(aval: Aval) -> Any:
    if aval.dtype.name == "variant":
        raise NotLowerable("a list of lists")
    return jnp.zeros(aval.shape, aval.dtype.as_numpy_dtype)


def _check_row(items: Items, aval: Aval) -> None:
    if items.rows.shape[1:] != aval.shape:
        raise NotLowerable("a list of tensors of several shapes")


@lowers("list_add")
def list_add(a: Items, b: Items) -> Any:
    a, b = _merged(a, b), _merged(b, a)
    return (a if a.rows is None else Items(a.length, lax.add(a.rows, b.rows)),)


@lowers("list_stack")
def list_stack(items: Items, count: int, aval: Aval) -> Any:
    found = _like(items, count, _zeros(aval))
    return (lax.slice_in_dim(found.rows, 0, count),)


@lowers("list_unstack")
def list_unstack(x: Any) -> Any:
    return (Items(x.shape[0], jnp.asarray(x)),)


@lowers("cond")
def cond(index: Any, *inputs: Any, branches: Sequence[Graph]) -> Any:
    """A number beyond the branches takes the last one."""
    last = len(branches) - 1
    at = jnp.asarray(index).astype(np.int32)
    at = jnp.where((at >= 0) & (at <= last), at, last)
    run = [_results_of(branch) for branch in branches]
    wanted = [jax.eval_shape(branch, *inputs) for branch in run]
    lists = [_together(column) for column in zip(*wanted, strict=True)]
    return lax.switch(at, [_filling(branch, lists) for branch in run], *inputs)


def _results_of(graph: Graph) -> Callable[..., list[Any]]:
    return lambda *inputs: evaluated(graph, inputs)


def _together(outputs: Sequence[Any]) -> Items | None:
    """Of lists as several branches give them one that is long enough for all."""
    if not isinstance(outputs[0], Items):
        return None
    rows = next((items.rows for items in outputs if items.rows is not None), None)
    return Items(max(items.length for items in outputs), rows)


def _filling(branch: Callable[..., list[Any]], lists: Sequence[Items | None]) -> Callable[..., Any]:
    """The branch, with lists as they are together."""

    def run(*inputs: Any) -> list[Any]:
        outputs = branch(*inputs)
        return [
            output
            if like is None or like.rows is None
            else _like(output, like.length, _row_of(like))
            for output, like in zip(outputs, lists, strict=True)
        ]

    return run


@lowers("while_loop")
def while_loop(
    *arrays: Any, test: Graph, body: Graph, state: int, primal: Graph | None = None
) -> Any:
    fixed = arrays[state:]

    def step(values: Sequence[Any]) -> list[Any]:
        return evaluated(body, [*values, *fixed])

    def goes_on(values: Sequence[Any]) -> Any:
        return evaluated(test, [*values, *fixed])[0]

    return lax.while_loop(goes_on, step, _filled(step, list(arrays[:state])))


def _filled(step: Callable[[Any], list[Any]], state: list[Any]) -> list[Any]:
    """The state before the first iteration, its lists with the rows that they will have."""
    if not any(isinstance(value, Items) for value in state):
        return state
    for _ in range(_ROUNDS):
        after = jax.eval_shape(step, state)
        shapes = jax.tree_util.tree_structure(state)
        if jax.tree_util.tree_structure(after) == shapes:
            return state
        state = [_merged(value, new) for value, new in zip(state, after, strict=True)]
    raise NotLowerable("a list grows in a loop")
