"""The tracing of Python conditionals and loops into `cond` and `while_loop` equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base.errors import NotTraceableError
from tfpy._src.compiler.ops.logic import logical_and
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite, check_untraced
from tfpy._src.core.records import flatten, map_structure, pack_sequence_as
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.derivative import current
from tfpy._src.functions.control.equations import apply_cond, apply_loop
from tfpy._src.functions.control.refused import Refused, attempted
from tfpy._src.functions.control.staged_array import StagedArray
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.control.traced_parts import (
    LoopPart,
    TracedPart,
    assigned,
    inside,
    join,
    new_scope,
)

Function = Callable[..., Any]


def to_tensor(leaf: Any) -> Tensor:
    """Return the Graph's tensor for a leaf of a nest."""
    if isinstance(leaf, TensorArray):
        staged = leaf.staged()
        assert isinstance(staged, StagedArray)
        return staged.values
    if isinstance(leaf, Composite):
        return leaf.differentiable
    check_untraced(leaf)
    return convert_to_tensor(leaf)


def like_leaf(leaf: Any, tensor: Tensor) -> Any:
    """Convert a tensor of the Graph to the kind of a leaf, the inverse of :func:`to_tensor`."""
    if isinstance(leaf, TensorArray):
        return StagedArray(leaf, tensor)
    if isinstance(leaf, Composite):
        return leaf.with_differentiable(tensor)
    return tensor


def traced_branches(functions: Sequence[Function]) -> list[tuple[TracedPart, Any]]:
    """Trace each function into a part, and return the parts with the results.

    The result of a function that fails for the actual sizes is a :class:`Refused`.

    Raises:
        InvalidArgumentError: If all functions fail.
        OutOfRangeError: If all functions fail.
    """
    scope = new_scope("cond")
    parts = [(TracedPart(getattr(f, "__name__", "branch"), scope), f) for f in functions]
    traced = [(part, attempted(part, f)) for part, f in parts]
    if all(isinstance(result, Refused) for _, result in traced):
        raise traced[0][1].error
    return traced


def finish_cond(
    index: Any, parts: Sequence[TracedPart], leaves: Sequence[Sequence[Any]]
) -> list[Tensor]:
    """Add the `cond` equation of traced parts.

    Args:
        index: Number of the chosen part. A bool chooses from the pair (true, false).
        parts: The traced parts.
        leaves: Results of each part; all must have the same avals.

    Returns:
        The results of the chosen part.
    """
    variables = assigned(parts)
    for part, given in zip(parts, leaves, strict=True):
        with part.taken():
            outputs = [*map(to_tensor, given), *(part.last_value(v) for v in variables)]
            part.graph.outputs = [part.value_of(t) for t in outputs]
    operands = join(parts, [[] for _ in parts])
    graphs = tuple(part.graph for part in parts)
    chooses = convert_to_tensor(index)
    results = apply_cond([chooses, *operands], graphs[::-1] if chooses.dtype.is_bool else graphs)
    count = len(results) - len(variables)
    for variable, tensor in zip(variables, results[count:], strict=True):
        current().assign(variable, tensor)
    return results[:count]


def staged_cond(index: Any, functions: Sequence[Function], name: str) -> Any:
    """Return the result of one function, chosen by number, or by a bool from (true, false).

    Raises:
        TypeError: If the results differ in structure or dtype.
        NotTraceableError: If the results differ only in shapes.
    """
    traced = traced_branches(functions)
    parts = [part for part, _ in traced]
    known = {n: _converted(*t) for n, t in enumerate(traced) if not isinstance(t[1], Refused)}
    other, found = next(iter(known.items()))
    nests = [
        known[n] if n in known else result.like(found, parts[other])
        for n, (_, result) in enumerate(traced)
    ]
    first = nests[0]
    if len({_description(nest) for nest in nests}) != 1:
        found = "; ".join(_description(nest) for nest in nests)
        same_but_for_shapes = len({_description(nest, shapes=False) for nest in nests}) == 1
        raise (NotTraceableError if same_but_for_shapes else TypeError)(
            f"{name}: the functions must have the same number, type, and overall structure of "
            f"return values, got: {found}"
        )
    results = finish_cond(index, parts, [_present(nest) for nest in nests])
    values = iter(results)
    leaves = [x if x is None else like_leaf(x, next(values)) for x in flatten(first)]
    return pack_sequence_as(first, leaves)


