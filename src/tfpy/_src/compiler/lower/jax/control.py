"""Conditionals, loops and lists within a function of JAX.

A list of tensors is one array with a row per tensor, and zeros for rows that were not written. So
its rows have one shape. A list that grows in a loop has its final length from the beginning. This
length is derived from the loop's constants; otherwise the host runs the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from jax import lax, numpy as jnp

from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.lower.jax.counted import counted
from tfpy._src.compiler.lower.jax.lowering import evaluated
from tfpy._src.compiler.lower.jax.replicas import agreed
from tfpy._src.compiler.lower.jax.table import lowers

_ROUNDS = 4
"""Largest number of rounds in which the lists of a loop receive their rows, one per list that is
filled from another."""


@jax.tree_util.register_pytree_node_class
@dataclass(frozen=True)
class Items:
    """A list of tensors."""

    length: int
    rows: Any = None
    """Array [length, ...], or None while the shape of a row is unknown."""
    is_long: bool = False
    """True if all writes are known to be within the length."""

    def tree_flatten(self) -> tuple[tuple[Any], tuple[int, bool]]:
        return (self.rows,), (self.length, self.is_long)

    @classmethod
    def tree_unflatten(cls, known: tuple[int, bool], children: tuple[Any]) -> Items:
        return cls(known[0], children[0], known[1])

    def of(self, rows: Any) -> Items:
        """Return the list with other rows."""
        return Items(rows.shape[0], rows, self.is_long)


def _like(items: Items, length: int, row: Any) -> Items:
    """Return the list with at least `length` rows of this shape and dtype."""
    if items.rows is None:
        return items.of(jnp.zeros((length, *row.shape), row.dtype))
    if items.rows.shape[1:] != row.shape or items.rows.dtype != row.dtype:
        raise NotLowerable("a list of tensors has several shapes")
    missing = length - items.length
    if missing <= 0:
        return items
    around = [(0, missing, 0), *[(0, 0, 0)] * len(row.shape)]
    return items.of(lax.pad(items.rows, jnp.zeros((), row.dtype), around))


def _row_of(items: Items) -> Any:
    return jax.ShapeDtypeStruct(items.rows.shape[1:], items.rows.dtype)


def _merged(first: Any, second: Any) -> Any:
    """Return `first`, where lists are long enough for both values."""
    if not isinstance(first, Items):
        return first
    known = [items for items in (first, second) if items.rows is not None]
    length = max(first.length, second.length)
    return _like(first, length, _row_of(known[0])) if known else replace(first, length=length)


@lowers("list_make")
def list_make(*tensors: Any, places: Sequence[int], length: int) -> Any:
    found = Items(length)
    for place, x in zip(places, tensors, strict=True):
        (found,) = list_set(found, np.asarray(place), x, None)
    return (found,)


@lowers("list_set")
def list_set(items: Items, index: Any, x: Any, limit: int | None) -> Any:
    if isinstance(x, Items):
        raise NotLowerable("a list of lists is not supported")
    length = items.length
    if isinstance(index, np.ndarray):
        if index < 0 or (limit is not None and index >= limit):
            raise NotLowerable("an index outside of a list, which the host rejects")
        length = max(length, int(index) + 1)
    elif limit is None and not items.is_long:
        raise NotLowerable("a list grows to a length that depends on values")
    grown = _like(items, length, x)
    if not length:  # in a loop that never runs
        return (grown,)
    return (grown.of(grown.rows.at[_place(index, grown)].set(x, mode="drop")),)


def _place(index: Any, items: Items) -> Any:
    """Return the index, with negative ones moved beyond the end.

    JAX would count them from the end.
    """
    return jnp.where(jnp.asarray(index) < 0, items.length, index)


@lowers("list_clear")
def list_clear(items: Items, index: Any) -> Any:
    if items.rows is None or not items.length:
        return (items,)
    zeros = jnp.zeros(items.rows.shape[1:], items.rows.dtype)
    return (items.of(items.rows.at[_place(index, items)].set(zeros, mode="drop")),)


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
        raise NotLowerable("a list of lists is not supported")
    return jnp.zeros(aval.shape, aval.dtype.as_numpy_dtype)


def _check_row(items: Items, aval: Aval) -> None:
    if items.rows.shape[1:] != aval.shape:
        raise NotLowerable("a list of tensors has several shapes")


@lowers("list_add")
def list_add(a: Items, b: Items) -> Any:
    a, b = _merged(a, b), _merged(b, a)
    return (a if a.rows is None else a.of(lax.add(a.rows, b.rows)),)


@lowers("list_stack")
def list_stack(items: Items, count: int, aval: Aval) -> Any:
    found = _like(items, count, _zeros(aval))
    return (lax.slice_in_dim(found.rows, 0, count),)


@lowers("list_unstack")
def list_unstack(x: Any) -> Any:
    return (Items(x.shape[0], jnp.asarray(x)),)


@lowers("cond")
def cond(index: Any, *inputs: Any, branches: Sequence[Graph]) -> Any:
    """Run one of the branches. A number out of range selects the last one."""
    inputs = tuple(map(_of_any_length, inputs))
    last = len(branches) - 1
    at = jnp.asarray(index).astype(np.int32)
    at = agreed(jnp.where((at >= 0) & (at <= last), at, last), branches)
    run = [_results_of(branch) for branch in branches]
    wanted = [jax.eval_shape(branch, *inputs) for branch in run]
    lists = [_together(column) for column in zip(*wanted, strict=True)]
    return lax.switch(at, [_filling(branch, lists) for branch in run], *inputs)


def _results_of(graph: Graph) -> Callable[..., list[Any]]:
    return lambda *inputs: evaluated(graph, inputs)


def _together(outputs: Sequence[Any]) -> Items | None:
    """Return a list that is long enough for the lists of all branches, else None."""
    if not isinstance(outputs[0], Items):
        return None
    rows = next((items.rows for items in outputs if items.rows is not None), None)
    return Items(max(items.length for items in outputs), rows)


def _filling(branch: Callable[..., list[Any]], lists: Sequence[Items | None]) -> Callable[..., Any]:
    """Return the branch with lists of a common length."""

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
    *operands: Any,
    test: Graph,
    body: Graph,
    state: int,
    rows: Mapping[int, int],
    primal: Graph | None = None,
) -> Any:
    """Run a loop.

    Args:
        rows: Number of rows that are needed, for lists of the state that are stacked afterwards.
    """
    operands = tuple(map(_of_any_length, operands))
    fixed = operands[state:]
    writes = [e for e in body.eqns if e.op.name == "list_set" and dict(e.attrs)["limit"] is None]
    known = counted(operands, test, body, state, [write.inputs[1] for write in writes])
    largest = {} if known is None else known.largest
    first = list(operands[:state])
    for position, indices in _written(body, state, writes).items():
        if position in rows:
            first[position] = _long(first[position], rows[position])
        elif largest.keys() >= indices:
            first[position] = _long(first[position], 1 + max(largest[v] for v in indices))

    def step(values: Sequence[Any]) -> list[Any]:
        after = evaluated(body, [*values, *fixed])
        return [_as_long(new, old) for new, old in zip(after, values, strict=True)]

    def goes_on(values: Sequence[Any]) -> Any:
        return agreed(evaluated(test, [*values, *fixed])[0], [test, body])

    last = lax.while_loop(goes_on, step, _filled(step, first))
    constants = {} if known is None else known.last
    return [constants.get(p, _of_any_length(value)) for p, value in enumerate(last)]


def _written(body: Graph, state: int, writes: Sequence[Eqn]) -> dict[int, set[int]]:
    """Map the positions of lists in a loop's state to the indices at which the body writes."""
    makers = {v: e for e in body.eqns for v in e.outputs if e.op.name in ("list_set", "list_clear")}
    found: dict[int, set[int]] = {}
    for write in writes:
        value = write.inputs[0]
        while value in makers:
            value = makers[value].inputs[0]
        if value in body.inputs[:state]:
            found.setdefault(body.inputs.index(value), set()).add(write.inputs[1])
    return found


def _long(items: Items, length: int) -> Items:
    """Return the list with at least `length` rows, which includes all later writes."""
    length = max(length, items.length)
    grown = replace(items, length=length) if items.rows is None else _like(
        items, length, _row_of(items)
    )  # fmt: skip
    return replace(grown, is_long=True)


def _as_long(value: Any, like: Any) -> Any:
    return replace(value, is_long=like.is_long) if isinstance(value, Items) else value


def _of_any_length(value: Any) -> Any:
    """Return a value with unknown future writes."""
    return replace(value, is_long=False) if isinstance(value, Items) else value


def _filled(step: Callable[[Any], list[Any]], state: list[Any]) -> list[Any]:
    """Return the state before the first iteration, with lists that have all their rows."""
    if not any(isinstance(value, Items) for value in state):
        return state
    for _ in range(_ROUNDS):
        after = jax.eval_shape(step, state)
        shapes = jax.tree_util.tree_structure(state)
        if jax.tree_util.tree_structure(after) == shapes:
            return state
        state = [_merged(value, new) for value, new in zip(state, after, strict=True)]
    raise NotLowerable("a list grows in a loop")
