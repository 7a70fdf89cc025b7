"""The variables of a loop in converted code, their conversion to tensors, and checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite
from tfpy._src.core.records import assert_same_structure, flatten, map_structure, pack_sequence_as
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.autograph.operators.undefined import Undefined
from tfpy._src.functions.control.staging import like_leaf, to_tensor
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.control.traced_parts import TracedPart

_VALUES = Tensor | TensorArray | Composite | bool | int | float | complex | np.ndarray | np.generic


class LoopState:
    """The values of a loop's variables before the loop.

    Nests of tensors and numbers become variables of the loop equation. Other objects, None, and
    undefined names must not change.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self._names = names
        self._values = list(values)
        self._goes = [_is_values(v) for v in values]

    @property
    def undefined(self) -> bool:
        """True if the body may define variables that are undefined or None before the loop."""
        return any(isinstance(v, Undefined | None) for v in self._values)

    @property
    def leaves(self) -> list[Any]:
        """Variables of the loop equation, as tensors and TensorArrays."""
        found = zip(self._values, self._goes, strict=True)
        return [_leaf(x) for value, goes in found if goes for x in flatten(value)]

    def unpacked(self, leaves: Sequence[Any]) -> list[Any]:
        """Return the values of the variables for given leaves."""
        rest = iter(leaves)
        return [
            pack_sequence_as(value, [next(rest) for _ in flatten(value)]) if goes else value
            for value, goes in zip(self._values, self._goes, strict=True)
        ]

    def placeholders(self, part: TracedPart) -> list[Any]:
        """Return values of the variables for a trial iteration."""

        def argument(leaf: Any) -> Any:
            return like_leaf(leaf, part.argument(to_tensor(leaf).aval, "loop_var"))

        return self.unpacked([argument(x) for x in self.leaves])

    def with_defined(self, found: Sequence[Any], zeros: Callable[[Any], Any]) -> LoopState:
        """Return the state with zeros for undefined variables, in the kinds that a trial found."""

        def defined(name: str, before: Any, after: Any) -> Any:
            if not isinstance(before, Undefined | None) or isinstance(after, Undefined | None):
                return before
            if not _is_values(after):
                raise ValueError(
                    f"'{name}' must be defined before the loop: it becomes {type(after).__name__}"
                )
            if any(isinstance(x, TensorArray) for x in flatten(after)):
                raise ValueError(f"the TensorArray '{name}' must be made before the loop")
            return map_structure(lambda x: zeros(convert_to_tensor(x)), after)

        values = map(defined, self._names, self._values, found)
        return LoopState(self._names, list(values))

    def checked(self, after: Sequence[Any]) -> list[Any]:
        """Return the leaves after an iteration.

        Raises:
            ValueError: If a variable changes its shape or becomes undefined.
            TypeError: If a variable changes its dtype, its structure or its kind.
        """
        out: list[Any] = []
        for name, before, goes, now in zip(
            self._names, self._values, self._goes, after, strict=True
        ):
            if goes:
                out += _same(name, before, now)
            elif now is not before and not isinstance(now, Undefined):
                _refuse(name, before, now)
        return out


def _is_values(value: Any) -> bool:
    return not isinstance(value, Undefined) and all(isinstance(x, _VALUES) for x in flatten(value))


def _leaf(value: Any) -> Any:
    if isinstance(value, TensorArray):
        return value.staged()
    return value if isinstance(value, Composite) else convert_to_tensor(value)


def _same(name: str, before: Any, now: Any) -> list[Any]:
    if isinstance(now, Undefined):
        raise ValueError(f"'{name}' must still be defined after an iteration of the loop")
    try:
        assert_same_structure(before, now)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"'{name}' does not have the same nested structure after one iteration. Collect the "
            f"results of iterations in a tf.TensorArray. {error}"
        ) from None
    if not _is_values(now):
        raise TypeError(f"'{name}' becomes {type(now).__name__} in the loop, not a tensor")
    pairs = [(_leaf(a), _leaf(b)) for a, b in zip(flatten(before), flatten(now), strict=True)]
    for old, new in pairs:
        if old.dtype != new.dtype:
            raise TypeError(
                f"'{name}' has dtype {old.dtype.name} before the loop, but dtype {new.dtype.name} "
                "after one iteration; write it with one dtype"
            )
        if not isinstance(old, TensorArray) and tuple(old.aval.shape) != tuple(new.aval.shape):
            raise ValueError(
                f"'{name}' has shape {old.shape} before the loop, but shape {new.shape} after one "
                "iteration; shapes are static in compiled functions: collect parts in a "
                "tf.TensorArray"
            )
    return [new for _, new in pairs]


def _refuse(name: str, before: Any, now: Any) -> None:
    raise TypeError(
        f"'{name}' is {type(before).__name__} before the loop and another "
        f"{type(now).__name__} after one iteration; only tensors can change in a compiled loop"
    )