def _present(nest: Any) -> list[Any]:
    return [x for x in flatten(nest) if x is not None]


def _converted(part: TracedPart, result: Any) -> Any:
    """Return a result with tensors in place of numbers."""

    def leaf(value: Any) -> Any:
        if value is None or isinstance(value, TensorArray | Composite):
            return value
        check_untraced(value)
        return convert_to_tensor(value)

    return inside(part, lambda: map_structure(leaf, result))


def _description(nest: Any, shapes: bool = True) -> str:
    """Return the structure and dtypes of a nest as text, by default with shapes."""

    def leaf(value: Any) -> str:
        if isinstance(value, Tensor):
            return str(value.aval) if shapes else value.dtype.name
        return type(value).__name__ if value is not None else "None"

    return str(map_structure(lambda x: _Text(leaf(x)), nest))


class _Text(str):
    __slots__ = ()
    __repr__ = str.__str__


def staged_while(
    test: Function,
    body: Function,
    initial: Sequence[Any],
    check: Callable[[list[Any], list[Any]], list[Any]],
) -> list[Any]:
    """Add the `while_loop` equation of a Python loop, and return the leaves after it.

    Args:
        test: Function that takes the leaves and returns a bool scalar.
        body: Function that takes the leaves and returns the leaves for the next iteration.
        initial: Leaves before the loop.
        check: Function that takes the leaves before and after an iteration, and returns the latter
            or raises an error.
    """
    entries = [to_tensor(leaf) for leaf in initial]
    scope = new_scope("while")
    part = LoopPart("while_body", scope)
    arguments = [part.argument(t.aval, "loop_var") for t in entries]
    before = [like_leaf(x, a) for x, a in zip(initial, arguments, strict=True)]
    after = attempted(part, lambda: check(before, list(body(before))))
    if isinstance(after, Refused):
        after = before
    tested = TracedPart("while_test", scope)
    test_arguments = [tested.argument(t.aval, "loop_var") for t in entries]
    given = [like_leaf(x, a) for x, a in zip(after, test_arguments, strict=True)]
    go_on = inside(tested, lambda: convert_to_tensor(test(given)))
    if part.limit is not None:
        part.counted()
    variables = assigned([part])
    own: list[list[Tensor]] = [[*arguments], [*test_arguments]]
    for p, mine in zip((part, tested), own, strict=True):
        with p.taken():
            mine += [p.first_value(v) for v in variables]
    with part.taken():
        outputs = [*map(to_tensor, after), *(v.tensor for v in variables)]
        if part.iteration is not None:
            own[0].append(part.iteration)
            number = tested.argument(part.iteration.aval, "iteration")
            own[1].append(number)
            if part.limit is not None:
                go_on = inside(tested, lambda: logical_and(go_on, number < part.limit))
            outputs.append(part.iteration + 1)
            entries_more = [convert_to_tensor(0)]
        else:
            entries_more = []
        part.graph.outputs = [part.value_of(t) for t in outputs]
    tested.graph.outputs = [tested.value_of(go_on)]
    starts = [*entries, *(v.value() for v in variables), *entries_more]
    operands = join([part, tested], own)
    results = apply_loop([*starts, *operands], tested.graph, part.graph, len(starts))
    for variable, tensor in zip(variables, results[len(entries) :], strict=False):
        current().assign(variable, tensor)
    return [like_leaf(x, t) for x, t in zip(after, results, strict=False)]
