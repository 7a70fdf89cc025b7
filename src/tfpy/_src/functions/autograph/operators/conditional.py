"""The `if` statement."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.core.conversion import is_operand
from tfpy._src.core.records import assert_same_structure, flatten, map_structure, pack_sequence_as
from tfpy._src.functions.autograph.build import OPERATORS
from tfpy._src.functions.autograph.operators.undefined import Undefined, UndefinedResult
from tfpy._src.functions.control.control_flow import scalar_bool
from tfpy._src.functions.control.refused import Refused
from tfpy._src.functions.control.staging import (
    finish_cond,
    like_leaf,
    staged_cond,
    to_tensor,
    traced_branches,
)
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.control.traced_parts import TracedPart, inside
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.tensors.array.making import zeros_like

Action = Callable[[], Any]
State = Sequence[Any]

_RESULT = "ag__result"
_SIDES = ("main", "else")


def if_stmt(
    condition: Any,
    body: Action,
    orelse: Action,
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: Sequence[str],
    outputs: int,
) -> None:
    """Run a branch, or trace both branches if the condition is symbolic.

    Args:
        condition: Condition of the statement.
        body: Runs the main branch.
        orelse: Runs the else branch.
        get_state: Returns the values of the variables.
        set_state: Assigns the values of the variables.
        names: Names of the variables.
        outputs: Number of the first variables that are read after the statement.

    Raises:
        ValueError: If the condition is not a bool, or if only one branch sets a variable.
        TypeError: If the branches leave values of different dtypes or structures in a variable.
        NotTraceableError: If the branches leave tensors of different shapes in a variable.
    """
    if not is_symbolic(condition):
        run_branch(condition, body, orelse)
        return
    _check_bool(condition)
    predicate = scalar_bool(condition)
    before = get_state()

    def run(branch: Action) -> Action:
        def traced() -> list[Any]:
            set_state(before)
            branch()
            return list(get_state()[:outputs])

        return traced

    try:
        traced = traced_branches([run(body), run(orelse)])
    finally:
        set_state(before)
    parts = [part for part, _ in traced]
    traced = [
        (part, found.like(other, parts[1 - n]) if isinstance(found, Refused) else found)
        for n, ((part, found), (_, other)) in enumerate(zip(traced, traced[::-1], strict=True))
    ]
    left = [_is_left(names, found) for _, found in traced]
    columns = zip(names, *(found for _, found in traced), strict=False)
    merged = [_merge(name, values, parts, left) for name, *values in columns]
    leaves = [[x for m in merged for x in m.leaves[side]] for side in range(2)]
    results = iter(finish_cond(predicate, parts, leaves))
    set_state([*(m.rebuilt(results) for m in merged), *before[outputs:]])


def run_branch(condition: Any, body: Action, orelse: Action) -> Any:
    """Return the result of the chosen branch. Tensor conditions have their own random numbers."""
    if not is_operand(condition):
        return body() if condition else orelse()
    holds = bool(condition)
    with tracing.within(tracing.next_place(), holds):
        return body() if holds else orelse()


def _check_bool(condition: Any) -> None:
    if not condition.dtype.is_bool:
        raise ValueError(
            f"condition of if statement expected to be `tf.bool` scalar, got {condition}; to use "
            "as boolean Tensor, use `tf.cast`; to check for None, use `is not None`"
        )


def _is_left(names: Sequence[str], values: Sequence[Any]) -> bool:
    """Return True if a branch ends with break, continue or return, which sets a flag."""
    pairs = zip(names, values, strict=False)
    return any(name.startswith(OPERATORS) and value is True for name, value in pairs)


def choose(condition: Any, body: Action, orelse: Action, source: str) -> Any:
    """Return the value of a ternary with a symbolic condition."""
    return staged_cond(scalar_bool(condition), [body, orelse], source)


@dataclass
class _Merged:
    """A variable after both branches: a shared value, or leaves from each branch."""

    value: Any
    """Shared value, or the nest that defines the structure of the leaves."""
    leaves: tuple[Sequence[Any], Sequence[Any]] = ((), ())

    def rebuilt(self, results: Any) -> Any:
        if not self.leaves[0]:
            return self.value
        kinds = flatten(self.value)
        return pack_sequence_as(self.value, [like_leaf(k, next(results)) for k in kinds])


def _merge(
    name: str, values: Sequence[Any], parts: Sequence[TracedPart], left: Sequence[bool]
) -> _Merged:
    """Return the value of a variable after the statement.

    Args:
        name: Name of the variable.
        values: Values after the main branch and after the else branch.
        parts: Traces of the branches.
        left: For each branch, True if it ends with a jump, so that the variable is not read.
    """
    if _are_one(*values):
        return _Merged(values[0])
    values = [_defined(name, side, values, left[side]) for side in range(2)]
    if any(v is None for v in values):
        _refuse_none(name, values)
    try:
        assert_same_structure(*values)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"'{name}' must have the same nested structure in the main and else branches: {error}"
        ) from None
    found = [
        inside(part, functools.partial(_leaves, value))
        for part, value in zip(parts, values, strict=True)
    ]
    for main, other in zip(*found, strict=True):
        _compare(name, main, other)
    return _Merged(values[_known_side(found)], (found[0], found[1]))


def _leaves(value: Any) -> list[Any]:
    return [_leaf(x) for x in flatten(value)]


def _are_one(main: Any, other: Any) -> bool:
    """Return True if both branches leave the same value, which then needs no equation."""
    if other is main:
        return True
    if isinstance(other, Undefined) and isinstance(main, Undefined):
        return True
    plain = bool | int | float | str
    return type(other) is type(main) and isinstance(other, plain) and other == main


def _defined(name: str, side: int, values: Sequence[Any], left: bool) -> Any:
    """Return the value after one branch; zeros if it is not read."""
    value, other = values[side], values[1 - side]
    if isinstance(value, UndefinedResult) or (left and isinstance(value, Undefined)):
        return map_structure(lambda x: None if x is None else zeros_like(x), other)
    if isinstance(value, Undefined):
        raise ValueError(f"'{name}' must also be initialized in the {_SIDES[side]} branch")
    return value


def _refuse_none(name: str, values: Sequence[Any]) -> None:
    if name == _RESULT:
        raise ValueError(
            "A value must also be returned from the other branch. If a value is returned from one "
            "branch of a conditional a value must be returned from all branches."
        )
    side = _SIDES[values[0] is not None]
    raise ValueError(
        f"'{name}' is None at the end of the {side} branch; it must be a tensor in both branches, "
        "or None in both"
    )


def _leaf(value: Any) -> Any:
    if isinstance(value, TensorArray):
        return value.staged()
    return value if is_operand(value) else to_tensor(value)


def _compare(name: str, main: Any, other: Any) -> None:
    if other.dtype != main.dtype:
        raise TypeError(
            f"'{name}' has dtype {main.dtype.name} in the main branch, but dtype "
            f"{other.dtype.name} in the else branch"
        )
    if isinstance(main, TensorArray):
        return
    if tuple(other.aval.shape) != tuple(main.aval.shape):
        raise NotTraceableError(
            f"'{name}' has shape {main.shape} in the main branch, but shape {other.shape} in the "
            "else branch"
        )


def _known_side(found: Sequence[Sequence[Any]]) -> int:
    """Return the branch in which the element shapes of TensorArrays are known, as 0 or 1."""
    return int(any(isinstance(x, TensorArray) and x.element_shape is None for x in found[0]))
