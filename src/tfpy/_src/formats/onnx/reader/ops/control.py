"""Conditionals and loops over subgraphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError, invalid
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import NodeGraph
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.onnx.reader.record import Ints, Known, operation
from tfpy._src.formats.onnx.reader.values import host, ints, is_host, positive, shape_of, tensor
from tfpy._src.functions.control.control_flow import cond, while_loop
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.tensors.array.joining import stack, unstack
from tfpy._src.tensors.array.reordering import reverse
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.slicing import gather

MAX_UNROLLED = 32
"""Maximum number of iterations that a trace unrolls."""
MAX_ITERATIONS = 1 << 20


def is_known(value: Any) -> bool:
    """Return True if a value's elements are known during tracing."""
    return not isinstance(value, Tensor) or value.has_values


def steps(count: int, body: Callable[[Any, list[Any]], tuple[list[Any], list[Any]]],
          state: list[Any]) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """Run `state, outs = body(i, state)` for each i; return the last state and the stacked outs.

    A trace with many iterations contains a loop.
    """
    if not count:
        raise NotTraceableError("A loop without iterations cannot be traced.")
    outs: list[list[Any]] = []
    if not tracing.local.active or count <= MAX_UNROLLED:
        for i in range(count):
            state, made = body(i, state)
            outs.append(made)
        return state, [stack([tensor(x) for x in one]) for one in zip(*outs, strict=True)]
    state, first = body(0, state)  # determines the dtypes
    arrays = [TensorArray(x.dtype, count).write(0, x) for x in map(tensor, first)]
    size = len(state)

    def step(i: Any, *values: Any) -> list[Any]:
        new, made = body(i, list(values[:size]))
        pairs = zip(values[size:], made, strict=True)
        return [i + 1, *map(tensor, new), *(a.write(i, tensor(x)) for a, x in pairs)]

    given = [tensor(1), *map(tensor, state), *arrays]
    found = while_loop(lambda i, *_: i < count, step, given, shape_invariants=[])
    return found[1 : size + 1], [array.stack() for array in found[size + 1 :]]


@operation("If")
def if_(condition: Known, *, then_branch: NodeGraph, else_branch: NodeGraph, scope: Scope) -> Any:
    if is_known(condition):
        branch = then_branch if host(condition).reshape(-1)[0] else else_branch
        return tuple(scope.call_inside(branch, []))

    def values(branch: NodeGraph) -> Callable[[], list[Tensor]]:
        return lambda: [_traceable(x) for x in scope.call_inside(branch, [])]

    return tuple(cond(condition, values(then_branch), values(else_branch)))


def _traceable(value: Any) -> Tensor:
    if not isinstance(value, Tensor) and not is_host(value):
        raise NotTraceableError(
            "If: the condition is unknown during tracing, and a branch returns a value that is not "
            "a "
            "tensor"
        )
    return tensor(value)


@operation("Loop")
def loop(
    count: Known = None, condition: Known = None, *initial: Any, body: NodeGraph, scope: Scope
) -> Any:
    """Run a loop; return the carried values, then the stacked outputs of all iterations."""
    if len(body.inputs) != len(initial) + 2 or len(body.outputs) <= len(initial):
        raise invalid(
            "Loop", f"the body has {len(body.inputs)} inputs for {len(initial)} carried values"
        )
    state = list(initial)
    outs: list[list[Any]] = [[] for _ in body.outputs[len(initial) + 1 :]]
    go_on, i = condition, 0
    limit = None if count is None else count if not is_known(count) else ints(count)[0]
    unknown = (limit is not None and not isinstance(limit, int)) or not is_known(go_on)
    while not unknown and (limit is None or i < limit) and (go_on is None or bool(host(go_on))):
        if tracing.local.active and i >= MAX_UNROLLED:
            unknown = True
            break
        if i >= MAX_ITERATIONS:
            raise invalid("Loop", f"more than {MAX_ITERATIONS} iterations")
        go_on, *made = scope.call_inside(body, [_index(i), _flag(go_on), *state])
        state = made[: len(initial)]
        for out, value in zip(outs, made[len(initial) :], strict=True):
            out.append(value)
        i += 1
        unknown = not is_known(go_on)
    if unknown:
        if outs:
            raise NotTraceableError(
                "Loop: the number of iterations is unknown during tracing, so outputs cannot be "
                "stacked"
            )
        return tuple(_staged(i, limit, go_on, state, body, scope))
    return (*state, *(_stacked(out) for out in outs))


