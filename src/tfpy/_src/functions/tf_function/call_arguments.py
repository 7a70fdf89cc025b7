"""Matching of a concrete function's call arguments with the arguments of its trace."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.core import nest, records
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.operand import Composite, FieldRecord
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.tf_function.signature import Call, TensorSpec
from tfpy._src.tensors.variables.variable import Variable


def given_for(
    call: Call, signature: inspect.Signature, args: Any, kwargs: Any, takes: Callable[[], str]
) -> tuple[list[Any], Call]:
    """Return the values for the tensors of a trace, and the call with its Variables.

    Args:
        call: Call for which the function was traced.
        signature: Parameters of the function.
        args: All tensors in their order, or positional arguments.
        kwargs: Keyword arguments. Python values may be omitted.
        takes: Returns a description of the inputs, for errors.

    Raises:
        TypeError: If an argument is missing, or if a structure or a Python value differs.
    """
    flat = not any(nest.is_nested(a) or isinstance(a, Composite | FieldRecord) for a in args)
    if flat and len(args) == len(call.tensors) and not kwargs:
        return list(args), call
    bound = signature.bind_partial(*args, **kwargs).arguments
    arguments = {n: p.default for n, p in signature.parameters.items()}
    arguments |= call.without_tensors() | bound
    missing = [n for n, value in arguments.items() if value is inspect.Parameter.empty]
    if missing:
        raise TypeError(f"{takes()}, missing {', '.join(missing)}")
    found: list[Any] = []
    variables = _Variables(call)
    for name, value in arguments.items():
        if isinstance(call.arguments[name], Tensor | TensorSpec):
            found.append(value)
            continue
        traced, given = _leaves(call.arguments[name]), _leaves(value)
        tensors = [isinstance(leaf, Tensor | TensorSpec) for leaf in traced]
        same = len(given) == len(traced) and all(
            known or variables.take(other, leaf) or _is_same(leaf, other)
            for known, leaf, other in zip(tensors, traced, given, strict=True)
        )
        if not same:
            raise TypeError(
                f"{takes()}, got {name}={value!r}: call the tf.function for other structures and "
                "Python values"
            )
        found += [leaf for leaf, known in zip(given, tensors, strict=True) if known]
    return found, variables.call()


def _leaves(value: Any) -> list[Any]:
    """Return the leaves of an argument. The class of a record is a leaf before its parts."""
    found: list[Any] = []
    for leaf in nest.flatten(value):
        found += [type(leaf), *records.flatten(leaf)] if isinstance(leaf, FieldRecord) else [leaf]
    return found


class _Variables:
    """The Variables of a call that replace the Variables of the traced call.

    Args:
        call: Call for which the function was traced.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._given: dict[int, Variable] = {}

    def take(self, given: Any, traced: Any) -> bool:
        """Record a Variable that replaces a traced Variable.

        Returns:
            False if one of them is not a Variable, or if another one replaced the traced Variable
            before.
        """
        if not isinstance(given, Variable) or all(traced is not v for v in self._call.variables):
            return False
        return self._given.setdefault(id(traced), given.origin) is given.origin

    def call(self) -> Call:
        """Return the traced call with the recorded Variables."""
        variables = [self._given.get(id(v), v) for v in self._call.variables]
        return Call(self._call.replaced([t for _, t in self._call.tensors], variables))


def _is_same(traced: Any, given: Any) -> bool:
    """Return True if a Python value equals the value for which the function was traced."""
    is_compared = not any(isinstance(v, Composite | Variable) for v in (traced, given))
    return traced is given or (is_compared and traced == given)


def as_tensors(values: Sequence[Any], call: Call, takes: Callable[[], str]) -> list[Tensor]:
    """Convert values to tensors. Python values get the dtypes of the call's tensors.

    Raises:
        TypeError: If the number of values differs from the number of the call's tensors.
    """
    dtypes = [tensor.dtype for _, tensor in call.tensors]
    if len(values) != len(dtypes):
        raise TypeError(f"{takes()}, got {len(values)} tensors instead of {len(dtypes)}")
    return [
        convert_to_tensor(value, dtype if not is_operand(value) else None)
        for value, dtype in zip(values, dtypes, strict=True)
    ]
