"""Conditionals, loops, function calls, assertions, prints and operations without effect.

A function in an attribute is a callable of tensors that returns a list of tensors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.nest import flatten
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.functions.control.assertion import Assert
from tfpy._src.functions.control.control_flow import cond, switch_case, while_loop
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.library.debugging.assertions import check_numerics
from tfpy._src.library.strings.formatting import print as print_
from tfpy._src.tensors.array.reshaping import identity

Function = Callable[..., Any]


def _called(function: Function, inputs: Sequence[Any]) -> list[Any]:
    """Call a function and return its results as a list."""
    found = function(*inputs)
    return [] if found is None else flatten(found)


def _chosen(cond_: Any, input: Any, *, then_branch: Function, else_branch: Function) -> list[Any]:
    test = convert_to_tensor(cond_)
    branches = [lambda f=f: _called(f, input) for f in (then_branch, else_branch)]
    return cond(test if test.ndim == 0 else test.size > 0, branches[0], branches[1])


def _case(branch_index: Any, input: Any, *, branches: Sequence[Function]) -> list[Any]:
    calls = [lambda f=f: _called(f, input) for f in branches]
    return switch_case(convert_to_tensor(branch_index), calls)


def _repeated(input: Sequence[Any], *, cond: Function, body: Function) -> list[Any]:
    """Run a loop.

    Values that are not tensors, e.g. Variables, are constant in the loop. So are the inputs with
    numbers in `body.invariants`, if the function has this attribute: the trace still knows them.
    """
    fixed = set(getattr(body, "invariants", ()))
    kinds = (Tensor, np.ndarray, TensorArray, int, float, bool)
    varying = [i for i, x in enumerate(input) if i not in fixed and isinstance(x, kinds)]

    def whole(values: Sequence[Any]) -> list[Any]:
        every = list(input)
        for i, value in zip(varying, values, strict=True):
            every[i] = value
        return every

    def test(*values: Any) -> Any:
        return _called(cond, whole(values))[0]

    def step(*values: Any) -> list[Any]:
        found = _called(body, whole(values))
        return [found[i] for i in varying]

    state = [input[i] for i in varying]
    return whole(while_loop(test, step, state, shape_invariants=[]))


def _counted(start: Any, limit: Any, delta: Any, input: Any, *, body: Function) -> list[Any]:
    def step(i: Any, *values: Any) -> list[Any]:
        return [i + delta, *_called(body, [i, *values])]

    return while_loop(lambda i, *_: i < limit, step, [convert_to_tensor(start), *input])[1:]


def _said(input: Any, data: Sequence[Any], *, message: str, summarize: int) -> Tensor:
    print_(message, *data, summarize=summarize, sep="")
    return identity(input)


def _print_line(input: Any, *, output_stream: str, end: str) -> None:
    stream = {"stdout": sys.stdout, "stderr": sys.stderr}.get(output_stream, output_stream)
    print_(input, output_stream=stream, end=end)


def _unfed(name: str) -> Function:
    def placeholder() -> Any:
        raise invalid_value(name, "You must feed a value for a placeholder")

    return placeholder


op(
    "Case(branch_index, input*Tin; Tout, branches, output_shapes=[]) -> output*Tout",
    _case,
    stateful=True,
)
op("StatelessCase(branch_index, input*Tin; Tout, branches, output_shapes=[]) -> output*Tout", _case)
op(
    "If(cond, input*Tin; Tout, then_branch, else_branch, output_shapes=[]) -> output*Tout",
    _chosen,
    stateful=True,
)
op(
    "StatelessIf(cond, input*Tin; Tout, then_branch, else_branch, output_shapes=[]) -> output*Tout",
    _chosen,
)
op(
    "While(input*T; cond, body, output_shapes=[], parallel_iterations=10) -> output*T",
    _repeated,
    stateful=True,
)
op(
    "StatelessWhile(input*T; cond, body, output_shapes=[], parallel_iterations=10) -> output*T",
    _repeated,
)
op("For(start, limit, delta, input*T; body) -> output*T", _counted)
op(
    'PartitionedCall(args*Tin; Tout, f, config="", config_proto="", executor_type="") -> '
    "output*Tout",
    lambda args, f: _called(f, args),
)
op(
    'StatefulPartitionedCall(args*Tin; Tout, f, config="", config_proto="", '
    'executor_type="") -> output*Tout',
    lambda args, f: _called(f, args),
    stateful=True,
)

op("Placeholder(; dtype, shape=None) -> output", _unfed("Placeholder"))
op("PlaceholderV2(; dtype, shape) -> output", _unfed("PlaceholderV2"))
op("NoOp()", lambda: None)
op("ControlTrigger()", lambda: None)
op("LoopCond(input) -> output", identity)

op(
    "Assert(condition, data*T; summarize=3)",
    lambda condition, data, summarize: Assert(condition, data, summarize),
    stateful=True,
)
op("CheckNumerics(tensor; message) -> output", check_numerics, stateful=True)
op("CheckNumericsV2(tensor; message) -> output", check_numerics, stateful=True)
op('Print(input, data*U; message="", first_n=-1, summarize=3) -> output', _said, stateful=True)
op('PrintV2(input; output_stream="stderr", end="\\n")', _print_line, stateful=True)