def _index(i: int) -> Any:
    return np.array(i, np.int64)


def _flag(go_on: Any) -> Any:
    return np.array(True) if go_on is None else go_on


def _stacked(values: list[Any]) -> Any:
    if not values:
        raise invalid("Loop", "the shape of the outputs is unknown without an iteration")
    return stack([tensor(x) for x in values])


def _staged(
    first: int, limit: Any, go_on: Any, state: list[Any], body: NodeGraph, scope: Scope
) -> Sequence[Any]:
    """Trace the rest of a loop whose condition depends on tensors."""

    def test(i: Any, more: Any, *values: Any) -> Any:
        return more if limit is None else (i < tensor(limit)) & more

    def step(i: Any, more: Any, *values: Any) -> list[Any]:
        new, *made = scope.call_inside(body, [i, more, *values])
        return [i + 1, reshape(tensor(new), []), *map(tensor, made)]

    flag = reshape(tensor(_flag(go_on)), [])
    given = [tensor(_index(first)), flag, *map(tensor, state)]
    return while_loop(test, step, given, shape_invariants=[])[2:]


@operation("Scan", since=9)
def scan(
    *values: Any, body: NodeGraph, num_scan_inputs: int, scan_input_axes: Ints | None = None,
    scan_input_directions: Ints | None = None, scan_output_axes: Ints | None = None,
    scan_output_directions: Ints | None = None, scope: Scope,
) -> Any:  # fmt: skip
    carried = len(values) - num_scan_inputs
    made = len(body.outputs) - carried
    if num_scan_inputs < 1 or carried < 0 or made < 0:
        raise invalid(
            "Scan", f"num_scan_inputs is {num_scan_inputs}, but there are {len(values)} inputs"
        )
    rows = [
        _rows(tensor(x), axis, backward)
        for x, axis, backward in zip(
            values[carried:],
            scan_input_axes or (0,) * num_scan_inputs,
            scan_input_directions or (0,) * num_scan_inputs,
            strict=True,
        )
    ]
    count = shape_of(rows[0])[0]
    if any(shape_of(x)[0] != count for x in rows):
        raise invalid("Scan", "the scanned values have different lengths")

    def step(i: Any, state: list[Any]) -> tuple[list[Any], list[Any]]:
        taken = [gather(x, i, axis=0) for x in rows]
        found = scope.call_inside(body, [*state, *taken])
        return found[:carried], found[carried:]

    state, outs = steps(count, step, list(values[:carried]))
    placed = [
        _placed(x, axis, backward)
        for x, axis, backward in zip(
            outs,
            scan_output_axes or (0,) * made,
            scan_output_directions or (0,) * made,
            strict=True,
        )
    ]
    return (*state, *placed)


@operation("Scan", since=8)
def scan_8(
    lengths: Any = None, *values: Any, body: NodeGraph, directions: Ints | None = None,
    num_scan_inputs: int, scope: Scope,
) -> Any:  # fmt: skip
    """Scan each element of a batch; all of them have the same length."""
    if lengths is not None:
        raise invalid("Scan", "lengths of opset 8 are not supported")
    batches = zip(*(unstack(tensor(x)) for x in values), strict=True)
    made = [
        scan(
            *one, body=body, num_scan_inputs=num_scan_inputs, scan_input_directions=directions,
            scope=scope,
        )
        for one in batches
    ]  # fmt: skip
    return tuple(stack(list(one)) for one in zip(*made, strict=True))


def _rows(x: Tensor, axis: int, backward: int) -> Tensor:
    axis = positive(axis, x.ndim, "Scan")
    moved = transpose(x, [axis, *(i for i in range(x.ndim) if i != axis)])
    return reverse(moved, [0]) if backward else moved


def _placed(x: Tensor, axis: int, backward: int) -> Tensor:
    axis = positive(axis, x.ndim, "Scan")
    ordered = reverse(x, [0]) if backward else x
    order = list(range(1, x.ndim))
    order.insert(axis, 0)
    return transpose(ordered, order)
