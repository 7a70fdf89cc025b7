"""The arguments of a call and the signatures of a loaded function."""

from __future__ import annotations

import inspect
import itertools
import pprint
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.checkpoints.saved_models.composite_specs import is_composite, parts
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite, FieldRecord
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.tf_function.arguments import bind, spread
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.variables.tracking import unwrapped
from tfpy._src.tensors.variables.variable import Variable


def mismatch(parameters: inspect.Signature, given: Any, signatures: Sequence[Any]) -> str:
    """Return the text of the error for a call that no signature of a function matches.

    Args:
        parameters: Parameters of the function.
        given: Positional and keyword arguments of the call.
        signatures: Positional and keyword arguments of each signature.
    """
    positional, keyword = given
    pairs = itertools.zip_longest(parameters.parameters, positional)
    shown = [_shown(value, name) for name, value in pairs][: len(positional)]
    keyword = {name: _shown(value, name) for name, value in keyword.items()}
    options = [
        f"Option {i}:\n  {_listed(args)}\n  Keyword arguments: {kwargs}"
        for i, (args, kwargs) in enumerate(signatures, 1)
    ]
    text = "\n\n".join(options)
    return (
        "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
        f"  {_listed(shown)}\n  Keyword arguments: {keyword}\n\n Expected these arguments to match "
        f"one of the following {len(options)} option(s):\n\n{text}"
    )


class _Shown:
    """A tensor in an error message, without its values."""

    def __init__(self, tensor: Tensor, name: str | None) -> None:
        self._text = f"<tf.Tensor '{name}:0' shape={tensor.shape} dtype={tensor.dtype.name}>"

    def __repr__(self) -> str:
        return self._text


def _shown(value: Any, name: str | None) -> Any:
    if isinstance(value, Tensor):
        return _Shown(value, name)
    if isinstance(value, np.ndarray):
        return _Shown(convert_to_tensor(value), name)
    if isinstance(value, Mapping):
        return {k: _shown(v, f"{name}_{k}") for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_shown(v, f"{name}_{i}") for i, v in enumerate(value))
    return value


def _listed(positional: Sequence[Any]) -> str:
    items = "\n    * ".join(pprint.pformat(a) for a in positional)
    return f"Positional arguments ({len(positional)} total):\n    * {items}"


def arguments(parameters: inspect.Signature, args: Any, kwargs: Any) -> Any:
    """Return the positional and keyword arguments of a call, including defaults.

    Raises:
        TypeError: If they do not match the parameters.
    """
    positional, keyword = spread(parameters, bind(parameters, args, kwargs))
    return tuple(positional), keyword


def matched(expected: Any, given: Any, converts: bool) -> list[Tensor] | None:
    """Return the tensors of a call in the order of the signature, or None if it does not match.

    Args:
        expected: Nest of specs and Python values.
        given: Nest of tensors and Python values.
        converts: If True, Python values may be converted to tensors.
    """
    found: list[Tensor] = []
    return found if _match(expected, unwrapped(given), converts, found) else None


def _match(expected: Any, given: Any, converts: bool, found: list[Tensor]) -> bool:
    if isinstance(expected, TensorSpec):
        tensor = _as_tensor(given, expected, converts)
        if tensor is None:
            return False
        found.append(tensor)
        return True
    given = unwrapped(given)
    if is_composite(expected):
        tensors = parts(expected, given) if isinstance(given, Composite | FieldRecord) else None
        found += tensors or []
        return tensors is not None
    if isinstance(expected, Mapping):
        if not isinstance(given, Mapping) or {*given} != {*expected}:
            return False
        return all(_match(expected[k], given[k], converts, found) for k in sorted(expected))
    if isinstance(expected, list | tuple):
        kind = list if isinstance(expected, list) else tuple
        if not isinstance(given, kind) or len(given) != len(expected):
            return False
        pairs = zip(expected, given, strict=True)
        return all(_match(one, other, converts, found) for one, other in pairs)
    if isinstance(given, Tensor | Variable | np.ndarray):
        return False
    return bool(expected == given)


def _as_tensor(value: Any, spec: TensorSpec, converts: bool) -> Tensor | None:
    if not isinstance(value, Tensor | Variable | np.ndarray):
        if not converts:
            return None
        try:
            value = convert_to_tensor(value, dtype_hint=spec.dtype)
        except (TypeError, ValueError):
            return None
    tensor = convert_to_tensor(value)
    return tensor if spec.is_compatible_with(tensor) else None
